//! Agreement first, then time: all contenders on the same states of one robot.

use crate::contender::Contender;
use crate::form::Form;
use crate::row::{Contestant, Row, Run};
use anyhow::{Context, Result, anyhow, bail};
use featherline_bench::statistics::median;
use nalgebra::DMatrix;
use std::path::{Path, PathBuf};

/// A library that featherline is compared with.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Its name.
    pub name: String,
    /// Its contender.
    pub program: PathBuf,
    /// The ending of the files that it loads.
    pub model_ending: String,
}

/// featherline's contender.
#[derive(Clone, Debug)]
pub struct Own {
    /// The program.
    pub program: PathBuf,
    /// Its arguments: the instructions that it is limited to, if to some.
    pub arguments: Vec<String>,
}

/// The files of one robot.
#[derive(Clone)]
pub struct Files {
    /// The model that featherline's contender loads.
    pub own_model: PathBuf,
    /// The models that the peers load.
    pub peer_models: Vec<PathBuf>,
    /// The states, in the order of coordinates that all share.
    pub states: PathBuf,
}

/// How long and how often to measure.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Processes of each contender, one after the other.
    pub processes: usize,
    /// In each process, how often the contenders take turns.
    pub rounds: usize,
    /// In each turn, passes over all states.
    pub samples: usize,
}

/// A contender that has the robot loaded.
struct Entrant {
    contender: Contender,
    calls: Vec<String>,
    /// Its place among the peers; none for featherline.
    peer: Option<usize>,
}

/// Contenders that have the same robot loaded: featherline first, then the reference, then the
/// other peers that accept the robot.
pub struct Contest {
    entrants: Vec<Entrant>,
    nv: usize,
    states: usize,
    refusals: Vec<String>,
}

/// Calls that solve with the mass matrix, so that rounding is magnified by its condition number.
const SOLVES: [&str; 10] = [
    "aba",
    "crba_factor_solve",
    "minverse",
    "aba_derivatives",
    "euler_step",
    "constraint_dynamics",
    "loop_constrained_aba",
    "constrained_dynamics",
    "constrained_dynamics_derivatives",
    "impulse_dynamics",
];

/// The difference beyond which an answer has no digit.
const ONE_DIGIT: f64 = 0.1;

/// Where the reference stands among the entrants.
const REFERENCE: usize = 1;

impl Contest {
    /// Starts all contenders and has them load a robot. A peer other than the first, which is the
    /// reference, may refuse.
    ///
    /// # Errors
    /// If featherline or the reference refuses, or two do not agree in the robot's sizes.
    pub fn start(own: &Own, peers: &[Peer], files: &Files) -> Result<Self> {
        let states = files.states.display();
        let enter = |(program, arguments): (&Path, &[String]),
                     model: &Path,
                     peer|
         -> Result<Result<(Entrant, String), String>> {
            let mut contender = Contender::start(program, arguments)?;
            let loaded = match contender.try_to(&format!("load {} {states}", model.display()))? {
                Ok(loaded) => loaded,
                Err(reason) => return Ok(Err(reason)),
            };
            let calls = contender.ask("calls")?;
            let entrant = Entrant {
                contender,
                calls: calls.split_whitespace().map(str::to_owned).collect(),
                peer,
            };
            Ok(Ok((entrant, loaded)))
        };
        let own = (own.program.as_path(), own.arguments.as_slice());
        let own = enter(own, &files.own_model, None)?;
        let (own, loaded) = own.map_err(|reason| anyhow!("featherline refuses it: {reason}"))?;
        let (mut entrants, mut refusals) = (vec![own], Vec::new());
        for (index, (peer, model)) in peers.iter().zip(&files.peer_models).enumerate() {
            match enter((&peer.program, &[]), model, Some(index))? {
                Ok((entrant, theirs)) if theirs == loaded => entrants.push(entrant),
                Ok((_, theirs)) => bail!(
                    "nq, nv and states are `{loaded}` here and `{theirs}` with {}",
                    peer.name
                ),
                Err(reason) if index > 0 => refusals.push(format!("{}: {reason}", peer.name)),
                Err(reason) => bail!("{} refuses it: {reason}", peer.name),
            }
        }
        let sizes: Result<Vec<usize>, _> = loaded.split(' ').map(str::parse).collect();
        let [_, nv, states] = sizes.context("malformed answer to `load`")?[..] else {
            bail!("malformed answer to `load`: {loaded}");
        };
        Ok(Self {
            entrants,
            nv,
            states,
            refusals,
        })
    }

    /// The peers that do not accept the robot, with their reasons.
    pub fn refusals(&self) -> &[String] {
        &self.refusals
    }

