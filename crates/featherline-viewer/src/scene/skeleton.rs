//! What stands for the shapes of a robot that has none: a rod from each joint to what its body
//! carries.

use super::document::{End, Form, Shape};
use featherline::Model;
use featherline::model::{FrameKind, JointId};
use featherline::spatial::{Mat3, Se3, Vec3, exp3};

/// The radius of rods, as a part of their mean length.
const RADIUS: f64 = 0.06;
/// Rods shorter than this part of the longest are none.
const SHORTEST: f64 = 1e-3;

/// A rod of a body, from the output frame's origin.
struct Rod {
    joint: JointId,
    end: Vec3<f64>,
}

/// Capsules from each joint's output frame to the joints, loops and tools that its body carries,
/// and where there is none, as far again as its centre of mass: there ends a uniform rod.
pub(super) fn of(model: &Model) -> Vec<Shape> {
    let rods = rods(model);
    let longest = rods.iter().map(|rod| rod.end.norm()).fold(0.0, f64::max);
    let rods: Vec<&Rod> = rods
        .iter()
        .filter(|rod| rod.end.norm() > SHORTEST * longest)
        .collect();
    let mean = rods.iter().map(|rod| rod.end.norm()).sum::<f64>() / rods.len().max(1) as f64;
    // A robot of nothing but a free body has no lengths.
    let radius = if mean > 0.0 { RADIUS * mean } else { 0.05 };
    let mut shapes: Vec<Shape> = rods.iter().map(|rod| rod.shape(model, radius)).collect();
    let bodies = model.joint_ids().filter(|joint| joint.index() > 0);
    shapes.extend(bodies.map(|joint| {
        let ball = Form::Sphere {
            radius: 1.5 * radius,
        };
        shape(model, joint, Se3::identity(), ball)
    }));
    shapes
}

fn rods(model: &Model) -> Vec<Rod> {
    let mut rods = Vec::new();
    for joint in model.joint_ids() {
        let mut ends: Vec<Vec3<f64>> = model
            .children(joint)
            .map(|child| model.joint(child).placement.translation)
            .collect();
        for closing in model.loop_joints() {
            for (body, placement) in [
                (closing.predecessor, &closing.predecessor_placement),
                (closing.successor, &closing.successor_placement),
            ] {
                if body == joint {
                    ends.push(placement.translation);
                }
            }
        }
        if ends.is_empty() {
            let frames = model.frames().iter().filter(|frame| frame.joint == joint);
            ends.extend(frames.map(|frame| frame.placement.translation));
            let inertia = &model.joint(joint).inertia;
            if joint.index() > 0 && inertia.mass > 0.0 {
                ends.push(inertia.com * 2.0);
            }
        }
        rods.extend(ends.into_iter().map(|end| Rod { joint, end }));
    }
    rods
}

impl Rod {
    fn shape(&self, model: &Model, radius: f64) -> Shape {
        let placement = Se3::new(onto(self.end), self.end * 0.5);
        let length = self.end.norm();
        shape(
            model,
            self.joint,
            placement,
            Form::Capsule { radius, length },
        )
    }
}

fn shape(model: &Model, joint: JointId, placement: Se3<f64>, form: Form) -> Shape {
    let mut frames = model.frames().iter();
    let link = frames.find(|frame| frame.kind == FrameKind::Body && frame.joint == joint);
    let name = link.map_or(&model.joint(joint).name, |link| &link.name);
    Shape {
        end: End::new(joint, &placement),
        link: name.clone(),
        name: String::new(),
        visual: true,
        collision: false,
        colour: None,
        form,
    }
}

/// The least rotation that takes the axis z to a direction.
fn onto(direction: Vec3<f64>) -> Mat3<f64> {
    let z = Vec3::new(0.0, 0.0, 1.0);
    let axis = z.cross(direction);
    let angle = axis.norm().atan2(z.dot(direction));
    match axis.norm() > 0.0 {
        true => exp3(axis * (angle / axis.norm())),
        // Along z, or against it.
        false => exp3(Vec3::new(angle, 0.0, 0.0)),
    }
}
