//! The sets that impulses lie in, and the projections on them.

/// The set of impulses of a block of rows.
///
/// With the velocity u of the rows, its bias included, and the impulse λ, the law of each set is
/// −u ∈ N(λ), the normal cone of the set at λ. For a cone of friction u has μ‖u_t‖ added to its
/// normal part (G. De Saxcé and Z.-Q. Feng, "The bipotential method", Mathematical and Computer
/// Modelling 28, 1998): that is Signorini's condition with Coulomb's law, exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Set {
    /// Every number: u = 0. For loops, welds and locks; one row.
    Equality,
    /// λ ≥ 0, u ≥ 0, λ u = 0. For limits, stops and frictionless contact; one row.
    NonNegative,
    /// |λ| ≤ `bound`: u = 0 within, and u against λ at the bound. For dry friction of joints and for
    /// drives of limited effort; one row.
    Interval {
        /// The bound, in N·s or N·m·s.
        bound: f64,
    },
    /// ‖λ_t‖ ≤ μ λ_n: three rows, two tangential ones and the normal one.
    Cone {
        /// The coefficient of friction μ.
        friction: f64,
    },
}

/// The tangential speed in m/s or the impulse below which a direction has no meaning.
const NO_DIRECTION: f64 = 1e-150;

/// The length of (x, y). `hypot`, safe from overflow, is a call of five times the time.
#[inline(always)]
pub(super) fn norm(x: f64, y: f64) -> f64 {
    x.mul_add(x, y * y).sqrt()
}

/// Whether a point is in a cone; without friction that is a ray, and has no inside.
#[inline(always)]
fn is_inside(mu: f64, tangential: f64, normal: f64) -> bool {
    mu > 0.0 && tangential <= mu * normal
}

impl Set {
    /// How many rows a block has.
    #[inline(always)]
    pub fn rows(&self) -> usize {
        match self {
            Self::Cone { .. } => 3,
            Self::Equality | Self::NonNegative | Self::Interval { .. } => 1,
        }
    }

    /// The point of the set that is nearest to y. Entries beyond the set's rows are zero.
    #[inline(always)]
    pub(super) fn project(&self, y: [f64; 3]) -> [f64; 3] {
        match *self {
            Self::Equality => [y[0], 0.0, 0.0],
            Self::NonNegative => [y[0].max(0.0), 0.0, 0.0],
            Self::Interval { bound } => [y[0].clamp(-bound, bound), 0.0, 0.0],
            Self::Cone { friction: mu } => {
                let tangential = norm(y[0], y[1]);
                if is_inside(mu, tangential, y[2]) {
                    y
                } else if mu * tangential <= -y[2] {
                    [0.0; 3]
                } else {
                    // The nearest point of the generator: (μ t̂, 1) (μ‖y_t‖ + y_n)/(1 + μ²)
                    let normal = mu.mul_add(tangential, y[2]) / mu.mul_add(mu, 1.0);
                    let scale = mu * normal / tangential.max(f64::MIN_POSITIVE);
                    [scale * y[0], scale * y[1], normal]
                }
            }
        }
    }

    /// The derivative of the projection at y, in the order of the rows: one element of the
    /// generalised Jacobian where it has a kink. A. Castro et al., "An unconstrained convex
    /// formulation of compliant contact", IEEE Transactions on Robotics, 2022.
    #[inline(always)]
    pub(super) fn derivative(&self, y: [f64; 3]) -> [[f64; 3]; 3] {
        let mut d = [[0.0; 3]; 3];
        match *self {
            Self::Equality => d[0][0] = 1.0,
            Self::NonNegative => d[0][0] = f64::from(u8::from(y[0] > 0.0)),
            Self::Interval { bound } => d[0][0] = f64::from(u8::from(y[0].abs() < bound)),
            Self::Cone { friction: mu } => {
                let tangential = norm(y[0], y[1]);
                if is_inside(mu, tangential, y[2]) {
                    for (k, row) in d.iter_mut().enumerate() {
                        row[k] = 1.0;
                    }
                } else if mu * tangential > -y[2] {
                    // a aᵀ/(1 + μ²) + (μ λ_n/‖y_t‖)(I − t̂ t̂ᵀ), a = (μ t̂, 1)
                    let square = mu.mul_add(mu, 1.0);
                    let normal = mu.mul_add(tangential, y[2]) / square;
                    let tangential = tangential.max(f64::MIN_POSITIVE);
                    let t = [y[0] / tangential, y[1] / tangential];
                    let a = [mu * t[0], mu * t[1], 1.0];
                    for r in 0..3 {
                        for c in 0..3 {
                            d[r][c] = a[r] * a[c] / square;
                        }
                    }
                    let turn = mu * normal / tangential;
                    for r in 0..2 {
                        for c in 0..2 {
                            d[r][c] -= turn * t[r] * t[c];
                        }
                        d[r][r] += turn;
                    }
                }
            }
        }
        d
    }

    /// The set of σ λ_n in place of λ_n.
    #[inline(always)]
    fn stretched(&self, sigma: f64) -> Self {
        match *self {
            Self::Cone { friction } => Self::Cone {
                friction: friction / sigma,
            },
            Self::Equality | Self::NonNegative | Self::Interval { .. } => *self,
        }
    }

