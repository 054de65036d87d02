//! Names of files, for a text that is written to another folder.

use super::proposal::{TextEdit, value};
use crate::file_format::FileFormat;
use crate::resolve::{full, joined, name_from};
use crate::xml::{Attribute, Element};
use std::path::Path;

/// Relative names of files in a text, named from another folder. Names by `package://` and from the
/// root stay.
pub(super) fn named_from(root: Element<'_>, source: &Path, folder: &Path) -> Vec<TextEdit> {
    let (source, folder) = (full(source), full(folder));
    if source == folder {
        return Vec::new();
    }
    let attributes = match FileFormat::of_root(root.tag()) {
        Some(FileFormat::Urdf) => of_urdf(root),
        Some(FileFormat::Mjcf) => of_mjcf(root),
        _ => Vec::new(),
    };
    let edits = attributes.into_iter().filter_map(|attribute| {
        let name = attribute.value;
        if name.is_empty() || name.contains("://") || Path::new(name).is_absolute() {
            return None;
        }
        let path = joined(&source, name);
        let path = if path.exists() { full(&path) } else { path };
        let new = name_from(&path, &folder);
        Some(value(&attribute, &new.to_string_lossy()))
    });
    edits.collect()
}

/// Where a URDF names files of meshes and textures.
fn of_urdf(root: Element<'_>) -> Vec<Attribute<'_>> {
    let elements = root.descendants().filter(|it| {
        let parent = it.parent().map(Element::tag);
        matches!(
            (it.tag(), parent),
            ("mesh", Some("geometry")) | ("texture", Some("material"))
        )
    });
    elements.filter_map(|it| it.attribute("filename")).collect()
}

/// Where an MJCF file names files: by the folders in `<compiler>`, where it has them, because other
/// names begin there.
fn of_mjcf(root: Element<'_>) -> Vec<Attribute<'_>> {
    let folder = |names: &[&str]| -> Vec<Attribute<'_>> {
        let compilers = root.children().filter(|it| it.tag() == "compiler");
        let stated = compilers.flat_map(Element::attributes);
        stated.filter(|it| names.contains(&it.name)).collect()
    };
    let mut found = folder(&["assetdir", "meshdir", "texturedir"]);
    let are_meshes_here = folder(&["assetdir", "meshdir"]).is_empty();
    let are_textures_here = folder(&["assetdir", "texturedir"]).is_empty();
    for element in root.descendants() {
        let is_named_here = match element.tag() {
            "mesh" | "hfield" | "skin" | "flexcomp" => are_meshes_here,
            "texture" => are_textures_here,
            "include" | "model" => true,
            _ => false,
        };
        found.extend(element.attribute("file").filter(|_| is_named_here));
    }
    found
}
