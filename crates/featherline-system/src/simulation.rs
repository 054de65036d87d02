//! Readings that a robot's sensors could give: to try solvers and estimators on.

use crate::error::SystemError;
use crate::problem::{KnownId, SensorId, SensorKind, WrenchBasis, free_base, readings_covariance};
use crate::system::{AssemblyMemory, ClosedStates, Equation, System};
use featherline::model::{FrameId, JointId};
use featherline::{Model, Workspace};
use featherline_sparse::{GeneralError, GeneralLu, Sparsity};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use statrs::distribution::{ContinuousCDF, Normal};
use std::f64::consts::TAU;
use std::ops::Range;
use std::sync::Arc;
use thiserror::Error;

/// The squared weight of a force beside an acceleration: accelerations are as requested.
const FORCE_WEIGHT: f64 = 1e-8;

/// The same of a force on a foot that differs from its share of the weight: forces come first
/// there, for feet that slip can't have them as accelerations wish. A moment counts as the force
/// that has it at a tenth of a metre.
const FOOT_WEIGHT: f64 = 1e-4;
const FOOT_MOMENT_WEIGHT: f64 = 1e-2;

/// Usual names of postures; the first one that a robot has is taken.
const POSTURES: [&str; 6] = ["standing", "stand", "half_sitting", "home", "ready", "rest"];

/// How far a robot on its feet swings beside others: so little that no foot is held down.
const STANDING: f64 = 0.05;

/// The same of how far its joints are bent where no reference configuration bends them.
const BENT: f64 = 0.1;

/// The slack that keeps redundant equations from making the matrix singular.
const SLACK: f64 = 1e-12;

/// How often a solution is corrected by what it leaves of the equations without slack.
const CORRECTIONS: usize = 2;

/// Why nothing can be simulated.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SensorSimulationError {
    /// The system can't be assembled.
    #[error(transparent)]
    System(#[from] SystemError),
    /// No accelerations and forces satisfy what is assumed.
    #[error("no accelerations and forces satisfy the equations and the assumed contacts: {0}")]
    General(#[from] GeneralError),
    /// The configuration can't be moved on.
    #[error(transparent)]
    Configuration(#[from] featherline::Error),
}

/// A robot that swings, and what its sensors read.
///
/// It begins near the first of its reference configurations `standing`, `stand`, `half_sitting`,
/// `home`, `ready` and `rest` that it has, or else with all joints bent by up to 0.4 rad or m (0.04
/// where it stands), for many robots are singular where these are straight. Every coordinate moves
/// as a sine of its own; where loops are closed, the nearest motion that keeps them so is taken,
/// about the nearest configuration. The forces are the smallest that go with these accelerations
/// and satisfy all that is assumed (`free-base`, contacts); where no force goes with them, as with
/// the base of a robot that pushes nothing, the accelerations give way.
///
/// A robot on a free base stands on the frames of its load cells and contacts, if there are any:
/// its base rests, its joints swing a twentieth as far, and the forces on its feet are next to its
/// weight, shared along their normals. Accelerations give way to these.
///
/// Readings have normal errors of the sensors' covariance; of several sets that mean the same, such
/// as those of four load cells, they are the smallest.
///
/// ```
/// use featherline::samples;
/// use featherline_system::{KnownValue, Noise, Problem, Sensor, SensorKind, SensorSimulation, System};
///
/// let mut problem = Problem::new(samples::double_pendulum())
///     .joint_accelerations(KnownValue::Input)
///     .external_forces(KnownValue::Zero);
/// let joint = problem.model().joint_id("shoulder")?;
/// let torque = Sensor::new("torque", SensorKind::JointForce { joint }, Noise::Deviation(0.1));
/// problem.add_sensor(torque)?;
/// let system = System::new(problem)?;
/// let sample = SensorSimulation::new(&system, 1)?.advance()?;
/// let torque = sample.unknowns[system.unknowns().joint_forces().start];
/// assert!((sample.inputs[2] - torque).abs() < 0.6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SensorSimulation<'a> {
    system: &'a System,
    random: ChaCha8Rng,
    normal: Normal,
    /// Amplitude, rate and phase of each coordinate.
    waves: Vec<[f64; 3]>,
    q: Vec<f64>,
    states: ClosedStates<'a>,
    step: usize,
    constraints: Constraints,
    groups: Vec<Readings>,
}

/// One moment of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedState {
    /// In s, from 0.
    pub time: f64,
    /// Configuration, nq entries.
    pub q: Vec<f64>,
    /// Velocity, nv entries.
    pub v: Vec<f64>,
    /// The system's inputs: what is known, and readings with errors.
    pub inputs: Vec<f64>,
    /// The true unknowns.
    pub unknowns: Vec<f64>,
}

