//! Rounded numbers.

/// Significant digits of computed numbers in messages.
pub(crate) const SHOWN: usize = 6;

/// A number of so many significant digits.
pub(crate) fn rounded(value: f64, digits: usize) -> f64 {
    // A number that Rust writes, it reads.
    format!("{value:.0$e}", digits.saturating_sub(1))
        .parse()
        .unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn digits_behind_the_last_one_are_zero() {
        assert_eq!(rounded(0.012299999999999998, 9), 0.0123);
        assert_eq!(rounded(-123456789.6, 9), -123456790.0);
    }
}
