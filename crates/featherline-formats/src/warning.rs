//! Warnings about a file.

use crate::Location;
use crate::diagnostic::{diagnostics, did_you_mean};
use crate::digits::{SHOWN, rounded};
use crate::xml::{number, numbers};
use featherline::model::ModelWarning;
use serde::Serialize;
use std::fmt;

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
    /// The cause of the warning.
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
    /// The results may not be those that were meant.
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

diagnostics! {
    /// The cause of a warning.
    #[derive(Clone, Debug, PartialEq)]
    pub enum WarningCause {
        /// An element, an attribute or text is not used. There is one warning for each kind, at its
        /// first position.
        Unused {
            /// What is not used, such as "`<visual>` in `<link>`".
            what: String,
            /// How often.
            count: usize,
        } [Severity::Note, "unused"]
            "{what} is not used{}", times(*count);
        /// An element or an attribute is none that the format has. There is one warning for each
        /// kind, at its first position.
        NotInFormat {
            /// What is not part of it.
            what: String,
            /// The format.
            format: &'static str,
            /// How often.
            count: usize,
        } [Severity::Warning, "not-in-format"]
            "{what} is not part of {format}, and is not used{}", times(*count);
        /// An element or an attribute is not used, and its name is close to one that would be.
        Misspelt {
            /// What is not used.
            what: String,
            /// `element` or `attribute`.
            kind: &'static str,
            /// The name that may be meant.
            meant: String,
        } [Severity::Warning, misspelt(kind)]
            "{what} is not used; write `{meant}` if that is meant";
        /// A statement of the file that a model can't represent as it is.
        Simplified {
            /// What is stated.
            what: String,
            /// How it is read.
            reading: &'static str,
        } [Severity::Warning, "simplified"]
            "{what}: {reading}";
        /// An element that moves the robot, or its bodies, and that no model is made of.
        NotModelled {
            /// The element.
            what: String,
            /// What the model lacks, and the verb.
            lost: &'static str,
        } [Severity::Warning, "not-modelled"]
            "{what}: {lost} left out";
        /// The robot has no name.
        NoRobotName [Severity::Warning, "no-robot-name"]
            "the robot has no name; it is called `robot`";
        /// A revolute or prismatic joint has no limits.
        NoLimit [Severity::Warning, "no-limit"]
            "the joint has no `<limit>`, which its type needs; it is taken as unbounded";
        /// A limit lacks a bound on speed or effort.
        NoBound {
            /// The attribute.
            attribute: &'static str,
        } [Severity::Warning, "no-bound"]
            "the limit has no `{attribute}`; it is taken as unbounded";
        /// A limit has neither a lower nor an upper bound.
        NoRange [Severity::Warning, "no-range"]
            "the limit has neither `lower` nor `upper`; both are 0 in URDF, and the joint has no range";
        /// The lower limit is the upper one.
        EqualLimits {
            /// Both limits.
            at: f64,
        } [Severity::Warning, "equal-limits"]
            "the limits are {0} and {0}, so that the joint may not move; correct them, or leave them out if they \
             are not known", number(*at);
        /// A bound on speed or effort is zero.
        ZeroBound {
            /// The attribute.
            attribute: &'static str,
        } [Severity::Warning, "zero-bound"]
            "the limit of {attribute} is 0, so that {}; leave it out if it is not known", consequence(attribute);
        /// A part that motion does not depend on is malformed.
        LeftOut {
            /// What is left out.
            what: &'static str,
            /// Why.
            reason: String,
        } [Severity::Warning, "left-out"]
            "{what} is left out: {reason}";
        /// Names refer to parts that are not there, and what refers to them is left out.
        NoSuchParts {
            /// The kind of the parts, such as `link`.
            kind: &'static str,
            /// The names that made something be left out, each once, with the most similar name
            /// that
            /// there is.
            names: Vec<(String, Option<String>)>,
            /// How many different names of this kind there are no parts of.
            unknown: usize,
            /// How many different names of this kind the text has.
            named: usize,
            /// How many elements are left out.
            left_out: usize,
        } [Severity::Warning, "no-such-parts"]
            "{}", no_such_parts(kind, names, (*unknown, *named), *left_out);
        /// A mesh file was not found.
        MissingMesh {
            /// The file as it is written.
            uri: String,
        } [Severity::Warning, "missing-mesh"]
            "the mesh `{uri}` was not found{}", package_hint(uri);
        /// Several mesh files of a package, or of the description's folder, were not found.
        MissingMeshes {
            /// The first file as it is written.
            first: String,
            /// How many there are.
            count: usize,
        } [Severity::Warning, "missing-mesh"]
            "the mesh `{first}` was not found, nor {}{}", others(*count, first), package_hint(first);
        /// Meshes are outside the folders that files may be in.
        MeshOutside {
            /// The first file as it is written.
            first: String,
            /// How many there are.
            count: usize,
        } [Severity::Warning, "mesh-outside"]
            "the mesh `{first}`{} not read: outside the folders that files may be in; if you trust the file, name a \
             folder that holds all that it names by the option `root_folder` (`--root-folder`)",
            and_others(*count);
        /// A mesh that touches is not convex.
        NotConvex {
            /// The file as it is written, or the name of the shape.
            mesh: String,
        } [Severity::Note, "not-convex"]
            "the mesh `{mesh}` is not convex; it touches as its convex hull. `convex = false` in a scene keeps its \
             triangles";
        /// A mesh file gives a shape another mass or other moments than in MuJoCo.
        OtherInMujoco {
            /// The mesh.
            mesh: String,
            /// The mass of the shape, in kg.
            mass: f64,
            /// That in MuJoCo, if the triangles that it takes have one that is known.
            in_mujoco: Option<f64>,
            /// How many triangles the faces are.
            triangles: usize,
            /// How many of them MuJoCo takes.
            taken: usize,
        } [Severity::Warning, "other-in-mujoco"]
            "the mesh `{mesh}` gives its shape {} kg, and {} in MuJoCo, which {}; export it as triangles in one \
             group, or state the inertia of the body, so that both have the same",
            number(rounded(*mass, SHOWN)), in_mujoco_has(*mass, *in_mujoco), takes(*taken, *triangles);
        /// A file that was written lacks something of the description.
        NotWritten {
            /// What is missing.
            what: String,
            /// The format.
            format: &'static str,
        } [Severity::Warning, "not-written"]
            "{what} is not in the file: {format} can't express it";
        /// A file that was written states something in another way than the description.
        WrittenAs {
            /// What is described.
            what: String,
            /// How it is written.
            writing: &'static str,
        } [Severity::Warning, "written-as"]
            "{what}: {writing}";
        /// A part has another name in a file that was written.
        Renamed {
            /// What it is, such as `link`.
            what: &'static str,
            /// Its name in the description.
            name: String,
            /// Its name in the file.
            written: String,
        } [Severity::Warning, "renamed"]
            "the {what} `{name}` is called `{written}` in the file, where the name is taken";
        /// Parts that a format has no names for lost theirs in a file that was written.
        Unnamed {
            /// Which parts.
            what: &'static str,
            /// The format.
            format: &'static str,
            /// How many of them there are.
            count: usize,
        } [Severity::Note, "unnamed"]
            "the names of {what} are not in the file ({count} of them): {format} has none";
        /// Mesh files are written anew, as triangles alone, for a program that does not read them.
        MeshesConverted {
            /// The first of the files, as it is named.
            first: String,
            /// How many files there are.
            count: usize,
            /// The program.
            program: &'static str,
        } [Severity::Note, "meshes-converted"]
            "the mesh `{first}`{} written as triangles, without colours and textures: {program} does not read such \
             files, or not all of them", and_others(*count);
        /// A file that was written is refused by the program whose format it is in.
        RefusedBy {
            /// What is refused.
            what: String,
            /// The program.
            program: &'static str,
            /// What it refuses.
            why: &'static str,
        } [Severity::Warning, "refused-by"]
            "{what}: it is in the file, but {program} refuses {why}";
        /// A folder that an option names does not exist.
        NoFolder {
            /// The option.
            option: &'static str,
            /// The folder.
            folder: String,
        } [Severity::Warning, "no-folder"]
            "there is no folder `{folder}`, which the option `{option}`{} names", flag(option);
        /// A xacro file has no argument of a name that an option gives a value.
        UnknownArgument {
            /// The name.
            name: String,
            /// The most similar name of an argument that the file has.
            suggestion: Option<String>,
            /// The arguments that the file has, in its order.
            known: Vec<String>,
        } [Severity::Warning, "unknown-argument"]
            "the xacro file has no argument `{name}`, so that its value is not used{}{}",
            did_you_mean(suggestion.as_deref()), listed(known);
        /// An option has no effect on a file.
        IdleOption {
            /// The option.
            option: &'static str,
            /// Why.
            why: &'static str,
        } [Severity::Warning, "idle-option"]
            "the option `{option}`{} has no effect: {why}", flag(option);
        /// A visual refers to a material that is not defined.
        UnknownMaterial {
            /// Its name.
            name: String,
        } [Severity::Note, "unknown-material"]
            "the material `{name}` is not defined";
        /// A mimic joint that moves freely names a joint that does not exist.
        UnknownMimicked {
            /// The name.
            name: String,
        } [Severity::Warning, "unknown-mimicked"]
            "there is no joint `{name}` to mimic; the joint moves freely";
        /// A link without inertia has the inertia of its shapes, as the options say.
        InertiaFromShapes {
            /// The link.
            link: String,
            /// Its mass, in kg.
            mass: f64,
        } [Severity::Note, "inertia-from-shapes"]
            "the link `{link}` has no inertia; its collision shapes give it {} kg", number(rounded(*mass, SHOWN));
        /// A link between joints states that its mass is zero, and nothing that it is fixed to has
        /// any.
        ZeroMass {
            /// The link.
            link: String,
        } [Severity::Warning, "zero-mass"]
            "the link `{link}` states a mass of 0 and moves, with links of mass beyond it; give it its mass, or \
             leave out its inertia if it is a frame";
        /// A link has mass and moments that no material is dense enough for.
        TooDense {
            /// The link.
            link: String,
            /// Its mass, in kg.
            mass: f64,
            /// The least density that it has somewhere, in kg/m³.
            density: f64,
        } [Severity::Warning, "too-dense"]
            "the link `{link}` has {} kg and such small moments of inertia that its density is {} kg/m³ or more, \
             which no material has; check that the mass is in kg and the moments are in kg·m²",
            number(rounded(*mass, SHOWN)), large(*density);
        /// A link has moments of inertia that are far too large for its mass.
        LargeMoments {
            /// The link.
            link: String,
            /// Its mass, in kg.
            mass: f64,
            /// The radius of a uniform ball of that mass and those moments, in m.
            radius: f64,
        } [placeholder(*radius), "large-moments"]
            "the link `{link}` has {} kg and the moments of inertia of a ball of radius {} m, which would be lighter \
             than air; they may be placeholders, or not in kg·m²",
            number(rounded(*mass, SHOWN)), number(*radius);
        /// No distribution of a link's mass inside its shapes has the moments of inertia.
        OutsideShapes {
            /// The link.
            link: String,
            /// The moment, divided by the greatest that is possible.
            ratio: f64,
            /// Whether the moments fit if they are about the link's origin.
            fits_origin: bool,
        } [Severity::Note, "outside-shapes"]
            "a moment of inertia of link `{link}` is {} times the greatest that its mass can have inside its shapes; \
             {}", number(*ratio), remedy(*fits_origin);
        /// Limits of a joint seem to be in degrees.
        Degrees {
            /// Lower limit.
            lower: f64,
            /// Upper limit.
            upper: f64,
        } [Severity::Warning, "degrees"]
            "the limits {} and {} are many turns; angles are in radians, and these seem to be in degrees: {}",
            number(*lower), number(*upper), in_radians(&[*lower, *upper], " and ");
        /// The angles of an `<origin>` seem to be in degrees.
        DegreesInOrigin {
            /// Roll, pitch and yaw.
            angles: [f64; 3],
        } [Severity::Warning, "degrees"]
            "the angles {} of `rpy` are more than a turn; angles are in radians, and these seem to be in degrees: {}",
            numbers(angles), in_radians(angles, " ");
        /// An angle of a state seems to be in degrees.
        DegreesInState {
            /// The joint.
            joint: String,
            /// Its angle.
            angle: f64,
        } [Severity::Warning, "degrees"]
            "joint `{joint}` is at {} rad: angles are in radians, and this seems to be in degrees ({})",
            number(*angle), in_radians(&[*angle], "");
        /// A part is further from the one that it is on than robots are long.
        FarAway {
            /// What is far away.
            what: String,
            /// How far, in m.
            distance: f64,
        } [Severity::Warning, "far-away"]
            "{what} is {} m from the origin of its link; check that lengths are in m",
            number(rounded(*distance, SHOWN));
        /// A file is named after another robot than the one that it is read for.
        OtherRobot {
            /// The name in the file.
            name: String,
            /// The robot that it is read for.
            robot: String,
        } [Severity::Note, "other-robot"]
            "this is named after the robot `{name}`, and is read for `{robot}`";
        /// A name is taken, so that a part has another one.
        OtherName {
            /// What has another name.
            what: &'static str,
            /// The name that is taken.
            name: String,
            /// The name that it has.
            taken: String,
        } [Severity::Warning, "other-name"]
            "there is a configuration `{name}` already; {what} is `{taken}`";
        /// A state gives a mimic joint another value than the joint that it mimics.
        MimicState {
            /// The mimic joint.
            joint: String,
            /// The joint that it mimics.
            mimicked: String,
            /// Where the mimicked joint puts it.
            follows: f64,
            /// The value in the state.
            stated: f64,
        } [Severity::Warning, "mimic-state"]
            "joint `{joint}` mimics `{mimicked}`, which puts it at {}; the value {} is not used",
            number(rounded(*follows, SHOWN)), number(*stated);
        /// A state puts a joint outside its limits.
        StateOutsideLimits {
            /// The joint.
            joint: String,
            /// Its displacement in the state.
            value: f64,
            /// Its lower limit.
            lower: f64,
            /// Its upper limit.
            upper: f64,
        } [Severity::Warning, "state-outside-limits"]
            "the state puts joint `{joint}` at {}, outside its limits [{}, {}]",
            number(*value), number(*lower), number(*upper);
        /// A warning of the model's builder.
        Model(warning: ModelWarning) [Severity::Warning, model_warning(warning)]
            "{warning}";
    }
}

