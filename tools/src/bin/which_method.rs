//! Forward dynamics in every way that the library has, in nanoseconds a state on one core: the
//! articulated-body algorithm beside the mass matrix and its factors, and the paper's question, an
//! order of elimination beside a kernel written by hand.
//!
//! `cargo xtask figures --methods` runs it on the book's folder, where it puts a table on the page
//! `algorithms.md` and one on `elimination_orders.md`. All answers are compared before anything is
//! timed.

use anyhow::{Context, Result, ensure};
use featherline::batch::{Batch, BatchStatus};
use featherline::samples::{snake, tapered_chain};
use featherline::{Model, Workspace};
use featherline_bench::states::State;
use featherline_bench::{affinity, machine, robots, states};
use featherline_compile::Runner;
use featherline_system::{
    AssemblyMemory, CompiledSolve, Elimination, EliminationOrder, Problem, SearchOptions, System,
    Template, order, search,
};
use featherline_tools::page::{grouped, replace_table};
use std::fmt::Write;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// States of a batch: all fit in the second cache.
const STATES: usize = 256;
/// Samples of each call, of which the fastest counts: other work only slows one down.
const SAMPLES: usize = 15;
/// Each sample takes about as long, so that the clock's grain does not show.
const SAMPLE: Duration = Duration::from_millis(3);
/// By how much two ways may differ, of the largest acceleration: rounding times the condition of
/// the mass matrix, which is 1e5 for a long chain.
const AGREEMENT: f64 = 1e-8;

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.context("which folder shall the tables go to?")?;
    affinity::pin(None)?;
    let machine = machine::description();
    // Without the operating system.
    let processor = machine.split(';').next().unwrap_or(&machine);
    let tables = [
        ("algorithms.md", "which method", kernels()?),
        ("elimination_orders.md", "orders in time", orders()?),
    ];
    for (page, name, table) in tables {
        let table = format!("On one core of {processor}:\n\n{table}");
        println!("{table}");
        replace_table(&folder.join(page), name, &table)?;
    }
    Ok(())
}

/// Seconds of each call, all in turn: the fastest of some samples.
fn fastest<const N: usize>(mut calls: [&mut dyn FnMut(); N]) -> [f64; N] {
    let counts = calls.each_mut().map(|call| {
        call();
        let begin = Instant::now();
        call();
        (SAMPLE.as_secs_f64() / begin.elapsed().as_secs_f64().max(1e-8)).max(1.0) as u32
    });
    let mut best = [f64::INFINITY; N];
    for _ in 0..SAMPLES {
        for ((call, count), best) in calls.iter_mut().zip(counts).zip(&mut best) {
            let begin = Instant::now();
            for _ in 0..count {
                call();
            }
            *best = best.min(begin.elapsed().as_secs_f64() / f64::from(count));
        }
    }
    best
}

fn check(name: &str, found: &[f64], expected: &[f64]) -> Result<()> {
    let largest = expected.iter().fold(1.0_f64, |most, a| most.max(a.abs()));
    for (found, expected) in found.iter().zip(expected) {
        let difference = (found - expected).abs() / largest;
        ensure!(difference < AGREEMENT, "{name} differs by {difference:e}");
    }
    Ok(())
}

/// The robots of both tables.
fn embedded() -> Result<Vec<(String, Model)>> {
    let names = ["ur5", "panda", "hand", "quadruped", "humanoid"];
    let model = |name: &str| Ok((name.to_owned(), robots::embedded(name)?));
    names.into_iter().map(model).collect()
}

