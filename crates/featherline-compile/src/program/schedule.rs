//! The order of instructions that keeps few values alive.
//!
//! To find the best order is NP-hard for graphs (R. Sethi, *Complete register allocation problems*,
//! 1975). Three are tried: that of the trace, the one of R. Sethi and J. D. Ullman (*The generation
//! of optimal code for arithmetic expressions*, 1970), which is best for trees, and a greedy one
//! that frees as many values as it can; the best is taken.

use super::instruction::{Instruction, Slot};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Reorders instructions in single assignment; returns how many values live at once.
pub(super) fn schedule(instructions: &mut Vec<Instruction>, slots: u32) -> usize {
    let links = Links::of(instructions, slots);
    let traced: Vec<usize> = (0..instructions.len()).collect();
    let orders = [
        links.depth_first(instructions),
        links.greedy(instructions),
        traced,
    ];
    let (mut best, mut least) = (Vec::new(), usize::MAX);
    for order in orders {
        let live = links.most_alive(instructions, &order);
        if live < least {
            (best, least) = (order, live);
        }
    }
    *instructions = best.into_iter().map(|i| instructions[i]).collect();
    least
}

/// Who writes and who reads.
struct Links {
    /// The instruction that writes each slot; none for constants.
    writer: Vec<Option<u32>>,
    /// The instructions that read each slot, each once.
    readers: Vec<Vec<u32>>,
}

impl Links {
    fn of(instructions: &[Instruction], slots: u32) -> Self {
        let mut writer = vec![None; slots as usize];
        let mut readers: Vec<Vec<u32>> = vec![Vec::new(); slots as usize];
        for (i, instruction) in instructions.iter().enumerate() {
            let number = i as u32;
            for slot in instruction.results() {
                writer[slot as usize] = Some(number);
            }
            for slot in instruction.operands() {
                if readers[slot as usize].last() != Some(&number) {
                    readers[slot as usize].push(number);
                }
            }
        }
        Self { writer, readers }
    }

    fn is_constant(&self, slot: Slot) -> bool {
        self.writer[slot as usize].is_none()
    }

    /// The operands that are no constants, each once.
    fn variables(&self, instruction: &Instruction) -> impl Iterator<Item = Slot> {
        let mut all: Vec<Slot> = instruction
            .operands()
            .filter(|&s| !self.is_constant(s))
            .collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter()
    }

    /// How many values live at once: a result may take the place of its operands.
    fn most_alive(&self, instructions: &[Instruction], order: &[usize]) -> usize {
        let mut left: Vec<usize> = self.readers.iter().map(Vec::len).collect();
        let (mut alive, mut most) = (0, 0);
        for &i in order {
            for slot in self.variables(&instructions[i]) {
                left[slot as usize] -= 1;
                alive -= usize::from(left[slot as usize] == 0);
            }
            alive += instructions[i].results().count();
            most = most.max(alive);
            alive -= instructions[i]
                .results()
                .filter(|&s| left[s as usize] == 0)
                .count();
        }
        most
    }

    /// Each output with what it needs, the operand first whose computation needs most slots.
    fn depth_first(&self, instructions: &[Instruction]) -> Vec<usize> {
        // The Sethi-Ullman number, as if the graph were a tree.
        let mut need = vec![0_u32; instructions.len()];
        for (i, instruction) in instructions.iter().enumerate() {
            let writers = self
                .variables(instruction)
                .filter_map(|s| self.writer[s as usize]);
            let mut needs: Vec<u32> = writers.map(|w| need[w as usize]).collect();
            needs.sort_unstable_by_key(|&n| Reverse(n));
            let held = needs.iter().enumerate().map(|(k, &n)| n + k as u32).max();
            need[i] = held.unwrap_or(0).max(1);
        }
        let mut order = Vec::with_capacity(instructions.len());
        let mut done = vec![false; instructions.len()];
        let mut stack: Vec<(usize, bool)> = Vec::new();
        for (i, instruction) in instructions.iter().enumerate() {
            if matches!(instruction, Instruction::Store { .. }) {
                stack.push((i, false));
            }
            while let Some((i, operands_done)) = stack.pop() {
                if done[i] {
                    continue;
                }
                if operands_done {
                    done[i] = true;
                    order.push(i);
                    continue;
                }
                stack.push((i, true));
                let writers = self
                    .variables(&instructions[i])
                    .filter_map(|s| self.writer[s as usize]);
                let mut writers: Vec<usize> = writers.map(|w| w as usize).collect();
                // The last one on the stack comes first.
                writers.sort_by_key(|&w| need[w]);
                stack.extend(writers.into_iter().map(|w| (w, false)));
            }
        }
        order
    }

    /// Of all instructions that are ready, the one that leaves the fewest values alive; of those,
    /// the one that was made ready last, so that a computation once begun is finished. Inputs are
    /// loaded by who needs them first.
    fn greedy(&self, instructions: &[Instruction]) -> Vec<usize> {
        let is_load = |i: usize| matches!(instructions[i], Instruction::Load { .. });
        let mut left: Vec<usize> = self.readers.iter().map(Vec::len).collect();
        let mut waiting: Vec<usize> = vec![0; instructions.len()];
        let mut loaded = vec![false; instructions.len()];
        let mut done = vec![false; instructions.len()];
        let mut order = Vec::with_capacity(instructions.len());
        // Entries whose cost has changed since are put back with the new one.
        let mut ready: BinaryHeap<(Reverse<isize>, u64, usize)> = BinaryHeap::new();
        let mut clock = 0;
        let writer_of = |slot: Slot| self.writer[slot as usize].map(|w| w as usize);
        let cost = |i: usize, left: &[usize], loaded: &[bool]| -> isize {
            let mut cost = instructions[i].results().count() as isize;
            for slot in self.variables(&instructions[i]) {
                let to_load = writer_of(slot).is_some_and(|w| is_load(w) && !loaded[w]);
                cost += isize::from(to_load) - isize::from(left[slot as usize] == 1);
            }
            cost
        };
        for (i, instruction) in instructions.iter().enumerate() {
            let awaited = |s: &Slot| writer_of(*s).is_some_and(|w| !is_load(w));
            waiting[i] = self.variables(instruction).filter(awaited).count();
            if waiting[i] == 0 && !is_load(i) {
                ready.push((Reverse(cost(i, &left, &loaded)), clock, i));
            }
        }
        while let Some((Reverse(expected), age, i)) = ready.pop() {
            let now = cost(i, &left, &loaded);
            if done[i] {
                continue;
            }
            if now != expected {
                ready.push((Reverse(now), age, i));
                continue;
            }
            done[i] = true;
            clock += 1;
            for slot in self.variables(&instructions[i]) {
                if let Some(w) = writer_of(slot)
                    && is_load(w)
                    && !loaded[w]
                {
                    loaded[w] = true;
                    order.push(w);
                }
                left[slot as usize] -= 1;
                if left[slot as usize] == 1 {
                    // Its last reader has become cheaper; a stale entry would be found too late.
                    for &reader in &self.readers[slot as usize] {
                        let reader = reader as usize;
                        if waiting[reader] == 0 && !done[reader] && !is_load(reader) {
                            ready.push((Reverse(cost(reader, &left, &loaded)), clock, reader));
                        }
                    }
                }
            }
            order.push(i);
            for slot in instructions[i].results() {
                for &reader in &self.readers[slot as usize] {
                    let reader = reader as usize;
                    waiting[reader] -= 1;
                    if waiting[reader] == 0 {
                        ready.push((Reverse(cost(reader, &left, &loaded)), clock, reader));
                    }
                }
            }
        }
        order
    }
}
