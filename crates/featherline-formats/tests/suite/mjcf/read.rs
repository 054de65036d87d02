//! Reading a text, for the other tests.

use super::again::assert_comes_back;
use featherline::Workspace;
use featherline::model::{FrameKind, Model};
use featherline::spatial::{Inertia, Se3, Vec3};
use featherline_formats::{Robot, load_str};

/// The robot of what is inside `<mujoco>`, which comes back when it is written.
#[track_caller]
pub fn read(inside: &str) -> Robot {
    match load_str(&format!("<mujoco model='test'>{inside}</mujoco>")) {
        Ok(robot) => {
            assert_comes_back(&robot);
            robot
        }
        Err(error) => panic!("{error}\n{inside}"),
    }
}

/// The robot of one body that moves freely.
#[track_caller]
pub fn body(inside: &str) -> Robot {
    read(&format!(
        "<worldbody><body name='b'><freejoint/>{inside}</body></worldbody>"
    ))
}

/// The inertia of a link, in its frame.
pub fn inertia(robot: &Robot, link: &str) -> Inertia<f64> {
    let link = robot.description.links.iter().find(|it| it.name == link);
    let inertial = link.and_then(|link| link.inertial);
    inertial.map_or(Inertia::zero(), |inertial| inertial.inertia())
}

/// The placement of a site in the world.
pub fn site(model: &Model, q: &[f64], name: &str) -> Se3<f64> {
    let mut ws = Workspace::new(model);
    let frame = model
        .frame_id_of_kind(name, FrameKind::Operational)
        .unwrap();
    model
        .forward_kinematics(&mut ws, q)
        .unwrap()
        .placement(frame)
}

/// The texts of the warnings, one a line.
pub fn warnings(robot: &Robot) -> String {
    let all = robot.warnings.iter().map(|it| it.to_string());
    all.collect::<Vec<_>>().join("\n")
}

#[track_caller]
pub fn assert_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    let scale = expected.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
    for (x, y) in found.iter().zip(expected) {
        // A few roundings of the largest number.
        assert!(
            (x - y).abs() <= 1e-14 * scale,
            "{found:?} is not {expected:?}"
        );
    }
}

#[track_caller]
pub fn assert_at(found: Vec3<f64>, expected: [f64; 3]) {
    assert_near(&found.to_array(), &expected);
}
