//! How a joint's motion varies with its configuration.
//!
//! The body that a joint moves has the velocity S v and the acceleration α = S a + Ṡ v relative to
//! the joint's input frame, in the coordinates of the output frame. Kinds with a constant motion
//! subspace move alike in every configuration. Of the others (universal, spherical_zyx, ellipsoid)
//! the dual numbers of one direction for each coordinate give the derivatives. A composite joint
//! is a chain of links without mass: the velocities before and after each part add what its columns
//! turn with.

use super::JointKind;
use super::composite::{CompositePart, MAX_SIMPLE_NV};
use crate::scalar::{Dual, Scalar};
use crate::spatial::{Force, Motion, Se3, Vec3};

/// The motion subspace, velocity and acceleration of a joint in a state, in the coordinates of its
/// output frame.
#[derive(Clone, Copy)]
pub struct JointState<'a, S: Scalar> {
    /// The columns of the motion subspace S.
    pub column: &'a [Motion<S>],
    /// S v.
    pub velocity: Motion<S>,
    /// α = S a + Ṡ v.
    pub acceleration: Motion<S>,
}

/// Derivatives of a joint's motion: one entry for each of its coordinates j.
pub struct Variation<'a, S: Scalar> {
    /// ∂(S v)/∂qⱼ.
    pub velocity: &'a mut [Motion<S>],
    /// ∂α/∂qⱼ.
    pub acceleration: &'a mut [Motion<S>],
}

/// The derivatives of a simple joint's subspace and its motion, in its own output frame.
struct SimpleVariation<S: Scalar> {
    /// ∂Sᵢ/∂qⱼ in row j.
    column: [[Motion<S>; MAX_SIMPLE_NV]; MAX_SIMPLE_NV],
    velocity: [Motion<S>; MAX_SIMPLE_NV],
    acceleration: [Motion<S>; MAX_SIMPLE_NV],
}

impl JointKind {
    /// Writes the derivatives of the joint's velocity and acceleration by its own coordinates.
    #[inline(always)]
    pub(crate) fn variation<S: Scalar>(
        &self,
        (q, v, a): (&[S], &[S], &[S]),
        state: JointState<'_, S>,
        out: Variation<'_, S>,
    ) {
        if let Self::Composite(composite) = self {
            composite_variation(composite.parts(), (q, v, a), state, out);
        } else {
            let own = self.simple_variation(q, v, a);
            for j in 0..self.nv() {
                out.velocity[j] = own.velocity[j];
                out.acceleration[j] = own.acceleration[j];
            }
        }
    }

    /// Writes ∂Sᵢ/∂qⱼ · f of a constant force into column j of an nv × nv matrix.
    #[inline(always)]
    pub(crate) fn component_variation<S: Scalar>(
        &self,
        q: &[S],
        column: &[Motion<S>],
        force: &Force<S>,
        out: &mut [S],
    ) {
        let nv = self.nv();
        out[..nv * nv].fill(S::zero());
        let Self::Composite(composite) = self else {
            let own = self.simple_variation(q, &[S::zero(); MAX_SIMPLE_NV], q);
            for j in 0..nv {
                for i in 0..nv {
                    out[j * nv + i] = own.column[j][i].dot(force);
                }
            }
            return;
        };
        // Where the last output frame is, seen from a part's.
        let mut after = Se3::identity();
        let (mut end_q, mut end_v) = (q.len(), nv);
        for part in composite.parts().iter().rev() {
            let (begin_q, begin_v) = (end_q - part.kind.nq(), end_v - part.kind.nv());
            let own_q = &q[begin_q..end_q];
            let own = part
                .kind
                .simple_variation(own_q, &[S::zero(); MAX_SIMPLE_NV], own_q);
            let own_force = after.act_force(force);
            for i in begin_v..end_v {
                for j in begin_v..end_v {
                    let change = &own.column[j - begin_v][i - begin_v];
                    out[j * nv + i] = change.dot(&own_force);
                }
                // A later part moves the frame in which the column is given.
                for j in end_v..nv {
                    out[j * nv + i] = column[i].cross(&column[j]).dot(force);
                }
            }
            let mut unused = [Motion::zero(); MAX_SIMPLE_NV];
            let placement = part
                .kind
                .evaluate_simple(own_q, &mut unused[..part.kind.nv()]);
            after = Se3::constant(&part.placement)
                .compose(&placement)
                .compose(&after);
            (end_q, end_v) = (begin_q, begin_v);
        }
    }

