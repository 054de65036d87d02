//! Conversions from and to other libraries' types.

use super::matrices::assert_near;
use super::random::Random;
use featherline::spatial::{Force, Inertia, Mat3, Motion, Quaternion, Se3, Sym3, Vec3};
use nalgebra::{Isometry3, Matrix3, Matrix6, Point3, UnitQuaternion, Vector3, Vector6};

#[test]
fn nalgebra_computes_the_same() {
    let mut random = Random::new(41);
    for _ in 0..100 {
        let (a, b, p) = (random.placement(), random.placement(), random.vector());
        let (a_na, b_na) = (Isometry3::from(a), Isometry3::from(b));
        let point = a_na * (b_na * Point3::from(Vector3::from(p)));
        assert_near(
            &(a * b).act_point(p).to_array(),
            point.coords.as_slice(),
            16.0,
        );
        let back = Se3::from(a_na * b_na);
        assert_near(&back.act_point(p).to_array(), point.coords.as_slice(), 16.0);
        let product = Mat3::from(Matrix3::from(a.rotation) * Matrix3::from(b.rotation));
        let ours = (a.rotation * b.rotation).to_rows();
        assert_near(product.to_rows().as_flattened(), ours.as_flattened(), 8.0);
        let (q, r) = (random.quaternion(), random.quaternion());
        let theirs = Quaternion::from(UnitQuaternion::from(q) * UnitQuaternion::from(r));
        assert_near(&theirs.to_array(), &(q * r).to_array(), 8.0);
        assert_eq!(Vec3::from(Vector3::from(p)), p);
    }
}

#[test]
fn nalgebra_matrices_of_inertias_act_on_vectors() {
    let mut random = Random::new(42);
    let rotational = Sym3::new(0.3, 0.01, 0.02, 0.4, -0.03, 0.5);
    let y = Inertia::new(1.5, random.vector(), rotational);
    let nu = random.motion();
    let expected = y.mul_motion(&nu);
    let articulated = y.to_parameters().to_articulated();
    for matrix in [
        Matrix6::from(y),
        Matrix6::from(y.to_parameters()),
        Matrix6::from(articulated),
    ] {
        let momentum = Force::from(matrix * Vector6::from(nu));
        assert_near(&momentum.to_array(), &expected.to_array(), 16.0);
        let back = Inertia::from(matrix).mul_motion(&nu);
        assert_near(&back.to_array(), &expected.to_array(), 32.0);
    }
    assert_eq!(
        featherline::spatial::ArticulatedInertia::from(Matrix6::from(articulated)),
        articulated
    );
    assert_eq!(Motion::from(Vector6::from(nu)), nu);
    assert_eq!(Vector6::from(expected).as_slice(), expected.to_array());
}

#[cfg(feature = "glam")]
#[test]
fn glam_computes_the_same() {
    use glam::{DAffine3, DMat3, DQuat, DVec3};
    let mut random = Random::new(43);
    for _ in 0..100 {
        let (a, b, p) = (random.placement(), random.placement(), random.vector());
        let product = DAffine3::from(a) * DAffine3::from(b);
        let point = Vec3::from(product.transform_point3(DVec3::from(p)));
        assert_near(&(a * b).act_point(p).to_array(), &point.to_array(), 16.0);
        assert_near(
            &Se3::from(product).act_point(p).to_array(),
            &point.to_array(),
            16.0,
        );
        let turned = Vec3::from(DMat3::from(a.rotation) * DVec3::from(p));
        assert_near(&turned.to_array(), &(a.rotation * p).to_array(), 8.0);
        assert_eq!(Mat3::from(DMat3::from(a.rotation)), a.rotation);
        let (q, r) = (random.quaternion(), random.quaternion());
        let theirs = Quaternion::from(DQuat::from(q) * DQuat::from(r));
        assert_near(&theirs.to_array(), &(q * r).to_array(), 8.0);
    }
}
