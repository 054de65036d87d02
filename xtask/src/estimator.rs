//! The comparison of estimates with those of iDynTree's BERDY, on the iCub of `example-robot-data`.

use crate::{ci, paths, python};
use anyhow::{Context, Result, bail};

/// Compares, times both sides in turns, and writes the report unless it is a quick one.
pub fn run(seed: u64, states: usize, is_quick: bool) -> Result<()> {
    let interpreter = python::estimator_environment()?;
    let folder = paths::root().join("conformance");
    let mut comparison = ci::cargo();
    comparison
        .args(["run", "--quiet", "--release"])
        .args(["--package", "featherline-conformance"])
        .args(["--features", "comparisons"])
        .args(["--bin", "estimator", "--", "--python"])
        .arg(&interpreter)
        .arg("--reference")
        .arg(folder.join("estimator.py"))
        .args(["--seed", &seed.to_string()])
        .args(["--states", &states.to_string()]);
    if !is_quick {
        comparison.arg("--report").arg(folder.join("ESTIMATOR.md"));
    }
    let agreed = comparison.status().context("cannot start cargo")?;
    if !agreed.success() {
        bail!("the comparison of estimates failed ({agreed})");
    }
    Ok(())
}
