//! Scratch memory of the algorithms.

use crate::error::{Error, check_size};
use crate::model::{Class, Link, Model};
use crate::scalar::Scalar;
use crate::spatial::{ArticulatedInertia, DynamicParameters, Force, Motion, Se3, Vec3};
use nalgebra::DMatrix;

/// All the memory that algorithms need for one state of one robot: made once, used for every call.
///
/// Results are borrowed from the workspace, so that a result cannot be read after it has been overwritten. A workspace
/// serves every model of the same structure, whatever its masses and lengths. Use one for each thread.
///
/// Memory: O(n) for the recursions, O(n²) for the matrices.
#[derive(Clone, Debug)]
pub struct Workspace<S> {
    layout: u64,
    /// Placement of each link frame in its parent's.
    pub(crate) placement: Vec<Se3<S>>,
    /// Columns of the motion subspaces, in link frames.
    pub(crate) column: Vec<Motion<S>>,
    /// Rates of those columns.
    pub(crate) column_rate: Vec<Motion<S>>,
    /// Ṡ q̇ of each joint.
    pub(crate) joint_bias: Vec<Motion<S>>,
    /// Placement of each link frame in the world, or in a frame aligned with it as the algorithm has it.
    pub(crate) world: Vec<Se3<S>>,
    /// Velocity of each link, in its frame or in the algorithm's common one.
    pub(crate) velocity: Vec<Motion<S>>,
    /// Spatial acceleration of each link, in its frame; with or without gravity as the algorithm has it.
    pub(crate) acceleration: Vec<Motion<S>>,
    /// Acceleration of each link that does not depend on q̈.
    pub(crate) bias_acceleration: Vec<Motion<S>>,
    /// A force for each link.
    pub(crate) force: Vec<Force<S>>,
    /// Inertia of each composite body.
    pub(crate) composite: Vec<DynamicParameters<S>>,
    /// Time derivative of each composite body's inertia.
    pub(crate) composite_rate: Vec<DynamicParameters<S>>,
    /// The world position of the aligned frame's origin.
    pub(crate) origin: Vec3<S>,
    /// Articulated-body inertias.
    pub(crate) articulated: Vec<ArticulatedInertia<S>>,
    /// Fronts of the articulated-body elimination: forces, square matrices, right-hand sides.
    pub(crate) front_force: Vec<Force<S>>,
    pub(crate) front_square: Vec<S>,
    pub(crate) front_side: Vec<S>,
    /// A vector of nv entries: torques or accelerations.
    pub(crate) vector: Vec<S>,
    /// A second one.
    pub(crate) second: Vec<S>,
    /// Passive forces, nv entries.
    pub(crate) passive: Vec<S>,
    /// A configuration.
    pub(crate) configuration: Vec<S>,
    /// Zeros, nv of them.
    pub(crate) zeros: Vec<S>,
    /// Dynamic parameters of all links that take the place of the model's; empty where they do not.
    pub(crate) parameters: Vec<DynamicParameters<S>>,
    pub(crate) matrices: Option<Matrices<S>>,
}

/// A link's dynamic parameters: its own of `parameters`, or the model's if there are none.
#[inline(always)]
pub(crate) fn link_parameters<S: Scalar>(
    parameters: &[DynamicParameters<S>],
    i: usize,
    link: &Link,
) -> DynamicParameters<S> {
    match parameters.get(i) {
        Some(own) => *own,
        None => DynamicParameters::constant(&link.parameters),
    }
}

/// Matrices of O(n²) entries.
#[derive(Clone, Debug)]
pub(crate) struct Matrices<S> {
    pub mass: DMatrix<S>,
    /// The mass matrix or its factors, packed along the elimination tree.
    pub packed: Vec<S>,
    pub factor: DMatrix<S>,
    pub inverse: DMatrix<S>,
    pub coriolis: DMatrix<S>,
    /// Columns of Jacobians in the world frame, one for each column of a motion subspace.
    pub jacobian: Vec<Motion<S>>,
    pub jacobian_rate: Vec<Motion<S>>,
    /// 6 × nv results.
    pub wide: DMatrix<S>,
    pub wide_rate: DMatrix<S>,
    /// Responses to unit forces, for the inverse of the mass matrix: six rows of nv forces, and six rows of nv
    /// accelerations for each level of the tree.
    pub unit_force: Vec<S>,
    pub unit_acceleration: Vec<S>,
}

