//! The schema of MJCF: elements and attributes that are read, that are not used, and all others.

use super::include::Texts;
use crate::error::ErrorCause;
use crate::report::{Outcome, Report, fault};
use crate::suggestion::meant;
use crate::warning::WarningCause;
use crate::xml::{Attribute, Element, XmlRefusal, shortened};
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// The format's name in messages.
pub(super) const FORMAT: &str = "MJCF";
/// The greatest number of elements inside one another, across files.
const MAX_DEPTH: usize = 256;

/// The use of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// It is read.
    Read,
    /// It is a setting of a part, in the words of the file.
    Setting,
    /// The same, and the model has no use for it.
    Unused,
}

/// The attributes of an element of the format.
type Entry = HashMap<&'static str, Use>;

/// The elements of the format by their paths.
static SCHEMA: LazyLock<HashMap<&'static str, Entry>> = LazyLock::new(|| {
    let mut schema: HashMap<&'static str, Entry> = HashMap::new();
    let mut paths: Vec<&'static str> = Vec::new();
    let mut unmarked = Use::Unused;
    let lines = include_str!("schema.txt").lines();
    for line in lines.filter(|line| !line.starts_with('#')) {
        let mut in_attributes = line.starts_with(' ') && !paths_continue(&paths, &schema);
        for word in line.split_ascii_whitespace() {
            if in_attributes {
                let (name, used) = match word.split_at(1) {
                    ("*", name) => (name, Use::Read),
                    ("+", name) => (name, Use::Setting),
                    _ => (word, unmarked),
                };
                if name.is_empty() {
                    unmarked = used;
                    continue;
                }
                for path in &paths {
                    schema.entry(path).or_default().insert(name, used);
                }
                continue;
            }
            if !line.starts_with(' ') && line.starts_with(word) {
                (paths, unmarked) = (Vec::new(), Use::Unused);
            }
            let path = word.trim_end_matches(':');
            paths.push(path);
            if word.ends_with(':') {
                in_attributes = true;
                for path in &paths {
                    schema.entry(path).or_default();
                }
            }
        }
    }
    schema
});

