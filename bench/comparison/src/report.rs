//! `RESULTS.md`: what was measured, losses first.

use crate::comparison::{Effort, Times};
use featherline_bench::median;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

/// One call on one robot.
#[derive(Clone, Debug)]
pub struct Row {
    /// The robot's name.
    pub robot: String,
    /// The call's name.
    pub call: &'static str,
    /// The greatest difference between the answers, relative to their greatest entry.
    pub difference: f64,
    /// What each pair of processes measured.
    pub times: Vec<Times>,
}

impl Row {
    /// The median of the processes' ratios: one unlucky process does not move it.
    pub fn ratio(&self) -> f64 {
        median(&mut self.ratios())
    }

    /// The smallest and the greatest of the processes' ratios.
    pub fn spread(&self) -> (f64, f64) {
        let ratios = self.ratios();
        let (least, greatest) = (f64::INFINITY, f64::NEG_INFINITY);
        ratios.iter().fold((least, greatest), |(low, high), r| {
            (low.min(*r), high.max(*r))
        })
    }

    /// Each contender's time in the process where it was fastest, in ns.
    pub fn nanoseconds(&self) -> (f64, f64) {
        let start = (f64::INFINITY, f64::INFINITY);
        self.times.iter().fold(start, |(own, peer), times| {
            (own.min(times.own), peer.min(times.peer))
        })
    }

    fn ratios(&self) -> Vec<f64> {
        self.times.iter().map(|times| times.ratio).collect()
    }
}

/// What was measured, and with what.
pub struct Report<'a> {
    /// All rows, robot by robot.
    pub rows: &'a [Row],
    /// Degrees of freedom of each robot.
    pub sizes: &'a [(String, usize)],
    /// Robots that featherline does not read, with the reasons.
    pub refused: &'a [String],
    /// What the contenders say of themselves, and how they were built.
    pub versions: &'a [String],
    /// How long was measured.
    pub effort: Effort,
    /// States of each robot.
    pub states: usize,
}

impl Report<'_> {
    /// The report as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        writeln!(
            text,
            "# featherline beside its peers\n\nWritten by `cargo xtask bench-peers`; [README](README.md) says how it is measured. A \
             ratio is featherline's time by the peer's, for one state on one core: below 1, featherline is faster.\n"
        )?;
        self.losses(text)?;
        self.summary(text)?;
        self.details(text)?;
        self.conditions(text)
    }

    fn losses(&self, text: &mut String) -> std::fmt::Result {
        let mut losses: Vec<&Row> = self.rows.iter().filter(|row| row.ratio() >= 1.0).collect();
        losses.sort_by(|a, b| b.ratio().total_cmp(&a.ratio()));
        writeln!(text, "## Losses\n")?;
        for reason in self.refused {
            writeln!(text, "* Not read: {reason}")?;
        }
        if !self.refused.is_empty() {
            writeln!(text)?;
        }
        if losses.is_empty() {
            return writeln!(text, "Every ratio is below 1.\n");
        }
        table(text, &losses)
    }

    fn summary(&self, text: &mut String) -> std::fmt::Result {
        writeln!(text, "## Ratios\n")?;
        write!(text, "| |")?;
        for (robot, nv) in self.sizes {
            write!(text, " {robot} ({nv}) |")?;
        }
        writeln!(text, "\n|---|{}", "---:|".repeat(self.sizes.len()))?;
        let mut by_call: BTreeMap<&str, BTreeMap<&str, f64>> = BTreeMap::new();
        let mut order = Vec::new();
        for row in self.rows {
            if !order.contains(&row.call) {
                order.push(row.call);
            }
            let ratios = by_call.entry(row.call).or_default();
            ratios.insert(&row.robot, row.ratio());
        }
        for call in order {
            write!(text, "| `{call}` |")?;
            for (robot, _) in self.sizes {
                match by_call[call].get(robot.as_str()) {
                    Some(ratio) => write!(text, " {ratio:.2} |")?,
                    None => write!(text, " |")?,
                }
            }
            writeln!(text)?;
        }
        writeln!(text, "\nIn brackets: degrees of freedom.\n")
    }

    fn details(&self, text: &mut String) -> std::fmt::Result {
        writeln!(text, "## All times\n")?;
        table(text, &self.rows.iter().collect::<Vec<_>>())
    }

    fn conditions(&self, text: &mut String) -> std::fmt::Result {
        let Effort {
            processes,
            rounds,
            samples,
        } = self.effort;
        writeln!(
            text,
            "## Conditions\n\nA time is the median of {} passes over {} states, in the fastest of {processes} processes of each \
             contender. A ratio is the median over {rounds} turns of a pair of processes, and then over {processes} pairs; the \
             spread is the least and the greatest of the pairs. Both contenders' answers were compared at all states before \
             timing; the difference is relative to the greatest entry.\n",
            rounds * samples,
            self.states
        )?;
        for line in self.versions {
            writeln!(text, "* {line}")?;
        }
        writeln!(text, "* {}", machine())
    }
}

