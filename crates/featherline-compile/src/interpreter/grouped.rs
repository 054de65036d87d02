//! Instructions of one kind behind each other: a processor then seldom guesses wrong what comes
//! next.

use crate::program::{Instruction, Program};
use std::mem::discriminant;

/// Instructions, those of one kind in groups.
#[derive(Clone, Debug)]
pub(super) struct Grouped {
    pub instructions: Vec<Instruction>,
    /// Where each group ends.
    pub ends: Vec<usize>,
    /// How many numbers they keep.
    pub slots: usize,
}

/// Where runs of one kind end.
pub(super) fn ends(instructions: &[Instruction]) -> Vec<usize> {
    let kind = |i: usize| discriminant(&instructions[i]);
    let count = instructions.len();
    let ends = (1..=count).filter(|&end| end == count || kind(end) != kind(end - 1));
    ends.collect()
}

impl Grouped {
    /// The instructions of a program in groups that are as long as a greedy choice makes them: of
    /// the kinds that have instructions whose operands are known, the one that has most of them
    /// comes next. Each result has a slot of its own.
    pub fn new(program: &Program) -> Self {
        let constants = program.constants.len() as u32;
        let (single, slots) = program.single_assignment();
        // The results of the instructions count from the constants on.
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); slots];
        let mut waiting = vec![0_usize; single.len()];
        for (i, instruction) in single.iter().enumerate() {
            for slot in instruction.operands().filter(|&slot| slot >= constants) {
                readers[slot as usize].push(i);
                waiting[i] += 1;
            }
        }
        let mut ready: Vec<Vec<usize>> = Vec::new();
        let mut kinds = Vec::new();
        let mut kind_of = |i: usize, ready: &mut Vec<Vec<usize>>| {
            let kind = discriminant(&single[i]);
            let known = kinds.iter().position(|&other| other == kind);
            known.unwrap_or_else(|| {
                kinds.push(kind);
                ready.push(Vec::new());
                kinds.len() - 1
            })
        };
        for i in (0..waiting.len()).filter(|&i| waiting[i] == 0) {
            let kind = kind_of(i, &mut ready);
            ready[kind].push(i);
        }
        let mut place: Vec<u32> = (0..slots as u32).collect();
        let mut next = constants;
        let mut grouped = Self {
            instructions: Vec::with_capacity(waiting.len()),
            ends: Vec::new(),
            slots,
        };
        while let Some(most) = (0..ready.len()).max_by_key(|&kind| ready[kind].len())
            && !ready[most].is_empty()
        {
            while let Some(i) = ready[most].pop() {
                let instruction = single[i];
                for slot in instruction.results() {
                    place[slot as usize] = next;
                    next += 1;
                    for &reader in &readers[slot as usize] {
                        waiting[reader] -= 1;
                        if waiting[reader] == 0 {
                            let kind = kind_of(reader, &mut ready);
                            ready[kind].push(reader);
                        }
                    }
                }
                let placed = |slot: u32| place[slot as usize];
                grouped
                    .instructions
                    .push(instruction.renamed(placed, placed));
            }
            grouped.ends.push(grouped.instructions.len());
        }
        grouped
    }
}