impl<S: Scalar> Workspace<S> {
    /// A workspace for a model: every algorithm can use it.
    pub fn new(model: &Model) -> Self {
        let mut workspace = Self::recursive(model);
        let (nv, columns) = (model.nv(), model.columns());
        let square = || DMatrix::from_element(nv, nv, S::zero());
        let wide = || DMatrix::from_element(6, nv, S::zero());
        workspace.matrices = Some(Matrices {
            mass: square(),
            packed: vec![S::zero(); model.elimination_tree().packed_len::<S>()],
            factor: square(),
            inverse: square(),
            coriolis: square(),
            jacobian: vec![Motion::zero(); columns],
            jacobian_rate: vec![Motion::zero(); columns],
            wide: wide(),
            wide_rate: wide(),
            unit_force: vec![S::zero(); 6 * nv],
            unit_acceleration: vec![S::zero(); 6 * nv * (model.depth() + 1)],
        });
        workspace
    }

    /// How many bytes the matrices of [`new`](Self::new) take, beside what [`recursive`](Self::recursive) needs: the
    /// question to ask before making one for thousands of joints. They grow with nv² and with nv times the depth.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// assert!(Workspace::<f64>::matrix_bytes(&samples::snake(7)) < 10_000);
    /// ```
    pub fn matrix_bytes(model: &Model) -> u64 {
        let [nv, columns, levels, packed] = [
            model.nv(),
            model.columns(),
            model.depth() + 1,
            model.elimination_tree().packed_len::<S>(),
        ]
        .map(|n| n as u64);
        let scalars = 4 * nv * nv + packed + 6 * nv * (3 + levels);
        let (scalar, motion) = (size_of::<S>() as u64, size_of::<Motion<S>>() as u64);
        scalars * scalar + 2 * columns * motion
    }

    /// A workspace for the recursions only: memory O(n), for chains of thousands of links. Algorithms that compute
    /// matrices return [`Error::NoMatrices`].
    pub fn recursive(model: &Model) -> Self {
        let links = model.links.len();
        let mut column = vec![Motion::zero(); model.columns()];
        for link in &model.links {
            match link.class {
                Class::Revolute | Class::Unbounded => column[link.column].angular = Vec3::unit(2),
                Class::Prismatic => column[link.column].linear = Vec3::unit(2),
                Class::General => {}
            }
        }
        let coordinates = &model.coordinates;
        Self {
            layout: model.layout(),
            placement: vec![Se3::identity(); links],
            column,
            column_rate: vec![Motion::zero(); model.columns()],
            joint_bias: vec![Motion::zero(); links],
            world: vec![Se3::identity(); links],
            velocity: vec![Motion::zero(); links],
            acceleration: vec![Motion::zero(); links],
            bias_acceleration: vec![Motion::zero(); links],
            force: vec![Force::zero(); links],
            composite: vec![DynamicParameters::zero(); links],
            composite_rate: vec![DynamicParameters::zero(); links],
            origin: Vec3::zero(),
            articulated: vec![ArticulatedInertia::zero(); links],
            front_force: vec![Force::zero(); coordinates.front_entries],
            front_square: vec![S::zero(); coordinates.front_squares],
            front_side: vec![S::zero(); coordinates.front_entries],
            vector: vec![S::zero(); model.nv()],
            second: vec![S::zero(); model.nv()],
            passive: vec![S::zero(); model.nv()],
            configuration: vec![S::zero(); model.nq()],
            zeros: vec![S::zero(); model.nv()],
            parameters: Vec::new(),
            matrices: None,
        }
    }

