//! Loops that are closed, closed again, or can't be.

use super::robots::{Closed, closed, drawn, linkages};
use featherline::samples;
use featherline_constraint::{LoopError, LoopWorkspace};
use featherline_constraint::{assemble, loop_gap, project_velocity};

/// A few roundings of numbers around one.
const EXACT: f64 = 1e-13;

#[test]
fn samples_are_drawn_closed() {
    for model in linkages() {
        let mut ws = LoopWorkspace::new(&model).unwrap();
        let v = vec![0.0; model.nv()];
        let gap = loop_gap(&model, &mut ws, &drawn(&model), &v).unwrap();
        assert!(gap.position < EXACT, "{}: {gap:?}", model.name());
    }
}

#[test]
fn configurations_are_closed_and_velocities_keep_them_so() {
    for Closed {
        model,
        mut ws,
        q,
        v,
        ..
    } in closed()
    {
        let name = model.name();
        let gap = loop_gap(&model, &mut ws, &q, &v).unwrap();
        assert!(gap.position < 1e-10, "{name}: {gap:?}");
        assert!(gap.velocity < 1e-9, "{name}: {gap:?}");
        // The gap's rate is the velocity's: a small step opens it in second order only.
        let small: Vec<f64> = v.iter().map(|x| 1e-4 * x).collect();
        let next = model.integrate(&q, &small).unwrap();
        let moved = loop_gap(&model, &mut ws, &next, &v).unwrap();
        assert!(moved.position < 1e-6, "{name}: {moved:?}");
    }
}

#[test]
fn the_four_bar_closes_as_its_triangles_do() {
    let model = samples::four_bar();
    let mut ws = LoopWorkspace::new(&model).unwrap();
    for turn in [-0.5, -0.2, 0.3, 0.6] {
        let mut q = [turn, 0.0, 0.0];
        assemble(&model, &mut ws, &mut q).unwrap();
        // The crank's tip and the rocker's are as far apart as the coupler is long.
        let rocker = {
            // At zero the rocker leads to where circles around the crank's tip and the pivot meet.
            let (dx, dz) = (0.4_f64, -0.1_f64);
            let distance = dx.hypot(dz);
            let along = (distance * distance + 0.35 * 0.35 - 0.3 * 0.3) / (2.0 * distance);
            let aside = (0.35 * 0.35 - along * along).sqrt();
            let (ux, uz) = (dx / distance, dz / distance);
            (ux * along - uz * aside - 0.4, 0.1 + uz * along + ux * aside)
        };
        // Turns about y take z towards x.
        let turned = |(x, z): (f64, f64), angle: f64| {
            let (sin, cos) = angle.sin_cos();
            (cos * x + sin * z, cos * z - sin * x)
        };
        let tip = turned((0.0, 0.1), q[0]);
        let (x, z) = turned(rocker, q[2]);
        let coupler = (x + 0.4 - tip.0).hypot(z - tip.1);
        assert!((coupler - 0.35).abs() < 1e-12, "{turn}: {coupler}");
    }
}

#[test]
fn what_cannot_close_says_by_how_much() {
    // A crank of 0.1 m can't reach when it points away and the rocker is held by nothing: shorten
    // the coupler instead.
    let model = samples::four_bar();
    let mut stored = serde_json::to_value(&model).unwrap();
    let place = "/loop_joints/0/predecessor_placement/translation";
    *stored.pointer_mut(place).unwrap() = serde_json::json!([1.5, 0.0, 0.0]);
    let long: featherline::Model = serde_json::from_value(stored).unwrap();
    let mut ws = LoopWorkspace::new(&long).unwrap();
    let mut q = [0.1, 0.2, 0.3];
    let error = assemble(&long, &mut ws, &mut q).unwrap_err();
    assert_eq!(q, [0.1, 0.2, 0.3]);
    let LoopError::AssemblyFailed { joint, gap, before } = error else {
        panic!("{error}");
    };
    // Stretched out, crank, ground and rocker reach 0.8 m: 0.7 m less than the coupler, and no
    // configuration has less. Steps that are meant for loops that close end near there, with bars
    // within 0.1 rad of one line.
    assert_eq!(joint, "loop");
    let least = 0.7;
    let most = least + 0.8 * (1.0 - 0.1_f64.cos());
    assert!(
        gap > least - EXACT && gap < most && before > most,
        "{gap} {before}"
    );
}

#[test]
fn a_projected_velocity_differs_by_an_impulse_of_the_loops() {
    let Closed {
        model,
        mut ws,
        q,
        v: kept,
        ..
    } = super::robots::moved(samples::delta(), 5);
    let v: Vec<f64> = (0..model.nv()).map(|k| (k as f64).sin()).collect();
    let mut projected = v.clone();
    let missed = project_velocity(&model, &mut ws, &q, &mut projected).unwrap();
    assert!(missed < 1e-10);
    // Such an impulse does no work on any velocity that keeps the loops closed.
    let mut tree = featherline::Workspace::new(&model);
    let mass = model.crba(&mut tree, &q).unwrap().clone();
    let change: Vec<f64> = projected.iter().zip(&v).map(|(a, b)| a - b).collect();
    let impulse = mass * nalgebra::DVector::from_vec(change);
    let power: f64 = impulse.iter().zip(&kept).map(|(a, b)| a * b).sum();
    assert!(power.abs() < 1e-10 * impulse.norm(), "{power}");
    assert!(impulse.norm() > 0.1);
}
