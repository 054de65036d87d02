//! Inertias that follow from the shapes of links. MJCF has that itself.

use super::proposal::{
    Proposal, TextEdit, edit, list, number, numbers, removed, value, with_attribute,
};
use super::round::{Problem, Round};
use super::spelling::misspelt_in;
use crate::description::{Description, Geometry, Motion, OpenMesh, Robot, inertia_of_shapes};
use crate::digits::{SHOWN, rounded};
use crate::plausibility;
use crate::urdf::MOMENTS;
use crate::warning::{Severity, WarningCause};
use crate::xml::Element;
use featherline::model::ModelWarning;
use featherline::spatial::Inertia;
use std::collections::{HashMap, HashSet};

/// An inertia and where it is from.
struct Estimate {
    inertia: Inertia<f64>,
    /// `collision` or `visual`.
    shapes: &'static str,
}

/// The shapes of a robot's links, and how links are connected, by the index of the link.
pub(super) struct Links<'a> {
    by_name: HashMap<&'a str, usize>,
    shapes: HashMap<usize, Vec<&'a Geometry>>,
    /// The links that are fixed to each one, away from the root.
    fixed: HashMap<usize, Vec<usize>>,
}

impl<'a> Links<'a> {
    pub(super) fn of(description: &'a Description) -> Self {
        let names = description.links.iter().enumerate();
        let (mut shapes, mut fixed) = (HashMap::new(), HashMap::new());
        for shape in &description.geometry {
            let own: &mut Vec<&Geometry> = shapes.entry(shape.link).or_default();
            own.push(shape);
        }
        let joints = description.joints.iter();
        for joint in joints.filter(|it| it.motion == Motion::Fixed) {
            let own: &mut Vec<usize> = fixed.entry(joint.parent).or_default();
            own.push(joint.child);
        }
        Self {
            by_name: names.map(|(index, it)| (it.name.as_str(), index)).collect(),
            shapes,
            fixed,
        }
    }

    /// A link and those that are fixed to it, away from the root.
    fn body(&self, link: usize) -> Vec<usize> {
        let mut body = vec![link];
        let mut next = 0;
        while let Some(part) = body.get(next) {
            body.extend(self.fixed.get(part).into_iter().flatten());
            next += 1;
        }
        body
    }

    /// The inertia of a link's shapes in its frame: those that touch, else those that are seen.
    fn estimate(&self, link: usize, density: f64) -> Option<Estimate> {
        let own = self.shapes.get(&link)?;
        ["collision", "visual"].into_iter().find_map(|shapes| {
            let own = own.iter().copied().filter(|it| match shapes {
                "collision" => it.is_collision,
                _ => it.is_visual,
            });
            let sum = inertia_of_shapes(own, OpenMesh::Hull, density).ok()?;
            let inertia = sum.filter(|it| it.mass > 0.0 && it.mass.is_finite())?;
            Some(Estimate { inertia, shapes })
        })
    }
}

/// Inertias of links that move and have none, nor a link that is fixed to them.
pub(super) fn missing(round: &Round<'_>, robot: &Robot, links: &Links<'_>) -> Vec<Proposal> {
    if round.is_mjcf() {
        return Vec::new();
    }
    let description = &robot.description;
    let idle = idle_joints(robot);
    let mut proposals = Vec::new();
    for (moved, joint) in moved(description, round.options.load.floating_base) {
        let body = links.body(moved);
        let mut links_of_body = body.iter().map(|it| &description.links[*it]);
        // A misspelt `<inertial>` is one, and a misspelt shape has mass.
        let is_misspelt = |it: Element<'_>| misspelt_in(it).next().is_some();
        if links_of_body
            .any(|it| it.inertial.is_some() || round.element(it.source).is_some_and(is_misspelt))
        {
            continue;
        }
        let (mut edits, mut mass, mut shapes) = (Vec::new(), 0.0, "collision");
        for link in body {
            let estimate = links.estimate(link, round.options.density);
            let element = round.element(description.links[link].source);
            let (Some(estimate), Some(element)) = (estimate, element) else {
                continue;
            };
            mass += estimate.inertia.mass;
            shapes = estimate.shapes;
            edits.push(inserted(round, element, &estimate.inertia));
        }
        if edits.is_empty() {
            continue;
        }
        let link = &description.links[moved];
        let joint = joint.map(|it| &description.joints[it]);
        let problem = match joint {
            Some(joint) if idle.contains(joint.name.as_str()) => {
                Problem::new("moves-nothing", Severity::Warning, joint.source)
            }
            _ => Problem::new("no-inertia", Severity::Note, link.source),
        };
        let reason = format!(
            "the link `{}` moves and has no inertia: give it that of its {shapes} shapes at {} kg/m³, {} kg; weigh the \
             part, or choose another density (`--density`)",
            link.name,
            number(round.options.density),
            number(rounded(mass, SHOWN)),
        );
        proposals.push(problem.proposal(reason, edits));
    }
    proposals
}

