//! The shapes that a robot touches with, ready for a collision checker.

use super::{Form, Geometry, MeshFile, Robot, Source, Surface};
use crate::error::{Error, ErrorCause};
use crate::location::Location;
use crate::warning::{Warning, WarningCause};
use crate::xml::shortened;
use featherline::model::JointId;
use featherline::spatial::Se3;
use featherline_geometry::{Distribution, Mesh, Polytope, Shape};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The most pairs of shapes that are listed: each has a surface and more, a few hundred bytes in a
/// simulation.
const MAX_PAIRS: usize = 1 << 22;

/// A shape that a robot touches with.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CollisionShape {
    /// The name of the shape in its file; that of its link where it has none, with a number from
    /// the link's second shape on: `thigh`, `thigh.1`.
    pub name: String,
    /// Its index in [`Description::geometry`](super::Description::geometry).
    pub geometry: usize,
    /// The index of its link.
    pub link: usize,
    /// The model's joint that carries it; the universe for a shape of the world.
    pub joint: JointId,
    /// Its placement in the output frame of that joint.
    pub placement: Se3<f64>,
    /// The shape. It is convex, but for meshes that do not touch as their hulls.
    pub shape: Shape,
    /// The contact properties of its surface, if the file states any.
    pub surface: Option<Surface>,
}

/// The shapes that a robot touches with, and what was left out or changed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CollisionShapes {
    /// The shapes, in the order of the description.
    pub shapes: Vec<CollisionShape>,
    /// Meshes that were not found or have no volume, meshes that are not convex, and shapes of
    /// other kinds, such as height fields.
    pub warnings: Vec<Warning>,
}

/// A mesh file and its scale.
type MeshKey = (PathBuf, [u64; 3]);

/// A hull, and whether its mesh is convex; or why there is none.
type HullOf = Result<(Shape, bool), String>;

/// A mesh with its hull, or why it is not read.
type MeshAndHull = Result<(Arc<Mesh>, HullOf), String>;

/// The least share of its hull's volume that a convex mesh fills. A finely rounded one, whose
/// coordinates a file has in single precision, fills all but 1e-6 of it.
const CONVEX: f64 = 1.0 - 1e-4;

impl Robot {
    /// The shapes that the robot touches with, each with the joint that carries it.
    ///
    /// Mesh files are read, each file and scale once. Meshes of moving links touch as their convex
    /// hulls, and a note says where that changes the shape; meshes fixed in the world touch as they
    /// are, unless [`Geometry::as_hull`] says otherwise. Files that can't be read are left out with
    /// a warning. Cost: the size of the mesh files.
    ///
    /// ```
    /// let scene = "[ground]\n[[body]]\nname = 'ball'\nsphere = 0.1\nposition = [0, 0, 1]\n";
    /// let scene = featherline_formats::load_str(scene)?;
    /// let touching = scene.collision_shapes();
    /// let names: Vec<&str> = touching.shapes.iter().map(|it| &it.name[..]).collect();
    /// assert_eq!(names, ["ground", "ball"]);
    /// assert_eq!(touching.shapes[0].joint.index(), 0);
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn collision_shapes(&self) -> CollisionShapes {
        let description = &self.description;
        let places = self.link_placements();
        let mut meshes: HashMap<MeshKey, MeshAndHull> = HashMap::new();
        let mut shapes = Vec::new();
        let mut warnings: Vec<(Source, WarningCause)> = Vec::new();
        let mut shapes_of_link = vec![0; description.links.len()];
        for index in description.collision_geometry() {
            let geometry = &description.geometry[index];
            let Some(&(joint, in_joint)) = places.get(geometry.link) else {
                continue;
            };
            let shape = match touching(geometry, joint == JointId::UNIVERSE, &mut meshes) {
                Ok((shape, is_same)) => {
                    if !is_same {
                        let mesh = mesh_name(geometry);
                        warnings.push((geometry.source, WarningCause::NotConvex { mesh }));
                    }
                    shape
                }
                Err(reason) => {
                    let what = "the collision shape";
                    warnings.push((geometry.source, WarningCause::LeftOut { what, reason }));
                    continue;
                }
            };
            let link = &description.links[geometry.link].name;
            let number = &mut shapes_of_link[geometry.link];
            let name = match (geometry.name.is_empty(), *number) {
                (false, _) => geometry.name.clone(),
                (true, 0) => link.clone(),
                (true, number) => format!("{link}.{number}"),
            };
            *number += 1;
            shapes.push(CollisionShape {
                name,
                geometry: index,
                link: geometry.link,
                joint,
                placement: in_joint.compose(&geometry.placement),
                shape,
                surface: geometry.surface,
            });
        }
        CollisionShapes {
            shapes,
            warnings: description.sources.warnings(warnings),
        }
    }

