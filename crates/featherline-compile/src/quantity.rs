//! The library's algorithms, traced for one robot.

use crate::graph::Graph;
use crate::trace::Trace;
use featherline::kinematics::ReferenceFrame;
use featherline::model::{Frame, FrameId, FrameKind};
use featherline::scalar::Operations;
use featherline::spatial::Vec3;
use featherline::{Error, Model, Workspace};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A named part of a function's inputs or outputs: a matrix, stored row by row, or a vector as a matrix of one column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Port {
    /// The name: `q`, `tau`, `mass_matrix`.
    pub name: String,
    /// How many rows.
    pub rows: usize,
    /// How many columns.
    pub columns: usize,
    /// Which of its numbers make up a vector of length one each: the quaternions and (cos, sin) pairs of a configuration.
    pub units: Vec<Range<usize>>,
}

impl Port {
    /// A vector.
    pub fn vector(name: impl Into<String>, len: usize) -> Self {
        Self::matrix(name, len, 1)
    }

    /// A matrix.
    pub fn matrix(name: impl Into<String>, rows: usize, columns: usize) -> Self {
        Self {
            name: name.into(),
            rows,
            columns,
            units: Vec::new(),
        }
    }

    /// A configuration of a robot, `q`.
    pub fn configuration(model: &Model) -> Self {
        Self {
            units: model.unit_entries(),
            ..Self::vector("q", model.nq())
        }
    }

    /// How many numbers; `None` where they can't be counted.
    pub fn len(&self) -> Option<usize> {
        self.rows.checked_mul(self.columns)
    }

    /// Whether there is no number.
    pub fn is_empty(&self) -> bool {
        self.rows == 0 || self.columns == 0
    }
}

/// A graph whose inputs and outputs have names.
#[derive(Clone, Debug)]
pub struct Function {
    /// What it computes: `rnea of panda`.
    pub name: String,
    /// How many operations there were when the kernel had been traced.
    pub traced: Operations,
    /// The operations.
    pub graph: Graph,
    /// The graph's inputs, in order.
    pub inputs: Vec<Port>,
    /// The graph's outputs, in order.
    pub outputs: Vec<Port>,
    /// The [hash](Model::content_hash) of the model that was traced.
    pub model_hash: u128,
}

/// An algorithm of the library that can be traced.
///
/// Inputs and outputs have the order and units of the method of [`Model`] that is named.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    /// [`Model::rnea`]: q, v, a → tau.
    Rnea,
    /// [`Model::bias`]: q, v → bias.
    Bias,
    /// [`Model::gravity_torque`]: q → gravity.
    Gravity,
    /// [`Model::aba`]: q, v, tau → qdd.
    Aba,
    /// [`Model::forward_dynamics_crba`]: q, v, tau → qdd.
    ForwardDynamicsCrba,
    /// [`Model::crba`]: q → mass_matrix.
    Crba,
    /// [`Model::mass_matrix_inverse`]: q → mass_matrix_inverse.
    MassMatrixInverse,
    /// [`Model::centroidal_map`]: q → centroidal_map.
    CentroidalMap,
    /// [`Model::forward_kinematics`]: q → for each body `placement:NAME`, the rotation and beside it the translation, in
    /// the world.
    ForwardKinematics,
    /// The Jacobian of a frame: q → jacobian.
    Jacobian(FrameId, ReferenceFrame),
    /// The centre of mass: q → com.
    CenterOfMass,
}

impl Quantity {
    /// Every quantity that needs no frame, with its name.
    pub const NAMED: [(&str, Self); 10] = [
        ("rnea", Self::Rnea),
        ("bias", Self::Bias),
        ("gravity", Self::Gravity),
        ("aba", Self::Aba),
        ("forward_dynamics_crba", Self::ForwardDynamicsCrba),
        ("crba", Self::Crba),
        ("mass_matrix_inverse", Self::MassMatrixInverse),
        ("centroidal_map", Self::CentroidalMap),
        ("forward_kinematics", Self::ForwardKinematics),
        ("com", Self::CenterOfMass),
    ];

