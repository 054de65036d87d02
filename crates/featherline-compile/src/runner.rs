//! Programs by the fastest means that a processor has.

use crate::error::{ProgramError, check_size};
use crate::interpreter::Interpreter;
use crate::machine::{MachineCode, failure, length};
use crate::program::Program;
use crate::quantity::Port;
use featherline::batch::BatchStatus;
use std::sync::Arc;

/// States that the interpreter runs together.
const BLOCK: usize = 32;

/// The memory to run one program as fast as this processor can, made once; one for each thread.
///
/// Machine code runs it where there is any: code for one state where a state is alone, and for as
/// many as share a register where there are more. An [`Interpreter`] runs it elsewhere. The results
/// are the same to the last bit.
///
/// ```
/// use featherline_compile::{Graph, Options, Program, Runner};
///
/// let graph = Graph::record(2, |x| vec![x[0] * x[1]]);
/// let program = Program::of_graph(&graph, &Options::default());
/// let mut products = [0.0; 3];
/// let finite = Runner::new(&program).evaluate(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &mut products)?;
/// assert!(finite);
/// assert_eq!(products, [2.0, 12.0, 30.0]);
/// # Ok::<(), featherline_compile::ProgramError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Runner<'p> {
    means: Means<'p>,
    width: usize,
    height: usize,
}

#[derive(Clone, Debug)]
enum Means<'p> {
    MachineCode {
        one: MachineCode<f64>,
        many: MachineCode<f64>,
    },
    Interpreter(Box<Interpreted<'p>>),
}

/// An interpreter, and memory for rows of ports as it takes and gives them.
#[derive(Clone, Debug)]
struct Interpreted<'p> {
    interpreter: Interpreter<'p>,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    /// A block of states, one after the other.
    given: Vec<f64>,
    results: Vec<f64>,
}

impl<'p> Interpreted<'p> {
    fn new(program: &Program, interpreter: Interpreter<'p>) -> Self {
        Self {
            interpreter,
            inputs: program.inputs().to_vec(),
            outputs: program.outputs().to_vec(),
            given: vec![0.0; BLOCK * program.input_count()],
            results: vec![0.0; BLOCK * program.output_count()],
        }
    }

    /// As [`MachineCode::run`].
    fn run(
        &mut self,
        inputs: &[&[f64]],
        outputs: &mut [&mut [f64]],
        status: &mut [BatchStatus],
    ) -> Result<usize, ProgramError> {
        let states = status.len();
        check_size("the list of inputs", self.inputs.len(), inputs.len())?;
        check_size("the list of outputs", self.outputs.len(), outputs.len())?;
        for (port, rows) in self.inputs.iter().zip(inputs) {
            check_size("the inputs", states * length(port), rows.len())?;
        }
        for (port, rows) in self.outputs.iter().zip(&*outputs) {
            check_size("the outputs", states * length(port), rows.len())?;
        }
        let (width, height) = (self.given.len() / BLOCK, self.results.len() / BLOCK);
        let mut failed = 0;
        for first in (0..states).step_by(BLOCK) {
            let count = BLOCK.min(states - first);
            let given = &mut self.given[..count * width];
            let results = &mut self.results[..count * height];
            let mut column = 0;
            for (port, rows) in self.inputs.iter().zip(inputs) {
                let len = length(port);
                for k in 0..count {
                    let row = &rows[(first + k) * len..(first + k + 1) * len];
                    given[k * width + column..][..len].copy_from_slice(row);
                }
                column += len;
            }
            self.interpreter.evaluate(given, results)?;
            for k in 0..count {
                let is_finite = |row: &[f64]| row.iter().all(|x| x.is_finite());
                // A result need not depend on every input, nor be NaN where one is.
                let is_solved = is_finite(&given[k * width..(k + 1) * width])
                    && is_finite(&results[k * height..(k + 1) * height]);
                status[first + k] = if is_solved {
                    BatchStatus::Solved
                } else {
                    failed += 1;
                    results[k * height..(k + 1) * height].fill(f64::NAN);
                    failure(&self.inputs, inputs, first + k)
                };
            }
            let mut column = 0;
            for (port, rows) in self.outputs.iter().zip(&mut *outputs) {
                let len = length(port);
                for k in 0..count {
                    let row = &mut rows[(first + k) * len..(first + k + 1) * len];
                    row.copy_from_slice(&results[k * height + column..][..len]);
                }
                column += len;
            }
        }
        Ok(failed)
    }
}

