//! Joints beyond their limits: which, by how much, and when first.

use super::{Recorder, RecorderError, Sample, SimulationWarning};
use featherline::model::Model;
use featherline_constraint::nonsmooth::{Limited, stated_limits};
use std::ops::ControlFlow;

/// A recorder that notes which joints leave their limits, by how much and when first, in constant
/// memory. Limits bind nothing by themselves: they act where
/// [`JointLimits`](crate::integrator::forces::JointLimits) is among the forces, and these yield.
///
/// Limits of angles, displacements and positions count, a mimic joint's for its own displacement;
/// bounds of quaternions and (cos, sin) pairs mean nothing and are passed over.
///
/// ```
/// use featherline_sim::integrator::RungeKutta4;
/// use featherline::samples;
/// use featherline_sim::simulation::{LimitMonitor, Method, Simulator};
///
/// // Nobody holds the platform of a hexapod, and its legs become shorter than they can be.
/// let model = samples::stewart();
/// let q = model.neutral_configuration();
/// let method = Method::steps(RungeKutta4::new(&model), 1e-3)?;
/// let (simulator, still) = (Simulator::new(&model, method), vec![0.0; model.nv()]);
/// let mut simulation = simulator.start_assembled(0.0, &q, &still)?;
/// let mut limits = LimitMonitor::new(&model);
/// simulation.run(1.0, 0.01, &mut limits)?;
/// assert!(limits.greatest_excess() > 0.1);
/// let warning = limits.warning(1e-3).map(|warning| warning.to_string());
/// assert!(warning.is_some_and(|warning| warning.contains("beyond their limits")));
/// # Ok::<(), featherline_sim::simulation::SimulationError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LimitMonitor {
    bounds: Box<[Bound]>,
    samples: u64,
}

/// A displacement with limits, and how far it went beyond them.
#[derive(Clone, Debug)]
struct Bound {
    limited: Limited,
    joint: String,
    is_length: bool,
    at_start: f64,
    worst: f64,
    /// When it was beyond first, in s.
    first: f64,
    /// Whether a warning has had it.
    is_reported: bool,
}

impl Bound {
    fn new(model: &Model, limited: Limited) -> Self {
        let joint = model.joint(limited.joint);
        let degree = limited.displacement.coordinates().0.start - joint.idx_v;
        Self {
            limited,
            joint: joint.name.clone(),
            // Positions begin with the degrees of their joint, all of which are lengths.
            is_length: joint.kind.is_translation(degree),
            at_start: 0.0,
            worst: 0.0,
            first: f64::INFINITY,
            is_reported: false,
        }
    }

    fn excess(&self, q: &[f64]) -> f64 {
        let (limited, x) = (&self.limited, self.limited.displacement.at(q));
        (limited.lower - x).max(x - limited.upper)
    }
}

impl LimitMonitor {
    /// An empty account for a robot.
    pub fn new(model: &Model) -> Self {
        let bounds = stated_limits(model).into_iter();
        Self {
            bounds: bounds.map(|it| Bound::new(model, it)).collect(),
            samples: 0,
        }
    }

    /// How far the joint that went furthest was beyond its limits, in rad or m. Zero where all
    /// stayed inside.
    pub fn greatest_excess(&self) -> f64 {
        self.bounds.iter().fold(0.0, |most, b| b.worst.max(most))
    }

    /// [`SimulationWarning::BeyondLimits`] if a joint went further than `tolerated` (rad, m) beyond
    /// its limits.
    pub fn warning(&self, tolerated: f64) -> Option<SimulationWarning> {
        self.warning_of(tolerated, |_| true)
    }

    /// The same of the joints that no call has reported, for a motion in parts: each is reported
    /// once.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_sim::simulation::LimitMonitor;
    ///
    /// // A leg of the platform is 10 m longer than it can be.
    /// let model = samples::stewart();
    /// let mut q = model.neutral_configuration();
    /// let leg = model.joints().iter().find(|it| it.nq == 1 && it.limits.upper[0].is_finite());
    /// q[leg.expect("legs have limits").idx_q] += 10.0;
    /// let mut limits = LimitMonitor::new(&model);
    /// limits.observe(0.0, &q);
    /// assert!(limits.new_warning(1e-3).is_some());
    /// limits.observe(0.1, &q);
    /// assert!(limits.new_warning(1e-3).is_none());
    /// ```
    pub fn new_warning(&mut self, tolerated: f64) -> Option<SimulationWarning> {
        let warning = self.warning_of(tolerated, |bound| !bound.is_reported);
        for bound in &mut self.bounds {
            bound.is_reported |= bound.worst > tolerated;
        }
        warning
    }

    /// Notes the configuration `q`, nq entries, at the time `t` in s.
    pub fn observe(&mut self, t: f64, q: &[f64]) {
        for bound in &mut self.bounds {
            let excess = bound.excess(q);
            if self.samples == 0 {
                bound.at_start = excess;
            }
            if excess > 0.0 {
                bound.first = bound.first.min(t);
                bound.worst = bound.worst.max(excess);
            }
        }
        self.samples += 1;
    }

    fn warning_of(
        &self,
        tolerated: f64,
        counts: impl Fn(&Bound) -> bool,
    ) -> Option<SimulationWarning> {
        let all = || self.bounds.iter().filter(|b| counts(b));
        let beyond = || all().filter(|b| b.worst > tolerated);
        let furthest = beyond().max_by(|a, b| a.worst.total_cmp(&b.worst))?;
        Some(SimulationWarning::BeyondLimits {
            coordinates: beyond().count(),
            from_start: beyond().filter(|b| b.at_start > tolerated).count(),
            t: beyond().fold(f64::INFINITY, |t, b| t.min(b.first)),
            joint: furthest.joint.clone(),
            excess: furthest.worst,
            is_length: furthest.is_length,
        })
    }
}

impl Recorder for LimitMonitor {
    fn record(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
        self.observe(sample.t, sample.q);
        Ok(ControlFlow::Continue(()))
    }
}
