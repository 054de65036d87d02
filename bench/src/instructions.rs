//! Instruction sets by name, to measure narrower processors on a wider one.

use anyhow::{Result, bail};
use featherline::scalar::InstructionSet;

/// The names, and what featherline is limited to: without fused multiply-add, with it in registers
/// of 256 bits, of 512.
const SETS: [(&str, InstructionSet); 3] = [
    ("sse2", InstructionSet::Baseline),
    ("avx2", InstructionSet::Avx2),
    ("avx512", InstructionSet::Avx512),
];

/// Limits featherline in this process to the set of a name.
///
/// # Errors
/// If there is no such name, or the processor lacks the set.
pub fn limit(name: &str) -> Result<()> {
    let Some((_, set)) = SETS.iter().find(|(known, _)| *known == name) else {
        bail!("unknown instructions `{name}`; there are: sse2, avx2, avx512");
    };
    if set.limit() != *set {
        bail!("this processor lacks {name}");
    }
    Ok(())
}
