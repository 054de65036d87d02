//! All times.

use super::limit::flops;
use super::{Measured, Report, RobotResult};
use crate::form::Form;
use crate::row::Contestant;
use std::fmt::{self, Write};

impl Report<'_> {
    pub(super) fn times(&self, text: &mut String) -> fmt::Result {
        writeln!(text, "## All times\n\nIn nanoseconds a state.\n")?;
        write!(text, "| robot | call |")?;
        for form in self.forms() {
            if form == Form::Single {
                write!(text, " featherline |")?;
            } else {
                write!(text, " {form} |")?;
            }
        }
        for peer in self.peers {
            write!(text, " {peer} |")?;
        }
        writeln!(
            text,
            " ratio | quartiles | difference, f64 | difference, f32 | flops | GFLOP/s | of peak |"
        )?;
        let columns = self.forms().len() + self.peers.len();
        writeln!(
            text,
            "|---|---|{}---:|---|---:|---:|---:|---:|---:|",
            "---:|".repeat(columns)
        )?;
        for robot in self.robots {
            for measured in &robot.calls {
                self.line(text, robot, measured)?;
            }
        }
        writeln!(text)
    }

    /// The forms that were measured.
    fn forms(&self) -> Vec<Form> {
        self.measured(Form::ALL).collect()
    }

    fn line(&self, text: &mut String, robot: &RobotResult, measured: &Measured) -> fmt::Result {
        let row = &measured.row;
        write!(text, "| {} | `{}` |", robot.name, row.call)?;
        let forms = self.forms().into_iter().map(Contestant::Own);
        for contestant in forms.chain((0..self.peers.len()).map(Contestant::Peer)) {
            match row.run(contestant).map(|run| run.nanoseconds()) {
                // Batches take few nanoseconds a state.
                Some(time) if time < 100.0 => write!(text, " {time:.1} |")?,
                Some(time) => write!(text, " {time:.0} |")?,
                None => write!(text, " – |")?,
            }
        }
        let own = Contestant::Own(Form::Single);
        match row.ratio(own, super::REFERENCE) {
            Some(ratio) => {
                let (low, high) = ratio.quartiles;
                write!(text, " {:.2} | {low:.2}–{high:.2} |", ratio.median)?;
            }
            None => write!(text, " – | |")?,
        }
        for single in [false, true] {
            let runs = row.runs.iter();
            let of_precision =
                runs.filter(|run| run.contestant.form().is_single_precision() == single);
            let greatest = of_precision.map(|run| run.difference).reduce(f64::max);
            match greatest {
                Some(difference) => write!(text, " {difference:.0e} |")?,
                None => write!(text, " – |")?,
            }
        }
        let rate = measured.gigaflops(Form::Single);
        let percent = self.percent_of_peak(measured, Form::Single);
        match (&measured.operations, rate, percent) {
            (Some(operations), Some(rate), Some(percent)) => {
                let flops = flops(operations);
                writeln!(text, " {flops} | {rate:.1} | {percent:.0} % |")
            }
            _ => writeln!(text, " – | – | – |"),
        }
    }
}
