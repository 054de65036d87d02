//! Errors and warnings, collected with their positions while a text is read.

use super::{UrdfErrorCause, UrdfWarning, UrdfWarningCause};
use crate::location::{LineIndex, Location};
use crate::xml::{Attribute, Element, shortened};
use std::collections::BTreeMap;
use std::path::Path;

/// What is wrong, and where.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) offset: usize,
    pub(super) element: Option<String>,
    pub(super) cause: UrdfErrorCause,
}

pub(super) type Outcome<T> = Result<T, Box<Fault>>;

/// An error at an element.
pub(super) fn fault(element: Element<'_>, cause: UrdfErrorCause) -> Box<Fault> {
    Box::new(Fault {
        offset: element.offset(),
        element: Some(element.path()),
        cause,
    })
}

/// An error at an attribute.
pub(super) fn attribute_fault(attribute: Attribute<'_>, cause: UrdfErrorCause) -> Box<Fault> {
    Box::new(Fault {
        offset: attribute.offset,
        element: Some(attribute.element.path()),
        cause,
    })
}

/// Warnings and positions of a text.
pub(super) struct Report<'a> {
    file: Option<&'a Path>,
    lines: LineIndex<'a>,
    notes: Vec<Note>,
    unused: BTreeMap<String, Unused>,
}

struct Note {
    offset: usize,
    element: String,
    cause: UrdfWarningCause,
}

struct Unused {
    count: usize,
    offset: usize,
    element: String,
}

impl<'a> Report<'a> {
    pub(super) fn new(text: &'a str, file: Option<&'a Path>) -> Self {
        Self {
            file,
            lines: LineIndex::new(text),
            notes: Vec::new(),
            unused: BTreeMap::new(),
        }
    }

    /// The line of an element.
    pub(super) fn line(&self, element: Element<'_>) -> usize {
        self.lines.position(element.offset()).line
    }

    pub(super) fn location(&self, offset: usize, element: Option<String>) -> Location {
        Location {
            file: self.file.map(Path::to_owned),
            position: Some(self.lines.position(offset)),
            element,
        }
    }

    pub(super) fn warn(&mut self, element: Element<'_>, cause: UrdfWarningCause) {
        self.notes.push(Note {
            offset: element.offset(),
            element: element.path(),
            cause,
        });
    }

    /// Adds a warning that something is not used.
    pub(super) fn unused(&mut self, what: String, offset: usize, element: Element<'_>) {
        let first = || Unused {
            count: 0,
            offset,
            element: element.path(),
        };
        self.unused.entry(what).or_insert_with(first).count += 1;
    }

    /// Adds warnings for everything in an element that is not among the attributes and elements
    /// that are read.
    pub(super) fn unused_except(
        &mut self,
        element: Element<'_>,
        attributes: &[&str],
        children: &[&str],
    ) {
        let tag = shortened(element.tag());
        for attribute in element.attributes() {
            if !attributes.contains(&attribute.name) {
                let what = format!("the attribute `{}` of `<{tag}>`", shortened(attribute.name));
                self.unused(what, attribute.offset, element);
            }
        }
        for child in element.children() {
            if !children.contains(&child.tag()) {
                let what = format!("`<{}>` in `<{tag}>`", shortened(child.tag()));
                self.unused(what, child.offset(), child);
            }
        }
        if let Some(offset) = element.stray_text() {
            self.unused(format!("text in `<{tag}>`"), offset, element);
        }
    }

    /// All warnings, in the order of the text.
    pub(super) fn into_warnings(self) -> Vec<UrdfWarning> {
        let unused = self.unused.iter().map(|(what, first)| {
            let (what, count) = (what.clone(), first.count);
            (
                first.offset,
                &first.element,
                UrdfWarningCause::Unused { what, count },
            )
        });
        let notes = self
            .notes
            .iter()
            .map(|note| (note.offset, &note.element, note.cause.clone()));
        let mut all: Vec<_> = unused.chain(notes).collect();
        all.sort_by_key(|&(offset, ..)| offset);
        all.into_iter()
            .map(|(offset, element, cause)| UrdfWarning {
                location: self.location(offset, Some(element.clone())),
                cause,
            })
            .collect()
    }
}
