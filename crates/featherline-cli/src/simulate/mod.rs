//! `featherline simulate`: a robot in motion, sampled, recorded and drawn.

mod arguments;
mod history;
mod loop_table;
mod method;
mod options;
mod plot;
mod progress;
mod record;
mod start;
mod summary;
mod terminal;

use crate::arguments::Format;
use crate::failure::Failure;
use crate::robot;
use crate::warning::warn;
use arguments::{Controller, LoopKeeping, Stops};
pub use arguments::{HELP, SimulateArguments};
use featherline::Model;
use featherline_constraint::Stabilisation;
use featherline_sim::integrator::IntegratorError;
use featherline_sim::integrator::forces::{self, Bumper, ForceLaw, JointLimits};
use featherline_sim::simulation::{
    self, Caution, Conservation, GravityCompensation, LimitAccount, LoopAccount,
    ProportionalDerivative, SimulationError, Simulator,
};
use history::{History, Watch};
use progress::Progress;
use record::Recording;
use start::Start;
use std::io::{IsTerminal, Write, stdout};
use std::process::ExitCode;
use std::time::Instant;
use summary::Summary;

/// The speed in rad/s or m/s about which dry friction changes its sign.
const FRICTION_TRANSITION: f64 = 1e-2;

/// The time in s in which forces pull loops together, the same for steps of any length: then they are part of what is integrated, and
/// a method keeps its order.
const TIME_TO_CLOSE: f64 = 0.02;

/// Within how many steps they do at least.
const STEPS_TO_CLOSE: f64 = 4.0;

/// Within how many steps the stops of joint limits act: where several joints of a limb are at their limits together, each is
/// stiffer than by itself.
const STEPS_TO_STOP: f64 = 20.0;

/// How far inside a joint's stop half of it acts, in rad or m.
const STOP_DEPTH: f64 = 1e-3;

/// How far in rad or m joints may be beyond their limits, unsaid: where nothing holds them not at all but for rounding, else as far
/// as stops are meant to yield.
const BEYOND_FREE: f64 = 1e-9;
const BEYOND_STOPS: f64 = 10.0 * STOP_DEPTH;