    /// A link's dynamic parameters: the model's, unless others have taken their place.
    #[inline(always)]
    pub(crate) fn parameters_of(&self, i: usize, link: &Link) -> DynamicParameters<S> {
        link_parameters(&self.parameters, i, link)
    }

    /// How many bytes the quantities of links and coordinates take.
    #[cfg(feature = "batch")]
    pub(crate) fn recursion_bytes(&self) -> usize {
        let motions = self.column.len()
            + self.column_rate.len()
            + self.joint_bias.len()
            + self.velocity.len()
            + self.acceleration.len()
            + self.bias_acceleration.len();
        let forces = self.force.len() + self.front_force.len();
        let parameters = self.composite.len() + self.composite_rate.len() + self.parameters.len();
        let numbers = self.front_square.len()
            + self.front_side.len()
            + self.vector.len()
            + self.second.len()
            + self.passive.len()
            + self.configuration.len()
            + self.zeros.len();
        motions * size_of::<Motion<S>>()
            + forces * size_of::<Force<S>>()
            + (self.placement.len() + self.world.len()) * size_of::<Se3<S>>()
            + parameters * size_of::<DynamicParameters<S>>()
            + self.articulated.len() * size_of::<ArticulatedInertia<S>>()
            + numbers * size_of::<S>()
    }

    /// Fails unless the workspace fits the model.
    #[inline(always)]
    pub(crate) fn check(&self, model: &Model) -> Result<(), Error> {
        if self.layout == model.layout() {
            Ok(())
        } else {
            Err(Error::WorkspaceMismatch)
        }
    }

    /// Fails unless the workspace fits the model and has matrices.
    #[inline(always)]
    pub(crate) fn check_matrices(&self, model: &Model) -> Result<(), Error> {
        self.check(model)?;
        if self.matrices.is_some() {
            Ok(())
        } else {
            Err(Error::NoMatrices)
        }
    }
}

impl Model {
    /// Fails unless q has the model's length.
    #[inline(always)]
    pub(crate) fn check_q<T>(&self, q: &[T]) -> Result<(), Error> {
        check_size("q", self.nq(), q.len())
    }

    /// Fails unless a vector of the tangent space has the model's length.
    #[inline(always)]
    pub(crate) fn check_tangent<T>(&self, what: &'static str, v: &[T]) -> Result<(), Error> {
        check_size(what, self.nv(), v.len())
    }

    /// Finds out why a result is not finite.
    #[cold]
    pub(crate) fn explain_not_finite<S: Scalar>(
        &self,
        result: &'static str,
        q: &[S],
        tangents: &[(&'static str, &[S])],
        forces: Option<&[Force<S>]>,
    ) -> Error {
        let position = |values: &[S]| values.iter().position(|x| !x.is_finite());
        if let Some(index) = position(q) {
            return Error::NotFinite { what: "q", index };
        }
        for &(what, values) in tangents {
            if let Some(index) = position(values) {
                return Error::NotFinite { what, index };
            }
        }
        if let Some(index) = forces.and_then(|f| f.iter().position(|f| !f.is_finite())) {
            return Error::NotFinite {
                what: "external forces",
                index,
            };
        }
        for joint in self.joints() {
            let own = &q[joint.idx_q..joint.idx_q + joint.nq];
            let mut columns = vec![Motion::zero(); joint.kind.nv()];
            if joint.nq > 0
                && !joint
                    .kind
                    .evaluate(own, &mut columns)
                    .rotation
                    .x
                    .is_finite()
            {
                return Error::ZeroRotation {
                    joint: joint.name.clone(),
                    index: joint.idx_q,
                };
            }
        }
        Error::Overflow { what: result }
    }
}

/// Whether all entries are finite, with one branch for the whole slice.
#[inline(always)]
pub(crate) fn all_finite<S: Scalar>(values: &[S]) -> bool {
    let mut finite = true;
    for value in values {
        finite &= value.is_finite();
    }
    finite
}
