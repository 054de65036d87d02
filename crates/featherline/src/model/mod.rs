//! The robot: a tree of joints and bodies, with the loops, frames, limits and names that belong to
//! it.

mod builder;
#[cfg(feature = "hash")]
mod content_hash;
pub(crate) mod coordinates;
mod elimination_tree;
mod error;
mod frame;
pub(crate) mod hinge;
mod id;
mod joint;
mod length;
pub(crate) mod link;
mod lookup;
mod loop_joint;
mod mimic_limits;
#[cfg(feature = "batch")]
mod mount;
pub(crate) mod regions;
pub mod surgery;
mod validation;
mod wrap;

pub use crate::error::UnknownName;
pub use builder::{Built, JointHandle, JointSpec, ModelBuilder, SiblingOrder};
pub use elimination_tree::EliminationTree;
pub use error::{ModelError, ModelWarning};
pub use frame::{Frame, FrameKind};
pub use id::{FrameId, JointId, LoopId};
pub use joint::{Drive, Joint, Limits, Mimic};
pub use length::{Length, LengthEquality, LengthGradient, LengthTerm, Piece, Tendon};
pub use loop_joint::LoopJoint;
pub use wrap::Wrap;

pub(crate) use coordinates::{Coordinates, Front};
pub(crate) use elimination_tree::{CHUNK, Panel};
pub(crate) use hinge::{Hinge, Order};
pub(crate) use id::require;
pub(crate) use link::{Class, Link, Step, link_parameters};
pub(crate) use mimic_limits::Range;
#[cfg(feature = "batch")]
pub(crate) use mount::{Axis, Mount};

use crate::joint::JointKind;
use crate::scalar::Scalar;
use crate::spatial::{DynamicParameters, Se3, Vec3};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A robot: a tree of joints and bodies, and the joints that close loops in it.
///
/// The tree spans all bodies. Algorithms of this crate see the tree alone; loops belong to the
/// crates `featherline-constraint` and `featherline-sim`.
///
/// A model does not change once it is built; build it with [`ModelBuilder`], or read it from a
/// file, and make others of it by [surgery]. Joints are numbered depth-first, a parent before its
/// children, so that the joints of a subtree are consecutive. Joint 0 is the universe.
///
/// ```
/// use featherline::model::{JointSpec, ModelBuilder};
/// use featherline::joint::JointKind;
/// use featherline::spatial::{Inertia, Se3, Sym3, Vec3};
///
/// let mut builder = ModelBuilder::new("pendulum");
/// let hinge = JointSpec::new("hinge", ModelBuilder::UNIVERSE, JointKind::revolute_y());
/// let hinge = builder.add_joint(hinge);
/// let moments = Sym3::diagonal(Vec3::new(0.08, 0.08, 0.001));
/// let rod = Inertia::new(1.0, Vec3::new(0.0, 0.0, -0.5), moments);
/// builder.add_body(hinge, "rod", Se3::identity(), rod);
/// let model = builder.build()?.model;
/// assert_eq!((model.nq(), model.nv()), (1, 1));
/// # Ok::<(), featherline::model::ModelError>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "ModelData", into = "ModelData"))]
pub struct Model {
    data: ModelData,
    nq: usize,
    nv: usize,
    columns: usize,
    subtree_end: Vec<usize>,
    depth: usize,
    /// The place of each link's accelerations in memory shared with a last child.
    pub(crate) place_in_path: Vec<usize>,
    has_mimic_joints: bool,
    layout: u64,
    pub(crate) links: Vec<Link>,
    pub(crate) steps: Vec<Step>,
    #[cfg(feature = "batch")]
    pub(crate) mounts: Vec<Mount>,
    /// Whether no link is a mimic joint, and most are hinges about an axis of their parents.
    pub(crate) is_mostly_hinges: bool,
    /// Whether a joint that may do nothing but slide carries others: its diagonal says only a mass.
    pub(crate) slides_carry: bool,
    pub(crate) coordinates: Coordinates,
    pub(crate) reflected_inertia: Vec<f64>,
    pub(crate) inertia_scale: Vec<f64>,
    /// The inverse of 32 times that, which an inverse pivot times the rounding unit must not reach.
    pub(crate) pivot_bound: Vec<f64>,
    pub(crate) frame_in_link: Vec<Se3<f64>>,
    /// For each mimicked joint, the range in which its mimic joints respect their limits, too.
    pub(crate) mimic_limits: BTreeMap<usize, Range>,
}

