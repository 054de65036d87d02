//! Vectors, inertias and articulated inertias carried by rotations about one coordinate axis and by
//! translations.
//!
//! A rotation about an axis takes 4 multiplications and 2 additions for a vector, and as many and 5
//! additions for the two by two block of a symmetric matrix: with m = a − d and k = s m + 2c b, the
//! block (a, b; b, d) becomes (a − s k, c k − b; c k − b, d + s k). By a known angle one
//! multiplication less: s k and c k are multiples of m + 2 (c/s) b. (McMillan and Orin 1995 carry
//! articulated inertias by successive axial screws in place of general placements.)

use featherline::scalar::Scalar;

/// Where the elements of a symmetric matrix xx, xy, xz, yy, yz, zz stand.
pub(super) const PLACE: [[usize; 3]; 3] = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];

/// A coordinate axis that a rotation turns about.
#[derive(Clone, Copy, Debug)]
pub(super) enum Axis {
    X,
    Z,
}

impl Axis {
    /// The axes of the plane that turns, the first towards the second, and the axis that stays.
    fn plane(self) -> (usize, usize, usize) {
        match self {
            Self::X => (1, 2, 0),
            Self::Z => (0, 1, 2),
        }
    }
}

/// A rotation by its cosine and sine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn<S> {
    pub cos: S,
    pub sin: S,
    /// Cosine and sine again where the angle is known beforehand.
    known: Option<(f64, f64)>,
}

impl Turn<f64> {
    /// No rotation.
    pub const NONE: Self = Self::by_constants(1.0, 0.0);

    /// A rotation by an angle that is known beforehand.
    pub const fn by_constants(cos: f64, sin: f64) -> Self {
        Self {
            cos,
            sin,
            known: Some((cos, sin)),
        }
    }

    /// The same rotation as a constant.
    pub fn constant<S: Scalar>(&self) -> Turn<S> {
        Turn {
            cos: S::constant(self.cos),
            sin: S::constant(self.sin),
            known: self.known,
        }
    }
}

impl<S: Scalar> Turn<S> {
    /// A rotation by an angle that is not known beforehand.
    pub fn by_variables(cos: S, sin: S) -> Self {
        Self {
            cos,
            sin,
            known: None,
        }
    }

    /// Coordinates before the rotation of a vector given behind it.
    pub fn out(&self, axis: Axis, v: [S; 3]) -> [S; 3] {
        let (i, j, _) = axis.plane();
        let mut out = v;
        (out[i], out[j]) = self.out_pair(v[i], v[j]);
        out
    }

    fn out_pair(&self, x: S, y: S) -> (S, S) {
        (self.cos * x - self.sin * y, self.sin * x + self.cos * y)
    }

    /// Coordinates behind the rotation of a vector given before it.
    pub fn back(&self, axis: Axis, v: [S; 3]) -> [S; 3] {
        let inverse = Self {
            sin: -self.sin,
            ..*self
        };
        inverse.out(axis, v)
    }

    /// As [`out`](Self::out), for both sides of a symmetric matrix.
    pub fn out_symmetric(&self, axis: Axis, m: [S; 6]) -> [S; 6] {
        let (i, j, k) = axis.plane();
        let (a, b, d) = (m[PLACE[i][i]], m[PLACE[i][j]], m[PLACE[j][j]]);
        let block = match self.known {
            Some((_, 0.0)) => (a, b, d),
            Some((0.0, _)) => (d, -b, a),
            Some((c, s)) => {
                let common = (a - d) + S::constant(2.0 * c / s) * b;
                let moved = S::constant(s * s) * common;
                (a - moved, S::constant(c * s) * common - b, d + moved)
            }
            None => {
                let common = self.sin * (a - d) + (self.cos + self.cos) * b;
                let moved = self.sin * common;
                (a - moved, self.cos * common - b, d + moved)
            }
        };
        let mut out = m;
        (out[PLACE[i][i]], out[PLACE[i][j]], out[PLACE[j][j]]) = block;
        (out[PLACE[i][k]], out[PLACE[j][k]]) = self.out_pair(m[PLACE[i][k]], m[PLACE[j][k]]);
        out
    }

    /// As [`out`](Self::out), for both sides of a matrix.
    pub fn out_matrix(&self, axis: Axis, m: [[S; 3]; 3]) -> [[S; 3]; 3] {
        let (i, j, k) = axis.plane();
        let (a, b, c, d) = (m[i][i], m[i][j], m[j][i], m[j][j]);
        let block = match self.known {
            Some((_, 0.0)) => (a, b, c, d),
            Some((0.0, _)) => (d, -c, -b, a),
            Some((cos, sin)) => {
                let common = (a - d) + S::constant(cos / sin) * (b + c);
                let moved = S::constant(sin * sin) * common;
                let mixed = S::constant(cos * sin) * common;
                (a - moved, mixed - c, mixed - b, d + moved)
            }
            None => {
                let common = self.sin * (a - d) + self.cos * (b + c);
                let (moved, mixed) = (self.sin * common, self.cos * common);
                (a - moved, mixed - c, mixed - b, d + moved)
            }
        };
        let mut out = m;
        (out[i][i], out[i][j], out[j][i], out[j][j]) = block;
        (out[i][k], out[j][k]) = self.out_pair(m[i][k], m[j][k]);
        (out[k][i], out[k][j]) = self.out_pair(m[k][i], m[k][j]);
        out
    }
}

/// `u × v`.
pub(super) fn cross<S: Scalar>(u: [S; 3], v: [S; 3]) -> [S; 3] {
    [
        u[1] * v[2] - u[2] * v[1],
        u[2] * v[0] - u[0] * v[2],
        u[0] * v[1] - u[1] * v[0],
    ]
}

