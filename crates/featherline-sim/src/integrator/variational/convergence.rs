//! The convergence criterion of a step's iterations.

use crate::integrator::Result;
use crate::integrator::forces::check_positive;

/// When the equations of a step count as solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence {
    /// The greatest error that may be left in a step's mean velocities, relative to these, both
    /// measured by the root of their kinetic energy, that of the robot, or of each of several that
    /// share a world, about its centre of mass: a speed that all bodies share does not show how
    /// they move each other. Errors of momenta do not add up: a step makes up for what the one
    /// before has left.
    pub tolerance: f64,
    /// The greatest number of iterations.
    pub most_iterations: usize,
}

impl Default for Convergence {
    /// 1e-11, in at most 100 iterations.
    fn default() -> Self {
        Self {
            tolerance: 1e-11,
            most_iterations: 100,
        }
    }
}

impl Convergence {
    /// Fails unless both numbers are positive.
    pub(super) fn check(&self) -> Result<()> {
        check_positive("the tolerance", self.tolerance)?;
        check_positive("the number of iterations", self.most_iterations as f64)
    }
}

/// The largest rounding of corrections, relative to the motion, with very different inertias.
const ROUNDING: f64 = 1e-9;

/// The largest rounding of positions, relative to the robot's length, where joints hold each other.
const PLACES: f64 = 128.0 * f64::EPSILON;

/// How many times as fast as their own motion bodies may go together until that matters.
const COMMON: f64 = 10.0;

/// Below this part of all kinetic energy that about the centre of mass is rounding.
const STILL: f64 = f64::EPSILON * f64::EPSILON;

/// Corrections of less than this part of the motion stay where they are, even if they grow.
const NEARBY: f64 = 1e-3;

/// A correction that is more than this part of the one before is slow.
const SLOW: f64 = 0.5;

/// How far a correction is trusted to shrink the error, at most.
const LEAST_CONTRACTION: f64 = 1e-3;

/// How far a loop may be open, in m and rad, for a correction to be trusted to close it: where
/// loops come near a singularity, gaps shrink less than momenta do. A remaining gap stays at this
/// size.
const TRUSTED_GAP: f64 = 1e-12;

/// For how many steps it is trusted to shrink it as it did.
const TRUSTED: usize = 16;

/// How large a correction is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    /// The root of its kinetic energy relative to that about the centre of mass.
    pub size: f64,
    /// The gap of a loop that it has to close, in m or rad.
    gap: f64,
    /// The size below which it may be rounding.
    rounding: f64,
    /// The energy that it is measured by.
    scale: f64,
    /// The same relative to all of the motion which it corrects; zero where there is none.
    part: f64,
}

impl Change {
    /// From twice the kinetic energies of the correction, of the motion about the centre of mass,
    /// and of all of it.
    pub fn new(correction: f64, inner: f64, whole: f64) -> Self {
        let scale = inner.max(STILL * whole);
        if correction == 0.0 || scale == 0.0 {
            return Self {
                size: correction,
                gap: 0.0,
                rounding: ROUNDING,
                scale,
                part: 0.0,
            };
        }
        Self {
            size: (correction / scale).sqrt(),
            gap: 0.0,
            rounding: ROUNDING * (whole / scale).sqrt().max(1.0),
            scale,
            part: if whole > 0.0 {
                (correction / whole).sqrt()
            } else {
                0.0
            },
        }
    }

    /// The same where places are kept, and not coordinates: within a step they are rounded by as
    /// much as a slow motion goes. `energy` is twice that of a motion by the robot's length.
    pub fn or_places(self, energy: f64) -> Self {
        if self.scale == 0.0 {
            return self;
        }
        Self {
            rounding: self.rounding + PLACES * (energy / self.scale).sqrt(),
            ..self
        }
    }

    /// Whether it is among the numbers.
    pub fn is_finite(&self) -> bool {
        self.size.is_finite() && self.rounding.is_finite()
    }

    /// The same with a gap of a loop in m or rad that it has to close.
    pub fn or_gap(self, gap: f64) -> Self {
        Self {
            size: self.size.max(gap),
            gap,
            ..self
        }
    }

    /// Whether this, which is left when so many have been made, `last` the last of them, is little
    /// enough to be left.
    pub fn may_be_left(&self, (count, last): (usize, &Self), tolerance: f64) -> bool {
        self.size <= tolerance || self.is_rounding(count, last.size)
    }

    /// Whether it is more than all of the motion, so that what it corrects is no evidence.
    pub fn is_all(&self) -> bool {
        self.size > 1.0
    }

    /// Whether the one after `last` leads away, and may end at another solution than the one
    /// nearby. In a robot that is still about its centre of mass sizes mean nothing.
    pub fn leads_away(&self, last: &Self) -> bool {
        self.size > last.size && self.part > NEARBY
    }

    /// Whether it shrinks as corrections of other steps did. A correction that is small beside the
    /// speed that all bodies share does not: rounding of positions makes an error of momentum again
    /// and again.
    fn says_how_it_shrinks(&self) -> bool {
        self.size > self.rounding || self.rounding <= COMMON * ROUNDING
    }

    /// Whether it is so small that it may be rounding.
    pub fn may_be_rounding(&self) -> bool {
        self.size <= self.rounding
    }

    /// Whether it is as small as it gets after so many. The first is no evidence: the speed that
    /// all bodies share makes of a small error of a place one of momentum that may be as large.
    fn is_rounding(&self, count: usize, last: f64) -> bool {
        count > 1 && self.size > SLOW * last && self.size <= self.rounding
    }
}

/// How corrections shrink, in this step and in some before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    /// How many corrections this step has had, and the last one's size.
    count: usize,
    last: f64,
    contraction: f64,
    /// Whether it was not smaller than that before it, and may be rounding.
    is_stalled: bool,
    /// For how many steps the contraction has been trusted.
    trusted: usize,
}

impl Progress {
    /// Nothing is known yet.
    pub fn new() -> Self {
        Self {
            count: 0,
            last: f64::INFINITY,
            contraction: 1.0,
            is_stalled: false,
            trusted: 0,
        }
    }

    /// Before the first correction of a step.
    pub fn begin_step(&mut self) {
        (self.count, self.last) = (0, f64::INFINITY);
        self.is_stalled = false;
        self.trusted += 1;
    }

    /// Whether corrections hardly shrink, before [`is_enough`](Self::is_enough) is asked about this
    /// one.
    pub fn is_slow(&self, change: &Change) -> bool {
        change.size > SLOW * self.last && change.size > change.rounding
    }

    /// Whether a correction, which has been made, was the last that is needed.
    pub fn is_enough(&mut self, change: &Change, tolerance: f64) -> bool {
        // The next correction, if they go on to shrink as they do, or did in a step not long ago.
        if self.last.is_finite() {
            self.contraction = (change.size / self.last).max(LEAST_CONTRACTION);
            self.trusted = 0;
        }
        let is_expected = self.trusted < TRUSTED
            && (self.trusted == 0 || change.says_how_it_shrinks())
            && change.gap <= TRUSTED_GAP
            && change.size * self.contraction <= tolerance;
        // Where two errors alternate, every other correction is as large as the one before.
        let stalls = change.is_rounding(self.count, self.last);
        let was_stalled = std::mem::replace(&mut self.is_stalled, stalls);
        let at_rounding = was_stalled && self.is_stalled;
        self.count += 1;
        self.last = change.size;
        change.size <= tolerance || is_expected || at_rounding
    }
}
