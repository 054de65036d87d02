//! The report on all robots, in Markdown.

use crate::agreement::{
    BADLY_CONDITIONED, BEYOND_COMPARISON, CANCELLED, INVERSE_TOLERANCE, TOLERANCE,
};
use crate::close_to_singular;
use crate::stream::Preamble;
use crate::verdict::{Quantities, Verdict, Worst};
use std::fmt::{self, Write};

/// All robots.
#[derive(Clone, Debug)]
pub struct Report {
    /// How the reference numbers were made.
    pub preamble: Preamble,
    /// Robots that both sides have.
    pub robots: Vec<Row>,
    /// Robots that one side or both refuse.
    pub refused: Vec<Refused>,
    /// All quantities.
    pub quantities: Quantities,
}

/// A robot that both sides have.
#[derive(Clone, Debug)]
pub struct Row {
    /// The robot's file.
    pub robot: String,
    /// On which base, and how its `continuous` joints are given.
    pub base: &'static str,
    /// The number of degrees of freedom.
    pub nv: usize,
    /// Why all joints move freely, where the file's mimics cannot be obeyed: the reference's reason
    /// and ours.
    pub free: Option<(String, String)>,
    /// The verdict on the states.
    pub verdict: Verdict,
}

/// A robot that one side or both refuse.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The robot's file.
    pub robot: String,
    /// On which base, and how its `continuous` joints are given.
    pub base: &'static str,
    /// The reference's answer.
    pub theirs: String,
    /// Our answer.
    pub ours: String,
    /// Whether the reference has the robot, we refuse it, and it is not [known](KNOWN_REFUSALS)
    /// that we do.
    pub unexpected: bool,
}

/// Robots that we refuse and the reference has, with words of our reason.
///
/// `romeo_laas_small` has thighs with a negative principal moment: turned in one way, they would
/// have a negative kinetic energy.
pub const KNOWN_REFUSALS: [(&str, &str); 1] = [(
    "romeo_description/urdf/romeo_laas_small.urdf",
    "not positive semidefinite",
)];

/// Whether it is known that we refuse a robot for this reason.
pub fn is_known_refusal(robot: &str, reason: &str) -> bool {
    let mut known = KNOWN_REFUSALS.iter();
    known.any(|&(name, words)| name == robot && reason.contains(words))
}

impl Report {
    /// An empty report.
    pub fn new(preamble: Preamble) -> Self {
        Self {
            preamble,
            robots: Vec::new(),
            refused: Vec::new(),
            quantities: Quantities::default(),
        }
    }

    /// Whether everything agrees.
    pub fn passes(&self) -> bool {
        let refused = self.refused.iter().any(|refused| refused.unexpected);
        !self.robots.is_empty() && !refused && self.robots.iter().all(|row| row.verdict.failed == 0)
    }

    /// One line that says how it went.
    pub fn summary(&self) -> String {
        let states: usize = self.robots.iter().map(|row| row.verdict.states).sum();
        let numbers: usize = self.robots.iter().map(|row| row.verdict.numbers).sum();
        let failed = self
            .robots
            .iter()
            .filter(|row| row.verdict.failed > 0)
            .count();
        format!(
            "{}: {} models in {states} states, {} numbers; {failed} models fail, {} are refused",
            if self.passes() {
                "Agreement"
            } else {
                "DISAGREEMENT"
            },
            self.robots.len(),
            thousands(numbers),
            self.refused.len(),
        )
    }

