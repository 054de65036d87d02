//! What an algorithm leaves to who asks for it: fields of data that are computed when they are
//! read, of the state that the algorithm was called with.

use super::data::{DataBase, array, filled, matrix};
use crate::model::Model;
use crate::spatial::{Force, Inertia, Motion, SE3};
use crate::states::Outcome;
use featherline::dynamics::DynamicsOptions;
use featherline::spatial::{self as core, Se3};
use numpy::PyArray2;
use pyo3::prelude::*;
use std::sync::Arc;

/// A state that an algorithm was called with.
pub struct State {
    pub model: Py<Model>,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
    pub forces: Vec<core::Force<f64>>,
}

impl State {
    /// A state of which velocities and accelerations that are not given are zero.
    pub fn new(native: &Bound<'_, Model>, q: &[f64], v: &[f64], a: &[f64]) -> Self {
        Self {
            model: native.clone().unbind(),
            q: q.to_vec(),
            v: v.to_vec(),
            a: a.to_vec(),
            forces: Vec::new(),
        }
    }
}

/// The states of which fields are read that have not been computed yet.
#[derive(Clone, Default)]
pub struct Late {
    /// `liMi`; without, of `oMi`.
    pub relative: Option<Arc<State>>,
    /// `v`, and `a`.
    pub velocities: Option<Arc<State>>,
    pub accelerations: Option<Arc<State>>,
    /// `a_gf`, `f` and `h`.
    pub motion: Option<Arc<State>>,
    /// `J`, `dJ`, `dAg`.
    pub jacobian: Option<Arc<State>>,
    pub jacobian_rate: Option<Arc<State>>,
    pub map_rate: Option<Arc<State>>,
    /// `dtau_dq` and `dtau_dv` after derivatives of forward dynamics.
    pub torque: Option<Arc<State>>,
    /// `Ig`, `oYcrb` and `Ycrb`, which are computed whenever they are read.
    pub inertia: Option<Arc<State>>,
}

/// Accelerations less gravity, transmitted forces and momenta of the last inverse dynamics.
#[derive(Clone, Default)]
pub struct LastMotion {
    pub velocities: Vec<core::Motion<f64>>,
    pub accelerations: Vec<core::Motion<f64>>,
    pub forces: Vec<core::Force<f64>>,
    pub momenta: Vec<core::Force<f64>>,
}

/// All columns of all Jacobians in the world's coordinates.
pub fn all_columns<'py>(
    py: Python<'py>,
    m: &featherline::Model,
    view: &featherline::kinematics::JointJacobians<'_, f64>,
) -> Bound<'py, PyArray2<f64>> {
    filled(py, 6, m.nv(), |out| {
        for joint in m.joint_ids() {
            let first = 6 * m.joint(joint).idx_v;
            for (column, to) in view
                .joint_columns(joint)
                .iter()
                .zip(out[first..].chunks_exact_mut(6))
            {
                // Joints that share coordinates add up, as their velocities do.
                for (to, x) in to.iter_mut().zip(column.to_array()) {
                    *to += x;
                }
            }
        }
    })
}

/// The inertias of all subtrees in the world's coordinates, the whole robot's first.
fn composites(
    model: &featherline::Model,
    view: &featherline::kinematics::Positions<'_, f64>,
) -> Vec<core::Inertia<f64>> {
    let mut sums = vec![core::Inertia::zero(); model.joints().len()];
    for joint in model.joint_ids().rev() {
        let (i, of) = (joint.index(), model.joint(joint));
        let own = view.placement(joint).act_inertia(&of.inertia);
        sums[i] = sums[i].sum(&own);
        sums[of.parent.index()] = sums[of.parent.index()].sum(&sums[i]);
    }
    sums
}

impl DataBase {
    /// Lets inverse dynamics' velocities, accelerations less gravity and forces be read of a state.
    pub fn late_motion(&mut self, py: Python<'_>, state: State) -> PyResult<()> {
        let state = Arc::new(state);
        self.late.relative = Some(state.clone());
        self.late.motion = Some(state.clone());
        self.late.velocities = Some(state);
        if self.velocities.any {
            self.settle_velocities(py)?;
        }
        Ok(())
    }

