//! Trajectory optimisation with analytical derivatives: an arm reaches a posture, and a quadruped
//! rights itself in flight by the motion of its legs.
//!
//! Differential dynamic programming with limits of the joint forces (Y. Tassa, N. Mansard and E.
//! Todorov, *Control-limited differential dynamic programming*, 2014), with the Gauss-Newton
//! Hessian (iLQR). States change in the tangent space: a step of the linear model is
//! δx' = A δx + B δu with δx = (δq, δv) and q ⊕ δq, so that a free-flying base is no special case.
//!
//! ```text
//! cargo run --release -p featherline-sim --example trajectory_optimisation -- [FOLDER]
//! ```
//!
//! With a folder it writes a picture of each motion.

use featherline::configuration::{
    d_difference_dq1, d_integrate_dq, d_integrate_dv_times, difference_into, integrate_into,
};
use featherline::{Error, Model, Workspace};
use nalgebra::{DMatrix, DVector};
use plotters::prelude::*;

/// A task: the robot, its drives, start and goal, and the weights of the cost.
pub struct Task {
    /// The task's name.
    pub name: &'static str,
    /// The robot.
    pub model: Model,
    /// The coordinates that have drives, and the greatest force of each.
    pub drives: Vec<(usize, f64)>,
    /// Seconds of one step of symplectic Euler.
    pub step: f64,
    /// How many steps there are.
    pub steps: usize,
    /// Where the motion begins: q and v.
    pub start: (Vec<f64>, Vec<f64>),
    /// The configuration in which it is to end at rest.
    pub goal: Vec<f64>,
    /// The relative joint forces to begin with, the same in each step.
    pub first: DVector<f64>,
    /// Weights of the last state's errors, for each coordinate.
    pub posture_weight: Vec<f64>,
    /// Weight of its squared velocity.
    pub velocity_weight: f64,
    /// Weights of the errors on the way, for each coordinate.
    pub way_weight: Vec<f64>,
    /// Weight of the squared joint forces, each relative to its limit.
    pub effort_weight: f64,
}

/// A motion.
#[derive(Clone)]
pub struct Trajectory {
    /// Configurations, one more than there are steps.
    pub q: Vec<Vec<f64>>,
    /// Velocities, as many.
    pub v: Vec<Vec<f64>>,
    /// Joint forces of the drives by their limits, −1 to 1, for each step.
    pub u: Vec<DVector<f64>>,
    /// The cost of the motion.
    pub cost: f64,
}

/// The linear model of one step: δx' = A δx + B δu.
struct Linear {
    a: DMatrix<f64>,
    b: DMatrix<f64>,
}

/// The correction of one step's control: δu = open + feedback δx.
struct Policy {
    open: DVector<f64>,
    feedback: DMatrix<f64>,
}

impl Task {
    fn torques(&self, u: &DVector<f64>) -> Vec<f64> {
        let mut tau = vec![0.0; self.model.nv()];
        for (&(k, limit), u) in self.drives.iter().zip(u.iter()) {
            tau[k] = limit * u;
        }
        tau
    }

    /// One step: v' = v + h q̈, q' = q ⊕ h v'.
    fn next(
        &self,
        ws: &mut Workspace<f64>,
        (q, v): (&[f64], &[f64]),
        u: &DVector<f64>,
    ) -> Result<(Vec<f64>, Vec<f64>), Error> {
        let a = self.model.aba(ws, q, v, &self.torques(u))?;
        let v: Vec<f64> = v.iter().zip(a).map(|(v, a)| v + self.step * a).collect();
        let displacement: Vec<f64> = v.iter().map(|v| self.step * v).collect();
        let mut next = q.to_vec();
        integrate_into(&self.model, q, &displacement, &mut next)?;
        Ok((next, v))
    }

