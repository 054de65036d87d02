//! Curves of a simulation, in little memory however long it is.

use super::{Panel, Series};
use featherline::Model;
use featherline_sim::contact::PairForce;
use featherline_sim::simulation::{Conservation, Recorder, RecorderError, Sample};
use std::ops::ControlFlow;

/// The most spans in memory: more than a chart has pixels.
const MOST: usize = 2048;

/// Energy and two momenta since the start, the loop gap; the sum of the normal forces of contacts
/// and the greatest of a pair of bodies, the fastest slip and the deepest overlap; the kinetic, the
/// potential and the total energy.
const QUANTITIES: usize = 11;

/// Energies, momenta since the start, the loop error and contacts, as the least and the greatest
/// value in spans of time, whose length doubles whenever there are too many.
///
/// ```
/// use featherline_sim::integrator::RungeKutta4;
/// use featherline::samples;
/// use featherline_sim::simulation::{Method, Simulator};
/// use featherline_record::chart::History;
///
/// let pendulum = samples::double_pendulum();
/// let method = Method::steps(RungeKutta4::new(&pendulum), 1e-3)?;
/// let mut simulation = Simulator::new(&pendulum, method).start(0.0, &[1.0, 0.0], &[0.0, 0.0])?;
/// let mut history = History::new(&pendulum);
/// simulation.run(0.5, 0.01, &mut history)?;
/// assert_eq!(history.panels().len(), 3);
/// assert!(history.conservation().peak_energy_error() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct History {
    conservation: Conservation,
    has_loops: bool,
    /// Whether something has touched.
    touches: bool,
    pairs: Vec<PairForce>,
    spans: Vec<Span>,
    /// How many samples a span takes.
    samples: usize,
}

#[derive(Clone, Copy, Debug)]
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
    /// Without samples.
    pub fn new(model: &Model) -> Self {
        Self {
            conservation: Conservation::new(model),
            has_loops: !model.loop_joints().is_empty(),
            touches: false,
            pairs: Vec::new(),
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

    /// How well energy and momentum were conserved.
    pub fn conservation(&self) -> &Conservation {
        &self.conservation
    }

    /// The curves: energies, their sum since the start, momentum where nothing has touched, the
    /// loop error of a robot with loops, and where something has touched, normal force, slip and
    /// penetration.
    pub fn panels(&self) -> Vec<Panel> {
        let series = |name: &str, quantity| Series {
            name: name.to_owned(),
            points: self.line(quantity),
        };
        let (energy, momentum) = if self.conservation.floats_freely() {
            (
                "energy about the centre of mass since the start [J]",
                "momentum since the start, without gravity's",
            )
        } else {
            ("energy since the start [J]", "momentum since the start")
        };
        let mut panels = vec![
            Panel {
                title: "energy [J]".to_owned(),
                series: vec![
                    series("kinetic", 8),
                    series("potential", 9),
                    series("total", 10),
                ],
            },
            Panel {
                title: energy.to_owned(),
                series: vec![series("energy", 0)],
            },
        ];
        // The ground takes momentum all the time.
        if !self.touches {
            panels.push(Panel {
                title: momentum.to_owned(),
                series: vec![series("linear [N s]", 1), series("angular [N m s]", 2)],
            });
        }
        if self.has_loops {
            panels.push(Panel {
                title: "loop error [m, rad]".to_owned(),
                series: vec![series("gap", 3)],
            });
        }
        if self.touches {
            panels.push(Panel {
                title: "contact normal force [N]".to_owned(),
                series: vec![
                    series("all contacts", 4),
                    series("the most loaded pair of bodies", 5),
                ],
            });
            panels.push(Panel {
                title: "fastest slip of a contact [m/s]".to_owned(),
                series: vec![series("slip", 6)],
            });
            panels.push(Panel {
                title: "deepest penetration [m]".to_owned(),
                series: vec![series("penetration", 7)],
            });
        }
        panels
    }

    /// The sum of the normal forces, the greatest of a pair, the fastest slip, the deepest overlap.
    fn of_contact(&mut self, sample: &Sample<'_>) -> [f64; 4] {
        let Some(contact) = &sample.contact else {
            return [0.0; 4];
        };
        contact.pair_forces(&mut self.pairs);
        self.touches |= !self.pairs.is_empty();
        let forces = || self.pairs.iter().map(|pair| pair.normal_force);
        let slips = contact.contacts.iter().map(|it| it.slip());
        [
            forces().sum(),
            forces().fold(0.0, f64::max),
            slips.fold(0.0, f64::max),
            contact.penetration(),
        ]
    }
}

impl Recorder for History {
    fn record(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
        let flow = self.conservation.record(sample)?;
        let change = self.conservation.change(sample);
        let [normal, most, slip, penetration] = self.of_contact(sample);
        let values = [
            change.energy,
            change.momentum.linear.norm(),
            change.momentum.angular.norm(),
            sample.loop_gap.position,
            normal,
            most,
            slip,
            penetration,
            sample.kinetic_energy,
            sample.potential_energy,
            sample.kinetic_energy + sample.potential_energy,
        ];
        self.add(sample.t, values);
        Ok(flow)
    }
}
