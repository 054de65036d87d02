//! How much memory a model and its workspaces hold.

use featherline::batch::{Batch, Precision};
use featherline::{Error, Model, Workspace};
use std::hint::black_box;

/// Runs some work, and tells how many bytes on the heap it leaves behind. Programs bring their own,
/// because only a program can choose its allocator.
pub type BytesKept = fn(&mut dyn FnMut()) -> i64;

/// Bytes on the heap, and of the values themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// The model, with names, frames and limits.
    pub model: usize,
    /// A workspace of doubles for the recursions, which need no matrices.
    pub recursive: usize,
    /// A workspace of doubles for everything.
    pub workspace: usize,
}

impl Footprint {
    /// Measures a model.
    pub fn of(model: &Model, kept: BytesKept) -> Self {
        Self {
            model: held(kept, || model.clone()),
            recursive: held(kept, || Workspace::<f64>::recursive(model)),
            workspace: held(kept, || Workspace::<f64>::new(model)),
        }
    }

    /// The memory that a recursion works on.
    pub fn of_recursion(&self) -> usize {
        self.model + self.recursive
    }
}

/// Bytes that one thread of a batch reads and writes in a recursion: the model, and quantities and
/// rows of all lanes.
///
/// # Errors
/// If no batch can be made of the model.
pub fn of_batch<T: Precision>(model: &Model) -> Result<usize, Error> {
    let set = Batch::<T>::new(model, 1)?.working_set();
    Ok(set.model + set.recursions + set.rows)
}

/// Bytes that a value holds while it lives.
fn held<T>(kept: BytesKept, make: impl Fn() -> T) -> usize {
    let mut value = None;
    let bytes = kept(&mut || value = Some(black_box(make())));
    drop(value);
    usize::try_from(bytes).unwrap_or(0) + size_of::<T>()
}
