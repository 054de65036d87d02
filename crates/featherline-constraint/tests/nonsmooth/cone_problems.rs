//! Random cone problems: the laws hold at every solution.

use super::problem::ConeProblem;
use super::{contacts, packed, violation};
use featherline_constraint::nonsmooth::{Solver, SolverOptions};

/// The worst violation relative to the free velocity of the rows, measured from the impulses alone.
fn worst_violation(problem: &ConeProblem, impulses: &[f64]) -> f64 {
    let inverse = problem.mass.clone().cholesky().unwrap().inverse();
    let response = inverse * problem.jacobian.transpose();
    let lambda = nalgebra::DVector::from_column_slice(impulses);
    let v = &problem.free + &response * &lambda;
    let (u, first) = (&problem.jacobian * v, &problem.jacobian * &problem.free);
    let worst = problem.friction.iter().enumerate().map(|(i, &friction)| {
        let rows = 3 * i..3 * i + 3;
        let own = rows
            .clone()
            .map(|k| problem.jacobian.row(k) * response.column(k));
        let w = own.map(|it| it[0]).sum::<f64>() / 3.0;
        violation(&u.as_slice()[rows.clone()], &impulses[rows], friction, w)
    });
    worst.fold(0.0, f64::max) / first.amax()
}

#[test]
fn random_problems_are_solved_exactly() {
    let (mut most, mut solved, mut stopped) = (0, 0, 0);
    for (m, problems) in [(4, 400), (12, 200), (20, 100), (40, 20)] {
        for seed in 0..problems {
            let problem = ConeProblem::random(10_000 * m as u64 + seed, m);
            let (impulses, outcome) = problem.solve();
            most = most.max(outcome.factorisations);
            if !outcome.has_converged {
                // Reported, and close.
                let close = outcome.residual < 1e-5 * outcome.scale;
                assert!(close, "{m} contacts, seed {seed}: {outcome:?}");
                println!("{m} contacts, seed {seed}: {outcome:?}");
                stopped += 1;
                continue;
            }
            // The natural map, up to 1e-8 where rounding stops it, bounds the violation up to a
            // factor of the cone's angle.
            let violation = worst_violation(&problem, &impulses);
            assert!(violation < 1e-7, "{m} contacts, seed {seed}: {violation}");
            solved += 1;
        }
    }
    println!(
        "most factorisations: {most}; {stopped} of {} not solved",
        solved + stopped
    );
    // What is not solved is reported.
    assert!(500 * stopped <= solved + stopped, "{stopped}");
}

#[test]
fn a_solution_is_recognised_without_a_factorisation() {
    let problem = ConeProblem::random(7, 12);
    let (tree, mass) = packed(&problem.mass);
    let rows = contacts(&problem.jacobian, &[0.0; 36], &problem.friction);
    let mut impulses = vec![0.0; rows.len()];
    let mut solver = Solver::new(&tree);
    assert!(solver.set_mass(&mass));
    let mut solve = |impulses: &mut [f64]| {
        let options = SolverOptions::default();
        solver.solve(problem.free.as_slice(), &rows, impulses, &options)
    };
    assert!(solve(&mut impulses).factorisations > 0);
    let before = impulses.clone();
    assert_eq!(solve(&mut impulses).factorisations, 0);
    for (before, after) in before.iter().zip(&impulses) {
        assert!((before - after).abs() < 1e-15);
    }
}
