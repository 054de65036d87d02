//! Principal axes and moments of a symmetric matrix.

use featherline::spatial::{Mat3, Sym3};

/// The principal axes, as columns, and moments, by Jacobi's rotations (G. H. Golub, C. F. Van Loan,
/// *Matrix Computations*).
pub(crate) fn principal(m: &Sym3<f64>) -> (Mat3<f64>, [f64; 3]) {
    let mut a = m.to_mat().to_rows();
    let mut axes = Mat3::identity();
    // Each sweep squares what is left off the diagonal; a few reach rounding.
    for _ in 0..12 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q] == 0.0 {
                continue;
            }
            // tan θ solves t² + 2 τ t − 1 = 0 with τ = (a_qq − a_pp) / (2 a_pq).
            let tau = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = 1.0f64.copysign(tau) / (tau.abs() + tau.hypot(1.0));
            let cos = 1.0 / t.hypot(1.0);
            let sin = t * cos;
            let mut rotation = Mat3::identity().to_rows();
            (rotation[p][p], rotation[q][q]) = (cos, cos);
            (rotation[p][q], rotation[q][p]) = (sin, -sin);
            let rotation = Mat3::from_rows(rotation);
            // Jᵀ A J
            a = rotation
                .tr_mul_mat(&Mat3::from_rows(a))
                .mul_mat(&rotation)
                .to_rows();
            (a[p][q], a[q][p]) = (0.0, 0.0);
            axes = axes.mul_mat(&rotation);
        }
    }
    (axes, [a[0][0], a[1][1], a[2][2]])
}

#[cfg(test)]
mod tests {
    use super::principal;
    use featherline::spatial::{Sym3, Vec3};

    #[test]
    fn axes_and_moments_make_the_matrix_again() {
        let m = Sym3::new(2.0, -0.3, 0.7, 1.5, 0.2, 3.0);
        let (axes, [a, b, c]) = principal(&m);
        assert!(axes.is_rotation(1e-14));
        let again = Sym3::diagonal(Vec3::new(a, b, c)).conjugated_by(&axes);
        for (x, y) in m.to_elements().iter().zip(again.to_elements()) {
            assert!((x - y).abs() < 1e-14);
        }
        assert_eq!(principal(&Sym3::scalar(2.0)).1, [2.0; 3]);
    }
}
