//! Texts parsed, with limits, so that no text can exhaust memory, stack or time.

use super::refusal::{Refused, XmlRefusal, of_attributes, of_markup};
use super::shortened;
use crate::file::MAX_BYTES;
use quick_xml::events::Event;
use quick_xml::events::attributes::Attributes;
use quick_xml::{Reader, XmlVersion};
use std::borrow::Cow;
use std::ops::Range;

/// The greatest number of elements.
const MAX_ELEMENTS: usize = 1 << 20;
/// The greatest number of attributes of all elements together.
const MAX_ATTRIBUTES: usize = 1 << 20;
/// The greatest number of attributes of one element; the parser compares each with all before.
const MAX_ATTRIBUTES_OF_ONE: usize = 256;
/// The greatest number of namespace declarations; prefixes are looked for among all.
const MAX_NAMESPACES: usize = 256;
/// The greatest number of elements inside one another.
const MAX_DEPTH: usize = 256;

/// A text, parsed: its elements in the order of their opening tags.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    pub(super) text: &'a str,
    pub(super) elements: Vec<Node<'a>>,
    pub(super) attributes: Vec<AttributeText<'a>>,
    /// Declarations of prefixes by the indices of their elements.
    pub(super) prefixes: Vec<(usize, AttributeText<'a>)>,
}

/// An element. All places are bytes of the text.
#[derive(Debug)]
pub(super) struct Node<'a> {
    /// The name, with its prefix if it has one.
    pub(super) tag: &'a str,
    /// From the opening to the closing tag.
    pub(super) range: Range<usize>,
    /// The end of the opening tag.
    pub(super) opened: usize,
    pub(super) parent: Option<usize>,
    /// The index behind that of the last element inside this one.
    pub(super) after: usize,
    /// The indices of its attributes.
    pub(super) attributes: Range<usize>,
    /// Where text that is not blank begins directly inside it.
    pub(super) stray_text: Option<usize>,
}

/// An attribute.
#[derive(Debug)]
pub(super) struct AttributeText<'a> {
    /// The name, with its prefix if it has one.
    pub(super) name: &'a str,
    /// The value, with entities replaced by what they stand for.
    pub(super) value: Cow<'a, str>,
    /// Where the name begins.
    pub(super) start: usize,
    /// The value without its quotes, as it is written.
    pub(super) value_range: Range<usize>,
}

impl<'a> Document<'a> {
    /// Parses a text.
    pub(crate) fn parse(text: &'a str) -> Result<Self, Refused> {
        if text.len() > MAX_BYTES {
            let why = XmlRefusal::TooLarge { limit: MAX_BYTES };
            return Err(Refused::new(0, why));
        }
        let marked = text.trim_start_matches('\u{feff}');
        if marked.trim().is_empty() {
            return Err(Refused::new(0, XmlRefusal::Empty));
        }
        // Real files have an attribute in some thirty bytes, and an element in fifty.
        let room = |bytes: usize, most: usize| (text.len() / bytes).min(most);
        let mut parser = Parser {
            document: Document {
                text,
                elements: Vec::with_capacity(room(50, MAX_ELEMENTS)),
                attributes: Vec::with_capacity(room(30, MAX_ATTRIBUTES)),
                prefixes: Vec::new(),
            },
            open: Vec::new(),
        };
        parser.read(text.len() - marked.len())?;
        Ok(parser.document)
    }
}

impl Document<'_> {
    /// Puts a prefix before the values of attributes that are chosen by the element's tag, their
    /// name and their value; of those that are not blank.
    pub(crate) fn prefix_values(&mut self, prefix: &str, chosen: fn(&str, &str, &str) -> bool) {
        for element in &self.elements {
            for attribute in &mut self.attributes[element.attributes.clone()] {
                let value = attribute.value.trim();
                if !value.is_empty() && chosen(element.tag, attribute.name, value) {
                    attribute.value = Cow::Owned(format!("{prefix}{}", attribute.value));
                }
            }
        }
    }
}

struct Parser<'a> {
    document: Document<'a>,
    /// The indices of the elements that are open.
    open: Vec<usize>,
}

