//! A bar that shows how far a long run has come.

use super::source::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stdout};
use std::time::{Duration, Instant};

/// A run that is over sooner shows no bar.
const PATIENCE: Duration = Duration::from_millis(700);

/// A bar on standard error; nothing unless that is a terminal which does not show the results, too.
pub struct Bar {
    bar: Option<ProgressBar>,
    started: Instant,
}

impl Bar {
    pub fn new() -> Self {
        let bar = (!stdout().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
            bar.set_style(ProgressStyle::default_bar());
            bar
        });
        Self {
            bar,
            started: Instant::now(),
        }
    }

    /// Shows how far the run has come.
    pub fn show(&mut self, progress: Progress) {
        let Some(bar) = &self.bar else { return };
        if bar.is_hidden() {
            if self.started.elapsed() < PATIENCE {
                return;
            }
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        if let Some(total) = progress.total {
            bar.set_length(total);
        }
        bar.set_position(progress.done);
    }

    /// Takes the bar away.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
