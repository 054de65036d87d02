//! Inertias of rigid and articulated bodies.

use super::matrices::{Matrix, apply, assert_near, assert_same, product, sum, transpose};
use super::random::Random;
use featherline::scalar::Dual;
use featherline::spatial::{
    ArticulatedInertia, DynamicParameters, Inertia, Mat3, Motion, Se3, Sym3, Vec3, exp6,
};

// Chains of three 6×6 products of numbers of size about one.
const UNITS: f64 = 64.0;

/// A body of random point masses, so that it is physically consistent.
fn body(random: &mut Random) -> Inertia<f64> {
    let mut total = Inertia::zero();
    for _ in 0..5 {
        total += Inertia::point_mass(random.between(0.1, 0.5), random.vector());
    }
    total
}

/// A symmetric positive definite matrix that is not a rigid body's.
fn articulated(random: &mut Random) -> ArticulatedInertia<f64> {
    let (first, second) = (random.placement(), random.placement());
    let own = body(random).to_parameters().to_articulated();
    let mut inertia = own.transformed_by(&first);
    let force = random.force();
    inertia = inertia.sub_outer(&force, -0.3);
    inertia.transformed_by(&second)
}

/// The definition of a rigid body's 6×6 matrix, from the mass, the centre and the inertia about it.
fn matrix(y: &Inertia<f64>) -> Matrix {
    let (mass, c) = (y.mass, Mat3::skew(y.com));
    let (coupling, shift) = ((c * mass).to_rows(), (c * c * mass).to_rows());
    let central = y.rotational.to_mat().to_rows();
    let mut m = [[0.0; 6]; 6];
    for i in 0..3 {
        m[i][i] = mass;
        for j in 0..3 {
            m[i][j + 3] = -coupling[i][j];
            m[i + 3][j] = coupling[i][j];
            m[i + 3][j + 3] = central[i][j] - shift[i][j];
        }
    }
    m
}

/// X* Y X⁻¹.
fn moved(m: &Se3<f64>, y: &Matrix) -> Matrix {
    product(
        &product(&m.dual_action_matrix(), y),
        &transpose(&m.dual_action_matrix()),
    )
}

#[test]
fn rigid_inertias_are_their_matrices() {
    let mut random = Random::new(31);
    for _ in 0..200 {
        let (y, other, m) = (body(&mut random), body(&mut random), random.placement());
        let (nu, alpha) = (random.motion(), random.motion());
        let (p, rows) = (y.to_parameters(), matrix(&y));
        assert_same(&y.to_matrix(), &rows, UNITS);
        assert_same(&p.to_matrix(), &rows, UNITS);
        let momentum = apply(&rows, nu.to_array());
        assert_near(&y.mul_motion(&nu).to_array(), &momentum, UNITS);
        assert_near(&p.mul_motion(&nu).to_array(), &momentum, UNITS);
        let bias = apply(&nu.cross_force_matrix(), momentum);
        assert_near(&y.velocity_force(&nu).to_array(), &bias, UNITS);
        assert_near(&p.velocity_force(&nu).to_array(), &bias, UNITS);
        let inertial = apply(&rows, alpha.to_array());
        let force: Vec<f64> = inertial.iter().zip(bias).map(|(a, b)| a + b).collect();
        assert_near(&y.newton_euler(&nu, &alpha).to_array(), &force, UNITS);
        assert_near(&p.newton_euler(&nu, &alpha).to_array(), &force, UNITS);
        let energy: f64 = momentum
            .iter()
            .zip(nu.to_array())
            .map(|(a, b)| 0.5 * a * b)
            .sum();
        assert_near(&[y.kinetic_energy(&nu)], &[energy], UNITS);
        assert_same(
            &(y + other).to_matrix(),
            &sum(&rows, &matrix(&other)),
            UNITS,
        );
        assert_same(
            &(p + other.to_parameters()).to_matrix(),
            &sum(&rows, &matrix(&other)),
            UNITS,
        );
        assert_same(&matrix(&m.act_inertia(&y)), &moved(&m, &rows), UNITS);
        assert_same(&p.transformed_by(&m).to_matrix(), &moved(&m, &rows), UNITS);
        let back = moved(&m.inverse(), &rows);
        assert_same(&matrix(&y.inverse_transformed_by(&m)), &back, UNITS);
        assert_same(&p.inverse_transformed_by(&m).to_matrix(), &back, UNITS);
    }
}

