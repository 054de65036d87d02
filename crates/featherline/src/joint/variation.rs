//! How a joint's motion varies with its configuration.
//!
//! The body that a joint moves has the velocity S v and the acceleration α = S a + Ṡ v relative to
//! the joint's input frame, in the coordinates of the output frame. Kinds with a constant motion
//! subspace move alike in every configuration. Of the others (universal, spherical_zyx, ellipsoid)
//! the dual numbers of one direction for each coordinate give the derivatives. A composite joint
//! is a chain of links without mass: the velocities before and after each part add what its columns
//! turn with.

use super::JointKind;
use super::composite::MAX_SIMPLE_NV;
use super::dispatched::{evaluate, simple_variation, subspace_rates};
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

impl JointKind {
    /// Writes the derivatives of the joint's velocity and acceleration by its own coordinates: from
    /// the last part to the first, each a link that moves on the one before.
    #[inline(always)]
    pub(crate) fn variation<S: Scalar>(
        &self,
        (q, v, a): (&[S], &[S], &[S]),
        state: JointState<'_, S>,
        out: Variation<'_, S>,
    ) {
        let parts = self.parts();
        // All in the coordinates of the last output frame, which `after` places in a part's own.
        let mut after = Se3::identity();
        let (mut velocity, mut acceleration) = (state.velocity, state.acceleration);
        let (mut end_q, mut end_v) = (self.nq(), self.nv());
        let mut by_q = [Motion::zero(); MAX_SIMPLE_NV * MAX_SIMPLE_NV];
        for k in (0..parts.len().max(1)).rev() {
            let kind = parts.get(k).map_or(self, |part| &part.kind);
            let nv = kind.nv();
            let (begin_q, begin_v) = (end_q - kind.nq(), end_v - nv);
            let (own_q, own_v) = (&q[begin_q..end_q], &v[begin_v..end_v]);
            let own_a = &a[begin_v..end_v];
            let own_changes = &mut out.velocity[begin_v..end_v];
            let own_seconds = &mut out.acceleration[begin_v..end_v];
            simple_variation(
                kind,
                own_q,
                own_v,
                own_a,
                &mut by_q,
                own_changes,
                own_seconds,
            );
            let Some(part) = parts.get(k) else {
                return;
            };
            // S v and α of the part alone, and what is left: the link before it.
            let mut column = [Motion::zero(); MAX_SIMPLE_NV];
            let mut rate = [Motion::zero(); MAX_SIMPLE_NV];
            let placement = evaluate(kind, own_q, &mut column[..nv]);
            subspace_rates(kind, own_q, own_v, &mut rate[..nv]);
            let (mut own_velocity, mut own_acceleration) = (Motion::zero(), Motion::zero());
            for k in 0..nv {
                own_velocity = column[k].mul_add(own_v[k], &own_velocity);
                let from_rate = rate[k].mul_add(own_v[k], &own_acceleration);
                own_acceleration = column[k].mul_add(own_a[k], &from_rate);
            }
            // a_p = a_λ + v_λ × v_p + α_p
            let v_before = velocity - after.inverse_act_motion(&own_velocity);
            let a_before = acceleration
                - v_before.cross(&velocity)
                - after.inverse_act_motion(&own_acceleration);
            for k in 0..nv {
                let s = &state.column[begin_v + k];
                let own_change = after.inverse_act_motion(&own_changes[k]);
                // ψ̇ = v_λ × s + ∂(S v)/∂q, ψ̈ = a_λ × s + v_λ × ψ̇ + v_p × ∂(S v)/∂q + ∂α/∂q
                let first = v_before.cross(s) + own_change;
                let second = a_before.cross(s)
                    + v_before.cross(&first)
                    + velocity.cross(&own_change)
                    + after.inverse_act_motion(&own_seconds[k]);
                own_changes[k] = first;
                own_seconds[k] = second - state.velocity.cross(&first);
            }
            (velocity, acceleration) = (v_before, a_before);
            after = Se3::constant(&part.placement)
                .compose(&placement)
                .compose(&after);
            (end_q, end_v) = (begin_q, begin_v);
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
        let (parts, nv) = (self.parts(), self.nv());
        out[..nv * nv].fill(S::zero());
        // Where the last output frame is, seen from a part's.
        let mut after = Se3::identity();
        let (mut end_q, mut end_v) = (self.nq(), nv);
        let mut by_q = [Motion::zero(); MAX_SIMPLE_NV * MAX_SIMPLE_NV];
        let (mut first, mut second) = (
            [Motion::zero(); MAX_SIMPLE_NV],
            [Motion::zero(); MAX_SIMPLE_NV],
        );
        for k in (0..parts.len().max(1)).rev() {
            let kind = parts.get(k).map_or(self, |part| &part.kind);
            let (begin_q, begin_v) = (end_q - kind.nq(), end_v - kind.nv());
            let own_q = &q[begin_q..end_q];
            let none = &[S::zero(); MAX_SIMPLE_NV];
            simple_variation(kind, own_q, none, none, &mut by_q, &mut first, &mut second);
            let own_force = after.act_force(force);
            for i in begin_v..end_v {
                for j in begin_v..end_v {
                    let change = &by_q[(j - begin_v) * MAX_SIMPLE_NV + i - begin_v];
                    out[j * nv + i] = change.dot(&own_force);
                }
                // A later part moves the frame in which the column is given.
                for j in end_v..nv {
                    out[j * nv + i] = column[i].cross(&column[j]).dot(force);
                }
            }
            let Some(part) = parts.get(k) else {
                return;
            };
            let mut unused = [Motion::zero(); MAX_SIMPLE_NV];
            let placement = evaluate(kind, own_q, &mut unused[..kind.nv()]);
            after = Se3::constant(&part.placement)
                .compose(&placement)
                .compose(&after);
            (end_q, end_v) = (begin_q, begin_v);
        }
    }

    /// Writes the derivatives of a simple joint's subspace, velocity and acceleration, in its own
    /// output frame: ∂Sᵢ/∂qⱼ at j · [`MAX_SIMPLE_NV`] + i, ∂(S v)/∂qⱼ and ∂α/∂qⱼ at j.
    ///
    /// Zeros, but for the kinds whose subspace varies. Their q has as many entries as v.
    #[inline(always)]
    pub(super) fn simple_variation<S: Scalar>(
        &self,
        (q, v, a): (&[S], &[S], &[S]),
        column: &mut [Motion<S>],
        out: Variation<'_, S>,
    ) {
        let nv = self.nv();
        column.fill(Motion::zero());
        out.velocity[..nv].fill(Motion::zero());
        out.acceleration[..nv].fill(Motion::zero());
        if self.has_constant_subspace() {
            return;
        }
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
            let mut moved_column = [Motion::zero(); MAX_SIMPLE_NV];
            let mut rate = [Motion::zero(); MAX_SIMPLE_NV];
            self.evaluate_simple(&moved[..nv], &mut moved_column[..nv]);
            self.subspace_rates_simple(&moved[..nv], &fixed[..nv], &mut rate[..nv]);
            for i in 0..nv {
                let (by_q, rate_by_q) = (tangent(&moved_column[i]), tangent(&rate[i]));
                column[j * MAX_SIMPLE_NV + i] = by_q;
                // ∂(S v)/∂q_j = Σ ∂S_i/∂q_j v_i, ∂α/∂q_j = Σ ∂S_i/∂q_j a_i + ∂Ṡ_i/∂q_j v_i
                out.velocity[j] = by_q.mul_add(v[i], &out.velocity[j]);
                let from_rate = rate_by_q.mul_add(v[i], &out.acceleration[j]);
                out.acceleration[j] = by_q.mul_add(a[i], &from_rate);
            }
        }
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
