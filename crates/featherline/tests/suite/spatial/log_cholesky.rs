//! Log-Cholesky parameters against nalgebra's factors and eigenvalues, and against differences.

use super::matrices::assert_near;
use super::random::Random;
use featherline::spatial::{DynamicParameters, Inertia, InertiaFault, LogCholesky, Vec3};
use nalgebra::{Matrix4, SMatrix};

/// Ten numbers of the size of those of robots' bodies.
fn numbers(random: &mut Random) -> [f64; 10] {
    let [d, s, t] = std::array::from_fn(|_| random.vector());
    let alpha = random.between(-2.0, 2.0);
    let d = d - Vec3::new(1.0, 1.0, 1.0);
    LogCholesky {
        alpha,
        d,
        s,
        com: t,
    }
    .to_array()
}

fn matrix(rows: &[[f64; 4]; 4]) -> Matrix4<f64> {
    Matrix4::from_fn(|i, j| rows[i][j])
}

/// The pseudo-inertia of ten numbers as the paper writes it.
fn product([alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3]: [f64; 10]) -> Matrix4<f64> {
    #[rustfmt::skip]
    let factor = Matrix4::new(
        d1.exp(), s12, s13, t1,
        0.0, d2.exp(), s23, t2,
        0.0, 0.0, d3.exp(), t3,
        0.0, 0.0, 0.0, 1.0,
    ) * alpha.exp();
    factor * factor.transpose()
}

#[test]
fn parameters_are_those_of_the_product_of_the_factor() {
    let mut random = Random::new(51);
    for _ in 0..100 {
        let ten = numbers(&mut random);
        let parameters = LogCholesky::from_array(ten).to_parameters();
        let found = matrix(&parameters.pseudo_inertia());
        let expected = product(ten);
        // Sums of four products, and of the trace.
        let units = 32.0 * expected.amax().max(1.0);
        assert_near(found.as_slice(), expected.as_slice(), units);
        assert_eq!(parameters.consistency_fault(), None);
    }
}

#[test]
fn a_bodys_numbers_are_those_of_nalgebras_factor() {
    let mut random = Random::new(52);
    for _ in 0..100 {
        let mut body = DynamicParameters::zero();
        for _ in 0..6 {
            body += Inertia::point_mass(random.between(0.1, 0.5), random.vector()).to_parameters();
        }
        let free = LogCholesky::from_parameters(&body).expect("points in all directions");
        // Backwards: of the matrix with rows and columns in the other order, a lower factor.
        let pseudo = body.pseudo_inertia();
        let turned = Matrix4::from_fn(|i, j| pseudo[3 - i][3 - j]);
        let lower = turned.cholesky().expect("positive definite").unpack();
        let scale = lower[(0, 0)];
        let entry = |i: usize, j: usize| lower[(3 - i, 3 - j)] / scale;
        let expected = [
            scale.ln(),
            entry(0, 0).ln(),
            entry(1, 1).ln(),
            entry(2, 2).ln(),
            entry(0, 1),
            entry(1, 2),
            entry(0, 2),
            entry(0, 3),
            entry(1, 3),
            entry(2, 3),
        ];
        // Six points may be nearly flat: rounding is that of the matrix over its smallest pivot.
        assert_near(&free.to_array(), &expected, 1e5);
        let back = free.to_parameters().to_array();
        assert_near(&back, &body.to_array(), 64.0);
    }
}

#[test]
fn the_mass_and_its_centre_are_numbers_of_their_own() {
    let brick = Inertia::cuboid(0.25, Vec3::new(0.1, 0.2, 0.3));
    let placed = Inertia::new(brick.mass, Vec3::new(1.0, -2.0, 0.5), brick.rotational);
    let free = LogCholesky::from_parameters(&placed.to_parameters()).expect("a brick");
    assert_eq!(free.alpha, 0.5_f64.ln());
    // Moments about the origin are a thousand times those about the centre.
    assert_near(&free.com.to_array(), &[1.0, -2.0, 0.5], 1e3);
    // The variance of an interval is a twelfth of its square.
    let deviations = [0.1, 0.2, 0.3].map(|a: f64| (a / 12.0_f64.sqrt()).ln());
    assert_near(&free.d.to_array(), &deviations, 1e5);
}

#[test]
fn the_jacobian_is_that_of_differences() {
    let mut random = Random::new(53);
    for _ in 0..20 {
        let ten = numbers(&mut random);
        let moved = |k: usize, step: f64| {
            let mut ten = ten;
            ten[k] += step;
            LogCholesky::from_array(ten).to_parameters().to_array()
        };
        let jacobian = LogCholesky::from_array(ten).jacobian();
        let step = 1e-5;
        let differences = SMatrix::<f64, 10, 10>::from_fn(|row, k| {
            (moved(k, step)[row] - moved(k, -step)[row]) / (2.0 * step)
        });
        let size = differences.amax();
        for (row, numbers) in jacobian.iter().enumerate() {
            for (k, x) in numbers.iter().enumerate() {
                // The square of the step, and rounding over the step.
                assert!((x - differences[(row, k)]).abs() < 1e-9 * size, "{row} {k}");
            }
        }
    }
}

#[test]
fn parameters_are_consistent_where_the_pseudo_inertia_is_positive_definite() {
    let mut random = Random::new(54);
    let mut faults = 0;
    for _ in 0..1000 {
        let mut ten = LogCholesky::from_array(numbers(&mut random))
            .to_parameters()
            .to_array();
        let size = ten.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
        for number in &mut ten {
            *number += random.between(-0.05, 0.05) * size;
        }
        let body = DynamicParameters::from_array(ten);
        let values = matrix(&body.pseudo_inertia()).symmetric_eigenvalues();
        assert_eq!(
            body.consistency_fault().is_none(),
            values.min() > 0.0,
            "{ten:?}"
        );
        faults += usize::from(values.min() <= 0.0);
    }
    assert!(
        (200..800).contains(&faults),
        "{faults} of 1000 are no bodies"
    );
}

#[test]
fn what_is_no_body_is_refused_with_the_reason() {
    let fault = |ten: [f64; 10]| DynamicParameters::from_array(ten).consistency_fault();
    let with = |mass: f64, zz: f64| fault([mass, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, zz]);
    assert_eq!(with(1.0, 1.0), None);
    assert_eq!(with(-2.0, 1.0), Some(InertiaFault::Mass { mass: -2.0 }));
    let text = with(0.0, 1.0).map(|fault| fault.to_string());
    let expected = "its mass is 0 kg, and that of a body is positive";
    assert_eq!(text.as_deref(), Some(expected));
    let flat = Some(InertiaFault::Pivot { row: 3, pivot: 0.0 });
    assert_eq!(with(1.0, 2.0), flat);
    assert!(matches!(
        with(f64::NAN, 1.0),
        Some(InertiaFault::Mass { .. })
    ));
    let unknown = with(1.0, f64::NAN);
    assert!(matches!(unknown, Some(InertiaFault::Pivot { .. })));
    assert!(matches!(
        with(f64::INFINITY, 1.0),
        Some(InertiaFault::Mass { .. })
    ));
}
