//! Mesh × mesh: both trees are gone through at once.
//!
//! Two boxes bound the distance of all triangles within them from below, and so far apart that this
//! is more than the least distance found, they are left out. Source: S. Gottschalk, M. C. Lin and
//! D. Manocha, *OBBTree: a hierarchical structure for rapid interference detection*, 1996.

use super::triangle_triangle;
use crate::collision::separation::Separation;
use crate::collision::tree::Tree;
use featherline::kernel;
use featherline::spatial::Se3;

/// Two nodes, one of each tree, and a lower bound of the distance of their triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit {
    nodes: [u32; 2],
    bound: f64,
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
            let (nodes, bound) = ([0, 0], f64::NEG_INFINITY);
            stack.push(Visit { nodes, bound });
        }
        while let Some(Visit { nodes, bound }) = stack.pop() {
            if bound > least || (bound == least && best.is_some()) {
                continue;
            }
            let [at_a, at_b] = nodes;
            let (node_a, node_b) = (&a.nodes[at_a as usize], &b.nodes[at_b as usize]);
            if node_a.is_leaf && node_b.is_leaf {
                let of_a = &a.triangles[node_a.index as usize];
                let [p, q, r] = b.triangles[node_b.index as usize];
                let of_b = [
                    b_in_a.act_point(p),
                    b_in_a.act_point(q),
                    b_in_a.act_point(r),
                ];
                if let Some(found) = triangle_triangle::separation(of_a, &of_b, least)
                    && (found.distance < least || found.distance == least && best.is_none())
                {
                    (least, best) = (found.distance, Some(found));
                    if least <= enough {
                        return best;
                    }
                }
                continue;
            }
            // The larger box is split.
            let splits_a =
                node_b.is_leaf || !node_a.is_leaf && node_a.around.size() >= node_b.around.size();
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
    let bound = node_a.around.gap(&node_b.around.placed(b_in_a));
    Visit { nodes, bound }
}
