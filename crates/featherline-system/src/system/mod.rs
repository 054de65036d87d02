//! The sparse linear system of a problem.

mod assemble;
mod body;
mod closed;
mod closing;
mod equation;
mod input;
mod measurement;
mod solution;
mod switches;

pub(crate) use closed::ClosedStates;
pub use equation::{Equation, Equations};
pub use input::InputGroup;
pub use solution::Solution;
pub use switches::Switches;

use crate::error::SystemError;
use crate::problem::{KnownId, Problem, SensorId, WrenchBasis};
use crate::unknown::Unknowns;
use assemble::{Assemble, Entries, Fill, OUTSIDE};
use body::{Body, bodies};
use closing::{Closing, closings};
use featherline::kernel;
use featherline::kernel::dispatch;
use featherline::model::JointId;
use featherline::scalar::Scalar;
use featherline::spatial::Se3;
use featherline::{Model, Workspace};
use featherline_compile::{Graph, Trace};
use featherline_constraint::LoopWorkspace;
use featherline_sparse::Sparsity;
use measurement::{MeasuredRow, Rows};
use std::any::{Any, TypeId};
use std::ops::Range;
use std::sync::Arc;

/// A coefficient may be rounding of its row's largest, some 10⁻¹⁵ of it, and equations may disagree
/// by 10⁻⁹ of the numbers that they are made of: these are judged as if no coefficient were less
/// than this share of the largest.
pub(crate) const LEAST_SHARE: f64 = 1e-5;

/// A robot's equations with what is known, as one sparse linear system D y = b.
///
/// The dynamics of Nori (*Inverse, forward and other dynamic computations computationally optimized
/// with sparse matrix factorizations*, 2017, equation 6), made square by what is known (his
/// equations 8, 15 and 17). He writes D d + b = 0: his D is the same, his b is −b here.
///
/// * aᵢ = ᵢXλ aλ + Sᵢ q̈ᵢ + cᵢ, where the universe accelerates against gravity,
/// * fᵢ = Iᵢ aᵢ + νᵢ − fᵢˣ + Σ ᵢX*ⱼ fⱼ over the children j,
/// * τ = Σ Sᵢᵀ fᵢ + armature · q̈ − passive forces, over the joint that owns the coordinate and
///   those that follow it,
/// * known quantities, and measurements.
///
/// A joint that closes a loop between a predecessor p and a successor s adds its force f, which
/// acts on s and is transmitted by p, and the acceleration q̈ along its degrees of freedom, with as
/// many equations, in its output frame (Featherstone 2008, section 8.2):
///
/// * aₛ = X aₚ + S q̈ + c,
/// * Sᵀ f = 0, for it has no drive.
///
/// S and c follow from the state, which has to fit the loops
/// ([`assemble`](featherline_constraint::assemble),
/// [`project_velocity`](featherline_constraint::project_velocity);
/// [`check_loops`](Self::check_loops) tells). Where constraints of loop constraints are redundant,
/// as in every planar linkage, components of their forces are not determined, and the matrix is
/// singular: [`Determined`](crate::Determined) solves for all others.
///
/// Six-vectors are \[linear; angular\] in the kernels' link frames
/// ([`link_kinematics`](featherline::kernel::link_kinematics)). The pattern holds what may differ
/// from zero in some state: it follows from the constants of the robot, not from samples.
///
/// ```
/// use featherline::samples;
/// use featherline_system::{AssemblyMemory, Problem, System};
///
/// let system = System::new(Problem::inverse_dynamics(samples::double_pendulum()))?;
/// let mut memory = AssemblyMemory::<f64>::new(&system);
/// let mut values = vec![0.0; system.sparsity().entries()];
/// let mut rhs = vec![0.0; system.sparsity().rows()];
/// let (q, v, accelerations) = ([0.3, -0.2], [0.1, 0.4], [1.0, 2.0]);
/// system.assemble(&mut memory, &q, &v, &accelerations, &mut values, &mut rhs)?;
/// assert_eq!(system.sparsity().rows(), 2 * 18 + 2 * 2);
/// # Ok::<(), featherline_system::SystemError>(())
/// ```
#[derive(Clone, Debug)]
pub struct System {
    problem: Problem,
    bodies: Vec<Body>,
    closings: Vec<Closing>,
    unknowns: Unknowns,
    equations: Equations,
    rows: Vec<MeasuredRow>,
    inputs: usize,
    known_inputs: Vec<usize>,
    sensor_inputs: Vec<usize>,
    sparsity: Arc<Sparsity>,
    slots: Vec<u32>,
    /// The check of a state against the loops, to be copied; none where there are no loops.
    pub(crate) loops: Option<Arc<LoopWorkspace>>,
}

