//! How two models differ: what a conversion kept.

mod greatest;
mod missing;
mod parameters;
mod states;

use crate::description::Robot;
use featherline::joint::JointKind;
use featherline::model::JointId;
use featherline::{Error, Model};

/// The differences of two models of one robot, matched by the names of joints and frames.
///
/// Choices of a format are no differences: the names of fixed joints, the axes of a joint's own
/// frame, a link for the world, a link without mass for a frame of its name, and whether the
/// coordinate of a revolute joint is an angle or its cosine and sine. The coordinate of a free
/// joint may or may not comprise the joint's placement.
///
/// ```
/// use featherline_formats::{Difference, load_str, urdf};
///
/// let robot = load_str("<robot name='stone'><link name='stone'/></robot>")?;
/// let again = load_str(&urdf::to_string(&robot.description)?.text)?;
/// let difference = Difference::of(&robot.model, &again.model, 20)?;
/// assert!(difference.is_same(1e-12));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Difference {
    /// Joints and frames that one of the models has, and the other has not.
    pub missing: Vec<Missing>,
    /// Joints of both that differ in their kind.
    pub other_kinds: Vec<String>,
    /// The greatest difference of each quantity.
    pub quantities: Vec<QuantityDifference>,
}

/// A part that one robot lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Missing {
    /// `joint`, `loop joint`, `frame`, `actuator`, `tendon`, `sensor` or `configuration`.
    pub what: &'static str,
    /// Its name.
    pub name: String,
    /// Whether the first model has it, and the second lacks it.
    pub is_in_first: bool,
}

/// The greatest difference of a quantity.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct QuantityDifference {
    /// The quantity, such as `mass matrix`.
    pub quantity: &'static str,
    /// The greatest difference, relative to the largest entry of the quantity in the first model.
    pub relative: f64,
    /// The joint or frame of the greatest difference; absent where a state has it.
    pub at: Option<String>,
}

impl Difference {
    /// Compares two models: parameters of joints and bodies, and at some random states joint
    /// forces, mass matrices and placements of frames. States are compared only if the joints that
    /// move are the same. Cost O(states n²).
    ///
    /// # Errors
    /// Those of [`Model::rnea`] and [`Model::crba`], for models on the brink of the representable.
    pub fn of(first: &Model, second: &Model, states: usize) -> Result<Self, Error> {
        let pairs = joint_pairs(first, second);
        let missing = missing::missing(first, second);
        let joints = pairs
            .iter()
            .map(|&(a, b)| (first.joint(a), second.joint(b)));
        let differ = joints.filter(|(a, b)| class(&a.kind) != class(&b.kind) || a.nv != b.nv);
        let other_kinds = differ.map(|(a, b)| {
            let (name, a, b) = (&a.name, a.kind.name(), b.kind.name());
            format!("joint `{name}` is {a} in one and {b} in the other")
        });
        let other_kinds: Vec<String> = other_kinds.collect();
        let mut quantities = parameters::parameters(first, second, &pairs);
        let moves = |model: &Model, missing: &Missing| {
            let joint = model.joint_id(&missing.name);
            joint.is_ok_and(|id| model.joint(id).nv > 0)
        };
        let is_comparable = other_kinds.is_empty()
            && !missing.iter().any(|it| {
                let model = if it.is_in_first { first } else { second };
                it.what == "joint" && moves(model, it)
            });
        if is_comparable {
            quantities.extend(states::at_states(first, second, &pairs, states)?);
        }
        Ok(Self {
            missing,
            other_kinds,
            quantities,
        })
    }

    /// [`of`](Self::of) the models of two robots, and the actuators, tendons, sensors and
    /// configurations that one of them lacks, by their names.
    ///
    /// ```
    /// use featherline_formats::{Difference, load_str, mjcf};
    ///
    /// let text = "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody>
    ///     <actuator><motor name='m' joint='j'/></actuator></mujoco>";
    /// let robot = load_str(text)?;
    /// let again = load_str(&mjcf::to_string(&robot.description)?.text)?;
    /// assert!(Difference::of_robots(&robot, &again, 20)?.is_same(1e-12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn of_robots(first: &Robot, second: &Robot, states: usize) -> Result<Self, Error> {
        let mut difference = Self::of(&first.model, &second.model, states)?;
        let parts = missing::parts(&first.description, &second.description);
        difference.missing.extend(parts);
        Ok(difference)
    }

    /// Whether nothing is missing, and no quantity differs by more than a tolerance.
    pub fn is_same(&self, tolerance: f64) -> bool {
        let is_near = |it: &QuantityDifference| it.relative <= tolerance;
        self.missing.is_empty()
            && self.other_kinds.is_empty()
            && self.quantities.iter().all(is_near)
    }
}

/// The joints that both models have.
fn joint_pairs(first: &Model, second: &Model) -> Vec<(JointId, JointId)> {
    let ids = first.joint_ids();
    let pair = |a: JointId| Some((a, second.joint_id(&first.joint(a).name).ok()?));
    ids.filter_map(pair).collect()
}

/// The kind of a joint; a revolute joint is one, whatever its coordinate.
fn class(kind: &JointKind) -> &'static str {
    match matches!(kind, JointKind::RevoluteUnbounded { .. }) {
        true => "revolute",
        false => kind.name(),
    }
}
