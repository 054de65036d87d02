//! The configuration of a joint from the placements of its bodies.

use super::JointKind;
use super::constraint_basis::ConstraintBasis;
use super::dispatched::{evaluate, integrate};
use super::spherical;
use crate::scalar::kernel;
use crate::spatial::{Motion, Se3, log6};

/// More entries than any configuration of six degrees of freedom has: those of six (cos, sin)
/// pairs.
pub const MOST_ENTRIES: usize = 12;

/// More steps than the method needs anywhere near its solution, where each squares the error.
const MOST_STEPS: usize = 50;

/// Steps smaller than this, relative to the placement, change nothing.
const CONVERGED: f64 = 1e-15;

/// Moves the configuration `q` to where the joint places its output frame as near as it can to
/// `target`, both in its input frame. Returns the motion that is left over, in the output frame;
/// none if the joint's motions depend on each other on the way.
///
/// Gauss-Newton from the given configuration. Where motions of the joint are a group (most kinds)
/// one step is exact; elsewhere a start within a fraction of a turn is needed. An angle comes out
/// within half a turn of where it was.
pub fn follow(kind: &JointKind, target: &Se3<f64>, q: &mut [f64]) -> Option<Motion<f64>> {
    approach(kind, None, target, q)
}

kernel!(
    /// As [`follow`], with the basis of a constant motion subspace if it is known.
    fn approach(
        kind: &JointKind,
        constant: Option<&ConstraintBasis>,
        target: &Se3<f64>,
        q: &mut [f64],
    ) -> Option<Motion<f64>> {
        if *kind == JointKind::Spherical {
            return Some(spherical::follow(target, q));
        }
        let mut subspace = [Motion::zero(); 6];
        let subspace = &mut subspace[..kind.nv()];
        let mut rest = log6(&evaluate(kind, q, subspace).inverse_compose(target));
        for _ in 0..MOST_STEPS {
            let step = match constant {
                Some(basis) => basis.work(&rest),
                None => ConstraintBasis::of(subspace)?.work(&rest),
            };
            let step = &step[6 - subspace.len()..];
            let small = step.iter().all(|s| s.abs() < CONVERGED);
            if small {
                break;
            }
            let mut scale = 1.0;
            let mut moved = [0.0; MOST_ENTRIES];
            let moved = &mut moved[..q.len()];
            // A step that leads away is halved: beyond an eighth of a turn the linear view may err.
            let next = loop {
                let mut scaled = [0.0; 6];
                for k in 0..step.len() {
                    scaled[k] = step[k] * scale;
                }
                integrate(kind, q, &scaled[..step.len()], moved);
                let next = log6(&evaluate(kind, moved, subspace).inverse_compose(target));
                if squared(&next) <= squared(&rest) || scale < 1e-3 {
                    break next;
                }
                scale *= 0.5;
            };
            let gained = squared(&next) < squared(&rest);
            if !gained {
                break;
            }
            q.copy_from_slice(moved);
            rest = next;
        }
        Some(rest)
    }
);

/// How far in each coordinate from a closed configuration others begin, if it fails from there.
const ASIDE: f64 = 0.5;

/// A joint whose frames are less than this apart, in m and rad, is closed but for drift.
const CLOSED: f64 = 1e-6;

/// The same for joints that close loops, of which little is known at first: where a gap is left, it
/// is sought from configurations around the given one whether another one leaves none. A composite
/// joint may have several places that are nearest within their surroundings, between which its
/// motions depend on each other. `basis` is that of the joint, which is read only where its motion
/// subspace is constant.
pub fn follow_closed(
    kind: &JointKind,
    basis: &ConstraintBasis,
    target: &Se3<f64>,
    q: &mut [f64],
) -> Option<Motion<f64>> {
    let constant = kind.has_constant_subspace().then_some(basis);
    let mut begin = [0.0; MOST_ENTRIES];
    let begin = &mut begin[..q.len()];
    begin.copy_from_slice(q);
    let mut nearest = None;
    let others = if constant.is_some() { 0 } else { 2 * kind.nv() };
    for attempt in 0..=others {
        let mut tried = [0.0; MOST_ENTRIES];
        let tried = &mut tried[..q.len()];
        tried.copy_from_slice(begin);
        if let Some(other) = attempt.checked_sub(1) {
            let mut aside = [0.0; 6];
            aside[other / 2] = if other % 2 == 0 { ASIDE } else { -ASIDE };
            integrate(kind, begin, &aside[..kind.nv()], tried);
        }
        let left = approach(kind, constant, target, tried);
        let is_closed = left.is_some_and(|left| squared(&left) < CLOSED * CLOSED);
        if attempt == 0 || is_closed {
            q.copy_from_slice(tried);
            nearest = Some(left?);
        }
        if is_closed {
            break;
        }
    }
    nearest
}

#[inline(always)]
fn squared(motion: &Motion<f64>) -> f64 {
    motion.linear.norm_squared() + motion.angular.norm_squared()
}