    fn linearise(
        &self,
        ws: &mut Workspace<f64>,
        (q, v): (&[f64], &[f64]),
        u: &DVector<f64>,
    ) -> Result<Linear, Error> {
        let (n, h) = (self.model.nv(), self.step);
        let found = self.model.aba_derivatives(ws, q, v, &self.torques(u))?;
        let displacement: Vec<f64> = (0..n)
            .map(|k| h * (v[k] + h * found.acceleration[k]))
            .collect();
        let v_by_q = found.dq * h;
        let v_by_v = DMatrix::identity(n, n) + found.dv * h;
        let mut v_by_u = DMatrix::zeros(n, self.drives.len());
        for (c, &(k, limit)) in self.drives.iter().enumerate() {
            v_by_u.set_column(c, &(found.dtau.column(k) * (h * limit)));
        }
        let mut by_q = DMatrix::zeros(n, n);
        d_integrate_dq(&self.model, &displacement, &mut by_q)?;
        let mut a = DMatrix::zeros(2 * n, 2 * n);
        a.view_mut((0, 0), (n, n)).copy_from(&(&v_by_q * h));
        a.view_mut((0, n), (n, n)).copy_from(&(&v_by_v * h));
        d_integrate_dv_times(&self.model, &displacement, a.rows_mut(0, n))?;
        let mut own = a.view_mut((0, 0), (n, n));
        own += by_q;
        a.view_mut((n, 0), (n, n)).copy_from(&v_by_q);
        a.view_mut((n, n), (n, n)).copy_from(&v_by_v);
        let mut b = DMatrix::zeros(2 * n, self.drives.len());
        b.rows_mut(0, n).copy_from(&(&v_by_u * h));
        d_integrate_dv_times(&self.model, &displacement, b.rows_mut(0, n))?;
        b.rows_mut(n, n).copy_from(&v_by_u);
        Ok(Linear { a, b })
    }

    /// q ⊖ goal.
    pub fn error(&self, q: &[f64]) -> Result<DVector<f64>, Error> {
        let mut error = vec![0.0; self.model.nv()];
        difference_into(&self.model, &self.goal, q, &mut error)?;
        Ok(DVector::from(error))
    }

    /// The cost of a configuration's errors, with their weights.
    fn posture_cost(&self, q: &[f64], weights: &[f64]) -> Result<f64, Error> {
        let error = self.error(q)?;
        let squares = error.iter().zip(weights).map(|(e, w)| w * e * e);
        Ok(0.5 * squares.sum::<f64>())
    }

    /// Adds its gradient, and its Hessian without the curvature of ⊖, times a factor.
    fn add_posture(
        &self,
        q: &[f64],
        (weights, factor): (&[f64], f64),
        gradient: &mut DVector<f64>,
        hessian: &mut DMatrix<f64>,
    ) -> Result<(), Error> {
        let n = self.model.nv();
        let mut by_q = DMatrix::zeros(n, n);
        d_difference_dq1(&self.model, &self.goal, q, &mut by_q)?;
        let weights = DMatrix::from_diagonal(&(DVector::from_column_slice(weights) * factor));
        let weighted = by_q.transpose() * weights;
        let mut own = gradient.rows_mut(0, n);
        own += &weighted * self.error(q)?;
        let mut own = hessian.view_mut((0, 0), (n, n));
        own += weighted * by_q;
        Ok(())
    }

    /// Gradient and Hessian of the cost of the last state.
    fn last_derivatives(
        &self,
        q: &[f64],
        v: &[f64],
    ) -> Result<(DVector<f64>, DMatrix<f64>), Error> {
        let n = self.model.nv();
        let mut gradient = DVector::zeros(2 * n);
        let by_v = DVector::from_column_slice(v) * self.velocity_weight;
        gradient.rows_mut(n, n).copy_from(&by_v);
        let mut hessian = DMatrix::zeros(2 * n, 2 * n);
        for k in n..2 * n {
            hessian[(k, k)] = self.velocity_weight;
        }
        let weights = (&self.posture_weight[..], 1.0);
        self.add_posture(q, weights, &mut gradient, &mut hessian)?;
        Ok((gradient, hessian))
    }

