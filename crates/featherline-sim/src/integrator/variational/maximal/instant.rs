//! The state at an instant.

use crate::maximal::Pose;

/// A robot at the end of a step, in the frame in which it is followed.
#[derive(Clone, Debug)]
pub(super) struct Instant {
    pub t: f64,
    /// The step that led here, 0 at the start.
    pub before: f64,
    /// The configuration of the tree.
    pub q: Box<[f64]>,
    /// Where the bodies' joint frames are.
    pub poses: Box<[Pose]>,
    /// Momenta with which drives come here.
    pub reflected: Box<[f64]>,
    /// Forces on drives at this instant; until these are known, those of the instant before.
    pub tau: Box<[f64]>,
    /// The largest gap of a joint.
    pub gap: f64,
}

impl Instant {
    /// For how long the loads of this instant pull when the next step takes `h`: half of both steps
    /// around it.
    #[inline(always)]
    pub fn time(&self, h: f64) -> f64 {
        0.5 * (self.before + h)
    }
}
