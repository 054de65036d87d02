//! How a URDF is to be read.

pub use featherline::model::SiblingOrder;

/// What becomes of a joint with a `<mimic>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mimic {
    /// It follows: it adds nothing to the model's q and v.
    #[default]
    Follow,
    /// It moves freely, as if there were no `<mimic>`.
    Free,
}

/// How the configuration of a continuous joint is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Continuous {
    /// As an angle, in radians.
    #[default]
    Angle,
    /// As the cosine and the sine of the angle. What follows such a joint sees the angle in (−π, π\], and jumps there unless
    /// its multiplier is a whole number.
    CosSin,
}

/// How to read a URDF.
///
/// ```
/// use featherline_formats::urdf::{Mimic, UrdfOptions};
///
/// let options = UrdfOptions::new().floating_base(true).mimic(Mimic::Free);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UrdfOptions {
    /// Whether the root link moves freely, by a free-flyer joint named `root_joint`; otherwise it is fixed in the world.
    pub floating_base: bool,
    /// What becomes of joints that mimic others.
    pub mimic: Mimic,
    /// How configurations of continuous joints are written.
    pub continuous: Continuous,
    /// In which order the joints that hang on one link are numbered: that of the file, or that of their names (compared
    /// byte by byte), as Pinocchio does.
    pub sibling_order: SiblingOrder,
    /// Names of fixed joints that stay joints of the model. The links that any other fixed joint connects are one body, so
    /// that no algorithm knows what it transmits.
    pub kept_fixed_joints: Vec<String>,
}

impl UrdfOptions {
    /// Fixed base, followers follow, angles, order of the file, every link on a fixed joint part of another body.
    pub fn new() -> Self {
        Self::default()
    }

    /// The conventions of Pinocchio's reader, so that q, v and M have the same entries in the same
    /// order: siblings in alphabetical order, continuous joints as (cos, sin), and mimic joints with
    /// coordinates of their own, as in Pinocchio's `buildModelFromUrdf` without `mimic`.
    ///
    /// The root link is fixed, as it is there without a root joint. For Pinocchio's
    /// `JointModelFreeFlyer` as the root joint, add [`floating_base(true)`](Self::floating_base).
    ///
    /// ```
    /// use featherline_formats::urdf::{self, UrdfOptions};
    ///
    /// let text = "<robot name='gripper'>
    ///     <link name='base'/> <link name='wrist'/> <link name='left'/> <link name='right'/>
    ///     <joint name='turn' type='continuous'><parent link='base'/><child link='wrist'/></joint>
    ///     <joint name='slide_right' type='prismatic'><parent link='wrist'/><child link='right'/>
    ///       <limit lower='0' upper='0.04' effort='20' velocity='0.2'/>
    ///       <mimic joint='slide_left'/></joint>
    ///     <joint name='slide_left' type='prismatic'><parent link='wrist'/><child link='left'/>
    ///       <limit lower='0' upper='0.04' effort='20' velocity='0.2'/></joint>
    ///     </robot>";
    /// let sizes = |options| urdf::read_str_with(text, &options).map(|it| (it.model.nq(), it.model.nv()));
    /// assert_eq!(sizes(UrdfOptions::new())?, (2, 2));
    /// assert_eq!(sizes(UrdfOptions::pinocchio())?, (4, 3));
    /// # Ok::<(), urdf::UrdfError>(())
    /// ```
    pub fn pinocchio() -> Self {
        Self::new()
            .mimic(Mimic::Free)
            .continuous(Continuous::CosSin)
            .sibling_order(SiblingOrder::Alphabetical)
    }

    /// Sets whether the root link moves freely, by a free-flyer joint named `root_joint`.
    pub fn floating_base(mut self, floating: bool) -> Self {
        self.floating_base = floating;
        self
    }

    /// Sets what becomes of joints that mimic others.
    pub fn mimic(mut self, mimic: Mimic) -> Self {
        self.mimic = mimic;
        self
    }

    /// Sets how configurations of continuous joints are written.
    pub fn continuous(mut self, continuous: Continuous) -> Self {
        self.continuous = continuous;
        self
    }

    /// Sets in which order the joints that hang on one link are numbered.
    pub fn sibling_order(mut self, order: SiblingOrder) -> Self {
        self.sibling_order = order;
        self
    }

    /// Keeps a fixed joint as a joint without a degree of freedom: one in which a force and torque sensor sits.
    ///
    /// ```
    /// use featherline_formats::urdf::{UrdfOptions, read_str_with};
    ///
    /// let options = UrdfOptions::default().keep_fixed_joint("ankle_sensor");
    /// let robot = "<robot name='foot'><link name='shank'/><link name='sole'/>
    ///     <joint name='ankle_sensor' type='fixed'><parent link='shank'/><child link='sole'/></joint></robot>";
    /// let model = read_str_with(robot, &options)?.model;
    /// assert_eq!((model.joint(model.joint_id("ankle_sensor")?).nv, model.nv()), (0, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn keep_fixed_joint(mut self, name: impl Into<String>) -> Self {
        self.kept_fixed_joints.push(name.into());
        self
    }
}
