//! The acceleration that a joint of any kind adds while its rates are constant.

use super::state::Relative;
use featherline::kernel;
use featherline::kernel::{ConstraintBasis, follow_closed, joint as joint_kernel};
use featherline::model::Joint;
use featherline::spatial::Motion;
use featherline_constraint::Stabilisation;
use nalgebra::Vector6;

kernel!(
    /// c = v × S q̇ + Ṡ q̇ in the joint's output frame (Featherstone 2008, equation 3.42), with
    /// what the joint allows of its bodies' relative velocity for S q̇; less what pulls drifting
    /// bodies together. None if the joint's motions depend on each other.
    ///
    /// Motions that depend on the configuration are sought from `q`, which is written, and go to
    /// `subspace`; their constraint forces to `basis`. A kernel of its own: the code for every kind
    /// of joint is large.
    pub(super) fn joint_bias(
        joint: &Joint,
        relative: &Relative,
        // The velocity of the joint's body, in the output frame.
        velocity: &Motion<f64>,
        q: &mut [f64],
        basis: &mut ConstraintBasis,
        subspace: &mut [Motion<f64>],
        stabilisation: &Stabilisation,
    ) -> Option<Motion<f64>> {
        let kind = &joint.kind;
        let varies = !kind.has_constant_subspace();
        let mut gap = Motion::zero();
        if varies || *stabilisation != Stabilisation::NONE {
            gap = follow_closed(kind, basis, &relative.placement, q)?;
        }
        if varies {
            joint_kernel::evaluate(kind, q, subspace);
            *basis = ConstraintBasis::of(subspace)?;
        }
        let moving = Vector6::from(relative.velocity);
        let rates = basis.columns.tr_mul(&moving);
        let rigid = basis.rigid();
        let mut allowed = moving;
        for k in 0..rigid {
            allowed -= basis.columns.column(k) * rates[k];
        }
        let mut bias = velocity.cross(&Motion::from(allowed));
        if varies {
            let mut changes = [Motion::zero(); 6];
            let (v, changes) = (&rates.as_slice()[rigid..], &mut changes[..6 - rigid]);
            joint_kernel::subspace_rates(kind, q, v, changes);
            for k in 0..v.len() {
                bias = changes[k].mul_add(v[k], &bias);
            }
        }
        if *stabilisation != Stabilisation::NONE {
            let pulls = stabilisation.pulls(basis, &gap, &relative.velocity);
            for k in 0..rigid {
                let pull = basis.columns.column(k) * pulls[k];
                bias = bias - Motion::from(pull);
            }
        }
        Some(bias)
    }
);
