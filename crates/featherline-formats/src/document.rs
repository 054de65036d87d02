//! Texts, read and parsed.

use crate::error::{Error, ErrorCause};
use crate::file::{Unreadable, read_text};
use crate::file_format::FileFormat;
use crate::location::{LineIndex, Location};
use crate::sources::SourceText;
use crate::xml::{Document, Refused, XmlRefusal};
use std::path::Path;

/// The text of a file.
pub(crate) fn read_file(path: &Path) -> Result<String, Error> {
    read_text(path).map_err(|unreadable| {
        let mut location = Location::of_file(Some(path));
        let not_read = |beginning: &str| {
            let format = FileFormat::of_text(beginning, Some(path));
            let format = format.filter(|it| !it.is_read());
            format.map(ErrorCause::OtherFormat)
        };
        let cause = match unreadable {
            Unreadable::Io(error) => ErrorCause::Unreadable(error),
            Unreadable::TooLarge { limit } => match not_read("") {
                Some(cause) => cause,
                None => ErrorCause::Xml(XmlRefusal::TooLarge { limit }),
            },
            Unreadable::NotUtf8 { valid } => {
                if let Some(cause) = not_read(&valid) {
                    return Error::new(location, cause);
                }
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
pub(crate) fn parse(source_text: &SourceText) -> Result<Document<'_>, Error> {
    let text = &source_text.text;
    Document::parse(text).map_err(|Refused { why, offset }| {
        let lines = LineIndex::new(text);
        let location = Location {
            file: source_text.path.clone(),
            position: Some(lines.position(offset)),
            element: None,
            span: Some(lines.span(offset..offset)),
        };
        Error::new(location, ErrorCause::Xml(why))
    })
}