impl<'a> Parser<'a> {
    /// Reads the text from a byte on, to its end.
    fn read(&mut self, first: usize) -> Result<(), Refused> {
        let text = self.document.text;
        let mut reader = Reader::from_str(&text[first..]);
        // A `&` outside of values says nothing here.
        reader.config_mut().allow_dangling_amp = true;
        loop {
            let position = |at: u64| first + usize::try_from(at).unwrap_or(usize::MAX);
            let start = position(reader.buffer_position());
            let event = reader.read_event();
            let end = position(reader.buffer_position());
            let event = event.map_err(|error| {
                let at = position(reader.error_position());
                of_markup(text, at, &error, self.innermost())
            })?;
            match event {
                Event::Start(tag) => {
                    self.opening(start..end, tag.name().into_inner().len(), 1)?;
                    self.open.push(self.document.elements.len() - 1);
                    if self.open.len() > MAX_DEPTH {
                        let why = XmlRefusal::TooDeep { limit: MAX_DEPTH };
                        return Err(Refused::new(start, why));
                    }
                }
                Event::Empty(tag) => {
                    self.opening(start..end, tag.name().into_inner().len(), 2)?;
                }
                Event::End(_) => {
                    let after = self.document.elements.len();
                    if let Some(closed) = self.open.pop() {
                        let closed = &mut self.document.elements[closed];
                        (closed.range.end, closed.after) = (end, after);
                    }
                }
                Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) => {
                    self.stray_text(start..end)?;
                }
                Event::DocType(_) => return Err(Refused::new(start, XmlRefusal::DocumentType)),
                // Blank lines before it are common, and harmless.
                Event::Decl(_) if !self.document.elements.is_empty() => {
                    let reason = "the XML declaration `<?xml …?>` must stand at the beginning";
                    return Err(Refused::malformed(start, reason));
                }
                Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
                Event::Eof => break,
            }
        }
        if let Some((tag, line)) = self.innermost() {
            let inside = format!("`<{}>`, which opens in line {line}", shortened(tag));
            let why = XmlRefusal::Truncated { inside };
            return Err(Refused::new(text.trim_end().len(), why));
        }
        if self.document.elements.is_empty() {
            return Err(Refused::malformed(first, "there is no root element"));
        }
        Ok(())
    }

    /// The innermost element that is open, and the line that it opens in.
    fn innermost(&self) -> Option<(&'a str, usize)> {
        let open = &self.document.elements[*self.open.last()?];
        let before = &self.document.text[..open.range.start];
        Some((open.tag, 1 + before.matches('\n').count()))
    }

    /// Adds the element of an opening tag, by the lengths of its name and of what closes it: `>` or
    /// `/>`.
    fn opening(&mut self, range: Range<usize>, name: usize, last: usize) -> Result<(), Refused> {
        let Document { text, elements, .. } = &self.document;
        let (text, index, start) = (*text, elements.len(), range.start);
        let parent = self.open.last().copied();
        if parent.is_none() && index > 0 {
            let reason = "there is a second root element";
            return Err(Refused::malformed(start, reason));
        }
        if index == MAX_ELEMENTS {
            let (what, limit) = ("elements", MAX_ELEMENTS);
            return Err(Refused::new(start, XmlRefusal::TooMany { what, limit }));
        }
        let inner = &text[start + 1..range.end - last];
        let tag = &inner[..name];
        if !is_name(tag) {
            let reason = format!("`<{}` begins no tag", shortened(tag));
            return Err(Refused::malformed(start, reason));
        }
        let attributes = self.document.attributes.len();
        self.attributes(inner, name, start + 1)?;
        let attributes = attributes..self.document.attributes.len();
        self.declared(tag, start)?;
        for index in attributes.clone() {
            let AttributeText { name, start, .. } = self.document.attributes[index];
            self.declared(name, start)?;
        }
        self.document.elements.push(Node {
            tag,
            opened: range.end,
            range,
            parent,
            after: index + 1,
            attributes,
            stray_text: None,
        });
        Ok(())
    }

    /// Adds the attributes of a tag, of which all but its brackets begins at a byte.
    fn attributes(&mut self, tag: &'a str, name: usize, start: usize) -> Result<(), Refused> {
        let Document { text, elements, .. } = &self.document;
        let (text, element) = (*text, elements.len());
        let too_many = |what, limit| Refused::new(start - 1, XmlRefusal::TooMany { what, limit });
        let mut count = 0;
        for attribute in Attributes::new(tag, name) {
            let attribute = attribute.map_err(|error| of_attributes(text, start, &error))?;
            let name = attribute.key.into_inner();
            let at = offset(name, text);
            let raw = &attribute.value;
            let value_start = offset(raw, text);
            if !is_name(name) {
                let reason = format!("`{}` is no name of an attribute", shortened(name));
                return Err(Refused::malformed(at, reason));
            }
            let refused = |byte: u8| byte == b'<' || is_control(byte);
            if let Some(byte) = raw.bytes().position(refused) {
                let name = shortened(name);
                let reason = match raw.as_bytes()[byte] {
                    b'<' => format!(
                        "there is a '<' in the value of `{name}`: a quote is missing before it, or \
                         it should be `&lt;`"
                    ),
                    _ => format!("there is a non-XML character in the value of `{name}`"),
                };
                return Err(Refused::malformed(value_start + byte, reason));
            }
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|error| {
                let reason = format!(
                    "an entity in the value of `{}` is not known, or `&` should be `&amp;`: {}",
                    shortened(name),
                    shortened(&error.to_string())
                );
                Refused::malformed(value_start, reason)
            })?;
            let written = AttributeText {
                name,
                start: at,
                value_range: value_start..value_start + raw.len(),
                value,
            };
            match name == "xmlns" || name.starts_with("xmlns:") {
                true => self.document.prefixes.push((element, written)),
                false => self.document.attributes.push(written),
            }
            count += 1;
            if count > MAX_ATTRIBUTES_OF_ONE {
                return Err(too_many("attributes in one element", MAX_ATTRIBUTES_OF_ONE));
            }
        }
        if self.document.prefixes.len() > MAX_NAMESPACES {
            return Err(too_many("namespace declarations", MAX_NAMESPACES));
        }
        if self.document.attributes.len() > MAX_ATTRIBUTES {
            return Err(too_many("attributes", MAX_ATTRIBUTES));
        }
        Ok(())
    }

    /// Refuses a prefix that neither the element that is being opened nor one around it declares.
    fn declared(&self, name: &str, at: usize) -> Result<(), Refused> {
        let Some((prefix, _)) = name.split_once(':') else {
            return Ok(());
        };
        let is_around =
            |element| element == self.document.elements.len() || self.open.contains(&element);
        let mut declared = self.document.prefixes.iter();
        let is_declared = declared.any(|(element, declaration)| {
            declaration.name.strip_prefix("xmlns:") == Some(prefix) && is_around(*element)
        });
        if is_declared || prefix == "xml" {
            return Ok(());
        }
        let prefix = shortened(prefix);
        let reason = format!(
            "the prefix `{prefix}:` is not declared (the root element needs `xmlns:{prefix}=\"…\"`)"
        );
        Err(Refused::malformed(at, reason))
    }

    /// Notes text between tags, unless it is blank.
    fn stray_text(&mut self, range: Range<usize>) -> Result<(), Refused> {
        let written = &self.document.text[range.clone()];
        let blank = written.len() - written.trim_start().len();
        if blank == written.len() {
            return Ok(());
        }
        let start = range.start + blank;
        let Some(&open) = self.open.last() else {
            let reason = "there is text outside of the root element";
            return Err(Refused::malformed(start, reason));
        };
        self.document.elements[open].stray_text.get_or_insert(start);
        Ok(())
    }
}

/// Whether a word may be a name: no character of markup is in it.
fn is_name(word: &str) -> bool {
    let first = word.chars().next();
    let is_first = first.is_some_and(|c| c.is_alphabetic() || c == '_' || c == ':');
    let is_markup = |byte: u8| b"<&\"'=/!?".contains(&byte) || is_control(byte);
    is_first && !word.bytes().any(is_markup)
}

/// Whether XML has no such character.
fn is_control(byte: u8) -> bool {
    byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r')
}

/// Where a part of a text begins.
fn offset(part: &str, text: &str) -> usize {
    part.as_ptr().addr() - text.as_ptr().addr()
}
