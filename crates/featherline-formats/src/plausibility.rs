//! Figures that are possible and that hardly any robot has: wrong units, and moments about another
//! point.
//!
//! Readers do not warn of them. [`doubts`] does, and `featherline check`. [`doubtful_angles`] does
//! of a configuration that something begins in or goes to.
//!
//! | code | what is doubtful |
//! |---|---|
//! | `too-dense` | mass and moments need a material that is denser than every metal: g for kg, or mm for m |
//! | `large-moments` | the moments are those of something lighter than air: placeholders |
//! | `zero-mass` | a link between joints states a mass of zero |
//! | `outside-shapes` | no mass inside the link's shapes has the moments: they may be about the joint |
//! | `degrees` | limits of many turns, up to two in degrees; `rpy` of more than a turn; angles that seem to be in degrees |
//! | `far-away` | a joint or a centre of mass is further away than robots are long: mm for m |

use crate::description::{Description, Inertial, Motion, Source, Tree};
use crate::digits::rounded;
use crate::options::SiblingOrder;
use crate::principal::principal;
use crate::report::Report;
use crate::value::numbers;
use crate::warning::{Warning, WarningCause};
use crate::xml::{Document, Element, shortened};
use featherline::Model;
use featherline::joint::JointKind;
use featherline::model::{Joint, Limits};
use featherline::spatial::{Sym3, Vec3};
use featherline_geometry::Aabb;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// The density of osmium, the densest metal, in kg/m³ (22,590), and a margin for printed figures.
const DENSEST: f64 = 25_000.0;
/// Air has 1.2 kg/m³. A slender rod counts as the ball of its moments, which is much larger.
const LIGHTEST: f64 = 0.1;
/// Lighter links are frames, whose figures are placeholders by intent, in kg.
const FRAME: f64 = 0.01;
/// The greatest distance between neighbouring parts, in m: masts of cranes are shorter.
const FAR: f64 = 20.0;
/// Most turns each way of a joint that has limits; cables allow no more.
const TURNS: f64 = 2.0;
/// The same in degrees.
const MOST_DEGREES: f64 = 720.0;
/// How far moments may be above those of mass at the edges of the shapes: shapes are simplified,
/// and moments identified.
const BEYOND: f64 = 3.0;
/// The same where moments about the link's origin would fit.
const BEYOND_ABOUT_ORIGIN: f64 = 1.2;
/// Below this radius of gyration, in m, a body is a point, which the reader reports.
const POINT: f64 = 1e-6;

/// Implausible parts of a description, in the order of its links and joints. Mesh files are read.
/// Cost: the size of the description and of its meshes.
///
/// ```
/// use featherline_formats::{load_str, plausibility};
///
/// // A rod of 2 kg and 1 m, its mass in grams.
/// let text = "<robot name='r'><link name='base'/><link name='rod'><inertial><mass value='2000'/>
///     <inertia ixx='0.17' ixy='0' ixz='0' iyy='0.17' iyz='0' izz='1e-3'/></inertial></link>
///     <joint name='j' type='continuous'><parent link='base'/><child link='rod'/></joint></robot>";
/// let robot = load_str(text)?;
/// assert!(robot.warnings.is_empty());
/// let doubts = plausibility::doubts(&robot.description);
/// assert_eq!(doubts[0].cause.code(), "too-dense");
/// # Ok::<(), featherline_formats::Error>(())
/// ```
pub fn doubts(description: &Description) -> Vec<Warning> {
    let mut report = Report::new(&description.sources);
    for (index, link) in description.links.iter().enumerate() {
        let Some(inertial) = &link.inertial else {
            continue;
        };
        let name = || shortened(&link.name);
        if let Some(cause) = density(inertial, name) {
            report.warn(inertial.source, cause);
        } else if let Some(cause) = outside_shapes(description, index, inertial, name) {
            report.warn(inertial.source, cause);
        }
        let distance = inertial.placement.translation.norm();
        if distance > FAR {
            let what = format!("the centre of mass of link `{}`", name());
            report.warn(inertial.source, WarningCause::FarAway { what, distance });
        }
    }
    for link in zero_masses(description) {
        let link = &description.links[link];
        if let Some(inertial) = &link.inertial {
            let link = shortened(&link.name);
            report.warn(inertial.source, WarningCause::ZeroMass { link });
        }
    }
    let texts = description.sources.texts().iter();
    let documents: Vec<Option<Document<'_>>> =
        texts.map(|it| Document::parse(&it.text).ok()).collect();
    for origin in origins(&documents) {
        if let Some((place, angles)) = degrees_of(origin) {
            report.warn(place, WarningCause::DegreesInOrigin { angles });
        }
    }
    for joint in &description.joints {
        let distance = joint.placement.translation.norm();
        if distance > FAR {
            let what = format!("joint `{}`", shortened(&joint.name));
            report.warn(joint.source, WarningCause::FarAway { what, distance });
        }
        let bounds = (joint.limits.lower.first(), joint.limits.upper.first());
        if let (Motion::Revolute { .. }, (Some(&lower), Some(&upper))) = (&joint.motion, bounds)
            && is_in_degrees(lower, upper)
        {
            let cause = WarningCause::Degrees { lower, upper };
            report.warn(limit_of(joint.source, &documents), cause);
        }
    }
    for configuration in &description.configurations {
        for (index, q) in &configuration.joints {
            let Some(joint) = description.joints.get(*index) else {
                continue;
            };
            let turns = matches!(
                joint.motion,
                Motion::Revolute { .. } | Motion::Continuous { .. }
            );
            if let (true, &[angle]) = (turns, &q[..])
                && is_angle_in_degrees(angle, &joint.limits)
            {
                let joint = shortened(&joint.name);
                let cause = WarningCause::DegreesInState { joint, angle };
                report.warn(configuration.source, cause);
            }
        }
    }
    report.into_warnings()
}

