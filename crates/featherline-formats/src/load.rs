//! The front door: robots of any format.

use crate::description::{Description, Robot, SourceText, Sources};
use crate::error::{Error, ErrorCause};
use crate::file_format::FileFormat;
use crate::location::{Location, Source};
use crate::options::{LoadOptions, MissingInertia};
use crate::report::{Outcome, Report, fault, not_allowed};
use crate::resolve::{Bounds, Resolver};
#[cfg(feature = "scene")]
use crate::scene;
use crate::warning::{Warning, WarningCause};
use crate::xml::{Document, Element, shortened};
use crate::{document, mjcf, model_file, srdf, urdf, xacro};
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Reads a robot with the default options: [`load_with`] takes others.
///
/// The format is recognised by the content: [URDF](crate::urdf), [MJCF](crate::mjcf), a [model
/// file](crate::model_file), or a [scene](crate::scene) of several robots and bodies. Cost: linear
/// in the size of the file.
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
    let text = document::read_file(path).map_err(|error| not_embedded(error, path))?;
    read_over(text, Some(path), options, &HashMap::new())
}

/// The error of a file that does not exist; one whose name is a word may be meant as an embedded
/// robot, which this crate has none of.
fn not_embedded(error: Error, path: &Path) -> Error {
    let ErrorCause::Unreadable(reason) = error.cause() else {
        return error;
    };
    let name = path.to_str().unwrap_or_default();
    if reason.kind() != ErrorKind::NotFound || name.is_empty() || name.contains(['/', '\\', '.']) {
        return error;
    }
    let text = format!(
        "{reason}; embedded robots come from the crate featherline-robots: `featherline_robots::load(\"{name}\", …)`"
    );
    let reason = std::io::Error::new(ErrorKind::NotFound, text);
    Error::new(error.location().clone(), ErrorCause::Unreadable(reason))
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
    read_over(text.to_owned(), None, options, &HashMap::new())
}

/// Reads a robot; files that are in `written` have the text there, whatever the disk has.
pub(crate) fn read_over(
    text: String,
    path: Option<&Path>,
    options: &LoadOptions,
    written: &HashMap<PathBuf, String>,
) -> Result<Robot, Error> {
    let format = FileFormat::of_text(&text, path);
    match format {
        Some(FileFormat::ModelFile) => {
            return Ok(Robot::from_model(model_file::read(&text, path)?));
        }
        Some(format) if !format.is_read() => {
            let location = Location::of_file(path);
            return Err(Error::new(location, ErrorCause::OtherFormat(format)));
        }
        Some(_) | None => {}
    }
    let mut warnings = of_folders(path, options)?;
    #[cfg(feature = "scene")]
    if format == Some(FileFormat::Scene) {
        let read_robot = |text, path: Option<&Path>, options: &LoadOptions| {
            read_over(text, path, options, written)
        };
        return scene::read(text, path, options, &read_robot)?.checked(warnings, options);
    }
    let robot = read_document(SourceText::new(text, path), options, written, &mut warnings)?;
    robot.checked(warnings, options)
}

/// Reads a text in XML, expanded if it is written in xacro.
fn read_document(
    text: SourceText,
    options: &LoadOptions,
    written: &HashMap<PathBuf, String>,
    warnings: &mut Vec<Warning>,
) -> Result<Robot, Error> {
    let sources = Sources::new([text]);
    let text = &sources.texts()[0];
    let document = document::parse(text)?;
    let path = text.path.as_deref();
    if xacro::is_xacro(Element::root(&document, 0)) {
        let expanded = xacro::expand(&text.text, path, options)?;
        warnings.extend(expanded.warnings);
        let sources = Sources::new([expanded.text]);
        let document = document::parse(&sources.texts()[0])?;
        return read_xml(&sources, document, options, written);
    }
    if !options.xacro_arguments.is_empty() {
        let (option, why) = ("xacro_argument", "the file is not written in xacro");
        let cause = WarningCause::IdleOption { option, why };
        let location = Location::of_file(path);
        warnings.push(Warning { location, cause });
    }
    read_xml(&sources, document, options, written)
}

