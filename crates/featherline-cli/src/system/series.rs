//! The requested outputs of a system, number by number, over the samples.

use super::arguments::SystemArguments;
use crate::failure::Failure;
use crate::names;
use featherline_system::{Requested, System};

/// The requested outputs, by default what is not known.
pub fn wanted(arguments: &SystemArguments, system: &System) -> Result<Vec<Requested>, Failure> {
    if arguments.want.is_empty() {
        return Ok(Requested::open(system));
    }
    let mut all = Vec::new();
    for word in names::separated(&arguments.want) {
        let parsed = Requested::parse(&names::system_word(&word), system);
        let parsed = parsed.map_err(|error| Failure::Sensors(format!("--want: {error}")))?;
        for wanted in parsed {
            if !all.contains(&wanted) {
                all.push(wanted);
            }
        }
    }
    Ok(all)
}

/// The names of all numbers of the outputs.
pub fn labels(system: &System, wanted: &[Requested]) -> Vec<String> {
    let columns = wanted.iter().flat_map(|wanted| wanted.columns(system));
    columns
        .map(|column| {
            let unknown = system.unknowns().at(column);
            unknown.map_or_else(String::new, |unknown| unknown.describe(system.model()))
        })
        .collect()
}

/// The requested numbers of one sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// In s.
    pub time: Option<f64>,
    pub values: Vec<f64>,
    /// Standard deviations, if they are known.
    pub deviations: Option<Vec<f64>>,
}

/// The most moments in memory: more than a chart can show.
const MOST: usize = 1 << 14;

/// Moments for a chart, in bounded memory: all of them, or evenly spaced ones if there are too
/// many.
#[derive(Debug)]
pub struct Moments {
    /// With the number of its sample, from 1.
    kept: Vec<(u64, Moment)>,
    met: u64,
    /// One of so many is kept.
    stride: u64,
}

impl Moments {
    pub fn new() -> Self {
        Self {
            kept: Vec::new(),
            met: 0,
            stride: 1,
        }
    }

    /// Keeps a moment, unless too many were there before.
    pub fn push(&mut self, moment: Moment) {
        if self.met.is_multiple_of(self.stride) {
            self.kept.push((self.met + 1, moment));
        }
        self.met += 1;
        if self.kept.len() > MOST {
            self.stride *= 2;
            let stride = self.stride;
            self.kept
                .retain(|(number, _)| (number - 1).is_multiple_of(stride));
        }
    }

    /// The kept ones, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Moment> {
        self.kept.iter().map(|(_, moment)| moment)
    }

    /// The numbers of their samples, from 1.
    pub fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        self.kept.iter().map(|(number, _)| *number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_moments_are_kept_however_many_come() {
        let mut moments = Moments::new();
        for count in [3, MOST as u64, 10 * MOST as u64 + 7] {
            while moments.met < count {
                let time = moments.met as f64;
                moments.push(Moment {
                    time: Some(time),
                    values: Vec::new(),
                    deviations: None,
                });
            }
            let numbers: Vec<u64> = moments.numbers().collect();
            assert!(numbers.len() <= MOST && numbers.len() as u64 >= count.min(MOST as u64 / 2));
            let step = numbers[1] - numbers[0];
            assert!(
                numbers.windows(2).all(|two| two[1] - two[0] == step),
                "evenly"
            );
            assert!(numbers[0] == 1 && count - numbers[numbers.len() - 1] < step);
            // A number is that of its moment.
            for (number, moment) in moments.numbers().zip(moments.iter()) {
                assert_eq!(moment.time, Some((number - 1) as f64));
            }
        }
    }
}
