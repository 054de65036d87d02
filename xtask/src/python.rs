//! Python environments, made on demand under `target/`.

use crate::paths;
use anyhow::{Context, Result, anyhow, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// The Python that the pinned packages are made for.
const VERSION: &str = "3.11";

/// The interpreter of the environment with Pinocchio.
pub fn environment() -> Result<PathBuf> {
    environment_with("conformance/requirements.txt", "conformance-python")
}

/// The interpreter of the environment with iDynTree.
pub fn estimator_environment() -> Result<PathBuf> {
    environment_with("conformance/requirements-estimator.txt", "estimator-python")
}

/// The interpreter of the environment with MuJoCo, as the reader of MJCF files.
pub fn formats_environment() -> Result<PathBuf> {
    environment_with("conformance/formats/requirements.txt", "formats-python")
}

/// The interpreter of the environment in which the Python package is built and tested, or released.
pub fn package_environment(release: bool) -> Result<PathBuf> {
    if release {
        environment_with("python/requirements-release.txt", "package-release-python")
    } else {
        environment_with("python/requirements.txt", "package-python")
    }
}

/// The interpreter of the environment in which the Python package works with Ray.
pub fn ray_environment() -> Result<PathBuf> {
    environment_with("python/requirements-ray.txt", "ray-python")
}

/// An environment's interpreter; makes the environment unless one with the same packages is there.
fn environment_with(requirements: &str, folder: &str) -> Result<PathBuf> {
    let requirements = paths::root().join(requirements);
    let wanted = fs::read_to_string(&requirements)
        .with_context(|| format!("cannot read {}", requirements.display()))?;
    let folder = paths::target().join(folder);
    let interpreter = folder.join("bin/python");
    // Written last, and holding what was installed: an interrupted or outdated installation is made
    // again.
    let installed = folder.join("installed.txt");
    if interpreter.exists() && fs::read_to_string(&installed).is_ok_and(|text| text == wanted) {
        return Ok(interpreter);
    }
    let python = system_python()?;
    println!("Making the Python environment {}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    // Debian's Python lacks `ensurepip` unless python3-venv is installed; pip can install from
    // outside.
    run(Command::new(&python)
        .args(["-m", "venv", "--without-pip"])
        .arg(&folder))?;
    run(Command::new(&python)
        .args(["-m", "pip", "--python"])
        .arg(&interpreter)
        .args([
            "--disable-pip-version-check",
            "--no-input",
            "install",
            "--quiet",
            "--only-binary",
            ":all:",
        ])
        .arg("--requirement")
        .arg(&requirements))?;
    fs::write(&installed, wanted)
        .with_context(|| format!("cannot write {}", installed.display()))?;
    Ok(interpreter)
}

/// A call of the reference program.
pub fn reference(interpreter: &Path) -> Command {
    let mut command = Command::new(interpreter);
    command
        .arg(paths::root().join("conformance/reference.py"))
        // Keep the sources' folder free of compiled files.
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::null());
    command
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start {command:?}"))?;
    if !status.success() {
        bail!("{command:?} failed ({status})");
    }
    Ok(())
}

/// Runs a compiler to its end, and shows what it prints only where it fails.
pub fn run_quietly(command: &mut Command) -> Result<()> {
    let done = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {command:?}"))?;
    if !done.status.success() {
        let printed = [done.stdout, done.stderr].concat();
        let printed = String::from_utf8_lossy(&printed);
        bail!("{command:?} failed ({}):\n{printed}", done.status);
    }
    Ok(())
}

/// The output of a command, without the end of the last line.
pub fn output(command: &mut Command) -> Result<String> {
    let done = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {command:?}"))?;
    if !done.status.success() {
        bail!("{command:?} failed ({})", done.status);
    }
    let text = String::from_utf8(done.stdout).context("the output is not UTF-8")?;
    Ok(text.trim_end().to_owned())
}

/// Unpacks one package into a folder, without what it depends on: for its headers and libraries.
pub fn install_into(folder: &Path, package: &str) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    run(Command::new(system_python()?)
        .args(["-m", "pip", "--disable-pip-version-check", "--no-input"])
        .args(["install", "--quiet", "--root-user-action", "ignore"])
        .args(["--no-deps", "--only-binary", ":all:", "--target"])
        .arg(folder)
        .arg(package))
}

/// Installs a wheel in an environment, in place of one that is there.
pub fn install_wheel(interpreter: &Path, wheel: &Path) -> Result<()> {
    run(Command::new(system_python()?)
        .args(["-m", "pip", "--python"])
        .arg(interpreter)
        .args(["--disable-pip-version-check", "--no-input", "install"])
        .args(["--quiet", "--no-deps", "--force-reinstall"])
        .arg(wheel))
}

/// A Python of the right version, with pip: `$PYTHON`, or the first that is found.
pub fn system_python() -> Result<String> {
    let candidates = match env::var("PYTHON") {
        Ok(python) => vec![python],
        Err(_) => vec![format!("python{VERSION}"), "python3".to_owned()],
    };
    let check = format!(
        "import sys, venv, pip; sys.exit('.'.join(map(str, sys.version_info[:2])) != '{VERSION}')"
    );
    let fits = |python: &&String| {
        let probe = Command::new(python)
            .args(["-c", &check])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .status();
        probe.is_ok_and(|status| status.success())
    };
    candidates.iter().find(fits).cloned().ok_or_else(|| {
        anyhow!(
            "this step needs Python {VERSION} with pip, and none of {} is that; \
             install it (Debian: python3 python3-pip), or name its path in the variable PYTHON",
            candidates.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::run_quietly;
    use std::process::Command;

    #[test]
    fn what_a_compiler_prints_is_in_the_error_alone() {
        let shell = |script: &str| run_quietly(Command::new("sh").args(["-c", script]));
        assert!(shell("echo warning >&2").is_ok());
        let told = shell("echo the reason >&2; exit 3").map_err(|it| it.to_string());
        assert!(told.is_err_and(|it| it.contains("3") && it.ends_with(":\nthe reason\n")));
    }
}
