//! Diagnosis of a problem: what it determines, what it leaves open and why, and what it measures
//! more than once.

mod dependent;
mod determined;
mod ranks;
mod reduction;
mod warnings;
mod words;

pub use determined::{Determined, DeterminedError, DeterminedSolution};
pub use warnings::{DiagnosisWarning, Remedy};

pub(crate) use dependent::contradicting;
pub(crate) use ranks::Ranks;
pub(crate) use reduction::rank_of;

use crate::error::SystemError;
use crate::problem::SensorId;
use crate::system::{AssemblyMemory, ClosedStates, Switches, System};
use crate::unknown::Unknown;
use featherline_constraint::LoopError;
use featherline_sparse::DulmageMendelsohn;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// A configuration in which ranks are looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleConfiguration {
    /// `neutral`, the name of a reference configuration, or `random 1`…
    pub name: String,
    /// Configuration, nq entries.
    pub q: Vec<f64>,
}

/// How much of a problem is determined in one configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Solvability {
    /// The configuration's name.
    pub sample: String,
    /// The rank of the system.
    pub rank: usize,
    /// Columns that are not determined.
    pub undetermined: Vec<usize>,
    /// The undetermined components as [`Requested`](crate::Requested) reads them: components of
    /// six-vectors are in the joints' output frames, those of an external force that is [written in
    /// world axes](crate::WrenchBasis) in these.
    pub undetermined_components: Vec<Unknown>,
    /// The directions that no equation and no sensor sees: for each independent direction, columns
    /// of q̈ and fˣ with how much they change together.
    pub directions: Vec<Vec<(usize, f64)>>,
}

/// So many multiplications may be spent in one configuration on what is redundant: some seconds.
const MOST_WORK: f64 = 1e10;

/// The diagnosis of a problem.
///
/// Structure is judged by the [decomposition](DulmageMendelsohn) of the pattern: it holds for
/// almost all numbers, if these were independent. Numbers are judged by ranks in the neutral
/// configuration, in the model's reference configurations, and in random ones: the special ones
/// show what is lost where feet are parallel and legs are straight. Loops are closed in all of
/// them, by the shortest steps. Velocities do not matter: the matrix does not depend on them.
///
/// Where at most 100 accelerations and components of external forces are open, what the dynamics
/// leave of them is decomposed by singular values: these count as zero below 10⁻⁹ of the greatest
/// one. Larger systems, up to some thousands of links, are factorised as they are, with rows and
/// columns made equally long: what then shrinks to less than 10⁻⁹ is open, what does not to less
/// than 10⁻⁷ is determined, and between these nothing is promised. A sensor then is redundant if
/// the others say to a thousandth what it says. Cost: a sparse factorisation a configuration and a
/// solve for each row of a sensor; seconds for 300 links.
///
/// ```
/// use featherline::samples;
/// use featherline_system::{Diagnosis, Problem, System};
///
/// let system = System::new(Problem::inverse_dynamics(samples::double_pendulum()))?;
/// let diagnosis = Diagnosis::of(&system)?;
/// assert!(diagnosis.is_solvable());
/// println!("{}", diagnosis.report(&system));
/// # Ok::<(), featherline_system::SystemError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// How many unknowns there are.
    pub unknowns: usize,
    /// How many rows are switched on.
    pub rows: usize,
    /// The parts of the pattern.
    pub structure: DulmageMendelsohn,
    /// Ranks in the configurations looked at; empty if [too much is open](Self::TOO_MANY).
    pub samples: Vec<Solvability>,
    /// Sensors that could be taken away, each by itself, without losing anything in any of the
    /// configurations.
    pub redundant: Vec<SensorId>,
    /// Rows of other sensors that could be taken away, each by itself, though not with all rows of
    /// their sensors; [`SensorKind::describe_row`](crate::SensorKind::describe_row) names them.
    pub redundant_rows: Vec<usize>,
    /// Rows of knowns and sensors that say the same, in the last configuration of the greatest
    /// rank: each set depends on itself and no part of it does, so that any one of its rows, but
    /// one alone, could be taken away. There are as many sets as rows say nothing new; none where
    /// more than 400 accelerations and components of external forces are free or known.
    /// [`dependent_sets_in_words`](Self::dependent_sets_in_words) names them.
    pub dependent_sets: Vec<Vec<usize>>,
    /// Whether it was looked for what is redundant: not where thousands of readings would have to
    /// be taken away in turn, which takes minutes.
    pub looked_for_redundant: bool,
    /// Warnings about particular contacts, sensors or loops.
    pub warnings: Vec<DiagnosisWarning>,
}

