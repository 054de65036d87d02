//! The R factor of all unknowns: each is stated by those that are eliminated after it, with or
//! without an error.

use super::fronts::{BLOCK, Front, Fronts};
use featherline::kernel;

/// Rows x_p + Σ l_j x_j = r + σ ε of pivots p, with independent errors ε of variance one.
#[derive(Clone, Debug)]
pub(crate) struct RFactor {
    /// l and r, a frontal matrix at a time; zero at unknowns eliminated before, and for p itself.
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

/// A row of the R factor.
pub(crate) struct Pivot<'a> {
    pub column: usize,
    pub deviation: f64,
    /// l, over the columns of the front.
    pub entries: &'a [f64],
}

impl RFactor {
    /// The memory for a plan.
    pub fn new(fronts: &Fronts) -> Self {
        let size = fronts.size();
        Self {
            numbers: vec![0.0; fronts.r_factor],
            columns: vec![0; size],
            deviations: vec![0.0; size],
            image: vec![0.0; size],
            local: vec![
                0.0;
                fronts
                    .fronts
                    .iter()
                    .map(|front| front.stride)
                    .max()
                    .unwrap_or(0)
            ],
        }
    }

    /// Writes a row of a front, whose pivot has one as its entry, whatever stands there.
    #[inline(always)]
    pub fn write(&mut self, front: &Front, row: usize, column: usize, own: &[f64], deviation: f64) {
        let start = front.r_factor + row * front.stride;
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
        let start = front.r_factor + row * front.stride;
        Pivot {
            column: usize::from(self.columns[front.first + row]),
            deviation: self.deviations[front.first + row],
            entries: &self.numbers[start..start + front.columns],
        }
    }

    /// The right-hand sides of the rows.
    pub fn image_mut(&mut self) -> &mut [f64] {
        &mut self.image
    }

    /// The most probable values, by position.
    pub fn solve(&mut self, fronts: &Fronts, x: &mut [f64]) {
        solve(self, fronts, x);
    }

    /// The deviation of Σ b_k x_k, by position, as the root of a sum of squares: from the first
    /// pivot to the last, each is replaced by what states it, and leaves its own error, which no
    /// other has. What b was is lost.
    pub fn deviation(&mut self, fronts: &Fronts, b: &mut [f64]) -> f64 {
        deviation(self, fronts, b)
    }

    /// Writes of a sum Σ b_k x_k the part of its error that comes from each unknown's own, in the
    /// order of the pivots: products of such parts of two sums are their covariance. What b was is
    /// lost.
    pub fn errors(&self, fronts: &Fronts, b: &mut [f64], errors: &mut [f64]) {
        for front in &fronts.fronts {
            let columns = fronts.columns(front);
            for row in 0..front.pivots {
                let start = front.r_factor + row * front.stride;
                let entries = &self.numbers[start..start + front.columns];
                let pivot = columns[usize::from(self.columns[front.first + row])];
                let y = b[pivot as usize];
                for (l, &position) in entries.iter().zip(columns) {
                    b[position as usize] -= *l * y;
                }
                errors[front.first + row] = self.deviations[front.first + row] * y;
            }
        }
    }

    /// Turns a vector b into P b, by position, for the covariance P of all unknowns. What the R
    /// factor's right-hand sides were is lost.
    pub fn spread(&mut self, fronts: &Fronts, b: &mut [f64]) {
        let mut errors = std::mem::take(&mut self.image);
        self.errors(fronts, b, &mut errors);
        for (error, &deviation) in errors.iter_mut().zip(&self.deviations) {
            *error *= deviation;
        }
        self.image = errors;
        self.solve(fronts, b);
    }
}

kernel!(
    /// Unknowns follow from those that are eliminated after them.
    fn solve(r_factor: &mut RFactor, fronts: &Fronts, x: &mut [f64]) {
        for front in fronts.fronts.iter().rev() {
            let columns = fronts.columns(front);
            let local = &mut r_factor.local[..front.stride];
            // Pivots that come later are not known yet, and have no entry.
            local[..front.pivots].fill(0.0);
            local[front.columns..].fill(0.0);
            let border = columns[front.pivots..].iter();
            for (local, &position) in local[front.pivots..].iter_mut().zip(border) {
                *local = x[position as usize];
            }
            for row in (0..front.pivots).rev() {
                let start = front.r_factor + row * front.stride;
                let entries = &r_factor.numbers[start..start + front.stride];
                let sum = dot(entries, local);
                let column = usize::from(r_factor.columns[front.first + row]);
                local[column] = r_factor.image[front.first + row] - sum;
            }
            for (&position, local) in columns[..front.pivots].iter().zip(&*local) {
                x[position as usize] = *local;
            }
        }
    }
);

kernel!(
    /// Errors of what states unknowns add up, from the first front to the last.
    fn deviation(r_factor: &mut RFactor, fronts: &Fronts, b: &mut [f64]) -> f64 {
        let mut square = 0.0;
        for front in &fronts.fronts {
            let columns = fronts.columns(front);
            let local = &mut r_factor.local[..front.columns];
            for (local, &position) in local.iter_mut().zip(columns) {
                *local = b[position as usize];
            }
            for row in 0..front.pivots {
                let y = local[usize::from(r_factor.columns[front.first + row])];
                let start = front.r_factor + row * front.stride;
                let entries = &r_factor.numbers[start..start + front.columns];
                for (local, &l) in local.iter_mut().zip(entries) {
                    *local = (-l).mul_add(y, *local);
                }
                let own = r_factor.deviations[front.first + row] * y;
                square += own * own;
            }
            let border = columns[front.pivots..].iter();
            for (&position, local) in border.zip(&local[front.pivots..]) {
                b[position as usize] = *local;
            }
        }
        square.sqrt()
    }
);

/// Σ a b, in as many sums as a block has numbers.
#[inline(always)]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; BLOCK];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<BLOCK>(), b.as_chunks::<BLOCK>());
    for (a, b) in a.iter().zip(b) {
        for ((sum, &a), &b) in sums.iter_mut().zip(a).zip(b) {
            *sum = a.mul_add(b, *sum);
        }
    }
    let rest = a_rest.iter().zip(b_rest).map(|(&a, &b)| a * b);
    sums.iter().sum::<f64>() + rest.sum::<f64>()
}
