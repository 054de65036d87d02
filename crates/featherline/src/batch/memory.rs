//! How much memory a thread works in.

use super::Batch;
use super::pack::Pack;
use super::precision::{Precision, Workers, with_workers};
use super::worker::Worker;
use crate::model::Model;
use crate::workspace::Workspace;

/// The memory that one thread works in, in bytes: what should fit its caches.
///
/// An algorithm reads the model, and reads and writes its part of the rest. The recursions (RNEA,
/// ABA, kinematics) use about half of `recursions` and nothing of `matrices`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkingSet {
    /// The data of the model that the kernels read: O(n), shared by all threads.
    pub model: usize,
    /// Where the elements of square results are found: O(n²), shared by all threads.
    pub places: usize,
    /// Quantities of links, for all lanes: O(n).
    pub recursions: usize,
    /// Matrices, for all lanes: O(n²).
    pub matrices: usize,
    /// Inputs and gathered results of one block of states, for all lanes.
    pub rows: usize,
}

impl<T: Precision> Batch<T> {
    /// The memory that one thread works in.
    ///
    /// ```
    /// use featherline::batch::Batch;
    /// use featherline::samples;
    ///
    /// let batch = Batch::<f64>::new(&samples::double_pendulum(), 1)?;
    /// let memory = batch.working_set();
    /// assert!(memory.recursions < 32 * 1024, "fits the first-level cache");
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn working_set(&self) -> WorkingSet {
        fn of<S: Pack>(model: &Model, workers: &[Worker<S>]) -> WorkingSet
        where
            S::Element: Precision,
        {
            let mut set = WorkingSet {
                model: model.kernel_bytes(),
                places: 0,
                recursions: 0,
                matrices: 0,
                rows: 0,
            };
            if let Some(worker) = workers.first() {
                set.recursions = worker.workspace.recursion_bytes();
                set.matrices = Workspace::<S>::matrix_bytes(model) as usize;
                let rows = worker.inputs.iter().map(Vec::len).sum::<usize>();
                let rows = rows + worker.parameters.len() + worker.room.numbers.len();
                set.rows = rows * size_of::<S>() + size_of_val(&worker.room.forces[..]);
            }
            set
        }
        let mut set = with_workers!(&self.workers, workers => of(&self.model, workers));
        set.places = size_of_val(&self.square_places[..]);
        set
    }
}
