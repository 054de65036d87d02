//! Mesh files: a file a format.

mod affine;
mod collada;
mod collada_geometry;
mod error;
mod format;
mod gltf;
mod gltf_document;
mod msh;
mod mujoco;
mod obj;
mod polygons;
mod soup;
mod stl;
mod triangulate;
mod xml_guard;

pub use error::{MeshError, MeshErrorKind, Place};
pub use format::MeshFormat;

use crate::mesh::{InvalidMesh, Mesh, convex_hull};
use featherline::spatial::{Mat3, Vec3};
use soup::Soup;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// The most that is read of a mesh file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshLimits {
    /// The greatest size of a file, in bytes; of a glTF file also of each of its buffers.
    pub bytes: usize,
    /// The greatest number of vertices, before equal ones are merged.
    pub vertices: usize,
    /// The greatest number of triangles.
    pub faces: usize,
}

impl Default for MeshLimits {
    /// 256 MiB, 16 million vertices, 5 million faces.
    fn default() -> Self {
        Self {
            bytes: 256 << 20,
            vertices: 16_000_000,
            faces: 5_000_000,
        }
    }
}

/// The treatment of the upward axis that COLLADA files state and glTF files have by definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UpAxis {
    /// Coordinates stay as they are written. RViz and Pinocchio read the meshes of URDF files so.
    #[default]
    AsWritten,
    /// Coordinates are rotated so that up is z.
    Z,
}

/// Whether the system has files. Where it has none, as in a browser, a program that reads no mesh
/// from memory is linked without the readers of all formats.
const HAS_FILES: bool = cfg!(not(all(target_family = "wasm", target_os = "unknown")));

/// How a mesh is read.
///
/// ```
/// use featherline::spatial::Vec3;
/// use featherline_geometry::{MeshFormat, MeshOptions};
///
/// let text = b"v 0 0 0\nv 1000 0 0\nv 0 1000 0\nf 1 2 3\n";
/// let mut options = MeshOptions::default();
/// options.scale = Vec3::new(0.001, 0.001, 0.001); // from mm
/// let mesh = options.from_bytes(MeshFormat::Obj, text)?;
/// assert!((mesh.surface() - 0.5).abs() < 1e-15);
/// # Ok::<(), featherline_geometry::MeshError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshOptions {
    /// Limits of size.
    pub limits: MeshLimits,
    /// A factor of each coordinate, after the unit of COLLADA; a negative product reflects the
    /// mesh, and flips its faces, so that they still look outwards.
    pub scale: Vec3<f64>,
    /// The treatment of the upward axis.
    pub up_axis: UpAxis,
}

impl Default for MeshOptions {
    fn default() -> Self {
        Self {
            limits: MeshLimits::default(),
            scale: Vec3::new(1.0, 1.0, 1.0),
            up_axis: UpAxis::default(),
        }
    }
}

/// Gives the bytes of a file that another one names.
type Companion<'a> = dyn Fn(&str) -> Result<Vec<u8>, MeshErrorKind> + 'a;

impl MeshOptions {
    /// Reads a mesh file. The format is that of the content, and of the extension if the content
    /// has no mark.
    ///
    /// # Errors
    ///
    /// See [`Mesh::read`].
    pub fn read(&self, path: impl AsRef<Path>) -> Result<Mesh, MeshError> {
        let (mesh, _) = self.read_file(path.as_ref(), false)?;
        Ok(mesh)
    }

