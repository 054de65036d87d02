//! Inverse kinematics: a configuration in which links are where they should be.

mod equations;

use crate::bounds::{hold, hold_allowed};
use crate::closing::Closing;
use crate::{Error, Goal};
use equations::{Equations, Errors};
use featherline::configuration::integrate_into;
use featherline::random::SplitMix64;
use featherline::{Model, Workspace};
use nalgebra::{Cholesky, DMatrix, DVector};

/// Damping that steps begin with, as a fraction of the largest diagonal entry of JᵀJ.
const FIRST_DAMPING: f64 = 1e-3;
/// Damping never falls below: JᵀJ is singular where a robot has joints to spare.
const LEAST_DAMPING: f64 = 1e-12;
/// Damping above which steps are too short to change anything.
const MOST_DAMPING: f64 = 1e12;
/// Each step that makes the errors smaller divides the damping by this, others multiply it.
const DAMPING_FACTOR: f64 = 4.0;
/// A step that lowers the cost by less than this fraction, with the gradient as small, is the last.
const STAGNATION: f64 = 1e-12;

/// A solver of inverse kinematics for one model.
///
/// The method is that of Levenberg and Marquardt: it minimises the weighted sum of squared errors
/// of all goals, in m and rad, by damped steps Δq = (JᵀW J + μ 1)⁻¹ JᵀW e, so that it ends at the
/// best compromise nearby where goals are out of reach, and moves little what goals leave free.
/// Coordinates at a limit that a step would cross are held. On robots with closed loops, steps are
/// those of closed loops, and each is followed by an assembly within limits; a linkage that is
/// beyond limits at the start goes no further beyond them. Cost of an iteration
/// O(r nv² + nv³) for r equations, and one factorisation of the loops' constraints.
///
/// ```
/// use featherline::samples;
/// use featherline_control::{Goal, InverseKinematics};
///
/// let model = samples::double_pendulum();
/// let mut solver = InverseKinematics::new(&model)?;
/// let mut q = [0.3, 0.5];
/// let goal = Goal::position(model.joint_id("elbow")?, [0.6, 0.0, -0.8].into());
/// let solution = solver.solve(&[goal], &mut q)?;
/// assert!(solution.is_reached && solution.position_error < 1e-8);
/// # Ok::<(), featherline_control::Error>(())
/// ```
pub struct InverseKinematics<'m> {
    model: &'m Model,
    ws: Workspace<f64>,
    closing: Closing<'m>,
    tolerance: f64,
    max_iterations: usize,
    restarts: usize,
}

/// How well goals were reached.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Solution {
    /// Whether no error is above the tolerance.
    pub is_reached: bool,
    /// The largest distance of a point from where it should be, in m.
    pub position_error: f64,
    /// The largest angle of a frame from where it should be, in rad.
    pub rotation_error: f64,
    /// Steps that were tried, those of all starts.
    pub iterations: usize,
    /// Random starts that were tried after the first.
    pub restarts: usize,
}

impl<'m> InverseKinematics<'m> {
    /// A solver with a tolerance of 1e-8 m and rad, 100 iterations a start, and at most 10 other
    /// starts.
    ///
    /// # Errors
    /// [`Error::Loop`] for loop joints whose constraints are not determined.
    pub fn new(model: &'m Model) -> Result<Self, Error> {
        Ok(Self {
            model,
            ws: Workspace::new(model),
            closing: Closing::new(model)?,
            tolerance: 1e-8,
            max_iterations: 100,
            restarts: 10,
        })
    }

    /// The same with another tolerance of each error, in m and rad.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// The same with another limit of iterations from each start.
    #[must_use]
    pub fn max_iterations(mut self, most: usize) -> Self {
        self.max_iterations = most;
        self
    }

    /// The same with at most so many random configurations to start from, where the first start
    /// does not lead to the goals. They are the same in each call. Zero for a goal that moves and
    /// is followed: the robot does not jump to another branch of solutions then.
    #[must_use]
    pub fn restarts(mut self, most: usize) -> Self {
        self.restarts = most;
        self
    }

