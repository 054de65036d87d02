//! The largest gap of each loop along a motion.

use super::{Recorder, RecorderError, Result, Sample, SimulationError};
use featherline::model::{LoopId, Model};
use featherline_constraint::{LoopWorkspace, loop_gaps};
use std::ops::ControlFlow;

/// A recorder that notes how far each loop joint's frames were apart at worst, and when, in
/// constant memory.
///
/// ```
/// use featherline_sim::integrator::RungeKutta4;
/// use featherline::samples;
/// use featherline_sim::simulation::{LoopMonitor, Method, Simulator};
///
/// let model = samples::stewart();
/// let q = model.neutral_configuration();
/// let method = Method::steps(RungeKutta4::new(&model), 1e-3)?;
/// let (simulator, still) = (Simulator::new(&model, method), vec![0.0; model.nv()]);
/// let mut simulation = simulator.start_assembled(0.0, &q, &still)?;
/// let mut loops = LoopMonitor::new(&model)?;
/// simulation.run(0.1, 0.01, &mut loops)?;
/// assert_eq!(loops.worst().len(), 6);
/// assert!(loops.worst().iter().all(|gap| gap.position < 1e-10 && gap.angle < 1e-10));
/// # Ok::<(), featherline_sim::simulation::SimulationError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LoopMonitor<'m> {
    model: &'m Model,
    ws: LoopWorkspace,
    worst: Box<[WorstGap]>,
}

/// The worst of a loop in the samples so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorstGap {
    /// The loop joint.
    pub joint: LoopId,
    /// How far its frames were apart at most along what it holds, in m.
    pub position: f64,
    /// How far they were turned against each other at most where it holds them, in rad.
    pub angle: f64,
    /// When the six-vector of both was longest first, in s; the time of the first sample where it
    /// always was zero, not a number before there is one.
    pub t: f64,
    /// Its length then.
    length: f64,
}

impl<'m> LoopMonitor<'m> {
    /// An empty account for a robot.
    ///
    /// # Errors
    /// As [`LoopWorkspace::new`].
    pub fn new(model: &'m Model) -> Result<Self> {
        let ws = LoopWorkspace::recursive(model)
            .map_err(|source| SimulationError::Loops { t: 0.0, source })?;
        let unseen = |joint| WorstGap {
            joint,
            position: 0.0,
            angle: 0.0,
            t: f64::NAN,
            length: -1.0,
        };
        let worst = model.loop_ids().map(unseen).collect();
        Ok(Self { model, ws, worst })
    }

    /// How far each loop was from closed at worst, in the order of the model's loop joints.
    pub fn worst(&self) -> &[WorstGap] {
        &self.worst
    }
}

impl Recorder for LoopMonitor<'_> {
    fn record(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
        let gaps = loop_gaps(self.model, &mut self.ws, sample.q)?;
        for (worst, gap) in self.worst.iter_mut().zip(gaps) {
            let (position, angle) = (gap.linear.norm(), gap.angular.norm());
            worst.position = worst.position.max(position);
            worst.angle = worst.angle.max(angle);
            let length = position.hypot(angle);
            if length > worst.length {
                (worst.length, worst.t) = (length, sample.t);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