impl Diagnosis {
    /// Ranks of large systems are computed where at most as many independent directions are open;
    /// where more are, structure has reported it.
    pub const TOO_MANY: usize = 400;

    /// The diagnosis of a system with all of its sensors.
    ///
    /// # Errors
    /// As [`System::assemble`]: for a reference configuration that has no kinematics;
    /// [`SystemError::Loops`] if the robot's loops close near neither the neutral nor a reference
    /// configuration.
    pub fn of(system: &System) -> Result<Self, SystemError> {
        Self::with(system, &Switches::all_on(system))
    }

    /// The diagnosis of a system with some of its sensors.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn with(system: &System, switches: &Switches) -> Result<Self, SystemError> {
        let on = |row: usize| switches.row_is_on(system, row);
        let rows = (0..system.sparsity().rows()).filter(|&row| on(row)).count();
        let structure = DulmageMendelsohn::of_rows(system.sparsity(), on);
        let mut diagnosis = Self {
            unknowns: system.unknowns().count(),
            rows,
            structure,
            samples: Vec::new(),
            redundant: Vec::new(),
            redundant_rows: Vec::new(),
            dependent_sets: Vec::new(),
            looked_for_redundant: true,
            warnings: Vec::new(),
        };
        let sensors: Vec<SensorId> = (0..system.problem().sensors().len())
            .map(SensorId)
            .filter(|&sensor| switches.is_on(sensor))
            .collect();
        let own = |&sensor: &SensorId| system.equations().sensor(sensor);
        diagnosis.redundant.clone_from(&sensors);
        diagnosis.redundant_rows = sensors.iter().flat_map(own).collect();
        let mut best = (0, Vec::new());
        for sample in samples(system)? {
            let values = matrix_values(system, &sample.q)?;
            let Some(ranks) = Ranks::new(system, &values, on, Self::TOO_MANY) else {
                diagnosis.samples.clear();
                diagnosis.redundant.clear();
                diagnosis.redundant_rows.clear();
                break;
            };
            let rank = system.unknowns().count() - ranks.open();
            if rank >= best.0 {
                best = (rank, values.clone());
            }
            diagnosis.looked_for_redundant &=
                ranks.work(diagnosis.redundant_rows.len()) <= MOST_WORK;
            if rank == rows || !diagnosis.looked_for_redundant {
                diagnosis.redundant.clear();
                diagnosis.redundant_rows.clear();
            }
            let is_redundant = |sensor: &SensorId| ranks.is_redundant(&own(sensor));
            diagnosis.redundant.retain(is_redundant);
            let is_redundant = |&row: &usize| ranks.is_redundant(&(row..row + 1));
            diagnosis.redundant_rows.retain(is_redundant);
            diagnosis.samples.push(Solvability {
                sample: sample.name,
                rank,
                undetermined: ranks.undetermined(),
                undetermined_components: ranks.undetermined_components(system),
                directions: ranks.directions(),
            });
        }
        let has_sets = !diagnosis.samples.is_empty() && diagnosis.redundancy() > 0;
        if has_sets && diagnosis.looked_for_redundant {
            diagnosis.dependent_sets = dependent::dependent_sets(system, &best.1, on);
        }
        let whole: Vec<usize> = diagnosis.redundant.iter().flat_map(own).collect();
        diagnosis.redundant_rows.retain(|row| !whole.contains(row));
        diagnosis.warnings = warnings::warnings(system, switches, &diagnosis)?;
        Ok(diagnosis)
    }

    /// Whether every unknown is determined, by structure and in all configurations that were looked
    /// at.
    pub fn is_solvable(&self) -> bool {
        let mut samples = self.samples.iter();
        self.structure.underdetermined().columns.is_empty()
            && samples.all(|sample| sample.undetermined.is_empty())
    }

    /// Whether every unknown is determined in almost all configurations, though not in some special
    /// ones.
    pub fn is_solvable_in_general(&self) -> bool {
        let mut samples = self.samples.iter();
        self.structure.underdetermined().columns.is_empty()
            && samples.any(|sample| sample.undetermined.is_empty())
    }

    /// Whether all that is undetermined are forces between bodies, because loop constraints are
    /// redundant, in every configuration that was looked at: motions and joint forces are
    /// determined, and [`Determined`] finds them.
    pub fn leaves_loop_forces_open(&self, system: &System) -> bool {
        self.leaves_open(system, |unknown| {
            matches!(unknown, Unknown::Force { .. } | Unknown::LoopForce { .. })
        })
    }

    /// Whether all that is open are unknowns of some kinds, or loop forces, in every sample.
    fn leaves_open(&self, system: &System, is_meant: impl Fn(Unknown) -> bool) -> bool {
        let unknown = |column: usize| system.unknowns().at(column);
        let of_loop = |column: usize| matches!(unknown(column), Some(Unknown::LoopForce { .. }));
        let mut samples = self.samples.iter();
        !self.is_solvable()
            && !self.samples.is_empty()
            && samples.all(|sample| {
                let mut open = sample
                    .undetermined
                    .iter()
                    .filter_map(|&column| unknown(column));
                let mut directions = sample.directions.iter();
                open.all(&is_meant)
                    && directions.all(|entries| entries.iter().any(|entry| of_loop(entry.0)))
            })
    }

    /// How many rows say nothing new: rows less the greatest rank.
    pub fn redundancy(&self) -> usize {
        let ranks = self.samples.iter().map(|sample| sample.rank);
        self.rows - ranks.max().unwrap_or(self.structure.rank())
    }
}

