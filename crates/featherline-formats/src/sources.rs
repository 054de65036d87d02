//! The texts that a description was read from.

use crate::location::{LineIndex, Location, Source};
use crate::warning::{Warning, WarningCause};
use crate::xml::{Document, Element};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A text that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceText {
    /// Its file; absent for a text that was passed as a string. The name ends with ` (expanded)` if
    /// the text is what a xacro file expands to.
    pub path: Option<PathBuf>,
    /// The text.
    pub text: String,
    /// How the names begin of what it describes, if it is a model that is attached to another.
    pub(crate) prefix: String,
}

impl SourceText {
    pub(crate) fn new(text: impl Into<String>, path: Option<&Path>) -> Self {
        Self {
            path: path.map(Path::to_owned),
            text: text.into(),
            prefix: String::new(),
        }
    }
}

/// The texts that a description was read from: the first is the robot's file, the others are those
/// that it includes. Copies share them.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    texts: Arc<[SourceText]>,
}

impl Sources {
    pub(crate) fn new(texts: impl Into<Arc<[SourceText]>>) -> Self {
        Self {
            texts: texts.into(),
        }
    }

    /// The texts.
    pub fn texts(&self) -> &[SourceText] {
        &self.texts
    }

    /// The file, line, column and element of a place. The text is parsed again to find them.
    pub fn location(&self, source: Source) -> Location {
        self.locations(&[source]).remove(0)
    }

    /// The locations of several places, in their order. Each text is parsed once.
    pub fn locations(&self, sources: &[Source]) -> Vec<Location> {
        self.locations_in(&[], sources)
    }

    /// Warnings of places, in their order.
    pub(crate) fn warnings(&self, causes: Vec<(Source, WarningCause)>) -> Vec<Warning> {
        let sources: Vec<Source> = causes.iter().map(|(source, _)| *source).collect();
        let locations = self.locations(&sources).into_iter();
        let located = locations.zip(causes);
        located
            .map(|(location, (_, cause))| Warning { location, cause })
            .collect()
    }

    /// [`locations`](Self::locations); texts whose documents are there are not parsed again.
    pub(crate) fn locations_in(
        &self,
        documents: &[Document<'_>],
        sources: &[Source],
    ) -> Vec<Location> {
        let mut found = vec![Location::default(); sources.len()];
        for (index, source_text) in self.texts.iter().enumerate() {
            let here = |source: &Source| source.position().filter(|(text, _)| *text == index);
            if !sources.iter().any(|source| here(source).is_some()) {
                continue;
            }
            let text = &source_text.text;
            let lines = LineIndex::new(text);
            let parsed = match documents.get(index) {
                Some(_) => None,
                None => Document::parse(text).ok(),
            };
            let document = documents.get(index).or(parsed.as_ref());
            let root = document.map(|it| Element::root(it, index));
            for (location, source) in found.iter_mut().zip(sources) {
                let Some((_, offset)) = here(source) else {
                    continue;
                };
                let element = root.map(|it| it.around(offset));
                // Of a text that is no XML, what is meant is the rest of the line.
                let end =
                    element.map_or_else(|| end_of_line(text, offset), |it| it.end_of_part(offset));
                *location = Location {
                    file: source_text.path.clone(),
                    position: Some(lines.position(offset)),
                    element: element.map(Element::path),
                    span: Some(lines.span(offset..end)),
                };
            }
        }
        found
    }

    /// The line of a place; 0 for what comes from no text.
    pub(crate) fn line(&self, source: Source) -> usize {
        let Some((text, offset)) = source.position() else {
            return 0;
        };
        let Some(SourceText { text, .. }) = self.texts.get(text) else {
            return 0;
        };
        let end = offset.min(text.len());
        1 + text.as_bytes()[..end]
            .iter()
            .filter(|b| **b == b'\n')
            .count()
    }
}

/// The end of what stands in a line from a byte on, without a comment.
fn end_of_line(text: &str, offset: usize) -> usize {
    let offset = text.floor_char_boundary(offset);
    let rest = &text[offset..];
    let line = rest.split(['\n', '#']).next().unwrap_or_default();
    offset + line.trim_end().len()
}
