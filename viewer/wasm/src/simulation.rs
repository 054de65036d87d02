//! Motion of a robot under gravity, its passive forces, its end stops, and springs that hold it.

use crate::matrix::Thrown;
use crate::robot::Robot;
use crate::stops::Stops;
use featherline::configuration::difference_into;
use featherline::kernel::check_size;
use featherline::{Model, Workspace};
use featherline_constraint::{LoopWorkspace, Stabilisation, loop_dynamics};
use featherline_sim::integrator::forces::{self, ForceModel, Loads, State};
use featherline_sim::integrator::{
    ForwardDynamics, ImplicitMidpoint, IntegratorError, RungeKutta4, Stepper, VectorField,
};
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

/// In Hz, how fast springs bring a joint to its reference.
const FREQUENCY: f64 = 2.0;

/// In 1/s, the damping of what is held like a wall beside its inertia, and how fast it comes back:
/// a base that is held moves by µm.
#[cfg(feature = "page")]
const WALL_RATE: f64 = 1e4;
#[cfg(feature = "page")]
const RETURN_RATE: f64 = 10.0;

/// Steps in which the loops of a robot close.
const STEPS_TO_CLOSE: f64 = 20.0;

/// The most steps of a call, and the longest, in s: springs that hold a robot act in 80 ms, and a
/// coordinate goes beyond its stop in a step before it is taken back.
const MOST_STEPS: f64 = 1e6;
const LONGEST_STEP: f64 = 0.02;

/// How often the steps of an implicit method that fails are halved.
const MOST_HALVINGS: u32 = 5;

#[wasm_bindgen]
impl Robot {
    /// The state after some seconds, in equal steps of at most `step` seconds: q, v, and the joint
    /// forces that act at the end.
    ///
    /// The method is that of Runge and Kutta of order 4; where joints are `stiff`, the implicit
    /// midpoint rule, with steps that are halved where it does not converge.
    ///
    /// The robot moves under gravity, its joints' damping, friction and springs, and its end stops,
    /// which do not yield. A joint that begins beyond its limits has its stop where it is. Where
    /// `held` (nv entries) is not zero, a spring with damper and compensation of gravity brings a
    /// coordinate to `reference` as well, a floating base too. Loops stay closed.
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
        let refused = |message: String| Err(JsError::new(&message));
        if !(seconds > 0.0 && seconds.is_finite()) {
            return refused(format!(
                "{seconds} s cannot be simulated; give a positive time"
            ));
        }
        if !(step > 0.0 && step <= LONGEST_STEP) {
            return refused(format!(
                "a step of {step} s cannot be taken; give one above zero, of at most {LONGEST_STEP} s"
            ));
        }
        let steps = (seconds / step).ceil();
        if steps > MOST_STEPS {
            return refused(format!(
                "{seconds} s in steps of {step} s are {steps} steps, and a call makes at most \
                 {MOST_STEPS}; simulate a shorter time in each of several calls"
            ));
        }
        if !held.is_empty() && held.len() != self.model.nv() {
            let (found, nv) = (held.len(), self.model.nv());
            return refused(format!("`held` has {found} entries, and needs {nv}"));
        }
        let mut halvings = 0;
        loop {
            let count = steps * f64::from(1_u32 << halvings);
            match self.run(q, v, seconds / count, count, stiff, held, reference) {
                Err(Failed::Step(_)) if stiff && halvings < MOST_HALVINGS => halvings += 1,
                Err(Failed::Step(error)) => return Err(error.into()),
                Err(Failed::Other(error)) => return Err(error),
                Ok(state) => return Ok(state),
            }
        }
    }
}

/// Why there is no motion.
enum Failed {
    /// A step of the method failed; a shorter one may not.
    Step(IntegratorError),
    Other(JsError),
}

impl From<JsError> for Failed {
    fn from(error: JsError) -> Self {
        Self::Other(error)
    }
}

impl From<IntegratorError> for Failed {
    fn from(error: IntegratorError) -> Self {
        Self::Step(error)
    }
}

