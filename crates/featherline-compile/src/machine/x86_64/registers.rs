//! Which value is in which register when.
//!
//! Without branches it is known when each value is needed next. Where registers are too few, that
//! one is given up which is not needed for longest, which is best for the number of loads (L. A.
//! Belady, *A study of replacement algorithms for a virtual-storage computer*, 1966).

use super::step::{BinaryKind, OperandOrder, Signs, Source, Step};
use crate::machine::phases::{Home, Phase};
use crate::program::Instruction;

/// How many instructions ahead a next use is not worth a register.
const FAR: usize = 24;

/// The steps of each phase. Values for which there are too few registers get numbers of the block,
/// which are added to `numbers`.
///
/// `sign` is where −0 is found.
pub(super) fn allocate(
    phases: &[Phase],
    homes: &[Home],
    sign: Source,
    registers: usize,
    numbers: &mut u32,
) -> Vec<Vec<Step>> {
    let mut allocation = Allocation {
        homes: homes.to_vec(),
        uses: vec![Vec::new(); homes.len()],
        place: vec![None; homes.len()],
        holds: vec![None; registers],
        pinned: vec![false; registers],
        sign,
        spilled: vec![false; homes.len()],
        free_numbers: Vec::new(),
        numbers,
        now: 0,
        steps: Vec::new(),
    };
    let steps = phases.iter().map(|phase| allocation.phase(phase));
    steps.collect()
}

struct Allocation<'n> {
    homes: Vec<Home>,
    /// The instructions that use each value from now on, the next one last.
    uses: Vec<Vec<usize>>,
    /// The register of each value.
    place: Vec<Option<u8>>,
    /// The value of each register.
    holds: Vec<Option<u32>>,
    /// Registers that the instruction at hand reads.
    pinned: Vec<bool>,
    sign: Source,
    /// Which values have a number for want of registers.
    spilled: Vec<bool>,
    /// Numbers of such values that are not needed any more.
    free_numbers: Vec<u32>,
    numbers: &'n mut u32,
    /// The instruction at hand.
    now: usize,
    steps: Vec<Step>,
}