/// The articulated-body algorithm beside the three steps by the mass matrix.
fn kernels() -> Result<String> {
    let chains = [10, 40, 160].map(|n| (format!("chain of {n} hinges"), snake(n)));
    let mut table = String::from(
        "| robot | nv | depth | `aba`, ns | `forward_dynamics_crba`, ns | ratio | lanes: `aba` | lanes: by the mass matrix | ratio |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for (name, model) in embedded()?.into_iter().chain(chains) {
        let [aba, crba, aba_lanes, crba_lanes] = kernel_times(&model)?;
        writeln!(
            table,
            "| {name} | {} | {} | {} | {} | {:.2} | {:.0} | {:.0} | {:.2} |",
            model.nv(),
            depth(&model),
            grouped((aba * 1e9) as u64),
            grouped((crba * 1e9) as u64),
            crba / aba,
            aba_lanes * 1e9,
            crba_lanes * 1e9,
            crba_lanes / aba_lanes,
        )?;
    }
    Ok(table)
}

/// The most coordinates between a body and the world.
fn depth(model: &Model) -> usize {
    let mut above = vec![0; model.joints().len()];
    for joint in model.joint_ids() {
        let data = model.joint(joint);
        above[joint.index()] = above[data.parent.index()] + data.nv;
    }
    above.into_iter().max().unwrap_or(0)
}

fn kernel_times(model: &Model) -> Result<[f64; 4]> {
    let drawn = states::draw(model, STATES, 7);
    let flat =
        |part: fn(&State) -> &[f64]| -> Vec<f64> { drawn.iter().flat_map(part).copied().collect() };
    let (q, v, tau) = (flat(|s| &s.q), flat(|s| &s.v), flat(|s| &s.tau));
    let State {
        q: q1,
        v: v1,
        tau: tau1,
        ..
    } = &drawn[0];
    let mut ws = [(); 2].map(|()| Workspace::<f64>::new(model));
    let [ours, other] = &mut ws;
    let expected = model.aba(ours, q1, v1, tau1)?.to_vec();
    let by_mass = model.forward_dynamics_crba(other, q1, v1, tau1)?;
    check("the mass matrix's way", by_mass, &expected)?;
    let mut batches = [Batch::<f64>::new(model, 1)?, Batch::<f64>::new(model, 1)?];
    let mut rows = [(); 2].map(|()| vec![0.0; STATES * model.nv()]);
    let mut status = [(); 2].map(|()| vec![BatchStatus::default(); STATES]);
    let ([first, second], [a, b], [s, t]) = (&mut batches, &mut rows, &mut status);
    first.aba(&q, &v, &tau, a, s)?;
    second.forward_dynamics_crba(&q, &v, &tau, b, t)?;
    check("lanes by the mass matrix", b, a)?;
    let mut times = fastest([
        &mut || {
            black_box(model.aba(ours, black_box(q1), v1, tau1).is_ok());
        },
        &mut || {
            black_box(
                model
                    .forward_dynamics_crba(other, black_box(q1), v1, tau1)
                    .is_ok(),
            );
        },
        &mut || {
            black_box(first.aba(black_box(&q), &v, &tau, a, s).is_ok());
        },
        &mut || {
            black_box(
                second
                    .forward_dynamics_crba(black_box(&q), &v, &tau, b, t)
                    .is_ok(),
            );
        },
    ]);
    times[2..]
        .iter_mut()
        .for_each(|time| *time /= STATES as f64);
    Ok(times)
}

/// Kernels by hand beside orders of elimination: in general code, and compiled.
fn orders() -> Result<String> {
    let mut table = String::from(
        "| robot | unknowns | `aba` | order `aba` | order `crba_ltdl` | order found | its program | its program, 256 states a call | operations of the program |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let chain = ("tapered_chain_10".to_owned(), tapered_chain(10));
    for (name, model) in std::iter::once(chain).chain(embedded()?) {
        writeln!(
            table,
            "| {name} | {}",
            order_times(model).context(name.clone())?
        )?;
    }
    Ok(table)
}

/// One order in general code: the system is assembled, factorised and solved.
struct General<'a> {
    system: &'a System,
    elimination: Elimination,
    memory: AssemblyMemory<f64>,
    factors: featherline_system::Factors<f64>,
    values: Vec<f64>,
    right: Vec<f64>,
    unknowns: Vec<f64>,
}

