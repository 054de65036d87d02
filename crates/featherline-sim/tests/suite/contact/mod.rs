//! Contact, limits, friction and drives in time, beside exact solutions.

mod account;
mod anisotropic;
mod balance;
mod directions;
mod drives;
mod floating;
mod free_bodies;
mod gains;
mod house;
mod hulls;
mod impacts;
mod invariance;
mod joints;
mod linkage;
mod meshes;
mod middle;
mod moved;
mod painleve;
mod planks;
mod plates;
mod pressed;
mod put_apart;
mod reach;
mod robots;
mod rolling;
mod scene_files;
mod seams;
mod shoved;
mod soft;
mod support;
mod tendons;
mod warm_start;

use featherline::joint::JointKind;
use featherline::model::{JointId, JointSpec, Model, ModelBuilder};
use featherline::spatial::{Inertia, Se3, Vec3};
use featherline_constraint::nonsmooth::{Contact, SolverOptions};
use featherline_geometry::{CollisionModel, CollisionShape};
use featherline_sim::contact::{CollisionContacts, Surface};

/// Options by which motion is as exact as rest: for tests stricter than a millionth of a speed.
pub fn exact() -> SolverOptions {
    SolverOptions {
        in_motion: 0.0,
        ..SolverOptions::default()
    }
}

/// Gravity in m/s².
pub const G: f64 = 9.81;

/// Bodies that float free, with gravity tilted by an angle about y: downhill is x.
pub fn bodies(inertias: &[Inertia<f64>], angle: f64) -> Model {
    bodies_under(inertias, Vec3::new(G * angle.sin(), 0.0, -G * angle.cos()))
}

/// Bodies that float free under a gravity.
pub fn bodies_under(inertias: &[Inertia<f64>], gravity: Vec3<f64>) -> Model {
    let mut builder = ModelBuilder::new("bodies");
    builder.gravity(gravity);
    for (k, inertia) in inertias.iter().enumerate() {
        let root = JointSpec::new(
            format!("root_{k}"),
            ModelBuilder::UNIVERSE,
            JointKind::FreeFlyer,
        );
        let joint = builder.add_joint(root);
        builder.add_body(joint, format!("body_{k}"), Se3::identity(), *inertia);
    }
    builder.build().unwrap().model
}

/// Contacts of shapes with one friction, without restitution.
pub fn contacts_of(model: &Model, shapes: Vec<CollisionShape>, friction: f64) -> CollisionContacts {
    let collision = CollisionModel::new(model, shapes).unwrap();
    let surface = Surface {
        friction,
        restitution: 0.0,
    };
    CollisionContacts::uniform(collision, surface)
}

/// The configuration of one body at a height.
pub fn at_height(z: f64) -> [f64; 7] {
    [0.0, 0.0, z, 0.0, 0.0, 0.0, 1.0]
}

/// A contact of a body with the plane z = 0, at a point of the body.
pub fn on_plane(body: JointId, point: Vec3<f64>, friction: f64, feature: u64) -> Contact {
    Contact {
        bodies: [JointId::UNIVERSE, body],
        point: Vec3::new(point.x, point.y, 0.0),
        normal: Vec3::unit(2),
        gap: point.z,
        friction,
        anisotropy: None,
        restitution: 0.0,
        surface_velocity: Vec3::zero(),
        feature,
    }
}

/// The corners of a box of given half sides.
pub fn corners(half: Vec3<f64>) -> [Vec3<f64>; 8] {
    let sign = |k: usize, bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
    std::array::from_fn(|k| {
        Vec3::new(
            half.x * sign(k, 1),
            half.y * sign(k, 2),
            half.z * sign(k, 4),
        )
    })
}

/// A box on the plane z = 0.
pub fn cube_on_plane(
    model: &Model,
    half: Vec3<f64>,
    friction: f64,
) -> impl FnMut(&[Se3<f64>], f64, &mut Vec<Contact>) {
    let body = model.joint_id("root_0").unwrap();
    move |placements, range, out| {
        for (k, corner) in corners(half).into_iter().enumerate() {
            let point = placements[body.index()].act_point(corner);
            if point.z < range {
                out.push(on_plane(body, point, friction, k as u64));
            }
        }
    }
}

/// A point of a body that may touch a face of another one: a plane of that body's frame.
#[derive(Clone, Copy)]
pub struct Touch {
    /// The body with the face.
    pub face: JointId,
    /// A point of the face in that body's frame, and its outward normal.
    pub origin: Vec3<f64>,
    /// Of length one.
    pub normal: Vec3<f64>,
    /// The body with the point.
    pub body: JointId,
    /// In that body's frame.
    pub point: Vec3<f64>,
    /// Coulomb's coefficient.
    pub friction: f64,
}

impl Touch {
    /// A point of a body and the plane z = 0.
    pub fn ground(body: JointId, point: Vec3<f64>, friction: f64) -> Self {
        Self {
            face: JointId::UNIVERSE,
            origin: Vec3::zero(),
            normal: Vec3::unit(2),
            body,
            point,
            friction,
        }
    }
}

/// The contacts of points and faces; those of the same two bodies stand together.
pub fn touching(touches: Vec<Touch>) -> impl FnMut(&[Se3<f64>], f64, &mut Vec<Contact>) {
    move |placements, range, out| {
        for (k, touch) in touches.iter().enumerate() {
            let face = &placements[touch.face.index()];
            let normal = face.rotation.mul_vec(touch.normal);
            let point = placements[touch.body.index()].act_point(touch.point);
            let gap = normal.dot(point - face.act_point(touch.origin));
            if gap <= range {
                out.push(Contact {
                    bodies: [touch.face, touch.body],
                    point: point - normal * gap,
                    normal,
                    gap,
                    friction: touch.friction,
                    anisotropy: None,
                    restitution: 0.0,
                    surface_velocity: Vec3::zero(),
                    feature: k as u64,
                });
            }
        }
    }
}

/// A configuration of a free body: a place, and a rotation about y.
pub fn turned(x: f64, z: f64, angle: f64) -> [f64; 7] {
    let (sin, cos) = (0.5 * angle).sin_cos();
    [x, 0.0, z, 0.0, sin, 0.0, cos]
}
