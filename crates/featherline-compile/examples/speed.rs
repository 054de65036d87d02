//! Operations and nanoseconds a state: compiled programs beside the kernels that they were traced from.

use featherline::{Model, Workspace};
use featherline_compile::{Interpreter, Options, Program, Quantity};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::hint::black_box;
use std::time::Instant;

const STATES: usize = 1024;

/// The quickest of many passes over all states, in ns a state.
fn quickest(mut pass: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..200 {
        let start = Instant::now();
        pass();
        best = best.min(start.elapsed().as_nanos() as f64 / STATES as f64);
    }
    best
}

fn compare(
    name: &str,
    model: &Model,
    quantity: Quantity,
) -> Result<(), Box<dyn std::error::Error>> {
    let (nq, nv) = (model.nq(), model.nv());
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut x = Vec::new();
    for _ in 0..STATES {
        x.extend(model.random_configuration(&mut rng));
        x.extend((0..2 * nv).map(|k| (k as f64).sin()));
    }
    let mut ws = Workspace::new(model);
    let kernel = quickest(|| {
        for state in x.chunks_exact(nq + 2 * nv) {
            let (q, rest) = state.split_at(nq);
            let (v, u) = rest.split_at(nv);
            let first = match quantity {
                Quantity::Rnea => model.rnea(&mut ws, q, v, u).map(|tau| tau[0]),
                _ => model.aba(&mut ws, q, v, u).map(|qdd| qdd[0]),
            };
            black_box(first.ok());
        }
    });
    let before = quantity.trace(model)?.graph.count();
    let start = Instant::now();
    let function = quantity.trace_lean(model)?.simplified();
    let simplification = start.elapsed().as_secs_f64();
    println!(
        "{name} {quantity:?}: kernel {kernel:.0} ns, {} + {} operations; compiled in {simplification:.2} s",
        before.multiplications, before.additions,
    );
    for fuse in [false, true] {
        let program = Program::new(&function, &Options { fuse });
        let mut y = vec![0.0; STATES * nv];
        let mut interpreter = Interpreter::new(&program);
        interpreter.run(&x, &mut y)?;
        let time = quickest(|| {
            black_box(interpreter.run(black_box(&x), &mut y).is_ok());
        });
        let count = program.count();
        println!(
            "  program{}: {time:.0} ns, {} + {} operations, {} instructions, {} slots of which {} constants",
            if fuse { ", fused" } else { "" },
            count.multiplications,
            count.additions,
            program.instruction_count(),
            program.slot_count(),
            program.constant_count(),
        );
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (name, model) in [
        ("ur5", featherline_robots::ur5()),
        ("panda", featherline_robots::panda()),
        ("humanoid", featherline_robots::humanoid()),
    ] {
        compare(name, &model, Quantity::Rnea)?;
        compare(name, &model, Quantity::Aba)?;
    }
    Ok(())
}
