//! Scratch memory of the algorithms.

mod derivatives;
mod matrices;
pub(crate) mod pivot_rounding;
mod regions;
#[cfg(all(test, feature = "samples"))]
mod tests;

pub use derivatives::{BodyCoriolis, DerivativeMemory, DerivativeView, MotionColumn};
pub use matrices::Matrices;
use matrices::{inverse_memory, is_available, zero_square};
pub use pivot_rounding::PivotRounding;
pub use regions::{RegionMemory, RegionView};

use crate::error::{Error, check_size};
use crate::joint::dispatched::evaluate;
use crate::model::{Class, Link, Model, link_parameters};
use crate::scalar::{Form, InForm, Scalar};
use crate::spatial::{
    ArticulatedInertia, AxialRotation, DynamicParameters, Force, Motion, Se3, Vec3,
};
use nalgebra::DMatrix;

/// All the memory that algorithms need for one state of one robot: made once, used for every call.
///
/// Results are borrowed from the workspace, so that a result cannot be read after it has been
/// overwritten. A workspace serves every model of the same structure, whatever its masses and
/// lengths. Use one for each thread.
///
/// Memory: O(n) for the recursions, O(n²) for the matrices, which [`packed`](Self::packed) and
/// [`recursive`](Self::recursive) leave out.
#[derive(Clone, Debug)]
pub struct Workspace<S: Scalar> {
    layout: u64,
    /// Whether there was no memory for the matrices.
    lacks_room: bool,
    pub(crate) scratch: Scratch<S>,
    pub(crate) matrices: Option<Matrices<S>>,
}

/// The motion subspaces of all joints.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Subspaces<S: Scalar> {
    /// Columns, in link frames.
    pub column: Box<[Motion<S>]>,
    /// Rates of those columns.
    pub rate: Box<[Motion<S>]>,
    /// Ṡ q̇ of each joint.
    pub bias: Box<[Motion<S>]>,
}

/// The fronts of the articulated-body elimination.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct Fronts<S: Scalar> {
    /// Forces of the fronts, one for each coordinate.
    pub force: Box<[Force<S>]>,
    /// Square matrices, row by row.
    pub square: Box<[S]>,
    /// Right-hand sides.
    pub side: Box<[S]>,
}

impl<S: Scalar> Fronts<S> {
    /// Memory for a model.
    pub fn new(model: &Model) -> Self {
        let coordinates = &model.coordinates;
        Self {
            force: filled(Force::zero(), coordinates.front_entries),
            square: filled(S::zero(), coordinates.front_squares),
            side: filled(S::zero(), coordinates.front_entries),
        }
    }
}

/// Quantities of links and coordinates: what the recursions write.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Scratch<S: Scalar> {
    /// Placement of each link frame in its parent's.
    pub placement: Box<[Se3<S>]>,
    /// Those of hinges that are kept as turns.
    pub turn: Box<[AxialRotation<S>]>,
    /// The motion subspaces of all joints.
    pub subspaces: Subspaces<S>,
    /// Placement of each link frame in the world, or in a frame aligned with it as the algorithm
    /// has it.
    pub world: Box<[Se3<S>]>,
    /// Velocity of each link, in its frame or in the algorithm's common one.
    pub velocity: Box<[Motion<S>]>,
    /// Spatial acceleration of each link, in its frame; with or without gravity as the algorithm
    /// has it.
    pub acceleration: Box<[Motion<S>]>,
    /// Acceleration of each link that does not depend on q̈.
    pub bias_acceleration: Box<[Motion<S>]>,
    /// A force for each link.
    pub force: Box<[Force<S>]>,
    /// External forces in the frames of the joints.
    pub external: Box<[Force<S>]>,
    /// Inertia of each composite body.
    pub composite: Box<[DynamicParameters<S>]>,
    /// Time derivative of each composite body's inertia.
    pub composite_rate: Box<[DynamicParameters<S>]>,
    /// The world position of the aligned frame's origin.
    pub origin: Vec3<S>,
    /// Articulated-body inertias.
    pub articulated: Box<[ArticulatedInertia<S>]>,
    /// The fronts of the articulated-body elimination.
    pub fronts: Fronts<S>,
    /// Bounds on the rounding of its pivots.
    pub rounding: PivotRounding<S>,
    /// A vector of nv entries: torques or accelerations.
    pub vector: Box<[S]>,
    /// A second one.
    pub second: Box<[S]>,
    /// Passive forces, nv entries.
    pub passive: Box<[S]>,
    /// A configuration.
    pub configuration: Box<[S]>,
    /// Zeros, nv of them.
    pub zeros: Box<[S]>,
    /// Dynamic parameters of all links that take the place of the model's; empty where they do not.
    pub parameters: Box<[DynamicParameters<S>]>,
    /// With them, what takes the place of the model's bounds of inverse pivots.
    pub pivot_bound: Box<[S]>,
}

