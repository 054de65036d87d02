//! Warnings about a file.

use crate::Location;
use crate::digits::{SHOWN, rounded};
use crate::xml::{number, numbers};
use featherline::model::ModelWarning;
use serde::Serialize;
use std::fmt;
use thiserror::Error;

/// A warning: something in the file is doubtful or not used.
///
/// ```
/// use featherline_formats::{Severity, load_str};
///
/// let robot = load_str("<robot name='r'><link name='base'><paint/></link></robot>")?;
/// assert_eq!(robot.warnings[0].severity(), Severity::Note);
/// # Ok::<(), featherline_formats::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// Where in the file.
    pub location: Location,
    /// What is doubtful there.
    pub cause: WarningCause,
}

impl Warning {
    /// How much it matters.
    pub fn severity(&self) -> Severity {
        self.cause.severity()
    }
}

/// How much something matters that was found in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The model has no use for something in the file, such as a colour. Nothing is doubtful.
    Note,
    /// What is computed may not be what was meant.
    Warning,
    /// The file can't be read; no [`Warning`] has it.
    Error,
}

impl Severity {
    /// The word for it: `note`, `warning` or `error`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.cause)
    }
}

/// What a warning is about.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum WarningCause {
    /// An element, an attribute or text is not used. There is one warning for each kind, at its
    /// first position.
    #[error("{what} is not used{}", times(*.count))]
    Unused {
        /// What is not used, such as "`<visual>` in `<link>`".
        what: String,
        /// How often.
        count: usize,
    },
    /// An element or an attribute is none that the format has. There is one warning for each kind,
    /// at its first position.
    #[error("{what} is not part of {format}, and is not used{}", times(*.count))]
    NotInFormat {
        /// What is not part of it.
        what: String,
        /// The format.
        format: &'static str,
        /// How often.
        count: usize,
    },
    /// An element or an attribute is not used, and its name is close to one that would be.
    #[error("{what} is not used; write `{meant}` if that is meant")]
    Misspelt {
        /// What is not used.
        what: String,
        /// `element` or `attribute`.
        kind: &'static str,
        /// The name that may be meant.
        meant: String,
    },
    /// What the file states can't be stated in a model as it is.
    #[error("{what}: {reading}")]
    Simplified {
        /// What is stated.
        what: String,
        /// How it is read.
        reading: &'static str,
    },
    /// An element that moves the robot, or its bodies, and that no model is made of.
    #[error("{what}: {lost} left out")]
    NotModelled {
        /// The element.
        what: String,
        /// What the model lacks, and the verb.
        lost: &'static str,
    },
    /// The robot has no name.
    #[error("the robot has no name; it is called `robot`")]
    NoRobotName,
    /// A revolute or prismatic joint has no limits.
    #[error("the joint has no `<limit>`, which its type needs; it is taken as unbounded")]
    NoLimit,
    /// A limit lacks a bound on speed or effort.
    #[error("the limit has no `{attribute}`; it is taken as unbounded")]
    NoBound {
        /// The attribute.
        attribute: &'static str,
    },
    /// A limit has neither a lower nor an upper bound.
    #[error(
        "the limit has neither `lower` nor `upper`; both are 0 in URDF, and the joint has no range"
    )]
    NoRange,
    /// The lower limit is the upper one.
    #[error(
        "the limits are {0} and {0}, so that the joint may not move; correct them, or leave them \
         out if they are not known",
        number(*.at)
    )]
    EqualLimits {
        /// Both limits.
        at: f64,
    },
    /// A bound on speed or effort is zero.
    #[error(
        "the limit of {attribute} is 0, so that {}; leave it out if it is not known",
        consequence(.attribute)
    )]
    ZeroBound {
        /// The attribute.
        attribute: &'static str,
    },
    /// A part that motion does not depend on is malformed.
    #[error("{what} is left out: {reason}")]
    LeftOut {
        /// What is left out.
        what: &'static str,
        /// Why.
        reason: String,
    },
    /// Names refer to parts that are not there, and what refers to them is left out.
    #[error("{}", no_such_parts(.kind, .names, (*.unknown, *.named), *.left_out))]
    NoSuchParts {
        /// The kind of the parts, such as `link`.
        kind: &'static str,
        /// The names that made something be left out, each once, with the most similar name that
        /// there is.
        names: Vec<(String, Option<String>)>,
        /// How many different names of this kind there are no parts of.
        unknown: usize,
        /// How many different names of this kind the text has.
        named: usize,
        /// How many elements are left out.
        left_out: usize,
    },
    /// A mesh file was not found.
    #[error("the mesh `{uri}` was not found{}", package_hint(.uri))]
    MissingMesh {
        /// The file as it is written.
        uri: String,
    },
    /// Several mesh files of a package, or of the description's folder, were not found.
    #[error("the mesh `{first}` was not found, nor {}{}", others(*.count, .first), package_hint(.first))]
    MissingMeshes {
        /// The first file as it is written.
        first: String,
        /// How many there are.
        count: usize,
    },
    /// Meshes are outside the folders that files may be in.
    #[error(
        "the mesh `{first}`{} not read: outside the folders that files may be in; if you trust the file, name a \
         folder that holds all that it names by the option `root_folder` (`--root-folder`)",
        if *.count > 1 { format!(" and {} others are", .count - 1) } else { " is".to_owned() }
    )]
    MeshOutside {
        /// The first file as it is written.
        first: String,
        /// How many there are.
        count: usize,
    },
    /// A mesh that touches is not convex.
    #[error(
        "the mesh `{mesh}` is not convex; it touches as its convex hull. `convex = false` in a scene keeps its \
         triangles"
    )]
    NotConvex {
        /// The file as it is written, or the name of the shape.
        mesh: String,
    },
    /// A file that was written lacks something of the description.
    #[error("{what} is not in the file: {format} can't express it")]
    NotWritten {
        /// What is missing.
        what: String,
        /// The format.
        format: &'static str,
    },
    /// A file that was written states something in another way than the description.
    #[error("{what}: {writing}")]
    WrittenAs {
        /// What is described.
        what: String,
        /// How it is written.
        writing: &'static str,
    },
    /// A part has another name in a file that was written.
    #[error("the {what} `{name}` is called `{written}` in the file, where the name is taken")]
    Renamed {
        /// What it is, such as `link`.
        what: &'static str,
        /// Its name in the description.
        name: String,
        /// Its name in the file.
        written: String,
    },
    /// Parts that a format has no names for lost theirs in a file that was written.
    #[error("the names of {what} are not in the file ({count} of them): {format} has none")]
    Unnamed {
        /// Which parts.
        what: &'static str,
        /// The format.
        format: &'static str,
        /// How many of them there are.
        count: usize,
    },
    /// Mesh files are written anew, as triangles alone, for a program that does not read them.
    #[error(
        "the mesh `{first}`{} written as triangles, without colours and textures: {program} does not read such files, \
         or not all of them",
        and_others(*.count)
    )]
    MeshesConverted {
        /// The first of the files, as it is named.
        first: String,
        /// How many files there are.
        count: usize,
        /// The program.
        program: &'static str,
    },
    /// A file that was written is refused by the program whose format it is in.
    #[error("{what}: it is in the file, but {program} refuses {why}")]
    RefusedBy {
        /// What is refused.
        what: String,
        /// The program.
        program: &'static str,
        /// What it refuses.
        why: &'static str,
    },
    /// A folder that an option names does not exist.
    #[error("there is no folder `{folder}`, which the option `{option}`{} names", flag(.option))]
    NoFolder {
        /// The option.
        option: &'static str,
        /// The folder.
        folder: String,
    },
    /// A xacro file has no argument of a name that an option gives a value.
    #[error(
        "the xacro file has no argument `{name}`, so that its value is not used{}{}",
        did_you_mean(.suggestion.as_deref()), listed(.known)
    )]
    UnknownArgument {
        /// The name.
        name: String,
        /// The most similar name of an argument that the file has.
        suggestion: Option<String>,
        /// The arguments that the file has, in its order.
        known: Vec<String>,
    },
    /// An option has no effect on a file.
    #[error("the option `{option}`{} has no effect: {why}", flag(.option))]
    IdleOption {
        /// The option.
        option: &'static str,
        /// Why.
        why: &'static str,
    },
    /// A visual refers to a material that is not defined.
    #[error("the material `{name}` is not defined")]
    UnknownMaterial {
        /// Its name.
        name: String,
    },
    /// A mimic joint that moves freely names a joint that does not exist.
    #[error("there is no joint `{name}` to mimic; the joint moves freely")]
    UnknownMimicked {
        /// The name.
        name: String,
    },
    /// A link without inertia has the inertia of its shapes, as the options say.
    #[error("the link `{link}` has no inertia; its collision shapes give it {} kg", number(rounded(*.mass, SHOWN)))]
    InertiaFromShapes {
        /// The link.
        link: String,
        /// Its mass, in kg.
        mass: f64,
    },
    /// A link between joints states that its mass is zero, and nothing that it is fixed to has any.
    #[error(
        "the link `{link}` states a mass of 0 and moves, with links of mass beyond it; give it its mass, or leave out \
         its inertia if it is a frame"
    )]
    ZeroMass {
        /// The link.
        link: String,
    },
    /// A link has mass and moments that no material is dense enough for.
    #[error(
        "the link `{link}` has {} kg and such small moments of inertia that its density is {} kg/m³ or more, which no \
         material has; check that the mass is in kg and the moments are in kg·m²",
        number(rounded(*.mass, SHOWN)), large(*.density)
    )]
    TooDense {
        /// The link.
        link: String,
        /// Its mass, in kg.
        mass: f64,
        /// The least density that it has somewhere, in kg/m³.
        density: f64,
    },
    /// A link has moments of inertia that are far too large for its mass.
    #[error(
        "the link `{link}` has {} kg and the moments of inertia of a ball of radius {} m, which would be lighter than air; \
         they may be placeholders, or not in kg·m²",
        number(rounded(*.mass, SHOWN)), number(*.radius)
    )]
    LargeMoments {
        /// The link.
        link: String,
        /// Its mass, in kg.
        mass: f64,
        /// The radius of a uniform ball of that mass and those moments, in m.
        radius: f64,
    },
    /// No distribution of a link's mass inside its shapes has the moments of inertia.
    #[error(
        "a moment of inertia of link `{link}` is {} times the greatest that its mass can have inside its shapes; {}",
        number(*.ratio), remedy(*.fits_origin)
    )]
    OutsideShapes {
        /// The link.
        link: String,
        /// The moment, divided by the greatest that is possible.
        ratio: f64,
        /// Whether the moments fit if they are about the link's origin.
        fits_origin: bool,
    },
    /// Limits of a joint seem to be in degrees.
    #[error(
        "the limits {} and {} are many turns; angles are in radians, and these seem to be in degrees: {}",
        number(*.lower), number(*.upper), in_radians(&[*.lower, *.upper], " and ")
    )]
    Degrees {
        /// Lower limit.
        lower: f64,
        /// Upper limit.
        upper: f64,
    },
    /// The angles of an `<origin>` seem to be in degrees.
    #[error(
        "the angles {} of `rpy` are more than a turn; angles are in radians, and these seem to be in degrees: {}",
        numbers(angles),
        in_radians(angles, " ")
    )]
    DegreesInOrigin {
        /// Roll, pitch and yaw.
        angles: [f64; 3],
    },
    /// An angle of a state seems to be in degrees.
    #[error(
        "joint `{joint}` is at {} rad: angles are in radians, and this seems to be in degrees ({})",
        number(*.angle), in_radians(&[*.angle], "")
    )]
    DegreesInState {
        /// The joint.
        joint: String,
        /// Its angle.
        angle: f64,
    },
    /// A part is further from the one that it is on than robots are long.
    #[error(
        "{what} is {} m from the origin of its link; check that lengths are in m",
        number(rounded(*.distance, SHOWN))
    )]
    FarAway {
        /// What is far away.
        what: String,
        /// How far, in m.
        distance: f64,
    },
    /// A file is named after another robot than the one that it is read for.
    #[error("this is named after the robot `{name}`, and is read for `{robot}`")]
    OtherRobot {
        /// The name in the file.
        name: String,
        /// The robot that it is read for.
        robot: String,
    },
    /// A name is taken, so that a part has another one.
    #[error("there is a configuration `{name}` already; {what} is `{taken}`")]
    OtherName {
        /// What has another name.
        what: &'static str,
        /// The name that is taken.
        name: String,
        /// The name that it has.
        taken: String,
    },
    /// A state gives a mimic joint another value than the joint that it mimics.
    #[error(
        "joint `{joint}` mimics `{mimicked}`, which puts it at {}; the value {} is not used",
        number(rounded(*.follows, SHOWN)), number(*.stated)
    )]
    MimicState {
        /// The mimic joint.
        joint: String,
        /// The joint that it mimics.
        mimicked: String,
        /// Where the mimicked joint puts it.
        follows: f64,
        /// The value in the state.
        stated: f64,
    },
    /// A state puts a joint outside its limits.
    #[error(
        "the state puts joint `{joint}` at {}, outside its limits [{}, {}]",
        number(*.value), number(*.lower), number(*.upper)
    )]
    StateOutsideLimits {
        /// The joint.
        joint: String,
        /// Its displacement in the state.
        value: f64,
        /// Its lower limit.
        lower: f64,
        /// Its upper limit.
        upper: f64,
    },
    /// A warning of the model's builder.
    #[error("{0}")]
    Model(ModelWarning),
}

