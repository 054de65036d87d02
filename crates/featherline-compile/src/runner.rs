//! Programs by the fastest means that a processor has.

use crate::error::ProgramError;
use crate::interpreter::Interpreter;
use crate::machine::MachineCode;
use crate::program::Program;

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
    Interpreter(Interpreter<'p>),
}

impl<'p> Runner<'p> {
    /// Memory for a program, and code where the processor and the system let it be made.
    ///
    /// Cost: O(n) in the number of instructions, about a microsecond each.
    pub fn new(program: &'p Program) -> Self {
        let (one, many) = (
            MachineCode::for_one_state(program),
            MachineCode::new(program),
        );
        let means = match (one, many) {
            (Ok(one), Ok(many)) => Means::MachineCode { one, many },
            _ => Means::Interpreter(Interpreter::new(program)),
        };
        let (width, height) = (program.input_count(), program.output_count());
        Self {
            means,
            width,
            height,
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
            Means::Interpreter(interpreter) => interpreter.evaluate(inputs, outputs),
        }
    }
}
