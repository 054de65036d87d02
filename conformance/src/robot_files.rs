//! Code shared by the comparisons of robot files: records of the reference, verdicts, differences,
//! times.

use featherline_formats::{LoadOptions, Robot, Severity, load_with};
use serde::Deserialize;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

/// The reference's reading of a file.
#[derive(Deserialize)]
pub struct Record<N> {
    /// The name of the file in the table.
    pub name: String,
    /// Where it is.
    pub file: String,
    /// Why the reference refuses it.
    pub refused: Option<String>,
    /// The reference's numbers, if it opens it.
    #[serde(flatten)]
    pub numbers: Option<N>,
}

/// How many files came out how.
#[derive(Default)]
pub struct Tally {
    agreed: usize,
    partial: usize,
    /// Files that differ.
    pub failed: usize,
    /// Files that one side refuses.
    pub refused: usize,
}

impl Tally {
    /// Counts a file that both sides open, and gives the last field of its row: the number of
    /// warnings, if there are any, and whether the numbers differ.
    pub fn verdict(&mut self, robot: &Robot, agrees: bool) -> String {
        let warnings = robot.warnings.iter();
        let doubts = warnings
            .filter(|it| it.severity() == Severity::Warning)
            .count();
        match (agrees, doubts) {
            (true, 0) => {
                self.agreed += 1;
                String::new()
            }
            (true, _) => {
                self.partial += 1;
                doubts.to_string()
            }
            (false, _) => {
                self.failed += 1;
                format!("**differs**, {doubts}")
            }
        }
    }

    /// Prints the sums; fails if a file differs.
    pub fn finish(&self) -> ExitCode {
        println!();
        println!(
            "{} agree, {} agree with warnings, {} differ, {} are refused by one side.",
            self.agreed, self.partial, self.failed, self.refused
        );
        match self.failed {
            0 => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        }
    }
}

/// The greatest difference, relative to the largest entry, or to `least` if all are below.
pub fn apart(ours: impl IntoIterator<Item = f64>, theirs: &[f64], least: f64) -> f64 {
    let largest = theirs.iter().fold(least, |most: f64, x| most.max(x.abs()));
    let pairs = ours.into_iter().zip(theirs);
    let differences = pairs.map(|(x, y)| (x - y).abs() / largest);
    differences.fold(0.0, |most, x| match x.is_nan() {
        true => f64::INFINITY,
        false => most.max(x),
    })
}

/// The shortest of five times that reading a file takes, in seconds.
pub fn load_seconds(file: &str, options: &LoadOptions) -> f64 {
    let times = (0..5).map(|_| {
        let start = Instant::now();
        let _ = black_box(load_with(file, options));
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}