    /// The motion from the start with the controls of another one, corrected by a policy.
    fn roll(
        &self,
        ws: &mut Workspace<f64>,
        before: &Trajectory,
        policies: &[Policy],
        scale: f64,
    ) -> Result<Trajectory, Error> {
        let n = self.model.nv();
        let (q, v) = self.start.clone();
        let (mut motion, mut cost) = ((vec![q], vec![v]), 0.0);
        let mut controls = Vec::new();
        for k in 0..self.steps {
            let (q, v) = (&motion.0[k], &motion.1[k]);
            let mut u = before.u[k].clone();
            if let Some(policy) = policies.get(k) {
                let mut moved = vec![0.0; n];
                difference_into(&self.model, &before.q[k], q, &mut moved)?;
                moved.extend((0..n).map(|i| v[i] - before.v[k][i]));
                u += &policy.open * scale + &policy.feedback * DVector::from(moved);
            }
            u.apply(|u| *u = u.clamp(-1.0, 1.0));
            let effort = 0.5 * self.effort_weight * u.norm_squared();
            cost += self.step * (effort + self.posture_cost(q, &self.way_weight)?);
            let (next_q, next_v) = self.next(ws, (q, v), &u)?;
            motion.0.push(next_q);
            motion.1.push(next_v);
            controls.push(u);
        }
        let (q, v) = (&motion.0[self.steps], &motion.1[self.steps]);
        let speed: f64 = v.iter().map(|v| v * v).sum();
        cost += self.posture_cost(q, &self.posture_weight)? + 0.5 * self.velocity_weight * speed;
        Ok(Trajectory {
            q: motion.0,
            v: motion.1,
            u: controls,
            cost,
        })
    }

    /// The policy of each step, from the last to the first: the Riccati recursion, where a control
    /// at its limit gives no feedback. None if a Hessian is not positive definite.
    fn policies(
        &self,
        ws: &mut Workspace<f64>,
        motion: &Trajectory,
        damping: f64,
    ) -> Result<Option<Vec<Policy>>, Error> {
        let last = self.steps;
        let (mut gradient, mut hessian) =
            self.last_derivatives(&motion.q[last], &motion.v[last])?;
        let mut policies = Vec::new();
        let effort = self.step * self.effort_weight;
        for k in (0..self.steps).rev() {
            let u = &motion.u[k];
            let Linear { a, b } = self.linearise(ws, (&motion.q[k], &motion.v[k]), u)?;
            let (by_a, by_b) = (a.transpose() * &hessian, b.transpose() * &hessian);
            let q_x = a.transpose() * &gradient;
            let q_u = b.transpose() * &gradient + u * effort;
            let q_ux = &by_b * &a;
            let q_uu = &by_b * &b + DMatrix::from_diagonal_element(u.len(), u.len(), effort);
            let damped = &q_uu + DMatrix::from_diagonal_element(u.len(), u.len(), damping);
            let Some(policy) = bounded_step(&damped, &q_u, &q_ux, u) else {
                return Ok(None);
            };
            let Policy { open, feedback } = &policy;
            let turned = feedback.transpose() * &q_uu;
            gradient = q_x + &turned * open + feedback.transpose() * &q_u + q_ux.transpose() * open;
            let cross = feedback.transpose() * &q_ux;
            hessian = by_a * a + turned * feedback + &cross + cross.transpose();
            let weights = (&self.way_weight[..], self.step);
            self.add_posture(&motion.q[k], weights, &mut gradient, &mut hessian)?;
            policies.push(policy);
        }
        policies.reverse();
        Ok(Some(policies))
    }

