//! Exponentials, logarithms and their Jacobians.

use super::random::Random;
use featherline::scalar::{Dual, Scalar};
use featherline::spatial::{
    Mat3, Motion, Quaternion, Se3, Vec3, exp3, exp6, left_jacobian3, left_jacobian3_inverse,
    left_jacobian6, left_jacobian6_inverse, log3, log6, right_jacobian3, right_jacobian3_inverse,
    right_jacobian6, right_jacobian6_inverse,
};
use serde::Deserialize;
use std::f64::consts::PI;

const EPSILON: f64 = f64::EPSILON;

/// One motion with what the defining power series give for it, at a precision of 400 bits.
#[derive(Deserialize)]
struct Case {
    motion: [f64; 6],
    /// Rotation and translation.
    exponential: [[f64; 4]; 3],
    /// The upper three rows, J and Q.
    left_jacobian: [[f64; 6]; 3],
    left_jacobian_inverse: [[f64; 6]; 3],
}

impl Case {
    fn all() -> Vec<Self> {
        serde_json::from_str(include_str!("reference/exponentials.json"))
            .expect("the reference file is well formed")
    }

    fn motion<S: Scalar>(&self) -> Motion<S> {
        Motion::constant(&Motion::from_array(self.motion))
    }

    fn angle(&self) -> f64 {
        let [x, y, z] = [self.motion[3], self.motion[4], self.motion[5]];
        x.hypot(y).hypot(z)
    }
}

/// Whether each element is right to `units` times `epsilon`, relative to itself or, for what
/// vanishes with the angle, to the angle.
fn assert_close(value: &[f64], exact: &[f64], angle: f64, units: f64, epsilon: f64) {
    assert_eq!(value.len(), exact.len());
    for (v, e) in value.iter().zip(exact) {
        let bound = units * epsilon * (e.abs() + angle.min(1.0));
        assert!(
            (v - e).abs() <= bound,
            "angle {angle:e}: {value:?}, exactly {exact:?}, {:e}",
            (v - e).abs() / bound
        );
    }
}

fn rows_of(m: &Mat3<f64>) -> [f64; 9] {
    let r = m.to_rows();
    [
        r[0][0], r[0][1], r[0][2], r[1][0], r[1][1], r[1][2], r[2][0], r[2][1], r[2][2],
    ]
}

#[test]
fn exponentials_are_exact_to_rounding() {
    for case in Case::all() {
        let placement = exp6::<f64>(&case.motion());
        let exact = case
            .exponential
            .map(|row| [row[0], row[1], row[2]])
            .concat();
        // A few roundings in a and b, and that of the squared angle, which the angle's own size
        // scales.
        assert_close(
            &rows_of(&placement.rotation),
            &exact,
            case.angle(),
            3.0 * case.angle().max(1.0),
            EPSILON,
        );
        assert_eq!(exp3(case.motion::<f64>().angular), placement.rotation);
        let exact = case.exponential.map(|row| row[3]);
        assert_close(
            &placement.translation.to_array(),
            &exact,
            1.0,
            4.0 * case.angle().max(1.0),
            EPSILON,
        );
    }
}

#[test]
fn jacobians_are_exact_to_rounding() {
    for case in Case::all() {
        let motion = case.motion::<f64>();
        for (rows, exact) in [
            (left_jacobian6(&motion), &case.left_jacobian),
            (left_jacobian6_inverse(&motion), &case.left_jacobian_inverse),
        ] {
            // Near a whole turn the inverse grows, and with it what an error of the angle does.
            let size = exact
                .concat()
                .iter()
                .fold(case.angle().max(1.0), |m, e| m.max(e.abs()));
            for i in 0..3 {
                assert_close(
                    &rows[i],
                    &exact[i],
                    case.angle(),
                    6.0 * size * size,
                    EPSILON,
                );
                assert_eq!(rows[i + 3][..3], [0.0; 3]);
                assert_eq!(rows[i + 3][3..], rows[i][..3]);
            }
        }
    }
}

