//! What the last iteration leaves of a step's residual: the next step makes up for it, so that the errors of momenta don't add
//! up.

use crate::model::Model;
use crate::spatial::Force;

/// Writes what is left of the residual, as coordinates displaced by `d` see it at the end of the step.
pub(super) fn carry(model: &Model, d: &[f64], residual: &[f64], carried: &mut [f64]) {
    for joint in model.joints().iter().filter(|joint| joint.nv > 0) {
        let own = joint.idx_v..joint.idx_v + joint.nv;
        let (d, p) = (&d[own.clone()], &residual[own.clone()]);
        joint.kind.carried_momentum(d, p, &mut carried[own]);
    }
}

/// Takes it off the momenta: for a body that floats in the world off its own, so that the robot's total is what it should be;
/// for joints between bodies off their coordinates'.
pub(super) fn take_off(
    model: &Model,
    carried: &[f64],
    momentum: &mut [Force<f64>],
    reflected: &mut [f64],
) {
    for (i, link) in model.links.iter().enumerate().skip(1) {
        if !link.owns_coordinates {
            continue;
        }
        let own = link.idx_v..link.idx_v + link.columns;
        if link.is_free_flyer && link.parent == 0 {
            let c = &carried[own];
            let residual = Force::from_array([c[0], c[1], c[2], c[3], c[4], c[5]]);
            momentum[i] = momentum[i] - residual;
        } else {
            for k in own {
                reflected[k] -= carried[k];
            }
        }
    }
}