impl<S: Scalar> Scratch<S> {
    /// A link's dynamic parameters: the model's, unless others have taken their place.
    #[inline(always)]
    pub fn parameters_of(&self, i: usize, link: &Link) -> DynamicParameters<S> {
        link_parameters(&self.parameters, i, link)
    }

    /// The same memory in another form.
    #[inline(always)]
    #[allow(unsafe_code)] // one type's memory seen as another's of the same layout
    pub fn seen_as<F: Form>(&mut self, _: F) -> &mut Scratch<F::Of<S>> {
        // SAFETY: `InPlaceOf` promises the same layout for all that the boxed slices hold; with
        // `repr(C)` throughout, that makes the same layout of the whole.
        unsafe { &mut *std::ptr::from_mut(self).cast() }
    }

    /// The same memory in another form, to be read.
    #[inline(always)]
    #[allow(unsafe_code)] // one type's memory seen as another's of the same layout
    pub fn read_as<F: Form>(&self, _: F) -> &Scratch<F::Of<S>> {
        // SAFETY: as in `seen_as`.
        unsafe { &*std::ptr::from_ref(self).cast() }
    }
}

impl<'a, S: Scalar> InForm for &'a mut Scratch<S> {
    type As<F: Form> = &'a mut Scratch<F::Of<S>>;

    #[inline(always)]
    fn in_form<F: Form>(self, form: F) -> Self::As<F> {
        self.seen_as(form)
    }
}

impl<'a, S: Scalar> InForm for &'a Scratch<S> {
    type As<F: Form> = &'a Scratch<F::Of<S>>;

    #[inline(always)]
    fn in_form<F: Form>(self, form: F) -> Self::As<F> {
        self.read_as(form)
    }
}

impl<'a> InForm for &'a Model {
    type As<F: Form> = &'a Model;

    #[inline(always)]
    fn in_form<F: Form>(self, _: F) -> Self {
        self
    }
}

impl<S: Scalar> Workspace<S> {
    /// A workspace for a model: every algorithm can use it.
    ///
    /// Pages of square matrices take physical memory once an algorithm writes to them. Where they
    /// would take more than there is, what needs them returns [`Error::TooLarge`], and the
    /// recursions work.
    pub fn new(model: &Model) -> Self {
        Self::with_squares(model, model.nv())
    }