fn table(text: &mut String, rows: &[&Row]) -> std::fmt::Result {
    writeln!(
        text,
        "| robot | call | ratio | spread | featherline, ns | peer, ns | difference |\n|---|---|---:|---|---:|---:|---:|"
    )?;
    for row in rows {
        let ((low, high), (own, peer)) = (row.spread(), row.nanoseconds());
        writeln!(
            text,
            "| {} | `{}` | {:.2} | {low:.2}–{high:.2} | {own:.0} | {peer:.0} | {:.0e} |",
            row.robot,
            row.call,
            row.ratio(),
            row.difference
        )?;
    }
    writeln!(text)
}

/// The processor, and the instruction sets that matter.
fn machine() -> String {
    let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = information.lines().find(|line| line.starts_with(name))?;
        line.split_once(':')
            .map(|(_, value)| value.trim().to_owned())
    };
    let name =
        field("model name").unwrap_or_else(|| "a processor that does not tell its name".into());
    let flags = field("flags").unwrap_or_default();
    let known = ["avx2", "fma", "avx512f"];
    let found: Vec<&str> = flags
        .split(' ')
        .filter(|flag| known.contains(flag))
        .collect();
    // Of the machine, not only the one that this process is pinned to.
    let is_core = |line: &&str| line.starts_with("processor");
    let cores = information.lines().filter(is_core).count();
    format!("Machine: {name}, {cores} cores, {}", found.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(robot: &str, ratios: &[f64]) -> Row {
        let times = ratios
            .iter()
            .map(|&ratio| Times {
                own: 100.0 * ratio,
                peer: 100.0,
                ratio,
            })
            .collect();
        Row {
            robot: robot.to_owned(),
            call: "rnea",
            difference: 1e-15,
            times,
        }
    }

    #[test]
    fn losses_come_first_and_one_unlucky_process_makes_none() {
        let rows = [row("arm", &[0.5, 0.6, 1.9]), row("leg", &[1.2, 1.1, 1.3])];
        assert_eq!(rows[0].ratio(), 0.6);
        assert_eq!(rows[0].spread(), (0.5, 1.9));
        assert_eq!(rows[0].nanoseconds(), (50.0, 100.0));
        let report = Report {
            rows: &rows,
            sizes: &[("arm".to_owned(), 7), ("leg".to_owned(), 3)],
            refused: &[],
            versions: &["featherline".to_owned()],
            effort: Effort {
                processes: 3,
                rounds: 20,
                samples: 3,
            },
            states: 256,
        };
        let text = report.markdown();
        let losses =
            &text[text.find("## Losses").unwrap_or(0)..text.find("## Ratios").unwrap_or(0)];
        assert!(
            losses.contains("| leg | `rnea` | 1.20 | 1.10–1.30 |"),
            "{losses}"
        );
        assert!(!losses.contains("| arm |"), "{losses}");
        assert!(text.contains("| `rnea` | 0.60 | 1.20 |"), "{text}");
    }
}
