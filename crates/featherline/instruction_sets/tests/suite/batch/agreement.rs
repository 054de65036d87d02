//! A batch gives what single states give, for every algorithm and every kind of joint.

use super::every::{Rows, alone, robots, row, states, together};
use crate::common::{State, close};
use featherline::batch::{Algorithm, Batch, BatchStatus, Precision};
use featherline::kernel;
use featherline::samples::{RandomTree, random_tree, snake};
use featherline::scalar::Scalar;
use featherline::{Error, Model, Workspace};
use nalgebra::{DMatrix, DVector};

/// Blocks of four and of eight lanes, and a rest.
const STATES: u64 = 13;

/// Fails unless a result is the expected one up to rounding.
fn judge(
    (name, label): (&str, &str),
    (model, state): (&Model, &State),
    found: &[f64],
    expected: &[f64],
    epsilon: f64,
) {
    let mut ws = Workspace::<f64>::new(model);
    let nv = model.nv();
    match name {
        // The condition of the mass matrix is up to 1e6, so that accelerations are judged by the
        // forces that they need: in each sum of up to forty products, some hundred roundings.
        "aba" | "aba_derivatives.a" | "forward_dynamics_crba" => {
            let mass = model.crba(&mut ws, &state.q).unwrap().abs();
            let scale = (mass * DVector::from_column_slice(found).abs()).max();
            let back = model.rnea(&mut ws, &state.q, &state.v, found).unwrap();
            for (b, t) in back.iter().zip(&state.tau) {
                let rest = (b - t).abs();
                assert!(
                    rest < 2e3 * epsilon * scale.max(1.0),
                    "{label}: {rest}, scale {scale}"
                );
            }
        }
        "mass_matrix_solve" => {
            let mass = model.crba(&mut ws, &state.q).unwrap();
            let x = DVector::from_column_slice(found);
            let scale = (mass.abs() * x.abs()).max();
            let rest = (mass * x - DVector::from_column_slice(&state.tau))
                .abs()
                .max();
            assert!(
                rest < 1e3 * epsilon * scale.max(1.0),
                "{label}: {rest}, scale {scale}"
            );
        }
        "mass_matrix_inverse" | "aba_derivatives.dtau" => {
            let mass = model.crba(&mut ws, &state.q).unwrap();
            let inverse = DMatrix::from_column_slice(nv, nv, found);
            let scale = (mass.abs() * inverse.abs()).max();
            let rest = (mass * inverse - DMatrix::identity(nv, nv)).abs().max();
            assert!(
                rest < 1e3 * epsilon * scale,
                "{label}: {rest}, scale {scale}"
            );
        }
        // By the forces that they need, as above: M times the difference. The forces follow from
        // accelerations, which have lost digits with the condition themselves.
        "aba_derivatives.dq" | "aba_derivatives.dv" => {
            let mass = model.crba(&mut ws, &state.q).unwrap();
            let found = DMatrix::from_column_slice(nv, nv, found);
            let expected = DMatrix::from_column_slice(nv, nv, expected);
            let scale = (mass.abs() * found.abs()).max();
            let rest = (mass * (found - expected)).abs().max();
            assert!(
                rest < 1e6 * epsilon * scale.max(1.0),
                "{label}: {rest}, scale {scale}"
            );
        }
        // The rounding error of forces and energies as great as those of the weight.
        "terms.drift" | "terms.potential" => {
            let mass: f64 = model.joints().iter().map(|j| j.inertia.mass).sum();
            let weight = mass * model.gravity().norm();
            close(label, found, expected, 100.0 * epsilon * weight.max(1.0));
        }
        // Some hundred roundings along a chain of up to twenty joints.
        _ => close(label, found, expected, 100.0 * epsilon),
    }
}

/// Compares all calls for all robots, and returns how many results there are, and how many are
/// missing.
fn compare<T: Precision + Into<f64>>() -> (usize, usize) {
    let (mut all, mut missing) = (0, 0);
    for (model, seed) in robots() {
        let states = states(&model, STATES);
        let mut batch = Batch::new(&model, 1).unwrap();
        let (results, statuses) = together(&mut batch, &Rows::<T>::of(&states));
        for (k, state) in states.iter().enumerate() {
            let expected = alone(&model, state);
            for (((name, found), status), (expected_name, expected)) in
                results.iter().zip(&statuses).zip(&expected)
            {
                assert_eq!(name, expected_name);
                all += 1;
                if status[k] == BatchStatus::SingularInertia {
                    missing += 1;
                    continue;
                }
                assert_eq!(status[k], BatchStatus::Solved);
                let found: Vec<f64> = row(found, states.len(), k)
                    .iter()
                    .map(|&x| x.into())
                    .collect();
                let label = format!("{name} of robot {seed}, state {k}");
                let state = (&model, state);
                judge((name, &label), state, &found, expected, T::EPSILON);
            }
        }
    }
    (all, missing)
}