/// Simulates, records, and says how it went.
pub fn run(arguments: &SimulateArguments) -> Result<ExitCode, Failure> {
    let robot = robot::load_and_warn(&arguments.robot)?;
    let model = &robot.model;
    options::check(arguments, model)?;
    let start = Start::of(arguments, model)?;
    let simulator = simulator(arguments, model, &start)?;
    let begun = if start.assemble {
        simulator.start_assembled(0.0, &start.q, &start.v)
    } else {
        simulator.start(0.0, &start.q, &start.v)
    };
    let mut simulation = begun.map_err(|error| explained(error).with_figures(&robot.warnings))?;
    if arguments.assemble && !model.loop_joints().is_empty() {
        let begins = (simulation.configuration(), simulation.velocity());
        let how = start::assembled(model, &start, begins)?;
        eprintln!("{how}");
    }
    let beyond_loops = match arguments.controller {
        Controller::Pd => start::goal_beyond_loops(model, &start.goal)?,
        Controller::None | Controller::Gravity => None,
    };
    let plot = arguments.plot.as_deref();
    if let Some(path) = plot {
        plot::check_path(path)?;
    }
    let mut recording = match &arguments.record {
        None => None,
        Some(path) => Some(Recording::create(path, model)?),
    };

    let mut conservation = Conservation::new(model);
    let mut limits = LimitAccount::new(model);
    let mut loops = match arguments.loops {
        None => None,
        Some(_) => Some(LoopAccount::new(model).map_err(explained)?),
    };
    let mut history = History::new();
    let mut progress = Progress::new(arguments.seconds);
    let clock = Instant::now();
    let mut watch = Watch {
        history: &mut history,
        conservation: &mut conservation,
        limits: &mut limits,
        loops: loops.as_mut(),
    };
    let (seconds, every) = (arguments.seconds, arguments.every());
    let done = match &mut recording {
        None => simulation.run(seconds, every, &mut (&mut watch, &mut progress)),
        Some(file) => simulation.run(seconds, every, &mut (&mut watch, &mut progress, file)),
    };
    let elapsed = clock.elapsed();
    progress.finish();
    // What came before a failure is worth having.
    if let Some(recording) = recording {
        recording.finish()?;
    }
    let panels = history.panels(&conservation, !model.loop_joints().is_empty());
    if let Some(path) = plot {
        plot::write_svg(path, model.name(), &panels)?;
    }
    let energy = conservation
        .caution()
        .filter(|_| arguments.only_gravity_acts());
    let beyond = limits.caution(match arguments.limits {
        None => BEYOND_FREE,
        Some(_) => BEYOND_STOPS,
    });
    let cautions = simulation.cautions().iter().chain(&energy).chain(&beyond);
    let told = cautions.map(|caution| told(caution, arguments));
    let warnings: Vec<String> = beyond_loops.into_iter().chain(told).collect();
    for warning in &warnings {
        warn(warning);
    }
    done.map_err(|error| explained(error).with_figures(&robot.warnings))?;

    let on_terminal = stdout().is_terminal();
    let mut out = stdout().lock();
    if on_terminal {
        out.write_all(
            terminal::draw(model.name(), &panels, console::Term::stdout().size().1).as_bytes(),
        )?;
    }
    let loops = loops.map(|loops| loop_table::gaps(model, &loops));
    let mut summary = Summary::new(arguments, model, &conservation, &simulation, warnings);
    let table = arguments
        .format
        .map_or(on_terminal, |format| format == Format::Table);
    if table {
        if let Some(loops) = &loops {
            writeln!(out, "{}\n", loop_table::table(loops))?;
        }
        writeln!(out, "{}", summary.sentence(elapsed))?;
    } else {
        summary.loops = loops;
        serde_json::to_writer(&mut out, &summary)?;
        writeln!(out)?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The robot with what moves it.
fn simulator<'m>(
    arguments: &SimulateArguments,
    model: &'m Model,
    start: &Start,
) -> Result<Simulator<'m>, Failure> {
    let bad = |error: IntegratorError| Failure::Simulation(error.to_string());
    let method = method::of(arguments, model).map_err(bad)?;
    let mut simulator = Simulator::new(model, method);
    simulator = match arguments.controller {
        Controller::None => simulator,
        Controller::Gravity => simulator.with_controller(GravityCompensation::new(model)),
        Controller::Pd => {
            let (goal, frequency) = (&start.goal, arguments.frequency.unwrap_or(1.0));
            let control = ProportionalDerivative::critical(model, goal, frequency).map_err(bad)?;
            simulator.with_controller(control)
        }
    };
    let mut laws: Vec<Box<dyn ForceLaw + 'm>> = Vec::new();
    if arguments.passive {
        let passive = forces::passive(model, FRICTION_TRANSITION).map_err(bad)?;
        options::check_acts(&passive, options::Law::Passive, model)?;
        laws.push(Box::new(passive));
    }
    if let Some(stops) = arguments.limits {
        let limits = limits(stops, arguments.step(), model, &start.q).map_err(bad)?;
        options::check_acts(&limits, options::Law::Limits, model)?;
        laws.push(Box::new(limits));
    }
    simulator = simulator.with_forces(laws);
    let pull = Stabilisation::critical(TIME_TO_CLOSE.max(STEPS_TO_CLOSE * arguments.step()));
    let keeping = match arguments.loops.flatten() {
        None | Some(LoopKeeping::Projection) => simulation::LoopKeeping::default(),
        Some(LoopKeeping::Stabilisation) => simulation::LoopKeeping::stabilised(pull),
        Some(LoopKeeping::Both) => simulation::LoopKeeping {
            stabilisation: pull,
            projection: true,
        },
    };
    Ok(simulator.with_loops_kept(keeping))
}

/// The law of joint limits.
fn limits(
    stops: Stops,
    step: f64,
    model: &Model,
    q: &[f64],
) -> Result<JointLimits, IntegratorError> {
    match stops {
        Stops::Own => JointLimits::critical(model, q, STEPS_TO_STOP * step, STOP_DEPTH),
        Stops::Given { stiffness, damping } => {
            let depth = STOP_DEPTH;
            JointLimits::new(
                model,
                Bumper {
                    stiffness,
                    damping,
                    depth,
                },
            )
        }
    }
}

/// A caution in terms of the command line.
fn told(caution: &Caution, arguments: &SimulateArguments) -> String {
    match (caution, arguments.limits) {
        (Caution::BeyondLimits { .. }, None) => {
            format!("{caution}: `--limits` lets stops act")
        }
        (Caution::BeyondLimits { .. }, Some(Stops::Own)) => {
            format!(
                "{caution}: these are as stiff as the step lets them be, half the step makes them four times as stiff; `--limits=K,D` \
                 gives them the stiffness of the robot's own"
            )
        }
        (Caution::BeyondLimits { .. }, Some(Stops::Given { .. })) => {
            format!("{caution}: stiffer ones (`--limits=K,D`) yield less")
        }
        _ => caution.to_string(),
    }
}

/// An error of the simulation in terms of the command line.
fn explained(error: SimulationError) -> Failure {
    Failure::Simulation(match error {
        SimulationError::InconsistentStart {
            joint,
            position,
            velocity,
            ..
        } => format!(
            "the loops are not closed at the start: the frames of loop joint `{joint}` are {position:.3e} (m, rad) apart, and \
             the loops open at up to {velocity:.3e} (m/s, rad/s); `--assemble` begins at a state nearby in which they \
             are closed"
        ),
        error => error.to_string(),
    })
}