    /// The pairs of shapes that may touch, by their indices in a list, as
    /// [`ContactRules`](super::ContactRules) has it. Cost: the square of the number of shapes.
    ///
    /// ```
    /// let text = "<robot name='r'> <link name='a'/> <link name='b'/> <link name='c'/>
    ///     <joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>
    ///     <joint name='k' type='continuous'><parent link='b'/><child link='c'/></joint></robot>";
    /// let ball = "<collision><geometry><sphere radius='1'/></geometry></collision></link>";
    /// let mut text = text.to_owned();
    /// for link in ["a", "b", "c"] {
    ///     let empty = format!("<link name='{link}'/>");
    ///     text = text.replace(&empty, &format!("<link name='{link}'>{ball}"));
    /// }
    /// let robot = featherline_formats::load_str(&text)?;
    /// let shapes = robot.collision_shapes().shapes;
    /// assert_eq!(robot.collision_pairs(&shapes)?, [[0, 2]]);
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error`] if links and joints of the description are no tree.
    pub fn collision_pairs(&self, shapes: &[CollisionShape]) -> Result<Vec<[usize; 2]>, Error> {
        self.pairs(shapes, true)
    }

    /// The pairs of shapes that are on different joints and never touch, by their indices in a
    /// list: the complement of [`collision_pairs`](Self::collision_pairs). Cost: the square of the
    /// number of shapes.
    ///
    /// # Errors
    /// As [`collision_pairs`](Self::collision_pairs).
    pub fn collision_exclusions(
        &self,
        shapes: &[CollisionShape],
    ) -> Result<Vec<[usize; 2]>, Error> {
        self.pairs(shapes, false)
    }

    fn pairs(&self, shapes: &[CollisionShape], touch: bool) -> Result<Vec<[usize; 2]>, Error> {
        let rules = self.description.contact_rules()?;
        let mut pairs = Vec::new();
        for (i, a) in shapes.iter().enumerate() {
            for (j, b) in shapes.iter().enumerate().skip(i + 1) {
                if a.joint != b.joint && rules.may_touch(a.geometry, b.geometry) == touch {
                    if pairs.len() == MAX_PAIRS {
                        let (what, limit) = ("pairs of shapes", MAX_PAIRS);
                        let cause = ErrorCause::TooMany { what, limit };
                        return Err(Error::new(Location::default(), cause));
                    }
                    pairs.push([i, j]);
                }
            }
        }
        Ok(pairs)
    }
}

/// The shape that a geometry touches with, and whether it is the same as the geometry; or why there
/// is none.
fn touching(
    geometry: &Geometry,
    is_fixed: bool,
    meshes: &mut HashMap<MeshKey, MeshAndHull>,
) -> HullOf {
    let chosen = |(mesh, hull): &(Arc<Mesh>, HullOf)| {
        let is_convex = matches!(hull, Ok((_, true)));
        match geometry.as_hull.unwrap_or(!is_fixed || is_convex) {
            true => hull.clone(),
            false => Ok((Shape::Mesh(Arc::clone(mesh)), true)),
        }
    };
    match &geometry.form {
        Form::Shape(Shape::Mesh(mesh)) => chosen(&(Arc::clone(mesh), hull(mesh))),
        Form::Shape(shape) => Ok((shape.clone(), true)),
        Form::Mesh(file) => {
            let path = file.path.clone().unwrap_or_else(|| (&file.uri).into());
            let scale = file.scale.to_array().map(f64::to_bits);
            let known = meshes.entry((path, scale));
            let known = known.or_insert_with(|| of_file(file)).as_ref();
            known.map_err(String::clone).and_then(chosen)
        }
        Form::Other { kind } => Err(format!("a shape of the kind `{kind}` is not read")),
    }
}

/// The mesh of a file, of which neighbours share their corners, with its hull.
fn of_file(file: &MeshFile) -> MeshAndHull {
    let mesh = file.read().map_err(|error| error.to_string())?.merged();
    let hull = hull(&mesh);
    Ok((Arc::new(mesh), hull))
}

fn hull(mesh: &Mesh) -> HullOf {
    let points = mesh.vertices().iter().copied();
    let hull = Polytope::from_points(points).map_err(|error| error.to_string())?;
    let volume = |properties: Result<featherline_geometry::MassProperties, _>| {
        properties.ok().map(|it| it.measure())
    };
    let full = volume(hull.mass_properties(Distribution::Solid));
    let own = volume(Shape::from(mesh.clone()).mass_properties(Distribution::Solid));
    let is_convex = match (own, full) {
        (Some(own), Some(full)) => own >= CONVEX * full,
        // A surface that is not closed has no volume; that of a convex body is as large as its
        // hull's.
        _ => {
            let (own, full) = (mesh.surface(), hull.mesh().surface());
            (own - full).abs() <= (1.0 - CONVEX) * full
        }
    };
    Ok((Shape::Polytope(Arc::new(hull)), is_convex))
}

/// The name of a mesh in a message.
fn mesh_name(geometry: &Geometry) -> String {
    match &geometry.form {
        Form::Mesh(file) => shortened(&file.uri),
        Form::Shape(_) | Form::Other { .. } => shortened(&geometry.name),
    }
}
