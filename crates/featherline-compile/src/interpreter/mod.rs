//! Running programs over blocks of states.

mod grouped;

use crate::error::{ProgramError, count_states};
use crate::program::{Instruction, Program};
use featherline::kernel::{Form, Kernel, Plain, dispatch};
use featherline::scalar::{InstructionSet, Scalar};
use grouped::Grouped;
use std::ops::Deref;
use std::sync::Arc;

/// How many states one instruction works on where there are many: decoding it then costs nothing.
const MANY: usize = 32;

/// And where there are few: as many as the widest registers hold.
const FEW: usize = 8;

/// A number of each state of a block, in whole registers.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Block<const N: usize>([f64; N]);

impl<const N: usize> From<[f64; N]> for Block<N> {
    #[inline(always)]
    fn from(lanes: [f64; N]) -> Self {
        Self(lanes)
    }
}

impl<const N: usize> From<Block<N>> for [f64; N] {
    #[inline(always)]
    fn from(block: Block<N>) -> Self {
        block.0
    }
}

/// The memory to run one program, made once; one for each thread.
///
/// An instruction is decoded once and works on a block of 32 states, in vector registers where the
/// processor has them; on 8 where fewer are left, and on the numbers of one state alone. A state's
/// results do not depend on the other states, nor on the instruction set.
#[derive(Clone, Debug)]
pub struct Interpreter<'p> {
    program: ProgramHandle<'p>,
    /// Where runs of instructions of one kind end.
    ends: Vec<usize>,
    /// Runs of instructions of one kind for one state alone, where guessing the next takes longest.
    grouped: Grouped,
    one: Vec<[f64; 1]>,
    few: Vec<Block<FEW>>,
    many: Vec<Block<MANY>>,
}

/// A program that somebody else owns, or that several share.
#[derive(Clone, Debug)]
enum ProgramHandle<'p> {
    Borrowed(&'p Program),
    Shared(Arc<Program>),
}

impl Deref for ProgramHandle<'_> {
    type Target = Program;

    fn deref(&self) -> &Program {
        match self {
            Self::Borrowed(program) => program,
            Self::Shared(program) => program,
        }
    }
}

impl Interpreter<'static> {
    /// The same as [`new`](Self::new) for a program that the interpreter keeps.
    pub fn shared(program: Arc<Program>) -> Self {
        Self::of(ProgramHandle::Shared(program))
    }
}

impl<'p> Interpreter<'p> {
    /// Memory for a program: 320 bytes a slot, and 40 an instruction. Cost O(n) in the number of
    /// instructions.
    pub fn new(program: &'p Program) -> Self {
        Self::of(ProgramHandle::Borrowed(program))
    }

    fn of(program: ProgramHandle<'p>) -> Self {
        let grouped = Grouped::new(&program);
        Self {
            ends: grouped::ends(&program.instructions),
            one: slots(&program, grouped.slots),
            few: slots(&program, program.slot_count()),
            many: slots(&program, program.slot_count()),
            grouped,
            program,
        }
    }

    /// Runs the program for each of several states, one after the other in both slices.
    ///
    /// No allocation. The results are those of the traced kernel within rounding.
    ///
    /// # Errors
    /// [`ProgramError::Size`] unless the inputs are a whole number of states and the outputs as
    /// many; for the first state of which an output is infinite or NaN, [`ProgramError::Overflow`]
    /// if a number became too large, otherwise [`ProgramError::NotFinite`]: an input was, or the
    /// kernel has no result for it. All outputs are written nevertheless.
    ///
    /// ```
    /// use featherline_compile::{ProgramError, Graph, Interpreter, Options, Program};
    ///
    /// let graph = Graph::record(1, |x| vec![x[0].recip()]);
    /// # use featherline::scalar::Scalar;
    /// let program = Program::of_graph(&graph, &Options::default());
    /// let mut y = [0.0; 3];
    /// let result = Interpreter::new(&program).run(&[2.0, 0.0, 4.0], &mut y);
    /// assert_eq!(result, Err(ProgramError::NotFinite { state: 1, output: "y[0]".into() }));
    /// assert_eq!((y[0], y[2]), (0.5, 0.25));
    /// ```
    pub fn run(&mut self, inputs: &[f64], outputs: &mut [f64]) -> Result<(), ProgramError> {
        match self.first_broken(inputs, outputs)? {
            None => Ok(()),
            Some(first) => Err(self.not_finite(first, inputs, outputs)),
        }
    }

    /// The same for those who look at the outputs themselves: which of them is infinite or NaN is
    /// not looked for, nor why, which takes a hundred times as long as the program. Returns whether
    /// all are finite.
    ///
    /// # Errors
    /// [`ProgramError::Size`] as [`run`](Self::run).
    pub fn evaluate(&mut self, inputs: &[f64], outputs: &mut [f64]) -> Result<bool, ProgramError> {
        Ok(self.first_broken(inputs, outputs)?.is_none())
    }

