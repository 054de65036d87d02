//! Jacobians of integrate and difference against forward derivatives.

use super::kinds::*;
use featherline::joint::JointKind;
use nalgebra::DMatrix;

/// Roundings of numbers up to about ten: inverse Jacobians near half a turn have elements of that
/// size.
const ROUNDING: f64 = 2e-13;

fn unit(size: usize, index: usize) -> Vec<f64> {
    (0..size)
        .map(|i| if i == index { 1.0 } else { 0.0 })
        .collect()
}

fn column(matrix: &DMatrix<f64>, index: usize) -> Vec<f64> {
    matrix.column(index).iter().copied().collect()
}

/// Pairs of a configuration and a velocity, from no motion to almost half a turn.
fn steps(kind: &JointKind, seed: u64) -> Vec<(Vec<f64>, Vec<f64>)> {
    let mut rng = rng(seed);
    let velocities = velocities(kind, &mut rng);
    velocities
        .into_iter()
        .map(|v| (configuration(kind, &mut rng), v))
        .collect()
}

#[test]
fn of_integrate_by_the_configuration() {
    for kind in all_kinds() {
        let nv = kind.nv();
        for (q, v) in steps(&kind, 21) {
            let mut jacobian = DMatrix::from_element(nv, nv, f64::NAN);
            kind.d_integrate_dq(&v, &mut jacobian.as_view_mut());
            for k in 0..nv {
                let reached = integrate(&kind, &moving(&kind, &q, &unit(nv, k)), &fixed(&v));
                let expected = moving(&kind, &values(&reached), &column(&jacobian, k));
                let error = gap(&tangents(&reached), &tangents(&expected));
                assert!(error < ROUNDING, "{kind:?} {v:?}: {error:e}");
            }
        }
    }
}

#[test]
fn of_integrate_by_the_velocity() {
    for kind in all_kinds() {
        let nv = kind.nv();
        for (q, v) in steps(&kind, 22) {
            let mut jacobian = DMatrix::from_element(nv, nv, f64::NAN);
            kind.d_integrate_dv(&v, &mut jacobian.as_view_mut());
            for k in 0..nv {
                let mut varied = fixed(&v);
                varied[k].tangent[0] = 1.0;
                let reached = integrate(&kind, &fixed(&q), &varied);
                let expected = moving(&kind, &values(&reached), &column(&jacobian, k));
                let error = gap(&tangents(&reached), &tangents(&expected));
                assert!(error < ROUNDING, "{kind:?} {v:?}: {error:e}");
            }
        }
    }
}

#[test]
fn of_difference_by_both_ends() {
    for kind in all_kinds() {
        let nv = kind.nv();
        for (q0, v) in steps(&kind, 23) {
            let q1 = integrate(&kind, &q0, &v);
            let mut by_start = DMatrix::from_element(nv, nv, f64::NAN);
            let mut by_end = DMatrix::from_element(nv, nv, f64::NAN);
            kind.d_difference_dq0(&q0, &q1, &mut by_start.as_view_mut());
            kind.d_difference_dq1(&q0, &q1, &mut by_end.as_view_mut());
            for k in 0..nv {
                let direction = unit(nv, k);
                let start_moves = difference(&kind, &moving(&kind, &q0, &direction), &fixed(&q1));
                let error = gap(&tangents(&start_moves), &column(&by_start, k));
                assert!(error < ROUNDING, "{kind:?} {v:?}: {error:e}");
                let end_moves = difference(&kind, &fixed(&q0), &moving(&kind, &q1, &direction));
                let error = gap(&tangents(&end_moves), &column(&by_end, k));
                assert!(error < ROUNDING, "{kind:?} {v:?}: {error:e}");
            }
        }
    }
}

#[test]
fn of_difference_undo_those_of_integrate() {
    for kind in all_kinds() {
        let nv = kind.nv();
        for (q, v) in steps(&kind, 24) {
            let reached = integrate(&kind, &q, &v);
            let matrices = [0; 4].map(|_| DMatrix::zeros(nv, nv));
            let [mut by_q, mut by_v, mut by_start, mut by_end] = matrices;
            kind.d_integrate_dq(&v, &mut by_q.as_view_mut());
            kind.d_integrate_dv(&v, &mut by_v.as_view_mut());
            kind.d_difference_dq0(&q, &reached, &mut by_start.as_view_mut());
            kind.d_difference_dq1(&q, &reached, &mut by_end.as_view_mut());
            // difference(q, integrate(q, v)) = v for all q and v.
            let along_v = &by_end * &by_v - DMatrix::identity(nv, nv);
            let along_q = &by_end * &by_q + &by_start;
            assert!(
                along_v.amax() < ROUNDING,
                "{kind:?} {v:?}: {:e}",
                along_v.amax()
            );
            assert!(
                along_q.amax() < ROUNDING,
                "{kind:?} {v:?}: {:e}",
                along_q.amax()
            );
        }
    }
}
