//! Spatial quantities as 6×6 matrices, and the order \[angular; linear\].
//!
//! Matrices are given by rows. Featherstone (2008) and the sparse-system literature put the angular
//! part first; here the linear part is first, and the named conversions below are the only place
//! where the other order appears.

use super::{ArticulatedInertia, DynamicParameters, Inertia, Mat3, Motion, Sym3, Vec3};
use crate::scalar::Scalar;

/// A 6×6 matrix in the other order: of \[angular; linear\] if it was \[linear; angular\], and the
/// reverse.
///
/// ```
/// use featherline::spatial::{Se3, Vec3, swap_linear_angular};
///
/// let m = Se3::from_translation(Vec3::new(1.0, 2.0, 3.0));
/// let featherstone = swap_linear_angular(&m.action_matrix());
/// assert_eq!(featherstone[4][0], 3.0);
/// assert_eq!(swap_linear_angular(&featherstone), m.action_matrix());
/// ```
#[inline(always)]
pub fn swap_linear_angular<S: Scalar>(rows: &[[S; 6]; 6]) -> [[S; 6]; 6] {
    let mut swapped = *rows;
    for i in 0..6 {
        for j in 0..6 {
            swapped[i][j] = rows[(i + 3) % 6][(j + 3) % 6];
        }
    }
    swapped
}

/// The rows of \[a b; c d\].
#[inline(always)]
pub(super) fn blocks<S: Scalar>(a: &Mat3<S>, b: &Mat3<S>, c: &Mat3<S>, d: &Mat3<S>) -> [[S; 6]; 6] {
    let (a, b, c, d) = (a.to_rows(), b.to_rows(), c.to_rows(), d.to_rows());
    let mut rows = [[S::zero(); 6]; 6];
    for i in 0..3 {
        for j in 0..3 {
            rows[i][j] = a[i][j];
            rows[i][j + 3] = b[i][j];
            rows[i + 3][j] = c[i][j];
            rows[i + 3][j + 3] = d[i][j];
        }
    }
    rows
}

/// The 3×3 block of a matrix whose first element is (`row`, `column`).
#[inline(always)]
fn block<S: Scalar>(rows: &[[S; 6]; 6], row: usize, column: usize) -> Mat3<S> {
    let mut m = [[S::zero(); 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            m[i][j] = rows[row + i][column + j];
        }
    }
    Mat3::from_rows(m)
}

impl<S: Scalar> Motion<S> {
    /// The matrix of `self ×` on motions: \[ω× v×; 0 ω×\] (Featherstone 2008, eq. 2.31).
    pub fn cross_matrix(&self) -> [[S; 6]; 6] {
        let (v, w) = (Mat3::skew(self.linear), Mat3::skew(self.angular));
        blocks(&w, &v, &Mat3::zero(), &w)
    }

    /// The matrix of `self ×*` on forces: \[ω× 0; v× ω×\], minus the transpose of
    /// [`Motion::cross_matrix`] (Featherstone 2008, eq. 2.32).
    pub fn cross_force_matrix(&self) -> [[S; 6]; 6] {
        let (v, w) = (Mat3::skew(self.linear), Mat3::skew(self.angular));
        blocks(&w, &Mat3::zero(), &v, &w)
    }
}

impl<S: Scalar> ArticulatedInertia<S> {
    /// The 6×6 matrix \[M H; Hᵀ J\].
    pub fn to_matrix(&self) -> [[S; 6]; 6] {
        let (linear, angular) = (self.linear.to_mat(), self.angular.to_mat());
        blocks(
            &linear,
            &self.coupling,
            &self.coupling.transpose(),
            &angular,
        )
    }

    /// The inertia with the given symmetric matrix \[M H; Hᵀ J\], of which the upper triangle is
    /// read.
    pub fn from_matrix(rows: &[[S; 6]; 6]) -> Self {
        Self {
            linear: Sym3::from_upper(&block(rows, 0, 0)),
            coupling: block(rows, 0, 3),
            angular: Sym3::from_upper(&block(rows, 3, 3)),
        }
    }
}

impl<S: Scalar> DynamicParameters<S> {
    /// The 6×6 matrix \[m 1, −h×; h×, J\].
    pub fn to_matrix(&self) -> [[S; 6]; 6] {
        self.to_articulated().to_matrix()
    }

    /// The parameters of a rigid body's matrix \[m 1, −h×; h×, J\].
    ///
    /// Ten of its elements say all: m is the first one, h is read from the lower left block, J from
    /// the upper triangle of the lower right one. What a rigid body's matrix repeats or leaves zero
    /// is not looked at.
    pub fn from_matrix(rows: &[[S; 6]; 6]) -> Self {
        Self {
            mass: rows[0][0],
            first_moment: Vec3::new(rows[5][1], rows[3][2], rows[4][0]),
            second_moment: Sym3::from_upper(&block(rows, 3, 3)),
        }
    }

    /// The numbers m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz, the order of Pinocchio's
    /// `toDynamicParameters`.
    ///
    /// ```
    /// use featherline::spatial::{Inertia, Vec3};
    ///
    /// let p = Inertia::point_mass(2.0, Vec3::new(0.0, 0.0, 3.0)).to_parameters();
    /// assert_eq!(p.to_array(), [2.0, 0.0, 0.0, 6.0, 18.0, 0.0, 18.0, 0.0, 0.0, 0.0]);
    /// ```
    #[inline(always)]
    pub fn to_array(&self) -> [S; 10] {
        let [x, y, z] = self.first_moment.to_array();
        let [xx, xy, xz, yy, yz, zz] = self.second_moment.to_elements();
        [self.mass, x, y, z, xx, xy, yy, xz, yz, zz]
    }

    /// The parameters from the numbers of [`DynamicParameters::to_array`].
    #[inline(always)]
    pub fn from_array([mass, hx, hy, hz, xx, xy, yy, xz, yz, zz]: [S; 10]) -> Self {
        Self {
            mass,
            first_moment: Vec3::new(hx, hy, hz),
            second_moment: Sym3::new(xx, xy, xz, yy, yz, zz),
        }
    }
}

impl<S: Scalar> Inertia<S> {
    /// The 6×6 matrix \[m 1, −m c×; m c×, I − m c× c×\].
    pub fn to_matrix(&self) -> [[S; 6]; 6] {
        self.to_parameters().to_matrix()
    }

    /// The inertia of a rigid body's matrix, read as by [`DynamicParameters::from_matrix`]; for a
    /// massless body as in [`Inertia::from_parameters`].
    pub fn from_matrix(rows: &[[S; 6]; 6]) -> Self {
        Self::from_parameters(&DynamicParameters::from_matrix(rows))
    }
}
