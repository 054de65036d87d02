//! The trait of one-step methods.

use super::{IntegratorError, Stability, VectorField};
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
    ) -> Result<(), IntegratorError>;
}

/// Fails unless a step is one that the model can make.
pub(super) fn check_step(
    model: &Model,
    t: f64,
    q: &[f64],
    v: &[f64],
    h: f64,
) -> Result<(), IntegratorError> {
    check_size("q", model.nq(), q.len())?;
    check_size("v", model.nv(), v.len())?;
    check_finite("the time", t)?;
    check_finite("the step", h)
}

/// Fails unless a parameter is a finite number.
pub(super) fn check_finite(what: &'static str, value: f64) -> Result<(), IntegratorError> {
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

/// The configuration that a displacement leads to in the middle of a step that began with the
/// velocity `before`, or the joint at which the motion diverged.
pub(super) fn displace(
    model: &Model,
    t: f64,
    q: &[f64],
    (u, before): (&[f64], &[f64]),
    out: &mut [f64],
) -> Result<(), IntegratorError> {
    configuration::integrate_into(model, q, u, out).map_err(|source| {
        if u.iter().all(|x| x.is_finite()) {
            IntegratorError::at(model, t, before, source)
        } else {
            IntegratorError::diverged(model, t, u, before)
        }
    })
}

/// Fails if a velocity is not finite in a step that began with the velocity `before`, and names the
/// joint.
pub(super) fn check_velocity(
    model: &Model,
    t: f64,
    v: &[f64],
    before: &[f64],
) -> Result<(), IntegratorError> {
    if v.iter().all(|x| x.is_finite()) {
        Ok(())
    } else {
        Err(IntegratorError::diverged(model, t, v, before))
    }
}

/// `out = base + Σ factors[j] · rows[j]`, where rows lie one after the other.
#[inline]
pub(super) fn combine(base: &[f64], factors: &[f64], rows: &[f64], out: &mut [f64]) {
    out.copy_from_slice(base);
    add_combination(factors, rows, out);
}

/// `out += Σ factors[j] · rows[j]`.
#[inline]
pub(super) fn add_combination(factors: &[f64], rows: &[f64], out: &mut [f64]) {
    let n = out.len();
    for (j, &factor) in factors.iter().enumerate() {
        if factor != 0.0 {
            for (x, row) in out.iter_mut().zip(&rows[j * n..(j + 1) * n]) {
                *x += factor * row;
            }
        }
    }
}
