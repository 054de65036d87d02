//! The front door: robots of any format.

use crate::description::{Description, Robot, SourceText, Sources};
use crate::error::{Error, ErrorCause};
use crate::file::{Unreadable, read_text};
use crate::location::{LineIndex, Location, Position};
use crate::options::LoadOptions;
use crate::report::{Outcome, Report, fault};
use crate::resolve::Resolver;
use crate::xml::{self, Element, Place, Refused, XmlRefusal, shortened};
use crate::{model_file, urdf};
use std::path::Path;

/// Reads a robot with the default options: [`load_with`] takes others.
///
/// The format is recognised by the content: [URDF](crate::urdf), or a
/// [model file](crate::model_file). Cost: linear in the size of the file.
///
/// ```no_run
/// let robot = featherline_formats::load("robot.urdf")?;
/// for warning in &robot.warnings {
///     eprintln!("{warning}");
/// }
/// # Ok::<(), featherline_formats::Error>(())
/// ```
///
/// # Errors
/// [`Error`], with the file, line, column, element and cause.
pub fn load(path: impl AsRef<Path>) -> Result<Robot, Error> {
    load_with(path, &LoadOptions::default())
}

/// Reads a robot.
///
/// Cost: linear in the size of the file, apart from sorting siblings.
///
/// ```no_run
/// use featherline_formats::{LoadOptions, load_with};
///
/// let humanoid = load_with("robot.urdf", &LoadOptions::new().floating_base(true))?;
/// # Ok::<(), featherline_formats::Error>(())
/// ```
///
/// # Errors
/// [`Error`], with the file, line, column, element and cause.
pub fn load_with(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Robot, Error> {
    let path = path.as_ref();
    read(read_file(path)?, Some(path), options)
}

/// Reads a robot from a text with the default options: [`load_str_with`] takes others.
///
/// Cost: linear in the length of the text.
///
/// ```
/// let text = "<robot name='stone'><link name='stone'/></robot>";
/// let robot = featherline_formats::load_str(text)?;
/// assert_eq!(robot.model.nv(), 0);
/// # Ok::<(), featherline_formats::Error>(())
/// ```
///
/// # Errors
/// [`Error`], with the line, column, element and cause.
pub fn load_str(text: &str) -> Result<Robot, Error> {
    load_str_with(text, &LoadOptions::default())
}

/// Reads a robot from a text.
///
/// Cost: linear in the length of the text, apart from sorting siblings.
///
/// ```
/// use featherline_formats::{LoadOptions, load_str_with};
///
/// let text = "<robot name='stone'><link name='stone'/></robot>";
/// let robot = load_str_with(text, &LoadOptions::new().floating_base(true))?;
/// assert_eq!(robot.model.nv(), 6);
/// # Ok::<(), featherline_formats::Error>(())
/// ```
///
/// # Errors
/// [`Error`], with the line, column, element and cause.
pub fn load_str_with(text: &str, options: &LoadOptions) -> Result<Robot, Error> {
    read(text.to_owned(), None, options)
}

/// The text of a file.
pub(crate) fn read_file(path: &Path) -> Result<String, Error> {
    read_text(path).map_err(|unreadable| {
        let mut location = Location {
            file: Some(path.to_owned()),
            ..Location::default()
        };
        let cause = match unreadable {
            Unreadable::Io(error) => ErrorCause::Unreadable(error),
            Unreadable::TooLarge { limit } => ErrorCause::Xml(XmlRefusal::TooLarge { limit }),
            Unreadable::NotUtf8 { valid } => {
                location.position = Some(LineIndex::new(&valid).position(valid.len()));
                ErrorCause::NotUtf8
            }
        };
        Error::new(location, cause)
    })
}

fn read(text: String, path: Option<&Path>, options: &LoadOptions) -> Result<Robot, Error> {
    if model_file::is_json(&text) {
        return Ok(Robot::from_model(model_file::read(&text, path)?));
    }
    let sources = Sources::new([SourceText::new(text, path)]);
    let text = &sources.texts()[0].text;
    let refused = |refused: Refused| {
        let position = match refused.place {
            Place::Offset(offset) => LineIndex::new(text).position(offset),
            Place::LineColumn(line, column) => Position { line, column },
        };
        let location = Location {
            file: path.map(Path::to_owned),
            position: Some(position),
            element: None,
        };
        Error::new(location, ErrorCause::Xml(refused.why))
    };
    let open = xml::check(text).map_err(refused)?;
    let document = xml::parse(text, &open).map_err(refused)?;
    let mut report = Report::new(&sources);
    let root = Element::root(&document, 0);
    let mut resolver = Resolver::new(path, &options.package_folders);
    let described = describe(root, options, &mut resolver, &mut report);
    let mut description = described.map_err(|fault| report.error(*fault))?;
    description.sources = sources.clone();
    let model = description.assemble(options, &mut report);
    let model = model.map_err(|fault| report.error(*fault))?;
    Ok(Robot {
        model,
        warnings: report.into_warnings(),
        description,
    })
}

/// The description of a text, in the format of its root element.
fn describe(
    root: Element<'_>,
    options: &LoadOptions,
    resolver: &mut Resolver<'_>,
    report: &mut Report<'_>,
) -> Outcome<Description> {
    let mut description = Description::new("");
    match root.tag() {
        "robot" => urdf::read(root, options, resolver, &mut description, report)?,
        other => {
            let root_tag = shortened(other);
            let cause = ErrorCause::UnknownFormat { root: root_tag };
            return Err(fault(root.source(), cause));
        }
    }
    Ok(description)
}
