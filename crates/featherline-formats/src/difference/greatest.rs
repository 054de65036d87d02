//! The greatest difference of a quantity.

use super::QuantityDifference;

/// The greatest difference of a quantity, beside its largest entry.
pub(super) struct Greatest {
    quantity: &'static str,
    largest: f64,
    difference: f64,
    at: Option<String>,
}

impl Greatest {
    pub(super) fn new(quantity: &'static str) -> Self {
        Self {
            quantity,
            largest: 0.0,
            difference: 0.0,
            at: None,
        }
    }

    pub(super) fn compare(&mut self, first: &[f64], second: &[f64], at: Option<&str>) {
        for (a, b) in first.iter().zip(second) {
            // Bounds that are infinite in both are the same.
            let difference = if a == b { 0.0 } else { (a - b).abs() };
            if a.is_finite() {
                self.largest = self.largest.max(a.abs());
            }
            if difference > self.difference {
                self.difference = difference;
                self.at = at.map(str::to_owned);
            }
        }
    }

    pub(super) fn relative(self) -> QuantityDifference {
        let relative = match self.difference == 0.0 {
            true => 0.0,
            // Where the first model has zeros alone, the difference itself.
            false if self.largest == 0.0 => self.difference,
            false => self.difference / self.largest,
        };
        QuantityDifference {
            quantity: self.quantity,
            relative,
            at: self.at,
        }
    }
}
