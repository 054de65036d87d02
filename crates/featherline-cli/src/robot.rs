//! Finding and reading the robot that a command is about.

use crate::arguments::{Continuous, Mimic, RobotArguments, SiblingOrder};
use crate::failure::Failure;
use crate::warning::{note, warn};
use featherline::Model;
use featherline::joint::JointKind;
use featherline_formats::urdf::{self, Loaded, UrdfOptions, Warning, WarningCause};
use featherline_robots::ROBOTS;

/// A robot that has been read.
#[derive(Debug)]
pub struct Robot {
    pub model: Model,
    /// What is doubtful about its file, or not used.
    pub warnings: Vec<Warning>,
}

/// Reads the robot from its file, or takes the embedded one. Fails if an option that says how changes nothing about it.
pub fn load(arguments: &RobotArguments) -> Result<Robot, Failure> {
    let robot = read(arguments)?;
    check_options(arguments, &robot)?;
    Ok(robot)
}

/// What would be asked for otherwise.
type Change = fn(&mut RobotArguments);

/// Fails if the robot is the same without an option that was given.
fn check_options(arguments: &RobotArguments, robot: &Robot) -> Result<(), Failure> {
    let root = robot.model.joints().get(1);
    if let (true, Some(root)) = (arguments.fixed_base, root)
        && root.kind == JointKind::FreeFlyer
        && robot.model.loop_joints().is_empty()
    {
        return Err(Failure::IdleOption {
            option: "--fixed-base",
            why: format!(
                "the base of `{}` floats on a joint of its own, `{}`",
                robot.model.name(),
                root.name
            ),
            instead: "leave it out",
        });
    }
    let with = |change: Change| {
        let mut changed = arguments.clone();
        change(&mut changed);
        changed
    };
    // What can't be read otherwise is not the same.
    let is_same = |changed: RobotArguments| {
        read(&changed).is_ok_and(|it| it.model.content_hash() == robot.model.content_hash())
    };
    let choices: [(_, _, Change, Change, _); 5] = [
        (
            "--mimic",
            arguments.mimic.is_some(),
            |it| it.mimic = None,
            |it| it.mimic = Some(Mimic::Free),
            "no joint of `{}` mimics another",
        ),
        (
            "--continuous",
            arguments.continuous.is_some(),
            |it| it.continuous = None,
            |it| it.continuous = Some(Continuous::CosSin),
            "`{}` has no continuous joint",
        ),
        (
            "--sibling-order",
            arguments.sibling_order.is_some(),
            |it| it.sibling_order = None,
            |it| it.sibling_order = Some(SiblingOrder::Alphabetical),
            "the joints of `{}` that share a link are in the order of their names",
        ),
        (
            "--fixed-base",
            arguments.fixed_base,
            |it| it.fixed_base = false,
            |it| it.fixed_base = false,
            "the base of `{}` is fixed anyway",
        ),
        (
            "--floating-base",
            arguments.floating_base,
            |it| it.floating_base = false,
            |it| it.floating_base = false,
            "the base of `{}` floats anyway",
        ),
    ];
    for (option, given, without, with_other, lacks) in choices {
        if !given || !is_same(with(without)) {
            continue;
        }
        let why = if is_same(with(with_other)) {
            lacks.replace("{}", robot.model.name())
        } else {
            format!("`{}` is read like that anyway", robot.model.name())
        };
        return Err(Failure::IdleOption {
            option,
            why,
            instead: "leave it out",
        });
    }
    Ok(())
}

fn read(arguments: &RobotArguments) -> Result<Robot, Failure> {
    let path = &arguments.robot;
    let Loaded { model, warnings } = match path.to_str() {
        Some(name) if !path.exists() && !looks_like_path(name) => {
            let floats = ROBOTS.iter().any(|r| r.name == name && r.floating_base);
            let read = featherline_robots::load(name, &options(arguments, floats));
            read.map_err(|error| Failure::Robot(error.to_string()))?
        }
        _ => {
            let read = urdf::read_file(path, &options(arguments, false));
            read.map_err(|error| Failure::Robot(error.to_string()))?
        }
    };
    Ok(Robot { model, warnings })
}

/// Whether a robot that is no file was meant to be one.
fn looks_like_path(robot: &str) -> bool {
    robot.contains(['/', '\\', '.'])
}

/// [`load`], with the warnings on standard error.
pub fn load_and_warn(arguments: &RobotArguments) -> Result<Robot, Failure> {
    let robot = load(arguments)?;
    let (unused, doubtful): (Vec<_>, Vec<_>) = robot.warnings.iter().partition(|w| is_unused(w));
    for doubt in doubtful {
        warn(&doubt.to_string());
    }
    if !unused.is_empty() && arguments.robot.exists() {
        let robot = arguments.robot.display();
        note(&format!(
            "some of the file is not used; `featherline check {robot}` lists it"
        ));
    }
    Ok(robot)
}

/// [`load_and_warn`] for what sees the spanning tree alone.
pub fn load_tree(arguments: &RobotArguments) -> Result<Robot, Failure> {
    let robot = load_and_warn(arguments)?;
    if let Some(what) = loops_are_open(&robot.model) {
        let place = arguments.robot.display();
        warn(&format!(
            "{what}; `featherline simulate {place}` keeps them closed"
        ));
    }
    Ok(robot)
}

/// That a robot's loops are taken to be open, if it has some.
pub fn loops_are_open(model: &Model) -> Option<String> {
    let loops = model.loop_joints().len();
    (loops > 0).then(|| {
        let robot = has_loops(model.name(), loops);
        format!("{robot}: what is computed is its spanning tree, with open loops")
    })
}

/// That a robot has loops, and how many joints close them.
fn has_loops(robot: &str, loops: usize) -> String {
    match loops {
        1 => format!("`{robot}` has a closed loop (one loop joint)"),
        _ => format!("`{robot}` has closed loops ({loops} loop joints)"),
    }
}

/// Whether a warning only says that something has no meaning for dynamics, such as a colour.
pub fn is_unused(warning: &Warning) -> bool {
    matches!(warning.cause, WarningCause::Unused { .. })
}

fn options(arguments: &RobotArguments, floats: bool) -> UrdfOptions {
    let kept = arguments.keep_fixed_joint.iter();
    kept.fold(UrdfOptions::new(), UrdfOptions::keep_fixed_joint)
        .floating_base(arguments.floating_base || (floats && !arguments.fixed_base))
        .mimic(arguments.mimic.unwrap_or_default().into())
        .continuous(arguments.continuous.unwrap_or_default().into())
        .sibling_order(arguments.sibling_order.unwrap_or_default().into())
}
