//! Whether a motion has come to where its loops are singular.

use super::Caution;
use crate::loops::Regularity;

/// Conditions from which on a sudden rise is looked at.
const SUSPECT: f64 = 1e2;

/// A condition that is so many times that of a step before goes through a singular place in the next one: its root grows as one
/// over the distance, of which more than half is gone.
const SUDDEN: f64 = 4.0;

/// Follows how regular loops are from step to step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Singularity {
    last: f64,
    is_told: bool,
}

impl Singularity {
    pub(super) fn new() -> Self {
        Self {
            last: f64::INFINITY,
            is_told: false,
        }
    }

    /// Looks at the loops at the time `t`, and says once that they are singular, or were since the last look. They
    /// must be closed: elsewhere constraints that repeat others do not.
    pub(super) fn look(&mut self, t: f64, loops: Regularity) -> Option<Caution> {
        let is_sudden = loops.condition >= SUSPECT && loops.condition > SUDDEN * self.last;
        self.last = loops.condition;
        if self.is_told || !(loops.is_singular() || is_sudden) {
            return None;
        }
        self.is_told = true;
        Some(Caution::SingularLoops {
            t,
            condition: loops.condition,
            rank_lost: loops.rank_lost,
        })
    }
}
