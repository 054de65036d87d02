//! Results that an algorithm leaves to the reader: fields of data that are computed when they are
//! read, of the state that the algorithm was called with.

use super::data::{DataBase, filled, matrix};
use super::fields::Field;
use super::world_columns::CountedForces;
use crate::model::Model;
use crate::spatial::{Force, Inertia, Motion, SE3};
use crate::states::Outcome;
use featherline::kinematics::ReferenceFrame;
use featherline::model::JointId;
use featherline::spatial::{self as core, Se3};
use nalgebra::DMatrix;
use numpy::PyArray2;
use pyo3::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// A state that an algorithm was called with.
pub struct State {
    pub model: Py<Model>,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
    pub tau: Vec<f64>,
    /// External forces on the bodies of all joints, six numbers each; none where there are none.
    pub forces: Vec<f64>,
    pub counted: CountedForces,
}

impl State {
    /// A state of which velocities and accelerations that are not given are zero.
    pub fn new(native: &Bound<'_, Model>, q: &[f64], v: &[f64], a: &[f64]) -> Self {
        let nv = native.get().model.nv();
        let or_zero = |numbers: &[f64]| match numbers {
            [] => vec![0.0; nv],
            numbers => numbers.to_vec(),
        };
        Self {
            model: native.clone().unbind(),
            q: q.to_vec(),
            v: or_zero(v),
            a: or_zero(a),
            tau: Vec::new(),
            forces: Vec::new(),
            counted: CountedForces::Forces,
        }
    }

    /// The numbers of an input of a quantity.
    pub fn numbers(&self, input: &str) -> &[f64] {
        match input {
            "q" => &self.q,
            "v" => &self.v,
            "a" => &self.a,
            "tau" => &self.tau,
            "f" => &self.forces,
            _ => &[],
        }
    }

    /// The external force on the body of a joint, if there are any.
    pub fn force(&self, joint: JointId) -> Option<core::Force<f64>> {
        let rows = self.forces.as_chunks::<6>().0;
        let row = rows.get(joint.index().checked_sub(1)?)?;
        Some(core::Force::from_array(*row))
    }
}

/// Accelerations less gravity, transmitted forces and momenta of the last inverse dynamics.
#[derive(Clone, Default)]
pub struct LastMotion {
    pub velocities: Vec<core::Motion<f64>>,
    pub accelerations: Vec<core::Motion<f64>>,
    pub forces: Vec<core::Force<f64>>,
    pub momenta: Vec<core::Force<f64>>,
}

/// How many columns all joints have together: those of mimic joints are their own, too.
pub fn column_count(m: &featherline::Model) -> usize {
    match m.has_mimic_joints() {
        false => m.nv(),
        true => m.joints().iter().map(|joint| joint.kind.nv()).sum(),
    }
}

/// Which of all columns are a joint's.
pub fn columns_of(m: &featherline::Model, joint: JointId) -> Range<usize> {
    let of = m.joint(joint);
    let first = match m.has_mimic_joints() {
        false => of.idx_v,
        true => {
            let before = &m.joints()[..joint.index()];
            before.iter().map(|joint| joint.kind.nv()).sum()
        }
    };
    first..first + of.kind.nv()
}

/// All columns of all Jacobians in the world's coordinates.
pub fn all_columns<'py>(
    py: Python<'py>,
    m: &featherline::Model,
    view: &featherline::kinematics::JointJacobians<'_, f64>,
) -> Bound<'py, PyArray2<f64>> {
    filled(py, 6, column_count(m), |out| {
        for joint in m.joint_ids() {
            let first = 6 * columns_of(m, joint).start;
            let own = view.joint_columns(joint).iter();
            for (column, to) in own.zip(out[first..].chunks_exact_mut(6)) {
                to.copy_from_slice(&column.to_array());
            }
        }
    })
}

