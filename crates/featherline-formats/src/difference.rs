//! How two models differ: what a conversion kept.

use featherline::model::{FrameKind, JointId};
use featherline::random::{RandomSource, SplitMix64};
use featherline::spatial::Se3;
use featherline::{Error, Model, Workspace};

/// The differences of two models of one robot, matched by the names of joints and frames.
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

/// A joint or a frame that one model lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Missing {
    /// `joint`, `loop joint` or `frame`.
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
    /// Compares two models: parameters of joints and bodies, and at some random states joint forces,
    /// mass matrices and placements of frames. States are compared only if the joints that move are
    /// the same. Cost O(states n²).
    ///
    /// # Errors
    /// Those of [`Model::rnea`] and [`Model::crba`], for models on the brink of the representable.
    pub fn of(first: &Model, second: &Model, states: usize) -> Result<Self, Error> {
        let pairs = joint_pairs(first, second);
        let missing = missing(first, second);
        let kind_name = |model: &Model, id: JointId| model.joint(id).kind.name();
        let differ = pairs.iter().filter(|(a, b)| {
            let (a, b) = (first.joint(*a), second.joint(*b));
            (a.kind.name(), a.nv) != (b.kind.name(), b.nv)
        });
        let other_kinds: Vec<String> = differ
            .map(|&(a, b)| {
                let name = &first.joint(a).name;
                let (a, b) = (kind_name(first, a), kind_name(second, b));
                format!("joint `{name}` is {a} in one and {b} in the other")
            })
            .collect();
        let mut quantities = parameters(first, second, &pairs);
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
            quantities.extend(at_states(first, second, &pairs, states)?);
        }
        Ok(Self {
            missing,
            other_kinds,
            quantities,
        })
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

fn missing(first: &Model, second: &Model) -> Vec<Missing> {
    let mut missing = Vec::new();
    for (model, other, is_in_first) in [(first, second, true), (second, first, false)] {
        let mut lacks = |what, name: &str| {
            let name = name.to_owned();
            missing.push(Missing {
                what,
                name,
                is_in_first,
            });
        };
        for joint in &model.joints()[1..] {
            if other.joint_id(&joint.name).is_err() {
                lacks("joint", &joint.name);
            }
        }
        for closing in model.loop_joints() {
            if !other.loop_joints().iter().any(|it| it.name == closing.name) {
                lacks("loop joint", &closing.name);
            }
        }
        for frame in model.frames() {
            let same =
                |it: &&featherline::model::Frame| it.kind == frame.kind && it.name == frame.name;
            // A joint's own frame comes and goes with the joint.
            if frame.kind != FrameKind::Joint && !other.frames().iter().any(|it| same(&it)) {
                lacks("frame", &frame.name);
            }
        }
    }
    missing
}

/// The greatest difference of a quantity, beside its largest entry.
struct Greatest {
    quantity: &'static str,
    largest: f64,
    difference: f64,
    at: Option<String>,
}

impl Greatest {
    fn new(quantity: &'static str) -> Self {
        Self {
            quantity,
            largest: 0.0,
            difference: 0.0,
            at: None,
        }
    }

    fn compare(&mut self, first: &[f64], second: &[f64], at: Option<&str>) {
        for (a, b) in first.iter().zip(second) {
            // Bounds that are infinite in both are the same.
            let difference = if a == b { 0.0 } else { (a - b).abs() };
            if a.is_finite() {
                self.largest = self.largest.max(a.abs());
            }
            if difference > self.difference {
                self.difference = difference;
                self.at = at.map(str::to_owned);
            }
        }
    }

    fn relative(self) -> QuantityDifference {
        let relative = match self.difference == 0.0 {
            true => 0.0,
            // Where the first model has zeros alone, the difference itself.
            false if self.largest == 0.0 => self.difference,
            false => self.difference / self.largest,
        };
        QuantityDifference {
            quantity: self.quantity,
            relative,
            at: self.at,
        }
    }
}