    /// The report, with so many of the worst robots.
    pub fn markdown(&self, rows: usize) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut text, rows);
        text
    }

    fn write(&self, out: &mut String, rows: usize) -> fmt::Result {
        let versions = self.preamble.versions.iter();
        let versions: Vec<String> = versions
            .map(|(name, version)| format!("{name} {version}"))
            .collect();
        let versions = versions.join(", ");
        let Preamble { seed, states, .. } = self.preamble;
        writeln!(
            out,
            "# featherline against Pinocchio\n\n{}.\n",
            self.summary()
        )?;
        writeln!(
            out,
            "Reference: {versions}; {states} states each, seed {seed}."
        )?;
        writeln!(
            out,
            "\nAn error is the largest difference over the largest entry of the same quantity in the same state; \
             {TOLERANCE:.0e} is accepted.\nκ is the greatest condition number of the mass matrix over the states. \
             For M⁻¹ and q̈ where κ of the state exceeds {BADLY_CONDITIONED:.0e},\n{INVERSE_TOLERANCE:.0e} is accepted; \
             beyond {BEYOND_COMPARISON:.0e}, κ · 2⁻⁵¹, together with a residual of {TOLERANCE:.0e} in the \
             reference's equations of\nmotion. `src/agreement.rs` says why. Residuals have rows of their own below.\n\n\
             Robots are files of the package, `descriptions/` of this folder, and random trees (`random_trees.py`). Files \
             with `continuous`\njoints come twice, with (cos, sin) and with angles for them."
        )?;
        self.write_failures(out)?;
        let states = self.robots.iter().map(|row| {
            let states = &row.verdict.close_to_singular;
            (row.robot.as_str(), row.base, states)
        });
        let states: Vec<_> = states.filter(|(_, _, states)| states.states > 0).collect();
        close_to_singular::write(out, &states)?;
        self.write_robots(out, rows)?;
        self.write_refused(out)?;
        self.write_notes(out)?;
        self.write_quantities(out)
    }

    fn write_failures(&self, out: &mut String) -> fmt::Result {
        for row in self.robots.iter().filter(|row| row.verdict.failed > 0) {
            let Verdict {
                failed, failures, ..
            } = &row.verdict;
            writeln!(
                out,
                "\n**{} ({}): {failed} failures.**\n",
                row.robot, row.base
            )?;
            for failure in failures {
                writeln!(out, "* {failure}")?;
            }
        }
        Ok(())
    }

    fn write_robots(&self, out: &mut String, rows: usize) -> fmt::Result {
        let mut sorted: Vec<&Row> = self.robots.iter().collect();
        sorted.sort_by(|a, b| b.verdict.excess().total_cmp(&a.verdict.excess()));
        writeln!(out, "\n## Robots, worst first\n")?;
        writeln!(
            out,
            "| robot | base | nv | worst error | quantity | M⁻¹, q̈: worst error | quantity | at κ | κ |"
        )?;
        writeln!(out, "|---|---|--:|--:|---|--:|---|--:|--:|")?;
        for row in sorted.iter().take(rows) {
            let verdict = &row.verdict;
            writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} | {:.1e} |",
                row.robot,
                row.base,
                row.nv,
                cells(verdict.worst.as_ref()),
                cells(verdict.worst_conditioned.as_ref()),
                condition(verdict.worst_conditioned.as_ref()),
                verdict.condition
            )?;
        }
        if sorted.len() > rows {
            writeln!(
                out,
                "\n{} better ones are not listed here.",
                sorted.len() - rows
            )?;
        }
        Ok(())
    }

    fn write_refused(&self, out: &mut String) -> fmt::Result {
        if self.refused.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "\n## Refused\n\n| robot | base | Pinocchio | featherline |\n|---|---|---|---|"
        )?;
        for refused in &self.refused {
            let Refused {
                robot,
                base,
                theirs,
                ours,
                ..
            } = refused;
            writeln!(out, "| {robot} | {base} | {theirs} | {ours} |")?;
        }
        Ok(())
    }

    fn write_notes(&self, out: &mut String) -> fmt::Result {
        let undefined = self
            .robots
            .iter()
            .any(|row| !row.verdict.undefined.is_empty());
        if undefined {
            writeln!(out, "\n## Quantities that neither side has\n")?;
            writeln!(
                out,
                "| robot | base | quantities | states | Pinocchio | featherline |"
            )?;
            writeln!(out, "|---|---|---|--:|---|---|")?;
            for row in &self.robots {
                for (group, states) in &row.verdict.undefined {
                    writeln!(
                        out,
                        "| {} | {} | {} | {states} | {} | {} |",
                        row.robot, row.base, group.group, group.theirs, group.ours
                    )?;
                }
            }
        }
        let free = |row: &&Row| row.free.is_some();
        if self.robots.iter().any(|row| row.free.is_some()) {
            writeln!(
                out,
                "\n## Mimics that cannot be obeyed: all joints move freely\n"
            )?;
            writeln!(
                out,
                "| robot | base | reference | featherline |\n|---|---|---|---|"
            )?;
            for row in self.robots.iter().filter(free) {
                let (theirs, ours) = row.free.clone().unwrap_or_default();
                writeln!(out, "| {} | {} | {theirs} | {ours} |", row.robot, row.base)?;
            }
        }
        Ok(())
    }

    fn write_quantities(&self, out: &mut String) -> fmt::Result {
        writeln!(
            out,
            "\n## Quantities\n\n\
             *Of family*: the worst difference relative to the largest entry of all quantities of one unit in the state. \
             *Cancelled*: in how many\nstates the quantity differs and its largest entry is below {CANCELLED:.0e} of \
             that one; what is left of terms that cancel has an error\nrelative to this bound.\n"
        )?;
        writeln!(
            out,
            "| quantity | states | numbers | worst error | robot | of family | cancelled |\n|---|--:|--:|--:|---|--:|--:|"
        )?;
        for (name, quantity) in self.quantities.iter() {
            writeln!(
                out,
                "| {name} | {} | {} | {:.1e} | {} | {:.1e} | {} |",
                quantity.states,
                thousands(quantity.numbers),
                quantity.error,
                quantity.robot,
                quantity.of_family,
                quantity.cancelled
            )?;
        }
        Ok(())
    }
}

/// The condition number where the error is.
fn condition(worst: Option<&Worst>) -> String {
    worst.map_or_else(String::new, |worst| format!("{:.1e}", worst.condition))
}

/// Error and quantity.
fn cells(worst: Option<&Worst>) -> String {
    match worst {
        None => " | ".to_owned(),
        Some(Worst { judged, .. }) => {
            let mark = if judged.passes() { "" } else { " **fails**" };
            format!("{:.1e}{mark} | {}", judged.error, judged.quantity)
        }
    }
}

/// A count with its digits in groups of three.
fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut grouped = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::thousands;

    #[test]
    fn digits_are_grouped_from_the_right() {
        let cases = [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (12_345_678, "12,345,678"),
        ];
        for (count, text) in cases {
            assert_eq!(thousands(count), text);
        }
    }
}
