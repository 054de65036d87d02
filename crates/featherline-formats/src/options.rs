//! How to read a robot.

pub use featherline::model::SiblingOrder;
use featherline::words::Words;
use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

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

impl Words for MimicJoints {
    const WHAT: &'static str = "way of mimic joints";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("coupled", Self::Coupled),
        ("follow", Self::Coupled),
        ("free", Self::Free),
    ];
}

impl Words for Continuous {
    const WHAT: &'static str = "coordinate of continuous joints";
    const WORDS: &'static [(&'static str, Self)] =
        &[("angle", Self::Angle), ("cos-sin", Self::CosSin)];
}

/// The treatment of a moving link without an inertia.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum MissingInertia {
    /// A link without mass.
    #[default]
    Zero,
    /// A body of a uniform density, in kg/m³, that fills the link's collision shapes. Meshes are
    /// read; shapes that overlap count each. A link without such shapes has no mass.
    FromShapes {
        /// The density, in kg/m³.
        density: f64,
    },
    /// An error, unless a link that is fixed to it has an inertia.
    Refuse,
}

impl FromStr for MissingInertia {
    type Err = String;

    /// Reads `zero`, `refuse`, `shapes` (of 1000 kg/m³) or `shapes:DENSITY`.
    fn from_str(text: &str) -> Result<Self, String> {
        let density = match text {
            "zero" => return Ok(Self::Zero),
            "refuse" => return Ok(Self::Refuse),
            "shapes" => 1000.0,
            other => {
                let density = other.strip_prefix("shapes:").map(str::parse::<f64>);
                let density = density
                    .and_then(Result::ok)
                    .filter(|it| it.is_finite() && *it > 0.0);
                density.ok_or(
                    "write `zero` (links without mass), `refuse` (an error that names the first), `shapes` (the inertia of \
                     solid collision shapes, 1000 kg/m³) or `shapes:DENSITY`, such as `shapes:2700`",
                )?
            }
        };
        Ok(Self::FromShapes { density })
    }
}

/// A robot that a [library](RobotLibrary) knows by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRobot {
    /// Its description, in any format that is read.
    pub text: Cow<'static, str>,
    /// An [SRDF](crate::srdf) of it, if there is one.
    pub srdf: Option<Cow<'static, str>>,
    /// Whether it is made for a floating base.
    pub floating_base: bool,
}

/// Robots that a scene can name without a file.
///
/// ```
/// use featherline_formats::{LoadOptions, NamedRobot, RobotLibrary, load_str_with};
///
/// let library = RobotLibrary::new(|name| match name {
///     "stone" => Ok(NamedRobot {
///         text: "<robot name='stone'><link name='stone'/></robot>".into(),
///         srdf: None,
///         floating_base: true,
///     }),
///     _ => Err("the library has `stone` alone".to_owned()),
/// });
/// let options = LoadOptions::new().library(library);
/// let scene = load_str_with("[[robot]]\nfile = 'stone'\n", &options)?;
/// assert_eq!(scene.model.nv(), 6);
/// # Ok::<(), featherline_formats::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct RobotLibrary(fn(&str) -> Result<NamedRobot, String>);

impl RobotLibrary {
    /// A library of a function that finds a robot by its name, or says why there is none.
    pub fn new(find: fn(&str) -> Result<NamedRobot, String>) -> Self {
        Self(find)
    }

    /// The robot of a name.
    ///
    /// # Errors
    /// A message that says why there is none.
    pub fn find(&self, name: &str) -> Result<NamedRobot, String> {
        (self.0)(name)
    }
}

impl PartialEq for RobotLibrary {
    /// Whether both have the same function, by its address.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl fmt::Debug for RobotLibrary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RobotLibrary")
    }
}

