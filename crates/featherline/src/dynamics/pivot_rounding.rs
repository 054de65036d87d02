//! How far an articulated pivot may be off by rounding.
//!
//! What a link's articulated inertia is rounded by, in crossing the joints to its children and in sums with them, is as if its
//! body had another inertia: one that differs by roundings of the terms at that link (J. H. Wilkinson, *Rounding Errors in
//! Algebraic Processes*, 1963). These are far less than the inertia of all that the link carries, which its children's free joints take no
//! part of. A pivot is vᵀ I v summed over the bodies below, with the motions v that they make when its coordinate alone is moved and
//! those below are free; to first order it is off by the same sum over the roundings. The recursion that carries inertias
//! to the root therefore carries a bound of the roundings, too, with the joints' motions as they are.

use super::articulated::{axial_force, is_known, join_columns, pass_on};
use crate::kinematics::hinge::placed;
use crate::model::{Front, Model};
use crate::scalar::{Form, InstructionSet, Kernel, Scalar};
use crate::spatial::{ArticulatedInertia, Force, Mat3, Sym3};
use crate::workspace::{Fronts, Scratch, filled};

/// What [`PivotTerms`] writes.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct PivotRounding<S: Scalar> {
    /// For each coordinate, the terms in whose roundings its pivot may be off.
    pub terms: Box<[S]>,
    /// What each link carries before its joint is crossed, noted by the elimination.
    pub(super) carried: Box<[Size<S>]>,
    sizes: Box<[Size<S>]>,
    bounds: Box<[ArticulatedInertia<S>]>,
    fronts: Fronts<S>,
}

impl<S: Scalar> PivotRounding<S> {
    /// Memory for a model.
    pub fn new(model: &Model) -> Self {
        let links = model.links.len();
        Self {
            terms: filled(S::zero(), model.nv()),
            carried: filled(Size::default(), links),
            sizes: filled(Size::default(), links),
            bounds: filled(ArticulatedInertia::zero(), links),
            fronts: Fronts::new(model),
        }
    }

    /// How many bytes it takes.
    #[cfg(feature = "batch")]
    pub fn bytes(&self) -> usize {
        let numbers = self.terms.len() + self.fronts.square.len() + self.fronts.side.len();
        numbers * size_of::<S>()
            + self.fronts.force.len() * size_of::<Force<S>>()
            + (self.carried.len() + self.sizes.len()) * size_of::<Size<S>>()
            + self.bounds.len() * size_of::<ArticulatedInertia<S>>()
    }
}

/// How the articulated-body elimination that a workspace holds was done.
#[derive(Clone, Copy, Default)]
pub(crate) struct Elimination<'a> {
    /// The coordinates that were not eliminated, because their acceleration is known.
    pub known: Option<&'a [bool]>,
    /// The links whose joints were crossed by other means; none if it is empty. They count as if they were locked.
    pub is_tied: &'a [bool],
    /// Whether hinges were kept as turns.
    pub by_turns: bool,
}

/// Finds the terms of pivots; those of coordinates that are not eliminated keep what stands there.
pub(super) struct PivotTerms<'a, S: Scalar> {
    pub model: &'a Model,
    /// Memory of an elimination.
    pub ws: &'a mut Scratch<S>,
    pub elimination: Elimination<'a>,
}

impl<'a, S: Scalar> PivotTerms<'a, S> {
    #[inline(always)]
    fn seen_as<F: Form>(self, form: F) -> PivotTerms<'a, F::Of<S>> {
        PivotTerms {
            model: self.model,
            ws: self.ws.seen_as(form),
            elimination: self.elimination,
        }
    }
}

/// Bounds of the mass and of the moment of inertia in any direction.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Size<S> {
    mass: S,
    moment: S,
}

impl<S: Scalar> Size<S> {
    #[inline(always)]
    pub(super) fn of(inertia: &ArticulatedInertia<S>) -> Self {
        Self {
            mass: trace(&inertia.linear),
            moment: trace(&inertia.angular),
        }
    }

    /// Adds the size of something at a distance.
    #[inline(always)]
    fn add(&mut self, other: Self, distance: S) {
        let reach = distance.mul_add(other.mass.sqrt(), other.moment.sqrt());
        self.mass += other.mass;
        self.moment = reach.mul_add(reach, self.moment);
    }

    #[inline(always)]
    fn to_inertia(self) -> ArticulatedInertia<S> {
        let (zero, mass, moment) = (S::zero(), self.mass, self.moment);
        ArticulatedInertia {
            linear: Sym3::new(mass, zero, zero, mass, zero, mass),
            coupling: Mat3::zero(),
            angular: Sym3::new(moment, zero, zero, moment, zero, moment),
        }
    }
}

#[inline(always)]
fn trace<S: Scalar>(matrix: &Sym3<S>) -> S {
    let [xx, _, _, yy, _, zz] = matrix.to_elements();
    // Rounding may leave a little less than nothing.
    (xx + yy + zz).abs()
}

impl<S: Scalar> Kernel for PivotTerms<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run_as<F: Form>(self, form: F) {
        self.seen_as(form).run();
    }

    #[inline(always)]
    fn run(self) {
        let Self {
            model,
            ws,
            elimination:
                Elimination {
                    known,
                    is_tied,
                    by_turns,
                },
        } = self;
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
        let is_tied = |link: usize| is_tied.get(link).is_some_and(|tied| *tied);
        // The terms at each link: its own inertia, and what its children have before their joints are crossed.
        for (i, link) in links.iter().enumerate().skip(1) {
            if by_turns {
                ws.placement[i] = placed(link, &ws.turn[i], &ws.placement[i]);
            }
            let own = ws.parameters_of(i, link).to_articulated();
            sizes[i] = Size::of(&own);
        }
        for (i, link) in links.iter().enumerate().skip(1).rev() {
            let from_child = if is_tied(i) { sizes[i] } else { carried[i] };
            sizes[link.parent].add(from_child, ws.placement[i].translation.norm());
        }

        fronts.force.fill(Force::zero());
        fronts.square.fill(S::zero());
        for (bound, size) in bounds.iter_mut().zip(sizes.iter()) {
            *bound = size.to_inertia();
        }
        for (i, link) in links.iter().enumerate().skip(1).rev() {
            let front = &model.coordinates.fronts[i];
            let placement = &ws.placement[i];
            let mut bound = bounds[i];
            if is_tied(i) {
                bounds[link.parent] += bound.transformed_by(placement);
                continue;
            }
            if front.simple {
                let (force, component) = axial_force(link.class, &bound);
                fronts.force[front.offset] = force;
                fronts.square[front.square] = component;
            } else {
                join_columns(front, link, &bound, &ws.subspaces.column, fronts);
            }
            eliminate(model, front, known, &ws.fronts, &mut bound, fronts, terms);
            if link.parent != 0 {
                bounds[link.parent] += bound.transformed_by(placement);
            }
            if !front.simple {
                pass_on(model, i, link, placement, fronts);
            }
        }
        let nothing = &mut ArticulatedInertia::zero();
        let shared = &model.coordinates.fronts[0];
        eliminate(model, shared, known, &ws.fronts, nothing, fronts, terms);
        ws.rounding = rounding;
    }
}

/// Lets the coordinates of a front move as the elimination has them move: its `factors` are what it left.
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
