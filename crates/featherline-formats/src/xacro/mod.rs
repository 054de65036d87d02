//! xacro, the macro language of URDF files.
//!
//! A file in it is a program. Its output and its running time are bounded ([`budget`]), and it
//! reads files of its robot's folders only.

#[cfg(feature = "xacro")]
mod budget;
#[cfg(feature = "xacro")]
mod evaluate;
#[cfg(feature = "xacro")]
mod expansion;
#[cfg(feature = "xacro")]
mod functions;
#[cfg(feature = "xacro")]
mod macros;
#[cfg(feature = "xacro")]
mod mathematics;
#[cfg(feature = "xacro")]
mod parse;
#[cfg(feature = "xacro")]
mod scope;
#[cfg(feature = "xacro")]
mod text;
#[cfg(feature = "xacro")]
mod tree;
#[cfg(feature = "xacro")]
mod value;
#[cfg(feature = "xacro")]
mod yaml;

use crate::document;
use crate::error::{Error, ErrorCause};
use crate::location::Location;
use crate::options::LoadOptions;
use crate::sources::SourceText;
use crate::suggestion::similar;
use crate::warning::{Warning, WarningCause};
use crate::xml::{Element, shortened};
use std::path::{Path, PathBuf};

/// The end of the name of an expanded file in locations.
const EXPANDED: &str = " (expanded)";

/// Whether a text is written in xacro: its root declares the language, and an element or an
/// attribute is of it. A file written by the program `xacro` declares it, too.
pub(crate) fn is_xacro(root: Element<'_>) -> bool {
    prefixes(root).any(|prefix| {
        root.descendants().any(|element| {
            let is_expression = |value: &str| value.contains("${") || value.contains("$(");
            let mut attributes = element.attributes();
            element.tag().starts_with(&prefix) || attributes.any(|it| is_expression(it.value))
        })
    })
}

/// The prefixes of the language, with their colons.
fn prefixes(root: Element<'_>) -> impl Iterator<Item = String> + use<> {
    let declared = root.prefixes().into_iter();
    declared
        .filter(|(prefix, uri)| prefix == "xacro" || uri.ends_with("ros.org/wiki/xacro"))
        .map(|(prefix, _)| prefix + ":")
}

/// The expansion of a text in xacro.
pub(crate) struct Expanded {
    /// The text, under the file's name for it.
    pub(crate) text: SourceText,
    /// Arguments that the file does not have.
    pub(crate) warnings: Vec<Warning>,
}

/// Expands a text in xacro.
pub(crate) fn expand(
    text: &str,
    path: Option<&Path>,
    options: &LoadOptions,
) -> Result<Expanded, Error> {
    if path.is_none() && text.contains(":include") {
        let reason = "a text that is passed as a string includes no files; load it from its file";
        return Err(refused(path, reason));
    }
    let (expanded, included) = processor::run(text, path, options)?;
    let texts = std::iter::once(text).chain(included.iter().map(String::as_str));
    let name = path.map(|path| {
        let mut name = path.as_os_str().to_owned();
        name.push(EXPANDED);
        PathBuf::from(name)
    });
    Ok(Expanded {
        text: SourceText::new(expanded, name.as_deref()),
        warnings: unknown_arguments(texts, path, options),
    })
}

/// The error of a file in xacro as a whole.
fn refused(path: Option<&Path>, reason: impl Into<String>) -> Error {
    Error::new(Location::of_file(path), ErrorCause::Xacro(reason.into()))
}

/// Warnings of arguments that no text declares or uses.
fn unknown_arguments<'a>(
    texts: impl Iterator<Item = &'a str>,
    path: Option<&Path>,
    options: &LoadOptions,
) -> Vec<Warning> {
    if options.xacro_arguments.is_empty() {
        return Vec::new();
    }
    let mut known: Vec<String> = Vec::new();
    for text in texts {
        let uses = text.split("$(arg ").skip(1);
        let used = uses.filter_map(|rest| Some(rest.split_once(')')?.0.trim().to_owned()));
        for name in declared(text).into_iter().chain(used) {
            if !known.contains(&name) {
                known.push(name);
            }
        }
    }
    let given = options.xacro_arguments.iter();
    let unknown = given.filter(|(name, _)| !known.contains(name));
    let warnings = unknown.map(|(name, _)| Warning {
        location: Location::of_file(path),
        cause: WarningCause::UnknownArgument {
            name: shortened(name),
            suggestion: similar(name, known.iter().map(String::as_str)),
            known: known.iter().map(|it| shortened(it)).collect(),
        },
    });
    warnings.collect()
}

/// The names in the `<xacro:arg>` of a text.
fn declared(text: &str) -> Vec<String> {
    let text = SourceText::new(text, None);
    let Ok(document) = document::parse(&text) else {
        return Vec::new();
    };
    let root = Element::root(&document, 0);
    let tags: Vec<String> = prefixes(root).map(|prefix| prefix + "arg").collect();
    let arguments = root.descendants();
    let arguments = arguments.filter(|it| tags.iter().any(|tag| tag == it.tag()));
    let names = arguments.filter_map(|it| Some(it.attribute("name")?.value.to_owned()));
    names.collect()
}

#[cfg(not(feature = "xacro"))]
mod processor {
    use super::*;

    pub(super) fn run(
        _: &str,
        path: Option<&Path>,
        _: &LoadOptions,
    ) -> Result<(String, Vec<String>), Error> {
        let reason = "this is a xacro file, and this build does not expand it; expand it with the \
                      program `xacro`, or build with the feature `xacro` (`cargo install --path \
                      crates/featherline-cli --features xacro`)";
        Err(refused(path, reason))
    }
}

#[cfg(feature = "xacro")]
mod processor {
    use super::*;
    use crate::location::LineIndex;
    use expansion::Expansion;

    /// The stack of the thread that expands, in bytes, so that the depth that is accepted does not
    /// hang on whose thread loads a robot.
    const STACK: usize = 64 << 20;

    /// The text that a text expands to, and the texts that it includes.
    pub(super) fn run(
        text: &str,
        path: Option<&Path>,
        options: &LoadOptions,
    ) -> Result<(String, Vec<String>), Error> {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK);
            let expanding = thread.spawn_scoped(scope, || expand(text, path, options));
            let expanded = expanding.map_err(|error| {
                let reason = format!("the xacro file can't be expanded: no thread: {error}");
                refused(path, reason)
            })?;
            // A panic in that thread is resumed here.
            expanded
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn expand(
        text: &str,
        path: Option<&Path>,
        options: &LoadOptions,
    ) -> Result<(String, Vec<String>), Error> {
        let mut expansion = Expansion::new(text, path, options);
        match expansion.run() {
            Ok(expanded) => {
                let included = expansion.files.into_iter().skip(1);
                Ok((expanded, included.map(|it| it.text).collect()))
            }
            Err(refusal) => Err(located(&expansion, &refusal.0)),
        }
    }

    /// The error, where the expansion is.
    fn located(expansion: &Expansion<'_>, reason: &str) -> Error {
        let place = expansion.here;
        let file = &expansion.files[place.file];
        let lines = LineIndex::new(&file.text);
        let within = match expansion.macros.last() {
            Some(name) => format!(" (in the macro `{name}`)"),
            None => String::new(),
        };
        let location = Location {
            file: file.path.clone(),
            position: Some(lines.position(place.start)),
            element: None,
            span: Some(lines.span(place.start..place.end)),
        };
        let reason = format!("the xacro file can't be expanded: {reason}{within}");
        Error::new(location, ErrorCause::Xacro(reason))
    }
}
