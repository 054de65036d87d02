//! The triangle of all unknowns: each is stated by those that are eliminated after it, with or without an error.

use super::fronts::{Front, Fronts};

/// Rows x_p + Σ l_j x_j = r + σ ε of pivots p, with independent errors ε of variance one.
#[derive(Clone, Debug)]
pub(super) struct Triangle {
    /// l and r, front by front; zero where an unknown stands that is eliminated before, and for p itself.
    numbers: Vec<f64>,
    /// For each row, the column of its pivot within the front.
    columns: Vec<u16>,
    /// σ, zero where the pivot is stated exactly.
    deviations: Vec<f64>,
    /// r.
    image: Vec<f64>,
    /// The unknowns of a front.
    local: Vec<f64>,
}

/// A row of the triangle.
pub(super) struct Pivot<'a> {
    pub column: usize,
    pub deviation: f64,
    /// l, over the columns of the front.
    pub entries: &'a [f64],
}

impl Triangle {
    /// The memory for a plan.
    pub fn new(fronts: &Fronts) -> Self {
        let size = fronts
            .fronts
            .last()
            .map_or(0, |last| last.first + last.pivots);
        Self {
            numbers: vec![0.0; fronts.triangle],
            columns: vec![0; size],
            deviations: vec![0.0; size],
            image: vec![0.0; size],
            local: vec![0.0; fronts.most_columns],
        }
    }

    /// Writes a row of a front, whose pivot has one as its entry, whatever stands there.
    #[inline(always)]
    pub fn write(&mut self, front: &Front, row: usize, column: usize, own: &[f64], deviation: f64) {
        let start = front.triangle + row * front.stride;
        let numbers = &mut self.numbers[start..start + front.stride];
        numbers.copy_from_slice(own);
        numbers[column] = 0.0;
        let row = front.first + row;
        self.columns[row] = column as u16;
        self.deviations[row] = deviation;
        self.image[row] = own[front.columns];
    }

    /// A row of a front.
    #[inline(always)]
    pub fn pivot(&self, front: &Front, row: usize) -> Pivot<'_> {
        let start = front.triangle + row * front.stride;
        Pivot {
            column: usize::from(self.columns[front.first + row]),
            deviation: self.deviations[front.first + row],
            entries: &self.numbers[start..start + front.columns],
        }
    }

    /// The most probable values, by position.
    pub fn solve(&mut self, fronts: &Fronts, x: &mut [f64]) {
        for front in fronts.fronts.iter().rev() {
            let columns = fronts.columns(front);
            for (&position, local) in columns[front.pivots..]
                .iter()
                .zip(&mut self.local[front.pivots..])
            {
                *local = x[position as usize];
            }
            for row in (0..front.pivots).rev() {
                let start = front.triangle + row * front.stride;
                let entries = &self.numbers[start..start + front.columns];
                // Pivots that come later are not known yet, and have no entry.
                let terms = entries.iter().zip(&self.local);
                let sum: f64 = terms.filter(|(l, _)| **l != 0.0).map(|(l, x)| l * x).sum();
                let column = usize::from(self.columns[front.first + row]);
                self.local[column] = self.image[front.first + row] - sum;
            }
            for (&position, local) in columns[..front.pivots].iter().zip(&self.local) {
                x[position as usize] = *local;
            }
        }
    }

    /// The deviation of Σ b_k x_k, by position, as the root of a sum of squares: from the first pivot to the last, each is
    /// replaced by what states it, and leaves its own error, which no other has. Afterwards b is zero.
    pub fn deviation(&self, fronts: &Fronts, b: &mut [f64]) -> f64 {
        let mut square = 0.0;
        for front in &fronts.fronts {
            let columns = fronts.columns(front);
            for row in 0..front.pivots {
                let pivot = self.pivot(front, row);
                let y = std::mem::take(&mut b[columns[pivot.column] as usize]);
                if y == 0.0 {
                    continue;
                }
                for (l, &position) in pivot.entries.iter().zip(columns) {
                    b[position as usize] -= l * y;
                }
                square += (pivot.deviation * y).powi(2);
            }
        }
        square.sqrt()
    }

    /// Turns a vector b into P b, by position, for the covariance P of all unknowns. What the triangle's right-hand sides were is
    /// lost.
    pub fn spread(&mut self, fronts: &Fronts, b: &mut [f64]) {
        for front in &fronts.fronts {
            let columns = fronts.columns(front);
            for row in 0..front.pivots {
                let start = front.triangle + row * front.stride;
                let entries = &self.numbers[start..start + front.columns];
                let pivot = columns[usize::from(self.columns[front.first + row])];
                let y = b[pivot as usize];
                for (l, &position) in entries.iter().zip(columns) {
                    b[position as usize] -= l * y;
                }
                let deviation = self.deviations[front.first + row];
                self.image[front.first + row] = deviation * deviation * y;
            }
        }
        self.solve(fronts, b);
    }
}
