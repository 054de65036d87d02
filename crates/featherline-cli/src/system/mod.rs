//! `featherline system`: the dynamics as one sparse linear system.

mod answers;
mod arguments;
mod count;
mod determined;
mod diagnose;
mod estimate;
mod export;
mod plan;
mod plot;
mod sample;
mod series;
mod simulate;
mod solution;
mod solve;

pub use arguments::{HELP, SystemArguments};

use crate::failure::Failure;
use crate::file;
use crate::names;
use crate::robot;
use crate::status::Status;
use arguments::Picture;
use featherline::Model;
use featherline_system::{KnownSet, Prior, SensorFile, SparsityPicture, System, SystemError};
use std::fs;
use std::io::{Write, stdout};

/// Makes the system, and runs what the arguments ask for.
pub fn run(arguments: &SystemArguments) -> Result<Status, Failure> {
    let robot = robot::load_and_warn(&arguments.robot)?;
    if arguments.cut_loops && robot.model.loop_joints().is_empty() {
        let why = format!("`{}` has no closed loops", robot.model.name());
        return Err(Failure::idle("--cut-loops", why, "leave it out"));
    }
    let (system, priors) = system(arguments, robot.model)?;
    let format = arguments.format.unwrap_or_default();
    if arguments.spy.is_some() || arguments.spy_of.is_some() {
        spy(arguments, &system)?;
        if !arguments.wants_more_than_pictures() {
            return Ok(Status::Done);
        }
    }
    if let Some(folder) = &arguments.export {
        return export::run(arguments, &system, folder, format);
    }
    if let Some(data) = &arguments.solve {
        return solve::run(arguments, &system, data);
    }
    if let Some(data) = &arguments.estimate {
        return estimate::run(arguments, &system, &priors, data);
    }
    if let Some(count) = arguments.simulate {
        return simulate::run(&system, count, arguments.seed);
    }
    if arguments.count {
        return count::run(arguments, &system, format);
    }
    diagnose::run(&system, !arguments.no_advice, format)
}

/// Draws a pattern to a file, or prints it.
fn spy(arguments: &SystemArguments, system: &System) -> Result<(), Failure> {
    let picture = match arguments.spy_of.unwrap_or_default() {
        Picture::System => SparsityPicture::system(system),
        Picture::MassMatrix => SparsityPicture::mass_matrix(system.model()),
        Picture::Ltdl => SparsityPicture::ltdl(system.model()),
        Picture::Kkt => SparsityPicture::kkt(system.model()),
    };
    if let Some(path) = &arguments.spy {
        return fs::write(path, picture.svg()).map_err(Failure::of_file(path));
    }
    let (robot, summary) = (system.model().name(), picture.summary());
    writeln!(stdout().lock(), "{robot}: {summary}\n{}", picture.text())?;
    Ok(())
}

/// The system of a robot with known quantities and sensors, and the priors of an estimate.
fn system(arguments: &SystemArguments, model: Model) -> Result<(System, Vec<Prior>), Failure> {
    let file = match &arguments.sensors {
        None => SensorFile {
            known: Vec::new(),
            sensors: Vec::new(),
            priors: Vec::new(),
        },
        Some(path) => {
            let place = path.display();
            let text = file::read_text(path, file::TEXT)
                .map_err(|error| Failure::sensors(format_args!("can't read {place}: {error}")))?;
            SensorFile::read(&text, &model)
                .map_err(|error| Failure::Sensors(format!("{place}: {error}")))?
        }
    };
    let known = names::separated(&arguments.known).into_iter().map(|word| {
        KnownSet::parse(&names::system_word(&word), &model)
            .map_err(|error| Failure::Sensors(format!("--known: {error}")))
    });
    let known: Vec<KnownSet> = known.collect::<Result<_, _>>()?;
    let problem = file.problem(model, &known).map_err(|error| {
        if let SystemError::KnownTwice { .. } = error {
            Failure::Sensors(format!("--known: {error}"))
        } else {
            error.into()
        }
    })?;
    let problem = if arguments.cut_loops {
        problem.with_loops_cut()
    } else {
        problem
    };
    Ok((System::new(problem)?, file.priors))
}
