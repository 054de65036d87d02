//! One core for everything that is timed.

use anyhow::{Result, anyhow, bail};

/// Keeps this process and the children that it starts on one core: the given one, or the last,
/// which the system uses least.
///
/// # Errors
/// If there is no such core, or the system refuses.
pub fn pin(core: Option<usize>) -> Result<()> {
    let cores = core_affinity::get_core_ids().ok_or_else(|| anyhow!("cannot list the cores"))?;
    let chosen = match core {
        Some(id) => cores.into_iter().find(|core| core.id == id),
        None => cores.into_iter().next_back(),
    };
    let chosen = chosen.ok_or_else(|| anyhow!("there is no such core"))?;
    if !core_affinity::set_for_current(chosen) {
        bail!("cannot pin this process to core {}", chosen.id);
    }
    Ok(())
}
