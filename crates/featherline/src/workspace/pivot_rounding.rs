//! Memory for bounds of how far articulated pivots may be off by rounding.

use super::{Fronts, filled};
use crate::model::Model;
use crate::scalar::Scalar;
#[cfg(feature = "batch")]
use crate::spatial::Force;
use crate::spatial::{ArticulatedInertia, InertiaBound};

/// Bounds on the rounding of articulated pivots.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct PivotRounding<S: Scalar> {
    /// For each coordinate, the terms in whose roundings its pivot may be off.
    pub terms: Box<[S]>,
    /// Bounds on the articulated inertia of each link before its joint is crossed, noted by the
    /// elimination.
    pub carried: Box<[InertiaBound<S>]>,
    /// Bounds of what links carry.
    pub sizes: Box<[InertiaBound<S>]>,
    /// The bounds of links that are open, one for each level of branching: of a chain they stay in
    /// one place.
    pub bounds: Box<[ArticulatedInertia<S>]>,
    /// Fronts of the bounds.
    pub fronts: Fronts<S>,
}

impl<S: Scalar> PivotRounding<S> {
    /// Memory for a model.
    pub fn new(model: &Model) -> Self {
        let links = model.links.len();
        let places = model.places();
        Self {
            terms: filled(S::zero(), model.nv()),
            carried: filled(InertiaBound::default(), links),
            sizes: filled(InertiaBound::default(), links),
            bounds: filled(ArticulatedInertia::zero(), places),
            fronts: Fronts::new(model),
        }
    }

    /// How many bytes it takes.
    #[cfg(feature = "batch")]
    pub fn bytes(&self) -> usize {
        let numbers = self.terms.len() + self.fronts.square.len() + self.fronts.side.len();
        numbers * size_of::<S>()
            + self.fronts.force.len() * size_of::<Force<S>>()
            + (self.carried.len() + self.sizes.len()) * size_of::<InertiaBound<S>>()
            + self.bounds.len() * size_of::<ArticulatedInertia<S>>()
    }
}
