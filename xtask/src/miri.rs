//! The unit tests of modules that see memory as another type, under Miri on the nightly toolchain.

use crate::fuzz::nightly;
use anyhow::{Context, Result, ensure};

/// Packages, and the modules whose tests are run.
const MODULES: [(&str, &[&str]); 1] = [("featherline", &["scalar::form", "workspace"])];
/// Flags of the compiler: a processor without fused operations, and one with AVX2.
const PROCESSORS: [&str; 2] = ["", "-C target-feature=+avx2,+fma"];
const TOOL: &str = "rustup component add --toolchain nightly miri rust-src";

/// Fails where Miri finds undefined behaviour, or a test fails.
pub fn run() -> Result<()> {
    let version = nightly().args(["miri", "--version"]).output();
    let is_there = version.is_ok_and(|it| it.status.success());
    ensure!(is_there, "Miri is missing: {TOOL}");
    for flags in PROCESSORS {
        for (package, modules) in MODULES {
            let status = nightly()
                .args(["miri", "test", "--package", package, "--lib", "--"])
                .args(modules)
                .env("RUSTFLAGS", flags)
                // Kernels in the form of the processor that the flags describe.
                .env("FEATHERLINE_DEBUG_SET", "all")
                .status()
                .context("cannot start cargo")?;
            ensure!(status.success(), "Miri failed for {package} ({flags})");
        }
    }
    Ok(())
}
