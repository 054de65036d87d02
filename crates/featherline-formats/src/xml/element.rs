//! Elements and attributes with their positions in the text.

use crate::location::Source;
use roxmltree::Node;
use std::ops::Range;

/// An element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element<'a> {
    node: Node<'a, 'a>,
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
    node: roxmltree::Attribute<'a, 'a>,
}

impl Attribute<'_> {
    /// The name and the value, in bytes of the text.
    pub(crate) fn range(&self) -> Range<usize> {
        self.node.range()
    }

    /// The name, in bytes of the text.
    pub(crate) fn name_range(&self) -> Range<usize> {
        self.node.range_qname()
    }

    /// The value without its quotes, in bytes of the text.
    pub(crate) fn value_range(&self) -> Range<usize> {
        self.node.range_value()
    }
}

impl<'a> Element<'a> {
    /// The outermost element of a text, by the text's index.
    pub(crate) fn root(document: &'a roxmltree::Document<'a>, text: usize) -> Self {
        Self {
            node: document.root_element(),
            text,
        }
    }

    /// This element and all inside it, in the order of the text.
    pub(crate) fn descendants(self) -> impl Iterator<Item = Element<'a>> {
        let elements = self.node.descendants().filter(Node::is_element);
        elements.map(move |node| Self { node, ..self })
    }

    /// The innermost element around a byte: this one or one that it is in.
    pub(crate) fn around(self, offset: usize) -> Self {
        let mut around = self.node.ancestors().filter(Node::is_element);
        let node = around.find(|node| node.range().contains(&offset));
        Self {
            node: node.unwrap_or(self.node),
            ..self
        }
    }

    /// Where the element begins.
    pub(crate) fn source(self) -> Source {
        Source::new(self.text, self.offset())
    }

    /// The name as it is written, with its prefix if it has one.
    pub(crate) fn tag(self) -> &'a str {
        let written = self.node.document().input_text().get(self.offset() + 1..);
        let end = |c: char| c.is_whitespace() || c == '>' || c == '/';
        written
            .and_then(|text| text.split(end).next())
            .unwrap_or_else(|| self.node.tag_name().name())
    }

    /// The end of what begins at a byte of the element: of its opening tag or of an attribute; else
    /// of the line.
    pub(crate) fn end_of_part(self, offset: usize) -> usize {
        if offset == self.offset() {
            return self.opening_tag().end;
        }
        let mut attributes = self.node.attributes();
        match attributes.find(|it| it.range().start == offset) {
            Some(attribute) => attribute.range().end,
            None => {
                let written = self.node.document().input_text();
                let rest = written.get(offset..).unwrap_or_default();
                let line = rest.split('\n').next().unwrap_or_default();
                offset + line.trim_end().len()
            }
        }
    }

    /// The opening tag, in bytes of the text.
    pub(crate) fn opening_tag(self) -> Range<usize> {
        let start = self.offset();
        let last = self.node.attributes().map(|it| it.range().end).max();
        let after = last.unwrap_or(start);
        let written = self.node.document().input_text();
        // What stands behind the attributes may declare prefixes, in quotes.
        let mut quote = None;
        let rest = written.get(after..).unwrap_or_default();
        let bracket = rest.bytes().position(|byte| {
            match (quote, byte) {
                (None, b'"' | b'\'') => quote = Some(byte),
                (Some(open), _) if open == byte => quote = None,
                _ => {}
            }
            quote.is_none() && byte == b'>'
        });
        start..bracket.map_or(after, |at| after + at + 1)
    }

    /// The element from its opening to its closing tag, in bytes of the text.
    pub(crate) fn range(self) -> Range<usize> {
        self.node.range()
    }

    /// The element that this one is in.
    pub(crate) fn parent(self) -> Option<Self> {
        let node = self.node.parent_element()?;
        Some(Self { node, ..self })
    }

    /// Where the element begins, in bytes.
    pub(crate) fn offset(self) -> usize {
        self.node.range().start
    }

    /// The prefixes that are declared here, and what they stand for.
    pub(crate) fn prefixes(self) -> Vec<(String, String)> {
        let declared = self.node.namespaces();
        let prefixed = declared.filter_map(|it| Some((it.name()?.to_owned(), it.uri().to_owned())));
        prefixed.filter(|(prefix, _)| prefix != "xml").collect()
    }

    /// The element as it is written.
    pub(crate) fn text(self) -> &'a str {
        &self.node.document().input_text()[self.node.range()]
    }

    /// The elements directly inside this one.
    pub(crate) fn children(self) -> impl Iterator<Item = Element<'a>> {
        let elements = self.node.children().filter(Node::is_element);
        elements.map(move |node| Self { node, ..self })
    }

    /// The position of text that is not blank directly inside this element.
    pub(crate) fn stray_text(self) -> Option<Source> {
        let blank = |node: &Node| node.text().is_none_or(|text| text.trim().is_empty());
        let stray = self.node.children().find(|n| n.is_text() && !blank(n));
        stray.map(|node| Source::new(self.text, node.range().start))
    }

    /// All attributes, in the order of the text.
    pub(crate) fn attributes(self) -> impl Iterator<Item = Attribute<'a>> {
        self.node.attributes().map(move |attribute| {
            let written = self.node.document().input_text();
            Attribute {
                name: written
                    .get(attribute.range_qname())
                    .unwrap_or_else(|| attribute.name()),
                value: attribute.value(),
                source: Source::new(self.text, attribute.range().start),
                node: attribute,
            }
        })
    }

    /// The attribute of a name.
    pub(crate) fn attribute(self, name: &str) -> Option<Attribute<'a>> {
        self.attributes().find(|attribute| attribute.name == name)
    }

    /// The element's path from the root: tags, and names where there are any.
    pub(crate) fn path(self) -> String {
        let mut steps: Vec<String> = Vec::new();
        for node in self.node.ancestors().filter(Node::is_element) {
            let element = Self { node, ..self };
            let tag = shortened(element.tag());
            // There is one root.
            let name = node.parent_element().and(element.attribute("name"));
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
