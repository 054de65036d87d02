//! Stacks of ten boxes that are shoved: which share of the steps is solved exactly, and at what
//! cost.
//!
//! ```console
//! cargo run --release -p featherline-tools --bin shoved_stacks -- 1000
//! ```

#[path = "../../../crates/featherline-sim/tests/suite/contact/shoved.rs"]
mod shoved;

use shoved::{AFTER, shove};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count: u64 = match std::env::args().nth(1) {
        Some(word) => word.parse()?,
        None => 1000,
    };
    println!(
        "mass ratio  stacks  shoves exact  steps exact  factorisations a step  worst residual"
    );
    let mut all = [0, 0, 0];
    for kind in 0..4 {
        let (mut stacks, mut shoves, mut steps) = (0, 0, 0);
        let (mut factorisations, mut worst) = (0, 0.0_f64);
        for seed in (kind..count).step_by(4) {
            let found = shove(seed);
            stacks += 1;
            shoves += usize::from(found.is_first_exact);
            steps += found.exact;
            factorisations += found.factorisations;
            worst = worst.max(found.worst);
            if !found.is_first_exact {
                println!("  seed {seed}: {found:?}");
            }
        }
        println!(
            "{:10} {stacks:7} {:12.2} % {:10.2} % {:22.1} {worst:15.1e}",
            10_u32.pow(u32::try_from(kind)?),
            100.0 * shoves as f64 / stacks as f64,
            100.0 * steps as f64 / (stacks * AFTER) as f64,
            factorisations as f64 / (stacks * AFTER) as f64,
        );
        for (sum, own) in all.iter_mut().zip([stacks, shoves, steps]) {
            *sum += own;
        }
    }
    let [stacks, shoves, steps] = all;
    println!(
        "{shoves} of {stacks} shoves and {steps} of {} steps are exact; the rest is flagged",
        stacks * AFTER
    );
    Ok(())
}
