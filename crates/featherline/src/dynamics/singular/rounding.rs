//! How far an articulated pivot may be off by rounding.
//!
//! Rounding of a link's articulated inertia, in crossing the joints to its children and in sums
//! with them, acts as if its body had another inertia: one that differs by roundings of the terms
//! at that link (J. H. Wilkinson, *Rounding Errors in Algebraic Processes*, 1963). These are far
//! less than the inertia of all that the link carries, which its children's free joints take no
//! part of. A pivot is vᵀ I v summed over the bodies below, with the motions v that they make when
//! its coordinate alone is moved and those below are free; to first order it is off by the same sum
//! over the roundings. The recursion that carries inertias to the root therefore carries a bound of
//! the roundings, too, with the joints' motions as they are.

use super::ROUNDINGS;
use crate::dynamics::articulated::{axial_force, is_known, join_columns, pass_on};
use crate::kinematics::hinge::placed;
use crate::model::{Front, Model};
use crate::scalar::{Scalar, kernel};
use crate::spatial::{ArticulatedInertia, Force, InertiaBound};
use crate::workspace::{Fronts, PivotRounding, Scratch};

/// How many times its pivot a term may be: above, the pivot may be nothing but roundings.
#[inline(always)]
pub(super) fn most_roundings<S: Scalar>() -> f64 {
    (ROUNDINGS * S::EPSILON).recip()
}

/// How the articulated-body elimination that a workspace holds was done.
#[derive(Clone, Copy, Default)]
pub struct ArticulatedElimination<'a> {
    /// The coordinates that were not eliminated, because their acceleration is known.
    pub known: Option<&'a [bool]>,
    /// The links whose joints were crossed by other means; none if it is empty. They count as if
    /// they were locked.
    pub is_tied: &'a [bool],
    /// Whether hinges were kept as turns.
    pub by_turns: bool,
}

kernel!(
    /// Finds the terms of pivots, and whether all pivots are clear of what rounds them; the terms
    /// of coordinates that are not eliminated keep what stands there.
    ///
    /// `end` is the number of links whose joints are judged. What these carry beyond counts as one
    /// body, of the size that it has as a whole: what the pivots there were found to be large
    /// against.
    pub(super) fn pivots_are_clear<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        #[plain] elimination: ArticulatedElimination<'_>,
        #[plain] end: usize,
    ) -> bool {
        let ArticulatedElimination {
            known,
            is_tied,
            by_turns,
        } = elimination;
        // It can't be borrowed from the workspace while its other parts are being read.
        let mut rounding = std::mem::take(&mut ws.rounding);
        let PivotRounding {
            terms,
            carried,
            sizes,
            bounds,
            fronts,
        } = &mut rounding;
        let links = &model.links[..];
        if model.has_mimic_joints() {
            // Without mimic joints, a front holds nothing before its own link is reached.
            fronts.force.fill(Force::zero());
            fronts.square.fill(S::zero());
        }
        for (i, link) in links.iter().enumerate().skip(1) {
            sizes[i] = InertiaBound::of_body(&ws.parameters_of(i, link));
        }
        for (i, link) in links.iter().enumerate().skip(1).rev() {
            let own;
            let placement = if by_turns {
                own = placed(link, &ws.turn[i], &ws.placement[i]);
                &own
            } else {
                &ws.placement[i]
            };
            if i >= end {
                if link.parent >= end {
                    let whole = sizes[i];
                    sizes[link.parent].add(whole, placement.translation.norm());
                } else if link.parent != 0 {
                    sizes[link.parent].add(carried[i], placement.translation.norm());
                    let bound = sizes[i].to_inertia().transformed_by(placement);
                    let above = &mut bounds[model.place_in_path[link.parent]];
                    if model.is_last_child(i) {
                        *above = bound;
                    } else {
                        *above += bound;
                    }
                }
                continue;
            }
            let front = &model.coordinates.fronts[i];
            // The terms at a link: its own inertia, and what its children have before their joints
            // are crossed.
            let has_children = i + 1 < links.len() && links[i + 1].parent == i;
            let terms_here = sizes[i].to_inertia();
            let mut bound = if has_children {
                bounds[model.place_in_path[i]] + terms_here
            } else {
                terms_here
            };
            let is_tied = is_tied.get(i).is_some_and(|tied| *tied);
            let from_child = if is_tied { sizes[i] } else { carried[i] };
            if link.parent != 0 {
                sizes[link.parent].add(from_child, placement.translation.norm());
            }
            if !is_tied {
                if front.simple {
                    let (force, component) = axial_force(link.class, &bound);
                    fronts.force[front.offset] = force;
                    fronts.square[front.square] = component;
                } else {
                    join_columns(front, link, &bound, &ws.subspaces.column, fronts);
                }
                eliminate(model, front, known, &ws.fronts, &mut bound, fronts, terms);
            }
            if link.parent != 0 {
                let above = &mut bounds[model.place_in_path[link.parent]];
                let bound = bound.transformed_by(placement);
                if model.is_last_child(i) {
                    *above = bound;
                } else {
                    *above += bound;
                }
            }
            if !is_tied && !front.simple {
                pass_on(model, i, link, placement, fronts);
            }
        }
        let nothing = &mut ArticulatedInertia::zero();
        let shared = &model.coordinates.fronts[0];
        eliminate(model, shared, known, &ws.fronts, nothing, fronts, terms);
        let (zero, most) = (S::zero(), S::constant(most_roundings::<S>()));
        let mut clear = true;
        for front in &model.coordinates.fronts[..end] {
            for k in 0..front.eliminated {
                let coordinate = front.coordinates[k];
                if is_known(known, coordinate) {
                    continue;
                }
                let inverse = ws.fronts.square[front.square + k * (front.coordinates.len() + 1)];
                let ratio = inverse * terms[coordinate];
                clear &= S::all(zero.less(inverse));
                clear &= S::all(zero.less(ratio)) & S::all(ratio.less(most));
            }
        }
        ws.rounding = rounding;
        clear
    }
);

