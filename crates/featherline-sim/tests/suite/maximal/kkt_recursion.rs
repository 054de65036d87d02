//! The recursion block by block, against the dense system and its own equations.

use super::dense;
use crate::common::{State, external_forces, models};
use featherline::{Workspace, samples};
use featherline_sim::maximal::{
    MaximalError, MaximalState, MaximalWorkspace, kkt_recursion, substitute,
};

/// Condition numbers of these robots reach 1e6; what is left of sixteen digits.
const TOLERANCE: f64 = 1e-8;

#[test]
fn blocks_give_the_accelerations_of_the_dense_system_and_satisfy_the_equations() {
    let mut checked = 0;
    for (model, seed) in models() {
        if model.has_mimic_joints() {
            continue;
        }
        checked += 1;
        let (s, external) = (State::random(&model, seed), external_forces(&model));
        let mut tree = Workspace::new(&model);
        let state = MaximalState::from_joints(&model, &mut tree, &s.q, &s.v).unwrap();
        let mut ws = MaximalWorkspace::new(&model).unwrap();
        let blocks = kkt_recursion(&model, &mut ws, &state, &s.tau, &external).unwrap();
        let found = substitute(&blocks);
        let (expected, _) = dense::solve(&model, &state, &s.q, &s.v, &s.tau, &external);
        let largest = expected
            .iter()
            .map(|a| a.linear.norm().max(a.angular.norm()));
        let scale = largest.fold(1.0, f64::max);
        for (n, own) in blocks.iter().enumerate() {
            let (a, lambda) = (&found.accelerations[n], &found.multipliers[n]);
            let apart = (a - nalgebra::Vector6::from(expected[n + 1])).amax();
            assert!(
                apart < TOLERANCE * scale,
                "seed {seed}, body {n}: {apart:e}"
            );
            // M v̇ + Cᵀ λ + Σ C_cᵀ λ_c = f
            let mut motion = own.M * a + own.C.tr_mul(lambda) - own.f;
            let mut forces = own.f.amax();
            for (child, lambda) in blocks.iter().zip(&found.multipliers) {
                if child.above == own.joint {
                    motion += child.C_above.tr_mul(lambda);
                    forces = forces.max(lambda.amax());
                }
            }
            assert!(
                motion.amax() < TOLERANCE * forces.max(lambda.amax()),
                "{motion}"
            );
            // C v̇ + C_p v̇_p − E λ = d
            let mut held = &own.C * a - &own.d;
            if let Some(above) = own.above.index().checked_sub(1) {
                held += &own.C_above * found.accelerations[above];
            }
            for row in own.constraints..own.d.len() {
                held[row] -= lambda[row];
            }
            let scale = scale.max(lambda.amax());
            assert!(held.iter().all(|x| x.abs() < TOLERANCE * scale), "{held}");
        }
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn the_example_runs() {
    super::example::main().unwrap();
}

#[test]
fn loops_and_mimic_joints_are_refused() {
    let linkage = samples::four_bar();
    let mut tree = Workspace::new(&linkage);
    let state = MaximalState::from_joints(&linkage, &mut tree, &[0.0; 3], &[0.0; 3]).unwrap();
    let mut ws = MaximalWorkspace::new(&linkage).unwrap();
    let told = kkt_recursion(&linkage, &mut ws, &state, &[0.0; 3], &[]);
    assert!(
        matches!(told, Err(MaximalError::ClosedLoop { .. })),
        "{told:?}"
    );
    let (coupled, seed) = models()
        .into_iter()
        .find(|(m, _)| m.has_mimic_joints())
        .unwrap();
    let s = State::random(&coupled, seed);
    let mut tree = Workspace::new(&coupled);
    let state = MaximalState::from_joints(&coupled, &mut tree, &s.q, &s.v).unwrap();
    let mut ws = MaximalWorkspace::new(&coupled).unwrap();
    let told = kkt_recursion(&coupled, &mut ws, &state, &s.tau, &[]);
    assert!(
        matches!(told, Err(MaximalError::MimicJoint { .. })),
        "{told:?}"
    );
}
