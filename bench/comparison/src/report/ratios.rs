//! Where featherline stands beside its peers.

use super::{Cell, Measured, REFERENCE, Report};
use crate::form::Form;
use crate::row::{Contestant, Row};
use crate::targets;
use std::fmt::{self, Write};

/// An aim that the library's kernels miss.
struct Missed<'a> {
    cell: &'a Cell<'a>,
    limit: f64,
    /// The ratio that a program reaches.
    program: Option<f64>,
}

impl<'a> Missed<'a> {
    fn of(cell: &'a Cell<'a>) -> Option<Self> {
        let limit = cell.limit.filter(|_| cell.is_missed())?;
        let program = Contestant::Own(cell.form.by_program());
        let program = cell.row.ratio(program, REFERENCE);
        Some(Self {
            cell,
            limit,
            program: program.map(|ratio| ratio.median),
        })
    }

    /// The ratio of the better of both, relative to the aim.
    fn excess(&self) -> f64 {
        let kernel = self.cell.ratio.median;
        self.program.unwrap_or(kernel).min(kernel) / self.limit
    }
}

impl Report<'_> {
    pub(super) fn losses(&self, text: &mut String) -> fmt::Result {
        writeln!(text, "## Losses\n")?;
        for reason in self.refused {
            writeln!(text, "* Left out: {reason}")?;
        }
        if !self.refused.is_empty() {
            writeln!(text)?;
        }
        let mut losses = Vec::new();
        for (robot, row) in self.rows() {
            for (peer, name) in self.peers.iter().enumerate() {
                for form in [Form::Single, Form::ProgramSingle] {
                    let ratio = row.ratio(Contestant::Own(form), Contestant::Peer(peer));
                    if let Some(ratio) = ratio.filter(|ratio| ratio.median >= 1.0) {
                        losses.push((ratio, robot, row.call, form, name));
                    }
                }
            }
        }
        losses.sort_by(|a, b| b.0.median.total_cmp(&a.0.median));
        if losses.is_empty() {
            writeln!(text, "Every ratio is below 1.\n")?;
        } else {
            writeln!(
                text,
                "| robot | call | form | peer | ratio | quartiles |\n|---|---|---|---|---:|---|"
            )?;
            for (ratio, robot, call, form, peer) in losses {
                let (low, high) = ratio.quartiles;
                writeln!(
                    text,
                    "| {robot} | `{call}` | {form} | {peer} | {:.2} | {low:.2}–{high:.2} |",
                    ratio.median
                )?;
            }
            writeln!(text)?;
        }
        self.missed(text)
    }

    /// All rows, each with its robot's name.
    fn rows(&self) -> impl Iterator<Item = (&str, &Row)> {
        let trees = self.robots.iter().flat_map(|robot| {
            let rows = robot.calls.iter().map(|measured| &measured.row);
            rows.map(|row| (robot.name.as_str(), row))
        });
        let linkages = self.linkages.iter().flat_map(|linkage| {
            let rows = linkage.rows.iter();
            rows.map(|row| (linkage.name.as_str(), row))
        });
        trees.chain(linkages)
    }

    /// How many aims there are in forms that were measured, whether each could be measured or not.
    fn aims(&self) -> usize {
        let forms = self.measured(Form::KERNELS);
        let of = |form: Form| {
            let calls = self.robots.iter().flat_map(|robot| &robot.calls);
            let is_aimed = |measured: &&Measured| {
                let row = &measured.row;
                row.run(REFERENCE).is_some()
                    && targets::greatest_ratio(row.call, form, true).is_some()
            };
            calls.filter(is_aimed).count()
        };
        forms.map(of).sum()
    }

    /// The aims that are missed, the farthest first.
    fn missed(&self, text: &mut String) -> fmt::Result {
        let cells: Vec<Cell<'_>> = Form::KERNELS
            .iter()
            .flat_map(|form| self.cells(*form))
            .collect();
        let aimed = self.aims();
        let unmeasured = aimed - cells.iter().filter(|cell| cell.limit.is_some()).count();
        let mut missed: Vec<Missed<'_>> = cells.iter().filter_map(Missed::of).collect();
        missed.sort_by(|x, y| y.excess().total_cmp(&x.excess()));
        let by_any = missed.iter().filter(|missed| missed.excess() > 1.0).count();
        let solutions = missed
            .iter()
            .filter(|missed| missed.excess() <= 1.0 && missed.cell.row.call == "crba_factor_solve");
        writeln!(
            text,
            "### Aims missed\n\n{} of {aimed} aims beside {} are met by the library's kernels, {} by these or by programs that were \
             made for the robot, in machine code; {unmeasured} count as missed because a kernel's answers were left out, as told \
             above. {} of what programs alone reach is `crba_factor_solve`, which they do by articulated bodies, without a factor, where that takes \
             fewer operations. {}{}[BOUNDS.md](BOUNDS.md) says what bounds batches. What kernels miss, that \
             which programs miss by farthest first, what programs reach in bold:\n",
            aimed - unmeasured - missed.len(),
            self.reference(),
            aimed - unmeasured - by_any,
            solutions.count(),
            self.aims_by_peak(),
            self.aims_by_threads(),
        )?;
        if missed.is_empty() {
            return Ok(());
        }
        writeln!(
            text,
            "| robot | call | form | kernel | program | aim |\n|---|---|---|---:|---:|---:|"
        )?;
        for Missed {
            cell,
            limit,
            program,
        } in missed
        {
            let (robot, call, form) = (cell.robot, cell.row.call, cell.form);
            let digits = if form == Form::Single { 2 } else { 3 };
            let program = match program {
                Some(program) if program <= limit => format!("**{program:.digits$}**"),
                Some(program) => format!("{program:.digits$}"),
                None => "–".to_owned(),
            };
            writeln!(
                text,
                "| {robot} | `{call}` | {form} | {:.digits$} | {program} | {limit:.digits$} |",
                cell.ratio.median
            )?;
        }
        writeln!(text)
    }

    /// The ratios of two threads that miss their aim, in words; nothing if they miss none.
    fn aims_by_threads(&self) -> String {
        let missed = self.threads.missed();
        let missed: Vec<String> = missed
            .map(|(call, states, ratio)| format!("{ratio:.2} times (`{call}`, {states} states)"))
            .collect();
        if missed.is_empty() {
            return String::new();
        }
        format!(
            "Two [threads](#threads) are to do {} times as many states a second as one: they miss it with {}. ",
            featherline_bench::threads::AIM,
            missed.join(", ")
        )
    }

    pub(super) fn ratios(&self, text: &mut String) -> fmt::Result {
        write!(text, "## One state\n\n")?;
        self.table(text, Form::Single)?;
        writeln!(
            text,
            "In brackets: degrees of freedom. `all_terms` differs in what it leaves: {} also writes J, J̇ and Ȧ as \
             matrices; featherline gives J, J̇, J̇v and Ȧv of what is asked for afterwards.\n",
            self.reference()
        )
    }

    pub(super) fn batches(&self, text: &mut String) -> fmt::Result {
        for form in self.measured(Form::BATCHES) {
            write!(text, "## {form}\n\n")?;
            self.table(text, form)?;
        }
        Ok(())
    }

    /// The times of programs that were made for the robot.
    pub(super) fn programs(&self, text: &mut String) -> fmt::Result {
        for form in self.measured(Form::PROGRAMS) {
            write!(
                text,
                "## {form}\n\nA program in machine code, made for the robot while it is loaded ({} can generate code, \
                 too, with other libraries and a compiler, which is not measured here). ",
                self.reference()
            )?;
            self.table(text, form)?;
        }
        Ok(())
    }

    fn reference(&self) -> &str {
        self.peers.first().map_or("nobody", String::as_str)
    }

    /// Those of the forms that were measured.
    pub(super) fn measured(&self, forms: &'static [Form]) -> impl Iterator<Item = Form> {
        let is_measured = |form: &Form| !self.cells(*form).is_empty();
        forms.iter().copied().filter(is_measured)
    }

    /// All ratios in one form, and what they are.
    fn table(&self, text: &mut String, form: Form) -> fmt::Result {
        let reference = self.reference();
        if form.is_single() {
            writeln!(
                text,
                "featherline's time by {reference}'s; bold: the aim is missed.\n"
            )?;
            self.grid(text, form, "aim, at most", |ratio| format!("{ratio:.2}"))?;
        } else {
            writeln!(
                text,
                "States that featherline does in a batch of {} on one core, in the time that {reference} takes for one; \
                 bold: the aim is missed.\n",
                self.states
            )?;
            self.grid(text, form, "aim, at least", |ratio| {
                format!("{:.1}", 1.0 / ratio)
            })?;
        }
        writeln!(text)
    }

    /// Calls by robots, in one form.
    fn grid(
        &self,
        text: &mut String,
        form: Form,
        aim: &str,
        number: impl Fn(f64) -> String,
    ) -> fmt::Result {
        let cells = self.cells(form);
        self.robots_header(text, aim)?;
        for call in self.calls() {
            let of_call: Vec<&Cell<'_>> =
                cells.iter().filter(|cell| cell.row.call == call).collect();
            if of_call.is_empty() {
                continue;
            }
            write!(text, "| `{call}` |")?;
            for robot in self.robots {
                match of_call.iter().find(|cell| cell.robot == robot.name) {
                    Some(cell) if cell.is_missed() => {
                        write!(text, " **{}** |", number(cell.ratio.median))?
                    }
                    Some(cell) => write!(text, " {} |", number(cell.ratio.median))?,
                    None => write!(text, " |")?,
                }
            }
            let limit = of_call.first().and_then(|cell| cell.limit);
            writeln!(text, " {} |", limit.map_or("–".to_owned(), &number))?;
        }
        Ok(())
    }

    /// The ratios to peers other than the reference.
    pub(super) fn others(&self, text: &mut String) -> fmt::Result {
        for (index, peer) in self.peers.iter().enumerate().skip(1) {
            writeln!(text, "## Beside {peer}\n")?;
            self.robots_header(text, "")?;
            for (k, call) in self.calls().into_iter().enumerate() {
                let of_robot = |robot: &super::RobotResult| {
                    let row = &robot.calls.get(k)?.row;
                    row.ratio(Contestant::Own(Form::Single), Contestant::Peer(index))
                };
                let ratios: Vec<_> = self.robots.iter().map(of_robot).collect();
                if ratios.iter().all(Option::is_none) {
                    continue;
                }
                write!(text, "| `{call}` |")?;
                for ratio in ratios {
                    match ratio {
                        Some(ratio) => write!(text, " {:.2} |", ratio.median)?,
                        None => write!(text, " – |")?,
                    }
                }
                writeln!(text)?;
            }
            writeln!(text)?;
        }
        Ok(())
    }
}
