//! The gaps that rounded joint axes leave along redundant constraints.
//!
//! Hinges that should be parallel and are so to five digits close within as much of a turn only.
//! The nearly redundant constraints contradict them then, and stay open by as little while the
//! others close.

use super::dynamics::{constrain, hold};
use super::workspace::Loop;
use super::{LoopError, LoopWorkspace, Result};
use featherline::model::Model;

/// The gap that redundant constraints may leave open, in rad or lengths of their loop, and in as
/// much for each rad/s: twice the part of a motion by which they may differ from those, the root of
/// `REDUNDANT`. Joints turn by some radians.
pub const ROUNDED_AXES: f64 = 1.6e-4;

/// A gap along independent constraints, in rad or lengths of their loop, up to which the loops of a
/// state are closed: it changes accelerations by about this part. Assembly leaves 10⁻¹⁰ and less,
/// an integrator's step some 10⁻⁹.
const CLOSED_STATE: f64 = 1e-6;

/// The same in m and rad, for loops of a millimetre and less: ten times what assembly leaves.
const LEAST_CLOSED: f64 = 1e-9;

impl Loop {
    /// Whether the gap is larger than `tolerance`, in rad or lengths of the loop, along one of the
    /// constraints that count, given by their numbers.
    #[inline(always)]
    pub fn is_open(&self, tolerance: f64, counts: impl Fn(usize) -> bool) -> bool {
        // No entry is larger than the whole.
        if self.gap_length() <= LEAST_CLOSED {
            return false;
        }
        let entries = gap(self).into_iter().zip(self.squared_measures());
        entries
            .take(self.basis.rigid())
            .enumerate()
            .any(|(k, (entry, square))| {
                entry.abs() > (tolerance * square.sqrt()).max(LEAST_CLOSED) && counts(k)
            })
    }

    /// The length of the gap's six-vector, in m and rad.
    pub fn gap_length(&self) -> f64 {
        (self.gap.linear.norm_squared() + self.gap.angular.norm_squared()).sqrt()
    }
}

impl LoopWorkspace {
    /// The error of the widest loop of the last pass that is open by more than rounded axes leave.
    pub(super) fn check_closed(&self) -> Result<()> {
        let independent = self.independence.independent();
        let is_open = |closing: &&Loop| {
            closing.is_open(ROUNDED_AXES, |_| true)
                || closing.is_open(CLOSED_STATE, |k| independent.contains(&(closing.row + k)))
        };
        let open = self.loops.iter().filter(is_open);
        let widest = open.max_by(|a, b| a.gap_length().total_cmp(&b.gap_length()));
        match widest {
            None => Ok(()),
            Some(widest) => Err(LoopError::OpenLoop {
                joint: widest.joint.name.clone(),
                gap: widest.gap_length(),
            }),
        }
    }

    /// The largest entry of a six-vector of each loop along its independent constraints.
    #[inline(always)]
    pub(super) fn held(&self, along: impl Fn(&Loop) -> [f64; 6]) -> f64 {
        let mut held = 0.0_f64;
        for closing in &self.loops {
            let entries = along(closing);
            for k in self.independence.independent() {
                if closing.rows().contains(k) {
                    held = held.max(entries[k - closing.row].abs());
                }
            }
        }
        held
    }

    /// Whether loops are open by `scale` rounded axes, and `closed` along independent constraints.
    pub(super) fn is_open_by_rounding(
        &self,
        along: impl Fn(&Loop) -> [f64; 6],
        scale: f64,
        closed: f64,
    ) -> bool {
        let is_small = |closing: &Loop| {
            let entries = along(closing).into_iter();
            let measures = closing.squared_measures().into_iter();
            let mut rows = entries.zip(measures).take(closing.basis.rigid());
            rows.all(|(entry, square)| entry.abs() <= ROUNDED_AXES * scale * square.sqrt())
        };
        self.held(&along) <= closed && self.loops.iter().all(is_small)
    }
}

/// Whether the loops are closed to `closed` m, rad, m/s and rad/s in a state but for what rounded
/// axes leave, no more constraints being redundant than the
/// [generic redundancy](crate::kernel::generic_redundancy), which the workspace knows.
pub fn is_closed_but_for_rounded_axes(
    model: &Model,
    ws: &mut LoopWorkspace,
    q: &[f64],
    v: &[f64],
    closed: f64,
) -> Result<bool> {
    featherline::kernel::link_kinematics(model, &mut ws.tree, q, v)?;
    constrain(model, ws, Some(v), true)?;
    hold(model, ws);
    let fastest = v.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    Ok(ws.independence.redundant() <= ws.generic_redundancy
        && ws.is_open_by_rounding(gap, 1.0, closed)
        && ws.is_open_by_rounding(opening, fastest, closed))
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
