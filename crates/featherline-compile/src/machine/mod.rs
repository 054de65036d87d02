//! Programs as machine code.

mod phases;
#[cfg(not(target_arch = "x86_64"))]
mod unsupported;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use crate::error::{ProgramError, check_size, count_states};
use crate::program::Program;
use crate::quantity::Port;
use featherline::batch::{BatchStatus, Block, Precision};
use featherline::scalar::InstructionSet;
use phases::{Phase, Phases};
use std::sync::Arc;
#[cfg(not(target_arch = "x86_64"))]
use unsupported::{Executable, assemble, broadcasts};
#[cfg(target_arch = "x86_64")]
use x86_64::{Executable, assemble, broadcasts};

/// The most states that share a register.
const MOST_LANES: usize = 16;

/// A program as instructions of this processor, with the memory to run it; one for each thread.
///
/// Nothing is left of the model but arithmetic: no loop over joints, no index, no choice by their
/// kinds, and the robot's constants are where the instructions find them. Values stay in registers
/// as far as these reach. An instruction works on as many states as a register holds: 8 doubles or
/// 16 singles with AVX-512, half as many with AVX2; or on one state, for a control loop. A clone
/// shares the code, and has memory of its own.
///
/// In double precision the results are those of an [`Interpreter`](crate::Interpreter), to the last
/// bit.
///
/// ```
/// use featherline::batch::BatchStatus;
/// use featherline::{quantity, samples};
/// use featherline_compile::{ProgramError, MachineCode, Options, Program, Quantity};
///
/// let model = samples::double_pendulum();
/// let rnea = Quantity::of(quantity::Rnea).trace(&model)?;
/// let program = Program::new(&rnea, &Options { fuse: true });
/// let mut code = match MachineCode::<f64>::new(&program) {
///     Err(ProgramError::NoMachineCode { .. }) => return Ok(()), // not on this processor
///     other => other?,
/// };
/// // Three states of two joints each, one row after the other.
/// let q = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
/// let (v, a) = ([0.0; 6], [1.0; 6]);
/// let (mut tau, mut status) = ([0.0; 6], [BatchStatus::default(); 3]);
/// let failed = code.run(&[&q, &v, &a], &mut [&mut tau], &mut status)?;
///
/// assert_eq!(failed, 0);
/// # let mut ws = featherline::Workspace::new(&model);
/// # let expected = model.rnea(&mut ws, &q[4..], &v[4..], &a[4..])?;
/// # assert!((tau[5] - expected[1]).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MachineCode<T: Precision> {
    code: Arc<Code<T>>,
    block: Block<T>,
}

/// State shared by all clones.
#[derive(Debug)]
struct Code<T> {
    executable: Executable,
    constants: Vec<T>,
    phases: Vec<Phase>,
    inputs: Vec<Port>,
    /// The number in the block of each entry of each output.
    outputs: Vec<Vec<u32>>,
    /// The same of all outputs, one after the other.
    places: Vec<u32>,
    /// The numbers of all inputs and outputs, each once.
    given: Vec<u32>,
}

impl<T: Precision> MachineCode<T> {
    /// Code for as many states at once as share a register of the [instruction set](InstructionSet)
    /// in use.
    ///
    /// Cost: O(n) in the number of instructions, less than a microsecond each.
    ///
    /// # Errors
    /// [`ProgramError::NoMachineCode`] unless the processor is an x86-64 with AVX2 and FMA, these
    /// are in use, and the system lets memory be executed; [`ProgramError::Invalid`] if inputs and
    /// outputs are not those of the instructions.
    pub fn new(program: &Program) -> Result<Self, ProgramError> {
        match InstructionSet::in_use() {
            InstructionSet::Baseline => Err(no_instructions()),
            set @ (InstructionSet::Avx2 | InstructionSet::Avx512) => {
                Self::with_lanes_of(set, program)
            }
        }
    }

    /// Code for one state at once: the fastest for a single one.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// ```
    /// # use featherline::batch::BatchStatus;
    /// # use featherline::{quantity, samples};
    /// # use featherline_compile::{ProgramError, MachineCode, Options, Program, Quantity};
    /// let gravity = Quantity::of(quantity::GravityTorque);
    /// let gravity = gravity.trace(&samples::double_pendulum())?;
    /// let program = Program::new(&gravity, &Options { fuse: true });
    /// let mut tau = [0.0; 2];
    /// match MachineCode::<f64>::for_one_state(&program) {
    ///     Err(ProgramError::NoMachineCode { .. }) => {} // not on this processor
    ///     code => assert_eq!(code?.run(&[&[0.0, 0.0]], &mut [&mut tau], &mut [BatchStatus::Solved])?, 0),
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn for_one_state(program: &Program) -> Result<Self, ProgramError> {
        Self::with_lanes_of(InstructionSet::Baseline, program)
    }