/// The links that joints move, and those joints; none for the root of a floating base.
fn moved(description: &Description, floats: bool) -> Vec<(usize, Option<usize>)> {
    let joints = description.joints.iter().enumerate();
    let moving = joints.filter(|(_, joint)| joint.motion != Motion::Fixed);
    let moving = moving.map(|(index, joint)| (joint.child, Some(index)));
    let mut moved: Vec<_> = moving.collect();
    if floats {
        let children: HashSet<usize> = description.joints.iter().map(|it| it.child).collect();
        let root = (0..description.links.len()).find(|link| !children.contains(link));
        moved.extend(root.map(|link| (link, None)));
    }
    moved
}

/// The joints of which a warning says that they move nothing.
fn idle_joints(robot: &Robot) -> HashSet<&str> {
    let causes = robot.warnings.iter().map(|it| &it.cause);
    let idle = causes.filter_map(|cause| {
        let WarningCause::Model(ModelWarning::MovesNothing { joint }) = cause else {
            return None;
        };
        Some(joint.as_str())
    });
    idle.collect()
}

/// An `<inertial>` without mass or moments is removed from a link with shapes, which then give it
/// one.
pub(super) fn incomplete(round: &Round<'_>, problem: Problem, missing: &str) -> Option<Proposal> {
    let element = round.element(problem.place)?;
    let mut parts = element.parent()?.children();
    if element.tag() != "inertial"
        || !parts.any(|it| matches!(it.tag(), "collision" | "visual"))
        || misspelt_in(element).next().is_some()
    {
        return None;
    }
    let reason = format!(
        "the `<inertial>` has no `<{missing}>`: remove it, so that the inertia follows from the link's shapes"
    );
    let edits = vec![removed(element, round.text_of(element))];
    Some(problem.proposal(reason, edits))
}

/// The inertia of a link without mass: that of its shapes, or none.
pub(super) fn massless(
    round: &Round<'_>,
    problem: Problem,
    body: &str,
    links: &Links<'_>,
) -> Option<Proposal> {
    let link = *links.by_name.get(body)?;
    let what = format!("the link `{body}` has rotational inertia and no mass, which no body has");
    // Shapes that can't be read may give it one.
    if links.shapes.contains_key(&link) {
        return filled(round, problem, (link, &what), links);
    }
    let element = stated(round, problem)?;
    let reason = format!("{what}, and no shapes: remove its `<inertial>`");
    let edits = vec![removed(element, round.text_of(element))];
    Some(problem.proposal(reason, edits))
}

/// The inertias of links between joints that state a mass of zero: those of their shapes.
pub(super) fn zero_masses(
    round: &Round<'_>,
    description: &Description,
    links: &Links<'_>,
) -> Vec<Proposal> {
    let found = plausibility::zero_masses(description).into_iter();
    let proposals = found.filter_map(|index| {
        let link = &description.links[index];
        let problem = Problem::new("zero-mass", Severity::Warning, link.inertial?.source);
        let what = format!("the link `{}` states a mass of 0 and moves", link.name);
        filled(round, problem, (index, &what), links)
    });
    proposals.collect()
}

/// The `<inertial>` of a URDF that has moments at a problem's place, if nothing in it is misspelt.
fn stated<'a>(round: &Round<'a>, problem: Problem) -> Option<Element<'a>> {
    let element = round.element(problem.place)?.parent()?;
    let is_whole = element.tag() == "inertial" && misspelt_in(element).next().is_none();
    is_whole.then_some(element)
}

/// An `<inertial>` with the figures of the link's shapes; what is wrong with it begins the reason.
fn filled(
    round: &Round<'_>,
    problem: Problem,
    (link, what): (usize, &str),
    links: &Links<'_>,
) -> Option<Proposal> {
    let element = stated(round, problem)?;
    let estimate = links.estimate(link, round.options.density)?;
    let reason = format!(
        "{what}: give it the inertia of its {} shapes at {} kg/m³, {} kg; weigh the part, or choose another density \
         (`--density`)",
        estimate.shapes,
        number(round.options.density),
        number(rounded(estimate.inertia.mass, SHOWN)),
    );
    let edits = changed(element, round.text_of(element), &estimate.inertia)?;
    Some(problem.proposal(reason, edits))
}