    /// Lets `J`, `dJ` and inertias of subtrees be read of a state.
    pub fn late_matrices(&mut self, state: &Arc<State>) {
        self.late.jacobian = Some(state.clone());
        self.late.jacobian_rate = Some(state.clone());
        self.late.inertia = Some(state.clone());
    }

    /// Computes velocities and accelerations of joints, if that has not been done.
    pub fn settle_velocities(&mut self, py: Python<'_>) -> Outcome<()> {
        if let Some(state) = self.late.velocities.take() {
            let native = state.model.bind(py).get();
            let (ws, objects) = self.parts(native)?;
            native
                .model
                .forward_kinematics_velocities(ws, &state.q, &state.v)
                .and_then(|view| {
                    objects
                        .velocities
                        .fill(|out| view.joint_velocities_into(out))
                })?;
        }
        if let Some(state) = self.late.accelerations.take() {
            let native = state.model.bind(py).get();
            let (ws, objects) = self.parts(native)?;
            native
                .model
                .forward_kinematics_accelerations(ws, &state.q, &state.v, &state.a)
                .and_then(|view| {
                    objects
                        .accelerations
                        .fill(|out| view.joint_accelerations_into(out))
                })?;
        }
        Ok(())
    }

    /// Computes the Jacobians' columns and their rates, if that has not been done.
    pub fn settle_jacobians(&mut self, py: Python<'_>) -> Outcome<()> {
        if let Some(state) = self.late.jacobian.take() {
            let native = state.model.bind(py).get();
            let (ws, _) = self.parts(native)?;
            let view = native.model.joint_jacobians(ws, &state.q)?;
            self.jacobian = all_columns(py, &native.model, &view).into_any().unbind();
        }
        if let Some(state) = self.late.jacobian_rate.take() {
            let native = state.model.bind(py).get();
            let m = &native.model;
            let mut rates = vec![core::Motion::zero(); m.nv()];
            let (ws, _) = self.parts(native)?;
            m.forward_kinematics_velocities(ws, &state.q, &state.v)
                .and_then(|view| view.joint_jacobian_rates_into(&mut rates))?;
            let rates = filled(py, 6, m.nv(), |out| {
                for (to, column) in out.chunks_exact_mut(6).zip(&rates) {
                    to.copy_from_slice(&column.to_array());
                }
            });
            self.jacobian_rate = rates.into_any().unbind();
        }
        Ok(())
    }

    /// Computes the derivatives of inverse dynamics, if that has not been done.
    fn settle_torque(&mut self, py: Python<'_>) -> Outcome<()> {
        if let Some(state) = self.late.torque.take() {
            let native = state.model.bind(py).get();
            let (ws, _) = self.parts(native)?;
            let options = DynamicsOptions::default().without_passive_forces();
            let options = options.with_forces(&state.forces);
            let (q, v, a) = (&state.q, &state.v, &state.a);
            let found = (native.model).inverse_dynamics_derivatives(ws, q, v, a, options)?;
            let (of_q, of_v) = (array(py, found.dq), array(py, found.dv));
            self.dtau_dq = of_q.into_any().unbind();
            self.dtau_dv = of_v.into_any().unbind();
        }
        Ok(())
    }

    /// Computes the motion of the last inverse dynamics, if that has not been done.
    pub fn settle_motion(&mut self, py: Python<'_>) -> Outcome<()> {
        let Some(state) = self.late.motion.take() else {
            return Ok(());
        };
        let native = state.model.bind(py).get();
        let m = &native.model;
        let (ws, _) = self.parts(native)?;
        let view = m.forward_kinematics_accelerations(ws, &state.q, &state.v, &state.a)?;
        let count = m.joints().len();
        let mut placements = vec![Se3::identity(); count];
        let mut velocities = vec![core::Motion::zero(); count];
        let mut accelerations = velocities.clone();
        view.joint_placements_into(&mut placements)
            .and_then(|()| view.joint_velocities_into(&mut velocities))
            .and_then(|()| view.joint_accelerations_into(&mut accelerations))?;
        // Gravity acts as an acceleration of the world.
        let up = -m.gravity();
        for (acceleration, placement) in accelerations.iter_mut().zip(&placements) {
            acceleration.linear += placement.rotation.tr_mul_vec(up);
        }
        let mut forces = vec![core::Force::zero(); count];
        let mut momenta = forces.clone();
        for joint in m.joint_ids().rev() {
            let (i, of) = (joint.index(), m.joint(joint));
            momenta[i] = of.inertia.mul_motion(&velocities[i]);
            forces[i] += of.inertia.newton_euler(&velocities[i], &accelerations[i]);
            if let Some(external) = state.forces.get(i) {
                forces[i] = forces[i] - *external;
            }
            let parent = of.parent.index();
            let carried = placements[i].act_force(&forces[i]);
            forces[parent] += placements[parent].inverse_act_force(&carried);
        }
        self.last = LastMotion {
            velocities,
            accelerations,
            forces,
            momenta,
        };
        Ok(())
    }

