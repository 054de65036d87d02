//! The library's algorithms, traced for one robot.

use crate::graph::Graph;
use crate::trace::Trace;
use featherline::kernel;
use featherline::kinematics::ReferenceFrame;
use featherline::model::{Frame, FrameId, FrameKind};
use featherline::regressor::BODY_PARAMETERS;
use featherline::scalar::{Operations, Scalar};
use featherline::spatial::{Se3, Vec3};
use featherline::{Error, Model, Workspace};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A named part of a function's inputs or outputs: a matrix, stored row by row, or a vector as a
/// matrix of one column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Port {
    /// The name: `q`, `tau`, `mass_matrix`.
    pub name: String,
    /// How many rows.
    pub rows: usize,
    /// How many columns.
    pub columns: usize,
    /// Whether it is a matrix, if only of one column.
    pub is_matrix: bool,
    /// Which of its numbers make up a vector of length one each: the quaternions and (cos, sin)
    /// pairs of a configuration.
    pub units: Vec<Range<usize>>,
}

impl Port {
    /// A vector.
    pub fn vector(name: impl Into<String>, len: usize) -> Self {
        Self {
            is_matrix: false,
            ..Self::matrix(name, len, 1)
        }
    }

    /// A matrix.
    pub fn matrix(name: impl Into<String>, rows: usize, columns: usize) -> Self {
        Self {
            name: name.into(),
            rows,
            columns,
            is_matrix: true,
            units: Vec::new(),
        }
    }

