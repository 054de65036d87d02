//! One thread's part: blocks of states through lanes.

use super::pack::{Pack, gather};
use super::queue::{Chunk, Queue, Rows};
use super::{BatchStatus, Precision};
use crate::error::Error;
use crate::model::Model;
use crate::scalar::Scalar;
use crate::spatial::{DynamicParameters, Force, Sym3, Vec3};
use crate::workspace::Workspace;

/// The most rows that one state has: q, v, accelerations or joint forces, and external forces.
pub(super) const INPUTS: usize = 4;

/// The most lanes of all registers.
pub(super) const MOST_LANES: usize = 16;

/// The dynamic parameters of one body.
pub(super) const PARAMETERS: usize = 10;

/// Memory for what is not in the workspace between reading and writing rows.
#[derive(Default)]
pub(super) struct Room<S: Scalar> {
    pub numbers: Vec<S>,
    pub forces: Vec<Force<S>>,
}

impl<S: Scalar> Room<S> {
    /// The forces in rows of six numbers.
    pub fn forces(&mut self, rows: &[S]) -> &[Force<S>] {
        let forces = rows.as_chunks().0.iter().copied().map(Force::from_array);
        self.forces.clear();
        self.forces.extend(forces);
        &self.forces
    }
}

/// An algorithm that is run on many states.
pub(super) trait Task: Sync {
    /// Computes the states in the lanes and writes their rows, in full if it succeeds.
    fn run<S: Pack>(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        inputs: [&[S]; INPUTS],
        room: &mut Room<S>,
        results: &mut Rows<'_, S::Element>,
    ) -> Result<(), Error>;
}

/// A task for workers of one register, so that their code is compiled once a register.
pub(super) trait BlockTask<S: Pack>: Sync {
    fn run_block(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        inputs: [&[S]; INPUTS],
        room: &mut Room<S>,
        results: &mut Rows<'_, S::Element>,
    ) -> Result<(), Error>;
}

impl<S: Pack, K: Task> BlockTask<S> for K {
    fn run_block(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        inputs: [&[S]; INPUTS],
        room: &mut Room<S>,
        results: &mut Rows<'_, S::Element>,
    ) -> Result<(), Error> {
        self.run(model, ws, inputs, room, results)
    }
}

/// The data that all threads read.
pub(super) struct Job<'a, T> {
    pub model: &'a Model,
    /// Rows of each input, with their names for errors.
    pub inputs: [(&'static str, &'a [T]); INPUTS],
    pub lengths: [usize; INPUTS],
    /// Rows of dynamic parameters in link frames; empty if all states have the model's.
    pub parameters: &'a [T],
    /// With them, rows of bounds of inverse pivots.
    pub pivot_bounds: &'a [T],
}

/// One thread's memory.
pub(super) struct Worker<S: Pack> {
    pub workspace: Workspace<S>,
    /// The inputs of a block.
    pub inputs: [Vec<S>; INPUTS],
    /// The dynamic parameters of a block.
    pub parameters: Vec<S>,
    pub room: Room<S>,
    /// The state in each lane.
    states: [usize; MOST_LANES],
}

