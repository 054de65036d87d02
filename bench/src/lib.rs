//! Benchmarks of featherline: the robots and states on which it is timed.

pub mod robots;
pub mod states;

/// The median; NaN of nothing.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
