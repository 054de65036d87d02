//! `featherline view`: the robot in the browser.

mod arguments;
mod watch;

pub use arguments::{HELP, ViewArguments};

use crate::failure::Failure;
use crate::live::{Opening, announce, stay};
use crate::message::note;
use crate::robot::{self, Robot};
use crate::snippet;
use crate::status::Status;
use featherline_record::RecordFormat;
use featherline_viewer::page;
use featherline_viewer::scene::{Recorded, RecordedContacts, Scene};
use featherline_viewer::server::Server;
use watch::Watch;

/// Serves the page, or writes it to a file.
pub fn run(arguments: &ViewArguments) -> Result<Status, Failure> {
    refuse_recording(arguments)?;
    if let Some(path) = &arguments.html {
        let robot = robot::load_and_warn(&arguments.robot)?;
        let page = page::with_scene(&scene(&robot, arguments)?);
        std::fs::write(path, page).map_err(|reason| Failure::File {
            path: path.clone(),
            reason,
        })?;
        return Ok(Status::Done);
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
        note(&format!(
            "{} was read again",
            arguments.robot.robot.display()
        ));
    }
    stay()
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
    Ok(scene.with_recording(&Recorded {
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
