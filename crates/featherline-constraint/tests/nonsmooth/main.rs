//! The solver of constraints with sets, on problems whose solutions are known or checked by the
//! laws themselves.

mod cone_problems;
mod rigid_bodies;

use featherline::model::EliminationTree;
use featherline::spatial::Vec3;
use featherline_constraint::nonsmooth::{Law, Rows, Set};

/// The axes of the world.
pub fn axes() -> [Vec3<f64>; 3] {
    [0, 1, 2].map(Vec3::unit)
}

/// The tree of a dense matrix, and the matrix packed along it.
pub fn packed(dense: &nalgebra::DMatrix<f64>) -> (EliminationTree, Vec<f64>) {
    let n = dense.nrows();
    let parents = (0..n).map(|k| k.checked_sub(1)).collect();
    let tree = EliminationTree::new(parents).unwrap();
    let mut packed = vec![0.0; tree.tight_len()];
    for k in 0..n {
        for i in 0..=k {
            packed[tree.tight_place(k, i)] = dense[(k, i)];
        }
    }
    (tree, packed)
}

/// Rows of contacts, three of a dense Jacobian each.
pub fn contacts(jacobian: &nalgebra::DMatrix<f64>, bias: &[f64], friction: &[f64]) -> Rows {
    let mut rows = Rows::new();
    for (i, &friction) in friction.iter().enumerate() {
        let pair = rows.push_reading(3);
        for k in 0..jacobian.ncols() {
            let column: Vec<f64> = (0..3).map(|r| jacobian[(3 * i + r, k)]).collect();
            if column.iter().any(|x| *x != 0.0) {
                rows.push_column(k, [column[0], column[1], column[2], 0.0, 0.0, 0.0]);
            }
        }
        let mut law = Law::rigid(Set::Cone { friction });
        law.bias = [bias[3 * i], bias[3 * i + 1], bias[3 * i + 2]];
        rows.push_point(pair, axes(), Vec3::zero(), law);
    }
    rows
}

/// How far Signorini's condition and Coulomb's law are from holding at one contact, in m/s: of the
/// velocity u and the impulse λ, measured by the velocity w that a unit impulse gives.
pub fn violation(u: &[f64], lambda: &[f64], friction: f64, w: f64) -> f64 {
    let tangential = lambda[0].hypot(lambda[1]);
    let slip = u[0].hypot(u[1]);
    // λ in the cone, the contact not closing, and only one of the two.
    let mut worst = w * (tangential - friction * lambda[2]).max(0.0);
    worst = worst.max(-u[2]).max(w * (-lambda[2]).max(0.0));
    worst = worst.max(u[2].max(0.0).min(w * lambda[2].max(0.0)));
    // What slides is braked by all friction, against the slip: ‖λ_t‖ = μ λ_n where there is slip,
    // and u_t antiparallel to λ_t.
    let reserve = w * (friction * lambda[2] - tangential).max(0.0);
    worst = worst.max(reserve.min(slip));
    if w * tangential > worst && slip > worst {
        let along = (u[0] * lambda[0] + u[1] * lambda[1]) / tangential;
        worst = worst.max((slip + along).min(slip));
    }
    worst
}