/// The memory that assembling writes to besides its results: made once for a system, used for every
/// state.
#[derive(Clone, Debug)]
pub struct AssemblyMemory<S: Scalar> {
    workspace: Workspace<S>,
    world: Vec<Se3<S>>,
    fit: Option<Fit>,
}

impl<S: Scalar> AssemblyMemory<S> {
    /// The memory for a system.
    pub fn new(system: &System) -> Self {
        Self {
            fit: Fit::new::<S>(system),
            ..Self::of(&system.problem.model)
        }
    }

    /// The memory for states that are known to fit the loops, or need not.
    pub(crate) fn of(model: &Model) -> Self {
        Self {
            workspace: Workspace::recursive(model),
            world: vec![Se3::identity(); model.joints().len()],
            fit: None,
        }
    }
}

/// The check of a state in doubles against the loops.
#[derive(Clone, Debug)]
struct Fit {
    loops: LoopWorkspace,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Fit {
    /// None for other scalars, and where there are no loops.
    fn new<S: Scalar>(system: &System) -> Option<Self> {
        if TypeId::of::<S>() != TypeId::of::<f64>() {
            return None;
        }
        Some(Self {
            loops: system.loop_workspace()?,
            q: vec![0.0; system.model().nq()],
            v: vec![0.0; system.model().nv()],
        })
    }

    fn check<S: Scalar>(&mut self, system: &System, q: &[S], v: &[S]) -> Result<(), SystemError> {
        for (numbers, given) in [(&mut self.q, q), (&mut self.v, v)] {
            for (number, given) in numbers.iter_mut().zip(given) {
                let double: Option<&f64> = (given as &dyn Any).downcast_ref();
                *number = double.copied().unwrap_or(f64::NAN);
            }
        }
        system.check_loops(&mut self.loops, &self.q, &self.v)
    }
}

/// Notes all entries, with where they are.
#[derive(Default)]
struct Record {
    entries: Vec<(usize, usize, Trace)>,
}

impl Entries<Trace> for Record {
    fn put(&mut self, row: usize, column: usize, value: Trace) {
        self.entries.push((row, column, value));
    }
}

impl System {
    /// The system of a problem. Cost O(n log n).
    ///
    /// # Errors
    /// [`SystemError::LoopKind`] if a composite joint of several parts closes a loop that is not
    /// [cut](Problem::with_loops_cut), [`SystemError::Loops`] if its motions depend on each other,
    /// [`SystemError::LoopIsCut`] if something of a cut loop is measured, and
    /// [`SystemError::Dynamics`] if the neutral configuration has no finite kinematics.
    pub fn new(problem: Problem) -> Result<Self, SystemError> {
        let closings = closings(&problem)?;
        let loops = match closings.is_empty() {
            true => None,
            false => Some(Arc::new(LoopWorkspace::new(&problem.model)?)),
        };
        let unknowns = if problem.loops_cut {
            Unknowns::of_tree(&problem.model)
        } else {
            Unknowns::new(&problem.model)
        };
        let bodies = bodies(&problem);
        let mut equations = Equations {
            joints: problem.model.joint_ids().collect(),
            nv: problem.model.nv(),
            loops: unknowns.loops().to_vec(),
            freedoms: unknowns.freedoms.clone(),
            knowns: Vec::new(),
            sensors: Vec::new(),
        };
        let mut rows = Rows {
            problem: &problem,
            bodies: &bodies,
            unknowns: &unknowns,
            inputs: 0,
            rows: Vec::new(),
        };
        let first = equations.dynamics().end;
        let (mut knowns, mut known_inputs) = (vec![first], vec![0]);
        for &(known, given) in &problem.knowns {
            rows.add_known(known, given);
            knowns.push(first + rows.rows.len());
            known_inputs.push(rows.inputs);
        }
        let mut sensors = vec![first + rows.rows.len()];
        let mut sensor_inputs = vec![rows.inputs];
        for sensor in &problem.sensors {
            rows.add_sensor(sensor)?;
            sensors.push(first + rows.rows.len());
            sensor_inputs.push(rows.inputs);
        }
        let (rows, inputs) = (rows.rows, rows.inputs);
        (equations.knowns, equations.sensors) = (knowns, sensors);
        let mut system = Self {
            bodies,
            closings,
            unknowns,
            equations,
            rows,
            inputs,
            known_inputs,
            sensor_inputs,
            sparsity: Arc::new(Sparsity::new(0, 0, [])?),
            slots: Vec::new(),
            loops,
            problem,
        };
        system.find_pattern()?;
        Ok(system)
    }

