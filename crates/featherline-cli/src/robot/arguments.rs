//! The robot of a command, and how to read it.

use crate::choice::words;
use clap::Args;
use featherline_formats::{Continuous, LoadOptions, MimicJoints, MissingInertia, SiblingOrder};
use std::path::PathBuf;

/// The robot, and how to read it.
#[derive(Clone, Debug, Args)]
pub struct RobotArguments {
    /// A robot file (URDF, MJCF, or a model file .json of `info --save`), a scene of several robots
    /// and bodies (.toml), or the name of an embedded robot
    #[arg(value_name = "ROBOT")]
    pub robot: PathBuf,

    /// Let the root link float, by a joint `root_joint` (the default for `quadruped` and
    /// `humanoid`; `humanoid_40` has a joint of its own)
    #[arg(long, conflicts_with = "fixed_base")]
    pub floating_base: bool,

    /// Fix the root link in the world (the default for files)
    #[arg(long)]
    pub fixed_base: bool,

    /// Use Pinocchio's conventions, so that q, v and M have its entries in its order: the same as
    /// --mimic free --continuous cos-sin --sibling-order alphabetical
    #[arg(long, conflicts_with_all = ["mimic", "continuous", "sibling_order"])]
    pub pinocchio: bool,

    /// Mimic joints are coupled to the joint that they mimic and have no entry in q and v, or
    /// move freely [default: coupled]
    #[arg(long, value_parser = words::<MimicJoints>(), value_name = "HOW")]
    pub mimic: Option<MimicJoints>,

    /// The entries of continuous joints in q: the angle, or its cosine and sine [default: angle]
    #[arg(long, value_parser = words::<Continuous>(), value_name = "HOW")]
    pub continuous: Option<Continuous>,

    /// The order of joints on one link: that of the file, or that of their names
    /// [default: document]
    #[arg(long, value_parser = words::<SiblingOrder>(), value_name = "ORDER")]
    pub sibling_order: Option<SiblingOrder>,

    /// Keep a fixed joint as a joint, so that a force sensor may be in it; may be given several
    /// times
    #[arg(long, value_name = "JOINT")]
    pub keep_fixed_joint: Vec<String>,

    /// A folder of packages, or a package, for files such as package://arm/link.stl and $(find arm);
    /// may be given several times
    #[arg(long, value_name = "DIR")]
    pub package_folder: Vec<PathBuf>,

    /// A folder that all files which the robot's file names must be in, instead of its package's or
    /// the one around its own; may be given several times
    #[arg(long, value_name = "DIR")]
    pub root_folder: Vec<PathBuf>,

    /// An SRDF file with groups, named configurations and pairs that do not collide
    #[arg(long, value_name = "FILE")]
    pub srdf: Option<PathBuf>,

    /// An argument of a xacro file; may be given several times
    #[arg(long, value_name = "NAME:=VALUE", value_parser = xacro_argument)]
    pub xacro: Vec<(String, String)>,

    /// The inertia of moving links without one: `zero`, `refuse`, `shapes` or `shapes:DENSITY`
    /// (solid collision shapes, in kg/m³, 1000 unless given) [default: zero]
    #[arg(long, value_name = "WHAT")]
    pub missing_inertia: Option<MissingInertia>,

    /// Refuse a robot with warnings
    #[arg(long)]
    pub strict: bool,

    /// Read what is physically impossible, such as a negative moment of inertia, with a warning
    #[arg(long)]
    pub permissive: bool,
}

/// An argument of a xacro file, and its value.
fn xacro_argument(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once(":=").or_else(|| text.split_once('='));
    let parts = parts.filter(|(name, _)| !name.is_empty());
    let (name, value) = parts.ok_or("write NAME:=VALUE, such as length:=0.5")?;
    Ok((name.to_owned(), value.to_owned()))
}

impl RobotArguments {
    /// The options of the reader; `floats` says whether the robot floats by default.
    pub fn load_options(&self, floats: bool) -> LoadOptions {
        let base = if self.pinocchio {
            LoadOptions::pinocchio()
        } else {
            LoadOptions::new()
                .mimic(self.mimic.unwrap_or_default())
                .continuous(self.continuous.unwrap_or_default())
                .sibling_order(self.sibling_order.unwrap_or_default())
        };
        let kept = self.keep_fixed_joint.iter();
        let base = kept
            .fold(base, LoadOptions::keep_fixed_joint)
            .floating_base(self.floating_base || (floats && !self.fixed_base))
            .missing_inertia(self.missing_inertia.unwrap_or_default())
            .permissive(self.permissive)
            .library(featherline_robots::library());
        let folders = self.package_folder.iter();
        let base = folders.fold(base, LoadOptions::package_folder);
        let roots = self.root_folder.iter();
        let base = roots.fold(base, LoadOptions::root_folder);
        let xacro = self.xacro.iter();
        xacro.fold(base, |base, (name, value)| base.xacro_argument(name, value))
    }

    /// The command that lists all warnings of the robot.
    pub fn check_command(&self) -> String {
        let mut command = format!("featherline check {}", self.robot.display());
        let folders = self.package_folder.iter();
        for (option, path) in folders
            .map(|folder| ("--package-folder", folder))
            .chain(self.root_folder.iter().map(|it| ("--root-folder", it)))
            .chain(self.srdf.iter().map(|srdf| ("--srdf", srdf)))
        {
            command += &format!(" {option} {}", path.display());
        }
        command
    }

    /// Whether the robot floats by default: some of the embedded ones do.
    pub fn floats(&self) -> bool {
        let is_floating = |it: &featherline_robots::Robot| {
            it.floating_base && self.robot.to_str() == Some(it.name)
        };
        !self.robot.exists() && featherline_robots::ROBOTS.iter().any(is_floating)
    }

    /// The first option that says how to read a URDF, if one was given.
    pub fn reader_option(&self) -> Option<&'static str> {
        let options = [
            ("--floating-base", self.floating_base),
            ("--fixed-base", self.fixed_base),
            ("--pinocchio", self.pinocchio),
            ("--mimic", self.mimic.is_some()),
            ("--continuous", self.continuous.is_some()),
            ("--sibling-order", self.sibling_order.is_some()),
            ("--keep-fixed-joint", !self.keep_fixed_joint.is_empty()),
            ("--package-folder", !self.package_folder.is_empty()),
            ("--root-folder", !self.root_folder.is_empty()),
            ("--xacro", !self.xacro.is_empty()),
            ("--missing-inertia", self.missing_inertia.is_some()),
            ("--permissive", self.permissive),
        ];
        let given = options.into_iter().find(|(_, is_given)| *is_given);
        given.map(|(option, _)| option)
    }
}