    /// Improves the motion with the first joint forces until a step gains less than 1/10000. Calls
    /// `report` with each motion.
    pub fn solve(&self, mut report: impl FnMut(usize, &Trajectory)) -> Result<Trajectory, Error> {
        let mut ws = Workspace::new(&self.model);
        let still = Trajectory {
            q: vec![self.start.0.clone(); self.steps + 1],
            v: vec![self.start.1.clone(); self.steps + 1],
            u: vec![self.first.clone(); self.steps],
            cost: f64::INFINITY,
        };
        let mut motion = self.roll(&mut ws, &still, &[], 1.0)?;
        let mut damping = 1.0;
        for iteration in 0..100 {
            report(iteration, &motion);
            let (mut better, mut scale) = (None, 1.0);
            if let Some(policies) = self.policies(&mut ws, &motion, damping)? {
                while better.is_none() && scale > 1e-3 {
                    match self.roll(&mut ws, &motion, &policies, scale) {
                        Ok(tried) if tried.cost < motion.cost => better = Some(tried),
                        // A step so large that the motion leaves all bounds is no better.
                        Ok(_) | Err(Error::Overflow { .. }) => scale *= 0.5,
                        Err(error) => return Err(error),
                    }
                }
            }
            match better {
                Some(found) => {
                    let gain = motion.cost - found.cost;
                    motion = found;
                    // Short steps say that the linear model holds near the motion only.
                    damping *= if scale < 0.5 { 3.0 } else { 0.2 };
                    if gain < 1e-4 * motion.cost {
                        break;
                    }
                }
                None if damping > 1e8 => break,
                None => damping *= 10.0,
            }
        }
        Ok(motion)
    }
}

/// The minimum of ½ δuᵀ H δu + gᵀ δu with −1 ≤ u + δu ≤ 1, and how it moves with δx: a projected
/// Newton method. None if H is not positive definite where it counts.
fn bounded_step(
    hessian: &DMatrix<f64>,
    gradient: &DVector<f64>,
    by_x: &DMatrix<f64>,
    u: &DVector<f64>,
) -> Option<Policy> {
    let m = u.len();
    let mut open = DVector::zeros(m);
    let mut feedback = DMatrix::zeros(m, by_x.ncols());
    for _ in 0..20 {
        let slope = gradient + hessian * &open;
        // Held at its limit: there, and pushed beyond.
        let is_free = |k: usize| {
            let at: f64 = u[k] + open[k];
            !(at <= -1.0 && slope[k] > 0.0 || at >= 1.0 && slope[k] < 0.0)
        };
        let free: Vec<usize> = (0..m).filter(|&k| is_free(k)).collect();
        feedback.fill(0.0);
        if free.is_empty() {
            break;
        }
        let factor = hessian
            .select_rows(&free)
            .select_columns(&free)
            .cholesky()?;
        let newton = factor.solve(&slope.select_rows(&free));
        let gains = factor.solve(&by_x.select_rows(&free));
        let mut change = 0.0_f64;
        for (row, &k) in free.iter().enumerate() {
            let moved = (u[k] + open[k] - newton[row]).clamp(-1.0, 1.0) - u[k];
            change = change.max((moved - open[k]).abs());
            open[k] = moved;
            feedback.set_row(k, &(-gains.row(row)));
        }
        if change < 1e-9 {
            break;
        }
    }
    Some(Policy { open, feedback })
}

/// An arm that hangs to one side is to stretch out to the other within a second.
pub fn arm() -> Result<Task, Error> {
    let model = featherline_robots::panda();
    let n = model.nv();
    let limit = |k: usize| if k < 4 { 87.0 } else { 12.0 };
    let start = vec![0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8];
    let mut ws = Workspace::new(&model);
    let weight = model.gravity_torque(&mut ws, &start)?.iter().enumerate();
    Ok(Task {
        name: "arm",
        first: DVector::from_iterator(n, weight.map(|(k, torque)| torque / limit(k))),
        drives: (0..n).map(|k| (k, limit(k))).collect(),
        step: 0.01,
        steps: 100,
        start: (start, vec![0.0; n]),
        goal: vec![1.5, 0.6, 0.3, -1.2, -0.4, 2.0, 0.0],
        posture_weight: vec![1e2; n],
        velocity_weight: 1.0,
        way_weight: vec![0.0; n],
        effort_weight: 1.0,
        model,
    })
}

