//! Which number is behind a result that overflowed.

/// The number that is too large, where a result of finite numbers is not finite: its index.
///
/// Not every large number does harm: an angle of 1e308 has a sine. So numbers are *tamed*, replaced
/// by 1 with their sign, from the greatest on until the result no longer overflows, and then given
/// back, from the smallest on, where the overflow does not come back with them. Each number that
/// stays tamed is behind it; the greatest is returned. There is none if the result overflows with
/// all numbers tamed: what is too large is then not among them. Numbers of at most 1, and those
/// that are not finite, are left alone.
///
/// `overflows` is asked at most twice for each number, and once more for each doubling of how many
/// are tamed.
///
/// ```
/// use featherline::kernel::overflow_source;
///
/// // A sine does not overflow, a square does.
/// let overflows = |x: &[f64]| !(x[0].sin() + x[1] * x[1]).is_finite();
/// assert_eq!(overflow_source(&[1e308, 1e200], overflows), Some(1));
/// ```
#[cold]
pub fn overflow_source(
    numbers: &[f64],
    mut overflows: impl FnMut(&[f64]) -> bool,
) -> Option<usize> {
    let is_large = |&k: &usize| numbers[k].is_finite() && numbers[k].abs() > 1.0;
    let mut greatest: Vec<usize> = (0..numbers.len()).filter(is_large).collect();
    greatest.sort_by(|&a, &b| numbers[b].abs().total_cmp(&numbers[a].abs()));
    let mut trial = numbers.to_vec();
    let mut tamed = 0;
    while tamed == 0 || overflows(&trial) {
        if tamed == greatest.len() {
            return None;
        }
        let until = (2 * tamed).clamp(1, greatest.len());
        for &k in &greatest[tamed..until] {
            trial[k] = numbers[k].signum();
        }
        tamed = until;
    }
    let mut behind = None;
    for &k in greatest[..tamed].iter().rev() {
        let kept = std::mem::replace(&mut trial[k], numbers[k]);
        if overflows(&trial) {
            trial[k] = kept;
            behind = Some(k);
        }
    }
    behind
}

#[cfg(test)]
mod tests {
    use super::overflow_source;

    #[test]
    fn harmless_numbers_are_not_blamed_however_large() {
        let overflows = |x: &[f64]| !(x[0].sin() + x[1] * x[1] + x[2] * x[3]).is_finite();
        for (numbers, expected) in [
            ([1e308, -1e200, 0.0, 0.0], Some(1)),
            ([1e308, 1e100, 1e200, 1e199], Some(2)),
            ([1e308, 1e100, -1e160, 1e190], Some(3)),
            // Both are needed: the greater one is told.
            ([1e308, 1e200, 1e250, 1e100], Some(2)),
        ] {
            assert_eq!(
                overflow_source(&numbers, overflows),
                expected,
                "{numbers:?}"
            );
        }
    }

    #[test]
    fn of_many_numbers_the_one_is_found_that_does_the_harm() {
        for source in 0..40 {
            let numbers: Vec<f64> = (0..40).map(|k| 1e300 / 10_f64.powi(k)).collect();
            let found = overflow_source(&numbers, |x| !(x[source] * 1e300).is_finite());
            assert_eq!(found, Some(source));
        }
    }

    #[test]
    fn where_no_number_is_behind_it_none_is_blamed() {
        assert_eq!(overflow_source(&[1e308, 2.0], |_| true), None);
        assert_eq!(overflow_source(&[0.5, f64::NAN], |_| true), None);
        assert_eq!(overflow_source(&[], |_| true), None);
    }
}
