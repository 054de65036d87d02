//! The Coriolis matrix, on random trees with every kind of joint.

use crate::common::{Rate, State, close, models, moving};
use featherline::samples::{RandomTree, random_tree};
use featherline::{Model, Workspace};
use nalgebra::{DMatrix, DVector};

/// Rounding of some hundred operations, relative to the greatest entry.
const TOLERANCE: f64 = 1e-11;

/// The time derivative of the mass matrix by dual numbers.
fn mass_matrix_rate(model: &Model, q: &[f64], v: &[f64]) -> DMatrix<f64> {
    let mut ws = Workspace::<Rate>::new(model);
    let mass = model.crba(&mut ws, &moving(model, q, v)).unwrap();
    mass.map(|element| element.tangent[0])
}

#[test]
fn product_with_the_velocity_is_the_bias_without_gravity() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let bias = model.bias(&mut ws, &s.q, &s.v).unwrap().to_vec();
        let gravity = model.gravity_torque(&mut ws, &s.q).unwrap().to_vec();
        let coriolis = model.coriolis_matrix(&mut ws, &s.q, &s.v).unwrap();
        let found = coriolis * DVector::from_column_slice(&s.v) + DVector::from_vec(gravity);
        close("C v + g", found.as_slice(), &bias, TOLERANCE);
    }
}

#[test]
fn symmetric_part_is_half_the_rate_of_the_mass_matrix() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let rate = mass_matrix_rate(&model, &s.q, &s.v);
        let coriolis = model.coriolis_matrix(&mut ws, &s.q, &s.v).unwrap();
        let sum = coriolis + coriolis.transpose();
        close("C + Cᵀ", sum.as_slice(), rate.as_slice(), TOLERANCE);
    }
}

/// With velocities that are the coordinates' rates, the elements are sums of Christoffel symbols:
/// C_ij = ½ Σ_k (∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_jk/∂q_i) v_k.
#[test]
fn elements_are_christoffel_symbols_of_vector_spaces() {
    for seed in 0..10 {
        let shape = RandomTree {
            joints: 6,
            every_kind: false,
            ..Default::default()
        };
        let model = random_tree(seed, &shape);
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let n = model.nv();
        let gradient: Vec<DMatrix<f64>> = (0..n)
            .map(|k| {
                let mut direction = vec![0.0; n];
                direction[k] = 1.0;
                mass_matrix_rate(&model, &s.q, &direction)
            })
            .collect();
        let expected = DMatrix::from_fn(n, n, |i, j| {
            let symbol = |k: usize| gradient[k][(i, j)] + gradient[j][(i, k)] - gradient[i][(j, k)];
            0.5 * (0..n).map(|k| symbol(k) * s.v[k]).sum::<f64>()
        });
        let coriolis = model.coriolis_matrix(&mut ws, &s.q, &s.v).unwrap();
        close("C", coriolis.as_slice(), expected.as_slice(), TOLERANCE);
    }
}

#[test]
fn accuracy_does_not_depend_on_where_the_robot_stands() {
    let shape = RandomTree {
        joints: 10,
        floating: true,
        ..Default::default()
    };
    let model = random_tree(3, &shape);
    let mut ws = Workspace::new(&model);
    let mut s = State::random(&model, 3);
    let near = model.coriolis_matrix(&mut ws, &s.q, &s.v).unwrap().clone();
    for x in &mut s.q[..3] {
        *x += 1e6;
    }
    let far = model.coriolis_matrix(&mut ws, &s.q, &s.v).unwrap();
    // The coordinates themselves lose six digits, the matrix must not lose any: it does not depend
    // on the position.
    close("C", far.as_slice(), near.as_slice(), 1e-13);
}
