//! Developer commands: `cargo xtask COMMAND`.

mod aarch64;
mod bench_contact;
mod bench_peers;
mod budget;
mod ci;
mod conformance;
mod dependencies;
mod estimator;
mod figures;
mod first_minute;
mod formats;
mod fuzz;
mod golden;
mod layers;
mod metadata;
mod miri;
mod motion;
mod package;
mod paths;
mod python;
mod quantities;
mod release;
mod rust_text;
mod thresholds;
mod viewer;
mod words;

use clap::Parser;
use std::process::ExitCode;

#[derive(Parser)]
#[command(bin_name = "cargo xtask", about = "Developer commands of featherline")]
enum Command {
    /// Test kernels and compiled programs as AArch64 runs them, by QEMU.
    Aarch64,
    /// Time contact beside MuJoCo, after checking that both hold the same scenes at rest.
    BenchContact(bench_contact::Arguments),
    /// Time featherline beside its peers, after checking that all give the same answers.
    BenchPeers(bench_peers::Arguments),
    /// Build the program as it is released, and compare it with xtask/budget.toml.
    Budget,
    /// Run every check that a change must pass.
    Ci(ci::Arguments),
    /// Compare every quantity with Pinocchio, on every robot of the package example-robot-data; or
    /// estimates with iDynTree.
    Conformance(conformance::Arguments),
    /// Write the figures and tables of the book that are computed.
    Figures(figures::Arguments),
    /// Give the readers random input, guided by coverage, on the nightly toolchain.
    Fuzz(fuzz::Arguments),
    /// Write the reference numbers of the robots in conformance/descriptions with Pinocchio.
    Golden(golden::Arguments),
    /// Run unit tests of unsafe code under Miri, on the nightly toolchain.
    Miri,
    /// Write the page of the book that lists quantities.
    Quantities,
    /// Build the Python package, install it in an environment of its own and test it.
    Python(package::Arguments),
    /// Pack the crates, the wheel and the npm package, and use each in an empty folder.
    Release(release::Arguments),
    /// Run the tests with all their cases and all instruction sets, which takes minutes more.
    Soak,
    /// Write the page of the book that lists thresholds.
    Thresholds,
    /// Build the page of the viewer, and test it in Chromium.
    Viewer(viewer::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Command::parse() {
        Command::Aarch64 => aarch64::run(),
        Command::BenchContact(arguments) => bench_contact::run(&arguments),
        Command::BenchPeers(arguments) => bench_peers::run(&arguments),
        Command::Budget => budget::check_program(),
        Command::Ci(arguments) => ci::run(&arguments),
        Command::Conformance(arguments) => conformance::run(&arguments),
        Command::Figures(arguments) => figures::run(&arguments),
        Command::Fuzz(arguments) => fuzz::run(&arguments),
        Command::Golden(arguments) => golden::run(&arguments),
        Command::Miri => miri::run(),
        Command::Quantities => quantities::run(),
        Command::Python(arguments) => package::run(&arguments),
        Command::Release(arguments) => release::run(&arguments),
        Command::Soak => ci::soak(),
        Command::Thresholds => thresholds::run(),
        Command::Viewer(arguments) => viewer::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