/// Their rates where joints share coordinates: of each joint what it adds to those of its parent.
fn own_rates<'py>(
    py: Python<'py>,
    m: &featherline::Model,
    view: &featherline::kinematics::Velocities<'_, f64>,
) -> Outcome<Bound<'py, PyArray2<f64>>> {
    let mut numbers = Vec::with_capacity(6 * column_count(m));
    let mut all = DMatrix::<f64>::zeros(6, m.nv());
    let mut above = all.clone();
    for joint in m.joint_ids() {
        let of = m.joint(joint);
        view.jacobian_rate_into(joint, ReferenceFrame::World, &mut all)?;
        view.jacobian_rate_into(of.parent, ReferenceFrame::World, &mut above)?;
        let own = 6 * of.idx_v..6 * (of.idx_v + of.kind.nv());
        let (all, above) = (&all.as_slice()[own.clone()], &above.as_slice()[own]);
        numbers.extend(all.iter().zip(above).map(|(x, y)| x - y));
    }
    Ok(matrix(py, 6, &numbers))
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
    /// Lets fields be computed of a state when they are read. Lists whose objects somebody holds
    /// are written at once.
    pub fn leave(&mut self, py: Python<'_>, fields: &[Field], state: &Arc<State>) -> Outcome<()> {
        if fields.contains(&Field::Placements) {
            self.remember(&state.q);
            self.fields.done(Field::Relative);
        }
        self.fields.leave(fields, state);
        let lists = [
            (Field::Placements, self.joints.any),
            (Field::Velocities, self.velocities.any),
            (Field::Accelerations, self.accelerations.any),
        ];
        for (list, _) in lists.into_iter().filter(|(_, any)| *any) {
            self.settle(py, list)?;
        }
        Ok(())
    }

    /// Computes placements, velocities or accelerations of joints, if that has not been done.
    pub fn settle(&mut self, py: Python<'_>, list: Field) -> Outcome<()> {
        let Some(state) = self.fields.done(list) else {
            return Ok(());
        };
        let native = state.model.bind(py).get();
        let (ws, objects) = self.parts(native)?;
        let (m, q, v, a) = (&native.model, &state.q, &state.v, &state.a);
        if list == Field::Velocities {
            let view = m.forward_kinematics_velocities(ws, q, v)?;
            objects
                .velocities
                .fill(|out| view.joint_velocities_into(out))?;
        } else if list == Field::Accelerations {
            let view = m.forward_kinematics_accelerations(ws, q, v, a)?;
            (objects.accelerations).fill(|out| view.joint_accelerations_into(out))?;
        } else {
            let view = m.forward_kinematics(ws, q)?;
            objects.joints.fill(|out| view.joint_placements_into(out))?;
        }
        Ok(())
    }

    /// The columns of all Jacobians.
    pub fn jacobians<'py>(&mut self, py: Python<'py>, state: &State) -> Outcome<Bound<'py, PyAny>> {
        let native = state.model.bind(py).get();
        let (ws, _) = self.parts(native)?;
        let view = native.model.joint_jacobians(ws, &state.q)?;
        Ok(all_columns(py, &native.model, &view).into_any())
    }

    /// Their rates.
    pub fn jacobian_rates<'py>(
        &mut self,
        py: Python<'py>,
        state: &State,
    ) -> Outcome<Bound<'py, PyAny>> {
        let native = state.model.bind(py).get();
        let m = &native.model;
        let mut rates = vec![core::Motion::zero(); m.nv()];
        let (ws, _) = self.parts(native)?;
        let view = m.forward_kinematics_velocities(ws, &state.q, &state.v)?;
        if m.has_mimic_joints() {
            return Ok(own_rates(py, m, &view)?.into_any());
        }
        view.joint_jacobian_rates_into(&mut rates)?;
        let rates = filled(py, 6, m.nv(), |out| {
            for (to, column) in out.chunks_exact_mut(6).zip(&rates) {
                to.copy_from_slice(&column.to_array());
            }
        });
        Ok(rates.into_any())
    }

    /// Computes the motion of the last inverse dynamics, if that has not been done.
    pub fn settle_motion(&mut self, py: Python<'_>) -> Outcome<()> {
        let Some(state) = self.fields.done(Field::Motion) else {
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
            if let Some(external) = state.force(joint) {
                forces[i] = forces[i] - external;
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
        let Some(state) = self.fields.late(Field::Inertia) else {
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
        self.fields.share(&other.fields);
        self.last = other.last.clone();
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
        let Some(state) = self.fields.late(Field::Relative) else {
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
}
