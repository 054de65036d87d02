//! States that fit a robot's loops.

use crate::error::SystemError;
use crate::system::System;
use featherline::Model;
use featherline_constraint::{LoopError, LoopWorkspace};
use featherline_constraint::{assemble, project_velocity};
use rand::{Rng, RngExt};

/// How far loops of a state may be apart, in m and rad, and, for rates of at most one, how fast
/// they may open: what rounding leaves of loops that were put together. The rank of redundant
/// constraints is known to 10⁻⁹.
const CLOSED: f64 = 1e-9;

/// How far from a state that fits the loops others are looked for, in rad and m.
const REACH: [f64; 6] = [1.0, 0.5, 0.25, 0.1, 0.03, 0.0];

impl System {
    /// Fails unless a state fits the robot's loops: to 10⁻⁹ m and rad, and in velocities to 10⁻⁹ of
    /// the greatest, or of one. Robots without loops, or with cut ones, fit always.
    ///
    /// `q` has nq entries, `v` has nv. Cost O(n + lengths of the loops); nothing is allocated.
    ///
    /// # Errors
    /// [`SystemError::OpenLoops`], which says how far and where; [`SystemError::Loops`] for sizes,
    /// a foreign workspace, and numbers that are not finite.
    ///
    /// ```
    /// use featherline_constraint::LoopWorkspace;
    /// use featherline::samples;
    /// use featherline_system::{Problem, System, SystemError};
    ///
    /// let system = System::new(Problem::forward_dynamics(samples::four_bar()))?;
    /// let mut ws = LoopWorkspace::new(system.model())?;
    /// let mut q = [0.4, 0.0, 0.0]; // the crank turned, the others where they were
    /// let refused = system.check_loops(&mut ws, &q, &[0.0; 3]);
    /// assert!(matches!(refused, Err(SystemError::OpenLoops { position, .. }) if position > 0.03));
    /// featherline_constraint::assemble(system.model(), &mut ws, &mut q)?;
    /// system.check_loops(&mut ws, &q, &[0.0; 3])?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_loops(
        &self,
        ws: &mut LoopWorkspace,
        q: &[f64],
        v: &[f64],
    ) -> Result<(), SystemError> {
        if self.unknowns().loops().is_empty() {
            return Ok(());
        }
        let gap = featherline_constraint::loop_gap(self.model(), ws, q, v)?;
        let fastest = v.iter().fold(1.0_f64, |most, v| most.max(v.abs()));
        if gap.position <= CLOSED && gap.velocity <= CLOSED * fastest {
            return Ok(());
        }
        let widest = gap
            .widest
            .map(|id| self.model().loop_joint(id).name.clone());
        Err(SystemError::OpenLoops {
            joint: widest.unwrap_or_default(),
            position: gap.position,
            velocity: gap.velocity,
        })
    }

    /// The check of states against the loops; none where there are no loops.
    pub(crate) fn loop_workspace(&self) -> Option<LoopWorkspace> {
        self.loops.as_deref().cloned()
    }
}

/// Draws states in which the loops of a robot are closed; any states where there are none.
pub(crate) struct ClosedStates<'a> {
    model: &'a Model,
    loops: Option<LoopWorkspace>,
}

impl<'a> ClosedStates<'a> {
    pub fn new(system: &'a System) -> Self {
        Self {
            model: system.model(),
            loops: system.loop_workspace(),
        }
    }

    /// Closes the loops of a configuration, which is left as it is if they do not close nearby.
    pub fn close(&mut self, q: &mut [f64]) -> Result<(), SystemError> {
        if let Some(ws) = &mut self.loops {
            assemble(self.model, ws, q)?;
        }
        Ok(())
    }

    /// Removes from a velocity what opens loops.
    pub fn project(&mut self, q: &[f64], v: &mut [f64]) -> Result<(), SystemError> {
        if let Some(ws) = &mut self.loops {
            project_velocity(self.model, ws, q, v)?;
        }
        Ok(())
    }

    /// A configuration that fits: the neutral one, or a reference configuration, or what is near to
    /// one of them.
    ///
    /// # Errors
    /// [`SystemError::Loops`] if the loops close near none of these.
    pub fn any(&mut self) -> Result<Vec<f64>, SystemError> {
        let mut q = self.model.neutral_configuration();
        let mut closed = self.close(&mut q);
        for reference in self.model.reference_configurations().values() {
            if closed.is_ok() {
                break;
            }
            q.clone_from(reference);
            if self.close(&mut q).is_ok() {
                closed = Ok(());
            }
        }
        closed.map(|()| q)
    }

    /// A random configuration that fits.
    ///
    /// # Errors
    /// As [`any`](Self::any).
    pub fn random(&mut self, random: &mut impl Rng) -> Result<Vec<f64>, SystemError> {
        if self.loops.is_none() {
            return Ok(self.model.random_configuration(random));
        }
        let begin = self.any()?;
        for reach in REACH {
            let way = (0..self.model.nv()).map(|_| reach * random.random_range(-1.0..1.0));
            let way: Vec<f64> = way.collect();
            let mut q = self.model.integrate(&begin, &way)?;
            match self.close(&mut q) {
                Err(SystemError::Loops(LoopError::AssemblyFailed { .. })) => {}
                closed => return closed.map(|()| q),
            }
        }
        Ok(begin)
    }
}
