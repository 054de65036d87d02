//! Instruction sets by name, to measure narrower processors on a wider one.

use anyhow::{Result, ensure};
use featherline::scalar::InstructionSet;
use featherline::words::Words;

/// Limits featherline in this process to the set of a name.
///
/// # Errors
/// If there is no such name, or the processor lacks the set.
pub fn limit(name: &str) -> Result<()> {
    let set = InstructionSet::from_word(name)?;
    ensure!(set.limit() == set, "this processor lacks {name}");
    Ok(())
}
