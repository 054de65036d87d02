//! Which additional measurements would make a problem solvable.

use crate::diagnosis::{Diagnosis, Ranks, matrix_values, rank_of, samples};
use crate::dulmage_mendelsohn::DulmageMendelsohn;
use crate::error::SystemError;
use crate::problem::Components;
use crate::sensor::{Contact, Noise, Sensor, SensorId, SensorKind};
use crate::system::System;
use featherline::model::{FrameId, FrameKind, JointId};
use nalgebra::DMatrix;
use std::ops::Range;

/// How many sets of additions are tried before the search becomes greedy.
const TRIALS: usize = 30_000;

/// Sets of additions to a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// How many directions are open at most, in the configurations that were looked at, before anything is added.
    pub open: usize,
    /// Sets of additions, each of which determines everything in every configuration that was looked at. Empty if nothing in
    /// the catalogue does, or nothing is open.
    pub additions: Vec<Vec<Sensor>>,
    /// Whether no smaller set does. If not, the set was found by taking what closes most, again and again, and may be larger
    /// than needed.
    pub smallest: bool,
}

impl Advice {
    /// Looks for the smallest additions from a catalogue that determine everything.
    ///
    /// What a candidate contributes is the rank of its rows on the null space of the problem: a set suffices if the ranks of
    /// all of its rows together fill that space, in each configuration. Sets are tried by size, 1, 2, 3, …, leaving out sizes that the
    /// largest contributions cannot fill; so the first that suffice are the smallest, and all of that size are returned. Single
    /// rows would make a matroid, where taking the best one each time is exact; candidates of several rows do not, so that
    /// beyond 30,000 sets the greedy choice is only a good one, and what it took needlessly is dropped again.
    ///
    /// # Errors
    /// As [`Problem::add_sensor`](crate::Problem::add_sensor) for a candidate, and as [`System::assemble`].
    pub fn from_catalogue(system: &System, catalogue: &[Sensor]) -> Result<Self, SystemError> {
        let Some(search) = Search::new(system, catalogue)? else {
            // Structure says what is open, and there is no advice on hundreds of things.
            return Ok(Self {
                open: system.unknowns().count() - DulmageMendelsohn::new(system.sparsity()).rank(),
                additions: Vec::new(),
                smallest: false,
            });
        };
        let open = search
            .spaces
            .iter()
            .map(|space| space.open)
            .max()
            .unwrap_or(0);
        let mut advice = Self {
            open,
            additions: Vec::new(),
            smallest: true,
        };
        if open == 0 {
            return Ok(advice);
        }
        let useful: Vec<usize> = (0..catalogue.len())
            .filter(|&k| search.gain(&[k]) > 0)
            .collect();
        if !search.suffices(&useful) {
            return Ok(advice);
        }
        let pick =
            |set: &[usize]| -> Vec<Sensor> { set.iter().map(|&k| catalogue[k].clone()).collect() };
        let mut trials = 0;
        for size in 1..=useful.len() {
            if !search.can_fill(&useful, size) {
                continue;
            }
            trials += binomial(useful.len(), size);
            if trials > TRIALS {
                break;
            }
            let found = search.sets_of(&useful, size);
            if !found.is_empty() {
                advice.additions = found.iter().map(|set| pick(set)).collect();
                return Ok(advice);
            }
        }
        advice.smallest = false;
        advice.additions = vec![pick(&search.greedy(&useful))];
        Ok(advice)
    }

    /// What may be measured or assumed besides: at every frame where an external force is measured or a contact assumed, other
    /// contacts, a sensor of the whole wrench, and one in the joint above; in every joint, its force and its acceleration.
    pub fn catalogue(system: &System) -> Vec<Sensor> {
        let (model, present) = (system.model(), system.problem().sensors());
        let mut catalogue = Vec::new();
        let mut add = |name: String, kind: SensorKind| {
            let noise = if matches!(kind, SensorKind::Contact { .. }) {
                Noise::Exact
            } else {
                Noise::Deviation(1.0)
            };
            if present
                .iter()
                .all(|sensor| sensor.kind != kind && sensor.name != name)
            {
                catalogue.push(Sensor::new(name, kind, noise));
            }
        };
        let mut frames: Vec<FrameId> = present
            .iter()
            .filter_map(|sensor| sensor.kind.external_force_frame())
            .collect();
        frames.sort_unstable();
        frames.dedup();
        for frame in frames {
            let place = &model.frame(frame).name;
            for (word, contact) in [
                ("slippery contact", Contact::Slippery),
                ("frictionless contact", Contact::Frictionless),
                ("point contact", Contact::Point),
            ] {
                add(
                    format!("{word} at {place}"),
                    SensorKind::Contact { frame, contact },
                );
            }
            let components = Components::ALL;
            add(
                format!("six-axis external force at {place}"),
                SensorKind::ExternalForce { frame, components },
            );
            // In a fixed joint that is part of a body such a sensor would measure no unknown.
            if model.frame(frame).kind != FrameKind::FixedJoint {
                let reaction = false;
                add(
                    format!("force-torque sensor in the joint above {place}"),
                    SensorKind::ForceTorque { frame, reaction },
                );
            }
        }
        let owners: Vec<JointId> = model
            .joint_ids()
            .filter(|&id| model.joint(id).nv > 0 && model.joint(id).mimic.is_none())
            .collect();
        for joint in owners {
            let name = &model.joint(joint).name;
            add(
                format!("force in joint {name}"),
                SensorKind::JointForce { joint },
            );
            add(
                format!("acceleration of joint {name}"),
                SensorKind::JointAcceleration { joint },
            );
        }
        catalogue
    }
}