/// How inputs follow from the rows that they stand in.
struct Readings {
    rows: Range<usize>,
    inputs: Range<usize>,
    /// The smallest inputs that satisfy the rows.
    inverse: DMatrix<f64>,
    /// Of the errors: a root of their covariance.
    root: Option<DMatrix<f64>>,
}

/// Rows that hold without readings, and the matrix of the least unknowns that satisfy them.
struct Constraints {
    rows: Vec<usize>,
    /// Columns of external forces with what they are wished to be, times what they may cost.
    pushes: Vec<(usize, f64)>,
    matrix: Arc<Sparsity>,
    solver: GeneralLu,
    /// Where the numbers of the matrix come from.
    entries: Vec<Entry>,
    memory: AssemblyMemory<f64>,
    values: Vec<f64>,
    right: Vec<f64>,
}

#[derive(Clone, Copy)]
enum Entry {
    Constant(f64),
    /// An entry of the system's matrix.
    Of(usize),
}

impl<'a> SensorSimulation<'a> {
    /// Between two moments, in s.
    pub const STEP: f64 = 0.02;

    /// A simulation at its beginning. The same seed gives the same numbers.
    ///
    /// # Errors
    /// [`SensorSimulationError`] for a sensor whose error is none, and for loops that close near no
    /// configuration that is known.
    pub fn new(system: &'a System, seed: u64) -> Result<Self, SensorSimulationError> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut waves: Vec<[f64; 3]> = (0..system.model().nv())
            .map(|_| {
                // Amplitude, rate and phase.
                [0.1..0.4, 1.0..3.0, 0.0..TAU].map(|range| random.random_range(range))
            })
            .collect();
        let feet = feet(system);
        let mut states = ClosedStates::new(system);
        let q = begin(system.model(), &mut states, &mut waves, !feet.is_empty())?;
        let pushes = pushes(system, &feet, &q)?;
        let equations = system.equations();
        let mut groups = Vec::new();
        for known in (0..system.problem().knowns().len()).map(KnownId) {
            let (rows, inputs) = (equations.known(known), system.known_inputs(known));
            groups.extend(Readings::new(system, rows, inputs, None));
        }
        for (k, sensor) in system.problem().sensors().iter().enumerate() {
            let id = SensorId(k);
            let (rows, inputs) = (equations.sensor(id), system.sensor_inputs(id));
            // The errors of a contact, which has no readings, are those of its rows.
            let covariance = match inputs.len() {
                0 => None,
                count => readings_covariance(sensor, count)?,
            };
            groups.extend(Readings::new(system, rows, inputs, covariance));
        }
        Ok(Self {
            constraints: Constraints::new(system, pushes)?,
            q,
            states,
            normal: Normal::standard(),
            step: 0,
            system,
            random,
            waves,
            groups,
        })
    }

    /// The present moment; the next call gives the next one.
    ///
    /// # Errors
    /// [`SensorSimulationError`].
    pub fn advance(&mut self) -> Result<SimulatedState, SensorSimulationError> {
        let time = self.step as f64 * Self::STEP;
        let mut v = self.velocity(time);
        self.states.project(&self.q, &mut v)?;
        let acceleration = |&[amplitude, rate, phase]: &[f64; 3]| {
            -amplitude * rate * rate * (rate * time + phase).sin()
        };
        let wished: Vec<f64> = self.waves.iter().map(acceleration).collect();
        let unknowns = self
            .constraints
            .satisfy(self.system, &self.q, &v, &wished)?;
        let mut inputs = vec![0.0; self.system.input_count()];
        let Constraints { values, right, .. } = &self.constraints;
        let left = self.system.sparsity().times(values, &unknowns);
        let needed = DVector::from(left) - DVector::from_column_slice(right);
        for group in &self.groups {
            let rows = &group.rows;
            let mut readings = &group.inverse * needed.rows(rows.start, rows.len());
            if let Some(root) = &group.root {
                let errors = (0..root.ncols()).map(|_| {
                    let share = self.random.random_range(f64::MIN_POSITIVE..1.0);
                    self.normal.inverse_cdf(share)
                });
                readings += root * DVector::from_iterator(root.ncols(), errors);
            }
            inputs[group.inputs.clone()].copy_from_slice(readings.as_slice());
        }
        let mut halfway = self.velocity(time + 0.5 * Self::STEP);
        self.states.project(&self.q, &mut halfway)?;
        let way: Vec<f64> = halfway.iter().map(|rate| rate * Self::STEP).collect();
        let mut next = self.system.model().integrate(&self.q, &way)?;
        self.states.close(&mut next)?;
        self.step += 1;
        Ok(SimulatedState {
            time,
            q: std::mem::replace(&mut self.q, next),
            v,
            inputs,
            unknowns,
        })
    }

