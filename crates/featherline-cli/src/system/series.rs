//! What is wanted of a system, number by number, and how it changes over the samples.

use crate::arguments::SystemArguments;
use crate::failure::Failure;
use featherline_system::{System, Wanted};

/// What was asked for, or else what is not known.
pub fn wanted(arguments: &SystemArguments, system: &System) -> Result<Vec<Wanted>, Failure> {
    if arguments.want.is_empty() {
        return Ok(Wanted::open(system));
    }
    let mut all = Vec::new();
    for word in &arguments.want {
        let parsed = Wanted::parse(word.trim(), system);
        let parsed = parsed.map_err(|error| Failure::Sensors(format!("--want: {error}")))?;
        for wanted in parsed {
            if !all.contains(&wanted) {
                all.push(wanted);
            }
        }
    }
    Ok(all)
}

/// The names of all numbers that are wanted.
pub fn labels(system: &System, wanted: &[Wanted]) -> Vec<String> {
    let columns = wanted.iter().flat_map(|wanted| wanted.columns(system));
    columns
        .map(|column| {
            let unknown = system.unknowns().at(column);
            unknown.map_or_else(String::new, |unknown| unknown.describe(system.model()))
        })
        .collect()
}

/// One moment of all wanted numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// In s.
    pub time: Option<f64>,
    pub values: Vec<f64>,
    /// Standard deviations, if they are known.
    pub deviations: Option<Vec<f64>>,
}
