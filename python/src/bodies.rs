//! All joints at once, in lists of spatial objects and arrays that a caller keeps: what programs
//! read that hold the data of a model beside it.

use crate::array::{Argument, Numbers, is_writeable};
use crate::error;
use crate::kinematics::reference;
use crate::model::Model;
use crate::spatial::{Inertia, Motion, SE3};
use featherline::kinematics::{ReferenceFrame, Target};
use featherline::model::JointId;
use featherline::{Workspace, spatial};
use nalgebra::DMatrixViewMut;
use numpy::{PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;

type Value<'a, 'py> = &'a Bound<'py, PyAny>;

/// An entry of a list that holds spatial objects of one kind.
fn entry<'py, T: pyo3::PyTypeInfo>(
    list: &Bound<'py, PyList>,
    index: usize,
) -> PyResult<Bound<'py, T>> {
    let item = list.get_item(index)?;
    item.cast_into::<T>()
        .map_err(|e| PyTypeError::new_err(e.to_string()))
}

impl Model {
    fn joint_ids(&self) -> impl Iterator<Item = (usize, JointId)> + '_ {
        self.model.subtree(JointId::UNIVERSE).enumerate()
    }

    fn one<'a, 'py>(
        &self,
        name: &'static str,
        value: Value<'a, 'py>,
        width: usize,
    ) -> PyResult<Numbers<'py, f64>> {
        let numbers = Numbers::<f64>::read(&Argument { name, value, width })?;
        match numbers.states {
            None => Ok(numbers),
            Some(n) => Err(error::shape(name, &[n, width], &format!("({width},)"))),
        }
    }
}

/// The numbers of a matrix of the caller's, column by column.
#[expect(unsafe_code)]
#[expect(
    clippy::mut_from_ref,
    reason = "the numbers are numpy's, which the array shares"
)]
fn columns<'a>(
    array: &'a Bound<'_, PyArray2<f64>>,
    rows: usize,
    count: usize,
) -> PyResult<&'a mut [f64]> {
    let aligned = (array.data() as usize).is_multiple_of(align_of::<f64>());
    if array.shape() != [rows, count] || !array.is_fortran_contiguous() || !aligned {
        return Err(PyValueError::new_err(format!(
            "the matrix must be ({rows}, {count}), column by column"
        )));
    }
    if !is_writeable(array.as_untyped()) {
        return Err(error::read_only());
    }
    // SAFETY: so many aligned numbers without a gap, which nobody else writes meanwhile.
    Ok(unsafe { std::slice::from_raw_parts_mut(array.data(), rows * count) })
}

#[pymethods]
impl Model {
    /// Writes the joints' placements in the world, their velocities and spatial accelerations in
    /// their own frames.
    #[pyo3(signature = (q, v, a, placements, velocities, accelerations))]
    fn _move_joints(
        &self,
        q: Value<'_, '_>,
        v: Option<Value<'_, '_>>,
        a: Option<Value<'_, '_>>,
        placements: &Bound<'_, PyList>,
        velocities: &Bound<'_, PyList>,
        accelerations: &Bound<'_, PyList>,
    ) -> PyResult<()> {
        let (nq, nv) = (self.model.nq(), self.model.nv());
        let q = self.one("q", q, nq)?;
        let v = v.map(|v| self.one("v", v, nv)).transpose()?;
        let a = a.map(|a| self.one("a", a, nv)).transpose()?;
        let mut ws = self.workspaces.take(|| Workspace::new(&self.model));
        let done = self.write_joints(
            &mut ws,
            [Some(&q), v.as_ref(), a.as_ref()].map(|n| n.map(Numbers::as_slice)),
            [placements, velocities, accelerations],
        );
        self.workspaces.give_back(ws);
        done
    }

    /// Writes all joints' placements, and the Jacobians' columns in the world's coordinates.
    fn _joint_jacobians(
        &self,
        q: Value<'_, '_>,
        placements: &Bound<'_, PyList>,
        out: &Bound<'_, PyArray2<f64>>,
    ) -> PyResult<()> {
        let q = self.one("q", q, self.model.nq())?;
        let out = columns(out, 6, self.model.nv())?;
        let mut ws = self.workspaces.take(|| Workspace::new(&self.model));
        let done = self.write_jacobians(&mut ws, q.as_slice(), placements, out);
        self.workspaces.give_back(ws);
        done
    }

