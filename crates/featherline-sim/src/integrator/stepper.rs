//! The trait of one-step methods.

use super::forces::check_parameter;
use super::{IntegratorError, Result, VectorField};
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

/// The greatest products of a step and a rate at which a method still follows what forces do.
///
/// With R the method's stability function (E. Hairer and G. Wanner, *Solving Ordinary Differential
/// Equations II*, 1996, section IV.2) an explicit method follows a damper on the negative real
/// axis, and a spring on the imaginary one, as far as
/// |R| ≤ 1. Beyond, its velocities swing to and fro from step to step and grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stability {
    /// For a damper that takes a velocity away at a rate: the step times that.
    pub damping: f64,
    /// For a spring on which a mass swings: the step times the angular frequency.
    pub oscillation: f64,
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
    pub fn check(&self, model: &Model) -> Result<()> {
        check_size("q", model.nq(), self.q.len())?;
        check_size("v", model.nv(), self.v.len())?;
        check_finite("the time", self.t)?;
        check_finite("the step", self.h)
    }

    /// Where a displacement `u` leads at the time `t`, or the joint at which the motion diverged.
    pub fn displace(&self, model: &Model, t: f64, u: &[f64], out: &mut [f64]) -> Result<()> {
        configuration::integrate_into(model, self.q, u, out).map_err(|source| {
            if u.iter().all(|x| x.is_finite()) {
                IntegratorError::at(model, t, self.v, source)
            } else {
                IntegratorError::diverged(model, t, u, self.v)
            }
        })
    }

    /// Fails if a velocity at the time `t` is not finite, and names the joint.
    pub fn check_velocity(&self, model: &Model, t: f64, v: &[f64]) -> Result<()> {
        if v.iter().all(|x| x.is_finite()) {
            Ok(())
        } else {
            Err(IntegratorError::diverged(model, t, v, self.v))
        }
    }
}

/// Fails unless a parameter is a finite number.
pub(super) fn check_finite(what: &'static str, value: f64) -> Result<()> {
    let is_valid = value.is_finite();
    check_parameter(what, value, is_valid, "a finite number is needed")
}
