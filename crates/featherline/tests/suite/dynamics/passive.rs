//! Passive forces, and dynamics with them, on random trees with every kind of joint.

use crate::common::{State, close, external_forces, models};
use featherline::Workspace;
use featherline::dynamics::DynamicsOptions;

/// Rounding of a few hundred operations on numbers of order one, times the condition number that
/// random trees have.
const TOLERANCE: f64 = 1e-8;

#[test]
fn forward_dynamics_inverts_inverse_dynamics() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let forces = external_forces(&model);
        let counted = DynamicsOptions::default();
        for options in [
            counted,
            counted.with_forces(&forces),
            counted.without_passive_forces(),
            counted.without_passive_forces().with_forces(&forces),
        ] {
            let tau = model
                .inverse_dynamics(&mut ws, &s.q, &s.v, &s.a, options)
                .unwrap()
                .to_vec();
            let a = model
                .forward_dynamics(&mut ws, &s.q, &s.v, &tau, options)
                .unwrap();
            close("forward(inverse)", a, &s.a, TOLERANCE);
        }
    }
}

#[test]
fn options_leave_out_exactly_the_passive_forces() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let options = DynamicsOptions::default();
        let passive = model.passive_forces(&mut ws, &s.q, &s.v).unwrap().to_vec();
        let kernel = model.rnea(&mut ws, &s.q, &s.v, &s.a).unwrap().to_vec();
        let without = options.without_passive_forces();
        let tau = model
            .inverse_dynamics(&mut ws, &s.q, &s.v, &s.a, without)
            .unwrap();
        assert_eq!(tau, kernel);
        let tau = model
            .inverse_dynamics(&mut ws, &s.q, &s.v, &s.a, options)
            .unwrap();
        let expected: Vec<f64> = kernel.iter().zip(&passive).map(|(k, p)| k - p).collect();
        assert_eq!(tau, expected);
    }
}

#[test]
fn dampers_and_friction_take_energy_by_their_laws() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let rest = vec![0.0; model.nv()];
        let moving = model.passive_forces(&mut ws, &s.q, &s.v).unwrap().to_vec();
        let springs = model.passive_forces(&mut ws, &s.q, &rest).unwrap();
        let power: f64 = (0..model.nv())
            .map(|k| (moving[k] - springs[k]) * s.v[k])
            .sum();
        // Every joint loses d v² + f |v| at its own speed, mimic joints included.
        let mut loss = 0.0;
        for joint in &model.joints()[1..] {
            let ratio = joint.mimic.map_or(1.0, |m| m.ratio);
            for degree in 0..joint.kind.nv() {
                let speed = ratio * s.v[joint.idx_v + degree];
                let drive = &joint.drive;
                loss += drive.damping[degree] * speed * speed;
                loss += drive.friction[degree] * speed.abs();
            }
        }
        // A hundred terms of order one, each rounded.
        close("power", &[power], &[-loss], 1e-13);
    }
}

#[test]
fn springs_pull_back_along_the_way_they_are_stretched() {
    let mut springs = 0;
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let rest = vec![0.0; model.nv()];
        let found = model.passive_forces(&mut ws, &s.q, &rest).unwrap();
        let mut expected = vec![0.0; model.nv()];
        for joint in &model.joints()[1..] {
            let drive = &joint.drive;
            let Some(mimic) = joint.mimic else {
                let q = &s.q[joint.idx_q..joint.idx_q + joint.nq];
                let mut stretch = vec![0.0; joint.nv];
                let reference = &drive.spring_reference;
                joint.kind.difference(reference, q, &mut stretch);
                for k in 0..joint.nv {
                    springs += usize::from(drive.stiffness[k] > 0.0);
                    expected[joint.idx_v + k] -= drive.stiffness[k] * stretch[k];
                }
                continue;
            };
            // The random trees' springs are at rest in the neutral configuration, and no mimic
            // joint turns beyond π.
            let source = model.joint(mimic.source);
            let mut along = vec![0.0; source.nv];
            let mut neutral = vec![0.0; source.nq];
            source.kind.neutral(&mut neutral);
            let q = &s.q[source.idx_q..source.idx_q + source.nq];
            source.kind.difference(&neutral, q, &mut along);
            let displacement = mimic.ratio * along[0] + mimic.offset;
            assert!(displacement.abs() < 2.0 * std::f64::consts::PI);
            let turns = if let featherline::joint::JointKind::RevoluteUnbounded { .. } = joint.kind
            {
                (displacement / std::f64::consts::TAU).round()
            } else {
                0.0
            };
            let stretch = displacement - turns * std::f64::consts::TAU;
            expected[joint.idx_v] -= mimic.ratio * drive.stiffness[0] * stretch;
        }
        // One sine, cosine and arc tangent, and a product.
        close("spring forces", found, &expected, 1e-14);
    }
    assert!(springs > 100);
}
