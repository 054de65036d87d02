//! Quaternions, rotation matrices, axes and angles.

use super::random::Random;
use featherline::spatial::{Mat3, Quaternion, Vec3};
use std::f64::consts::{FRAC_PI_2, PI};

const EPSILON: f64 = f64::EPSILON;

fn distance(a: &Mat3<f64>, b: &Mat3<f64>) -> f64 {
    (*a - *b)
        .to_rows()
        .concat()
        .iter()
        .fold(0.0, |m: f64, e| m.max(e.abs()))
}

fn sample_rotations(random: &mut Random) -> Vec<Mat3<f64>> {
    let mut samples = vec![Mat3::identity()];
    for axis in 0..3 {
        for angle in [PI, -FRAC_PI_2, PI - 1e-9] {
            samples.push(Mat3::from_axis_angle(Vec3::unit(axis), angle));
        }
    }
    for _ in 0..300 {
        samples.push(random.rotation());
        samples.push(Mat3::from_axis_angle(random.direction(), PI));
        samples.push(Mat3::from_axis_angle(random.direction(), 1e-9));
    }
    samples
}

#[test]
fn quaternions_form_a_group_that_acts_as_rotation_matrices_do() {
    let mut random = Random::new(11);
    for _ in 0..500 {
        let (p, q, r) = (
            random.quaternion(),
            random.quaternion(),
            random.quaternion(),
        );
        let v = random.vector();
        for (a, b) in ((p * q) * r)
            .to_array()
            .iter()
            .zip((p * (q * r)).to_array())
        {
            assert!((a - b).abs() < 4.0 * EPSILON);
        }
        assert!((q.rotate(v) - q.to_rotation() * v).norm() < 8.0 * EPSILON);
        assert!(
            distance(&(p * q).to_rotation(), &(p.to_rotation() * q.to_rotation())) < 8.0 * EPSILON
        );
        assert!(
            distance(&q.conjugate().to_rotation(), &q.to_rotation().transpose()) < 2.0 * EPSILON
        );
        let long = q * 3.0;
        let one = long * long.inverse();
        assert!((one.w - 1.0).abs() < 4.0 * EPSILON && one.vector().norm() < 4.0 * EPSILON);
        assert!((long.normalised().norm() - 1.0).abs() < 2.0 * EPSILON);
    }
}

#[test]
fn quaternion_and_rotation_matrix_convert_both_ways() {
    let mut random = Random::new(12);
    for r in sample_rotations(&mut random) {
        let q = Quaternion::from_rotation(&r);
        assert!((q.norm() - 1.0).abs() < 2.0 * EPSILON);
        assert!(distance(&q.to_rotation(), &r) < 8.0 * EPSILON, "{r:?}");
        assert!(distance(&r.orthonormalised(), &r) < 8.0 * EPSILON);
    }
}

#[test]
fn drift_is_taken_out() {
    let mut random = Random::new(13);
    let r = random.rotation();
    let mut drifted = r * (1.0 + 1e-7);
    drifted.x.y += 1e-8;
    let clean = drifted.orthonormalised();
    assert!(distance(&clean, &r) < 1e-7);
    assert!(distance(&(clean.transpose() * clean), &Mat3::identity()) < 4.0 * EPSILON);
}

#[test]
fn axis_and_angle_convert_both_ways() {
    let mut random = Random::new(14);
    for r in sample_rotations(&mut random) {
        let (axis, angle) = r.to_axis_angle();
        assert!((axis.norm() - 1.0).abs() < 4.0 * EPSILON);
        assert!((0.0..=PI).contains(&angle));
        assert!(distance(&Mat3::from_axis_angle(axis, angle), &r) < 8.0 * EPSILON);
        let q = Quaternion::from_axis_angle(axis, angle);
        assert!(distance(&q.to_rotation(), &r) < 8.0 * EPSILON);
    }
    for angle in [1e-300, 1e-200, 1e-20] {
        let (axis, back) = Mat3::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), angle).to_axis_angle();
        assert!((axis - Vec3::new(0.6, 0.0, 0.8)).norm() < 4.0 * EPSILON);
        assert!((back - angle).abs() <= 4.0 * EPSILON * angle);
    }
    assert_eq!(
        Mat3::<f64>::identity().to_axis_angle(),
        (Vec3::unit(0), 0.0)
    );
}

#[test]
fn roll_pitch_yaw_are_three_turns_about_fixed_axes() {
    let mut random = Random::new(15);
    for _ in 0..300 {
        let (roll, pitch, yaw) = (
            PI * random.number(),
            FRAC_PI_2 * random.number(),
            PI * random.number(),
        );
        let r = Mat3::from_roll_pitch_yaw(roll, pitch, yaw);
        let turn = |axis, angle| Mat3::from_axis_angle(Vec3::unit(axis), angle);
        assert!(distance(&r, &(turn(2, yaw) * turn(1, pitch) * turn(0, roll))) < 4.0 * EPSILON);
        let back = r.to_roll_pitch_yaw();
        // Close to the lock, yaw and roll are known only as far as the cosine of the pitch leaves
        // them.
        let bound = 8.0 * EPSILON / pitch.cos();
        for (a, b) in back.iter().zip([roll, pitch, yaw]) {
            assert!((a - b).abs() < bound, "{back:?} {roll} {pitch} {yaw}");
        }
    }
}

#[test]
fn roll_pitch_yaw_reproduce_the_rotation_at_the_lock() {
    let mut random = Random::new(16);
    for gap in [0.0, 1e-17, 1e-12, 1e-9, 1e-8, 1e-6, 1e-3] {
        for side in [-1.0, 1.0] {
            let r = Mat3::from_roll_pitch_yaw(
                random.number(),
                side * (FRAC_PI_2 - gap),
                PI * random.number(),
            );
            let [roll, pitch, yaw] = r.to_roll_pitch_yaw();
            assert!(
                distance(&Mat3::from_roll_pitch_yaw(roll, pitch, yaw), &r) < 6.0 * EPSILON,
                "{gap:e}"
            );
        }
    }
}

#[test]
fn slerp_turns_at_constant_rate_along_the_shorter_arc() {
    let mut random = Random::new(17);
    for _ in 0..300 {
        let (p, q) = (random.quaternion(), random.quaternion());
        let whole = (p.conjugate() * q).log().norm();
        assert!(whole <= PI);
        for t in [0.0, 0.25, 0.5, 1.0] {
            let between = p.slerp(q, t);
            let part = (p.conjugate() * between).log().norm();
            assert!((part - t * whole).abs() < 8.0 * EPSILON);
        }
        assert!(distance(&p.slerp(q, 1.0).to_rotation(), &q.to_rotation()) < 16.0 * EPSILON);
        let (a, b) = (p.slerp(q, 0.3), p.slerp(-q, 0.3));
        assert!(distance(&a.to_rotation(), &b.to_rotation()) < 16.0 * EPSILON);
    }
}

#[test]
fn a_quaternion_is_stored_as_its_four_numbers() {
    let q = Quaternion::new(0.1, 0.2, 0.3, 0.4);
    let text = serde_json::to_string(&q).unwrap();
    assert_eq!(text, "[0.1,0.2,0.3,0.4]");
    assert_eq!(serde_json::from_str::<Quaternion<f64>>(&text).unwrap(), q);
}
