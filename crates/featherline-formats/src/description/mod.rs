//! The neutral description of a robot: what a file states, whatever its format.
//!
//! Readers make a [`Description`] of a text, and [`Description::robot`] makes a model of it by the
//! [options](crate::LoadOptions) that a user chooses. Parts that a model has no use for stay here:
//! a description is what writers and converters start from.

mod actuation;
mod actuator;
mod assemble;
mod collision;
mod configuration;
mod contact;
mod contact_model;
mod contact_rules;
mod disabled;
mod floating;
mod from_model;
mod geometry;
mod inertias;
mod lengths;
mod mimic;
mod moved;
mod robot;
mod semantics;
mod sensor;
mod setting;
mod shapes;
mod surface;
mod tendon;
mod tree;

pub(crate) use shapes::{OpenMesh, inertia_of_shapes};
pub(crate) use tree::Tree;

pub use crate::location::Source;
pub use crate::sources::{SourceText, Sources};
pub use actuation::{Actuation, CarriedWeight, JointActuation, LengthActuation, Response};
pub use actuator::{Activation, Actuator, ForceLaw, Transmission};
pub use collision::{CollisionShape, CollisionShapes};
pub use configuration::START_CONFIGURATIONS;
#[cfg(feature = "scene")]
pub(crate) use configuration::first_of;
pub use contact::{ContactExclusion, ContactPair, ContactRule};
pub use contact_model::{ContactModel, ContactModelError};
pub use contact_rules::ContactRules;
pub use disabled::Disabled;
pub use geometry::{Form, Geometry, Material, MeshFile};
pub use lengths::LengthForces;
pub use moved::{Coupling, CouplingLaw, MovedBody};
pub use robot::Robot;
pub use semantics::{
    EndEffector, Group, GroupState, JointProperty, LinkPair, LinkSpheres, Semantics, VirtualJoint,
};
pub use sensor::{Sensor, Target};
pub use setting::Setting;
pub(crate) use setting::visibility as visibility_settings;
pub use surface::{
    ContactDefaults, ContactDimension, ContactMask, FrictionLaw, FrictionRule, ImpactLaw,
    PairSurface, Softness, Surface,
};
pub use tendon::{LengthEquality, Tendon, TendonPath, TendonPoint};

#[cfg(feature = "scene")]
pub(crate) use contact_rules::WORLD;
pub(crate) use floating::{ROOT_JOINT, free_name};

use crate::error::Error;
use crate::options::LoadOptions;
use crate::report::Report;
use crate::xml::Element;
use featherline::joint::JointKind;
use featherline::model::{Drive, FrameKind, Limits};
use featherline::spatial::{Inertia, Mat3, Se3, Sym3, Vec3};

/// A robot as its file describes it.
///
/// Links and joints form a tree: one link, the root, is no joint's child. References between parts
/// are indices into the lists of the description.
///
/// ```
/// use featherline_formats::LoadOptions;
/// use featherline_formats::description::{Description, Joint, Link, Motion};
/// use featherline::spatial::Vec3;
///
/// let mut arm = Description::new("arm");
/// let base = arm.add_link(Link::new("base"));
/// let rod = arm.add_link(Link::new("rod"));
/// let hinge = Motion::Revolute { axis: Vec3::new(0.0, 1.0, 0.0) };
/// arm.add_joint(Joint::new("hinge", base, rod, hinge));
/// let robot = arm.robot(&LoadOptions::new())?;
/// assert_eq!(robot.model.nv(), 1);
/// # Ok::<(), featherline_formats::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Description {
    /// The robot's name.
    pub name: String,
    /// The acceleration of free fall in the world, in m/s², if the file states one.
    pub gravity: Option<Vec3<f64>>,
    /// The step of a simulation in s, if the file states one.
    pub time_step: Option<f64>,
    /// Parts of the physics that do not act in simulations.
    pub disabled: Disabled,
    /// The links, in the order of the file.
    pub links: Vec<Link>,
    /// The joints, in the order of the file.
    pub joints: Vec<Joint>,
    /// Joints that close loops of the tree.
    pub loops: Vec<Loop>,
    /// Equalities of lengths that are neither loops nor mimic joints.
    pub length_equalities: Vec<LengthEquality>,
    /// Named frames, in the order of the file.
    pub frames: Vec<Frame>,
    /// Named configurations.
    pub configurations: Vec<Configuration>,
    /// The shapes of the links, in the order of the file.
    pub geometry: Vec<Geometry>,
    /// How shapes look.
    pub materials: Vec<Material>,
    /// Actuators of joints, tendons and frames.
    pub actuators: Vec<Actuator>,
    /// Lengths that depend on several joints.
    pub tendons: Vec<Tendon>,
    /// Sensors: quantities that are measured.
    pub sensors: Vec<Sensor>,
    /// Shapes that may touch, whatever is said of all others.
    pub contact_pairs: Vec<ContactPair>,
    /// Links whose shapes do not touch.
    pub contact_exclusions: Vec<ContactExclusion>,
    /// Rules for the contacts between sets of links.
    pub contact_rules: Vec<ContactRule>,
    /// Surfaces that shapes do not give, and how two surfaces combine.
    pub contact_defaults: ContactDefaults,
    /// The purpose of the parts, as an SRDF states it.
    pub semantics: Semantics,
    /// The prefixes of XML that kept elements may have, and what they stand for.
    pub prefixes: Vec<(String, String)>,
    /// Elements of the file that no other field represents, as they are written.
    pub kept: Vec<KeptElement>,
    /// Where the robot's element is.
    pub source: Source,
    /// The texts that it was read from.
    pub sources: Sources,
}