/// The data that define a model; everything else follows from them.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
struct ModelData {
    name: String,
    gravity: Vec3<f64>,
    joints: Vec<Joint>,
    #[cfg_attr(feature = "serde", serde(default))]
    loop_joints: Vec<LoopJoint>,
    frames: Vec<Frame>,
    reference_configurations: BTreeMap<String, Vec<f64>>,
}

impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        self.data == other.data
    }
}

#[cfg(feature = "serde")]
impl From<Model> for ModelData {
    fn from(model: Model) -> Self {
        model.data
    }
}

impl TryFrom<ModelData> for Model {
    type Error = ModelError;

    fn try_from(mut data: ModelData) -> Result<Self, ModelError> {
        validation::validate_structure(&data.joints, &data.frames)?;
        loop_joint::validate_ends(data.joints.len(), &data.loop_joints)?;
        validation::validate_values(&data)?;
        validation::check_lumped_inertias(&data.joints, false)?;
        loop_joint::validate_loops(&data.joints, &data.loop_joints)?;
        let tree = data.joints.iter_mut().map(|j| &mut j.kind);
        for kind in tree.chain(data.loop_joints.iter_mut().map(|l| &mut l.kind)) {
            let stored = std::mem::replace(kind, JointKind::Fixed);
            *kind = stored.normalised_axes();
        }
        Ok(Self::from_valid(data))
    }
}

impl Model {
    fn from_valid(data: ModelData) -> Self {
        let joints = &data.joints;
        let nq = joints.iter().map(|j| j.nq).sum();
        let nv = joints.iter().map(|j| j.nv).sum();
        let has_mimic_joints = joints.iter().any(|j| j.mimic.is_some());
        let links = link::links(joints);
        let coordinates = Coordinates::new(&links, nv, has_mimic_joints);
        let mut subtree_end: Vec<usize> = (1..=joints.len()).collect();
        for i in (1..joints.len()).rev() {
            let parent = joints[i].parent.index();
            subtree_end[parent] = subtree_end[parent].max(subtree_end[i]);
        }
        let mut level = vec![0; joints.len()];
        let mut place_in_path = vec![0; joints.len()];
        for i in 1..joints.len() {
            let parent = joints[i].parent.index();
            level[i] = level[parent] + 1;
            let is_last = subtree_end[i] == subtree_end[parent];
            let apart = parent != 0 && !is_last;
            place_in_path[i] = place_in_path[parent] + usize::from(apart);
        }
        let mut reflected_inertia = vec![0.0; nv];
        for joint in joints {
            let ratio = joint.mimic.map_or(1.0, |m| m.ratio);
            for degree in 0..joint.kind.nv() {
                reflected_inertia[joint.idx_v + degree] +=
                    ratio * ratio * joint.drive.reflected_inertia(degree);
            }
        }
        let frame_in_link = data
            .frames
            .iter()
            .map(|f| links[f.joint.index()].frame.inverse().compose(&f.placement))
            .collect();
        let mut hasher = DefaultHasher::new();
        for link in &links {
            (
                link.parent,
                link.class,
                link.idx_q,
                link.idx_v,
                link.columns,
                link.is_varying,
            )
                .hash(&mut hasher);
        }
        (nq, nv).hash(&mut hasher);
        let slides_carry = (1..links.len()).any(|i| {
            let may_slide = match links[i].class {
                Class::Revolute | Class::Unbounded => false,
                Class::Prismatic => true,
                Class::General => !links[i].is_free_flyer,
            };
            may_slide && subtree_end[i] > i + 1
        });
        let inertia_scale = inertia_scale::<f64>(&links, joints, &reflected_inertia, &[]);
        let pivot_bound: Vec<f64> = inertia_scale.iter().map(|&s| pivot_bound(s)).collect();
        Self {
            nq,
            nv,
            columns: links.iter().map(|l| l.columns).sum(),
            depth: level.into_iter().max().unwrap_or(0),
            has_mimic_joints,
            layout: hasher.finish(),
            is_mostly_hinges: !has_mimic_joints
                && 2 * links.iter().filter(|l| l.hinge.is_some()).count() >= links.len(),
            slides_carry,
            steps: links.iter().map(Step::of).collect(),
            #[cfg(feature = "batch")]
            mounts: Mount::all(joints, &links),
            links,
            coordinates,
            place_in_path,
            subtree_end,
            reflected_inertia,
            pivot_bound,
            inertia_scale,
            frame_in_link,
            mimic_limits: mimic_limits::mimic_limits(&data.joints).0,
            data,
        }
    }

