//! Loop joints: what they are, and models with more or fewer of them.

use crate::argument;
use crate::array::{Answer, Value, fixed};
use crate::model::{Model, Part, choice};
use crate::properties::properties;
use crate::spatial::SE3;
use crate::spatial::read;
use crate::states::{Failure, one_state};
use featherline::joint::JointKind;
use featherline::kinematics::Target;
use featherline::model::{JointId, LoopJoint};
use featherline::spatial::{Se3, Vec3};
use featherline_constraint::with_contacts;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A joint that closes a loop: between two bodies of the tree, without entries in q and v.
///
/// Loops are equal if they are the same of equal models; they can be hashed and pickled.
#[pyclass(frozen, eq, hash, module = "featherline", name = "Loop")]
#[derive(PartialEq, Eq, Hash)]
pub struct Loop(Part);

impl Loop {
    fn closing(&self) -> &LoopJoint {
        &self.0.of().loop_joints()[self.0.index]
    }
}

properties! { Loop:
    /// The loop's name.
    name: &str = |self| &self.closing().name;
    /// Such as "revolute" or "spherical".
    kind: &'static str = |self| self.closing().kind.name();
    /// Its place among the loops.
    index: usize = |self| self.0.index;
    /// The joint that moves the body on one side; None for the world.
    predecessor: Option<&str> = |self| self.0.joint(self.closing().predecessor);
    /// The joint that moves the body on the other side; None for the world.
    successor: Option<&str> = |self| self.0.joint(self.closing().successor);
    /// How many motions between the two it holds.
    constraints: usize = |self| self.closing().constraints();
    /// Where the loop joint is, in the predecessor's joint frame.
    predecessor_placement: SE3 = |self| SE3::from_value(&self.closing().predecessor_placement);
    /// Where it is in the successor's joint frame.
    successor_placement: SE3 = |self| SE3::from_value(&self.closing().successor_placement);
}

#[pymethods]
impl Loop {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        self.0.reduce(py, "loops", self.name())
    }

    fn __repr__(&self) -> String {
        format!(
            "Loop('{}', {}, predecessor='{}', successor='{}', constraints={})",
            self.name(),
            self.kind(),
            self.predecessor().unwrap_or("world"),
            self.successor().unwrap_or("world"),
            self.constraints()
        )
    }
}

impl Model {
    /// The joint that moves what a name means, a joint, link, frame or "world", and the place
    /// there.
    pub fn side(&self, name: &str) -> PyResult<(JointId, Se3<f64>)> {
        match self.target(name) {
            Ok(Target::Joint(joint)) => Ok((joint, Se3::identity())),
            Ok(Target::Frame(frame)) => {
                let frame = self.model.frame(frame);
                Ok((frame.joint, frame.placement))
            }
            Err(_) if matches!(name, "world" | "universe") => {
                Ok((JointId::UNIVERSE, Se3::identity()))
            }
            Err(error) => Err(error),
        }
    }
}

/// A placement, or the three numbers of a position.
pub fn placement(name: &'static str, value: Option<Value<'_, '_>>) -> PyResult<Se3<f64>> {
    let Some(value) = value else {
        return Ok(Se3::identity());
    };
    match value.extract::<[f64; 3]>() {
        Ok([x, y, z]) => Ok(Se3::from_translation(Vec3::new(x, y, z))),
        Err(_) => read::placement(name, value),
    }
}

/// A kind of two axes and a pitch in m/rad, each zero if it has no use for it.
type KindOfAxes = fn([Vec3<f64>; 2], f64) -> JointKind;

/// The kinds of loop joints by name, with the arguments that each needs.
const KINDS: [(&str, &[&str], KindOfAxes); 9] = {
    use JointKind::*;
    [
        ("fixed", &[], |_, _| Fixed),
        ("revolute", &["axis"], |[axis, _], _| Revolute { axis }),
        ("prismatic", &["axis"], |[axis, _], _| Prismatic { axis }),
        ("helical", &["axis", "pitch"], |[axis, _], pitch| Helical {
            axis,
            pitch,
        }),
        ("cylindrical", &["axis"], |[axis, _], _| Cylindrical {
            axis,
        }),
        (
            "universal",
            &["axis", "second_axis"],
            |[first, second], _| Universal { first, second },
        ),
        ("planar", &[], |_, _| Planar),
        ("translation", &[], |_, _| Translation),
        ("spherical", &[], |_, _| Spherical),
    ]
};

/// The kind of a loop joint, by its name and parameters.
fn kind(
    word: &str,
    axis: Option<Value<'_, '_>>,
    second_axis: Option<Value<'_, '_>>,
    pitch: Option<f64>,
) -> PyResult<JointKind> {
    let words: Vec<_> = KINDS.iter().zip(0..).map(|(kind, k)| (kind.0, k)).collect();
    let (word, needed, made) = KINDS[choice::<usize>("kind", word, &words)?];
    // Fails if an argument is missing, or has no use.
    let check = |name: &str, is_given: bool, form: &str| {
        let fault = match (needed.contains(&name), is_given) {
            (true, false) => format!("a {word} joint needs {name}, {form}"),
            (false, true) => {
                let others = KINDS.iter().filter(|it| it.1.contains(&name));
                let others = others.map(|it| it.0).collect::<Vec<_>>().join(", ");
                format!("{name} is for {others} joints, not for a {word} joint")
            }
            (true, true) | (false, false) => return Ok(()),
        };
        Err(PyValueError::new_err(fault))
    };
    let vector = |name: &'static str, value: Option<Value<'_, '_>>| {
        check(name, value.is_some(), "three numbers")?;
        let found = value.map(|value| fixed(name, value, &[3])).transpose()?;
        let [x, y, z] = found.unwrap_or_default();
        PyResult::Ok(Vec3::new(x, y, z))
    };
    let axes = [vector("axis", axis)?, vector("second_axis", second_axis)?];
    check("pitch", pitch.is_some(), "in m/rad")?;
    Ok(made(axes, pitch.unwrap_or_default()))
}

