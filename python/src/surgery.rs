//! New models from finished ones.

use crate::argument::{FrameName, JointName};
use crate::array::Value;
use crate::error;
use crate::model::{Model, Shapes};
use crate::spatial::{Inertia, read};
use crate::states::one_state;
use featherline::model::ModelWarning;
use featherline::model::surgery::{self, Part, SurgeryError};
use featherline::spatial::Se3;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

fn refused(error: &SurgeryError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn warn(py: Python<'_>, warnings: &[ModelWarning]) -> PyResult<()> {
    let mut all = warnings.iter();
    all.try_for_each(|warning| error::robot_warning(py, &warning.to_string()))
}

/// The model and the map of an operation on one model.
fn finished(
    of: &Model,
    py: Python<'_>,
    done: Result<surgery::Surgery, SurgeryError>,
) -> PyResult<(Model, Carried)> {
    let done = done.map_err(|e| refused(&e))?;
    warn(py, &done.warnings)?;
    Ok((of.changed(done.model), Carried::new(done.carried)))
}

fn placed(placement: Option<Value<'_, '_>>) -> PyResult<Se3<f64>> {
    placement.map_or(Ok(Se3::identity()), |m| read::placement("placement", m))
}

/// Carries configurations and velocities of a model over to one that was made of it by `append`,
/// `lock` and the like.
#[pyclass(frozen, module = "featherline", name = "Carried")]
pub struct Carried {
    /// Not in place: it asks for more alignment than Python gives.
    carried: Box<surgery::Carried>,
}

impl Carried {
    fn new(carried: surgery::Carried) -> Self {
        Self {
            carried: Box::new(carried),
        }
    }
}

#[pymethods]
impl Carried {
    /// The configuration of the new model in which its bodies stand as those of the model do at
    /// `q`. What comes from elsewhere is as in `into`, or neutral.
    ///
    /// >>> import featherline as fl
    /// >>> pendulum, carried = fl.load("double_pendulum").remove(["elbow"])
    /// >>> carried.configuration([0.3, -0.2])
    /// array([0.3])
    #[pyo3(signature = (q, into=None))]
    fn configuration<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        into: Option<Value<'_, 'py>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let q = one_state("q", q, self.carried.source().nq())?;
        let mut out = self.carried.start().to_vec();
        if let Some(into) = into {
            out = one_state("into", into, out.len())?;
        }
        let written = self.carried.write_configuration(&q, &mut out);
        written.map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(PyArray1::from_vec(py, out))
    }

    /// The velocity of the new model with which its bodies move as those of the model do at `q` and
    /// `v`. What comes from elsewhere is as in `into`, or at rest.
    ///
    /// >>> import featherline as fl
    /// >>> pendulum, carried = fl.load("double_pendulum").remove(["elbow"])
    /// >>> carried.velocity([0.3, -0.2], [1.0, 2.0])
    /// array([1.])
    #[pyo3(signature = (q, v, into=None))]
    fn velocity<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        into: Option<Value<'_, 'py>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let q = one_state("q", q, self.carried.source().nq())?;
        let v = one_state("v", v, self.carried.source().nv())?;
        let mut out = vec![0.0; self.carried.nv()];
        if let Some(into) = into {
            out = one_state("into", into, out.len())?;
        }
        let written = self.carried.write_velocity(&q, &v, &mut out);
        written.map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(PyArray1::from_vec(py, out))
    }

    fn __repr__(&self) -> String {
        let source = self.carried.source();
        format!(
            "<featherline.Carried from '{}': nq={}, nv={} to nq={}, nv={}>",
            source.name(),
            source.nq(),
            source.nv(),
            self.carried.start().len(),
            self.carried.nv()
        )
    }
}

#[pymethods]
impl Model {
    /// This robot with another one on a frame; its world lies at `placement` there, and `prefix`
    /// stands before its names. Returns the new model and where both went.
    ///
    /// >>> import featherline as fl
    /// >>> panda, hand = fl.load("panda"), fl.load("hand")
    /// >>> both, arm, fingers = panda.append(hand, "panda_link7", prefix="hand_")
    /// >>> q = fingers.configuration(hand.neutral(), into=arm.configuration(panda.neutral()))
    /// >>> both.nv == panda.nv + hand.nv
    /// True
    #[pyo3(signature = (other, frame, placement=None, prefix=""))]
    fn append(
        &self,
        py: Python<'_>,
        other: &Self,
        frame: FrameName<'_>,
        placement: Option<Value<'_, '_>>,
        prefix: &str,
    ) -> PyResult<(Self, Carried, Carried)> {
        let frame = self.frame_named(frame.0)?;
        let done = (self.model).append(&other.model, frame, placed(placement)?, prefix);
        let done = done.map_err(|e| refused(&e))?;
        warn(py, &done.warnings)?;
        let maps = (Carried::new(done.carried), Carried::new(done.appended));
        Ok((self.changed(done.model), maps.0, maps.1))
    }