    /// A workspace for the recursions, the packed mass matrix and its factor: memory O(n d) at
    /// depth d, for scenes of thousands of bodies. Algorithms that compute other matrices return
    /// [`Error::NoMatrices`].
    ///
    /// ```
    /// use featherline::{Error, Workspace, kernel, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::packed(&model);
    /// // Three elements of the lower triangle, and padding.
    /// assert!(kernel::crba_packed(&model, &mut ws, &[0.3, -0.2])?.len() >= 3);
    /// assert_eq!(model.crba(&mut ws, &[0.3, -0.2]), Err(Error::NoMatrices));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn packed(model: &Model) -> Self {
        Self::with_squares(model, 0)
    }

    /// The same with square matrices of so many rows, nv or none.
    fn with_squares(model: &Model, rows: usize) -> Self {
        let mut workspace = Self::recursive(model);
        if rows > 0 && !is_available(Self::matrix_bytes(model)) {
            workspace.lacks_room = true;
            return workspace;
        }
        let (nv, columns) = (model.nv(), model.columns());
        let wide = || DMatrix::from_element(6, nv, S::zero());
        let [tiles, response, force, acceleration] = match rows {
            0 => [0; 4],
            _ => inverse_memory::<S>(model),
        };
        workspace.matrices = Some(Matrices {
            mass: zero_square(rows),
            regions: RegionMemory::new(model),
            packed: filled(S::zero(), model.elimination_tree().packed_len::<S>()).into(),
            inverse_tiles: filled(S::zero(), tiles).into(),
            response: filled(S::zero(), response).into(),
            inverse: zero_square(rows),
            coriolis: zero_square(rows),
            jacobian: filled(Motion::zero(), columns).into(),
            jacobian_rate: filled(Motion::zero(), columns).into(),
            wide: wide(),
            wide_rate: wide(),
            unit_force: filled(S::zero(), force).into(),
            unit_acceleration: filled(S::zero(), acceleration).into(),
            derivatives: DerivativeMemory::new(model, rows),
        });
        workspace
    }

    /// How many bytes the matrices of [`new`](Self::new) take, beside what
    /// [`recursive`](Self::recursive) needs: the question to ask before making one for thousands of
    /// joints. They grow with nv² and with nv times the depth.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// assert!(Workspace::<f64>::matrix_bytes(&samples::snake(7)) < 20_000);
    /// ```
    pub fn matrix_bytes(model: &Model) -> u64 {
        let [nv, columns, packed] = [
            model.nv(),
            model.columns(),
            model.elimination_tree().packed_len::<S>(),
        ]
        .map(|n| n as u64);
        let inverse: usize = inverse_memory::<S>(model).iter().sum();
        let scalars = 3 * nv * nv + packed + 12 * nv + inverse as u64;
        let (scalar, motion) = (size_of::<S>() as u64, size_of::<Motion<S>>() as u64);
        scalars * scalar
            + 2 * columns * motion
            + RegionMemory::<S>::bytes(model)
            + DerivativeMemory::<S>::bytes(model)
    }

    /// A workspace for the recursions only: memory O(n), for chains of thousands of links.
    /// Algorithms that compute matrices return [`Error::NoMatrices`].
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
        let scratch = Scratch {
            placement: filled(Se3::identity(), links),
            turn: filled(AxialRotation::identity(), links),
            subspaces: Subspaces {
                column: column.into(),
                rate: filled(Motion::zero(), model.columns()),
                bias: filled(Motion::zero(), links),
            },
            world: filled(Se3::identity(), links),
            velocity: filled(Motion::zero(), links),
            acceleration: filled(Motion::zero(), links),
            bias_acceleration: filled(Motion::zero(), links),
            force: filled(Force::zero(), links),
            external: filled(Force::zero(), links),
            composite: filled(DynamicParameters::zero(), links),
            composite_rate: filled(DynamicParameters::zero(), links),
            origin: Vec3::zero(),
            articulated: filled(ArticulatedInertia::zero(), links),
            fronts: Fronts::new(model),
            rounding: PivotRounding::new(model),
            vector: filled(S::zero(), model.nv()),
            second: filled(S::zero(), model.nv()),
            passive: filled(S::zero(), model.nv()),
            configuration: filled(S::zero(), model.nq()),
            zeros: filled(S::zero(), model.nv()),
            parameters: Box::default(),
            pivot_bound: Box::default(),
        };
        Self {
            layout: model.layout(),
            lacks_room: false,
            scratch,
            matrices: None,
        }
    }

    /// How many bytes the quantities of links and coordinates take.
    #[cfg(feature = "batch")]
    pub fn recursion_bytes(&self) -> usize {
        let scratch = &self.scratch;
        let motions = scratch.subspaces.column.len()
            + scratch.subspaces.rate.len()
            + scratch.subspaces.bias.len()
            + scratch.velocity.len()
            + scratch.acceleration.len()
            + scratch.bias_acceleration.len();
        let forces = scratch.force.len() + scratch.external.len() + scratch.fronts.force.len();
        let parameters =
            scratch.composite.len() + scratch.composite_rate.len() + scratch.parameters.len();
        let numbers = scratch.fronts.square.len()
            + scratch.fronts.side.len()
            + scratch.vector.len()
            + scratch.second.len()
            + scratch.passive.len()
            + scratch.configuration.len()
            + scratch.zeros.len()
            + scratch.pivot_bound.len();
        motions * size_of::<Motion<S>>()
            + forces * size_of::<Force<S>>()
            + (scratch.placement.len() + scratch.world.len()) * size_of::<Se3<S>>()
            + scratch.turn.len() * size_of::<AxialRotation<S>>()
            + parameters * size_of::<DynamicParameters<S>>()
            + scratch.articulated.len() * size_of::<ArticulatedInertia<S>>()
            + numbers * size_of::<S>()
            + scratch.rounding.bytes()
    }

    /// Fails unless the workspace fits the model.
    #[inline(always)]
    pub fn check(&self, model: &Model) -> Result<(), Error> {
        if self.layout == model.layout() {
            Ok(())
        } else {
            Err(Error::WorkspaceMismatch)
        }
    }

    /// The memory of algorithms with matrices. Fails unless the workspace fits the model and has
    /// matrices.
    #[inline(always)]
    pub fn parts(&mut self, model: &Model) -> Result<(&mut Scratch<S>, &mut Matrices<S>), Error> {
        self.check_matrices(model)?;
        self.packed_parts(model)
    }

    /// The same where no square matrix is used. Fails unless the workspace fits the model and has
    /// a packed mass matrix.
    #[inline(always)]
    pub fn packed_parts(
        &mut self,
        model: &Model,
    ) -> Result<(&mut Scratch<S>, &mut Matrices<S>), Error> {
        self.check(model)?;
        match &mut self.matrices {
            Some(matrices) => Ok((&mut self.scratch, matrices)),
            None if self.lacks_room => Err(Self::too_large(model)),
            None => Err(Error::NoMatrices),
        }
    }

    #[cold]
    fn too_large(model: &Model) -> Error {
        Error::TooLarge {
            nv: model.nv(),
            bytes: Self::matrix_bytes(model),
        }
    }

    /// Fails unless the workspace fits the model and has matrices.
    #[inline(always)]
    pub fn check_matrices(&self, model: &Model) -> Result<(), Error> {
        self.check(model)?;
        match &self.matrices {
            Some(matrices) if matrices.mass.nrows() == model.nv() => Ok(()),
            None if self.lacks_room => Err(Self::too_large(model)),
            Some(_) | None => Err(Error::NoMatrices),
        }
    }
}

