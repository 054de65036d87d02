//! Many states of one robot at once: as many as a vector register has lanes in each of several
//! threads.
//!
//! States come as rows of flat arrays, one state after the other, as users hold them; results go to
//! flat arrays that the caller owns. Inside, blocks of states are transposed into lanes, so that
//! the kernels for single states, with one instruction for 2 to 16 states, serve here too.
//!
//! * A result does not depend on the number of threads, on the other states, nor on the place in
//!   the batch: not in one bit.
//! * A state that has no result (a NaN, a zero quaternion, a singular mass matrix) gets a
//!   [`BatchStatus`] that says so, and NaN for results; the others are not disturbed. It fails if a
//!   result is not finite, or can't be: a NaN that no result depends on does not count. So the
//!   status, too, depends on nothing but the state: one whose block fails gets what it gets in
//!   lanes that it fills alone.
//! * Each state may have [bodies of its own](Batch::set_parameters): masses and inertias for domain
//!   randomisation.
//!
//! ```
//! use featherline::batch::{Batch, BatchStatus};
//! use featherline::samples;
//!
//! let model = samples::double_pendulum();
//! let mut batch = Batch::<f64>::new(&model, 2)?;
//!
//! // Three states of two joints each; the second is bad.
//! let q = [0.1, 0.2, f64::NAN, 0.0, 0.5, 0.6];
//! let (v, tau) = ([0.0; 6], [0.0; 6]);
//! let (mut a, mut status) = ([0.0; 6], [BatchStatus::default(); 3]);
//! let failed = batch.aba(&q, &v, &tau, &mut a, &mut status)?;
//!
//! assert_eq!(failed, 1);
//! assert_eq!(status, [BatchStatus::Solved, BatchStatus::NotFinite, BatchStatus::Solved]);
//! assert!(a[0].is_finite() && a[2].is_nan() && a[4].is_finite());
//! # Ok::<(), featherline::Error>(())
//! ```

mod algorithm;
mod all_terms;
mod block;
mod dynamics;
#[cfg(feature = "quantities")]
mod in_turn;
mod kinematics;
mod memory;
mod method;
mod output_frames;
mod pack;
mod parameters;
mod precision;
mod queue;
mod status;
mod worker;

pub use all_terms::TermRows;
pub use block::Block;
pub use memory::WorkingSet;
pub use precision::Precision;
pub use status::BatchStatus;

pub use crate::algorithm::Algorithm;
use crate::error::{Error, check_size};
use crate::model::Model;
use pack::Pack;
use precision::{Workers, with_workers};
use queue::{Queue, RESULTS, Rows};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use worker::{BlockTask, INPUTS, Job, Task, Worker};

/// How long the calling thread looks out for others before it sleeps: to be woken takes as long.
const LOOK_OUT: Duration = Duration::from_micros(50);

/// A thread's stack, in bytes, of which memory is taken as far as it is used. Kernels that a
/// program without optimisation inlines need more than the 2 MiB that are usual.
const STACK: usize = 32 << 20;

/// One robot, and the memory and threads to evaluate many of its states at once. Made once, used
/// for every call.
///
/// All calls have the same form. Inputs are rows: `q` has nq numbers a state, `v`, accelerations
/// and forces nv, one state after the other. Results are rows, too; matrices are stored column by
/// column. `status` has one entry a state, and its length is the number of states. The return value
/// is the number of states that have no result: their status tells why, and their rows are NaN. SI
/// units and radians, as everywhere.
///
/// The [instruction set](crate::scalar::InstructionSet) in use when the batch is made decides how
/// many states share a register: 8 doubles or 16 singles with AVX-512, half as many with AVX2, a
/// quarter on AArch64, one elsewhere.
///
/// Cost: that of the algorithm for a state, divided by the lanes' share and the threads. Calls
/// allocate nothing with one thread, once the first call of each kind has made room for its
/// results, while all states have a result: finding out why one has none, or whether a nearly
/// singular mass matrix is one, may allocate, and so may handing work to several threads.
///
/// In single precision the chain counts: what factorises the mass matrix finds it singular where a
/// pivot is lost in the rounding of its elements, which near the root of a chain of a hundred links
/// it is in most states. [`aba`](Self::aba) rounds far less, and answers.
///
/// # Errors
/// All calls return [`Error::Size`] if the length of an argument does not fit the number of states.
/// A fault of a single state is not an error, but its status.
pub struct Batch<T: Precision> {
    model: Model,
    workers: Workers<T>,
    /// The threads beside the one that calls.
    pool: Option<ThreadPool>,
    /// Rows of dynamic parameters in link frames; empty if all states have the model's.
    parameters: Vec<T>,
    /// With them, rows of bounds of inverse pivots.
    pivot_bounds: Vec<T>,
    /// For each element of the mass matrix, where it is packed.
    square_places: Vec<u32>,
    /// Memory of threads that compute one state after the other.
    #[cfg(feature = "quantities")]
    single: Vec<crate::workspace::Workspace<f64>>,
}

/// The arguments of a call: what they are called, and how many numbers a state they have.
struct Input<'a, T> {
    name: &'static str,
    rows: &'a [T],
    length: usize,
}