/// The numbers of the matrix in a configuration. They depend neither on velocities nor on inputs.
pub(crate) fn matrix_values(system: &System, q: &[f64]) -> Result<Vec<f64>, SystemError> {
    let model = system.model();
    let (v, inputs) = (vec![0.0; model.nv()], vec![0.0; system.input_count()]);
    let assembled = system.assembled(&mut AssemblyMemory::of(model), [q, &v, &inputs])?;
    Ok(assembled.0)
}

/// Whether the equations depend on each other in a configuration.
pub(crate) fn is_singular(system: &System, q: &[f64]) -> Result<bool, SystemError> {
    let values = matrix_values(system, q)?;
    let ranks = Ranks::new(system, &values, |_| true, Diagnosis::TOO_MANY);
    Ok(ranks.is_none_or(|ranks| ranks.open() > 0))
}

/// The configurations in which ranks are looked at: the nearest in which loops are closed. Where
/// these don't close near the neutral or a reference configuration, it is left out.
///
/// # Errors
/// [`SystemError::Loops`] if they close nowhere.
pub(crate) fn samples(system: &System) -> Result<Vec<SampleConfiguration>, SystemError> {
    const RANDOM: usize = 3;
    let model = system.model();
    let mut states = ClosedStates::new(system);
    let neutral = ("neutral".to_owned(), model.neutral_configuration());
    let references = model.reference_configurations().iter();
    let references = references.map(|(name, q)| (name.clone(), q.clone()));
    let mut samples = Vec::new();
    for (name, mut q) in [neutral].into_iter().chain(references) {
        match states.close(&mut q) {
            Err(SystemError::Loops(LoopError::AssemblyFailed { .. })) => {}
            closed => {
                closed?;
                samples.push(SampleConfiguration { name, q });
            }
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(24);
    for k in 1..=RANDOM {
        samples.push(SampleConfiguration {
            name: format!("random {k}"),
            q: states.random(&mut rng)?,
        });
    }
    Ok(samples)
}
