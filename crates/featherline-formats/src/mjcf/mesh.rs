//! Mesh assets.

use super::attributes::Attributes;
use super::compiler::Compiler;
use super::orientation::stated_quaternion;
use crate::description::MeshFile;
use crate::location::Source;
use crate::report::{Outcome, Report, not_allowed};
use crate::resolve::Resolver;
use crate::warning::WarningCause;
use crate::xml::shortened;
use featherline::spatial::{Inertia, Mat3, Se3, Vec3};
use featherline_geometry::{MassProperties, Mesh, MeshInertia, MeshOptions, convex_hull};
use std::cell::{Cell, OnceCell};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A mesh asset. A mesh in a file is opened only where an inertia depends on it.
pub(super) struct MeshAsset {
    pub(super) name: String,
    pub(super) source: Source,
    /// How mass properties follow from it.
    pub(super) inertia: MeshInertia,
    origin: Origin,
    scale: Vec3<f64>,
    /// The frame that vertices are given in.
    reference: Se3<f64>,
    read: OnceCell<Result<Meshes, String>>,
    is_reported: Cell<bool>,
}

/// The mesh, and the one that MuJoCo makes of its file, if that has other triangles.
struct Meshes {
    own: Arc<Mesh>,
    in_mujoco: Option<Mesh>,
}

enum Origin {
    /// Where the file is, or why it is not read.
    File {
        uri: String,
        path: Result<PathBuf, String>,
    },
    Inline(Mesh),
    /// For a reason that is reported where the mesh is used.
    Missing(String),
}

impl MeshAsset {
    pub(super) fn read(
        attributes: &Attributes<'_>,
        compiler: &Compiler,
        resolver: &Resolver<'_>,
        report: &mut Report<'_>,
    ) -> Outcome<Self> {
        let origin = origin(attributes, compiler, resolver, report)?;
        let own_name = attributes.name();
        let name = match &origin {
            Origin::File { uri, .. } if own_name.is_empty() => compiler.prefix.clone() + &stem(uri),
            Origin::File { .. } | Origin::Inline(_) | Origin::Missing(_) => own_name.to_owned(),
        };
        let words = ["legacy", "convex", "exact", "shell"];
        let inertia = match attributes.word("inertia", &words)? {
            Some("convex") => MeshInertia::Convex,
            Some("exact") => MeshInertia::Exact,
            Some("shell") => MeshInertia::Shell,
            _ => MeshInertia::Legacy,
        };
        let position = attributes.vector("refpos")?.unwrap_or_else(Vec3::zero);
        let rotation = stated_quaternion(attributes, "refquat")?.unwrap_or(Mat3::identity());
        Ok(Self {
            name,
            source: attributes.element().source(),
            inertia,
            origin,
            scale: attributes
                .vector("scale")?
                .unwrap_or(Vec3::new(1.0, 1.0, 1.0)),
            reference: Se3::new(rotation, position),
            read: OnceCell::new(),
            is_reported: Cell::new(false),
        })
    }

    /// The mesh in a file of its own, and its placement in the frame of the asset, if it can be
    /// stated so.
    pub(super) fn file(&self) -> Option<(MeshFile, Se3<f64>)> {
        let Origin::File { uri, path } = &self.origin else {
            return None;
        };
        let [x, y, z] = self.scale.to_array();
        let is_uniform = x == y && y == z;
        if !is_uniform && self.reference != Se3::identity() {
            return None;
        }
        let mut file = MeshFile::new(uri, path.clone().ok());
        file.scale = self.scale;
        // A factor for all axes may stand before or after the rotation.
        let inverse = self.reference.inverse();
        let placement = Se3::new(inverse.rotation, inverse.translation * x);
        Some((file, placement))
    }

    /// The mesh in the frame of the asset, or why there is none. It is read once.
    pub(super) fn mesh(&self) -> Result<&Arc<Mesh>, &str> {
        self.meshes().map(|it| &it.own)
    }

    fn meshes(&self) -> Result<&Meshes, &str> {
        let read = self.read.get_or_init(|| self.load());
        read.as_ref().map_err(String::as_str)
    }

    /// Warns, once, if the triangles that MuJoCo takes of the file give another inertia.
    pub(super) fn compare(
        &self,
        own: &Inertia<f64>,
        inertia_of: impl Fn(MassProperties) -> Inertia<f64>,
        report: &mut Report<'_>,
    ) {
        let Ok(Meshes {
            own: mesh,
            in_mujoco: Some(in_mujoco),
        }) = self.meshes()
        else {
            return;
        };
        // The hull in MuJoCo is that of all vertices, whatever faces it takes.
        if self.inertia == MeshInertia::Convex {
            return;
        }
        let theirs = in_mujoco.mass_properties(self.inertia).ok();
        let theirs = theirs.map(inertia_of);
        if theirs.is_some_and(|it| is_near(own, &it)) || self.is_reported.replace(true) {
            return;
        }
        let cause = WarningCause::OtherInMujoco {
            mesh: shortened(&self.name),
            mass: own.mass,
            in_mujoco: theirs.map(|it| it.mass),
            triangles: mesh.faces().len(),
            taken: in_mujoco.faces().len(),
        };
        report.warn(self.source, cause);
    }