    /// Traces the assembly, and keeps what is not zero whatever the state.
    fn find_pattern(&mut self) -> Result<(), SystemError> {
        let width = self.model().nq() + self.model().nv() + self.inputs;
        let mut entries = Vec::new();
        Graph::try_record(width, |state| {
            entries = self.record(self.split(state))?.0.entries;
            Ok::<_, SystemError>(Vec::new())
        })?;
        let kept = entries.iter().filter(|(.., value)| !value.is_zero());
        let kept = kept.map(|&(row, column, _)| (row, column));
        let sparsity = Sparsity::new(self.equations.count(), self.unknowns.count(), kept)
            .map_err(SystemError::Pattern)?;
        let slot =
            |&(row, column, value): &(usize, usize, Trace)| match sparsity.position(row, column) {
                Some(position) if !value.is_zero() => position as u32,
                _ => OUTSIDE,
            };
        self.slots = entries.iter().map(slot).collect();
        self.sparsity = Arc::new(sparsity);
        Ok(())
    }

    /// All entries that are put for a state that is being traced, and the right-hand side.
    fn record(&self, [q, v, inputs]: [&[Trace]; 3]) -> Result<(Record, Vec<Trace>), SystemError> {
        let mut memory = AssemblyMemory::of(self.model());
        let (mut record, mut right) = (
            Record::default(),
            vec![Trace::zero(); self.equations.count()],
        );
        self.run(&mut memory, q, v, inputs, &mut right, &mut record)?;
        Ok((record, right))
    }

