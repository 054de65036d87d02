//! Attributes of an element, with the defaults of its class.

use crate::error::ErrorCause;
use crate::location::Source;
use crate::report::{Outcome, fault};
use crate::value;
use crate::xml::{Attribute, Element, shortened};
use featherline::spatial::Vec3;

/// An element, and the defaults of its class, the nearest first.
#[derive(Clone)]
pub(super) struct Attributes<'a> {
    chain: Vec<Element<'a>>,
}

impl<'a> Attributes<'a> {
    pub(super) fn new(element: Element<'a>, defaults: impl Iterator<Item = Element<'a>>) -> Self {
        Self {
            chain: std::iter::once(element).chain(defaults).collect(),
        }
    }

    /// The element itself.
    pub(super) fn element(&self) -> Element<'a> {
        self.chain[0]
    }

    /// The element and its defaults.
    pub(super) fn chain(&self) -> &[Element<'a>] {
        &self.chain
    }

    /// The nearest element that has one of the attributes.
    pub(super) fn nearest(&self, names: &[&str]) -> Option<Element<'a>> {
        let mut chain = self.chain.iter();
        let has =
            |element: &&Element<'a>| names.iter().any(|name| element.attribute(name).is_some());
        chain.find(has).copied()
    }

    /// An element without defaults.
    pub(super) fn alone(element: Element<'a>) -> Self {
        Self::new(element, std::iter::empty())
    }

    /// Where an attribute is; the element, if it has none of the name.
    pub(super) fn source(&self, name: &str) -> Source {
        let attribute = self.get(name).map(|it| it.source);
        attribute.unwrap_or(self.element().source())
    }

    pub(super) fn get(&self, name: &str) -> Option<Attribute<'a>> {
        self.chain.iter().find_map(|it| it.attribute(name))
    }

    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.get(name).map(|attribute| attribute.value)
    }

    /// The element's name; empty if it has none.
    pub(super) fn name(&self) -> &'a str {
        self.element().name()
    }

    pub(super) fn number(&self, name: &'static str) -> Outcome<Option<f64>> {
        match self.nearest(&[name]) {
            Some(element) => value::number(element, name),
            None => Ok(None),
        }
    }

    pub(super) fn numbers<const N: usize>(&self, name: &'static str) -> Outcome<Option<[f64; N]>> {
        match self.nearest(&[name]) {
            Some(element) => value::numbers(element, name),
            None => Ok(None),
        }
    }

    pub(super) fn vector(&self, name: &'static str) -> Outcome<Option<Vec3<f64>>> {
        Ok(self.numbers::<3>(name)?.map(|[x, y, z]| Vec3::new(x, y, z)))
    }

    /// At most N numbers. Those that the element does not have are the defaults'; also returns how
    /// many are given.
    pub(super) fn up_to<const N: usize>(
        &self,
        name: &'static str,
        mut values: [f64; N],
    ) -> Outcome<([f64; N], usize)> {
        let mut given = 0;
        for &element in self.chain.iter().rev() {
            if element.attribute(name).is_some() {
                let own = value::some_numbers(element, name, N)?;
                values[..own.len()].copy_from_slice(&own);
                given = given.max(own.len());
            }
        }
        Ok((values, given))
    }

    /// All numbers of an attribute.
    pub(super) fn list(&self, name: &'static str) -> Outcome<Vec<f64>> {
        match self.nearest(&[name]) {
            Some(element) => value::some_numbers(element, name, usize::MAX),
            None => Ok(Vec::new()),
        }
    }

    /// A word of a list.
    pub(super) fn word(
        &self,
        name: &'static str,
        words: &[&'static str],
    ) -> Outcome<Option<&'static str>> {
        let Some(attribute) = self.get(name) else {
            return Ok(None);
        };
        let found = words.iter().find(|word| **word == attribute.value);
        let unknown = || {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            let cause = ErrorCause::UnknownWord {
                attribute: name,
                found: shortened(attribute.value),
                expected: words.join(" or "),
            };
            fault(attribute.source, cause)
        };
        found.copied().map(Some).ok_or_else(unknown)
    }

    /// `true` or `false`.
    pub(super) fn flag(&self, name: &'static str) -> Outcome<Option<bool>> {
        let word = self.word(name, &["true", "false"])?;
        Ok(word.map(|word| word == "true"))
    }
}
