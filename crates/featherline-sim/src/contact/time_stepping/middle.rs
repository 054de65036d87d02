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

use super::floating::FloatingTrees;
use super::moving::Moving;
use featherline::kernel::elimination_tree;
use featherline::model::{EliminationTree, Model};
use featherline_constraint::nonsmooth::Solver;
use nalgebra::DMatrix;

/// A step in rad or m so small that its square is nothing beside the step's own error.
const SHORT: f64 = 1e-4;

/// h/2 ∂c/∂v of the trees that have joints. A body alone rotates by itself
/// ([`FloatingTrees`]).
#[derive(Clone, Debug)]
pub(super) struct MiddleForces {
    tree: EliminationTree,
    /// The coordinates of trees with joints.
    jointed: Vec<usize>,
    frames: Vec<MovingFrame>,
    /// The triangles, packed as M is; the diagonal is in the lower one.
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// Their change until the middle, h/2 ∂c/∂v (v* − v).
    change: Vec<f64>,
    is_active: bool,
}

/// A joint whose linear velocity is in its moving frame, and the coordinates on a path with it.
#[derive(Clone, Debug)]
struct MovingFrame {
    joint: Moving,
    related: Vec<usize>,
}

impl MiddleForces {
    pub fn new(model: &Model, floating: &FloatingTrees, moving: &[Moving]) -> Self {
        let tree = elimination_tree(model).clone();
        let jointed: Vec<usize> = (0..model.nv()).filter(|&k| !floating.is_alone(k)).collect();
        let frame = |joint: &Moving| {
            let first = joint.idx_v;
            let is_below =
                |k: usize| k >= first && tree.ancestors(k).chain([k]).any(|i| i == first);
            let below = (0..model.nv()).filter(|&k| is_below(k));
            MovingFrame {
                joint: *joint,
                related: tree.ancestors(first).chain(below).collect(),
            }
        };
        let frames = moving
            .iter()
            .filter(|joint| !floating.is_alone(joint.idx_v));
        Self {
            frames: frames.map(frame).collect(),
            lower: vec![0.0; tree.tight_len()],
            upper: vec![0.0; tree.tight_len()],
            change: vec![0.0; model.nv()],
            is_active: false,
            jointed,
            tree,
        }
    }

    /// Begins a step of `h` seconds; returns whether these forces are worth the middle.
    #[inline(always)]
    pub fn begin(&mut self, h: f64, v: &[f64]) -> bool {
        self.is_active = self.jointed.iter().any(|&k| (h * v[k]).abs() > SHORT);
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
        for MovingFrame { joint, related } in &self.frames {
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
    pub fn respond(&self, solver: &mut Solver, momentum: &mut [f64]) {
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
}
