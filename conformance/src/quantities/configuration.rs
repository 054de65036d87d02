//! Operations on configurations.

use super::Case;
use crate::agreement::Family;
use featherline::configuration;
use featherline::{Error, Model};
use nalgebra::DMatrix;

pub(super) fn configuration(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let Some((other, fraction)) = &x.other else {
        return Ok(());
    };
    let mut out = DMatrix::zeros(model.nv(), model.nv());
    configurations(case, "neutral", model.neutral_configuration());
    configurations(case, "integrate", model.integrate(&x.q, &x.v)?);
    configurations(
        case,
        "interpolate",
        model.interpolate(&x.q, other, *fraction)?,
    );
    if let Some(stretched) = &x.unnormalised {
        let mut q = stretched.clone();
        model.normalise(&mut q)?;
        configurations(case, "normalise", q);
    }
    let distance = model.distance(&x.q, other)?;
    case.compare("distance", Family::Difference, vec![distance]);
    let difference = layout.their_v(&model.difference(&x.q, other)?);
    case.compare("difference", Family::Difference, difference);

    let family = Family::TangentMap;
    configuration::d_integrate_dq(model, &x.v, &mut out)?;
    case.compare("integrate_jacobian_q", family, layout.their_matrix(&out));
    configuration::d_integrate_dv(model, &x.v, &mut out)?;
    case.compare("integrate_jacobian_v", family, layout.their_matrix(&out));
    configuration::d_difference_dq0(model, &x.q, other, &mut out)?;
    case.compare("difference_jacobian_q", family, layout.their_matrix(&out));
    configuration::d_difference_dq1(model, &x.q, other, &mut out)?;
    case.compare(
        "difference_jacobian_other",
        family,
        layout.their_matrix(&out),
    );
    Ok(())
}

/// Compares configurations. A quaternion and its negative are one rotation: where it points away
/// from the reference's, ours is turned round.
fn configurations(case: &mut Case<'_>, name: &'static str, mut ours: Vec<f64>) {
    let (model, layout) = (case.model, case.layout);
    if let Some(theirs) = case.state.values(name) {
        let theirs = layout.our_q(theirs);
        for first in quaternions(model) {
            let entries = first..first + 4;
            let cosine: f64 = entries.clone().map(|k| ours[k] * theirs[k]).sum();
            if cosine < 0.0 {
                entries.for_each(|k| ours[k] = -ours[k]);
            }
        }
    }
    case.compare(name, Family::Configuration, layout.their_q(&ours));
}

/// Where quaternions begin in q.
fn quaternions(model: &Model) -> Vec<usize> {
    let mut found = Vec::new();
    for joint in model.joints().iter().filter(|joint| joint.nq > 0) {
        let units = joint.kind.unit_entries().filter(|unit| unit.len() == 4);
        found.extend(units.map(|unit| joint.idx_q + unit.start));
    }
    found
}
