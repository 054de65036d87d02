//! Random problems of contact with friction, solved and written as JSON lines for other solvers.
//!
//! A line has the contacts' W = J M⁻¹ Jᵀ by rows, g = J v*, μ, and for the tolerances 1e-6 and
//! 1e-10 the median time of a solution in µs, with M factorised anew each time, and the impulses.
//!
//! ```console
//! cargo run --release -p featherline-tools --bin cone_problems > problems.jsonl
//! ```

// Only the tests solve without options.
#[allow(dead_code)]
#[path = "../../../crates/featherline-constraint/tests/suite/nonsmooth/problem.rs"]
mod problem;

use featherline_constraint::nonsmooth::{Solver, SolverOptions};
use problem::{ConeProblem, contacts, packed};
use std::time::Instant;

/// Contacts of a problem, and how many problems there are of them.
const SIZES: [(usize, u64); 5] = [(4, 60), (8, 60), (12, 60), (20, 30), (40, 30)];

/// Solutions that are timed, of which the median counts.
const REPEATS: usize = 9;

fn main() {
    for (count, problems) in SIZES {
        for seed in 0..problems {
            let problem = ConeProblem::random(10_000 * count as u64 + seed, count);
            let Some(mass) = problem.mass.clone().cholesky() else {
                continue;
            };
            let response = mass.solve(&problem.jacobian.transpose());
            let delassus = &problem.jacobian * response;
            let free = &problem.jacobian * &problem.free;
            let ours = [1e-6, 1e-10].map(|tolerance| timed(&problem, tolerance));
            let line = serde_json::json!({
                "contacts": count,
                "seed": seed,
                "delassus": delassus.as_slice(),
                "free": free.as_slice(),
                "friction": problem.friction,
                "featherline": ours,
            });
            println!("{line}");
        }
    }
}

/// The time, the impulses and the residual of a solution.
fn timed(problem: &ConeProblem, tolerance: f64) -> serde_json::Value {
    let (tree, mass) = packed(&problem.mass);
    let bias = vec![0.0; problem.jacobian.nrows()];
    let rows = contacts(&problem.jacobian, &bias, &problem.friction);
    let mut impulses = vec![0.0; rows.len()];
    let mut solver = Solver::new(&tree);
    let options = SolverOptions {
        tolerance,
        acceptable: 100.0 * tolerance,
        ..SolverOptions::default()
    };
    let mut times = Vec::new();
    let mut outcome = None;
    for _ in 0..REPEATS {
        impulses.fill(0.0);
        let begin = Instant::now();
        let is_positive = solver.set_mass(&mass);
        let own = solver.solve(problem.free.as_slice(), &rows, &mut impulses, &options);
        times.push(begin.elapsed().as_secs_f64() * 1e6);
        outcome = is_positive.then_some(own);
    }
    times.sort_by(f64::total_cmp);
    serde_json::json!({
        "tolerance": tolerance,
        "microseconds": times[REPEATS / 2],
        "impulses": impulses,
        "residual": outcome.map(|it| it.residual / it.scale.max(f64::MIN_POSITIVE)),
    })
}
