//! Running programs over blocks of states.

use crate::error::{Error, check_size};
use crate::program::{Instruction, Program};
use featherline::scalar::{Kernel, Scalar, WideInstructions, dispatch};

/// How many states one instruction works on.
const LANES: usize = 32;

/// A number of each state of a block.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Block([f64; LANES]);

/// The memory to run one program, made once; one for each thread.
///
/// An instruction is decoded once and works on a block of 32 states, in vector registers where the processor has them. What
/// is left of the states at the end is run as a block of which the rest is not stored. A state's results do not depend on the
/// other states, nor on the instruction set.
#[derive(Clone, Debug)]
pub struct Interpreter<'p> {
    program: &'p Program,
    slots: Vec<Block>,
}

impl<'p> Interpreter<'p> {
    /// Memory for a program: 256 bytes a slot.
    pub fn new(program: &'p Program) -> Self {
        let mut slots = vec![Block([0.0; LANES]); program.slots as usize];
        for (slot, &constant) in slots.iter_mut().zip(&program.constants) {
            *slot = Block([constant; LANES]);
        }
        Self { program, slots }
    }

    /// Runs the program for each of several states, one after the other in both slices.
    ///
    /// No allocation. The results are those of the traced kernel within rounding.
    ///
    /// # Errors
    /// [`Error::Size`] unless the inputs are a whole number of states and the outputs as many; for the first state of which an
    /// output is infinite or NaN, [`Error::Overflow`] if a number became too large, otherwise [`Error::NotFinite`]: an input
    /// was, or the kernel has no result for it. All outputs are written nevertheless.
    ///
    /// ```
    /// use featherline_compile::{Error, Graph, Interpreter, Options, Program};
    ///
    /// let graph = Graph::record(1, |x| vec![x[0].recip()]);
    /// # use featherline::scalar::Scalar;
    /// let program = Program::of_graph(&graph, &Options::default());
    /// let mut y = [0.0; 3];
    /// let result = Interpreter::new(&program).run(&[2.0, 0.0, 4.0], &mut y);
    /// assert_eq!(result, Err(Error::NotFinite { state: 1, output: "y[0]".into() }));
    /// assert_eq!((y[0], y[2]), (0.5, 0.25));
    /// ```
    pub fn run(&mut self, inputs: &[f64], outputs: &mut [f64]) -> Result<(), Error> {
        let program = self.program;
        let (width, height) = (program.input_count(), program.output_count());
        // A program without inputs is run as often as there is room for outputs, and the other way round.
        let states = match (width, height) {
            (0, 0) => 0,
            (0, _) => outputs.len() / height,
            _ => inputs.len() / width,
        };
        check_size("the inputs", states * width, inputs.len())?;
        check_size("the outputs", states * height, outputs.len())?;
        let mut first = 0;
        let mut broken = None;
        while first < states {
            let count = LANES.min(states - first);
            let run = Run {
                instructions: &program.instructions,
                slots: &mut self.slots,
                inputs: &inputs[first * width..(first + count) * width],
                outputs: &mut outputs[first * height..(first + count) * height],
                width,
                height,
                count,
            };
            let finite = dispatch(run);
            if !finite && broken.is_none() {
                broken = Some(first);
            }
            first += count;
        }
        match broken {
            None => Ok(()),
            Some(first) => Err(self.not_finite(first, inputs, outputs)),
        }
    }

    #[cold]
    fn not_finite(&mut self, first: usize, inputs: &[f64], outputs: &[f64]) -> Error {
        let (width, height) = (self.program.input_count(), self.program.output_count());
        let after = outputs[first * height..]
            .iter()
            .position(|x| !x.is_finite())
            .unwrap_or(0);
        let state = first + after / height;
        let output = self.output_name(after % height);
        if self.overflows(&inputs[state * width..(state + 1) * width]) {
            Error::Overflow { state, output }
        } else {
            Error::NotFinite { state, output }
        }
    }

    /// What an output is called.
    fn output_name(&self, mut entry: usize) -> String {
        for port in self.program.outputs() {
            let len = port.rows * port.columns;
            if entry < len {
                return match port.columns {
                    1 => format!("{}[{entry}]", port.name),
                    n => format!("{}[{}, {}]", port.name, entry / n, entry % n),
                };
            }
            entry -= len;
        }
        format!("output {entry}")
    }

    /// Whether an instruction makes numbers that are not finite of finite ones although it divides by none that is zero, and
    /// takes no root of a negative one.
    fn overflows(&mut self, input: &[f64]) -> bool {
        let program = self.program;
        let mut ignored = vec![0.0; program.output_count()];
        let first = |slots: &[Block], slot: u32| slots[slot as usize].0[0];
        program.instructions.iter().any(|instruction| {
            // What an instruction reads may be overwritten by what it gives.
            let slots = &self.slots;
            let may_overflow = match *instruction {
                Instruction::Load { .. } => false,
                Instruction::Div { b, .. } => first(slots, b) != 0.0,
                Instruction::Sqrt { a, .. } => first(slots, a) >= 0.0,
                _ => true,
            };
            let were_finite = instruction
                .operands()
                .all(|slot| first(slots, slot).is_finite());
            dispatch(Run {
                instructions: std::slice::from_ref(instruction),
                slots: &mut self.slots,
                inputs: input,
                outputs: &mut ignored,
                width: program.input_count(),
                height: program.output_count(),
                count: 1,
            });
            let mut results = instruction.results();
            may_overflow && were_finite && results.any(|slot| !first(&self.slots, slot).is_finite())
        })
    }
}

