//! Elements that were kept as they are written.

use super::Writer;
use crate::description::{Kept, Owner};
use crate::mjcf::schema;
use crate::xml::{Document, Element};

/// Attributes that mean nothing without other parts of the file which are not kept: defaults,
/// settings of the compiler, folders.
const DEPENDENT: [&str; 9] = [
    "class",
    "childclass",
    "euler",
    "axisangle",
    "file",
    "mesh",
    "hfield",
    "texture",
    "model",
];

/// The section of a kept element of the robot that is not at the top of the file.
fn section(tag: &str) -> Option<&'static str> {
    match tag {
        "hfield" | "skin" => Some("asset"),
        "connect" | "weld" | "joint" | "tendon" | "flex" | "flexstrain" => Some("equality"),
        _ => None,
    }
}

/// Whether an element stands for itself.
fn is_whole(kept: &Kept) -> bool {
    let document = Document::parse(&kept.text);
    document.is_ok_and(|it| {
        let mut attributes = Element::root(&it, 0)
            .descendants()
            .flat_map(Element::attributes);
        !attributes.any(|it| DEPENDENT.contains(&it.name))
    })
}

impl Writer<'_, '_, '_> {
    /// Writes the sections at the top of the file that were kept.
    pub(super) fn kept_sections(&mut self) {
        for kept in self.kept(|it| schema::is_section(&it.tag)) {
            self.out.element(&kept.text);
        }
    }

    /// Writes what was kept of assets.
    pub(super) fn kept_assets(&mut self, is_open: &mut bool) {
        for kept in self.kept(|it| section(&it.tag) == Some("asset")) {
            self.section("asset", is_open);
            self.out.element(&kept.text);
        }
    }

    /// Writes what was kept of constraints.
    pub(super) fn kept_constraints(&mut self, is_open: &mut bool) {
        for kept in self.kept(|it| section(&it.tag) == Some("equality")) {
            self.section("equality", is_open);
            self.out.element(&kept.text);
        }
    }

    /// Writes what was kept of a link.
    pub(super) fn kept_in(&mut self, owner: Owner) {
        let kept = self.description.kept.iter();
        let own = kept.filter(|it| it.owner == owner && it.format == "MJCF");
        for kept in own {
            match is_whole(kept) {
                true => self.out.element(&kept.text),
                false => self.lost(kept),
            }
        }
    }

    /// The elements of the robot of a kind that stand for themselves; the others are reported.
    fn kept(&mut self, is_of_kind: impl Fn(&Kept) -> bool) -> Vec<Kept> {
        let kept = self.description.kept.iter();
        let own = kept.filter(|it| it.owner == Owner::Robot && it.format == "MJCF");
        let (whole, lost): (Vec<&Kept>, Vec<&Kept>) =
            own.filter(|it| is_of_kind(it)).partition(|it| is_whole(it));
        for kept in lost {
            self.lost(kept);
        }
        whole.into_iter().cloned().collect()
    }

    fn lost(&mut self, kept: &Kept) {
        let what = format!(
            "`<{}>`, which depends on defaults or other files,",
            kept.tag
        );
        self.lacks(kept.source, what);
    }

    /// Reports what other formats have, and what has no place.
    pub(super) fn kept_of_others(&mut self) {
        let description = self.description;
        for kept in &description.kept {
            let has_place = kept.format == "MJCF"
                && match kept.owner {
                    Owner::Robot => schema::is_section(&kept.tag) || section(&kept.tag).is_some(),
                    Owner::Link(_) => true,
                    Owner::Joint(_) => false,
                };
            if !has_place {
                self.lacks(kept.source, format!("`<{}>`", kept.tag));
            }
        }
    }
}