    /// Code for as many states at once as share a register of an instruction set, for tests and
    /// measurements of narrower processors on a wider one; the [baseline](InstructionSet::Baseline)
    /// stands for one state.
    ///
    /// # Errors
    /// As [`new`](Self::new), also if the processor lacks the set.
    pub fn with_lanes_of(set: InstructionSet, program: &Program) -> Result<Self, ProgramError> {
        program.validate()?;
        let mut constants: Vec<T> = program.constants.iter().map(|&x| T::constant(x)).collect();
        // Its one bit is the sign.
        constants.push(T::constant(-0.0));
        let mut phases = Phases::of(program, broadcasts(set));
        let executable = assemble(&mut phases, &constants, set)?;
        let mut block = Block::new(phases.numbers as usize, set);
        for &(number, value) in &phases.constants {
            block.fill(number as usize, value);
        }
        // A result need not depend on every input, nor be NaN where one is.
        let mut given: Vec<u32> = (0..program.input_count).collect();
        given.extend(&phases.outputs);
        given.sort_unstable();
        given.dedup();
        Ok(Self {
            code: Arc::new(Code {
                executable,
                constants,
                inputs: program.inputs.clone(),
                outputs: by_port(&program.outputs, &phases.outputs),
                places: phases.outputs,
                phases: phases.phases,
                given,
            }),
            block,
        })
    }

    /// How many states share a register.
    pub fn lanes(&self) -> usize {
        self.block.lanes()
    }

    /// How many bytes of instructions there are.
    pub fn code_bytes(&self) -> usize {
        self.code.executable.len()
    }

    /// Runs the program for as many states as `status` has entries. For each of the program's
    /// [inputs](Program::inputs) and [outputs](Program::outputs) there is an array of rows, one
    /// state after the other. Returns how many states have no result; their rows are NaN, and their
    /// status tells why:
    ///
    /// | status | |
    /// |---|---|
    /// | [`NotFinite`](BatchStatus::NotFinite) | an input is infinite or NaN |
    /// | [`ZeroRotation`](BatchStatus::ZeroRotation) | a quaternion, or a (cos, sin) pair, on which a result depends is zero |
    /// | [`Overflow`](BatchStatus::Overflow) | the inputs are sound, but an output is infinite or NaN |
    ///
    /// A program takes what depends on the state for granted
    /// ([`Quantity::trace`](crate::Quantity::trace)): a mass matrix that is singular in some
    /// configuration may go unnoticed there.
    ///
    /// No allocation. A state's results do not depend on the others.
    ///
    /// # Errors
    /// [`ProgramError::Size`] if the number of arrays or the length of one does not fit.
    pub fn run(
        &mut self,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
        status: &mut [BatchStatus],
    ) -> Result<usize, ProgramError> {
        let code = &*self.code;
        let states = status.len();
        check_size("the list of inputs", code.inputs.len(), inputs.len())?;
        check_size("the list of outputs", code.outputs.len(), outputs.len())?;
        for (port, rows) in code.inputs.iter().zip(inputs) {
            check_size("the inputs", states * length(port), rows.len())?;
        }
        for (places, rows) in code.outputs.iter().zip(&*outputs) {
            check_size("the outputs", states * places.len(), rows.len())?;
        }
        let lanes = self.block.lanes();
        let mut failed = 0;
        let mut first = 0;
        while first < states {
            let count = lanes.min(states - first);
            let finite = code.compute(&mut self.block, inputs, first, count);
            for (places, rows) in code.outputs.iter().zip(&mut *outputs) {
                let len = places.len();
                self.block
                    .scatter(places, &mut rows[first * len..(first + count) * len]);
            }
            for lane in 0..count {
                status[first + lane] = if finite >> lane & 1 == 1 {
                    BatchStatus::Solved
                } else {
                    failed += 1;
                    code.reject(inputs, outputs, first + lane)
                };
            }
            first += count;
        }
        Ok(failed)
    }

