//! Scenes: what they say is in the model and the description, and each mistake has its place.

mod contacts;
mod damaged;
mod mistakes;
mod options;
mod parts;
mod states;
mod written;

use featherline_formats::description::Description;
use featherline_formats::{LoadOptions, Robot, load_with};
use std::path::PathBuf;

/// A file beside these tests.
fn file(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    folder.join("tests/suite/scene/files").join(name)
}

fn scene(name: &str) -> Robot {
    load_with(file(name), &LoadOptions::new()).unwrap_or_else(|error| panic!("{error}"))
}

/// The index of the first shape of a link.
fn shape(description: &Description, link: &str) -> usize {
    let links = &description.links;
    let link = links.iter().position(|it| it.name == link).expect("a link");
    let mut shapes = description.geometry.iter();
    shapes.position(|it| it.link == link).expect("a shape")
}

/// The index of the shape of a name.
fn named(description: &Description, name: &str) -> usize {
    let mut shapes = description.geometry.iter();
    shapes
        .position(|it| it.name == name)
        .expect("a shape of that name")
}

/// The entries of a joint in q or v.
fn entries<'q>(robot: &Robot, joint: &str, of: &'q [f64]) -> &'q [f64] {
    let joint = robot
        .model
        .joint(robot.model.joint_id(joint).expect("a joint"));
    match of.len() == robot.model.nq() {
        true => &of[joint.idx_q..joint.idx_q + joint.nq],
        false => &of[joint.idx_v..joint.idx_v + joint.nv],
    }
}

fn start(robot: &Robot) -> &[f64] {
    &robot.model.reference_configurations()["start"]
}

#[track_caller]
fn assert_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (a, b) in found.iter().zip(expected) {
        // A few operations on numbers of the order of one.
        assert!(
            (a - b).abs() <= 1e-14 * b.abs().max(1.0),
            "{found:?} {expected:?}"
        );
    }
}
