//! Derivatives against dual numbers, on random trees with every kind of joint and mimic joints.

mod dynamics;
mod external_forces;
mod kinematics;

use crate::common::{Rate, State, changing, moving};
use featherline::Model;
use nalgebra::DMatrix;

/// Rounding of some thousand operations, relative to the greatest entry.
pub const TOLERANCE: f64 = 1e-10;

/// The variable of a derivative.
#[derive(Clone, Copy, Debug)]
pub enum By {
    Q,
    V,
    A,
}

/// The Jacobian of a function of a state, by dual numbers along each direction of the tangent
/// space.
pub fn by_duals(
    model: &Model,
    state: &State,
    by: By,
    mut function: impl FnMut(&[Rate], &[Rate], &[Rate]) -> Vec<Rate>,
) -> DMatrix<f64> {
    let n = model.nv();
    let still = vec![0.0; n];
    let columns: Vec<_> = (0..n)
        .map(|k| {
            let mut direction = still.clone();
            direction[k] = 1.0;
            let along = |own: bool| if own { &direction } else { &still };
            let q = moving(model, &state.q, along(matches!(by, By::Q)));
            let v = changing(&state.v, along(matches!(by, By::V)));
            let a = changing(&state.a, along(matches!(by, By::A)));
            let values: Vec<f64> = function(&q, &v, &a).iter().map(|x| x.tangent[0]).collect();
            nalgebra::DVector::from_vec(values)
        })
        .collect();
    DMatrix::from_columns(&columns)
}

/// A step of one coordinate.
pub fn forward(nv: usize, k: usize, step: f64) -> Vec<f64> {
    let mut steps = vec![0.0; nv];
    steps[k] = step;
    steps
}
