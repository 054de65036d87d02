//! Meshes that MuJoCo refuses, by its compiler of version 4.0.

use super::asset::Data;
use crate::description::{Geometry, MeshFile};
use crate::report::Report;
use crate::warning::WarningCause;
use featherline_geometry::{Mesh, MeshInertia, MeshOptions};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The most faces of an STL file.
const MAX_FACES: u32 = 200_000;
/// The bytes of an STL file before the number of its faces.
const STL_HEADER: usize = 80;
/// Below this volume, in m³, MuJoCo asks for the inertia of a shell. Its own limit is 1e-15.
const LEAST_VOLUME: f64 = 1e-14;
/// A difference of surface between the triangles of a mesh and those that MuJoCo takes, relative,
/// that is not seen.
const UNSEEN: f64 = 1e-3;
/// The volume of a flat mesh beside the area A of its surface, as V / A^(3/2): rounding.
const FLAT: f64 = 1e-9;

/// The properties of a mesh on which its use in MuJoCo depends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fitness {
    /// Whether its volume is too small, so that it must be a shell. It does not matter otherwise,
    /// because every inertia is stated.
    pub(super) is_thin: bool,
    /// Whether all of its vertices are in a plane.
    is_flat: bool,
    /// Why it is refused whatever it is used for.
    refusal: Option<&'static str>,
}

/// The properties of a mesh for its use in MuJoCo. Files that can't be read are not judged.
pub(super) fn fitness(data: &Data) -> Fitness {
    let mesh = match data {
        Data::Triangles { mesh, scale, .. } => Mesh::clone(mesh).scaled(*scale).ok(),
        Data::File { path: None, .. } => None,
        Data::File {
            path: Some(path),
            scale,
            ..
        } => {
            let mut options = MeshOptions::default();
            options.scale = *scale;
            options.read(path).ok()
        }
    };
    mesh.map_or_else(Fitness::default, |mesh| of_mesh(&mesh))
}

fn of_mesh(mesh: &Mesh) -> Fitness {
    let area = mesh.surface();
    let volume = mesh.mass_properties(MeshInertia::Legacy);
    let volume = volume.map_or(0.0, |it| it.measure());
    Fitness {
        is_thin: volume < LEAST_VOLUME,
        is_flat: volume <= FLAT * area.powf(1.5),
        refusal: (mesh.clone().merged().vertices().len() < 4)
            .then_some("meshes of fewer than four vertices"),
    }
}

/// Whether MuJoCo reads all of a mesh file, by its extension and its content. One that was not
/// found or can't be opened counts by its extension.
pub(super) fn is_read(mesh: &MeshFile) -> bool {
    let path = mesh.path.as_deref();
    let named = path.unwrap_or(Path::new(&mesh.uri));
    let extension = named.extension().unwrap_or_default();
    match extension.to_ascii_lowercase().to_str() {
        Some("msh") => true,
        Some("stl") => path.and_then(is_stl_read).unwrap_or(true),
        Some("obj") => {
            let read = path.and_then(|it| MeshOptions::default().read_with_mujoco(it).ok());
            match read {
                Some((own, Some(in_mujoco))) => {
                    (own.surface() - in_mujoco.surface()).abs() < UNSEEN * own.surface()
                }
                Some((_, None)) | None => true,
            }
        }
        _ => false,
    }
}

/// Whether an STL file is one that MuJoCo reads: binary, and not too large.
fn is_stl_read(path: &Path) -> Option<bool> {
    let mut file = File::open(path).ok()?;
    let size = file.metadata().ok()?.len();
    let mut start = [0; STL_HEADER + 4];
    file.read_exact(&mut start).ok()?;
    let (header, faces) = start.split_at(STL_HEADER);
    let faces = u32::from_le_bytes(faces.try_into().ok()?);
    // A face is twelve numbers of single precision and two bytes.
    let is_binary = size == start.len() as u64 + 50 * u64::from(faces);
    let is_text = header.starts_with(b"solid") && !is_binary;
    Some(!is_text && (1..=MAX_FACES).contains(&faces))
}

/// Warns of meshes that MuJoCo refuses, each once, where it is used first.
pub(super) fn warn<'a>(
    uses: impl Iterator<Item = (&'a Geometry, usize, &'a str)>,
    fitness: &[Fitness],
    report: &mut Report<'_>,
) {
    let mut known = vec![false; fitness.len()];
    for (geometry, mesh, file) in uses {
        let why = match fitness[mesh] {
            Fitness {
                refusal: Some(why), ..
            } => why,
            Fitness { is_flat: true, .. } if geometry.is_collision => {
                "flat meshes that touch; use a thin box"
            }
            _ => continue,
        };
        if !std::mem::replace(&mut known[mesh], true) {
            let (what, program) = (format!("the mesh `{file}`"), "MuJoCo");
            let cause = WarningCause::RefusedBy { what, program, why };
            report.warn(geometry.source, cause);
        }
    }
}
