//! Robots to begin with: descriptions written from public figures, embedded in the program.
//!
//! ```toml
//! [dependencies] # from a clone beside your crate; once published: featherline-robots = "0.2"
//! featherline-robots = { path = "../featherline/robots" }
//! ```
//!
//! Each file names the sources of its figures. The chains, the humanoid with hands, and the
//! linkages, robots with closed loops, are generated and have no file.
//!
//! ```
//! let arm = featherline_robots::panda();
//! assert_eq!(arm.nv(), 7);
//!
//! let names: Vec<_> = featherline_robots::names().collect();
//! assert!(names.contains(&"humanoid"));
//! ```

use featherline::joint::JointKind;
use featherline::model::surgery::SurgeryError;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::samples;
use featherline::spatial::Se3;
use featherline::words::closest;
use featherline::{Error as InputError, Model};
use featherline_formats::{
    Error, LoadOptions, NamedRobot, Robot as Loaded, RobotLibrary, model_file,
};
use thiserror::Error;

/// A robot that is embedded as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Robot {
    /// Its name.
    pub name: &'static str,
    /// Its description, a URDF.
    pub urdf: &'static str,
    /// An SRDF that names its configuration `home`, in which it begins; none for a robot that
    /// begins at its neutral configuration.
    pub srdf: Option<&'static str>,
    /// Whether it is made for a floating base.
    pub floating_base: bool,
}

/// The text of a file of this crate, where there is one.
macro_rules! text {
    () => {
        None
    };
    ($file:literal) => {
        Some(include_str!(concat!("../", $file)))
    };
}

macro_rules! robots {
    ($($(#[$documentation:meta])* $name:ident, floating base: $floating:literal $(, home: $srdf:literal)?;)*) => {
        /// The robots that are embedded as text, in alphabetical order.
        pub const ROBOTS: &[Robot] = &[$(Robot {
            name: stringify!($name),
            urdf: include_str!(concat!("../", stringify!($name), ".urdf")),
            srdf: text!($($srdf)?),
            floating_base: $floating,
        }),*];

        $(
            $(#[$documentation])*
            ///
            #[doc = concat!("On a floating base: ", stringify!($floating), ".")]
            $(
                #[doc = concat!("Its configuration `home` is `reference_configurations()[\"home\"]`, of `", $srdf, "`.")]
            )?
            pub fn $name() -> Model {
                let options = LoadOptions::default().floating_base($floating);
                // The text is part of the program, and a test of this crate reads it.
                model(stringify!($name), &options).expect("an embedded robot is a valid model")
            }
        )*
    };
}

robots! {
    /// Two rods, the textbook's first example.
    double_pendulum, floating base: false;
    /// A right human hand with 17 joints that move by themselves and 4 mimic joints.
    hand, floating base: false;
    /// A robot of human size and mass with 32 joints.
    humanoid, floating base: true, home: "humanoid.srdf";
    /// The arm of a Franka Emika Panda, 7 joints, without its hand.
    panda, floating base: false, home: "panda.srdf";
    /// A four-legged robot of the size of a Unitree A1, 12 joints.
    quadruped, floating base: true, home: "quadruped.srdf";
    /// The arm UR5 of Universal Robots, 6 joints.
    ur5, floating base: false;
}

/// How many links the generated snake has.
const SNAKE_LINKS: usize = 100;

/// A snake of 100 links on a fixed base, by [`samples::snake`].
pub fn snake() -> Model {
    samples::snake(SNAKE_LINKS)
}

/// A robot that is generated, and has no file.
struct Generated {
    name: &'static str,
    model: fn() -> Model,
}

/// A robot of so many links.
type Chain = fn(usize) -> Model;

/// Chains of any length up to [`LONGEST_CHAIN`]: `snake_30` has 30 links.
const CHAINS: [(&str, Chain); 2] = [
    ("snake_", samples::snake),
    ("tapered_chain_", samples::tapered_chain),
];

/// The most links of a chain. The last ones of a tapered chain are as good as points then.
const LONGEST_CHAIN: usize = 1000;

/// The generated robots: the snake, the chain on which operations are counted, the humanoid with
/// hands, and the linkages of [`samples`], which have closed loops.
const GENERATED: &[Generated] = &[
    Generated {
        name: "snake",
        model: snake,
    },
    Generated {
        name: "tapered_chain",
        model: || samples::tapered_chain(10),
    },
    Generated {
        name: "humanoid_40",
        model: samples::humanoid,
    },
    Generated {
        name: "four_bar",
        model: samples::four_bar,
    },
    Generated {
        name: "parallelogram",
        model: samples::parallelogram,
    },
    Generated {
        name: "six_bar",
        model: samples::six_bar,
    },
    Generated {
        name: "bennett",
        model: samples::bennett,
    },
    Generated {
        name: "delta",
        model: samples::delta,
    },
    Generated {
        name: "stewart",
        model: samples::stewart,
    },
];

/// Why a robot can't be given.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RobotError {
    /// There is no robot of that name.
    #[error(
        "there is no embedded robot `{name}`{}; there are {}, and chains of 1 to {LONGEST_CHAIN} links, such as snake_30 and \
         tapered_chain_30",
        .suggestion.map_or_else(String::new, |s| format!(" (did you mean `{s}`?)")),
        names().collect::<Vec<_>>().join(", ")
    )]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The most similar name there is.
        suggestion: Option<&'static str>,
    },
    /// A linkage that closes through the world was asked for on a floating base.
    #[error("`{name}` closes its loops through the world, and can't be put on a floating base")]
    BoundToTheWorld {
        /// Its name.
        name: &'static str,
    },
    /// A fixed joint is to be kept of a robot that has none.
    #[error(
        "there is no fixed joint `{joint}` to keep: `{name}` is generated, and all of its joints move"
    )]
    NoFixedJoint {
        /// The robot's name.
        name: &'static str,
        /// The joint that was asked for.
        joint: String,
    },
    /// The robot can't be put on a free-flyer.
    #[error(transparent)]
    Surgery(#[from] SurgeryError),
    /// The options ask for what the description does not allow.
    #[error(transparent)]
    Load(#[from] Error),
}

/// The names of all robots: those embedded as text, the snake, the tapered chain, the humanoid with
/// hands, and the linkages. Chains of 1 to 1,000 links have names, too: `snake_30`,
/// `tapered_chain_30`.
pub fn names() -> impl Iterator<Item = &'static str> {
    let generated = GENERATED.iter().map(|robot| robot.name);
    ROBOTS.iter().map(|robot| robot.name).chain(generated)
}