#[test]
fn logarithms_are_exact_to_rounding() {
    for case in Case::all().iter().filter(|case| case.angle() <= PI) {
        let row = |i: usize| case.exponential[i];
        let rotation = Mat3::from_rows([0, 1, 2].map(|i| [row(i)[0], row(i)[1], row(i)[2]]));
        let placement = Se3::new(rotation, Vec3::from([0, 1, 2].map(|i| row(i)[3])));
        let (mut motion, exact) = (log6(&placement), case.motion::<f64>());
        assert_eq!(motion.angular, log3(&rotation));
        if case.angle() == PI && motion.angular.dot(exact.angular) < 0.0 {
            // At half a turn the opposite rotation is as right; the translation is then that of the
            // same placement.
            motion = Motion::new(exact.linear, -motion.angular);
        }
        let (angle, w) = (case.angle(), exact.angular.to_array());
        // The rounding of the given matrix moves the rotation by up to a unit a component.
        assert_close(&motion.angular.to_array(), &w, angle, 4.0, EPSILON);
        assert_close(
            &motion.linear.to_array(),
            &exact.linear.to_array(),
            1.0,
            8.0,
            EPSILON,
        );
    }
}

#[test]
fn single_precision_is_exact_to_its_rounding() {
    for case in Case::all().iter().filter(|case| case.angle() <= 3.0) {
        let motion = case.motion::<f32>();
        let placement = exp6(&motion);
        let t = placement.translation.to_array().map(f64::from);
        assert_close(
            &t,
            &case.exponential.map(|row| row[3]),
            1.0,
            8.0,
            f64::from(f32::EPSILON),
        );
        let back = log6(&placement).to_array().map(f64::from);
        // Twice the roundings, and those of the given motion.
        assert_close(&back, &case.motion, 1.0, 16.0, f64::from(f32::EPSILON));
    }
}

#[test]
fn logarithm_undoes_exponential_up_to_half_a_turn() {
    let mut random = Random::new(1);
    for _ in 0..2000 {
        let angle = PI * (1.0 - 10f64.powf(random.between(-14.0, 0.0)));
        let motion = Motion::new(random.vector(), random.direction() * angle);
        let back = log6(&exp6(&motion));
        let error = back - motion;
        // The placement's rounding, a unit for each element, passes through an inverse Jacobian of
        // size at most π/2.
        assert!(
            error.angular.norm() < 8.0 * EPSILON * angle.max(1.0),
            "{error:?}"
        );
        assert!(error.linear.norm() < 24.0 * EPSILON, "{error:?}");
        let q = Quaternion::exp(motion.angular);
        assert!((q.log() - motion.angular).norm() < 8.0 * EPSILON * angle.max(1e-3));
        assert_eq!((-q).log(), q.log());
    }
}

#[test]
fn exponential_is_a_one_parameter_group_and_adjoint_equivariant() {
    let mut random = Random::new(2);
    for _ in 0..500 {
        let (motion, m) = (random.motion(), random.placement());
        let (s, t) = (random.number(), random.number());
        assert_near(
            &(exp6(&(motion * s)) * exp6(&(motion * t))),
            &exp6(&(motion * (s + t))),
        );
        assert_near(&exp6(&-motion), &exp6(&motion).inverse());
        assert_near(
            &(m * exp6(&motion) * m.inverse()),
            &exp6(&m.act_motion(&motion)),
        );
    }
}

/// Both placements agree to a few roundings of numbers of size one.
fn assert_near(a: &Se3<f64>, b: &Se3<f64>) {
    let difference = (a.rotation - b.rotation).to_rows().concat();
    let rotation = difference.iter().fold(0.0, |m: f64, d| m.max(d.abs()));
    assert!(rotation < 16.0 * EPSILON, "{a:?} {b:?}");
    assert!(
        (a.translation - b.translation).norm() < 32.0 * EPSILON,
        "{a:?} {b:?}"
    );
}