fn parameters(
    first: &Model,
    second: &Model,
    pairs: &[(JointId, JointId)],
) -> Vec<QuantityDifference> {
    let mut gravity = Greatest::new("gravity");
    gravity.compare(
        &first.gravity().to_array(),
        &second.gravity().to_array(),
        None,
    );
    let mut total = Greatest::new("total mass");
    total.compare(&[first.total_mass()], &[second.total_mass()], None);
    let mut mass = Greatest::new("mass");
    let mut moment = Greatest::new("first moment of mass");
    let mut inertia = Greatest::new("inertia");
    let mut position = Greatest::new("position limits");
    let mut velocity = Greatest::new("velocity limits");
    let mut effort = Greatest::new("effort limits");
    let mut damping = Greatest::new("damping");
    let mut friction = Greatest::new("friction");
    let mut armature = Greatest::new("armature");
    let mut stiffness = Greatest::new("stiffness");
    for &(a, b) in pairs {
        let (a, b) = (first.joint(a), second.joint(b));
        let at = Some(a.name.as_str());
        let numbers = |joint: &featherline::model::Joint| joint.inertia.to_parameters().to_array();
        let (p, q) = (numbers(a), numbers(b));
        mass.compare(&p[..1], &q[..1], at);
        moment.compare(&p[1..4], &q[1..4], at);
        inertia.compare(&p[4..], &q[4..], at);
        position.compare(&a.limits.lower, &b.limits.lower, at);
        position.compare(&a.limits.upper, &b.limits.upper, at);
        velocity.compare(&a.limits.velocity, &b.limits.velocity, at);
        effort.compare(&a.limits.effort, &b.limits.effort, at);
        damping.compare(&a.drive.damping, &b.drive.damping, at);
        friction.compare(&a.drive.friction, &b.drive.friction, at);
        let reflected = |joint: &featherline::model::Joint| -> Vec<f64> {
            let degrees = 0..joint.drive.armature.len();
            degrees.map(|k| joint.drive.reflected_inertia(k)).collect()
        };
        armature.compare(&reflected(a), &reflected(b), at);
        stiffness.compare(&a.drive.stiffness, &b.drive.stiffness, at);
    }
    let all = [
        gravity, total, mass, moment, inertia, position, velocity, effort, damping, friction,
        armature, stiffness,
    ];
    all.into_iter().map(Greatest::relative).collect()
}

/// Joint forces, mass matrices and placements of frames at random states.
fn at_states(
    first: &Model,
    second: &Model,
    pairs: &[(JointId, JointId)],
    states: usize,
) -> Result<Vec<QuantityDifference>, Error> {
    // For each entry of the first model's q and v, that of the second's.
    let (mut of_q, mut of_v) = (vec![0; first.nq()], vec![0; first.nv()]);
    for &(a, b) in pairs {
        let (a, b) = (first.joint(a), second.joint(b));
        for k in 0..a.nq {
            of_q[a.idx_q + k] = b.idx_q + k;
        }
        for k in 0..a.nv {
            of_v[a.idx_v + k] = b.idx_v + k;
        }
    }
    let frames: Vec<_> = first
        .frame_ids()
        .filter_map(|a| {
            let frame = first.frame(a);
            let same = |b: &featherline::model::FrameId| {
                let other = second.frame(*b);
                other.kind == frame.kind && other.name == frame.name
            };
            Some((a, second.frame_ids().find(same)?))
        })
        .collect();
    let (mut ws, mut other) = (Workspace::new(first), Workspace::new(second));
    let mut random = SplitMix64::new(0);
    let mut force = Greatest::new("joint forces");
    let mut matrix = Greatest::new("mass matrix");
    let mut placement = Greatest::new("placements of frames");
    let carried = |values: &[f64], map: &[usize], start: Vec<f64>| {
        let mut carried = start;
        for (value, &index) in values.iter().zip(map) {
            carried[index] = *value;
        }
        carried
    };
    for _ in 0..states {
        let q = first.random_configuration(&mut random);
        let mut tangent = || -> Vec<f64> {
            let entries = 0..first.nv();
            entries.map(|_| 2.0 * random.uniform() - 1.0).collect()
        };
        let (v, a) = (tangent(), tangent());
        let zeros = || vec![0.0; second.nv()];
        let q2 = carried(&q, &of_q, second.neutral_configuration());
        let (v2, a2) = (carried(&v, &of_v, zeros()), carried(&a, &of_v, zeros()));
        let tau = second.rnea(&mut other, &q2, &v2, &a2)?;
        let tau: Vec<f64> = of_v.iter().map(|&index| tau[index]).collect();
        force.compare(first.rnea(&mut ws, &q, &v, &a)?, &tau, None);
        let mass = second.crba(&mut other, &q2)?;
        let mine = first.crba(&mut ws, &q)?;
        for (i, &i2) in of_v.iter().enumerate() {
            for (k, &k2) in of_v.iter().enumerate() {
                matrix.compare(&[mine[(i, k)]], &[mass[(i2, k2)]], None);
            }
        }
        let here = first.forward_kinematics(&mut ws, &q)?;
        let there = second.forward_kinematics(&mut other, &q2)?;
        for &(f, g) in &frames {
            let entries = |placement: Se3<f64>| placement.to_homogeneous();
            let (m, n) = (entries(here.placement(f)), entries(there.placement(g)));
            let at = Some(first.frame(f).name.as_str());
            placement.compare(m.as_flattened(), n.as_flattened(), at);
        }
    }
    Ok([force, matrix, placement]
        .into_iter()
        .map(Greatest::relative)
        .collect())
}