impl Runner<'static> {
    /// The same as [`new`](Self::new) for a program that the runner keeps.
    ///
    /// ```
    /// use featherline::batch::BatchStatus;
    /// use featherline_compile::{Graph, Options, Program, Runner};
    /// use std::sync::Arc;
    ///
    /// let graph = Graph::record(2, |x| vec![x[0] * x[1]]);
    /// let program = Program::of_graph(&graph, &Options::default());
    /// let mut runner = Runner::shared(Arc::new(program));
    /// let (mut products, mut status) = ([0.0; 2], [BatchStatus::default(); 2]);
    /// let failed = runner.run(&[&[1.0, 2.0, f64::NAN, 4.0]], &mut [&mut products], &mut status)?;
    /// assert_eq!((failed, products[0]), (1, 2.0));
    /// assert_eq!(status, [BatchStatus::Solved, BatchStatus::NotFinite]);
    /// # Ok::<(), featherline_compile::ProgramError>(())
    /// ```
    pub fn shared(program: Arc<Program>) -> Self {
        let means = Means::of_code(&program);
        let means = means.unwrap_or_else(|_| Means::of_interpreter(&program));
        Self::by(means, &program)
    }

    /// Machine code alone, for those who would not wait for an interpreter.
    ///
    /// # Errors
    /// Those of [`MachineCode::new`].
    pub fn with_machine_code(program: &Program) -> Result<Self, ProgramError> {
        Ok(Self::by(Means::of_code(program)?, program))
    }

    /// An interpreter, also where there would be machine code: memory for code is not needed, and
    /// not asked for.
    pub fn interpreted(program: Arc<Program>) -> Self {
        Self::by(Means::of_interpreter(&program), &program)
    }
}

impl Means<'static> {
    fn of_interpreter(program: &Arc<Program>) -> Self {
        let interpreter = Interpreter::shared(Arc::clone(program));
        Self::Interpreter(Box::new(Interpreted::new(program, interpreter)))
    }
}

impl Means<'_> {
    fn of_code(program: &Program) -> Result<Self, ProgramError> {
        Ok(Self::MachineCode {
            one: MachineCode::for_one_state(program)?,
            many: MachineCode::new(program)?,
        })
    }
}

impl<'p> Runner<'p> {
    /// Memory for a program, and code where the processor and the system let it be made.
    ///
    /// Cost: O(n) in the number of instructions, about a microsecond each.
    pub fn new(program: &'p Program) -> Self {
        let means = Means::of_code(program).unwrap_or_else(|_| {
            let interpreted = Interpreted::new(program, Interpreter::new(program));
            Means::Interpreter(Box::new(interpreted))
        });
        Self::by(means, program)
    }

    fn by(means: Means<'p>, program: &Program) -> Self {
        Self {
            means,
            width: program.input_count(),
            height: program.output_count(),
        }
    }

    /// Whether machine code runs the program.
    pub fn has_machine_code(&self) -> bool {
        matches!(self.means, Means::MachineCode { .. })
    }

    /// Runs the program for each of several states, one after the other in both slices; returns
    /// whether all outputs are finite.
    ///
    /// No allocation. A state's results do not depend on the others.
    ///
    /// # Errors
    /// [`ProgramError::Size`] unless the inputs are a whole number of states and the outputs as
    /// many.
    pub fn evaluate(&mut self, inputs: &[f64], outputs: &mut [f64]) -> Result<bool, ProgramError> {
        let is_alone = inputs.len() == self.width && outputs.len() == self.height;
        match &mut self.means {
            Means::MachineCode { one, .. } if is_alone => one.evaluate(inputs, outputs),
            Means::MachineCode { many, .. } => many.evaluate(inputs, outputs),
            Means::Interpreter(own) => own.interpreter.evaluate(inputs, outputs),
        }
    }

    /// Runs the program for as many states as `status` has entries, whose inputs and outputs are
    /// rows, one array for each port: as [`MachineCode::run`]. Returns how many states have no
    /// result; their rows are NaN, and their status tells why.
    ///
    /// No allocation. A state's results do not depend on the others.
    ///
    /// # Errors
    /// [`ProgramError::Size`] if the number of arrays or the length of one does not fit.
    pub fn run(
        &mut self,
        inputs: &[&[f64]],
        outputs: &mut [&mut [f64]],
        status: &mut [BatchStatus],
    ) -> Result<usize, ProgramError> {
        match &mut self.means {
            Means::MachineCode { one, .. } if status.len() == 1 => one.run(inputs, outputs, status),
            Means::MachineCode { many, .. } => many.run(inputs, outputs, status),
            Means::Interpreter(own) => own.run(inputs, outputs, status),
        }
    }

    /// How many bytes of instructions there are: of the code for one state, and of that for as many
    /// as share a register. None without machine code.
    pub fn code_bytes(&self) -> Option<[usize; 2]> {
        match &self.means {
            Means::MachineCode { one, many } => Some([one.code_bytes(), many.code_bytes()]),
            Means::Interpreter(_) => None,
        }
    }
}
