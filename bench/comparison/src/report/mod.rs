//! `RESULTS.md`: the ratios of one state first, then losses, then all that was measured.

mod conditions;
mod held;
mod limit;
mod linkages;
mod memory;
mod ratios;
mod summary;
mod times;

use crate::contest::Effort;
use crate::form::Form;
use crate::programs::Arithmetic;
use crate::row::{Contestant, Ratio, Row};
use crate::targets;
use featherline::scalar::Operations;
use featherline_bench::footprint::Footprint;
use featherline_bench::machine::Caches;
use featherline_bench::peak::Rate;
use featherline_bench::scaling::Scaling;
use featherline_bench::threads::Threads;
use std::fmt::{self, Write};

/// One call on one robot, with the arithmetic that it takes.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The times.
    pub row: Row,
    /// The arithmetic of featherline's kernel for one state, where it is counted.
    pub operations: Option<Operations>,
    /// The same of its program, if there is one.
    pub program: Option<Arithmetic>,
}

/// One robot.
#[derive(Clone, Debug)]
pub struct RobotResult {
    /// Its name.
    pub name: String,
    /// Degrees of freedom.
    pub nv: usize,
    /// Bodies that move.
    pub bodies: usize,
    /// The memory of its model and workspaces.
    pub footprint: Footprint,
    /// The memory that a thread of a batch works on, of doubles and of singles.
    pub batches: [usize; 2],
    /// All calls.
    pub calls: Vec<Measured>,
}

/// One robot with closed loops.
#[derive(Clone, Debug)]
pub struct LinkageResult {
    /// Its name.
    pub name: String,
    /// Degrees of freedom of its tree.
    pub nv: usize,
    /// The joints that close loops.
    pub loops: usize,
    /// All calls.
    pub rows: Vec<Row>,
}

/// One robot whose feet, or whose hand, are held.
#[derive(Clone, Debug)]
pub struct HeldResult {
    /// Its name.
    pub name: String,
    /// Degrees of freedom.
    pub nv: usize,
    /// Rows of its constraints.
    pub constraints: usize,
    /// All calls.
    pub rows: Vec<Row>,
}

/// The measurements, and their conditions.
pub struct Report<'a> {
    /// All robots; the same calls on each.
    pub robots: &'a [RobotResult],
    /// All robots with closed loops, beside the reference alone.
    pub linkages: &'a [LinkageResult],
    /// All robots whose frames are held, beside the reference alone.
    pub held: &'a [HeldResult],
    /// The peers' names; the first is the reference.
    pub peers: &'a [String],
    /// Robots that somebody does not read, with the reasons.
    pub refused: &'a [String],
    /// The contenders' own descriptions of themselves, and how they were built.
    pub versions: &'a [String],
    /// The instructions that featherline was limited to, if to some.
    pub limited: Option<&'a str>,
    /// How long was measured.
    pub effort: Effort,
    /// States of each robot.
    pub states: usize,
    /// How fast the core multiplies and adds.
    pub rates: &'a [Rate],
    /// The core's clock in GHz, again and again during the measurement.
    pub clocks: &'a [f64],
    /// The sizes of the core's caches, if known.
    pub caches: Option<Caches>,
    /// Time per link on chains.
    pub scaling: &'a Scaling,
    /// Two threads beside one.
    pub threads: &'a Threads,
}

/// A cell of the comparison with the reference: one call, in one form, on one robot.
struct Cell<'a> {
    robot: &'a str,
    row: &'a Row,
    form: Form,
    ratio: Ratio,
    /// The greatest allowed ratio.
    limit: Option<f64>,
}

impl Cell<'_> {
    fn is_missed(&self) -> bool {
        self.limit.is_some_and(|limit| self.ratio.median > limit)
    }
}

/// The reference among the contestants.
pub const REFERENCE: Contestant = Contestant::Peer(0);

