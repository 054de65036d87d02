//! Bodies whose next velocity is known.

use super::{contacts, packed};
use featherline_constraint::nonsmooth::{FrictionLaw, Outcome, Solver, SolverOptions};
use nalgebra::DMatrix;

const GRAVITY: f64 = 9.81;

/// Cubes that are free, each with a mass and half an edge.
fn mass_of(cubes: &[(f64, f64)]) -> DMatrix<f64> {
    let mut mass = DMatrix::zeros(6 * cubes.len(), 6 * cubes.len());
    for (i, (m, half)) in cubes.iter().enumerate() {
        for k in 0..3 {
            mass[(6 * i + k, 6 * i + k)] = *m;
            mass[(6 * i + 3 + k, 6 * i + 3 + k)] = m * 4.0 * half * half / 6.0;
        }
    }
    mass
}

/// The corners of a cube's lower face, from its centre.
fn lower_corners(half: f64) -> [[f64; 3]; 4] {
    [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]].map(|[x, y]| [x * half, y * half, -half])
}

/// Three rows of the velocity of a point at `r` from the centre of cube `i`, times a sign.
fn write_rows(jacobian: &mut DMatrix<f64>, row: usize, i: usize, r: [f64; 3], sign: f64) {
    let [x, y, z] = r;
    let cross = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]];
    for k in 0..3 {
        jacobian[(row + k, 6 * i + k)] = sign;
        for c in 0..3 {
            jacobian[(row + k, 6 * i + 3 + c)] = sign * cross[k][c];
        }
    }
}

fn solve(
    mass: &DMatrix<f64>,
    free: &[f64],
    jacobian: &DMatrix<f64>,
    friction: f64,
    law: FrictionLaw,
) -> (Vec<f64>, Vec<f64>, Outcome) {
    let (tree, mass) = packed(mass);
    let m = jacobian.nrows() / 3;
    let rows = contacts(jacobian, &vec![0.0; 3 * m], &vec![friction; m]);
    let mut impulses = vec![0.0; 3 * m];
    let mut solver = Solver::new(&tree);
    let options = SolverOptions {
        law,
        ..SolverOptions::default()
    };
    assert!(solver.set_mass(&mass));
    let outcome = solver.solve(free, &rows, &mut impulses, &options);
    assert!(outcome.has_converged, "{outcome:?}");
    (solver.velocity().to_vec(), impulses, outcome)
}

fn cube_on_ground(half: f64) -> DMatrix<f64> {
    let mut jacobian = DMatrix::zeros(12, 6);
    for (i, corner) in lower_corners(half).into_iter().enumerate() {
        write_rows(&mut jacobian, 3 * i, 0, corner, 1.0);
    }
    jacobian
}

#[test]
fn a_sliding_cube_is_braked_and_does_not_lift() {
    let (h, mu, half) = (5e-3, 0.5, 0.05);
    let mass = mass_of(&[(1.0, half)]);
    let free = [6.0, 0.0, -GRAVITY * h, 0.0, 0.0, 0.0];
    let (v, impulses, _) = solve(&mass, &free, &cube_on_ground(half), mu, FrictionLaw::Exact);
    let expected = [6.0 - mu * GRAVITY * h, 0.0, 0.0, 0.0, 0.0, 0.0];
    for k in 0..6 {
        assert!((v[k] - expected[k]).abs() < 1e-8, "{v:?}");
    }
    let weight: f64 = impulses.iter().skip(2).step_by(3).sum();
    assert!((weight - GRAVITY * h).abs() < 1e-9);
    // The convex law makes it jump.
    let (v, ..) = solve(&mass, &free, &cube_on_ground(half), mu, FrictionLaw::Convex);
    assert!(v[2] > 2.0, "{v:?}");
}

#[test]
fn a_cube_on_an_incline_rests_below_the_angle_of_friction_and_slides_above() {
    let (h, mu, half) = (1e-3, 0.6, 0.1);
    let mass = mass_of(&[(2.0, half)]);
    for ratio in [0.5, 0.9, 0.999, 1.001, 1.1, 2.0] {
        let angle = f64::atan(mu * ratio);
        let (sin, cos) = angle.sin_cos();
        let free = [h * GRAVITY * sin, 0.0, -h * GRAVITY * cos, 0.0, 0.0, 0.0];
        let (v, ..) = solve(&mass, &free, &cube_on_ground(half), mu, FrictionLaw::Exact);
        let expected = (h * GRAVITY * (sin - mu * cos)).max(0.0);
        assert!(
            (v[0] - expected).abs() < 1e-12,
            "{ratio}: {v:?}, {expected}"
        );
        assert!(v[1..].iter().all(|v| v.abs() < 1e-11), "{ratio}: {v:?}");
    }
}

