//! Numbers of twice the digits, for a reference that needs no care.
//!
//! A number is a sum of two doubles that do not overlap (Dekker 1971, *A floating-point technique
//! for extending the available precision*; the error of a product is found by a fused
//! multiplication).

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number of about 32 decimal digits.
#[derive(Clone, Copy, Debug)]
pub struct Twice {
    high: f64,
    low: f64,
}

impl Twice {
    pub const ZERO: Self = Self {
        high: 0.0,
        low: 0.0,
    };

    /// The nearest double.
    pub fn value(self) -> f64 {
        self.high
    }

    fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let rest = high - a;
        Self {
            high,
            low: (a - (high - rest)) + (b - rest),
        }
    }
}

impl From<f64> for Twice {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl Neg for Twice {
    type Output = Self;
    fn neg(self) -> Self {
        Self {
            high: -self.high,
            low: -self.low,
        }
    }
}

impl Add for Twice {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (high, low) = (
            Self::sum(self.high, other.high),
            Self::sum(self.low, other.low),
        );
        let middle = Self::sum(high.high, high.low + low.high);
        Self::sum(middle.high, middle.low + low.low)
    }
}

impl Sub for Twice {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Twice {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let high = self.high * other.high;
        let error = self.high.mul_add(other.high, -high);
        Self::sum(
            high,
            error + (self.high * other.low + self.low * other.high),
        )
    }
}

impl Div for Twice {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = Self::from(self.high / other.high);
        let rest = self - first * other;
        let second = Self::from(rest.high / other.high);
        let rest = rest - second * other;
        first + second + Self::from(rest.high / other.high)
    }
}

/// Solves with several right-hand sides by elimination with row pivots, rows and columns made
/// equally long before.
pub fn solve(mut matrix: Vec<Vec<Twice>>, mut right: Vec<Vec<Twice>>) -> Vec<Vec<Twice>> {
    let n = matrix.len();
    // Powers of two change no digit. The matrix is symmetric, and so is its scale.
    let mut scale = vec![1.0_f64; n];
    for _ in 0..30 {
        let longest: Vec<f64> = (0..n)
            .map(|i| {
                let row = matrix[i].iter().zip(&scale);
                let row = row.map(|(x, s)| (x.high * s * scale[i]).abs());
                row.fold(0.0, f64::max)
            })
            .collect();
        for (scale, longest) in scale.iter_mut().zip(longest) {
            if longest > 0.0 {
                *scale *= 2.0_f64.powi((-0.5 * longest.log2()).round() as i32);
            }
        }
    }
    for i in 0..n {
        for j in 0..n {
            matrix[i][j] = matrix[i][j] * Twice::from(scale[i] * scale[j]);
        }
        for right in &mut right {
            right[i] = right[i] * scale[i].into();
        }
    }
    for k in 0..n {
        let pivot = (k..n)
            .max_by(|&a, &b| matrix[a][k].high.abs().total_cmp(&matrix[b][k].high.abs()))
            .expect("a row");
        matrix.swap(k, pivot);
        for right in &mut right {
            right.swap(k, pivot);
        }
        let (above, below) = matrix.split_at_mut(k + 1);
        let above = &above[k];
        for (offset, row) in below.iter_mut().enumerate() {
            if row[k].high == 0.0 {
                continue;
            }
            let factor = row[k] / above[k];
            for (entry, &own) in row[k + 1..].iter_mut().zip(&above[k + 1..]) {
                *entry = *entry - factor * own;
            }
            for right in &mut right {
                right[k + 1 + offset] = right[k + 1 + offset] - factor * right[k];
            }
        }
    }
    for right in &mut right {
        for k in (0..n).rev() {
            let mut sum = right[k];
            for j in k + 1..n {
                sum = sum - matrix[k][j] * right[j];
            }
            right[k] = sum / matrix[k][k];
        }
        for (x, &scale) in right.iter_mut().zip(&scale) {
            *x = *x * scale.into();
        }
    }
    right
}
