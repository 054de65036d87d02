//! The result of the comparison of estimates.

use super::estimates::{Quantities, errors};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The error that is accepted: of us from the dense QR factorisation, and from the reference if
/// priors are not wider than [`PRIOR`].
pub const TOLERANCE: f64 = 1e-8;
/// The variance of a prior beyond which the difference from the reference may be larger, in
/// proportion.
///
/// Normal matrices lose digits with the square of the condition number of the rows, which is the
/// ratio of the variances of unknowns and equations. The reference does not correct what is lost.
/// The dense QR factorisation shows how much that is.
pub const PRIOR: f64 = 1e2;

/// The result of one problem.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The name of the question.
    pub name: String,
    /// The variance that unknowns have about.
    pub prior: f64,
    /// Unknowns: the reference's and ours.
    pub unknowns: [usize; 2],
    /// Readings.
    pub readings: usize,
    /// States that were compared.
    pub states: usize,
    /// The worst difference between the two sides, for each quantity.
    pub errors: BTreeMap<&'static str, f64>,
    /// The worst difference of all quantities from the dense QR factorisation: the reference's and
    /// ours.
    pub from_dense_qr: [f64; 2],
    /// The times of all estimates, in ns: the reference's, ours, and ours with exact equations.
    pub times: [Vec<u64>; 3],
}

impl Outcome {
    /// Adds a state.
    pub fn add(&mut self, ours: &Quantities, theirs: &Quantities) {
        self.states += 1;
        for (quantity, error) in errors(ours, theirs) {
            let worst = self.errors.entry(quantity).or_default();
            *worst = worst.max(error);
        }
    }

    /// Adds the estimate by dense QR of a state.
    pub fn add_dense_qr(&mut self, exact: &Quantities, ours: &Quantities, theirs: &Quantities) {
        for (side, found) in [theirs, ours].into_iter().enumerate() {
            let worst = errors(found, exact).into_iter().map(|(_, error)| error);
            self.from_dense_qr[side] = worst.fold(self.from_dense_qr[side], f64::max);
        }
    }

    /// Whether our estimate agrees with dense QR and with the reference.
    pub fn passes(&self) -> bool {
        let worst = self.errors.values().copied().fold(0.0, f64::max);
        self.from_dense_qr[1] <= TOLERANCE && worst <= self.accepted()
    }

    /// The difference from the reference that is accepted.
    fn accepted(&self) -> f64 {
        TOLERANCE * (self.prior / PRIOR).max(1.0)
    }

    /// The median times, in µs, in the same order.
    fn medians(&self) -> [f64; 3] {
        self.times.clone().map(|mut times| {
            times.sort_unstable();
            let median = times.get(times.len() / 2);
            median.map_or(f64::NAN, |&ns| ns as f64 / 1e3)
        })
    }
}

const HEAD: &str = "# Estimates of featherline and of iDynTree's BERDY

`cargo xtask conformance --estimator` writes this file. The robot is the iCub of `example-robot-data`: 32 joints, ten or eleven
accelerometers and gyroscopes, six force and torque sensors, accelerations of all joints. Readings come from random motions
that obey the equations, with errors of the covariances that are assumed; equations have variances about 1e-4, unknowns about 1e2,
wide ones 1e4, about random means. `src/estimator/posed.rs` says how unknowns and equations correspond.
";

const AGREEMENT: &str = "
## Agreement

The largest difference over the largest entry of the quantity in the same state. Last, the distance of both from an
independent check in two states, a dense QR factorisation of our weighted rows (`src/estimator/dense_qr.rs`), the worst of all quantities. 1e-8 is
accepted, and in proportion more from BERDY where priors are wider: normal matrices lose digits with the ratio of the
variances, which BERDY does not correct. So the differences are BERDY's rounding, as dense QR shows.

";

const TIME: &str = "
## Time

From the state and its readings to the estimate of all unknowns: the median of a state, in rounds that take turns in one run, on one
thread each. BERDY is the wheel's, called from Python, which adds about a microsecond. Beside the same problem, with BERDY's variances
of equations, stands what the library does by default with the same readings: equations that hold exactly, which BERDY has not.

| problem | BERDY, µs | weighted equations, µs | ratio | exact equations, µs | ratio |
|---|--:|--:|--:|--:|--:|
";

/// The report, in Markdown.
pub fn markdown(outcomes: &[Outcome], versions: &str, seed: u64) -> String {
    let mut out = format!("{HEAD}\nReference: {versions}; seed {seed}.\n{AGREEMENT}");
    let all = outcomes.iter().flat_map(|o| o.errors.keys().copied());
    let quantities: std::collections::BTreeSet<&str> = all.collect();
    out += "| problem | states | readings | unknowns: BERDY | ours | accepted |";
    for quantity in &quantities {
        let _ = write!(out, " {} |", quantity.replace('_', " "));
    }
    out += " BERDY from dense QR | ours |\n|---|--:|--:|--:|--:|--:|--:|--:|";
    out += &"--:|".repeat(quantities.len());
    for outcome in outcomes {
        let [theirs, ours] = outcome.unknowns;
        let (states, readings) = (outcome.states, outcome.readings);
        let name = &outcome.name;
        let _ = write!(
            out,
            "\n| {name} | {states} | {readings} | {theirs} | {ours} | {:.0e} |",
            outcome.accepted()
        );
        for quantity in &quantities {
            match outcome.errors.get(quantity) {
                Some(error) => {
                    let _ = write!(out, " {error:.1e} |");
                }
                None => out += " |",
            }
        }
        let [theirs, ours] = outcome.from_dense_qr;
        let _ = write!(out, " {theirs:.1e} | {ours:.1e} |");
    }
    out += "\n";
    out += TIME;
    for outcome in outcomes {
        let ([theirs, ours, exact], name) = (outcome.medians(), &outcome.name);
        let _ = writeln!(
            out,
            "| {name} | {theirs:.0} | {ours:.0} | {:.1} | {exact:.0} | {:.1} |",
            theirs / ours,
            theirs / exact
        );
    }
    out
}