    /// Several robots side by side in one world: a list of (prefix, model, placement). Returns the
    /// new model and where each went.
    ///
    /// >>> import featherline as fl
    /// >>> arm = fl.load("panda")
    /// >>> here = fl.SE3()
    /// >>> pair, (left, right) = fl.Model.merge("pair", [("l_", arm, here), ("r_", arm, here)])
    /// >>> pair.nv
    /// 14
    #[staticmethod]
    fn merge(
        py: Python<'_>,
        name: &str,
        parts: Vec<(String, Py<Self>, Bound<'_, PyAny>)>,
    ) -> PyResult<(Self, Vec<Carried>)> {
        let mut all = Vec::with_capacity(parts.len());
        for (prefix, model, placement) in &parts {
            all.push(Part {
                model: &model.get().model,
                prefix,
                placement: read::placement("placement", placement)?,
            });
        }
        let done = featherline::Model::merge(name, &all).map_err(|e| refused(&e))?;
        warn(py, &done.warnings)?;
        let carried = done.carried.into_iter().map(Carried::new).collect();
        let mut whole = Self::from(done.model);
        if parts
            .iter()
            .any(|(_, part, _)| !matches!(part.get().shapes, Shapes::None))
        {
            whole.shapes = Shapes::Lost;
        }
        Ok((whole, carried))
    }

    /// The robot without joints and all that they carry: one name, or a list.
    ///
    /// >>> import featherline as fl
    /// >>> pendulum, carried = fl.load("double_pendulum").remove(["elbow"])
    /// >>> pendulum.nv
    /// 1
    fn remove(&self, py: Python<'_>, joints: Value<'_, '_>) -> PyResult<(Self, Carried)> {
        finished(self, py, self.model.remove(&self.joints_of(joints)?))
    }

    /// The robot with joints locked where they are at `q`: one name, or a list. Returns the new
    /// model, the map to it and the map back.
    ///
    /// >>> import featherline as fl
    /// >>> arm = fl.load("ur5")
    /// >>> locked, carried, back = arm.lock(["wrist_3_joint"], [0, 0, 0, 0, 0, 0.7])
    /// >>> back.configuration(locked.neutral())
    /// array([0. , 0. , 0. , 0. , 0. , 0.7])
    fn lock(
        &self,
        py: Python<'_>,
        joints: Value<'_, '_>,
        q: Value<'_, '_>,
    ) -> PyResult<(Self, Carried, Carried)> {
        let q = one_state("q", q, self.model.nq())?;
        let done = self.model.lock(&self.joints_of(joints)?, &q);
        let done = done.map_err(|e| refused(&e))?;
        warn(py, &done.warnings)?;
        let maps = (Carried::new(done.carried), Carried::new(done.back));
        Ok((self.changed(done.model), maps.0, maps.1))
    }

    /// The robot on the same free-flyer, which carries another of its bodies: that of a joint, link
    /// or frame. Joints between the two are reversed.
    ///
    /// >>> import featherline as fl
    /// >>> quadruped = fl.load("quadruped")
    /// >>> foot = quadruped.joints[-1].name
    /// >>> standing, carried = quadruped.reroot(foot)
    /// >>> standing.nv == quadruped.nv
    /// True
    fn reroot(&self, py: Python<'_>, body: FrameName<'_>) -> PyResult<(Self, Carried)> {
        finished(self, py, self.model.reroot(self.joint_of(body.0)?))
    }

    /// The robot in which a joint mimics another one: q = ratio · q_source + offset.
    ///
    /// >>> import featherline as fl
    /// >>> coupled, carried = fl.load("double_pendulum").mimic("elbow", "shoulder", ratio=-2)
    /// >>> coupled.nv
    /// 1
    #[pyo3(signature = (joint, source, ratio=1.0, offset=0.0))]
    fn mimic(
        &self,
        py: Python<'_>,
        joint: JointName<'_>,
        source: JointName<'_>,
        ratio: f64,
        offset: f64,
    ) -> PyResult<(Self, Carried)> {
        let (joint, source) = (self.joint_named(joint.0)?, self.joint_named(source.0)?);
        finished(self, py, self.model.mimic(joint, source, ratio, offset))
    }

    /// The robot in which a mimic joint has a coordinate of its own.
    ///
    /// >>> import featherline as fl
    /// >>> coupled, _ = fl.load("double_pendulum").mimic("elbow", "shoulder", ratio=-2)
    /// >>> freed, carried = coupled.free("elbow")
    /// >>> carried.configuration([0.3])
    /// array([ 0.3, -0.6])
    fn free(&self, py: Python<'_>, joint: JointName<'_>) -> PyResult<(Self, Carried)> {
        finished(self, py, self.model.free(self.joint_named(joint.0)?))
    }

    /// The model in which the body that a joint moves has another inertia, in the joint's frame.
    ///
    /// >>> import featherline as fl
    /// >>> import numpy as np
    /// >>> panda = fl.load("panda")
    /// >>> heavy_tool = fl.Inertia(3.0, [0, 0, 0.1], 0.01 * np.eye(3))
    /// >>> panda.with_inertia("panda_joint7", heavy_tool).total_mass > panda.total_mass
    /// True
    fn with_inertia(
        &self,
        py: Python<'_>,
        joint: JointName<'_>,
        inertia: &Inertia,
    ) -> PyResult<Self> {
        let done = (self.model).with_inertia(self.joint_named(joint.0)?, &inertia.value());
        let done = done.map_err(|e| refused(&e))?;
        warn(py, &done.warnings)?;
        Ok(self.with_same_joints(done.model))
    }

    /// The model with a prefix before the names of its joints, loop joints and frames.
    ///
    /// >>> import featherline as fl
    /// >>> fl.load("double_pendulum").with_prefix("left_").joints[0].name
    /// 'left_shoulder'
    fn with_prefix(&self, prefix: &str) -> Self {
        featherline::Model::clone(&self.model)
            .with_prefix(prefix)
            .into()
    }
}
