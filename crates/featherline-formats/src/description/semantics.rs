//! The purpose of a robot's parts: groups of joints, their states, end effectors.

use super::Source;
use featherline::spatial::Vec3;

/// The purpose of the parts of a robot, as an [SRDF](crate::srdf) states it. References are indices
/// in the description.
///
/// States are [configurations](super::Description::configurations) of the description, and pairs of
/// links that do not collide are its [contact exclusions](super::Description::contact_exclusions).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Semantics {
    /// Groups of joints.
    pub groups: Vec<Group>,
    /// States of groups, which are configurations of the whole robot here.
    pub states: Vec<GroupState>,
    /// End effectors.
    pub end_effectors: Vec<EndEffector>,
    /// Joints between the robot and the world around it.
    pub virtual_joints: Vec<VirtualJoint>,
    /// Joints that nothing drives.
    pub passive_joints: Vec<usize>,
    /// Pairs of links that may collide, though one of them does not by default.
    pub enabled_collisions: Vec<LinkPair>,
    /// Links that collide with no other link by default.
    pub disabled_by_default: Vec<usize>,
    /// Links as spheres, for collision.
    pub spheres: Vec<LinkSpheres>,
    /// Named values of joints.
    pub joint_properties: Vec<JointProperty>,
}

/// A group of joints, such as an arm.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Its joints that move, in the order of the description: those that it names, those that move
    /// its links, those of its chains and of its subgroups. A fixed joint is not among them.
    pub joints: Vec<usize>,
    /// The links that it names.
    pub links: Vec<usize>,
    /// The first and the last link of each chain.
    pub chains: Vec<[usize; 2]>,
    /// The groups that it contains.
    pub subgroups: Vec<usize>,
    /// Virtual joints that it names.
    pub virtual_joints: Vec<usize>,
    /// Whether it has the joint that moves a floating base.
    pub has_root: bool,
    /// Where its element is.
    pub source: Source,
}

/// A named state of a group.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GroupState {
    /// Its name, which states of other groups may have, too.
    pub name: String,
    /// The group, if it is known.
    pub group: Option<usize>,
    /// The name of its configuration: `name`, or `group/name` where that was taken.
    pub configuration: String,
    /// Where its element is.
    pub source: Source,
}

/// An end effector: a group at the end of another one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EndEffector {
    /// Its name.
    pub name: String,
    /// The link that it is attached to.
    pub parent: usize,
    /// Its group.
    pub group: Option<usize>,
    /// The group that it belongs to, such as the arm.
    pub parent_group: Option<usize>,
    /// Where its element is.
    pub source: Source,
}

/// A joint between the robot and a frame of the world. It is no joint of the model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VirtualJoint {
    /// Its name.
    pub name: String,
    /// Its type: `fixed`, `floating` or `planar`.
    pub kind: String,
    /// The frame of the world.
    pub parent_frame: String,
    /// The link.
    pub child: usize,
    /// Where its element is.
    pub source: Source,
}

/// Two links.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LinkPair {
    /// The indices of the links.
    pub links: [usize; 2],
    /// The reason in the words of the file; empty if there is none.
    pub reason: String,
    /// Where its element is.
    pub source: Source,
}

/// A link as spheres.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LinkSpheres {
    /// The link.
    pub link: usize,
    /// The centre of each sphere in the link's frame and its radius, in m. One sphere of radius 0
    /// stands for a link that does not collide.
    pub spheres: Vec<(Vec3<f64>, f64)>,
    /// Where its element is.
    pub source: Source,
}

/// A named value of a joint.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JointProperty {
    /// The joint's name, which may be that of a virtual joint.
    pub joint: String,
    /// The name of the value.
    pub name: String,
    /// The value in the words of the file.
    pub value: String,
    /// Where its element is.
    pub source: Source,
}

impl Semantics {
    /// The group of a name.
    pub fn group(&self, name: &str) -> Option<&Group> {
        self.groups.iter().find(|group| group.name == name)
    }
}

impl Group {
    /// A group without members.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }
}
