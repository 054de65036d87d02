//! The division of a program into phases in registers and calls between them: sines, cosines and
//! angles of vectors come from the library's functions, for which all registers have to be given
//! up. So they are taken together, as early as they can be.

use crate::program::{Instruction, Program};

/// A value's place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// None: it is found in registers, unless there are too few.
    Nowhere,
    /// A number of the block.
    Number(u32),
    /// A constant, the same for all states.
    Constant(u32),
}

/// Instructions without a call, and the functions that have to be called before.
#[derive(Debug, Default)]
pub(super) struct Phase {
    /// Angle, sine, cosine: numbers of the block.
    pub sin_cos: Vec<[u32; 3]>,
    /// y, x, angle: numbers of the block.
    pub atan2: Vec<[u32; 3]>,
    /// Each writes a value of its own; no load, no store. Values that have a home are stored there,
    /// too.
    pub instructions: Vec<Instruction>,
}

/// A program in phases. Instructions name values, not slots: each is written once.
#[derive(Debug)]
pub(super) struct Phases {
    pub phases: Vec<Phase>,
    /// Where each value lives.
    pub homes: Vec<Home>,
    /// The number of the block for each output.
    pub outputs: Vec<u32>,
    /// Numbers of the block that are constants.
    pub constants: Vec<(u32, f64)>,
    /// How many numbers the block has. The inputs are the first.
    pub numbers: u32,
}

impl Phases {
    /// Splits a program. Constants become numbers of the block unless an instruction can take one
    /// for all lanes.
    pub fn of(program: &Program, broadcasts: bool) -> Self {
        let (instructions, values) = program.single_assignment();
        let mut placement = Placement {
            constants: &program.constants,
            phases: Self {
                phases: Vec::new(),
                homes: vec![Home::Nowhere; values],
                outputs: vec![0; program.output_count()],
                constants: Vec::new(),
                numbers: program.input_count,
            },
        };
        for k in 0..program.constants.len() {
            placement.phases.homes[k] = Home::Constant(k as u32);
            if !broadcasts {
                placement.number(k as u32);
            }
        }
        let levels = levels(&instructions, values);
        let last = levels.iter().copied().max().unwrap_or(0);
        let deadlines = deadlines(&instructions, &levels, last);
        placement
            .phases
            .phases
            .resize_with(last + 1, Phase::default);
        placement.place(&instructions, &levels, &deadlines);
        placement.phases
    }

    /// A number of the block that is constant.
    pub fn add_constant(&mut self, value: f64) -> u32 {
        let number = self.numbers;
        self.numbers += 1;
        self.constants.push((number, value));
        number
    }
}

fn is_function(instruction: &Instruction) -> bool {
    matches!(
        instruction,
        Instruction::SinCos { .. } | Instruction::Atan2 { .. }
    )
}

/// How many functions have to be called one after the other before each value is known.
fn levels(instructions: &[Instruction], values: usize) -> Vec<usize> {
    let mut levels = vec![0; values];
    for instruction in instructions {
        let operands = instruction.operands().map(|v| levels[v as usize]).max();
        let level = operands.unwrap_or(0) + usize::from(is_function(instruction));
        for result in instruction.results() {
            levels[result as usize] = level;
        }
    }
    levels
}

/// The last phase in which each value may be computed; the last one for unneeded values.
fn deadlines(instructions: &[Instruction], levels: &[usize], last: usize) -> Vec<usize> {
    let mut deadlines = vec![last; levels.len()];
    for instruction in instructions.iter().rev() {
        let Some(result) = instruction.results().next() else {
            continue;
        };
        let before = if is_function(instruction) {
            levels[result as usize] - 1
        } else {
            deadlines[result as usize]
        };
        for operand in instruction.operands() {
            let deadline = &mut deadlines[operand as usize];
            *deadline = before.min(*deadline);
        }
    }
    deadlines
}

struct Placement<'p> {
    constants: &'p [f64],
    phases: Phases,
}

impl Placement<'_> {
    /// The value's number in the block; it gets one if it has none.
    fn number(&mut self, value: u32) -> u32 {
        let home = self.phases.homes[value as usize];
        if let Home::Number(number) = home {
            return number;
        }
        let number = if let Home::Constant(k) = home {
            self.phases.add_constant(self.constants[k as usize])
        } else {
            self.phases.numbers += 1;
            self.phases.numbers - 1
        };
        self.phases.homes[value as usize] = Home::Number(number);
        number
    }

    fn place(&mut self, instructions: &[Instruction], levels: &[usize], deadlines: &[usize]) {
        for instruction in instructions {
            #[expect(clippy::wildcard_enum_match_arm, reason = "phases compute the others")]
            match *instruction {
                Instruction::Load { to, input } => {
                    self.phases.homes[to as usize] = Home::Number(input);
                }
                Instruction::Store { output, from } => {
                    self.phases.outputs[output as usize] = self.number(from);
                }
                Instruction::SinCos { sin, cos, a } => {
                    let numbers = [a, sin, cos].map(|value| self.number(value));
                    self.phases.phases[levels[sin as usize]]
                        .sin_cos
                        .push(numbers);
                }
                Instruction::Atan2 { to, a, b } => {
                    let numbers = [a, b, to].map(|value| self.number(value));
                    self.phases.phases[levels[to as usize]].atan2.push(numbers);
                }
                _ => self.compute(*instruction, levels, deadlines),
            }
        }
    }

    /// The results of an earlier phase for this one go through memory.
    fn compute(&mut self, instruction: Instruction, levels: &[usize], deadlines: &[usize]) {
        let Some(result) = instruction.results().next() else {
            return;
        };
        let own = deadlines[result as usize];
        for operand in instruction.operands() {
            let is_computed = self.phases.homes[operand as usize] == Home::Nowhere;
            if is_computed && deadlines[operand as usize].max(levels[operand as usize]) < own {
                self.number(operand);
            }
        }
        self.phases.phases[own].instructions.push(instruction);
    }
}
