//! Why a file can't become a robot.

use crate::Location;
use crate::diagnostic::{diagnostics, did_you_mean};
use crate::digits::{SHOWN, rounded};
use crate::file_format::FileFormat;
use crate::warning::{Severity, Warning};
use crate::xml::{XmlRefusal, number};
use featherline::model::ModelError;
use std::fmt;

/// The types of joints that a URDF can have.
pub(crate) const JOINT_TYPES: [&str; 6] = [
    "revolute",
    "continuous",
    "prismatic",
    "fixed",
    "floating",
    "planar",
];

/// Why a file can't become a robot, and where in the file.
///
/// Displayed as `arm.urdf:12:5: robot/joint[@name='j']/axis: the axis is the zero vector; give it a
/// direction`.
#[derive(Debug)]
pub struct Error(Box<Parts>);

#[derive(Debug)]
struct Parts {
    location: Location,
    cause: ErrorCause,
    /// The end of the message: options that the file is read with.
    remedy: &'static str,
    others: Vec<Error>,
}

impl Error {
    pub(crate) fn new(location: Location, cause: ErrorCause) -> Self {
        Self(Box::new(Parts {
            location,
            cause,
            remedy: "",
            others: Vec::new(),
        }))
    }

    /// The same error, with others of the file.
    pub(crate) fn with_others(mut self, others: Vec<Error>) -> Self {
        self.0.others = others;
        self
    }

    /// The same error, of what the option `permissive` makes a warning.
    pub(crate) fn permissible(mut self) -> Self {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others are left out")]
        let remedy = match self.cause() {
            ErrorCause::UnknownMimicked {
                suggestion: Some(_),
                ..
            } => NAMED_OR_FREE,
            ErrorCause::UnknownMimicked { .. } => FREE,
            ErrorCause::EmptyRange { .. } => WITHOUT_RANGE,
            _ => PERMISSIVE,
        };
        self.0.remedy = remedy;
        self
    }

    /// Where in the file.
    pub fn location(&self) -> &Location {
        &self.0.location
    }

    /// The cause of the error.
    pub fn cause(&self) -> &ErrorCause {
        &self.0.cause
    }

    /// The other errors that the same reading found, in the order of the text: those of a URDF's
    /// links and joints, of each the first, and at most 20 in all. Errors of several parts
    /// together, such as two roots, only show once all of these are mended.
    ///
    /// ```
    /// use featherline_formats::load_str;
    ///
    /// let text = "<robot name='r'>
    ///   <link name='a'><inertial><mass value='nan'/></inertial></link> <link name='b'/>
    ///   <joint name='j' type='hinge'><parent link='a'/><child link='b'/></joint></robot>";
    /// let error = load_str(text).unwrap_err();
    /// assert_eq!(error.cause().code(), "not-finite");
    /// assert_eq!(error.others()[0].cause().code(), "unknown-joint-type");
    /// ```
    pub fn others(&self) -> &[Error] {
        &self.0.others
    }

    /// This error, and the [others](Self::others) of the same reading.
    ///
    /// ```
    /// let error = featherline_formats::load_str("<robot name='r'/>").unwrap_err();
    /// assert_eq!(error.all().count(), 1);
    /// ```
    pub fn all(&self) -> impl Iterator<Item = &Error> {
        std::iter::once(self).chain(self.others())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A description made in memory has no location.
        if !self.location().is_nowhere() {
            write!(f, "{}: ", self.location())?;
        }
        write!(f, "{}{}", self.cause(), self.0.remedy)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause().source()
    }
}

