//! Pivots of the articulated-body elimination.

use super::rounding::{ArticulatedElimination, most_roundings, pivots_are_clear};
use crate::dynamics::articulated::is_known;
use crate::error::Error;
use crate::model::Model;
use crate::scalar::{InstructionSet, Kernel, Scalar, dispatch_lanes};
use crate::workspace::{Scratch, Workspace};

/// How many links beyond the last small pivot move freely while that is judged. Of what counts as
/// one body at the end of so many, a chain's joints let go all but a part in 10⁸: they take two
/// thirds or more of a motion at each link.
const FREE_LINKS: usize = 16;

/// The number of links up to the last one with a small pivot of the last elimination.
struct SmallPivotsEnd<'a, S: Scalar> {
    model: &'a Model,
    ws: &'a Scratch<S>,
    known: Option<&'a [bool]>,
}

impl<S: Scalar> Kernel for SmallPivotsEnd<'_, S> {
    type Output = usize;
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) -> usize {
        let Self { model, ws, known } = self;
        let mut end = 0;
        for (i, front) in model.coordinates.fronts.iter().enumerate() {
            let mut large = true;
            for k in 0..front.eliminated {
                let coordinate = front.coordinates[k];
                let inverse = ws.fronts.square[front.square + k * (front.coordinates.len() + 1)];
                large &= is_known(known, coordinate)
                    || model.is_sound_inverse_pivot(coordinate, inverse, &ws.pivot_bound);
            }
            if !large {
                end = i + 1;
            }
        }
        end
    }
}

impl Model {
    /// Fails if a pivot of the last articulated-body elimination is zero within rounding. One that
    /// is small against all that its joint carries is judged by what rounds it.
    #[inline(always)]
    pub(crate) fn check_pivots<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        elimination: ArticulatedElimination<'_>,
    ) -> Result<(), Error> {
        let small_pivots_end = SmallPivotsEnd {
            model: self,
            ws: &ws.scratch,
            known: elimination.known,
        };
        match dispatch_lanes::<S, _>(small_pivots_end) {
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
}
