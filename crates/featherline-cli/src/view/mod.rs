//! `featherline view`: the robot in the browser.

mod arguments;
mod watch;

pub use arguments::{HELP, ViewArguments};

use crate::failure::Failure;
use crate::live::{Opening, announce, stay};
use crate::message::note;
use crate::robot::{self, Robot};
use crate::snippet;
use crate::states::{configuration, doubt_degrees, sized};
use crate::status::Status;
use featherline_record::RecordFormat;
use featherline_viewer::page;
use featherline_viewer::picture::{Picture, PictureError};
use featherline_viewer::scene::{RecordedContacts, RecordedMotion, Scene};
use featherline_viewer::server::Server;
use std::io;
use std::path::Path;
use watch::Watch;

/// Serves the page, or writes it to a file.
pub fn run(arguments: &ViewArguments) -> Result<Status, Failure> {
    refuse_recording(arguments)?;
    if let Some(path) = &arguments.html {
        let robot = robot::load_and_warn(&arguments.robot)?;
        let page = page::with_scene(&scene(&robot, arguments)?);
        write(path, page.as_bytes())?;
        return Ok(Status::Done);
    }
    if arguments.png.is_some() || arguments.gif.is_some() {
        return draw(arguments);
    }
    let mut watch = Watch::of(&arguments.robot);
    let scene = shown(arguments, &mut watch)?;
    let server = Server::start_at(&scene, arguments.port.unwrap_or(0));
    let server = server.map_err(|error| Failure::Server(error.to_string()))?;
    announce(&server, Opening::new(arguments.open, arguments.no_open))?;
    while watch.has_files() {
        watch.wait();
        match shown(arguments, &mut watch) {
            Ok(scene) => server.replace(&scene),
            // Such as an option that changes nothing any more.
            Err(failure) => {
                let name = arguments.robot.robot.display().to_string();
                crate::message::error(&failure.to_string());
                server.replace(&Scene::of_message(&name, failure.to_string()));
            }
        }
        let file = arguments.robot.robot.display();
        note(&format!("{file} was read again"));
    }
    stay()
}

/// Writes pictures.
fn draw(arguments: &ViewArguments) -> Result<Status, Failure> {
    for (path, format) in [(&arguments.png, "png"), (&arguments.gif, "gif")] {
        if let Some(path) = path {
            check_extension(path, format)?;
        }
    }
    let robot = robot::load_and_warn(&arguments.robot)?;
    let model = &robot.model;
    let nq = format!("nq = {}", model.nq());
    let q = match (&arguments.configuration, arguments.q.as_deref()) {
        (Some(name), _) => Some(configuration(name, model)?.to_vec()),
        (None, Some(q)) => {
            let q = sized("--q", Some(q), model.neutral_configuration(), model, &nq)?;
            doubt_degrees(model, &q, "--q");
            Some(q)
        }
        (None, None) => None,
    };
    let picture = Picture {
        size: arguments.size.map(|it| it.0),
        from: arguments.from.as_deref().map(direction).transpose()?,
        q,
    };
    let scene = scene(&robot, arguments)?;
    let failed = |error: PictureError| Failure::Server(error.to_string());
    if let Some(path) = &arguments.png {
        write(path, &picture.png(&scene).map_err(failed)?)?;
    }
    if let Some(path) = &arguments.gif {
        write(path, &picture.gif(&scene).map_err(failed)?)?;
    }
    Ok(Status::Done)
}

/// Fails unless the extension of a picture's file is its format.
fn check_extension(path: &Path, format: &str) -> Result<(), Failure> {
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case(format) => Ok(()),
        _ => {
            let kind = format.to_uppercase();
            let reason = format!("--{format} writes a {kind} file: its name ends in .{format}");
            Err(Failure::of_file(path)(io::Error::other(reason)))
        }
    }
}

/// A direction to look from.
fn direction(numbers: &[f64]) -> Result<[f64; 3], Failure> {
    let direction: Option<[f64; 3]> = numbers.try_into().ok();
    let points = |it: &[f64; 3]| it.iter().all(|x| x.is_finite()) && it.iter().any(|x| *x != 0.0);
    direction.filter(points).ok_or_else(|| {
        Failure::state("--from needs three numbers that are not all zero, such as 1,-0.75,0.45")
    })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(Failure::of_file(path))
}

/// Fails if the robot's file is a recording.
fn refuse_recording(arguments: &ViewArguments) -> Result<(), Failure> {
    let path = &arguments.robot.robot;
    if RecordFormat::of_path(path).is_none() {
        return Ok(());
    }
    let shown = path.display();
    Err(Failure::Robot(format!(
        "{shown} is a recording, and no robot; `featherline view ROBOT --play {shown}` plays it, where ROBOT is the \
         robot that was recorded"
    )))
}

/// The scene of the robot, or of the error in its file, which is printed, too.
fn shown(arguments: &ViewArguments, watch: &mut Watch) -> Result<Scene, Failure> {
    match robot::load_and_warn(&arguments.robot) {
        Ok(robot) => {
            watch.also(&robot.description);
            scene(&robot, arguments)
        }
        Err(Failure::Load(error)) if watch.has_files() => {
            snippet::error(&error);
            Ok(Scene::of_error(&error))
        }
        Err(failure) => Err(failure),
    }
}

/// The scene of a robot, with the recording that is to be played.
fn scene(robot: &Robot, arguments: &ViewArguments) -> Result<Scene, Failure> {
    let scene = Scene::of_robot(robot);
    let Some(path) = &arguments.play else {
        return Ok(scene);
    };
    let motion = featherline_record::read(path, &robot.model)?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    Ok(scene.with_recording(&RecordedMotion {
        file: &name.to_string_lossy(),
        times: &motion.times,
        q: &motion.q,
        v: &motion.v,
        tau: Some(&motion.tau),
        contacts: motion.contacts.as_ref().map(|it| RecordedContacts {
            counts: &it.counts,
            points: &it.points,
            normals: &it.normals,
            forces: &it.forces,
        }),
    }))
}
