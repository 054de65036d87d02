//! Memory that calls take and give back, so that none is allocated once enough was made.

use std::sync::{Mutex, PoisonError};

/// Values of which a call takes one, and gives it back. Several threads take several. After a
/// `fork`, the child makes its own: threads of a batch live in the parent alone.
pub struct Pool<T> {
    free: Mutex<Free<T>>,
}

struct Free<T> {
    process: u32,
    values: Vec<T>,
}

impl<T> Pool<T> {
    /// An empty pool.
    pub fn new() -> Self {
        let process = std::process::id();
        Self {
            free: Mutex::new(Free {
                process,
                values: Vec::new(),
            }),
        }
    }

    /// A value that nobody uses, if there is one.
    pub fn try_take(&self) -> Option<T> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.process != std::process::id() {
            free.process = std::process::id();
            // To drop them would wait for threads that are not there.
            std::mem::forget(std::mem::take(&mut free.values));
        }
        free.values.pop()
    }

    /// A value that nobody uses, or a new one.
    pub fn take(&self, make: impl FnOnce() -> T) -> T {
        self.try_take().unwrap_or_else(make)
    }

    /// Gives a value back.
    pub fn give_back(&self, value: T) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.values.push(value);
    }
}
