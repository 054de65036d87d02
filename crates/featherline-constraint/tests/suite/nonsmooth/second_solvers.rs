//! Two other methods on the dense matrix of Delassus, W = J M⁻¹ Jᵀ, with which the solver agrees.

use super::problem::ConeProblem;
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

/// u = W λ + b, and each contact's friction.
struct Dense<'a> {
    matrix: DMatrix<f64>,
    bias: DVector<f64>,
    friction: &'a [f64],
}

impl<'a> Dense<'a> {
    fn of(problem: &'a ConeProblem) -> Self {
        let inverse = problem.mass.clone().cholesky().unwrap().inverse();
        Self {
            matrix: &problem.jacobian * inverse * problem.jacobian.transpose(),
            bias: &problem.jacobian * &problem.free,
            friction: &problem.friction,
        }
    }

    /// λ − Π(λ − u − μ‖u_t‖ e_n) of all contacts, its largest entry.
    fn natural_map(&self, lambda: &DVector<f64>) -> f64 {
        let u = &self.matrix * lambda + &self.bias;
        let mut worst: f64 = 0.0;
        for (i, &friction) in self.friction.iter().enumerate() {
            let own = lambda.fixed_rows::<3>(3 * i).into_owned();
            let mut y = own - u.fixed_rows::<3>(3 * i);
            y.z -= friction * u[3 * i].hypot(u[3 * i + 1]);
            worst = worst.max((own - onto_cone(y, friction)).amax());
        }
        worst
    }
}

/// The point of the cone ‖λ_t‖ ≤ μ λ_n that is nearest.
fn onto_cone(y: Vector3<f64>, friction: f64) -> Vector3<f64> {
    let tangential = y.x.hypot(y.y);
    if y.z >= 0.0 && tangential <= friction * y.z {
        return y;
    }
    if friction * tangential <= -y.z {
        return Vector3::zeros();
    }
    // On the cone's generator (μ t̂, 1) below y.
    let along = (y.z + friction * tangential) / (1.0 + friction * friction);
    let slope = friction * along / tangential.max(f64::MIN_POSITIVE);
    Vector3::new(slope * y.x, slope * y.y, along)
}

/// One contact alone: λ in the cone with u = W λ + q, which separates, sticks or slides.
fn one_contact(w: &Matrix3<f64>, q: Vector3<f64>, friction: f64) -> Vector3<f64> {
    if q.z >= 0.0 {
        return Vector3::zeros();
    }
    let stick = -(w.try_inverse().unwrap() * q);
    if stick.x.hypot(stick.y) <= friction * stick.z {
        return stick;
    }
    // It slides along (cos θ, sin θ): u_n = 0 and λ_t = −μ λ_n (cos θ, sin θ), and what slip is
    // left across that direction is zero. u_n = 0 gives λ_n.
    let at = |angle: f64| {
        let (sin, cos) = angle.sin_cos();
        let direction = Vector3::new(-friction * cos, -friction * sin, 1.0);
        let unit = w * direction;
        let lambda = direction * (-q.z / unit.z);
        let u = w * lambda + q;
        (cos * u.y - sin * u.x, cos * u.x + sin * u.y, lambda)
    };
    let count = 720;
    let angle_of = |k: usize| std::f64::consts::TAU * k as f64 / count as f64;
    for k in 0..count {
        let (mut low, mut high) = (angle_of(k), angle_of(k + 1));
        let first = at(low).0;
        if first * at(high).0 > 0.0 {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if at(middle).0 * first > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let (_, slip, lambda) = at(low);
        if slip >= 0.0 && lambda.z >= 0.0 {
            return lambda;
        }
    }
    Vector3::zeros()
}

/// Block Gauss-Seidel: contact by contact, each exactly.
fn gauss_seidel(dense: &Dense<'_>) -> DVector<f64> {
    let mut lambda = DVector::zeros(dense.bias.len());
    for _ in 0..2000 {
        for (i, &friction) in dense.friction.iter().enumerate() {
            let own = dense.matrix.fixed_view::<3, 3>(3 * i, 3 * i).into_owned();
            let before = lambda.fixed_rows::<3>(3 * i).into_owned();
            let u = dense.matrix.rows(3 * i, 3) * &lambda + dense.bias.rows(3 * i, 3);
            let others = Vector3::new(u[0], u[1], u[2]) - own * before;
            let next = one_contact(&own, others, friction);
            lambda.fixed_rows_mut::<3>(3 * i).copy_from(&next);
        }
        if dense.natural_map(&lambda) < 1e-11 {
            break;
        }
    }
    lambda
}

/// The alternating direction method of multipliers: x minimises the quadratic form, y is in the
/// cones, and z pulls them together; the normal velocity that sliding adds is that of the step
/// before.
fn alternating_directions(dense: &Dense<'_>) -> DVector<f64> {
    let len = dense.bias.len();
    let eigenvalues = dense.matrix.clone().symmetric_eigenvalues();
    let penalty = (eigenvalues.max() * eigenvalues.min().max(1e-6)).sqrt();
    let shifted = &dense.matrix + DMatrix::identity(len, len) * penalty;
    let inverse = shifted.cholesky().unwrap().inverse();
    let (mut y, mut z) = (DVector::zeros(len), DVector::zeros(len));
    for _ in 0..50_000 {
        let u = &dense.matrix * &y + &dense.bias;
        let mut pull = (&y - &z) * penalty - &dense.bias;
        for (i, &friction) in dense.friction.iter().enumerate() {
            pull[3 * i + 2] -= friction * u[3 * i].hypot(u[3 * i + 1]);
        }
        let x = &inverse * pull;
        for (i, &friction) in dense.friction.iter().enumerate() {
            let sum = x.fixed_rows::<3>(3 * i) + z.fixed_rows::<3>(3 * i);
            y.fixed_rows_mut::<3>(3 * i)
                .copy_from(&onto_cone(sum, friction));
        }
        z += x - &y;
        if dense.natural_map(&y) < 1e-10 {
            break;
        }
    }
    y
}

#[test]
fn gauss_seidel_and_alternating_directions_find_the_same_velocities() {
    // Independent rows: impulses and velocities are unique for friction that is not too large.
    let mut compared = [0, 0];
    for seed in (0..120).step_by(3) {
        let problem = ConeProblem::random(seed, 4);
        let dense = Dense::of(&problem);
        let (found, outcome) = problem.solve();
        assert!(outcome.has_converged, "seed {seed}: {outcome:?}");
        let found = DVector::from_vec(found);
        let u = &dense.matrix * &found + &dense.bias;
        for (k, other) in [gauss_seidel(&dense), alternating_directions(&dense)]
            .iter()
            .enumerate()
        {
            let left = dense.natural_map(other);
            println!("seed {seed}, method {k}: natural map {left:.1e}");
            if left > 1e-9 {
                continue;
            }
            let apart = (&dense.matrix * other + &dense.bias - &u).amax() / dense.bias.amax();
            assert!(apart < 1e-7, "seed {seed}, method {k}: {apart}");
            compared[k] += 1;
        }
    }
    println!("compared: {compared:?} of 40");
    assert!(compared.iter().all(|count| *count >= 38), "{compared:?}");
}
