//! The gaps of mimic joints, from the motions of their bodies.

use super::state::{MaximalState, Relative};
use featherline::kernel::follower_displacement;
use featherline::kernel::{ConstraintBasis, MOST_ENTRIES, follow};
use featherline::model::{Joint, Mimic, Model};
use featherline::spatial::{Motion, log6};
use nalgebra::Vector6;

/// How far a mimic joint has left the place that its master gives it, and how fast it leaves it, in
/// its output frame.
///
/// `reading` begins with the master's coordinates, `rate` is how fast these change.
pub(super) fn mimic_gap(
    model: &Model,
    joint: &Joint,
    mimic: &Mimic,
    relative: &Relative,
    (reading, rate): (&[f64], f64),
) -> [Motion<f64>; 2] {
    let mut column = [Motion::zero()];
    let displacement = follower_displacement(model, mimic, reading);
    let place = joint.kind.evaluate_displacement(displacement, &mut column);
    [
        log6(&place.inverse_compose(&relative.placement)),
        relative.velocity - column[0] * (mimic.ratio * rate),
    ]
}

/// The same where nobody has read the master yet. None if the master's motions depend on each
/// other.
pub(super) fn mimic_gap_of_bodies(
    model: &Model,
    joint: &Joint,
    mimic: &Mimic,
    relative: &Relative,
    state: &MaximalState,
) -> Option<[Motion<f64>; 2]> {
    let master = model.joint(mimic.master);
    let shown = state.relative(master, mimic.master.index());
    let mut reading = [0.0; MOST_ENTRIES];
    let reading = &mut reading[..master.nq];
    reading.copy_from_slice(&state.coordinates[master.idx_q..master.idx_q + master.nq]);
    follow(&master.kind, &shown.placement, reading)?;
    let mut column = [Motion::zero()];
    featherline::kernel::joint::evaluate(&master.kind, reading, &mut column);
    let basis = ConstraintBasis::of(&column)?;
    let rates = basis.columns.tr_mul(&Vector6::from(shown.velocity));
    let rate = rates[basis.rigid()];
    Some(mimic_gap(model, joint, mimic, relative, (reading, rate)))
}