    fn load(&self) -> Result<Meshes, String> {
        let (raw, in_mujoco) = match &self.origin {
            Origin::Missing(reason) => return Err(reason.clone()),
            Origin::Inline(mesh) => (mesh.clone(), None),
            Origin::File {
                path: Err(reason), ..
            } => return Err(reason.clone()),
            Origin::File { path: Ok(path), .. } => MeshOptions::default()
                .read_with_mujoco(path)
                .map_err(|it| it.to_string())?,
        };
        Ok(Meshes {
            own: Arc::new(self.placed(&raw)?),
            in_mujoco: in_mujoco.map(|it| self.placed(&it)).transpose()?,
        })
    }

    /// A mesh in the frame of the asset.
    fn placed(&self, raw: &Mesh) -> Result<Mesh, String> {
        let error = |it: featherline_geometry::InvalidMesh| it.to_string();
        let single = raw.vertices().iter().map(|&v| single_precision(v));
        let mesh = Mesh::new(single.collect(), raw.faces().to_vec()).map_err(error)?;
        let placed = mesh.transformed_by(&self.reference.inverse());
        placed.and_then(|it| it.scaled(self.scale)).map_err(error)
    }
}

/// A difference of inertias that is worth a word.
const WORTH_A_WORD: f64 = 0.01;

/// Whether two inertias are near each other: by their masses, by their centres, in radii of
/// gyration, and by their moments, in the largest of them.
fn is_near(a: &Inertia<f64>, b: &Inertia<f64>) -> bool {
    let [xx, xy, xz, yy, yz, zz] = a.rotational.to_elements();
    let largest = xx.max(yy).max(zz);
    let radius = (largest / a.mass).sqrt();
    let others = b.rotational.to_elements();
    let mut moments = [xx, xy, xz, yy, yz, zz].into_iter().zip(others);
    (a.mass - b.mass).abs() <= WORTH_A_WORD * a.mass
        && (a.com - b.com).norm() <= WORTH_A_WORD * radius
        && moments.all(|(a, b)| (a - b).abs() <= WORTH_A_WORD * largest)
}

/// MuJoCo keeps the vertices of all files in single precision.
fn single_precision(v: Vec3<f64>) -> Vec3<f64> {
    let round = |x: f64| f64::from(x as f32);
    Vec3::new(round(v.x), round(v.y), round(v.z))
}

fn origin(
    attributes: &Attributes<'_>,
    compiler: &Compiler,
    resolver: &Resolver<'_>,
    report: &mut Report<'_>,
) -> Outcome<Origin> {
    if let Some(file) = attributes.get("file") {
        let named = compiler.path(&compiler.mesh_folder, file.value);
        let missing = || resolver.missing_beside(&named, file.value);
        let path = resolver.beside(&named);
        if path.is_none() && resolver.has_folder() {
            report.warn(file.source, missing());
        }
        let path = path.ok_or_else(|| missing().to_string());
        let uri = named.to_string_lossy().into_owned();
        return Ok(Origin::File { uri, path });
    }
    let Some(vertex) = attributes.get("vertex") else {
        let reason = match attributes.get("builtin") {
            Some(it) => format!(
                "the builtin mesh `{}` is not generated",
                shortened(it.value)
            ),
            None => "the mesh has neither `file` nor `vertex`".to_owned(),
        };
        return Ok(Origin::Missing(reason));
    };
    let invalid = |reason: &dyn fmt::Display| {
        let what = format!("the mesh is not valid: {reason}");
        not_allowed(vertex.source, what, "correct `vertex` and `face`")
    };
    let numbers = attributes.list("vertex")?;
    if numbers.len() % 3 != 0 {
        return Err(invalid(&"`vertex` is not a list of three numbers each"));
    }
    let vertices: Vec<Vec3<f64>> = numbers
        .chunks_exact(3)
        .map(|v| single_precision(Vec3::new(v[0], v[1], v[2])))
        .collect();
    let indices = attributes.list("face")?;
    if indices.is_empty() {
        let hull = convex_hull(&vertices).map_err(|error| invalid(&error))?;
        return Ok(Origin::Inline(hull));
    }
    let mut faces = Vec::new();
    for face in indices.chunks(3) {
        let corners = <[f64; 3]>::try_from(face).ok();
        let is_index = |x: &f64| x.fract() == 0.0 && *x >= 0.0;
        let Some(corners) = corners.filter(|it| it.iter().all(is_index)) else {
            return Err(invalid(&"`face` is not a list of three indices each"));
        };
        // An index beyond all vertices is refused below, whatever its size.
        faces.push(corners.map(|x| x as u32));
    }
    let mesh = Mesh::new(vertices, faces).map_err(|error| invalid(&error))?;
    Ok(Origin::Inline(mesh.merged()))
}

/// The name of a file without folder and extension.
pub(super) fn stem(uri: &str) -> String {
    let stem = Path::new(uri).file_stem();
    stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}