/// The radius in m of a ball of moments that no placeholder has.
const HOUSE: f64 = 20.0;

impl WarningCause {
    /// How much it matters: parts that are not used are notes; all else, such as a mesh that was
    /// not found, is a warning.
    pub fn severity(&self) -> Severity {
        match self {
            // Placeholders are common; a ball as large as a house is another unit.
            Self::LargeMoments { radius, .. } if *radius > HOUSE => Severity::Warning,
            Self::Unused { .. }
            | Self::UnknownMaterial { .. }
            | Self::Unnamed { .. }
            | Self::MeshesConverted { .. }
            | Self::NotConvex { .. }
            | Self::LargeMoments { .. }
            | Self::OutsideShapes { .. }
            | Self::InertiaFromShapes { .. }
            | Self::OtherRobot { .. } => Severity::Note,
            Self::NoRobotName
            | Self::NotInFormat { .. }
            | Self::Misspelt { .. }
            | Self::Simplified { .. }
            | Self::NotModelled { .. }
            | Self::NoLimit
            | Self::NoBound { .. }
            | Self::NoRange
            | Self::EqualLimits { .. }
            | Self::ZeroBound { .. }
            | Self::LeftOut { .. }
            | Self::NoSuchParts { .. }
            | Self::MissingMesh { .. }
            | Self::MeshOutside { .. }
            | Self::MissingMeshes { .. }
            | Self::NotWritten { .. }
            | Self::WrittenAs { .. }
            | Self::Renamed { .. }
            | Self::RefusedBy { .. }
            | Self::ZeroMass { .. }
            | Self::TooDense { .. }
            | Self::Degrees { .. }
            | Self::DegreesInOrigin { .. }
            | Self::DegreesInState { .. }
            | Self::FarAway { .. }
            | Self::UnknownMimicked { .. }
            | Self::OtherName { .. }
            | Self::NoFolder { .. }
            | Self::UnknownArgument { .. }
            | Self::IdleOption { .. }
            | Self::MimicState { .. }
            | Self::StateOutsideLimits { .. }
            | Self::Model(_) => Severity::Warning,
        }
    }
}

