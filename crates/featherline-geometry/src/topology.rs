//! How the faces of a mesh hang together.

use crate::triangle::area_vector;
use featherline::spatial::Vec3;
use std::fmt;

/// How the faces of a mesh hang together: what [`Mesh::topology`](crate::Mesh::topology) finds.
///
/// Displayed as a list of what is wrong, or as `watertight`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// The number of edges of one face alone: the rims of holes.
    pub open_edges: usize,
    /// The two vertices of the first open edge, in the order of the vertices.
    pub first_open_edge: Option<[u32; 2]>,
    /// The number of edges of more than two faces.
    pub non_manifold_edges: usize,
    /// The number of edges that are not run through equally often in both directions, although
    /// they belong to two faces or more: neighbours that look to different sides.
    pub inconsistent_edges: usize,
    /// The number of faces without area. Those that name a vertex twice have no part in the counts
    /// of edges.
    pub degenerate_faces: usize,
    /// The number of faces that have the same three vertices as an earlier one.
    pub duplicate_faces: usize,
    /// The number of pieces that share no vertex.
    pub components: usize,
}

impl Topology {
    /// Whether every edge is run through equally often in both directions, so that the faces
    /// enclose a volume.
    pub fn is_closed(&self) -> bool {
        self.open_edges == 0 && self.inconsistent_edges == 0
    }

    /// Whether every edge has two faces that look to the same side.
    pub fn is_watertight(&self) -> bool {
        self.is_closed() && self.non_manifold_edges == 0
    }
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut found = Vec::new();
        if let (n @ 1.., Some([a, b])) = (self.open_edges, self.first_open_edge) {
            found.push(format!(
                "{n} open edges, the first between vertices {a} and {b}"
            ));
        }
        let counts = [
            (self.non_manifold_edges, "edges of more than two faces"),
            (
                self.inconsistent_edges,
                "edges whose faces look to different sides",
            ),
            (self.degenerate_faces, "faces without area"),
            (self.duplicate_faces, "repeated faces"),
        ];
        found.extend(
            counts
                .iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, what)| format!("{count} {what}")),
        );
        match found.is_empty() {
            true => write!(f, "watertight"),
            false => write!(f, "{}", found.join("; ")),
        }
    }
}

impl Topology {
    /// How faces hang together; all their vertices exist. Cost O(F log F) for F faces.
    pub(crate) fn of(vertices: &[Vec3<f64>], all: &[[u32; 3]]) -> Self {
        let mut report = Self::default();
        let proper = |[a, b, c]: &&[u32; 3]| a != b && b != c && c != a;
        let faces: Vec<[u32; 3]> = all.iter().filter(proper).copied().collect();

        let corners = |face: &[u32; 3]| face.map(|i| vertices[i as usize]);
        let is_flat = |face: &&[u32; 3]| area_vector(&corners(face)).norm_squared() == 0.0;
        report.degenerate_faces = all.iter().filter(is_flat).count();

        let mut corners: Vec<[u32; 3]> = faces.clone();
        corners.iter_mut().for_each(|face| face.sort_unstable());
        corners.sort_unstable();
        report.duplicate_faces = corners.windows(2).filter(|pair| pair[0] == pair[1]).count();

        // Each edge from its lesser vertex, and whether its face runs through it that way.
        let mut edges: Vec<([u32; 2], bool)> = Vec::with_capacity(3 * faces.len());
        for [a, b, c] in &faces {
            for (from, to) in [(*a, *b), (*b, *c), (*c, *a)] {
                edges.push(([from.min(to), from.max(to)], from < to));
            }
        }
        edges.sort_unstable();
        for edge in edges.chunk_by(|(one, _), (other, _)| one == other) {
            let forward = edge.iter().filter(|(_, forward)| *forward).count();
            let count = edge.len();
            if count == 1 {
                report.open_edges += 1;
                report.first_open_edge = report.first_open_edge.or(Some(edge[0].0));
            } else if 2 * forward != count {
                report.inconsistent_edges += 1;
            }
            report.non_manifold_edges += usize::from(count > 2);
        }
        report.components = components(vertices.len(), &faces);
        report
    }
}

/// The number of pieces of a mesh that share no vertex: union-find over the vertices.
fn components(vertices: usize, faces: &[[u32; 3]]) -> usize {
    let mut parent: Vec<u32> = (0..vertices as u32).collect();
    let root = |parent: &mut Vec<u32>, mut i: u32| {
        while parent[i as usize] != i {
            // Each step halves the path.
            parent[i as usize] = parent[parent[i as usize] as usize];
            i = parent[i as usize];
        }
        i
    };
    let mut used = vec![false; vertices];
    for &[a, b, c] in faces {
        for i in [a, b, c] {
            used[i as usize] = true;
        }
        for other in [b, c] {
            let (one, other) = (root(&mut parent, a), root(&mut parent, other));
            parent[one.max(other) as usize] = one.min(other);
        }
    }
    (0..vertices)
        .filter(|&i| used[i] && parent[i] as usize == i)
        .count()
}