    /// How many places in memory [`place_in_path`](Self::place_in_path) tells of.
    pub(crate) fn places(&self) -> usize {
        self.place_in_path.iter().max().map_or(0, |p| p + 1)
    }

    /// The robot's name.
    pub fn name(&self) -> &str {
        &self.data.name
    }

    /// The length of a configuration q.
    #[inline(always)]
    pub fn nq(&self) -> usize {
        self.nq
    }

    /// The length of a velocity v: the number of degrees of freedom.
    #[inline(always)]
    pub fn nv(&self) -> usize {
        self.nv
    }

    /// The acceleration of free fall in the world frame, in m/s².
    pub fn gravity(&self) -> Vec3<f64> {
        self.data.gravity
    }

    /// The same robot under another gravity.
    ///
    /// # Errors
    /// [`ModelError::NotFinite`] for a gravity that is infinite or NaN.
    pub fn with_gravity(mut self, gravity: Vec3<f64>) -> Result<Self, ModelError> {
        validation::check_gravity(gravity)?;
        self.data.gravity = gravity;
        Ok(self)
    }

    /// The same robot with one more loop joint, the last of
    /// [`loop_joints`](Self::loop_joints). Coordinates stay as they are. Cost O(n).
    ///
    /// # Errors
    /// [`ModelError::BadLoop`], [`ModelError::DuplicateName`] and [`ModelError::Kind`], as
    /// [`ModelBuilder::build`] has; [`ModelError::Damaged`] where the loop joint ends at a joint
    /// that the model does not have; [`ModelError::NotFinite`] and [`ModelError::NotARotation`] for
    /// its placements.
    ///
    /// ```
    /// use featherline::joint::JointKind;
    /// use featherline::model::{JointId, LoopJoint};
    /// use featherline::samples;
    /// use featherline::spatial::{Se3, Vec3};
    ///
    /// // The tip of the lower rod is held where it hangs.
    /// let model = samples::double_pendulum();
    /// let at = |z| Se3::from_translation(Vec3::new(0.0, 0.0, z));
    /// let pinned = model.clone().with_loop_joint(LoopJoint {
    ///     name: "pin".to_owned(),
    ///     kind: JointKind::revolute_y(),
    ///     predecessor: JointId::UNIVERSE,
    ///     predecessor_placement: at(-2.0),
    ///     successor: model.joint_id("elbow")?,
    ///     successor_placement: at(-1.0),
    /// })?;
    /// assert_eq!((pinned.loop_joints().len(), pinned.nv()), (1, model.nv()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_loop_joint(mut self, mut closing: LoopJoint) -> Result<Self, ModelError> {
        closing.kind = closing.kind.normalised_axes();
        self.data.loop_joints.push(closing);
        loop_joint::validate_ends(self.data.joints.len(), &self.data.loop_joints)?;
        loop_joint::validate_loops(&self.data.joints, &self.data.loop_joints)?;
        Ok(Self::from_valid(self.data))
    }

    /// The same robot with one more named configuration, or another one under a name that it has.
    ///
    /// # Errors
    /// [`ModelError::ConfigurationLength`] unless `q` has nq entries; [`ModelError::NotFinite`];
    /// [`ModelError::NotNormalised`] for a quaternion or a (cos, sin) that is not of length one.
    ///
    /// ```
    /// let model = featherline::samples::double_pendulum();
    /// let model = model.with_reference_configuration("bent", vec![0.0, 1.5])?;
    /// assert_eq!(model.reference_configurations()["bent"], [0.0, 1.5]);
    /// # Ok::<(), featherline::model::ModelError>(())
    /// ```
    pub fn with_reference_configuration(
        mut self,
        name: impl Into<String>,
        q: Vec<f64>,
    ) -> Result<Self, ModelError> {
        let named = BTreeMap::from([(name.into(), q)]);
        validation::check_configurations(&self.data.joints, &named)?;
        self.data.reference_configurations.extend(named);
        Ok(self)
    }

    /// The spanning tree: the same robot without loop joints. Cost O(n).
    ///
    /// ```
    /// let tree = featherline::samples::four_bar().without_loop_joints();
    /// assert!(tree.loop_joints().is_empty() && tree.nv() == 3);
    /// ```
    pub fn without_loop_joints(mut self) -> Self {
        self.data.loop_joints.clear();
        self
    }

    /// All joints, the universe first.
    pub fn joints(&self) -> &[Joint] {
        &self.data.joints
    }

    /// A joint by its index.
    ///
    /// # Panics
    /// If the model has no such joint: the id belongs to a larger one.
    #[inline(always)]
    #[track_caller]
    pub fn joint(&self, id: JointId) -> &Joint {
        require(self.check_joint(id));
        &self.data.joints[id.index()]
    }

    /// The indices of all joints but the universe.
    pub fn joint_ids(&self) -> impl DoubleEndedIterator<Item = JointId> + use<> {
        (1..self.data.joints.len()).map(JointId)
    }

    /// The joints that close loops, in the order in which they were added.
    pub fn loop_joints(&self) -> &[LoopJoint] {
        &self.data.loop_joints
    }

    /// A loop joint by its index.
    ///
    /// # Panics
    /// If the model has no such loop joint: the id belongs to a larger one.
    #[inline(always)]
    #[track_caller]
    pub fn loop_joint(&self, id: LoopId) -> &LoopJoint {
        require(self.check_loop(id));
        &self.data.loop_joints[id.index()]
    }

    /// The indices of all loop joints.
    pub fn loop_ids(&self) -> impl DoubleEndedIterator<Item = LoopId> + use<> {
        (0..self.data.loop_joints.len()).map(LoopId)
    }

    /// All frames, grouped by the joint that carries them.
    pub fn frames(&self) -> &[Frame] {
        &self.data.frames
    }

    /// A frame by its index.
    ///
    /// # Panics
    /// If the model has no such frame: the id belongs to a larger one.
    #[inline(always)]
    #[track_caller]
    pub fn frame(&self, id: FrameId) -> &Frame {
        require(self.check_frame(id));
        &self.data.frames[id.index()]
    }

    /// The indices of all frames.
    pub fn frame_ids(&self) -> impl DoubleEndedIterator<Item = FrameId> + use<> {
        (0..self.data.frames.len()).map(FrameId)
    }

    /// The total mass of the moving bodies, in kg.
    pub fn total_mass(&self) -> f64 {
        self.data.joints[1..].iter().map(|j| j.inertia.mass).sum()
    }

    /// The joint of the base, if nothing but forces can act on the robot from outside: the base is
    /// a free body, the only one that the universe carries, no loop goes through the world, and its
    /// joint has no armature.
    pub(crate) fn free_base(&self) -> Option<JointId> {
        let mut roots = self.children(JointId::UNIVERSE);
        let (Some(base), None) = (roots.next(), roots.next()) else {
            return None;
        };
        let mut loops = self.loop_joints().iter();
        let held = loops
            .any(|closing| [closing.predecessor, closing.successor].contains(&JointId::UNIVERSE));
        let own = self.joint(base);
        let armature = &self.reflected_inertias()[own.idx_v..own.idx_v + own.nv];
        let is_free = !held && armature.iter().all(|x| *x == 0.0);
        (own.kind == JointKind::FreeFlyer && is_free).then_some(base)
    }

    /// The joint whose body carries this one, λ(i); the universe is its own parent.
    ///
    /// # Panics
    /// If the model has no such joint: the id belongs to a larger one.
    #[track_caller]
    pub fn parent(&self, id: JointId) -> JointId {
        self.joint(id).parent
    }

    /// The joints carried directly by this one, μ(i), in order.
    ///
    /// # Panics
    /// If the model has no such joint: the id belongs to a larger one.
    #[track_caller]
    pub fn children(&self, id: JointId) -> impl Iterator<Item = JointId> + '_ {
        require(self.check_joint(id));
        let mut next = id.index() + 1;
        let end = self.subtree_end[id.index()];
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let child = next;
                next = self.subtree_end[child];
                JointId(child)
            })
        })
    }

    /// The joints of the subtree that begins with this one, ν(i): consecutive indices.
    ///
    /// # Panics
    /// If the model has no such joint: the id belongs to a larger one.
    #[track_caller]
    pub fn subtree(
        &self,
        id: JointId,
    ) -> impl DoubleEndedIterator<Item = JointId> + ExactSizeIterator + use<> {
        require(self.check_joint(id));
        (id.index()..self.subtree_end[id.index()]).map(JointId)
    }

    /// The joints between the universe and this body, κ(i), from this joint up to the root.
    ///
    /// # Panics
    /// If the model has no such joint: the id belongs to a larger one.
    #[track_caller]
    pub fn support(&self, id: JointId) -> impl Iterator<Item = JointId> + '_ {
        require(self.check_joint(id));
        let mut next = id;
        std::iter::from_fn(move || {
            (next != JointId::UNIVERSE).then(|| {
                let here = next;
                next = self.parent(here);
                here
            })
        })
    }

    /// Whether any joint mimics another one: it has no coordinate of its own, and moves with the
    /// other's.
    pub fn has_mimic_joints(&self) -> bool {
        self.has_mimic_joints
    }

    /// Named configurations.
    pub fn reference_configurations(&self) -> &BTreeMap<String, Vec<f64>> {
        &self.data.reference_configurations
    }

    /// The elimination tree of the mass matrix, which [`ltdl`](crate::dynamics::ltdl) walks.
    #[inline(always)]
    pub(crate) fn elimination_tree(&self) -> &EliminationTree {
        &self.coordinates.tree
    }

    /// Armature plus reflected rotor inertia of each degree of freedom, mimic joints included.
    pub(crate) fn reflected_inertias(&self) -> &[f64] {
        &self.reflected_inertia
    }

    /// The number of joints on the longest path from the root.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    pub(crate) fn subtree_end(&self, joint: usize) -> usize {
        self.subtree_end[joint]
    }

    /// Whether no other child of the same parent has a higher number.
    #[inline(always)]
    pub(crate) fn is_last_child(&self, joint: usize) -> bool {
        self.subtree_end[joint] == self.subtree_end[self.links[joint].parent]
    }

    /// The number of columns of all motion subspaces, those of mimic joints included.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// The bytes that kernels read of the model.
    #[cfg(feature = "batch")]
    pub(crate) fn kernel_bytes(&self) -> usize {
        self.links.len()
            * (size_of::<Link>()
                + size_of::<Mount>()
                + size_of::<Step>()
                + size_of::<Front>()
                + size_of::<Joint>())
            + self.nv * size_of::<f64>()
    }

    /// For each coordinate the bound of inverse pivots with other bodies than the model's.
    #[cfg(feature = "batch")]
    pub(crate) fn pivot_bounds<S: Scalar>(
        &self,
        parameters: &[DynamicParameters<S>],
    ) -> impl Iterator<Item = S> + use<S> {
        let (links, joints) = (&self.links, &self.data.joints);
        let scale = inertia_scale(links, joints, &self.reflected_inertia, parameters);
        scale.into_iter().map(pivot_bound)
    }

    /// A fingerprint of everything that a workspace's layout depends on.
    #[inline(always)]
    pub(crate) fn layout(&self) -> u64 {
        self.layout
    }
}

