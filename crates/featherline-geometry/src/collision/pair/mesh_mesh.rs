//! Mesh × mesh: both trees are gone through at once.
//!
//! Two boxes bound the distance of all triangles within them from below, and so far apart that this
//! is more than the least distance found, they are left out. Source: S. Gottschalk, M. C. Lin and
//! D. Manocha, *OBBTree: a hierarchical structure for rapid interference detection*, 1996.

use super::mesh::box_in;
use super::triangle_triangle;
use crate::aabb::Aabb;
use crate::collision::separation::Separation;
use crate::collision::tree::{Node, Tree};
use featherline::kernel;
use featherline::spatial::{Se3, Vec3};

/// Two nodes, one of each tree, and a lower bound of the distance of their triangles.
pub(crate) type Visit = (u32, u32, f64);

/// A lower bound of the distance of what two boxes hold; where they overlap, of its negative depth.
#[inline(always)]
fn bound(a: &Aabb, b: &Aabb) -> f64 {
    let x = (a.min.x - b.max.x).max(b.min.x - a.max.x);
    let y = (a.min.y - b.max.y).max(b.min.y - a.max.y);
    let z = (a.min.z - b.max.z).max(b.min.z - a.max.z);
    let greatest = x.max(y).max(z);
    match greatest > 0.0 {
        true => Vec3::new(x.max(0.0), y.max(0.0), z.max(0.0)).norm(),
        false => greatest,
    }
}

/// The box around a triangle.
#[inline(always)]
fn around([a, b, c]: &triangle_triangle::Corners) -> Aabb {
    Aabb::new(
        Vec3::new(
            a.x.min(b.x).min(c.x),
            a.y.min(b.y).min(c.y),
            a.z.min(b.z).min(c.z),
        ),
        Vec3::new(
            a.x.max(b.x).max(c.x),
            a.y.max(b.y).max(c.y),
            a.z.max(b.z).max(c.z),
        ),
    )
}

kernel!(
    /// The least separation over pairs of triangles, in the frame of the first mesh; none if all
    /// are farther apart than `reach`. The search ends with the first that is at most `enough`.
    pub(crate) fn nearest(
        a: &Tree,
        b: &Tree,
        b_in_a: &Se3<f64>,
        reach: f64,
        enough: f64,
        stack: &mut Vec<Visit>,
    ) -> Option<Separation> {
        let a_in_b = b_in_a.inverse();
        let mut best: Option<Separation> = None;
        let mut least = reach;
        stack.clear();
        if let (Some(root_a), Some(root_b)) = (a.nodes.first(), b.nodes.first()) {
            stack.push((0, 0, of_nodes(root_a, root_b, b_in_a, &a_in_b)));
        }
        while let Some((at_a, at_b, bound)) = stack.pop() {
            if bound > least || (bound == least && best.is_some()) {
                continue;
            }
            let (node_a, node_b) = (&a.nodes[at_a as usize], &b.nodes[at_b as usize]);
            if node_a.count > 0 && node_b.count > 0 {
                if let Some(found) = of_leaves([a, b], [node_a, node_b], b_in_a, least) {
                    if found.distance < least || best.is_none() {
                        (least, best) = (found.distance, Some(found));
                    }
                    if least <= enough {
                        return best;
                    }
                }
                continue;
            }
            // The larger box is split.
            let size_a = node_a.around.sides().norm_squared();
            let size_b = node_b.around.sides().norm_squared();
            let splits_a = node_b.count > 0 || node_a.count == 0 && size_a >= size_b;
            let [first, second] = match splits_a {
                true => [(at_a + 1, at_b), (node_a.index, at_b)],
                false => [(at_a, at_b + 1), (at_a, node_b.index)],
            };
            let nodes = (&a.nodes[first.0 as usize], &b.nodes[first.1 as usize]);
            let to_first = of_nodes(nodes.0, nodes.1, b_in_a, &a_in_b);
            let nodes = (&a.nodes[second.0 as usize], &b.nodes[second.1 as usize]);
            let to_second = of_nodes(nodes.0, nodes.1, b_in_a, &a_in_b);
            let (first, second) = (
                (first.0, first.1, to_first),
                (second.0, second.1, to_second),
            );
            // The nearer pair is taken first.
            let (near, far) = match to_first <= to_second {
                true => (first, second),
                false => (second, first),
            };
            stack.push(far);
            stack.push(near);
        }
        best
    }
);

/// The bound of two nodes, from their boxes in both frames.
#[inline(always)]
fn of_nodes(a: &Node, b: &Node, b_in_a: &Se3<f64>, a_in_b: &Se3<f64>) -> f64 {
    let in_first = bound(&a.around, &box_in(b_in_a, &b.around));
    let in_second = bound(&box_in(a_in_b, &a.around), &b.around);
    in_first.max(in_second)
}

/// The least separation of the triangles of two leaves that is at most `least`.
#[inline(always)]
fn of_leaves(
    [a, b]: [&Tree; 2],
    [leaf_a, leaf_b]: [&Node; 2],
    b_in_a: &Se3<f64>,
    mut least: f64,
) -> Option<Separation> {
    let mut best: Option<Separation> = None;
    for j in leaf_b.index..leaf_b.index + leaf_b.count {
        let [p, q, r] = b.triangles[j as usize];
        let of_b = [
            b_in_a.act_point(p),
            b_in_a.act_point(q),
            b_in_a.act_point(r),
        ];
        let around_b = around(&of_b);
        for i in leaf_a.index..leaf_a.index + leaf_a.count {
            let of_a = &a.triangles[i as usize];
            if bound(&around(of_a), &around_b) > least {
                continue;
            }
            if let Some(found) = triangle_triangle::separation(of_a, &of_b, least)
                && found.distance <= least
            {
                (least, best) = (found.distance, Some(found));
            }
        }
    }
    best
}