/// An element that is kept as it is written: a writer of the same format writes it again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeptElement {
    /// The format that it is written in, such as `URDF`.
    pub format: &'static str,
    /// The part that it belongs to.
    pub owner: Owner,
    /// The element's name, such as `transmission`.
    pub tag: String,
    /// Its text, from the opening to the closing tag.
    pub text: String,
    /// Where it is.
    pub source: Source,
}

/// The part that a [`KeptElement`] belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The robot.
    Robot,
    /// A link, by its index.
    Link(usize),
    /// A joint, by its index.
    Joint(usize),
}

/// A link: what moves as one body.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Link {
    /// Its name.
    pub name: String,
    /// Its inertia, if it is given.
    pub inertial: Option<Inertial>,
    /// The part of its weight that a force at its centre of mass carries, as `gravcomp` of MJCF: 1
    /// for all of it.
    pub carried_weight: f64,
    /// Whether the user gives its pose while time goes on, as of a `mocap` body of MJCF: a body
    /// that is fixed in the world.
    pub is_moved: bool,
    /// Everything else that the file states of it, in its words.
    pub settings: Vec<Setting>,
    /// Where its element is.
    pub source: Source,
}

/// The inertia of a link, as it is given: about the centre of mass, in a frame placed there.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Inertial {
    /// The frame of the moments in the link: its origin is the centre of mass.
    pub placement: Se3<f64>,
    /// Mass, in kg.
    pub mass: f64,
    /// Rotational inertia about the centre of mass, in the frame `placement`, in kg·m².
    pub moments: Sym3<f64>,
    /// Where the moments are.
    pub source: Source,
}

/// A joint of the tree.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Joint {
    /// Its name.
    pub name: String,
    /// How the child moves.
    pub motion: Motion,
    /// The index of the parent link.
    pub parent: usize,
    /// The index of the child link.
    pub child: usize,
    /// The joint's input frame in the parent link's frame.
    pub placement: Se3<f64>,
    /// The child link's frame in the joint's output frame.
    pub child_placement: Se3<f64>,
    /// Bounds of motion and effort, sized as [`Motion::kind`] has it.
    pub limits: Limits,
    /// Armature, damping, friction and springs, sized as [`Motion::kind`] has it.
    pub drive: Drive,
    /// The joint that it mimics.
    pub mimic: Option<Mimic>,
    /// Everything else that the file states of it, in its words.
    pub settings: Vec<Setting>,
    /// Where its element is.
    pub source: Source,
}

/// How a joint moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// Not at all.
    Fixed,
    /// By an angle about an axis, within limits.
    Revolute {
        /// The axis, not zero; it need not be a unit vector.
        axis: Vec3<f64>,
    },
    /// By an angle about an axis, without limits.
    Continuous {
        /// The axis.
        axis: Vec3<f64>,
    },
    /// By a displacement along an axis.
    Prismatic {
        /// The axis.
        axis: Vec3<f64>,
    },
    /// In the plane through the joint's origin with a normal. The coordinates x and y are those of
    /// the joint's frame after the smallest rotation that takes z to the normal.
    Planar {
        /// The normal.
        normal: Vec3<f64>,
    },
    /// In every way.
    Floating,
    /// As a kind of joint that has no entry of its own here.
    Other(JointKind),
}

