//! What can be asked of a simulation.

use crate::arguments::{Format, RobotArguments};
use crate::file;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;

pub const HELP: &str = "\
Without --q and --v, the robot begins as it was drawn, with every coordinate at 1/n rad/s or m/s as far as loops let it, where n
is how many coordinates there are from the world to the furthest link, so that no link turns much faster than 1 rad/s; with one of
the two, at rest or as it was drawn. Only gravity and the controller act, unless --passive and --limits say more.

--passive: damping, dry friction and springs of the joints. Friction f is smooth about rest, f v/√(v² + w²) with w = 0.01 rad/s
(m/s): what it should hold creeps, at w τ/√(f² − τ²) under a load τ below f.

--limits: springs and dampers where joints leave their limits. Without numbers each joint has its own: k = m/T² and d = 2 m/T with
T = 20 steps (of dormand-prince: of --step, or of 1 ms) and m what it moves when all others are free. Such stops are as stiff as the step
lets them be, not as the robot's: what others carry comes through m, and in steps of 1 ms arms that fall go 0.2 to 0.6 rad too far. Half the
step makes them four times as stiff; give K,D for a robot of your own. They begin softly: half of k and d acts 0.001 rad (m)
beyond the limit. Without --limits nothing holds at limits. Joints that leave them (with stops: by more than 0.01) are warned of at the end.

Controllers:
  none                    nobody drives
  gravity                 joint forces carry the weight; a base that floats is not driven and falls
  pd                      springs and dampers towards --goal, critical for each joint by itself, and the same against gravity
They know no motors: they drive every coordinate but a base that floats; in robots with loops every one, joints without motors and the
free platform of a hexapod too. A goal where loops are open is warned of: the robot rests between it and what they allow.

Steps are shortened to meet the samples. dormand-prince chooses its own, by --tolerance, up to --step and to --every. implicit-midpoint is for
stiff springs, dampers and controllers. variational is for long motions of trees, maximal-variational for those of robots with loops:
their energy does not drift. By the other methods robots with loops move in the coordinates of their tree, and their loops are
put together again after each step.

A recording has a row for each sample: t, q, v, tau (the controller's), energies, momentum about the centre of mass, loop
errors. In MCAP, rows are JSON messages on /robot.

--loops: at the end a line for each loop joint, or `loops` in JSON: how far its frames were apart at most in samples, in m and rad, and when
that was worst. --loops=HOW says also how loops are kept closed.

At the end: curves of energy, momentum and loop error on a terminal or in --plot, and how well they were kept. Energy errors are
relative to the greatest kinetic energy of samples whose energy is right at least by half; of robots that float freely they are those of
the energy about the centre of mass, which falling does not change, and the centre's own is judged by itself (center_energy_error). The
drift is the slope of a straight line through the energy, with its standard error. energy_should_stay tells whether nothing but gravity
acted; if so, an error above 10 % is warned of.

An option that changes nothing beside the others is refused.

Examples:
  featherline simulate double_pendulum --seconds 1000
  featherline simulate panda --controller pd --goal 0,-0.8,0,-2.4,0,1.6,0.8 --record panda.parquet
  featherline simulate stewart --loops --limits --plot stewart.svg
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

    /// The longest step, in s; none is longer than the time between samples [default: 0.001; 0.0002 for symplectic-euler; for
    /// dormand-prince 0.1, and so as a rule the time between samples]
    #[arg(long, value_name = "H", allow_negative_numbers = true)]
    pub step: Option<f64>,

    /// The method
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    pub integrator: Integrator,

    /// The error that a step of dormand-prince may make, absolute and relative [default: 1e-9]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub tolerance: Option<f64>,

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

    /// How fast pd is, in Hz [default: 1]
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    pub frequency: Option<f64>,

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

    /// Begin at a state nearby in which all loops are closed, found by steps that are each the shortest: the nearest one if the loops are
    /// nearly closed, else not always
    #[arg(long)]
    pub assemble: bool,

    /// Let damping, dry friction and springs of the joints act; friction is smooth, and creeps at rest
    #[arg(long)]
    pub passive: bool,

    /// Let joint limits act, with the stiffness in N·m/rad (N/m) and the damping in N·m·s/rad (N·s/m) of all stops, or each joint with
    /// its own
    #[arg(
        long,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        value_name = "K,D"
    )]
    pub limits: Option<Stops>,

    /// Tell at the end how far each loop was open at worst, and when; with =HOW also how loops are kept closed: put together after each
    /// step (the default), pulled together by forces, or both
    #[arg(
        long,
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        value_name = "HOW"
    )]
    pub loops: Option<Option<LoopKeeping>>,

    /// The time between samples, in s [default: 0.01, or the step if it is longer]
    #[arg(long, value_name = "DT", allow_negative_numbers = true)]
    pub every: Option<f64>,

    /// Record every sample in a file: .csv, .parquet or .mcap
    #[arg(long, value_name = "FILE", value_parser = file::written())]
    pub record: Option<PathBuf>,

    /// Draw energy, momentum and loop error in a file: .svg
    #[arg(long, value_name = "FILE", value_parser = file::written())]
    pub plot: Option<PathBuf>,

    /// A sentence to read, or a line of JSON [default: table on a terminal, else jsonl]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
}

impl SimulateArguments {
    /// The step that was asked for, or one that suits the method: first order makes up for it by short ones.
    pub fn step(&self) -> f64 {
        self.step.unwrap_or(match self.integrator {
            Integrator::SymplecticEuler => 2e-4,
            _ => 1e-3,
        })
    }

    /// Whether nothing but gravity acts, so that a change of the energy is an error.
    pub fn only_gravity_acts(&self) -> bool {
        self.controller == Controller::None && !self.passive && self.limits.is_none()
    }

    /// The time between samples that was asked for, or one that no step is shortened for.
    pub fn every(&self) -> f64 {
        self.every.unwrap_or_else(|| self.step().max(0.01))
    }
}

/// How the stops of joint limits are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stops {
    /// Each for its joint.
    Own,
    /// All with the same stiffness and damping.
    Given { stiffness: f64, damping: f64 },
}

impl FromStr for Stops {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self::Own);
        }
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let given = text.split_once(',').and_then(|(stiffness, damping)| {
            Some(Self::Given {
                stiffness: number(stiffness)?,
                damping: number(damping)?,
            })
        });
        given.ok_or_else(|| "two numbers are needed, stiffness and damping, such as 1e4,100".into())
    }
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