impl Robot {
    /// So many steps of h seconds.
    #[allow(clippy::too_many_arguments)] // those of `simulate`
    fn run(
        &mut self,
        q: &[f64],
        v: &[f64],
        h: f64,
        steps: f64,
        stiff: bool,
        held: &[u8],
        reference: &[f64],
    ) -> Result<Vec<f64>, Failed> {
        let (model, ws) = (&self.model, &mut self.ws);
        check_size("q", model.nq(), q.len()).map_err(IntegratorError::from)?;
        check_size("v", model.nv(), v.len()).map_err(IntegratorError::from)?;
        let laws = || -> Result<_, Failed> {
            let passive = forces::passive(model, forces::FRICTION_TRANSITION)?;
            Ok((passive, Springs::new(model, held, reference)?))
        };
        let mut method: Box<dyn Stepper> = match stiff {
            true => Box::new(ImplicitMidpoint::new(model)),
            false => Box::new(RungeKutta4::new(model)),
        };
        let (mut q, mut v) = (q.to_vec(), v.to_vec());
        let mut stops = Stops::new(model, &q);
        let has_loops = !model.loop_joints().is_empty();
        let loops = || -> Result<LoopWorkspace, Failed> {
            LoopWorkspace::new(model).map_err(|error| Failed::Other(error.into()))
        };
        // Stops project velocities between the steps, with memory of their own.
        let mut closed = has_loops.then(loops).transpose()?;
        let mut run = |field: &mut dyn VectorField| -> Result<(), Failed> {
            for _ in 0..steps as usize {
                method.step(field, 0.0, &mut q, &mut v, h)?;
                stops.act(model, ws, closed.as_mut(), &mut q, &mut v)?;
            }
            Ok(model.normalise(&mut q).map_err(IntegratorError::from)?)
        };
        if has_loops {
            let (mut ws, mut laws) = (loops()?, laws()?);
            let pull = Stabilisation::critical(STEPS_TO_CLOSE * h);
            let mut tau = vec![0.0; model.nv()];
            run(&mut |t: f64, q: &[f64], v: &[f64], a: &mut [f64]| {
                joint_forces(&mut laws, &State { t, q, v }, &mut tau)?;
                let result = loop_dynamics(model, &mut ws, q, v, &tau, &[], &pull);
                let result = result.map_err(|source| IntegratorError::field(t, source))?;
                a.copy_from_slice(result.accelerations);
                Ok(())
            })?;
        } else {
            run(&mut ForwardDynamics::with_forces(model, laws()?))?;
        }
        let mut tau = vec![0.0; model.nv()];
        let state = State {
            t: 0.0,
            q: &q,
            v: &v,
        };
        joint_forces(&mut laws()?, &state, &mut tau)?;
        // The mean force of a stop in the last step.
        for (tau, impulse) in tau.iter_mut().zip(&stops.impulses) {
            *tau += impulse / h;
        }
        q.extend(v);
        q.extend(tau);
        Ok(q)
    }
}

/// Writes the joint forces of force models that act on no bodies.
fn joint_forces(
    laws: &mut impl ForceModel,
    state: &State<'_>,
    tau: &mut [f64],
) -> Result<(), IntegratorError> {
    tau.fill(0.0);
    let bodies = &mut [];
    laws.add(state, &mut Loads { tau, bodies })
}

/// τ = g(q) + Kp (r ⊖ q) − Kd v on the coordinates that are held.
pub(crate) struct Springs<'m> {
    model: &'m Model,
    ws: Workspace<f64>,
    held: Vec<bool>,
    reference: Vec<f64>,
    stiffness: Vec<f64>,
    damping: Vec<f64>,
    error: Vec<f64>,
    /// Coordinates that are driven in another way: only their weight is carried.
    driven: Vec<bool>,
}

impl<'m> Springs<'m> {
    /// The same where a drive brings some coordinates to their reference, and the others have their
    /// dampers elsewhere ([`implicit_damping`](Self::implicit_damping)).
    #[cfg(feature = "page")]
    pub(crate) fn beside_drives(mut self, driven: impl Fn(usize) -> bool) -> Self {
        self.driven = (0..self.error.len()).map(driven).collect();
        let damping = self.implicit_damping();
        for (stiffness, damping) in self.stiffness.iter_mut().zip(damping) {
            *stiffness = damping * RETURN_RATE;
        }
        self.damping.fill(0.0);
        self
    }

    /// Dampers for coordinates that are held like a wall, for a method that has them implicitly.
    #[cfg(feature = "page")]
    pub(crate) fn implicit_damping(&self) -> Vec<f64> {
        let rate = std::f64::consts::TAU * FREQUENCY;
        let held = self.stiffness.iter().zip(&self.held);
        let inertia = held.map(|(k, is_held)| f64::from(u8::from(*is_held)) * k / (rate * rate));
        inertia.map(|inertia| inertia * WALL_RATE).collect()
    }