    /// Calls a function with the placements of the state of which inertias are read.
    fn of_inertias<T>(
        &mut self,
        py: Python<'_>,
        otherwise: T,
        function: impl FnOnce(
            &[core::Inertia<f64>],
            &featherline::kinematics::Positions<'_, f64>,
            &featherline::Model,
        ) -> T,
    ) -> Outcome<T> {
        let Some(state) = self.late.inertia.clone() else {
            return Ok(otherwise);
        };
        let native = state.model.bind(py).get();
        let (ws, _) = self.parts(native)?;
        let view = native.model.forward_kinematics(ws, &state.q)?;
        Ok(function(
            &composites(&native.model, &view),
            &view,
            &native.model,
        ))
    }

    fn forces(&self, forces: &[core::Force<f64>]) -> Vec<Force> {
        let all = (0..self.joints.len()).map(|i| forces.get(i).copied());
        all.map(|f| Force::from_value(f.unwrap_or(core::Force::zero())))
            .collect()
    }

    fn no_inertias(&self) -> Vec<Inertia> {
        let zero = || Inertia::from_value(&core::Inertia::zero());
        (0..self.joints.len()).map(|_| zero()).collect()
    }
}

#[pymethods]
impl DataBase {
    /// Takes over what other data have yet to compute.
    fn _share(&mut self, other: PyRef<'_, Self>) {
        self.late = other.late.clone();
        self.last = other.last.clone();
        self.forward = other.forward.clone();
        self.derived = other.derived.clone();
        self.motion_derived = other.motion_derived.clone();
        self.columns.share(&other.columns);
        self.center_motion = other.center_motion.clone();
    }

    /// The forces that joints transmit, in joints' frames, in the last inverse dynamics.
    #[getter(_f)]
    fn transmitted(&mut self, py: Python<'_>) -> PyResult<Vec<Force>> {
        self.settle_motion(py)?;
        Ok(self.forces(&self.last.forces))
    }

    /// The momenta of bodies, in joints' frames, in the last inverse dynamics.
    #[getter(_h)]
    fn momenta(&mut self, py: Python<'_>) -> PyResult<Vec<Force>> {
        self.settle_motion(py)?;
        Ok(self.forces(&self.last.momenta))
    }

    /// The accelerations of joints' frames less gravity in the last inverse dynamics.
    #[getter(_a_gf)]
    fn accelerations_less_gravity(&mut self, py: Python<'_>) -> PyResult<Vec<Motion>> {
        self.settle_motion(py)?;
        let zero = core::Motion::zero();
        let all = (0..self.joints.len()).map(|i| self.last.accelerations.get(i).unwrap_or(&zero));
        Ok(all.map(|a| Motion::from_value(*a)).collect())
    }

    /// The joints' placements in their parents' frames.
    #[getter(_liMi)]
    fn relative(&mut self, py: Python<'_>) -> Outcome<Option<Vec<SE3>>> {
        let Some(state) = self.late.relative.clone() else {
            return Ok(None);
        };
        let native = state.model.bind(py).get();
        let m = &native.model;
        let (ws, _) = self.parts(native)?;
        let view = m.forward_kinematics(ws, &state.q)?;
        let mut all = vec![SE3::from_value(&Se3::identity())];
        for joint in m.joint_ids() {
            let parent = view.placement(m.joint(joint).parent);
            let relative = parent.inverse().compose(&view.placement(joint));
            all.push(SE3::from_value(&relative));
        }
        Ok(Some(all))
    }

