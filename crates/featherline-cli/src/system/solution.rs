//! The solution of one sample, as a line of JSON or as a table.

use super::answers::{self, Answer};
use super::series::Moment;
use featherline_record::number::short;
use featherline_system::{Check, Requested, SolveStatus, System};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// Why a state has no solution.
const SINGULAR: &str = "the system is singular in this state, or so close to it that no digit would be right; \
                        `--diagnose` reports what is not determined";

/// The solution of one sample.
pub struct Solution<'a> {
    pub system: &'a System,
    pub wanted: &'a [Requested],
    pub labels: &'a [String],
    pub time: Option<f64>,
    /// None of a singular state that determines nothing.
    pub values: Option<Vec<Vec<Option<f64>>>>,
    /// None of a singular state.
    pub solver: Option<Solver>,
}

/// How the solution went.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Solver {
    /// By the compiled order, or by a general factorisation.
    Compiled {
        backward_error: f64,
        condition: f64,
        fell_back: bool,
    },
    /// As far as it is determined.
    Determined {
        residual: f64,
        open_directions: usize,
    },
}

impl Solver {
    /// By the compiled order, where its check tells of no singular state.
    pub fn checked(check: &Check) -> Option<Self> {
        (check.status != SolveStatus::Singular).then_some(Self::Compiled {
            backward_error: check.backward_error,
            condition: check.condition,
            fell_back: check.status == SolveStatus::FellBack,
        })
    }
}

impl Answer for Solution<'_> {
    /// NaN for what is not determined.
    fn moment(&self) -> Moment {
        let values = match &self.values {
            Some(values) => values.concat(),
            None => vec![None; self.labels.len()],
        };
        Moment {
            time: self.time,
            values: (values.iter().map(|value| value.unwrap_or(f64::NAN))).collect(),
            deviations: None,
        }
    }
}

impl Serialize for Solution<'_> {
    fn serialize<W: Serializer>(&self, writer: W) -> Result<W::Ok, W::Error> {
        let mut map = writer.serialize_map(None)?;
        if let Some(time) = self.time {
            map.serialize_entry("t", &time)?;
        }
        for (k, wanted) in self.wanted.iter().enumerate() {
            let name = wanted.name(self.system.model());
            map.serialize_entry(&name, &self.values.as_ref().map(|values| &values[k]))?;
        }
        if let Some(solver) = &self.solver {
            map.serialize_entry("solver", solver)?;
        }
        let numbers = self.values.iter().flatten().flatten();
        if self.solver.is_none() || numbers.into_iter().any(Option::is_none) {
            map.serialize_entry("errors", &BTreeMap::from([("solution", SINGULAR)]))?;
        }
        map.end()
    }
}

impl fmt::Display for Solution<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(values) = &self.values else {
            return writeln!(f, "no solution: {SINGULAR}");
        };
        let table = answers::unknowns(self.labels, values.iter().flatten().copied());
        writeln!(f, "{table}\n")?;
        match self.solver {
            None => writeln!(f, "solved as far as it is determined: {SINGULAR}"),
            Some(Solver::Compiled {
                backward_error,
                condition,
                fell_back,
            }) => {
                let solver = match fell_back {
                    true => "a general factorisation, for the compiled order lost digits",
                    false => "the compiled order",
                };
                let (error, condition) = (short(backward_error), short(condition));
                writeln!(
                    f,
                    "solved by {solver}; backward error {error}, condition at least {condition}"
                )
            }
            Some(Solver::Determined {
                residual,
                open_directions,
            }) => {
                let plural = if open_directions == 1 { "" } else { "s" };
                writeln!(
                    f,
                    "solved as far as it is determined; {open_directions} direction{plural} open, residual {}",
                    short(residual)
                )
            }
        }
    }
}
