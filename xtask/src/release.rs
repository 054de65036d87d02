//! The packages of a release: each is packed, and used in an empty folder, as its first user does.

use crate::metadata::Package;
use crate::{budget, ci, metadata, package, paths, python, viewer};
use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use std::{env, fs};

#[derive(clap::Args)]
pub struct Arguments {
    /// Pack and try these only.
    #[arg(long, value_enum, num_args = 1.., value_name = "PART")]
    only: Vec<Part>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The crates that are published, and the program made of them.
    Crates,
    /// The wheel for every Linux since 2014.
    Wheel,
    /// The package for Node and browsers.
    Npm,
}

/// Packages are left under `target/`; the folders of their first users are removed.
pub fn run(arguments: &Arguments) -> Result<()> {
    // Outside the repository, whose settings of cargo and npm a user does not have.
    let folder = env::temp_dir().join(format!("featherline-release-{}", std::process::id()));
    let mut report = String::new();
    for &part in Part::value_variants() {
        if arguments.only.is_empty() || arguments.only.contains(&part) {
            fs::create_dir_all(&folder)?;
            match part {
                Part::Crates => crates(&folder, &mut report)?,
                Part::Wheel => wheel(&folder, &mut report)?,
                Part::Npm => npm(&folder, &mut report)?,
            }
            fs::remove_dir_all(&folder)?;
        }
    }
    print!("\n{report}");
    Ok(())
}

/// Packs the crates, and compiles each from its package. In an empty crate the first example of the
/// repository and all examples of the crates' pages run; the program is installed and computes.
fn crates(folder: &Path, report: &mut String) -> Result<()> {
    let mut packages = metadata::packages()?;
    packages.retain(Package::is_published);
    let mut pack = ci::cargo();
    pack.args(["package", "--locked"]);
    for package in &packages {
        pack.args(["--package", &package.name]);
    }
    python::run(&mut pack)?;

    let packed = paths::target().join("package");
    let mut patch = "[patch.crates-io]\n".to_owned();
    for package in &packages {
        let name = package.file_stem();
        let file = packed.join(format!("{name}.crate"));
        python::run(
            Command::new("tar")
                .current_dir(folder)
                .arg("xzf")
                .arg(&file),
        )?;
        let unpacked = folder.join(&name);
        writeln!(patch, "{} = {{ path = {unpacked:?} }}", package.name)?;
        writeln!(report, "{name}.crate: {} kB", kilobytes(&file)?)?;
    }
    fs::create_dir_all(folder.join(".cargo"))?;
    fs::write(folder.join(".cargo/config.toml"), patch)?;

    let user = folder.join("user");
    let cargo = |folder: &Path| {
        let mut cargo = Command::new("cargo");
        // Not the sizes and speeds of the checks.
        cargo.env_remove("CARGO_TARGET_DIR").current_dir(folder);
        cargo
    };
    python::run(cargo(folder).args(["new", "--quiet", "--lib", "--vcs", "none", "user"]))?;
    let mut manifest = fs::read_to_string(user.join("Cargo.toml"))?;
    let mut library = documented("repository", &paths::root().join("README.md"));
    for package in &packages {
        let Package { name, version, .. } = package;
        let features = package.documented_features();
        writeln!(
            manifest,
            "{name} = {{ version = \"{version}\", features = {features:?} }}"
        )?;
        let page = folder.join(package.file_stem()).join("README.md");
        library += &documented(&name.replace('-', "_"), &page);
    }
    fs::write(user.join("Cargo.toml"), manifest)?;
    fs::write(user.join("src/lib.rs"), library)?;
    let began = Instant::now();
    python::run(cargo(&user).args(["test", "--quiet", "--doc"]))?;
    writeln!(
        report,
        "an empty crate: the examples of {} pages run, {:.0} s after `cargo test`",
        packages.len() + 1,
        began.elapsed().as_secs_f64()
    )?;

    let program = packages
        .iter()
        .find(|package| package.name == "featherline-cli");
    let program = program.context("the program is not published")?;
    let began = Instant::now();
    python::run(
        cargo(folder)
            .args(["install", "--quiet", "--locked", "--root", "installed"])
            .args(["--features", "full", "--path"])
            .arg(folder.join(program.file_stem())),
    )?;
    let installed = folder.join("installed/bin/featherline");
    python::run(Command::new(&installed).args(["eval", "panda"]))?;
    writeln!(
        report,
        "the program with `full`: {} kB, {:.0} s from `cargo install` to the first tau",
        kilobytes(&installed)?,
        began.elapsed().as_secs_f64()
    )?;
    Ok(())
}

