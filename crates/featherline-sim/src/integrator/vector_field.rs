//! Vector fields: accelerations as a function of time, configuration and velocity.

use super::forces::{ForceModel, Loading};
use super::{IntegratorError, Result};
use featherline::Workspace;
use featherline::dynamics::DynamicsOptions;
use featherline::model::Model;

/// A second-order differential equation on the robot's configurations: q moves with the velocity v,
/// and v changes at the accelerations v̇(t, q, v).
///
/// [`ForwardDynamics`] is one for every robot; a closure that writes the accelerations is one, too,
/// for robots whose accelerations come from elsewhere.
///
/// ```
/// use featherline_sim::integrator::{IntegratorError, RungeKutta4, Stepper};
/// use featherline::samples;
///
/// // Two independent oscillators in the coordinates of a double pendulum.
/// let model = samples::double_pendulum();
/// let mut field = |_t: f64, q: &[f64], _v: &[f64], a: &mut [f64]| -> Result<(), IntegratorError> {
///     a[0] = -q[0];
///     a[1] = -4.0 * q[1];
///     Ok(())
/// };
/// let (mut q, mut v) = ([1.0, 1.0], [0.0, 0.0]);
/// let mut stepper = RungeKutta4::new(&model);
/// let h = std::f64::consts::PI / 100.0;
/// for k in 0..100 {
///     stepper.step(&mut field, k as f64 * h, &mut q, &mut v, h)?;
/// }
/// assert!((q[0] + 1.0).abs() < 1e-6 && (q[1] - 1.0).abs() < 1e-5);
/// # Ok::<(), IntegratorError>(())
/// ```
pub trait VectorField {
    /// Writes the accelerations v̇ at the time `t` (in s), nv entries, in the state (`q`, `v`) of
    /// nq and nv entries.
    ///
    /// The same arguments must give the same result within one step; methods call it once for each
    /// of their stages.
    ///
    /// # Errors
    /// [`IntegratorError`] where there are none, for one's own reasons through
    /// [`IntegratorError::field`].
    fn acceleration(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()>;
}

impl<F> VectorField for F
where
    F: FnMut(f64, &[f64], &[f64], &mut [f64]) -> Result<()>,
{
    #[inline]
    fn acceleration(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        self(t, q, v, out)
    }
}

/// The robot's own accelerations, by the articulated-body algorithm, under gravity and a
/// [`ForceModel`].
///
/// Armature and reflected rotor inertia count, as in [`Model::aba`]. Damping, friction and springs
/// of the model's joints act where their force models are included:
/// [`forces::passive`](super::forces::passive) are all three. An evaluation costs O(n) and
/// allocates nothing.
///
/// ```
/// use featherline_sim::integrator::{ForwardDynamics, RungeKutta4, Stepper, forces};
/// use featherline::samples;
///
/// let model = samples::double_pendulum();
/// let brake = |_t: f64, _q: &[f64], v: &[f64], tau: &mut [f64]| tau[1] -= 0.5 * v[1];
/// let laws = (forces::passive(&model, 1e-3)?, forces::TorqueFunction::new(brake));
/// let mut field = ForwardDynamics::with_forces(&model, laws);
/// let (mut q, mut v) = ([1.0, 0.0], [0.0, 0.0]);
/// RungeKutta4::new(&model).step(&mut field, 0.0, &mut q, &mut v, 0.01)?;
/// assert!(v[0] < 0.0);
/// # Ok::<(), featherline_sim::integrator::IntegratorError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ForwardDynamics<'m, L = ()> {
    model: &'m Model,
    ws: Workspace<f64>,
    loading: Loading<L>,
}

impl<'m> ForwardDynamics<'m> {
    /// The robot under gravity alone.
    pub fn new(model: &'m Model) -> Self {
        Self::with_forces(model, ())
    }
}

impl<'m, L: ForceModel> ForwardDynamics<'m, L> {
    /// The robot under gravity and a force model; a tuple of models is one.
    pub fn with_forces(model: &'m Model, force_model: L) -> Self {
        Self {
            model,
            ws: Workspace::recursive(model),
            loading: Loading::new(model, force_model),
        }
    }

    /// The force model.
    pub fn forces(&self) -> &L {
        &self.loading.force_model
    }

    /// The force model, to be changed between steps.
    pub fn forces_mut(&mut self) -> &mut L {
        &mut self.loading.force_model
    }
}

impl<L: ForceModel> VectorField for ForwardDynamics<'_, L> {
    fn acceleration(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        let (model, ws) = (self.model, &mut self.ws);
        let (tau, bodies) = self.loading.at(model, t, q, v)?;
        let options = DynamicsOptions::default().without_passive_forces();
        let found = model.forward_dynamics(ws, q, v, tau, options.with_forces(bodies));
        out.copy_from_slice(found.map_err(|source| IntegratorError::at(model, t, v, source))?);
        Ok(())
    }
}