    /// Writes the rates of the Jacobians' columns in the world's coordinates.
    fn _joint_jacobian_rates(
        &self,
        q: Value<'_, '_>,
        v: Value<'_, '_>,
        out: &Bound<'_, PyArray2<f64>>,
    ) -> PyResult<()> {
        let nv = self.model.nv();
        let (q, v) = (self.one("q", q, self.model.nq())?, self.one("v", v, nv)?);
        let out = columns(out, 6, nv)?;
        let mut ws = self.workspaces.take(|| Workspace::new(&self.model));
        let done = self.write_rates(&mut ws, q.as_slice(), v.as_slice(), out);
        self.workspaces.give_back(ws);
        done
    }

    /// The centres of mass (joints and universe, 3) of subtrees, in the world; NaN without mass.
    fn _subtree_centers<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, '_>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let q = self.one("q", q, self.model.nq())?;
        let mut ws = self.workspaces.take(|| Workspace::new(&self.model));
        let rows = (self.model.centers_of_mass(&mut ws, q.as_slice()))
            .map(|centers| {
                let center = |joint| centers.subtree_center_of_mass(joint);
                self.joint_ids()
                    .map(|(_, joint)| {
                        center(joint).map_or(vec![f64::NAN; 3], |c| c.to_array().to_vec())
                    })
                    .collect::<Vec<_>>()
            })
            .map_err(error::algorithm);
        self.workspaces.give_back(ws);
        Ok(PyArray2::from_vec2(py, &rows?)?)
    }

    /// The Jacobian (3, nv) of the centre of mass of a joint's subtree.
    fn _subtree_center_jacobian<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, '_>,
        joint: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let q = self.one("q", q, self.model.nq())?;
        let nv = self.model.nv();
        let (_, joint) = self
            .joint_ids()
            .nth(joint)
            .ok_or_else(|| PyIndexError::new_err("there is no such joint"))?;
        let mut numbers = vec![0.0; 3 * nv];
        let mut ws = self.workspaces.take(|| Workspace::new(&self.model));
        let done = self
            .model
            .centers_of_mass(&mut ws, q.as_slice())
            .and_then(|centers| {
                let out = DMatrixViewMut::from_slice(&mut numbers, 3, nv);
                centers.subtree_center_of_mass_jacobian_into(joint, out)
            })
            .map_err(error::algorithm);
        self.workspaces.give_back(ws);
        done?;
        let flat = numpy::PyArray1::from_vec(py, numbers).reshape([nv, 3])?;
        flat.getattr("T")
    }
}

