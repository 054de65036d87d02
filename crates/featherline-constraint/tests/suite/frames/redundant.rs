//! Redundant rows: no failure, the same motion, the shortest forces.

use crate::common::State;
use featherline::spatial::{Se3, Vec3};
use featherline_constraint::{
    ConstraintWorkspace, FrameConstraint, FrameConstraintKind, Stabilisation, constrained_dynamics,
    constrained_dynamics_derivatives, constraint_jacobian, kkt_inverse,
};
use nalgebra::{DMatrix, DVector};

/// The corners of a sole.
const CORNERS: [[f64; 2]; 4] = [[0.1, 0.05], [0.1, -0.05], [-0.1, 0.05], [-0.1, -0.05]];

fn on_corners(flat: &FrameConstraint) -> Vec<FrameConstraint> {
    let corner = |[x, y]: [f64; 2]| {
        let at = flat
            .placement
            .compose(&Se3::from_translation(Vec3::new(x, y, 0.0)));
        FrameConstraint::new(FrameConstraintKind::Point, flat.joint, at)
    };
    CORNERS.map(corner).to_vec()
}

#[test]
fn a_foot_on_four_corners_is_a_flat_foot() {
    let model = featherline_robots::humanoid();
    let State { q, v, tau, .. } = State::random(&model, 1);
    let feet = ["left_sole", "right_sole"].map(|f| FrameConstraint::frame(&model, f).unwrap());
    let corners: Vec<_> = feet.iter().flat_map(on_corners).collect();
    let mut flat = ConstraintWorkspace::new(&model, &feet).unwrap();
    let mut pointed = ConstraintWorkspace::new(&model, &corners).unwrap();
    // At rest, where points and frames hold the same.
    let still = vec![0.0; v.len()];
    let expected = constrained_dynamics(&model, &mut flat, &q, &still, &tau, &[]).unwrap();
    let found = constrained_dynamics(&model, &mut pointed, &q, &still, &tau, &[]).unwrap();
    assert_eq!((expected.redundant, found.redundant), (0, 12));
    assert!(found.residual < 1e-9);
    for (a, b) in found.accelerations.iter().zip(expected.accelerations) {
        assert!((a - b).abs() < 1e-9 * b.abs().max(1.0), "{a} {b}");
    }
    // The shortest forces, by a singular value decomposition of Kᵀ.
    let (multipliers, n) = (DVector::from_column_slice(found.multipliers), model.nv());
    let mut k = DMatrix::zeros(24, n);
    constraint_jacobian(&model, &mut pointed, &q, &mut k).unwrap();
    let pull = k.tr_mul(&multipliers);
    let shortest = k.transpose().svd(true, true).solve(&pull, 1e-9).unwrap();
    assert!((shortest - &multipliers).amax() < 1e-8 * multipliers.amax());
}

#[test]
fn the_projected_inverse_and_the_derivatives_are_the_same_too() {
    let model = featherline_robots::humanoid();
    let State { q, tau, .. } = State::random(&model, 2);
    let n = model.nv();
    let still = vec![0.0; n];
    let foot = FrameConstraint::frame(&model, "left_sole").unwrap();
    let mut flat = ConstraintWorkspace::new(&model, std::slice::from_ref(&foot)).unwrap();
    let mut pointed = ConstraintWorkspace::new(&model, &on_corners(&foot)).unwrap();
    let projected = |ws: &mut ConstraintWorkspace| {
        let mut projected = DMatrix::zeros(n, n);
        let m = ws.rows();
        let (mut generalised, mut inertia) = (DMatrix::zeros(n, m), DMatrix::zeros(m, m));
        kkt_inverse(
            &model,
            ws,
            &q,
            &mut projected,
            &mut generalised,
            &mut inertia,
        )
        .unwrap();
        projected
    };
    let difference = projected(&mut flat) - projected(&mut pointed);
    assert!(difference.amax() < 1e-9 * projected(&mut flat).amax());
    let by = constrained_dynamics_derivatives(&model, &mut flat, &q, &still, &tau, &[]).unwrap();
    let expected = [by.dq.clone(), by.dv.clone(), by.dtau.clone()];
    let by = constrained_dynamics_derivatives(&model, &mut pointed, &q, &still, &tau, &[]).unwrap();
    for (found, expected) in [by.dq, by.dv, by.dtau].into_iter().zip(&expected) {
        assert!((found - expected).amax() < 1e-8 * expected.amax().max(1.0));
    }
}

#[test]
fn rows_that_contradict_each_other_are_met_as_well_as_can_be() {
    let model = featherline_robots::humanoid();
    let State { q, tau, .. } = State::random(&model, 4);
    let still = vec![0.0; model.nv()];
    // One foot, pulled to two places.
    let pull = Stabilisation::with_gains(1.0, 0.0);
    let foot = FrameConstraint::point(&model, "left_sole")
        .unwrap()
        .stabilised(pull);
    let mut ws = ConstraintWorkspace::new(&model, &[foot.clone(), foot]).unwrap();
    for index in [0, 1] {
        ws.hold_at(&model, index, &q).unwrap();
    }
    let at = |ws: &mut ConstraintWorkspace| {
        let found = constrained_dynamics(&model, ws, &q, &still, &tau, &[]).unwrap();
        (
            found.residual,
            found.redundant,
            found.accelerations.to_vec(),
        )
    };
    let (residual, redundant, resting) = at(&mut ws);
    assert!(residual < 1e-9 && redundant == 3);
    let mut tree = featherline::Workspace::new(&model);
    let placed = model.forward_kinematics(&mut tree, &q).unwrap();
    let here = placed.placement(model.frame_id("left_sole").unwrap());
    for (index, sign) in [(0, 1.0), (1, -1.0)] {
        let moved = here.compose(&Se3::from_translation(Vec3::new(0.0, 0.0, 0.1 * sign)));
        ws.set_base_placement(&model, index, &moved).unwrap();
    }
    // Both pulls of 0.1 m/s² cancel.
    let (residual, _, found) = at(&mut ws);
    assert!((residual - 0.1).abs() < 1e-9, "{residual}");
    for (a, b) in found.iter().zip(&resting) {
        assert!((a - b).abs() < 1e-8 * b.abs().max(1.0));
    }
}
