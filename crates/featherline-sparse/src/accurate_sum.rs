//! Sums of products as if they were made in numbers of twice the digits, and rounded once.
//!
//! T. Ogita, S. M. Rump and S. Oishi 2005, *Accurate sum and dot product*, algorithm 5.3.

/// A sum of products in twice the working precision, rounded once at the end.
#[derive(Clone, Copy, Debug, Default)]
pub struct AccurateSum {
    high: f64,
    low: f64,
}

impl From<f64> for AccurateSum {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl AccurateSum {
    /// Adds a number.
    #[inline(always)]
    pub fn add(&mut self, x: f64) {
        let high = self.high + x;
        let part = high - self.high;
        self.low += (self.high - (high - part)) + (x - part);
        self.high = high;
    }

    /// Adds a · b.
    #[inline(always)]
    pub fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        self.low += a.mul_add(b, -product);
        self.add(product);
    }

    /// Adds a · (x + rest), where the rest is the rounding error of x.
    #[inline(always)]
    pub fn add_multiple(&mut self, a: f64, (x, rest): (f64, f64)) {
        self.add_product(a, x);
        self.low += a * rest;
    }

    /// The nearest double, and its rounding error.
    #[inline(always)]
    pub fn parts(self) -> (f64, f64) {
        let high = self.high + self.low;
        (high, self.low - (high - self.high))
    }

    /// The nearest double.
    #[inline(always)]
    pub fn value(self) -> f64 {
        self.high + self.low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cancels_leaves_its_rest() {
        // (1 + ε)² − 1 − 2 ε = ε²
        let x = 1.0 + f64::EPSILON;
        let mut sum = AccurateSum::from(-1.0);
        sum.add_product(x, x);
        sum.add(-2.0 * f64::EPSILON);
        assert_eq!(sum.value(), f64::EPSILON * f64::EPSILON);
        let mut sum = AccurateSum::from(1.0);
        sum.add(1e-20);
        assert_eq!(sum.parts(), (1.0, 1e-20));
        sum.add_multiple(-1.0, (1.0, 1e-20));
        assert_eq!(sum.value(), 0.0);
    }
}
