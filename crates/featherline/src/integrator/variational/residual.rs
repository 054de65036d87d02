//! The residual of the discrete Euler-Lagrange equations. What the last iteration leaves of it the next step makes up for, so
//! that the errors of momenta don't add up.

use crate::kinematics::joint_pass::add_components;
use crate::model::Model;
use crate::scalar::Scalar;
use crate::spatial::Force;
use crate::workspace::Scratch;

/// Sums what the links' momenta, in `ws.force`, are too large by along the coordinates, less what `residual` says that these have
/// too little: Jᵀ in one pass from the leaves to the root.
#[inline(always)]
pub(super) fn along_coordinates<S: Scalar>(model: &Model, ws: &mut Scratch<S>, residual: &mut [S]) {
    for own in residual.iter_mut() {
        *own = -*own;
    }
    for (i, link) in model.links.iter().enumerate().skip(1).rev() {
        let force = ws.force[i];
        add_components(link, &ws.subspaces.column, &force, residual);
        if link.parent != 0 {
            ws.force[link.parent] += ws.placement[i].act_force(&force);
        }
    }
}

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
