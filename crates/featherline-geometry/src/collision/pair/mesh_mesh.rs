//! Mesh × mesh: both trees are gone through at once.
//!
//! Two boxes bound the distance of all triangles within them from below, and so far apart that this
//! is more than the least distance found, they are left out. Source: S. Gottschalk, M. C. Lin and
//! D. Manocha, *OBBTree: a hierarchical structure for rapid interference detection*, 1996.

use super::triangle_triangle;
use crate::aabb::Aabb;
use crate::collision::oriented_box::of_gaps;
use crate::collision::separation::Separation;
use crate::collision::tree::{Node, Tree};
use featherline::kernel;
use featherline::spatial::{Se3, Vec3};

/// Two nodes, one of each tree, and a lower bound of the distance of their triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit {
    nodes: [u32; 2],
    bound: f64,
}

/// A lower bound of the distance of what two boxes hold; where they overlap, of its negative depth.
#[inline(always)]
fn bound(a: &Aabb, b: &Aabb) -> f64 {
    of_gaps(Vec3::new(
        (a.min.x - b.max.x).max(b.min.x - a.max.x),
        (a.min.y - b.max.y).max(b.min.y - a.max.y),
        (a.min.z - b.max.z).max(b.min.z - a.max.z),
    ))
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
        let mut best: Option<Separation> = None;
        let mut least = reach;
        stack.clear();
        if !a.nodes.is_empty() && !b.nodes.is_empty() {
            stack.push(visit([a, b], [0, 0], b_in_a));
        }
        while let Some(Visit { nodes, bound }) = stack.pop() {
            if bound > least || (bound == least && best.is_some()) {
                continue;
            }
            let [at_a, at_b] = nodes;
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
            let splits_a = node_b.count > 0
                || node_a.count == 0 && node_a.oriented.size() >= node_b.oriented.size();
            let children = match splits_a {
                true => [[at_a + 1, at_b], [node_a.index, at_b]],
                false => [[at_a, at_b + 1], [at_a, node_b.index]],
            };
            let first = visit([a, b], children[0], b_in_a);
            let second = visit([a, b], children[1], b_in_a);
            // The nearer is looked at first. To take the nearest of all, from a heap, was measured
            // to take twice as long.
            let (near, far) = match first.bound <= second.bound {
                true => (first, second),
                false => (second, first),
            };
            if far.bound <= least {
                stack.push(far);
            }
            if near.bound <= least {
                stack.push(near);
            }
        }
        best
    }
);

#[inline(always)]
fn visit([a, b]: [&Tree; 2], nodes: [u32; 2], b_in_a: &Se3<f64>) -> Visit {
    let (node_a, node_b) = (&a.nodes[nodes[0] as usize], &b.nodes[nodes[1] as usize]);
    let bound = node_a.oriented.gap(&node_b.oriented, b_in_a);
    Visit { nodes, bound }
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
