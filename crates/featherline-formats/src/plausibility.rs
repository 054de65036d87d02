//! Figures that are possible and that hardly any robot has: wrong units, and moments about another
//! point.
//!
//! Readers do not warn of them. [`doubts`] does, and `featherline check`.
//!
//! | code | what is doubtful |
//! |---|---|
//! | `too-dense` | mass and moments need a material that is denser than every metal: g for kg, or mm for m |
//! | `large-moments` | the moments are those of something lighter than air: placeholders |
//! | `outside-shapes` | no mass inside the link's shapes has the moments: they may be about the joint |
//! | `degrees` | limits of many turns that are round in degrees |
//! | `far-away` | a joint or a centre of mass is further away than robots are long: mm for m |

use crate::description::{Description, Inertial, Motion};
use crate::digits::rounded;
use crate::report::Report;
use crate::warning::{Warning, WarningCause};
use crate::xml::shortened;
use featherline::spatial::Vec3;
use std::f64::consts::{PI, TAU};

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
/// How far moments may be above those of mass at the edges of the shapes: shapes are simplified.
const BEYOND: f64 = 1.2;

/// What is doubtful about a description, in the order of its links and joints. Mesh files are read.
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
        } else if let Some(excess) = excess(description, index, inertial) {
            let (link, ratio) = (name(), rounded(excess, 2));
            report.warn(inertial.source, WarningCause::OutsideShapes { link, ratio });
        }
        let distance = inertial.placement.translation.norm();
        if distance > FAR {
            let what = format!("the centre of mass of link `{}`", name());
            report.warn(inertial.source, WarningCause::FarAway { what, distance });
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
            report.warn(joint.source, cause);
        }
    }
    report.into_warnings()
}

/// A density that no material has, by the ball of the same mass and moments: of all bodies of a
/// density at most ρ and a mass, the ball has the least trace of moments.
fn density(inertial: &Inertial, name: impl Fn() -> String) -> Option<WarningCause> {
    let trace = inertial.moments.trace();
    let mass = inertial.mass;
    // Points and impossible moments are reported by the reader.
    if !(mass >= FRAME && trace > 0.0 && trace.is_finite()) {
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

/// Limits of more turns than cables allow that are round in degrees.
fn is_in_degrees(lower: f64, upper: f64) -> bool {
    let largest = lower.abs().max(upper.abs());
    let is_round = |bound: f64| bound % 5.0 == 0.0;
    (TURNS * TAU..=720.0).contains(&largest) && is_round(lower) && is_round(upper)
}

/// How many times greater a moment is than that of mass inside the box around the link's shapes;
/// none if it is not, or if not all of the shapes are known.
fn excess(description: &Description, link: usize, inertial: &Inertial) -> Option<f64> {
    let own = description.geometry.iter().filter(|it| it.link == link);
    let mut corners: Vec<Vec3<f64>> = Vec::new();
    for geometry in own {
        let around = geometry.form.shape().ok()?.aabb()?;
        let (min, max) = (around.min, around.max);
        for k in 0..8 {
            let pick =
                |axis: usize, low: f64, high: f64| if k >> axis & 1 == 0 { low } else { high };
            let corner = Vec3::new(
                pick(0, min.x, max.x),
                pick(1, min.y, max.y),
                pick(2, min.z, max.z),
            );
            corners.push(geometry.placement.act_point(corner));
        }
    }
    // In the axes of the moments, from the centre of mass.
    let inverse = inertial.placement.inverse();
    let mut reach = [0.0f64; 3];
    for corner in &corners {
        let [x, y, z] = inverse.act_point(*corner).to_array();
        for (reach, coordinate) in reach.iter_mut().zip([x, y, z]) {
            *reach = reach.max(coordinate * coordinate);
        }
    }
    let [x, y, z] = reach;
    let moments = inertial.moments;
    // J_xx = ∫ y² + z² dm ≤ m (max y² + max z²)
    let ratios = [
        (moments.xx(), y + z),
        (moments.yy(), z + x),
        (moments.zz(), x + y),
    ]
    .map(|(moment, most)| moment / (inertial.mass * most));
    let ratio = ratios.into_iter().fold(0.0, f64::max);
    (ratio > BEYOND && ratio.is_finite()).then_some(ratio)
}
