//! The memory of the recursion over a whole tree: blocks that stay in the nearest cache, and
//! streams.

use super::crossing::NUMBERS;
use featherline::kernel::Form;
use featherline::kernel::PivotShare;
use featherline::kernel::filled;
use featherline::kernel::{links, places};
use featherline::model::Model;
use featherline::scalar::Scalar;
use featherline::spatial::{ArticulatedInertia, Force, Motion, Se3};

/// Bodies whose places and velocities are held together: 25 kB with those of their parents, of the
/// 32 kB or more that the nearest cache has.
pub(super) const BLOCK: usize = 64;

/// Where a body is in the world and how it moves, in its link frame.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Placed<S: Scalar> {
    pub world: Se3<S>,
    pub velocity: Motion<S>,
}

/// What a body that is open has gathered of those that hang on it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Gathered<S: Scalar> {
    pub inertia: ArticulatedInertia<S>,
    pub force: Force<S>,
}

impl<S: Scalar> Gathered<S> {
    #[inline(always)]
    pub fn zero() -> Self {
        Self {
            inertia: ArticulatedInertia::zero(),
            force: Force::zero(),
        }
    }
}

/// The memory of the recursion over a whole tree.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct TreeMemory<S: Scalar> {
    /// The universe, the bodies of a block, and those of their parents that are not among them.
    pub placed: Box<[Placed<S>]>,
    /// What open bodies have gathered, in the [places](Model::place_in_path) of their
    /// accelerations.
    pub gathered: Box<[Gathered<S>]>,
    /// The same of what rounds pivots, where they may be small.
    pub shares: Box<[PivotShare<S>]>,
    /// The numbers of all bodies' crossings.
    pub crossed: Box<[S]>,
}

impl TreeMemory<f64> {
    /// For a tree of links without mimic joints.
    pub fn new(model: &Model) -> Self {
        let still = Placed {
            world: Se3::identity(),
            velocity: Motion::zero(),
        };
        Self {
            placed: filled(still, 1 + 2 * BLOCK),
            gathered: filled(Gathered::zero(), places(model)),
            shares: filled(PivotShare::zero(), places(model)),
            crossed: filled(0.0, NUMBERS * links(model).len()),
        }
    }

    /// None, where others are used.
    pub fn none() -> Self {
        Self {
            placed: Box::default(),
            gathered: Box::default(),
            shares: Box::default(),
            crossed: Box::default(),
        }
    }
}

impl<S: Scalar> TreeMemory<S> {
    /// The same memory in another form.
    #[inline(always)]
    #[allow(unsafe_code)] // one type's memory seen as another's of the same layout
    pub fn seen_as<F: Form>(&mut self, _: F) -> &mut TreeMemory<F::Of<S>> {
        // SAFETY: `InPlaceOf` promises the same layout for all that the boxed slices hold; with
        // `repr(C)` throughout, that makes the same layout of the whole.
        unsafe { &mut *std::ptr::from_mut(self).cast() }
    }
}

#[cfg(test)]
mod tests {
    use crate::maximal::{MaximalError, MaximalState, MaximalWorkspace, maximal_dynamics};
    use featherline::{Workspace, samples};

    #[test]
    fn the_recursion_in_its_memory_has_the_accelerations_of_joints() -> Result<(), MaximalError> {
        let model = samples::double_pendulum();
        let (q, v, tau) = ([0.3, -0.2], [1.0, -2.0], [0.5, 4.0]);
        let mut ws = Workspace::recursive(&model);
        let state = MaximalState::from_joints(&model, &mut ws, &q, &v)?;
        let mut kkt = MaximalWorkspace::new(&model)?;
        let found = maximal_dynamics(&model, &mut kkt, &state, &tau, &[])?;
        // The first link turns about a fixed axis, as its joint does.
        let turning = found.accelerations[1].angular.norm();
        let a = model.aba(&mut ws, &q, &v, &tau)?;
        assert!((turning - a[0].abs()).abs() < 1e-12 * a[0].abs());
        Ok(())
    }
}
