//! Joint forces over time as callers give them: none, numbers, rows for steps, or a function.

use crate::states::one_state;
use featherline_sim::integrator::IntegratorError;
use featherline_sim::integrator::forces::{ForceModel, Loads, State};
use featherline_sim::simulation::Controller;
use numpy::PyArray1;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Calls between which a function looks whether it was interrupted.
const CALLS: usize = 256;

/// A Python function (t, q, v) of joint forces.
pub struct Function {
    call: Py<PyAny>,
    calls: AtomicUsize,
    /// Why it ended a motion.
    failure: Mutex<Option<PyErr>>,
    /// Whether it has ended one: others of the same call end, too.
    has_failed: AtomicBool,
}

impl Function {
    pub fn new(call: Py<PyAny>) -> Arc<Self> {
        Arc::new(Self {
            call,
            calls: AtomicUsize::new(0),
            failure: Mutex::new(None),
            has_failed: AtomicBool::new(false),
        })
    }

    /// The error that ended a motion, once.
    pub fn take_failure(&self) -> Option<PyErr> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take()
    }

    /// Lets another motion begin.
    pub fn begin(&self) {
        self.has_failed.store(false, Ordering::Relaxed);
    }

    fn add(&self, state: &State<'_>, tau: &mut [f64]) -> Result<(), IntegratorError> {
        let failed = || IntegratorError::field(state.t, "the function of joint forces failed");
        if self.has_failed.load(Ordering::Relaxed) {
            return Err(failed());
        }
        let called = Python::attach(|py| -> PyResult<()> {
            if self
                .calls
                .fetch_add(1, Ordering::Relaxed)
                .is_multiple_of(CALLS)
            {
                py.check_signals()?;
            }
            let q = PyArray1::from_slice(py, state.q);
            let v = PyArray1::from_slice(py, state.v);
            let value = self.call.bind(py).call1((state.t, q, v))?;
            let name = "what tau(t, q, v) returned";
            let own = one_state(name, &value, tau.len())?;
            for (tau, x) in tau.iter_mut().zip(own) {
                *tau += x;
            }
            Ok(())
        });
        called.map_err(|reason| {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(reason);
            self.has_failed.store(true, Ordering::Relaxed);
            failed()
        })
    }
}

/// Joint forces over time.
#[derive(Clone)]
pub enum Torques<'a> {
    Nothing,
    /// Constant.
    Constant(&'a [f64]),
    /// Until others are set.
    Set(Arc<Mutex<Vec<f64>>>),
    /// A row for each step, of which one holds.
    Rows(&'a [f64], Arc<AtomicUsize>),
    /// A row for each instant a time apart: those at which variational methods ask.
    Instants {
        rows: &'a [f64],
        start: f64,
        apart: f64,
    },
    Function(Arc<Function>),
}

impl Torques<'_> {
    fn add_to(&self, state: &State<'_>, tau: &mut [f64]) -> Result<(), IntegratorError> {
        let n = tau.len();
        let mut add = |own: &[f64]| {
            for (tau, x) in tau.iter_mut().zip(own) {
                *tau += x;
            }
        };
        let row = |rows: &[f64], k: usize| k.min((rows.len() / n.max(1)).saturating_sub(1));
        match self {
            Self::Nothing => {}
            Self::Constant(own) => add(own),
            Self::Set(own) => add(&own.lock().unwrap_or_else(PoisonError::into_inner)),
            Self::Rows(rows, k) => add(&rows[n * row(rows, k.load(Ordering::Relaxed))..][..n]),
            Self::Instants { rows, start, apart } => {
                let k = ((state.t - start) / apart).round().max(0.0) as usize;
                add(&rows[n * row(rows, k)..][..n]);
            }
            Self::Function(function) => function.add(state, tau)?,
        }
        Ok(())
    }
}

impl ForceModel for Torques<'_> {
    fn add(&mut self, state: &State<'_>, loads: &mut Loads<'_>) -> Result<(), IntegratorError> {
        self.add_to(state, loads.tau)
    }

    fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}

impl Controller for Torques<'_> {
    fn drive(&mut self, state: &State<'_>, tau: &mut [f64]) -> Result<(), IntegratorError> {
        self.add_to(state, tau)
    }
}
