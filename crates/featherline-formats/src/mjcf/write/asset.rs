//! Meshes and materials.

use super::converted::{Converted, NOT_FOUND, key};
use super::names::TakenNames;
use super::refusals::{self, fitness};
use super::{Writer, positive_zero};
use crate::description::{Description, Form, Geometry, MeshFile, Setting};
use crate::mjcf::attributes::Attributes;
use crate::mjcf::compiler::Compiler;
use crate::mjcf::mesh::{MeshAsset, stem};
use crate::options::LoadOptions;
use crate::report::Report;
use crate::resolve::{Resolver, full, name_from};
use crate::sources::Sources;
use crate::written::WrittenFile;
use crate::xml::{Document, Element, numbers};
use featherline::spatial::{Se3, Vec3};
use featherline_geometry::{Mesh, Shape};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The meshes of a file, beside those that are kept.
pub(super) struct Assets {
    meshes: Vec<Asset>,
    /// The mesh of each shape, if it is one.
    of_geometry: Vec<Option<Used>>,
    /// The files of meshes that are made of others.
    pub(super) made: Vec<WrittenFile>,
}

/// The mesh of a shape.
pub(super) struct Used {
    pub(super) name: String,
    /// The frame of the mesh in that of the shape.
    pub(super) frame: Se3<f64>,
}

struct Asset {
    name: String,
    data: Data,
    is_thin: bool,
}

/// The data of a mesh as written: its file, or triangles.
pub(super) enum Data {
    File {
        file: String,
        path: Option<PathBuf>,
        scale: Vec3<f64>,
    },
    Triangles {
        mesh: Arc<Mesh>,
        /// The file that is made of them; none if they are in the text.
        file: Option<String>,
        scale: Vec3<f64>,
    },
}

/// The scale of a mesh in its own size.
fn unscaled() -> Vec3<f64> {
    Vec3::new(1.0, 1.0, 1.0)
}

impl Assets {
    /// The meshes of a description, for a file in a folder, which has another one for meshes that
    /// are made. A mesh that can't be read is none.
    pub(super) fn new(
        description: &Description,
        (folder, meshes): (Option<&Path>, Option<&str>),
        report: &mut Report<'_>,
    ) -> Self {
        let kept = kept_meshes(description);
        let mut taken = TakenNames::new("mesh");
        for name in kept.keys() {
            taken.unused(name);
        }
        let mut converted = Converted::new(meshes);
        let mut known: HashMap<(String, String), usize> = HashMap::new();
        let mut meshes = Vec::new();
        let mut of_geometry = Vec::new();
        // Shapes with the meshes here that they are, which are not kept.
        let mut own = Vec::new();
        for geometry in &description.geometry {
            let named = Setting::find(&geometry.settings, "mesh");
            let asset = named.and_then(|it| Some((it, kept.get(it)?)));
            if let Some((name, asset)) = asset
                && let Some(frame) = frame(asset, &geometry.form)
            {
                let name = name.to_owned();
                of_geometry.push(Some(Used { name, frame }));
                continue;
            }
            let (name, data) = match &geometry.form {
                Form::Mesh(mesh) => {
                    let key = (key(mesh), numbers(&mesh.scale.to_array()));
                    if let Some(&same) = known.get(&key) {
                        own.push((geometry, same));
                        of_geometry.push(Some(used(&meshes, same)));
                        continue;
                    }
                    let data = match refusals::is_read(mesh) {
                        true => file(mesh, folder),
                        false => converted.data(mesh, geometry.source),
                    };
                    match data {
                        Ok(data) => {
                            known.insert(key, meshes.len());
                            (stem(&mesh.uri), data)
                        }
                        Err(why) => {
                            let what = format!("the mesh `{}`, {why},", mesh.uri);
                            report.lacks("MJCF", geometry.source, what);
                            of_geometry.push(None);
                            continue;
                        }
                    }
                }
                Form::Shape(Shape::Mesh(mesh)) => triangles(geometry, Arc::clone(mesh)),
                Form::Shape(Shape::Polytope(it)) => {
                    triangles(geometry, Arc::new(it.mesh().clone()))
                }
                Form::Shape(_) | Form::Other { .. } => {
                    of_geometry.push(None);
                    continue;
                }
            };
            let start = if name.is_empty() { "mesh" } else { &name };
            let name = taken.unused(start);
            meshes.push(Asset {
                name,
                data,
                is_thin: false,
            });
            own.push((geometry, meshes.len() - 1));
            of_geometry.push(Some(used(&meshes, meshes.len() - 1)));
        }
        converted.warn(report);
        let fitness: Vec<_> = meshes.iter().map(|it| fitness(&it.data)).collect();
        let uses = own.into_iter().map(|(geometry, mesh)| {
            let name = match &geometry.form {
                Form::Mesh(file) => &file.uri,
                Form::Shape(_) | Form::Other { .. } => &meshes[mesh].name,
            };
            (geometry, mesh, name.as_str())
        });
        refusals::warn(uses, &fitness, report);
        for (mesh, fitness) in meshes.iter_mut().zip(fitness) {
            mesh.is_thin = fitness.is_thin;
        }
        Self {
            meshes,
            of_geometry,
            made: converted.files,
        }
    }

