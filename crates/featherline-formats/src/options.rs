//! How to read a robot.

pub use featherline::model::SiblingOrder;

/// How mimic joints move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MimicJoints {
    /// With the joint that they mimic: they have no entries in the model's q and v.
    #[default]
    Coupled,
    /// Freely, as without the `<mimic>`.
    Free,
}

/// The entries of a continuous joint in q.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Continuous {
    /// The angle, in radians.
    #[default]
    Angle,
    /// The cosine and the sine of the angle. A mimic joint of such a joint uses the angle in (−π,
    /// π\], and jumps at its ends unless its multiplier is an integer.
    CosSin,
}

/// How to read a robot: what its format leaves open.
///
/// ```
/// use featherline_formats::{LoadOptions, MimicJoints};
///
/// let options = LoadOptions::new().floating_base(true).mimic(MimicJoints::Free);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadOptions {
    /// Whether the root link moves freely, by a free-flyer joint named `root_joint`; otherwise it
    /// is fixed in the world.
    /// The world of an MJCF file never moves.
    pub floating_base: bool,
    /// How mimic joints move.
    pub mimic: MimicJoints,
    /// The entries of continuous joints in q.
    pub continuous: Continuous,
    /// The order of joints on one link: that of the file, or that of their names (compared byte by
    /// byte), as in Pinocchio.
    pub sibling_order: SiblingOrder,
    /// Names of fixed joints that stay joints of the model. The links of any other fixed joint are
    /// one body, so that its transmitted force is not available.
    pub kept_fixed_joints: Vec<String>,
    /// Folders in which packages are, for names such as `package://arm/meshes/link.stl`; also
    /// packages themselves. Those above the robot's file and those of the environment variable
    /// `ROS_PACKAGE_PATH` are searched in any case.
    pub package_folders: Vec<std::path::PathBuf>,
}

impl LoadOptions {
    /// A fixed base, mimic joints without coordinates, angles, the order of the file, and one body
    /// for the links of a fixed joint.
    pub fn new() -> Self {
        Self::default()
    }

    /// The conventions of Pinocchio's reader, so that q, v and M have the same entries in the same
    /// order: siblings in alphabetical order, continuous joints as (cos, sin), and mimic joints
    /// with coordinates of their own, as in Pinocchio's `buildModelFromUrdf` without `mimic`.
    ///
    /// The root link is fixed, as it is there without a root joint. For Pinocchio's
    /// `JointModelFreeFlyer` as the root joint, add [`floating_base(true)`](Self::floating_base).
    ///
    /// ```
    /// use featherline_formats::{LoadOptions, load_str_with};
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
    /// let sizes = |options| load_str_with(text, &options).map(|it| (it.model.nq(), it.model.nv()));
    /// assert_eq!(sizes(LoadOptions::new())?, (2, 2));
    /// assert_eq!(sizes(LoadOptions::pinocchio())?, (4, 3));
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn pinocchio() -> Self {
        Self::new()
            .mimic(MimicJoints::Free)
            .continuous(Continuous::CosSin)
            .sibling_order(SiblingOrder::Alphabetical)
    }

    /// Sets whether the root link moves freely, by a free-flyer joint named `root_joint`.
    pub fn floating_base(mut self, floating: bool) -> Self {
        self.floating_base = floating;
        self
    }

    /// Sets how mimic joints move.
    pub fn mimic(mut self, mimic: MimicJoints) -> Self {
        self.mimic = mimic;
        self
    }

    /// Sets the entries of continuous joints in q.
    pub fn continuous(mut self, continuous: Continuous) -> Self {
        self.continuous = continuous;
        self
    }

    /// Sets the order of joints on one link.
    pub fn sibling_order(mut self, order: SiblingOrder) -> Self {
        self.sibling_order = order;
        self
    }

    /// Keeps a fixed joint as a joint without a degree of freedom, for a force and torque sensor.
    ///
    /// ```
    /// use featherline_formats::{LoadOptions, load_str_with};
    ///
    /// let options = LoadOptions::default().keep_fixed_joint("ankle_sensor");
    /// let robot = "<robot name='foot'><link name='shank'/><link name='sole'/>
    ///     <joint name='ankle_sensor' type='fixed'><parent link='shank'/><child link='sole'/></joint></robot>";
    /// let model = load_str_with(robot, &options)?.model;
    /// assert_eq!((model.joint(model.joint_id("ankle_sensor")?).nv, model.nv()), (0, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn keep_fixed_joint(mut self, name: impl Into<String>) -> Self {
        self.kept_fixed_joints.push(name.into());
        self
    }

    /// Adds a folder in which packages are, or a package.
    ///
    /// ```
    /// use featherline_formats::LoadOptions;
    ///
    /// let options = LoadOptions::new().package_folder("/opt/ros/share");
    /// assert_eq!(options.package_folders.len(), 1);
    /// ```
    pub fn package_folder(mut self, folder: impl Into<std::path::PathBuf>) -> Self {
        self.package_folders.push(folder.into());
        self
    }
}
