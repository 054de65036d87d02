//! Options without effect.

use super::arguments::SimulateArguments;
use crate::failure::Failure;
use featherline::Model;
use featherline_sim::contact::floating_height;
use featherline_sim::setup::{SetupError, SetupField};

/// Fails if an option of the command line has no effect beside the others, or on the robot. Those
/// that say how a simulation begins are checked with it.
pub fn check(arguments: &SimulateArguments, model: &Model) -> Result<(), Failure> {
    if !arguments.robot.keep_fixed_joint.is_empty() {
        return idle(
            "--keep-fixed-joint",
            "a joint that does not move changes nothing of a motion",
            "leave it out",
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
    let mut joints = model.joints().iter();
    if arguments.no_effort_limits
        && joints.all(|it| it.limits.effort.iter().all(|effort| effort.is_infinite()))
    {
        return idle(
            "--no-effort-limits",
            format!("`{}` has no limits of effort", model.name()),
            "leave it out",
        );
    }
    if arguments.no_ground && floating_height(model).is_none() {
        return idle(
            "--no-ground",
            "no ground is added below a robot whose base does not float",
            "leave it out",
        );
    }
    let is_open = arguments.state.q.is_none() && arguments.state.v.is_none();
    if arguments.assemble && is_open && !model.loop_joints().is_empty() {
        return idle(
            "--assemble",
            "without `--q` and `--v` the robot begins with its loops closed",
            "leave it out, or say by `--q` where it shall begin",
        );
    }
    if arguments.assemble || arguments.loops.is_some() {
        let option = if arguments.assemble {
            "--assemble"
        } else {
            "--loops"
        };
        if model.loop_joints().is_empty() {
            let why = format!("`{}` has no loops to keep closed", model.name());
            return idle(option, why, "leave it out");
        }
    }
    Ok(())
}

/// Why there is no simulation, in terms of the command line.
pub fn refused(error: SetupError) -> Failure {
    if let SetupError::Idle { what, why, instead } = error {
        return Failure::idle(option(what), why, instead);
    }
    Failure::Simulation(if let SetupError::BadNumber { what, value, need } = error {
        format!("`{}` is {value}, where {need}", option(what))
    } else {
        error.to_string()
    })
}

/// The option of the command line.
fn option(what: SetupField) -> &'static str {
    match what {
        SetupField::Step => "--step",
        SetupField::Tolerance => "--tolerance",
        SetupField::Ground => "--ground",
        SetupField::Friction => "--friction",
        SetupField::FrictionLaw => "--friction-law",
        SetupField::ImpactLaw => "--impact-law",
        SetupField::Drives | SetupField::Controller => "--controller",
        SetupField::Controls => "--controls",
        SetupField::Goal => "--goal",
        SetupField::Frequency => "--frequency",
        SetupField::Passive => "--passive",
        SetupField::Stops => "--limits",
        SetupField::Loops => "--loops",
        SetupField::Assemble => "--assemble",
        other => other.name(),
    }
}

fn idle(
    option: &'static str,
    why: impl Into<String>,
    instead: &'static str,
) -> Result<(), Failure> {
    Err(Failure::idle(option, why, instead))
}
