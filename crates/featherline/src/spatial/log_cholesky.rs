//! Ten numbers for the inertia of a body, of which any are those of a body that can be.

use super::{DynamicParameters, Vec3};
use thiserror::Error;

/// The log-Cholesky parameters of a body (C. Rucker and P. Wensing, *Smooth parameterization of
/// rigid-body inertia*, IEEE Robotics and Automation Letters, 2022).
///
/// The pseudo-inertia of the body is P = U Uᵀ with the triangular factor
///
/// U = exp(α) \[exp(d₁) s₁₂ s₁₃ t₁; 0 exp(d₂) s₂₃ t₂; 0 0 exp(d₃) t₃; 0 0 0 1\].
///
/// Each ten finite numbers give a positive definite P, and each positive definite P has them once.
/// Therefore an identification that seeks them needs no constraints to find a physically consistent
/// body.
///
/// ```
/// use featherline::spatial::{Inertia, LogCholesky, Vec3};
///
/// let brick = Inertia::cuboid(2.0, Vec3::new(0.1, 0.2, 0.3)).to_parameters();
/// let mut free = LogCholesky::from_parameters(&brick)?;
/// free.d.x += 0.1;
/// free.com.z -= 5.0;
/// let other = free.to_parameters();
/// assert!(other.consistency_fault().is_none());
/// assert!((other.mass - 2.0).abs() < 1e-14 && (other.first_moment.z + 10.0).abs() < 1e-14);
/// # Ok::<(), featherline::spatial::InertiaFault>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogCholesky {
    /// Half the logarithm of the mass in kg.
    pub alpha: f64,
    /// The logarithms d₁, d₂ and d₃ of the factor's diagonal.
    pub d: Vec3<f64>,
    /// The factor's entries s₁₂, s₂₃ and s₁₃.
    pub s: Vec3<f64>,
    /// The factor's entries t₁, t₂ and t₃: the centre of mass, in m.
    pub com: Vec3<f64>,
}

/// Why ten dynamic parameters are those of no body.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum InertiaFault {
    /// The mass of a body is positive.
    #[error("its mass is {mass} kg, and that of a body is positive")]
    Mass {
        /// The mass, in kg.
        mass: f64,
    },
    /// The pseudo-inertia of a body that is neither flat nor a point is positive definite.
    #[error(
        "its pseudo-inertia is not positive definite: pivot {row} of the elimination from below is \
         {pivot}, and that of a body is positive"
    )]
    Pivot {
        /// The row of the pivot, from 1.
        row: usize,
        /// The pivot, in kg·m².
        pivot: f64,
    },
}

/// Where the numbers d, s and t are in the factor, in their order.
const ENTRIES: [(usize, usize); 9] = [
    (0, 0),
    (1, 1),
    (2, 2),
    (0, 1),
    (1, 2),
    (0, 2),
    (0, 3),
    (1, 3),
    (2, 3),
];

impl LogCholesky {
    /// The numbers α, d₁, d₂, d₃, s₁₂, s₂₃, s₁₃, t₁, t₂, t₃.
    pub fn to_array(self) -> [f64; 10] {
        let [d, s, t] = [self.d, self.s, self.com].map(Vec3::to_array);
        [
            self.alpha, d[0], d[1], d[2], s[0], s[1], s[2], t[0], t[1], t[2],
        ]
    }

    /// The parameters from the numbers of [`LogCholesky::to_array`].
    pub fn from_array([alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3]: [f64; 10]) -> Self {
        Self {
            alpha,
            d: Vec3::new(d1, d2, d3),
            s: Vec3::new(s12, s23, s13),
            com: Vec3::new(t1, t2, t3),
        }
    }

    /// exp(α), and the factor without it.
    fn factor(self) -> (f64, [[f64; 4]; 4]) {
        let mut factor = [[0.0; 4]; 4];
        let numbers = self.to_array();
        for (&(i, j), number) in ENTRIES.iter().zip(&numbers[1..]) {
            factor[i][j] = if i == j { number.exp() } else { *number };
        }
        factor[3][3] = 1.0;
        (self.alpha.exp(), factor)
    }

