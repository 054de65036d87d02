//! Placements, motions and forces.

use super::matrices::{apply, assert_near, assert_same, identity, negative, product, transpose};
use super::random::Random;
use featherline::scalar::{Dual, Scalar};
use featherline::spatial::{Force, Mat3, Motion, Se3, Vec3, swap_linear_angular};

// Sums of a few products of numbers of size one.
const UNITS: f64 = 16.0;

fn elements(m: &Se3<f64>) -> [f64; 16] {
    let rows = m.to_homogeneous();
    let mut flat = [0.0; 16];
    for (to, from) in flat.iter_mut().zip(rows.as_flattened()) {
        *to = *from;
    }
    flat
}

#[test]
fn placements_form_a_group() {
    let mut random = Random::new(21);
    for _ in 0..200 {
        let (a, b, c) = (random.placement(), random.placement(), random.placement());
        assert_near(&elements(&((a * b) * c)), &elements(&(a * (b * c))), UNITS);
        assert_near(
            &elements(&(a * a.inverse())),
            &elements(&Se3::identity()),
            UNITS,
        );
        assert_near(
            &elements(&a.inverse_compose(&b)),
            &elements(&(a.inverse() * b)),
            UNITS,
        );
        assert_eq!(a * Se3::identity(), a);
        let p = random.vector();
        let through = (a * b).act_point(p).to_array();
        assert_near(&through, &a.act_point(b.act_point(p)).to_array(), UNITS);
        assert_near(
            &a.inverse_act_point(a.act_point(p)).to_array(),
            &p.to_array(),
            UNITS,
        );
    }
}

#[test]
fn actions_on_motions_and_forces_are_the_matrices() {
    let mut random = Random::new(22);
    for _ in 0..200 {
        let (m, other) = (random.placement(), random.placement());
        let (motion, force) = (random.motion(), random.force());
        let (x, dual) = (m.action_matrix(), m.dual_action_matrix());
        assert_near(
            &m.act_motion(&motion).to_array(),
            &apply(&x, motion.to_array()),
            UNITS,
        );
        assert_near(
            &m.act_force(&force).to_array(),
            &apply(&dual, force.to_array()),
            UNITS,
        );
        let back = m.inverse().action_matrix();
        assert_near(
            &m.inverse_act_motion(&motion).to_array(),
            &apply(&back, motion.to_array()),
            UNITS,
        );
        assert_near(
            &m.inverse_act_force(&force).to_array(),
            &apply(&transpose(&x), force.to_array()),
            UNITS,
        );
        assert_same(&product(&x, &back), &identity(), UNITS);
        assert_same(&transpose(&dual), &back, UNITS);
        assert_same(
            &(m * other).action_matrix(),
            &product(&x, &other.action_matrix()),
            UNITS,
        );
        // Power does not depend on the frame.
        let moved = m.act_force(&force).dot(&m.act_motion(&motion));
        assert_near(&[moved], &[force.dot(&motion)], UNITS);
    }
}

#[test]
fn cross_products_are_the_matrices_and_dual_to_each_other() {
    let mut random = Random::new(23);
    for _ in 0..200 {
        let (a, b, c, f) = (
            random.motion(),
            random.motion(),
            random.motion(),
            random.force(),
        );
        let (matrix, dual) = (a.cross_matrix(), a.cross_force_matrix());
        assert_near(
            &a.cross(&b).to_array(),
            &apply(&matrix, b.to_array()),
            UNITS,
        );
        assert_near(
            &a.cross_force(&f).to_array(),
            &apply(&dual, f.to_array()),
            UNITS,
        );
        assert_same(&dual, &negative(&transpose(&matrix)), 0.0);
        assert_near(&a.cross(&b).to_array(), &(-b.cross(&a)).to_array(), UNITS);
        let jacobi = a.cross(&b.cross(&c)) + b.cross(&c.cross(&a)) + c.cross(&a.cross(&b));
        assert_near(&jacobi.to_array(), &[0.0; 6], UNITS);
        let m = random.placement();
        let (left, right) = (
            m.act_motion(&a.cross(&b)),
            m.act_motion(&a).cross(&m.act_motion(&b)),
        );
        assert_near(&left.to_array(), &right.to_array(), 2.0 * UNITS);
        let (left, right) = (
            m.act_force(&a.cross_force(&f)),
            m.act_motion(&a).cross_force(&m.act_force(&f)),
        );
        assert_near(&left.to_array(), &right.to_array(), 2.0 * UNITS);
    }
}

