//! Agreement first, then time: two contenders on the same states.

use crate::contender::Contender;
use anyhow::{Context, Result, bail};
use featherline_bench::median;
use nalgebra::DMatrix;
use std::path::{Path, PathBuf};

/// The files of one robot.
pub struct Files {
    /// What featherline's contender loads.
    pub own_model: PathBuf,
    /// What the peer loads.
    pub peer_model: PathBuf,
    /// The states, in the order of coordinates that both share.
    pub states: PathBuf,
}

/// Two contenders that have the same robot loaded.
pub struct Pair {
    own: Contender,
    peer: Contender,
    nv: usize,
    states: usize,
}

/// How long and how often to measure.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Pairs of processes, one after the other.
    pub processes: usize,
    /// In each pair of processes, how often the contenders take turns.
    pub rounds: usize,
    /// In each turn, passes over all states.
    pub samples: usize,
}

/// What one pair of processes measured.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Median of featherline's samples, in ns.
    pub own: f64,
    /// Median of the peer's, in ns.
    pub peer: f64,
    /// Median over the rounds of featherline's time by the peer's.
    pub ratio: f64,
}

/// Calls that solve with the mass matrix, so that rounding is magnified by its condition number.
const SOLVES: [&str; 4] = ["aba", "crba_factor_solve", "minverse", "aba_derivatives"];

impl Pair {
    /// Starts both contenders and has them load a robot.
    ///
    /// # Errors
    /// If one refuses, or they do not agree in the robot's sizes.
    pub fn start(own: &Path, peer: &Path, files: &Files) -> Result<Self> {
        let (mut own, mut peer) = (Contender::start(own)?, Contender::start(peer)?);
        let states = files.states.display();
        let loaded = own.ask(&format!("load {} {states}", files.own_model.display()))?;
        let theirs = peer.ask(&format!("load {} {states}", files.peer_model.display()))?;
        if loaded != theirs {
            bail!("nq, nv and states are `{loaded}` here and `{theirs}` with the peer");
        }
        let sizes: Result<Vec<usize>, _> = loaded.split(' ').map(str::parse).collect();
        let [_, nv, states] = sizes.context("malformed answer to `load`")?[..] else {
            bail!("malformed answer to `load`: {loaded}");
        };
        Ok(Self {
            own,
            peer,
            nv,
            states,
        })
    }

    /// Compares the answers of a call at all states, and gives the greatest difference, relative to the greatest entry.
    ///
    /// # Errors
    /// If the answers differ by more than 10⁻⁹, or, for calls that solve with the mass matrix, by more than its
    /// condition number times nv roundings.
    pub fn agree(&mut self, call: &str) -> Result<f64> {
        let mut worst: f64 = 0.0;
        for index in 0..self.states {
            let request = format!("value {call} {index}");
            let (own, peer) = (self.own.numbers(&request)?, self.peer.numbers(&request)?);
            if own.len() != peer.len() {
                bail!(
                    "{call}: {} numbers here, {} with the peer",
                    own.len(),
                    peer.len()
                );
            }
            let difference = greatest_difference(&own, &peer);
            if difference > 1e-9 {
                let tolerance = self.tolerance(call, index)?;
                if difference > tolerance {
                    bail!(
                        "{call} at state {index}: differs by {difference:.1e}, more than {tolerance:.1e}"
                    );
                }
            }
            worst = worst.max(difference);
        }
        Ok(worst)
    }

    /// What two backward stable solutions may differ by.
    fn tolerance(&mut self, call: &str, index: usize) -> Result<f64> {
        if !SOLVES.contains(&call) {
            return Ok(1e-9);
        }
        let mass = self.peer.numbers(&format!("value crba {index}"))?;
        let eigenvalues = DMatrix::from_vec(self.nv, self.nv, mass).symmetric_eigenvalues();
        let condition = eigenvalues.max() / eigenvalues.min().abs();
        Ok(1e-9_f64.max(self.nv as f64 * f64::EPSILON * condition))
    }

    /// Times a call with both contenders in turns.
    ///
    /// # Errors
    /// If one refuses.
    pub fn time(&mut self, call: &str, effort: &Effort) -> Result<Times> {
        let request = format!("time {call} {}", effort.samples);
        let (mut own, mut peer, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..effort.rounds {
            let (mut ours, mut theirs) = if round % 2 == 0 {
                let ours = self.own.numbers(&request)?;
                (ours, self.peer.numbers(&request)?)
            } else {
                let theirs = self.peer.numbers(&request)?;
                (self.own.numbers(&request)?, theirs)
            };
            ratios.push(median(&mut ours) / median(&mut theirs));
            own.append(&mut ours);
            peer.append(&mut theirs);
        }
        Ok(Times {
            own: median(&mut own),
            peer: median(&mut peer),
            ratio: median(&mut ratios),
        })
    }
}

/// The greatest difference of two lists, relative to the greatest entry of the second, or to 1 if that is less. Infinite
/// where one of them is not finite.
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
