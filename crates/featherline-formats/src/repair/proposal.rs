//! A repair of the texts as they are, and how edits of XML are made.

use super::round::Problem;
use crate::location::Source;
use crate::xml::{self, Attribute, Element};
use std::ops::Range;

/// A repair of the texts of a round.
#[derive(Clone, Debug)]
pub(super) struct Proposal {
    pub(super) problem: Problem,
    pub(super) reason: String,
    pub(super) edits: Vec<TextEdit>,
}

/// A piece of one of the texts of a round, and what replaces it.
#[derive(Clone, Debug)]
pub(super) struct TextEdit {
    /// The index of the text.
    pub(super) text: usize,
    pub(super) range: Range<usize>,
    pub(super) new: String,
}

/// An attribute with another value.
pub(super) fn value(attribute: &Attribute<'_>, new: &str) -> TextEdit {
    edit(attribute.source, attribute.value_range(), escaped(new))
}

/// An attribute with another name.
pub(super) fn renamed(attribute: &Attribute<'_>, new: &str) -> TextEdit {
    edit(attribute.source, attribute.name_range(), new.to_owned())
}

/// An element with another name, in its opening and in its closing tag.
pub(super) fn renamed_element(element: Element<'_>, new: &str) -> Vec<TextEdit> {
    let name = |at: usize| {
        let range = at..at + element.tag().len();
        edit(element.source(), range, new.to_owned())
    };
    // `<`, and the name.
    let mut edits = vec![name(element.offset() + 1)];
    if element.opening_tag().end < element.range().end
        && let Some(closing) = element.text().rfind("</")
    {
        edits.push(name(element.offset() + closing + 2));
    }
    edits
}

/// An attribute of an element, with a value: it is added behind the others, if it is not there.
pub(super) fn with_attribute(element: Element<'_>, name: &str, new: &str) -> TextEdit {
    if let Some(attribute) = element.attribute(name) {
        return value(&attribute, new);
    }
    let last = element.attributes().map(|it| it.range().end).max();
    // `<`, and the name.
    let at = last.unwrap_or(element.offset() + 1 + element.tag().len());
    edit(
        element.source(),
        at..at,
        format!(" {name}=\"{}\"", escaped(new)),
    )
}

/// An element that is removed, with its lines if nothing else is in them.
pub(super) fn removed(element: Element<'_>, text: &str) -> TextEdit {
    let Range { mut start, mut end } = element.range();
    let before = text[..start].trim_end_matches([' ', '\t']);
    let after = text[end..].trim_start_matches([' ', '\t', '\r']);
    if before.ends_with('\n') && after.starts_with('\n') {
        start = before.len();
        end = text.len() - after.len() + 1;
    }
    edit(element.source(), start..end, String::new())
}

/// A piece of the text that a place is in.
pub(super) fn edit(place: Source, range: Range<usize>, new: String) -> TextEdit {
    let text = place.position().map_or(0, |(text, _)| text);
    TextEdit { text, range, new }
}

/// A text for an attribute's value, whatever its quotes are.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
        .replace('\'', "&apos;")
}

/// A number as people write it, read back to the last bit.
pub(super) fn number(value: f64) -> String {
    // No −0.
    xml::number(value + 0.0)
}

/// Numbers, separated by blanks.
pub(super) fn list(values: &[f64]) -> String {
    let words: Vec<String> = values.iter().map(|it| number(*it)).collect();
    words.join(" ")
}

/// The finite numbers of an attribute; none if it has anything else.
pub(super) fn numbers(attribute: &Attribute<'_>) -> Option<Vec<f64>> {
    let words = attribute.value.split_ascii_whitespace();
    let values: Option<Vec<f64>> = words.map(|it| it.parse().ok()).collect();
    values.filter(|it| it.iter().all(|it: &f64| it.is_finite()))
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_read_back() {
        for value in [
            0.1,
            -3.0,
            1e-300,
            123456.75,
            5e-324,
            1e22,
            0.00012,
            f64::MAX,
        ] {
            assert_eq!(number(value).parse::<f64>(), Ok(value));
        }
        assert_eq!(number(-0.0), "0");
        assert_eq!(number(1e-9), "1e-9");
    }
}
