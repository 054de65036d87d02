//! One thread's part: blocks of states through lanes.

use super::pack::{Pack, gather};
use super::queue::{Chunk, Queue, Rows};
use super::{Precision, Status};
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

/// Memory for what is not in the workspace before it is written to rows, or after it was read from them.
#[derive(Default)]
pub(super) struct Room<S: Scalar> {
    pub numbers: Vec<S>,
    pub forces: Vec<Force<S>>,
}

/// An algorithm that is run on many states.
pub(super) trait Task: Sync {
    /// Computes the results of the states in the lanes and writes them to their rows, in full if it succeeds.
    fn run<S: Pack>(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        inputs: [&[S]; INPUTS],
        room: &mut Room<S>,
        results: &mut Rows<'_, S::Element>,
    ) -> Result<(), Error>;
}

/// What all threads read.
pub(super) struct Job<'a, T, K> {
    pub task: &'a K,
    pub model: &'a Model,
    /// Rows of each input, with their names for errors.
    pub inputs: [(&'static str, &'a [T]); INPUTS],
    pub lengths: [usize; INPUTS],
    /// Rows of dynamic parameters in link frames; empty if all states have the model's.
    pub parameters: &'a [T],
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
    }

    /// Works until the queue is empty. Returns how many states have no result.
    pub fn drain<K: Task>(
        &mut self,
        job: &Job<'_, S::Element, K>,
        queue: &Queue<'_, S::Element>,
    ) -> usize {
        let mut failed = 0;
        while let Some(mut chunk) = queue.next() {
            let mut done = 0;
            while done < chunk.status.len() {
                let count = S::LANES.min(chunk.status.len() - done);
                failed += self.solve_block(job, &mut chunk, done, count);
                done += count;
            }
        }
        failed
    }

    /// Solves the states `done..done + count` of a chunk. Returns how many of them have no result.
    fn solve_block<K: Task>(
        &mut self,
        job: &Job<'_, S::Element, K>,
        chunk: &mut Chunk<'_, S::Element>,
        done: usize,
        count: usize,
    ) -> usize {
        for l in 0..S::LANES {
            // Lanes that are left over repeat the first one.
            self.states[l] = chunk.first + done + if l < count { l } else { 0 };
        }
        match self.attempt(job, &mut chunk.results.part(done, count)) {
            Ok(()) => {
                chunk.status[done..done + count].fill(Status::Solved);
                0
            }
            Err(_) => self.recover(job, chunk, done, count),
        }
    }

    /// Runs the algorithm on the states that `self.states` names, for as many rows of results as there are.
    fn attempt<K: Task>(
        &mut self,
        job: &Job<'_, S::Element, K>,
        results: &mut Rows<'_, S::Element>,
    ) -> Result<(), Error> {
        let states = &self.states[..S::LANES];
        for ((to, &(_, rows)), &length) in self.inputs.iter_mut().zip(&job.inputs).zip(&job.lengths)
        {
            if !rows.is_empty() {
                to.resize(length, S::zero());
                gather(rows, states, to);
            }
        }
        if !job.parameters.is_empty() {
            gather(job.parameters, states, &mut self.parameters);
            let bodies = &mut self.workspace.scratch.parameters[1..];
            for (body, p) in bodies
                .iter_mut()
                .zip(self.parameters.chunks_exact(PARAMETERS))
            {
                *body = dynamic_parameters(p);
            }
        }
        let inputs = std::array::from_fn(|k| &self.inputs[k][..job.lengths[k]]);
        let (workspace, room) = (&mut self.workspace, &mut self.room);
        job.task.run(job.model, workspace, inputs, room, results)
    }

    /// Solves a block that has a state without result: finds out which, and what the others' results are. Lanes do not
    /// disturb each other, so that those are what they would have been.
    #[cold]
    fn recover<K: Task>(
        &mut self,
        job: &Job<'_, S::Element, K>,
        chunk: &mut Chunk<'_, S::Element>,
        done: usize,
        count: usize,
    ) -> usize {
        let first = chunk.first + done;
        let mut sound = None;
        for l in 0..count {
            chunk.status[done + l] = screen(job, first + l);
            if chunk.status[done + l].is_solved() {
                sound = Some(l);
            }
        }
        let status = &mut chunk.status[done..done + count];
        if let Some(sound) = sound
            && status.iter().any(|s| !s.is_solved())
        {
            // Most often the inputs tell all: another state takes the place of each bad one.
            for l in 0..S::LANES {
                let use_own = l < count && status[l].is_solved();
                self.states[l] = first + if use_own { l } else { sound };
            }
            let mut rows = chunk.results.part(done, count);
            if self.attempt(job, &mut rows).is_ok() {
                return erase_failed(&mut rows, status);
            }
        }
        for l in 0..count {
            if !status[l].is_solved() {
                continue;
            }
            self.states[..S::LANES].fill(first + l);
            if let Err(error) = self.attempt(job, &mut chunk.results.part(done + l, 1)) {
                status[l] = status_of(&error);
            }
        }
        erase_failed(&mut chunk.results.part(done, count), status)
    }
}

/// What an error says of a state. One that tells of misuse is the task's to report: the call fails, whatever the statuses are.
fn status_of(error: &Error) -> Status {
    Status::of(error).unwrap_or(Status::Overflow)
}

/// Writes NaN where there is no result, and returns for how many states.
fn erase_failed<T: Scalar>(results: &mut Rows<'_, T>, status: &[Status]) -> usize {
    let mut failed = 0;
    for (l, _) in status.iter().enumerate().filter(|(_, s)| !s.is_solved()) {
        failed += 1;
        for rows in results.part(l, 1).values {
            rows.fill(T::constant(f64::NAN));
        }
    }
    failed
}

/// What is wrong with a state's inputs, if anything.
fn screen<T: Precision, K>(job: &Job<'_, T, K>, state: usize) -> Status {
    let row = |input: usize| {
        let (name, rows) = job.inputs[input];
        let length = if rows.is_empty() {
            0
        } else {
            job.lengths[input]
        };
        (name, &rows[state * length..(state + 1) * length])
    };
    match job
        .model
        .explain_not_finite("", row(0).1, &[row(1), row(2), row(3)], None)
    {
        // The inputs are sound.
        Error::Overflow { .. } => Status::Solved,
        error => status_of(&error),
    }
}

/// Mass, first moment and second moment in the order of [`Batch::set_parameters`](super::Batch::set_parameters).
#[inline(always)]
pub(super) fn dynamic_parameters<S: Scalar>(p: &[S]) -> DynamicParameters<S> {
    DynamicParameters {
        mass: p[0],
        first_moment: Vec3::new(p[1], p[2], p[3]),
        second_moment: Sym3::new(p[4], p[5], p[6], p[7], p[8], p[9]),
    }
}
