//! xacro, the macro language of URDF files.

use crate::document;
use crate::error::{Error, ErrorCause};
use crate::location::Location;
use crate::options::LoadOptions;
use crate::sources::SourceText;
use crate::suggestion::similar;
use crate::warning::{Warning, WarningCause};
use crate::xml::{Element, shortened};
use std::path::{Path, PathBuf};

/// What the name of an expanded file ends with in locations.
const EXPANDED: &str = " (expanded)";

/// Whether a text is written in xacro: its root declares the language, and an element or an
/// attribute is of it. What the program `xacro` wrote declares it, too.
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

/// The file's name for positions in its expanded text.
fn expanded_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(EXPANDED);
    name.into()
}

/// What a text in xacro expands to.
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
    let refused = |reason: &str| {
        let location = Location {
            file: path.map(Path::to_owned),
            ..Location::default()
        };
        Error::new(location, ErrorCause::Xacro(reason.to_owned()))
    };
    if !options.root_folders.is_empty() {
        return Err(refused(
            "this is a xacro file: it may name any file, and is not expanded where the option \
             `root_folder` bounds which files are read; expand it first",
        ));
    }
    if path.is_none() && text.contains(":include") {
        return Err(refused(
            "a text that is passed as a string includes no files; load it from its file",
        ));
    }
    let (expanded, included) = processor::run(text, path, options)?;
    let texts = std::iter::once(text).chain(included.iter().map(String::as_str));
    let name = path.map(expanded_name);
    Ok(Expanded {
        text: SourceText::new(expanded, name.as_deref()),
        warnings: unknown_arguments(texts, path, options),
    })
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
        let names = declared(text).into_iter().chain(used);
        for name in names {
            if !known.contains(&name) {
                known.push(name);
            }
        }
    }
    let given = options.xacro_arguments.iter();
    let unknown = given.filter(|(name, _)| !known.contains(name));
    let warnings = unknown.map(|(name, _)| Warning {
        location: Location {
            file: path.map(Path::to_owned),
            ..Location::default()
        },
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
        let location = Location {
            file: path.map(Path::to_owned),
            ..Location::default()
        };
        let reason = "this is a xacro file, and this build does not expand it; expand it with the \
                      program `xacro`, or build with the feature `xacro` (`cargo install --path \
                      crates/featherline-cli --features xacro`)";
        Err(Error::new(location, ErrorCause::Xacro(reason.to_owned())))
    }
}

#[cfg(feature = "xacro")]
mod processor {
    use super::*;
    use crate::document::read_file;
    use crate::location::LineIndex;
    use crate::resolve::Resolver;
    use std::any::Any;
    use std::error::Error as StdError;
    use xacro_rs::extensions::{ExtensionHandler, OptEnvExtension};
    use xacro_rs::{XacroError, XacroProcessor};

    /// The text that a text expands to, and the texts that it includes.
    pub(super) fn run(
        text: &str,
        path: Option<&Path>,
        options: &LoadOptions,
    ) -> Result<(String, Vec<String>), Error> {
        let find = Find {
            file: path.map(Path::to_owned),
            folders: options.package_folders.clone(),
        };
        let mut builder = XacroProcessor::builder()
            .with_compat_all()
            .with_ros_yaml_units()
            .with_extension(Box::new(find))
            .with_extension(Box::new(OptEnvExtension::new()));
        for (name, value) in &options.xacro_arguments {
            builder = builder.with_arg(name, value);
        }
        let processor = builder.build();
        let expanded = match path {
            Some(path) => processor.run_with_deps(path),
            None => processor.run_from_string_with_deps(text),
        };
        let (expanded, included) = expanded.map_err(|error| located(&error, text, path))?;
        let included = included.iter().filter_map(|path| read_file(path).ok());
        Ok((expanded, included.collect()))
    }

