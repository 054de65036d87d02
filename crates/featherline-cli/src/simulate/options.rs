//! Options without effect.

use super::actuators;
use super::arguments::SimulateArguments;
use crate::failure::Failure;
use crate::robot::Robot;
use featherline::Model;
use featherline::words::Words;
use featherline_formats::description::ContactModel;
use featherline_sim::contact::floating_height;
use featherline_sim::integrator::IntegratorError;
use featherline_sim::integrator::forces::ForceModel;
use featherline_sim::simulation::{ControllerName, MethodName, driven_coordinates};

/// Fails if an option has no effect beside the others, or on the robot.
pub fn check(arguments: &SimulateArguments, robot: &Robot) -> Result<(), Failure> {
    let model = &robot.model;
    check_robot(arguments)?;
    check_method(arguments)?;
    check_time_stepping(arguments, model)?;
    check_controller(arguments, model)?;
    check_actuators(arguments, robot)?;
    check_loops(arguments, model)
}

fn check_robot(arguments: &SimulateArguments) -> Result<(), Failure> {
    if arguments.robot.keep_fixed_joint.is_empty() {
        return Ok(());
    }
    idle(
        "--keep-fixed-joint",
        "a joint that does not move changes nothing of a motion".to_owned(),
        "leave it out",
    )
}

fn check_method(arguments: &SimulateArguments) -> Result<(), Failure> {
    if let Some(value) = arguments.tolerance
        && !(value > 0.0 && value.is_finite())
    {
        let error = IntegratorError::BadParameter {
            what: "the tolerance",
            value,
            need: "a positive number is needed",
        };
        return Err(Failure::Simulation(error.to_string()));
    }
    let has_tolerance = [MethodName::DormandPrince, MethodName::TimeStepping];
    if arguments.tolerance.is_some() && !has_tolerance.contains(&arguments.integrator()) {
        return idle(
            "--tolerance",
            format!(
                "{} takes steps of given length",
                arguments.integrator().name()
            ),
            "say by `--step` how long they are, or take `--integrator dormand-prince` or `time-stepping`",
        );
    }
    for (option, length) in [("--step", arguments.step), ("--every", arguments.every)] {
        let seconds = arguments.seconds;
        if length.is_some_and(|length| length > seconds && seconds > 0.0) {
            return idle(
                option,
                format!("the simulation is over after {seconds} s"),
                "take a shorter one or a longer `--seconds`, or leave it out",
            );
        }
    }
    if let (Some(step), Some(every)) = (arguments.step, arguments.every)
        && step > every
        && every > 0.0
    {
        return idle(
            "--step",
            format!("steps end at the samples, every {every} s"),
            "take a shorter step or a longer `--every`, or leave one of them out",
        );
    }
    Ok(())
}

fn check_time_stepping(arguments: &SimulateArguments, model: &Model) -> Result<(), Failure> {
    if arguments.integrator() == MethodName::TimeStepping {
        for (option, given) in [
            ("--passive", arguments.passive),
            ("--limits", !arguments.limits.is_empty()),
        ] {
            if given {
                return idle(
                    option,
                    "time-stepping has the limits, dampers, springs and friction of the joints \
                     anyway, exactly"
                        .to_owned(),
                    "leave it out, or take another integrator",
                );
            }
        }
        return Ok(());
    }
    let of_drives = [
        (ControllerName::Hold, "--controller hold"),
        (ControllerName::Actuators, "--controller actuators"),
    ];
    for (controller, option) in of_drives {
        if arguments.controller() == controller {
            return idle(
                option,
                format!("{} has no drives", arguments.integrator().name()),
                "take `--integrator time-stepping`, or `--controller pd`",
            );
        }
    }
    for (option, given) in [
        ("--ground", arguments.ground.is_some()),
        ("--friction", arguments.friction.is_some()),
        ("--friction-law", arguments.friction_law.is_some()),
        ("--impact-law", arguments.impact_law.is_some()),
    ] {
        if given {
            return idle(
                option,
                format!("{} has no contacts", arguments.integrator().name()),
                "leave it out, or take `--integrator time-stepping`",
            );
        }
    }
    // A robot without shapes may be let fall by any method.
    let has_base = floating_height(model).is_some();
    if arguments.no_ground && (arguments.integrator.is_some() || !has_base) {
        return idle(
            "--no-ground",
            format!("{} has no contacts", arguments.integrator().name()),
            "leave it out, or take `--integrator time-stepping`",
        );
    }
    Ok(())
}