    /// Moves a configuration to one that reaches the goals, or comes as near as it gets from here.
    ///
    /// `q` has nq entries: the start, within limits or moved into them first. The result is the
    /// best of all starts. Allocates.
    ///
    /// # Errors
    /// [`Error::Goal`]; [`Error::Model`] for sizes, foreign ids and numbers that are not finite;
    /// [`Error::Loop`] if the loops do not close at the start.
    pub fn solve(&mut self, goals: &[Goal], q: &mut [f64]) -> Result<Solution, Error> {
        for (index, goal) in goals.iter().enumerate() {
            if let Some(fault) = goal.fault() {
                return Err(Error::Goal { index, fault });
            }
        }
        let mut best = self.descend(goals, q)?;
        let mut random = SplitMix64::new(0);
        let mut start = vec![0.0; q.len()];
        let mut tried = 0;
        while tried < self.restarts && !best.solution.is_reached {
            tried += 1;
            start.copy_from_slice(&self.model.random_configuration(&mut random));
            // Where the loops do not close from here, another start may do.
            let Ok(found) = self.descend(goals, &mut start) else {
                continue;
            };
            let iterations = best.solution.iterations + found.solution.iterations;
            if found.cost < best.cost {
                best = found;
                q.copy_from_slice(&start);
            }
            best.solution.iterations = iterations;
        }
        best.solution.restarts = tried;
        Ok(best.solution)
    }

    /// The end of a descent from one start, which becomes it.
    fn descend(&mut self, goals: &[Goal], q: &mut [f64]) -> Result<Descent, Error> {
        let model = self.model;
        let mut next = q.to_vec();
        self.closing.bounds.clamp(&mut next);
        self.closing.close(&mut next)?;
        let mut equations = Equations::new(model, goals);
        let mut here = equations.evaluate(model, &mut self.ws, goals, &next)?;
        q.copy_from_slice(&next);
        let mut damping = FIRST_DAMPING;
        let mut iterations = 0;
        while iterations < self.max_iterations && !here.is_within(self.tolerance) {
            iterations += 1;
            // JᵀW J and JᵀW e, in coordinates of closed loops.
            let allowed = self.closing.allowed(q)?;
            let Some(step) = self.step(&equations, allowed, q, damping) else {
                damping *= DAMPING_FACTOR;
                continue;
            };
            integrate_into(model, q, step.as_slice(), &mut next)?;
            self.closing.bounds.clamp_from(q, &mut next);
            let there = match self.closing.close_within(q, &mut next, &[]) {
                true => equations.evaluate(model, &mut self.ws, goals, &next)?,
                false => Errors::infinite(),
            };
            if there.cost < here.cost {
                let gain = here.cost - there.cost;
                q.copy_from_slice(&next);
                let is_last = gain <= STAGNATION * here.cost;
                here = there;
                damping = (damping / DAMPING_FACTOR).max(LEAST_DAMPING);
                if is_last {
                    break;
                }
            } else {
                damping *= DAMPING_FACTOR;
                if damping > MOST_DAMPING {
                    break;
                }
                // The equations are those of `q` again.
                equations.evaluate(model, &mut self.ws, goals, q)?;
            }
        }
        Ok(Descent {
            cost: here.cost,
            solution: Solution {
                is_reached: here.is_within(self.tolerance),
                position_error: here.position,
                rotation_error: here.rotation,
                iterations,
                restarts: 0,
            },
        })
    }

    /// The damped step that loops and limits allow; none if its equations are singular.
    fn step(
        &self,
        equations: &Equations,
        mut allowed: Option<DMatrix<f64>>,
        q: &[f64],
        damping: f64,
    ) -> Option<DVector<f64>> {
        let mut held = Vec::new();
        loop {
            let (mut hessian, mut step) = equations.normal(allowed.as_ref());
            if allowed.is_none() {
                held = self.closing.bounds.crossed(q, step.as_slice());
                hold(&held, &mut hessian, &mut step);
            }
            let scale = hessian.diagonal().amax().max(f64::MIN_POSITIVE);
            for i in 0..hessian.nrows() {
                hessian[(i, i)] += damping * scale;
            }
            Cholesky::new(hessian)?.solve_mut(&mut step);
            let Some(allowed) = &mut allowed else {
                return Some(step);
            };
            step = &*allowed * &step;
            // A coordinate of a linkage moves with others: what crosses its limit is held, and the
            // step is sought again, at most once for each coordinate.
            let mut crossed = self.closing.bounds.crossed(q, step.as_slice());
            crossed.retain(|k| !held.contains(k));
            if crossed.is_empty() {
                return Some(step);
            }
            hold_allowed(&crossed, allowed);
            held.extend(crossed);
        }
    }
}

struct Descent {
    cost: f64,
    solution: Solution,
}