    /// The error, in its file and at the expression that it names.
    fn located(error: &XacroError, text: &str, path: Option<&Path>) -> Error {
        let (mut cause, mut file, mut macros) = (error, path.map(Path::to_owned), Vec::new());
        while let XacroError::WithContext { source, context } = cause {
            file = context.file.clone().or(file);
            if !context.macro_stack.is_empty() {
                macros.clone_from(&context.macro_stack);
            }
            cause = source;
        }
        let read = match (&file, path) {
            (Some(file), Some(path)) if file != path => read_file(file).ok(),
            _ => None,
        };
        let text = read.as_deref().unwrap_or(text);
        let message = message(cause);
        let quoted = message.split('\'').nth(1);
        let expression = if let XacroError::EvalError { expr, .. } = cause {
            Some(expr.as_str())
        } else {
            quoted
        };
        // A short name stands in many places.
        let place = expression.filter(|it| it.len() > 2);
        let place = place.and_then(|expression| text.find(expression));
        let within = match macros.last() {
            Some(name) => format!(" (in the macro `{name}`)"),
            None => String::new(),
        };
        let location = Location {
            file,
            position: place.map(|offset| LineIndex::new(text).position(offset)),
            element: None,
            span: place.map(|offset| {
                LineIndex::new(text).span(offset..offset + expression.map_or(0, str::len))
            }),
        };
        let reason = format!(
            "the xacro file can't be expanded: {message}{within}{}",
            hint(cause, &message)
        );
        Error::new(location, ErrorCause::Xacro(reason))
    }

    /// What to do about an error.
    fn hint(error: &XacroError, message: &str) -> &'static str {
        if message.contains("Undefined argument") {
            "; give it a value by the option `xacro_argument` (`--xacro NAME:=VALUE`)"
        } else if let XacroError::UnimplementedFeature(_) = error {
            "; the program `xacro` knows more elements"
        } else {
            ""
        }
    }

    /// What is wrong, on one line, not too long.
    fn message(error: &XacroError) -> String {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others fit on one line")]
        let line = match error {
            XacroError::EvalError { expr, source } => {
                let mut reason: &dyn StdError = source;
                while let Some(deeper) = reason.source() {
                    reason = deeper;
                }
                let reason = reason.to_string();
                let reason = match reason.starts_with("Parse error") {
                    // What follows is the parser's state.
                    true => "this expression can't be read",
                    false => &reason,
                };
                format!("`{expr}`: {reason}")
            }
            XacroError::InvalidExtension { content, reason } => {
                // The parts that are reported are quoted.
                format!("'$({content})': {reason}")
            }
            XacroError::UnimplementedFeature(what) => {
                let element = what.lines().next().unwrap_or_default();
                format!(
                    "`{element}` is neither a macro that is defined nor an element that is expanded"
                )
            }
            // Lines after the first explain the program's own options.
            other => other
                .to_string()
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned(),
        };
        let words: Vec<&str> = line.split_whitespace().collect();
        let line = words.join(" ");
        let line = line.trim_end_matches('.').to_owned();
        match line.char_indices().nth(300) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }

    /// Replaces `$(find PACKAGE)` by the package's folder.
    struct Find {
        file: Option<PathBuf>,
        folders: Vec<PathBuf>,
    }

    impl ExtensionHandler for Find {
        fn resolve(&self, command: &str, name: &str) -> Result<Option<String>, Box<dyn StdError>> {
            if command != "find" {
                return Ok(None);
            }
            let name = name.trim();
            let mut resolver = Resolver::new(self.file.as_deref(), &self.folders, &[]);
            match resolver.package(name) {
                Some(folder) => Ok(Some(folder.display().to_string())),
                None => Err(format!(
                    "the package `{name}` was not found; name its folder by the option \
                     `package_folder` (`--package-folder`), or in the environment variable \
                     ROS_PACKAGE_PATH"
                )
                .into()),
            }
        }

        fn as_any(&self) -> &dyn Any {
            self
        }
    }
}
