//! The classical Runge-Kutta method.

use super::munthe_kaas::{Stages, Tableau};
use super::stepper::StepState;
use super::{Result, Stability, Stepper, VectorField};
use featherline::model::Model;

/// W. Kutta, 1901; Hairer, Nørsett and Wanner 1993, table II.1.2.
const CLASSICAL: Tableau<4> = Tableau {
    nodes: [0.0, 0.5, 0.5, 1.0],
    stages: [
        [0.0, 0.0, 0.0, 0.0],
        [0.5, 0.0, 0.0, 0.0],
        [0.0, 0.5, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
    ],
    weights: [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
};

/// The classical Runge-Kutta method in Munthe-Kaas' form for Lie groups: order 4, four evaluations
/// a step.
///
/// The workhorse for smooth forces over moderate times. Energy drifts, slowly and steadily. Source:
/// H. Munthe-Kaas, "High order Runge-Kutta methods on manifolds", 1999, with the tableau of Kutta
/// 1901; dexp⁻¹ in closed form.
///
/// ```
/// use featherline_sim::integrator::{ForwardDynamics, RungeKutta4, Stepper};
/// use featherline::{Workspace, samples};
///
/// let model = samples::double_pendulum();
/// let mut ws = Workspace::new(&model);
/// let (mut q, mut v) = ([1.0, 0.5], [0.0, 0.0]);
/// let before = model.mechanical_energy(&mut ws, &q, &v)?;
///
/// let mut field = ForwardDynamics::new(&model);
/// let mut stepper = RungeKutta4::new(&model);
/// for k in 0..1000 {
///     stepper.step(&mut field, 1e-3 * k as f64, &mut q, &mut v, 1e-3)?;
/// }
/// let after = model.mechanical_energy(&mut ws, &q, &v)?;
/// assert!((after - before).abs() < 1e-9);
/// # Ok::<(), featherline_sim::integrator::IntegratorError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RungeKutta4<'m> {
    stages: Stages<'m, 4>,
}

impl<'m> RungeKutta4<'m> {
    /// The method for a robot.
    pub fn new(model: &'m Model) -> Self {
        Self {
            stages: Stages::new(model, &CLASSICAL),
        }
    }
}

impl Stepper for RungeKutta4<'_> {
    fn name(&self) -> &'static str {
        "Runge-Kutta 4"
    }

    fn order(&self) -> usize {
        4
    }

    /// Where |1 + z + z²/2 + z³/6 + z⁴/24| = 1.
    fn stability(&self) -> Option<Stability> {
        Some(Stability {
            damping: 2.78,
            oscillation: 2.82,
        })
    }

    fn step(
        &mut self,
        field: &mut dyn VectorField,
        t: f64,
        q: &mut [f64],
        v: &mut [f64],
        h: f64,
    ) -> Result<()> {
        let stages = &mut self.stages;
        let start = StepState { t, q, v, h };
        start.check(stages.model)?;
        stages.begin(field, start)?;
        stages.run(field, start)?;
        q.copy_from_slice(&stages.configuration);
        v.copy_from_slice(&stages.velocity);
        Ok(())
    }
}
