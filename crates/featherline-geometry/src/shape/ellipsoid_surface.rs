//! Surface of an ellipsoid and its second moments.
//!
//! With x = D u for u on the unit sphere, the surface element is dA = |G u| dΩ with
//! G = det(D) D⁻¹: area vectors transform by the cofactors. About a polar axis, with t = cos θ,
//! |G u|² = α(φ) (1 − t²) + γ t², where α(φ) = g₁² cos²φ + g₂² sin²φ and γ = g₃². The integrals
//! over t are elementary; that over φ is of a periodic analytic function, for which the trapezoidal
//! rule converges geometrically.

use featherline::spatial::{Inertia, Sym3, Vec3};
use std::f64::consts::PI;

/// The surface of the ellipsoid of positive semi-axes, with its moments of inertia.
pub(super) fn surface(semi_axes: [f64; 3]) -> Inertia<f64> {
    // The integrand over φ is the smoother, the closer the two axes across the polar one are.
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| semi_axes[i].total_cmp(&semi_axes[j]));
    let [small, middle, large] = order.map(|i| semi_axes[i]);
    if middle / small > large / middle {
        order.reverse();
    }
    let [pole, first, second] = order;
    let (d3, d1, d2) = (semi_axes[pole], semi_axes[first], semi_axes[second]);
    let (g1, g2, g3) = (d2 * d3, d3 * d1, d1 * d2);

    // The nearest singularity in φ is where α(φ) = 0, at the distance artanh of the ratio below.
    let ratio = (d1 / d2).min(d2 / d1);
    let count = (64.0 + 40.0 / ratio).min(1e5) as usize;
    let (mut area, mut xx, mut yy, mut zz) = (0.0, 0.0, 0.0, 0.0);
    for k in 0..count {
        // A quarter of the circle is enough: all integrands are even about both axes.
        let (sin, cos) = (0.5 * PI * (k as f64 + 0.5) / count as f64).sin_cos();
        let alpha = (g1 * cos) * (g1 * cos) + (g2 * sin) * (g2 * sin);
        let (j0, j2) = polar_integrals(alpha, g3 * g3);
        area += j0;
        xx += (j0 - j2) * cos * cos;
        yy += (j0 - j2) * sin * sin;
        zz += j2;
    }
    // Four quarters in φ and two halves in t.
    let step = 8.0 * 0.5 * PI / count as f64;
    let mut second_moments = [0.0; 3];
    second_moments[first] = xx * d1 * d1 * step;
    second_moments[second] = yy * d2 * d2 * step;
    second_moments[pole] = zz * d3 * d3 * step;
    let [xx, yy, zz] = second_moments;
    let moments = Vec3::new(yy + zz, zz + xx, xx + yy);
    Inertia::new(area * step, Vec3::zero(), Sym3::diagonal(moments))
}

/// ∫₀¹ w dt and ∫₀¹ t² w dt with w = √(α + (γ − α) t²).
fn polar_integrals(alpha: f64, gamma: f64) -> (f64, f64) {
    let delta = gamma - alpha;
    let ratio = delta / alpha;
    if ratio.abs() < 0.5 {
        // w = √α Σ binom(½, k) (ratio t²)ᵏ; the terms fall below 2⁻ᵏ.
        let (mut term, mut j0, mut j2) = (alpha.sqrt(), 0.0, 0.0);
        for k in 0..56 {
            let k = f64::from(k);
            j0 += term / (2.0 * k + 1.0);
            j2 += term / (2.0 * k + 3.0);
            term *= ratio * (0.5 - k) / (k + 1.0);
        }
        return (j0, j2);
    }
    // L = ∫₀¹ dt/w
    let l = match delta > 0.0 {
        true => ratio.sqrt().asinh() / delta.sqrt(),
        false => (-ratio).min(1.0).sqrt().asin() / (-delta).sqrt(),
    };
    let root = gamma.sqrt();
    let j0 = 0.5 * (root + alpha * l);
    (j0, (gamma * root - alpha * j0) / (4.0 * delta))
}
