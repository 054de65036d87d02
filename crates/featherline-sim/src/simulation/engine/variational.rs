//! Steps of the variational integrators, in joint coordinates or in maximal ones.

use super::super::loop_projection::LEFT_OPEN;
use super::{Engine, Motion, Result, Steps, TimedState, TotalForce};
use crate::integrator::{MaximalVariationalIntegrator, Stability, VariationalIntegrator};

/// The stability of both variational integrators: springs as in any leapfrog. Dampers see a
/// velocity that the force before has changed, v = u − ½ z v₋, u' = u − z v, whose larger root is
/// −1 at z = 1.
const STABILITY: Stability = Stability {
    damping: 1.0,
    oscillation: 2.0,
};

/// A variational integrator, which keeps the motion itself.
pub(in super::super) struct Variational<'m> {
    pub integrator: Integrator<'m>,
    /// The longest step, in s.
    pub step: f64,
}

/// The integrators, of which that in maximal coordinates closes loops itself.
pub(in super::super) enum Integrator<'m> {
    Joint(Box<VariationalIntegrator<'m, TotalForce<'m>>>),
    Maximal(Box<MaximalVariationalIntegrator<'m, TotalForce<'m>>>),
}

/// The same of both.
macro_rules! of_both {
    ($integrator:expr, $own:ident => $what:expr) => {
        match $integrator {
            Integrator::Joint($own) => $what,
            Integrator::Maximal($own) => $what,
        }
    };
}

impl<'m> Engine<'m> for Variational<'m> {
    fn step(&mut self, motion: &mut Motion<'m>, steps: &mut Steps) -> Result<bool> {
        let (t, h) = steps.next();
        let (state, warnings) = (&mut motion.state, &mut motion.warnings);
        of_both!(&mut self.integrator, own => own.step(h))?;
        state.t = t + h;
        let q = of_both!(&self.integrator, own => own.configuration());
        state.q.copy_from_slice(q);
        if let Integrator::Maximal(own) = &self.integrator {
            if own.gap() > LEFT_OPEN {
                motion.loops.report_gap(warnings, state)?;
            }
            let loops = &mut motion.loops;
            loops.look_for_singularity(warnings, state.t, &state.q);
        }
        // The velocity takes a solution of its own.
        if steps.is_done || !motion.events.is_empty() {
            let v = of_both!(&mut self.integrator, own => own.velocity())?;
            state.v.copy_from_slice(v);
        }
        motion.events.look_after(steps, state)
    }

    fn restart(&mut self, state: &mut TimedState) -> Result<()> {
        of_both!(&mut self.integrator, own => {
            own.start(state.t, &state.q, &state.v)?;
            state.v.copy_from_slice(own.velocity()?);
        });
        Ok(())
    }

    fn total_force(&mut self) -> &mut TotalForce<'m> {
        of_both!(&mut self.integrator, own => &mut own.force_model)
    }

    fn longest_step(&self) -> f64 {
        self.step
    }

    fn stability(&self) -> Option<(&'static str, Stability)> {
        Some(("the variational integrator", STABILITY))
    }

    fn is_variational(&self) -> bool {
        true
    }
}
