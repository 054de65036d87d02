//! Numbers as short text, as charts and tables show them.

/// A number with at most five significant digits.
///
/// ```
/// use featherline_record::number::short;
///
/// assert_eq!(short(123.456789), "123.46");
/// assert_eq!(short(2.5e-9), "2.5e-9");
/// ```
pub fn short(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if !value.is_finite() {
        let sign = if value > 0.0 { "" } else { "−" };
        format!("{sign}∞")
    } else if (1e-4..1e6).contains(&magnitude) {
        let decimals = (4 - magnitude.log10().floor() as i32).clamp(0, 6) as usize;
        trimmed(&format!("{value:.decimals$}"))
    } else {
        trimmed(&format!("{value:.3e}"))
    }
}

/// Digits below this fraction of the largest number nearby are rounding.
const ROUNDING: f64 = 1e-14;

/// [`short`], and zero for a number that is only rounding beside the others.
///
/// ```
/// use featherline_record::number::short_among;
///
/// assert_eq!(short_among(3e-16, &[1.0, -2.0]), "0");
/// ```
pub fn short_among<'a>(value: f64, others: impl IntoIterator<Item = &'a f64>) -> String {
    let largest = others
        .into_iter()
        .fold(0.0, |largest: f64, x| largest.max(x.abs()));
    short(if value.abs() < ROUNDING * largest {
        0.0
    } else {
        value
    })
}

/// Without trailing zeros of the fraction.
fn trimmed(number: &str) -> String {
    let (mantissa, exponent) = number.split_at(number.find('e').unwrap_or(number.len()));
    let mantissa = if mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    format!("{mantissa}{exponent}")
}

#[cfg(test)]
mod tests {
    use super::{short, short_among};

    #[test]
    fn numbers_are_short() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-9.81, "-9.81"),
            (0.012345678, "0.012346"),
            (123456.7, "123457"),
            (100.0, "100"),
            (2.5e-9, "2.5e-9"),
            (1e12, "1e12"),
            (f64::NEG_INFINITY, "−∞"),
        ] {
            assert_eq!(short(value), expected);
        }
    }

    #[test]
    fn rounding_beside_large_numbers_is_zero() {
        assert_eq!(short_among(3e-16, &[1.0, -2.0]), "0");
        assert_eq!(short_among(3e-13, &[1.0, -2.0]), "3e-13");
        assert_eq!(short_among(3e-16, &[3e-16]), "3e-16");
    }
}
