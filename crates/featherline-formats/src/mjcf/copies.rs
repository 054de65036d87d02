//! Parts that replicates copy, and elements that name them.

use super::include::Texts;
use super::schema::is_name;
use crate::xml::Element;
use std::collections::HashMap;
use std::rc::Rc;

/// The suffixes that replicates add to the names of parts. An element elsewhere that names a part
/// which is replicated stands for one element for each copy.
#[derive(Default)]
pub(super) struct Copies {
    /// All additions, in the order of the parts.
    suffixes: Vec<Rc<str>>,
    /// Those of each name, as it is written.
    by_name: HashMap<String, Vec<Rc<str>>>,
}

impl Copies {
    /// Notes a copy of a part.
    pub(super) fn add(&mut self, name: &str, suffix: &Rc<str>) {
        if suffix.is_empty() || name.is_empty() {
            return;
        }
        if !self.suffixes.contains(suffix) {
            self.suffixes.push(Rc::clone(suffix));
        }
        let of_name = self.by_name.entry(name.to_owned()).or_default();
        of_name.push(Rc::clone(suffix));
    }

    /// No addition, then all that there are.
    pub(super) fn suffixes(&self) -> Vec<Rc<str>> {
        let none = std::iter::once(Rc::from(""));
        none.chain(self.suffixes.iter().cloned()).collect()
    }

    /// Whether there is a copy of an element with an addition to its name: it names a part that has
    /// one. Its own name is added to those that are copied.
    pub(super) fn has(&self, texts: Texts<'_>, element: Element<'_>, suffix: &str) -> bool {
        let names = |it: Element<'_>| {
            let attributes = it.attributes();
            let mut naming = attributes.filter(move |attribute| {
                attribute.name != "name" && is_name(it.tag(), attribute.name, attribute.value)
            });
            naming.find_map(|attribute| self.by_name.get(attribute.value))
        };
        let of_element = names(element);
        let children = || texts.children(element).into_iter().find_map(names);
        match of_element.or_else(children) {
            None => suffix.is_empty(),
            Some(suffixes) => suffixes.iter().any(|it| **it == *suffix),
        }
    }
}
