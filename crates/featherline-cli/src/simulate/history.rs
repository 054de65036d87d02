//! What the plot at the end shows, in little memory however long the run.

use super::plot::{Panel, Series};
use featherline_sim::simulation::{
    Conservation, LimitAccount, LoopAccount, Recorder, RecorderError, Sample,
};
use std::ops::ControlFlow;

/// The most spans that are kept: more than a picture has pixels to show.
const MOST: usize = 2048;

/// Energy, two momenta and the loop gap.
const QUANTITIES: usize = 4;

/// Energy and momenta since the start, and the loop gap, as the least and the greatest value in spans of time, which grow
/// twice as long whenever there are too many.
pub struct History {
    spans: Vec<Span>,
    /// How many samples a span takes.
    samples: usize,
}

#[derive(Clone, Copy)]
struct Span {
    t: f64,
    count: usize,
    least: [f64; QUANTITIES],
    greatest: [f64; QUANTITIES],
}

impl Span {
    fn join(&mut self, other: &Self) {
        self.count += other.count;
        for k in 0..QUANTITIES {
            self.least[k] = self.least[k].min(other.least[k]);
            self.greatest[k] = self.greatest[k].max(other.greatest[k]);
        }
    }
}

impl History {
    pub fn new() -> Self {
        Self {
            spans: Vec::with_capacity(MOST),
            samples: 1,
        }
    }

    fn add(&mut self, t: f64, values: [f64; QUANTITIES]) {
        let own = Span {
            t,
            count: 1,
            least: values,
            greatest: values,
        };
        match self.spans.last_mut() {
            Some(last) if last.count < self.samples => last.join(&own),
            _ => {
                if self.spans.len() == MOST {
                    self.halve();
                }
                self.spans.push(own);
            }
        }
    }

    fn halve(&mut self) {
        for k in 0..MOST / 2 {
            let (mut first, second) = (self.spans[2 * k], self.spans[2 * k + 1]);
            first.join(&second);
            self.spans[k] = first;
        }
        self.spans.truncate(MOST / 2);
        self.samples *= 2;
    }

    /// A line through the least and the greatest value of every span.
    fn line(&self, quantity: usize) -> Vec<(f64, f64)> {
        let ends = self.spans.iter().flat_map(|span| {
            let point = |value| (span.t, value);
            [point(span.least[quantity]), point(span.greatest[quantity])]
        });
        ends.collect()
    }

    /// What is worth drawing.
    pub fn panels(&self, conservation: &Conservation, loops: bool) -> Vec<Panel> {
        let series = |name, quantity| Series {
            name,
            points: self.line(quantity),
        };
        let (energy, momentum) = if conservation.floats_freely() {
            (
                "energy about the centre of mass since the start [J]",
                "momentum since the start, without gravity's",
            )
        } else {
            ("energy since the start [J]", "momentum since the start")
        };
        let mut panels = vec![
            Panel {
                title: energy.to_owned(),
                series: vec![series("energy", 0)],
            },
            Panel {
                title: momentum.to_owned(),
                series: vec![series("linear [N s]", 1), series("angular [N m s]", 2)],
            },
        ];
        if loops {
            panels.push(Panel {
                title: "loop error [m, rad]".to_owned(),
                series: vec![series("gap", 3)],
            });
        }
        panels
    }
}

/// Measures the change since the start with the account's own eyes, who leaves the limits, and loops if that is wanted.
pub struct Watch<'a, 'm> {
    pub history: &'a mut History,
    pub conservation: &'a mut Conservation,
    pub limits: &'a mut LimitAccount<'m>,
    pub loops: Option<&'a mut LoopAccount<'m>>,
}

impl Recorder for Watch<'_, '_> {
    fn record(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
        let flow = self.conservation.record(sample)?;
        let _ = self.limits.record(sample)?;
        if let Some(loops) = &mut self.loops {
            let _ = loops.record(sample)?;
        }
        let change = self.conservation.change(sample);
        let values = [
            change.energy,
            change.momentum.linear.norm(),
            change.momentum.angular.norm(),
            sample.loop_gap.position,
        ];
        self.history.add(sample.t, values);
        Ok(flow)
    }
}
