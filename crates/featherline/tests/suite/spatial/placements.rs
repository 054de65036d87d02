//! Which matrices are placements.

use super::random::Random;
use featherline::spatial::{Mat3, PlacementFault, Se3, Vec3};

#[test]
fn placements_are_read_back_from_their_matrices() {
    let mut random = Random::new(7);
    for _ in 0..100 {
        let placement = Se3::new(random.rotation(), random.direction());
        let rows = placement.to_homogeneous();
        assert_eq!(Se3::from_homogeneous(rows), Ok(placement));
        // Six digits, as files have them, and single precision.
        for rounded in [
            rows.map(|row| row.map(|x| (x * 1e6).round() / 1e6)),
            rows.map(|row| row.map(|x| f64::from(x as f32))),
        ] {
            assert!(Se3::from_homogeneous(rounded).is_ok());
        }
    }
}

#[test]
fn the_fault_of_another_matrix_is_named() {
    let good = Mat3::from_axis_angle(Vec3::unit(1), 0.3);
    let scaled = Mat3::from_columns(good.x, good.y * 1.001, good.z);
    let fault = scaled.rotation_fault();
    assert!(
        matches!(fault, Some(PlacementFault::Length { column: 2, length }) if (length - 1.001).abs() < 1e-12)
    );
    let along = (good.z + good.x * 1e-3).normalised();
    let fault = Mat3::from_columns(good.x, good.y, along).rotation_fault();
    assert!(
        matches!(fault, Some(PlacementFault::NotPerpendicular { columns: [1, 3], product }) if (product - 1e-3).abs() < 1e-6)
    );
    let mirrored = Mat3::from_columns(good.x, good.y, -good.z);
    assert_eq!(mirrored.rotation_fault(), Some(PlacementFault::Reflection));
    let infinite = Mat3::from_columns(good.x, good.y, good.z * f64::INFINITY);
    assert_eq!(infinite.rotation_fault(), Some(PlacementFault::NotFinite));
    let mut rows = Se3::from_rotation(good).to_homogeneous();
    rows[3][0] = 0.1;
    let row = rows[3];
    assert_eq!(
        Se3::from_homogeneous(rows),
        Err(PlacementFault::LastRow { row })
    );
    rows[3] = [0.0, 0.0, 0.0, 1.0];
    rows[0][3] = f64::NAN;
    assert_eq!(Se3::from_homogeneous(rows), Err(PlacementFault::NotFinite));
}
