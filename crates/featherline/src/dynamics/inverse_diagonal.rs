//! The diagonal of the inverse of the mass matrix, without the matrix.
//!
//! The articulated-body recursion factorises M⁻¹ = Wᵀ D⁻¹ W, D the pivots. What it finds to joint
//! forces of the covariance M are accelerations of the covariance M⁻¹: right-hand sides that are
//! independent of each other, with the pivots as variances. The covariance of a link's
//! acceleration, and of the coordinates that its front shares with those below, follows from its
//! parent's, from the root to the leaves: the recursion for the inverse of the inertia that is felt
//! at a body (K. Kreutz-Delgado, A. Jain and G. Rodriguez, "Recursive formulation of operational
//! space control", International Journal of Robotics Research 11, 1992; A. Jain, *Robot and
//! Multibody Dynamics*, 2011, section 10.2), with the fronts of mimic joints.

use super::mass_matrix_inverse::articulate;
use super::singular::ArticulatedElimination;
use crate::Workspace;
use crate::error::Error;
use crate::model::{Front, Link, Model};
use crate::spatial::Motion;
use crate::workspace::Scratch;

/// The components of an acceleration, which come before the coordinates of a front.
const SIX: usize = 6;

/// Covariances of all links: each one's acceleration in its frame, with its front's coordinates.
struct Covariances {
    entries: Vec<f64>,
    begin: Vec<usize>,
}

impl Covariances {
    fn new(model: &Model) -> Self {
        let mut length = 0;
        let size = |front: &Front| SIX + front.coordinates.len();
        let begin = model.coordinates.fronts.iter().map(|front| {
            let begin = length;
            length += size(front) * size(front);
            begin
        });
        let begin = begin.collect();
        Self {
            entries: vec![0.0; length],
            begin,
        }
    }

    /// Begins a link's with those of its parent, as if its joint were held.
    fn carry(&mut self, model: &Model, i: usize, link: &Link, ws: &Scratch<f64>) {
        let (front, above) = (
            &model.coordinates.fronts[i],
            &model.coordinates.fronts[link.parent],
        );
        let (size, size_above) = (SIX + front.coordinates.len(), SIX + above.coordinates.len());
        let shared = SIX + front.eliminated..size;
        let place_above = |m: usize| match m {
            0..SIX => m,
            _ => SIX + front.in_parent[m - shared.start],
        };
        let carried = |six: [f64; SIX]| {
            let motion = Motion::from_array(six);
            ws.placement[i].inverse_act_motion(&motion).to_array()
        };
        let (above, own) = self.entries.split_at_mut(self.begin[i]);
        let above = &above[self.begin[link.parent]..];
        let kept = || (0..SIX).chain(shared.clone());
        for m in kept() {
            let column = place_above(m);
            let six = std::array::from_fn(|r| above[r * size_above + column]);
            for (r, entry) in carried(six).into_iter().enumerate() {
                own[r * size + m] = entry;
            }
            for l in shared.clone() {
                own[l * size + m] = above[place_above(l) * size_above + column];
            }
        }
        for m in kept() {
            let row = &mut own[m * size..m * size + SIX];
            let six = std::array::from_fn(|r| row[r]);
            row.copy_from_slice(&carried(six));
        }
    }

    /// Adds the coordinates that are eliminated at a link, as back substitution finds them, and
    /// writes their variances.
    fn add_coordinates(&mut self, front: &Front, i: usize, ws: &Scratch<f64>, out: &mut [f64]) {
        let count = front.coordinates.len();
        let size = SIX + count;
        let own = &mut self.entries[self.begin[i]..][..size * size];
        for k in (0..front.eliminated).rev() {
            let row = &ws.fronts.square[front.square + k * count..][..count];
            let force = ws.fronts.force[front.offset + k].to_array();
            let inverse = row[k];
            let known = || (0..SIX).chain(SIX + k + 1..size);
            let weight = |m: usize| match m {
                0..SIX => force[m],
                _ => row[m - SIX],
            };
            let place = SIX + k;
            let mut variance = inverse;
            for m in known() {
                let sum: f64 = known().map(|l| weight(l) * own[m * size + l]).sum();
                own[m * size + place] = -inverse * sum;
                own[place * size + m] = -inverse * sum;
                variance += inverse * inverse * weight(m) * sum;
            }
            own[place * size + place] = variance;
            out[front.coordinates[k]] = variance;
        }
    }