    /// The mesh of a shape.
    pub(super) fn mesh(&self, geometry: usize) -> Option<&Used> {
        self.of_geometry.get(geometry)?.as_ref()
    }
}

impl Writer<'_, '_, '_> {
    /// Writes meshes, materials, and what was kept among them.
    pub(super) fn assets(&mut self) {
        self.out.open("asset", &[]);
        for mesh in &self.assets.meshes {
            let data = &mesh.data;
            let mut attributes = vec![("name", mesh.name.clone())];
            if mesh.is_thin {
                attributes.push(("inertia", "shell".to_owned()));
            }
            let (file, scale) = match data {
                Data::File { file, scale, .. } => (Some(file), scale),
                Data::Triangles { file, scale, .. } => (file.as_ref(), scale),
            };
            if let Some(file) = file {
                attributes.push(("file", file.clone()));
            }
            if *scale != unscaled() {
                attributes.push(("scale", numbers(&scale.to_array())));
            }
            if let Data::Triangles {
                mesh, file: None, ..
            } = data
            {
                let vertices = mesh.vertices().iter().flat_map(|v| v.to_array());
                let vertices: Vec<f64> = vertices.map(positive_zero).collect();
                attributes.push(("vertex", numbers(&vertices)));
                let faces = mesh.faces().as_flattened().iter();
                let faces: Vec<String> = faces.map(u32::to_string).collect();
                attributes.push(("face", faces.join(" ")));
            }
            self.out.empty("mesh", &attributes);
        }
        let description = self.description;
        for (i, material) in description.materials.iter().enumerate() {
            if let Some(texture) = &material.texture
                && Setting::find(&material.settings, "texture").is_none()
            {
                let what = format!("the texture `{texture}` of material `{}`", material.name);
                self.lacks(material.source, what);
            }
            if material.name.is_empty() {
                continue;
            }
            let mut attributes = vec![("name", self.names.materials[i].clone())];
            if let Some(colour) = material.colour {
                attributes.push(("rgba", numbers(&colour)));
            }
            let what = format!("the material `{}`", material.name);
            let (settings, source) = (&material.settings, material.source);
            self.fill(&mut attributes, "asset/material", settings, &what, source);
            self.out.empty("material", &attributes);
        }
        self.kept_assets();
        self.out.close_if_used("asset");
    }
}

fn used(meshes: &[Asset], index: usize) -> Used {
    Used {
        name: meshes[index].name.clone(),
        frame: Se3::identity(),
    }
}

/// The name of a shape, and its triangles for the text.
fn triangles(geometry: &Geometry, mesh: Arc<Mesh>) -> (String, Data) {
    let data = Data::Triangles {
        mesh,
        file: None,
        scale: unscaled(),
    };
    (geometry.name.clone(), data)
}

/// The meshes that are kept, by their names.
fn kept_meshes(description: &Description) -> HashMap<String, MeshAsset> {
    let sources = Sources::default();
    let mut report = Report::new(&sources);
    // Kept elements have the paths of their files from the root.
    let resolver = Resolver::new(Some(Path::new("/")), &LoadOptions::new().root_folder("/"));
    let kept = description.kept.iter().filter(|it| it.tag == "mesh");
    let read = kept.filter_map(|kept| {
        let document = Document::parse(&kept.text).ok()?;
        let attributes = Attributes::alone(Element::root(&document, 0));
        MeshAsset::read(&attributes, &Compiler::default(), &resolver, &mut report).ok()
    });
    read.map(|it| (it.name.clone(), it)).collect()
}

/// The frame of a mesh in that of a shape, if the shape is the mesh, or is fitted to it.
fn frame(asset: &MeshAsset, form: &Form) -> Option<Se3<f64>> {
    match form {
        Form::Mesh(mesh) => {
            let (own, within) = asset.file()?;
            let is_same = match (&mesh.path, &own.path) {
                (Some(one), Some(other)) => full(one) == *other,
                (None, None) => mesh.uri == own.uri,
                _ => false,
            };
            (is_same && mesh.scale == own.scale).then(|| within.inverse())
        }
        Form::Shape(Shape::Mesh(mesh)) => {
            let own = asset.mesh().ok()?;
            (own == mesh).then(Se3::identity)
        }
        Form::Shape(_) => None,
        Form::Other { .. } => Some(Se3::identity()),
    }
}

/// A mesh's file by its name in a file of a folder, or why there is none.
fn file(mesh: &MeshFile, folder: Option<&Path>) -> Result<Data, String> {
    let file = match &mesh.path {
        None if mesh.uri.contains("://") => return Err(NOT_FOUND.to_owned()),
        None => mesh.uri.clone(),
        Some(path) => {
            let path = full(path);
            let name = folder.map_or(path.clone(), |folder| name_from(&path, folder));
            name.to_string_lossy().into_owned()
        }
    };
    Ok(Data::File {
        file,
        path: mesh.path.clone(),
        scale: mesh.scale,
    })
}
