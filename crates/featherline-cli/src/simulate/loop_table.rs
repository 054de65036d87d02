//! The worst opening of each loop.

use crate::table::{align_numbers, plain};
use comfy_table::Table;
use featherline::Model;
use featherline_record::number::short;
use featherline_sim::simulation::LoopMonitor;
use serde::Serialize;

/// The worst opening of a loop.
#[derive(Serialize)]
pub struct LoopGap {
    /// The loop joint's name.
    joint: String,
    /// In m.
    position: f64,
    /// In rad.
    angle: f64,
    /// When it was, in s.
    t: f64,
}

/// The worst openings of all loops.
pub fn gaps(model: &Model, account: &LoopMonitor<'_>) -> Vec<LoopGap> {
    let worst = account.worst().iter().map(|gap| LoopGap {
        joint: model.loop_joint(gap.joint).name.clone(),
        position: gap.position,
        angle: gap.angle,
        t: gap.t,
    });
    worst.collect()
}

/// A line for each loop.
pub fn table(gaps: &[LoopGap]) -> Table {
    let mut table = plain(["loop joint", "open by [m]", "[rad]", "at worst at t [s]"]);
    for gap in gaps {
        table.add_row([
            gap.joint.clone(),
            format!("{:.1e}", gap.position),
            format!("{:.1e}", gap.angle),
            short(gap.t),
        ]);
    }
    align_numbers(&mut table, 1..4);
    table
}