#[test]
fn doubles_agree_with_single_states() {
    let (all, missing) = compare::<f64>();
    assert!(all > 1000 && missing == 0);
}

#[test]
fn singles_agree_with_doubles() {
    let (all, missing) = compare::<f32>();
    // Some matrices have pivots that only double precision can tell from zero.
    assert!(all > 1000 && missing * 100 < all, "{missing} of {all}");
}

/// Trees with long paths, whose mass matrices are filled in the frames of several regions.
#[test]
fn mass_matrices_of_deep_trees_agree_with_single_states() {
    for seed in 0..6 {
        let shape = RandomTree {
            joints: 40 + 10 * seed as usize,
            branching: 0.02 * seed as f64,
            every_kind: seed % 3 != 2,
            mimic_joints: false,
            floating: seed % 2 == 0,
        };
        let model = random_tree(700 + seed, &shape);
        let (nv, tree) = (model.nv(), kernel::elimination_tree(&model));
        let states = states(&model, STATES);
        let q: Vec<f64> = states.iter().flat_map(|s| s.q.clone()).collect();
        let mut packed = vec![0.0; states.len() * tree.tight_len()];
        let mut square = vec![0.0; states.len() * nv * nv];
        let mut status = vec![BatchStatus::default(); states.len()];
        let mut batch = Batch::<f64>::new(&model, 1).unwrap();
        assert_eq!(batch.crba_packed(&q, &mut packed, &mut status), Ok(0));
        assert_eq!(batch.crba(&q, &mut square, &mut status), Ok(0));
        let mut ws = Workspace::new(&model);
        for (n, state) in states.iter().enumerate() {
            let mass = model.crba(&mut ws, &state.q).unwrap();
            let packed = row(&packed, states.len(), n);
            let square = row(&square, states.len(), n);
            for k in 0..nv {
                for l in 0..nv {
                    // Some hundred roundings, relative to what the two coordinates' own inertias
                    // allow.
                    let bound = 1e-13 * (mass[(k, k)] * mass[(l, l)]).sqrt();
                    let label = format!("seed {seed}, element {k}, {l}");
                    assert!((square[k * nv + l] - mass[(k, l)]).abs() < bound, "{label}");
                    if l == k || tree.ancestors(k).any(|a| a == l) {
                        let element = packed[tree.tight_place(k, l)];
                        assert!((element - mass[(k, l)]).abs() < bound, "{label}");
                    }
                }
            }
        }
    }
}

/// The inverse of the mass matrix by the model's own method.
struct Inverse;

impl Algorithm for Inverse {
    #[inline(always)]
    fn run<S: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        inputs: &[&[S]],
        results: &mut [&mut [S]],
    ) -> Result<(), Error> {
        let inverse = model.mass_matrix_inverse(ws, inputs[0])?;
        results[0].copy_from_slice(inverse.as_slice());
        Ok(())
    }
}

/// Of long chains the recursion finds the inverse, four columns at a time: with and without columns
/// that are left over.
#[test]
fn inverses_of_long_chains_are_inverses() {
    for links in [84, 101] {
        let model = snake(links);
        let states = states(&model, STATES);
        let mut batch = Batch::<f64>::new(&model, 1).unwrap();
        let q: Vec<f64> = states.iter().flat_map(|state| &state.q).copied().collect();
        let elements = links * links;
        let mut found = vec![0.0; states.len() * elements];
        let mut status = vec![BatchStatus::default(); states.len()];
        let failed = batch.mass_matrix_inverse(&q, &mut found, &mut status);
        assert_eq!(failed.unwrap(), 0);
        for (state, found) in states.iter().zip(found.chunks(elements)) {
            let label = format!("{links} links");
            let case = ("mass_matrix_inverse", &label[..]);
            judge(case, (&model, state), found, &[], f64::EPSILON);
        }
        let mut by_method = vec![0.0; found.len()];
        let failed = batch.evaluate(&Inverse, [&q], [&mut by_method], &mut status);
        assert_eq!(failed.unwrap(), 0);
        assert!(by_method == found, "{links} links: the two ways differ");
    }
}
