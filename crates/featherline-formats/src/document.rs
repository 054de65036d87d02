//! Texts, parsed.

use crate::error::{Error, ErrorCause};
use crate::location::{LineIndex, Location, Position};
use crate::sources::SourceText;
use crate::xml::{self, Place, Refused};

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
