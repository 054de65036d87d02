//! Elements that were kept, whose text stands for itself.

use super::Writer;
use crate::description::{Description, KeptElement, Owner};
use crate::mjcf::compiler;
use crate::mjcf::include::Texts;
use crate::mjcf::schema;
use crate::report::Report;
use crate::resolve::name_from;
use crate::sources::Sources;
use crate::xml::{Document, Element, escaped};
use std::collections::HashMap;
use std::path::Path;

/// The section of a kept element of the robot that is not at the top of the file.
fn section(tag: &str) -> Option<&'static str> {
    match tag {
        "mesh" | "texture" | "hfield" | "skin" | "model" => Some("asset"),
        "connect" | "weld" | "joint" | "tendon" | "flex" | "flexstrain" => Some("equality"),
        _ => None,
    }
}

/// Whether an element of the robot stands at the top of the file.
fn is_at_top(tag: &str) -> bool {
    matches!(tag, "compiler" | "option") || schema::is_section(tag)
}

/// A description with what kept elements `<option>` state; none where they can't be read.
pub(super) fn options(options: &[&KeptElement]) -> Option<Description> {
    let documents: Result<Vec<Document<'_>>, _> =
        options.iter().map(|it| Document::parse(&it.text)).collect();
    let documents = documents.ok()?;
    let roots = documents.iter().enumerate();
    let roots: Vec<Element<'_>> = roots.map(|(i, it)| Element::root(it, i)).collect();
    let (includes, sources) = (HashMap::new(), Sources::default());
    let texts = Texts::new(&[], &documents, &includes);
    let mut stated = Description::new("");
    compiler::option(&roots, texts, &mut stated, &mut Report::new(&sources)).ok()?;
    Some(stated)
}

/// The text of an element, in which files are named from a folder; none where it can't be read.
fn with_names_from(folder: &Path, text: &str) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let elements = Element::root(&document, 0).descendants();
    let files = elements
        .flat_map(Element::attributes)
        .filter(|it| it.name.starts_with("file") && Path::new(it.value).is_absolute());
    let mut named = text.to_owned();
    let files: Vec<_> = files.collect();
    // From the end, so that the places of the others stay what they are.
    for file in files.iter().rev() {
        let name = name_from(Path::new(file.value), folder);
        named.replace_range(file.value_range(), &escaped(&name.to_string_lossy()));
    }
    Some(named)
}

impl<'d> Writer<'d, '_, '_> {
    /// The elements of the robot, by their tags.
    fn kept(&self, is_of_kind: impl Fn(&str) -> bool) -> Vec<&'d KeptElement> {
        let kept = self.description.kept.iter();
        let own = kept.filter(|it| it.owner == Owner::Robot && it.format == schema::FORMAT);
        own.filter(|it| is_of_kind(&it.tag)).collect()
    }

    /// Writes the elements of the robot of a tag; returns them.
    pub(super) fn kept_of(&mut self, tag: &str) -> Vec<&'d KeptElement> {
        let kept = self.kept(|it| it == tag);
        kept.iter().for_each(|it| self.element(&it.text));
        kept
    }

    /// Writes the sections at the top of the file that were kept, but those that come first.
    pub(super) fn kept_sections(&mut self) {
        for kept in self.kept(schema::is_section) {
            self.element(&kept.text);
        }
    }

    /// Writes what was kept of assets.
    pub(super) fn kept_assets(&mut self) {
        for kept in self.kept(|it| section(it) == Some("asset")) {
            self.element(&kept.text);
        }
    }

    /// The kept elements of constraints.
    pub(super) fn kept_constraints(&self) -> Vec<&'d KeptElement> {
        self.kept(|it| section(it) == Some("equality"))
    }

    /// Writes what was kept of a link.
    pub(super) fn kept_in(&mut self, owner: Owner) {
        let kept = self.description.kept.iter();
        for kept in kept.filter(|it| it.owner == owner && it.format == schema::FORMAT) {
            self.element(&kept.text);
        }
    }

    /// Writes an element as it is, with files below the folder of the new file relative to it.
    pub(super) fn element(&mut self, text: &str) {
        let folder = self.folder.as_ref();
        let relative = folder.and_then(|it| with_names_from(it, text));
        let text = relative.as_deref().unwrap_or(text);
        text.lines().for_each(|line| self.out.element(line));
    }

    /// Reports what other formats have, and what has no place.
    pub(super) fn kept_of_others(&mut self) {
        let description = self.description;
        for kept in &description.kept {
            let has_place = kept.format == schema::FORMAT
                && match kept.owner {
                    Owner::Robot => is_at_top(&kept.tag) || section(&kept.tag).is_some(),
                    Owner::Link(_) => true,
                    Owner::Joint(_) => false,
                };
            if !has_place {
                self.lacks(kept.source, format!("`<{}>`", kept.tag));
            }
        }
    }
}