    /// Compares the answers of a call at all states with the reference's, and gives a row without
    /// times.
    ///
    /// # Errors
    /// If an answer differs from the reference's by more than the precision of its numbers allows:
    /// for double precision 10⁻⁹, or, for calls that solve with the mass matrix, its condition
    /// number times nv roundings.
    pub fn agree(&mut self, call: &'static str) -> Result<Row> {
        let runs = self.runs(call);
        let mut differences = vec![0.0_f64; runs.len()];
        for index in 0..self.states {
            let reference = self.value(REFERENCE, call, index)?;
            for ((entrant, run), worst) in runs.iter().zip(&mut differences) {
                if *entrant == REFERENCE || worst.is_infinite() {
                    continue;
                }
                let name = &run.request;
                let answer = self.value(*entrant, name, index)?;
                if answer.len() != reference.len() {
                    bail!(
                        "{name}: {} numbers, {} by the reference",
                        answer.len(),
                        reference.len()
                    );
                }
                let difference = greatest_difference(&answer, &reference);
                let form = run.contestant.form();
                if difference > form.tolerance() {
                    let tolerance = self.tolerance(call, form, index)?;
                    if tolerance >= ONE_DIGIT && difference >= ONE_DIGIT {
                        // It is left out, and that is told.
                        let what = if difference.is_finite() {
                            format!("differs by {difference:.0e} at state {index}")
                        } else {
                            format!("has no result at state {index}")
                        };
                        self.refusals.push(format!(
                            "featherline, `{name}`: {what}, where rounding may take all digits: nv κ(M) ε is {tolerance:.0e}"
                        ));
                        *worst = f64::INFINITY;
                        continue;
                    }
                    if difference > tolerance {
                        let who = self.entrants[*entrant].contender.name();
                        bail!(
                            "{who}, {name} at state {index}: differs by {difference:.1e}, more than {tolerance:.1e}"
                        );
                    }
                }
                *worst = worst.max(difference);
            }
        }
        let with_difference =
            |((_, run), difference): ((usize, Run), f64)| Run { difference, ..run };
        Ok(Row {
            call,
            runs: runs
                .into_iter()
                .zip(differences)
                .filter(|(_, difference)| difference.is_finite())
                .map(with_difference)
                .collect(),
        })
    }

    /// Who takes part in a call: featherline in each of its forms, and the peers that have the
    /// call.
    fn runs(&self, call: &str) -> Vec<(usize, Run)> {
        let mut runs = Vec::new();
        for (entrant, Entrant { calls, peer, .. }) in self.entrants.iter().enumerate() {
            let forms = match peer {
                None => Form::ALL,
                Some(_) => &[Form::Single],
            };
            for &form in forms {
                let request = form.request(call);
                if calls.contains(&request) {
                    let contestant = match *peer {
                        None => Contestant::Own(form),
                        Some(peer) => Contestant::Peer(peer),
                    };
                    runs.push((entrant, Run::new(contestant, request)));
                }
            }
        }
        runs
    }

    fn value(&mut self, entrant: usize, call: &str, index: usize) -> Result<Vec<f64>> {
        let contender = &mut self.entrants[entrant].contender;
        contender.numbers(&format!("value {call} {index}"))
    }

    /// The greatest difference of two backward stable solutions.
    fn tolerance(&mut self, call: &str, form: Form, index: usize) -> Result<f64> {
        if !SOLVES.contains(&call) {
            return Ok(form.tolerance());
        }
        let mass = self.value(REFERENCE, "crba", index)?;
        let eigenvalues = DMatrix::from_vec(self.nv, self.nv, mass).symmetric_eigenvalues();
        let condition = eigenvalues.max() / eigenvalues.min().abs();
        let magnified = self.nv as f64 * form.epsilon() * condition;
        Ok(form.tolerance().max(magnified))
    }

    /// Times a call with all contestants in turns, and adds what was measured to the row: the same
    /// order in every process.
    ///
    /// # Errors
    /// If one refuses.
    pub fn time(&mut self, row: &mut Row, effort: &Effort) -> Result<()> {
        let runs = self.runs(row.call).into_iter();
        // Whose answers have no digit was left out of the row.
        let kept = |(_, run): &(usize, Run)| {
            let mut in_row = row.runs.iter();
            in_row.any(|r| r.contestant == run.contestant)
        };
        let entrants: Vec<usize> = runs.filter(kept).map(|(e, _)| e).collect();
        let count = entrants.len();
        if count != row.runs.len() {
            bail!("{}: not the contenders of the first process", row.call);
        }
        let mut turns = vec![Vec::with_capacity(effort.rounds); count];
        for round in 0..effort.rounds {
            for place in 0..count {
                // Everybody is first equally often, and follows each neighbour equally often.
                let turn = if round % 2 == 0 {
                    place
                } else {
                    count - 1 - place
                };
                let k = (turn + round / 2) % count;
                let request = format!("time {} {}", row.runs[k].request, effort.samples);
                let times = self.entrants[entrants[k]].contender.numbers(&request)?;
                turns[k].push(median(&times));
            }
        }
        for (run, turns) in row.runs.iter_mut().zip(turns) {
            run.processes.push(turns);
        }
        Ok(())
    }
}

/// The greatest difference of two lists, relative to the greatest entry of the second, or to 1 if
/// that is less. Infinite where one of them is not finite.
fn greatest_difference(own: &[f64], peer: &[f64]) -> f64 {
    let scale = peer.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    own.iter().zip(peer).fold(0.0, |greatest, (own, peer)| {
        let difference = (own - peer).abs() / scale;
        // `max` alone would pass over a NaN.
        if difference.is_nan() {
            f64::INFINITY
        } else {
            difference.max(greatest)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_wrong_number_passes_for_agreement() {
        assert_eq!(greatest_difference(&[1.0, 20.0], &[1.0, 10.0]), 1.0);
        assert_eq!(greatest_difference(&[0.5, 0.25], &[0.25, 0.25]), 0.25);
        for wrong in [f64::NAN, f64::INFINITY] {
            assert_eq!(
                greatest_difference(&[wrong, 1.0], &[1.0, 1.0]),
                f64::INFINITY
            );
            assert_eq!(
                greatest_difference(&[1.0, 1.0], &[wrong, 1.0]),
                f64::INFINITY
            );
        }
    }
}