#[test]
fn rigid_inertias_convert_both_ways() {
    let mut random = Random::new(32);
    for _ in 0..200 {
        let y = body(&mut random);
        let p = y.to_parameters();
        assert_eq!(DynamicParameters::from_array(p.to_array()), p);
        assert_eq!(DynamicParameters::from_matrix(&p.to_matrix()), p);
        assert_same(&matrix(&Inertia::from_parameters(&p)), &matrix(&y), UNITS);
        assert_same(
            &matrix(&Inertia::from_matrix(&y.to_matrix())),
            &matrix(&y),
            UNITS,
        );
        // The dynamics is linear in the ten numbers, in the stated order.
        let nu = random.motion();
        let mut force = [0.0; 6];
        for (k, value) in p.to_array().iter().enumerate() {
            let mut unit = [0.0; 10];
            unit[k] = 1.0;
            let part = DynamicParameters::from_array(unit)
                .mul_motion(&nu)
                .to_array();
            for i in 0..6 {
                force[i] += value * part[i];
            }
        }
        assert_near(&force, &y.mul_motion(&nu).to_array(), UNITS);
    }
}

#[test]
fn articulated_inertias_are_their_matrices() {
    let mut random = Random::new(33);
    for _ in 0..200 {
        let (y, m, nu) = (
            articulated(&mut random),
            random.placement(),
            random.motion(),
        );
        let rows = y.to_matrix();
        assert_same(&rows, &transpose(&rows), 0.0);
        assert_eq!(ArticulatedInertia::from_matrix(&rows), y);
        assert_near(
            &y.mul_motion(&nu).to_array(),
            &apply(&rows, nu.to_array()),
            UNITS,
        );
        assert_same(&y.transformed_by(&m).to_matrix(), &moved(&m, &rows), UNITS);
        assert_same(
            &y.inverse_transformed_by(&m).to_matrix(),
            &moved(&m.inverse(), &rows),
            UNITS,
        );
        let f = random.force();
        let (column, factor) = (f.to_array(), random.number());
        let mut left = rows;
        for i in 0..6 {
            for j in 0..6 {
                left[i][j] -= factor * column[i] * column[j];
            }
        }
        assert_same(&y.sub_outer(&f, factor).to_matrix(), &left, UNITS);
    }
}

#[test]
fn sums_with_massless_bodies_are_right() {
    let mut random = Random::new(34);
    let y = body(&mut random);
    let rotor = Inertia::new(
        0.0,
        random.vector(),
        Sym3::diagonal(Vec3::new(0.1, 0.2, 0.3)),
    );
    for total in [y + rotor, rotor + y] {
        assert_eq!((total.mass, total.com), (y.mass, y.com));
        assert_eq!(total.rotational, y.rotational + rotor.rotational);
    }
    let rotors = rotor + rotor;
    assert_eq!(
        rotors,
        Inertia::new(0.0, Vec3::zero(), rotor.rotational * 2.0)
    );
    assert_eq!(
        Inertia::from_parameters(&rotor.to_parameters()).rotational,
        rotor.rotational
    );
    assert_eq!(Inertia::<f64>::zero() + Inertia::zero(), Inertia::zero());
    // Nor are derivatives lost in the unused division.
    type D = Dual<f64, 1>;
    let growing = Inertia::new(D::variable(0.0, 0), Vec3::unit(0), Sym3::zero());
    assert!((growing + Inertia::constant(&y)).com.is_finite());
    assert!((Inertia::<D>::zero() + Inertia::zero()).com.is_finite());
}

/// Mass, first and second moments by the midpoint rule over the cells of a box, of the points that
/// `inside` accepts.
fn integrate(half: Vec3<f64>, mass: f64, inside: impl Fn(Vec3<f64>) -> bool) -> Inertia<f64> {
    const CELLS: usize = 80;
    let at = |i: usize, h: f64| h * ((2 * i + 1) as f64 / CELLS as f64 - 1.0);
    let (mut count, mut squares) = (0.0, Vec3::zero());
    for i in 0..CELLS {
        for j in 0..CELLS {
            for k in 0..CELLS {
                let p = Vec3::new(at(i, half.x), at(j, half.y), at(k, half.z));
                if inside(p) {
                    count += 1.0;
                    squares += Vec3::new(p.x * p.x, p.y * p.y, p.z * p.z);
                }
            }
        }
    }
    let s = squares * (mass / count);
    Inertia::new(
        mass,
        Vec3::zero(),
        Sym3::diagonal(Vec3::new(s.y + s.z, s.x + s.z, s.x + s.y)),
    )
}

