//! Memory that calls take and give back, so that none is allocated once enough was made.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// How many times this process was forked off: to ask the system for its number takes a tenth of a
/// short call.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// Counts the forks from now on.
pub fn watch_forks(py: Python<'_>) -> PyResult<()> {
    let os = py.import("os")?;
    // Not everywhere can a process be forked.
    if os.hasattr("register_at_fork")? {
        let keywords = PyDict::new(py);
        keywords.set_item("after_in_child", wrap_pyfunction!(forked, py)?)?;
        os.call_method("register_at_fork", (), Some(&keywords))?;
    }
    Ok(())
}

#[pyfunction]
fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Values of which a call takes one, and gives it back. Several threads take several. After a
/// `fork`, the child makes its own: threads of a batch live in the parent alone.
pub struct Pool<T> {
    free: Mutex<Free<T>>,
}

struct Free<T> {
    forks: u32,
    /// Not in place: some values are large.
    values: Vec<Box<T>>,
}

impl<T> Pool<T> {
    /// An empty pool.
    pub fn new() -> Self {
        Self {
            free: Mutex::new(Free {
                forks: FORKS.load(Ordering::Relaxed),
                values: Vec::new(),
            }),
        }
    }

    fn pop(&self) -> Option<Box<T>> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let forks = FORKS.load(Ordering::Relaxed);
        if free.forks != forks {
            free.forks = forks;
            // To drop them would wait for threads that are not there.
            std::mem::forget(std::mem::take(&mut free.values));
        }
        free.values.pop()
    }

    /// A value that nobody uses, or a new one.
    pub fn take(&self, make: impl FnOnce() -> T) -> Box<T> {
        self.pop().unwrap_or_else(|| Box::new(make()))
    }

    /// The same, if a new one can be made.
    pub fn try_take<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<Box<T>, E> {
        self.pop().map_or_else(|| make().map(Box::new), Ok)
    }

    /// Gives a value back.
    pub fn give_back(&self, value: impl Into<Box<T>>) {
        let value = value.into();
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.values.push(value);
    }
}

/// How many of [`Pools`] are kept.
const SETS: usize = 32;

/// Pools by what their values are made for, those that were used last.
pub struct Pools<K, T> {
    recent: Mutex<Vec<(K, Arc<Pool<T>>)>>,
}

impl<K: Clone + PartialEq, T> Pools<K, T> {
    /// No pools.
    pub fn new() -> Self {
        Self {
            recent: Mutex::new(Vec::new()),
        }
    }

    /// The pool of values that are made for a key.
    pub fn of(&self, key: &K) -> Arc<Pool<T>> {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = recent.iter().position(|(own, _)| own == key) {
            recent[..=at].rotate_right(1);
            return recent[0].1.clone();
        }
        let pool = Arc::new(Pool::new());
        recent.insert(0, (key.clone(), pool.clone()));
        recent.truncate(SETS);
        pool
    }
}

/// The contents of a mutex, or an error of this text while another call has it.
pub fn lock<'a, T>(mutex: &'a Mutex<T>, busy: &'static str) -> PyResult<MutexGuard<'a, T>> {
    match mutex.try_lock() {
        Ok(held) => Ok(held),
        Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(busy)),
    }
}
