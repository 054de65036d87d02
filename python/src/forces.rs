//! External forces as callers give them.

use crate::array::{self, Answer, Argument, Value, flattened};
use crate::model::{Model, chosen};
use crate::states::Outcome;
use featherline::derivatives::add_by_joint_forces;
use featherline::dynamics::{DynamicsOptions, ExternalForce};
use featherline::kinematics::{ReferenceFrame, Target};
use featherline::spatial::Force;
use featherline_sim::maximal::MaximalState;
use nalgebra::DMatrix;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Forces on the joints' bodies, in the joints' frames, as one row of six numbers a joint: from a
/// dictionary of names, or an array (joints, 6) or (states, joints, 6).
pub fn read<'py>(model: &Model, value: &Bound<'py, PyAny>) -> Answer<'py> {
    let joints = model.bodies();
    if let Ok(named) = value.cast::<PyDict>() {
        let forces = model.model.external_forces(by_name(model, named)?);
        return Ok(in_a_row(value.py(), forces[1..].iter()));
    }
    let expected = format!("({joints}, 6), (n, {joints}, 6) or a dictionary");
    flattened("external_forces", value, &[joints, 6], &expected)
}

/// The forces of a dictionary on what its names mean.
fn by_name(model: &Model, named: &Bound<'_, PyDict>) -> PyResult<Vec<(Target, Force<f64>)>> {
    let mut forces = Vec::new();
    for (name, force) in named {
        let name: String = name.extract()?;
        let force = match force.cast::<crate::spatial::Force>() {
            Ok(force) => force.get().value(),
            Err(_) => {
                let name = format!("external_forces['{name}']");
                Force::from_array(array::fixed::<6>(&name, &force, &[6])?)
            }
        };
        forces.push((model.target(&name)?, force));
    }
    Ok(forces)
}

fn in_a_row<'a, 'py>(
    py: Python<'py>,
    forces: impl Iterator<Item = &'a Force<f64>>,
) -> Bound<'py, PyAny> {
    let numbers = forces.flat_map(|f| f.to_array()).collect();
    PyArray1::from_vec(py, numbers).into_any()
}

/// These forces as an argument.
pub fn argument<'a, 'py>(model: &Model, value: &'a Bound<'py, PyAny>) -> Argument<'a, 'py> {
    Argument {
        name: "external_forces",
        value,
        width: 6 * (model.model.joints().len() - 1),
    }
}

/// The external forces of a call, if it has any.
pub struct External<'py> {
    /// Six numbers for each force, of one state or of many.
    pub rows: Option<Bound<'py, PyAny>>,
    /// On what they act.
    pub acting: ForceTargets,
}

/// On what the forces of a row act, and where their components are constant.
pub enum ForceTargets {
    /// One on each joint's body, in the joints' frames.
    OnJoints,
    /// One on each of these, in another reference.
    OnFrames(Vec<Target>, ReferenceFrame),
}

impl<'py> External<'py> {
    /// Reads them, with the word of the reference in which they are constant.
    pub fn read(model: &Model, value: Option<Value<'_, 'py>>, forces_in: &str) -> PyResult<Self> {
        let reference = chosen("forces_in", forces_in)?;
        let (rows, acting) = match (value, reference) {
            (None, _) => (None, ForceTargets::OnJoints),
            (Some(value), ReferenceFrame::Local) => {
                (Some(read(model, value)?), ForceTargets::OnJoints)
            }
            (Some(value), _) => {
                let (targets, rows) = match value.cast::<PyDict>() {
                    Ok(named) => {
                        let (targets, forces): (_, Vec<_>) =
                            by_name(model, named)?.into_iter().unzip();
                        (targets, in_a_row(value.py(), forces.iter()))
                    }
                    Err(_) => {
                        let joints = model.model.joint_ids().map(Target::from);
                        (joints.collect(), read(model, value)?)
                    }
                };
                (Some(rows), ForceTargets::OnFrames(targets, reference))
            }
        };
        Ok(Self { rows, acting })
    }

