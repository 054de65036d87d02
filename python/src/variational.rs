//! Variational integrators as objects, which hold the state of a motion.

use crate::array::{Numbers, Value};
use crate::error::{natural, not_pickled};
use crate::forces::{self, on_bodies};
use crate::integrators::other_forces;
use crate::model::Model;
use crate::pool::lock;
use crate::properties::properties;
use crate::states::{Failure, one_state};
use crate::torques::{Function, Torques};
use featherline_sim::integrator::forces::ForceModel;
use featherline_sim::integrator::{
    IntegratorError, MaximalVariationalIntegrator, VariationalIntegrator as InJoints,
};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Forces = (Torques<'static>, Vec<Box<dyn ForceModel + Send>>);

/// Steps between which a long call looks whether it was interrupted.
const PORTION: usize = 256;

/// A motion that a variational integrator follows: energy does not drift, momentum is kept to
/// rounding, and loops stay closed.
///
/// VariationalIntegrator(model, dt, q=None, v=None): the motion begins in the state (q, v), at rest
/// in the neutral configuration by default. tau: joint forces (nv,), a function of (t, q, v) that
/// returns them, or None; passive=True adds damping, dry friction and springs of the joints;
/// external_forces as for `rnea`. Robots with loops are followed in maximal coordinates; so are
/// trees with maximal=True.
///
/// >>> import featherline as fl
/// >>> motion = fl.VariationalIntegrator(fl.load("double_pendulum"), 5e-3, [2.0, 0.5])
/// >>> before = motion.energy
/// >>> motion.step(10_000)
/// >>> abs(motion.energy - before) < 0.01 * abs(before)
/// True
#[pyclass(frozen, module = "featherline", name = "VariationalIntegrator")]
pub struct VariationalIntegrator {
    /// Before the model, which it refers to: fields are dropped in this order.
    motion: Mutex<Motion>,
    model: Py<Model>,
    dt: f64,
    torques: Source,
}

/// Where joint forces come from.
enum Source {
    Numbers(Arc<Mutex<Vec<f64>>>),
    Function(Arc<Function>),
}

/// A motion, whose model lives as long as the object that holds both.
enum Motion {
    InJoints(Box<InJoints<'static, Forces>>),
    Maximal(Box<MaximalVariationalIntegrator<'static, Forces>>),
}

/// The same of both kinds.
macro_rules! of_both {
    ($motion:expr, $own:ident => $what:expr) => {
        match $motion {
            Motion::InJoints($own) => $what,
            Motion::Maximal($own) => $what,
        }
    };
}

impl Motion {
    fn start(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<(), IntegratorError> {
        of_both!(self, own => own.start(t, q, v))
    }
}

impl VariationalIntegrator {
    fn lock(&self) -> PyResult<MutexGuard<'_, Motion>> {
        // Waiting could wait for the interpreter, which the other may need.
        let busy = "the integrator is at work in another call: one thread at a time, and none of its own function";
        lock(&self.motion, busy)
    }

    fn failed(&self, error: impl Into<Failure>) -> PyErr {
        let of_function = match &self.torques {
            Source::Function(function) => {
                function.begin();
                function.take_failure()
            }
            Source::Numbers(_) => None,
        };
        of_function.unwrap_or_else(|| error.into().error)
    }

    fn asked<T>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Motion) -> Result<T, IntegratorError> + Send,
    ) -> PyResult<T>
    where
        T: Send,
    {
        let mut motion = self.lock()?;
        let motion: &mut Motion = &mut motion;
        py.detach(|| work(motion)).map_err(|e| self.failed(e))
    }
}

properties! { VariationalIntegrator:
    /// The model.
    model: Py<Model> = |self, py: 'py| self.model.clone_ref(py);
    /// The length of a step in s.
    dt: f64 = |self| self.dt;
    /// The time in s.
    t: PyResult<f64> = |self| Ok(of_both!(&*self.lock()?, own => own.time()));
    /// The kinetic and potential energy in J; springs are not counted.
    energy: PyResult<f64> =
        |self, py: 'py| self.asked(py, |motion| of_both!(motion, own => own.energy()));
    /// How many iterations the last step took.
    iterations: PyResult<usize> = |self| Ok(of_both!(&*self.lock()?, own => own.iterations()));
    /// The largest gap of a joint or loop in m and rad that the last step has left: rounding.
    /// None in joint coordinates, where nothing can open.
    gap: PyResult<Option<f64>> = |self| Ok(match &*self.lock()? {
        Motion::InJoints(_) => None,
        Motion::Maximal(own) => Some(own.gap()),
    });
    /// The configuration (nq,).
    q: PyResult<Bound<'py, PyArray1<f64>>> = |self, py: 'py| {
        let motion = self.lock()?;
        let q = of_both!(&*motion, own => own.configuration());
        Ok(PyArray1::from_slice(py, q))
    };
    /// The momentum (6,), [linear; angular about the world's origin], in the world's axes.
    momentum: PyResult<Bound<'py, PyArray1<f64>>> = |self, py: 'py| {
        let momentum = self.asked(py, |motion| of_both!(motion, own => own.momentum()))?;
        Ok(PyArray1::from_slice(py, &momentum.to_array()))
    };
}

#[pymethods]
impl VariationalIntegrator {
    #[new]
    #[pyo3(signature = (model, dt, q=None, v=None, *, t=0.0, tau=None, external_forces=None, passive=false, maximal=None))]
    fn new(
        py: Python<'_>,
        model: Py<Model>,
        dt: f64,
        q: Option<Value<'_, '_>>,
        v: Option<Value<'_, '_>>,
        t: f64,
        tau: Option<Value<'_, '_>>,
        external_forces: Option<Value<'_, '_>>,
        passive: bool,
        maximal: Option<bool>,
    ) -> PyResult<Self> {
        if !(dt.is_finite() && dt > 0.0) {
            let text = format!("dt must be a positive number of seconds, not {dt}");
            return Err(PyValueError::new_err(text));
        }
        let owner = model.get();
        let nv = owner.model.nv();
        let has_loops = !owner.model.loop_joints().is_empty();
        if has_loops && maximal == Some(false) {
            return Err(PyValueError::new_err(
                "a robot with loops is followed in maximal coordinates: leave maximal=False out",
            ));
        }
        let q = match q {
            Some(q) => one_state("q", q, owner.model.nq())?,
            None => owner.model.neutral_configuration(),
        };
        let v = match v {
            Some(v) => one_state("v", v, nv)?,
            None => vec![0.0; nv],
        };
        let source = match tau.filter(|tau| !tau.is_none()) {
            None => Source::Numbers(Arc::new(Mutex::new(vec![0.0; nv]))),
            Some(tau) if tau.is_callable() => Source::Function(Function::new(tau.clone().unbind())),
            Some(tau) => Source::Numbers(Arc::new(Mutex::new(one_state("tau", tau, nv)?))),
        };
        let torques = match &source {
            Source::Numbers(numbers) => Torques::Set(numbers.clone()),
            Source::Function(function) => Torques::Function(function.clone()),
        };
        let external = match external_forces {
            None => vec![],
            Some(value) => {
                let value = forces::read(owner, value)?;
                let numbers = Numbers::<f64>::read(&forces::argument(owner, &value))?;
                on_bodies(Some(&&numbers[..]))
            }
        };
        #[expect(unsafe_code)]
        // SAFETY: the model is in the heap memory of the `Arc` of a `Model` that never changes, and
        // `Self` keeps that object alive until the motion, which is declared before it, is dropped.
        let core: &'static featherline::Model = unsafe { &*Arc::as_ptr(&owner.model) };
        let made = || -> Result<Motion, Failure> {
            let laws = (torques, other_forces(core, &external, passive)?);
            let mut motion = if has_loops || maximal == Some(true) {
                let made = MaximalVariationalIntegrator::with_forces(core, laws)?;
                Motion::Maximal(Box::new(made))
            } else {
                Motion::InJoints(Box::new(InJoints::with_forces(core, laws)))
            };
            motion.start(t, &q, &v)?;
            Ok(motion)
        };
        let motion = py.detach(made).map_err(|failure| failure.error)?;
        Ok(Self {
            motion: Mutex::new(motion),
            model,
            dt,
            torques: source,
        })
    }

    /// Goes on by so many steps of dt seconds. A step that fails leaves the state before it.
    #[pyo3(signature = (steps=1))]
    fn step(&self, py: Python<'_>, steps: i128) -> PyResult<()> {
        let steps: usize = natural("steps", steps)?;
        let mut motion = self.lock()?;
        let motion: &mut Motion = &mut motion;
        let mut left = steps;
        while left > 0 {
            let portion = left.min(PORTION);
            let dt = self.dt;
            let done = py.detach(|| -> Result<(), IntegratorError> {
                for _ in 0..portion {
                    of_both!(motion, own => own.step(dt))?;
                }
                Ok(())
            });
            done.map_err(|e| self.failed(e))?;
            left -= portion;
            py.check_signals()?;
        }
        Ok(())
    }

    /// Puts the robot into another state, at a time in s.
    #[pyo3(signature = (q, v, t=0.0))]
    fn start(&self, py: Python<'_>, q: Value<'_, '_>, v: Value<'_, '_>, t: f64) -> PyResult<()> {
        let model = &self.model.get().model;
        let (q, v) = (
            one_state("q", q, model.nq())?,
            one_state("v", v, model.nv())?,
        );
        self.asked(py, |motion| motion.start(t, &q, &v))
    }

    /// The velocity (nv,), by the discrete Legendre transform of the momenta.
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let v = self.asked(
            py,
            |motion| of_both!(motion, own => own.velocity().map(<[f64]>::to_vec)),
        )?;
        Ok(PyArray1::from_vec(py, v))
    }

    /// The joint forces (nv,), which may be set between steps; None where a function gives them.
    #[getter]
    fn tau<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        match &self.torques {
            Source::Numbers(tau) => {
                let tau = tau.lock().unwrap_or_else(PoisonError::into_inner);
                Some(PyArray1::from_slice(py, &tau))
            }
            Source::Function(_) => None,
        }
    }

    #[setter]
    fn set_tau(&self, tau: Value<'_, '_>) -> PyResult<()> {
        let Source::Numbers(own) = &self.torques else {
            return Err(PyValueError::new_err(
                "tau is a function: make another integrator for numbers",
            ));
        };
        let numbers = one_state("tau", tau, self.model.get().model.nv())?;
        let mut motion = self.lock()?;
        *own.lock().unwrap_or_else(PoisonError::into_inner) = numbers;
        // Forces at this instant are asked for anew.
        of_both!(&mut *motion, own => drop(own.forces_mut()));
        Ok(())
    }

    fn __repr__(&self) -> PyResult<String> {
        let motion = self.lock()?;
        let coordinates = match &*motion {
            Motion::InJoints(_) => "joint",
            Motion::Maximal(_) => "maximal",
        };
        let t = of_both!(&*motion, own => own.time());
        Ok(format!(
            "<featherline.VariationalIntegrator of '{}': dt={}, t={t}, {coordinates} coordinates>",
            self.model.get().model.name(),
            self.dt
        ))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(not_pickled("a VariationalIntegrator", "its model, q and v"))
    }
}
