//! Meshes of known shape, made here, and comparisons.
#![allow(dead_code)] // each test takes what it needs

use featherline::spatial::{Inertia, Vec3};
use featherline_geometry::Mesh;
use std::f64::consts::TAU;

pub fn v(x: f64, y: f64, z: f64) -> Vec3<f64> {
    Vec3::new(x, y, z)
}

/// The box between two corners as twelve triangles.
pub fn box_mesh(min: Vec3<f64>, max: Vec3<f64>) -> Mesh {
    let pick = |bit: usize, low: f64, high: f64| if bit == 0 { low } else { high };
    let corner = |i: usize| {
        v(
            pick(i & 1, min.x, max.x),
            pick(i & 2, min.y, max.y),
            pick(i & 4, min.z, max.z),
        )
    };
    let quads = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let faces = quads
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    Mesh::new((0..8).map(corner).collect(), faces.collect()).unwrap()
}

/// The surface that a line of points (radius, height), from the lower pole to the upper, sweeps
/// about z. The first and the last radius are zero.
pub fn revolved(profile: &[(f64, f64)], segments: usize) -> Mesh {
    let mut vertices = Vec::new();
    for &(r, z) in profile {
        for k in 0..segments {
            let (sin, cos) = (TAU * k as f64 / segments as f64).sin_cos();
            vertices.push(v(r * cos, r * sin, z));
        }
    }
    let mut faces = Vec::new();
    for ring in 0..profile.len() - 1 {
        for k in 0..segments {
            let next = (k + 1) % segments;
            let at = |ring: usize, k: usize| (ring * segments + k) as u32;
            let (a, b) = (at(ring, k), at(ring, next));
            let (c, d) = (at(ring + 1, next), at(ring + 1, k));
            faces.push([a, b, c]);
            faces.push([a, c, d]);
        }
    }
    // At the poles, vertices that are equal make triangles without area.
    let mesh = Mesh::new(vertices, faces).unwrap().merged();
    let proper = |[a, b, c]: &&[u32; 3]| a != b && b != c && c != a;
    let faces = mesh.faces().iter().filter(proper).copied().collect();
    Mesh::new(mesh.vertices().to_vec(), faces).unwrap()
}

/// The largest difference of two inertias, relative to the size of the second: mass, centre in
/// units of the radius of gyration, moments.
pub fn difference(a: &Inertia<f64>, b: &Inertia<f64>) -> f64 {
    let size = b.rotational.trace();
    let gyration = (size / b.mass).sqrt();
    let (ours, theirs) = (a.rotational.to_elements(), b.rotational.to_elements());
    let moments = ours.iter().zip(theirs).map(|(x, y)| (x - y).abs() / size);
    let center = (a.com - b.com).norm() / gyration;
    moments.fold(center.max((a.mass / b.mass - 1.0).abs()), f64::max)
}