    /// Runs the program; returns the first state of the first block with an output not finite.
    fn first_broken(
        &mut self,
        inputs: &[f64],
        outputs: &mut [f64],
    ) -> Result<Option<usize>, ProgramError> {
        let program = &*self.program;
        let (width, height) = (program.input_count(), program.output_count());
        let states = count_states((width, height), (inputs.len(), outputs.len()))?;
        let mut first = 0;
        let mut broken = None;
        while first < states {
            let left = states - first;
            let count = MANY.min(left);
            let block = States {
                inputs: &inputs[first * width..(first + count) * width],
                outputs: &mut outputs[first * height..(first + count) * height],
                width,
                height,
                count,
            };
            let (all, ends) = (&program.instructions, &self.ends);
            let finite = match left {
                1 => block.run(
                    &self.grouped.instructions,
                    &self.grouped.ends,
                    &mut self.one,
                ),
                2..=FEW => block.run(all, ends, &mut self.few),
                _ => block.run(all, ends, &mut self.many),
            };
            if !finite && broken.is_none() {
                broken = Some(first);
            }
            first += count;
        }
        Ok(broken)
    }

    #[cold]
    fn not_finite(&mut self, first: usize, inputs: &[f64], outputs: &[f64]) -> ProgramError {
        let (width, height) = (self.program.input_count(), self.program.output_count());
        let after = outputs[first * height..]
            .iter()
            .position(|x| !x.is_finite())
            .unwrap_or(0);
        let state = first + after / height;
        let output = self.output_name(after % height);
        if self.overflows(&inputs[state * width..(state + 1) * width]) {
            ProgramError::Overflow { state, output }
        } else {
            ProgramError::NotFinite { state, output }
        }
    }

    /// The name of an output.
    fn output_name(&self, mut entry: usize) -> String {
        for port in self.program.outputs() {
            let len = port.rows * port.columns;
            if entry < len {
                let (name, columns) = (&port.name, port.columns);
                return if port.is_matrix {
                    format!("{name}[{}, {}]", entry / columns, entry % columns)
                } else {
                    format!("{name}[{entry}]")
                };
            }
            entry -= len;
        }
        format!("output {entry}")
    }

    /// Whether an instruction makes numbers that are not finite of finite ones although it divides
    /// by none that is zero, and takes no root of a negative one.
    fn overflows(&mut self, input: &[f64]) -> bool {
        let program = &*self.program;
        let mut ignored = vec![0.0; program.output_count()];
        let first = |slots: &[Block<FEW>], slot: u32| slots[slot as usize].0[0];
        program.instructions.iter().any(|instruction| {
            // An instruction may overwrite its operands by its result.
            let slots = &self.few;
            #[expect(clippy::wildcard_enum_match_arm, reason = "any other may")]
            let may_overflow = match *instruction {
                Instruction::Load { .. } => false,
                Instruction::Div { b, .. } => first(slots, b) != 0.0,
                Instruction::Sqrt { a, .. } => first(slots, a) >= 0.0,
                _ => true,
            };
            let were_finite = instruction
                .operands()
                .all(|slot| first(slots, slot).is_finite());
            let alone = States {
                inputs: input,
                outputs: &mut ignored,
                width: program.input_count(),
                height: program.output_count(),
                count: 1,
            };
            alone.run(std::slice::from_ref(instruction), &[1], &mut self.few);
            let mut results = instruction.results();
            may_overflow && were_finite && results.any(|slot| !first(&self.few, slot).is_finite())
        })
    }
}

/// The memory of a program with so many lanes, its constants in place.
fn slots<T: Copy + From<[f64; N]>, const N: usize>(program: &Program, count: usize) -> Vec<T> {
    let mut slots = vec![T::from([0.0; N]); count];
    for (slot, &constant) in slots.iter_mut().zip(&program.constants) {
        *slot = T::from([constant; N]);
    }
    slots
}

/// One block of states.
struct States<'a> {
    inputs: &'a [f64],
    outputs: &'a mut [f64],
    width: usize,
    height: usize,
    /// How many there are; fewer than lanes at the end.
    count: usize,
}

impl States<'_> {
    /// Runs all instructions; returns whether all outputs are finite.
    fn run<T, const N: usize>(
        self,
        instructions: &[Instruction],
        ends: &[usize],
        slots: &mut [T],
    ) -> bool
    where
        T: Copy + From<[f64; N]> + Into<[f64; N]>,
    {
        dispatch(Run {
            states: self,
            instructions,
            ends,
            slots,
        })
    }
}

/// States, and the numbers that a program keeps of them.
struct Run<'a, T, const N: usize> {
    states: States<'a>,
    instructions: &'a [Instruction],
    /// Where groups of one kind end.
    ends: &'a [usize],
    slots: &'a mut [T],
}

/// Does the same for each instruction of a group, all of which are of one kind.
macro_rules! each {
    ($group:ident, $kind:ident { $($field:ident),+ } => $step:expr) => {
        for instruction in $group {
            if let Instruction::$kind { $($field),+ } = *instruction {
                $step;
            }
        }
    };
}

