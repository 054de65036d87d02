//! What is refused before or while a text is parsed as XML, so that no text can exhaust memory,
//! stack or time.

use crate::file::MAX_BYTES;
use thiserror::Error;

/// The greatest number of nodes: elements, comments, texts.
const MAX_NODES: usize = 4 << 20;
/// The greatest number of attributes of all elements together.
const MAX_ATTRIBUTES: usize = 4 << 20;
/// The greatest number of attributes of one element; the parser compares each with all before.
const MAX_ATTRIBUTES_OF_ONE: usize = 256;
/// The greatest number of namespace declarations; each element that declares one repeats those of
/// its ancestors.
const MAX_NAMESPACES: usize = 256;
/// The greatest number of elements inside one another.
const MAX_DEPTH: usize = 256;

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
        /// What there is too much of.
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
        /// What it ends in.
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

/// A [`XmlRefusal`], and the byte offset or the line and column where it arose.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) why: XmlRefusal,
    pub(crate) place: Place,
}

#[derive(Debug)]
pub(crate) enum Place {
    Offset(usize),
    LineColumn(usize, usize),
}

/// Walks once through the text, without building anything, and refuses what the parser should not
/// see.
///
/// Returns where the elements that are still open at the end began.
pub(crate) fn check(text: &str) -> Result<Vec<&str>, Refused> {
    let at = |offset, why| {
        let place = Place::Offset(offset);
        Err(Refused { why, place })
    };
    if text.len() > MAX_BYTES {
        return at(0, XmlRefusal::TooLarge { limit: MAX_BYTES });
    }
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return at(0, XmlRefusal::Empty);
    }
    let mut open = Vec::new();
    let (mut nodes, mut attributes, mut namespaces) = (0, 0, 0);
    let mut here = 0;
    while let Some(step) = text[here..].find('<') {
        let start = here + step;
        let rest = &text[start..];
        nodes += 2;
        if nodes > MAX_NODES {
            let (what, limit) = ("elements, comments and texts", MAX_NODES);
            return at(start, XmlRefusal::TooMany { what, limit });
        }
        if rest.starts_with("<!DOCTYPE") {
            return at(start, XmlRefusal::DocumentType);
        }
        let closing = [
            ("<!--", "-->", "a comment"),
            ("<![CDATA[", "]]>", "a CDATA section"),
            ("<?", "?>", "a processing instruction"),
        ];
        if let Some((_, end, what)) = closing.iter().find(|(begin, ..)| rest.starts_with(begin)) {
            let Some(length) = rest.find(end) else {
                let inside = what.to_string();
                return at(start, XmlRefusal::Truncated { inside });
            };
            here = start + length + end.len();
            continue;
        }
        let tag = tag(rest);
        here = start + tag.text.len();
        attributes += tag.attributes;
        namespaces += tag.namespaces;
        for (what, count, limit) in [
            ("attributes", attributes, MAX_ATTRIBUTES),
            (
                "attributes in one element",
                tag.attributes,
                MAX_ATTRIBUTES_OF_ONE,
            ),
            ("namespace declarations", namespaces, MAX_NAMESPACES),
        ] {
            if count > limit {
                return at(start, XmlRefusal::TooMany { what, limit });
            }
        }
        if tag.text.starts_with("</") {
            open.pop();
        } else if !tag.text.ends_with("/>") {
            open.push(tag.text);
            if open.len() > MAX_DEPTH {
                return at(start, XmlRefusal::TooDeep { limit: MAX_DEPTH });
            }
        }
    }
    Ok(open)
}

struct Tag<'a> {
    text: &'a str,
    attributes: usize,
    namespaces: usize,
}

/// The tag that a text begins with, to its closing bracket outside quotes or to the end of the
/// text.
fn tag(text: &str) -> Tag<'_> {
    let (mut attributes, mut namespaces) = (0, 0);
    let mut quote = None;
    let mut end = text.len();
    // Where the last word outside of quotes begins, and whether it goes on.
    let (mut word, mut in_word) = (0, false);
    for (i, &byte) in text.as_bytes().iter().enumerate() {
        match (quote, byte) {
            (None, b'>') => {
                end = i + 1;
                break;
            }
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'=') => {
                attributes += 1;
                namespaces += usize::from(text.as_bytes()[word..].starts_with(b"xmlns"));
                in_word = false;
                // One more than is accepted is enough to know.
                if attributes > MAX_ATTRIBUTES_OF_ONE {
                    break;
                }
            }
            (Some(open), _) if open == byte => (quote, in_word) = (None, false),
            (None, _) if byte.is_ascii_whitespace() => in_word = false,
            (None, _) if !in_word => (word, in_word) = (i, true),
            _ => {}
        }
    }
    Tag {
        text: &text[..end],
        attributes,
        namespaces,
    }
}

/// Parses a text that [`check`] let pass; `open` is what that returned.
pub(crate) fn parse<'a>(text: &'a str, open: &[&str]) -> Result<roxmltree::Document<'a>, Refused> {
    let options = roxmltree::ParsingOptions {
        allow_dtd: false,
        // The guard has counted: this is a second fence.
        nodes_limit: u32::try_from(MAX_NODES + 2).unwrap_or(u32::MAX),
        ..roxmltree::ParsingOptions::default()
    };
    roxmltree::Document::parse_with_options(text, options).map_err(|error| {
        use roxmltree::Error;
        let position = error.pos();
        let place = Place::LineColumn(position.row as usize, position.col as usize);
        match error {
            Error::UnexpectedEndOfStream | Error::UnclosedRootNode => Refused {
                why: XmlRefusal::Truncated {
                    inside: inside(open),
                },
                place: Place::Offset(text.trim_end().len()),
            },
            Error::DuplicatedAttribute(name, _) => Refused {
                why: XmlRefusal::DuplicateAttribute { name },
                place,
            },
            Error::DtdDetected => Refused {
                why: XmlRefusal::DocumentType,
                place,
            },
            error => Refused {
                why: XmlRefusal::Malformed {
                    reason: reason(&error),
                },
                place,
            },
        }
    })
}

/// The parser's error without the position, which is reported beside it.
fn reason(error: &roxmltree::Error) -> String {
    use roxmltree::Error;
    match error {
        Error::UnexpectedCloseTag(needed, found, _) => format!(
            "found `</{}>` where `</{}>` is needed",
            super::shortened(found),
            super::shortened(needed)
        ),
        Error::UnknownNamespace(prefix, _) => format!(
            "the prefix `{0}:` is not declared (the root element needs `xmlns:{0}=\"…\"`)",
            super::shortened(prefix)
        ),
        other => {
            let place = format!(" at {}", other.pos());
            super::shortened(&other.to_string().replace(&place, ""))
        }
    }
}

/// Names the innermost element that is open.
fn inside(open: &[&str]) -> String {
    let name = |tag: &str| {
        let name = tag[1..]
            .split(|c: char| c.is_whitespace() || c == '>')
            .next();
        super::shortened(name.unwrap_or_default())
    };
    match open.last() {
        Some(tag) => format!("`<{}>`", name(tag)),
        None => "a tag".to_owned(),
    }
}
