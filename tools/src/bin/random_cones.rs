//! Ten thousand random problems of contact with friction: how exactly they are solved, and at what
//! cost.
//!
//! ```console
//! cargo run --release -p featherline-tools --bin random_cones
//! ```

#[path = "../../../crates/featherline-constraint/tests/suite/nonsmooth/problem.rs"]
mod problem;

use problem::ConeProblem;

/// Contacts of a problem, and how many problems there are of them.
const SIZES: [(usize, u64); 6] = [
    (4, 3000),
    (6, 2500),
    (8, 2000),
    (12, 1500),
    (20, 700),
    (40, 300),
];

fn main() {
    println!(
        "contacts problems  ≤ 1e-8  flagged  factorisations: median  99 %   most  worst residual"
    );
    let (mut problems, mut exact, mut flagged) = (0, 0, 0);
    for (contacts, count) in SIZES {
        let (mut factorisations, mut kinds) = (Vec::new(), [0; 3]);
        let (mut own_exact, mut own_flagged, mut worst) = (0, 0, 0.0_f64);
        for seed in 0..count {
            let seed = 10_000 * contacts as u64 + seed;
            let (_, outcome) = ConeProblem::random(seed, contacts).solve();
            // Where nothing touches, both are zero.
            let relative = outcome.residual / outcome.scale.max(f64::MIN_POSITIVE);
            own_exact += usize::from(relative <= 1e-8);
            own_flagged += usize::from(!outcome.has_converged);
            worst = worst.max(relative);
            factorisations.push(outcome.factorisations);
            if !outcome.has_converged {
                kinds[seed as usize % 3] += 1;
                if kinds[seed as usize % 3] <= 2 {
                    println!("  seed {seed}: residual {relative:.1e}");
                }
            }
        }
        factorisations.sort_unstable();
        let at = |part: usize| factorisations[(factorisations.len() - 1) * part / 100];
        println!(
            "{contacts:8} {count:8} {own_exact:7} {own_flagged:8} {:23} {:5} {:6} {worst:15.1e}",
            at(50),
            at(99),
            at(100),
        );
        if own_flagged > 0 {
            let [full, repeated, by_bodies] = kinds;
            println!("  flagged: {full} full, {repeated} repeated, {by_bodies} by bodies");
        }
        problems += count;
        exact += own_exact;
        flagged += own_flagged;
    }
    println!(
        "{exact} of {problems} reach 1e-8 of the velocity without impulses; {flagged} are flagged"
    );
}
