//! Pivots of the articulated-body elimination.

use super::rounding::{ArticulatedElimination, most_roundings, pivots_are_clear};
use crate::dynamics::articulated::is_known;
use crate::error::Error;
use crate::model::Model;
use crate::scalar::{Scalar, kernel};
use crate::workspace::{Scratch, Workspace};

/// How many links beyond the last small pivot move freely while that is judged. Of what counts as
/// one body at the end of so many, a chain's joints let go all but a part in 10⁸: they take two
/// thirds or more of a motion at each link.
const FREE_LINKS: usize = 16;

kernel!(
    /// How many links there are up to the last one of which a pivot of the last articulated-body
    /// elimination is small against all that its joint carries.
    fn small_pivots_end<S: Scalar>(model: &Model, ws: &Scratch<S>) -> usize {
        let mut end = 0;
        for (i, front) in model.coordinates.fronts.iter().enumerate() {
            let mut large = true;
            for k in 0..front.eliminated {
                let inverse = ws.fronts.square[front.square + k * (front.coordinates.len() + 1)];
                let most = model.greatest_inverse_pivot(front.coordinates[k], &ws.pivot_bound);
                large &= S::all(S::zero().less(inverse));
                large &= S::all(inverse.less(most));
            }
            if !large {
                end = i + 1;
            }
        }
        end
    }
);

impl Model {
    /// Fails if a pivot of the last articulated-body elimination is zero within rounding. One that
    /// is small against all that its joint carries is judged by what rounds it.
    #[inline(always)]
    pub(crate) fn check_pivots<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        elimination: ArticulatedElimination<'_>,
    ) -> Result<(), Error> {
        match self.small_pivots_end(ws, elimination.known) {
            0 => Ok(()),
            end => self.check_pivot_rounding(ws, elimination, end),
        }
    }

    #[cold]
    fn check_pivot_rounding<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        elimination: ArticulatedElimination<'_>,
        small_pivots_end: usize,
    ) -> Result<(), Error> {
        let links = self.links.len();
        // The pivots beyond are large: what is farther out counts as one body, if that is enough.
        let mut end = links;
        if elimination.known.is_none() && elimination.is_tied.is_empty() && !self.has_mimic_joints()
        {
            end = end.min(small_pivots_end + FREE_LINKS);
        }
        loop {
            if pivots_are_clear(self, &mut ws.scratch, elimination, end) {
                return Ok(());
            }
            if end == links {
                break;
            }
            end = links;
        }
        let (fronts, terms) = (&ws.scratch.fronts, &ws.scratch.rounding.terms);
        let most = most_roundings::<S>();
        // In the order of elimination: the first pivot to vanish spoils the others.
        for front in self.coordinates.fronts.iter().rev() {
            let size = front.coordinates.len();
            for k in 0..front.eliminated {
                let coordinate = front.coordinates[k];
                if is_known(elimination.known, coordinate) {
                    continue;
                }
                let inverse = fronts.square[front.square + k * (size + 1)];
                let is_sound = inverse.all_between(0.0, f64::INFINITY)
                    && (inverse * terms[coordinate]).all_between(0.0, most);
                if !is_sound {
                    return Err(self.singular(coordinate));
                }
            }
        }
        Ok(())
    }

    /// How many links there are up to the last one with a pivot that is small against all that its
    /// joint carries.
    #[inline(always)]
    fn small_pivots_end<S: Scalar>(&self, ws: &Workspace<S>, known: Option<&[bool]>) -> usize {
        let bounds = &ws.scratch.pivot_bound;
        if S::IS_LANES && known.is_none() {
            // Lanes are looked at together, which takes their instructions.
            return small_pivots_end(self, &ws.scratch);
        }
        let last = self.coordinates.fronts.iter().rposition(|front| {
            let size = front.coordinates.len();
            !(0..front.eliminated).all(|k| {
                let coordinate = front.coordinates[k];
                let inverse = ws.scratch.fronts.square[front.square + k * (size + 1)];
                is_known(known, coordinate)
                    || self.is_sound_inverse_pivot(coordinate, inverse, bounds)
            })
        });
        last.map_or(0, |i| i + 1)
    }
}