    /// The arguments of a call, these forces after all others.
    pub fn after<'a>(
        &'a self,
        model: &Model,
        others: impl IntoIterator<Item = Argument<'a, 'py>>,
    ) -> Vec<Argument<'a, 'py>> {
        let own = self
            .rows
            .iter()
            .map(|rows| self.acting.argument(model, rows));
        others.into_iter().chain(own).collect()
    }
}

impl ForceTargets {
    /// Rows of such forces as an argument.
    pub fn argument<'a, 'py>(
        &self,
        model: &Model,
        rows: &'a Bound<'py, PyAny>,
    ) -> Argument<'a, 'py> {
        let of_joints = argument(model, rows);
        match self {
            Self::OnJoints => of_joints,
            Self::OnFrames(targets, _) => Argument {
                width: 6 * targets.len(),
                ..of_joints
            },
        }
    }

    /// The forces of a row that act on frames.
    fn on_frames(&self, row: Option<&&[f64]>) -> Vec<ExternalForce<f64>> {
        let (Self::OnFrames(targets, reference), Some(row)) = (self, row) else {
            return Vec::new();
        };
        let given = targets.iter().zip(row.as_chunks::<6>().0);
        let force = |(&target, &row)| ExternalForce {
            target,
            reference: *reference,
            force: Force::from_array(row),
        };
        given.map(force).collect()
    }

    /// Runs dynamics with the forces of a row, without damping, friction and springs.
    pub fn with_options(
        &self,
        row: Option<&&[f64]>,
        run: impl FnOnce(DynamicsOptions<'_, f64>) -> Outcome<()>,
    ) -> Outcome<()> {
        let options = DynamicsOptions::default().without_passive_forces();
        match self {
            Self::OnJoints => run(options.with_forces(&on_bodies(row))),
            Self::OnFrames(..) => run(options.with_frame_forces(&self.on_frames(row))),
        }
    }

    /// The forces of a row at q on the bodies of all joints, in the joints' frames.
    pub fn on_bodies(
        &self,
        model: &Model,
        q: &[f64],
        row: Option<&&[f64]>,
    ) -> Outcome<Vec<Force<f64>>> {
        if matches!(self, Self::OnJoints) {
            return Ok(on_bodies(row));
        }
        let mut forces = vec![Force::zero(); model.bodies() + 1];
        model.with_workspace(|model, ws| {
            model.external_forces_into(ws, q, &self.on_frames(row), &mut forces)
        })?;
        Ok(forces)
    }

    /// As `on_bodies`, of bodies that are where a state has them.
    pub fn on_bodies_of(
        &self,
        model: &featherline::Model,
        state: &MaximalState,
        row: Option<&&[f64]>,
    ) -> Outcome<Vec<Force<f64>>> {
        match self {
            Self::OnJoints => Ok(on_bodies(row)),
            Self::OnFrames(..) => Ok(state.external_forces(model, &self.on_frames(row))?),
        }
    }

    /// Adds, to derivatives by q that hold the forces of a row in the joints' frames, the change of
    /// these. Of each derivative: how many rows its matrices have, itself, and the one by tau.
    pub fn add_change(
        &self,
        model: &Model,
        q: &[f64],
        row: Option<&&[f64]>,
        derivatives: [(usize, &mut [f64], &[f64]); 2],
    ) -> Outcome<()> {
        if matches!(self, Self::OnJoints) {
            return Ok(());
        }
        let nv = model.model.nv();
        let mut change = DMatrix::zeros(nv, nv);
        model.with_workspace(|model, ws| {
            model.external_forces_derivative_into(ws, q, &self.on_frames(row), &mut change)
        })?;
        for (rows, dq, dtau) in derivatives {
            add_by_joint_forces(rows, &change, dtau, dq);
        }
        Ok(())
    }
}

/// Forces on the bodies of all joints, of which rows hold six numbers each but for the universe's;
/// none without rows.
pub fn on_bodies(rows: Option<&&[f64]>) -> Vec<Force<f64>> {
    let own = rows.iter().flat_map(|rows| rows.as_chunks::<6>().0);
    let own = own.map(|&row| Force::from_array(row));
    let universe = rows.map(|_| Force::zero());
    universe.into_iter().chain(own).collect()
}