impl std::error::Error for WarningCause {}

/// The radius in m of a ball of moments that no placeholder has.
const HOUSE: f64 = 20.0;

/// Placeholders are common; a ball as large as a house is another unit.
fn placeholder(radius: f64) -> Severity {
    match radius > HOUSE {
        true => Severity::Warning,
        false => Severity::Note,
    }
}

impl WarningCause {
    /// How many parts of the file are left out of the description because of this.
    ///
    /// A mesh that was not found is one: its name is kept, its shape is not known. A part that is
    /// only [not used](Self::Unused) is none.
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

/// How many meshes there are beside the first one, and the verb.
fn and_others(count: usize) -> String {
    match count {
        0 | 1 => " is".to_owned(),
        2 => " and another one are".to_owned(),
        _ => format!(" and {} others are", count - 1),
    }
}

/// The mass that a shape has in MuJoCo.
fn in_mujoco_has(mass: f64, in_mujoco: Option<f64>) -> String {
    match in_mujoco.map(|it| (rounded(it, SHOWN), rounded(mass, SHOWN))) {
        Some((theirs, own)) if theirs == own => "other moments of inertia".to_owned(),
        Some((theirs, _)) => format!("{} kg", number(theirs)),
        None => "another mass".to_owned(),
    }
}

/// Which triangles of a file's faces MuJoCo takes.
fn takes(taken: usize, triangles: usize) -> String {
    match taken < triangles {
        true => format!(
            "takes {taken} of the {triangles} triangles of its faces: it leaves out all after the first group, and \
             parts of concave faces"
        ),
        false => "cuts its faces that are concave or not flat into other triangles".to_owned(),
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

/// The option's name on the command line.
fn flag(option: &str) -> &'static str {
    match option {
        "package_folder" => " (`--package-folder`)",
        "root_folder" => " (`--root-folder`)",
        "xacro_argument" => " (`--xacro`)",
        _ => "",
    }
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
    let (them, times) = (if unknown == 1 { "it" } else { "them" }, times(left_out));
    format!("{subject}; what refers to {them} is left out{times}")
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

fn misspelt(kind: &str) -> &'static str {
    match kind {
        "attribute" => "misspelt-attribute",
        _ => "misspelt-element",
    }
}

fn model_warning(warning: &ModelWarning) -> &'static str {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others share a code")]
    match warning {
        ModelWarning::TriangleInequality { .. } => "triangle-inequality",
        ModelWarning::InertiaNotPositive { .. } => "inertia-not-positive",
        ModelWarning::PointMass { .. } => "point-mass",
        ModelWarning::MasslessInertia { .. } => "massless-inertia",
        ModelWarning::MovesNothing { .. } => "moves-nothing",
        ModelWarning::DependentMotions { .. } => "dependent-motions",
        ModelWarning::TooLarge { .. } => "too-large",
        ModelWarning::ContradictoryLimits { .. } => "contradictory-limits",
        ModelWarning::MimicJumps { .. } => "mimic-turns",
        _ => "doubtful-model",
    }
}
