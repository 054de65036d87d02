//! Shapes of links, and their meshes.

use super::buffer::Buffer;
use super::document::{
    Form as Written, FramePlace, Mesh as WrittenMesh, Shape as WrittenShape, Warning,
};
use super::upright;
use super::warnings::written;
use featherline::model::JointId;
use featherline::spatial::{Se3, Vec3};
use featherline_formats::description::{Form, Geometry, MeshFile};
use featherline_formats::{Location, Robot, WarningCause};
use featherline_geometry::{Mesh, Shape};
use std::collections::HashMap;
use std::path::Path;

/// The shapes and the meshes of a robot, with warnings of those that can't be shown.
pub(super) struct Shapes {
    pub(super) shapes: Vec<WrittenShape>,
    /// The index of each shape in the description.
    pub(super) geometry: Vec<usize>,
    pub(super) meshes: Vec<WrittenMesh>,
    pub(super) warnings: Vec<Warning>,
}

/// Why a shape is not shown.
#[derive(Clone)]
enum Refusal {
    /// The mesh file was not found.
    Missing,
    /// The mesh file can't be read.
    Unreadable(String),
    /// The kind of shape is not drawn.
    Kind(String),
}

/// A mesh file in a scale, by its path (as it is written, if it was not found) and the bits of the
/// factors.
type Key = (String, [u64; 3]);

impl Shapes {
    pub(super) fn of(robot: &Robot, places: &[(JointId, Se3<f64>)], buffer: &mut Buffer) -> Self {
        let description = &robot.description;
        let mut meshes = Meshes {
            list: Vec::new(),
            of_file: HashMap::new(),
            is_upright: upright::is_meant(robot, places),
            buffer,
        };
        let (mut shapes, mut drawn) = (Vec::new(), Vec::new());
        let mut refused: Vec<(&Geometry, Refusal)> = Vec::new();
        for (index, geometry) in description.geometry.iter().enumerate() {
            let (Some(link), Some((joint, in_joint))) = (
                description.links.get(geometry.link),
                places.get(geometry.link),
            ) else {
                continue;
            };
            let form = match meshes.form(&geometry.form) {
                Ok(form) => form,
                Err(refusal) => {
                    refused.push((geometry, refusal));
                    continue;
                }
            };
            let material = geometry
                .material
                .and_then(|it| description.materials.get(it));
            drawn.push(index);
            shapes.push(WrittenShape {
                end: FramePlace::new(*joint, &in_joint.compose(&geometry.placement)),
                link: link.name.clone(),
                name: geometry.name.clone(),
                visual: geometry.is_visual,
                collision: geometry.is_collision,
                colour: material.and_then(|it| it.colour),
                form,
            });
        }
        let sources: Vec<_> = refused
            .iter()
            .map(|(geometry, _)| geometry.source)
            .collect();
        let locations = description.sources.locations(&sources);
        let mut warnings: Vec<Warning> = Vec::new();
        for ((geometry, refusal), location) in refused.iter().zip(&locations) {
            let link = Some(description.links[geometry.link].name.clone());
            let warning = refusal.warning(location, &geometry.form, link);
            // A mesh that is seen and touches is one warning.
            let is_same = |it: &Warning| it.message == warning.message && it.link == warning.link;
            if !warnings.iter().any(is_same) {
                warnings.push(warning);
            }
        }
        if meshes.is_upright {
            let message = "the COLLADA meshes are rotated from y upwards to z, as their `<up_axis>` says: so the parts fit \
                           together. Write `Z_UP` in these files to have them drawn as they are written";
            warnings.push(Warning {
                severity: "note",
                code: "rotated-meshes",
                message: message.to_owned(),
                file: None,
                line: None,
                link: None,
            });
        }
        Self {
            shapes,
            geometry: drawn,
            meshes: meshes.list,
            warnings,
        }
    }
}

