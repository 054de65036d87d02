//! Motion of a robot under gravity, its passive forces, its end stops, and springs that hold it.

use crate::matrix::Thrown;
use crate::robot::Robot;
use featherline::configuration::difference_into;
use featherline::{Model, Workspace};
use featherline_constraint::{LoopWorkspace, Stabilisation, loop_dynamics};
use featherline_sim::integrator::forces::{self, ForceModel, JointLimits, Loads, State};
use featherline_sim::integrator::{
    ForwardDynamics, ImplicitMidpoint, IntegratorError, RungeKutta4, Stepper, VectorField,
};
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

/// In Hz, how fast springs bring a joint to its reference.
const FREQUENCY: f64 = 2.0;

/// Steps in which the loops of a robot close.
const STEPS_TO_CLOSE: f64 = 20.0;

#[wasm_bindgen]
impl Robot {
    /// The state after some seconds, in equal steps of at most `step` seconds: q, then v.
    ///
    /// The method is that of Runge and Kutta of order 4; where joints are `stiff`, the implicit
    /// midpoint rule.
    ///
    /// The robot moves under gravity, its joints' damping, friction and springs, and its end stops.
    /// Where `held` (nv entries) is not zero, a spring with damper and compensation of gravity
    /// brings a coordinate to `reference` as well, a floating base too. Loops stay closed.
    #[allow(clippy::too_many_arguments)] // a call from JavaScript has no structs
    pub fn simulate(
        &mut self,
        q: &[f64],
        v: &[f64],
        seconds: f64,
        step: f64,
        stiff: bool,
        held: &[u8],
        reference: &[f64],
    ) -> Thrown<Vec<f64>> {
        if !(seconds > 0.0 && step > 0.0 && seconds / step < 1e5) {
            return Err(JsError::new(
                "a simulation needs positive seconds and a positive step",
            ));
        }
        let model = &self.model;
        let steps = (seconds / step).ceil();
        let h = seconds / steps;
        let springs = Springs::new(model, held, reference)?;
        let mut laws = (
            forces::passive(model, forces::FRICTION_TRANSITION)?,
            JointLimits::for_step(model, q, h)?,
            springs,
        );
        let mut method: Box<dyn Stepper> = match stiff {
            true => Box::new(ImplicitMidpoint::new(model)),
            false => Box::new(RungeKutta4::new(model)),
        };
        let (mut q, mut v) = (q.to_vec(), v.to_vec());
        let mut run = |field: &mut dyn VectorField| {
            for _ in 0..steps as usize {
                method.step(field, 0.0, &mut q, &mut v, h)?;
            }
            model.normalise(&mut q).map_err(IntegratorError::from)
        };
        if model.loop_joints().is_empty() {
            run(&mut ForwardDynamics::with_forces(model, laws))?;
        } else {
            let mut ws = LoopWorkspace::new(model)?;
            let pull = Stabilisation::critical(STEPS_TO_CLOSE * h);
            let mut tau = vec![0.0; model.nv()];
            run(&mut |t: f64, q: &[f64], v: &[f64], a: &mut [f64]| {
                tau.fill(0.0);
                let mut loads = Loads {
                    tau: &mut tau,
                    bodies: &mut [],
                };
                laws.add(&State { t, q, v }, &mut loads)?;
                let result = loop_dynamics(model, &mut ws, q, v, &tau, &[], &pull);
                let result = result.map_err(|source| IntegratorError::field(t, source))?;
                a.copy_from_slice(result.accelerations);
                Ok(())
            })?;
        }
        q.extend(v);
        Ok(q)
    }
}

/// τ = g(q) + Kp (r ⊖ q) − Kd v on the coordinates that are held.
struct Springs<'m> {
    model: &'m Model,
    ws: Workspace<f64>,
    held: Vec<bool>,
    reference: Vec<f64>,
    stiffness: Vec<f64>,
    damping: Vec<f64>,
    error: Vec<f64>,
}

impl<'m> Springs<'m> {
    /// Gains of an oscillator of [`FREQUENCY`] with critical damping, by the mass matrix at the
    /// reference.
    fn new(model: &'m Model, held: &[u8], reference: &[f64]) -> Thrown<Self> {
        let nv = model.nv();
        let mut held: Vec<bool> = held.iter().map(|&it| it != 0).collect();
        held.resize(nv, false);
        let mut ws = Workspace::new(model);
        let (mut stiffness, mut damping) = (vec![0.0; nv], vec![0.0; nv]);
        if held.contains(&true) {
            let inertia = model.crba(&mut ws, reference)?.diagonal();
            let rate = std::f64::consts::TAU * FREQUENCY;
            for k in 0..nv {
                stiffness[k] = inertia[k] * rate * rate;
                damping[k] = 2.0 * inertia[k] * rate;
            }
        }
        Ok(Self {
            model,
            ws,
            held,
            reference: reference.to_vec(),
            stiffness,
            damping,
            error: vec![0.0; nv],
        })
    }
}

impl ForceModel for Springs<'_> {
    fn add(&mut self, state: &State<'_>, loads: &mut Loads<'_>) -> Result<(), IntegratorError> {
        if !self.held.contains(&true) {
            return Ok(());
        }
        difference_into(self.model, state.q, &self.reference, &mut self.error)?;
        let weight = self.model.gravity_torque(&mut self.ws, state.q)?;
        for k in (0..self.error.len()).filter(|&k| self.held[k]) {
            let spring = self.stiffness[k] * self.error[k] - self.damping[k] * state.v[k];
            loads.tau[k] += weight[k] + spring;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_robot_comes_to_the_reference_by_both_methods() {
        let pendulum = include_str!("../../../robots/double_pendulum.urdf");
        let reference = [0.7, -0.4];
        for (stiff, step) in [(false, 1e-3), (true, 1e-2)] {
            let Ok(mut robot) = Robot::new(pendulum, false, None) else {
                panic!("the robot is read");
            };
            let (q, v) = ([0.0; 2], [0.0; 2]);
            let Ok(state) = robot.simulate(&q, &v, 3.0, step, stiff, &[1; 2], &reference) else {
                panic!("the motion is found");
            };
            for (found, expected) in state.iter().zip([0.7, -0.4, 0.0, 0.0]) {
                assert!((found - expected).abs() < 1e-3, "{state:?}");
            }
        }
    }
}
