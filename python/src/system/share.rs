//! Many states: shared out among threads, while other threads of Python go on.

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;

/// Rows that one thread works on between two looks at signals.
const PORTION: usize = 256;

/// Fewer rows than these are not worth a thread of their own.
const LEAST: usize = 8;

/// Works on rows, `work` with the number of the first of those that it gets. One row of little
/// work keeps the interpreter.
pub fn share<R: Send>(
    py: Python<'_>,
    rows: &mut [R],
    is_quick: bool,
    work: impl Fn(usize, &mut [R]) + Sync,
) -> PyResult<()> {
    if rows.len() == 1 && is_quick {
        work(0, rows);
        return Ok(());
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let most = threads * PORTION;
    let mut first = 0;
    for rows in rows.chunks_mut(most) {
        let count = rows.len();
        let threads = threads.min(count.div_ceil(LEAST)).max(1);
        let each = count.div_ceil(threads);
        py.detach(|| {
            if threads == 1 {
                return work(first, rows);
            }
            std::thread::scope(|scope| {
                for (k, rows) in rows.chunks_mut(each).enumerate() {
                    let work = &work;
                    scope.spawn(move || work(first + k * each, rows));
                }
            });
        });
        first += count;
        py.check_signals()?;
    }
    Ok(())
}

/// Warns of rows without a result.
pub fn warn(py: Python<'_>, rows: usize, failed: usize, first: usize, why: &str) -> PyResult<()> {
    let text = format!(
        "{failed} of {rows} states have no result, and are rows of NaN; the first is row {first}: {why}\0"
    );
    let text = std::ffi::CString::from_vec_with_nul(text.into_bytes())
        .map_err(|reason| crate::error::internal(&reason))?;
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 2)
}
