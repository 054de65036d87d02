//! `featherline simulate`: a robot in motion, sampled, recorded and drawn.

mod actuators;
mod arguments;
mod curves;
mod loop_table;
mod options;
mod progress;
mod scene;
mod start;
mod stops;
mod summary;
mod touching;
#[cfg(feature = "view")]
mod viewing;

pub use arguments::{HELP, SimulateArguments};

use crate::failure::Failure;
use crate::format::Format;
#[cfg(feature = "view")]
use crate::live::stay;
use crate::message::{note, warn};
use crate::robot::{self, Robot};
use crate::status::Status;
use curves::Curves;
use featherline::model::JointId;
use featherline_record::Recording;
use featherline_record::number::short;
#[cfg(feature = "mcap")]
use featherline_record::{RecordFormat, foxglove::Shapes};
use featherline_sim::contact::{CollisionContacts, Drives};
use featherline_sim::integrator::IntegratorError;
use featherline_sim::integrator::forces::{self, ForceModel, JointLimits};
use featherline_sim::simulation::{
    ControllerName, GravityCompensation, LimitMonitor, LoopMonitor, MethodName,
    ProportionalDerivative, Recorder, RecorderError, Sample, SimulationError, SimulationWarning,
    Simulator,
};
use progress::Progress;
use scene::Scene;
use start::Start;
use std::io::{IsTerminal, Write, stdout};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;
use summary::Summary;
use touching::Touching;
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
    let mut arguments = arguments.clone();
    let scene = Scene::decide(&mut arguments, &robot)?;
    let arguments = &arguments;
    options::check(arguments, &robot)?;
    let mut start = Start::of(arguments, &robot)?;
    start.doubt(arguments, model);
    let contacts = scene.prepare(arguments, &robot, &mut start)?;
    let simulator = simulator(arguments, &robot, &start, contacts)?;
    let integrator = simulator.method().name();
    let simulator = simulator.with_contact_laws(scene::laws(arguments, &robot));
    let begun = if start.assemble {
        simulator.start_assembled(0.0, &start.q, &start.v)
    } else {
        simulator.start(0.0, &start.q, &start.v)
    };
    let mut simulation =
        begun.map_err(|error| explained(error).with_large_values(&robot.warnings))?;
    if arguments.assemble && !model.loop_joints().is_empty() {
        let begins = (simulation.configuration(), simulation.velocity());
        let how = start::assembled(model, &start, begins)?;
        note(&how);
    }
    let beyond_loops = match arguments.controller() {
        ControllerName::Pd => start::goal_beyond_loops(model, &start.goal)?,
        ControllerName::None
        | ControllerName::Gravity
        | ControllerName::Hold
        | ControllerName::Actuators => None,
    };
    let plot = arguments.plot.as_deref();
    if let Some(path) = plot {
        Curves::check_path(path)?;
    }
    let touches = arguments.integrator() == MethodName::TimeStepping;
    let contact_pairs = touches.then(|| simulation.body_pairs());
    let mut recording = match &arguments.record {
        None => None,
        Some(path) => Some(recording(path, &robot, contact_pairs.as_deref())?),
    };

    #[cfg(feature = "view")]
    let viewing = Viewing::of(arguments, &robot)?;
    #[cfg(not(feature = "view"))]
    if arguments.view {
        return Err(Failure::NotBuilt {
            what: "`--view`".to_owned(),
            feature: "view",
        });
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
    let (seconds, every) = (arguments.seconds, arguments.every());
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
        let allowed = if arguments.integrator() == MethodName::TimeStepping {
            BEYOND_EXACT
        } else if arguments.limits.is_empty() {
            BEYOND_FREE
        } else {
            BEYOND_STOPS
        };
        let energy = conservation
            .warning()
            .filter(|_| arguments.only_gravity_acts());
        (energy, limits.warning(allowed))
    } else {
        // Neither means anything of a motion that failed.
        (None, None)
    };
    let warnings = simulation.warnings().iter().chain(&energy).chain(&beyond);
    let warnings = warnings.map(|warning| explained_warning(warning, arguments));
    let warnings: Vec<String> = beyond_loops.into_iter().chain(warnings).collect();
    for warning in &warnings {
        warn(warning);
    }
    done.map_err(|error| {
        let failure = match diverged(&error, simulation.warnings(), arguments) {
            Some(reason) => Failure::Simulation(reason),
            None => explained(error),
        };
        failure.with_large_values(&robot.warnings)
    })?;

    let mut out = stdout().lock();
    let loops = loops.map(|loops| loop_table::gaps(model, &loops));
    let touching = match touches {
        true => {
            let end = simulation.sample().map_err(explained)?;
            let (contact, energy) = (end.contact, end.energy());
            contact.map(|contact| Touching::new(model, &contact, energy))
        }
        false => None,
    };
    let mut summary = Summary::new(
        arguments,
        integrator,
        model,
        conservation,
        &simulation,
        warnings,
    );
    summary.touching = touching;
    summary.left_out = touches.then_some(start.left_out);
    match arguments.format {
        Format::Text => {
            if stdout().is_terminal() {
                out.write_all(curves.text(model.name()).as_bytes())?;
            }
            if let Some(loops) = &loops {
                writeln!(out, "{}\n", loop_table::table(loops))?;
            }
            writeln!(out, "{}", summary.sentence(elapsed))?;
            if let Some(touching) = &summary.touching {
                out.write_all(touching.text().as_bytes())?;
            }
        }
        Format::Jsonl => {
            summary.loops = loops;
            serde_json::to_writer(&mut out, &summary)?;
            writeln!(out)?;
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

/// The robot with what moves it.
fn simulator<'m>(
    arguments: &SimulateArguments,
    robot: &'m Robot,
    start: &Start,
    contacts: Option<CollisionContacts>,
) -> Result<Simulator<'m>, Failure> {
    let model = &robot.model;
    let bad = |error: IntegratorError| Failure::Simulation(error.to_string());
    let method = arguments.integrator();
    let method = method.method(model, arguments.step(), arguments.tolerance());
    let method = method.map_err(bad)?;
    let mut simulator = Simulator::new(model, method);
    if let Some(contacts) = contacts {
        simulator = simulator.with_contacts(contacts);
    }
    simulator = match arguments.controller() {
        ControllerName::Hold => {
            simulator.with_drives(Drives::holding(model, &start.q).map_err(bad)?)
        }
        ControllerName::Actuators => {
            simulator.with_drives(actuators::drives(arguments, robot, &start.q).map_err(bad)?)
        }
        ControllerName::None => simulator,
        ControllerName::Gravity => simulator.with_controller(GravityCompensation::new(model)),
        ControllerName::Pd => {
            let (goal, frequency) = (&start.goal, arguments.frequency.unwrap_or(1.0));
            let control = ProportionalDerivative::critical(model, goal, frequency).map_err(bad)?;
            simulator.with_controller(control)
        }
    };
    let mut laws: Vec<Box<dyn ForceModel + 'm>> = Vec::new();
    if arguments.passive {
        let passive = forces::passive(model, forces::FRICTION_TRANSITION).map_err(bad)?;
        let lacks = "damping, no dry friction and no springs";
        options::check_acts(&passive, ("--passive", lacks), model)?;
        laws.push(Box::new(passive));
    }
    if !arguments.limits.is_empty() {
        let limits = stops::joint_limits(arguments, model, &start.q)?;
        options::check_acts(&limits, ("--limits", "limits of joints"), model)?;
        laws.push(Box::new(limits));
    }
    simulator = simulator.with_forces(laws);
    let keeping = arguments.loops.flatten().unwrap_or_default();
    let keeping = keeping.in_steps_of(arguments.step());
    Ok(simulator.with_loops_kept(keeping))
}

