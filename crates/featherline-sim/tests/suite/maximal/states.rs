//! From joint coordinates to bodies and back.

use crate::common::{State, models};
use featherline::Workspace;
use featherline::spatial::{Motion, exp6};
use featherline_sim::maximal::MaximalState;

/// A few roundings of numbers around one, over trees of up to twenty joints.
const TOLERANCE: f64 = 1e-10;

#[test]
fn joints_read_what_placed_their_bodies() {
    for (model, seed) in models() {
        let State { q, v, a, .. } = State::random(&model, seed);
        let mut ws = Workspace::new(&model);
        let mut state = MaximalState::from_joints(&model, &mut ws, &q, &v).unwrap();
        // Sought from some way off.
        let off: Vec<f64> = a.iter().map(|x| 0.2 * x).collect();
        state.coordinates = model.integrate(&q, &off).unwrap();
        let (mut found_q, mut found_v) = (vec![0.0; model.nq()], vec![0.0; model.nv()]);
        let gap = state.to_joints(&model, &mut found_q, &mut found_v).unwrap();
        let name = model.name();
        let difference = model.difference(&q, &found_q).unwrap();
        let worst = difference
            .iter()
            .fold(0.0, |most: f64, x| most.max(x.abs()));
        assert!(worst < TOLERANCE, "{name}: {worst}");
        for k in 0..model.nv() {
            assert!((found_v[k] - v[k]).abs() < TOLERANCE, "{name}: v[{k}]");
        }
        assert!(
            gap.position < TOLERANCE && gap.velocity < TOLERANCE,
            "{name}: {gap:?}"
        );
    }
}

#[test]
fn a_body_out_of_place_shows_as_a_gap_of_its_size() {
    let model = featherline::samples::double_pendulum();
    let mut ws = Workspace::new(&model);
    let mut state = MaximalState::from_joints(&model, &mut ws, &[0.4, 0.3], &[0.0; 2]).unwrap();
    // The hinges turn about y, so that neither this motion nor this velocity is theirs.
    let mut shift = Motion::zero();
    shift.linear.y = 1e-3;
    let moved = state.poses[2].placement().compose(&exp6(&shift));
    state.poses[2].position = moved.translation;
    state.velocities[2].angular.x += 2e-3;
    let (mut q, mut v) = ([0.0; 2], [0.0; 2]);
    let gap = state.to_joints(&model, &mut q, &mut v).unwrap();
    assert!((gap.position - 1e-3).abs() < 1e-12, "{gap:?}");
    assert!((gap.velocity - 2e-3).abs() < 1e-12, "{gap:?}");
    assert!((q[1] - 0.3).abs() < 1e-12);
}
