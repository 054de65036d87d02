//! Texts, read and parsed.

use crate::error::{Error, ErrorCause};
use crate::file::{Unreadable, read_text};
use crate::location::{LineIndex, Location, Position};
use crate::sources::SourceText;
use crate::xml::{self, Place, Refused, XmlRefusal};
use std::path::Path;

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
                let lines = LineIndex::new(&valid);
                location.position = Some(lines.position(valid.len()));
                location.span = Some(lines.span(valid.len()..valid.len()));
                ErrorCause::NotUtf8
            }
        };
        Error::new(location, cause)
    })
}

/// The document of a text.
pub(crate) fn parse(source_text: &SourceText) -> Result<roxmltree::Document<'_>, Error> {
    let text = &source_text.text;
    let refused = |refused: Refused| {
        let lines = LineIndex::new(text);
        let (position, offset) = match refused.place {
            Place::Offset(offset) => (lines.position(offset), offset),
            Place::LineColumn(line, column) => {
                let position = Position { line, column };
                (position, lines.offset(position))
            }
        };
        let location = Location {
            file: source_text.path.clone(),
            position: Some(position),
            element: None,
            span: Some(lines.span(offset..offset)),
        };
        Error::new(location, ErrorCause::Xml(refused.why))
    };
    let open = xml::check(text).map_err(refused)?;
    xml::parse(text, &open).map_err(refused)
}
