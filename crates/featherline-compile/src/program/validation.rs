//! Conditions that a program must satisfy to be run.

use super::{Instruction, Program};
use crate::invalid::Invalid;
use crate::quantity::Port;

/// No robot has more inputs; room for as many is made before they are known.
const MOST_INPUTS: u32 = 1 << 20;

impl Program {
    /// Checks that running the program reads nothing that was not written, stays within the slots,
    /// inputs and outputs, and gives each output once. Programs that were compiled satisfy it;
    /// files may not.
    ///
    /// Cost O(instructions).
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn validate(&self) -> Result<(), Invalid> {
        let (inputs, outputs) = (self.input_count, self.output_count);
        if inputs > MOST_INPUTS {
            return Err(Invalid::TooManyInputs { count: inputs });
        }
        check_ports("inputs", &self.inputs, inputs)?;
        check_ports("outputs", &self.outputs, outputs)?;
        self.check_slot_count()?;
        let stores = |i: &&Instruction| matches!(i, Instruction::Store { .. });
        let given = self.instructions.iter().filter(stores).count();
        if given < outputs as usize {
            return Err(Invalid::NotGivenOnce {
                output: given,
                times: 0,
            });
        }
        // Both are no longer than the file.
        let mut defined = vec![false; self.slots as usize];
        defined[..self.constants.len()].fill(true);
        let mut times = vec![0_usize; outputs as usize];
        for (i, instruction) in self.instructions.iter().enumerate() {
            let entry = |what, number, count| {
                let found = Invalid::NoSuchEntry {
                    instruction: i,
                    what,
                    number,
                    count,
                };
                if number < count { Ok(()) } else { Err(found) }
            };
            #[expect(clippy::wildcard_enum_match_arm, reason = "others have slots alone")]
            match *instruction {
                Instruction::Load { input, .. } => entry("input", input, inputs)?,
                Instruction::Store { output, .. } => {
                    entry("output", output, outputs)?;
                    times[output as usize] += 1;
                }
                Instruction::SinCos { sin, cos, .. } if sin == cos => {
                    return Err(Invalid::SameResult {
                        instruction: i,
                        slot: sin,
                    });
                }
                _ => {}
            }
            for slot in instruction.operands() {
                match defined.get(slot as usize) {
                    Some(true) => {}
                    Some(false) => {
                        return Err(Invalid::Undefined {
                            instruction: i,
                            slot,
                        });
                    }
                    None => return Err(self.no_such_slot(i, slot)),
                }
            }
            for slot in instruction.results() {
                if (slot as usize) < self.constants.len() {
                    return Err(Invalid::OverwrittenConstant {
                        instruction: i,
                        slot,
                    });
                }
                match defined.get_mut(slot as usize) {
                    Some(defined) => *defined = true,
                    None => return Err(self.no_such_slot(i, slot)),
                }
            }
        }
        match times.iter().position(|&times| times != 1) {
            Some(output) => Err(Invalid::NotGivenOnce {
                output,
                times: times[output],
            }),
            None => Ok(()),
        }
    }

    fn check_slot_count(&self) -> Result<(), Invalid> {
        let results = self
            .instructions
            .iter()
            .map(|i| i.results().count())
            .sum::<usize>();
        let written = self.constants.len() + results;
        let slots = self.slots as usize;
        if slots > written || slots < self.constants.len() {
            return Err(Invalid::TooManySlots {
                slots: self.slots,
                written,
            });
        }
        Ok(())
    }

    fn no_such_slot(&self, instruction: usize, slot: u32) -> Invalid {
        Invalid::NoSuchSlot {
            instruction,
            slot,
            slots: self.slots,
        }
    }
}

/// Names are there, different and printable, and the lengths add up.
fn check_ports(what: &'static str, ports: &[Port], count: u32) -> Result<(), Invalid> {
    let mut names: Vec<&str> = ports.iter().map(|port| port.name.as_str()).collect();
    names.sort_unstable();
    let different = names.windows(2).all(|pair| pair[0] != pair[1]);
    let printable = names
        .iter()
        .all(|name| !name.is_empty() && !name.chars().any(char::is_control));
    let len = ports
        .iter()
        .try_fold(0_usize, |sum, port| sum.checked_add(port.len()?));
    let within = |port: &Port| {
        let ends = port.units.iter().flat_map(|unit| [unit.start, unit.end]);
        let turns = port.units.iter().all(|unit| (2..=4).contains(&unit.len()));
        let last = port.units.last().map_or(0, |unit| unit.end);
        turns && ends.is_sorted() && port.len().is_some_and(|len| last <= len)
    };
    if different && printable && ports.iter().all(within) && len == Some(count as usize) {
        Ok(())
    } else {
        Err(Invalid::Ports { what, count })
    }
}