/// The edits that give an `<inertial>` other figures: of what already has them, none.
fn changed(inertial: Element<'_>, text: &str, inertia: &Inertia<f64>) -> Option<Vec<TextEdit>> {
    let own = |tag: &str| inertial.children().find(|it| it.tag() == tag);
    let (mass, moments) = (own("mass")?, own("inertia")?);
    let figures = Figures::of(inertia);
    let states = |element: Element<'_>, name: &str, values: &[f64]| {
        let attribute = element.attribute(name);
        attribute.and_then(|it| numbers(&it)).as_deref() == Some(values)
    };
    let mut edits = vec![with_attribute(mass, "value", &number(figures.mass))];
    for (name, moment) in MOMENTS.into_iter().zip(figures.moments) {
        if !states(moments, name, &[moment]) {
            edits.push(with_attribute(moments, name, &number(moment)));
        }
    }
    let Some(origin) = own("origin") else {
        if figures.center != [0.0; 3] {
            let at = mass.offset();
            let (center, line) = (list(&figures.center), Layout::before(text, at).next(0));
            let new = format!("<origin xyz=\"{center}\"/>{line}");
            edits.push(edit(mass.source(), at..at, new));
        }
        return Some(edits);
    };
    let is_here = origin.attribute("xyz").is_none() && figures.center == [0.0; 3];
    if !is_here && !states(origin, "xyz", &figures.center) {
        edits.push(with_attribute(origin, "xyz", &list(&figures.center)));
    }
    // The moments are about the axes of the link.
    for (name, none) in [
        ("rpy", &[0.0, 0.0, 0.0][..]),
        ("quat_xyzw", &[0.0, 0.0, 0.0, 1.0]),
    ] {
        if let Some(attribute) = origin.attribute(name)
            && !states(origin, name, none)
        {
            edits.push(value(&attribute, &list(none)));
        }
    }
    Some(edits)
}

/// An `<inertial>` that is inserted as the first part of a link.
fn inserted(round: &Round<'_>, link: Element<'_>, inertia: &Inertia<f64>) -> TextEdit {
    let text = round.text_of(link);
    let first = link.children().next().unwrap_or(link);
    let layout = Layout::before(text, first.offset());
    let at = link.opening_tag().end;
    let new = format!("{}{}", layout.next(0), inertial(inertia, &layout));
    edit(link.source(), at..at, new)
}

/// How the lines of a text begin.
struct Layout<'a> {
    newline: &'static str,
    /// Blanks before an element; none if it does not begin a line.
    indentation: Option<&'a str>,
}

impl<'a> Layout<'a> {
    /// The layout of an element that begins at a byte.
    fn before(text: &'a str, at: usize) -> Self {
        let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let blanks = &text[line..at];
        let is_blank = blanks.bytes().all(|it| it == b' ' || it == b'\t');
        Self {
            newline: match text.contains("\r\n") {
                true => "\r\n",
                false => "\n",
            },
            indentation: (is_blank && line > 0).then_some(blanks),
        }
    }

    /// The beginning of a line, so many levels further in.
    fn next(&self, levels: usize) -> String {
        let Some(blanks) = self.indentation else {
            return String::new();
        };
        let level = if blanks.contains('\t') { "\t" } else { "  " };
        format!("{}{blanks}{}", self.newline, level.repeat(levels))
    }
}

/// The figures of an inertia, rounded.
struct Figures {
    center: [f64; 3],
    mass: f64,
    moments: [f64; 6],
}

impl Figures {
    fn of(inertia: &Inertia<f64>) -> Self {
        let round = |value| rounded(value, SHOWN);
        let moments = inertia.rotational.to_elements();
        let largest = moments.iter().fold(0.0, |most: f64, it| most.max(*it));
        // The rounding error that a sum leaves for a symmetric shape counts as zero.
        let beside = |value: f64, least: f64| {
            if value.abs() < least {
                0.0
            } else {
                round(value)
            }
        };
        Self {
            center: inertia.com.to_array().map(|it| beside(it, 1e-9)),
            mass: round(inertia.mass),
            moments: moments.map(|it| beside(it, 1e-6 * largest)),
        }
    }
}

fn inertial(inertia: &Inertia<f64>, layout: &Layout<'_>) -> String {
    let figures = Figures::of(inertia);
    let moments = MOMENTS.into_iter().zip(figures.moments);
    let moments: String = moments
        .map(|(name, value)| format!(" {name}=\"{}\"", number(value)))
        .collect();
    let (outer, inner) = (layout.next(0), layout.next(1));
    format!(
        "<inertial>{inner}<origin xyz=\"{}\"/>{inner}<mass value=\"{}\"/>{inner}<inertia{moments}/>{outer}</inertial>",
        list(&figures.center),
        number(figures.mass),
    )
}
