//! What loops leave open whose axes have few digits.
//!
//! Hinges that should be parallel and are so to five digits close within as much of a turn only.
//! The constraints that repeat others but for those digits contradict them then, and stay open by
//! as little while the others close.

use super::dynamics::{constrain, hold};
use super::workspace::Loop;
use super::{LoopError, LoopWorkspace};
use featherline::kernel;
use featherline::model::Model;

/// What constraints that repeat others may leave open, in rad or lengths of their loop, and in as
/// much for each rad/s: twice the part of a motion by which they may differ from those, the root of
/// [`REPEATED`](crate::delassus::independence::REPEATED). Joints turn by some radians.
pub(super) const FEW_DIGITS: f64 = 1.6e-4;

impl LoopWorkspace {
    /// The largest entry that the constraints which hold have in a six-vector of each loop along
    /// its constraints.
    #[inline(always)]
    pub(super) fn held(&self, along: impl Fn(&Loop) -> [f64; 6]) -> f64 {
        let mut held = 0.0_f64;
        for closing in &self.loops {
            let entries = along(closing);
            for k in self.independence.holding() {
                if closing.rows().contains(k) {
                    held = held.max(entries[k - closing.row].abs());
                }
            }
        }
        held
    }

    /// Whether what is open is as little as few digits leave, `scale` times: none of it but
    /// `closed` along constraints that hold.
    pub(super) fn is_open_by_digits(
        &self,
        along: impl Fn(&Loop) -> [f64; 6],
        scale: f64,
        closed: f64,
    ) -> bool {
        let is_small = |closing: &Loop| {
            let entries = along(closing).into_iter();
            let measures = closing.squared_measures().into_iter();
            let mut rows = entries.zip(measures).take(closing.basis.rigid());
            rows.all(|(entry, square)| entry.abs() <= FEW_DIGITS * scale * square.sqrt())
        };
        self.held(&along) <= closed && self.loops.iter().all(is_small)
    }
}

/// Whether the loops are closed to `closed` m, rad, m/s and rad/s in a state but for what few
/// digits of axes leave, no more constraints repeating others than
/// [usually](crate::kernel::usually_repeated), which the workspace has been told.
pub fn is_closed_but_for_digits(
    model: &Model,
    ws: &mut LoopWorkspace,
    q: &[f64],
    v: &[f64],
    closed: f64,
) -> Result<bool, LoopError> {
    kernel::link_kinematics(model, &mut ws.tree, q, v)?;
    constrain(model, ws, Some(v), true)?;
    hold(model, ws);
    let fastest = v.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    Ok(ws.independence.repeated() <= ws.usually_repeated
        && ws.is_open_by_digits(gap, 1.0, closed)
        && ws.is_open_by_digits(opening, fastest, closed))
}

/// How far a loop is open along its constraints.
#[inline(always)]
pub(super) fn gap(closing: &Loop) -> [f64; 6] {
    closing.basis.work(&closing.gap)
}

/// How fast it opens along them.
fn opening(closing: &Loop) -> [f64; 6] {
    closing.basis.work(&closing.velocity)
}