impl Report<'_> {
    /// The report as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) -> fmt::Result {
        let (option, limit) = match self.limited {
            Some(name) => (
                format!(" --instructions {name}"),
                "featherline is limited to these instructions, and Pinocchio and dynibo are built for a processor that has no more; \
                 batches have half the aims of AVX-512. ",
            ),
            None => (String::new(), ""),
        };
        writeln!(
            text,
            "# featherline beside its peers\n\nWritten by `cargo xtask bench-peers{option}`; [README](README.md) says how it is \
             measured. {limit}A ratio is featherline's time by the peer's, on one core: below 1, featherline is faster.\n"
        )?;
        self.ratios(text)?;
        self.losses(text)?;
        self.batches(text)?;
        self.programs(text)?;
        self.others(text)?;
        self.held_frames(text)?;
        self.closed_loops(text)?;
        self.limit(text)?;
        self.memory(text)?;
        writeln!(text, "## Threads\n\n{}", self.threads.markdown())?;
        writeln!(text, "## Time per link\n")?;
        writeln!(
            text,
            "On chains of so many hinged links (`samples::snake`), fastest sample of many. While L2 holds model and workspace, \
             the slowest chain is to take at most {} times as long per link as the fastest; `cargo bench --bench scaling` \
             fails beyond {}.\n\n{}",
            featherline_bench::scaling::AIM,
            featherline_bench::scaling::BOUND,
            self.scaling.markdown()
        )?;
        self.times(text)?;
        self.conditions(text)
    }

    /// All cells in a form that was measured.
    fn cells(&self, form: Form) -> Vec<Cell<'_>> {
        let has_avx512 = self.rates.iter().any(|rate| rate.instructions == "AVX-512");
        let mut cells = Vec::new();
        for robot in self.robots {
            for Measured { row, .. } in &robot.calls {
                if let Some(ratio) = row.ratio(Contestant::Own(form), REFERENCE) {
                    cells.push(Cell {
                        robot: &robot.name,
                        row,
                        form,
                        ratio,
                        limit: targets::greatest_ratio(row.call, form, has_avx512),
                    });
                }
            }
        }
        cells
    }

    /// The calls, in their order.
    fn calls(&self) -> Vec<&'static str> {
        let first = self.robots.first();
        let calls = first.map(|robot| robot.calls.iter().map(|measured| measured.row.call));
        calls.into_iter().flatten().collect()
    }

    /// Begins a table whose columns are the robots.
    fn robots_header(&self, text: &mut String, last: &str) -> fmt::Result {
        write!(text, "| |")?;
        for robot in self.robots {
            write!(text, " {} ({}) |", robot.name, robot.nv)?;
        }
        let columns = self.robots.len();
        if last.is_empty() {
            return writeln!(text, "\n|---|{}", "---:|".repeat(columns));
        }
        writeln!(text, " {last} |\n|---|{}", "---:|".repeat(columns + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Run;
    use featherline_bench::peak::Precision;

    fn robot(name: &str, own: f64, batch: f64) -> RobotResult {
        let run = |contestant, time| Run {
            difference: 1e-15,
            processes: vec![vec![time; 4]],
            ..Run::new(contestant, "rnea".to_owned())
        };
        let row = Row {
            call: "rnea",
            runs: vec![
                run(Contestant::Own(Form::Single), own),
                run(Contestant::Own(Form::BatchDouble), batch),
                run(Contestant::Own(Form::ProgramBatchDouble), 5.0),
                run(Contestant::Peer(0), 100.0),
            ],
        };
        RobotResult {
            name: name.to_owned(),
            nv: 7,
            bodies: 7,
            footprint: Footprint {
                model: 7_000,
                recursive: 7_700,
                workspace: 14_000,
            },
            batches: [0; 2],
            calls: vec![Measured {
                row,
                operations: Some(Operations {
                    additions: 100,
                    multiplications: 150,
                    ..Operations::default()
                }),
                program: Some(Arithmetic {
                    double: Operations {
                        additions: 90,
                        ..Operations::default()
                    },
                    ..Arithmetic::default()
                }),
            }],
        }
    }

    fn linkage(name: &str, own: f64) -> LinkageResult {
        let RobotResult { nv, calls, .. } = robot(name, own, 10.0);
        LinkageResult {
            name: name.to_owned(),
            nv,
            loops: 1,
            rows: calls.into_iter().map(|measured| measured.row).collect(),
        }
    }

    #[test]
    fn ratios_come_first_then_losses_and_missed_aims() {
        let robots = [robot("arm", 45.0, 5.0), robot("leg", 120.0, 16.0)];
        let scaling = Scaling {
            chains: vec![(10, 1_000)],
            times: vec![("RNEA", vec![30.0])],
            caches: None,
        };
        let threads = Threads {
            counts: vec![1, 2],
            rates: vec![
                ("rnea", 4096, vec![1e6, 1.95e6]),
                ("aba", 4096, vec![5e5, 9e5]),
            ],
        };
        let report = Report {
            robots: &robots,
            linkages: &[linkage("closed", 110.0)],
            held: &[],
            peers: &["Reference".to_owned()],
            refused: &[],
            versions: &["featherline".to_owned()],
            limited: None,
            effort: Effort {
                processes: 1,
                rounds: 4,
                samples: 3,
            },
            states: 256,
            rates: &[Rate {
                instructions: "AVX-512",
                precision: Precision::Double,
                lanes: 8,
                gigaflops: 50.0,
            }],
            clocks: &[3.0, 3.1],
            caches: None,
            scaling: &scaling,
            threads: &threads,
        };
        let text = report.markdown();
        let (summary, rest) = text.split_once("## Losses").unwrap_or_default();
        assert!(
            summary.contains("| `rnea` | 0.45 | **1.20** | 0.50 |"),
            "{summary}"
        );
        let (losses, rest) = rest.split_once("\n## ").unwrap_or_default();
        assert!(
            losses.contains("| leg | `rnea` | single state | Reference | 1.20 |"),
            "{losses}"
        );
        assert!(
            losses.contains("| leg | `rnea` | batch, f64 | 0.160 | **0.050** | 0.083 |"),
            "{losses}"
        );
        assert!(
            losses.contains(
                "2 of 4 aims beside Reference are met by the library's kernels, 3 by these"
            ),
            "{losses}"
        );
        assert!(
            losses.contains("they do in 1 of 2 (batch, f64), 2 of 2 (program, batch, f64)."),
            "{losses}"
        );
        assert!(
            losses.contains("| closed | `rnea` | single state | Reference | 1.10 |"),
            "{losses}"
        );
        assert!(
            losses.contains("they miss it with 1.80 times (`aba`, 4096 states). [BOUNDS"),
            "{losses}"
        );
        assert!(!losses.contains("| arm |"), "{losses}");
        assert!(
            rest.contains("| `rnea` | 20.0 | **6.2** | 12.0 |"),
            "{rest}"
        );
        // 250 operations in 45 ns are 5.6 GFLOP/s, a ninth of the peak.
        assert!(rest.contains("| `rnea` | 11 | 4 |"), "{rest}");
        // In batches all of it, and less than a third.
        assert!(rest.contains("| `rnea` | 100 | **31** |"), "{rest}");
        // The program's 90 in 5 ns are 18, more than a third.
        assert!(rest.contains("| `rnea` | 36 | 36 |"), "{rest}");
        assert!(rest.contains("| `rnea` | 0.36 | 0.36 |"), "{rest}");
        assert!(
            rest.contains("| `rnea` | 4096 | 2 | 1.95 | 1.95 |"),
            "{rest}"
        );
        assert!(
            rest.contains("| `aba` | 4096 | 2 | 0.90 | **1.80** |"),
            "{rest}"
        );
        assert!(
            rest.contains("| closed | 7 | 1 | `rnea` | 110 | 100 | **1.10** |"),
            "{rest}"
        );
        assert!(!text.contains("--instructions"), "{text}");
        let summary = report.summary();
        assert!(
            summary.lines().all(|line| line.chars().count() <= 100),
            "{summary}"
        );
        let rows: Vec<Vec<&str>> = summary
            .lines()
            .map(|it| it.split_whitespace().collect())
            .collect();
        assert!(rows.contains(&vec!["arm", "leg"]), "{summary}");
        assert!(rows.contains(&vec!["rnea", "0.45", "1.20"]), "{summary}");
        assert!(rows.contains(&vec!["closed"]) && rows.contains(&vec!["rnea", "1.10"]));
        let limited = Report {
            limited: Some("avx2"),
            ..report
        };
        let text = limited.markdown();
        assert!(text.contains("`cargo xtask bench-peers --instructions avx2`"));
    }
}
