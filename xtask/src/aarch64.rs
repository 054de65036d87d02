//! Kernels and compiled programs on AArch64, whose vectors are NEON's: built for it here, and run
//! by QEMU.

use crate::ci::cargo;
use anyhow::{Context, Result, bail};

const TARGET: &str = "aarch64-unknown-linux-gnu";

/// The crates that depend on the processor.
const PACKAGES: [&str; 8] = [
    "-p",
    "featherline",
    "-p",
    "featherline-compile",
    "-p",
    "featherline-instruction-sets",
    "--features",
    "featherline-instruction-sets/every-set",
];

/// Lints and tests. Needed: the target of the Rust toolchain (`rustup target add`), and Debian's
/// `gcc-aarch64-linux-gnu` and `qemu-user`.
pub fn run() -> Result<()> {
    cargo_for_target(&["clippy", "--all-targets"], &["-D", "warnings"])?;
    cargo_for_target(&["test", "--lib", "--tests", "--no-fail-fast"], &[])
}

fn cargo_for_target(subcommand: &[&str], last: &[&str]) -> Result<()> {
    let status = cargo()
        .args(subcommand)
        .args(["--target", TARGET])
        .args(PACKAGES)
        .arg("--")
        .args(last)
        .env(
            "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER",
            "aarch64-linux-gnu-gcc",
        )
        .env(
            "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER",
            "qemu-aarch64 -L /usr/aarch64-linux-gnu",
        )
        .status()
        .context("cannot start cargo")?;
    if !status.success() {
        bail!(
            "`cargo {}` for {TARGET} failed ({status}); it needs `rustup target add {TARGET}`, and the packages \
             gcc-aarch64-linux-gnu and qemu-user",
            subcommand.join(" ")
        );
    }
    Ok(())
}
