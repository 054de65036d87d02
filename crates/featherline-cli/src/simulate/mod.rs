//! `featherline simulate`: a robot in motion, sampled, recorded and drawn.

mod arguments;
mod contact_summary;
mod curves;
mod loop_table;
mod options;
mod progress;
mod start;
mod summary;
#[cfg(feature = "view")]
mod viewing;

pub use arguments::{HELP, SimulateArguments};

use crate::failure::Failure;
use crate::format::{Format, write_line};
#[cfg(feature = "view")]
use crate::live::stay;
use crate::message::{note, warn};
use crate::robot::{self, Robot};
use crate::status::Status;
use contact_summary::ContactSummary;
use curves::Curves;
use featherline::model::JointId;
use featherline_record::Recording;
use featherline_record::number::short;
#[cfg(feature = "mcap")]
use featherline_record::{RecordFormat, foxglove::Shapes};
use featherline_sim::integrator::IntegratorError;
use featherline_sim::integrator::forces::JointLimits;
use featherline_sim::setup::{Start, Stops};
use featherline_sim::simulation::{
    ControllerName, LimitMonitor, LoopMonitor, MethodName, Recorder, RecorderError, Sample,
    SimulationError, SimulationWarning,
};
use progress::Progress;
use std::io::{IsTerminal, Write, stdout};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;
use summary::Summary;
#[cfg(feature = "view")]
use viewing::Viewing;

/// How far, in rad or m, joints may be beyond their limits without a warning: rounding where
/// nothing acts at limits, else as far as stops are meant to yield.
const BEYOND_FREE: f64 = 1e-9;
const BEYOND_EXACT: f64 = 1e-6;
const BEYOND_STOPS: f64 = 10.0 * JointLimits::DEPTH;

/// Simulates, records, and writes a summary.
pub fn run(arguments: &SimulateArguments) -> Result<Status, Failure> {
    let robot = robot::load_and_warn(&arguments.robot)?;
    let model = &robot.model;
    options::check(arguments, model)?;
    let start = arguments.setup(model)?.decide(&robot);
    let start = start.map_err(options::refused)?;
    start::doubt(&start, arguments);
    start::warn_of(&start, arguments);
    let simulator = start.simulator().map_err(options::refused)?;
    let integrator = simulator.method().name();
    let begun = if start.assemble {
        simulator.start_assembled(0.0, &start.q, &start.v)
    } else {
        simulator.start(0.0, &start.q, &start.v)
    };
    let mut simulation =
        begun.map_err(|error| explained(error).with_large_values(&robot.warnings))?;
    if arguments.assemble && !model.loop_joints().is_empty() {
        let begins = (simulation.configuration(), simulation.velocity());
        note(&start::assembled(&start, begins)?);
    }
    let beyond_loops = match start.controller == ControllerName::Pd {
        true => start::goal_beyond_loops(model, &start.goal)?,
        false => None,
    };
    let plot = arguments.plot.as_deref();
    if let Some(path) = plot {
        Curves::check_path(path)?;
    }
    let touches = start.method == MethodName::TimeStepping;
    let contact_pairs = touches.then(|| simulation.body_pairs());
    let mut recording = match &arguments.record {
        None => None,
        Some(path) => Some(recording(path, &robot, contact_pairs.as_deref())?),
    };

    #[cfg(feature = "view")]
    let viewing = Viewing::of(arguments, &robot)?;
    #[cfg(not(feature = "view"))]
    if arguments.view {
        return Err(Failure::not_built("`--view`", "view"));
    }

    let mut curves = Curves::new(model);
    let mut limits = LimitMonitor::new(model);
    let mut loops = match arguments.loops {
        None => None,
        Some(_) => Some(LoopMonitor::new(model).map_err(explained)?),
    };
    let mut progress = Progress::new(arguments.seconds);
    #[cfg(feature = "view")]
    let mut live = viewing.as_ref().map(Viewing::live);
    let clock = Instant::now();
    let mut monitors = Monitors {
        curves: &mut curves,
        limits: &mut limits,
        loops: loops.as_mut(),
    };
    let seconds = arguments.seconds;
    let every = arguments.every.unwrap_or(start.step.max(0.01));
    let mut nothing = ();
    let record: &mut dyn Recorder = match &mut recording {
        None => &mut nothing,
        Some(file) => file,
    };
    #[cfg(feature = "view")]
    let done = match &mut live {
        None => simulation.run(seconds, every, &mut (&mut monitors, &mut progress, record)),
        Some(live) => simulation.run(
            seconds,
            every,
            &mut (&mut monitors, &mut progress, record, live),
        ),
    };
    #[cfg(not(feature = "view"))]
    let done = simulation.run(seconds, every, &mut (&mut monitors, &mut progress, record));
    let elapsed = clock.elapsed();
    progress.finish();
    // Samples before a failure are kept.
    if let Some(recording) = recording {
        recording.finish()?;
    }
    if let Some(path) = plot {
        curves.write_svg(path, model.name())?;
    }
    let conservation = curves.conservation();
    let (energy, beyond) = if done.is_ok() {
        let allowed = if touches {
            BEYOND_EXACT
        } else if start.stops.is_none() {
            BEYOND_FREE
        } else {
            BEYOND_STOPS
        };
        let energy = conservation.warning().filter(|_| start.only_gravity_acts());
        (energy, limits.warning(allowed))
    } else {
        // Neither means anything of a motion that failed.
        (None, None)
    };
    let warnings = simulation.warnings().iter().chain(&energy).chain(&beyond);
    let warnings = warnings.map(|warning| explained_warning(warning, &start));
    let warnings: Vec<String> = beyond_loops.into_iter().chain(warnings).collect();
    for warning in &warnings {
        warn(warning);
    }
    done.map_err(|error| {
        let failure = match diverged(&error, simulation.warnings(), &start) {
            Some(reason) => Failure::Simulation(reason),
            None => explained(error),
        };
        failure.with_large_values(&robot.warnings)
    })?;

    let mut out = stdout().lock();
    let loops = loops.map(|loops| loop_table::gaps(model, &loops));
    let contact = match touches {
        true => {
            let end = simulation.sample().map_err(explained)?;
            let (contact, energy) = (end.contact, end.energy());
            contact.map(|contact| ContactSummary::new(model, &contact, energy))
        }
        false => None,
    };
    let mut summary = Summary::new(
        arguments.seconds,
        integrator,
        &start,
        conservation,
        &simulation,
        warnings,
    );
    summary.contact = contact;
    match arguments.format {
        Format::Text => {
            if stdout().is_terminal() {
                out.write_all(curves.text(model.name()).as_bytes())?;
            }
            if let Some(loops) = &loops {
                writeln!(out, "{}\n", loop_table::table(loops))?;
            }
            writeln!(out, "{}", summary.sentence(elapsed))?;
            if let Some(contact) = &summary.contact {
                out.write_all(contact.text().as_bytes())?;
            }
        }
        Format::Jsonl => {
            summary.loops = loops;
            write_line(&mut out, &summary)?;
        }
    }
    out.flush()?;
    #[cfg(feature = "view")]
    if viewing.is_some() {
        stay();
    }
    Ok(Status::Done)
}

