//! Roots of a function of time, by the Illinois method.

/// The root of a function between two times at which its values differ in sign, by the Illinois
/// method (M. Dowell and P. Jarratt, "A modified regula falsi method for computing the root of an
/// equation", BIT 11, 1971), to rounding of the time: the earliest time found at which the function
/// is zero or has the sign that it has at the end.
pub(crate) fn root<E>(
    [(mut a, mut at_a), (mut b, mut at_b)]: [(f64, f64); 2],
    mut value: impl FnMut(f64) -> Result<f64, E>,
) -> Result<f64, E> {
    let rounding = 4.0 * f64::EPSILON * a.abs().max(b.abs());
    let mut kept = 0;
    while (b - a).abs() > rounding {
        let guess = b - (b - a) * (at_b / (at_b - at_a));
        // Halving, where rounding, or an overflow, leaves nothing of the secant's step.
        let (middle, is_stuck) = (0.5 * (a + b), guess == a || guess == b);
        let c = if is_stuck { middle } else { guess };
        if c == a || c == b {
            break;
        }
        let at_c = value(c)?;
        if at_c == 0.0 {
            return Ok(c);
        }
        // The end that stays twice counts half, so that both ends move.
        if (at_c > 0.0) == (at_b > 0.0) {
            (b, at_b) = (c, at_c);
            at_a *= if kept == 1 { 0.5 } else { 1.0 };
            kept = 1;
        } else {
            (a, at_a) = (c, at_c);
            at_b *= if kept == 2 { 0.5 } else { 1.0 };
            kept = 2;
        }
    }
    Ok(b)
}