/// Fails if there is nothing that a ground or its friction could touch.
pub fn check_touching(
    arguments: &SimulateArguments,
    contact: &ContactModel,
) -> Result<(), Failure> {
    let pairs = contact.collision.pairs();
    if arguments.ground.is_some() {
        // The ground that was added is the last shape, and has no link.
        let is_ground = |shape: usize| contact.links[shape].is_none();
        if !pairs.iter().flatten().any(|shape| is_ground(*shape)) {
            return idle(
                "--ground",
                "no link that moves has a collision shape that could touch it".to_owned(),
                "leave it out, or add such shapes to the robot's file",
            );
        }
    }
    if arguments.friction.is_some() && pairs.is_empty() {
        return idle(
            "--friction",
            "nothing can touch anything".to_owned(),
            "leave it out, or add `--ground HEIGHT`",
        );
    }
    Ok(())
}

fn check_controller(arguments: &SimulateArguments, model: &Model) -> Result<(), Failure> {
    let controller = arguments.controller();
    for (option, given) in [
        ("--goal", arguments.goal.is_some()),
        ("--frequency", arguments.frequency.is_some()),
    ] {
        if given && controller != ControllerName::Pd {
            return idle(
                option,
                format!("the controller is {}", controller.name()),
                "add `--controller pd`, or leave it out",
            );
        }
    }
    if controller != ControllerName::None && !driven_coordinates(model).contains(&true) {
        return idle(
            "--controller",
            format!("`{}` has no joint but its floating base", model.name()),
            "leave it out",
        );
    }
    Ok(())
}

fn check_actuators(arguments: &SimulateArguments, robot: &Robot) -> Result<(), Failure> {
    if arguments.controller() != ControllerName::Actuators {
        return Ok(());
    }
    let has_some = actuators::of(arguments, robot).is_some_and(|it| !it.joints.is_empty());
    match has_some {
        true => Ok(()),
        false => idle(
            "--controller actuators",
            format!(
                "`{}` has no actuators that act on single joints",
                robot.model.name()
            ),
            "leave it out, or take `--controller hold`",
        ),
    }
}

fn check_loops(arguments: &SimulateArguments, model: &Model) -> Result<(), Failure> {
    if model.loop_joints().is_empty() {
        for (option, given) in [
            ("--loops", arguments.loops.is_some()),
            ("--assemble", arguments.assemble),
        ] {
            if given {
                let why = format!("`{}` has no loops to keep closed", model.name());
                return idle(option, why, "leave it out");
            }
        }
    } else if arguments.assemble && arguments.state.q.is_none() && arguments.state.v.is_none() {
        return idle(
            "--assemble",
            "without `--q` and `--v` the robot begins with its loops closed".to_owned(),
            "leave it out, or say by `--q` where it shall begin",
        );
    } else if arguments.loops.flatten().is_some()
        && arguments.integrator() == MethodName::MaximalVariational
    {
        return idle(
            "--loops=HOW",
            "maximal-variational closes the loops itself, in each step".to_owned(),
            "leave HOW out, or take another integrator",
        );
    }
    Ok(())
}

/// Fails if the force model of an option is empty for the robot, because of what this lacks.
pub fn check_acts(
    forces: &dyn ForceModel,
    (option, lacks): (&'static str, &str),
    model: &Model,
) -> Result<(), Failure> {
    if !forces.is_nothing() {
        return Ok(());
    }
    let why = format!("`{}` has no {lacks}", model.name());
    idle(
        option,
        why,
        "leave it out, or add them to the robot's description",
    )
}

fn idle(option: &'static str, why: String, instead: &'static str) -> Result<(), Failure> {
    Err(Failure::IdleOption {
        option,
        why,
        instead,
    })
}
