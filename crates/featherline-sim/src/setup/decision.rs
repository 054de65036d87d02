//! The decision of a setup, as commands, Rust and Python show it.

use super::Start;
use crate::simulation::MethodName;
use featherline::words::Words;
use serde::Serialize;

/// The method and the numbers that a simulation begins with, in words:
/// `featherline simulate --format jsonl` writes them as `decision`, and Python has them as
/// `Simulation.decision`. The same file with the same options gives the same decision through every
/// door.
///
/// ```
/// use featherline_sim::setup::Setup;
///
/// let robot = featherline_formats::load_str("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")?;
/// let decision = Setup::default().decide(&robot)?.decision();
/// // A ball without a floor touches nothing, and falls.
/// assert_eq!((decision.method, decision.pairs), ("runge-kutta-4", 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Decision {
    /// The method of integration.
    pub method: &'static str,
    /// The longest step in s.
    pub step: f64,
    /// The configuration, nq entries.
    pub q: Vec<f64>,
    /// The velocity, nv entries.
    pub v: Vec<f64>,
    /// Whether it begins at a state nearby in which loops are closed.
    pub assemble: bool,
    /// How loops are kept closed.
    pub loops: &'static str,
    /// How many pairs of shapes may touch.
    pub pairs: usize,
    /// Pairs of shapes that overlap wherever their joints are, and do not touch each other.
    pub left_out: Vec<[String; 2]>,
    /// The law of friction.
    pub friction_law: &'static str,
    /// The law of impacts.
    pub impact_law: &'static str,
    /// The drives.
    pub drives: &'static str,
    /// The controls of the actuators, in the order of the file, where these are the drives.
    pub controls: Vec<f64>,
    /// How many tendons and equalities of lengths act.
    pub tendons: usize,
    /// The controller.
    pub controller: &'static str,
    /// Whether damping, dry friction and springs of the joints act.
    pub passive: bool,
    /// Whether limits of effort bound controllers and drives.
    pub effort_limits: bool,
    /// Whether there are stops at joint limits, of methods that do not keep limits themselves.
    pub stops: bool,
    /// Parts of the physics that the file switches off, by the flags of MJCF.
    pub disabled: Vec<&'static str>,
    /// Warnings of parts of the file that act otherwise than it says, or not at all.
    pub warnings: Vec<String>,
}

impl Start<'_> {
    fn tendons(&self) -> usize {
        match self.method == MethodName::TimeStepping {
            true => self.stated.tendons().len() + self.stated.equalities().len(),
            false => 0,
        }
    }

    /// The decision in words and numbers.
    pub fn decision(&self) -> Decision {
        Decision {
            method: self.method.name(),
            step: self.step,
            q: self.q.clone(),
            v: self.v.clone(),
            assemble: self.assemble,
            loops: self.loops.name(),
            pairs: self.contacts.model().pairs().len(),
            left_out: self.left_out.clone(),
            friction_law: self.laws.cone.name(),
            impact_law: self.laws.impact.name(),
            drives: self.drives_name.name(),
            controls: self.controls.clone(),
            tendons: self.tendons(),
            controller: self.controller.name(),
            passive: self.passive || self.method == MethodName::TimeStepping,
            effort_limits: self.effort_limits,
            stops: self.stops.is_some(),
            disabled: self.disabled.names(),
            warnings: self.warnings.iter().map(ToString::to_string).collect(),
        }
    }
}