/// Whether a list of paths goes on in the next line: the colon has not come.
fn paths_continue(paths: &[&'static str], schema: &HashMap<&'static str, Entry>) -> bool {
    paths.last().is_some_and(|path| !schema.contains_key(path))
}

/// Sections that are read although they have no attributes.
const SECTIONS: [&str; 9] = [
    "mujoco", "asset", "contact", "tendon", "equality", "actuator", "sensor", "keyframe", "default",
];

/// The path in the schema of an element inside another one.
pub(super) fn path_below(parent: &str, tag: &str) -> String {
    match (parent, tag) {
        ("mujoco", "worldbody") | ("body" | "body/frame" | "body/replicate", "body") => {
            "body".to_owned()
        }
        ("mujoco", tag) => tag.to_owned(),
        ("body" | "body/frame" | "body/replicate", tag) => format!("body/{tag}"),
        ("default", "default") => "default".to_owned(),
        ("default", "joint" | "geom" | "site" | "camera" | "light") => format!("body/{tag}"),
        ("default", "mesh" | "texture" | "material") => format!("asset/{tag}"),
        ("default", "pair") => "contact/pair".to_owned(),
        ("default", "equality" | "tendon") => format!("default/{tag}"),
        ("default", tag) => format!("actuator/{tag}"),
        (parent, tag) => format!("{parent}/{tag}"),
    }
}

/// Whether an element is read: its section is, or one of its attributes.
fn is_read(path: &str) -> bool {
    let is_read = |entry: &Entry| entry.values().any(|&it| it == Use::Read);
    SCHEMA
        .get(path)
        .is_some_and(|it| SECTIONS.contains(&path) || is_read(it))
}

/// Whether there are elements of a path, such as `actuator/motor`.
pub(super) fn exists(path: &str) -> bool {
    SCHEMA.contains_key(path)
}

/// Whether an element has an attribute, by its path.
pub(super) fn has(path: &str, attribute: &str) -> bool {
    let entry = SCHEMA.get(path);
    entry.is_some_and(|entry| entry.contains_key(attribute))
}

/// Whether an attribute is read, by the path of its element; what is not is a setting.
pub(super) fn is_attribute_read(path: &str, attribute: &str) -> bool {
    let entry = SCHEMA.get(path);
    entry.is_some_and(|entry| entry.get(attribute) == Some(&Use::Read))
}

/// Whether elements of this kind stand at the top of a file, and are kept.
pub(super) fn is_section(tag: &str) -> bool {
    exists(tag) && tag != "body" && !is_read(tag)
}

/// Whether elements of the world are of this kind, which is read.
pub(super) fn is_read_in_body(tag: &str) -> bool {
    is_read(&path_below("body", tag))
}

/// Whether the value of an attribute is the name of a part of a model.
pub(super) fn is_name(tag: &str, attribute: &str, value: &str) -> bool {
    match (tag, attribute) {
        // Names within the model that is attached, or of it.
        ("attach" | "model", _) => false,
        (_, "body" | "body1" | "body2" | "objname" | "refname") => value != "world",
        (_, "name" | "instance") => true,
        _ => NAMING.split(' ').any(|it| it == attribute),
    }
}

/// Attributes whose values name other parts, but for bodies.
const NAMING: &str = "actuator camera cranksite geom geom1 geom2 hfield joint joint1 joint2 \
    jointinparent material mesh refsite sidesite site site1 site2 slidersite subtree1 subtree2 \
    target tendon tendon1 tendon2 texture";

/// Elements that are kept with all that is in them.
const WHOLE: [&str; 4] = ["compiler", "option", "asset/mesh", "asset/texture"];

/// The motion or force that the model lacks without an element, if the element moves the robot.
fn lost(path: &str, children: &[Element<'_>]) -> Option<&'static str> {
    match path {
        "body/flexcomp" => Some("the bodies and the elastic forces that it adds are"),
        // Skins alone move nothing.
        "deformable" if children.iter().any(|it| it.tag() == "flex") => {
            Some("the elastic forces in it are")
        }
        "equality/flex" | "equality/flexstrain" => Some("the constraint is"),
        "body/plugin" => Some("its forces are"),
        "body/geom/plugin" | "asset/mesh/plugin" => Some("the shape that it makes is"),
        _ => None,
    }
}

/// Warns of everything that is not read; returns the elements among it that belong to no body, with
/// their paths.
pub(super) fn audit<'a>(
    root: Element<'a>,
    texts: Texts<'a>,
    report: &mut Report<'_>,
) -> Outcome<Vec<(Element<'a>, String)>> {
    let mut unread = Vec::new();
    let mut open: Vec<(Element<'a>, String, usize)> = vec![(root, "mujoco".to_owned(), 0)];
    while let Some((element, path, depth)) = open.pop() {
        if depth > MAX_DEPTH {
            let why = XmlRefusal::TooDeep { limit: MAX_DEPTH };
            return Err(fault(element.source(), ErrorCause::Xml(why)));
        }
        attributes(element, &path, report);
        if let Some(source) = element.stray_text() {
            report.unused(format!("text in `<{}>`", shortened(element.tag())), source);
        }
        let children = texts.children(element);
        for &child in children.iter().rev() {
            let below = path_below(&path, child.tag());
            if is_read(&below) {
                open.push((child, below, depth + 1));
                continue;
            }
            let tag = shortened(child.tag());
            let what = format!("`<{tag}>` in `<{}>`", shortened(element.tag()));
            let lost = lost(&below, &texts.children(child)).filter(|_| exists(&below));
            if let Some(lost) = lost {
                report.warn(child.source(), WarningCause::NotModelled { what, lost });
            } else if exists(&below) {
                report.unused(what, child.source());
            } else if let Some(meant) = meant_element(&path, child.tag()) {
                report.misspelt(what, "element", meant, child.source());
            } else {
                report.foreign(FORMAT, what, child.source());
            }
        }
        // Where the element stands, not where it is looked up: a default is no part of a robot.
        if path != "default" && !path.starts_with("body") && !WHOLE.contains(&path.as_str()) {
            for &child in &children {
                let below = path_below(&path, child.tag());
                if !is_read(&below) {
                    unread.push((child, below));
                }
            }
        }
    }
    Ok(unread)
}

/// Elements and attributes that a format does not have, each with the name that was meant.
#[derive(Default)]
pub(crate) struct Misspelt<'a> {
    pub(crate) elements: Vec<(Element<'a>, &'static str)>,
    /// Attributes, with their elements.
    pub(crate) attributes: Vec<(Element<'a>, Attribute<'a>, &'static str)>,
}

/// The elements and attributes that the format does not have. An element is left out if it has an
/// attribute that the one that is meant has not.
pub(crate) fn misspelt<'a>(root: Element<'a>, texts: Texts<'a>) -> Misspelt<'a> {
    let mut found = Misspelt::default();
    let mut open: Vec<(Element<'a>, String, usize)> = vec![(root, "mujoco".to_owned(), 0)];
    while let Some((element, path, depth)) = open.pop() {
        let Some(entry) = SCHEMA.get(path.as_str()) else {
            continue;
        };
        for attribute in element.attributes() {
            if entry.contains_key(attribute.name) {
                continue;
            }
            if let Some(meant) = meant_attribute(entry, element, attribute.name) {
                found.attributes.push((element, attribute, meant));
            }
        }
        if depth < MAX_DEPTH {
            for child in texts.children(element).into_iter().rev() {
                let below = path_below(&path, child.tag());
                if exists(&below) {
                    open.push((child, below, depth + 1));
                } else if let Some(meant) = meant_element(&path, child.tag()) {
                    let below = path_below(&path, meant);
                    let mut attributes = child.attributes();
                    if attributes.all(|it| has(&below, it.name)) {
                        found.elements.push((child, meant));
                    }
                }
            }
        }
    }
    found
}

/// The attribute that an unknown one can only mean, among those that the element does not have yet.
fn meant_attribute(entry: &Entry, element: Element<'_>, name: &str) -> Option<&'static str> {
    let known = entry.keys().copied();
    meant(
        name,
        known.filter(|known| element.attribute(known).is_none()),
    )
}

/// The element that an unknown one in an element of a path can only mean.
fn meant_element(parent: &str, tag: &str) -> Option<&'static str> {
    let last = |path: &'static str| path.rsplit('/').next().unwrap_or(path);
    let tags: BTreeSet<&str> = SCHEMA.keys().copied().map(last).collect();
    let here = |known: &&str| exists(&path_below(parent, known));
    meant(tag, tags.into_iter().chain(["worldbody"]).filter(here))
}

fn attributes(element: Element<'_>, path: &str, report: &mut Report<'_>) {
    let Some(entry) = SCHEMA.get(path) else {
        return;
    };
    for attribute in element.attributes() {
        let what = || {
            let name = shortened(attribute.name);
            format!("the attribute `{name}` of `<{}>`", shortened(element.tag()))
        };
        match entry.get(attribute.name) {
            Some(Use::Read | Use::Setting) => {}
            Some(Use::Unused) => report.unused(what(), attribute.source),
            None => match meant_attribute(entry, element, attribute.name) {
                Some(meant) => report.misspelt(what(), "attribute", meant, attribute.source),
                None => report.foreign(FORMAT, what(), attribute.source),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SCHEMA, Use};

    #[test]
    fn paths_and_attributes_run_over_the_ends_of_lines() {
        assert_eq!(SCHEMA["mujoco"].get("model"), Some(&Use::Read));
        assert_eq!(SCHEMA["compiler"].get("usethread"), Some(&Use::Unused));
        assert_eq!(SCHEMA["compiler"].get("strippath"), Some(&Use::Read));
        assert_eq!(SCHEMA["body/plugin/config"].len(), 2);
        assert_eq!(SCHEMA["sensor/gyro"].get("noise"), Some(&Use::Setting));
        assert_eq!(SCHEMA["default/tendon"].get("width"), Some(&Use::Setting));
        assert!(SCHEMA["asset"].is_empty());
        assert!(SCHEMA.keys().all(|path| !path.contains([':', '*'])));
        assert_eq!(SCHEMA.len(), 145);
    }
}