/// Lets a front's coordinates move as the elimination that left `factors` has them move.
#[inline(always)]
fn eliminate<S: Scalar>(
    model: &Model,
    front: &Front,
    known: Option<&[bool]>,
    factors: &Fronts<S>,
    bound: &mut ArticulatedInertia<S>,
    fronts: &mut Fronts<S>,
    terms: &mut [S],
) {
    let size = front.coordinates.len();
    let forces = &mut fronts.force[front.offset..front.offset + size];
    let square = &mut fronts.square[front.square..front.square + size * size];
    for k in 0..front.eliminated {
        let coordinate = front.coordinates[k];
        if is_known(known, coordinate) {
            continue;
        }
        let row = front.square + k * size;
        let inverse = factors.square[row + k];
        let pivot = square[k * size + k] + S::constant(model.reflected_inertia[coordinate]);
        terms[coordinate] = pivot;
        // A term that is not there has no share in the others.
        let share = S::select(S::zero().less(pivot), pivot.recip(), S::zero());
        let own = forces[k];
        let moved = factors.force[front.offset + k] * inverse;
        let difference = own.mul_add(-share, &moved);
        *bound = bound.sub_outer(&own, share).sub_outer(&difference, -pivot);
        for m in k + 1..size {
            let rate = factors.square[row + m] * inverse;
            let part = square[k * size + m];
            let left = forces[m] - own * rate;
            forces[m] = moved.mul_add(rate.mul_add(pivot, -part), &left);
        }
        for m in k + 1..size {
            let rate = factors.square[row + m] * inverse;
            for l in k + 1..size {
                let other = factors.square[row + l] * inverse;
                let both = rate.mul_add(pivot, -square[k * size + m]);
                let element = (-rate).mul_add(square[k * size + l], square[m * size + l]);
                square[m * size + l] = other.mul_add(both, element);
            }
        }
    }
}