/// How to read a robot: what its format leaves open.
///
/// ```
/// use featherline_formats::{LoadOptions, MimicJoints};
///
/// let options = LoadOptions::new().floating_base(true).mimic(MimicJoints::Free);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
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
    pub package_folders: Vec<PathBuf>,
    /// Folders that all files which a robot's file names must be in. Without any, that is the
    /// folder of the file's package (the nearest one above the file with a `package.xml`), or else
    /// the folder around its own; and packages.
    pub root_folders: Vec<PathBuf>,
    /// The folders that the files of a scene's robots may be in, where no option names them.
    pub(crate) folders_around: Option<Vec<PathBuf>>,
    /// The treatment of moving links without an inertia.
    pub missing_inertia: MissingInertia,
    /// Whether a warning is an error. Notes are not.
    pub strict: bool,
    /// Whether what is physically impossible is a warning.
    pub permissive: bool,
    /// Arguments of a xacro file, by their names.
    pub xacro_arguments: Vec<(String, String)>,
    /// Robots that a scene can name without a file; without a library there are none.
    pub library: Option<RobotLibrary>,
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

    /// The conventions of MuJoCo's reader of URDF, so that v and M have the same entries in the
    /// same order: mimic joints have coordinates of their own, which MuJoCo couples by constraints,
    /// and links without inertia are made of their collision shapes, of 1000 kg/m³.
    ///
    /// The root link is fixed, as it is there. A planar joint has one angle in MuJoCo's q, and its
    /// cosine and sine here. MuJoCo refuses moving links without mass, and takes meshes by a rule
    /// of its own (`legacy`), which counts overlapping parts otherwise.
    ///
    /// ```
    /// use featherline_formats::{LoadOptions, load_str_with};
    ///
    /// let text = "<robot name='crate'> <link name='base'/> <link name='lid'>
    ///       <collision><geometry><box size='0.1 0.2 0.3'/></geometry></collision></link>
    ///     <joint name='hinge' type='continuous'><parent link='base'/><child link='lid'/></joint>
    ///     </robot>";
    /// let mass = |options| load_str_with(text, &options).map(|it| it.model.total_mass());
    /// assert_eq!(mass(LoadOptions::new())?, 0.0);
    /// assert!((mass(LoadOptions::mujoco())? - 6.0).abs() < 1e-12);
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn mujoco() -> Self {
        Self::new()
            .mimic(MimicJoints::Free)
            .missing_inertia(MissingInertia::FromShapes { density: 1000.0 })
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
    pub fn package_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.package_folders.push(folder.into());
        self
    }

    /// Adds a folder that files which a robot's file names may be in. From then on all others are
    /// out of bounds: an included file outside is an error, and a mesh outside is not found. Links
    /// of the file system are followed first. A service that reads files of strangers names their
    /// folder; a xacro file then reads no environment variables, either. For files that are
    /// trusted, a folder around them all widens [what is read by default](Self::root_folders).
    ///
    /// ```
    /// use featherline_formats::LoadOptions;
    ///
    /// let options = LoadOptions::new().root_folder("/srv/uploads/42");
    /// assert_eq!(options.root_folders.len(), 1);
    /// ```
    pub fn root_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.root_folders.push(folder.into());
        self
    }

    /// Sets what moving links without an inertia are.
    ///
    /// ```
    /// use featherline_formats::{LoadOptions, MissingInertia, load_str_with};
    ///
    /// let text = "<robot name='lamp'> <link name='base'/> <link name='arm'/>
    ///     <joint name='hinge' type='continuous'><parent link='base'/><child link='arm'/></joint>
    ///     </robot>";
    /// let options = LoadOptions::new().missing_inertia(MissingInertia::Refuse);
    /// let error = load_str_with(text, &options).unwrap_err();
    /// assert!(error.to_string().contains("`arm`"));
    /// ```
    pub fn missing_inertia(mut self, missing: MissingInertia) -> Self {
        self.missing_inertia = missing;
        self
    }

    /// Sets whether a warning of [`Severity::Warning`](crate::Severity) is an error.
    ///
    /// ```
    /// use featherline_formats::{LoadOptions, load_str_with};
    ///
    /// let text = "<robot><link name='stone'/></robot>";
    /// assert!(load_str_with(text, &LoadOptions::new()).is_ok());
    /// let error = load_str_with(text, &LoadOptions::new().strict(true)).unwrap_err();
    /// assert!(error.to_string().contains("the robot has no name"));
    /// ```
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Sets whether what is physically impossible in a URDF is a warning: an inertia that no body
    /// has is used as it is stated; a range that is empty, a negative bound and a law of a mimic
    /// joint without a joint to mimic are left out.
    ///
    /// Results for such a robot are those of the equations with impossible figures; where the
    /// equations have no solution, that is an error.
    ///
    /// ```
    /// use featherline_formats::{LoadOptions, load_str_with};
    ///
    /// let text = "<robot name='stone'> <link name='base'/> <link name='stone'><inertial>
    ///       <mass value='1'/> <inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='-1'/>
    ///     </inertial></link>
    ///     <joint name='hinge' type='continuous'><parent link='base'/><child link='stone'/></joint>
    ///     </robot>";
    /// assert!(load_str_with(text, &LoadOptions::new()).is_err());
    /// let robot = load_str_with(text, &LoadOptions::new().permissive(true))?;
    /// assert_eq!(robot.warnings.len(), 1);
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn permissive(mut self, permissive: bool) -> Self {
        self.permissive = permissive;
        self
    }

    /// Gives an argument of a xacro file a value, as `name:=value` does for the program `xacro`.
    ///
    /// ```
    /// use featherline_formats::LoadOptions;
    ///
    /// let options = LoadOptions::new().xacro_argument("gripper", "true");
    /// assert_eq!(options.xacro_arguments.len(), 1);
    /// ```
    pub fn xacro_argument(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.xacro_arguments.push((name.into(), value.into()));
        self
    }

    /// Sets the robots that a scene can name without a file.
    pub fn library(mut self, library: RobotLibrary) -> Self {
        self.library = Some(library);
        self
    }
}