#[test]
fn shapes_have_the_moments_of_their_volume() {
    let (mass, r, l) = (3.0, 0.4, 0.9);
    let size = Vec3::new(0.3, 0.5, 0.7);
    let radial = |p: Vec3<f64>| p.x * p.x + p.y * p.y;
    let cases = [
        (
            Inertia::sphere(mass, r),
            integrate(Vec3::new(r, r, r), mass, |p| p.norm() <= r),
        ),
        (
            Inertia::ellipsoid(mass, size),
            integrate(size, mass, |p| {
                Vec3::new(p.x / size.x, p.y / size.y, p.z / size.z).norm() <= 1.0
            }),
        ),
        (
            Inertia::cuboid(mass, size * 2.0),
            integrate(size, mass, |_| true),
        ),
        (
            Inertia::cylinder(mass, r, l),
            integrate(Vec3::new(r, r, 0.5 * l), mass, |p| radial(p) <= r * r),
        ),
        (
            Inertia::capsule(mass, r, l),
            integrate(Vec3::new(r, r, 0.5 * l + r), mass, |p| {
                let beyond = (p.z.abs() - 0.5 * l).max(0.0);
                radial(p) + beyond * beyond <= r * r
            }),
        ),
    ];
    for (shape, sampled) in cases {
        let (a, b) = (shape.rotational, sampled.rotational);
        // 80 cells across: the staircase of the surface averages out to about 1/80².
        for (x, y) in [(a.xx(), b.xx()), (a.yy(), b.yy()), (a.zz(), b.zz())] {
            assert!((x - y).abs() < 1e-3 * y, "{shape:?} {sampled:?}");
        }
        assert_eq!((shape.mass, shape.com), (mass, Vec3::zero()));
        assert!(shape.is_positive_semidefinite(0.0) && shape.satisfies_triangle_inequality(0.0));
    }
    // A capsule between a sphere and a cylinder.
    assert_eq!(
        Inertia::capsule(mass, r, 0.0).rotational.zz(),
        Inertia::sphere(mass, r).rotational.zz()
    );
    assert_eq!(
        Inertia::capsule(mass, 0.0, 0.0),
        Inertia::sphere(mass, 0.0),
        "a point"
    );
    // So small that the share of a unit of length overflows.
    assert!(Inertia::capsule(mass, 1e-310, 0.0).rotational.xx() < 1e-300);
    let rod = Inertia::capsule(mass, 1e-9, l).rotational.xx();
    assert!((rod - mass * l * l / 12.0).abs() < 1e-8);
}

#[test]
fn physical_consistency_is_judged_in_every_frame() {
    let mut random = Random::new(35);
    for _ in 0..100 {
        let r = random.rotation();
        let with = |x, y, z| {
            Inertia::new(
                1.0,
                random_com(),
                Sym3::diagonal(Vec3::new(x, y, z)).conjugated_by(&r),
            )
        };
        let moments = with(1.0, 2.0, 2.5).principal_moments();
        assert_near(&moments, &[1.0, 2.0, 2.5], UNITS);
        assert!(with(1.0, 2.0, 3.0).satisfies_triangle_inequality(1e-14));
        assert!(!with(1.0, 2.0, 3.01).satisfies_triangle_inequality(1e-14));
        assert!(with(1.0, 2.0, 0.0).is_positive_semidefinite(1e-14));
        assert!(!with(1.0, 2.0, -0.01).is_positive_semidefinite(1e-14));
    }
    let bad = Sym3::diagonal(Vec3::new(1.0, f64::NAN, 1.0));
    let unknown = Inertia::new(1.0, Vec3::zero(), bad);
    assert!(!unknown.is_positive_semidefinite(1.0) && !unknown.satisfies_triangle_inequality(1.0));
    assert!(!Inertia::new(-1.0, Vec3::zero(), Sym3::zero()).is_positive_semidefinite(1e-9));
}

fn random_com() -> Vec3<f64> {
    Vec3::new(0.3, -0.1, 0.2)
}

#[test]
fn pseudo_inertia_is_the_second_moment_of_homogeneous_points() {
    let mut random = Random::new(36);
    let (mut total, mut exact) = (DynamicParameters::zero(), [[0.0; 4]; 4]);
    for _ in 0..6 {
        let (mass, p) = (random.between(0.1, 0.5), random.vector());
        total += Inertia::point_mass(mass, p).to_parameters();
        let point = [p.x, p.y, p.z, 1.0];
        for i in 0..4 {
            for j in 0..4 {
                exact[i][j] += mass * point[i] * point[j];
            }
        }
    }
    assert_near(
        total.pseudo_inertia().as_flattened(),
        exact.as_flattened(),
        16.0,
    );
}

#[test]
fn momentum_derivative_is_the_newton_euler_force() {
    type D = Dual<f64, 1>;
    let mut random = Random::new(37);
    for _ in 0..100 {
        // In fixed coordinates the momentum X* Y ν of a body that moves with ν and α changes by the
        // force X* f.
        let (y, nu, alpha) = (body(&mut random), random.motion(), random.motion());
        let t = D::variable(0.0, 0);
        let step = exp6(&(Motion::constant(&nu) * t));
        let velocity = Motion::constant(&nu) + Motion::constant(&alpha) * t;
        let momentum = step.act_force(&Inertia::constant(&y).mul_motion(&velocity));
        let rate = momentum.to_array().map(|c| c.tangent[0]);
        assert_near(&rate, &y.newton_euler(&nu, &alpha).to_array(), UNITS);
        assert!(momentum.is_finite());
    }
}
