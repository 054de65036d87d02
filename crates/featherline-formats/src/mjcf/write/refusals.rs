//! Meshes that MuJoCo refuses, by its compiler of version 4.0.

use super::asset::Data;
use crate::description::Geometry;
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
/// The volume of a flat mesh beside the area A of its surface, as V / A^(3/2): rounding.
const FLAT: f64 = 1e-9;

/// What MuJoCo makes of a mesh.
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

/// What MuJoCo makes of the data of a mesh. Files that can't be read are not judged.
pub(super) fn fitness(data: &Data) -> Fitness {
    match data {
        Data::Numbers(mesh) => of_mesh(mesh),
        Data::File { path: None, .. } => Fitness::default(),
        Data::File {
            path: Some(path),
            scale,
            ..
        } => {
            if let Some(refusal) = of_stl(path) {
                return Fitness {
                    refusal: Some(refusal),
                    ..Fitness::default()
                };
            }
            let mut options = MeshOptions::default();
            options.scale = *scale;
            let mesh = options.read(path);
            mesh.map_or_else(|_| Fitness::default(), |mesh| of_mesh(&mesh))
        }
    }
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

/// Why an STL file is refused.
fn of_stl(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?;
    if !extension.eq_ignore_ascii_case("stl") {
        return None;
    }
    let mut file = File::open(path).ok()?;
    let size = file.metadata().ok()?.len();
    let mut start = [0; STL_HEADER + 4];
    file.read_exact(&mut start).ok()?;
    let (header, faces) = start.split_at(STL_HEADER);
    let faces = u32::from_le_bytes(faces.try_into().ok()?);
    // A face is twelve numbers of single precision and two bytes.
    let is_binary = size == start.len() as u64 + 50 * u64::from(faces);
    match faces {
        _ if header.starts_with(b"solid") && !is_binary => {
            Some("STL files in ASCII; save it in binary")
        }
        0 => Some("STL files without faces"),
        1..=MAX_FACES => None,
        _ => Some("STL files of more than 200000 faces; simplify it, or save it as OBJ"),
    }
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
