//! Forces that carry a part of the weight of bodies.

use super::{ForceModel, Loads, State};
use crate::integrator::{IntegratorError, Result};
use featherline::Workspace;
use featherline::model::{JointId, Model};
use featherline::spatial::{Force, Vec3};

/// Forces −m g at points of bodies, against gravity g: they carry the masses m there, such as those
/// that a balance weight or a spring carries in the machine. Costs the placements of the bodies.
///
/// ```
/// use featherline::samples;
/// use featherline_sim::integrator::forces::WeightCompensation;
/// use featherline_sim::integrator::RungeKutta4;
/// use featherline_sim::simulation::{Method, Simulator};
///
/// let model = samples::double_pendulum();
/// let ids = model.joint_ids().map(|id| (id, model.joint(id).inertia));
/// let all = ids.map(|(id, inertia)| (id, inertia.mass, inertia.com)).collect();
/// let simulator = Simulator::new(&model, Method::steps(RungeKutta4::new(&model), 1e-3)?);
/// let simulator = simulator.with_forces(WeightCompensation::new(&model, all));
/// let mut simulation = simulator.start(0.0, &[1.0, 0.5], &[0.0, 0.0])?;
/// simulation.run(1.0, 1.0, &mut ())?;
/// assert!((simulation.configuration()[0] - 1.0).abs() < 1e-12);
/// # Ok::<(), featherline_sim::simulation::SimulationError>(())
/// ```
pub struct WeightCompensation<'m> {
    model: &'m Model,
    ws: Workspace<f64>,
    masses: Vec<(JointId, f64, Vec3<f64>)>,
}

impl<'m> WeightCompensation<'m> {
    /// Masses in kg that are carried: the joint whose body has one, the mass, and where it is in
    /// the joint's output frame, in m.
    pub fn new(model: &'m Model, masses: Vec<(JointId, f64, Vec3<f64>)>) -> Self {
        let ws = Workspace::recursive(model);
        Self { model, ws, masses }
    }
}

impl ForceModel for WeightCompensation<'_> {
    fn add(&mut self, state: &State<'_>, loads: &mut Loads<'_>) -> Result<()> {
        let gravity = self.model.gravity();
        let placed = self.model.forward_kinematics(&mut self.ws, state.q);
        let placed =
            placed.map_err(|source| IntegratorError::at(self.model, state.t, state.v, source))?;
        for &(body, mass, point) in &self.masses {
            // f = −m Rᵀ g at the point p, with the moment p × f
            let rotation = placed.placement(body).rotation;
            let linear = rotation.tr_mul_vec(gravity) * -mass;
            loads.bodies[body.index()] += Force::new(linear, point.cross(linear));
        }
        Ok(())
    }

    fn acts_on_bodies(&self) -> bool {
        !self.masses.is_empty()
    }

    fn is_nothing(&self) -> bool {
        self.masses.is_empty()
    }
}
