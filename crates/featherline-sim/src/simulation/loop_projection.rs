//! Projection of a state on its loops, and the warnings and errors where that fails.

use super::event::TimedState;
use super::monitor::singularity::Singularity;
use super::{Result, SimulationError, SimulationWarning};
use crate::integrator::IntegratorError;
use featherline::model::Model;
use featherline_constraint::kernel::{Regularity, assemble_within, regularity};
use featherline_constraint::{LoopError, LoopGap, LoopWorkspace, loop_gap};

/// A gap in m and rad that may be left where it can't be made smaller, next to singular
/// configurations: some hundred times what a good step opens there, and a thousandth of what shows.
pub(super) const LEFT_OPEN: f64 = 1e-6;

/// The loops of a robot: how a simulation keeps them closed and watches them. Empty for trees.
pub(super) struct LoopProjection<'m> {
    model: &'m Model,
    loops: Option<Loops>,
    /// Whether states are projected on the loops after each step.
    is_enabled: bool,
}

struct Loops {
    ws: LoopWorkspace,
    singularity: Singularity,
}

impl<'m> LoopProjection<'m> {
    pub fn new(
        model: &'m Model,
        loops: Option<(LoopWorkspace, Singularity)>,
        is_enabled: bool,
    ) -> Self {
        Self {
            model,
            loops: loops.map(|(ws, singularity)| Loops { ws, singularity }),
            is_enabled,
        }
    }

    pub fn workspace(&mut self) -> Option<&mut LoopWorkspace> {
        self.loops.as_mut().map(|loops| &mut loops.ws)
    }

    /// Whether [`project`](Self::project) changes states.
    pub fn projects(&self) -> bool {
        self.is_enabled && self.loops.is_some()
    }

    /// Projects a state on the loops, if asked to, and warns if rounded axes leave them open.
    pub fn project(
        &mut self,
        warnings: &mut Vec<SimulationWarning>,
        t: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) -> Result<()> {
        let (model, true) = (self.model, self.is_enabled) else {
            return Ok(());
        };
        let Some(ws) = self.workspace() else {
            return Ok(());
        };
        let generic_redundancy = ws.generic_redundancy();
        let closed = assemble_within(model, ws, q, LEFT_OPEN, generic_redundancy)
            .and_then(|gap| featherline_constraint::project_velocity(model, ws, q, v).map(|_| gap));
        match closed {
            Ok(gap) => {
                warn_of_rounded_axes(model, warnings, t, &gap);
                Ok(())
            }
            Err(LoopError::AssemblyFailed { joint, gap, before }) => {
                let loops = regularity(model, ws, q).unwrap_or(Regularity::none());
                Err(SimulationError::LoopsOpened {
                    t,
                    joint,
                    gap,
                    before,
                    loops,
                })
            }
            Err(source) => Err(SimulationError::of_loops(model, t, v, source)),
        }
    }

    /// Removes from a velocity what opens the loops.
    pub fn project_velocity(&mut self, state: &mut TimedState) -> Result<()> {
        let model = self.model;
        let Some(ws) = self.workspace() else {
            return Ok(());
        };
        let TimedState { t, q, v } = state;
        match featherline_constraint::project_velocity(model, ws, q, v) {
            Ok(_) => Ok(()),
            Err(source) => Err(SimulationError::of_loops(model, *t, v, source)),
        }
    }

    /// Warns once if the loops are singular, or were since the step before.
    pub fn look_for_singularity(
        &mut self,
        warnings: &mut Vec<SimulationWarning>,
        t: f64,
        q: &[f64],
    ) {
        if let Some(Loops { ws, singularity }) = &mut self.loops {
            warnings.extend(singularity.look(self.model, ws, t, q));
        }
    }

    /// Warns of the gap of a state whose loops rounded axes leave open.
    pub fn report_gap(
        &mut self,
        warnings: &mut Vec<SimulationWarning>,
        state: &TimedState,
    ) -> Result<()> {
        let (model, t) = (self.model, state.t);
        if let Some(ws) = self.workspace() {
            let left = loop_gap(model, ws, &state.q, &state.v)
                .map_err(|source| SimulationError::Loops { t, source })?;
            warn_of_rounded_axes(model, warnings, t, &left);
        }
        Ok(())
    }

    /// The simulation's error for an integrator's error at a configuration `q` whose loops may be
    /// nearly singular.
    #[cold]
    pub fn explain(&mut self, q: &[f64], error: IntegratorError) -> SimulationError {
        let model = self.model;
        if let (IntegratorError::StepTooSmall { t, least, .. }, Some(ws)) =
            (&error, self.workspace())
        {
            let loops = regularity(model, ws, q).unwrap_or(Regularity::none());
            if loops.is_singular() {
                let (t, least) = (*t, *least);
                return SimulationError::NearSingular { t, least, loops };
            }
        }
        SimulationError::of(error)
    }
}

/// Warns that rounded axes leave loops open, or by more than so far.
pub(super) fn warn_of_rounded_axes(
    model: &Model,
    warnings: &mut Vec<SimulationWarning>,
    t: f64,
    left: &LoopGap,
) {
    let (Some(widest), true) = (left.widest, left.position > LEFT_OPEN) else {
        return;
    };
    for warning in &mut *warnings {
        if let SimulationWarning::RoundedAxes { gap, .. } = warning {
            *gap = gap.max(left.position);
            return;
        }
    }
    let (joint, gap) = (model.loop_joint(widest).name.clone(), left.position);
    warnings.push(SimulationWarning::RoundedAxes { t, joint, gap });
}
