//! Robots with closed loops.

use super::{REFERENCE, Report};
use crate::form::Form;
use crate::row::Contestant;
use std::fmt::{self, Write};

impl Report<'_> {
    pub(super) fn closed_loops(&self, text: &mut String) -> fmt::Result {
        if self.linkages.is_empty() {
            return Ok(());
        }
        let reference = self.peers.first().map_or("nobody", String::as_str);
        writeln!(
            text,
            "## Closed loops\n\nForward dynamics: featherline's `loop_dynamics` beside {reference}'s `constraintDynamics` and \
             `lcaba`, in nanoseconds. In planar linkages {reference} closes loops by balls, featherline by hinges, which are five \
             constraints for three.\n\n\
             | linkage | nv | loops | call | featherline | {reference} | ratio | quartiles |\n\
             |---|---:|---:|---|---:|---:|---:|---|"
        )?;
        let own = Contestant::Own(Form::Single);
        for linkage in self.linkages {
            for row in &linkage.rows {
                let times = [own, REFERENCE].map(|who| row.run(who).map(|run| run.nanoseconds()));
                let ([Some(ours), Some(theirs)], Some(ratio)) = (times, row.ratio(own, REFERENCE))
                else {
                    continue;
                };
                let (low, high) = ratio.quartiles;
                let mark = if ratio.median >= 1.0 { "**" } else { "" };
                writeln!(
                    text,
                    "| {} | {} | {} | `{}` | {ours:.0} | {theirs:.0} | {mark}{:.2}{mark} | {low:.2}–{high:.2} |",
                    linkage.name, linkage.nv, linkage.loops, row.call, ratio.median
                )?;
            }
        }
        writeln!(text)
    }
}