impl WarningCause {
    /// How many parts of the file are left out of the description because of this.
    ///
    /// A mesh that was not found is one: its name is kept, its shape is not known. What is only
    /// [not used](Self::Unused) is none.
    ///
    /// ```
    /// use featherline_formats::load_str;
    ///
    /// let text = "<robot name='r'><link name='l'><visual><geometry/></visual></link></robot>";
    /// assert_eq!(load_str(text)?.warnings[0].cause.parts_left_out(), 1);
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn parts_left_out(&self) -> usize {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others leave nothing out")]
        match self {
            Self::LeftOut { .. }
            | Self::MissingMesh { .. }
            | Self::NotModelled { .. }
            | Self::UnknownMimicked { .. } => 1,
            Self::NoSuchParts { left_out, .. } => *left_out,
            Self::MissingMeshes { count, .. } => *count,
            _ => 0,
        }
    }
}

/// How many files there are beside the first one, and the verb.
fn and_others(count: usize) -> String {
    match count {
        0 | 1 => " is".to_owned(),
        2 => " and another one are".to_owned(),
        _ => format!(" and {} others are", count - 1),
    }
}

fn package_hint(uri: &str) -> &'static str {
    match uri.contains("://") {
        true => {
            "; name the folder of its package (`package_folder`, `--package-folder`, or the environment variable \
             ROS_PACKAGE_PATH)"
        }
        false => "; its name is relative to the description's folder",
    }
}

