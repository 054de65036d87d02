//! The forces of velocities in the middle of a step.
//!
//! The forces that velocities cause are quadratic in them: c(v + δ) = c(v) + ∂c/∂v δ + c(δ).
//! Taken as they are where a step begins, they give what spins energy, a part of (h ω)² in each
//! step: a gyroscope on a ball joint explodes. In the middle of the step they do no work on
//! what spins freely (J. C. Simo and N. Tarnow, "The discrete energy-momentum method", 1992). With
//! their linear change until there, v* needs no iteration:
//!
//! ```text
//! (M̂ + h/2 ∂c/∂v) (v* − v) = h (τ − c(v))
//! ```
//!
//! The matrix has the pattern of M and is not symmetric. Impulses answer to M̂ as before, so that
//! friction and impacts lose energy in its norm.
//!
//! Forces of velocities do no work: with δ₀ what all other forces give,
//!
//! ```text
//! ‖v*‖ ≤ ‖v‖ + ‖δ₀‖   in the norm of M,
//! ```
//!
//! but for the change of M. In a step of radians the linear change may say anything, and each step
//! could square the speed. A tree for which that is notably more goes on without these forces in
//! that step, with its momentum.

use super::TimeStepping;
use super::floating::FloatingTrees;
use super::moving::MovingFrameJoint;
use crate::integrator::stepper::StepState;
use crate::integrator::{IntegratorError, Result};
use featherline::dynamics::DynamicsOptions;
use featherline::kernel::elimination_tree;
use featherline::model::{EliminationTree, Model};
use featherline_constraint::nonsmooth::Solver;
use nalgebra::DMatrix;

/// A step in rad or m so small that its square is nothing beside the step's own error.
const SHORT: f64 = 1e-4;

/// A step in rad or m so long that the change may say anything.
const LONG: f64 = 0.1;

/// How many times its bound ‖v*‖ may be: M changes in such a step.
const NOTABLE: f64 = 2.0;

/// h/2 ∂c/∂v of the trees that have joints: [`FloatingTrees`] rotate a body alone.
#[derive(Clone, Debug)]
pub(super) struct MiddleForces {
    tree: EliminationTree,
    /// The coordinates of trees with joints.
    jointed: Vec<usize>,
    frames: Vec<JointPaths>,
    /// The triangles, packed as M is; the diagonal is in the lower one.
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// Their change until the middle, h/2 ∂c/∂v (v* − v).
    change: Vec<f64>,
    is_active: bool,
    is_long: bool,
    /// The first coordinate of each coordinate's tree.
    roots: Vec<usize>,
    /// The norms of v, v* and δ₀ of each tree, at its first coordinate.
    norms: Vec<[f64; 3]>,
    /// The right side h (τ − c) of a long step, and δ₀.
    given: Vec<f64>,
}

/// A joint whose linear velocity is in its moving frame, and the coordinates on a path with it.
#[derive(Clone, Debug)]
struct JointPaths {
    joint: MovingFrameJoint,
    related: Vec<usize>,
}

impl MiddleForces {
    pub fn new(model: &Model, floating: &FloatingTrees, moving: &[MovingFrameJoint]) -> Self {
        let tree = elimination_tree(model).clone();
        let jointed: Vec<usize> = (0..model.nv()).filter(|&k| !floating.is_alone(k)).collect();
        let frame = |joint: &MovingFrameJoint| {
            let first = joint.idx_v;
            let is_below =
                |k: usize| k >= first && tree.ancestors(k).chain([k]).any(|i| i == first);
            let below = (0..model.nv()).filter(|&k| is_below(k));
            JointPaths {
                joint: *joint,
                related: tree.ancestors(first).chain(below).collect(),
            }
        };
        let mut roots: Vec<usize> = (0..model.nv()).collect();
        for k in 0..model.nv() {
            roots[k] = tree.parents()[k].map_or(k, |parent| roots[parent]);
        }
        let frames = moving
            .iter()
            .filter(|joint| !floating.is_alone(joint.idx_v));
        Self {
            frames: frames.map(frame).collect(),
            lower: vec![0.0; tree.tight_len()],
            upper: vec![0.0; tree.tight_len()],
            change: vec![0.0; model.nv()],
            is_active: false,
            is_long: false,
            norms: vec![[0.0; 3]; model.nv()],
            given: vec![0.0; model.nv()],
            roots,
            jointed,
            tree,
        }
    }

    /// Whether no step is worth the middle: there are no joints but those of free bodies.
    pub fn is_empty(&self) -> bool {
        self.jointed.is_empty()
    }

    /// Begins a step of `h` seconds; returns whether these forces are worth the middle.
    #[inline(always)]
    pub fn begin(&mut self, h: f64, v: &[f64]) -> bool {
        let ways = self.jointed.iter().map(|&k| (h * v[k]).abs());
        let longest = ways.fold(0.0, f64::max);
        self.is_long = longest > LONG;
        self.is_active = longest > SHORT;
        self.is_active
    }

