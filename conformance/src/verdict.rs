//! The verdict on all states of a robot, and on all robots.

use crate::agreement::{Judged, Sensitivity, judge};
use crate::close_to_singular::CloseToSingular;
use crate::quantities::{Compared, Undefined};
use std::collections::BTreeMap;

/// How many failures of a robot are described; more are counted.
const DESCRIBED: usize = 5;

/// The error that comes closest to its tolerance, or exceeds it most.
#[derive(Clone, Debug, PartialEq)]
pub struct Worst {
    /// The error.
    pub judged: Judged,
    /// The state.
    pub state: usize,
    /// The condition number of the mass matrix there.
    pub condition: f64,
}

/// The verdict on the states of one robot.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// How many states were compared.
    pub states: usize,
    /// How many numbers were compared.
    pub numbers: usize,
    /// The worst error of what loses no more than rounding.
    pub worst: Option<Worst>,
    /// The worst error of what loses digits with the condition number.
    pub worst_conditioned: Option<Worst>,
    /// The greatest condition number of the mass matrix.
    pub condition: f64,
    /// The states in which the mass matrix is close to singular.
    pub close_to_singular: CloseToSingular,
    /// The quantities that exist on neither side, and in how many states.
    pub undefined: BTreeMap<Undefined, usize>,
    /// How many comparisons failed.
    pub failed: usize,
    /// The first of them.
    pub failures: Vec<String>,
}

impl Verdict {
    /// Judges one more state.
    pub fn add(
        &mut self,
        state: usize,
        compared: Compared,
        quantities: &mut Quantities,
        robot: &str,
    ) {
        let condition = compared.condition;
        self.states += 1;
        self.condition = self.condition.max(condition);
        for group in compared.undefined {
            *self.undefined.entry(group).or_default() += 1;
        }
        for failure in compared.failures {
            self.fail(format!("state {state}: {failure}"));
        }
        let judged = judge(&compared.pairs, condition);
        if let Some(inverses) = compared.inverses {
            let (error, accepted) = (inverses.ours_of_theirs, inverses.accepted());
            if error.is_nan() || error > accepted {
                self.fail(format!(
                    "state {state}: M⁻¹ is {error:.1e} from the exact inverse, and {accepted:.1e} is accepted \
                     (condition number of the scaled matrix {:.1e})",
                    inverses.scaled_condition
                ));
            }
            self.close_to_singular.add(condition, inverses, &judged);
        }
        for (pair, judged) in compared.pairs.iter().zip(judged) {
            self.numbers += pair.theirs.len();
            quantities.add(&judged, pair.theirs.len(), robot);
            if !judged.passes() {
                let Judged {
                    quantity,
                    error,
                    tolerance,
                    ..
                } = judged;
                self.fail(format!(
                    "state {state}: {quantity} has the error {error:.1e}, and {tolerance:.1e} is accepted \
                     (condition number {condition:.1e})"
                ));
            }
            let worst = match judged.sensitivity {
                Sensitivity::Rounding => &mut self.worst,
                Sensitivity::Conditioned => &mut self.worst_conditioned,
            };
            let excess = judged.excess();
            if worst
                .as_ref()
                .is_none_or(|worst| worst.judged.excess() < excess)
            {
                *worst = Some(Worst {
                    judged,
                    state,
                    condition,
                });
            }
        }
    }

    /// Notes a failure.
    pub fn fail(&mut self, reason: String) {
        self.failed += 1;
        if self.failures.len() < DESCRIBED {
            self.failures.push(reason);
        }
    }

    /// How close the robot comes to failing: the greatest error as a multiple of its tolerance.
    pub fn excess(&self) -> f64 {
        let worst = self.worst.iter().chain(&self.worst_conditioned);
        let excess = worst.map(|worst| worst.judged.excess()).fold(0.0, f64::max);
        if self.failed > 0 {
            f64::INFINITY
        } else {
            excess
        }
    }
}

/// The results for one quantity over all robots.
#[derive(Clone, Debug, Default)]
pub struct Quantity {
    /// In how many states it was compared.
    pub states: usize,
    /// How many numbers were compared.
    pub numbers: usize,
    /// The greatest error.
    pub error: f64,
    /// The robot that has it.
    pub robot: String,
    /// The greatest difference relative to the largest entry of its family.
    pub of_family: f64,
    /// In how many states it was what is left of terms that cancel.
    pub cancelled: usize,
}

/// All quantities over all robots.
#[derive(Clone, Debug, Default)]
pub struct Quantities(BTreeMap<&'static str, Quantity>);

impl Quantities {
    fn add(&mut self, judged: &Judged, numbers: usize, robot: &str) {
        let quantity = self.0.entry(judged.quantity).or_default();
        quantity.states += 1;
        quantity.numbers += numbers;
        quantity.of_family = quantity.of_family.max(judged.of_family);
        quantity.cancelled += usize::from(judged.cancelled && judged.error > 0.0);
        if judged.error > quantity.error {
            quantity.error = judged.error;
            robot.clone_into(&mut quantity.robot);
        }
    }

    /// Quantities by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Quantity)> {
        self.0.iter().map(|(&name, quantity)| (name, quantity))
    }
}