/// A warning in terms of the command line.
fn explained_warning(warning: &SimulationWarning, arguments: &SimulateArguments) -> String {
    if !matches!(warning, SimulationWarning::BeyondLimits { .. }) {
        return warning.to_string();
    }
    if arguments.integrator() == MethodName::TimeStepping {
        format!("{warning}. What begins beyond a limit comes back at 0.1 rad/s (m/s)")
    } else if arguments.limits.is_empty() {
        format!(
            "{warning}. Nothing acts at limits here; `--limits` adds stops, and time-stepping keeps them"
        )
    } else if arguments.has_given_stops() {
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
    arguments: &SimulateArguments,
) -> Option<String> {
    let (SimulationError::Integrator(IntegratorError::Diverged { t, .. })
    | SimulationError::BlownUp { t, .. }) = error
    else {
        return None;
    };
    let needed = warnings.iter().filter_map(|warning| {
        if let SimulationWarning::FastDamping {
            joint,
            method,
            step,
            longest,
            ..
        }
        | SimulationWarning::FastOscillation {
            joint,
            method,
            step,
            longest,
            ..
        } = warning
        {
            Some((joint, method, *step, *longest))
        } else {
            None
        }
    });
    let (joint, method, step, longest) = needed.min_by(|a, b| a.3.total_cmp(&b.3))?;
    let softer = if arguments.limits.is_empty() {
        "softer forces".to_owned()
    } else {
        format!("stops of this joint with less stiffness and damping (`--limits={joint}:K,D`)")
    };
    Some(format!(
        "the motion diverged at t = {} s: the forces on joint `{joint}` are too stiff for {method} in \
         steps of {} s, which needs steps of at most {longest:.1e} s. Take such steps, `--integrator \
         implicit-midpoint`, or {softer}",
        short(*t),
        short(step)
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
