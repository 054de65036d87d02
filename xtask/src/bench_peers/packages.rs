//! Packages that the system must have: a compiler and headers, which are installed only where that
//! is asked for.

use crate::python;
use anyhow::{Result, bail};
use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

/// The compiler of the peers that are written in C++.
pub const COMPILER: &str = "clang++-19";
/// Where Debian's package puts Eigen's headers.
pub const EIGEN: &str = "/usr/include/eigen3";

/// Makes sure that compiler and headers are there. With `install`, as root on Debian, installs what
/// is missing; else fails with the command that does.
pub fn require(install: bool) -> Result<()> {
    let missing = missing();
    if missing.is_empty() {
        return Ok(());
    }
    if !install {
        bail!("{}", how_to_install(&missing));
    }
    if !is_root() || !runs(Command::new("apt-get").arg("--version")) {
        bail!(
            "only root installs packages, with Debian's apt-get. {}",
            how_to_install(&missing)
        );
    }
    println!("Installing {}", missing.join(", "));
    let install = || {
        let mut install = Command::new("apt-get");
        install
            .args(["install", "--yes", "--no-install-recommends", "--quiet"])
            .args(&missing)
            .env("DEBIAN_FRONTEND", "noninteractive");
        install
    };
    // The lists of a fresh image are empty, or old enough to name files that are gone.
    if python::run(&mut install()).is_err() {
        python::run(Command::new("apt-get").args(["update", "--quiet"]))?;
        python::run(&mut install())?;
    }
    let missing = self::missing();
    if !missing.is_empty() {
        bail!(
            "installed, and still not found. {}",
            how_to_install(&missing)
        );
    }
    Ok(())
}

/// The missing packages, and the command that installs them.
fn how_to_install(missing: &[&str]) -> String {
    format!(
        "missing on this system: {}. On Debian, as root: apt-get install --no-install-recommends {}; `cargo xtask \
         bench-peers --install` runs it",
        missing.join(", "),
        missing.join(" ")
    )
}

/// Debian's names of what is missing.
fn missing() -> Vec<&'static str> {
    let mut missing = Vec::new();
    if !runs(Command::new(COMPILER).arg("--version")) {
        missing.push("clang-19");
    }
    if !Path::new(EIGEN).join("Eigen/Core").exists() {
        missing.push("libeigen3-dev");
    }
    let python = env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if !runs(Command::new(python).args(["-c", "import venv, pip"])) {
        missing.extend(["python3", "python3-pip", "python3-venv"]);
    }
    missing
}

fn runs(command: &mut Command) -> bool {
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

fn is_root() -> bool {
    python::output(Command::new("id").arg("-u")).is_ok_and(|id| id == "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_with_the_command() {
        let told = how_to_install(&["clang-19", "libeigen3-dev"]);
        assert!(
            told.starts_with("missing on this system: clang-19, libeigen3-dev. "),
            "{told}"
        );
        assert!(
            told.contains("--no-install-recommends clang-19 libeigen3-dev;"),
            "{told}"
        );
        assert!(told.contains("--install"), "{told}");
    }
}
