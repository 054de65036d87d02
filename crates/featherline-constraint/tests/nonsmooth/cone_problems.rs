//! Random cone problems: the laws hold at every solution.

use super::{contacts, packed, violation};
use featherline_constraint::nonsmooth::{Solver, SolverOptions};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    // A sum of twelve uniform numbers.
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

struct Random {
    mass: DMatrix<f64>,
    free: Vec<f64>,
    jacobian: DMatrix<f64>,
    friction: Vec<f64>,
}

fn random(seed: u64, n: usize, m: usize) -> Random {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut matrix =
        |rows: usize, columns: usize| DMatrix::from_fn(rows, columns, |_, _| normal(&mut rng));
    let a = matrix(n, n);
    let mass = &a * a.transpose() / n as f64 + DMatrix::identity(n, n) * 0.1;
    let jacobian = matrix(3 * m, n);
    let free = matrix(n, 1).column(0).iter().copied().collect();
    let friction = (0..m).map(|_| rng.random_range(0.2..1.0)).collect();
    Random {
        mass,
        free,
        jacobian,
        friction,
    }
}

/// The worst violation relative to the free velocity of the rows, measured from the impulses alone.
fn worst_violation(problem: &Random, impulses: &[f64]) -> f64 {
    let inverse = problem.mass.clone().try_inverse().unwrap();
    let free = DVector::from_column_slice(&problem.free);
    let lambda = DVector::from_column_slice(impulses);
    let v = &free + &inverse * problem.jacobian.transpose() * &lambda;
    let (u, first) = (&problem.jacobian * v, &problem.jacobian * free);
    let delassus = &problem.jacobian * inverse * problem.jacobian.transpose();
    let worst = problem.friction.iter().enumerate().map(|(i, &friction)| {
        let rows = 3 * i..3 * i + 3;
        let w = rows.clone().map(|k| delassus[(k, k)]).sum::<f64>() / 3.0;
        violation(&u.as_slice()[rows.clone()], &impulses[rows], friction, w)
    });
    worst.fold(0.0, f64::max) / first.amax()
}

#[test]
fn random_problems_are_solved_exactly() {
    let options = SolverOptions::default();
    let (mut most, mut stopped) = (0, 0);
    for (m, problems) in [(4, 60), (12, 40), (40, 10)] {
        for seed in 0..problems {
            let problem = random(1000 * m as u64 + seed, 24, m);
            let (tree, mass) = packed(&problem.mass);
            let rows = contacts(&problem.jacobian, &vec![0.0; 3 * m], &problem.friction);
            let mut impulses = vec![0.0; rows.len()];
            let mut solver = Solver::new(&tree);
            assert!(solver.set_mass(&mass));
            let outcome = solver.solve(&problem.free, &rows, &mut impulses, &options);
            most = most.max(outcome.factorisations);
            if !outcome.has_converged {
                // Reported, and close.
                let close = outcome.residual < 1e-5 * outcome.scale;
                assert!(close, "{m} contacts, seed {seed}: {outcome:?}");
                stopped += 1;
                continue;
            }
            // The natural map, up to 1e-8 where rounding stops it, bounds the violation up to a
            // factor of the cone's angle.
            let violation = worst_violation(&problem, &impulses);
            assert!(violation < 1e-7, "{m} contacts, seed {seed}: {violation}");
        }
    }
    println!("most factorisations: {most}; {stopped} not solved");
    assert!(stopped <= 2, "{stopped}");
}

#[test]
fn a_solution_is_recognised_without_a_factorisation() {
    let problem = random(7, 24, 12);
    let (tree, mass) = packed(&problem.mass);
    let rows = contacts(&problem.jacobian, &[0.0; 36], &problem.friction);
    let mut impulses = vec![0.0; rows.len()];
    let mut solver = Solver::new(&tree);
    assert!(solver.set_mass(&mass));
    let mut solve = |impulses: &mut [f64]| {
        let options = SolverOptions::default();
        solver.solve(&problem.free, &rows, impulses, &options)
    };
    assert!(solve(&mut impulses).factorisations > 0);
    let before = impulses.clone();
    assert_eq!(solve(&mut impulses).factorisations, 0);
    for (before, after) in before.iter().zip(&impulses) {
        assert!((before - after).abs() < 1e-15);
    }
}