impl Model {
    fn write_joints(
        &self,
        ws: &mut Workspace<f64>,
        [q, v, a]: [Option<&[f64]>; 3],
        [placements, velocities, accelerations]: [&Bound<'_, PyList>; 3],
    ) -> PyResult<()> {
        let q = q.unwrap_or_default();
        let local = ReferenceFrame::Local;
        match (v, a) {
            (None, _) => {
                let view = self
                    .model
                    .forward_kinematics(ws, q)
                    .map_err(error::algorithm)?;
                for (i, joint) in self.joint_ids() {
                    entry::<SE3>(placements, i)?
                        .get()
                        .set(&view.placement(joint));
                }
            }
            (Some(v), None) => {
                let view = (self.model.forward_kinematics_velocities(ws, q, v))
                    .map_err(error::algorithm)?;
                for (i, joint) in self.joint_ids() {
                    entry::<SE3>(placements, i)?
                        .get()
                        .set(&view.placement(joint));
                    let velocity = view.velocity(joint, local);
                    entry::<Motion>(velocities, i)?.get().set(velocity);
                }
            }
            (Some(v), Some(a)) => {
                let view = (self.model.forward_kinematics_accelerations(ws, q, v, a))
                    .map_err(error::algorithm)?;
                for (i, joint) in self.joint_ids() {
                    entry::<SE3>(placements, i)?
                        .get()
                        .set(&view.placement(joint));
                    let velocity = view.velocity(joint, local);
                    entry::<Motion>(velocities, i)?.get().set(velocity);
                    let acceleration = view.acceleration(joint, local);
                    entry::<Motion>(accelerations, i)?.get().set(acceleration);
                }
            }
        }
        Ok(())
    }

    fn write_jacobians(
        &self,
        ws: &mut Workspace<f64>,
        q: &[f64],
        placements: &Bound<'_, PyList>,
        out: &mut [f64],
    ) -> PyResult<()> {
        let view = self
            .model
            .joint_jacobians(ws, q)
            .map_err(error::algorithm)?;
        out.fill(0.0);
        for (i, joint) in self.joint_ids() {
            entry::<SE3>(placements, i)?
                .get()
                .set(&view.placement(joint));
            let first = 6 * self.model.joint(joint).idx_v;
            for (k, column) in view.joint_columns(joint).iter().enumerate() {
                // Joints that share coordinates add up, as their velocities do.
                for (to, x) in out[first + 6 * k..].iter_mut().zip(column.to_array()) {
                    *to += x;
                }
            }
        }
        Ok(())
    }

    fn write_rates(
        &self,
        ws: &mut Workspace<f64>,
        q: &[f64],
        v: &[f64],
        out: &mut [f64],
    ) -> PyResult<()> {
        let nv = self.model.nv();
        let view =
            (self.model.forward_kinematics_velocities(ws, q, v)).map_err(error::algorithm)?;
        let mut path = vec![0.0; 6 * nv];
        out.fill(0.0);
        let leaves = (self.joint_ids()).filter(|&(_, j)| self.model.children(j).next().is_none());
        for (_, leaf) in leaves {
            let matrix = DMatrixViewMut::from_slice(&mut path, 6, nv);
            view.jacobian_rate_into(Target::Joint(leaf), ReferenceFrame::World, matrix)
                .map_err(error::algorithm)?;
            for joint in self.model.support(leaf) {
                let joint = self.model.joint(joint);
                let own = 6 * joint.idx_v..6 * (joint.idx_v + joint.nv);
                out[own.clone()].copy_from_slice(&path[own]);
            }
        }
        Ok(())
    }
}

/// Writes placements[joints[i]] * relative[i] to out[i], for frames fixed in bodies.
#[pyfunction]
pub fn _place_frames(
    placements: &Bound<'_, PyList>,
    joints: Vec<usize>,
    relative: &Bound<'_, PyList>,
    out: &Bound<'_, PyList>,
) -> PyResult<()> {
    for (i, joint) in joints.into_iter().enumerate() {
        let body = entry::<SE3>(placements, joint)?;
        let frame = entry::<SE3>(relative, i)?;
        let placed = body.get().value().compose(&frame.get().value());
        entry::<SE3>(out, i)?.get().set(&placed);
    }
    Ok(())
}

/// The columns of a Jacobian in the world's coordinates that move a frame, in other coordinates.
#[pyfunction]
pub fn _jacobian_at<'py>(
    py: Python<'py>,
    jacobian: &Bound<'py, PyArray2<f64>>,
    columns_that_move: Vec<(usize, usize)>,
    placement: &SE3,
    reference_word: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let nv = jacobian.shape()[1];
    let from = columns(jacobian, 6, nv)?;
    let placement = placement.value();
    let mut to = vec![0.0; 6 * nv];
    let reference = reference(reference_word)?;
    let shift = spatial::Se3::from_translation(placement.translation);
    for (first, count) in columns_that_move {
        for k in first..(first + count).min(nv) {
            let mut six = [0.0; 6];
            six.copy_from_slice(&from[6 * k..6 * k + 6]);
            let column = spatial::Motion::from_array(six);
            let column = match reference {
                ReferenceFrame::Local => placement.inverse_act_motion(&column),
                ReferenceFrame::LocalWorldAligned => shift.inverse_act_motion(&column),
                _ => column,
            };
            to[6 * k..6 * k + 6].copy_from_slice(&column.to_array());
        }
    }
    numpy::PyArray1::from_vec(py, to)
        .reshape([nv, 6])?
        .getattr("T")
}

