//! Derivatives against central differences of whole solutions.

use super::robots::{Held, all};
use featherline::Model;
use featherline::spatial::Force;
use featherline_constraint::{
    ConstraintWorkspace, constrained_dynamics, constrained_dynamics_derivatives, impulse_dynamics,
    impulse_dynamics_derivatives, kkt_inverse,
};
use nalgebra::DMatrix;

/// Steps of q in differences, in rad and m.
const STEP: f64 = 5e-5;

/// Steps of v and τ, in their units. Solutions are of second degree in v and of first in τ, of
/// which differences of fourth order are exact.
const LARGE_STEP: f64 = 1.0;

/// Truncation is some STEP⁴ and rounding 1e-16 / STEP, times condition numbers up to 1e4 and their
/// powers.
const TOLERANCE: f64 = 1e-6;

/// Central differences of fourth order of `solved` by the tangent vector that `moved` takes.
fn differences(n: usize, step: f64, mut solved: impl FnMut(&[f64]) -> Vec<f64>) -> DMatrix<f64> {
    let mut columns = Vec::new();
    for k in 0..n {
        let mut column: Vec<f64> = Vec::new();
        for (steps, weight) in [(1.0, 2.0 / 3.0), (2.0, -1.0 / 12.0)] {
            for sign in [1.0, -1.0] {
                let mut change = vec![0.0; n];
                change[k] = sign * steps * step;
                let found = solved(&change);
                column.resize(found.len(), 0.0);
                for (sum, x) in column.iter_mut().zip(found) {
                    *sum += sign * weight / step * x;
                }
            }
        }
        columns.push(nalgebra::DVector::from_vec(column));
    }
    DMatrix::from_columns(&columns)
}

fn sum(x: &[f64], change: &[f64]) -> Vec<f64> {
    x.iter().zip(change).map(|(x, d)| x + d).collect()
}

fn stacked(above: &DMatrix<f64>, below: impl Into<DMatrix<f64>>) -> DMatrix<f64> {
    let below = below.into();
    let mut all = DMatrix::zeros(above.nrows() + below.nrows(), above.ncols());
    all.rows_mut(0, above.nrows()).copy_from(above);
    all.rows_mut(above.nrows(), below.nrows()).copy_from(&below);
    all
}

fn compare(name: &str, what: &str, n: usize, found: &DMatrix<f64>, expected: &DMatrix<f64>) {
    for (first, rows) in [(0, n), (n, found.nrows() - n)] {
        let (own, other) = (found.rows(first, rows), expected.rows(first, rows));
        let scale = other.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        let error = (own - other).iter().fold(0.0_f64, |m, x| m.max(x.abs())) / scale;
        assert!(error < TOLERANCE, "{name}: {what}, row {first}: {error:e}");
    }
}

fn accelerations(
    model: &Model,
    ws: &mut ConstraintWorkspace,
    (q, v, tau): (&[f64], &[f64], &[f64]),
    forces: &[Force<f64>],
) -> Vec<f64> {
    let found = constrained_dynamics(model, ws, q, v, tau, forces).unwrap();
    [found.accelerations, found.multipliers].concat()
}

/// Robots of independent rows, far enough from redundant ones for differences.
fn independent(gains: bool) -> Vec<Held> {
    let mut robots = all(gains);
    robots.retain_mut(is_independent);
    assert!(robots.len() > 20, "{}", robots.len());
    robots
}

/// Whether the rows of a robot are independent, and far enough from redundancy.
pub fn is_independent(r: &mut Held) -> bool {
    let found = constrained_dynamics(&r.model, &mut r.ws, &r.q, &r.v, &r.tau, &[]).unwrap();
    let (redundant, n, m) = (found.redundant, r.model.nv(), r.ws.rows());
    let (mut p, mut j, mut inertia) = (
        DMatrix::zeros(n, n),
        DMatrix::zeros(n, m),
        DMatrix::zeros(m, m),
    );
    kkt_inverse(&r.model, &mut r.ws, &r.q, &mut p, &mut j, &mut inertia).unwrap();
    // Rows whose inertia is much smaller in some direction than in others are close to redundancy.
    redundant == 0 && inertia.iter().all(|x| x.abs() < 1e4)
}

#[test]
fn derivatives_of_dynamics_are_differences() {
    for gains in [false, true] {
        for robot in independent(gains) {
            let Held {
                model,
                mut ws,
                q,
                v,
                tau,
                ..
            } = robot;
            let forces = crate::common::external_forces(&model);
            let n = model.nv();
            let mut other = ws.clone();
            let by =
                constrained_dynamics_derivatives(&model, &mut ws, &q, &v, &tau, &forces).unwrap();
            let expected = differences(n, STEP, |d| {
                let q = model.integrate(&q, d).unwrap();
                accelerations(&model, &mut other, (&q, &v, &tau), &forces)
            });
            compare(
                model.name(),
                "q",
                n,
                &stacked(by.dq, by.multipliers_dq),
                &expected,
            );
            let expected = differences(n, LARGE_STEP, |d| {
                accelerations(&model, &mut other, (&q, &sum(&v, d), &tau), &forces)
            });
            compare(
                model.name(),
                "v",
                n,
                &stacked(by.dv, by.multipliers_dv),
                &expected,
            );
            let expected = differences(n, LARGE_STEP, |d| {
                accelerations(&model, &mut other, (&q, &v, &sum(&tau, d)), &forces)
            });
            compare(
                model.name(),
                "tau",
                n,
                &stacked(by.dtau, by.multipliers_dtau),
                &expected,
            );
        }
    }
}

#[test]
fn derivatives_of_impacts_are_differences() {
    for restitution in [0.0, 0.3] {
        for robot in independent(true) {
            let Held {
                model,
                mut ws,
                q,
                v,
                ..
            } = robot;
            let n = model.nv();
            let mut other = ws.clone();
            let mut solved = |q: &[f64], v: &[f64]| {
                let found = impulse_dynamics(&model, &mut other, q, v, restitution).unwrap();
                [found.velocities, found.multipliers].concat()
            };
            let by = impulse_dynamics_derivatives(&model, &mut ws, &q, &v, restitution).unwrap();
            let expected = differences(n, STEP, |d| solved(&model.integrate(&q, d).unwrap(), &v));
            compare(
                model.name(),
                "q",
                n,
                &stacked(by.dq, by.multipliers_dq),
                &expected,
            );
            let expected = differences(n, LARGE_STEP, |d| solved(&q, &sum(&v, d)));
            compare(
                model.name(),
                "v",
                n,
                &stacked(by.dv, by.multipliers_dv),
                &expected,
            );
        }
    }
}