    /// The dynamic parameters of the body.
    pub fn to_parameters(self) -> DynamicParameters<f64> {
        let (scale, u) = self.factor();
        let entry = |i: usize, j: usize| {
            let products = u[i].iter().zip(&u[j]).map(|(a, b)| a * b);
            scale * scale * products.sum::<f64>()
        };
        let rows = std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)));
        DynamicParameters::from_pseudo_inertia(&rows)
    }

    /// The log-Cholesky parameters of a body: its pseudo-inertia is eliminated from the last row
    /// up.
    ///
    /// # Errors
    /// [`InertiaFault`] unless the pseudo-inertia is positive definite. That of a point, or of a
    /// flat body, is not: its second moment of mass across itself is zero.
    pub fn from_parameters(parameters: &DynamicParameters<f64>) -> Result<Self, InertiaFault> {
        let p = parameters.pseudo_inertia();
        let mut u = [[0.0_f64; 4]; 4];
        for j in (0..4).rev() {
            let rest = |u: &[[f64; 4]; 4], i: usize| {
                let known = (j + 1..4).map(|k| u[i][k] * u[j][k]);
                p[i][j] - known.sum::<f64>()
            };
            let pivot = rest(&u, j);
            if !(pivot.is_finite() && pivot > 0.0) {
                return Err(match j {
                    3 => InertiaFault::Mass { mass: pivot },
                    j => InertiaFault::Pivot { row: j + 1, pivot },
                });
            }
            u[j][j] = pivot.sqrt();
            for i in 0..j {
                u[i][j] = rest(&u, i) / u[j][j];
            }
        }
        let scale = u[3][3];
        let mut numbers = [scale.ln(); 10];
        for (number, &(i, j)) in numbers[1..].iter_mut().zip(&ENTRIES) {
            let entry = u[i][j] / scale;
            *number = if i == j { entry.ln() } else { entry };
        }
        Ok(Self::from_array(numbers))
    }

    /// The derivative of the dynamic parameters by the log-Cholesky parameters: a row for each of
    /// the numbers of [`DynamicParameters::to_array`], a column for each of those of
    /// [`LogCholesky::to_array`].
    ///
    /// The parameters are linear in P, whose derivative is dU Uᵀ + U dUᵀ: by α it is 2 P, and by
    /// another number dU has one entry.
    ///
    /// ```
    /// use featherline::spatial::LogCholesky;
    ///
    /// let free = LogCholesky::from_array([0.3, -2.0, -1.5, -1.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    /// let (mass, by_alpha) = (free.to_parameters().mass, free.jacobian()[0][0]);
    /// assert!((by_alpha - 2.0 * mass).abs() < 1e-14);
    /// ```
    pub fn jacobian(self) -> [[f64; 10]; 10] {
        let (scale, u) = self.factor();
        let mut jacobian = [[0.0; 10]; 10];
        let mut set = |column: usize, of: [f64; 10]| {
            for (row, x) in jacobian.iter_mut().zip(of) {
                row[column] = x;
            }
        };
        set(0, self.to_parameters().to_array().map(|x| 2.0 * x));
        for (k, &(i, j)) in ENTRIES.iter().enumerate() {
            let rate = scale * scale * if i == j { u[i][j] } else { 1.0 };
            let mut rows = [[0.0; 4]; 4];
            for l in 0..4 {
                rows[i][l] += rate * u[l][j];
                rows[l][i] += rate * u[l][j];
            }
            set(
                k + 1,
                DynamicParameters::from_pseudo_inertia(&rows).to_array(),
            );
        }
        jacobian
    }
}

impl DynamicParameters<f64> {
    /// The reason why no body of positive density has these parameters; none where one has.
    ///
    /// Points and flat bodies, whose density is not finite, are at the border and may be on either
    /// side by rounding; [`Inertia::satisfies_triangle_inequality`] has a tolerance for them.
    ///
    /// [`Inertia::satisfies_triangle_inequality`]: super::Inertia::satisfies_triangle_inequality
    ///
    /// ```
    /// use featherline::spatial::{DynamicParameters, InertiaFault};
    ///
    /// // Of 1 kg with moments 1, 1 and 3 kg·m²: that is more than the two others together.
    /// let numbers = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 3.0];
    /// let fault = DynamicParameters::from_array(numbers).consistency_fault();
    /// assert_eq!(fault, Some(InertiaFault::Pivot { row: 3, pivot: -0.5 }));
    /// ```
    pub fn consistency_fault(&self) -> Option<InertiaFault> {
        LogCholesky::from_parameters(self).err()
    }
}
