//! Under which conditions it was measured.

use super::Report;
use crate::contest::Effort;
use featherline_bench::machine;
use featherline_bench::statistics::{median, quartiles};
use std::fmt::{self, Write};

impl Report<'_> {
    pub(super) fn conditions(&self, text: &mut String) -> fmt::Result {
        let Effort {
            processes,
            rounds,
            samples,
        } = self.effort;
        writeln!(
            text,
            "## Conditions\n\nA time is the median of {rounds} turns of {samples} passes over {} states, in the fastest of \
             {processes} processes of each contender. A ratio is the median over {rounds} turns, in which all contenders ran one \
             after the other, and then over {processes} processes of each; its quartiles are those of all turns. All answers were \
             compared at all states before anything was timed; the difference is the greatest of all contenders', relative to the \
             greatest entry.\n",
            self.states
        )?;
        for line in self.versions {
            writeln!(text, "* {line}")?;
        }
        writeln!(text, "* Machine: {}", machine::description())?;
        writeln!(text, "* {}", self.clock())
    }

    fn clock(&self) -> String {
        if self.clocks.is_empty() {
            return "The core's clock was not measured on this architecture".to_owned();
        }
        let (low, high) = quartiles(self.clocks);
        let extremes = self
            .clocks
            .iter()
            .fold((f64::INFINITY, 0.0_f64), |(least, most), c| {
                (least.min(*c), most.max(*c))
            });
        let (least, most) = extremes;
        format!(
            "The core's clock, by chains of dependent additions between the measurements: median {:.2} GHz, quartiles \
             {low:.2}–{high:.2}, extremes {least:.2}–{most:.2}",
            median(self.clocks)
        )
    }
}
