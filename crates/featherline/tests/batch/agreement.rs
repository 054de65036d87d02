//! A batch gives what single states give, for every algorithm and every kind of joint.

use crate::common::{close, models};
use crate::every::{Rows, alone, row, states, together};
use featherline::Workspace;
use featherline::batch::{Batch, Status};

/// Blocks of four and of eight lanes, and a rest.
const STATES: u64 = 13;

#[test]
fn doubles_agree_with_single_states() {
    for (model, seed) in models() {
        let states = states(&model, STATES);
        let mut batch = Batch::new(&model, 1).unwrap();
        let (results, statuses) = together(&mut batch, &Rows::<f64>::of(&states));
        assert!(statuses.iter().flatten().all(|&s| s == Status::Solved));
        for (k, state) in states.iter().enumerate() {
            for ((name, found), (expected_name, expected)) in
                results.iter().zip(alone(&model, state))
            {
                assert_eq!(*name, expected_name);
                // The same source: what differs is the order of a few sums. Accelerations amplify that by the condition of
                // the mass matrix, up to 1e5 among these robots.
                let tolerance = match *name {
                    "aba" | "forward_dynamics_crba" | "mass_matrix_inverse" => 1e-9,
                    _ => 1e-12,
                };
                let label = format!("{name} of robot {seed}, state {k}");
                close(&label, row(found, states.len(), k), &expected, tolerance);
            }
        }
    }
}

#[test]
fn singles_agree_with_doubles() {
    let (mut pairs, mut singular) = (0, 0);
    for (model, seed) in models() {
        let states = states(&model, STATES);
        let rows = Rows::<f32>::of(&states);
        let mut batch = Batch::new(&model, 1).unwrap();
        let (results, statuses) = together(&mut batch, &rows);
        for (k, state) in states.iter().enumerate() {
            for (((name, found), status), (_, expected)) in
                results.iter().zip(&statuses).zip(alone(&model, state))
            {
                pairs += 1;
                if status[k] == Status::SingularInertia {
                    // Some matrices have pivots that only double precision can tell from zero.
                    singular += 1;
                    continue;
                }
                assert_eq!(status[k], Status::Solved);
                let found: Vec<f64> = row(found, states.len(), k)
                    .iter()
                    .map(|&x| f64::from(x))
                    .collect();
                let label = format!("{name} of robot {seed}, state {k}");
                match *name {
                    // Conditioned by the mass matrix; judged by what they leave over, below.
                    "aba" | "forward_dynamics_crba" | "mass_matrix_inverse" => {}
                    // 6e-8 for each of some hundred roundings in a chain of up to twenty joints.
                    _ => close(&label, &found, &expected, 1e-5),
                }
                let mut ws = Workspace::<f64>::new(&model);
                let mass = model.crba(&mut ws, &state.q).unwrap().clone();
                let nv = model.nv();
                if *name == "aba" || *name == "forward_dynamics_crba" {
                    let a = nalgebra::DVector::from_column_slice(&found);
                    let scale = (mass.abs() * a.abs()).max();
                    let back = model.rnea(&mut ws, &state.q, &state.v, &found).unwrap();
                    for (b, t) in back.iter().zip(&state.tau) {
                        assert!(
                            (b - t).abs() < 2e-4 * scale.max(1.0),
                            "{label}: {b} {t} {scale}"
                        );
                    }
                }
                if *name == "mass_matrix_inverse" {
                    let inverse = nalgebra::DMatrix::from_column_slice(nv, nv, &found);
                    let scale = (mass.abs() * inverse.abs()).max();
                    let rest = (mass * inverse - nalgebra::DMatrix::identity(nv, nv))
                        .abs()
                        .max();
                    assert!(rest < 1e-4 * scale, "{label}: {rest} {scale}");
                }
            }
        }
    }
    assert!(singular * 100 < pairs, "{singular} of {pairs}");
}