impl Allocation<'_> {
    /// A phase begins and ends with nothing in registers, and without a use to come.
    fn phase(&mut self, phase: &Phase) -> Vec<Step> {
        for (i, instruction) in phase.instructions.iter().enumerate().rev() {
            for operand in instruction.operands() {
                let uses = &mut self.uses[operand as usize];
                if uses.last() != Some(&i) {
                    uses.push(i);
                }
            }
        }
        for (i, instruction) in phase.instructions.iter().enumerate() {
            self.now = i;
            self.instruction(instruction);
        }
        std::mem::take(&mut self.steps)
    }

    fn instruction(&mut self, instruction: &Instruction) {
        for operand in instruction.operands() {
            if let Some(register) = self.place[operand as usize] {
                self.pinned[register as usize] = true;
            }
            // The remaining uses are later ones.
            self.uses[operand as usize].pop_if(|next| *next == self.now);
        }
        self.compute(instruction);
        for operand in instruction.operands() {
            self.end(operand);
        }
        for result in instruction.results() {
            if let (Home::Number(number), Some(from)) =
                (self.homes[result as usize], self.place[result as usize])
            {
                self.steps.push(Step::Store { number, from });
            }
            self.end(result);
        }
        self.pinned.fill(false);
    }

    fn compute(&mut self, instruction: &Instruction) {
        match *instruction {
            Instruction::Add { to, a, b } => self.commuting(BinaryKind::Add, to, a, b),
            Instruction::Mul { to, a, b } => self.commuting(BinaryKind::Mul, to, a, b),
            Instruction::Sub { to, a, b } => self.two(BinaryKind::Sub, to, a, b),
            Instruction::Div { to, a, b } => self.two(BinaryKind::Div, to, a, b),
            Instruction::Min { to, a, b } => self.two(BinaryKind::Min, to, a, b),
            Instruction::Max { to, a, b } => self.two(BinaryKind::Max, to, a, b),
            Instruction::MulAdd { to, a, b, c } => self.fused(Signs::MulAdd, to, [a, b, c]),
            Instruction::MulSub { to, a, b, c } => self.fused(Signs::MulSub, to, [a, b, c]),
            Instruction::NegMulAdd { to, a, b, c } => self.fused(Signs::NegMulAdd, to, [a, b, c]),
            Instruction::Sqrt { to, a } => {
                let b = self.source(a);
                let to = self.result(to, &[a]);
                self.steps.push(Step::Sqrt { to, b });
            }
            Instruction::Neg { to, a } => {
                let (first, b) = (self.register(a), self.sign);
                let (kind, a, to) = (BinaryKind::Xor, first, self.result(to, &[a]));
                self.steps.push(Step::Binary { kind, to, a, b });
            }
            Instruction::Abs { to, a } => {
                let (b, from) = (Source::Register(self.register(a)), self.sign);
                // Not the operand's register: it takes the sign first.
                let to = self.result(to, &[]);
                self.steps.push(Step::Move { to, from });
                let (kind, a) = (BinaryKind::AndNot, to);
                self.steps.push(Step::Binary { kind, to, a, b });
            }
            Instruction::Select { to, a, b, yes, no } => {
                let (first, second) = (self.register(a), self.source(b));
                self.steps.push(Step::Less {
                    a: first,
                    b: second,
                });
                let (without, with) = (self.register(no), self.source(yes));
                let to = self.result(to, &[a, b, yes, no]);
                self.steps.push(Step::Select {
                    to,
                    no: without,
                    yes: with,
                });
            }
            // They are not among a phase's instructions.
            Instruction::Load { .. }
            | Instruction::Store { .. }
            | Instruction::SinCos { .. }
            | Instruction::Atan2 { .. } => {}
        }
    }

    /// Two operands, of which any may stay in memory.
    fn commuting(&mut self, kind: BinaryKind, to: u32, a: u32, b: u32) {
        let in_register = |value: u32| self.place[value as usize].is_some();
        let swap = match (in_register(a), in_register(b)) {
            (false, true) => true,
            (false, false) => self.distance(a) > self.distance(b),
            _ => false,
        };
        if swap {
            self.two(kind, to, b, a);
        } else {
            self.two(kind, to, a, b);
        }
    }

    fn two(&mut self, kind: BinaryKind, to: u32, a: u32, b: u32) {
        let (first, second) = (self.register(a), self.source(b));
        let to = self.result(to, &[a, b]);
        self.steps.push(Step::Binary {
            kind,
            to,
            a: first,
            b: second,
        });
    }

    /// Factor, factor and addend, one of which is overwritten.
    fn fused(&mut self, signs: Signs, to: u32, operands: [u32; 3]) {
        let stays = self.stays_in_memory(operands);
        for value in operands {
            if Some(value) != stays {
                self.register(value);
            }
        }
        // The one to overwrite: the best is one that ends here; then one that has to be loaded
        // anyway.
        let ends = |k: &usize| {
            let value = operands[*k] as usize;
            self.uses[value].is_empty() && self.place[value].is_some()
        };
        let ending = [2, 0, 1].into_iter().find(ends);
        let loaded = operands.iter().position(|&value| Some(value) == stays);
        let k = ending.or(loaded).unwrap_or(2);
        let sources = operands.map(|value| self.at_hand(value));
        let to = match ending {
            Some(k) => self.result(to, &[operands[k]]),
            None => {
                let to = self.result(to, &[]);
                let from = sources[k];
                self.steps.push(Step::Move { to, from });
                to
            }
        };
        let (order, others) = match k {
            0 => (OperandOrder::ToTimesA, [sources[1], sources[2]]),
            1 => (OperandOrder::ToTimesA, [sources[0], sources[2]]),
            _ => (OperandOrder::AddTo, [sources[0], sources[1]]),
        };
        let (order, a, b) = match (order, others) {
            (order, [Source::Register(a), b]) => (order, a, b),
            (OperandOrder::AddTo, [b, Source::Register(a)]) => (OperandOrder::AddTo, a, b),
            (_, [b, Source::Register(a)]) => (OperandOrder::ToTimesB, a, b),
            // At most one operand stayed in memory.
            _ => unreachable!("two operands are in registers"),
        };
        self.steps.push(Step::Fused {
            signs,
            order,
            to,
            a,
            b,
        });
    }

    /// The operand that an instruction takes from memory, if any: the one needed last.
    fn stays_in_memory(&self, operands: [u32; 3]) -> Option<u32> {
        operands
            .into_iter()
            .filter(|&value| self.place[value as usize].is_none())
            .filter(|&value| operands.iter().filter(|&&other| other == value).count() == 1)
            .filter(|&value| self.distance(value) > FAR)
            .max_by_key(|&value| self.distance(value))
    }

    /// Where an instruction takes its last operand from: memory, unless it is needed soon.
    fn source(&mut self, value: u32) -> Source {
        if self.place[value as usize].is_none() && self.distance(value) <= FAR {
            self.register(value);
        }
        self.at_hand(value)
    }

    /// Where the value is.
    fn at_hand(&self, value: u32) -> Source {
        match (self.place[value as usize], self.homes[value as usize]) {
            (Some(register), _) => Source::Register(register),
            (None, Home::Constant(k)) => Source::Constant(k),
            (None, Home::Number(k)) => Source::Number(k),
            (None, Home::Nowhere) => {
                unreachable!("a value is stored before it leaves its register")
            }
        }
    }

    /// How many instructions until the value is needed again.
    fn distance(&self, value: u32) -> usize {
        let next = self.uses[value as usize].last();
        next.map_or(usize::MAX, |next| next - self.now)
    }

    /// The value's register, into which it is loaded if it is in none.
    fn register(&mut self, value: u32) -> u8 {
        let register = match self.place[value as usize] {
            Some(register) => register,
            None => {
                let from = self.at_hand(value);
                let to = self.vacate();
                self.steps.push(Step::Move { to, from });
                self.hold(value, to);
                to
            }
        };
        self.pinned[register as usize] = true;
        register
    }

    /// A register for a result: that of one of these operands if it ends here.
    fn result(&mut self, value: u32, operands: &[u32]) -> u8 {
        let ending = operands.iter().find_map(|&operand| {
            let register = self.place[operand as usize]?;
            self.uses[operand as usize]
                .is_empty()
                .then_some((operand, register))
        });
        let register = match ending {
            Some((operand, register)) => {
                self.place[operand as usize] = None;
                register
            }
            None => self.vacate(),
        };
        self.hold(value, register);
        register
    }

    fn hold(&mut self, value: u32, register: u8) {
        self.place[value as usize] = Some(register);
        self.holds[register as usize] = Some(value);
    }

    /// A register that holds nothing, or else that of the value needed last.
    fn vacate(&mut self) -> u8 {
        if let Some(register) = self.holds.iter().position(Option::is_none) {
            return register as u8;
        }
        let held = self.holds.iter().zip(&self.pinned).enumerate();
        let (register, value) = held
            .filter(|(_, (_, pinned))| !**pinned)
            .filter_map(|(register, (value, _))| Some((register, (*value)?)))
            .max_by_key(|&(_, value)| self.distance(value))
            .expect("an instruction reads fewer values than there are registers");
        if self.homes[value as usize] == Home::Nowhere {
            self.spill(value, register as u8);
        }
        self.place[value as usize] = None;
        self.holds[register] = None;
        register as u8
    }

    fn spill(&mut self, value: u32, from: u8) {
        let number = self.free_numbers.pop().unwrap_or_else(|| {
            *self.numbers += 1;
            *self.numbers - 1
        });
        self.homes[value as usize] = Home::Number(number);
        self.spilled[value as usize] = true;
        self.steps.push(Step::Store { number, from });
    }

    /// Gives up what a value occupies, if it is not needed any more.
    fn end(&mut self, value: u32) {
        if !self.uses[value as usize].is_empty() {
            return;
        }
        if let Some(register) = self.place[value as usize].take() {
            self.holds[register as usize] = None;
        }
        if let Home::Number(number) = self.homes[value as usize]
            && std::mem::take(&mut self.spilled[value as usize])
        {
            self.free_numbers.push(number);
        }
    }
}
