//! The Lorentz cone ‖(x₁, x₂)‖ ≤ x₀: Jordan's product, and the scaling of Nesterov and Todd.
//!
//! Y. E. Nesterov, M. J. Todd, "Self-scaled barriers and interior-point methods for convex
//! programming", Mathematics of Operations Research 22, 1997. The closed forms are those of L.
//! Vandenberghe, "The CVXOPT linear and quadratic cone program solvers", 2010, section 4.

use super::set::norm;

/// A point: the axis first.
pub(super) type Point = [f64; 3];

/// x₀² − x₁² − x₂², as a product: it keeps its digits beside the face.
#[inline(always)]
pub(super) fn determinant(x: Point) -> f64 {
    let radius = norm(x[1], x[2]);
    ((x[0] - radius) * (x[0] + radius)).max(f64::MIN_POSITIVE)
}

/// a · b
#[inline(always)]
pub(super) fn dot(a: Point, b: Point) -> f64 {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

/// a ∘ b = (a · b, a₀ b₁ + b₀ a₁, a₀ b₂ + b₀ a₂)
#[inline(always)]
pub(super) fn product(a: Point, b: Point) -> Point {
    [
        dot(a, b),
        a[0].mul_add(b[1], b[0] * a[1]),
        a[0].mul_add(b[2], b[0] * a[2]),
    ]
}

/// The x with a ∘ x = b.
#[inline(always)]
pub(super) fn quotient(b: Point, a: Point) -> Point {
    let first = dot([a[0], -a[1], -a[2]], b) / determinant(a);
    let inverse = a[0].recip();
    [
        first,
        (b[1] - first * a[1]) * inverse,
        (b[2] - first * a[2]) * inverse,
    ]
}

/// The longest step d times which x stays in the cone, or infinity.
#[inline(always)]
pub(super) fn longest(x: Point, d: Point) -> f64 {
    let inverse = determinant(x).sqrt().recip();
    let x = [x[0] * inverse, x[1] * inverse, x[2] * inverse];
    let along = dot([x[0], -x[1], -x[2]], d);
    let part = (along + d[0]) / (x[0] + 1.0);
    let across = norm(d[1] - part * x[1], d[2] - part * x[2]);
    let shrinks = (across - along) * inverse;
    if shrinks > 0.0 {
        shrinks.recip()
    } else {
        f64::INFINITY
    }
}

/// The symmetric W that keeps the cone, with W z = W⁻¹ y:
///
/// ```text
/// W = η ⎡ x₀      x₁ᵀ          ⎤     W⁻² = (2 x̃ x̃ᵀ − J)/η²,  x̃ = J x,  J = diag(1, −1, −1)
///       ⎣ x₁  1 + x₁x₁ᵀ/(1+x₀) ⎦
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scaling {
    x: Point,
    eta: f64,
}

impl Scaling {
    #[inline(always)]
    pub fn new(y: Point, z: Point) -> Self {
        let (size_y, size_z) = (determinant(y).sqrt(), determinant(z).sqrt());
        let (of_y, of_z) = (size_y.recip(), size_z.recip());
        let twice = 2.0 * (0.5 * (dot(y, z) * of_y).mul_add(of_z, 1.0)).sqrt();
        let (of_y, of_z) = (of_y / twice, of_z / twice);
        Self {
            x: [
                y[0].mul_add(of_y, z[0] * of_z),
                y[1].mul_add(of_y, -(z[1] * of_z)),
                y[2].mul_add(of_y, -(z[2] * of_z)),
            ],
            eta: (size_y / size_z).sqrt(),
        }
    }

    /// W a
    #[inline(always)]
    pub fn apply(&self, a: Point) -> Point {
        turned(self.x, a).map(|own| own * self.eta)
    }

    /// W⁻¹ a
    #[inline(always)]
    pub fn invert(&self, a: Point) -> Point {
        let [x0, x1, x2] = self.x;
        let inverse = self.eta.recip();
        turned([x0, -x1, -x2], a).map(|own| own * inverse)
    }

    /// W⁻²
    #[inline(always)]
    pub fn inverse_square(&self) -> [Point; 3] {
        let [x0, x1, x2] = self.x;
        let (x, scale) = ([x0, -x1, -x2], (self.eta * self.eta).recip());
        let mut square = x.map(|own| x.map(|other| 2.0 * own * other * scale));
        square[0][0] -= scale;
        square[1][1] += scale;
        square[2][2] += scale;
        square
    }
}

/// W a without η.
#[inline(always)]
fn turned(x: Point, a: Point) -> Point {
    let along = x[1].mul_add(a[1], x[2] * a[2]);
    let part = a[0] + along / (1.0 + x[0]);
    [
        x[0].mul_add(a[0], along),
        x[1].mul_add(part, a[1]),
        x[2].mul_add(part, a[2]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points inside the cone, near its faces and far from them.
    fn points() -> Vec<Point> {
        let inside = |k: i32| {
            let k = f64::from(k);
            let (x, y) = ((1.7 * k).sin() * 3.0, (0.9 * k).cos());
            [x.hypot(y) + 10_f64.powf(-(k % 7.0)), x, y]
        };
        (1..60).map(inside).collect()
    }

    fn difference(a: Point, b: Point) -> f64 {
        (0..3).fold(0.0, |most: f64, k| most.max((a[k] - b[k]).abs()))
    }

    #[test]
    fn a_quotient_is_undone_by_the_product() {
        for pair in points().windows(2) {
            let b = [pair[1][0] - 2.0, pair[1][1], pair[1][2]];
            let x = quotient(b, pair[0]);
            let size = x[0].abs().max(x[1].abs()).max(1.0) * pair[0][0].max(1.0);
            assert!(
                difference(product(pair[0], x), b) < 1e-13 * size,
                "{pair:?}"
            );
        }
    }

    /// W z = W⁻¹ y is what it is named for; W⁻² y is z.
    #[test]
    fn the_scaling_makes_both_the_same() {
        for pair in points().windows(2) {
            let (y, z) = (pair[0], pair[1]);
            let w = Scaling::new(y, z);
            let (from_z, from_y) = (w.apply(z), w.invert(y));
            // The condition of W squared is at most 1e7² here.
            assert!(difference(from_z, from_y) < 1e-8 * from_z[0], "{pair:?}");
            let square = w.inverse_square();
            let back = [0, 1, 2].map(|r| dot(square[r], y));
            assert!(difference(back, z) < 1e-7 * z[0].max(y[0]), "{pair:?}");
            let again = w.invert(w.apply(y));
            assert!(difference(again, y) < 1e-8 * y[0], "{pair:?}");
        }
    }

    #[test]
    fn the_longest_step_ends_on_the_face() {
        for pair in points().windows(2) {
            let (x, d) = (pair[0], [pair[1][0] - 3.0, pair[1][1], pair[1][2]]);
            let length = longest(x, d);
            if length.is_infinite() {
                assert!(d[0] >= d[1].hypot(d[2]) - 1e-12, "{pair:?}");
                continue;
            }
            let end = [0, 1, 2].map(|k| d[k].mul_add(length, x[k]));
            let off = end[0] - end[1].hypot(end[2]);
            assert!(off.abs() < 1e-7 * end[0].abs().max(x[0]), "{pair:?}: {off}");
        }
    }
}
