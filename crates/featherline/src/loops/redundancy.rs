//! How many constraints of a robot's loops repeat others wherever the loops are closed.

use super::{LoopWorkspace, Stabilisation};
use crate::model::Model;

/// How far another closed configuration is sought, in rad and m: far enough that bars which were in line are not.
const WAY: f64 = 0.1;

/// The fractional parts of its multiples fill the unit interval evenly: directions that no symmetry of a robot knows of.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

impl Model {
    /// How many constraints repeat others where the loops are closed, near `q`: the least of those where they close nearest to it and
    /// some way from there, should that be a singular place; none where there are no dynamics there.
    ///
    /// The number belongs to the linkage. Off the loops fewer repeat others, and near singular places more do.
    pub(crate) fn usually_repeated(&self, ws: &mut LoopWorkspace, q: &[f64]) -> usize {
        let still = vec![0.0; self.nv()];
        let mut own = q.to_vec();
        let at = |ws: &mut LoopWorkspace, q: &mut [f64]| {
            self.assemble(ws, q).ok()?;
            let none = Stabilisation::NONE;
            let result = self.loop_dynamics(ws, q, &still, &still, &[], &none);
            result.ok().map(|result| result.repeated)
        };
        ws.repeat_at_least(0);
        let here = at(ws, &mut own);
        let mut way: Vec<f64> = (1..=self.nv())
            .map(|k| 2.0 * (k as f64 * GOLDEN).fract() - 1.0)
            .collect();
        let there = self
            .project_velocity(ws, &own, &mut way)
            .ok()
            .and_then(|_| {
                let longest = way.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
                way.iter_mut().for_each(|x| *x *= WAY / longest);
                at(ws, &mut self.integrate(&own, &way).ok()?)
            });
        here.into_iter().chain(there).min().unwrap_or(0)
    }
}
