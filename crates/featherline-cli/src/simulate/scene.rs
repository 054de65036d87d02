//! What a robot touches: the ground, itself, and what stands in its scene.

use super::arguments::{Controller, Integrator, SimulateArguments};
use super::start::Start;
use crate::failure::Failure;
use crate::message::{note, warn};
use crate::robot::Robot;
use featherline::Workspace;
use featherline::joint::JointKind;
use featherline::model::{JointId, Model};
use featherline::spatial::Se3;
use featherline_constraint::nonsmooth::clamp_to_limits;
use featherline_formats::description::ContactModel;
use featherline_geometry::CollisionWorkspace;
use featherline_sim::contact::{CollisionContacts, Surface};

/// Overlaps at the start that are rounding, in m.
const TOUCHING: f64 = 1e-6;

/// The ground's height, in m.
const GROUND: f64 = 0.0;

/// The name of the configuration that a scene begins with.
const START: &str = "start";

/// What touches; none for methods without contact.
pub struct Scene {
    contact: Option<ContactModel>,
    /// The coordinate of the height of the floating base, if there is a ground below it.
    base: Option<usize>,
}

impl Scene {
    /// Decides on the method and the controller, where the arguments leave them open.
    pub fn decide(arguments: &mut SimulateArguments, robot: &Robot) -> Result<Self, Failure> {
        let model = &robot.model;
        let nothing = Self {
            contact: None,
            base: None,
        };
        let asks_for_forces = arguments.passive || !arguments.limits.is_empty();
        match arguments.integrator {
            Some(Integrator::TimeStepping) => {}
            Some(_) => return Ok(nothing),
            None if asks_for_forces || arguments.tolerance.is_some() => return Ok(nothing),
            None => {}
        }
        let floats = floating_height(model);
        let has_shapes = !robot.description.geometry.is_empty();
        // A scene says itself where it stands.
        let has_start = model.reference_configurations().contains_key(START);
        let stands = floats.filter(|_| has_shapes && !arguments.no_ground && !has_start);
        let contact = robot
            .contact_model(stands.map(|_| GROUND))
            .map_err(|error| Failure::Simulation(error.to_string()))?;
        let touches = !contact.collision.pairs().is_empty();
        let base = stands.filter(|_| touches);
        let is_scene = has_start && touches;
        let acts = base.is_some() || is_scene || has_limits_or_friction(model);
        if arguments.integrator.is_none() && !acts {
            return Ok(nothing);
        }
        arguments.integrator = Some(Integrator::TimeStepping);
        if has_drives(model) && (base.is_some() || is_scene) {
            let hold = arguments.controller.or(Some(Controller::Hold));
            arguments.controller = hold;
        }
        for warning in &contact.warnings {
            warn(&warning.to_string());
        }
        Ok(Self {
            contact: Some(contact),
            base,
        })
    }

    /// Puts the robot on the ground and its joints within their limits where the arguments do not
    /// say where it begins, and leaves out pairs that overlap there.
    pub fn prepare(
        self,
        arguments: &SimulateArguments,
        robot: &Robot,
        start: &mut Start,
    ) -> Result<Option<CollisionContacts>, Failure> {
        let Some(mut contact) = self.contact else {
            return Ok(None);
        };
        let model = &robot.model;
        let is_open = arguments.q.is_none() && arguments.v.is_none();
        if is_open && !model.reference_configurations().contains_key(START) {
            clamp_to_limits(model, &mut start.q);
            if let Some(height) = self.base {
                start.v.fill(0.0);
                let lowest = lowest(model, &contact, &start.q)?;
                if lowest.is_finite() {
                    start.q[height] -= lowest;
                }
            }
        }
        let overlapping = overlapping(model, &contact, &start.q)?;
        if let [first, others @ ..] = &overlapping[..] {
            let names = first.map(|k| contact.collision.shapes()[k].name.as_str());
            let more = match others.len() {
                0 => String::new(),
                1 => ", and one pair more".to_owned(),
                more => format!(", and {more} pairs more"),
            };
            note(&format!(
                "shapes overlap at the start, and do not touch each other: `{}` and `{}`{more}",
                names[0], names[1]
            ));
        }
        contact.exclude(&overlapping);
        let surfaces = contact.surfaces.iter().map(|it| Surface {
            friction: it.friction,
            restitution: it.restitution,
        });
        Ok(Some(CollisionContacts::new(
            contact.collision.clone(),
            surfaces.collect(),
        )))
    }
}

/// Where q has the height of the only floating base of a tree.
fn floating_height(model: &Model) -> Option<usize> {
    let bases = model.joints().iter().skip(1);
    let mut roots = bases.filter(|joint| joint.parent == JointId::UNIVERSE);
    let root = roots.next()?;
    let is_alone = roots.next().is_none();
    (is_alone && root.kind == JointKind::FreeFlyer && model.loop_joints().is_empty())
        .then_some(root.idx_q + 2)
}

/// Whether a joint can be held.
fn has_drives(model: &Model) -> bool {
    let joints = model.joints().iter().skip(1);
    joints.into_iter().any(|joint| joint.nv == 1)
}

fn has_limits_or_friction(model: &Model) -> bool {
    model.joints().iter().any(|joint| {
        let limits = joint.limits.lower.iter().chain(&joint.limits.upper);
        let mut limits = limits.filter(|bound| bound.is_finite());
        let mut friction = joint.drive.friction.iter();
        limits.next().is_some() || friction.any(|friction| *friction != 0.0)
    })
}

/// The pairs of shapes that overlap in a configuration, but for the ground, which holds the robot.
fn overlapping(
    model: &Model,
    contact: &ContactModel,
    q: &[f64],
) -> Result<Vec<[usize; 2]>, Failure> {
    let mut found = Vec::new();
    separations(model, contact, q, |pair, distance| {
        if distance < -TOUCHING {
            found.push(pair);
        }
    })?;
    Ok(found)
}

/// The distance of the lowest shape from the ground.
fn lowest(model: &Model, contact: &ContactModel, q: &[f64]) -> Result<f64, Failure> {
    let ground = contact.collision.shapes().len() - 1;
    let mut lowest = f64::INFINITY;
    separations(model, contact, q, |pair, distance| {
        if pair.contains(&ground) {
            lowest = lowest.min(distance);
        }
    })?;
    Ok(lowest)
}

fn separations(
    model: &Model,
    contact: &ContactModel,
    q: &[f64],
    mut found: impl FnMut([usize; 2], f64),
) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::State(error.to_string());
    let mut ws = Workspace::<f64>::recursive(model);
    let mut joints = vec![Se3::identity(); model.joints().len()];
    let placed = model
        .forward_kinematics(&mut ws, q)
        .map_err(|e| failed(&e))?;
    placed
        .joint_placements_into(&mut joints)
        .map_err(|e| failed(&e))?;
    let mut queries = CollisionWorkspace::new(&contact.collision);
    let mut placed = queries
        .place(&contact.collision, &joints)
        .map_err(|e| failed(&e))?;
    let distances = placed.distances().map_err(|e| failed(&e))?;
    for (pair, separation) in contact.collision.pairs().iter().zip(distances) {
        found(*pair, separation.distance);
    }
    Ok(())
}
