//! Whether a motion has come to where its loops are singular.

use super::Caution;
use super::projection::SINGULAR;
use crate::loops::LoopDynamics;

/// Conditions from which on a sudden rise is looked at.
const SUSPECT: f64 = 1e2;

/// A condition that is so many times that of a step before goes through a singular place in the next one: its root grows as one
/// over the distance, of which more than half is gone.
const SUDDEN: f64 = 4.0;

/// How regular loops are at an instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Regularity {
    pub condition: f64,
    pub repeated: usize,
}

impl Regularity {
    pub(super) fn of(loops: &LoopDynamics<'_>) -> Self {
        Self {
            condition: loops.condition,
            repeated: loops.repeated,
        }
    }
}

/// Follows how regular loops are from step to step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Singularity {
    last: f64,
    /// How many constraints repeat others where the loops are closed and not singular.
    usually_repeated: usize,
    is_told: bool,
}

impl Singularity {
    pub(super) fn new(usually_repeated: usize) -> Self {
        Self {
            last: f64::INFINITY,
            usually_repeated,
            is_told: false,
        }
    }

    /// Looks at the loops at the time `t`, and says once that they are singular, or were since the last look. They
    /// must be closed: elsewhere constraints that repeat others do not.
    pub(super) fn look(&mut self, t: f64, loops: Regularity) -> Option<Caution> {
        let condition = if loops.repeated > self.usually_repeated {
            f64::INFINITY
        } else {
            loops.condition
        };
        let is_sudden = condition >= SUSPECT && condition > SUDDEN * self.last;
        self.last = loops.condition;
        if self.is_told || !(condition >= SINGULAR || is_sudden) {
            return None;
        }
        self.is_told = true;
        Some(Caution::SingularLoops { t, condition })
    }
}