    /// Zeros, but for the kinds whose subspace varies. Their q has as many entries as v.
    #[inline(always)]
    fn simple_variation<S: Scalar>(&self, q: &[S], v: &[S], a: &[S]) -> SimpleVariation<S> {
        let mut out = SimpleVariation {
            column: [[Motion::zero(); MAX_SIMPLE_NV]; MAX_SIMPLE_NV],
            velocity: [Motion::zero(); MAX_SIMPLE_NV],
            acceleration: [Motion::zero(); MAX_SIMPLE_NV],
        };
        if self.has_constant_subspace() {
            return out;
        }
        let nv = self.nv();
        let mut fixed = [Dual::fixed(S::zero()); MAX_SIMPLE_NV];
        for k in 0..nv {
            fixed[k] = Dual::fixed(v[k]);
        }
        for j in 0..nv {
            let mut moved = [Dual::<S, 1>::fixed(S::zero()); MAX_SIMPLE_NV];
            for k in 0..nv {
                moved[k] = Dual::fixed(q[k]);
            }
            moved[j] = Dual::variable(q[j], 0);
            let mut column = [Motion::zero(); MAX_SIMPLE_NV];
            let mut rate = [Motion::zero(); MAX_SIMPLE_NV];
            self.evaluate_simple(&moved[..nv], &mut column[..nv]);
            self.subspace_rates_simple(&moved[..nv], &fixed[..nv], &mut rate[..nv]);
            for i in 0..nv {
                let (by_q, rate_by_q) = (tangent(&column[i]), tangent(&rate[i]));
                out.column[j][i] = by_q;
                // ∂(S v)/∂q_j = Σ ∂S_i/∂q_j v_i, ∂α/∂q_j = Σ ∂S_i/∂q_j a_i + ∂Ṡ_i/∂q_j v_i
                out.velocity[j] = by_q.mul_add(v[i], &out.velocity[j]);
                let from_rate = rate_by_q.mul_add(v[i], &out.acceleration[j]);
                out.acceleration[j] = by_q.mul_add(a[i], &from_rate);
            }
        }
        out
    }
}

/// The derivative of a motion along the one direction of its dual numbers.
#[inline(always)]
fn tangent<S: Scalar>(motion: &Motion<Dual<S, 1>>) -> Motion<S> {
    let (v, w) = (&motion.linear, &motion.angular);
    Motion::new(
        Vec3::new(v.x.tangent[0], v.y.tangent[0], v.z.tangent[0]),
        Vec3::new(w.x.tangent[0], w.y.tangent[0], w.z.tangent[0]),
    )
}

/// From the last part to the first, each part a link that moves on the one before.
#[inline(always)]
fn composite_variation<S: Scalar>(
    parts: &[CompositePart],
    (q, v, a): (&[S], &[S], &[S]),
    state: JointState<'_, S>,
    out: Variation<'_, S>,
) {
    // All in the coordinates of the last output frame, which `after` places in a part's own.
    let mut after = Se3::identity();
    let (mut velocity, mut acceleration) = (state.velocity, state.acceleration);
    let (mut end_q, mut end_v) = (q.len(), v.len());
    for part in parts.iter().rev() {
        let (begin_q, begin_v) = (end_q - part.kind.nq(), end_v - part.kind.nv());
        let (own_q, own_v) = (&q[begin_q..end_q], &v[begin_v..end_v]);
        let own_a = &a[begin_v..end_v];
        let nv = part.kind.nv();
        let own = part.kind.simple_variation(own_q, own_v, own_a);
        // S v and α of the part alone, and what is left: the link before it.
        let mut column = [Motion::zero(); MAX_SIMPLE_NV];
        let mut rate = [Motion::zero(); MAX_SIMPLE_NV];
        let placement = part.kind.evaluate_simple(own_q, &mut column[..nv]);
        part.kind
            .subspace_rates_simple(own_q, own_v, &mut rate[..nv]);
        let (mut own_velocity, mut own_acceleration) = (Motion::zero(), Motion::zero());
        for k in 0..nv {
            own_velocity = column[k].mul_add(own_v[k], &own_velocity);
            let from_rate = rate[k].mul_add(own_v[k], &own_acceleration);
            own_acceleration = column[k].mul_add(own_a[k], &from_rate);
        }
        // a_p = a_λ + v_λ × v_p + α_p
        let v_before = velocity - after.inverse_act_motion(&own_velocity);
        let a_before =
            acceleration - v_before.cross(&velocity) - after.inverse_act_motion(&own_acceleration);
        for k in 0..nv {
            let s = &state.column[begin_v + k];
            let own_change = after.inverse_act_motion(&own.velocity[k]);
            // ψ̇ = v_λ × s + ∂(S v)/∂q, ψ̈ = a_λ × s + v_λ × ψ̇ + v_p × ∂(S v)/∂q + ∂α/∂q
            let first = v_before.cross(s) + own_change;
            let second = a_before.cross(s)
                + v_before.cross(&first)
                + velocity.cross(&own_change)
                + after.inverse_act_motion(&own.acceleration[k]);
            out.velocity[begin_v + k] = first;
            out.acceleration[begin_v + k] = second - state.velocity.cross(&first);
        }
        (velocity, acceleration) = (v_before, a_before);
        after = Se3::constant(&part.placement)
            .compose(&placement)
            .compose(&after);
        (end_q, end_v) = (begin_q, begin_v);
    }
}