    /// [`assembled`](Self::assembled) for a state that is being traced, whether or not it fits the
    /// loops.
    pub(crate) fn traced(
        &self,
        state: [&[Trace]; 3],
    ) -> Result<(Vec<Trace>, Vec<Trace>), SystemError> {
        let (record, right) = self.record(state)?;
        let mut values = vec![Trace::zero(); self.sparsity.entries()];
        for (&slot, &(.., value)) in self.slots.iter().zip(&record.entries) {
            if slot != OUTSIDE {
                values[slot as usize] = value;
            }
        }
        Ok((values, right))
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The robot.
    pub fn model(&self) -> &Model {
        &self.problem.model
    }

    /// The unknowns of the columns.
    pub fn unknowns(&self) -> &Unknowns {
        &self.unknowns
    }

    /// The equations of the rows.
    pub fn equations(&self) -> &Equations {
        &self.equations
    }

    /// The coordinates in which the external force on a body is written.
    ///
    /// # Panics
    /// If the model has no such joint.
    pub fn wrench_basis(&self, joint: JointId) -> WrenchBasis {
        self.bodies[joint.index()].basis
    }

    /// Which entries may differ from zero in some state.
    pub fn sparsity(&self) -> &Arc<Sparsity> {
        &self.sparsity
    }

    /// How many inputs there are.
    pub fn input_count(&self) -> usize {
        self.inputs
    }

    /// The inputs of a known quantity: one for each scalar, none if it is zero.
    ///
    /// # Panics
    /// If the problem has no such known.
    pub fn known_inputs(&self, known: KnownId) -> Range<usize> {
        self.known_inputs[known.index()]..self.known_inputs[known.index() + 1]
    }

    /// The inputs of a sensor: one for each reading.
    ///
    /// # Panics
    /// If the problem has no such sensor.
    pub fn sensor_inputs(&self, sensor: SensorId) -> Range<usize> {
        self.sensor_inputs[sensor.index()]..self.sensor_inputs[sensor.index() + 1]
    }

    /// The variance of a row's right-hand side; none for what is exact: dynamics, knowns, exact
    /// sensors. The errors of different rows are independent: a sensor whose readings have a common
    /// error is rewritten as rows without one.
    ///
    /// # Panics
    /// If the system has no such row.
    pub fn variance(&self, row: usize) -> Option<f64> {
        let dynamics = self.equations.dynamics().end;
        assert!(row < self.equations.count(), "the system has no row {row}");
        row.checked_sub(dynamics)
            .and_then(|k| self.rows[k].variance)
    }

    /// The derivative of a row's right-hand side by an input.
    pub(crate) fn input_coefficient(&self, row: usize, input: usize) -> f64 {
        let Some(k) = row.checked_sub(self.equations.dynamics().end) else {
            return 0.0;
        };
        let terms = self.rows[k].inputs.iter();
        terms
            .filter(|term| term.0 == input)
            .map(|term| term.1)
            .sum()
    }

    /// The largest number that a row's right-hand side is made of, of inputs; where rounding may be
    /// all of a coefficient, of what was rounded.
    pub(crate) fn input_size(&self, row: usize, inputs: &[f64]) -> f64 {
        let Some(k) = row.checked_sub(self.equations.dynamics().end) else {
            return 0.0;
        };
        let terms = self.rows[k].inputs.iter();
        let largest = terms.clone().map(|term| term.1.abs());
        let least = LEAST_SHARE * largest.fold(0.0, f64::max);
        terms.fold(0.0, |size, &(input, factor)| {
            size.max(factor.abs().max(least) * inputs[input].abs())
        })
    }

    /// The numbers of D and b of D y = b in a state. The b of Nori 2017 has the other sign: with
    /// his D d + b = 0, what is known of an unknown stands in b as −y, here as it is.
    ///
    /// `q` has nq entries, `v` nv, `inputs` [`input_count`](Self::input_count); `values` receives
    /// the entries of D in the order of the [pattern](Self::sparsity), `rhs` one number for each
    /// row. Nothing is allocated. Cost O(n + lengths of the loops).
    ///
    /// Where there are loops, the state has to fit them, which is found out of one in `f64`. Other
    /// scalars are taken as they are: [`check_loops`](Self::check_loops) tells for their values.
    ///
    /// # Errors
    /// [`SystemError::Size`], [`SystemError::NotFinite`] for an input, [`SystemError::OpenLoops`],
    /// and [`SystemError::Dynamics`] for a state that has no finite kinematics or equations.
    pub fn assemble<S: Scalar>(
        &self,
        memory: &mut AssemblyMemory<S>,
        q: &[S],
        v: &[S],
        inputs: &[S],
        values: &mut [S],
        rhs: &mut [S],
    ) -> Result<(), SystemError> {
        self.assemble_closed(memory, q, v, inputs, values, rhs)?;
        match &mut memory.fit {
            Some(fit) => fit.check(self, q, v),
            None => Ok(()),
        }
    }

    /// D and b in a state, q, v and inputs, as [`assemble`](Self::assemble) writes them.
    ///
    /// # Errors
    /// As [`assemble`](Self::assemble).
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::{AssemblyMemory, Problem, SparseMatrix, System};
    ///
    /// let system = System::new(Problem::inverse_dynamics(samples::double_pendulum()))?;
    /// let state = system.split(&[0.3, -0.2, 0.1, 0.2, 1.0, 0.5]);
    /// let (values, right) = system.assembled(&mut AssemblyMemory::new(&system), state)?;
    /// let d = SparseMatrix::new(system.sparsity().clone(), values)?;
    /// assert_eq!((d.values().len(), right.len()), (system.sparsity().entries(), 40));
    /// # Ok::<(), featherline_system::SystemError>(())
    /// ```
    pub fn assembled<S: Scalar>(
        &self,
        memory: &mut AssemblyMemory<S>,
        [q, v, inputs]: [&[S]; 3],
    ) -> Result<(Vec<S>, Vec<S>), SystemError> {
        let mut values = vec![S::zero(); self.sparsity.entries()];
        let mut right = vec![S::zero(); self.sparsity.rows()];
        self.assemble(memory, q, v, inputs, &mut values, &mut right)?;
        Ok((values, right))
    }

    /// q, v and the inputs of a state, in which they stand one after the other.
    ///
    /// # Panics
    /// If the state has fewer than nq + nv numbers.
    pub fn split<'a, S>(&self, state: &'a [S]) -> [&'a [S]; 3] {
        let (q, rest) = state.split_at(self.model().nq());
        let (v, inputs) = rest.split_at(self.model().nv());
        [q, v, inputs]
    }

