//! Matrices by rows, as columns.

use featherline::kernel;

/// Rows and columns that are moved together.
const TILE: usize = 8;

kernel!(
    /// Writes the `rows` × `columns` matrix whose rows begin `stride` apart by columns, times a
    /// factor: as `from` gives it, by rows.
    pub(super) fn write_columns(
        from: &[f64],
        stride: usize,
        rows: usize,
        columns: usize,
        factor: f64,
        to: &mut [f64],
    ) {
        move_tiles(from, (stride, 1), to, (1, rows), (rows, columns), factor);
    }
);

kernel!(
    /// The other way: writes by rows, `stride` apart, what is given by columns.
    pub(super) fn write_rows(
        from: &[f64],
        rows: usize,
        columns: usize,
        factor: f64,
        to: &mut [f64],
        stride: usize,
    ) {
        move_tiles(from, (1, rows), to, (stride, 1), (rows, columns), factor);
    }
);

#[inline(always)]
fn move_tiles(
    from: &[f64],
    (from_row, from_column): (usize, usize),
    to: &mut [f64],
    (to_row, to_column): (usize, usize),
    (rows, columns): (usize, usize),
    factor: f64,
) {
    for r0 in (0..rows).step_by(TILE) {
        for c0 in (0..columns).step_by(TILE) {
            for r in r0..rows.min(r0 + TILE) {
                for c in c0..columns.min(c0 + TILE) {
                    to[r * to_row + c * to_column] = factor * from[r * from_row + c * from_column];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns_and_rows_again() {
        let (rows, columns, stride) = (11, 19, 23);
        let from: Vec<f64> = (0..rows * stride).map(|x| x as f64).collect();
        let mut by_columns = vec![0.0; rows * columns];
        write_columns(&from, stride, rows, columns, 2.0, &mut by_columns);
        assert_eq!(by_columns[3 + 5 * rows], 2.0 * from[3 * stride + 5]);
        let mut again = vec![0.0; rows * stride];
        write_rows(&by_columns, rows, columns, 0.5, &mut again, stride);
        for r in 0..rows {
            assert_eq!(
                again[r * stride..][..columns],
                from[r * stride..][..columns]
            );
        }
    }
}
