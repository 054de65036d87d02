//! Errors and warnings, collected with their positions while texts are read.

use crate::error::{Error, ErrorCause};
use crate::location::{Location, Source};
use crate::sources::Sources;
use crate::suggestion::{meant, similar};
use crate::warning::{Warning, WarningCause};
use crate::xml::{Attribute, Document, Element, shortened};
use std::collections::{BTreeMap, BTreeSet};

/// The cause of an error, and its position.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) source: Source,
    pub(crate) cause: ErrorCause,
    /// Whether the option `permissive` makes a warning of it.
    pub(crate) is_permissible: bool,
    /// The other errors of the same reading.
    others: Vec<Fault>,
}

pub(crate) type Outcome<T> = Result<T, Box<Fault>>;

/// An error at a place.
pub(crate) fn fault(source: Source, cause: ErrorCause) -> Box<Fault> {
    Box::new(Fault {
        source,
        cause,
        is_permissible: false,
        others: Vec::new(),
    })
}

/// The error of what a format does not allow.
pub(crate) fn not_allowed(
    source: Source,
    what: impl Into<String>,
    remedy: &'static str,
) -> Box<Fault> {
    let what = what.into();
    fault(source, ErrorCause::NotAllowed { what, remedy })
}

/// The error of an attribute that names no part of a kind.
pub(crate) fn unknown_name<'n>(
    what: &'static str,
    attribute: Attribute<'_>,
    known: impl Iterator<Item = &'n str>,
) -> Box<Fault> {
    let cause = ErrorCause::UnknownName {
        what,
        name: shortened(attribute.value),
        suggestion: similar(attribute.value, known),
    };
    fault(attribute.source, cause)
}

/// The most errors of one reading.
const MAX_FAULTS: usize = 21;

/// The errors of parts that are read one by one.
#[derive(Default)]
pub(crate) struct Faults(Vec<Fault>);

impl Faults {
    pub(crate) fn add(&mut self, fault: Fault) {
        if self.0.len() < MAX_FAULTS {
            self.0.push(fault);
        }
    }

    /// Reads parts, and fails if there are any faults. It ends when no more are kept: each costs a
    /// search for similar names.
    pub(crate) fn all<T>(&mut self, parts: impl Iterator<Item = Outcome<T>>) -> Outcome<Vec<T>> {
        let mut read = Vec::new();
        for part in parts {
            match part {
                Ok(part) => read.push(part),
                Err(fault) => self.add(*fault),
            }
            if self.0.len() == MAX_FAULTS {
                break;
            }
        }
        match self.0.pop() {
            Some(last) => Err(self.with(last)),
            None => Ok(read),
        }
    }

    /// All of them and a last one, as the first in the text.
    pub(crate) fn with(&mut self, last: Fault) -> Box<Fault> {
        let mut faults = std::mem::take(&mut self.0);
        faults.push(last);
        faults.sort_by_key(|it| it.source);
        faults.truncate(MAX_FAULTS);
        let mut first = Box::new(faults.remove(0));
        first.others = faults;
        first
    }
}

/// Warnings of a description's texts.
pub(crate) struct Report<'a> {
    sources: &'a Sources,
    /// The documents of the texts, as far as they are there.
    documents: &'a [Document<'a>],
    /// Whether what is physically impossible is a warning.
    permissive: bool,
    warnings: Vec<(Source, WarningCause)>,
    /// How often something is not used, and where first; with the format that it is not part of.
    unused: BTreeMap<(Option<&'static str>, String), (usize, Source)>,
    /// References to missing parts, which are left out, by the kind of the part.
    absent: BTreeMap<&'static str, Vec<AbsentPart>>,
    /// How many different parts of a kind a text names, and how many of them are there, where those
    /// that are not are folded.
    named: BTreeMap<&'static str, (usize, usize)>,
    /// Meshes that were not found, by their package, and where each is named first.
    missing_meshes: BTreeMap<String, Vec<(String, Source)>>,
}

/// Something that names a part that is not there.
struct AbsentPart {
    what: &'static str,
    source: Source,
    name: String,
    suggestion: Option<String>,
    reason: String,
}

impl<'a> Report<'a> {
    pub(crate) fn new(sources: &'a Sources) -> Self {
        Self {
            sources,
            documents: &[],
            permissive: false,
            warnings: Vec::new(),
            unused: BTreeMap::new(),
            absent: BTreeMap::new(),
            named: BTreeMap::new(),
            missing_meshes: BTreeMap::new(),
        }
    }

