//! States one after the other, shared out among threads: for what has no lanes.

use super::worker::{PARAMETERS, dynamic_parameters};
use super::{Batch, BatchStatus, Precision};
use crate::error::{Error, check_size};
use crate::model::Model;
use crate::spatial::DynamicParameters;
use crate::workspace::Workspace;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// So many states are worth a thread.
const SHARE: usize = 32;

/// The computation for a state: from its inputs to its results.
pub(crate) type OneState<'a> = dyn Fn(&Model, &mut Workspace<f64>, &[&[f64]], &mut [&mut [f64]]) -> Result<(), Error>
    + Sync
    + 'a;

impl<T: Precision + Into<f64>> Batch<T> {
    /// Runs `work` on all states in double precision; returns how many have no result.
    pub(crate) fn run_in_turn(
        &mut self,
        work: &OneState<'_>,
        inputs: &[&[T]],
        results: &mut [&mut [T]],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        let states = status.len();
        let width = |len: usize| {
            let width = len / states.max(1);
            check_size("rows of a state", states * width, len).map(|()| width)
        };
        let widths = inputs.iter().map(|rows| width(rows.len()));
        let widths = widths.collect::<Result<Vec<usize>, Error>>()?;
        let of_results = results.iter().map(|rows| width(rows.len()));
        let of_results = of_results.collect::<Result<Vec<usize>, Error>>()?;
        if !self.parameters.is_empty() {
            let randomised = self.parameters.len() / self.model.parameter_count();
            check_size("status", randomised, states)?;
        }
        let threads = self.threads().min(states.div_ceil(SHARE)).max(1);
        let model = &self.model;
        (self.single).resize_with(threads.max(self.single.len()), || Workspace::new(model));
        let failed = AtomicUsize::new(0);
        let share = states.div_ceil(threads).max(1);
        let (parameters, pivot_bounds) = (&self.parameters, &self.pivot_bounds);
        let portion =
            |ws: &mut Workspace<f64>, first, mut rows: Vec<&mut [T]>, status: &mut [_]| {
                let mut numbers: Vec<Vec<f64>> = widths.iter().map(|&n| vec![0.0; n]).collect();
                let mut found: Vec<Vec<f64>> = of_results.iter().map(|&n| vec![0.0; n]).collect();
                for (k, status) in status.iter_mut().enumerate() {
                    for ((numbers, all), &n) in numbers.iter_mut().zip(inputs).zip(&widths) {
                        let row = &all[(first + k) * n..][..n];
                        (numbers.iter_mut().zip(row)).for_each(|(to, &from)| *to = from.into());
                    }
                    set_bodies(ws, model, first + k, parameters, pivot_bounds);
                    let numbers: Vec<&[f64]> = numbers.iter().map(Vec::as_slice).collect();
                    let mut results: Vec<&mut [f64]> =
                        found.iter_mut().map(|it| &mut it[..]).collect();
                    *status = match work(model, ws, &numbers, &mut results) {
                        Ok(()) => BatchStatus::Solved,
                        Err(error) => {
                            results.iter_mut().for_each(|row| row.fill(f64::NAN));
                            failed.fetch_add(1, Ordering::Relaxed);
                            BatchStatus::of(&error).ok_or(error)?
                        }
                    };
                    for ((rows, own), &n) in rows.iter_mut().zip(&found).zip(&of_results) {
                        let row = &mut rows[k * n..][..n];
                        (row.iter_mut().zip(own)).for_each(|(to, &from)| *to = T::constant(from));
                    }
                }
                Ok(())
            };
        let mut rest: Vec<&mut [T]> = results.iter_mut().map(|rows| &mut **rows).collect();
        let mut shares = Vec::with_capacity(threads);
        for (k, status) in status.chunks_mut(share).enumerate() {
            let own = rest.iter_mut().zip(&of_results);
            let own =
                own.map(|(rest, n)| rest.split_off_mut(..n * status.len()).unwrap_or_default());
            shares.push((k * share, own.collect(), status));
        }
        let misuse = Mutex::new(None);
        let solve = |ws: &mut Workspace<f64>, (first, rows, status)| {
            if let Err(error) = portion(ws, first, rows, status) {
                let mut misuse = misuse.lock().unwrap_or_else(PoisonError::into_inner);
                misuse.get_or_insert(error);
            }
        };
        let mut work = self.single.iter_mut().zip(shares);
        let own = work.next();
        let solve_own = || own.map(|(ws, share)| solve(ws, share));
        match &self.pool {
            Some(pool) => pool.in_place_scope(|scope| {
                for (ws, share) in work {
                    scope.spawn(|_| solve(ws, share));
                }
                solve_own();
            }),
            None => drop(solve_own()),
        }
        if let Some(misuse) = misuse.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(misuse);
        }
        Ok(failed.into_inner())
    }
}

/// Gives a workspace the bodies of a state, if states have bodies of their own.
fn set_bodies<T: Precision + Into<f64>>(
    ws: &mut Workspace<f64>,
    model: &Model,
    state: usize,
    parameters: &[T],
    pivot_bounds: &[T],
) {
    let bodies = model.joints().len() - 1;
    let scratch = &mut ws.scratch;
    if parameters.is_empty() {
        scratch.parameters = Vec::new().into();
        scratch.pivot_bound = Vec::new().into();
        return;
    }
    let own = |all: &[T], n: usize| -> Vec<f64> {
        let row = all[state * n..][..n].iter();
        row.map(|&x| x.into()).collect()
    };
    let rows = own(parameters, PARAMETERS * bodies);
    let of_bodies = rows.chunks_exact(PARAMETERS).map(dynamic_parameters);
    let universe = std::iter::once(DynamicParameters::zero());
    scratch.parameters = universe.chain(of_bodies).collect();
    scratch.pivot_bound = own(pivot_bounds, model.nv()).into();
}
