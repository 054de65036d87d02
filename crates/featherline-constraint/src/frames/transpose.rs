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
        transpose(from, stride, to, rows, (rows, columns), factor);
    }
);

/// Transposes a matrix whose rows begin `from_row` apart to columns that begin `to_column` apart.
#[inline(always)]
fn transpose(
    from: &[f64],
    from_row: usize,
    to: &mut [f64],
    to_column: usize,
    (rows, columns): (usize, usize),
    factor: f64,
) {
    let mut r = 0;
    while r < rows {
        let height = if rows - r < TILE { rows - r } else { TILE };
        let mut c = 0;
        while c < columns {
            let width = if columns - c < TILE {
                columns - c
            } else {
                TILE
            };
            if height == TILE && width == TILE {
                let mut tile = [[0.0; TILE]; TILE];
                for i in 0..TILE {
                    let begin = (r + i) * from_row + c;
                    tile[i].copy_from_slice(&from[begin..begin + TILE]);
                }
                for k in 0..TILE {
                    let begin = (c + k) * to_column + r;
                    let column = &mut to[begin..begin + TILE];
                    for i in 0..TILE {
                        column[i] = factor * tile[i][k];
                    }
                }
            } else {
                for i in r..r + height {
                    for k in c..c + width {
                        to[k * to_column + i] = factor * from[i * from_row + k];
                    }
                }
            }
            c += TILE;
        }
        r += TILE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let (rows, columns, stride) = (11, 19, 23);
        let from: Vec<f64> = (0..rows * stride).map(|x| x as f64).collect();
        let mut by_columns = vec![0.0; rows * columns];
        write_columns(&from, stride, rows, columns, 2.0, &mut by_columns);
        for r in 0..rows {
            for c in 0..columns {
                assert_eq!(by_columns[r + c * rows], 2.0 * from[r * stride + c]);
            }
        }
    }
}
