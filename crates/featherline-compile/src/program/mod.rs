//! Straight-line programs.

mod allocation;
mod count;
mod file;
mod instruction;
mod lowering;
mod schedule;
mod validation;

pub use file::FileError;
pub(crate) use instruction::Instruction;

use crate::graph::Graph;
use crate::quantity::{Function, Port};
use featherline::scalar::Operations;
use serde::{Deserialize, Serialize};

/// How a program is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether a product that only a sum uses is fused into it: fewer instructions, one rounding
    /// less, another last digit.
    pub fuse: bool,
}

/// A function without branches: a list of instructions, each used once for a block of states.
///
/// Nothing is left that the outputs do not need, and values that do not live at the same time share
/// a slot. Run it with an [`Interpreter`](crate::Interpreter).
///
/// ```
/// use featherline::{quantity, samples};
/// use featherline_compile::{Interpreter, Options, Program, Quantity};
///
/// let model = samples::double_pendulum();
/// let bias = Quantity::of(quantity::Bias).trace(&model)?;
/// let program = Program::new(&bias, &Options::default());
/// let states = [[0.3, -0.2, 0.1, 0.4], [0.0, 1.0, 0.0, 0.0]]; // q₀, q₁, v₀, v₁
/// let mut bias = [[0.0; 2]; 2];
/// Interpreter::new(&program).run(states.as_flattened(), bias.as_flattened_mut())?;
/// # let mut ws = featherline::Workspace::new(&model);
/// # let expected = model.bias(&mut ws, &states[1][..2], &states[1][2..])?;
/// # assert!((bias[1][0] - expected[0]).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    pub(crate) name: String,
    pub(crate) traced: Operations,
    pub(crate) inputs: Vec<Port>,
    pub(crate) outputs: Vec<Port>,
    pub(crate) model_hash: u128,
    /// The first slots hold them.
    pub(crate) constants: Vec<f64>,
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) slots: u32,
    pub(crate) input_count: u32,
    pub(crate) output_count: u32,
}

impl Program {
    /// The program of a function.
    ///
    /// Cost O(n log n) in the number of operations for the usual shape of graphs.
    pub fn new(function: &Function, options: &Options) -> Self {
        Self {
            name: function.name.clone(),
            traced: function.traced,
            inputs: function.inputs.clone(),
            outputs: function.outputs.clone(),
            model_hash: function.model_hash,
            ..Self::of_graph(&function.graph, options)
        }
    }

    /// The program of a graph: its inputs are one vector `x`, its outputs one vector `y`; it has no
    /// name, and 0 for a model's hash.
    ///
    /// ```
    /// use featherline_compile::{Graph, Interpreter, Options, Program};
    ///
    /// let graph = Graph::record(2, |x| vec![x[0] * x[1], x[0] - x[1]]);
    /// let program = Program::of_graph(&graph, &Options::default());
    /// let mut y = [0.0; 2];
    /// Interpreter::new(&program).run(&[5.0, 2.0], &mut y)?;
    /// assert_eq!(y, [10.0, 3.0]);
    /// # Ok::<(), featherline_compile::ProgramError>(())
    /// ```
    pub fn of_graph(graph: &Graph, options: &Options) -> Self {
        let mut lowered = lowering::lower(graph, options.fuse);
        schedule::schedule(&mut lowered.instructions, lowered.slots);
        let slots = allocation::allocate(&mut lowered);
        let (inputs, outputs) = (graph.input_count(), graph.outputs().len());
        Self {
            name: String::new(),
            traced: graph.count(),
            inputs: vec![Port::vector("x", inputs)],
            outputs: vec![Port::vector("y", outputs)],
            model_hash: 0,
            constants: lowered.constants,
            instructions: lowered.instructions,
            slots,
            input_count: inputs as u32,
            output_count: outputs as u32,
        }
    }

    /// The name of the computed quantity and the model: `rnea of panda`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many operations there were when the kernel had been traced.
    pub fn traced(&self) -> Operations {
        self.traced
    }

    /// The input ports of one state, in order.
    pub fn inputs(&self) -> &[Port] {
        &self.inputs
    }

    /// The output ports of one state, in order.
    pub fn outputs(&self) -> &[Port] {
        &self.outputs
    }

    /// How many numbers the inputs of one state are.
    pub fn input_count(&self) -> usize {
        self.input_count as usize
    }

    /// How many numbers the outputs of one state are.
    pub fn output_count(&self) -> usize {
        self.output_count as usize
    }

    /// The [hash](featherline::Model::content_hash) of the model that the program was made for.
    pub fn model_hash(&self) -> u128 {
        self.model_hash
    }

    /// How many instructions there are, loads, stores and negations included.
    pub fn instruction_count(&self) -> usize {
        self.instructions.len()
    }

    /// How many numbers the interpreter holds for each state, constants included.
    pub fn slot_count(&self) -> usize {
        self.slots as usize
    }

    /// How many different constants there are.
    pub fn constant_count(&self) -> usize {
        self.constants.len()
    }

    /// The instructions with values for slots, constants first, and how many values there are.
    pub(crate) fn single_assignment(&self) -> (Vec<Instruction>, usize) {
        let mut value: Vec<u32> = (0..self.slots).collect();
        let mut values = self.constants.len() as u32;
        let renamed = self.instructions.iter().map(|instruction| {
            let read = instruction.renamed(|slot| value[slot as usize], |slot| slot);
            for result in instruction.results() {
                value[result as usize] = values;
                values += 1;
            }
            read.renamed(|operand| operand, |slot| value[slot as usize])
        });
        (renamed.collect(), values as usize)
    }
}
