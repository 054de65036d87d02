//! The Python package: built, installed in an environment of its own, and tested.

use crate::{budget, ci, paths, python};
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

#[derive(clap::Args)]
pub struct Arguments {
    /// Build the wheel that is released: slow to compile, fast to run, for every Linux since 2014.
    #[arg(long)]
    release: bool,
    /// Run the example with Ray on a local cluster, too.
    #[arg(long)]
    ray: bool,
    /// Time calls beside Pinocchio's, too.
    #[arg(long)]
    times: bool,
}

/// How the package is compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Build {
    /// Of the crates that `cargo test --workspace` left compiled.
    Tested,
    /// Slow to compile, fast to run, on this machine.
    Fast,
    /// Slow to compile, fast to run, on every Linux since 2014.
    Released,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let interpreter = python::package_environment(arguments.release)?;
    let folder = paths::root().join("python");
    let wheel = build(match arguments.release {
        true => Build::Released,
        false => Build::Tested,
    })?;
    python::install_wheel(&interpreter, &wheel)?;
    let tool = |module: &str| {
        let mut command = Command::new(&interpreter);
        command
            .current_dir(&folder)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            // -P: what is installed, not the folder that it was built from.
            .args(["-P", "-m", module]);
        command
    };
    python::run(tool("pytest").args(["-q", "-p", "no:cacheprovider"]))?;
    beside_pinocchio(&interpreter, &folder)?;
    python::run(tool("mypy").args([
        "--strict",
        "--no-incremental",
        "featherline",
        "examples",
        "times.py",
    ]))?;
    // Tests have no annotations but where misuse would need them.
    python::run(tool("mypy").args(["--check-untyped-defs", "--no-incremental", "tests"]))?;
    python::run(tool("mypy.stubtest").args([
        "--allowlist",
        "stubtest.txt",
        "featherline._native",
    ]))?;
    let pyright = ["--level", "error", "--pythonpath"];
    python::run(tool("basedpyright").args(pyright).arg(&interpreter))?;
    if arguments.ray {
        let interpreter = python::ray_environment()?;
        python::install_wheel(&interpreter, &wheel)?;
        python::run(Command::new(&interpreter).arg(folder.join("tests/cluster/ray_check.py")))?;
    }
    if arguments.times {
        python::run(Command::new(&interpreter).arg(folder.join("times.py")))?;
    }
    if arguments.release {
        let bytes = ("bytes".to_owned(), fs::metadata(&wheel)?.len());
        budget::check_release(budget::RELEASED_WHEEL, [bytes].into())?;
    }
    Ok(())
}

/// Runs the tests that need Pinocchio, where it is: they are skipped without it.
fn beside_pinocchio(interpreter: &Path, folder: &Path) -> Result<()> {
    let packages = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let packages = python::output(Command::new(interpreter).args(["-c", packages]))?;
    let tests = fs::read_dir(folder.join("tests"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    let tests = tests.into_iter().filter(|path| {
        let name = path.file_name().map(|name| name.to_string_lossy());
        name.is_some_and(|name| name.starts_with("test_pinocchio"))
    });
    python::run(
        Command::new(python::environment()?)
            .current_dir(folder)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("PYTHONPATH", packages.trim())
            // As -P above, for the programs that tests start, too.
            .env("PYTHONSAFEPATH", "1")
            .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
            .args(tests),
    )
}

/// Compiles the package to a wheel.
pub fn build(how: Build) -> Result<PathBuf> {
    let interpreter = python::package_environment(how == Build::Released)?;
    let wheels = paths::target().join("wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels)?;
    }
    let mut maturin = Command::new(&interpreter);
    maturin
        .args(["-m", "maturin", "build", "--quiet", "--manifest-path"])
        .arg(paths::root().join("python/Cargo.toml"))
        .arg("--out")
        .arg(&wheels)
        .arg("--interpreter")
        .arg(&interpreter);
    match how {
        Build::Tested => {
            // The crates that `cargo test --workspace` left compiled serve again.
            check_features()?;
            maturin.args(["--features", "as-tested"]);
        }
        Build::Fast => {
            maturin.arg("--release");
        }
        Build::Released => {
            // Zig links with the symbols of an old C library, on any machine.
            maturin.args(["--profile", "dist", "--zig"]);
            maturin.args(["--compression-level", "9"]);
            maturin.args(["--compatibility", "manylinux2014"]);
            // Zig is a module of the environment's Python, which must be the first that is found.
            let folders = env::var_os("PATH").unwrap_or_default();
            let own = interpreter.parent().map(Path::to_path_buf);
            let path = env::join_paths(own.into_iter().chain(env::split_paths(&folders)))?;
            maturin.env("PATH", path);
        }
    }
    python::run(&mut maturin)?;
    let wheel = fs::read_dir(&wheels)?
        .next()
        .context("maturin left no wheel")??
        .path();
    let size = fs::metadata(&wheel)?.len() as f64 / 1e6;
    println!("{}: {size:.1} MB", wheel.display());
    Ok(wheel)
}

/// The library in the wheel that the last build left.
pub fn tested_library() -> Result<PathBuf> {
    let wheels = fs::read_dir(paths::target().join("wheels"));
    let wheel = wheels
        .context("no wheel was built: run the step `python`")?
        .next();
    let wheel = wheel
        .context("no wheel was built: run the step `python`")??
        .path();
    library(&python::package_environment(false)?, &wheel)
}

/// Unpacks the compiled library of a wheel.
fn library(interpreter: &Path, wheel: &Path) -> Result<PathBuf> {
    let folder = paths::target().join("unpacked-wheel");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let unpack = ["-m", "zipfile", "-e"];
    python::run(
        Command::new(interpreter)
            .args(unpack)
            .arg(wheel)
            .arg(&folder),
    )?;
    for entry in fs::read_dir(folder.join("featherline"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "so") {
            return Ok(path);
        }
    }
    bail!("{} has no compiled library", wheel.display())
}

/// Fails unless the package as tested needs its crates with the features that the workspace's tests
/// turn on: a feature less in one of them compiles all that stand on it a second time, which takes
/// minutes.
fn check_features() -> Result<()> {
    let tested = crates(&["--workspace"])?;
    let package = ["--package", "featherline-python", "--features", "as-tested"];
    let needed = crates(&package)?;
    let own = |line: &&String| line.starts_with("featherline-python ");
    let others: Vec<_> = needed
        .difference(&tested)
        .filter(|line| !own(line))
        .map(String::as_str)
        .collect();
    ensure!(
        others.is_empty(),
        "the feature `as-tested` of python/Cargo.toml lacks what the tests turn on in these \
         crates; `cargo tree --workspace --invert NAME --edges features` tells who does:\n{}",
        others.join("\n")
    );
    Ok(())
}

/// The crates that the chosen packages are built of, each with its features.
fn crates(packages: &[&str]) -> Result<BTreeSet<String>> {
    let tree = ["tree", "--quiet", "--prefix", "none", "--format", "{p} {f}"];
    let lines = python::output(ci::cargo().args(tree).args(packages))?;
    // A crate that was listed before is marked.
    let line = |line: &str| line.trim_end_matches(" (*)").trim_end().to_owned();
    Ok(lines.lines().map(line).collect())
}