fn binomial(n: usize, k: usize) -> usize {
    (0..k.min(n)).fold(1, |product: usize, i| {
        product.saturating_mul(n - i) / (i + 1)
    })
}

/// What is open in one configuration.
struct Space {
    open: usize,
    /// For each candidate, its rows on the open directions.
    rows: Vec<DMatrix<f64>>,
    gains: Vec<usize>,
}

struct Search {
    spaces: Vec<Space>,
}

impl Search {
    /// Nothing if [too much is open](Diagnosis::TOO_MANY).
    fn new(system: &System, catalogue: &[Sensor]) -> Result<Option<Self>, SystemError> {
        let present = system.problem().sensors().len();
        let mut problem = system.problem().clone();
        for candidate in catalogue {
            problem.add_sensor(candidate.clone())?;
        }
        let system = System::new(problem)?;
        let ranges: Vec<Range<usize>> = (present..present + catalogue.len())
            .map(|k| system.equations().sensor(SensorId(k)))
            .collect();
        let first = ranges.first().map_or(usize::MAX, |range| range.start);
        let mut spaces = Vec::new();
        for sample in samples(system.model()) {
            let values = matrix_values(&system, &sample.q)?;
            let counts = |row: usize| row < first;
            let Some(ranks) = Ranks::new(&system, &values, counts, Diagnosis::TOO_MANY) else {
                return Ok(None);
            };
            let rows: Vec<DMatrix<f64>> = ranges
                .iter()
                .map(|range| ranks.on_directions(range))
                .collect();
            let gains = rows.iter().map(|rows| rank_of(rows).rank).collect();
            spaces.push(Space {
                open: ranks.open(),
                rows,
                gains,
            });
        }
        Ok(Some(Self { spaces }))
    }

    /// The rank that a set adds in each configuration, summed.
    fn gain(&self, set: &[usize]) -> usize {
        self.spaces.iter().map(|space| space.rank(set)).sum()
    }

    fn suffices(&self, set: &[usize]) -> bool {
        self.spaces
            .iter()
            .all(|space| space.rank(set) == space.open)
    }

    /// Whether sets of a size can suffice, judged by the largest contributions alone.
    fn can_fill(&self, useful: &[usize], size: usize) -> bool {
        self.spaces.iter().all(|space| {
            let mut gains: Vec<usize> = useful.iter().map(|&k| space.gains[k]).collect();
            gains.sort_unstable_by(|a, b| b.cmp(a));
            gains.iter().take(size).sum::<usize>() >= space.open
        })
    }

    /// All sets of a size that suffice.
    fn sets_of(&self, useful: &[usize], size: usize) -> Vec<Vec<usize>> {
        let mut found = Vec::new();
        let mut at: Vec<usize> = (0..size).collect();
        loop {
            let set: Vec<usize> = at.iter().map(|&k| useful[k]).collect();
            if self.suffices(&set) {
                found.push(set);
            }
            let n = useful.len();
            let Some(k) = (0..size).rev().find(|&k| at[k] < n - size + k) else {
                return found;
            };
            at[k] += 1;
            for j in k + 1..size {
                at[j] = at[j - 1] + 1;
            }
        }
    }

    /// What closes most, again and again, until everything is closed; then without what turned out needless.
    fn greedy(&self, useful: &[usize]) -> Vec<usize> {
        let mut set: Vec<usize> = Vec::new();
        while !self.suffices(&set) {
            let with = |k: usize| [&set[..], &[k]].concat();
            // Of those that close the same, the one with fewer rows.
            let best = useful
                .iter()
                .filter(|k| !set.contains(k))
                .max_by_key(|&&k| {
                    (
                        self.gain(&with(k)),
                        usize::MAX - self.spaces[0].rows[k].nrows(),
                    )
                });
            match best {
                Some(&best) => set.push(best),
                None => break,
            }
        }
        let mut k = 0;
        while k < set.len() {
            let mut without = set.clone();
            without.remove(k);
            if self.suffices(&without) {
                set = without;
            } else {
                k += 1;
            }
        }
        set
    }
}

impl Space {
    fn rank(&self, set: &[usize]) -> usize {
        let count = set.iter().map(|&k| self.rows[k].nrows()).sum();
        let mut stacked = DMatrix::zeros(count, self.open);
        let mut at = 0;
        for &k in set {
            let rows = &self.rows[k];
            stacked.rows_mut(at, rows.nrows()).copy_from(rows);
            at += rows.nrows();
        }
        rank_of(&stacked).rank
    }
}