/// A cube of 40 kg on the ground, coupled a little with others of 150 tonnes that are near it, as
/// the feet of a robot are with gears that have the inertia of their rotors: the cube rests.
#[test]
fn contacts_of_very_different_responses_are_solved_together() {
    let (h, half, heavy) = (1e-3, 0.2, 7);
    let mut cubes = vec![(40.0, half)];
    cubes.resize(1 + heavy, (1.5e5, half));
    let mut mass = mass_of(&cubes);
    let mut jacobian = DMatrix::zeros(12 * cubes.len(), 6 * cubes.len());
    let mut bias = vec![0.0; jacobian.nrows()];
    for i in 0..cubes.len() {
        for (c, corner) in lower_corners(half).into_iter().enumerate() {
            write_rows(&mut jacobian, 12 * i + 3 * c, i, corner, 1.0);
            if i > 0 {
                bias[12 * i + 3 * c + 2] = 0.02 * (c + 1) as f64;
            }
        }
        if i > 0 {
            (mass[(0, 6 * i)], mass[(6 * i, 0)]) = (1e-3, 1e-3);
        }
    }
    let mut free = vec![0.0; 6 * cubes.len()];
    free[2] = -GRAVITY * h;
    let (tree, mass) = packed(&mass);
    let rows = contacts(&jacobian, &bias, &vec![0.8; bias.len() / 3]);
    let mut impulses = vec![0.0; bias.len()];
    let mut solver = Solver::new(&tree);
    assert!(solver.set_mass(&mass));
    let outcome = solver.solve(&free, &rows, &mut impulses, &SolverOptions::default());
    assert!(outcome.has_converged, "{outcome:?}");
    let v = solver.velocity();
    assert!(v.iter().all(|v| v.abs() < 1e-9), "{v:?}");
    let weight: f64 = (0..4).map(|c| impulses[3 * c + 2]).sum();
    assert!(
        (weight / (40.0 * GRAVITY * h) - 1.0).abs() < 1e-8,
        "{weight}"
    );
}

#[test]
fn a_stack_that_is_heavier_above_rests() {
    let (h, half) = (5e-3, 0.05);
    let masses: Vec<f64> = (0..10).map(|k| 1000_f64.powf(f64::from(k) / 9.0)).collect();
    let cubes: Vec<(f64, f64)> = masses.iter().map(|m| (*m, half)).collect();
    let mass = mass_of(&cubes);
    let mut jacobian = DMatrix::zeros(120, 60);
    for i in 0..10 {
        for (c, corner) in lower_corners(half).into_iter().enumerate() {
            write_rows(&mut jacobian, 12 * i + 3 * c, i, corner, 1.0);
            if i > 0 {
                let above = [corner[0], corner[1], half];
                write_rows(&mut jacobian, 12 * i + 3 * c, i - 1, above, -1.0);
            }
        }
    }
    let mut free = vec![0.0; 60];
    for i in 0..10 {
        free[6 * i + 2] = -GRAVITY * h;
    }
    let (v, impulses, outcome) = solve(&mass, &free, &jacobian, 0.5, FrictionLaw::Exact);
    println!("{outcome:?}");
    assert!(v.iter().all(|v| v.abs() < 1e-9), "{v:?}");
    let weight: f64 = masses.iter().sum::<f64>() * GRAVITY * h;
    let carried: f64 = (0..4).map(|c| impulses[3 * c + 2]).sum();
    assert!((carried / weight - 1.0).abs() < 1e-8, "{carried} {weight}");
}

#[test]
fn a_cube_that_is_pinched_does_not_creep() {
    let (h, mu, m, force) = (2e-3, 0.7, 0.045, 12.0);
    let half = 0.02;
    // Two fingers slide along x, and press the cube between them.
    let mut mass = DMatrix::zeros(8, 8);
    mass.view_mut((0, 0), (6, 6))
        .copy_from(&mass_of(&[(m, half)]));
    mass[(6, 6)] = 0.2;
    mass[(7, 7)] = 0.2;
    let mut jacobian = DMatrix::zeros(24, 8);
    let mut row = 0;
    for (finger, side) in [(6, -1.0), (7, 1.0)] {
        for [y, z] in [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]] {
            let mut rows = DMatrix::zeros(3, 8);
            write_rows(&mut rows, 0, 0, [side * half, y * half, z * half], 1.0);
            // Tangents y and z, and the normal from the finger into the cube.
            for k in 0..8 {
                jacobian[(row, k)] = rows[(1, k)];
                jacobian[(row + 1, k)] = rows[(2, k)];
                jacobian[(row + 2, k)] = -side * rows[(0, k)];
            }
            jacobian[(row + 2, finger)] = side;
            row += 3;
        }
    }
    let mut free = [0.0; 8];
    free[2] = -GRAVITY * h;
    free[6] = force / 0.2 * h;
    free[7] = -force / 0.2 * h;
    let (v, _, outcome) = solve(&mass, &free, &jacobian, mu, FrictionLaw::Exact);
    println!("{outcome:?}");
    // The load is 40 times below the limit of friction.
    // To the tolerance: 1e-10 of the 0.12 m/s that a finger would have.
    assert!(v[..6].iter().all(|v| v.abs() < 1.2e-11), "{v:?}");
    assert!(v[6..].iter().all(|v| v.abs() < 1e-10), "{v:?}");
}