diagnostics! {
    /// The cause of an error in a file.
    ///
    /// Numbers of lines are counted from one.
    #[derive(Debug)]
    pub enum ErrorCause {
        /// The file can't be opened or read.
        Unreadable(error: std::io::Error) [Severity::Error, "unreadable"]
            "the file can't be read: {error}";
        /// The file is not text in UTF-8.
        NotUtf8 [Severity::Error, "not-utf8"]
            "this is not text in UTF-8; convert the file, or check that it is a robot description at all";
        /// The text is not XML, or not XML that is accepted.
        Xml(refusal: XmlRefusal) [Severity::Error, xml(refusal)]
            "{refusal}";
        /// The root element is not that of a format that is read.
        UnknownFormat {
            /// The root element.
            root: String,
        } [Severity::Error, "unknown-format"]
            "the root element is `<{root}>`{}; a URDF begins with `<robot>`, an MJCF file with `<mujoco>`",
            format_of(root);
        /// The file is of a format of robots that is not read.
        OtherFormat(format: FileFormat) [Severity::Error, "unknown-format"]
            "{}", format.not_read();
        /// A robot has no links.
        NoLinks [Severity::Error, "no-links"]
            "the robot has no links";
        /// An element is missing.
        MissingElement {
            /// The element.
            element: &'static str,
            /// The element there that it may be a misspelling of.
            misspelt: Option<String>,
        } [Severity::Error, "missing-element"]
            "`<{element}>` is missing{}", written_as(element, misspelt.as_deref());
        /// An element that may occur once occurs twice.
        DuplicateElement {
            /// The element.
            element: &'static str,
            /// Where the first one is.
            first_line: usize,
        } [Severity::Error, "duplicate-element"]
            "a second `<{element}>`; the first is in line {first_line}, and there may be only one";
        /// A geometry has no shape, or several.
        NotOneShape [Severity::Error, "not-one-shape"]
            "a geometry has one shape: box, cylinder, sphere, capsule or mesh";
        /// An attribute is missing.
        MissingAttribute {
            /// The attribute.
            attribute: &'static str,
        } [Severity::Error, "missing-attribute"]
            "the attribute `{attribute}` is missing";
        /// A name is empty.
        EmptyName {
            /// The attribute.
            attribute: &'static str,
        } [Severity::Error, "empty-name"]
            "the attribute `{attribute}` is empty";
        /// A text is not a number.
        NotANumber {
            /// The attribute.
            attribute: &'static str,
            /// Its text.
            found: String,
        } [Severity::Error, "not-a-number"]
            "`{attribute}` has `{found}` where a number is needed{}", number_hint(found);
        /// A number is infinite, NaN, or too large to be represented.
        NotFinite {
            /// The attribute.
            attribute: &'static str,
            /// Its text.
            found: String,
        } [Severity::Error, "not-finite"]
            "`{attribute}` has `{found}`, which is not a finite number";
        /// A list of numbers has the wrong length.
        NumberCount {
            /// The attribute.
            attribute: &'static str,
            /// How many are needed.
            expected: usize,
            /// How many there are.
            found: usize,
        } [Severity::Error, "number-count"]
            "`{attribute}` has {found} numbers where {expected} are needed";
        /// A rotation is given twice.
        TwoRotations [Severity::Error, "several-rotations"]
            "both `rpy` and `quat_xyzw` are given; keep one";
        /// A quaternion is zero and stands for no rotation.
        ZeroQuaternion [Severity::Error, "zero-quaternion"]
            "the quaternion is zero; give it a direction, or leave it out for no rotation";
        /// The type of a joint is not one of URDF's.
        UnknownJointType {
            /// The type in the file.
            found: String,
        } [Severity::Error, "unknown-joint-type"]
            "`{found}` is not a type of joint; the types are {}", JOINT_TYPES.join(", ");
        /// Two links or two joints have one name.
        DuplicateName {
            /// `links` or `joints`.
            what: &'static str,
            /// The name.
            name: String,
            /// Where the first one is.
            first_line: usize,
        } [Severity::Error, "duplicate-name"]
            "two {what} are named `{name}`; the first is in line {first_line}";
        /// A joint has a name that is reserved.
        ReservedName {
            /// The name.
            name: String,
            /// Its meaning.
            meaning: &'static str,
            /// The way out, such as another name.
            remedy: &'static str,
        } [Severity::Error, "reserved-name"]
            "the name `{name}` is reserved for {meaning}; {remedy}";
        /// The robot does not have a fixed joint that is to be kept.
        NoFixedJoint {
            /// The name.
            name: String,
            /// The most similar name of a fixed joint.
            suggestion: Option<String>,
            /// The names of all fixed joints.
            known: Vec<String>,
        } [Severity::Error, "no-fixed-joint"]
            "there is no fixed joint `{name}` to keep{}", suggested_or(suggestion.as_deref(), known);
        /// A joint connects a link that does not exist.
        UnknownLink {
            /// The name.
            name: String,
            /// The most similar name there is.
            suggestion: Option<String>,
        } [Severity::Error, "unknown-link"]
            "there is no link `{name}`{}", did_you_mean(suggestion.as_deref());
        /// A joint connects a link with itself.
        SelfJoint {
            /// The link.
            link: String,
        } [Severity::Error, "self-joint"]
            "the joint connects the link `{link}` with itself";
        /// A link is the child of two joints.
        TwoParents {
            /// The link.
            link: String,
            /// The joint that has it first.
            first_joint: String,
            /// Where that joint is.
            first_line: usize,
        } [Severity::Error, "two-parents"]
            "the link `{link}` already is the child of joint `{first_joint}` in line {first_line}; a URDF is a tree, \
             and closed loops need another format";
        /// Two links are not the child of a joint.
        TwoRoots {
            /// The first root.
            first: String,
            /// Where it is.
            first_line: usize,
            /// The second root.
            second: String,
        } [Severity::Error, "two-roots"]
            "the link `{second}` is no joint's child, and nor is `{first}` in line {first_line}: a robot has one \
             root; connect the two by a joint";
        /// Joints form a cycle that is not connected to the root.
        Cycle {
            /// The joints of the cycle, each a child of the one before; long cycles are cut.
            joints: Vec<String>,
        } [Severity::Error, "cycle"]
            "the joints form a cycle, which is connected to no root: {}", joints.join(" → ");
        /// A mimic names a joint that does not exist.
        UnknownMimicked {
            /// The name.
            name: String,
            /// The most similar name there is.
            suggestion: Option<String>,
        } [Severity::Error, "unknown-mimicked"]
            "there is no joint `{name}` to mimic{}", did_you_mean(suggestion.as_deref());
        /// Mimic joints form a cycle.
        MimicCycle {
            /// The joints, each mimicking the next; long cycles are cut.
            joints: Vec<String>,
        } [Severity::Error, "mimic-cycle"]
            "mimic joints form a cycle: {}", joints.join(" → ");
        /// A joint without exactly one degree of freedom mimics or is mimicked.
        MimicFreedom {
            /// The type of joint.
            kind: &'static str,
            /// `mimic another` or `be mimicked`.
            role: &'static str,
        } [Severity::Error, "mimic-freedom"]
            "a {kind} joint can't {role}: only joints with one degree of freedom (revolute, continuous, prismatic) \
             can";
        /// The cosine and sine of the mimicked joint do not determine the position of a mimic
        /// joint.
        MimicTurns {
            /// The mimic joint.
            mimic: String,
            /// The joint that it mimics, at the end of a chain.
            mimicked: String,
            /// Its multiplier of the mimicked joint's angle.
            ratio: f64,
        } [Severity::Error, "mimic-turns"]
            "joint `{mimic}` mimics {} times the continuous joint `{mimicked}`, whose cosine and sine do not count \
             full rotations, so that `{mimic}` would jump; read continuous joints as angles (--continuous angle), or \
             let mimic joints move freely", number(*ratio);
        /// More joints are mimicked than a robot of this size may have.
        TooManyMimicked {
            /// How many joints are mimicked.
            mimicked: usize,
            /// The greatest number.
            limit: usize,
        } [Severity::Error, "too-many"]
            "{mimicked} joints are mimicked; in a robot with so many joints at most {limit} may be, because their \
             memory grows with the square of their number";
        /// An axis has no direction.
        ZeroAxis [Severity::Error, "zero-axis"]
            "the axis is the zero vector; give it a direction";
        /// A quantity that can't be negative is.
        Negative {
            /// The attribute.
            attribute: &'static str,
            /// Its value.
            value: f64,
        } [Severity::Error, "negative"]
            "`{attribute}` is {}; it can't be negative", number(*value);
        /// A rotational inertia has a negative principal moment: no body has it.
        InertiaNotPositive {
            /// The negative principal moment.
            moment: f64,
        } [Severity::Error, "inertia-not-positive"]
            "the inertia is not positive semidefinite: a principal moment is {} kg·m²",
            number(rounded(*moment, SHOWN));
        /// A lower limit is above the upper one.
        EmptyRange {
            /// Lower limit.
            lower: f64,
            /// Upper limit.
            upper: f64,
        } [Severity::Error, "empty-range"]
            "the lower limit {} is above the upper one, {}", number(*lower), number(*upper);
        /// A rotation is given in several ways.
        SeveralRotations {
            /// The first attribute that gives it.
            first: &'static str,
            /// The second one.
            second: &'static str,
        } [Severity::Error, "several-rotations"]
            "the rotation is given by `{first}` and by `{second}`; keep one";
        /// An attribute has a word that it can't have.
        UnknownWord {
            /// The attribute.
            attribute: &'static str,
            /// Its text.
            found: String,
            /// The words that it can have.
            expected: String,
        } [Severity::Error, "unknown-word"]
            "`{attribute}` has `{found}`, which it can't have; write {expected}";
        /// A name refers to nothing.
        UnknownName {
            /// What the name is of, such as `site`.
            what: &'static str,
            /// The name.
            name: String,
            /// The most similar name there is.
            suggestion: Option<String>,
        } [Severity::Error, "unknown-name"]
            "there is no {what} `{name}`{}", did_you_mean(suggestion.as_deref());
        /// A file that is included was not found or can't be read.
        Include {
            /// The file as it is written.
            file: String,
            /// Why.
            reason: String,
        } [Severity::Error, "include"]
            "the file `{file}` can't be included: {reason}";
        /// A geometry has no size, or not all that its type needs.
        MissingSize {
            /// The type of geometry.
            form: &'static str,
            /// How many numbers it needs.
            needed: usize,
        } [Severity::Error, "missing-size"]
            "a {form} needs {needed} positive numbers in `size`{}", from_to_hint(form);
        /// A body's inertia needs the volume of a shape that has none.
        NoVolume {
            /// The type of geometry.
            form: String,
            /// Why it has no volume.
            reason: String,
        } [Severity::Error, "no-volume"]
            "the inertia of the body depends on this {form}: {reason}; give the body an `<inertial>`, or the geom \
             `mass=\"0\"`";
        /// A value or an element that the format does not allow, or that it allows and no reader
        /// can use.
        NotAllowed {
            /// What is not allowed.
            what: String,
            /// What to do.
            remedy: &'static str,
        } [Severity::Error, "not-allowed"]
            "{what}; {remedy}";
        /// A file that is read strictly has warnings.
        Strict {
            /// The warnings, the first at the place of the error.
            warnings: Vec<Warning>,
        } [Severity::Error, "strict"]
            "{}", strict(warnings);
        /// A moving link has no inertia, and such links are to be refused.
        MissingInertia {
            /// The link.
            link: String,
        } [Severity::Error, "no-inertia"]
            "the link `{link}` moves and has no inertia, nor has any link that is fixed to it; give it an \
             `<inertial>`, or choose what such links are by `missing_inertia` (`--missing-inertia`): `shapes` for \
             the inertia of their collision shapes, `zero` for none";
        /// A shape of a link without inertia has no volume that could give it one.
        ShapeWithoutVolume {
            /// The link.
            link: String,
            /// Why it has no volume.
            reason: String,
        } [Severity::Error, "no-volume"]
            "the inertia of the link `{link}` is to follow from this shape: {reason}";
        /// The density that links without inertia are to have is none.
        BadDensity {
            /// The density.
            density: f64,
        } [Severity::Error, "bad-density"]
            "the density of links without inertia is {}; it is a positive number, in kg/m³", number(*density);
        /// A folder that bounds which files are read does not exist.
        NoFolder {
            /// The option.
            option: &'static str,
            /// The folder.
            folder: String,
        } [Severity::Error, "no-folder"]
            "there is no folder `{folder}`, which the option `{option}` names";
        /// A xacro file can't be expanded.
        Xacro(message: String) [Severity::Error, "xacro"]
            "{message}";
        /// A text makes more parts than are accepted.
        TooMany {
            /// What there is too much of.
            what: &'static str,
            /// The greatest number.
            limit: usize,
        } [Severity::Error, "too-many"]
            "more than {limit} {what}, the most that is accepted";
        /// A format can't express the motion of a robot.
        NotExpressible {
            /// The format.
            format: &'static str,
            /// What it has no type for.
            what: String,
        } [Severity::Error, "not-expressible"]
            "{format} has no type for {what}";
        /// The text of a scene is not TOML.
        NotToml(message: String) [Severity::Error, "not-toml"]
            "this is not TOML: {message}";
        /// A table of a scene has a key that is not one of its own.
        UnknownKey {
            /// The key.
            key: String,
            /// The table, such as `[[body]]`.
            table: &'static str,
            /// The most similar key there is.
            suggestion: Option<String>,
            /// The keys of the table.
            known: Vec<&'static str>,
        } [Severity::Error, "unknown-key"]
            "{table} has no key `{key}`; {}", did_you_mean_or(suggestion.as_deref(), known);
        /// A table of a scene lacks a key.
        MissingKey {
            /// The key.
            key: &'static str,
            /// The table, such as `[[body]]`.
            table: &'static str,
        } [Severity::Error, "missing-key"]
            "{table} needs the key `{key}`";
        /// A value of a scene is of another type.
        WrongType {
            /// The key.
            key: &'static str,
            /// What is needed, such as "a number".
            expected: &'static str,
            /// What there is.
            found: &'static str,
        } [Severity::Error, "wrong-type"]
            "`{key}` has {found} where {expected} is needed";
        /// A scene names a robot that was not found.
        NoRobot {
            /// The name or the file.
            name: String,
            /// Why it was not found.
            reason: String,
        } [Severity::Error, "no-robot"]
            "there is no robot `{name}`: {reason}";
        /// The text is not JSON.
        NotJson(message: String) [Severity::Error, "not-json"]
            "{message}";
        /// The text is JSON, but not a model file.
        NotAModelFile [Severity::Error, "not-a-model-file"]
            "there is no field `featherline_model`, so that this is not a model file; `featherline info ROBOT --save \
             FILE.json` writes one";
        /// A model file has another version of the format.
        ModelFileVersion {
            /// The version of the file.
            found: u64,
            /// The version that is read.
            expected: u64,
        } [Severity::Error, "model-file-version"]
            "the file has version {found} of the format, and version {expected} is read; save it again";
        /// A field of a model file is missing, or has a value that it can't have.
        ModelFileField(message: String) [Severity::Error, "model-file-field"]
            "{message}";
        /// The model in a model file is physically impossible, or its parts do not fit.
        InvalidModel(message: String) [Severity::Error, "invalid-model"]
            "the model is not valid: {message}";
        /// A description that was made by a program refers to a part that it does not have.
        NoSuchPart {
            /// What refers, such as "joint `hinge`".
            owner: String,
            /// What it refers to: `link` or `joint`.
            what: &'static str,
            /// The index.
            index: usize,
            /// How many there are.
            count: usize,
        } [Severity::Error, "no-such-part"]
            "{owner} refers to {what} {index}, and there are {count}";
        /// The model's builder refuses the description, for a reason not listed above.
        Model(error: ModelError) [Severity::Error, model_error(error)]
            "{error}";
    }
}

