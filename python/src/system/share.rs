//! Many states: shared out among threads, while other threads of Python go on.

use pyo3::prelude::*;

/// Rows that one thread works on between two looks at signals.
const PORTION: usize = 256;

/// Fewer rows than these are not worth a thread of their own.
const LEAST: usize = 8;

/// So many rows of little work are done before another thread could use the interpreter.
const FEW: usize = 16;

/// Works on rows, `work` with the number of the first of those that it gets. `is_quick` tells of
/// work that takes some microseconds a row.
pub fn share<R: Send>(
    py: Python<'_>,
    rows: &mut [R],
    is_quick: bool,
    work: impl Fn(usize, &mut [R]) + Sync,
) -> PyResult<()> {
    if rows.len() <= FEW && is_quick {
        work(0, rows);
        return Ok(());
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let most = threads * if is_quick { FEW * PORTION } else { PORTION };
    let mut first = 0;
    for rows in rows.chunks_mut(most) {
        let count = rows.len();
        let least = if is_quick { FEW * LEAST } else { LEAST };
        let threads = threads.min(count.div_ceil(least)).max(1);
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