    fn velocity(&self, time: f64) -> Vec<f64> {
        let rate =
            |&[amplitude, rate, phase]: &[f64; 3]| amplitude * rate * (rate * time + phase).cos();
        self.waves.iter().map(rate).collect()
    }
}

/// The bodies that a robot on a free base stands on, each with the frame of its contact.
fn feet(system: &System) -> Vec<(JointId, FrameId)> {
    let model = system.model();
    let mut feet = Vec::new();
    if free_base(model).next().is_none() {
        return feet;
    }
    for sensor in system.problem().sensors() {
        if let SensorKind::LoadCells { frame, .. } | SensorKind::Contact { frame, .. } = sensor.kind
            && let joint = model.frame(frame).joint
            && let WrenchBasis::Frame(contact) = system.wrench_basis(joint)
            && !feet.contains(&(joint, contact))
        {
            feet.push((joint, contact));
        }
    }
    feet
}

/// Where a robot begins: each coordinate where its wave has it, about a reference configuration or
/// the neutral one. Where it stands, the waves become small, and those of its base vanish.
fn begin(
    model: &Model,
    states: &mut ClosedStates<'_>,
    waves: &mut [[f64; 3]],
    stands: bool,
) -> Result<Vec<f64>, SensorSimulationError> {
    let mut shares = vec![if stands { STANDING } else { 1.0 }; waves.len()];
    for base in free_base(model).filter(|_| stands) {
        let first = model.joint(base).idx_v;
        shares[first..first + 6].fill(0.0);
    }
    let named = POSTURES.iter().find_map(|posture| {
        let mut references = model.reference_configurations().iter();
        references.find(|(name, _)| name.to_lowercase().replace(['-', ' '], "_") == *posture)
    });
    // Small waves leave straight joints almost straight.
    let least = if named.is_some() { 0.0 } else { BENT };
    let mut bend = Vec::with_capacity(waves.len());
    for ([amplitude, _, phase], share) in waves.iter_mut().zip(shares) {
        let own = if share > 0.0 { share.max(least) } else { 0.0 };
        bend.push(own * *amplitude * phase.sin());
        *amplitude *= share;
    }
    let centre = named.map_or_else(|| model.neutral_configuration(), |(_, q)| q.clone());
    let mut q = model.integrate(&centre, &bend)?;
    for joint in model.joints() {
        if (joint.nq, joint.nv) == (1, 1) && joint.mimic.is_none() {
            let own = &mut q[joint.idx_q];
            *own = own.max(joint.limits.lower[0]).min(joint.limits.upper[0]);
        }
    }
    match states.close(&mut q) {
        Ok(()) => Ok(q),
        Err(_) => Ok(states.any()?),
    }
}

/// The weight, shared by the feet along their normals, times what external forces may cost.
fn pushes(
    system: &System,
    feet: &[(JointId, FrameId)],
    q: &[f64],
) -> Result<Vec<(usize, f64)>, SensorSimulationError> {
    let model = system.model();
    let mut workspace = Workspace::recursive(model);
    let placed = model.forward_kinematics(&mut workspace, q)?;
    let push = |&(joint, contact): &(JointId, FrameId)| {
        let normal = placed.placement(contact).rotation.z;
        let push = -normal.dot(model.gravity()) * model.total_mass() / feet.len() as f64;
        let along_normal = system.unknowns().external_force(joint).start + 2;
        (along_normal, FOOT_WEIGHT * push)
    };
    Ok(feet.iter().map(push).collect())
}

impl Readings {
    fn new(
        system: &System,
        rows: Range<usize>,
        inputs: Range<usize>,
        covariance: Option<DMatrix<f64>>,
    ) -> Option<Self> {
        if inputs.is_empty() {
            return None;
        }
        let matrix = DMatrix::from_fn(rows.len(), inputs.len(), |row, input| {
            system.input_coefficient(rows.start + row, inputs.start + input)
        });
        let eigen = covariance.map(DMatrix::symmetric_eigen);
        let inverse = matrix.clone().pseudo_inverse(1e-12 * matrix.amax());
        Some(Self {
            // It fails for a negative tolerance alone.
            inverse: inverse.ok()?,
            root: eigen.map(|eigen| {
                let roots = eigen.eigenvalues.map(|value| value.max(0.0).sqrt());
                eigen.eigenvectors * DMatrix::from_diagonal(&roots)
            }),
            rows,
            inputs,
        })
    }
}

