//! What can be asked of a simulation.

use crate::arguments::{Format, RobotArguments};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

pub const HELP: &str = "\
Without --q and --v, the robot begins as it was drawn, with every coordinate at 1 rad/s or 1 m/s as far as loops let it; with
one of them, at rest or as it was drawn. Only gravity and the controller act, unless --passive says more.

Controllers:
  none                    nobody drives
  gravity                 joint forces carry the weight; a base that floats is not driven and falls
  pd                      springs and dampers towards --goal, critical for each joint by itself, and the same against gravity

Steps are shortened to meet the samples. dormand-prince chooses its own, by --tolerance. implicit-midpoint is for stiff
springs, dampers and controllers. variational is for long motions of trees, maximal-variational for those of robots with loops:
their energy does not drift. By the other methods robots with loops move in the coordinates of their tree, and their loops are
put together again after each step.

A recording has a row for each sample: t, q, v, tau (the controller's), energies, momentum about the centre of mass, loop
errors. In MCAP, rows are JSON messages on /robot.

At the end: curves of energy, momentum and loop error on a terminal or in --plot, and how well they were kept. Energy errors are
relative to the greatest kinetic energy; the drift is the slope of a straight line through the energy, with its standard error.

Examples:
  featherline simulate double_pendulum --seconds 1000
  featherline simulate panda --controller pd --goal 0,-0.8,0,-2.4,0,1.6,0.8 --record panda.parquet
  featherline simulate stewart --loops --controller gravity --plot stewart.svg
  featherline simulate four_bar --seconds 1000 --integrator maximal-variational --step 0.01
  featherline simulate four_bar --q 0.4,0,0 --assemble --integrator dormand-prince --format jsonl";

#[derive(Debug, Args)]
pub struct SimulateArguments {
    #[command(flatten)]
    pub robot: RobotArguments,

    /// How long
    #[arg(
        long,
        value_name = "S",
        default_value_t = 10.0,
        allow_negative_numbers = true
    )]
    pub seconds: f64,

    /// The longest step, in s
    #[arg(
        long,
        value_name = "H",
        default_value_t = 1e-3,
        allow_negative_numbers = true
    )]
    pub step: f64,

    /// The method
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    pub integrator: Integrator,

    /// The error that a step of dormand-prince may make, absolute and relative
    #[arg(
        long,
        value_name = "T",
        default_value_t = 1e-9,
        allow_negative_numbers = true
    )]
    pub tolerance: f64,

    /// Who drives the joints
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    pub controller: Controller,

    /// The configuration that pd goes to, nq numbers [default: as it was drawn]
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub goal: Option<Vec<f64>>,

    /// How fast pd is, in Hz
    #[arg(
        long,
        value_name = "F",
        default_value_t = 1.0,
        allow_negative_numbers = true
    )]
    pub frequency: f64,

    /// The configuration at the start, nq numbers separated by commas
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub q: Option<Vec<f64>>,

    /// The velocity at the start, nv numbers separated by commas
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub v: Option<Vec<f64>>,

    /// Begin at the nearest state in which all loops are closed
    #[arg(long)]
    pub assemble: bool,

    /// Let damping, dry friction and springs of the joints act
    #[arg(long)]
    pub passive: bool,

    /// How loops are kept closed: put together after each step, pulled together by forces, or both
    #[arg(
        long,
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "projection",
        value_name = "HOW"
    )]
    pub loops: Option<LoopKeeping>,

    /// The time between samples, in s
    #[arg(
        long,
        value_name = "DT",
        default_value_t = 0.01,
        allow_negative_numbers = true
    )]
    pub every: f64,

    /// Record every sample in a file: .csv, .parquet or .mcap
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    /// Draw energy, momentum and loop error in a file: .svg
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,

    /// A sentence to read, or a line of JSON [default: table on a terminal, else jsonl]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Integrator {
    SymplecticEuler,
    #[default]
    #[value(name = "runge-kutta-4", alias = "rk4")]
    RungeKutta4,
    #[value(name = "crouch-grossman-3")]
    CrouchGrossman3,
    #[value(name = "crouch-grossman-4")]
    CrouchGrossman4,
    DormandPrince,
    ImplicitMidpoint,
    Variational,
    MaximalVariational,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Controller {
    #[default]
    None,
    Gravity,
    Pd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LoopKeeping {
    Projection,
    Stabilisation,
    Both,
}