    /// Takes ∂c/∂v for a given acceleration of the coordinates of moving frames, and M, packed.
    #[inline(always)]
    pub fn take(&mut self, h: f64, v: &[f64], by_v: &DMatrix<f64>, mass: &[f64]) {
        for &k in &self.jointed {
            for i in self.tree.ancestors(k).chain([k]) {
                let place = self.tree.tight_place(k, i);
                self.lower[place] = 0.5 * h * by_v[(k, i)];
                self.upper[place] = 0.5 * h * by_v[(i, k)];
            }
        }
        // That acceleration is v × ω, of the velocities in the frame.
        for JointPaths { joint, related } in &self.frames {
            let (linear, angular) = (joint.linear(v), joint.angular(v));
            let count = if joint.is_planar { 2 } else { 3 };
            for (j, [by_linear, by_angular]) in joint.directions() {
                let seen = by_linear.cross(angular) + linear.cross(by_angular);
                let seen = seen.to_array();
                for &r in related {
                    let mut sum = 0.0;
                    for (a, seen) in (joint.idx_v..).zip(&seen[..count]) {
                        sum += mass[self.tree.tight_place(r.max(a), r.min(a))] * seen;
                    }
                    let place = self.tree.tight_place(r.max(j), r.min(j));
                    let triangle = if r >= j {
                        &mut self.lower
                    } else {
                        &mut self.upper
                    };
                    triangle[place] += 0.5 * h * sum;
                }
            }
        }
    }

    /// Replaces h (τ − c) by v* − v.
    #[inline(always)]
    pub fn respond(&mut self, solver: &mut Solver, momentum: &mut [f64]) {
        if self.is_long {
            self.given.copy_from_slice(momentum);
        }
        // Without a solution the forces are those where the step begins.
        if !(self.is_active && solver.respond_with(&self.lower, &self.upper, momentum)) {
            solver.respond(momentum);
        }
    }

    /// h/2 ∂c/∂v (v* − v): what these forces change until the middle.
    #[inline(always)]
    pub fn change(&mut self, free: &[f64], v: &[f64]) -> &[f64] {
        self.change.fill(0.0);
        if self.is_active {
            let out = &mut self.change;
            for &k in &self.jointed {
                let own = free[k] - v[k];
                for i in self.tree.ancestors(k) {
                    let place = self.tree.tight_place(k, i);
                    out[k] = self.lower[place].mul_add(free[i] - v[i], out[k]);
                    out[i] = self.upper[place].mul_add(own, out[i]);
                }
                out[k] = self.lower[self.tree.tight_place(k, k)].mul_add(own, out[k]);
            }
        }
        &self.change
    }

    /// Finds the norm of a vector in each tree, in M, packed.
    #[inline(always)]
    fn find_norms(&mut self, which: usize, mass: &[f64], x: &[f64]) {
        for norms in &mut self.norms {
            norms[which] = 0.0;
        }
        for &k in &self.jointed {
            // Σ x_k M_ki x_i
            let mut sum = 0.5 * mass[self.tree.tight_place(k, k)] * x[k];
            for i in self.tree.ancestors(k) {
                sum = mass[self.tree.tight_place(k, i)].mul_add(x[i], sum);
            }
            self.norms[self.roots[k]][which] += 2.0 * x[k] * sum;
        }
        for norms in &mut self.norms {
            norms[which] = norms[which].max(0.0).sqrt();
        }
    }

    /// Whether a tree is notably faster after a long step, or has no speed that is a number.
    #[inline(always)]
    pub fn is_faster(&mut self, mass: &[f64], v: &[f64], free: &[f64]) -> bool {
        if !self.is_long {
            return false;
        }
        self.find_norms(0, mass, v);
        self.find_norms(1, mass, free);
        let mut norms = self.norms.iter();
        !norms.all(|[before, after, _]| *after <= NOTABLE * before)
    }

    /// Whether a coordinate is in a tree within its bound; no number is not.
    fn is_within(&self, coordinate: usize) -> bool {
        let [before, after, given] = self.norms[self.roots[coordinate]];
        after <= NOTABLE * (before + given)
    }

    /// Leaves the change until the middle out of a coordinate's row.
    fn leave_out(&mut self, k: usize) {
        for i in self.tree.ancestors(k).chain([k]) {
            let place = self.tree.tight_place(k, i);
            (self.lower[place], self.upper[place]) = (0.0, 0.0);
        }
    }
}

impl<L, C> TimeStepping<'_, L, C> {
    /// Leaves forces of velocities out of trees in which they would do work. v* is in `free`.
    #[cold]
    pub(super) fn leave_out_middle(&mut self, start: StepState<'_>) -> Result<()> {
        let StepState { t, q, v, h } = start;
        // h c
        self.step.fill(0.0);
        self.middle.change.fill(0.0);
        let rest = &self.middle.change[..];
        let options = DynamicsOptions::default().without_passive_forces();
        for (factor, v, a) in [(h, v, &self.correction[..]), (-h, rest, rest)] {
            let found = self.model.inverse_dynamics(&mut self.ws, q, v, a, options);
            let bias = found.map_err(|source| IntegratorError::at(self.model, t, v, source))?;
            for (sum, bias) in self.step.iter_mut().zip(bias) {
                *sum = factor.mul_add(*bias, *sum);
            }
        }
        let middle = &mut self.middle;
        for (given, c) in middle.given.iter_mut().zip(&self.step) {
            *given += c;
        }
        self.solver.respond(&mut middle.given);
        let given = std::mem::take(&mut middle.given);
        middle.find_norms(2, &self.mass, &given);
        for at in 0..middle.jointed.len() {
            let k = middle.jointed[at];
            if !middle.is_within(k) {
                middle.leave_out(k);
                self.momentum[k] += self.step[k];
                self.free[k] = v[k] + given[k];
                self.floating.leave_out(k);
            }
        }
        middle.given = given;
        Ok(())
    }
}
