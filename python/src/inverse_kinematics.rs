//! Inverse kinematics.

use crate::argument::{FrameName, shown, taken};
use crate::array::{Answer, Value};
use crate::error;
use crate::model::Model;
use crate::spatial::{SE3, read};
use crate::states::{named, one_state};
use featherline::words::{DidYouMean, closest};
use featherline_constraint::LoopError;
use featherline_control::{Error, Goal, InverseKinematics};
use featherline_formats::plausibility;
use numpy::PyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The goal of a frame, by the shape of the numbers.
fn goal(model: &Model, name: &str, value: Value<'_, '_>) -> PyResult<Goal> {
    let target = model.target(name)?;
    let placement = || {
        let read = read::placement_or_fault("the goal", value)?;
        read.map_err(|fault| {
            PyValueError::new_err(format!("the goal of '{name}' is no placement: {fault}"))
        })
    };
    if value.cast::<SE3>().is_ok() {
        return Ok(Goal::placement(target, placement()?));
    }
    // A list of parts of different shapes has none.
    let shape = (value.py().import("numpy")?).call_method1("shape", (value,));
    let shape: Vec<usize> = match shape {
        Ok(shape) => shape.extract()?,
        Err(_) => {
            return Err(PyValueError::new_err(format!(
                "the goal of '{name}' is no array: a position (3,), a rotation (3, 3) or a placement (4, 4) is expected. \
                 fl.SE3(rotation, position) makes a placement of both"
            )));
        }
    };
    match shape.as_slice() {
        [3] => Ok(Goal::position(target, read::vector("goal", value)?)),
        [3, 3] => Ok(Goal::rotation(target, read::matrix("goal", value)?)),
        [4, 4] => Ok(Goal::placement(target, placement()?)),
        other => Err(PyValueError::new_err(format!(
            "the goal of '{name}' has shape {:?}, where a position (3,), a rotation (3, 3) or a placement (4, 4) is expected",
            error::Tuple(other)
        ))),
    }
}

/// An argument that gives something for each frame.
fn dictionary<'a, 'py>(
    name: &str,
    value: Value<'a, 'py>,
    example: &str,
) -> PyResult<&'a Bound<'py, PyDict>> {
    value.cast::<PyDict>().map_err(|_| {
        PyTypeError::new_err(format!(
            "{name} must be a dictionary by the names of frames, such as {example}, not {}",
            shown(value)
        ))
    })
}

fn thrown(error: Error, names: &[String]) -> PyErr {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have this class")]
    match error {
        Error::Model(error) | Error::Loop(LoopError::Tree(error)) => error::algorithm(error),
        Error::Goal { index, fault } => {
            PyValueError::new_err(format!("the goal of '{}' has {fault}", names[index]))
        }
        error => PyValueError::new_err(error.to_string()),
    }
}

#[pymethods]
impl Model {
    /// A configuration in which links are where they should be, or as near as the robot gets from
    /// the configuration q, within limits of joints and with closed loops.
    ///
    /// `goals` has, by the names of joints or frames, a position (3,), a rotation (3, 3), or a
    /// placement (an `SE3` or (4, 4)) in the world. `points` has the points, in coordinates of
    /// these frames, that positions are of, instead of the origins; `weights` what an error of 1 m
    /// or 1 rad of a goal counts beside others. `tolerance` is in m and rad. Where q does not lead
    /// to the goals, at most `restarts` random starts are tried, the same in each call, and the
    /// result may be far from q; zero for a goal that moves and is followed.
    ///
    /// >>> import featherline as fl
    /// >>> panda = fl.load("panda")
    /// >>> reached = panda.inverse_kinematics({"panda_link8": [0.4, 0.2, 0.5]}, panda.neutral())
    /// >>> reached.is_reached
    /// True
    /// >>> panda.placement(reached.q, "panda_link8")[:3, 3].round(6)
    /// array([0.4, 0.2, 0.5])
    #[pyo3(signature = (goals, q, *, points=None, weights=None, tolerance=1e-8, max_iterations=100, restarts=10, **unknown), text_signature = "($self, goals, q, *, points=None, weights=None, tolerance=1e-08, max_iterations=100, restarts=10)")]
    fn inverse_kinematics<'py>(
        &self,
        py: Python<'py>,
        goals: Value<'_, 'py>,
        q: Value<'_, 'py>,
        points: Option<Value<'_, 'py>>,
        weights: Option<Value<'_, 'py>>,
        tolerance: f64,
        max_iterations: i128,
        restarts: i128,
        unknown: Option<&Bound<'py, PyDict>>,
    ) -> Answer<'py> {
        error::only_known_of::<Self>(py, "inverse_kinematics", unknown)?;
        let goals = dictionary("goals", goals, "{'hand': [0.4, 0.2, 0.5]}")?;
        let points = points.map(|it| dictionary("points", it, "{'hand': [0.0, 0.0, 0.1]}"));
        let weights = weights.map(|it| dictionary("weights", it, "{'hand': 2.0}"));
        let (points, weights) = (points.transpose()?, weights.transpose()?);
        let mut q = one_state("q", q, self.model.nq())?;
        error::doubt_degrees(py, "q", &plausibility::doubtful_angles(&self.model, &q))?;
        let (mut names, mut all) = (Vec::new(), Vec::new());
        for (name, value) in goals.iter() {
            let FrameName(own) = name.extract()?;
            all.push(goal(self, own, &value)?);
            names.push(own.to_owned());
        }
        let place = |argument: &str, name: Value<'_, '_>| {
            let name: String = taken(argument, name, "a dictionary of names")?;
            names.iter().position(|it| *it == name).ok_or_else(|| {
                let near = DidYouMean(closest(&name, names.iter().map(String::as_str)));
                PyValueError::new_err(format!("{argument} has '{name}', which has no goal{near}"))
            })
        };
        for (name, point) in points.iter().flat_map(|it| it.iter()) {
            let index = place("points", &name)?;
            all[index] = all[index].at(read::vector("point", &point)?);
        }
        for (name, weight) in weights.iter().flat_map(|it| it.iter()) {
            let index = place("weights", &name)?;
            if let (Err(_), Ok(shape)) = (weight.extract::<f64>(), weight.getattr("shape")) {
                let shape: Vec<usize> = shape.extract()?;
                return Err(error::shape("a weight", &shape, "()"));
            }
            all[index] = all[index].weight(taken("a weight", &weight, "a number")?);
        }
        if !(tolerance.is_finite() && tolerance > 0.0) {
            return Err(PyValueError::new_err(format!(
                "tolerance is {tolerance}, where a positive number of m and rad is expected"
            )));
        }
        let solver = InverseKinematics::new(&self.model).map_err(|error| thrown(error, &names))?;
        let mut solver = solver
            .tolerance(tolerance)
            .max_iterations(error::natural("max_iterations", max_iterations)?)
            .restarts(error::natural("restarts", restarts)?);
        let solved = py.detach(|| solver.solve(&all, &mut q));
        let solution = solved.map_err(|error| thrown(error, &names))?;
        let fields = (
            PyArray1::from_vec(py, q),
            solution.is_reached,
            solution.position_error,
            solution.rotation_error,
            solution.iterations,
            solution.restarts,
        );
        named(py, "InverseKinematics", fields)
    }
}
