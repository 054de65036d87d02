//! The visual shapes of links, as primitives and triangles.

use super::{Rotation, Time, Xyz, frame_name};
use featherline::spatial::{Se3, Vec3};
use featherline_formats::Robot;
use featherline_formats::description::{Form, Geometry};
use featherline_geometry::{Mesh, Shape};
use serde::Serialize;

/// The visual shapes of a robot, for a recording in MCAP: boxes, spheres, cylinders, and meshes as
/// triangles.
///
/// ```
/// use featherline_record::foxglove::Shapes;
///
/// let text = "<robot name='r'><link name='a'><visual><geometry><box size='1 2 3'/></geometry></visual></link></robot>";
/// let shapes = Shapes::of_robot(&featherline_formats::load_str(text)?);
/// assert!(shapes.left_out().is_empty());
/// # Ok::<(), featherline_formats::Error>(())
/// ```
#[derive(Debug)]
pub struct Shapes {
    update: Update,
    left_out: Vec<String>,
}

/// The colour of a shape that has none.
const GREY: [f64; 4] = [0.7, 0.7, 0.7, 1.0];

/// The sides of the box that stands for a plane, in m; the plane itself has no end.
const PLANE: [f64; 3] = [20.0, 20.0, 0.001];

#[derive(Debug, Serialize)]
struct Update {
    deletions: [(); 0],
    entities: Vec<Entity>,
}

/// A link.
#[derive(Debug, Serialize)]
struct Entity {
    timestamp: Time,
    frame_id: String,
    id: String,
    lifetime: Time,
    frame_locked: bool,
    metadata: [(); 0],
    cubes: Vec<Extended>,
    spheres: Vec<Extended>,
    cylinders: Vec<Cylinder>,
    triangles: Vec<Triangles>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Pose {
    position: Xyz,
    orientation: Rotation,
}

impl From<&Se3<f64>> for Pose {
    fn from(placement: &Se3<f64>) -> Self {
        Self {
            position: placement.translation.into(),
            orientation: placement.into(),
        }
    }
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Color {
    r: f64,
    g: f64,
    b: f64,
    a: f64,
}

#[derive(Debug, Serialize)]
struct Extended {
    pose: Pose,
    size: Xyz,
    color: Color,
}

#[derive(Debug, Serialize)]
struct Cylinder {
    pose: Pose,
    size: Xyz,
    bottom_scale: f64,
    top_scale: f64,
    color: Color,
}

#[derive(Debug, Serialize)]
struct Triangles {
    pose: Pose,
    points: Vec<Xyz>,
    color: Color,
    colors: [(); 0],
    indices: Vec<u32>,
}

impl Shapes {
    /// The visual shapes of a robot. Mesh files are read. Cost: their size.
    pub fn of_robot(robot: &Robot) -> Self {
        let (model, description) = (&robot.model, &robot.description);
        let places = robot.link_placements();
        let mut entities: Vec<Entity> = Vec::new();
        let mut left_out = Vec::new();
        for (index, link) in description.links.iter().enumerate() {
            let (joint, in_joint) = places[index];
            let mut entity = Entity::new(frame_name(model, joint), &link.name);
            let own = description.geometry.iter();
            for geometry in own.filter(|it| it.link == index && it.is_visual) {
                let material = geometry
                    .material
                    .and_then(|it| description.materials.get(it));
                let [r, g, b, a] = material.and_then(|it| it.colour).unwrap_or(GREY);
                let placement = in_joint.compose(&geometry.placement);
                if let Err(reason) = entity.add(geometry, &placement, Color { r, g, b, a }) {
                    left_out.push(format!("a shape of link `{}`: {reason}", link.name));
                }
            }
            if !entity.is_empty() {
                entities.push(entity);
            }
        }
        let update = Update {
            deletions: [],
            entities,
        };
        Self { update, left_out }
    }

    /// The shapes that are not among them, each with the reason, such as a mesh file that was not
    /// found.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// The message.
    pub(crate) fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&self.update)
    }
}

impl Entity {
    fn new(frame: &str, link: &str) -> Self {
        Self {
            timestamp: Time::ZERO,
            frame_id: frame.to_owned(),
            id: link.to_owned(),
            lifetime: Time::ZERO,
            frame_locked: true,
            metadata: [],
            cubes: Vec::new(),
            spheres: Vec::new(),
            cylinders: Vec::new(),
            triangles: Vec::new(),
        }
    }

    fn is_empty(&self) -> bool {
        self.cubes.is_empty()
            && self.spheres.is_empty()
            && self.cylinders.is_empty()
            && self.triangles.is_empty()
    }

    fn add(
        &mut self,
        geometry: &Geometry,
        placement: &Se3<f64>,
        color: Color,
    ) -> Result<(), String> {
        if let Form::Other { kind } = &geometry.form {
            return Err(format!("the kind `{kind}` is not drawn"));
        }
        let shape = geometry.form.shape().map_err(|error| error.to_string())?;
        let pose = Pose::from(placement);
        let sized = |size: Vec3<f64>, pose| Extended {
            pose,
            size: size.into(),
            color,
        };
        let round = |radius: f64, length: f64, top_scale| Cylinder {
            pose,
            size: Vec3::new(2.0 * radius, 2.0 * radius, length).into(),
            bottom_scale: 1.0,
            top_scale,
            color,
        };
        let ball = |radius: f64| Vec3::new(2.0, 2.0, 2.0) * radius;
        match &shape {
            Shape::Cuboid(it) => self.cubes.push(sized(it.sides, pose)),
            Shape::Plane(_) => {
                let [x, y, z] = PLANE;
                let below = Se3::from_translation(Vec3::new(0.0, 0.0, -z / 2.0));
                let pose = Pose::from(&placement.compose(&below));
                self.cubes.push(sized(Vec3::new(x, y, z), pose));
            }
            Shape::Sphere(it) => self.spheres.push(sized(ball(it.radius), pose)),
            Shape::Ellipsoid(it) => self.spheres.push(sized(it.semi_axes * 2.0, pose)),
            Shape::Cylinder(it) => self.cylinders.push(round(it.radius, it.length, 1.0)),
            Shape::Cone(it) => self.cylinders.push(round(it.radius, it.length, 0.0)),
            Shape::Capsule(it) => {
                self.cylinders.push(round(it.radius, it.length, 1.0));
                for end in [-0.5, 0.5] {
                    let at = Se3::from_translation(Vec3::new(0.0, 0.0, end * it.length));
                    let pose = Pose::from(&placement.compose(&at));
                    self.spheres.push(sized(ball(it.radius), pose));
                }
            }
            Shape::Polytope(it) => self.triangles.push(triangles(it.mesh(), pose, color)),
            Shape::Mesh(it) => self.triangles.push(triangles(it, pose, color)),
        }
        Ok(())
    }
}

fn triangles(mesh: &Mesh, pose: Pose, color: Color) -> Triangles {
    Triangles {
        pose,
        points: mesh.vertices().iter().map(|v| Xyz::from(*v)).collect(),
        color,
        colors: [],
        indices: mesh.faces().as_flattened().to_vec(),
    }
}