/// One block of states.
struct Run<'a> {
    instructions: &'a [Instruction],
    slots: &'a mut [Block],
    inputs: &'a [f64],
    outputs: &'a mut [f64],
    width: usize,
    height: usize,
    /// How many states there are; fewer than lanes at the end.
    count: usize,
}

/// Writes the value of an expression, in which each name stands for that slot's number, to a slot, lane by lane. A closure
/// would fall out of the instruction set.
macro_rules! lanes {
    ($slots:ident[$to:expr] = |$($x:ident),+| $value:expr) => {{
        $(let $x = $slots[$x as usize].0;)+
        let mut result = [0.0; LANES];
        for k in 0..LANES {
            $(let $x = $x[k];)+
            result[k] = $value;
        }
        $slots[$to as usize].0 = result;
    }};
}

impl Run<'_> {
    /// Runs all instructions; returns whether all outputs are finite.
    #[inline(always)]
    fn execute(self, wide: Option<WideInstructions>) -> bool {
        let Self {
            instructions,
            slots,
            inputs,
            outputs,
            width,
            height,
            count,
        } = self;
        for instruction in instructions {
            match *instruction {
                Instruction::Load { to, input } => {
                    let lanes = &mut slots[to as usize].0;
                    let states = inputs.chunks_exact(width);
                    for (lane, state) in lanes.iter_mut().zip(states) {
                        *lane = state[input as usize];
                    }
                    // Lanes without a state do what the first one does: no denormal or infinite number to wait for.
                    for k in count..LANES {
                        lanes[k] = lanes[0];
                    }
                }
                Instruction::Store { output, from } => {
                    let lanes = &slots[from as usize].0;
                    for (state, lane) in outputs.chunks_exact_mut(height).zip(lanes) {
                        state[output as usize] = *lane;
                    }
                }
                Instruction::Add { to, a, b } => lanes!(slots[to] = |a, b| a + b),
                Instruction::Sub { to, a, b } => lanes!(slots[to] = |a, b| a - b),
                Instruction::Mul { to, a, b } => lanes!(slots[to] = |a, b| a * b),
                Instruction::MulAdd { to, a, b, c } => {
                    lanes!(slots[to] = |a, b, c| Scalar::mul_add(a, b, c));
                }
                Instruction::MulSub { to, a, b, c } => {
                    lanes!(slots[to] = |a, b, c| Scalar::mul_add(a, b, -c));
                }
                Instruction::NegMulAdd { to, a, b, c } => {
                    lanes!(slots[to] = |a, b, c| Scalar::mul_add(-a, b, c));
                }
                Instruction::Div { to, a, b } => lanes!(slots[to] = |a, b| a / b),
                Instruction::Neg { to, a } => lanes!(slots[to] = |a| -a),
                Instruction::Sqrt { to, a } => lanes!(slots[to] = |a| Scalar::sqrt(a)),
                Instruction::SinCos { sin, cos, a } => {
                    let (sines, cosines) = sin_cos(&slots[a as usize].0, wide);
                    slots[sin as usize].0 = sines;
                    slots[cos as usize].0 = cosines;
                }
                Instruction::Atan2 { to, a, b } => {
                    lanes!(slots[to] = |a, b| Scalar::atan2(a, b));
                }
                Instruction::Abs { to, a } => lanes!(slots[to] = |a| Scalar::abs(a)),
                Instruction::Min { to, a, b } => {
                    lanes!(slots[to] = |a, b| if a < b { a } else { b })
                }
                Instruction::Max { to, a, b } => {
                    lanes!(slots[to] = |a, b| if b < a { a } else { b })
                }
                Instruction::Select { to, a, b, yes, no } => {
                    lanes!(slots[to] = |a, b, yes, no| if a < b { yes } else { no });
                }
            }
        }
        let mut finite = true;
        for &output in outputs.iter() {
            finite &= Scalar::is_finite(output);
        }
        finite
    }
}

#[inline(always)]
fn sin_cos(angles: &[f64; LANES], wide: Option<WideInstructions>) -> ([f64; LANES], [f64; LANES]) {
    let (mut sin, mut cos) = ([0.0; LANES], [0.0; LANES]);
    match wide {
        Some(wide) => {
            for k in (0..LANES).step_by(4) {
                let four = [angles[k], angles[k + 1], angles[k + 2], angles[k + 3]];
                let (s, c) = wide.sin_cos_of_four(four);
                sin[k..k + 4].copy_from_slice(&s);
                cos[k..k + 4].copy_from_slice(&c);
            }
        }
        None => {
            for k in 0..LANES {
                (sin[k], cos[k]) = Scalar::sin_cos(angles[k]);
            }
        }
    }
    (sin, cos)
}

impl Kernel for Run<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        self.execute(None)
    }

    #[inline(always)]
    fn run_wide(self, proof: WideInstructions) -> bool {
        self.execute(Some(proof))
    }
}