#[test]
fn the_other_order_swaps_the_halves() {
    let mut random = Random::new(24);
    let (m, motion, force) = (random.placement(), random.motion(), random.force());
    assert_eq!(
        Motion::from_angular_first(motion.to_angular_first()),
        motion
    );
    assert_eq!(Force::from_angular_first(force.to_angular_first()), force);
    assert_eq!(motion.to_angular_first()[..3], motion.angular.to_array());
    assert_eq!(force.to_angular_first()[3..], force.linear.to_array());
    let swapped = swap_linear_angular(&m.action_matrix());
    let moved = m.act_motion(&motion).to_angular_first();
    assert_near(&moved, &apply(&swapped, motion.to_angular_first()), UNITS);
    // Featherstone's form [E 0; −E r× E] has a zero upper right block.
    assert!(swapped[..3].iter().all(|row| row[3..] == [0.0; 3]));
}

#[test]
fn classical_acceleration_is_that_of_the_point_at_the_origin() {
    type D = Dual<f64, 1>;
    let mut random = Random::new(25);
    for _ in 0..50 {
        // A frame that moves with body velocity ν(t) = ν + α t: the velocity of its origin in fixed
        // coordinates is R v, whose rate in the frame's coordinates is v' + ω × v.
        let (m, velocity, acceleration) = (random.placement(), random.motion(), random.motion());
        let lift = |value: Vec3<f64>, rate: Vec3<f64>| {
            Vec3::new(
                D::new(value.x, [rate.x]),
                D::new(value.y, [rate.y]),
                D::new(value.z, [rate.z]),
            )
        };
        let r = m.rotation;
        let mut turning = Mat3::<D>::constant(&r);
        let w = velocity.angular;
        for (axis, column) in [
            (0, &mut turning.x),
            (1, &mut turning.y),
            (2, &mut turning.z),
        ] {
            let rate = r.mul_vec(w.cross(Vec3::unit(axis)));
            *column = lift(
                Vec3::from([column.x.value, column.y.value, column.z.value]),
                rate,
            );
        }
        let outside = turning.mul_vec(lift(velocity.linear, acceleration.linear));
        let rate = Vec3::from(outside.to_array().map(|c| c.tangent[0]));
        let classical = acceleration.to_classical(&velocity);
        assert_near(
            &classical.linear.to_array(),
            &r.tr_mul_vec(rate).to_array(),
            UNITS,
        );
        assert_eq!(classical.angular, acceleration.angular);
        let back = Motion::from_classical(&classical, &velocity);
        assert_near(&back.to_array(), &acceleration.to_array(), UNITS);
    }
}

#[test]
fn duals_pass_through_placements() {
    type D = Dual<f64, 1>;
    let mut random = Random::new(26);
    let (a, b, motion) = (random.placement(), random.placement(), random.motion());
    // Translating along x at unit rate: X changes by the matrix of the unit motion's cross product.
    let step = Se3::from_translation(Vec3::new(D::variable(0.0, 0), D::zero(), D::zero()));
    let moved =
        (Se3::constant(&a) * step * Se3::constant(&b)).act_motion(&Motion::constant(&motion));
    let rate = moved.to_array().map(|c| c.tangent[0]);
    let along = Motion::new(Vec3::unit(0), Vec3::zero());
    let exact = a.act_motion(&along.cross(&b.act_motion(&motion)));
    assert_near(&rate, &exact.to_array(), UNITS);
}

#[test]
fn normalising_survives_extreme_lengths_and_keeps_coordinate_axes_exact() {
    assert_eq!(
        Vec3::new(0.0, -7.3, 0.0).normalised(),
        Vec3::new(0.0, -1.0, 0.0)
    );
    for scale in [1e-300, 1.0, 1e300] {
        let axis = Vec3::new(0.0, 3.0 * scale, 4.0 * scale).normalised();
        assert!((axis - Vec3::new(0.0, 0.6, 0.8)).norm() < 1e-15);
        assert_eq!(axis.normalised(), axis);
    }
    assert_eq!(Vec3::<f64>::zero().normalised(), Vec3::zero());
}