/// Whether parents come before children.
fn check_parents(parents: &[usize]) -> PyResult<()> {
    let mut all = parents.iter().enumerate().skip(1);
    match all.find(|&(i, &parent)| parent >= i) {
        Some((i, _)) => Err(PyValueError::new_err(format!(
            "the parent of {i} must come before it"
        ))),
        None => Ok(()),
    }
}

/// Writes the inertias of all subtrees in the world's coordinates; parents come before children.
#[pyfunction]
pub fn _composites(
    inertias: &Bound<'_, PyList>,
    parents: Vec<usize>,
    placements: &Bound<'_, PyList>,
    out: &Bound<'_, PyList>,
) -> PyResult<()> {
    check_parents(&parents)?;
    let mut sums = vec![spatial::Inertia::zero(); parents.len()];
    for (i, &parent) in parents.iter().enumerate().skip(1).rev() {
        let body = entry::<Inertia>(inertias, i)?.get().value();
        let placement = entry::<SE3>(placements, i)?.get().value();
        sums[i] = sums[i].sum(&placement.act_inertia(&body));
        sums[parent] = sums[parent].sum(&sums[i]);
    }
    for (i, sum) in sums.iter().enumerate() {
        entry::<Inertia>(out, i)?.get().set(sum);
    }
    Ok(())
}

/// Writes masses of subtrees, and the positions, velocities and accelerations of their centres, as
/// many of these as there are lists in `out`: the whole's in the world, those of joints' subtrees
/// in the joints' axes, if they are asked for.
#[pyfunction]
#[expect(clippy::too_many_arguments)]
pub fn _centers(
    py: Python<'_>,
    inertias: &Bound<'_, PyList>,
    parents: Vec<usize>,
    placements: &Bound<'_, PyList>,
    velocities: &Bound<'_, PyList>,
    accelerations: &Bound<'_, PyList>,
    subtrees: bool,
    masses: &Bound<'_, PyList>,
    out: Vec<Bound<'_, PyList>>,
) -> PyResult<()> {
    check_parents(&parents)?;
    let n = parents.len();
    let mut mass = vec![0.0; n];
    let mut sums = vec![[spatial::Vec3::zero(); 3]; n];
    for (i, &parent) in parents.iter().enumerate().skip(1).rev() {
        let body = entry::<Inertia>(inertias, i)?.get().value();
        let placement = entry::<SE3>(placements, i)?.get().value();
        let (m, r) = (body.mass, body.com);
        mass[i] += m;
        sums[i][0] += placement.act_point(r) * m;
        if out.len() > 1 {
            // v + ω × r, and a + α × r + ω × (v + ω × r).
            let v = entry::<Motion>(velocities, i)?.get().value();
            let velocity = v.linear + v.angular.cross(r);
            sums[i][1] += placement.rotation * velocity * m;
            if out.len() > 2 {
                let a = entry::<Motion>(accelerations, i)?.get().value();
                let acceleration = a.linear + a.angular.cross(r) + v.angular.cross(velocity);
                sums[i][2] += placement.rotation * acceleration * m;
            }
        }
        mass[parent] += mass[i];
        let own = sums[i];
        for (sum, part) in sums[parent].iter_mut().zip(own) {
            *sum += part;
        }
    }
    for i in 0..n {
        masses.set_item(i, mass[i])?;
        if mass[i] == 0.0 || (i > 0 && !subtrees) {
            continue;
        }
        let placement = entry::<SE3>(placements, i)?.get().value();
        for (k, list) in out.iter().enumerate().take(3) {
            let center = sums[i][k] * (1.0 / mass[i]);
            let center = match (i, k) {
                (0, _) => center,
                (_, 0) => placement.inverse_act_point(center),
                _ => placement.rotation.tr_mul_vec(center),
            };
            list.set_item(i, numpy::PyArray1::from_slice(py, &center.to_array()))?;
        }
    }
    Ok(())
}
