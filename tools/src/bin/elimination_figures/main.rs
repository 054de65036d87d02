//! Counts operations of elimination orders, and writes the figures and tables of the book's page
//! about them.
//!
//! `cargo run --release -p featherline-tools --bin elimination_figures -- FOLDER`
//! writes to that folder, in which `elimination_orders.md` stands. Names of sections (`"figure 1"`)
//! may follow, to write these only.

mod as_programmed;
mod problems;
mod published;
mod reformulation;
mod two_feet;

use anyhow::{Context, Result};
use as_programmed::Known;
use featherline::quantity;
use featherline::samples::tapered_chain;
use featherline_compile::{Options, Program, Quantity};
use featherline_formats::LoadOptions;
use featherline_system::{
    CompiledSolve, Elimination, EliminationOrder, SearchOptions, SparsityPicture, Template, order,
    search,
};
use featherline_tools::chart::{Axis, Chart, Curve, SeriesLabelPosition};
use featherline_tools::page::{grouped, replace_table};
use problems::Question;
use published::published;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A section of the page by its mark, and what writes it.
type Section = (&'static str, fn(&Path) -> Result<String>);

const SECTIONS: [Section; 7] = [
    ("figure 1", figure_1),
    ("figure 2", figure_2),
    ("orders", all_orders),
    ("branches", branches),
    ("as programmed", as_programmed),
    ("humanoid", two_feet::components_known),
    ("load cells", two_feet::load_cells),
];

fn main() -> Result<()> {
    let folder: PathBuf = std::env::args_os()
        .nth(1)
        .context("usage: elimination_figures FOLDER")?
        .into();
    let page = folder.join("elimination_orders.md");
    let only: Vec<String> = std::env::args().skip(2).collect();
    for (name, make) in SECTIONS {
        if only.is_empty() || only.iter().any(|requested| requested == name) {
            let table = make(&folder)?;
            replace_table(&page, name, &table)?;
            println!("{table}");
        }
    }
    Ok(())
}

fn operations(template: &Template, order: &EliminationOrder) -> Result<u64> {
    Ok(Elimination::new(template, order)?
        .operations(template)?
        .total())
}

/// How many changes of an order of a chain are tried: fewer for long chains, of which each takes
/// longer.
fn exchanges(links: usize) -> usize {
    if links <= 15 { 20_000 } else { 4_000 }
}

/// Searches until so many changes are tried, whatever time they take: the outcome is the same on
/// every machine.
fn searched(question: &Question, exchanges: usize) -> Result<EliminationOrder> {
    let options = SearchOptions {
        restarts: 30,
        exchanges,
        time: Duration::MAX,
        ..SearchOptions::default()
    };
    Ok(search(&question.system, &question.requested, &options, |_| {})?.order)
}

/// The curves' points so far, and one more.
fn push(curves: &mut [Curve], links: usize, values: &[u64]) {
    for (curve, &value) in curves.iter_mut().zip(values) {
        curve.points.push((links as f64, value as f64));
    }
}

fn empty_curves(names: &[&'static str]) -> Vec<Curve> {
    let curve = |&name| Curve {
        name,
        points: Vec::new(),
    };
    names.iter().map(curve).collect()
}

/// Draws counts by the number of links.
fn draw(path: &Path, title: &str, curves: &[Curve]) -> Result<()> {
    let chart = Chart {
        title,
        height: 440,
        x: Axis::linear("number of links N"),
        y: Axis::from_zero(""),
        curves,
        band: None,
        has_dots: false,
        legend: SeriesLabelPosition::UpperLeft,
    };
    chart.write(path)
}

/// Forward dynamics of a chain.
fn figure_1(folder: &Path) -> Result<String> {
    let names = [
        "as published, minimum degree",
        "honest, minimum degree",
        "honest, articulated bodies' blocks",
        "honest, searched",
        "program of the searched order, all included",
        "canonical program, all included",
        "as published, matrix reformulation",
        "honest, matrix reformulation",
        "textbook's articulated bodies",
        "textbook's Newton-Euler (inverse dynamics)",
    ];
    let (mut short, mut long) = (empty_curves(&names), empty_curves(&names));
    let mut table = String::from(
        "| N | as published | honest, minimum degree | honest, ABA's blocks | honest, searched | its program, q̈ only | \
         canonical program | reformulation, as published | reformulation, honest | ABA, textbook | RNEA, textbook |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for n in (2..=30).chain([40, 60, 80, 100]) {
        let question = problems::forward(n)?;
        let Question {
            system,
            all,
            requested,
        } = &question;
        let degree = order::minimum_degree(all)?;
        let blocks = order::aba(system)?;
        let best = &searched(&question, exchanges(n))?;
        let compiled = CompiledSolve::new(system, requested, best)?;
        let canonical = Quantity::of(quantity::Aba)
            .trace_lean(&tapered_chain(n))?
            .simplified();
        let canonical = Program::new(&canonical, &Options::default());
        let matrices = order::Reformulation::new(system, &all.samples()[0])?;
        let row = [
            published(all, &degree),
            operations(all, &degree)?,
            operations(all, &blocks)?,
            operations(all, best)?,
            compiled.program().count().total(),
            canonical.count().total(),
            published::of_reformulation(&matrices, all),
            reformulation::operations(&matrices, all).iter().sum(),
            429 * n as u64 - 507,
            174 * n as u64 - 208,
        ];
        push(&mut long, n, &row);
        if n <= 30 {
            push(&mut short, n, &row);
        }
        if [2, 4, 6, 8, 10, 15, 20, 25, 30, 40, 60, 80, 100].contains(&n) {
            write_row(&mut table, n, &row)?;
        }
    }
    let title = "Forward dynamics of a chain: additions, multiplications, divisions";
    draw(&folder.join("elimination_figure_1.svg"), title, &short)?;
    draw(&folder.join("elimination_figure_1_long.svg"), title, &long)?;
    Ok(table)
}

fn write_row(table: &mut String, n: usize, row: &[u64]) -> Result<()> {
    let cells: Vec<String> = row.iter().map(|count| grouped(*count)).collect();
    writeln!(table, "| {n} | {} |", cells.join(" | "))?;
    Ok(())
}

/// Load cells at both ends of a chain.
fn figure_2(folder: &Path) -> Result<String> {
    let names = [
        "as published, columns as they come",
        "as published, minimum degree",
        "honest, columns as they come",
        "honest, minimum degree",
        "honest, searched",
        "program of the searched order, all included",
        "textbook's articulated bodies (forward dynamics)",
        "textbook's Newton-Euler (inverse dynamics)",
    ];
    let mut curves = empty_curves(&names);
    let mut table = String::from(
        "| N | as published, as it comes | as published, minimum degree | honest, as it comes | honest, minimum degree | \
         honest, searched | its program, τ only | ABA, textbook | RNEA, textbook |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for n in 8..=20 {
        let question = problems::load_cells(n)?;
        let all = &question.all;
        let plain = order::along_columns(all, 0..all.size())?;
        let degree = order::minimum_degree(all)?;
        let best = searched(&question, 20_000)?;
        let compiled = CompiledSolve::new(&question.system, &question.requested, &best)?;
        let row = [
            published(all, &plain),
            published(all, &degree),
            operations(all, &plain)?,
            operations(all, &degree)?,
            operations(all, &best)?,
            compiled.program().count().total(),
            429 * n as u64 - 507,
            174 * n as u64 - 208,
        ];
        push(&mut curves, n, &row);
        if n % 2 == 0 {
            write_row(&mut table, n, &row)?;
        }
    }
    let title = "Load cells at both ends of a chain: additions, multiplications, divisions";
    draw(&folder.join("elimination_figure_2.svg"), title, &curves)?;
    Ok(table)
}

/// All orders side by side, honest counts of the whole solution.
fn all_orders(_: &Path) -> Result<String> {
    let lengths = [4, 10, 20, 30];
    let mut table = String::from("| order | N = 4 | 10 | 20 | 30 |\n|---|---|---|---|---|\n");
    let questions = lengths.map(problems::forward);
    let mut questions_ok = Vec::new();
    for question in questions {
        questions_ok.push(question?);
    }
    type General = fn(&Template) -> Result<EliminationOrder, order::OrderError>;
    let general: [(&str, General); 6] = [
        ("Markowitz", order::markowitz),
        ("minimum degree", order::minimum_degree),
        ("AMD", order::amd),
        ("COLAMD", order::colamd),
        ("nested dissection", order::nested_dissection),
        ("reverse Cuthill-McKee", order::reverse_cuthill_mckee),
    ];
    let mut rows: Vec<(&str, Vec<u64>)> = vec![
        ("articulated bodies", Vec::new()),
        ("composite bodies and LTDL", Vec::new()),
    ];
    rows.extend(general.iter().map(|(name, _)| (*name, Vec::new())));
    rows.push(("searched, as in figure 1", Vec::new()));
    for (n, question) in lengths.into_iter().zip(&questions_ok) {
        let all = &question.all;
        let blocks = order::aba(&question.system)?;
        rows[0].1.push(operations(all, &blocks)?);
        rows[1]
            .1
            .push(operations(all, &order::crba(&question.system)?)?);
        for (k, (_, order)) in general.iter().enumerate() {
            rows[2 + k].1.push(operations(all, &order(all)?)?);
        }
        if let Some(last) = rows.last_mut() {
            last.1
                .push(operations(all, &searched(question, exchanges(n))?)?);
        }
    }
    for (name, counts) in rows {
        let cells: Vec<String> = counts.into_iter().map(grouped).collect();
        writeln!(table, "| {name} | {} |", cells.join(" | "))?;
    }
    let mut inverse = Vec::new();
    for n in lengths {
        let question = problems::inverse(n)?;
        let count = operations(&question.all, &order::rnea(&question.system)?)?;
        inverse.push(grouped(count));
    }
    writeln!(
        table,
        "| *inverse dynamics, any order* | {} |",
        inverse.join(" | ")
    )?;
    Ok(table)
}

/// The mass matrix and its factor on robots with branches, and pictures of the humanoid's.
fn branches(folder: &Path) -> Result<String> {
    let mut table = String::from("| robot | matrix | pattern |\n|---|---|---|\n");
    for name in ["humanoid", "quadruped", "panda"] {
        let options = LoadOptions::default().floating_base(name != "panda");
        let model = featherline_robots::model(name, &options)?;
        let pictures = [
            (
                "mass matrix",
                "mass_matrix",
                SparsityPicture::mass_matrix(&model),
            ),
            ("L of LᵀDL", "ltdl", SparsityPicture::ltdl(&model)),
            ("maximal coordinates", "kkt", SparsityPicture::kkt(&model)),
        ];
        for (matrix, file, picture) in pictures {
            writeln!(table, "| `{name}` | {matrix} | {} |", picture.summary())?;
            if name == "humanoid" && file != "kkt" {
                let path = folder.join(format!("elimination_{file}.svg"));
                std::fs::write(path, picture.svg())?;
            }
        }
    }
    Ok(table)
}

/// Honest counts of the published programs' system, beside what was counted from the equations by
/// hand.
fn as_programmed(_: &Path) -> Result<String> {
    let mut table = String::from(
        "| N | inverse dynamics | 170N − 127 | Markowitz | minimum degree | articulated bodies' blocks |\n\
         |---|---|---|---|---|---|\n",
    );
    for n in [4, 10, 20, 30] {
        let inverse = as_programmed::template(n, Known::Acceleration)?;
        let forward = as_programmed::template(n, Known::Torque)?;
        let row = [
            operations(&inverse, &order::markowitz(&inverse)?)?,
            170 * n as u64 - 127,
            operations(&forward, &order::markowitz(&forward)?)?,
            operations(&forward, &order::minimum_degree(&forward)?)?,
            operations(&forward, &as_programmed::articulated_bodies(n)?)?,
        ];
        write_row(&mut table, n, &row)?;
    }
    Ok(table)
}
