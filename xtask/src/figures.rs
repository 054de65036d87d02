//! The figures and tables of the book that programs write.

use crate::{ci, paths};
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

/// Steps in each row of the page's table of long motions.
const LONG: usize = 1_000_000;
/// The name in that table's marks.
const MILLION: &str = "million";

#[derive(clap::Args)]
pub struct Arguments {
    /// Only those of the page about integrators.
    #[arg(long)]
    integrators: bool,
    /// Only that of a dense KKT system.
    #[arg(long, conflicts_with_all = ["integrators", "table"])]
    dense: bool,
    /// Only those of the page about contact.
    #[arg(long, conflicts_with_all = ["integrators", "dense", "table"])]
    contact: bool,
    /// Only the times of all ways of forward dynamics.
    #[arg(long, conflicts_with_all = ["integrators", "dense", "contact", "table"])]
    methods: bool,
    /// Only the pictures of the gallery and of the page about the viewer: those of these names, or
    /// all. Needs Node, and Chromium.
    #[arg(long, value_name = "NAME", num_args = 0.., conflicts_with_all = ["integrators", "dense", "contact", "table"])]
    pictures: Option<Vec<String>>,
    /// Only this table of the page about integrators, by the name in its marks (`double pendulum`,
    /// `million`, ...); `energy` is its figure.
    #[arg(long, requires = "integrators")]
    table: Option<String>,
    /// Steps in each row of the table of a million steps, which takes four to eight minutes with as
    /// many as the book has. The rows of fewer are printed and not written, as the page would be
    /// wrong of them.
    #[arg(long, default_value_t = LONG, requires = "integrators")]
    steps: usize,
}

/// Runs the programs, and puts what they make into the book's folder.
pub fn run(arguments: &Arguments) -> Result<()> {
    let folder = paths::root().join("book/src");
    if arguments.dense {
        return write_into(&folder, "dense_kkt");
    }
    if arguments.contact {
        return write_into(&folder, "contact_figures");
    }
    if arguments.methods {
        return write_into(&folder, "which_method");
    }
    if let Some(names) = &arguments.pictures {
        return pictures(&folder, names);
    }
    if !arguments.integrators {
        write_into(&folder, "contact_figures")?;
        write_into(&folder, "elimination_figures")?;
        write_into(&folder, "torque_estimate")?;
        programs(&folder)?;
        write_into(&folder, "dense_kkt")?;
        write_into(&folder, "which_method")?;
    }
    integrators(&folder, arguments)
}

/// The tables and the figure of the page about integrators, or one of them.
fn integrators(folder: &Path, arguments: &Arguments) -> Result<()> {
    let table = arguments.table.as_deref();
    let has_long = table.is_none_or(|table| table == MILLION);
    if !has_long && arguments.steps != LONG {
        bail!("`--steps` is of the table `{MILLION}`, and another one is asked for");
    }
    if table != Some(MILLION) {
        let mut choosing = tool("choosing_an_integrator");
        choosing.arg("--").arg(folder).args(table);
        wait_for(choosing, "choosing_an_integrator")?;
    }
    if has_long {
        let mut motions = tool("integrator_figures");
        motions.args(["--", &arguments.steps.to_string()]);
        if arguments.steps == LONG {
            motions.arg("--page").arg(folder.join("integrators.md"));
        }
        wait_for(motions, "integrator_figures")?;
        if arguments.steps != LONG {
            println!("printed and not written: the page has {LONG} steps");
        }
    }
    Ok(())
}

/// Runs a program that writes into the folder itself.
fn write_into(folder: &Path, name: &str) -> Result<()> {
    let mut writing = tool(name);
    writing.arg("--").arg(folder);
    wait_for(writing, name)
}

/// The pictures of the page of the viewer: robots that programs move, and those that the commands
/// below them in the book make.
fn pictures(folder: &Path, names: &[String]) -> Result<()> {
    const TROT: &str = "trot";
    let others: Vec<_> = names.iter().filter(|it| it.as_str() != TROT).collect();
    if names.is_empty() || others.len() < names.len() {
        write_into(&folder.join("pictures"), TROT)?;
    }
    if !names.is_empty() && others.is_empty() {
        return Ok(());
    }
    let mut program = ci::cargo();
    program.args(["build", "--quiet", "--package", "featherline-cli"]);
    wait_for(program, "featherline-cli")?;
    let mut npm = Command::new("npm");
    npm.current_dir(paths::root().join("viewer"));
    npm.env("FEATHERLINE", paths::target().join("debug/featherline"));
    npm.args(["run", "--silent", "pictures", "--"]).args(others);
    wait_for(npm, "pictures")
}

fn wait_for(mut running: Command, name: &str) -> Result<()> {
    let status = running
        .status()
        .with_context(|| format!("cannot start {:?}", running.get_program()))?;
    if !status.success() {
        bail!("the figures of {name} were not written");
    }
    Ok(())
}

/// The table of compiled programs, counted and timed.
fn programs(folder: &Path) -> Result<()> {
    let mut counting = tool("compiled_programs");
    counting
        .args(["--", "--write"])
        .arg(folder.join("compiled_programs.md"));
    wait_for(counting, "compiled_programs")
}

/// A program of `tools/`, optimised.
fn tool(name: &str) -> Command {
    let mut cargo = ci::cargo();
    cargo.args(["run", "--quiet", "--release", "--package"]);
    cargo.args(["featherline-tools", "--bin", name]);
    cargo
}