    /// Lets the joint move its link.
    fn move_link(&mut self, front: &Front, i: usize, columns: &[Motion<f64>]) {
        let size = SIX + front.coordinates.len();
        let own = &mut self.entries[self.begin[i]..][..size * size];
        for (column, k) in columns.iter().zip(&front.own) {
            let (column, place) = (column.to_array(), SIX + k);
            for (r, part) in column.iter().enumerate() {
                for m in 0..size {
                    own[r * size + m] += part * own[place * size + m];
                }
            }
            for m in 0..size {
                for (r, part) in column.iter().enumerate() {
                    own[m * size + r] += part * own[m * size + place];
                }
            }
        }
    }
}

impl Model {
    /// The diagonal of the inverse of the mass matrix, nv entries: how each coordinate answers to a
    /// unit of its own force, others free.
    ///
    /// Memory and cost O(n) without mimic joints, with them as the squares and cubes of fronts.
    /// Allocates what it needs beside the workspace, which needs no matrices.
    pub(crate) fn mass_matrix_inverse_diagonal(
        &self,
        ws: &mut Workspace<f64>,
        q: &[f64],
    ) -> Result<Vec<f64>, Error> {
        ws.check(self)?;
        self.check_q(q)?;
        articulate(self, &mut ws.scratch, q);
        let mut diagonal = vec![0.0; self.nv()];
        let mut covariances = Covariances::new(self);
        let fronts = &self.coordinates.fronts;
        let scratch = &ws.scratch;
        covariances.add_coordinates(&fronts[0], 0, scratch, &mut diagonal);
        for (i, link) in self.links.iter().enumerate().skip(1) {
            covariances.carry(self, i, link, scratch);
            covariances.add_coordinates(&fronts[i], i, scratch, &mut diagonal);
            let columns = &scratch.subspaces.column[link.column_range()];
            covariances.move_link(&fronts[i], i, columns);
        }
        let is_finite = diagonal.iter().all(|x| x.is_finite());
        let what = "the diagonal of the inverse of the mass matrix";
        self.check_inverse(ws, q, is_finite, ArticulatedElimination::default(), what)?;
        Ok(diagonal)
    }
}

#[cfg(all(test, feature = "samples"))]
mod tests {
    use super::*;
    use crate::samples::{RandomTree, random_tree, snake};

    #[test]
    fn it_is_that_of_the_whole_inverse() -> Result<(), Error> {
        let mut models = vec![snake(1), snake(13), snake(300)];
        let mut across = 0;
        for seed in 0..200 {
            let shape = RandomTree {
                joints: 1 + seed as usize % 27,
                branching: (seed % 7) as f64 / 6.0,
                floating: seed % 2 == 0,
                mimic_joints: seed % 3 != 0,
                every_kind: true,
            };
            models.push(random_tree(seed, &shape));
        }
        for (case, model) in models.iter().enumerate() {
            let turned: Vec<f64> = (0..model.nv()).map(|k| (1.7 * k as f64).sin()).collect();
            let q = model.integrate(&model.neutral_configuration(), &turned)?;
            let mut ws = Workspace::recursive(model);
            let diagonal = model.mass_matrix_inverse_diagonal(&mut ws, &q)?;
            let mut ws = Workspace::new(model);
            let inverse = model.mass_matrix_inverse(&mut ws, &q)?;
            for (k, own) in diagonal.iter().enumerate() {
                // Rounding of both, times the condition number that random trees have.
                let difference = (own - inverse[(k, k)]).abs();
                assert!(difference < 1e-9 * inverse[(k, k)], "{case} {k}");
            }
            let fronts = &model.coordinates.fronts;
            across += usize::from(
                fronts[1..]
                    .iter()
                    .any(|f| f.eliminated < f.coordinates.len()),
            );
        }
        assert!(
            across > 40,
            "mimic joints should share coordinates of other links"
        );
        Ok(())
    }
}