/// Writes an expression of slots' numbers to a slot, lane by lane: closures lose instructions.
macro_rules! lanes {
    ($slots:ident[$to:expr] = |$($x:ident),+| $value:expr) => {{
        $(let $x: [f64; N] = $slots[$x as usize].into();)+
        let mut result = [0.0; N];
        for k in 0..N {
            $(let $x = $x[k];)+
            result[k] = $value;
        }
        $slots[$to as usize] = T::from(result);
    }};
}

impl<T: Copy + From<[f64; N]> + Into<[f64; N]>, const N: usize> Run<'_, T, N> {
    #[inline(always)]
    fn execute<F: Form>(self, form: F) -> bool {
        let Self {
            states,
            instructions,
            ends,
            slots,
        } = self;
        let States {
            inputs,
            outputs,
            width,
            height,
            count,
        } = states;
        let mut start = 0;
        for &end in ends {
            let group = &instructions[start..end];
            start = end;
            match group[0] {
                Instruction::Load { .. } => each!(group, Load { to, input } => {
                    // Lanes without a state do what the first one does: no denormal or infinite
                    // number to wait for.
                    let mut lanes = [inputs[input as usize]; N];
                    let states = inputs.chunks_exact(width);
                    for (lane, state) in lanes[..count].iter_mut().zip(states) {
                        *lane = state[input as usize];
                    }
                    slots[to as usize] = T::from(lanes);
                }),
                Instruction::Store { .. } => each!(group, Store { output, from } => {
                    let lanes: [f64; N] = slots[from as usize].into();
                    for (state, lane) in outputs.chunks_exact_mut(height).zip(lanes) {
                        state[output as usize] = lane;
                    }
                }),
                Instruction::Add { .. } => each!(group, Add { to, a, b } => {
                    lanes!(slots[to] = |a, b| a + b)
                }),
                Instruction::Sub { .. } => each!(group, Sub { to, a, b } => {
                    lanes!(slots[to] = |a, b| a - b)
                }),
                Instruction::Mul { .. } => each!(group, Mul { to, a, b } => {
                    lanes!(slots[to] = |a, b| a * b)
                }),
                Instruction::MulAdd { .. } => each!(group, MulAdd { to, a, b, c } => {
                    lanes!(slots[to] = |a, b, c| form.mul_add(a, b, c))
                }),
                Instruction::MulSub { .. } => each!(group, MulSub { to, a, b, c } => {
                    lanes!(slots[to] = |a, b, c| form.mul_add(a, b, -c))
                }),
                Instruction::NegMulAdd { .. } => each!(group, NegMulAdd { to, a, b, c } => {
                    lanes!(slots[to] = |a, b, c| form.mul_add(-a, b, c))
                }),
                Instruction::Div { .. } => each!(group, Div { to, a, b } => {
                    lanes!(slots[to] = |a, b| a / b)
                }),
                Instruction::Neg { .. } => each!(group, Neg { to, a } => {
                    lanes!(slots[to] = |a| -a)
                }),
                Instruction::Sqrt { .. } => each!(group, Sqrt { to, a } => {
                    lanes!(slots[to] = |a| Scalar::sqrt(a))
                }),
                Instruction::SinCos { .. } => each!(group, SinCos { sin, cos, a } => {
                    let (sines, cosines) = sin_cos(slots[a as usize].into(), form);
                    slots[sin as usize] = T::from(sines);
                    slots[cos as usize] = T::from(cosines);
                }),
                Instruction::Atan2 { .. } => each!(group, Atan2 { to, a, b } => {
                    lanes!(slots[to] = |a, b| Scalar::atan2(a, b))
                }),
                Instruction::Abs { .. } => each!(group, Abs { to, a } => {
                    lanes!(slots[to] = |a| Scalar::abs(a))
                }),
                Instruction::Min { .. } => each!(group, Min { to, a, b } => {
                    lanes!(slots[to] = |a, b| if a < b { a } else { b })
                }),
                Instruction::Max { .. } => each!(group, Max { to, a, b } => {
                    lanes!(slots[to] = |a, b| if b < a { a } else { b })
                }),
                Instruction::Select { .. } => each!(group, Select { to, a, b, yes, no } => {
                    lanes!(slots[to] = |a, b, yes, no| if a < b { yes } else { no })
                }),
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
fn sin_cos<F: Form, const N: usize>(angles: [f64; N], form: F) -> ([f64; N], [f64; N]) {
    let (mut sin, mut cos) = ([0.0; N], [0.0; N]);
    for first in (0..N).step_by(4) {
        // Of one state alone, four times the same.
        let four = [0, 1, 2, 3].map(|k| angles[(first + k).min(N - 1)]);
        let (s, c) = form.sin_cos_of_four(four);
        for k in 0..4.min(N - first) {
            (sin[first + k], cos[first + k]) = (s[k], c[k]);
        }
    }
    (sin, cos)
}

impl<T: Copy + From<[f64; N]> + Into<[f64; N]>, const N: usize> Kernel for Run<'_, T, N> {
    type Output = bool;
    const WIDEST: InstructionSet = InstructionSet::Avx512;

    #[inline(always)]
    fn run(self) -> bool {
        self.execute(Plain)
    }

    #[inline(always)]
    fn run_as<F: Form>(self, form: F) -> bool {
        self.execute(form)
    }
}
