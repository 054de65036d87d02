//! From as many slots as there are values to as many as live at once.

use super::instruction::Slot;
use super::lowering::Lowered;

/// Shares slots among values that never live together, constants first; returns their count.
pub(super) fn allocate(lowered: &mut Lowered) -> u32 {
    let values = lowered.slots as usize;
    let mut place: Vec<Slot> = vec![0; values];
    let mut is_constant = vec![false; values];
    for (k, &slot) in lowered.constant_slots.iter().enumerate() {
        place[slot as usize] = k as u32;
        is_constant[slot as usize] = true;
    }
    // A value that nobody reads lives in the instruction that writes it.
    let mut last_use: Vec<usize> = vec![0; values];
    for (i, instruction) in lowered.instructions.iter().enumerate() {
        for slot in instruction.operands().chain(instruction.results()) {
            last_use[slot as usize] = i;
        }
    }
    let mut free: Vec<Slot> = Vec::new();
    let mut slots = lowered.constants.len() as u32;
    for i in 0..lowered.instructions.len() {
        let instruction = lowered.instructions[i];
        // Read before written: a result may take the place of an operand that ends here.
        let mut ended: Vec<Slot> = instruction
            .operands()
            .filter(|&s| last_use[s as usize] == i && !is_constant[s as usize])
            .collect();
        ended.sort_unstable();
        ended.dedup();
        free.extend(ended.iter().map(|&s| place[s as usize]));
        for result in instruction.results() {
            place[result as usize] = free.pop().unwrap_or_else(|| {
                slots += 1;
                slots - 1
            });
        }
        free.extend(
            instruction
                .results()
                .filter(|&s| last_use[s as usize] == i)
                .map(|s| place[s as usize]),
        );
        let placed = |slot: Slot| place[slot as usize];
        lowered.instructions[i] = instruction.renamed(placed, placed);
    }
    slots
}
