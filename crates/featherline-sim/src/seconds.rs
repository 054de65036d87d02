//! Times as messages print them.

/// A time as it is printed: without the roundings of its last digits, which sums of steps have.
pub(crate) fn seconds(t: f64) -> f64 {
    format!("{t:.11e}").parse().unwrap_or(t)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn times_are_said_without_roundings() {
        assert_eq!(seconds(0.1 * 3.0 + 0.39).to_string(), "0.69");
        assert_eq!(seconds(0.01 * 123_457.0).to_string(), "1234.57");
        for t in [0.0, 1.0 / 1024.0, -2.5, f64::INFINITY] {
            assert_eq!(seconds(t), t);
        }
    }
}