impl std::error::Error for ErrorCause {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let Self::Unreadable(error) = self {
            return Some(error);
        }
        if let Self::Model(error) = self {
            return Some(error);
        }
        None
    }
}

fn xml(refusal: &XmlRefusal) -> &'static str {
    match refusal {
        XmlRefusal::Empty => "empty-file",
        XmlRefusal::TooLarge { .. } => "too-large-file",
        XmlRefusal::TooMany { .. } | XmlRefusal::TooDeep { .. } => "too-many",
        XmlRefusal::DocumentType => "document-type",
        XmlRefusal::Truncated { .. } => "truncated",
        XmlRefusal::DuplicateAttribute { .. } => "duplicate-attribute",
        XmlRefusal::Malformed { .. } => "malformed-xml",
    }
}

fn model_error(error: &ModelError) -> &'static str {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others share a code")]
    match error {
        ModelError::NotFinite { .. } => "not-finite",
        ModelError::Negative { .. } => "negative",
        ModelError::InertiaNotPositive { .. } => "inertia-not-positive",
        ModelError::DuplicateName { .. } => "duplicate-name",
        ModelError::EmptyRange { .. } => "empty-range",
        ModelError::BadMimic { .. } => "bad-mimic",
        ModelError::BadLoop { .. } => "bad-loop",
        _ => "invalid-model",
    }
}

