//! How far featherline is from what the core can do.

use super::{Measured, Report};
use crate::form::Form;
use crate::row::Contestant;
use crate::targets::least_percent_of_peak;
use featherline::scalar::Operations;
use featherline_bench::peak::{self, Precision};
use std::fmt::{self, Write};

/// Floating-point operations of sine and cosine together: the reduction to an eighth of a turn
/// takes 4 fused multiply-adds and a subtraction, the polynomials 5 each on two powers, and 3 more
/// put them to use.
const SIN_COS: u64 = 8 + 1 + 20 + 2 + 6;

/// The floating-point operations of a call: a fused multiply-add is two, a division or square root
/// one; selections are none.
pub(super) fn flops(operations: &Operations) -> u64 {
    operations.additions
        + operations.multiplications
        + operations.divisions
        + operations.square_roots
        + SIN_COS * operations.sin_cos
}

impl Measured {
    /// 10⁹ floating-point operations a second in one form, if that was measured.
    pub(super) fn gigaflops(&self, form: Form) -> Option<f64> {
        let run = self.row.run(Contestant::Own(form))?;
        Some(flops(self.operations_in(form)?) as f64 / run.nanoseconds())
    }

    /// The arithmetic of one state in one form.
    fn operations_in(&self, form: Form) -> Option<&Operations> {
        if Form::KERNELS.contains(&form) {
            return self.operations.as_ref();
        }
        let program = self.program.as_ref()?;
        Some(if form.is_single_precision() {
            &program.single
        } else {
            &program.double
        })
    }

    /// The operations of the program, by those of the kernel.
    fn share_of_program(&self, form: Form) -> Option<f64> {
        self.row.run(Contestant::Own(form))?;
        let own = flops(self.operations_in(form)?) as f64;
        Some(own / flops(self.operations.as_ref()?) as f64)
    }
}

impl Report<'_> {
    /// The greatest rate in the precision of a form.
    fn peak(&self, form: Form) -> f64 {
        let precision = match form {
            form if form.is_single_precision() => Precision::Single,
            _ => Precision::Double,
        };
        peak::peak(self.rates, precision)
    }

    /// The part of the peak that a call reaches, in per cent.
    pub(super) fn percent_of_peak(&self, measured: &Measured, form: Form) -> Option<f64> {
        Some(100.0 * measured.gigaflops(form)? / self.peak(form))
    }

    /// How many cells of a form have an aim by the peak, and how many of them reach it.
    fn reach_of_peak(&self, form: Form) -> (usize, usize) {
        let (mut aimed, mut reached) = (0, 0);
        for measured in self.robots.iter().flat_map(|robot| &robot.calls) {
            let least = least_percent_of_peak(measured.row.call, form);
            if let (Some(least), Some(percent)) = (least, self.percent_of_peak(measured, form)) {
                aimed += 1;
                reached += usize::from(percent >= least);
            }
        }
        (aimed, reached)
    }

    /// The part of their aim that lanes reach by the peak, in words; nothing if no call has such an
    /// aim.
    pub(super) fn aims_by_peak(&self) -> String {
        let reached: Vec<String> = Form::ALL
            .iter()
            .map(|&form| (form, self.reach_of_peak(form)))
            .filter(|(_, (aimed, _))| *aimed > 0)
            .map(|(form, (aimed, reached))| format!("{reached} of {aimed} ({form})"))
            .collect();
        if reached.is_empty() {
            return String::new();
        }
        format!(
            "Lanes are to reach 35 per cent of the core's peak in `rnea` and `aba`, see [the limit](#the-limit): they do in {}. ",
            reached.join(", ")
        )
    }

    pub(super) fn limit(&self, text: &mut String) -> fmt::Result {
        writeln!(
            text,
            "## The limit\n\nWhat this core does at most: independent fused multiply-adds, each two operations, with nothing \
             loaded or stored.\n\n| instructions | precision | lanes | GFLOP/s | a cycle |\n|---|---|---:|---:|---:|"
        )?;
        let fastest = self.clocks.iter().fold(f64::NAN, |clock, c| clock.max(*c));
        for rate in self.rates {
            writeln!(
                text,
                "| {} | {} | {} | {:.1} | {:.1} |",
                rate.instructions,
                rate.precision,
                rate.lanes,
                rate.gigaflops,
                rate.gigaflops / fastest
            )?;
        }
        writeln!(
            text,
            "\nThe arithmetic of a call is counted by running it on `OpCount`: a fused multiply-add counts 2, a division or square \
             root 1, sine and cosine together {SIN_COS}, a selection 0; what is known when the model is built counts nothing (products \
             with 0 and 1, sums with 0), though the kernels may do it. So the figures are the useful operations, and a lower \
             bound of those done. A program's operations are those of its instructions, which are all that it does. The tables give \
             them in per cent of the peak; the kernels' counts are below, under all times. `rnea` and `aba` have an aim in lanes; \
             bold: it is missed.\n"
        )?;
        for form in self.measured(Form::ALL) {
            writeln!(
                text,
                "Per cent of {:.1} GFLOP/s, {form}:\n",
                self.peak(form)
            )?;
            self.shares(text, |measured| {
                let percent = self.percent_of_peak(measured, form)?;
                Some(match least_percent_of_peak(measured.row.call, form) {
                    Some(least) if percent < least => format!("**{percent:.0}**"),
                    _ => format!("{percent:.0}"),
                })
            })?;
        }
        // One state's program does the same.
        let programs = self
            .measured(Form::PROGRAMS)
            .filter(|form| !form.is_single());
        for form in programs {
            writeln!(text, "Operations of the {form}, by those of the kernel:\n")?;
            self.shares(text, |measured| {
                let share = measured.share_of_program(form)?;
                Some(format!("{share:.2}"))
            })?;
        }
        Ok(())
    }

    /// A table of one number for each call and robot; calls that have none are left out.
    fn shares(
        &self,
        text: &mut String,
        share: impl Fn(&Measured) -> Option<String>,
    ) -> fmt::Result {
        self.robots_header(text, "")?;
        for (k, call) in self.calls().into_iter().enumerate() {
            let shares = self.robots.iter().map(|robot| share(&robot.calls[k]));
            let shares: Vec<_> = shares.collect();
            if shares.iter().all(Option::is_none) {
                continue;
            }
            write!(text, "| `{call}` |")?;
            for share in shares {
                write!(text, " {} |", share.as_deref().unwrap_or("–"))?;
            }
            writeln!(text)?;
        }
        writeln!(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selections_are_free() {
        let operations = Operations {
            additions: 1,
            multiplications: 10,
            divisions: 100,
            square_roots: 1_000,
            sin_cos: 1,
            other: 10_000,
        };
        assert_eq!(flops(&operations), 1_111 + SIN_COS);
    }
}