    /// A configuration of a robot, `q`.
    pub fn configuration(model: &Model) -> Self {
        Self {
            units: kernel::unit_entries(model),
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
    /// [`Model::rnea_derivatives`]: q, v, a → tau, dtau_dq, dtau_dv, dtau_da.
    RneaDerivatives,
    /// [`Model::aba_derivatives`]: q, v, tau → qdd, dqdd_dq, dqdd_dv, dqdd_dtau.
    AbaDerivatives,
    /// [`Model::joint_torque_regressor_into`]: q, v, a → regressor.
    JointTorqueRegressor,
    /// [`Model::crba`]: q → mass_matrix.
    Crba,
    /// [`Model::mass_matrix_inverse`]: q → mass_matrix_inverse.
    MassMatrixInverse,
    /// [`Model::centroidal_map`]: q → centroidal_map.
    CentroidalMap,
    /// [`Model::forward_kinematics`]: q → for each body `placement:NAME` in the world, the rotation
    /// and beside it the translation.
    ForwardKinematics,
    /// The Jacobian of a frame: q → jacobian.
    Jacobian(FrameId, ReferenceFrame),
    /// The centre of mass: q → com.
    CenterOfMass,
    /// Where all joints are,
    /// [`Positions::placement`](featherline::kinematics::Positions::placement): q →
    /// joint_placements, three rows for each joint, rotation and beside it translation.
    JointPlacements,
    /// [`Model::joint_jacobians`]: q → joint_jacobians, in the world, with columns of
    /// mimic joints, too.
    JointJacobians,
    /// The rows of the mass matrix,
    /// [`crba_packed`](featherline::kernel::crba_packed): q → mass_matrix, for each row the
    /// elements of what moves with it, from the root on, as in
    /// [`Batch::crba_packed`](featherline::batch::Batch::crba_packed).
    CrbaPacked,
    /// The accelerations that forces give a robot at rest without gravity, M⁻¹ tau: q, tau → qdd.
    /// By [`Model::ltdl`] where it is [traced](Self::trace); [lean](Self::trace_lean), by
    /// articulated bodies where these take fewer operations.
    MassMatrixSolve,
    /// [`Model::centroidal_map`], and the momentum: q, v → centroidal_map, centroidal_momentum.
    CentroidalMomentum,
    /// [`Model::all_terms`]: q, v → mass_matrix, bias, gravity, centroidal_map,
    /// centroidal_momentum, centroidal_drift, com, energies, the kinetic and the potential one.
    AllTerms,
}

impl Quantity {
    /// Every quantity that needs no frame, with its name.
    pub const NAMED: [(&str, Self); 19] = [
        ("rnea", Self::Rnea),
        ("bias", Self::Bias),
        ("gravity", Self::Gravity),
        ("aba", Self::Aba),
        ("forward_dynamics_crba", Self::ForwardDynamicsCrba),
        ("rnea_derivatives", Self::RneaDerivatives),
        ("aba_derivatives", Self::AbaDerivatives),
        ("joint_torque_regressor", Self::JointTorqueRegressor),
        ("crba", Self::Crba),
        ("mass_matrix_inverse", Self::MassMatrixInverse),
        ("centroidal_map", Self::CentroidalMap),
        ("forward_kinematics", Self::ForwardKinematics),
        ("com", Self::CenterOfMass),
        ("joint_placements", Self::JointPlacements),
        ("joint_jacobians", Self::JointJacobians),
        ("crba_packed", Self::CrbaPacked),
        ("mass_matrix_solve", Self::MassMatrixSolve),
        ("centroidal_momentum", Self::CentroidalMomentum),
        ("all_terms", Self::AllTerms),
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
            Self::Rnea | Self::RneaDerivatives | Self::JointTorqueRegressor => {
                vec![q, v, Port::vector("a", model.nv())]
            }
            Self::Aba | Self::ForwardDynamicsCrba | Self::AbaDerivatives => {
                vec![q, v, Port::vector("tau", model.nv())]
            }
            Self::Bias | Self::CentroidalMomentum | Self::AllTerms => vec![q, v],
            Self::MassMatrixSolve => vec![q, Port::vector("tau", model.nv())],
            Self::Gravity
            | Self::Crba
            | Self::MassMatrixInverse
            | Self::CentroidalMap
            | Self::ForwardKinematics
            | Self::Jacobian(..)
            | Self::CenterOfMass
            | Self::JointPlacements
            | Self::JointJacobians
            | Self::CrbaPacked => vec![q],
        }
    }

    /// The outputs for a robot.
    pub fn outputs(self, model: &Model) -> Vec<Port> {
        let n = model.nv();
        let port = match self {
            Self::Rnea => Port::vector("tau", n),
            Self::Bias => Port::vector("bias", n),
            Self::Gravity => Port::vector("gravity", n),
            Self::Aba | Self::ForwardDynamicsCrba | Self::MassMatrixSolve => Port::vector("qdd", n),
            Self::RneaDerivatives => {
                let by = |name| Port::matrix(name, n, n);
                let ports = ["dtau_dq", "dtau_dv", "dtau_da"].map(by);
                return [Port::vector("tau", n)].into_iter().chain(ports).collect();
            }
            Self::AbaDerivatives => {
                let by = |name| Port::matrix(name, n, n);
                let ports = ["dqdd_dq", "dqdd_dv", "dqdd_dtau"].map(by);
                return [Port::vector("qdd", n)].into_iter().chain(ports).collect();
            }
            Self::JointTorqueRegressor => {
                Port::matrix("regressor", n, BODY_PARAMETERS * model.joint_ids().count())
            }
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
            Self::JointPlacements => {
                Port::matrix("joint_placements", 3 * model.joint_ids().count(), 4)
            }
            Self::JointJacobians => {
                let kinds = model.joint_ids().map(|joint| model.joint(joint).kind.nv());
                Port::matrix("joint_jacobians", 6, kinds.sum())
            }
            Self::CrbaPacked => {
                Port::vector("mass_matrix", kernel::elimination_tree(model).tight_len())
            }
            Self::CentroidalMomentum => {
                return vec![
                    Port::matrix("centroidal_map", 6, n),
                    Port::vector("centroidal_momentum", 6),
                ];
            }
            Self::AllTerms => {
                return vec![
                    Port::matrix("mass_matrix", n, n),
                    Port::vector("bias", n),
                    Port::vector("gravity", n),
                    Port::matrix("centroidal_map", 6, n),
                    Port::vector("centroidal_momentum", 6),
                    Port::vector("centroidal_drift", 6),
                    Port::vector("com", 3),
                    Port::vector("energies", 2),
                ];
            }
        };
        vec![port]
    }

    /// Traces the algorithm for a robot: its operations, simplified as [`Graph`] does it.
    ///
    /// Cost: that of the algorithm, a few hundred nanoseconds an operation.
    ///
    /// # Errors
    /// Those of the method of [`Model`]; [`Error::SingularInertia`] where the inverse of a mass
    /// matrix is asked for that is singular in several configurations. Conditions that depend on
    /// the state, such as a mass matrix that is singular in some configurations only, are taken to
    /// hold.
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
        if let Self::Aba
        | Self::ForwardDynamicsCrba
        | Self::AbaDerivatives
        | Self::MassMatrixInverse
        | Self::MassMatrixSolve = self
        {
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
            Self::RneaDerivatives => {
                let found = model.rnea_derivatives(ws, q, v, u)?;
                let matrices = [found.dq, found.dv, found.da];
                let matrices = matrices.into_iter().flat_map(by_rows);
                found.tau.iter().copied().chain(matrices).collect()
            }
            Self::AbaDerivatives => {
                let found = model.aba_derivatives(ws, q, v, u)?;
                let matrices = [found.dq, found.dv, found.dtau];
                let matrices = matrices.into_iter().flat_map(by_rows);
                found.acceleration.iter().copied().chain(matrices).collect()
            }
            Self::JointTorqueRegressor => {
                let columns = BODY_PARAMETERS * model.joint_ids().count();
                let mut regressor = DMatrix::from_element(model.nv(), columns, Trace::default());
                model.joint_torque_regressor_into(ws, q, v, u, &mut regressor)?;
                by_rows(&regressor)
            }
            Self::Crba => by_rows(model.crba(ws, q)?),
            Self::MassMatrixInverse => by_rows(model.mass_matrix_inverse(ws, q)?),
            Self::CentroidalMap => by_rows(model.centroidal_map(ws, q)?),
            Self::ForwardKinematics => {
                let positions = model.forward_kinematics(ws, q)?;
                let frames = model.frame_ids().filter(|&id| is_body(model.frame(id)));
                frames
                    .flat_map(|frame| entries(positions.placement(frame)))
                    .collect()
            }
            Self::Jacobian(frame, reference) => {
                let mut jacobian = DMatrix::from_element(6, model.nv(), Trace::default());
                let positions = model.forward_kinematics(ws, q)?;
                positions.jacobian_into(frame, reference, &mut jacobian)?;
                by_rows(&jacobian)
            }
            Self::CenterOfMass => {
                let positions = model.forward_kinematics(ws, q)?;
                positions.center_of_mass()?.to_array().to_vec()
            }
            Self::JointPlacements => {
                let positions = model.forward_kinematics(ws, q)?;
                let joints = model.joint_ids();
                joints
                    .flat_map(|joint| entries(positions.placement(joint)))
                    .collect()
            }
            Self::JointJacobians => {
                let jacobians = model.joint_jacobians(ws, q)?;
                let joints = model.joint_ids();
                let columns: Vec<_> = joints
                    .flat_map(|joint| jacobians.joint_columns(joint))
                    .map(|column| column.to_array())
                    .collect();
                let row = |k: usize| columns.iter().map(move |column| column[k]);
                (0..6).flat_map(row).collect()
            }
            Self::CrbaPacked => {
                let mass = kernel::crba_packed(model, ws, q)?;
                let tree = kernel::elimination_tree(model);
                let row = |k: usize| {
                    let mut path: Vec<usize> = tree.ancestors(k).collect();
                    path.reverse();
                    path.push(k);
                    path.into_iter()
                        .map(move |i| mass[tree.place::<Trace>(k, i)])
                };
                (0..tree.len()).flat_map(row).collect()
            }
            Self::MassMatrixSolve => {
                let mut solution = v.to_vec();
                model.ltdl(ws, q)?.solve(&mut solution)?;
                solution
            }
            Self::CentroidalMomentum => {
                let map = model.centroidal_map(ws, q)?;
                let momentum = map.row_iter().map(|row| {
                    let products = row.iter().zip(v);
                    products.fold(Trace::zero(), |sum, (&a, &v)| sum + a * v)
                });
                by_rows(map).into_iter().chain(momentum).collect()
            }
            Self::AllTerms => {
                let terms = model.all_terms(ws, q, v)?;
                let mut all = by_rows(terms.mass_matrix());
                all.extend(terms.bias());
                all.extend(terms.gravity_torque());
                all.extend(by_rows(terms.centroidal_map()?));
                all.extend(terms.centroidal_momentum()?.to_array());
                all.extend(terms.centroidal_drift()?.to_array());
                all.extend(terms.centers_of_mass().center_of_mass()?.to_array());
                all.extend([terms.kinetic_energy(), terms.potential_energy()]);
                all
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

/// The rotation and beside it the translation, row by row.
fn entries(placement: Se3<Trace>) -> [Trace; 12] {
    let r = placement.rotation;
    let columns = [r.x, r.y, r.z, placement.translation].map(Vec3::to_array);
    std::array::from_fn(|k| columns[k % 4][k / 4])
}

/// The elements, row by row.
fn by_rows(matrix: &DMatrix<Trace>) -> Vec<Trace> {
    matrix
        .row_iter()
        .flat_map(|row| row.iter().copied().collect::<Vec<_>>())
        .collect()
}
