//! Elimination along the tree beside a dense factorisation of the same KKT system: chains of hinges
//! of growing length.
//!
//! `cargo xtask figures --dense` runs it on the book's folder, where it draws a picture and puts a
//! table between the marks of the page `maximal_coordinates.md`.

mod kkt;

use anyhow::{Context, Result, ensure};
use featherline::{Workspace, samples};
use featherline_bench::states::{self, State};
use featherline_sim::maximal::maximal_dynamics;
use featherline_sim::maximal::{MaximalState, MaximalWorkspace};
use featherline_tools::chart::{Axis, Chart, Curve, SeriesLabelPosition};
use featherline_tools::page::replace_table;
use kkt::DenseKkt;
use std::fmt::Write;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const CHAINS: [usize; 13] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96];
/// Samples of each call, of which the fastest counts: other work only slows one down.
const SAMPLES: usize = 15;
/// Each sample takes about as long, so that the clock's grain does not show.
const SAMPLE: Duration = Duration::from_millis(2);

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.context("which folder shall the figures go to?")?;
    let (mut recursion, mut dense) = (Vec::new(), Vec::new());
    let mut table = "| bodies | unknowns | elimination along the tree, µs | dense, µs | ratio |\n|---:|---:|---:|---:|---:|\n".to_owned();
    for bodies in CHAINS {
        let [fast, slow] = compare(bodies)?;
        writeln!(
            table,
            "| {bodies} | {} | {:.2} | {:.1} | {:.0} |",
            kkt::UNKNOWNS * bodies,
            fast * 1e6,
            slow * 1e6,
            slow / fast
        )?;
        recursion.push((bodies as f64, fast));
        dense.push((bodies as f64, slow));
    }
    print!("{table}");
    replace_table(&folder.join("maximal_coordinates.md"), "dense", &table)?;
    let curves = [
        Curve {
            name: "dense LU of the KKT system",
            points: dense,
        },
        Curve {
            name: "elimination along the tree",
            points: recursion,
        },
    ];
    let chart = Chart {
        title: "dynamics of a chain in maximal coordinates",
        height: 420,
        x: Axis::logarithmic("bodies"),
        y: Axis::logarithmic("time of a state [s]"),
        curves: &curves,
        band: None,
        has_dots: true,
        legend: SeriesLabelPosition::UpperLeft,
    };
    chart.write(&folder.join("dense_kkt.svg"))
}

/// Seconds that both take, after a check that they agree.
fn compare(bodies: usize) -> Result<[f64; 2]> {
    let model = samples::snake(bodies);
    let drawn = states::draw(&model, 1, 7);
    let State { q, v, .. } = drawn.first().context("a state")?;
    let state = MaximalState::from_joints(&model, &mut Workspace::recursive(&model), q, v)?;
    let tau = vec![0.0; model.nv()];
    let mut ws = MaximalWorkspace::new(&model)?;
    let mut kkt = DenseKkt::new(&model);
    let found = maximal_dynamics(&model, &mut ws, &state, &tau, &[])?;
    let expected = kkt.accelerations(&state, v);
    let numbers = found.accelerations[1..].iter().flat_map(|a| a.to_array());
    let largest = expected.iter().fold(1.0_f64, |most, a| most.max(a.abs()));
    for (found, expected) in numbers.zip(&expected) {
        let difference = (found - expected).abs() / largest;
        ensure!(difference < 1e-9, "{bodies} bodies differ by {difference}");
    }
    Ok([
        fastest(|| {
            black_box(maximal_dynamics(&model, &mut ws, black_box(&state), &tau, &[]).is_ok());
        }),
        fastest(|| {
            black_box(kkt.accelerations(black_box(&state), v));
        }),
    ])
}

/// Seconds a call.
fn fastest(mut call: impl FnMut()) -> f64 {
    call();
    let begin = Instant::now();
    call();
    let count = (SAMPLE.as_secs_f64() / begin.elapsed().as_secs_f64().max(1e-8)).max(1.0) as u32;
    let times = (0..SAMPLES).map(|_| {
        let begin = Instant::now();
        for _ in 0..count {
            call();
        }
        begin.elapsed().as_secs_f64() / f64::from(count)
    });
    times.fold(f64::INFINITY, f64::min)
}