/// A bound on an inverse pivot times the rounding unit, from the inertia that can move.
fn pivot_bound<S: Scalar>(scale: S) -> S {
    // In this order nothing overflows that need not.
    scale.recip() * S::constant(1.0 / 32.0)
}

/// For each coordinate, a bound on the inertia that it can move, against which a pivot is judged to
/// be zero.
///
/// Mass, first and second moment of each subtree are summed as if all its links were stretched out
/// along one line. `parameters` are those of the bodies, or empty for the links' own.
fn inertia_scale<S: Scalar>(
    links: &[Link],
    joints: &[Joint],
    reflected_inertia: &[f64],
    parameters: &[DynamicParameters<S>],
) -> Vec<S> {
    let mut sums = vec![(S::zero(), S::zero(), S::zero()); links.len()];
    for i in (1..links.len()).rev() {
        let own = link_parameters(parameters, i, &links[i]);
        let (mut mass, mut first, mut second) = sums[i];
        mass += own.mass.abs();
        first += own.first_moment.norm();
        second += own.second_moment.trace().abs();
        sums[i] = (mass, first, second);
        let step = S::constant(links[i].placement.translation.norm());
        let above = &mut sums[links[i].parent];
        above.0 += mass;
        above.1 += first + step * mass;
        above.2 += second + S::constant(2.0) * step * first + step * step * mass;
    }
    let mut scale: Vec<S> = reflected_inertia.iter().map(|&x| S::constant(x)).collect();
    for (i, link) in links.iter().enumerate().skip(1) {
        let ratio = S::constant(joints[i].mimic.map_or(1.0, |m| m.ratio));
        let own = match link.class {
            Class::Revolute | Class::Unbounded => sums[i].2,
            Class::Prismatic => sums[i].0,
            Class::General => sums[i].0 + sums[i].2,
        };
        for k in link.idx_v..link.idx_v + link.columns {
            scale[k] += ratio * ratio * own;
        }
    }
    scale
}