/// How to read what is physically impossible.
const PERMISSIVE: &str =
    "; `featherline check --fix` corrects the file, and the option `permissive` reads it as it is";

/// The same for a joint that mimics none that is there, with a name that may be meant.
const NAMED_OR_FREE: &str = "; `featherline check --fix` names it if no other is as near, and with the option `permissive` \
                             the joint moves freely";

/// The same without such a name.
const FREE: &str = "; with the option `permissive` the joint moves freely";

/// The same for limits that exclude each other.
const WITHOUT_RANGE: &str = "; `featherline check --fix` corrects the file, and the option `permissive` leaves both limits out";

/// The first warning, and how many more there are.
fn strict(warnings: &[Warning]) -> String {
    let first = warnings.first().map(|it| it.cause.to_string());
    let more = match warnings.len() {
        0 | 1 => String::new(),
        2 => ", with one more warning".to_owned(),
        count => format!(", with {} more warnings", count - 1),
    };
    format!(
        "{} (refused by the option `strict`{more})",
        first.unwrap_or_default()
    )
}

/// The format of another root element.
fn format_of(root: &str) -> &'static str {
    match root {
        "mujocoinclude" => {
            ": this is a part of an MJCF file, to be read by the file that includes it"
        }
        "model" => ": this looks like the manifest of a model of Gazebo",
        "COLLADA" => ": this is a COLLADA mesh",
        "package" => ": this is a ROS package's manifest",
        "html" => ": this is a web page",
        _ => "",
    }
}