    /// The same report, with the documents of the texts, which are not parsed again then.
    pub(crate) fn documents(mut self, documents: &'a [Document<'a>]) -> Self {
        self.documents = documents;
        self
    }

    /// The same report, in which [`impossible`](Self::impossible) is a warning or an error.
    pub(crate) fn permissive(mut self, permissive: bool) -> Self {
        self.permissive = permissive;
        self
    }

    /// Something physically impossible: an error, or a warning that it is left out.
    pub(crate) fn impossible(&mut self, what: &'static str, mut fault: Box<Fault>) -> Outcome<()> {
        if !self.permissive {
            fault.is_permissible = true;
            return Err(fault);
        }
        self.left_out(what, *fault);
        Ok(())
    }

    /// Whether what is physically impossible is a warning.
    pub(crate) fn is_permissive(&self) -> bool {
        self.permissive
    }

    /// The line of a place.
    pub(crate) fn line(&self, source: Source) -> usize {
        self.sources.line(source)
    }

    /// The error of the second of two parts of one name.
    pub(crate) fn duplicate_name(
        &self,
        what: &'static str,
        name: &str,
        source: Source,
        first: Source,
    ) -> Box<Fault> {
        let cause = ErrorCause::DuplicateName {
            what,
            name: shortened(name),
            first_line: self.line(first),
        };
        fault(source, cause)
    }

    /// An error with its position, and the others of the same reading.
    pub(crate) fn error(&self, mut fault: Fault) -> Error {
        let others = std::mem::take(&mut fault.others);
        let faults: Vec<Fault> = std::iter::once(fault).chain(others).collect();
        let places: Vec<Source> = faults.iter().map(|it| it.source).collect();
        let locations = self.sources.locations_in(self.documents, &places);
        let errors = locations.into_iter().zip(faults).map(|(location, fault)| {
            let error = Error::new(location, fault.cause);
            match fault.is_permissible {
                true => error.permissible(),
                false => error,
            }
        });
        let mut errors: Vec<Error> = errors.collect();
        let first = errors.remove(0);
        first.with_others(errors)
    }

    /// Adds a warning that something is read in another way than it is stated.
    pub(crate) fn simplified(
        &mut self,
        source: Source,
        what: impl Into<String>,
        reading: &'static str,
    ) {
        let what = what.into();
        self.warn(source, WarningCause::Simplified { what, reading });
    }

    /// Adds a warning that something is written in another way than it is described.
    pub(crate) fn written_as(&mut self, source: Source, what: String, writing: &'static str) {
        self.warn(source, WarningCause::WrittenAs { what, writing });
    }

    /// Adds a warning that a format can't express something.
    pub(crate) fn lacks(&mut self, format: &'static str, source: Source, what: impl Into<String>) {
        let what = what.into();
        self.warn(source, WarningCause::NotWritten { what, format });
    }

    pub(crate) fn warn(&mut self, source: Source, cause: WarningCause) {
        if let WarningCause::MeshOutside { .. } = cause {
            for (_, known) in &mut self.warnings {
                if let WarningCause::MeshOutside { count, .. } = known {
                    *count += 1;
                    return;
                }
            }
        }
        let WarningCause::MissingMesh { uri } = cause else {
            self.warnings.push((source, cause));
            return;
        };
        let package = uri.split_once("://").map(|(scheme, rest)| {
            let package = rest.split('/').next().unwrap_or_default();
            format!("{scheme}://{package}")
        });
        let known = self
            .missing_meshes
            .entry(package.unwrap_or_default())
            .or_default();
        if known.iter().all(|(it, _)| *it != uri) {
            known.push((uri, source));
        }
    }

    /// Makes one warning of all names of a kind, such as `link`, that are not there. The text has
    /// so many different names of it, and so many of them are there.
    pub(crate) fn fold_names(&mut self, kind: &'static str, named: usize, known: usize) {
        self.named.insert(kind, (named, known));
    }

    /// Adds a warning that something is not used.
    pub(crate) fn unused(&mut self, what: String, source: Source) {
        self.unused.entry((None, what)).or_insert((0, source)).0 += 1;
    }

    /// Takes back once that something is not used.
    pub(crate) fn used(&mut self, what: String) {
        if let Some((count, _)) = self.unused.get_mut(&(None, what)) {
            *count -= 1;
        }
        self.unused.retain(|_, (count, _)| *count > 0);
    }

    /// Adds a warning that something is not used, and that another name may be meant.
    pub(crate) fn misspelt(
        &mut self,
        what: String,
        kind: &'static str,
        meant: &str,
        source: Source,
    ) {
        let meant = meant.to_owned();
        self.warn(source, WarningCause::Misspelt { what, kind, meant });
    }

    /// Adds a warning that something is not part of a format.
    pub(crate) fn foreign(&mut self, format: &'static str, what: String, source: Source) {
        let key = (Some(format), what);
        self.unused.entry(key).or_insert((0, source)).0 += 1;
    }

    /// Adds warnings for everything in an element that is not among the attributes and elements
    /// that are read.
    pub(crate) fn unused_except(
        &mut self,
        element: Element<'_>,
        attributes: &[&str],
        children: &[&str],
    ) {
        let tag = || shortened(element.tag());
        for attribute in element.attributes() {
            if !attributes.contains(&attribute.name) {
                let name = shortened(attribute.name);
                let what = format!("the attribute `{name}` of `<{}>`", tag());
                let free = attributes.iter().copied();
                let free = free.filter(|it| element.attribute(it).is_none());
                match meant(attribute.name, free) {
                    Some(meant) => self.misspelt(what, "attribute", meant, attribute.source),
                    None => self.unused(what, attribute.source),
                }
            }
        }
        for child in element.children() {
            if !children.contains(&child.tag()) {
                let what = format!("`<{}>` in `<{}>`", shortened(child.tag()), tag());
                match meant(child.tag(), children.iter().copied()) {
                    Some(meant) => self.misspelt(what, "element", meant, child.source()),
                    None => self.unused(what, child.source()),
                }
            }
        }
        if let Some(source) = element.stray_text() {
            self.unused(format!("text in `<{}>`", tag()), source);
        }
    }

    /// Adds a warning that a part is left out because of an error in it.
    pub(crate) fn left_out(&mut self, what: &'static str, fault: Fault) {
        let reason = fault.cause.to_string();
        let source = fault.source;
        if let ErrorCause::UnknownName {
            what: kind,
            name,
            suggestion,
        } = fault.cause
        {
            self.absent.entry(kind).or_default().push(AbsentPart {
                what,
                source,
                name,
                suggestion,
                reason,
            })
        } else {
            self.warn(source, WarningCause::LeftOut { what, reason })
        }
    }

    /// One warning for each kind of part that is not there, where names are folded.
    fn fold_absent(&mut self) {
        for (kind, mut absent) in std::mem::take(&mut self.absent) {
            absent.sort_by_key(|it| it.source);
            let ((named, known), source) = match (self.named.get(kind), &absent[..]) {
                (Some(named), [first, _, ..]) => (*named, first.source),
                _ => {
                    let alone = absent.into_iter();
                    self.warnings.extend(alone.map(|it| {
                        let (what, reason) = (it.what, it.reason);
                        (it.source, WarningCause::LeftOut { what, reason })
                    }));
                    continue;
                }
            };
            let left_out = absent.len();
            let mut names: Vec<(String, Option<String>)> = Vec::new();
            let mut seen = BTreeSet::new();
            for it in absent {
                if seen.insert(it.name.clone()) {
                    names.push((it.name, it.suggestion));
                }
            }
            let cause = WarningCause::NoSuchParts {
                kind,
                names,
                unknown: named.saturating_sub(known),
                named,
                left_out,
            };
            self.warnings.push((source, cause));
        }
    }

    /// One warning for the meshes of a package that were not found.
    fn fold_meshes(&mut self) {
        for (_, meshes) in std::mem::take(&mut self.missing_meshes) {
            let count = meshes.len();
            let Some((uri, source)) = meshes.into_iter().next() else {
                continue;
            };
            let cause = match count {
                1 => WarningCause::MissingMesh { uri },
                _ => WarningCause::MissingMeshes { first: uri, count },
            };
            self.warnings.push((source, cause));
        }
    }

    #[cfg(feature = "scene")]
    /// Forgets the warnings at places in texts but the first.
    pub(crate) fn keep_first_text(&mut self) {
        let is_first = |source: &Source| source.position().is_none_or(|(text, _)| text == 0);
        self.warnings.retain(|(source, _)| is_first(source));
    }

    /// All warnings, in the order of the texts.
    pub(crate) fn into_warnings(mut self) -> Vec<Warning> {
        self.fold_absent();
        self.fold_meshes();
        let unused = self.unused.into_iter();
        let unused = unused.map(|((format, what), (count, source))| match format {
            None => (source, WarningCause::Unused { what, count }),
            Some(format) => (
                source,
                WarningCause::NotInFormat {
                    what,
                    format,
                    count,
                },
            ),
        });
        let mut all: Vec<_> = unused.chain(self.warnings).collect();
        all.sort_by_key(|&(source, _)| source);
        let sources: Vec<Source> = all.iter().map(|&(source, _)| source).collect();
        let locations = self.sources.locations_in(self.documents, &sources);
        let warnings = locations.into_iter().zip(all);
        warnings
            .map(|(location, (_, mut cause))| {
                describe_unnamed(&mut cause, &location);
                Warning { location, cause }
            })
            .collect()
    }
}

/// Says what a part without a name is by its element: of a visual, a message begins with ``a
/// `<visual>` of link `x` in line 12``.
fn describe_unnamed(cause: &mut WarningCause, location: &Location) {
    let (WarningCause::NotWritten { what, .. }
    | WarningCause::WrittenAs { what, .. }
    | WarningCause::RefusedBy { what, .. }) = cause
    else {
        return;
    };
    let (Some((before, after)), Some(path)) = (what.split_once("``"), &location.element) else {
        return;
    };
    let mut steps = path.rsplit('/');
    let tag = steps.next().unwrap_or_default();
    let owner = steps.find_map(|step| step.strip_suffix("']")?.split_once("[@name='"));
    let of = owner.map_or_else(String::new, |(tag, name)| format!(" of {tag} `{name}`"));
    let position = location.position;
    let line = position.map_or_else(String::new, |it| format!(" in line {}", it.line));
    // The part is the last noun phrase before its name.
    let start = before.rfind("the ").unwrap_or(0);
    *what = format!("{}a `<{tag}>`{of}{line}{after}", &before[..start]);
}
