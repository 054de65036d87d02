//! What a simulation keeps from run to run.

use super::recording::Log;
use super::run::{Clock, LastStep};
use super::stepping::Stepping;
use super::touching::Names;
use featherline_sim::contact::Drives;
use featherline_sim::integrator::forces::JointLimits;
use featherline_sim::simulation::Conservation;
use pyo3::prelude::*;
use std::sync::Arc;

/// What is kept from run to run.
pub struct Inner {
    pub log: Log,
    pub conservation: Conservation,
    pub limits: Option<JointLimits>,
    pub held: Vec<f64>,
    pub drives: Drives,
    pub last_step: Option<LastStep>,
    /// Steps that go on from call to call.
    pub stepping: Option<Stepping>,
    /// How many steps did not converge since the state was set.
    pub inexact: usize,
    pub has_told_inexact: bool,
    pub clock: Option<Clock>,
    /// Whether something but gravity acted since the state was set.
    pub acted: bool,
    /// The state with which the last run ended.
    pub last: Option<(f64, Vec<f64>, Vec<f64>)>,
    pub warned: Vec<String>,
    pub happened: Vec<Py<PyAny>>,
    pub stopped_by: Option<String>,
}

impl Inner {
    /// Before the first run.
    pub fn new(
        model: &featherline::Model,
        limits: Option<JointLimits>,
        names: Arc<Names>,
        drives: Drives,
    ) -> Self {
        Self {
            log: Log::new(model, names),
            drives,
            last_step: None,
            stepping: None,
            inexact: 0,
            has_told_inexact: false,
            conservation: Conservation::new(model),
            limits,
            held: vec![0.0; model.nv()],
            clock: None,
            acted: false,
            last: None,
            warned: Vec::new(),
            happened: Vec::new(),
            stopped_by: None,
        }
    }
}