impl<S: Pack> Worker<S>
where
    S::Element: Precision,
{
    pub fn new(model: &Model) -> Self {
        let row = |len| vec![S::zero(); len];
        Self {
            workspace: Workspace::new(model),
            inputs: [row(model.nq()), row(model.nv()), row(model.nv()), row(0)],
            parameters: Vec::new(),
            room: Room::default(),
            states: [0; MOST_LANES],
        }
    }

    /// Makes or gives up the memory for dynamic parameters.
    pub fn set_randomised(&mut self, model: &Model, randomised: bool) {
        let bodies = if randomised { model.joints().len() } else { 0 };
        self.workspace.scratch.parameters = vec![DynamicParameters::zero(); bodies].into();
        self.parameters = vec![S::zero(); PARAMETERS * bodies.saturating_sub(1)];
        let coordinates = if randomised { model.nv() } else { 0 };
        self.workspace.scratch.pivot_bound = vec![S::zero(); coordinates].into();
    }

    /// Works until the queue is empty. Returns how many states have no result.
    pub fn drain(
        &mut self,
        task: &dyn BlockTask<S>,
        job: &Job<'_, S::Element>,
        queue: &Queue<'_, S::Element>,
    ) -> usize {
        let mut failed = 0;
        while let Some(mut chunk) = queue.next() {
            let mut done = 0;
            while done < chunk.status.len() {
                let count = S::LANES.min(chunk.status.len() - done);
                failed += self.solve_block(task, job, &mut chunk, done, count);
                done += count;
            }
        }
        failed
    }

    /// Solves the states `done..done + count` of a chunk. Returns how many of them have no result.
    fn solve_block(
        &mut self,
        task: &dyn BlockTask<S>,
        job: &Job<'_, S::Element>,
        chunk: &mut Chunk<'_, S::Element>,
        done: usize,
        count: usize,
    ) -> usize {
        for l in 0..S::LANES {
            // Lanes that are left over repeat the first one.
            self.states[l] = chunk.first + done + if l < count { l } else { 0 };
        }
        chunk.results.states = done..done + count;
        match self.attempt(task, job, &mut chunk.results) {
            Ok(()) => {
                chunk.status[done..done + count].fill(BatchStatus::Solved);
                0
            }
            Err(_) => self.recover(task, job, chunk, done, count),
        }
    }

    /// Runs the algorithm on the states that `self.states` names.
    fn attempt(
        &mut self,
        task: &dyn BlockTask<S>,
        job: &Job<'_, S::Element>,
        results: &mut Rows<'_, S::Element>,
    ) -> Result<(), Error> {
        let states = &self.states[..S::LANES];
        for ((to, &(_, rows)), &length) in self.inputs.iter_mut().zip(&job.inputs).zip(&job.lengths)
        {
            if !rows.is_empty() {
                if to.len() != length {
                    to.resize(length, S::zero());
                }
                gather(rows, states, to);
            }
        }
        if !job.parameters.is_empty() {
            gather(job.parameters, states, &mut self.parameters);
            let scratch = &mut self.workspace.scratch;
            gather(job.pivot_bounds, states, &mut scratch.pivot_bound);
            let bodies = &mut scratch.parameters[1..];
            for (body, p) in bodies
                .iter_mut()
                .zip(self.parameters.chunks_exact(PARAMETERS))
            {
                *body = dynamic_parameters(p);
            }
        }
        let inputs = std::array::from_fn(|k| &self.inputs[k][..job.lengths[k]]);
        let (workspace, room) = (&mut self.workspace, &mut self.room);
        task.run_block(job.model, workspace, inputs, room, results)
    }

    /// Solves a block that has a state without result: sound states together, the others alone.
    #[cold]
    fn recover(
        &mut self,
        task: &dyn BlockTask<S>,
        job: &Job<'_, S::Element>,
        chunk: &mut Chunk<'_, S::Element>,
        done: usize,
        count: usize,
    ) -> usize {
        let first = chunk.first + done;
        let mut is_found = [false; MOST_LANES];
        for (l, is_found) in is_found.iter_mut().enumerate().take(count) {
            *is_found = are_sound(job, first + l);
        }
        let all = is_found[..count].iter().all(|&found| found);
        if let (Some(sound), false) = (is_found.iter().position(|&found| found), all) {
            // Most often the inputs tell all: another state takes the place of each bad one.
            for l in 0..S::LANES {
                self.states[l] = first + if is_found[l] { l } else { sound };
            }
            if self.attempt(task, job, &mut chunk.results).is_err() {
                is_found.fill(false);
            }
        } else {
            is_found.fill(false);
        }
        let mut failed = 0;
        for l in 0..count {
            chunk.status[done + l] = BatchStatus::Solved;
            if is_found[l] {
                continue;
            }
            self.states[..S::LANES].fill(first + l);
            chunk.results.states = done + l..done + l + 1;
            if let Err(error) = self.attempt(task, job, &mut chunk.results) {
                chunk.status[done + l] = status_of(&error);
                for result in 0..chunk.results.count {
                    let row = chunk.results.of(result);
                    row.fill(S::Element::constant(f64::NAN));
                }
                failed += 1;
            }
        }
        failed
    }
}

/// The status that stands for an error; misuse is the task's to report, the call fails.
fn status_of(error: &Error) -> BatchStatus {
    BatchStatus::of(error).unwrap_or(BatchStatus::Overflow)
}

/// Whether a state's inputs are finite, and its rotations of lengths that are.
fn are_sound<T: Precision>(job: &Job<'_, T>, state: usize) -> bool {
    let row = |input: usize| {
        let (name, rows) = job.inputs[input];
        let length = if rows.is_empty() {
            0
        } else {
            job.lengths[input]
        };
        (name, &rows[state * length..(state + 1) * length])
    };
    let error = job
        .model
        .explain_not_finite("", row(0).1, &[row(1), row(2), row(3)], None);
    matches!(error, Error::Overflow { .. })
}

/// Mass, first and second moment, as [`Batch::set_parameters`](super::Batch::set_parameters).
#[inline(always)]
pub(super) fn dynamic_parameters<S: Scalar>(p: &[S]) -> DynamicParameters<S> {
    DynamicParameters {
        mass: p[0],
        first_moment: Vec3::new(p[1], p[2], p[3]),
        second_moment: Sym3::new(p[4], p[5], p[6], p[7], p[8], p[9]),
    }
}
