//! The times of a humanoid on two feet.

use crate::problems::{self, Question};
use crate::{operations, searched};
use anyhow::{Result, ensure};
use featherline_compile::Runner;
use featherline_system::{
    AssemblyMemory, Check, CompiledSolve, Elimination, GeneralLu, GuardedProgram, GuardedRun,
    SolveStatus,
};
use featherline_tools::page::grouped;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// How many states a call may have.
const MANY: usize = 256;

/// The time of a call, the least of some runs.
fn time(mut call: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let (start, mut calls) = (Instant::now(), 0);
        while start.elapsed() < Duration::from_millis(10) {
            call();
            calls += 1;
        }
        best = best.min(start.elapsed().as_secs_f64() / f64::from(calls));
    }
    best
}

/// The readings of load cells and the assumptions about the floor as known components of the feet's
/// wrenches.
pub fn components_known(_: &Path) -> Result<String> {
    let question = problems::two_feet(featherline_robots::humanoid())?;
    let (system, all) = (&question.system, &question.all);
    let start = Instant::now();
    let best = searched(&question, 20_000)?;
    let offline = start.elapsed().as_secs_f64();
    let compiled = CompiledSolve::new(system, &question.requested, &best)?;
    let elimination = Elimination::new(all, &best)?;
    let mut factors = elimination.factors::<f64>();
    let mut general = GeneralLu::new(system.sparsity().clone())?;

    let model = system.model();
    // Not a standing posture: with parallel soles the problem is singular.
    let bent = model.random_configuration(&mut ChaCha8Rng::seed_from_u64(1));
    let v = vec![0.1; model.nv()];
    let inputs = vec![0.5; system.input_count()];
    let mut memory = AssemblyMemory::new(system);
    let mut values = vec![0.0; system.sparsity().entries()];
    let mut right = vec![0.0; all.size()];
    let mut unknowns = vec![0.0; all.size()];
    let mut failure = None;
    let assembling = time(|| {
        let done = system.assemble(
            &mut memory,
            black_box(&bent),
            &v,
            &inputs,
            &mut values,
            &mut right,
        );
        failure = failure.take().or(done.err());
    });
    if let Some(error) = failure {
        return Err(error.into());
    }
    let plain = time(|| {
        let done = factors.factorize(&elimination, black_box(&values));
        black_box(
            done.and_then(|()| factors.solve(&elimination, &right, &mut unknowns))
                .is_ok(),
        );
    });
    let lu = time(|| {
        black_box(
            general
                .solve(black_box(&values), &right, &mut unknowns)
                .is_ok(),
        );
    });
    let state: Vec<f64> = [&bent[..], &v, &inputs].concat();
    let mut runner = Runner::new(compiled.program());
    let mut torques = vec![0.0; compiled.requested().len()];
    ensure!(runner.evaluate(&state, &mut torques)?, "no solution");
    let one = time(|| {
        black_box(runner.evaluate(black_box(&state), &mut torques).is_ok());
    });
    let states = state.repeat(MANY);
    let mut rows = vec![0.0; compiled.requested().len() * MANY];
    let many = time(|| {
        black_box(runner.evaluate(black_box(&states), &mut rows).is_ok());
    }) / MANY as f64;

    let mut table = String::from("| solver | µs a state | states a second |\n|---|---|---|\n");
    for (name, seconds) in [
        ("assembling (part of the next two)", assembling),
        ("fixed order", assembling + plain),
        ("general sparse LU (faer), analysis reused", assembling + lu),
        ("compiled program, one state a call", one),
        ("compiled program, 256 states a call", many),
    ] {
        writeln!(
            table,
            "| {name} | {:.1} | {} |",
            seconds * 1e6,
            grouped((1.0 / seconds) as u64)
        )?;
    }
    let (n, entries) = (all.size(), system.sparsity().entries());
    let core = elimination
        .blocks()
        .map(|block| block.len())
        .max()
        .unwrap_or(0);
    writeln!(
        table,
        "\n{} unknowns, {} entries; the largest diagonal block has {core} unknowns. {} operations in the searched order \
         for all unknowns, {} in the program for τ with everything included. The search took {offline:.0} s.",
        grouped(n as u64),
        grouped(entries as u64),
        grouped(operations(all, &best)?),
        grouped(compiled.program().count().total()),
    )?;
    Ok(table)
}

/// Four load cells under each foot are sensors, and the slippery floor is two contacts.
pub fn load_cells(_: &Path) -> Result<String> {
    let question = problems::two_feet_on_load_cells(featherline_robots::humanoid())?;
    let Question {
        system, requested, ..
    } = &question;
    let best = searched(&question, 20_000)?;
    let program = GuardedProgram::new(system, requested, &best)?;
    let model = system.model();
    let bent = model.random_configuration(&mut ChaCha8Rng::seed_from_u64(1));
    let (v, inputs) = (vec![0.1; model.nv()], vec![0.5; system.input_count()]);
    let state = [bent, v, inputs].concat();

    let mut table = String::from("| solver | µs a state | states a second |\n|---|---|---|\n");
    for count in [1, MANY] {
        let states = state.repeat(count);
        let solve = program.solve();
        let mut runner = Runner::new(solve.program());
        let mut found = vec![0.0; solve.requested().len() * count];
        ensure!(runner.evaluate(&states, &mut found)?, "no solution");
        let unchecked = time(|| {
            black_box(runner.evaluate(black_box(&states), &mut found).is_ok());
        });
        let mut run = GuardedRun::new(system, &program)?;
        let mut torques = vec![0.0; program.requested().len() * count];
        let mut checks = vec![Check::default(); count];
        run.run(&states, &mut torques, &mut checks)?;
        let is_accepted = |check: &Check| check.status == SolveStatus::Accepted;
        ensure!(checks.iter().all(is_accepted), "{:?}", checks[0]);
        let checked = time(|| {
            let done = run.run(black_box(&states), &mut torques, &mut checks);
            black_box(done.is_ok());
        });
        let call = match count {
            1 => "one state a call".to_owned(),
            many => format!("{many} states a call"),
        };
        for (name, seconds) in [("", unchecked), (", checked", checked)] {
            let seconds = seconds / count as f64;
            let rate = grouped((1.0 / seconds) as u64);
            writeln!(
                table,
                "| compiled program{name}, {call} | {:.1} | {rate} |",
                seconds * 1e6
            )?;
        }
    }
    let (n, entries) = (system.unknowns().count(), system.sparsity().entries());
    writeln!(
        table,
        "\n{} unknowns, {} entries. {} operations in the program, and {} in its check.",
        grouped(n as u64),
        grouped(entries as u64),
        grouped(program.solve().program().count().total()),
        grouped(program.check().count().total()),
    )?;
    Ok(table)
}