    /// The point of the set that is nearest to y in the norm with the weights 1, 1 and σ².
    #[inline(always)]
    pub(super) fn project_weighted(&self, y: [f64; 3], sigma: f64) -> [f64; 3] {
        let [x, y, normal] = self.stretched(sigma).project([y[0], y[1], sigma * y[2]]);
        [x, y, normal / sigma]
    }

    /// The derivative of that projection, times diag(1, 1, 1/σ²).
    #[inline(always)]
    pub(super) fn derivative_weighted(&self, y: [f64; 3], sigma: f64) -> [[f64; 3]; 3] {
        let mut d = self.stretched(sigma).derivative([y[0], y[1], sigma * y[2]]);
        for k in 0..3 {
            d[2][k] /= sigma;
            d[k][2] /= sigma;
        }
        d
    }

    /// μ‖u_t‖, which is added to the normal velocity of a contact, and its derivative by u_t.
    #[inline(always)]
    pub(super) fn correction(&self, u: [f64; 3]) -> (f64, [f64; 2]) {
        match *self {
            Self::Cone { friction: mu } => {
                let speed = norm(u[0], u[1]);
                if speed > NO_DIRECTION {
                    (mu * speed, [mu * u[0] / speed, mu * u[1] / speed])
                } else {
                    (0.0, [0.0; 2])
                }
            }
            Self::Equality | Self::NonNegative | Self::Interval { .. } => (0.0, [0.0; 2]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETS: [Set; 5] = [
        Set::Equality,
        Set::NonNegative,
        Set::Interval { bound: 0.4 },
        Set::Cone { friction: 0.7 },
        Set::Cone { friction: 0.0 },
    ];

    /// Points of all three regions of a cone, and of its axis.
    fn points() -> impl Iterator<Item = [f64; 3]> {
        let regions = (0..300).map(|k| {
            let k = f64::from(k);
            [(0.7 * k).sin(), (1.3 * k).cos(), (2.1 * k).sin() * 1.5]
        });
        regions.chain([[0.0, 0.0, -0.6], [0.0; 3], [0.0, 0.0, 0.3]])
    }

    #[test]
    fn projections_are_the_nearest_points() {
        for set in SETS {
            for y in points() {
                let p = set.project(y);
                let again = set.project(p);
                let rows = set.rows();
                for k in 0..rows {
                    assert!((p[k] - again[k]).abs() < 1e-15, "{set:?} {y:?}");
                }
                // (y − p)·(z − p) ≤ 0 for every z of the set: what projections are.
                for z in points().map(|z| set.project(z)) {
                    let dot: f64 = (0..rows).map(|k| (y[k] - p[k]) * (z[k] - p[k])).sum();
                    assert!(dot < 1e-14, "{set:?} {y:?} {z:?}: {dot}");
                }
            }
        }
    }

    /// (y − p) · W (z − p) ≤ 0 for every z of the set, with W = diag(1, 1, σ²); and the slopes are
    /// those of the derivative, whose normal column is divided by σ² besides.
    #[test]
    fn weighted_projections_are_nearest_in_their_norm() {
        let h = 1e-6;
        for (set, sigma) in SETS.into_iter().zip([1.0, 1.0, 1.0, 3.0, 7.0]) {
            let weights = [1.0, 1.0, sigma * sigma];
            for y in points().filter(|y| *y != [0.0; 3]) {
                let p = set.project_weighted(y, sigma);
                for z in points().map(|z| set.project(z)) {
                    let terms = (0..set.rows()).map(|k| weights[k] * (y[k] - p[k]) * (z[k] - p[k]));
                    let dot: f64 = terms.sum();
                    assert!(dot < 1e-13, "{set:?} {y:?} {z:?}: {dot}");
                }
                let d = set.derivative_weighted(y, sigma);
                for c in 0..set.rows() {
                    let (mut plus, mut minus) = (y, y);
                    plus[c] += h;
                    minus[c] -= h;
                    let own = |y| set.derivative_weighted(y, sigma);
                    if own(plus) != d && own(minus) == d {
                        continue; // a kink in between
                    }
                    let [plus, minus] = [plus, minus].map(|y| set.project_weighted(y, sigma));
                    for r in 0..set.rows() {
                        let slope = (plus[r] - minus[r]) / (2.0 * h) / weights[c];
                        assert!((slope - d[r][c]).abs() < 1e-5, "{set:?} {y:?} {r}{c}");
                    }
                }
            }
        }
    }

    #[test]
    fn derivatives_are_those_of_the_projections() {
        let h = 1e-6;
        for set in SETS {
            for y in points().filter(|y| *y != [0.0; 3]) {
                let d = set.derivative(y);
                for c in 0..set.rows() {
                    let (mut plus, mut minus) = (y, y);
                    plus[c] += h;
                    minus[c] -= h;
                    if set.derivative(plus) != d && set.derivative(minus) == d {
                        continue; // a kink in between
                    }
                    let (plus, minus) = (set.project(plus), set.project(minus));
                    for r in 0..set.rows() {
                        let slope = (plus[r] - minus[r]) / (2.0 * h);
                        assert!((slope - d[r][c]).abs() < 1e-5, "{set:?} {y:?} {r}{c}");
                    }
                }
            }
        }
    }
}
