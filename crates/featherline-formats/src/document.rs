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
                location.position = Some(LineIndex::new(&valid).position(valid.len()));
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
        let position = match refused.place {
            Place::Offset(offset) => LineIndex::new(text).position(offset),
            Place::LineColumn(line, column) => Position { line, column },
        };
        let location = Location {
            file: source_text.path.clone(),
            position: Some(position),
            element: None,
        };
        Error::new(location, ErrorCause::Xml(refused.why))
    };
    let open = xml::check(text).map_err(refused)?;
    xml::parse(text, &open).map_err(refused)
}