impl Model {
    /// Fails unless q has the model's length.
    #[inline(always)]
    pub(crate) fn check_q<T>(&self, q: &[T]) -> Result<(), Error> {
        check_size("q", self.nq(), q.len())
    }

    /// Fails unless a configuration and a velocity have the model's lengths.
    #[inline(always)]
    pub(crate) fn check_state<T>(&self, q: &[T], v: &[T]) -> Result<(), Error> {
        self.check_q(q)?;
        self.check_tangent("v", v)
    }

    /// Fails unless a vector of the tangent space has the model's length.
    #[inline(always)]
    pub(crate) fn check_tangent<T>(&self, what: &'static str, v: &[T]) -> Result<(), Error> {
        check_size(what, self.nv(), v.len())
    }

    /// Fails unless a result that follows from these numbers is finite.
    #[inline(always)]
    pub(crate) fn check_finite<S: Scalar>(
        &self,
        is_finite: bool,
        result: &'static str,
        q: &[S],
        tangents: &[(&'static str, &[S])],
    ) -> Result<(), Error> {
        if is_finite {
            Ok(())
        } else {
            Err(self.explain_not_finite(result, q, tangents, None))
        }
    }

    /// Finds out why a result is not finite.
    #[cold]
    #[inline(never)]
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
        if let Err(error) = self.check_lengths(q) {
            return error;
        }
        for joint in self.joints() {
            let own = &q[joint.idx_q..joint.idx_q + joint.nq];
            let mut columns = vec![Motion::zero(); joint.kind.nv()];
            if joint.nq > 0
                && !evaluate(&joint.kind, own, &mut columns)
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

/// As many copies of a value. A call of its own, since loops that fill memory with lanes are long.
#[inline(never)]
pub fn filled<T: Clone>(value: T, len: usize) -> Box<[T]> {
    vec![value; len].into()
}
