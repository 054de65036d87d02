//! How long a robot file takes to read.

use featherline_formats::{LoadOptions, load_with};
use std::hint::black_box;
use std::time::Instant;

/// The shortest of five times that reading a file takes.
pub fn load_seconds(file: &str, options: &LoadOptions) -> f64 {
    let times = (0..5).map(|_| {
        let start = Instant::now();
        let _ = black_box(load_with(file, options));
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}