    /// Gains of an oscillator of [`FREQUENCY`] with critical damping, by the mass matrix at the
    /// reference.
    pub(crate) fn new(model: &'m Model, held: &[u8], reference: &[f64]) -> Thrown<Self> {
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
            driven: vec![false; nv],
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
            if self.driven[k] {
                loads.tau[k] += weight[k];
                continue;
            }
            let spring = self.stiffness[k] * self.error[k] - self.damping[k] * state.v[k];
            loads.tau[k] += weight[k] + spring;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(text: &str) -> Robot {
        let Ok(robot) = Robot::new(text, false, None) else {
            panic!("the robot is read");
        };
        robot
    }

    #[test]
    fn a_joint_that_falls_ends_at_its_stop() {
        // Two rods that fall from upright: shoulder and elbow come to their limits, of 0.5 rad.
        let arm = |limit: f64| {
            let rod = |name: &str| {
                format!(
                    "<link name='{name}'><inertial><origin xyz='0 0 0.5'/><mass value='1'/>
                     <inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
                )
            };
            let joint = |name: &str, parent: &str, child: &str, z: f64| {
                format!(
                    "<joint name='{name}' type='revolute'><parent link='{parent}'/><child link='{child}'/>
                     <origin xyz='0 0 {z}'/><axis xyz='0 1 0'/>
                     <limit lower='-{limit}' upper='{limit}' effort='9' velocity='9'/></joint>"
                )
            };
            let links = [rod("a"), rod("b")].concat();
            let joints = [joint("s", "base", "a", 0.0), joint("e", "a", "b", 1.0)].concat();
            format!("<robot name='r'><link name='base'/>{links}{joints}</robot>")
        };
        for (stiff, step) in [(false, 1e-3), (true, 4e-3)] {
            let mut robot = loaded(&arm(0.5));
            let (mut q, mut v) = (vec![0.1, 0.1], vec![0.0; 2]);
            for _ in 0..40 {
                let Ok(state) = robot.simulate(&q, &v, 0.05, step, stiff, &[], &[0.0; 2]) else {
                    panic!("the motion is found");
                };
                (q, v) = (state[..2].to_vec(), state[2..4].to_vec());
                assert!(q.iter().all(|x| x.abs() <= 0.5 + 1e-12), "{q:?}");
                if q == [0.5, 0.5] && v.iter().all(|x| x.abs() < 1e-9) {
                    // At rest against both stops, whose forces hold the weight.
                    let Ok(weight) = robot.gravity_torque(&q) else {
                        panic!("the configuration is valid");
                    };
                    for (found, expected) in state[4..].iter().zip(&weight) {
                        assert!(
                            (found - expected).abs() < 0.02 * expected.abs(),
                            "{state:?}"
                        );
                    }
                }
            }
            assert_eq!(q, [0.5, 0.5]);
        }
    }

    #[test]
    fn a_joint_that_begins_beyond_its_limit_gets_no_energy() {
        let pendulum = "<robot name='r'><link name='base'/><link name='rod'><inertial>
            <origin xyz='0 0 -0.5'/><mass value='1'/>
            <inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial></link>
            <joint name='j' type='revolute'><parent link='base'/><child link='rod'/>
            <axis xyz='0 1 0'/><limit lower='0.8' upper='2' effort='9' velocity='9'/></joint></robot>";
        let mut robot = loaded(pendulum);
        // It hangs 0.4 rad beyond its limit and falls further: its stop is where it is.
        let Ok(state) = robot.simulate(&[0.4], &[0.0], 0.5, 1e-3, false, &[], &[0.0]) else {
            panic!("the motion is found");
        };
        assert!(
            (state[0] - 0.4).abs() < 1e-9 && state[1].abs() < 1e-9,
            "{state:?}"
        );
    }

    #[test]
    fn a_held_robot_comes_to_the_reference_by_both_methods() {
        let pendulum = include_str!("../../../robots/double_pendulum.urdf");
        let reference = [0.7, -0.4];
        for (stiff, step) in [(false, 1e-3), (true, 1e-2)] {
            let mut robot = loaded(pendulum);
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