/// A quadruped in flight, pitched by 0.3 rad, is to be level in its standing posture when it lands.
/// Nothing but its legs can turn it.
pub fn quadruped() -> Result<Task, Error> {
    let model = featherline_robots::quadruped();
    let n = model.nv();
    let mut standing = model.neutral_configuration();
    for leg in 0..4 {
        standing[7 + 3 * leg + 1] = 0.7;
        standing[7 + 3 * leg + 2] = -1.4;
    }
    let mut tilt = vec![0.0; n];
    tilt[4] = 0.3;
    let mut start = standing.clone();
    integrate_into(&model, &standing, &tilt, &mut start)?;
    let mut velocity = vec![0.0; n];
    velocity[2] = 2.0;
    let mut posture_weight = vec![0.0; n];
    posture_weight[3..6].fill(3e3);
    posture_weight[6..].fill(1e2);
    let mut way_weight = vec![0.0; n];
    way_weight[6..].fill(1.0);
    Ok(Task {
        name: "quadruped",
        first: DVector::zeros(n - 6),
        drives: (6..n).map(|k| (k, 33.0)).collect(),
        step: 0.005,
        steps: 80,
        start: (start, velocity),
        goal: standing,
        posture_weight,
        velocity_weight: 1e-2,
        way_weight,
        effort_weight: 1.0,
        model,
    })
}

/// The errors of some coordinates and the relative joint forces over time.
fn plot(
    task: &Task,
    motion: &Trajectory,
    path: &std::path::Path,
) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::new(path, (720, 480)).into_drawing_area();
    area.fill(&WHITE)?;
    let (above, below) = area.split_vertically(240);
    let seconds = task.step * task.steps as f64;
    let errors: Vec<DVector<f64>> = motion
        .q
        .iter()
        .map(|q| task.error(q))
        .collect::<Result<_, _>>()?;
    let shown: Vec<usize> = (0..task.model.nv())
        .filter(|&k| task.posture_weight[k] > 0.0)
        .collect();
    let greatest = errors
        .iter()
        .flat_map(|e| shown.iter().map(|&k| e[k].abs()));
    let greatest = greatest.fold(0.1, f64::max);
    let mut chart = ChartBuilder::on(&above)
        .margin(10)
        .caption("way to the goal, rad", ("sans-serif", 16))
        .x_label_area_size(20)
        .y_label_area_size(40)
        .build_cartesian_2d(0.0..seconds, -greatest..greatest)?;
    chart.configure_mesh().draw()?;
    for (colour, &k) in shown.iter().enumerate() {
        let line = errors.iter().enumerate();
        let line = line.map(|(i, e)| (task.step * i as f64, e[k]));
        let style = Palette99::pick(colour).stroke_width(1);
        chart.draw_series([PathElement::new(line.collect::<Vec<_>>(), style)])?;
    }
    let mut chart = ChartBuilder::on(&below)
        .margin(10)
        .caption("joint forces by their limits, over s", ("sans-serif", 16))
        .x_label_area_size(20)
        .y_label_area_size(40)
        .build_cartesian_2d(0.0..seconds, -1.05..1.05)?;
    chart.configure_mesh().draw()?;
    for c in 0..task.drives.len() {
        let line = motion.u.iter().enumerate();
        let line = line.map(|(i, u)| (task.step * i as f64, u[c]));
        let style = Palette99::pick(c).stroke_width(1);
        chart.draw_series([PathElement::new(line.collect::<Vec<_>>(), style)])?;
    }
    area.present()?;
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1);
    for task in [arm()?, quadruped()?] {
        println!("{}:", task.name);
        let motion = task.solve(|iteration, motion| {
            println!("  iteration {iteration}: cost {:.6}", motion.cost);
        })?;
        let left = task.error(&motion.q[task.steps])?;
        let weighted = (0..left.len()).filter(|&k| task.posture_weight[k] > 0.0);
        let left = weighted.map(|k| left[k].abs()).fold(0.0, f64::max);
        println!("  greatest error at the end: {left:.4} rad");
        if let Some(folder) = &folder {
            let path = std::path::Path::new(folder).join(format!("trajectory_{}.svg", task.name));
            plot(&task, &motion, &path)?;
        }
    }
    Ok(())
}
