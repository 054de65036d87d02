//! The gaps of mimic joints, from the motions of their bodies.

use super::state::{MaximalState, Relative};
use featherline::kernel::{ConstraintBasis, MOST_ENTRIES, follow, mimic_displacement};
use featherline::model::{Joint, Mimic, Model};
use featherline::spatial::{Motion, log6};
use nalgebra::Vector6;

/// How far a mimic joint has left the place that the mimicked joint gives it, and how fast it
/// leaves it, in its output frame.
///
/// `reading` begins with the mimicked joint's coordinates, `rate` is how fast these change.
pub(super) fn mimic_gap(
    model: &Model,
    joint: &Joint,
    mimic: &Mimic,
    relative: &Relative,
    (reading, rate): (&[f64], f64),
) -> [Motion<f64>; 2] {
    let mut column = [Motion::zero()];
    let displacement = mimic_displacement(model, mimic, reading);
    let place = joint.kind.evaluate_displacement(displacement, &mut column);
    [
        log6(&place.inverse_compose(&relative.placement)),
        relative.velocity - column[0] * (mimic.ratio * rate),
    ]
}

/// The same where the mimicked joint is not read yet. None if its motions depend on each other.
pub(super) fn mimic_gap_of_bodies(
    model: &Model,
    joint: &Joint,
    mimic: &Mimic,
    relative: &Relative,
    state: &MaximalState,
) -> Option<[Motion<f64>; 2]> {
    let source = model.joint(mimic.source);
    let shown = state.relative(source, mimic.source.index());
    let mut reading = [0.0; MOST_ENTRIES];
    let reading = &mut reading[..source.nq];
    reading.copy_from_slice(&state.coordinates[source.idx_q..source.idx_q + source.nq]);
    follow(&source.kind, &shown.placement, reading)?;
    let mut column = [Motion::zero()];
    featherline::kernel::joint::evaluate(&source.kind, reading, &mut column);
    let basis = ConstraintBasis::of(&column)?;
    let rates = basis.columns.tr_mul(&Vector6::from(shown.velocity));
    let rate = rates[basis.rigid()];
    Some(mimic_gap(model, joint, mimic, relative, (reading, rate)))
}