/// Measures what is conserved, which joints leave their limits, and loops if that is asked for.
struct Monitors<'a, 'm> {
    curves: &'a mut Curves,
    limits: &'a mut LimitMonitor,
    loops: Option<&'a mut LoopMonitor<'m>>,
}

impl Recorder for Monitors<'_, '_> {
    fn record(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
        let _ = self.limits.record(sample)?;
        if let Some(loops) = &mut self.loops {
            let _ = loops.record(sample)?;
        }
        self.curves.record(sample)
    }
}

/// A file for samples; one that viewers draw has the shapes of the robot, too.
fn recording(
    path: &Path,
    robot: &Robot,
    pairs: Option<&[[JointId; 2]]>,
) -> Result<Recording, Failure> {
    let recording = match pairs {
        Some(pairs) => Recording::create_with_contacts(path, &robot.model, pairs)?,
        None => Recording::create(path, &robot.model)?,
    };
    #[cfg(feature = "mcap")]
    if RecordFormat::of_path(path) == Some(RecordFormat::Mcap) {
        let shapes = Shapes::of_robot(robot);
        if let [first, others @ ..] = shapes.left_out() {
            let more = match others.len() {
                0 => String::new(),
                more => format!(", and without {more} more shapes"),
            };
            warn(&format!("{} is without {first}{more}", path.display()));
        }
        return Ok(recording.with_shapes(&shapes)?);
    }
    Ok(recording)
}

/// A warning in terms of the command line.
fn explained_warning(warning: &SimulationWarning, start: &Start<'_>) -> String {
    if !matches!(warning, SimulationWarning::BeyondLimits { .. }) {
        return warning.to_string();
    }
    if start.method == MethodName::TimeStepping {
        format!("{warning}. What begins beyond a limit comes back at 0.1 rad/s (m/s)")
    } else if start.stops.is_none() {
        format!(
            "{warning}. Nothing acts at limits here; `--limits` adds stops, and time-stepping keeps them"
        )
    } else if start.stops != Some(Stops::default()) {
        format!("{warning}. Stiffer stops (`--limits=K,D`) yield less")
    } else {
        format!(
            "{warning}. These stops are as stiff as the step allows, and half the step makes them four times as \
             stiff; `--limits=K,D` sets the stiffness and damping of your robot's"
        )
    }
}

/// The reason of a motion that diverged because forces are too stiff for the steps, if that is so.
fn diverged(
    error: &SimulationError,
    warnings: &[SimulationWarning],
    start: &Start<'_>,
) -> Option<String> {
    let (SimulationError::Integrator(IntegratorError::Diverged { t, .. })
    | SimulationError::BlownUp { t, .. }) = error
    else {
        return None;
    };
    let needed = warnings.iter().filter_map(|warning| {
        if let SimulationWarning::FastDamping(force) | SimulationWarning::FastOscillation(force) =
            warning
        {
            Some(force)
        } else {
            None
        }
    });
    let fastest = needed.min_by(|a, b| a.longest.total_cmp(&b.longest))?;
    let (joint, method, longest) = (&fastest.joint, fastest.method, fastest.longest);
    let softer = if start.stops.is_none() {
        "softer forces".to_owned()
    } else {
        format!("stops of this joint with less stiffness and damping (`--limits={joint}:K,D`)")
    };
    Some(format!(
        "the motion diverged at t = {} s: the forces on joint `{joint}` are too stiff for {method} in \
         steps of {} s, which needs steps of at most {longest:.1e} s. Take such steps, `--integrator \
         implicit-midpoint`, or {softer}",
        short(*t),
        short(fastest.step)
    ))
}

/// An error of the simulation in terms of the command line.
fn explained(error: SimulationError) -> Failure {
    Failure::Simulation(
        if let SimulationError::InconsistentStart {
            joint,
            position,
            velocity,
            ..
        } = error
        {
            format!(
                "the loops are not closed at the start: the frames of loop joint `{joint}` are {position:.3e} (m, rad) apart, and \
             the loops open at up to {velocity:.3e} (m/s, rad/s). `--assemble` begins at a state nearby in which they \
             are closed"
            )
        } else {
            error.to_string()
        },
    )
}