/// A module whose documentation is a page, so that the page's examples are tests.
fn documented(module: &str, page: &Path) -> String {
    format!("#[doc = include_str!({page:?})]\npub mod {module} {{}}\n")
}

/// Installs the wheel in an empty environment, and runs the first example of its page.
fn wheel(folder: &Path, report: &mut String) -> Result<()> {
    let wheel = package::build(package::Build::Released)?;
    python::run(
        Command::new(python::system_python()?)
            .current_dir(folder)
            .args(["-m", "venv", "--without-pip", "venv"]),
    )?;
    let interpreter = folder.join("venv/bin/python");
    let page = fs::read_to_string(paths::root().join("python/README.md"))?;
    fs::write(folder.join("first.py"), first_block(&page, "python")?)?;
    let began = Instant::now();
    // With what it needs.
    python::run(
        Command::new(python::system_python()?)
            .args(["-m", "pip", "--python"])
            .arg(&interpreter)
            .args(["--disable-pip-version-check", "--no-input", "install"])
            .arg("--quiet")
            .arg(&wheel),
    )?;
    python::run(
        Command::new(&interpreter)
            .current_dir(folder)
            .arg("first.py"),
    )?;
    writeln!(
        report,
        "{}: {} kB, {:.1} s from `pip install` to the end of the first example",
        name(&wheel),
        kilobytes(&wheel)?,
        began.elapsed().as_secs_f64()
    )?;
    Ok(())
}

/// Installs the npm package in an empty folder, and runs the first example of its page.
fn npm(folder: &Path, report: &mut String) -> Result<()> {
    python::run(&mut viewer::npm("package")?)?;
    budget::check_release(budget::NPM, viewer::npm_bytes()?)?;
    let source = paths::root().join("viewer/npm");
    let npm = |arguments: &[&str]| {
        let mut npm = Command::new("npm");
        npm.args(arguments);
        npm
    };
    let pack = ["pack", "--silent", "--pack-destination"];
    let file = python::output(npm(&pack).arg(folder).current_dir(&source))?;
    let packed = paths::target().join(&file);
    fs::copy(folder.join(&file), &packed)?;
    let page = fs::read_to_string(source.join("README.md"))?;
    fs::write(folder.join("first.mjs"), first_block(&page, "js")?)?;
    let began = Instant::now();
    let install = ["install", "--silent", "--no-audit", "--no-fund", &file];
    python::run(npm(&install).current_dir(folder))?;
    python::run(Command::new("node").current_dir(folder).arg("first.mjs"))?;
    writeln!(
        report,
        "{file}: {} kB, {:.1} s from `npm install` to the end of the first example",
        kilobytes(&packed)?,
        began.elapsed().as_secs_f64()
    )?;
    Ok(())
}

/// The first block of code of a page in a language.
fn first_block<'a>(page: &'a str, language: &str) -> Result<&'a str> {
    let (_, rest) = page
        .split_once(&format!("\n```{language}\n"))
        .with_context(|| format!("the page has no block of {language}"))?;
    let (block, _) = rest
        .split_once("\n```")
        .context("a block of the page has no end")?;
    ensure!(!block.is_empty(), "the first block of the page is empty");
    Ok(block)
}

fn name(path: &Path) -> String {
    path.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn kilobytes(file: &Path) -> Result<u64> {
    let size = fs::metadata(file).with_context(|| format!("{} is missing", file.display()))?;
    Ok(size.len().div_ceil(1000))
}
