//! SRDF, the Semantic Robot Description Format: what the parts of a robot are for.
//!
//! An SRDF says nothing of how a robot moves. It names parts of a robot that another file, such as
//! a URDF, describes: groups of joints, their states, pairs of links that do not collide, end
//! effectors. [`Robot::with_srdf`] adds it to a robot.
//!
//! ```
//! use featherline_formats::load_str;
//!
//! let arm = load_str(
//!     "<robot name='arm'>
//!        <link name='base'/> <link name='upper'/> <link name='lower'/>
//!        <joint name='shoulder' type='continuous'><parent link='base'/><child link='upper'/></joint>
//!        <joint name='elbow' type='continuous'><parent link='upper'/><child link='lower'/></joint>
//!      </robot>",
//! )?;
//! let arm = arm.with_srdf_str(
//!     "<robot name='arm'>
//!        <group name='all'><chain base_link='base' tip_link='lower'/></group>
//!        <group_state name='bent' group='all'><joint name='elbow' value='1.5'/></group_state>
//!        <disable_collisions link1='base' link2='upper' reason='Adjacent'/>
//!      </robot>",
//! )?;
//! assert_eq!(arm.model.reference_configurations()["bent"], [0.0, 1.5]);
//! assert_eq!(arm.description.semantics.groups[0].joints, [0, 1]);
//! assert_eq!(arm.description.contact_exclusions[0].links, [0, 1]);
//! # Ok::<(), featherline_formats::Error>(())
//! ```
//!
//! The reader follows the format of MoveIt (the ROS wiki's page *srdf*, and the package `srdfdom`),
//! and what Pinocchio reads beside it:
//!
//! * A `<group>` has the joints that it names, those that move its links, those between the ends of
//!   its chains, and those of its subgroups, which may come later in the file.
//! * A `<group_state>` is a configuration of the whole robot, as in Pinocchio: joints that it does
//!   not name are neutral. Of several states of one name the first has the name, the others are
//!   `group/name`.
//! * A joint has as many values as entries of q. A continuous joint may have its angle or its
//!   cosine and sine, whatever [`Continuous`](crate::Continuous) says; a planar joint may have an
//!   angle; `root_joint` is the joint that moves a [floating
//!   base](crate::LoadOptions::floating_base). A value outside the joint's limits is a warning.
//! * `<disable_collisions>` and `<disable_default_collisions>` are
//!   [contact exclusions](crate::description::ContactExclusion); `<enable_collisions>` takes pairs
//!   from the latter.
//! * `<rotor_params>`, which Pinocchio has, sets rotor inertia and gear ratio of joints. Its
//!   attribute `mass` is the inertia in kg·m².
//! * A reference to a part that does not exist is left out with a warning that names the most
//!   similar part. All other elements are [kept](crate::description::KeptElement) as they are
//!   written.

mod collisions;
mod groups;
mod parts;
mod read;
mod states;
mod write;

pub(crate) use write::is_needed;
pub use write::to_string;

use crate::description::{Description, Robot, SourceText, Sources};
use crate::document;
use crate::error::Error;
use crate::report::{Fault, Report, not_allowed};
use crate::warning::Warning;
use crate::xacro::is_xacro;
use crate::xml::{Element, shortened};
use featherline::Model;
use std::path::Path;

/// A description with what an SRDF says of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Described {
    /// The description, with groups, states, contact exclusions and rotors.
    pub description: Description,
    /// Warnings about the SRDF, in its order.
    pub warnings: Vec<Warning>,
}

/// Adds an SRDF file to a description. Cost: linear in the size of the file, but for groups in
/// groups.
///
/// # Errors
/// [`Error`] for a file that can't be read or is no SRDF. Everything else that is wrong with it is
/// a warning.
pub fn load(path: impl AsRef<Path>, description: &Description) -> Result<Described, Error> {
    let path = path.as_ref();
    let text = SourceText::new(document::read_file(path)?, Some(path));
    describe(text, description, None)
}

/// Adds the text of an SRDF to a description. Cost: as [`load`].
///
/// # Errors
/// Those of [`load`].
pub fn load_str(text: &str, description: &Description) -> Result<Described, Error> {
    describe(SourceText::new(text, None), description, None)
}

impl Robot {
    /// The robot with what an [SRDF](crate::srdf) file says of it: its states are reference
    /// configurations of the model, rotors are part of the drives, all else is in the description.
    ///
    /// ```no_run
    /// use featherline_formats::{LoadOptions, load_with};
    ///
    /// let robot = load_with("talos.urdf", &LoadOptions::new().floating_base(true))?;
    /// let robot = robot.with_srdf("talos.srdf")?;
    /// let q = &robot.model.reference_configurations()["half_sitting"];
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`srdf::load`](load).
    pub fn with_srdf(self, path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let text = SourceText::new(document::read_file(path)?, Some(path));
        self.with(text)
    }

    /// [`with_srdf`](Self::with_srdf) for the text of an SRDF.
    ///
    /// # Errors
    /// Those of [`srdf::load`](load).
    pub fn with_srdf_str(self, text: &str) -> Result<Self, Error> {
        self.with(SourceText::new(text, None))
    }

    fn with(mut self, text: SourceText) -> Result<Self, Error> {
        let mut model = self.model;
        let described = describe(text, &self.description, Some(&mut model))?;
        self.model = model;
        self.description = described.description;
        self.warnings.extend(described.warnings);
        Ok(self)
    }
}

/// The description with an SRDF; a model of it gets the states and the rotors.
fn describe(
    text: SourceText,
    description: &Description,
    model: Option<&mut Model>,
) -> Result<Described, Error> {
    let index = description.sources.texts().len();
    let mut texts = description.sources.texts().to_vec();
    texts.push(text);
    let sources = Sources::new(texts);
    let document = document::parse(&sources.texts()[index])?;
    let root = Element::root(&document, index);
    let mut report = Report::new(&sources);
    if let Some(fault) = no_srdf(root) {
        return Err(report.error(*fault));
    }
    let mut description = description.clone();
    description.sources = sources.clone();
    read::read(root, &mut description, model, &mut report);
    Ok(Described {
        description,
        warnings: report.into_warnings(),
    })
}

/// Whether a robot's element is that of an SRDF, and of no URDF.
pub(crate) fn is_srdf(root: Element<'_>) -> bool {
    let has = |tags: &[&str]| root.children().any(|it| tags.contains(&it.tag()));
    !has(&["link", "joint"]) && has(&["group", "group_state", "disable_collisions"])
}

/// Why a text is no SRDF.
fn no_srdf(root: Element<'_>) -> Option<Box<Fault>> {
    let is_urdf = |child: Element<'_>| {
        let holds = |tag| child.children().any(|it| it.tag() == tag);
        child.tag() == "joint" && holds("parent") && holds("child")
    };
    let (what, remedy) = if root.tag() != "robot" {
        (
            format!("the root element is `<{}>`", shortened(root.tag())),
            "an SRDF begins with `<robot>`, and names parts of a robot of another file",
        )
    } else if root.children().any(is_urdf) {
        (
            "this is a URDF, and no SRDF".to_owned(),
            "give it as the robot, and an SRDF, which names parts of it, beside it",
        )
    } else if is_xacro(root) {
        (
            "this SRDF is written in xacro".to_owned(),
            "expand it with the program `xacro` first",
        )
    } else {
        return None;
    };
    Some(not_allowed(root.source(), what, remedy))
}
