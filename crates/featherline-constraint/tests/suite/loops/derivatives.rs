//! Derivatives of accelerations and loop forces, against differences of whole solutions.

use super::robots::{Closed, closed, random};
use crate::common::external_forces;
use featherline::samples::{self, RandomTree, random_tree};
use featherline::spatial::Force;
use featherline::{Error, Model, Workspace};
use featherline_constraint::kernel::loop_dynamics_within_step;
use featherline_constraint::{LoopError, LoopWorkspace, Stabilisation, loop_dynamics_derivatives};
use nalgebra::DMatrix;

/// Steps of differences, in rad, m, and what belongs to them.
const STEP: f64 = 5e-5;

/// Truncation is some STEP⁴ and rounding 1e-16 / STEP, times condition numbers up to 1e4 and their
/// powers. All but two robots stay below 1e-8.
const TOLERANCE: f64 = 1e-6;

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
                    let (mut own_q, mut own_v, mut own_tau) = (q.clone(), v.clone(), tau.clone());
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

/// The same by the analytical derivatives, and how many constraints are redundant.
fn analytical(
    robot: &mut Closed,
    external: &[Force<f64>],
    stabilisation: &Stabilisation,
) -> ([DMatrix<f64>; 3], usize) {
    let Closed {
        model,
        ws,
        q,
        v,
        tau,
    } = robot;
    let found = loop_dynamics_derivatives(model, ws, q, v, tau, external, stabilisation).unwrap();
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
    (all, found.dynamics.redundant)
}

/// Compares all derivatives, accelerations and loop forces each relative to their largest entry.
pub fn compare(mut robot: Closed, stabilisation: &Stabilisation) {
    let external = external_forces(&robot.model);
    let (found, redundant) = analytical(&mut robot, &external, stabilisation);
    let expected = differences(&robot, &external, stabilisation, redundant);
    let (n, name) = (robot.model.nv(), robot.model.name());
    for (x, (found, expected)) in found.iter().zip(&expected).enumerate() {
        for (first, rows) in [(0, n), (n, found.nrows() - n)] {
            let (own, other) = (found.rows(first, rows), expected.rows(first, rows));
            let error = (own - other).amax() / other.amax().max(1.0);
            assert!(error < TOLERANCE, "{name}: {x}, row {first}: {error:e}");
        }
    }
}

#[test]
fn derivatives_are_those_of_whole_solutions() {
    for robot in closed() {
        compare(robot, &Stabilisation::NONE);
    }
}

#[test]
fn mimic_joints_and_floating_bases_are_treated_alike() {
    let mut mimics = 0;
    for seed in 100..106 {
        let shape = RandomTree {
            joints: 9,
            floating: seed % 2 == 0,
            ..RandomTree::default()
        };
        let robot = random(seed, &shape, 2);
        mimics += usize::from(robot.model.has_mimic_joints());
        compare(robot, &Stabilisation::critical(0.2));
    }
    assert!(mimics > 2);
}

#[test]
fn open_loops_are_pulled_together_and_moving_apart() {
    let mut varying = 0;
    let stabilisation = Stabilisation {
        damping: 1.5,
        stiffness: 4.0,
    };
    for (mut robot, seed) in closed().into_iter().zip(1..) {
        let Closed {
            model,
            ws,
            q,
            v,
            tau,
        } = &mut robot;
        // Small gaps: what joints read in open loops is found but for squares of the gaps.
        // Constraints that are redundant where the loops are closed stay so.
        let closed = loop_dynamics_within_step(model, ws, (q, v), (tau, &[]), &Stabilisation::NONE);
        let redundant = closed.unwrap().redundant;
        ws.set_generic_redundancy(redundant);
        let change = |size: f64, k: usize| size * ((seed * 7 + k * 3) as f64).sin();
        let step: Vec<_> = (0..model.nv()).map(|k| change(1e-4, k)).collect();
        *q = model.integrate(q, &step).unwrap();
        for (k, v) in v.iter_mut().enumerate() {
            *v += change(0.3, k);
        }
        let kinds = model.loop_joints().iter().map(|joint| &joint.kind);
        varying += kinds.filter(|kind| !kind.has_constant_subspace()).count();
        compare(robot, &stabilisation);
    }
    assert!(varying > 8);
}

#[test]
fn a_tree_has_the_derivatives_of_forward_dynamics() {
    let model = random_tree(5, &RandomTree::default());
    let n = model.nv();
    let numbers = |size: f64| -> Vec<f64> { (0..n).map(|k| size * (k as f64).sin()).collect() };
    let q = model
        .integrate(&model.neutral_configuration(), &numbers(0.5))
        .unwrap();
    let (v, tau) = (numbers(1.0), numbers(-2.0));
    let mut ws = LoopWorkspace::new(&model).unwrap();
    let found = loop_dynamics_derivatives(&model, &mut ws, &q, &v, &tau, &[], &Stabilisation::NONE)
        .unwrap();
    let mut tree = Workspace::new(&model);
    let expected = model.aba_derivatives(&mut tree, &q, &v, &tau).unwrap();
    for (found, expected) in [
        (found.dq, expected.dq),
        (found.dv, expected.dv),
        (found.dtau, expected.dtau),
    ] {
        // Both round; masses differ by some thousands.
        assert!((found - expected).amax() < 1e-10 * expected.amax().max(1.0));
    }
    assert_eq!(found.loop_forces_dq.nrows(), 0);
}

#[test]
fn what_does_not_fit_is_an_error() {
    let model = samples::four_bar();
    let none = Stabilisation::NONE;
    let zero = [0.0; 3];
    let mut ws = LoopWorkspace::new(&model).unwrap();
    // The crank is turned, the rest is not.
    let open = [0.4, 0.0, 0.0];
    let found = loop_dynamics_derivatives(&model, &mut ws, &open, &zero, &zero, &[], &none);
    assert!(matches!(found, Err(LoopError::OpenLoop { .. })));
    let found = loop_dynamics_derivatives(&model, &mut ws, &zero, &zero[1..], &zero, &[], &none);
    assert!(matches!(found, Err(LoopError::Tree(Error::Size { .. }))));
    let mut ws = LoopWorkspace::recursive(&model).unwrap();
    let found = loop_dynamics_derivatives(&model, &mut ws, &zero, &zero, &zero, &[], &none);
    assert!(matches!(found, Err(LoopError::Tree(Error::NoMatrices))));
    let tree = samples::double_pendulum();
    let mut ws = LoopWorkspace::recursive(&tree).unwrap();
    let zero = [0.0; 2];
    let found = loop_dynamics_derivatives(&tree, &mut ws, &zero, &zero, &zero, &[], &none);
    assert!(matches!(found, Err(LoopError::Tree(Error::NoMatrices))));
}