/// A result of a call.
struct Output<'a, T> {
    name: &'static str,
    rows: &'a mut [T],
    length: usize,
}

impl<T: Precision> Batch<T> {
    /// Memory and threads for a model. The thread that calls is one of them; 0 stands for as many
    /// threads as the machine runs at once.
    ///
    /// # Errors
    /// [`Error::Threads`] if the system gives no more threads.
    ///
    /// ```
    /// use featherline::batch::Batch;
    /// use featherline::samples;
    ///
    /// let batch = Batch::<f32>::new(&samples::double_pendulum(), 1)?;
    /// assert!(batch.lanes() >= 1);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn new(model: &Model, threads: usize) -> Result<Self, Error> {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let pool = if threads > 1 {
            let pool = ThreadPoolBuilder::new()
                .num_threads(threads - 1)
                .stack_size(STACK)
                .build();
            Some(pool.map_err(|error| Error::Threads {
                wanted: threads,
                reason: error.to_string(),
            })?)
        } else {
            None
        };
        let workers = Workers::new(model, threads);
        Ok(Self {
            square_places: with_workers!(&workers, list => square_places(model, list)),
            workers,
            model: model.clone(),
            pool,
            parameters: Vec::new(),
            pivot_bounds: Vec::new(),
            #[cfg(feature = "quantities")]
            single: Vec::new(),
        })
    }

    /// The robot.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// How many states share a register.
    pub fn lanes(&self) -> usize {
        fn lanes<S: Pack>(_: &[Worker<S>]) -> usize {
            S::LANES
        }
        with_workers!(&self.workers, workers => lanes(workers))
    }

    /// How many threads work.
    pub fn threads(&self) -> usize {
        with_workers!(&self.workers, workers => workers.len())
    }

    /// Runs an algorithm on all states.
    fn run<K: Task, const I: usize, const N: usize>(
        &mut self,
        task: &K,
        inputs: [Input<'_, T>; I],
        outputs: [Output<'_, T>; N],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        const { assert!(I <= INPUTS && N <= RESULTS) };
        let states = status.len();
        let mut job = Job {
            model: &self.model,
            inputs: [("", &[][..]); INPUTS],
            lengths: [0; INPUTS],
            parameters: &self.parameters,
            pivot_bounds: &self.pivot_bounds,
        };
        for (k, input) in inputs.into_iter().enumerate() {
            check_size(input.name, states * input.length, input.rows.len())?;
            job.inputs[k] = (input.name, input.rows);
            job.lengths[k] = input.length;
        }
        let mut results = Rows {
            values: Default::default(),
            lengths: [0; RESULTS],
            count: N,
            states: 0..0,
            square_places: &self.square_places,
        };
        for (k, output) in outputs.into_iter().enumerate() {
            check_size(output.name, states * output.length, output.rows.len())?;
            results.values[k] = output.rows;
            results.lengths[k] = output.length;
        }
        if !self.parameters.is_empty() {
            let randomised = self.parameters.len() / self.model.parameter_count();
            check_size("status", randomised, states)?;
        }
        let pool = self.pool.as_ref();
        Ok(
            with_workers!(&mut self.workers, workers => share(pool, workers, task, &job, results, status)),
        )
    }
}

/// For each element of a square matrix, where these workers pack it.
fn square_places<S: Pack>(model: &Model, _: &[Worker<S>]) -> Vec<u32> {
    model.elimination_tree().square_places::<S>()
}

/// Shares the states out among the threads.
fn share<S: Pack>(
    pool: Option<&ThreadPool>,
    workers: &mut [Worker<S>],
    task: &dyn BlockTask<S>,
    job: &Job<'_, S::Element>,
    results: Rows<'_, S::Element>,
    status: &mut [BatchStatus],
) -> usize
where
    S::Element: Precision,
{
    let blocks = status.len().div_ceil(S::LANES);
    let Some((own, others)) = workers.split_first_mut() else {
        return 0;
    };
    let (Some(pool), true) = (pool, blocks > 1) else {
        let queue = Queue::new(results, status, S::LANES, 1);
        return own.drain(task, job, &queue);
    };
    let queue = Queue::new(results, status, S::LANES, others.len() + 1);
    let (failed, working) = (AtomicUsize::new(0), AtomicUsize::new(others.len()));
    // The thread that calls begins at once, while others may have to be woken.
    pool.in_place_scope(|scope| {
        for other in others {
            scope.spawn(|_| {
                failed.fetch_add(other.drain(task, job, &queue), Ordering::Relaxed);
                working.fetch_sub(1, Ordering::Relaxed);
            });
        }
        failed.fetch_add(own.drain(task, job, &queue), Ordering::Relaxed);
        let begin = Instant::now();
        while working.load(Ordering::Relaxed) > 0 && begin.elapsed() < LOOK_OUT {
            spin_loop();
        }
    });
    failed.into_inner()
}

impl<T: Precision> std::fmt::Debug for Batch<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batch")
            .field("model", &self.model.name())
            .field("lanes", &self.lanes())
            .field("threads", &self.threads())
            .finish_non_exhaustive()
    }
}
