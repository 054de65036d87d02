//! Bodies of the world that callers move.

use super::Simulation;
use crate::properties::properties;
use crate::states::one_state;
use featherline::spatial::{Quaternion, Se3, Vec3};
use featherline_sim::contact::MovedBodyError;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// By how much the length of a quaternion may differ from one.
const UNIT: f64 = 1e-3;

fn refused(error: MovedBodyError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A placement by a position and a quaternion; what is not given is that of another placement.
fn placement(
    position: Option<&Bound<'_, PyAny>>,
    quaternion: Option<&Bound<'_, PyAny>>,
    mut other: Se3<f64>,
) -> PyResult<Se3<f64>> {
    if let Some(position) = position {
        let own = one_state("position", position, 3)?;
        other.translation = Vec3::new(own[0], own[1], own[2]);
    }
    if let Some(quaternion) = quaternion {
        let own = one_state("quaternion", quaternion, 4)?;
        let length = own.iter().map(|x| x * x).sum::<f64>().sqrt();
        if (length - 1.0).abs() > UNIT || !length.is_finite() {
            return Err(PyValueError::new_err(format!(
                "quaternion (x, y, z, w) has the length {length}, where 1 is expected"
            )));
        }
        let unit = Quaternion::new(own[0], own[1], own[2], own[3]).normalised();
        other.rotation = unit.to_rotation();
    }
    Ok(other)
}

properties! { Simulation:
    /// The names of the bodies of the world that `move_body` moves: the `mocap` bodies of MJCF.
    moved_bodies: PyResult<Vec<String>> = |self| Ok(self.inner()?.moved.names().to_vec());
}

#[pymethods]
impl Simulation {
    /// Moves a body of the world (a `mocap` body of MJCF) to a position (3,) and a quaternion (4,)
    /// x, y, z, w in the world; what is None stays as it was asked for last.
    ///
    /// It goes there straight within `seconds`, by default one step, at constant velocity, and then
    /// stands. It carries and pushes bodies with that velocity, and a body that is welded to it
    /// follows. `place_body` puts it elsewhere without velocity. Between runs and steps; methods
    /// other than "time-stepping" have no such bodies.
    ///
    /// >>> text = "<mujoco><worldbody><body name='hand' mocap='true'/><body name='tool'>"
    /// >>> text += "<freejoint/>"
    /// >>> text += "<geom size='.1'/></body></worldbody><option gravity='0 0 0'/>"
    /// >>> text += "<equality><weld body1='hand' body2='tool'/></equality></mujoco>"
    /// >>> simulation = fl.Simulation(fl.load_robot(text))
    /// >>> simulation.move_body("hand", [0, 0, 0.2], seconds=0.5)
    /// >>> _ = simulation.run(1.0)
    /// >>> bool(abs(simulation.q[2] - 0.2) < 1e-6)
    /// True
    #[pyo3(signature = (name, position=None, quaternion=None, *, seconds=None))]
    fn move_body(
        &self,
        name: &str,
        position: Option<&Bound<'_, PyAny>>,
        quaternion: Option<&Bound<'_, PyAny>>,
        seconds: Option<f64>,
    ) -> PyResult<()> {
        let moved = &mut self.inner()?.moved;
        let target = *moved.target(name).map_err(refused)?;
        let target = placement(position, quaternion, target)?;
        let seconds = seconds.unwrap_or(self.options.dt);
        moved.move_to(name, target, seconds).map_err(refused)
    }

    /// Puts a body of the world (a `mocap` body of MJCF) elsewhere at once, without velocity; the
    /// arguments are those of `move_body`.
    #[pyo3(signature = (name, position=None, quaternion=None))]
    fn place_body(
        &self,
        name: &str,
        position: Option<&Bound<'_, PyAny>>,
        quaternion: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let moved = &mut self.inner()?.moved;
        let target = *moved.target(name).map_err(refused)?;
        let target = placement(position, quaternion, target)?;
        moved.place(name, target).map_err(refused)
    }

    /// The position (3,) and the quaternion (4,) x, y, z, w of a moved body in the world now.
    #[expect(clippy::type_complexity, reason = "two arrays")]
    fn moved_pose<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
        let inner = self.inner()?;
        let now = inner.moved.placement(name).map_err(refused)?;
        let quaternion = Quaternion::from_rotation(&now.rotation);
        Ok((
            PyArray1::from_slice(py, &now.translation.to_array()),
            PyArray1::from_slice(py, &quaternion.to_array()),
        ))
    }
}
