//! The displacements of bodies from those of joints.

use super::cayley::Displacement;
use featherline::kernel::{
    Class, Form, InForm, Kernel, Link, dispatch, joint as joint_kernel, joint_motion, links,
};
use featherline::model::Model;
use featherline::scalar::{InstructionSet, Scalar};
use featherline::spatial::{Motion, Se3};
use std::f64::consts::PI;

/// The joints' displacements `d` from `q`, and those of the links that follow from them.
pub(super) struct LinkDisplacements<'a, S: Scalar> {
    pub model: &'a Model,
    pub q: &'a [S],
    pub d: &'a [S],
    /// Way and turn of each link's displacement, in its own frame, and the real part of its
    /// quaternion.
    pub displacement: &'a mut [Motion<S>],
    pub cosine: &'a mut [S],
    /// Memory for joints whose motion subspace varies: nq entries, and as many columns as the
    /// largest joint has.
    pub configuration: &'a mut [S],
    pub columns: &'a mut [Motion<S>],
}

impl<'a, S: Scalar> InForm for LinkDisplacements<'a, S> {
    type As<F: Form> = LinkDisplacements<'a, F::Of<S>>;

    #[inline(always)]
    fn in_form<F: Form>(self, form: F) -> Self::As<F> {
        LinkDisplacements {
            model: self.model,
            q: self.q.in_form(form),
            d: self.d.in_form(form),
            displacement: self.displacement.in_form(form),
            cosine: self.cosine.in_form(form),
            configuration: self.configuration.in_form(form),
            columns: self.columns.in_form(form),
        }
    }
}

impl<S: Scalar> LinkDisplacements<'_, S> {
    /// Finds the displacement of a link from that of its parent, and keeps it. `column` are the
    /// motion subspaces at q.
    #[inline(always)]
    pub fn displace_link(
        &mut self,
        i: usize,
        link: &Link,
        placement: &Se3<S>,
        column: &[Motion<S>],
    ) -> Displacement<S> {
        let carried = match link.parent {
            // The universe stays where it is.
            0 => None,
            parent => {
                Some(displacement_of(parent, self.displacement, self.cosine).seen_from(placement))
            }
        };
        let moved = match link.class {
            Class::Revolute | Class::Unbounded => {
                let angle = self.d[link.idx_v];
                let (sine, cosine) = (angle * S::constant(0.5)).sin_cos();
                let cosine = unless_half_a_turn(angle * angle, cosine);
                match carried {
                    Some(carried) => carried.then_about_z(sine, cosine),
                    None => Displacement::about_z(sine, cosine),
                }
            }
            Class::Prismatic => {
                let own = Displacement::along_z(self.d[link.idx_v]);
                match carried {
                    Some(carried) => carried.then(&own),
                    None => own,
                }
            }
            Class::General => {
                let own = dispatch(JointDisplacement {
                    model: self.model,
                    i,
                    q: self.q,
                    d: self.d,
                    column,
                    configuration: self.configuration,
                    columns: self.columns,
                });
                match carried {
                    Some(carried) => carried.then(&own),
                    None => own,
                }
            }
        };
        self.displacement[i] = Motion::new(moved.way, moved.turn);
        self.cosine[i] = moved.cosine;
        moved
    }
}

/// The cosine of half an angle; no number where the angle itself, of which the square is given, is
/// π or more: beyond one and a half turns the cosine is positive again.
#[inline(always)]
fn unless_half_a_turn<S: Scalar>(squared_angle: S, cosine: S) -> S {
    let half_a_turn = S::constant(PI * PI);
    S::select(
        squared_angle.less(half_a_turn),
        cosine,
        S::constant(f64::NAN),
    )
}

/// Whether a link or its joint rotates by π or more, where Cayley's coordinates end.
pub(super) fn turns_too_far(cosine: &[f64]) -> bool {
    cosine[1..].iter().any(has_turned)
}

fn has_turned(cosine: &f64) -> bool {
    cosine.is_nan() || *cosine <= 0.0
}

/// The link that rotates too far whose joint was fastest before: others turn with it.
pub(super) fn furthest_turned(model: &Model, cosine: &[f64], last: &[f64]) -> Option<usize> {
    let joints = model.joints();
    let speed = |i: usize| {
        let own = &last[joints[i].idx_v..joints[i].idx_v + joints[i].nv];
        own.iter().fold(0.0_f64, |most, v| most.max(v.abs()))
    };
    let turned = (1..cosine.len()).filter(|&i| has_turned(&cosine[i]));
    turned.reduce(|a, b| if speed(b) > speed(a) { b } else { a })
}

/// The displacement of a link, as it is stored.
#[inline(always)]
pub(super) fn displacement_of<S: Scalar>(
    i: usize,
    displacement: &[Motion<S>],
    cosine: &[S],
) -> Displacement<S> {
    Displacement {
        turn: displacement[i].angular,
        cosine: cosine[i],
        way: displacement[i].linear,
    }
}

/// How a joint of any kind displaces its output frame when its coordinates are displaced by `d`
/// from `q`. A kernel of its own, as all code for every kind of joint is.
///
/// Where the motion subspace is constant, q ⊕ d places the frame at M(q) exp(S d): the displacement
/// does not depend on q, nor on its rounding. Elsewhere it is M(q)⁻¹ M(q ⊕ d).
struct JointDisplacement<'a, S: Scalar> {
    model: &'a Model,
    i: usize,
    q: &'a [S],
    d: &'a [S],
    column: &'a [Motion<S>],
    configuration: &'a mut [S],
    columns: &'a mut [Motion<S>],
}

impl<S: Scalar> Kernel for JointDisplacement<'_, S> {
    type Output = Displacement<S>;
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) -> Displacement<S> {
        let (joint, link) = (&self.model.joints()[self.i], &links(self.model)[self.i]);
        if !link.is_varying {
            let motion = joint_motion(link, self.column, self.d);
            let moved = Displacement::exp(&motion);
            let cosine = unless_half_a_turn(motion.angular.norm_squared(), moved.cosine);
            return Displacement { cosine, ..moved };
        }
        // Such a joint is never a mimic joint, so its coordinates are its own.
        let entries = link.idx_q..link.idx_q + joint.nq;
        let q = &self.q[entries.clone()];
        let d = &self.d[link.idx_v..link.idx_v + link.columns];
        let next = &mut self.configuration[entries];
        joint_kernel::integrate(&joint.kind, q, d, next);
        let columns = &mut self.columns[..link.columns];
        let before: Se3<S> = joint_kernel::evaluate(&joint.kind, q, columns);
        let turns = columns.iter().zip(d);
        let squared = turns.map(|(column, &d)| column.angular.norm_squared() * d * d);
        let farthest = squared.fold(S::zero(), |most, x| S::select(most.less(x), x, most));
        let after = joint_kernel::evaluate(&joint.kind, next, columns);
        let moved = Displacement::of(&before.inverse_compose(&after));
        let cosine = unless_half_a_turn(farthest, moved.cosine);
        Displacement { cosine, ..moved }
    }
}
