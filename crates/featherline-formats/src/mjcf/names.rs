//! Parts by their names.

use crate::description::free_name;
use crate::location::Source;
use crate::report::{Outcome, Report, unknown_name};
use crate::xml::Attribute;
use std::collections::HashMap;

/// A kind of parts that have names.
#[derive(Clone, Copy)]
pub(super) enum Part {
    Mesh,
    Material,
    Body,
    Joint,
    Site,
    Geom,
    Tendon,
    Actuator,
}

/// The kinds in messages: one part, and several.
const WORDS: [(&str, &str); 8] = [
    ("mesh", "meshes"),
    ("material", "materials"),
    ("body", "bodies"),
    ("joint", "joints"),
    ("site", "sites"),
    ("geom", "geoms"),
    ("tendon", "tendons"),
    ("actuator", "actuators"),
];

/// The indices of parts of each kind by their names.
#[derive(Default)]
pub(super) struct Names {
    by_name: [HashMap<String, (usize, Source)>; WORDS.len()],
    /// The suffix of a replicate: a part with it is found before one without.
    pub(super) suffix: String,
}

impl Names {
    /// A name with the suffix, if it is one.
    pub(super) fn suffixed(&self, name: &str) -> String {
        match name.is_empty() {
            true => String::new(),
            false => format!("{name}{}", self.suffix),
        }
    }

    /// Adds a part; one without a name is found by nobody.
    pub(super) fn add(
        &mut self,
        part: Part,
        (name, index): (&str, usize),
        source: Source,
        report: &Report<'_>,
    ) -> Outcome<()> {
        if name.is_empty() {
            return Ok(());
        }
        let by_name = &mut self.by_name[part as usize];
        match by_name.insert(name.to_owned(), (index, source)) {
            None => Ok(()),
            Some((_, first)) => {
                let (_, what) = WORDS[part as usize];
                Err(report.duplicate_name(what, name, source, first))
            }
        }
    }

    /// The index of the part that an attribute names.
    pub(super) fn find(&self, part: Part, attribute: Attribute<'_>) -> Outcome<usize> {
        let by_name = &self.by_name[part as usize];
        let copy = Some(&self.suffix).filter(|it| !it.is_empty());
        let copy = copy.and_then(|it| by_name.get(&format!("{}{it}", attribute.value)));
        match copy.or_else(|| by_name.get(attribute.value)) {
            Some(&(index, _)) => Ok(index),
            None => {
                let (what, _) = WORDS[part as usize];
                let known = by_name.keys().map(String::as_str);
                Err(unknown_name(what, attribute, known))
            }
        }
    }

    /// A name that no part has: the one given, or it and as many underscores as it takes. It is
    /// taken from then on.
    pub(super) fn unused(&mut self, part: Part, name: String) -> String {
        let by_name = &mut self.by_name[part as usize];
        let name = free_name(name, |it| by_name.contains_key(it));
        by_name.insert(name.clone(), (0, Source::default()));
        name
    }
}