impl Refusal {
    fn warning(&self, location: &Location, form: &Form, link: Option<String>) -> Warning {
        let uri = match form {
            Form::Mesh(file) => file.uri.clone(),
            Form::Shape(_) | Form::Other { .. } => String::new(),
        };
        let missing = written(location, &WarningCause::MissingMesh { uri }, link);
        match self {
            Self::Missing => missing,
            Self::Unreadable(reason) => Warning {
                severity: "warning",
                code: "unreadable-mesh",
                message: reason.clone(),
                ..missing
            },
            Self::Kind(kind) => Warning {
                severity: "note",
                code: "unused",
                message: format!("a shape of the kind `{kind}` is not drawn"),
                ..missing
            },
        }
    }
}

/// The meshes that were read so far.
struct Meshes<'b> {
    list: Vec<WrittenMesh>,
    of_file: HashMap<Key, Result<usize, Refusal>>,
    /// Whether COLLADA files are rotated as they state.
    is_upright: bool,
    buffer: &'b mut Buffer,
}

impl Meshes<'_> {
    fn form(&mut self, form: &Form) -> Result<Written, Refusal> {
        let shape = match form {
            Form::Shape(shape) => shape,
            Form::Mesh(file) => {
                let mesh = self.of_file(file)?;
                return Ok(Written::Mesh { mesh });
            }
            Form::Other { kind } => return Err(Refusal::Kind(kind.clone())),
        };
        Ok(match shape {
            Shape::Cuboid(it) => Written::Box {
                sides: it.sides.to_array(),
            },
            Shape::Sphere(it) => Written::Sphere { radius: it.radius },
            Shape::Cylinder(it) => Written::Cylinder {
                radius: it.radius,
                length: it.length,
            },
            Shape::Capsule(it) => Written::Capsule {
                radius: it.radius,
                length: it.length,
            },
            Shape::Cone(it) => Written::Cone {
                radius: it.radius,
                length: it.length,
            },
            Shape::Ellipsoid(it) => Written::Ellipsoid {
                semi_axes: it.semi_axes.to_array(),
            },
            Shape::Plane(_) => Written::Plane,
            Shape::Polytope(it) => self.in_the_text(it.mesh())?,
            Shape::Mesh(it) => self.in_the_text(it)?,
        })
    }

    /// A mesh that has no file of its own.
    fn in_the_text(&mut self, mesh: &Mesh) -> Result<Written, Refusal> {
        let mesh = self.add(String::new(), mesh)?;
        Ok(Written::Mesh { mesh })
    }

    fn of_file(&mut self, file: &MeshFile) -> Result<usize, Refusal> {
        let path = file.path.as_deref();
        let named = path.map_or_else(|| file.uri.clone(), |path| path.display().to_string());
        let key = (named, file.scale.to_array().map(f64::to_bits));
        if let Some(known) = self.of_file.get(&key) {
            return known.clone();
        }
        let found = self.read(file, path);
        self.of_file.insert(key, found.clone());
        found
    }

    fn read(&mut self, file: &MeshFile, path: Option<&Path>) -> Result<usize, Refusal> {
        let Some(path) = path else {
            return Err(Refusal::Missing);
        };
        let mesh = match self.is_upright && upright::states_axis(file) {
            true => upright::read(file),
            false => file.read(),
        };
        let mesh = mesh.map_err(|error| Refusal::Unreadable(error.to_string()))?;
        let name = path.file_name().unwrap_or(path.as_os_str());
        self.add(name.to_string_lossy().into_owned(), &mesh)
    }

    fn add(&mut self, file: String, mesh: &Mesh) -> Result<usize, Refusal> {
        // Single precision is what graphics processors draw with.
        let single = |v: &Vec3<f64>| v.to_array().map(|x| x as f32);
        let vertices: Vec<f32> = mesh.vertices().iter().flat_map(single).collect();
        if !vertices.iter().all(|x| x.is_finite()) {
            let reason = format!("the mesh `{file}` is too large to be drawn; check its unit");
            return Err(Refusal::Unreadable(reason));
        }
        let vertices = self.buffer.push(vertices.iter().map(|x| x.to_le_bytes()));
        let faces = mesh.faces().as_flattened().iter();
        let faces = self.buffer.push(faces.map(|index| index.to_le_bytes()));
        self.list.push(WrittenMesh {
            file,
            vertices,
            faces,
        });
        Ok(self.list.len() - 1)
    }
}
