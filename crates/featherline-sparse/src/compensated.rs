//! Sums of products without their rounding errors.

/// A sum of products as if it were computed in twice the precision, and rounded once.
///
/// Source: Ogita, Rump and Oishi 2005, *Accurate sum and dot product*, algorithm 5.3.
///
/// ```
/// use featherline_sparse::CompensatedSum;
///
/// // (1 + ε)² − 1 − 2 ε = ε²
/// let x = 1.0 + f64::EPSILON;
/// let mut sum = CompensatedSum::from(-1.0);
/// sum.add_product(x, x);
/// sum.add_product(-2.0, f64::EPSILON);
/// assert_eq!(sum.value(), f64::EPSILON * f64::EPSILON);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CompensatedSum {
    sum: f64,
    /// The rounding errors so far.
    errors: f64,
}

impl From<f64> for CompensatedSum {
    #[inline(always)]
    fn from(sum: f64) -> Self {
        Self { sum, errors: 0.0 }
    }
}

impl CompensatedSum {
    /// Adds a · b.
    #[inline(always)]
    pub fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        let sum = self.sum + product;
        let added = sum - self.sum;
        let of_sum = (self.sum - (sum - added)) + (product - added);
        self.errors += of_sum + a.mul_add(b, -product);
        self.sum = sum;
    }

    /// The sum.
    #[inline(always)]
    pub fn value(self) -> f64 {
        self.sum + self.errors
    }
}
