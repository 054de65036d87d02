//! Robots whose feet, or whose hand, are held.

use super::{REFERENCE, Report};
use crate::form::Form;
use crate::row::Contestant;
use std::fmt::{self, Write};

impl Report<'_> {
    pub(super) fn held_frames(&self, text: &mut String) -> fmt::Result {
        if self.held.is_empty() {
            return Ok(());
        }
        let reference = self.peers.first().map_or("nobody", String::as_str);
        writeln!(
            text,
            "## Held frames\n\nDynamics while feet or a hand are held, beside {reference}'s `constraintDynamics`, \
             `computeConstraintDynamicsDerivatives` (with the dynamics that they belong to) and `impulseDynamics`, in \
             nanoseconds. Accelerations, velocities, multipliers and all six matrices agree.\n\n\
             | robot | nv | rows | call | featherline | {reference} | ratio | quartiles |\n\
             |---|---:|---:|---|---:|---:|---:|---|"
        )?;
        let own = Contestant::Own(Form::Single);
        for robot in self.held {
            for row in &robot.rows {
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
                    robot.name, robot.nv, robot.constraints, row.call, ratio.median
                )?;
            }
        }
        writeln!(text)
    }
}