fn from_to_hint(form: &str) -> &'static str {
    match form {
        "capsule" | "cylinder" | "box" | "ellipsoid" => ", or one and `fromto`",
        _ => "",
    }
}

fn number_hint(found: &str) -> &'static str {
    if found.contains("${") || found.contains("$(") {
        " (this is a xacro expression: expand the file with `xacro` first)"
    } else if found.contains(',') {
        " (numbers have a decimal point, and blanks between them)"
    } else {
        ""
    }
}

/// The key that may be meant, or all keys.
fn did_you_mean_or(name: Option<&str>, known: &[&str]) -> String {
    match name {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("its keys are {}", known.join(", ")),
    }
}

/// The misspelt element in place of a missing one.
fn written_as(element: &str, misspelt: Option<&str>) -> String {
    misspelt.map_or_else(String::new, |misspelt| {
        format!(", and `<{misspelt}>` is not used; write `{element}` if that is meant")
    })
}

/// The fixed joint that may be meant, or what fixed joints there are.
fn suggested_or(name: Option<&str>, known: &[String]) -> String {
    /// So many names tell what names are like.
    const SHOWN: usize = 4;
    match (name, known) {
        (Some(_), _) => did_you_mean(name),
        (None, []) => "; the robot has none".to_owned(),
        (None, [.., last]) if known.len() <= SHOWN => match &known[..known.len() - 1] {
            [] => format!("; there is `{last}`"),
            others => format!("; there are `{}` and `{last}`", others.join("`, `")),
        },
        (None, _) => format!(
            "; there are {}, such as `{}`",
            known.len(),
            known[..SHOWN].join("`, `")
        ),
    }
}
