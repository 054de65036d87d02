//! Order statistics: on a machine with other work on it, means are worthless.

/// The median; NaN of nothing.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The lower and the upper quartile; NaN of nothing.
pub fn quartiles(values: &[f64]) -> (f64, f64) {
    (quantile(values, 0.25), quantile(values, 0.75))
}

/// The value that the given part of all values does not exceed, interpolated between neighbours.
fn quantile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let position = part * last as f64;
    let below = position as usize;
    let above = (below + 1).min(last);
    sorted[below] + (position - below as f64) * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        let values = [4.0, 1.0, 3.0, 2.0];
        assert_eq!(median(&values), 2.5);
        assert_eq!(quartiles(&values), (1.75, 3.25));
        assert_eq!(median(&[7.0]), 7.0);
        assert_eq!(quartiles(&[7.0]), (7.0, 7.0));
        assert!(median(&[]).is_nan());
    }
}