    /// The quantity's name, as in [`NAMED`](Self::NAMED); `jacobian` for each of those.
    pub fn name(self) -> &'static str {
        let named = Self::NAMED
            .into_iter()
            .find(|&(_, quantity)| quantity == self);
        named.map_or("jacobian", |(name, _)| name)
    }

    /// The inputs for a robot.
    pub fn inputs(self, model: &Model) -> Vec<Port> {
        let q = Port::configuration(model);
        let v = Port::vector("v", model.nv());
        match self {
            Self::Rnea => vec![q, v, Port::vector("a", model.nv())],
            Self::Aba | Self::ForwardDynamicsCrba => vec![q, v, Port::vector("tau", model.nv())],
            Self::Bias => vec![q, v],
            Self::Gravity
            | Self::Crba
            | Self::MassMatrixInverse
            | Self::CentroidalMap
            | Self::ForwardKinematics
            | Self::Jacobian(..)
            | Self::CenterOfMass => vec![q],
        }
    }

    /// The outputs for a robot.
    pub fn outputs(self, model: &Model) -> Vec<Port> {
        let n = model.nv();
        let port = match self {
            Self::Rnea => Port::vector("tau", n),
            Self::Bias => Port::vector("bias", n),
            Self::Gravity => Port::vector("gravity", n),
            Self::Aba | Self::ForwardDynamicsCrba => Port::vector("qdd", n),
            Self::Crba => Port::matrix("mass_matrix", n, n),
            Self::MassMatrixInverse => Port::matrix("mass_matrix_inverse", n, n),
            Self::CentroidalMap => Port::matrix("centroidal_map", 6, n),
            Self::ForwardKinematics => {
                let name = |frame: &Frame| format!("placement:{}", frame.name);
                let bodies = model.frames().iter().filter(|frame| is_body(frame));
                return bodies
                    .map(|frame| Port::matrix(name(frame), 3, 4))
                    .collect();
            }
            Self::Jacobian(..) => Port::matrix("jacobian", 6, n),
            Self::CenterOfMass => Port::vector("com", 3),
        };
        vec![port]
    }

    /// Traces the algorithm for a robot: its operations, simplified as [`Graph`] does it.
    ///
    /// Cost: that of the algorithm, a few hundred nanoseconds an operation.
    ///
    /// # Errors
    /// Those of the method of [`Model`]; [`Error::SingularInertia`] where the inverse of a mass matrix is asked for that is singular
    /// in several configurations. Conditions that depend on the state, such as a mass matrix that is singular in some
    /// configurations only, are taken to hold.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_compile::Quantity;
    ///
    /// let function = Quantity::Crba.trace(&samples::double_pendulum())?;
    /// assert_eq!((function.outputs[0].rows, function.outputs[0].columns), (2, 2));
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn trace(self, model: &Model) -> Result<Function, Error> {
        if let Self::Aba | Self::ForwardDynamicsCrba | Self::MassMatrixInverse = self {
            check_regular(model)?;
        }
        let inputs = self.inputs(model);
        let count = inputs.iter().map(|port| port.rows).sum();
        let graph = Graph::try_record(count, |x| {
            let (q, rest) = x.split_at(model.nq());
            let (v, u) = rest.split_at(rest.len().min(model.nv()));
            self.record(model, q, v, u)
        })?;
        Ok(Function {
            name: format!("{} of {}", self.name(), model.name()),
            traced: graph.count(),
            graph,
            inputs,
            outputs: self.outputs(model),
            model_hash: model.content_hash(),
        })
    }

    fn record(
        self,
        model: &Model,
        q: &[Trace],
        v: &[Trace],
        u: &[Trace],
    ) -> Result<Vec<Trace>, Error> {
        let ws = &mut Workspace::new(model);
        Ok(match self {
            Self::Rnea => model.rnea(ws, q, v, u)?.to_vec(),
            Self::Bias => model.bias(ws, q, v)?.to_vec(),
            Self::Gravity => model.gravity_torque(ws, q)?.to_vec(),
            Self::Aba => model.aba(ws, q, v, u)?.to_vec(),
            Self::ForwardDynamicsCrba => model.forward_dynamics_crba(ws, q, v, u)?.to_vec(),
            Self::Crba => by_rows(model.crba(ws, q)?),
            Self::MassMatrixInverse => by_rows(model.mass_matrix_inverse(ws, q)?),
            Self::CentroidalMap => by_rows(model.centroidal_map(ws, q)?),
            Self::ForwardKinematics => {
                let positions = model.forward_kinematics(ws, q)?;
                let mut entries = Vec::new();
                for frame in model.frame_ids().filter(|&id| is_body(model.frame(id))) {
                    let placement = positions.frame_placement(frame);
                    let r = placement.rotation;
                    let columns = [r.x, r.y, r.z, placement.translation].map(Vec3::to_array);
                    for row in 0..3 {
                        entries.extend(columns.iter().map(|column| column[row]));
                    }
                }
                entries
            }
            Self::Jacobian(frame, reference) => {
                let mut jacobian = DMatrix::from_element(6, model.nv(), Trace::default());
                let positions = model.forward_kinematics(ws, q)?;
                positions.frame_jacobian_into(frame, reference, &mut jacobian)?;
                by_rows(&jacobian)
            }
            Self::CenterOfMass => {
                let positions = model.forward_kinematics(ws, q)?;
                positions.center_of_mass()?.to_array().to_vec()
            }
        })
    }
}

/// Fails if the mass matrix is singular in each of three configurations that have nothing special.
fn check_regular(model: &Model) -> Result<(), Error> {
    let mut ws = Workspace::new(model);
    let neutral = model.neutral_configuration();
    let mut found = Ok(());
    for k in 1..=3 {
        // Displacements of about a radian that don't repeat.
        let away = |i: usize| (f64::from(k) * 0.7 + 1.3 * i as f64).sin();
        let v: Vec<f64> = (0..model.nv()).map(away).collect();
        let q = model.integrate(&neutral, &v)?;
        match model.ltdl(&mut ws, &q).map(drop) {
            Err(error @ Error::SingularInertia { .. }) => found = Err(error),
            _ => return Ok(()),
        }
    }
    found
}

/// Names are unique among frames of a kind only.
fn is_body(frame: &Frame) -> bool {
    frame.kind == FrameKind::Body
}

/// The elements, row by row.
fn by_rows(matrix: &DMatrix<Trace>) -> Vec<Trace> {
    matrix
        .row_iter()
        .flat_map(|row| row.iter().copied().collect::<Vec<_>>())
        .collect()
}
