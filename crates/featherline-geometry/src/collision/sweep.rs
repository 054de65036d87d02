//! Pairs whose boxes are within range: sweep and prune.
//!
//! Source: D. Baraff, *Dynamic simulation of non-penetrating rigid bodies*, 1992: boxes are sorted
//! by where they begin along an axis, and the order of the last call is a good start for this one.

use crate::aabb::Aabb;
use std::sync::Arc;

/// Up to this many pairs a test of each is faster than to sort.
const FEW_PAIRS: usize = 64;

/// Memory of the search.
#[derive(Debug, Default)]
pub(crate) struct Sweep {
    /// The indices of pairs within range, ascending.
    pub found: Vec<usize>,
    order: Vec<usize>,
    /// The pairs that `table` was made for.
    pairs: Arc<Vec<[usize; 2]>>,
    /// Of each two shapes, the index of their pair plus one; zero if they are not tested.
    table: Vec<u32>,
}

/// Whether two boxes are within a range of each other along each axis.
#[inline(always)]
fn is_within(a: &Aabb, b: &Aabb, range: f64) -> bool {
    (a.min.x <= b.max.x + range && b.min.x <= a.max.x + range)
        && (a.min.y <= b.max.y + range && b.min.y <= a.max.y + range)
        && (a.min.z <= b.max.z + range && b.min.z <= a.max.z + range)
}

impl Sweep {
    /// Finds the pairs whose boxes are within a range of each other.
    pub fn find(&mut self, boxes: &[Aabb], pairs: &Arc<Vec<[usize; 2]>>, range: f64) {
        let range = range.max(0.0);
        self.found.clear();
        if pairs.len() <= FEW_PAIRS {
            for (at, &[i, j]) in pairs.iter().enumerate() {
                if is_within(&boxes[i], &boxes[j], range) {
                    self.found.push(at);
                }
            }
            return;
        }
        let count = boxes.len();
        if !Arc::ptr_eq(&self.pairs, pairs) || self.order.len() != count {
            self.pairs = Arc::clone(pairs);
            self.order = (0..count).collect();
            self.table = vec![0; count * count];
            for (at, &[i, j]) in pairs.iter().enumerate() {
                self.table[i * count + j] = at as u32 + 1;
            }
        }
        // Insertion sort: the order hardly changes from call to call.
        for k in 1..count {
            let shape = self.order[k];
            let begin = boxes[shape].min.x;
            let mut at = k;
            while at > 0 && boxes[self.order[at - 1]].min.x > begin {
                self.order[at] = self.order[at - 1];
                at -= 1;
            }
            self.order[at] = shape;
        }
        for (k, &i) in self.order.iter().enumerate() {
            let end = boxes[i].max.x + range;
            for &j in &self.order[k + 1..] {
                if boxes[j].min.x > end {
                    break;
                }
                // Boxes are near in memory, and the table is not.
                if is_within(&boxes[i], &boxes[j], range) {
                    let pair = self.table[i.min(j) * count + i.max(j)];
                    if pair > 0 {
                        self.found.push(pair as usize - 1);
                    }
                }
            }
        }
        self.found.sort_unstable();
    }
}