/// The law of a mimic joint: q = `ratio` · q of `joint` + `offset`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Mimic {
    /// The index of the joint that it mimics, which may be a mimic joint itself.
    pub joint: usize,
    /// Displacement for each unit of the mimicked joint's.
    pub ratio: f64,
    /// Displacement where the mimicked joint's is zero, in rad or m.
    pub offset: f64,
    /// Everything else that the file states of it, in its words.
    pub settings: Vec<Setting>,
    /// Where the law is.
    pub source: Source,
}

/// A joint that closes a loop of the tree.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Loop {
    /// Its name, unique among all joints.
    pub name: String,
    /// How the two frames may move against each other.
    pub kind: JointKind,
    /// The index of the link that has the joint's input frame, and the frame in it.
    pub predecessor: (usize, Se3<f64>),
    /// The index of the link that has the joint's output frame, and the frame in it.
    pub successor: (usize, Se3<f64>),
    /// How it yields where one of its links is [moved](Link::is_moved). Others are rigid.
    pub law: CouplingLaw,
    /// Everything else that the file states of it, in its words.
    pub settings: Vec<Setting>,
    /// Where its element is.
    pub source: Source,
}

/// A named frame of a link.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Frame {
    /// Its name.
    pub name: String,
    /// The kind of element that it stands for.
    pub kind: FrameKind,
    /// The index of its link.
    pub link: usize,
    /// Its placement in the link.
    pub placement: Se3<f64>,
    /// Everything else that the file states of it, in its words.
    pub settings: Vec<Setting>,
    /// Where its element is.
    pub source: Source,
}

/// A named configuration, with velocities if it is a whole state. Joints that it does not name are
/// neutral.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Configuration {
    /// Its name.
    pub name: String,
    /// Indices of joints and their entries of q, as [`Motion::kind`] has them.
    pub joints: Vec<(usize, Vec<f64>)>,
    /// Indices of joints and their entries of v, in the order of the joint's degrees of freedom,
    /// for a state that moves. Joints that it does not name are at rest.
    pub velocities: Vec<(usize, Vec<f64>)>,
    /// Indices of actuators and their controls. Those of others are zero.
    pub controls: Vec<(usize, f64)>,
    /// Indices of actuators and their activations, of laws with filters and integrators. Those of
    /// others are zero.
    pub activations: Vec<(usize, f64)>,
    /// Indices of [moved](Link::is_moved) links and their placements in the world. Those of others
    /// are where the file puts them.
    pub moved: Vec<(usize, Se3<f64>)>,
    /// Position and quaternion (x, y, z, w) of the root link in the world, which count where the
    /// base [floats by option](crate::LoadOptions::floating_base).
    pub root: Option<[f64; 7]>,
    /// Everything else that the file states of it, in its words.
    pub settings: Vec<Setting>,
    /// Where its element is.
    pub source: Source,
}

impl Description {
    /// A robot without links.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Adds a link, and returns its index.
    pub fn add_link(&mut self, link: Link) -> usize {
        self.links.push(link);
        self.links.len() - 1
    }

    /// Adds a joint, and returns its index.
    pub fn add_joint(&mut self, joint: Joint) -> usize {
        self.joints.push(joint);
        self.joints.len() - 1
    }

    /// The model of the description, by the options that say what the format leaves open.
    ///
    /// Cost: linear in the number of links, apart from sorting siblings.
    ///
    /// # Errors
    /// [`Error`], with the place in the file where there is one.
    pub fn robot(&self, options: &LoadOptions) -> Result<Robot, Error> {
        let mut report = Report::new(&self.sources).permissive(options.permissive);
        let model = self.assemble(options, &mut report);
        let model = model.map_err(|fault| report.error(*fault))?;
        let robot = Robot {
            model,
            warnings: report.into_warnings(),
            description: self.clone(),
        };
        robot.checked(Vec::new(), options)
    }
}

impl KeptElement {
    /// An element in its own words.
    pub(crate) fn as_written(format: &'static str, owner: Owner, element: Element<'_>) -> Self {
        Self {
            format,
            owner,
            tag: element.tag().to_owned(),
            text: element.text().to_owned(),
            source: element.source(),
        }
    }
}

impl Link {
    /// A link without inertia.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }
}

impl Inertial {
    /// The inertia of a mass with moments in a frame at its centre.
    pub fn new(placement: Se3<f64>, mass: f64, moments: Sym3<f64>) -> Self {
        Self {
            placement,
            mass,
            moments,
            source: Source::default(),
        }
    }

    /// The spatial inertia in the link's frame.
    pub fn inertia(&self) -> Inertia<f64> {
        let about_com = Inertia::new(self.mass, Vec3::zero(), self.moments);
        self.placement.act_inertia(&about_com)
    }
}