type D = Dual<f64, 6>;

/// A motion whose six components are the independent variables.
fn variables(motion: &Motion<f64>) -> Motion<D> {
    let mut k = 0;
    Motion::from_array(motion.to_array().map(|x| {
        k += 1;
        D::variable(x, k - 1)
    }))
}

/// The columns of body velocities `M⁻¹ dM` for the six tangents of a placement.
fn body_velocities(m: &Se3<D>) -> [Motion<f64>; 6] {
    let value = Se3::new(
        Mat3::from_rows(m.rotation.to_rows().map(|row| row.map(|e| e.value))),
        Vec3::from(m.translation.to_array().map(|e| e.value)),
    );
    [0, 1, 2, 3, 4, 5].map(|k| {
        let rate = Mat3::from_rows(m.rotation.to_rows().map(|row| row.map(|e| e.tangent[k])));
        let turning = value.rotation.tr_mul_mat(&rate);
        let linear = Vec3::from(m.translation.to_array().map(|e| e.tangent[k]));
        Motion::new(
            value.rotation.tr_mul_vec(linear),
            Vec3::new(turning.y.z, turning.z.x, turning.x.y),
        )
    })
}

/// Angles at which derivatives are checked: zero, tiny, both sides of the switches, ordinary, near
/// half a turn.
fn motions() -> Vec<Motion<f64>> {
    let mut random = Random::new(3);
    let mut motions = vec![Motion::zero(), Motion::new(random.vector(), Vec3::zero())];
    for angle in [
        1e-300,
        1e-160,
        1e-9,
        1e-3,
        0.12,
        0.13,
        0.5,
        0.999_999,
        1.000_001,
        2.5,
        PI - 1e-6,
    ] {
        motions.push(Motion::new(random.vector(), random.direction() * angle));
    }
    motions
}

#[test]
fn jacobians_are_the_derivatives_of_the_exponential() {
    for motion in motions() {
        let placement = exp6(&variables(&motion));
        let columns = body_velocities(&placement);
        let right = right_jacobian6(&motion);
        let left = left_jacobian6(&motion);
        let value = exp6(&motion);
        for (k, column) in columns.iter().enumerate() {
            let outside = value.act_motion(column).to_array();
            for (i, inside) in column.to_array().iter().enumerate() {
                // Two chains of a dozen roundings each on numbers of size about one.
                assert!((inside - right[i][k]).abs() < 16.0 * EPSILON, "{motion:?}");
                assert!(
                    (outside[i] - left[i][k]).abs() < 16.0 * EPSILON,
                    "{motion:?}"
                );
            }
        }
    }
}

#[test]
fn inverse_jacobians_are_the_derivatives_of_the_logarithm() {
    for motion in motions() {
        // exp(x) exp(δ) at δ = 0, differentiated by δ.
        let small = exp6(&variables(&Motion::zero()));
        let back = log6(&(Se3::constant(&exp6(&motion)) * small)).to_array();
        let right = right_jacobian6_inverse(&motion);
        for i in 0..6 {
            for k in 0..6 {
                // As above, through a matrix of size up to π/2 twice.
                assert!(
                    (back[i].tangent[k] - right[i][k]).abs() < 64.0 * EPSILON,
                    "{motion:?} {i} {k}"
                );
            }
        }
    }
}

#[test]
fn inverse_jacobians_are_inverse() {
    for motion in motions() {
        let w = motion.angular;
        for (a, b) in [
            (left_jacobian6(&motion), left_jacobian6_inverse(&motion)),
            (right_jacobian6(&motion), right_jacobian6_inverse(&motion)),
        ] {
            for i in 0..6 {
                for j in 0..6 {
                    let element: f64 = (0..6).map(|k| a[i][k] * b[k][j]).sum();
                    assert!(
                        (element - f64::from(i == j)).abs() < 16.0 * EPSILON,
                        "{motion:?}"
                    );
                }
            }
        }
        let product = right_jacobian3(w) * right_jacobian3_inverse(w);
        assert!(
            rows_of(&(product - Mat3::identity()))
                .iter()
                .all(|e| e.abs() < 16.0 * EPSILON)
        );
        assert_eq!(left_jacobian3(w), right_jacobian3(w).transpose());
        assert_eq!(
            left_jacobian3_inverse(w),
            right_jacobian3_inverse(w).transpose()
        );
    }
}

