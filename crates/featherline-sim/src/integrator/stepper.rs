//! The trait of one-step methods.

use super::{IntegratorError, Result, Stability, VectorField};
use featherline::configuration;
use featherline::kernel::check_size;
use featherline::model::Model;

/// A method of integration that goes from one state to the next by a step of given length.
///
/// A step depends on its arguments alone: the same ones give the same result to the last bit, and
/// any step may follow any other. Memory is made once, with the stepper.
pub trait Stepper {
    /// The method's name in a sentence, such as `symplectic Euler`.
    fn name(&self) -> &'static str;

    /// The order p: over a fixed time, errors shrink with hᵖ.
    fn order(&self) -> usize;

    /// The stability limits of a step, if that is known.
    fn stability(&self) -> Option<Stability> {
        None
    }

    /// Goes from the state (`q`, `v`) at the time `t` to the one at `t + h`, in place. `q` has nq
    /// entries, `v` nv, times are in s; a negative `h` goes back in time. Allocates nothing.
    ///
    /// # Errors
    /// [`IntegratorError`]; the state is then as it was.
    fn step(
        &mut self,
        field: &mut dyn VectorField,
        t: f64,
        q: &mut [f64],
        v: &mut [f64],
        h: f64,
    ) -> Result<()>;
}

/// A state at the beginning or at the end of a step, and the length of that, in s.
#[derive(Clone, Copy)]
pub(crate) struct StepState<'a> {
    pub t: f64,
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub h: f64,
}

impl StepState<'_> {
    /// Fails unless the step that begins here is one that the model can make.
    pub(super) fn check(&self, model: &Model) -> Result<()> {
        check_size("q", model.nq(), self.q.len())?;
        check_size("v", model.nv(), self.v.len())?;
        check_finite("the time", self.t)?;
        check_finite("the step", self.h)
    }

    /// Where a displacement `u` leads at the time `t`, or the joint at which the motion diverged.
    pub(super) fn displace(&self, model: &Model, t: f64, u: &[f64], out: &mut [f64]) -> Result<()> {
        configuration::integrate_into(model, self.q, u, out).map_err(|source| {
            if u.iter().all(|x| x.is_finite()) {
                IntegratorError::at(model, t, self.v, source)
            } else {
                IntegratorError::diverged(model, t, u, self.v)
            }
        })
    }

    /// Fails if a velocity at the time `t` is not finite, and names the joint.
    pub(super) fn check_velocity(&self, model: &Model, t: f64, v: &[f64]) -> Result<()> {
        if v.iter().all(|x| x.is_finite()) {
            Ok(())
        } else {
            Err(IntegratorError::diverged(model, t, v, self.v))
        }
    }
}

/// Fails unless a parameter is a finite number.
pub(super) fn check_finite(what: &'static str, value: f64) -> Result<()> {
    if value.is_finite() {
        Ok(())
    } else {
        Err(IntegratorError::BadParameter {
            what,
            value,
            need: "a finite number is needed",
        })
    }
}