    /// Reads a mesh file, and the mesh that MuJoCo 4.0 makes of it, if that has other triangles.
    ///
    /// MuJoCo reads the first object or group of an OBJ file alone. It cuts concave faces of four
    /// corners along the shorter diagonal, and gives concave faces of more corners triangles that
    /// lie on each other, or lack some. Coordinates are as in the file, in double precision.
    ///
    /// # Errors
    ///
    /// See [`Mesh::read`].
    ///
    /// ```
    /// use featherline_geometry::MeshOptions;
    ///
    /// let path = std::env::temp_dir().join("two_groups.obj");
    /// let first = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\ng one\nf 1 2 3\n";
    /// std::fs::write(&path, format!("{first}g two\nf 2 4 3\n"))?;
    /// let (mesh, in_mujoco) = MeshOptions::default().read_with_mujoco(&path)?;
    /// assert_eq!(mesh.faces().len(), 2);
    /// assert_eq!(in_mujoco.map(|it| it.faces().len()), Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_with_mujoco(
        &self,
        path: impl AsRef<Path>,
    ) -> Result<(Mesh, Option<Mesh>), MeshError> {
        self.read_file(path.as_ref(), true)
    }

    fn read_file(&self, path: &Path, with_mujoco: bool) -> Result<(Mesh, Option<Mesh>), MeshError> {
        let named = |error: MeshError| MeshError {
            file: Some(path.to_owned()),
            ..error
        };
        let whole = |kind: MeshErrorKind| named(kind.at(Place::File));
        if !HAS_FILES {
            return Err(whole(MeshErrorKind::Io(ErrorKind::Unsupported.into())));
        }
        let bytes = self.read_bytes(path).map_err(whole)?;
        let format = MeshFormat::detect(&bytes, path.extension().and_then(|e| e.to_str()));
        let format = format.ok_or_else(|| whole(MeshErrorKind::UnknownFormat))?;
        let companion = |name: &str| {
            let folder = path.parent().unwrap_or(Path::new("."));
            self.read_bytes(&folder.join(name))
        };
        self.parse(format, &bytes, &companion, with_mujoco)
            .map_err(named)
    }

    /// Reads a mesh from memory.
    ///
    /// # Errors
    ///
    /// See [`Mesh::from_bytes`].
    pub fn from_bytes(&self, format: MeshFormat, bytes: &[u8]) -> Result<Mesh, MeshError> {
        let companion = |name: &str| {
            let what = format!(
                "the file `{}` beside bytes in memory",
                error::shortened(name)
            );
            Err(MeshErrorKind::unsupported(
                what,
                "as one GLB file, or read it from its path",
            ))
        };
        let (mesh, _) = self.parse(format, bytes, &companion, false)?;
        Ok(mesh)
    }

    fn parse(
        &self,
        format: MeshFormat,
        bytes: &[u8],
        companion: &Companion<'_>,
        with_mujoco: bool,
    ) -> Result<(Mesh, Option<Mesh>), MeshError> {
        let whole = |kind: MeshErrorKind| kind.at(Place::File);
        if bytes.len() > self.limits.bytes {
            let (what, limit) = ("bytes", self.limits.bytes);
            return Err(whole(MeshErrorKind::TooMany { what, limit }));
        }
        let mut soup = Soup::new(self.limits);
        soup.mujoco = (with_mujoco && format == MeshFormat::Obj).then(mujoco::Faces::default);
        // The rotation from coordinates of the file to those with z upwards.
        let mut upright = Mat3::identity();
        match format {
            MeshFormat::Stl => stl::read(bytes, &mut soup)?,
            MeshFormat::Obj => obj::read(bytes, &mut soup)?,
            MeshFormat::Collada => upright = collada::read(bytes, &mut soup)?,
            MeshFormat::Gltf => upright = gltf::read(bytes, &mut soup, companion)?,
            MeshFormat::Msh => msh::read(bytes, &mut soup)?,
        }
        if self.up_axis == UpAxis::Z {
            soup.vertices
                .iter_mut()
                .for_each(|v| *v = upright.mul_vec(*v));
        }
        let invalid = |error: InvalidMesh| whole(MeshErrorKind::Malformed(error.to_string()));
        let finish = |mesh: Mesh| Ok(mesh.scaled(self.scale).map_err(invalid)?.merged());
        if soup.faces.is_empty() {
            // Points alone stand for their hull, in these formats.
            let is_of_points = matches!(format, MeshFormat::Msh | MeshFormat::Obj);
            if !is_of_points || soup.vertices.is_empty() {
                return Err(whole(MeshErrorKind::NoFaces));
            }
            let hull = convex_hull(&soup.vertices);
            let hull = hull.map_err(|it| whole(MeshErrorKind::NoHull(it)))?;
            return Ok((finish(hull)?, None));
        }
        let others = soup.mujoco.map(|it| it.faces);
        let in_mujoco = others
            .filter(|faces| *faces != soup.faces)
            .map(|faces| Mesh::new(soup.vertices.clone(), faces).map_err(invalid))
            .transpose()?;
        let mesh = Mesh::new(soup.vertices, soup.faces).map_err(invalid)?;
        Ok((finish(mesh)?, in_mujoco.map(finish).transpose()?))
    }

    /// The bytes of a file, within the limit.
    fn read_bytes(&self, path: &Path) -> Result<Vec<u8>, MeshErrorKind> {
        let mut bytes = Vec::new();
        // One byte more than is accepted shows that there are too many, whatever size is claimed.
        let most = (self.limits.bytes as u64).saturating_add(1);
        File::open(path)?.take(most).read_to_end(&mut bytes)?;
        match bytes.len() > self.limits.bytes {
            true => Err(MeshErrorKind::TooMany {
                what: "bytes",
                limit: self.limits.bytes,
            }),
            false => Ok(bytes),
        }
    }
}

impl Mesh {
    /// Reads a mesh file: STL, OBJ, COLLADA, glTF, GLB or MSH, with the options by default.
    ///
    /// All parts of the file become one mesh, placed as the nodes of the file place them, in m
    /// where the format has a unit. Equal vertices are merged; vertices of no face are left out.
    /// An OBJ or MSH file of vertices alone gives their convex hull.
    ///
    /// Polygons become triangles that cover them, also where they are concave. A quadrilateral that
    /// turns outwards at each corner is cut along its shorter diagonal, also where it is not flat.
    /// Polygons of more corners that are not flat are cut as they look along their area vector.
    ///
    /// # Errors
    ///
    /// A file that can't be read, is too large, of no known format, not well-formed, without
    /// faces, or of vertices alone that lie in one plane: what, where, and the remedy.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, MeshError> {
        MeshOptions::default().read(path)
    }

    /// Reads a mesh from memory, with the options by default; see [`Mesh::read`].
    ///
    /// # Errors
    ///
    /// As for [`Mesh::read`]; and a glTF text that names another file.
    pub fn from_bytes(format: MeshFormat, bytes: &[u8]) -> Result<Self, MeshError> {
        MeshOptions::default().from_bytes(format, bytes)
    }
}