impl<'a> General<'a> {
    fn new(system: &'a System, all: &Template, order: &EliminationOrder) -> Result<Self> {
        let elimination = Elimination::new(all, order)?;
        Ok(Self {
            system,
            memory: AssemblyMemory::new(system),
            factors: elimination.factors(),
            elimination,
            values: vec![0.0; system.sparsity().entries()],
            right: vec![0.0; all.size()],
            unknowns: vec![0.0; all.size()],
        })
    }

    fn solve(&mut self, State { q, v, tau, .. }: &State) -> Result<&[f64]> {
        let (values, right) = (&mut self.values, &mut self.right);
        self.system
            .assemble(&mut self.memory, q, v, tau, values, right)?;
        self.factors.factorize(&self.elimination, values)?;
        self.factors
            .solve(&self.elimination, right, &mut self.unknowns)?;
        Ok(&self.unknowns[self.system.unknowns().joint_accelerations()])
    }
}

fn order_times(model: Model) -> Result<String> {
    let drawn = states::draw(&model, 1, 7);
    let state = &drawn[0];
    let mut ws = Workspace::<f64>::new(&model);
    let expected = model.aba(&mut ws, &state.q, &state.v, &state.tau)?.to_vec();
    let system = System::new(Problem::forward_dynamics(model.clone()))?;
    let all = system.template()?;
    let requested = |column| system.unknowns().joint_accelerations().contains(&column);
    let requested = all
        .clone()
        .requesting((0..all.size()).map(requested).collect())?;
    // The same on every machine.
    let options = SearchOptions {
        restarts: 30,
        exchanges: 4_000,
        time: Duration::MAX,
        ..SearchOptions::default()
    };
    let found = search(&system, &requested, &options, |_| {})?.order;
    let mut ways = Vec::new();
    for order in [&order::aba(&system)?, &order::crba(&system)?, &found] {
        let mut way = General::new(&system, &all, order)?;
        check("an order", way.solve(state)?, &expected)?;
        ways.push(way);
    }
    let [by_aba, by_mass, best] = &mut ways[..] else {
        unreachable!("three orders");
    };
    let compiled = CompiledSolve::new(&system, &requested, &found)?;
    let row = [&state.q[..], &state.v, &state.tau].concat();
    let rows = row.repeat(STATES);
    let mut runners = [
        Runner::new(compiled.program()),
        Runner::new(compiled.program()),
    ];
    let [one, many] = &mut runners;
    let mut answer = vec![0.0; model.nv()];
    let mut answers = vec![0.0; model.nv() * STATES];
    ensure!(one.evaluate(&row, &mut answer)?, "no solution");
    check("the program", &answer, &expected)?;
    ensure!(many.evaluate(&rows, &mut answers)?, "no solution");
    let [kernel, a, m, b, p, n] = fastest([
        &mut || {
            black_box(
                model
                    .aba(&mut ws, black_box(&state.q), &state.v, &state.tau)
                    .is_ok(),
            );
        },
        &mut || {
            black_box(by_aba.solve(black_box(state)).is_ok());
        },
        &mut || {
            black_box(by_mass.solve(black_box(state)).is_ok());
        },
        &mut || {
            black_box(best.solve(black_box(state)).is_ok());
        },
        &mut || {
            black_box(one.evaluate(black_box(&row), &mut answer).is_ok());
        },
        &mut || {
            black_box(many.evaluate(black_box(&rows), &mut answers).is_ok());
        },
    ]);
    let cells = [kernel, a, m, b, p, n / STATES as f64].map(|time| grouped((time * 1e9) as u64));
    let (unknowns, count) = (all.size(), grouped(compiled.program().count().total()));
    Ok(format!("{unknowns} | {} | {count} |", cells.join(" | ")))
}