/// Fails for a folder that bounds what is read and does not exist; warns of one that is searched.
fn of_folders(path: Option<&Path>, options: &LoadOptions) -> Result<Vec<Warning>, Error> {
    let shown = |folder: &PathBuf| shortened(&folder.display().to_string());
    let mut roots = options.root_folders.iter();
    if let Some(missing) = roots.find(|it| !it.is_dir()) {
        let (option, folder) = ("root_folder", shown(missing));
        let cause = ErrorCause::NoFolder { option, folder };
        return Err(Error::new(Location::of_file(path), cause));
    }
    let missing = options.package_folders.iter().filter(|it| !it.is_dir());
    let warnings = missing.map(|it| Warning {
        location: Location::of_file(path),
        cause: WarningCause::NoFolder {
            option: "package_folder",
            folder: shown(it),
        },
    });
    Ok(warnings.collect())
}

/// Reads a text without xacro, and those that it includes.
fn read_xml(
    sources: &Sources,
    document: Document<'_>,
    options: &LoadOptions,
    written: &HashMap<PathBuf, String>,
) -> Result<Robot, Error> {
    if FileFormat::of_root(Element::root(&document, 0).tag()) != Some(FileFormat::Mjcf) {
        return assemble(sources, &[document], &HashMap::new(), options);
    }
    let main = sources.texts()[0].clone();
    let bounds = Bounds::new(main.path.as_deref(), options);
    let included = mjcf::gather(main, written, &bounds)?;
    let sources = Sources::new(included.texts);
    let documents = mjcf::documents(sources.texts())?;
    assemble(&sources, &documents, &included.at, options)
}

/// The options that a model is made by: the world of an MJCF file does not float, and MJCF itself
/// says what bodies without inertia are.
fn of_format(root: Element<'_>, options: &LoadOptions) -> LoadOptions {
    let format = FileFormat::of_root(root.tag());
    let floats = options.floating_base && !format.is_some_and(FileFormat::says_floating_base);
    let of_format = options.clone().floating_base(floats);
    match format == Some(FileFormat::Mjcf) {
        true => of_format.missing_inertia(MissingInertia::Zero),
        false => of_format,
    }
}

/// The robot of texts; `included` has the indices of those that are included, by their places.
fn assemble(
    sources: &Sources,
    documents: &[Document<'_>],
    included: &HashMap<Source, usize>,
    options: &LoadOptions,
) -> Result<Robot, Error> {
    let report = Report::new(sources).documents(documents);
    let mut report = report.permissive(options.permissive);
    let path = sources.texts()[0].path.as_deref();
    let resolver = Resolver::new(path, options);
    let texts = sources.texts();
    let described = describe(texts, documents, included, options, resolver, &mut report);
    let mut description = described.map_err(|fault| report.error(*fault))?;
    description.sources = sources.clone();
    let options = of_format(Element::root(&documents[0], 0), options);
    let model = description.assemble(&options, &mut report);
    let model = model.map_err(|fault| report.error(*fault))?;
    Ok(Robot {
        model,
        warnings: report.into_warnings(),
        description,
    })
}

/// The description of a text, in the format of its root element.
fn describe<'a>(
    texts: &'a [SourceText],
    documents: &'a [Document<'a>],
    included: &'a HashMap<Source, usize>,
    options: &LoadOptions,
    mut resolver: Resolver<'a>,
    report: &mut Report<'_>,
) -> Outcome<Description> {
    let mut description = Description::new("");
    let root = Element::root(&documents[0], 0);
    match FileFormat::of_root(root.tag()) {
        Some(FileFormat::Mjcf) => {
            let texts = mjcf::Texts::new(texts, documents, included);
            mjcf::read(root, texts, options, resolver, &mut description, report)?;
        }
        Some(FileFormat::Urdf) if srdf::is_srdf(root) => {
            let remedy = "read its URDF, and add this by `with_srdf` (`--srdf FILE`)";
            return Err(not_allowed(
                root.source(),
                "this is an SRDF, and no robot",
                remedy,
            ));
        }
        Some(FileFormat::Urdf) => {
            urdf::read(root, options, &mut resolver, &mut description, report)?
        }
        Some(
            format @ (FileFormat::ModelFile
            | FileFormat::Xacro
            | FileFormat::Srdf
            | FileFormat::Scene
            | FileFormat::Usd
            | FileFormat::Sdf),
        ) => return Err(fault(root.source(), ErrorCause::OtherFormat(format))),
        None => {
            let root_tag = shortened(root.tag());
            let cause = ErrorCause::UnknownFormat { root: root_tag };
            return Err(fault(root.source(), cause));
        }
    }
    Ok(description)
}
