//! Elements and attributes with their positions in the text.

use super::document::{AttributeText, Document, Node};
use crate::location::Source;
use std::ops::Range;

/// An element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element<'a> {
    document: &'a Document<'a>,
    /// Its index in the document.
    index: usize,
    /// The index of its text among those of the description.
    text: usize,
}

/// An attribute of an element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attribute<'a> {
    /// The name as it is written, with its prefix if it has one.
    pub(crate) name: &'a str,
    pub(crate) value: &'a str,
    pub(crate) source: Source,
    written: &'a AttributeText<'a>,
}

impl Attribute<'_> {
    /// The name and the value, in bytes of the text.
    pub(crate) fn range(&self) -> Range<usize> {
        // The quote is one byte.
        self.written.start..self.written.value_range.end + 1
    }

    /// The name, in bytes of the text.
    pub(crate) fn name_range(&self) -> Range<usize> {
        self.written.start..self.written.start + self.name.len()
    }

    /// The value without its quotes, in bytes of the text.
    pub(crate) fn value_range(&self) -> Range<usize> {
        self.written.value_range.clone()
    }
}

impl<'a> Element<'a> {
    /// The outermost element of a text, by the text's index.
    pub(crate) fn root(document: &'a Document<'a>, text: usize) -> Self {
        Self {
            document,
            index: 0,
            text,
        }
    }

    fn node(self) -> &'a Node<'a> {
        &self.document.elements[self.index]
    }

    fn at(self, index: usize) -> Self {
        Self { index, ..self }
    }

    /// This element and all inside it, in the order of the text.
    pub(crate) fn descendants(self) -> impl Iterator<Item = Element<'a>> {
        (self.index..self.node().after).map(move |index| self.at(index))
    }

    /// The innermost element of this element's text around a byte; the outermost, if there is none.
    pub(crate) fn around(self, offset: usize) -> Self {
        let elements = &self.document.elements;
        let after = elements.partition_point(|it| it.range.start <= offset);
        let mut element = self.at(after.saturating_sub(1));
        while let Some(parent) = element.parent()
            && !element.range().contains(&offset)
        {
            element = parent;
        }
        element
    }

    /// Where the element begins.
    pub(crate) fn source(self) -> Source {
        Source::new(self.text, self.offset())
    }

    /// The name as it is written, with its prefix if it has one.
    pub(crate) fn tag(self) -> &'a str {
        self.node().tag
    }

    /// The end of what begins at a byte of the element: of its opening tag or of an attribute; else
    /// of the line.
    pub(crate) fn end_of_part(self, offset: usize) -> usize {
        if offset == self.offset() {
            return self.opening_tag().end;
        }
        let mut attributes = self.attributes();
        match attributes.find(|it| it.range().start == offset) {
            Some(attribute) => attribute.range().end,
            None => {
                let rest = self.document.text.get(offset..).unwrap_or_default();
                let line = rest.split('\n').next().unwrap_or_default();
                offset + line.trim_end().len()
            }
        }
    }

    /// The opening tag, in bytes of the text.
    pub(crate) fn opening_tag(self) -> Range<usize> {
        self.offset()..self.node().opened
    }

    /// The element from its opening to its closing tag, in bytes of the text.
    pub(crate) fn range(self) -> Range<usize> {
        self.node().range.clone()
    }

    /// The element that this one is in.
    pub(crate) fn parent(self) -> Option<Self> {
        Some(self.at(self.node().parent?))
    }

    /// Where the element begins, in bytes.
    pub(crate) fn offset(self) -> usize {
        self.node().range.start
    }

    /// The prefixes that are declared here, and what they stand for.
    pub(crate) fn prefixes(self) -> Vec<(String, String)> {
        let declared = self.document.prefixes.iter();
        let here = declared.filter(|(element, _)| *element == self.index);
        let prefixed = here.filter_map(|(_, it)| {
            let prefix = it.name.strip_prefix("xmlns:")?;
            Some((prefix.to_owned(), it.value.clone().into_owned()))
        });
        prefixed.collect()
    }

    /// The element as it is written.
    pub(crate) fn text(self) -> &'a str {
        &self.document.text[self.range()]
    }

    /// The elements directly inside this one.
    pub(crate) fn children(self) -> impl Iterator<Item = Element<'a>> {
        let after = self.node().after;
        let first = Some(self.index + 1).filter(|&index| index < after);
        let siblings = std::iter::successors(first, move |&index| {
            Some(self.document.elements[index].after).filter(|&index| index < after)
        });
        siblings.map(move |index| self.at(index))
    }

    /// The position of text that is not blank directly inside this element.
    pub(crate) fn stray_text(self) -> Option<Source> {
        let stray = self.node().stray_text?;
        Some(Source::new(self.text, stray))
    }

    /// All attributes, in the order of the text.
    pub(crate) fn attributes(self) -> impl Iterator<Item = Attribute<'a>> {
        let written = &self.document.attributes[self.node().attributes.clone()];
        written.iter().map(move |written| Attribute {
            name: written.name,
            value: &written.value,
            source: Source::new(self.text, written.start),
            written,
        })
    }

    /// The attribute of a name.
    pub(crate) fn attribute(self, name: &str) -> Option<Attribute<'a>> {
        self.attributes().find(|attribute| attribute.name == name)
    }

    /// The attribute `name`; empty if there is none.
    pub(crate) fn name(self) -> &'a str {
        self.attribute("name").map_or("", |it| it.value)
    }

    /// The element's path from the root: tags, and names where there are any.
    pub(crate) fn path(self) -> String {
        let mut steps: Vec<String> = Vec::new();
        for element in std::iter::successors(Some(self), |it| it.parent()) {
            let tag = shortened(element.tag());
            // There is one root.
            let name = element.parent().and(element.attribute("name"));
            steps.push(match name {
                Some(name) => format!("{tag}[@name='{}']", shortened(name.value)),
                None => tag,
            });
        }
        steps.reverse();
        steps.join("/")
    }
}

/// The longest part of a file in a message, in characters.
const SHOWN: usize = 80;

/// A part of a file for a message: on one line, and not too long.
pub(crate) fn shortened(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .take(SHOWN)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}
