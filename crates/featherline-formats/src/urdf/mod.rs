//! URDF, the Unified Robot Description Format: kinematic and inertial content.
//!
//! The reader follows the format's specification (Open Robotics, *URDF/XML*, the ROS wiki). Where
//! the specification leaves a choice:
//!
//! * Links that fixed joints connect are one body of the model; the frames of all links and fixed
//!   joints are kept. A fixed joint that is named in [`UrdfOptions::keep_fixed_joint`] stays a
//!   joint.
//! * The root link is fixed in the world, or with [`UrdfOptions::floating_base`] moved by a
//!   free-flyer `root_joint`.
//! * A `planar` joint moves in the plane through its origin whose normal is the axis: its x and y
//!   are those of the joint's frame after the smallest rotation that takes z to the axis. A
//!   `floating` joint is a free-flyer. Limits and dynamics of both are not used, because they do
//!   not say which degree of freedom they are for.
//! * A mimic joint has no entry in q and v (see [`MimicJoints`]), and may come before the mimicked
//!   joint.
//! * `lower`, `upper`, `velocity` and `effort` may be `inf` or `-inf`; every other number is
//!   finite.
//! * `quat_xyzw` may replace `rpy` in an `<origin>`.
//!
//! Armature, rotor inertia and gear ratio are not part of the format. Meshes are never opened.

mod assemble;
mod error;
mod mimic;
mod options;
mod read;
mod report;
mod tree;
mod value;
mod warning;

pub use error::{UrdfError, UrdfErrorCause};
pub use options::{Continuous, MimicJoints, SiblingOrder, UrdfOptions};
pub use warning::{Severity, UrdfWarning, UrdfWarningCause};

use crate::file::{Unreadable, read_text};
use crate::location::{LineIndex, Location};
use crate::xml::{self, Element, Place, Refused, XmlRefusal};
use featherline::Model;
use report::Report;
use std::path::Path;

/// A robot that was read, with warnings about its file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// Warnings, in the order of the file.
    pub warnings: Vec<UrdfWarning>,
}

/// Reads a URDF file with the default options: [`read_file_with`] takes others.
///
/// Cost: linear in the size of the file.
///
/// ```no_run
/// use featherline_formats::urdf;
///
/// let robot = urdf::read_file("robot.urdf")?;
/// for warning in &robot.warnings {
///     eprintln!("{warning}");
/// }
/// # Ok::<(), urdf::UrdfError>(())
/// ```
///
/// # Errors
/// [`UrdfError`], with the file, line, column, element and cause.
pub fn read_file(path: impl AsRef<Path>) -> Result<Loaded, UrdfError> {
    read_file_with(path, &UrdfOptions::default())
}

/// Reads a URDF file.
///
/// Cost: linear in the size of the file, apart from sorting siblings.
///
/// ```no_run
/// use featherline_formats::urdf::{self, UrdfOptions};
///
/// let humanoid = urdf::read_file_with("robot.urdf", &UrdfOptions::new().floating_base(true))?;
/// # Ok::<(), urdf::UrdfError>(())
/// ```
///
/// # Errors
/// [`UrdfError`], with the file, line, column, element and cause.
pub fn read_file_with(path: impl AsRef<Path>, options: &UrdfOptions) -> Result<Loaded, UrdfError> {
    let path = path.as_ref();
    let of_file = |cause| {
        let location = Location {
            file: Some(path.to_owned()),
            ..Location::default()
        };
        UrdfError::new(location, cause)
    };
    match read_text(path) {
        Ok(text) => read(&text, Some(path), options),
        Err(Unreadable::Io(error)) => Err(of_file(UrdfErrorCause::Unreadable(error))),
        Err(Unreadable::TooLarge { limit }) => {
            Err(of_file(UrdfErrorCause::Xml(XmlRefusal::TooLarge { limit })))
        }
        Err(Unreadable::NotUtf8 { valid }) => {
            let location = Location {
                file: Some(path.to_owned()),
                position: Some(LineIndex::new(&valid).position(valid.len())),
                element: None,
            };
            Err(UrdfError::new(location, UrdfErrorCause::NotUtf8))
        }
    }
}

/// Reads a URDF text with the default options: [`read_str_with`] takes others.
///
/// Cost: linear in the length of the text.
///
/// ```
/// let text = "<robot name='stone'><link name='stone'/></robot>";
/// let robot = featherline_formats::urdf::read_str(text)?;
/// assert_eq!(robot.model.nv(), 0);
/// # Ok::<(), featherline_formats::urdf::UrdfError>(())
/// ```
///
/// # Errors
/// [`UrdfError`], with the line, column, element and cause.
pub fn read_str(text: &str) -> Result<Loaded, UrdfError> {
    read_str_with(text, &UrdfOptions::default())
}

/// Reads a URDF text.
///
/// Cost: linear in the length of the text, apart from sorting siblings.
///
/// ```
/// use featherline_formats::urdf::{self, UrdfOptions};
///
/// let text = "<robot name='stone'><link name='stone'/></robot>";
/// let robot = urdf::read_str_with(text, &UrdfOptions::new().floating_base(true))?;
/// assert_eq!(robot.model.nv(), 6);
/// # Ok::<(), urdf::UrdfError>(())
/// ```
///
/// # Errors
/// [`UrdfError`], with the line, column, element and cause.
pub fn read_str_with(text: &str, options: &UrdfOptions) -> Result<Loaded, UrdfError> {
    read(text, None, options)
}

fn read(text: &str, file: Option<&Path>, options: &UrdfOptions) -> Result<Loaded, UrdfError> {
    let refused = |refused: Refused| {
        let lines = LineIndex::new(text);
        let position = match refused.place {
            Place::Offset(offset) => lines.position(offset),
            Place::LineColumn(line, column) => crate::Position { line, column },
        };
        let location = Location {
            file: file.map(Path::to_owned),
            position: Some(position),
            element: None,
        };
        UrdfError::new(location, UrdfErrorCause::Xml(refused.why))
    };
    let open = xml::check(text).map_err(refused)?;
    let document = xml::parse(text, &open).map_err(refused)?;
    let mut report = Report::new(text, file);
    let model = model(Element::root(&document), options, &mut report).map_err(|fault| {
        let location = report.location(fault.offset, fault.element);
        UrdfError::new(location, fault.cause)
    })?;
    Ok(Loaded {
        model,
        warnings: report.into_warnings(),
    })
}

fn model<'a>(
    root: Element<'a>,
    options: &UrdfOptions,
    report: &mut Report<'_>,
) -> report::Outcome<Model> {
    let description = read::description(root, report)?;
    let tree = tree::Tree::new(&description, options.sibling_order, report)?;
    assemble::assemble(&description, &tree, options, report)
}
