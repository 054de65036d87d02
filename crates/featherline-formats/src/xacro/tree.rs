//! Texts as trees of elements and text, before and after expansion.

use super::budget::{Budget, Outcome, Refusal, refuse};
use crate::xml::{Element, escaped};
use quick_xml::escape::unescape;
use std::fmt::Write;
use std::ops::Range;
use std::rc::Rc;

/// A part of a file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// The index of the file.
    pub(super) file: usize,
    /// Its bytes.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// An element that is to be expanded.
#[derive(Debug)]
pub(super) struct Tag {
    pub(super) name: String,
    /// The name in the language; absent for an element of another.
    pub(super) directive: Option<String>,
    pub(super) attributes: Vec<(String, Rc<str>, Place)>,
    pub(super) children: Vec<Node>,
    pub(super) place: Place,
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    Element(Rc<Tag>),
    /// Text, without entities.
    Text(Rc<str>, Place),
    /// A comment or the like, as it is written.
    Kept(Rc<str>),
}

impl Tag {
    /// An element of a file, by the file's index, text and prefixes of the language.
    pub(super) fn new(element: Element<'_>, file: usize, text: &str, prefixes: &[String]) -> Self {
        let place = |bytes: Range<usize>| Place {
            file,
            start: bytes.start,
            end: bytes.end,
        };
        let name = element.tag();
        let directive = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix));
        let attributes = element.attributes().map(|it| {
            let value = Rc::from(it.value);
            (it.name.to_owned(), value, place(it.value_range()))
        });
        let mut tag = Self {
            name: name.to_owned(),
            directive: directive.map(str::to_owned),
            attributes: attributes.collect(),
            children: Vec::new(),
            place: place(element.opening_tag()),
        };
        let mut at = element.opening_tag().end;
        for child in element.children() {
            tag.between(text, at..child.range().start, file);
            let child_tag = Self::new(child, file, text, prefixes);
            tag.children.push(Node::Element(Rc::new(child_tag)));
            at = child.range().end;
        }
        let end = element.range().end;
        if at < end {
            let close = text[at..end].rfind("</").unwrap_or(end - at);
            tag.between(text, at..at + close, file);
        }
        tag
    }

    /// The value of an attribute, and its place.
    pub(super) fn attribute(&self, name: &str) -> Option<(&Rc<str>, Place)> {
        let mut attributes = self.attributes.iter();
        let (_, value, place) = attributes.find(|it| it.0 == name)?;
        Some((value, *place))
    }

    /// Adds what is between two tags.
    fn between(&mut self, text: &str, bytes: Range<usize>, file: usize) {
        let mut start = bytes.start;
        while start < bytes.end {
            let rest = &text[start..bytes.end];
            let kept = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
            let found = kept.iter().filter_map(|(open, close)| {
                let from = rest.find(open)?;
                let to = rest[from..]
                    .find(close)
                    .map_or(rest.len(), |it| from + it + close.len());
                Some(from..to)
            });
            let found = found.min_by_key(|it| it.start);
            let plain = &rest[..found.as_ref().map_or(rest.len(), |it| it.start)];
            if !plain.trim().is_empty() {
                let end = start + plain.len();
                let value = unescape(plain).unwrap_or(plain.into());
                let place = Place { file, start, end };
                self.children.push(Node::Text(value.into(), place));
            }
            if let Some(kept) = &found {
                self.children.push(Node::Kept(rest[kept.clone()].into()));
            }
            start += found.map_or(rest.len(), |it| it.end);
        }
    }
}

/// An element that was made.
#[derive(Debug)]
pub(super) struct MadeElement {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, Rc<str>)>,
    pub(super) inner: Vec<Out>,
    /// How many elements are inside one another, this one among them.
    depth: usize,
}

/// The most elements inside one another, as many as a document may have.
const DEPTH: usize = 256;

/// A node that an expansion makes. Copies share its memory.
#[derive(Clone, Debug)]
pub(super) enum Out {
    Element(Rc<MadeElement>),
    Text(Rc<str>),
    Kept(Rc<str>),
}

impl MadeElement {
    pub(super) fn new(
        name: String,
        attributes: Vec<(String, Rc<str>)>,
        inner: Vec<Out>,
    ) -> Outcome<Self> {
        let depths = inner.iter().map(|it| match it {
            Out::Element(element) => element.depth,
            Out::Text(_) | Out::Kept(_) => 0,
        });
        let depth = 1 + depths.max().unwrap_or(0);
        if depth > DEPTH {
            let what = format!("it makes more than {DEPTH} elements inside one another");
            refuse!("{what}, the most that is accepted");
        }
        Ok(Self {
            name,
            attributes,
            inner,
            depth,
        })
    }

    /// Writes the element on lines of its own, below `level` others.
    pub(super) fn write(&self, to: &mut String, level: usize, budget: &mut Budget) -> Outcome<()> {
        let before = to.len();
        let indent = 2 * level;
        // Writing to a string does not fail.
        let _ = write!(to, "{:indent$}<{}", "", self.name);
        for (name, value) in &self.attributes {
            let _ = write!(to, " {name}=\"{}\"", escaped(value));
        }
        if self.inner.is_empty() {
            to.push_str("/>\n");
            return budget.bytes(to.len() - before);
        }
        to.push('>');
        budget.bytes(to.len() - before)?;
        // Blanks beside a text would be a part of it.
        let is_text = |it: &Out| match it {
            Out::Text(_) => true,
            Out::Kept(text) => !text.starts_with("<!--"),
            Out::Element(_) => false,
        };
        let has_text = self.inner.iter().any(is_text);
        if !has_text {
            to.push('\n');
        }
        for inner in &self.inner {
            let before = to.len();
            match inner {
                Out::Element(element) => {
                    element.write(to, level + 1, budget)?;
                    if has_text {
                        to.truncate(to.trim_end().len());
                    }
                    continue;
                }
                Out::Text(text) => to.push_str(&text.replace('&', "&amp;").replace('<', "&lt;")),
                Out::Kept(text) => {
                    to.push_str(text);
                    to.push_str(if has_text { "" } else { "\n" });
                }
            }
            budget.bytes(to.len() - before)?;
        }
        let indent = if has_text { 0 } else { indent };
        let _ = writeln!(to, "{:indent$}</{}>", "", self.name);
        budget.bytes(indent + self.name.len() + 4)
    }
}
