//! A progress bar for long runs.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stdout};
use std::time::{Duration, Instant};

/// A shorter run shows no bar.
const PATIENCE: Duration = Duration::from_millis(700);

/// How far a run has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub done: u64,
    /// Absent where the end is unknown, as for a pipe.
    pub total: Option<u64>,
}

/// A bar on standard error; hidden unless that is a terminal and standard output is not.
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
