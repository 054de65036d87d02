//! A bar that shows how far the simulation has come, and its energy.

use featherline_record::number::short;
use featherline_sim::simulation::{Recorder, RecorderError, Sample};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// A simulation that is over sooner shows no bar.
const PATIENCE: Duration = Duration::from_millis(700);

/// How often the bar is drawn.
const REFRESH: Duration = Duration::from_millis(100);

/// The length of the whole bar.
const WHOLE: u64 = 10_000;

/// A bar on standard error; nothing unless that is a terminal.
pub struct Progress {
    bar: ProgressBar,
    seconds: f64,
    energy: Option<f64>,
    next: Instant,
}

impl Progress {
    pub fn new(seconds: f64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(WHOLE), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{elapsed} [{bar:30}] {eta}  {msg}");
        // The template is a constant, and a test draws with it.
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self {
            bar,
            seconds,
            energy: None,
            next: Instant::now() + PATIENCE,
        }
    }

    /// Takes the bar away.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// The time, the energy, and how far it is from that at the start.
fn read_out(t: f64, energy: f64, start: f64) -> String {
    format!(
        "t = {} s, energy {} J ({:+.1e})",
        short(t),
        short(energy),
        energy - start
    )
}

impl Recorder for Progress {
    fn record(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
        let energy = sample.energy();
        let start = *self.energy.get_or_insert(energy);
        if Instant::now() >= self.next {
            if self.bar.is_hidden() {
                self.bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            let part = sample.t / self.seconds;
            self.bar.set_position((part * WHOLE as f64) as u64);
            self.bar.set_message(read_out(sample.t, energy, start));
            self.next = Instant::now() + REFRESH;
        }
        Ok(ControlFlow::Continue(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_has_a_style_and_shows_the_energy() {
        assert!(ProgressStyle::with_template("{elapsed} [{bar:30}] {eta}  {msg}").is_ok());
        let text = read_out(12.5, -3.25, -3.0);
        assert_eq!(text, "t = 12.5 s, energy -3.25 J (-2.5e-1)");
    }
}