/// The `<origin>`s of URDFs.
fn origins<'a>(documents: &'a [Option<Document<'a>>]) -> impl Iterator<Item = Element<'a>> {
    let documents = documents.iter().enumerate();
    let roots = documents.filter_map(|(index, it)| Some(Element::root(it.as_ref()?, index)));
    let elements = roots
        .filter(|it| it.tag() == "robot")
        .flat_map(Element::descendants);
    elements.filter(|it| {
        let parent = it.parent().map_or("", Element::tag);
        it.tag() == "origin" && ["inertial", "visual", "collision", "joint"].contains(&parent)
    })
}

/// The `rpy` of an `<origin>` and where it is, if one of its angles is more than a turn and not a
/// round number of turns: people write whole degrees.
fn degrees_of(origin: Element<'_>) -> Option<(Source, [f64; 3])> {
    let attribute = origin.attribute("rpy")?;
    let angles = numbers::<3>(origin, "rpy").ok()??;
    let is_doubtful = |it: &f64| it.abs() > TAU && (it.fract() == 0.0 || !is_round(*it));
    let is_doubted = angles.iter().any(is_doubtful);
    is_doubted.then_some((attribute.source, angles))
}

/// Where the limits of a joint are: its `<limit>`, if it has one.
fn limit_of(joint: Source, documents: &[Option<Document<'_>>]) -> Source {
    let place = || {
        let (text, offset) = joint.position()?;
        let element = Element::root(documents.get(text)?.as_ref()?, text).around(offset);
        let limit = element.children().find(|it| it.tag() == "limit")?;
        Some(limit.source())
    };
    place().unwrap_or(joint)
}

/// The indices of links that state a mass of zero, where nothing that moves with them has one and
/// something beyond the next joint has. The reader reports moving ends without inertia; a link that
/// states no mass is a frame.
pub(crate) fn zero_masses(description: &Description) -> Vec<usize> {
    let report = Report::new(&description.sources);
    let Ok(tree) = Tree::new(description, SiblingOrder::Document, &report) else {
        return Vec::new();
    };
    let mass = |link: usize| description.links[link].inertial.map_or(0.0, |it| it.mass);
    // Fixed joints make one body of links, named by the first of them.
    let mut body: Vec<usize> = (0..description.links.len()).collect();
    for joint in tree.joints.iter().map(|&i| &description.joints[i]) {
        if joint.motion == Motion::Fixed {
            body[joint.child] = body[joint.parent];
        }
    }
    let mut own = vec![0.0; body.len()];
    for link in 0..body.len() {
        own[body[link]] += mass(link);
    }
    let mut beyond = vec![0.0; body.len()];
    for joint in tree.joints.iter().rev().map(|&i| &description.joints[i]) {
        if joint.motion != Motion::Fixed {
            beyond[body[joint.parent]] += own[joint.child] + beyond[joint.child];
        }
    }
    let root = body[tree.root];
    let stated = description.links.iter().enumerate();
    stated
        .filter(|(index, link)| {
            let Some(inertial) = link.inertial.filter(|it| it.mass == 0.0) else {
                return false;
            };
            let first = body[*index];
            let is_between = first != root && own[first] == 0.0 && beyond[first] > 0.0;
            // The reader reports moments without mass.
            let is_zero = inertial.moments.trace() == 0.0;
            is_between && is_zero
        })
        .map(|(index, _)| index)
        .collect()
}

/// The revolute joints of a configuration (nq) whose angles seem to be in degrees, as
/// [`WarningCause::DegreesInState`].
///
/// That is an angle of more than one turn in radians, outside the joint's limits, that is inside
/// them if it is in degrees. Of joints without limits, which may have turned often, it is a whole
/// number above two turns, and of at most two turns in degrees, 720: people write such degrees, and
/// no motion reaches them.
/// Cost: linear in the number of joints.
///
/// ```
/// use featherline_formats::{load_str, plausibility};
///
/// let text = "<robot name='r'><link name='base'/><link name='rod'/>
///     <joint name='j' type='continuous'><parent link='base'/><child link='rod'/></joint></robot>";
/// let model = load_str(text)?.model;
/// assert!(plausibility::doubtful_angles(&model, &[1.5708]).is_empty());
/// let doubts = plausibility::doubtful_angles(&model, &[90.0]);
/// assert!(doubts[0].to_string().contains("90 degrees are 1.5708 rad"));
/// # Ok::<(), featherline_formats::Error>(())
/// ```
pub fn doubtful_angles(model: &Model, q: &[f64]) -> Vec<WarningCause> {
    doubtful(model, |joint| q.get(joint.idx_q).copied())
}

/// As [`doubtful_angles`], of the targets (nv) of drives.
pub fn doubtful_targets(model: &Model, targets: &[f64]) -> Vec<WarningCause> {
    doubtful(model, |joint| targets.get(joint.idx_v).copied())
}

/// Doubts of angles in one line: the first, and how many others there are; none without doubts.
///
/// ```
/// assert_eq!(featherline_formats::plausibility::in_a_line(&[]), None);
/// ```
pub fn in_a_line(doubts: &[WarningCause]) -> Option<String> {
    let (first, others) = doubts.split_first()?;
    let others = match others.len() {
        0 => String::new(),
        1 => "; so does the angle of another joint".to_owned(),
        others => format!("; so do the angles of {others} other joints"),
    };
    Some(format!("{first}{others}"))
}

fn doubtful(model: &Model, angle: impl Fn(&Joint) -> Option<f64>) -> Vec<WarningCause> {
    let joints = model.joint_ids().map(|id| model.joint(id));
    let hinges = joints.filter(|it| matches!(it.kind, JointKind::Revolute { .. }) && it.nq == 1);
    let angles = hinges.filter_map(|joint| Some((joint, angle(joint)?)));
    let doubtful = angles.filter(|(joint, angle)| is_angle_in_degrees(*angle, &joint.limits));
    let causes = doubtful.map(|(joint, angle)| WarningCause::DegreesInState {
        joint: shortened(&joint.name),
        angle,
    });
    causes.collect()
}

/// Whether an angle of a revolute joint seems to be in degrees, as [`doubtful_angles`] says.
fn is_angle_in_degrees(angle: f64, limits: &Limits) -> bool {
    let bound = |values: &[f64], none: f64| values.first().map_or(none, |it| *it);
    let lower = bound(&limits.lower, f64::NEG_INFINITY);
    let upper = bound(&limits.upper, f64::INFINITY);
    let size = angle.abs();
    if lower == f64::NEG_INFINITY && upper == f64::INFINITY {
        return (TURNS * TAU..=MOST_DEGREES).contains(&size) && angle.fract() == 0.0;
    }
    let is_inside = |angle: f64| (lower..=upper).contains(&angle);
    size > TAU && !is_inside(angle) && is_inside(angle.to_radians())
}

/// A density that no material has, by the ball of the same mass and moments: of all bodies of a
/// density at most ρ and a mass, the ball has the least trace of moments.
fn density(inertial: &Inertial, name: impl Fn() -> String) -> Option<WarningCause> {
    let trace = inertial.moments.trace();
    let mass = inertial.mass;
    // Points and impossible moments are reported by the reader.
    if !(mass >= FRAME && trace > POINT * POINT * mass && trace.is_finite()) {
        return None;
    }
    // tr J = 3 · 2/5 m r² and ρ = m / (4/3 π r³)
    let radius = (trace / (1.2 * mass)).sqrt();
    let density = mass / (4.0 / 3.0 * PI * radius.powi(3));
    let (link, density) = (name(), rounded(density, 2));
    match density {
        _ if density > DENSEST => Some(WarningCause::TooDense {
            link,
            mass,
            density,
        }),
        _ if density < LIGHTEST => Some(WarningCause::LargeMoments {
            link,
            mass,
            radius: rounded(radius, 2),
        }),
        _ => None,
    }
}

/// Limits of more turns than cables allow that are not round in turns.
fn is_in_degrees(lower: f64, upper: f64) -> bool {
    let largest = lower.abs().max(upper.abs());
    (TURNS * TAU..=MOST_DEGREES).contains(&largest) && !is_round(largest)
}

/// Whether an angle is a number of quarter turns.
fn is_round(angle: f64) -> bool {
    let quarters = angle / FRAC_PI_2;
    (quarters - quarters.round()).abs() < 0.01
}

/// Moments that no mass inside the box around the link's shapes has; none if not all of the shapes
/// are known.
fn outside_shapes(
    description: &Description,
    link: usize,
    inertial: &Inertial,
    name: impl Fn() -> String,
) -> Option<WarningCause> {
    let own = description.geometry.iter().filter(|it| it.link == link);
    // In the axes of the moments, from the centre of mass.
    let inverse = inertial.placement.inverse();
    let mut reach = [0.0f64; 3];
    for geometry in own {
        let around = geometry.form.shape().ok()?.aabb()?;
        let placement = inverse.compose(&geometry.placement);
        for corner in corners(&around) {
            let squares = placement.act_point(corner).to_array().map(|it| it * it);
            for (reach, square) in reach.iter_mut().zip(squares) {
                *reach = reach.max(square);
            }
        }
    }
    let [x, y, z] = reach;
    // J_xx = ∫ y² + z² dm ≤ m (max y² + max z²)
    let ratio = |moments: &Sym3<f64>| {
        let [a, b, c] = [
            (moments.xx(), y + z),
            (moments.yy(), z + x),
            (moments.zz(), x + y),
        ]
        .map(|(moment, most)| moment / (inertial.mass * most));
        a.max(b).max(c)
    };
    let excess = ratio(&inertial.moments);
    // J − m (|p|² 1 − p pᵀ), were J about the link's origin p
    let p = inverse.translation;
    let mass = inertial.mass;
    let about_center = inertial.moments - Sym3::scalar(mass * p.norm_squared());
    let about_center = about_center.sub_outer(p, -mass);
    let (_, [a, b, c]) = principal(&about_center);
    let half = (a + b + c) / 2.0;
    let is_possible = a.max(b).max(c) <= half && a.min(b).min(c) >= 0.0;
    let fits_origin = is_possible && ratio(&about_center) <= 1.0;
    let most = if fits_origin {
        BEYOND_ABOUT_ORIGIN
    } else {
        BEYOND
    };
    (excess > most && excess.is_finite()).then(|| WarningCause::OutsideShapes {
        link: name(),
        ratio: rounded(excess, 2),
        fits_origin,
    })
}

/// The corners of a box.
fn corners(around: &Aabb) -> [Vec3<f64>; 8] {
    let ends = [around.min.to_array(), around.max.to_array()];
    let corner = |k: usize| Vec3::new(ends[k & 1][0], ends[k >> 1 & 1][1], ends[k >> 2 & 1][2]);
    [0, 1, 2, 3, 4, 5, 6, 7].map(corner)
}
