//! Measures the samples of a simulation.

use super::super::event::TimedState;
use super::{InnerEnergy, Result, Sample, SimulationError, SimulationWarning, fast_rotation};
use crate::integrator::IntegratorError;
use featherline::kernel::{check_size, free_base};
use featherline::model::{JointId, Model};
use featherline::spatial::{Force, Vec3};
use featherline::{Error, Workspace};
use featherline_constraint::{LoopGap, LoopWorkspace, loop_gap};

/// Measures states, in a workspace of its own: the engines' stay untouched.
///
/// ```
/// use featherline::samples;
/// use featherline_sim::simulation::Sampler;
///
/// let model = samples::double_pendulum();
/// let mut sampler = Sampler::new(&model);
/// let sample = sampler.measure(0.0, &[0.0, 0.0], &[1.0, 0.0], &[0.0, 0.0])?;
/// assert!(sample.kinetic_energy > 0.0);
/// # Ok::<(), featherline_sim::simulation::SimulationError>(())
/// ```
pub struct Sampler<'m> {
    model: &'m Model,
    ws: Workspace<f64>,
    /// The base of a robot that floats freely.
    base: Option<JointId>,
    /// The velocity as seen from the centre of mass, nv entries.
    inner_velocity: Box<[f64]>,
    pub(in super::super) tau: Box<[f64]>,
}

impl<'m> Sampler<'m> {
    /// Memory to measure states of a model.
    pub fn new(model: &'m Model) -> Self {
        Self {
            model,
            ws: Workspace::recursive(model),
            base: free_base(model),
            inner_velocity: vec![0.0; model.nv()].into(),
            tau: vec![0.0; model.nv()].into(),
        }
    }

    /// The sample of a tree at the state (`t`, `q`, `v`) with the joint forces `tau`:
    /// energies and momentum. Cost O(n).
    ///
    /// # Errors
    /// [`SimulationError::Integrator`] of sizes that do not fit, or of a state that is not finite.
    pub fn measure<'a>(
        &'a mut self,
        t: f64,
        q: &'a [f64],
        v: &'a [f64],
        tau: &[f64],
    ) -> Result<Sample<'a>> {
        check_size("tau", self.tau.len(), tau.len())?;
        self.tau.copy_from_slice(tau);
        self.sample(None, (t, q, v))
    }

    /// The sample at a state; `tau` has been filled.
    pub(in super::super) fn sample<'a>(
        &'a mut self,
        loops: Option<&mut LoopWorkspace>,
        (t, q, v): (f64, &'a [f64], &'a [f64]),
    ) -> Result<Sample<'a>> {
        let model = self.model;
        let at = |source| SimulationError::Integrator(IntegratorError::at(model, t, v, source));
        let ws = &mut self.ws;
        let kinetic_energy = model.kinetic_energy(ws, q, v).map_err(at)?;
        let potential_energy = model.potential_energy(ws, q).map_err(at)?;
        let mut momentum = momentum(model, ws, q, v).map_err(at)?;
        let mut inner_energy = None;
        if let Some(base) = self.base {
            let (inner, angular) = self.about_centre(base, q, v, momentum.linear).map_err(at)?;
            momentum.angular = angular;
            inner_energy = Some(inner);
        }
        let loop_gap = match loops {
            None => LoopGap::default(),
            Some(ws) => loop_gap(model, ws, q, v)
                .map_err(|source| SimulationError::of_loops(model, t, v, source))?,
        };
        Ok(Sample {
            t,
            q,
            v,
            tau: &self.tau,
            kinetic_energy,
            potential_energy,
            inner_energy,
            momentum,
            loop_gap,
            contact: None,
        })
    }

    /// A body that rotates too far in a step of `step` s, at this state.
    pub(in super::super) fn fast_rotation(
        &mut self,
        step: f64,
        state: &TimedState,
    ) -> Result<Option<SimulationWarning>> {
        let (model, TimedState { t, q, v }) = (self.model, state);
        fast_rotation::look(model, &mut self.ws, step, (*t, q, v)).map_err(|source| {
            SimulationError::Integrator(IntegratorError::at(model, *t, v, source))
        })
    }

    /// The energy and the angular momentum about the centre of mass of a robot with a free base,
    /// which moves with the linear momentum `linear`. The centre's velocity is taken from the base
    /// first: differences of energies and of moments would leave nothing but rounding of a robot
    /// that falls fast.
    fn about_centre(
        &mut self,
        base: JointId,
        q: &[f64],
        v: &[f64],
        linear: Vec3<f64>,
    ) -> Result<(InnerEnergy, Vec3<f64>), Error> {
        let (model, ws, seen) = (self.model, &mut self.ws, &mut self.inner_velocity);
        seen.copy_from_slice(v);
        let mass = model.total_mass();
        if mass > 0.0 {
            let frame = model.forward_kinematics(ws, q)?.placement(base);
            let velocity = frame.rotation.tr_mul_vec(linear * mass.recip());
            let first = model.joint(base).idx_v;
            for (entry, part) in seen[first..].iter_mut().zip(velocity.to_array()) {
                *entry -= part;
            }
        }
        let inner = InnerEnergy {
            kinetic: model.kinetic_energy(ws, q, seen)?,
            potential: 0.0,
        };
        Ok((inner, momentum(model, ws, q, seen)?.angular))
    }
}

/// The momentum about the centre of mass.
fn momentum(
    model: &Model,
    ws: &mut Workspace<f64>,
    q: &[f64],
    v: &[f64],
) -> Result<Force<f64>, Error> {
    match model.centroidal_momentum(ws, q, v) {
        // Armature alone moves: there is inertia, and no momentum.
        Err(Error::NoMass { .. }) => Ok(Force::zero()),
        momentum => momentum,
    }
}
