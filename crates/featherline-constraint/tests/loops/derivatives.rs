//! Derivatives of accelerations and loop forces, against differences of whole solutions.

use crate::common::external_forces;
use crate::robots::{Closed, closed, linkages, moved, random};
use featherline::Model;
use featherline::samples::RandomTree;
use featherline::spatial::Force;
use featherline_constraint::kernel::loop_dynamics_within_step;
use featherline_constraint::{LoopWorkspace, Stabilisation, loop_dynamics_derivatives};
use nalgebra::DMatrix;

/// Steps of differences, in rad, m, and what belongs to them.
const STEP: f64 = 2e-5;

/// The accelerations of the tree, and then the loop forces.
fn solved(
    model: &Model,
    ws: &mut LoopWorkspace,
    (q, v): (&[f64], &[f64]),
    forces: (&[f64], &[Force<f64>]),
    stabilisation: &Stabilisation,
) -> Vec<f64> {
    let result = loop_dynamics_within_step(model, ws, (q, v), forces, stabilisation).unwrap();
    let mut all = result.accelerations.to_vec();
    for force in result.loop_forces {
        all.extend(force.to_array());
    }
    all
}

/// The derivatives by q, v and τ: central differences of fourth order.
fn differences(
    robot: &Closed,
    external: &[Force<f64>],
    stabilisation: &Stabilisation,
    redundant: usize,
) -> [DMatrix<f64>; 3] {
    let Closed {
        model, q, v, tau, ..
    } = robot;
    // The readings of the loop joints are those near this configuration.
    let mut ws = robot.ws.clone();
    ws.set_generic_redundancy(redundant);
    let rows = model.nv() + 6 * model.loop_joints().len();
    [0, 1, 2].map(|x| {
        let mut all = DMatrix::zeros(rows, model.nv());
        for k in 0..model.nv() {
            for (steps, weight) in [(1.0, 2.0 / 3.0), (2.0, -1.0 / 12.0)] {
                for sign in [1.0, -1.0] {
                    let mut change = vec![0.0; model.nv()];
                    change[k] = sign * steps * STEP;
                    let add = |x: &[f64]| -> Vec<f64> {
                        x.iter().zip(&change).map(|(x, d)| x + d).collect()
                    };
                    let (mut own_q, mut own_v, mut own_tau) =
                        (q.clone(), v.clone(), tau.clone());
                    match x {
                        0 => own_q = model.integrate(q, &change).unwrap(),
                        1 => own_v = add(v),
                        _ => own_tau = add(tau),
                    }
                    let forces = (&own_tau[..], external);
                    let state = (&own_q[..], &own_v[..]);
                    let found = solved(model, &mut ws, state, forces, stabilisation);
                    for (row, value) in found.into_iter().enumerate() {
                        all[(row, k)] += sign * weight / STEP * value;
                    }
                }
            }
        }
        all
    })
}

/// The same by the analytical derivatives, how many constraints are redundant, and the condition.
fn analytical(
    robot: &mut Closed,
    external: &[Force<f64>],
    stabilisation: &Stabilisation,
) -> ([DMatrix<f64>; 3], usize, f64) {
    let Closed {
        model,
        ws,
        q,
        v,
        tau,
    } = robot;
    let found =
        loop_dynamics_derivatives(model, ws, q, v, tau, external, stabilisation).unwrap();
    let n = model.nv();
    let all = [
        (found.dq, found.loop_forces_dq),
        (found.dv, found.loop_forces_dv),
        (found.dtau, found.loop_forces_dtau),
    ]
    .map(|(accelerations, forces)| {
        let mut all = DMatrix::zeros(n + forces.nrows(), n);
        all.rows_mut(0, n).copy_from(accelerations);
        all.rows_mut(n, forces.nrows()).copy_from(forces);
        all
    });
    (all, found.dynamics.redundant, found.dynamics.condition)
}

#[test]
fn explore() {
    let critical = Stabilisation::critical(0.2);
    for stabilisation in [Stabilisation::NONE, critical] {
        for mut robot in closed() {
            let external = external_forces(&robot.model);
            let (found, redundant, condition) = analytical(&mut robot, &external, &stabilisation);
            let expected = differences(&robot, &external, &stabilisation, redundant);
            let n = robot.model.nv();
            let mut errors = vec![];
            for x in 0..3 {
                let d = &found[x] - &expected[x];
                let e = |a: usize, m: usize| d.rows(a, m).amax() / expected[x].rows(a, m).amax().max(1.0);
                errors.push(format!("{:.1e} {:.1e}", e(0, n), e(n, found[x].nrows() - n)));
            }
            let kinds: Vec<_> = robot.model.loop_joints().iter().map(|l| format!("{:?}", l.kind).chars().take(9).collect::<String>()).collect();
            println!("{} n {n} red {redundant} cond {condition:.1e}: {errors:?} {kinds:?}", robot.model.name());
        }
    }
}
