//! Polytopes as distance algorithms read them: facets of any number of corners, and neighbours.

use crate::mesh::Mesh;
use crate::triangle::area_vector;
use featherline::spatial::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// Triangles of a hull whose normals differ by less are one facet: files in single precision round
/// the corners of a flat face by this part of the size of its triangles.
const COPLANAR: f64 = 1e-5;
/// Up to this many vertices a scan is faster than a walk.
const SCANNED: usize = 16;

/// The facets of a convex polytope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facets {
    pub vertices: Vec<Vec3<f64>>,
    /// The outward unit normal of each facet.
    pub normals: Vec<Vec3<f64>>,
    /// The mean of the vertices.
    pub center: Vec3<f64>,
    /// Where the corners of each facet begin, and at last their number.
    first_corner: Vec<u32>,
    corner: Vec<u32>,
    /// Where the neighbours of each vertex begin, and at last their number.
    first_neighbour: Vec<u32>,
    neighbour: Vec<u32>,
}

impl Facets {
    /// The facets of a closed convex mesh. Cost O(F log F) for F triangles.
    pub fn of(mesh: &Mesh) -> Self {
        let vertices = mesh.vertices().to_vec();
        let faces = mesh.faces();
        let mut neighbours = vec![BTreeSet::new(); vertices.len()];
        let mut across = BTreeMap::new();
        for (face, corners) in faces.iter().enumerate() {
            for k in 0..3 {
                let (from, to) = (corners[k], corners[(k + 1) % 3]);
                neighbours[from as usize].insert(to);
                neighbours[to as usize].insert(from);
                across.insert((from, to), face);
            }
        }
        let normal_of = |face: usize| {
            let corners = faces[face].map(|i| vertices[i as usize]);
            area_vector(&corners).normalised()
        };
        let normals: Vec<_> = (0..faces.len()).map(normal_of).collect();
        let mut facets = Self {
            center: vertices.iter().fold(Vec3::zero(), |sum, v| sum + *v)
                * (1.0 / vertices.len().max(1) as f64),
            first_corner: vec![0],
            first_neighbour: vec![0],
            ..Self::default()
        };
        let mut done = vec![false; faces.len()];
        for seed in 0..faces.len() {
            if done[seed] {
                continue;
            }
            // Triangles that are coplanar with the first, neighbour by neighbour.
            let mut members = vec![seed];
            done[seed] = true;
            let mut next = 0;
            while next < members.len() {
                let corners = faces[members[next]];
                next += 1;
                for k in 0..3 {
                    let back = (corners[(k + 1) % 3], corners[k]);
                    let Some(&other) = across.get(&back) else {
                        continue;
                    };
                    let tilt = (normals[other] - normals[seed]).norm();
                    if !done[other] && tilt < COPLANAR {
                        done[other] = true;
                        members.push(other);
                    }
                }
            }
            let inside: BTreeSet<_> = members.iter().copied().collect();
            // The rim: edges whose other side is not of the facet.
            let mut after = BTreeMap::new();
            for &face in &members {
                let corners = faces[face];
                for k in 0..3 {
                    let (from, to) = (corners[k], corners[(k + 1) % 3]);
                    let other = across.get(&(to, from));
                    if other.is_none_or(|other| !inside.contains(other)) {
                        after.insert(from, to);
                    }
                }
            }
            if let Some((&start, _)) = after.first_key_value() {
                let mut at = start;
                for _ in 0..after.len() {
                    facets.corner.push(at);
                    at = after.get(&at).copied().unwrap_or(start);
                    if at == start {
                        break;
                    }
                }
            }
            facets.first_corner.push(facets.corner.len() as u32);
            let sum = members.iter().fold(Vec3::zero(), |sum, &face| {
                sum + area_vector(&faces[face].map(|i| vertices[i as usize]))
            });
            facets.normals.push(sum.normalised());
        }
        for of_vertex in neighbours {
            facets.neighbour.extend(of_vertex);
            facets.first_neighbour.push(facets.neighbour.len() as u32);
        }
        facets.vertices = vertices;
        facets
    }

    /// The corners of a facet, counterclockwise seen from outside.
    #[inline(always)]
    pub fn corners(&self, facet: usize) -> &[u32] {
        let range = self.first_corner[facet] as usize..self.first_corner[facet + 1] as usize;
        &self.corner[range]
    }

    /// The facet whose normal is closest to a direction.
    pub fn facet_towards(&self, d: Vec3<f64>) -> usize {
        let along = |n: &Vec3<f64>| n.x * d.x + n.y * d.y + n.z * d.z;
        let (mut best, mut most) = (0, f64::NEG_INFINITY);
        for (facet, normal) in self.normals.iter().enumerate() {
            let value = along(normal);
            if value > most {
                (best, most) = (facet, value);
            }
        }
        best
    }

    /// The vertex that is farthest in a direction: by a scan, or from neighbour to neighbour.
    #[inline(always)]
    pub fn support(&self, d: Vec3<f64>) -> u32 {
        let along = |i: u32| {
            let p = &self.vertices[i as usize];
            p.x * d.x + p.y * d.y + p.z * d.z
        };
        let (mut best, mut most) = (0, along(0));
        if self.vertices.len() <= SCANNED {
            for i in 1..self.vertices.len() as u32 {
                let value = along(i);
                if value > most {
                    (best, most) = (i, value);
                }
            }
            return best;
        }
        loop {
            let here = best;
            let range = self.first_neighbour[here as usize] as usize
                ..self.first_neighbour[here as usize + 1] as usize;
            for &i in &self.neighbour[range] {
                let value = along(i);
                if value > most {
                    (best, most) = (i, value);
                }
            }
            if best == here {
                return best;
            }
        }
    }
}