    /// [`assemble`](Self::assemble) of a state that is known to fit the loops, or need not.
    pub(crate) fn assemble_closed<S: Scalar>(
        &self,
        memory: &mut AssemblyMemory<S>,
        q: &[S],
        v: &[S],
        inputs: &[S],
        values: &mut [S],
        rhs: &mut [S],
    ) -> Result<(), SystemError> {
        check_size("inputs", self.inputs, inputs.len())?;
        check_size("values", self.sparsity.entries(), values.len())?;
        check_size("the right-hand side", self.sparsity.rows(), rhs.len())?;
        if let Some(index) = inputs.iter().position(|input| !input.is_finite()) {
            return Err(SystemError::NotFinite {
                what: "inputs",
                index,
            });
        }
        let mut fill = Fill {
            slots: &self.slots,
            next: 0,
            values,
        };
        self.run(memory, q, v, inputs, rhs, &mut fill)?;
        let mut finite = true;
        for number in values.iter().chain(rhs.iter()) {
            finite &= number.is_finite();
        }
        if finite {
            Ok(())
        } else {
            let what = "the system of equations";
            Err(featherline::Error::Overflow { what }.into())
        }
    }

    fn run<S: Scalar>(
        &self,
        memory: &mut AssemblyMemory<S>,
        q: &[S],
        v: &[S],
        inputs: &[S],
        rhs: &mut [S],
        entries: &mut impl Entries<S>,
    ) -> Result<(), SystemError> {
        let model = &self.problem.model;
        check_size("the memory", model.joints().len(), memory.world.len())?;
        let forces = &mut rhs[self.equations.joint_forces()];
        if self.problem.passive {
            forces.copy_from_slice(model.passive_forces(&mut memory.workspace, q, v)?);
        } else {
            forces.fill(S::zero());
        }
        let links = kernel::link_kinematics(model, &mut memory.workspace, q, v)?;
        dispatch(Assemble {
            bodies: &self.bodies,
            closings: &self.closings,
            unknowns: &self.unknowns,
            equations: &self.equations,
            armature: kernel::reflected_inertias(model),
            rows: &self.rows,
            gravity: model.gravity(),
            mass: model.total_mass(),
            links,
            world: &mut memory.world,
            inputs,
            rhs,
            entries,
        });
        Ok(())
    }
}

/// Fails unless a slice has the length that the system needs.
pub(crate) fn check_size(
    what: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), SystemError> {
    if expected == found {
        Ok(())
    } else {
        Err(SystemError::Size {
            what,
            expected,
            found,
        })
    }
}