#[pymethods]
impl Model {
    /// The loop joints by name or place: those between bodies of the tree, which close loops.
    ///
    /// >>> import featherline as fl
    /// >>> fl.load("four_bar").loops["loop"]
    /// Loop('loop', revolute, predecessor='coupler', successor='rocker', constraints=5)
    #[getter]
    fn loops<'py>(slf: &Bound<'py, Self>) -> Answer<'py> {
        let loops = PyDict::new(slf.py());
        for (index, closing) in slf.get().model.loop_joints().iter().enumerate() {
            loops.set_item(&closing.name, Loop(Part::new(slf, index)))?;
        }
        crate::model::names(slf.py(), "loop", loops)
    }

    /// The model with one more loop joint, which joins two links, joints or frames.
    ///
    /// predecessor, successor: the names of the two, or "world". predecessor_placement,
    /// successor_placement: where the loop joint is in each of these frames, as an SE3, a
    /// homogeneous matrix or the three numbers of a position; by default at their origins.
    /// kind: "fixed", "revolute", "prismatic", "helical", "cylindrical", "universal", "planar",
    /// "translation" or "spherical". axis, second_axis: the axes of the kinds that have them;
    /// pitch: in m/rad, of a helical joint.
    ///
    /// >>> import featherline as fl
    /// >>> pendulum = fl.load("double_pendulum")
    /// >>> pinned = pendulum.with_loop("pin", "world", "lower_rod", "spherical",
    /// ...     predecessor_placement=[0.6, 0, -1.6], successor_placement=[0, 0, -1])
    /// >>> pinned.loops["pin"].constraints
    /// 3
    #[pyo3(signature = (name, predecessor, successor, kind="revolute", *, axis=None, second_axis=None, pitch=None, predecessor_placement=None, successor_placement=None))]
    fn with_loop(
        &self,
        name: String,
        predecessor: &str,
        successor: &str,
        kind: &str,
        axis: Option<Value<'_, '_>>,
        second_axis: Option<Value<'_, '_>>,
        pitch: Option<f64>,
        predecessor_placement: Option<Value<'_, '_>>,
        successor_placement: Option<Value<'_, '_>>,
    ) -> PyResult<Self> {
        let (predecessor, from) = self.side(predecessor)?;
        let (successor, to) = self.side(successor)?;
        let kind = self::kind(kind, axis, second_axis, pitch)?;
        let on_predecessor = placement("predecessor_placement", predecessor_placement)?;
        let on_successor = placement("successor_placement", successor_placement)?;
        let model = featherline::Model::clone(&self.model).with_loop_joint(LoopJoint {
            name,
            kind,
            predecessor,
            predecessor_placement: from.compose(&on_predecessor),
            successor,
            successor_placement: to.compose(&on_successor),
        });
        let model = model.map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(self.with_same_joints(model))
    }

    /// The robot with frames held to the world where they are at q: one loop joint for each, named
    /// "contact:" and the frame's name.
    ///
    /// frames: names of joints, links or frames, or one of them. kind: "spherical" for point feet,
    /// "fixed" for flat ones; others roll or slide, about or along axes in the frame's axes.
    /// `loop_dynamics` has the contact forces on the robot, [force, moment] in the frame's axes, at
    /// its origin. Whether the ground can give them is for the caller to check.
    ///
    /// >>> import featherline as fl
    /// >>> robot = fl.load("quadruped")
    /// >>> feet = ["front_left_foot", "rear_right_foot"]
    /// >>> list(robot.with_contacts(robot.neutral(), feet).loops)
    /// ['contact:front_left_foot', 'contact:rear_right_foot']
    #[pyo3(signature = (q, frames, kind="spherical", *, axis=None, second_axis=None, pitch=None))]
    fn with_contacts(
        &self,
        q: Value<'_, '_>,
        frames: Value<'_, '_>,
        kind: &str,
        axis: Option<Value<'_, '_>>,
        second_axis: Option<Value<'_, '_>>,
        pitch: Option<f64>,
    ) -> PyResult<Self> {
        let q = one_state("q", q, self.model.nq())?;
        let kind = self::kind(kind, axis, second_axis, pitch)?;
        let frames = argument::names("frames", frames)?;
        let frames = frames.iter().map(String::as_str);
        let standing = with_contacts(&self.model, &q, &kind, frames).map_err(Failure::from)?;
        Ok(standing.into())
    }

    /// The spanning tree: the model without loop joints.
    ///
    /// >>> import featherline as fl
    /// >>> len(fl.load("four_bar").without_loops().loops)
    /// 0
    fn without_loops(&self) -> Self {
        featherline::Model::clone(&self.model)
            .without_loop_joints()
            .into()
    }
}
