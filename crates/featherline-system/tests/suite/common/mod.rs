//! Robots, states, and a dense solution to compare with.

use featherline::Model;
use featherline::samples::{RandomTree, random_tree};
use featherline_system::{AssemblyMemory, System};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Random trees with every kind of joint, mimic joints, and floating bases among them.
pub fn trees() -> impl Iterator<Item = (Model, u64)> {
    (0..40).map(|seed| {
        let shape = RandomTree {
            joints: 1 + (seed as usize * 5) % 12,
            branching: (seed % 5) as f64 / 4.0,
            every_kind: seed % 4 != 0,
            mimic_joints: seed % 2 == 1,
            floating: seed % 3 == 0,
        };
        (random_tree(seed, &shape), seed)
    })
}

/// Every embedded robot but the snake, whose dense matrix would be large.
pub fn robots() -> impl Iterator<Item = Model> {
    featherline_robots::ROBOTS.iter().map(|robot| {
        let options =
            featherline_formats::LoadOptions::default().floating_base(robot.floating_base);
        featherline_robots::model(robot.name, &options).expect("an embedded robot")
    })
}

/// A random state.
pub struct State {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
    pub tau: Vec<f64>,
}

impl State {
    pub fn random(model: &Model, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5eed);
        let q = model.random_configuration(&mut rng);
        let mut tangent = || {
            (0..model.nv())
                .map(|_| rng.random_range(-1.0..1.0))
                .collect()
        };
        Self {
            v: tangent(),
            a: tangent(),
            tau: tangent(),
            q,
        }
    }
}

/// The entries of the matrix, in the pattern's order, and the right-hand side.
pub fn assemble(system: &System, q: &[f64], v: &[f64], inputs: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let pattern = system.sparsity();
    let mut values = vec![f64::NAN; pattern.entries()];
    let mut rhs = vec![f64::NAN; pattern.rows()];
    let mut memory = AssemblyMemory::new(system);
    system
        .assemble(&mut memory, q, v, inputs, &mut values, &mut rhs)
        .expect("a valid state");
    (values, rhs)
}

/// The matrix and the right-hand side as dense ones.
pub fn dense(
    system: &System,
    q: &[f64],
    v: &[f64],
    inputs: &[f64],
) -> (DMatrix<f64>, DVector<f64>) {
    let pattern = system.sparsity();
    let (values, rhs) = assemble(system, q, v, inputs);
    let mut matrix = DMatrix::zeros(pattern.rows(), pattern.columns());
    for ((row, column), value) in pattern.iter().zip(values) {
        matrix[(row, column)] = value;
    }
    (matrix, DVector::from_vec(rhs))
}

/// The solution of a square system by dense elimination with pivoting.
pub fn solve(system: &System, q: &[f64], v: &[f64], inputs: &[f64]) -> Vec<f64> {
    let (matrix, rhs) = dense(system, q, v, inputs);
    let solution = matrix.lu().solve(&rhs).expect("a regular matrix");
    solution.as_slice().to_vec()
}

/// Fails unless two vectors agree within a tolerance relative to the larger one's greatest entry
/// (or to one).
pub fn close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}: lengths");
    let scale = expected.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    for (k, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!(
            (f - e).abs() <= tolerance * scale,
            "{what}[{k}]: found {f}, expected {e}, scale {scale}"
        );
    }
}