/// What the option is called on the command line.
fn flag(option: &str) -> &'static str {
    match option {
        "package_folder" => " (`--package-folder`)",
        "root_folder" => " (`--root-folder`)",
        "xacro_argument" => " (`--xacro`)",
        _ => "",
    }
}

fn did_you_mean(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// The arguments that there are.
fn listed(known: &[String]) -> String {
    match known {
        [] => "; it has none".to_owned(),
        [one] => format!(" (its argument is `{one}`)"),
        more => format!(" (its arguments are `{}`)", more.join("`, `")),
    }
}

/// The most names in a message.
const LISTED: usize = 3;

fn no_such_parts(
    kind: &str,
    names: &[(String, Option<String>)],
    (unknown, named): (usize, usize),
    left_out: usize,
) -> String {
    let one = |(name, suggestion): &(String, Option<String>)| match suggestion {
        Some(similar) if names.len() <= LISTED => format!("`{name}` (did you mean `{similar}`?)"),
        _ => format!("`{name}`"),
    };
    let mut listed: Vec<String> = names.iter().take(LISTED).map(one).collect();
    if unknown > listed.len() {
        listed.push("…".to_owned());
    }
    let listed = listed.join(", ");
    let subject = match unknown {
        1 => format!("there is no {kind} {listed}"),
        _ if named == unknown => {
            format!("none of the {named} {kind}s that are named here is there: {listed}")
        }
        _ => {
            format!("{unknown} of the {named} {kind}s that are named here are not there: {listed}")
        }
    };
    let them = if unknown == 1 { "it" } else { "them" };
    format!(
        "{subject}; what refers to {them} is left out{}",
        times(left_out)
    )
}

fn others(count: usize, first: &str) -> String {
    let of = match first.contains("://") {
        true => " of its package",
        false => "",
    };
    match count {
        2 => format!("one other mesh{of}"),
        _ => format!("{} other meshes{of}", count.saturating_sub(1)),
    }
}

/// Angles that seem to be in degrees, in radians.
fn in_radians(angles: &[f64], between: &str) -> String {
    let joined = |convert: fn(f64) -> f64| {
        let words: Vec<String> = angles.iter().map(|it| number(convert(*it))).collect();
        words.join(between)
    };
    let radians = joined(|it| rounded(it.to_radians(), SHOWN));
    format!("{} degrees are {radians} rad", joined(|it| it))
}

fn remedy(fits_origin: bool) -> &'static str {
    match fits_origin {
        true => {
            "they fit if they are about the link's origin, where they are to be about the centre of mass"
        }
        false => "they may be placeholders, exchanged, or not in kg·m²",
    }
}

/// A large number.
fn large(value: f64) -> String {
    match value < 1e6 {
        true => number(value),
        false => format!("{value:e}"),
    }
}

fn consequence(attribute: &str) -> &'static str {
    match attribute {
        "velocity" => "the joint may not move",
        _ => "nothing may drive the joint",
    }
}

fn times(count: usize) -> String {
    match count {
        1 => String::new(),
        more => format!(" ({more} times, first here)"),
    }
}