impl Loop {
    /// A joint between a frame of one link and a frame of another, by the links' indices.
    pub fn new(
        name: impl Into<String>,
        kind: JointKind,
        predecessor: (usize, Se3<f64>),
        successor: (usize, Se3<f64>),
    ) -> Self {
        Self {
            name: name.into(),
            kind,
            predecessor,
            successor,
            law: CouplingLaw::default(),
            settings: Vec::new(),
            source: Source::default(),
        }
    }
}

impl Frame {
    /// A frame of a link, by the link's index.
    pub fn new(name: impl Into<String>, link: usize, placement: Se3<f64>, kind: FrameKind) -> Self {
        Self {
            name: name.into(),
            kind,
            link,
            placement,
            settings: Vec::new(),
            source: Source::default(),
        }
    }
}

impl Configuration {
    /// Entries of q of some joints, by their indices.
    pub fn new(name: impl Into<String>, joints: Vec<(usize, Vec<f64>)>) -> Self {
        Self {
            name: name.into(),
            joints,
            ..Self::default()
        }
    }
}

impl Mimic {
    /// The law q = `ratio` · q of the joint with index `joint` + `offset`.
    pub fn new(joint: usize, ratio: f64, offset: f64) -> Self {
        Self {
            joint,
            ratio,
            offset,
            settings: Vec::new(),
            source: Source::default(),
        }
    }
}

impl Joint {
    /// A joint without limits, drive or mimic, whose frames are those of its links.
    pub fn new(name: impl Into<String>, parent: usize, child: usize, motion: Motion) -> Self {
        let kind = motion.kind();
        Self {
            name: name.into(),
            parent,
            child,
            placement: Se3::identity(),
            child_placement: Se3::identity(),
            limits: Limits::unbounded(kind.nq(), kind.nv()),
            drive: Drive::none(&kind),
            mimic: None,
            settings: Vec::new(),
            source: Source::default(),
            motion,
        }
    }
}

impl Motion {
    /// The name that URDF has for it; other kinds of joints have their own.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Revolute { .. } => "revolute",
            Self::Continuous { .. } => "continuous",
            Self::Prismatic { .. } => "prismatic",
            Self::Planar { .. } => "planar",
            Self::Floating => "floating",
            Self::Other(kind) => kind.name(),
        }
    }

    /// Whether there is one displacement: limits, damping and friction have one value each, and the
    /// joint can be mimicked.
    pub fn has_one_displacement(&self) -> bool {
        self.kind().nv() == 1
    }

    /// The joint of a model that moves like this, a continuous joint by its angle.
    pub fn kind(&self) -> JointKind {
        match self {
            Self::Fixed => JointKind::Fixed,
            Self::Revolute { axis } | Self::Continuous { axis } => JointKind::revolute(*axis),
            Self::Prismatic { axis } => JointKind::prismatic(*axis),
            Self::Planar { normal } => planar(*normal),
            Self::Floating => JointKind::FreeFlyer,
            Self::Other(kind) => kind.clone(),
        }
    }

    /// The entries of q of the neutral configuration.
    pub(crate) fn neutral(&self) -> Vec<f64> {
        let kind = self.kind();
        let mut neutral = vec![0.0; kind.nq()];
        kind.neutral(&mut neutral);
        neutral
    }
}

/// Motion in the plane with a normal: the model's motion in the xy plane, rotated there, and the
/// child rotated back.
fn planar(normal: Vec3<f64>) -> JointKind {
    let turn = z_to(normal);
    if turn == Mat3::identity() {
        return JointKind::Planar;
    }
    let there = Se3::from_rotation(turn);
    let parts = [
        (there, JointKind::Planar),
        (there.inverse(), JointKind::Fixed),
    ];
    // A composite of at least one part always exists.
    JointKind::composite(parts).unwrap_or(JointKind::Planar)
}

/// The smallest rotation that takes z to a direction; for −z, by π about x.
pub(crate) fn z_to(direction: Vec3<f64>) -> Mat3<f64> {
    let unit = direction.normalised();
    let sin = unit.x.hypot(unit.y);
    if sin == 0.0 {
        return match unit.z > 0.0 {
            true => Mat3::identity(),
            false => Mat3::from_axis_sin_cos(Vec3::unit(0), 0.0, -1.0),
        };
    }
    let axis = Vec3::new(-unit.y / sin, unit.x / sin, 0.0);
    Mat3::from_axis_sin_cos(axis, sin, unit.z)
}