    /// Runs the program for each of several states, one after the other in both slices, all inputs
    /// of a state side by side and all its outputs: as
    /// [`Interpreter::evaluate`](crate::Interpreter::evaluate), for those who look at the outputs
    /// themselves. Returns whether all outputs are finite.
    ///
    /// No allocation. A state's results do not depend on the others.
    ///
    /// # Errors
    /// [`ProgramError::Size`] unless the inputs are a whole number of states and the outputs as
    /// many.
    pub fn evaluate(&mut self, inputs: &[T], outputs: &mut [T]) -> Result<bool, ProgramError> {
        let code = &*self.code;
        let (width, height) = (code.inputs.iter().map(length).sum(), code.places.len());
        let states = count_states((width, height), (inputs.len(), outputs.len()))?;
        let (lanes, mut all_finite) = (self.block.lanes(), true);
        for first in (0..states).step_by(lanes) {
            let count = lanes.min(states - first);
            self.block
                .gather(0, width, inputs, &states_of_lanes(first, count)[..lanes]);
            code.execute(&mut self.block);
            let finite = self.block.finite(&code.places);
            let rows = &mut outputs[first * height..(first + count) * height];
            self.block.scatter(&code.places, rows);
            all_finite &= (0..count).all(|lane| finite >> lane & 1 == 1);
        }
        Ok(all_finite)
    }
}

impl<T: Precision> Code<T> {
    /// Computes a block of states. Returns for which of them all outputs are finite.
    fn compute(&self, block: &mut Block<T>, inputs: &[&[T]], first: usize, count: usize) -> u32 {
        let states = states_of_lanes(first, count);
        let mut number = 0;
        for (port, rows) in self.inputs.iter().zip(inputs) {
            block.gather(number, length(port), rows, &states[..block.lanes()]);
            number += length(port);
        }
        self.execute(block);
        block.finite(&self.given)
    }

    /// Computes the numbers of a block from its inputs.
    fn execute(&self, block: &mut Block<T>) {
        for (function, phase) in self.phases.iter().enumerate() {
            block.sin_cos(&phase.sin_cos);
            block.atan2(&phase.atan2);
            if !phase.instructions.is_empty() {
                self.executable.call(function, block, &self.constants);
            }
        }
    }

    /// Erases the results of a state, and says what is wrong with it.
    #[cold]
    fn reject(&self, inputs: &[&[T]], outputs: &mut [&mut [T]], state: usize) -> BatchStatus {
        for (places, rows) in self.outputs.iter().zip(outputs) {
            rows[state * places.len()..(state + 1) * places.len()].fill(T::constant(f64::NAN));
        }
        failure(&self.inputs, inputs, state)
    }
}

/// Why a state has no result, of which the inputs are rows of these ports.
#[cold]
pub(crate) fn failure<T: Precision>(ports: &[Port], inputs: &[&[T]], state: usize) -> BatchStatus {
    let rows = || {
        let ports = ports.iter().zip(inputs);
        ports.map(|(port, rows)| {
            (
                port,
                &rows[state * length(port)..(state + 1) * length(port)],
            )
        })
    };
    if rows().any(|(_, row)| row.iter().any(|x| !x.is_finite())) {
        return BatchStatus::NotFinite;
    }
    // As the program finds it: the square of a small number may be zero.
    let square = |unit: &[T]| unit.iter().fold(T::zero(), |sum, &x| x.mul_add(x, sum));
    let is_zero = |unit: &[T]| square(unit) == T::zero();
    let has_zero = |(port, row): (&Port, &[T])| {
        let mut units = port.units.iter();
        units.any(|unit| is_zero(&row[unit.clone()]))
    };
    if rows().any(has_zero) {
        return BatchStatus::ZeroRotation;
    }
    BatchStatus::Overflow
}

/// The state of each lane; lanes to spare repeat the first one.
fn states_of_lanes(first: usize, count: usize) -> [usize; MOST_LANES] {
    let mut states = [first; MOST_LANES];
    for (lane, state) in states.iter_mut().enumerate().take(count) {
        *state = first + lane;
    }
    states
}

/// A port's numbers were counted when its program was made.
pub(crate) fn length(port: &Port) -> usize {
    port.rows * port.columns
}

/// The outputs' numbers, port by port.
fn by_port(ports: &[Port], numbers: &[u32]) -> Vec<Vec<u32>> {
    let mut first = 0;
    let own = ports.iter().map(|port| {
        let range = first..first + length(port);
        first = range.end;
        numbers[range].to_vec()
    });
    own.collect()
}

fn no_instructions() -> ProgramError {
    ProgramError::NoMachineCode {
        reason: "it takes an x86-64 with AVX2 and FMA, or AVX-512, and leave to use them".into(),
    }
}
