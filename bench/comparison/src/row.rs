//! Measurements of one call on one robot.

use crate::form::Form;
use featherline_bench::statistics::{median, quartiles};

/// Who ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contestant {
    /// featherline.
    Own(Form),
    /// The peer of that index.
    Peer(usize),
}

impl Contestant {
    /// The form of the call.
    pub fn form(self) -> Form {
        match self {
            Self::Own(form) => form,
            Self::Peer(_) => Form::Single,
        }
    }
}

/// The measurements of one contestant.
#[derive(Clone, Debug)]
pub struct Run {
    /// Who.
    pub contestant: Contestant,
    /// The call's name in the protocol.
    pub request: String,
    /// The greatest difference from the reference's answers, relative to their greatest entry.
    pub difference: f64,
    /// For each process its turns: nanoseconds a state, the median of the passes in the turn.
    pub processes: Vec<Vec<f64>>,
}

impl Run {
    /// A run without measurements.
    pub fn new(contestant: Contestant, request: String) -> Self {
        Self {
            contestant,
            request,
            difference: 0.0,
            processes: Vec::new(),
        }
    }

    /// Nanoseconds a state in the process where the contestant was fastest.
    pub fn nanoseconds(&self) -> f64 {
        let medians = self.processes.iter().map(|turns| median(turns));
        medians.fold(f64::INFINITY, f64::min)
    }
}

/// One time divided by another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The median over the processes of the median over the turns: one unlucky process does not
    /// move it.
    pub median: f64,
    /// The quartiles over all turns.
    pub quartiles: (f64, f64),
}

/// One call on one robot.
#[derive(Clone, Debug)]
pub struct Row {
    /// The call's name.
    pub call: &'static str,
    /// All contestants.
    pub runs: Vec<Run>,
}

impl Row {
    /// The measurements of a contestant, if it took part.
    pub fn run(&self, contestant: Contestant) -> Option<&Run> {
        self.runs.iter().find(|run| run.contestant == contestant)
    }

    /// The time of one contestant by that of another, turn by turn; none unless both took part.
    pub fn ratio(&self, of: Contestant, by: Contestant) -> Option<Ratio> {
        let (of, by) = (self.run(of)?, self.run(by)?);
        let processes: Vec<Vec<f64>> = of
            .processes
            .iter()
            .zip(&by.processes)
            .map(|(of, by)| of.iter().zip(by).map(|(of, by)| of / by).collect())
            .collect();
        let medians: Vec<f64> = processes.iter().map(|turns| median(turns)).collect();
        Some(Ratio {
            median: median(&medians),
            quartiles: quartiles(&processes.concat()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_unlucky_process_moves_neither_ratio_nor_time() {
        let run = |contestant, processes: &[[f64; 2]]| Run {
            processes: processes.iter().map(|turns| turns.to_vec()).collect(),
            ..Run::new(contestant, "rnea".to_owned())
        };
        let (own, peer) = (Contestant::Own(Form::Single), Contestant::Peer(0));
        let row = Row {
            call: "rnea",
            runs: vec![
                run(own, &[[64.0, 80.0], [96.0, 64.0], [256.0, 256.0]]),
                run(peer, &[[128.0; 2]; 3]),
            ],
        };
        let ratio = row.ratio(own, peer);
        let expected = Ratio {
            median: 0.625,
            quartiles: (0.53125, 1.6875),
        };
        assert_eq!(ratio, Some(expected));
        assert_eq!(row.run(own).map(Run::nanoseconds), Some(72.0));
        assert_eq!(row.ratio(own, Contestant::Peer(1)), None);
    }
}
