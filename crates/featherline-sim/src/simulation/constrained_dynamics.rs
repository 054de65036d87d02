//! The accelerations of robots with loops, as a vector field.

use super::error::LostLoops;
use crate::integrator::forces::{ForceModel, Loading};
use crate::integrator::{IntegratorError, VectorField};
use featherline::model::Model;
use featherline_constraint::kernel::{Regularity, generic_redundancy, loop_dynamics_within_step};
use featherline_constraint::{LoopError, LoopWorkspace, Stabilisation};

/// The part of accelerations by which they may miss closed loops that are (nearly) singular.
const MISSED: f64 = 1e-2;

/// The same where they are not. Within a step states are off the loops by powers of the step, and
/// where constraints are redundant, as Bennett's do, these contradict each other by as much.
const CONTRADICTED: f64 = 0.1;

/// Accelerations in m/s² and rad/s² beyond any robot's: the motion was lost before.
const BEYOND: f64 = 1e15;

/// The accelerations of a robot with closed loops, by
/// [`loop_dynamics`](featherline_constraint::loop_dynamics), under gravity and a [`ForceModel`]: a
/// [`VectorField`] on the coordinates of the spanning tree, for every method that takes one.
///
/// Methods leave the loops by the error of a step, and errors add up: [`Stabilisation`] pulls them
/// back, or [`assemble`](featherline_constraint::assemble) and
/// [`project_velocity`](featherline_constraint::project_velocity) between steps. An evaluation
/// allocates nothing but the first one. Open loops are no error here: a step's stages leave them.
///
/// Off the loops, where the stages of methods are, constraints that are redundant on them are not:
/// Bennett's linkage would lock. The first evaluation therefore closes the loops nearby and counts
/// how many constraints are independent there, and takes no more from then on.
///
/// ```
/// use featherline_sim::integrator::{IntegratorError, RungeKutta4, Stepper};
/// use featherline_constraint::Stabilisation;
/// use featherline::samples;
/// use featherline_sim::simulation::ConstrainedDynamics;
///
/// let model = samples::four_bar();
/// let mut field = ConstrainedDynamics::new(&model, (), Stabilisation::NONE)?;
/// let (mut q, mut v) = ([0.0; 3], [0.0; 3]);
/// RungeKutta4::new(&model).step(&mut field, 0.0, &mut q, &mut v, 1e-3)?;
/// assert!(v[0] != 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConstrainedDynamics<'m, L = ()> {
    model: &'m Model,
    ws: LoopWorkspace,
    loading: Loading<L>,
    stabilisation: Stabilisation,
    worst_condition: f64,
    /// The redundant constraints of closed loops, near the first configuration.
    generic_redundancy: Option<usize>,
}

impl<'m, L: ForceModel> ConstrainedDynamics<'m, L> {
    /// The robot under gravity, a force model, and forces that pull drifting loops together.
    ///
    /// # Errors
    /// As [`LoopWorkspace::new`].
    pub fn new(
        model: &'m Model,
        force_model: L,
        stabilisation: Stabilisation,
    ) -> Result<Self, LoopError> {
        Ok(Self {
            model,
            ws: LoopWorkspace::new(model)?,
            loading: Loading::new(model, force_model),
            stabilisation,
            worst_condition: 1.0,
            generic_redundancy: None,
        })
    }

    /// Counts so many constraints as redundant, as they are where the loops are closed.
    pub(super) fn repeat(&mut self, redundant: usize) {
        self.ws.set_generic_redundancy(redundant);
        self.generic_redundancy = Some(redundant);
    }

    /// The force model, to be changed between steps.
    pub fn forces_mut(&mut self) -> &mut L {
        &mut self.loading.force_model
    }

    /// The largest condition of the loops met so far, see
    /// [`LoopDynamics`](featherline_constraint::LoopDynamics); 1.7e8 if more constraints than
    /// elsewhere were redundant: it is that or more.
    pub fn worst_condition(&self) -> f64 {
        self.worst_condition
    }
}

impl<L: ForceModel> VectorField for ConstrainedDynamics<'_, L> {
    fn acceleration(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        out: &mut [f64],
    ) -> Result<(), IntegratorError> {
        let model = self.model;
        let usually = match self.generic_redundancy {
            Some(redundant) => redundant,
            None => {
                let redundant = generic_redundancy(model, &mut self.ws, q);
                self.repeat(redundant);
                redundant
            }
        };
        let (tau, bodies) = self.loading.at(model, t, q, v)?;
        let (ws, stabilisation) = (&mut self.ws, &self.stabilisation);
        let outcome = loop_dynamics_within_step(model, ws, (q, v), (tau, bodies), stabilisation);
        let result = outcome.map_err(|error| {
            if let LoopError::Tree(source) = error {
                IntegratorError::at(model, t, v, source)
            } else {
                IntegratorError::field(t, error)
            }
        })?;
        let sizes = result.accelerations.iter().map(|a| a.abs());
        let largest = sizes.fold(1.0, f64::max);
        if largest > BEYOND {
            return Err(IntegratorError::diverged(model, t, v, v));
        }
        let loops = Regularity::of(&result, usually);
        let missed = if loops.is_singular() {
            MISSED
        } else {
            CONTRADICTED
        };
        if result.residual > missed * largest {
            let residual = result.residual;
            return Err(IntegratorError::field(t, LostLoops { loops, residual }));
        }
        self.worst_condition = self.worst_condition.max(loops.whole_condition());
        out.copy_from_slice(result.accelerations);
        Ok(())
    }
}