/// `u + v`.
pub(super) fn sum<S: Scalar, const N: usize>(u: [S; N], v: [S; N]) -> [S; N] {
    std::array::from_fn(|k| u[k] + v[k])
}

/// Constants.
pub(super) fn constants<S: Scalar, const N: usize>(values: [f64; N]) -> [S; N] {
    values.map(S::constant)
}

/// Quantities of bodies in their frames, such as motions, wrenches and moments of mass.
pub(super) trait Carried<S> {
    /// Coordinates before a rotation.
    fn out(&self, turn: &Turn<S>, axis: Axis) -> Self;

    /// The same in the frame in which this one's origin is at `p`.
    fn moved(&self, p: [S; 3]) -> Self;
}

/// A force and its moment about the origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrench<S> {
    pub force: [S; 3],
    pub moment: [S; 3],
}

impl<S: Scalar> Wrench<S> {
    pub fn zero() -> Self {
        Self {
            force: [S::zero(); 3],
            moment: [S::zero(); 3],
        }
    }

    pub fn plus(&self, other: &Self) -> Self {
        Self {
            force: sum(self.force, other.force),
            moment: sum(self.moment, other.moment),
        }
    }
}

impl<S: Scalar> Carried<S> for Wrench<S> {
    fn out(&self, turn: &Turn<S>, axis: Axis) -> Self {
        Self {
            force: turn.out(axis, self.force),
            moment: turn.out(axis, self.moment),
        }
    }

    fn moved(&self, p: [S; 3]) -> Self {
        Self {
            force: self.force,
            moment: sum(self.moment, cross(p, self.force)),
        }
    }
}

/// Mass, first moment and second moments ∫ r rᵀ dm of a rigid body whose mass is known beforehand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments<S> {
    pub mass: f64,
    pub first: [S; 3],
    pub second: [S; 6],
}

impl<S: Scalar> Moments<S> {
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            mass: self.mass + other.mass,
            first: sum(self.first, other.first),
            second: sum(self.second, other.second),
        }
    }
}

impl<S: Scalar> Carried<S> for Moments<S> {
    fn out(&self, turn: &Turn<S>, axis: Axis) -> Self {
        Self {
            mass: self.mass,
            first: turn.out(axis, self.first),
            second: turn.out_symmetric(axis, self.second),
        }
    }

    /// h + m p and E + p hᵀ + h pᵀ + m p pᵀ.
    fn moved(&self, p: [S; 3]) -> Self {
        let mass = S::constant(self.mass);
        let displaced = p.map(|x| mass * x);
        let mut second = self.second;
        for i in 0..3 {
            // On the diagonal 2 p h + m p² is p (2h + m p), but 2p is free where p is known.
            let twice = p[i] + p[i];
            second[PLACE[i][i]] += twice * self.first[i] + displaced[i] * p[i];
            for j in i + 1..3 {
                second[PLACE[i][j]] +=
                    p[i] * self.first[j] + p[j] * self.first[i] + displaced[i] * p[j];
            }
        }
        Self {
            mass: self.mass,
            first: sum(self.first, displaced),
            second,
        }
    }
}

/// An articulated inertia \[`linear` `coupling`; `coupling`ᵀ `angular`\].
#[derive(Clone, Copy, Debug)]
pub(super) struct Articulated<S> {
    pub linear: [S; 6],
    /// Rows belong to the force, columns to the angular acceleration.
    pub coupling: [[S; 3]; 3],
    pub angular: [S; 6],
}

impl<S: Scalar> Articulated<S> {
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            linear: sum(self.linear, other.linear),
            coupling: std::array::from_fn(|i| sum(self.coupling[i], other.coupling[i])),
            angular: sum(self.angular, other.angular),
        }
    }
}

impl<S: Scalar> Carried<S> for Articulated<S> {
    fn out(&self, turn: &Turn<S>, axis: Axis) -> Self {
        Self {
            linear: turn.out_symmetric(axis, self.linear),
            coupling: turn.out_matrix(axis, self.coupling),
            angular: turn.out_symmetric(axis, self.angular),
        }
    }

    /// With the matrix K of the map α ↦ α × p, the coupling H becomes H' = H + M K, and the angular
    /// block J becomes J + Kᵀ H' + Hᵀ K.
    fn moved(&self, p: [S; 3]) -> Self {
        let m = |i: usize, j: usize| self.linear[PLACE[i][j]];
        let h = self.coupling;
        let mut g = h;
        for i in 0..3 {
            g[i][0] = h[i][0] + p[2] * -m(i, 1) + p[1] * m(i, 2);
            g[i][1] = h[i][1] + p[2] * m(i, 0) + p[0] * -m(i, 2);
            g[i][2] = h[i][2] + p[1] * -m(i, 0) + p[0] * m(i, 1);
        }
        let [xx, xy, xz, yy, yz, zz] = self.angular;
        let angular = [
            xx + p[1] * (g[2][0] + h[2][0]) - p[2] * (g[1][0] + h[1][0]),
            xy - p[0] * h[2][0] + p[1] * g[2][1] + p[2] * (h[0][0] - g[1][1]),
            xz + p[0] * h[1][0] + p[1] * (g[2][2] - h[0][0]) - p[2] * g[1][2],
            yy - p[0] * (g[2][1] + h[2][1]) + p[2] * (g[0][1] + h[0][1]),
            yz + p[0] * (h[1][1] - g[2][2]) - p[1] * h[0][1] + p[2] * g[0][2],
            zz + p[0] * (g[1][2] + h[1][2]) - p[1] * (g[0][2] + h[0][2]),
        ];
        Self {
            linear: self.linear,
            coupling: g,
            angular,
        }
    }
}