    /// The inertias of subtrees in the world's coordinates, since the last algorithm of masses.
    #[getter(_oYcrb)]
    fn composite_inertias(&mut self, py: Python<'_>) -> Outcome<Vec<Inertia>> {
        let zeros = self.no_inertias();
        self.of_inertias(py, zeros, |sums, _, _| {
            sums.iter().map(Inertia::from_value).collect()
        })
    }

    /// The inertias of subtrees in joints' frames, since the last algorithm of masses.
    #[getter(_Ycrb)]
    fn own_composite_inertias(&mut self, py: Python<'_>) -> Outcome<Vec<Inertia>> {
        let zeros = self.no_inertias();
        self.of_inertias(py, zeros, |sums, view, m| {
            let mut all = vec![Inertia::from_value(&sums[0])];
            all.extend(m.joint_ids().map(|joint| {
                let back = view.placement(joint).inverse();
                Inertia::from_value(&back.act_inertia(&sums[joint.index()]))
            }));
            all
        })
    }

    /// The whole robot's inertia about its centre of mass, since the last algorithm of momenta.
    #[getter(Ig)]
    fn inertia_about_center(&mut self, py: Python<'_>) -> PyResult<Inertia> {
        let zero = core::Inertia::zero();
        let total = self.of_inertias(py, zero, |sums, _, _| sums[0])?;
        let about = core::Inertia::new(total.mass, core::Vec3::zero(), total.rotational);
        Ok(Inertia::from_value(&about))
    }

    /// All columns of all Jacobians in the world's coordinates.
    #[getter(J)]
    fn read_jacobian(&mut self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.settle_jacobians(py)?;
        Ok(self.jacobian.clone_ref(py))
    }

    #[setter(J)]
    fn write_jacobian(&mut self, value: Py<PyAny>) {
        self.late.jacobian = None;
        self.jacobian = value;
    }

    /// Their rates.
    #[getter(dJ)]
    fn read_jacobian_rate(&mut self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.settle_jacobians(py)?;
        Ok(self.jacobian_rate.clone_ref(py))
    }

    #[setter(dJ)]
    fn write_jacobian_rate(&mut self, value: Py<PyAny>) {
        self.late.jacobian_rate = None;
        self.jacobian_rate = value;
    }

    /// The derivative of inverse dynamics along q.
    #[getter(dtau_dq)]
    fn read_torque_by_q(&mut self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.settle_torque(py)?;
        Ok(self.dtau_dq.clone_ref(py))
    }

    #[setter(dtau_dq)]
    fn write_torque_by_q(&mut self, py: Python<'_>, value: Py<PyAny>) -> PyResult<()> {
        self.settle_torque(py)?;
        self.dtau_dq = value;
        Ok(())
    }

    /// The derivative of inverse dynamics along v.
    #[getter(dtau_dv)]
    fn read_torque_by_v(&mut self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.settle_torque(py)?;
        Ok(self.dtau_dv.clone_ref(py))
    }

    #[setter(dtau_dv)]
    fn write_torque_by_v(&mut self, py: Python<'_>, value: Py<PyAny>) -> PyResult<()> {
        self.settle_torque(py)?;
        self.dtau_dv = value;
        Ok(())
    }

    /// The rate of the centroidal momentum matrix.
    #[getter(dAg)]
    fn read_map_rate(&mut self, py: Python<'_>) -> Outcome<Py<PyAny>> {
        if let Some(state) = self.late.map_rate.take() {
            let native = state.model.bind(py).get();
            let (ws, _) = self.parts(native)?;
            let rate = native
                .model
                .centroidal_map_rate(ws, &state.q, &state.v)?
                .rate;
            self.map_rate = matrix(py, 6, rate.as_slice()).into_any().unbind();
        }
        Ok(self.map_rate.clone_ref(py))
    }

    #[setter(dAg)]
    fn write_map_rate(&mut self, value: Py<PyAny>) {
        self.late.map_rate = None;
        self.map_rate = value;
    }
}