/// The URDF of a robot; none for an unknown name, and for robots that are generated.
pub fn by_name(name: &str) -> Option<&'static str> {
    let robot = ROBOTS.iter().find(|robot| robot.name == name);
    robot.map(|robot| robot.urdf)
}

/// A robot as a model, read with the given options.
///
/// Of the options, only the floating base means something for generated robots: they have one
/// order, no mimic joint, and no continuous joint. The humanoid with hands floats in any case, and
/// the linkages refuse to. They are trees whose loops are in [`Model::loop_joints`]; algorithms on
/// trees see the tree alone.
///
/// # Errors
/// [`RobotError`] if there is no robot of that name, or the options don't fit it.
pub fn model(name: &str, options: &LoadOptions) -> Result<Model, RobotError> {
    Ok(load(name, options)?.model)
}

/// A robot as a model, and what is doubtful about its file or not used.
///
/// # Errors
/// As [`model`].
pub fn load(name: &str, options: &LoadOptions) -> Result<Loaded, RobotError> {
    if let Some(robot) = ROBOTS.iter().find(|robot| robot.name == name) {
        let loaded = featherline_formats::load_str_with(robot.urdf, options)?;
        return Ok(match robot.srdf {
            Some(srdf) => loaded.with_srdf_str(srdf)?,
            None => loaded,
        });
    }
    if let Some((name, mut model)) = generated(name) {
        if let Some(joint) = options.kept_fixed_joints.first() {
            let joint = joint.clone();
            return Err(RobotError::NoFixedJoint { name, joint });
        }
        if options.floating_base {
            if !model.loop_joints().is_empty() {
                return Err(RobotError::BoundToTheWorld { name });
            }
            let floats = model.joints().get(1);
            if floats.is_none_or(|root| root.kind != JointKind::FreeFlyer) {
                model = floating(&model)?;
            }
        }
        return Ok(Loaded::from_model(model));
    }
    Err(unknown(name))
}

fn unknown(name: &str) -> RobotError {
    RobotError::Unknown {
        name: name.to_owned(),
        suggestion: closest(name, names()),
    }
}

/// The robots of this crate, for scenes that name them.
///
/// ```
/// use featherline_formats::{LoadOptions, load_str_with};
///
/// let options = LoadOptions::new().library(featherline_robots::library());
/// let scene = "[ground]\n[[robot]]\nfile = 'quadruped'\nposition = [0, 0, 0.5]\n";
/// let scene = load_str_with(scene, &options)?;
/// assert_eq!(scene.model.nv(), 18);
/// # Ok::<(), featherline_formats::Error>(())
/// ```
pub fn library() -> RobotLibrary {
    RobotLibrary::new(|name| {
        if let Some(robot) = ROBOTS.iter().find(|robot| robot.name == name) {
            return Ok(NamedRobot {
                text: robot.urdf.into(),
                srdf: robot.srdf.map(Into::into),
                floating_base: robot.floating_base,
            });
        }
        let (_, model) = generated(name).ok_or_else(|| unknown(name).to_string())?;
        Ok(NamedRobot {
            text: model_file::to_string(&model).into(),
            srdf: None,
            floating_base: false,
        })
    })
}

/// A generated robot, with its name, or that of its kind without the number of links.
fn generated(name: &str) -> Option<(&'static str, Model)> {
    if let Some(robot) = GENERATED.iter().find(|robot| robot.name == name) {
        return Some((robot.name, (robot.model)()));
    }
    CHAINS.iter().find_map(|(kind, model)| {
        let links: usize = name.strip_prefix(kind)?.parse().ok()?;
        let is_valid = (1..=LONGEST_CHAIN).contains(&links);
        is_valid.then(|| (kind.trim_end_matches('_'), model(links)))
    })
}

/// Whether [`load`] knows a robot of that name.
pub fn is_embedded(name: &str) -> bool {
    by_name(name).is_some() || generated(name).is_some()
}

/// The same robot on a joint that moves freely.
fn floating(fixed: &Model) -> Result<Model, SurgeryError> {
    let mut builder = ModelBuilder::new(fixed.name());
    let kind = JointKind::FreeFlyer;
    builder.gravity(fixed.gravity());
    builder.add_joint(JointSpec::new("root_joint", ModelBuilder::UNIVERSE, kind));
    let base = builder.build()?.model;
    let at = base.frame_id("root_joint").map_err(InputError::from)?;
    Ok(base.append(fixed, at, Se3::identity(), "")?.model)
}
