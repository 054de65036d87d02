//! The robot of a command: its arguments, and reading it.

mod arguments;
mod warnings;

pub use arguments::RobotArguments;
pub use warnings::{grouped, grouped_of, is_mesh, with_others};

use crate::failure::Failure;
use crate::message::{note, warn};
use featherline::Model;
use featherline::joint::JointKind;
pub use featherline_formats::Robot;
use featherline_formats::check::{limits_without_lines, open_loops};
use featherline_formats::{Continuous, FileFormat, MimicJoints};
use std::path::{Path, PathBuf};

/// Reads the robot from its file, or takes the embedded one. Fails if an option of the reader has
/// no effect on it.
pub fn load(arguments: &RobotArguments) -> Result<Robot, Failure> {
    let robot = read(arguments)?;
    if is_model_file(&arguments.robot) {
        return match arguments.reader_option() {
            None => Ok(robot),
            Some(option) => Err(Failure::idle(
                option,
                "a model file is read as it was saved",
                "give the option when you save it, `featherline info ROBOT … --save FILE.json`",
            )),
        };
    }
    check_options(arguments, &robot)?;
    Ok(robot)
}

/// Whether a path is that of a model file.
fn is_model_file(path: &Path) -> bool {
    FileFormat::of_path(path) == Some(FileFormat::ModelFile)
}

/// A change of the options.
type Change = fn(&mut RobotArguments);

/// Fails if the robot is the same without an option that was given.
fn check_options(arguments: &RobotArguments, robot: &Robot) -> Result<(), Failure> {
    let root = robot.model.joints().get(1);
    if let (true, Some(root)) = (arguments.fixed_base, root)
        && root.kind == JointKind::FreeFlyer
        && robot.model.loop_joints().is_empty()
    {
        let (robot, joint) = (robot.model.name(), &root.name);
        let why = format!("the base of `{robot}` floats on a joint of its own, `{joint}`");
        return Err(Failure::idle("--fixed-base", why, "leave it out"));
    }
    let name = arguments.robot.to_str().unwrap_or_default();
    let is_file = arguments.robot.exists() || looks_like_path(name);
    if arguments.pinocchio && !is_file && featherline_robots::by_name(name).is_none() {
        let why =
            format!("`{name}` is generated and no URDF, so that its coordinates have one order");
        let instead = "leave it out, or give a URDF";
        return Err(Failure::idle("--pinocchio", why, instead));
    }
    let with = |change: Change| {
        let mut changed = arguments.clone();
        change(&mut changed);
        changed
    };
    // A robot that can't be read otherwise is not the same.
    let is_same = |changed: RobotArguments| {
        read(&changed).is_ok_and(|it| it.model.content_hash() == robot.model.content_hash())
    };
    let choices: [(_, _, Change, Change, _); 4] = [
        (
            "--mimic",
            arguments.mimic.is_some(),
            |it| it.mimic = None,
            |it| it.mimic = Some(MimicJoints::Free),
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
        return Err(Failure::idle(option, why, "leave it out"));
    }
    Ok(())
}

/// Reads the robot and its SRDF.
fn read(arguments: &RobotArguments) -> Result<Robot, Failure> {
    let mut robot = read_alone(arguments)?;
    if let Some(srdf) = &arguments.srdf {
        robot = robot.with_srdf(relative(srdf)).map_err(Failure::Load)?;
    }
    match arguments.strict {
        true => robot.without_warnings().map_err(Failure::Load),
        false => Ok(robot),
    }
}

fn read_alone(arguments: &RobotArguments) -> Result<Robot, Failure> {
    let path = &arguments.robot;
    match path.to_str() {
        Some(name) if !path.exists() && !looks_like_path(name) => {
            let options = arguments.load_options(arguments.floats());
            let read = featherline_robots::load(name, &options);
            read.map_err(|error| Failure::Robot(error.to_string()))
        }
        _ => {
            let read =
                featherline_formats::load_with(relative(path), &arguments.load_options(false));
            read.map_err(Failure::Load)
        }
    }
}

/// The robot's file, as seen from the current folder; none for an embedded robot and for a model
/// file, which have no text that somebody wrote.
pub fn text_file(arguments: &RobotArguments) -> Option<PathBuf> {
    let path = &arguments.robot;
    let name = path.to_str().unwrap_or_default();
    let is_file = path.exists() || looks_like_path(name);
    (is_file && !is_model_file(path)).then(|| relative(path))
}

/// A path as seen from the current folder, if it is below it: messages are shorter.
fn relative(path: &Path) -> PathBuf {
    let folder = std::env::current_dir().ok();
    let below = folder.and_then(|folder| path.strip_prefix(folder).ok().map(Path::to_owned));
    below
        .filter(|below| !below.as_os_str().is_empty())
        .unwrap_or_else(|| path.to_owned())
}

/// The folder of a robot's file that is given from the root and is not below the current folder.
pub fn folder(robot: &Path) -> Option<PathBuf> {
    let path = relative(robot);
    let folder = path.parent().filter(|_| path.is_absolute());
    folder.map(Path::to_owned)
}

/// Whether a name that is not the name of a file looks like a path.
fn looks_like_path(robot: &str) -> bool {
    robot.contains(['/', '\\', '.'])
}

/// [`load`], with the warnings on standard error: one message for each kind of warning.
pub fn load_and_warn(arguments: &RobotArguments) -> Result<Robot, Failure> {
    let robot = load(arguments)?;
    if let Some(srdf) = srdf_beside(arguments) {
        let srdf = srdf.display();
        note(&format!(
            "`{srdf}` is beside the robot's file: `--srdf {srdf}` reads its configurations and pairs"
        ));
    }
    let list = arguments.check_command();
    for message in grouped(&robot.warnings, &list) {
        warn(&message);
    }
    if let [first, others @ ..] = &limits_without_lines(&robot)[..] {
        warn(&with_others(first, others.len(), &list));
    }
    Ok(robot)
}

/// The SRDF of the same name beside the robot's file, if nobody asks for one.
fn srdf_beside(arguments: &RobotArguments) -> Option<PathBuf> {
    let beside = text_file(arguments)?.with_extension("srdf");
    (arguments.srdf.is_none() && beside.is_file()).then_some(beside)
}

/// [`load_and_warn`] for commands that use the spanning tree alone.
#[cfg(feature = "compile")]
pub fn load_tree(arguments: &RobotArguments) -> Result<Robot, Failure> {
    let robot = load_and_warn(arguments)?;
    warn_of_loops(arguments, &robot.model);
    Ok(robot)
}

/// Warns that results are those of the spanning tree, if the robot has loops.
pub fn warn_of_loops(arguments: &RobotArguments, model: &Model) {
    if let Some(what) = open_loops(model) {
        let place = arguments.robot.display();
        warn(&format!(
            "{what}; `featherline simulate {place}` and `eval {place} --compute maximal_dynamics` keep them closed, and so does \
             `loop_dynamics` in Rust and Python"
        ));
    }
}
