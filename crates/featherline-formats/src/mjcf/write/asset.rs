//! Meshes and materials.

use super::names::Taken;
use super::refusals::{self, fitness};
use super::{Writer, positive_zero};
use crate::description::{Description, Form, MeshFile};
use crate::report::Report;
use crate::xml::numbers;
use featherline::spatial::Vec3;
use featherline_geometry::{Mesh, Shape};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Formats of mesh files that MuJoCo reads.
const FORMATS: [&str; 3] = ["stl", "obj", "msh"];

/// The meshes of a file.
pub(super) struct Assets {
    meshes: Vec<Asset>,
    /// The mesh of each shape, if it is one.
    of_geometry: Vec<Option<usize>>,
}

struct Asset {
    name: String,
    data: Data,
    is_thin: bool,
}

/// What a mesh is written as.
pub(super) enum Data {
    File {
        file: String,
        path: Option<PathBuf>,
        scale: Vec3<f64>,
    },
    Numbers(Arc<Mesh>),
}

impl Assets {
    /// The meshes of a description, for a file in a folder. What MuJoCo doesn't read is none.
    pub(super) fn new(
        description: &Description,
        folder: Option<&Path>,
        report: &mut Report<'_>,
    ) -> Self {
        let folder = folder.map(full);
        let mut taken = Taken::new("mesh");
        let mut known: HashMap<(String, String), usize> = HashMap::new();
        let mut meshes = Vec::new();
        let mut of_geometry = Vec::new();
        for geometry in &description.geometry {
            let (name, data) = match &geometry.form {
                Form::Mesh(mesh) => match file(mesh, folder.as_deref()) {
                    Ok(file) => {
                        let scale = mesh.scale;
                        let key = (file.clone(), numbers(&scale.to_array()));
                        if let Some(&same) = known.get(&key) {
                            of_geometry.push(Some(same));
                            continue;
                        }
                        known.insert(key, meshes.len());
                        let path = mesh.path.clone();
                        (stem(&mesh.uri), Data::File { file, path, scale })
                    }
                    Err(why) => {
                        let what = format!("the mesh `{}`, {why},", mesh.uri);
                        crate::written::lacks(report, "MJCF", geometry.source, what);
                        of_geometry.push(None);
                        continue;
                    }
                },
                Form::Shape(Shape::Mesh(mesh)) => {
                    (geometry.name.clone(), Data::Numbers(Arc::clone(mesh)))
                }
                Form::Shape(Shape::Polytope(it)) => (
                    geometry.name.clone(),
                    Data::Numbers(Arc::new(it.mesh().clone())),
                ),
                Form::Shape(_) => {
                    of_geometry.push(None);
                    continue;
                }
            };
            let start = if name.is_empty() { "mesh" } else { &name };
            let name = taken.unused(start);
            of_geometry.push(Some(meshes.len()));
            let is_thin = false;
            meshes.push(Asset {
                name,
                data,
                is_thin,
            });
        }
        let fitness: Vec<_> = meshes.iter().map(|it| fitness(&it.data)).collect();
        let uses = description.geometry.iter().zip(&of_geometry);
        let uses = uses.filter_map(|(geometry, mesh)| {
            let mesh = (*mesh)?;
            let name = match &geometry.form {
                Form::Mesh(file) => &file.uri,
                Form::Shape(_) => &meshes[mesh].name,
            };
            Some((geometry, mesh, name.as_str()))
        });
        refusals::warn(uses, &fitness, report);
        for (mesh, fitness) in meshes.iter_mut().zip(fitness) {
            mesh.is_thin = fitness.is_thin;
        }
        Self {
            meshes,
            of_geometry,
        }
    }

    /// The name of the mesh of a shape.
    pub(super) fn mesh(&self, geometry: usize) -> Option<&str> {
        let index = self.of_geometry.get(geometry).copied().flatten()?;
        Some(&self.meshes[index].name)
    }
}

impl Writer<'_, '_, '_> {
    /// Writes meshes, materials, and what was kept among them.
    pub(super) fn assets(&mut self) {
        let mut is_open = false;
        for i in 0..self.assets.meshes.len() {
            self.section("asset", &mut is_open);
            let Asset {
                name,
                data,
                is_thin,
            } = &self.assets.meshes[i];
            let mut attributes = vec![("name", name.clone())];
            if *is_thin {
                attributes.push(("inertia", "shell".to_owned()));
            }
            match data {
                Data::File { file, scale, .. } => {
                    attributes.push(("file", file.clone()));
                    if *scale != Vec3::new(1.0, 1.0, 1.0) {
                        attributes.push(("scale", numbers(&scale.to_array())));
                    }
                }
                Data::Numbers(mesh) => {
                    let vertices = mesh.vertices().iter().flat_map(|v| v.to_array());
                    let vertices: Vec<f64> = vertices.map(positive_zero).collect();
                    attributes.push(("vertex", numbers(&vertices)));
                    let faces = mesh.faces().as_flattened().iter();
                    let faces: Vec<String> = faces.map(u32::to_string).collect();
                    attributes.push(("face", faces.join(" ")));
                }
            }
            self.out.empty("mesh", &attributes);
        }
        for (i, material) in self.description.materials.iter().enumerate() {
            if let Some(texture) = &material.texture {
                let what = format!("the texture `{texture}` of material `{}`", material.name);
                self.lacks(material.source, what);
            }
            if material.name.is_empty() {
                continue;
            }
            self.section("asset", &mut is_open);
            let mut attributes = vec![("name", self.names.materials[i].clone())];
            if let Some(colour) = material.colour {
                attributes.push(("rgba", numbers(&colour)));
            }
            self.out.empty("material", &attributes);
        }
        self.kept_assets(&mut is_open);
        if is_open {
            self.out.close("asset");
        }
    }
}

/// The name of a mesh's file in a file of a folder, or why there is none.
fn file(mesh: &MeshFile, folder: Option<&Path>) -> Result<String, &'static str> {
    let named = mesh
        .path
        .clone()
        .unwrap_or_else(|| PathBuf::from(&mesh.uri));
    let extension = named
        .extension()
        .map(|it| it.to_string_lossy().to_lowercase());
    if !extension.is_some_and(|it| FORMATS.contains(&it.as_str())) {
        return Err("of a format that MuJoCo does not read");
    }
    let Some(path) = &mesh.path else {
        return match mesh.uri.contains("://") {
            true => Err("which was not found"),
            false => Ok(mesh.uri.clone()),
        };
    };
    let path = full(path);
    let below = folder.and_then(|folder| path.strip_prefix(folder).ok());
    Ok(below.unwrap_or(&path).to_string_lossy().into_owned())
}

/// A path from the root, without links; as it is where that is not known.
fn full(path: &Path) -> PathBuf {
    path.canonicalize()
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}

/// The name of a file without folder and extension.
fn stem(uri: &str) -> String {
    let stem = Path::new(uri).file_stem();
    stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}