impl Constraints {
    fn new(system: &System, pushes: Vec<(usize, f64)>) -> Result<Self, SensorSimulationError> {
        let (pattern, unknowns) = (system.sparsity(), system.unknowns());
        let n = pattern.columns();
        let has_no_input = |row: &usize| match system.equations().at(*row) {
            Some(Equation::Known { known, .. }) => system.known_inputs(known).is_empty(),
            Some(Equation::Sensor { sensor, .. }) => system.sensor_inputs(sensor).is_empty(),
            _ => true,
        };
        let rows: Vec<usize> = (0..pattern.rows()).filter(has_no_input).collect();
        let mut entries = Vec::new();
        for joint in system.model().joint_ids() {
            let forces = unknowns.external_force(joint);
            let is_foot = pushes.iter().any(|(column, _)| forces.contains(column));
            let (force, moment) = match is_foot {
                true => (FOOT_WEIGHT, FOOT_MOMENT_WEIGHT),
                false => (FORCE_WEIGHT, FORCE_WEIGHT),
            };
            let weights = [force, force, force, moment, moment, moment];
            let weighted = forces.zip(weights);
            entries.extend(weighted.map(|(k, weight)| (k, k, Entry::Constant(weight))));
        }
        // Of forces in joints and loops, which may stand for each other, the smallest.
        let loops = unknowns.loops().iter();
        let mut forces: Vec<usize> = loops
            .flat_map(|&joint| unknowns.loop_force(joint))
            .collect();
        if !forces.is_empty() {
            forces.extend(unknowns.joint_forces());
        }
        let weight = Entry::Constant(FORCE_WEIGHT);
        entries.extend(forces.into_iter().map(|k| (k, k, weight)));
        let accelerations = unknowns.joint_accelerations();
        entries.extend(accelerations.map(|k| (k, k, Entry::Constant(1.0))));
        for (k, &row) in rows.iter().enumerate() {
            let multiplier = n + k;
            entries.push((multiplier, multiplier, Entry::Constant(-SLACK)));
            for slot in pattern.row_range(row) {
                let column = pattern.indices()[slot];
                entries.push((multiplier, column, Entry::Of(slot)));
                entries.push((column, multiplier, Entry::Of(slot)));
            }
        }
        entries.sort_by_key(|&(row, column, _)| (row, column));
        let size = n + rows.len();
        let places = entries.iter().map(|&(row, column, _)| (row, column));
        let matrix = Sparsity::new(size, size, places).map_err(SystemError::Pattern)?;
        let matrix = Arc::new(matrix);
        Ok(Self {
            solver: GeneralLu::new(matrix.clone())?,
            matrix,
            entries: entries.into_iter().map(|(_, _, entry)| entry).collect(),
            memory: AssemblyMemory::new(system),
            values: vec![0.0; pattern.entries()],
            right: vec![0.0; pattern.rows()],
            rows,
            pushes,
        })
    }

    /// The unknowns that satisfy the constraints, next to the wished accelerations and to the
    /// pushes on feet, and to no other external forces: the stationary point of the Lagrangian.
    fn satisfy(
        &mut self,
        system: &System,
        q: &[f64],
        v: &[f64],
        wished: &[f64],
    ) -> Result<Vec<f64>, SensorSimulationError> {
        let nothing = vec![0.0; system.input_count()];
        let (values, right) = (&mut self.values, &mut self.right);
        system.assemble_closed(&mut self.memory, q, v, &nothing, values, right)?;
        let entries = self.entries.iter().map(|entry| match *entry {
            Entry::Constant(value) => value,
            Entry::Of(slot) => self.values[slot],
        });
        let entries: Vec<f64> = entries.collect();
        let n = system.unknowns().count();
        let mut known = vec![0.0; n + self.rows.len()];
        known[system.unknowns().joint_accelerations()].copy_from_slice(wished);
        for &(column, push) in &self.pushes {
            known[column] += push;
        }
        for (value, &row) in known[n..].iter_mut().zip(&self.rows) {
            *value = self.right[row];
        }
        let mut solution = vec![0.0; known.len()];
        self.solver.solve(&entries, &known, &mut solution)?;
        let mut step = vec![0.0; known.len()];
        for _ in 0..CORRECTIONS {
            let rest = self.rest(&entries, &known, &solution);
            self.solver.solve(&entries, &rest, &mut step)?;
            for (value, step) in solution.iter_mut().zip(&step) {
                *value += step;
            }
        }
        solution.truncate(n);
        Ok(solution)
    }

    /// The residual of the equations without slack.
    fn rest(&self, entries: &[f64], known: &[f64], solution: &[f64]) -> Vec<f64> {
        let left = self.matrix.times(entries, solution);
        let mut rest: Vec<f64> = known
            .iter()
            .zip(left)
            .map(|(known, left)| known - left)
            .collect();
        for multiplier in known.len() - self.rows.len()..known.len() {
            rest[multiplier] -= SLACK * solution[multiplier];
        }
        rest
    }
}
