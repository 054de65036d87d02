//! Classes of defaults.

use super::attributes::Attributes;
use super::include::Texts;
use crate::error::ErrorCause;
use crate::report::{Outcome, Report, fault, unknown_name};
use crate::xml::{Element, shortened};
use std::collections::HashMap;

/// The class that all others inherit from.
pub(super) const MAIN: usize = 0;

/// Classes of defaults, by their names.
pub(super) struct Defaults<'a> {
    classes: Vec<Class<'a>>,
    by_name: HashMap<&'a str, usize>,
}

#[derive(Default)]
struct Class<'a> {
    parent: Option<usize>,
    /// Defaults by the kind of element, the last ones first: they count before earlier ones.
    elements: HashMap<&'static str, Vec<Element<'a>>>,
}

/// The kind of element that a default is for: actuators share theirs, and so do tendons.
fn kind(tag: &str) -> &'static str {
    const OWN: [&str; 11] = [
        "mesh", "texture", "material", "joint", "geom", "site", "camera", "light", "pair",
        "equality", "tendon",
    ];
    OWN.into_iter()
        .find(|own| *own == tag)
        .unwrap_or("actuator")
}

impl<'a> Defaults<'a> {
    /// Reads the `<default>` elements of the outermost level.
    pub(super) fn read(
        sections: &[Element<'a>],
        texts: Texts<'a>,
        report: &Report<'_>,
    ) -> Outcome<Self> {
        let mut defaults = Self {
            classes: vec![Class::default()],
            by_name: HashMap::from([("main", MAIN)]),
        };
        // A class and its element; those inside are opened later, so that nothing recurses.
        let mut open = Vec::new();
        // The first one is opened first, so that later ones count before it.
        for &section in sections.iter().rev().filter(|it| it.tag() == "default") {
            if let Some(name) = section.attribute("class") {
                defaults.by_name.insert(name.value, MAIN);
            }
            open.push((MAIN, section));
        }
        let mut sources = HashMap::new();
        while let Some((class, element)) = open.pop() {
            for child in texts.children(element) {
                if child.tag() != "default" {
                    let elements = &mut defaults.classes[class].elements;
                    let of_kind = elements.entry(kind(child.tag())).or_default();
                    of_kind.insert(0, child);
                    continue;
                }
                let name = crate::value::required_name(child, "class")?;
                let index = defaults.classes.len();
                defaults.classes.push(Class {
                    parent: Some(class),
                    ..Class::default()
                });
                if defaults.by_name.insert(name, index).is_some() {
                    let cause = ErrorCause::DuplicateName {
                        what: "classes",
                        name: shortened(name),
                        first_line: sources.get(name).map_or(1, |&first| report.line(first)),
                    };
                    return Err(fault(child.source(), cause));
                }
                sources.insert(name, child.source());
                open.push((index, child));
            }
        }
        Ok(defaults)
    }

    /// The class that an attribute of an element names, if it is there.
    pub(super) fn class(
        &self,
        element: Element<'a>,
        attribute: &'static str,
    ) -> Outcome<Option<usize>> {
        let Some(named) = element.attribute(attribute) else {
            return Ok(None);
        };
        let known = self.by_name.keys().copied();
        let unknown = || unknown_name("default class", named, known);
        let found = self.by_name.get(named.value).copied();
        found.map(Some).ok_or_else(unknown)
    }

    /// The class of what is in an element, which is `inherited` if it names none.
    pub(super) fn child_class(&self, element: Element<'a>, inherited: usize) -> Outcome<usize> {
        Ok(self.class(element, "childclass")?.unwrap_or(inherited))
    }

    /// An element with the defaults of its class, which is `inherited` if it names none.
    pub(super) fn attributes(
        &self,
        element: Element<'a>,
        kind: &'static str,
        inherited: usize,
    ) -> Outcome<Attributes<'a>> {
        let class = self.class(element, "class")?.unwrap_or(inherited);
        let ancestors = std::iter::successors(Some(class), |&it| self.classes[it].parent);
        let elements = ancestors.filter_map(|it| self.classes[it].elements.get(kind));
        Ok(Attributes::new(element, elements.flatten().copied()))
    }
}