#[test]
fn second_derivatives_are_right_at_zero() {
    type Second = Dual<Dual<f64, 1>, 1>;
    // d²/dt² exp(t ξ) at t = 0 is ξ² as a 4×4 matrix.
    let (v, w) = (Vec3::new(0.3, -0.7, 0.2), Vec3::new(-0.5, 0.4, 0.9));
    let t = Second::variable(Dual::variable(0.0, 0), 0);
    let motion = Motion::new(Vec3::constant(v) * t, Vec3::constant(w) * t);
    let m = exp6(&motion);
    let second = |s: Second| s.tangent[0].tangent[0];
    let rotation = Mat3::from_rows(m.rotation.to_rows().map(|row| row.map(second)));
    let exact = Mat3::skew(w) * Mat3::skew(w);
    assert!(
        rows_of(&(rotation - exact))
            .iter()
            .all(|e| e.abs() < 4.0 * EPSILON)
    );
    let translation = Vec3::from(m.translation.to_array().map(second));
    assert!((translation - w.cross(v)).norm() < 4.0 * EPSILON);
    // The logarithm undoes it: the second derivative of t ξ vanishes.
    for component in log6(&m).to_array() {
        assert!(component.is_finite() && second(component).abs() < 4.0 * EPSILON);
    }
}

#[test]
fn rotations_stay_rotations_however_long_their_vectors_are() {
    let axis = Vec3::new(0.6, 0.0, -0.8);
    for length in [1e20, 1e153, 1e160, 1e300, 1.7e308] {
        let w = axis * length;
        let (turned, quaternion) = (exp3(w), Quaternion::exp(w));
        // A rotation keeps its axis and the lengths of all vectors, to a few units in the last
        // place.
        assert!((turned * axis - axis).norm() < 8.0 * EPSILON, "{length}");
        let gram = turned.transpose() * turned;
        assert_close(
            &rows_of(&gram),
            &rows_of(&Mat3::identity()),
            1.0,
            8.0,
            EPSILON,
        );
        assert!((quaternion.norm() - 1.0).abs() < 8.0 * EPSILON, "{length}");
        // Turning without end leaves of a motion what is along the axis.
        let v = Vec3::new(1.0, 2.0, 3.0);
        let along = axis * axis.dot(v);
        for moved in [left_jacobian3(w) * v, exp6(&Motion::new(v, w)).translation] {
            let tolerance = 10.0 / length + 16.0 * EPSILON;
            assert!((moved - along).norm() < tolerance, "{length}: {moved:?}");
        }
        let rows = left_jacobian6(&Motion::new(v, w));
        assert!(rows.iter().flatten().all(|x| x.is_finite()), "{length}");
    }
    let single = exp3(Vec3::new(0.0_f32, 3e38, 0.0));
    assert!((single.y.y - 1.0).abs() < 4.0 * f32::EPSILON && single.x.x.is_finite());
}

#[test]
fn not_a_number_is_not_hidden() {
    for bad in [f64::NAN, f64::INFINITY] {
        assert!(!exp3(Vec3::new(1e300, bad, 0.0)).x.is_finite());
    }
    let bad = Vec3::new(0.1, f64::NAN, 0.0);
    assert!(!exp3(bad).x.is_finite());
    assert!(!log3(&Mat3::from_columns(bad, Vec3::unit(1), Vec3::unit(2))).is_finite());
    assert!(!Quaternion::new(0.0, 0.0, 0.0, 0.0_f64).log().is_finite());
}
