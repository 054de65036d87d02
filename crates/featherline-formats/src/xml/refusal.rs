//! Why a text is no XML that can be read.

use super::shortened;
use quick_xml::Error;
use quick_xml::errors::{IllFormedError, SyntaxError};
use quick_xml::events::attributes::AttrError;
use thiserror::Error;

/// Why a text is no XML that can be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum XmlRefusal {
    /// There is nothing in it.
    #[error("there is nothing here to read")]
    Empty,
    /// It is larger than any description of a robot.
    #[error("the file has more than {limit} bytes, the most that is accepted")]
    TooLarge {
        /// The greatest size, in bytes.
        limit: usize,
    },
    /// It has too many elements or attributes.
    #[error("more than {limit} {what}, the most that is accepted")]
    TooMany {
        /// The kind of item that exceeds the limit.
        what: &'static str,
        /// The greatest number.
        limit: usize,
    },
    /// Its elements are nested too deeply.
    #[error("elements are nested more than {limit} deep, the most that is accepted")]
    TooDeep {
        /// The greatest depth.
        limit: usize,
    },
    /// It declares a document type.
    #[error(
        "a document type declaration (`<!DOCTYPE`) is not accepted: the entities that it defines may expand without \
         bound; remove it, with entities replaced by what they stand for"
    )]
    DocumentType,
    /// It ends too early.
    #[error("the text ends inside {inside}: it seems to be cut off")]
    Truncated {
        /// The construct in which it ends.
        inside: String,
    },
    /// An attribute is given twice.
    #[error("attribute `{name}` is given twice; keep one")]
    DuplicateAttribute {
        /// The attribute.
        name: String,
    },
    /// It is not well-formed for another reason.
    #[error("this is not well-formed XML: {reason}")]
    Malformed {
        /// The parser's reason.
        reason: String,
    },
}

/// A [`XmlRefusal`], and the byte where it arose.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) why: XmlRefusal,
    pub(crate) offset: usize,
}

impl Refused {
    pub(super) fn new(offset: usize, why: XmlRefusal) -> Self {
        Self { why, offset }
    }

    pub(super) fn malformed(offset: usize, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self::new(offset, XmlRefusal::Malformed { reason })
    }
}

/// The refusal of markup that begins at a byte, by the parser's error; `open` is the innermost
/// element that is open, and its line.
pub(super) fn of_markup(
    text: &str,
    offset: usize,
    error: &Error,
    open: Option<(&str, usize)>,
) -> Refused {
    let ends_in = |inside: &str| {
        let inside = inside.to_owned();
        Refused::new(offset, XmlRefusal::Truncated { inside })
    };
    #[expect(clippy::wildcard_enum_match_arm, reason = "others say it themselves")]
    match error {
        Error::Syntax(SyntaxError::UnclosedPI | SyntaxError::UnclosedXmlDecl) => {
            ends_in("a processing instruction")
        }
        Error::Syntax(SyntaxError::UnclosedComment) => ends_in("a comment"),
        Error::Syntax(SyntaxError::UnclosedCData) => ends_in("a CDATA section"),
        Error::Syntax(SyntaxError::UnclosedDoctype) => {
            Refused::new(offset, XmlRefusal::DocumentType)
        }
        Error::Syntax(SyntaxError::InvalidBangMarkup) => {
            Refused::malformed(offset, "`<!` begins no comment and no CDATA section")
        }
        // The remaining syntax errors: tags, and values of attributes in tags.
        Error::Syntax(_) => ends_in(&format!("`<{}>`", name_of_tag(&text[offset + 1..]))),
        Error::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
            let (expected, found) = (shortened(expected), shortened(found));
            let opened =
                open.map(|(tag, line)| format!(": `<{}>` opens in line {line}", shortened(tag)));
            let opened = opened.unwrap_or_default();
            let reason = format!("found `</{found}>` where `</{expected}>` is needed{opened}");
            Refused::malformed(offset, reason)
        }
        Error::IllFormed(IllFormedError::UnmatchedEndTag(found)) => {
            let reason = format!("`</{}>` closes nothing", shortened(found));
            Refused::malformed(offset, reason)
        }
        other => Refused::malformed(offset, shortened(&other.to_string())),
    }
}

/// The refusal of attributes, whose tag begins behind a byte.
pub(super) fn of_attributes(text: &str, tag: usize, error: &AttrError) -> Refused {
    let name = |at: usize| {
        let end = |c: char| c.is_whitespace() || c == '=';
        let name = text[tag + at..].split(end).next();
        shortened(name.unwrap_or_default())
    };
    match *error {
        AttrError::Duplicated(at, _) => {
            let why = XmlRefusal::DuplicateAttribute { name: name(at) };
            Refused::new(tag + at, why)
        }
        AttrError::ExpectedEq(at) | AttrError::ExpectedValue(at) => Refused::malformed(
            tag + at,
            "an attribute needs a value, as in `name=\"value\"`",
        ),
        AttrError::UnquotedValue(at) => {
            Refused::malformed(tag + at, format!("the value `{}` needs quotes", name(at)))
        }
        AttrError::ExpectedQuote(at, _) => {
            Refused::malformed(tag + at, "the quote that closes a value is missing")
        }
    }
}

/// The name that a tag begins with.
fn name_of_tag(tag: &str) -> String {
    let end = |c: char| c.is_whitespace() || c == '>' || c == '/';
    shortened(tag.split(end).next().unwrap_or_default())
}
