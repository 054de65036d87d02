//! Whether an inertia can be that of a real body.
//!
//! A distribution of positive mass has a positive mass and principal moments J₁ ≤ J₂ ≤ J₃, all
//! nonnegative, with J₁ + J₂ ≥ J₃; and every such inertia has a distribution (P. Wensing, S. Kim
//! and J.-J. Slotine, *Linear matrix inequalities for physically consistent inertial parameter
//! identification*, 2018).

use super::{DynamicParameters, Inertia, Sym3, Vec3};
use crate::scalar::Scalar;
use nalgebra::Matrix3;

impl Sym3<f64> {
    /// The eigenvalues, smallest first; NaN if an element is not finite.
    ///
    /// ```
    /// use featherline::spatial::Sym3;
    ///
    /// let m = Sym3::new(2.0, 1.0, 0.0, 2.0, 0.0, 7.0);
    /// let [a, b, c] = m.eigenvalues();
    /// assert!((a - 1.0).abs() + (b - 3.0).abs() + (c - 7.0).abs() < 1e-14);
    /// ```
    pub fn eigenvalues(&self) -> [f64; 3] {
        if !self.to_elements().iter().all(|e| e.is_finite()) {
            return [f64::NAN; 3];
        }
        let mut values: [f64; 3] = Matrix3::from(self.to_mat()).symmetric_eigenvalues().into();
        values.sort_by(f64::total_cmp);
        values
    }
}

impl Inertia<f64> {
    /// The principal moments of inertia about the centre of mass, smallest first, in kg·m².
    pub fn principal_moments(&self) -> [f64; 3] {
        self.rotational.eigenvalues()
    }

    /// Whether no motion has negative kinetic energy: neither the mass nor a principal moment is
    /// negative, the moments up to `tolerance` times the largest. False if a number is not finite.
    pub fn is_positive_semidefinite(&self, tolerance: f64) -> bool {
        let [smallest, _, largest] = self.principal_moments();
        self.com.is_finite()
            && self.mass.is_finite()
            && self.mass >= 0.0
            && smallest >= -tolerance * largest.abs()
    }

    /// Whether each principal moment is at most the sum of the two others, up to `tolerance` times
    /// the largest. A body for which this fails would need negative mass somewhere. False if a
    /// moment is not finite.
    ///
    /// ```
    /// use featherline::spatial::{Inertia, Sym3, Vec3};
    ///
    /// let plate = Inertia::cuboid(1.0, Vec3::new(0.3, 0.2, 0.0));
    /// assert!(plate.satisfies_triangle_inequality(1e-12));
    /// let impossible = Inertia::new(1.0, Vec3::zero(), Sym3::diagonal(Vec3::new(1.0, 1.0, 2.5)));
    /// assert!(!impossible.satisfies_triangle_inequality(1e-12));
    /// ```
    pub fn satisfies_triangle_inequality(&self, tolerance: f64) -> bool {
        let [smallest, middle, largest] = self.principal_moments();
        smallest + middle - largest >= -tolerance * largest.abs()
    }
}

impl<S: Scalar> DynamicParameters<S> {
    /// The pseudo-inertia \[Σ h; hᵀ m\] with Σ = ½ tr(J) 1 − J, the second moments of mass: the
    /// body is physically consistent exactly when this 4×4 matrix is positive semidefinite
    /// (Wensing, Kim and Slotine 2018).
    pub fn pseudo_inertia(&self) -> [[S; 4]; 4] {
        let (h, j) = (self.first_moment, &self.second_moment);
        let half = j.trace() * S::constant(0.5);
        [
            [half - j.xx(), -j.xy(), -j.xz(), h.x],
            [-j.xy(), half - j.yy(), -j.yz(), h.y],
            [-j.xz(), -j.yz(), half - j.zz(), h.z],
            [h.x, h.y, h.z, self.mass],
        ]
    }

    /// The parameters of a pseudo-inertia, of which the upper triangle is read: J = tr(Σ) 1 − Σ.
    ///
    /// ```
    /// use featherline::spatial::{DynamicParameters, Inertia, Vec3};
    ///
    /// let p = Inertia::point_mass(2.0, Vec3::new(0.5, 0.0, 3.0)).to_parameters();
    /// assert_eq!(DynamicParameters::from_pseudo_inertia(&p.pseudo_inertia()), p);
    /// ```
    pub fn from_pseudo_inertia(rows: &[[S; 4]; 4]) -> Self {
        let [
            [xx, xy, xz, hx],
            [_, yy, yz, hy],
            [_, _, zz, hz],
            [.., mass],
        ] = *rows;
        Self {
            mass,
            first_moment: Vec3::new(hx, hy, hz),
            second_moment: Sym3::new(yy + zz, -xy, -xz, xx + zz, -yz, xx + yy),
        }
    }
}
