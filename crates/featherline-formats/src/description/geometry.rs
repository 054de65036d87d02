//! The shapes of a robot's links.

use super::{ContactMask, Setting, Source, Surface};
use featherline::spatial::{Se3, Vec3};
use featherline_geometry::{Mesh, MeshError, MeshErrorKind, MeshOptions, Place, Shape};
use std::path::PathBuf;

/// A shape of a link: what is seen of it, what it touches with, or both.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Geometry {
    /// Its name; empty if it has none.
    pub name: String,
    /// The index of its link.
    pub link: usize,
    /// Its placement in the link.
    pub placement: Se3<f64>,
    /// The shape.
    pub form: Form,
    /// Whether it is seen.
    pub is_visual: bool,
    /// Whether it touches.
    pub is_collision: bool,
    /// Whether a mesh touches as its convex hull; else its triangles do. If nothing is said, one
    /// that moves does, and one that is fixed in the world only if it is convex.
    pub as_hull: Option<bool>,
    /// The contact properties of its surface, if the file states any.
    pub surface: Option<Surface>,
    /// Which shapes it may touch, by bits.
    pub mask: ContactMask,
    /// The index of its material.
    pub material: Option<usize>,
    /// Everything else that the file states of it, in its words.
    pub settings: Vec<Setting>,
    /// Where its element is.
    pub source: Source,
}

/// The shape of a [`Geometry`], in its own frame.
#[derive(Clone, Debug)]
pub enum Form {
    /// A shape that the file states in numbers.
    Shape(Shape),
    /// A mesh in a file of its own.
    Mesh(MeshFile),
    /// A shape that only its format has, such as a height field; the settings state it.
    Other {
        /// The kind in the file's format, such as `hfield`.
        kind: String,
    },
}

/// A mesh in a file of its own. Loading a robot does not open it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshFile {
    /// The file as it is written, such as `package://arm/meshes/link.stl`.
    pub uri: String,
    /// The file, if it was found.
    pub path: Option<PathBuf>,
    /// Factors of the coordinates; a negative one is a reflection.
    pub scale: Vec3<f64>,
}

/// How a shape looks.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Material {
    /// Its name; empty if it has none.
    pub name: String,
    /// Red, green, blue and opacity, from 0 to 1.
    pub colour: Option<[f64; 4]>,
    /// The file of its texture, as it is written.
    pub texture: Option<String>,
    /// Everything else that the file states of it, in its words.
    pub settings: Vec<Setting>,
    /// Where its element is.
    pub source: Source,
}

impl Geometry {
    /// A shape of a link, by the link's index, that is both seen and touches.
    pub fn new(link: usize, placement: Se3<f64>, form: Form) -> Self {
        Self {
            name: String::new(),
            link,
            placement,
            form,
            is_visual: true,
            is_collision: true,
            as_hull: None,
            surface: None,
            mask: ContactMask::default(),
            material: None,
            settings: Vec::new(),
            source: Source::default(),
        }
    }
}

impl Form {
    /// The shape; a mesh is read from its file. Cost: the size of the file.
    ///
    /// # Errors
    /// [`MeshError`] for a mesh file that can't be found or read, and for [`Form::Other`].
    pub fn shape(&self) -> Result<Shape, MeshError> {
        match self {
            Self::Shape(shape) => Ok(shape.clone()),
            Self::Mesh(file) => Ok(file.read()?.into()),
            Self::Other { kind } => Err(MeshError {
                file: Some(PathBuf::from(kind)),
                place: Place::File,
                kind: MeshErrorKind::UnknownFormat,
            }),
        }
    }
}

impl MeshFile {
    /// A mesh in the file that a text names, in its own size.
    pub fn new(uri: impl Into<String>, path: Option<PathBuf>) -> Self {
        Self {
            uri: uri.into(),
            path,
            scale: Vec3::new(1.0, 1.0, 1.0),
        }
    }

    /// Reads the mesh. Cost: the size of the file.
    ///
    /// # Errors
    /// [`MeshError`], also for a file that was not found.
    pub fn read(&self) -> Result<Mesh, MeshError> {
        let named = PathBuf::from(&self.uri);
        let path = self.path.as_ref().unwrap_or(&named);
        let mut options = MeshOptions::default();
        options.scale = self.scale;
        options.read(path)
    }
}

impl Material {
    /// A material without colour and texture.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Whether another material has the same colour and texture.
    pub(crate) fn looks_like(&self, other: &Self) -> bool {
        (self.colour, &self.texture) == (other.colour, &other.texture)
    }
}
