//! Written and read again.

use featherline_formats::description::{Description, Form, Setting};
use featherline_formats::{Difference, Robot, WarningCause, load_str, mjcf};
use featherline_geometry::Shape;
use std::fmt::Debug;

/// A few roundings of rotations and inertias.
const ROUNDING: f64 = 1e-12;

/// The robot of the MJCF that is written of a description.
#[track_caller]
pub fn again(description: &Description) -> Robot {
    let written = match mjcf::to_string(description) {
        Ok(written) => written,
        Err(error) => panic!("{error}"),
    };
    match load_str(&written.text) {
        Ok(robot) => robot,
        Err(error) => panic!("{error}\n{}", written.text),
    }
}

/// The parts that the writer's warnings name as missing, or as written in another way.
pub fn lost(description: &Description) -> Vec<String> {
    let written = mjcf::to_string(description).unwrap();
    let lost = written.warnings.iter();
    let lost = lost.filter(|it| !matches!(it.cause, WarningCause::RefusedBy { .. }));
    lost.map(ToString::to_string).collect()
}

/// Fails unless a robot that is written and read again is the same, or the writer warns.
#[track_caller]
pub fn assert_comes_back(robot: &Robot) {
    let found = again(&robot.description);
    let lost = lost(&robot.description);
    if !lost.is_empty() {
        return;
    }
    let difference = Difference::of(&robot.model, &found.model, 3).unwrap();
    let written = || mjcf::to_string(&robot.description).unwrap().text;
    assert!(
        difference.is_same(ROUNDING),
        "{difference:#?}\n{}",
        written()
    );
    let parts = |of: &Description| parts(of);
    let (a, b) = (parts(&robot.description), parts(&found.description));
    for (a, b) in a.iter().zip(&b) {
        assert_eq!(a, b, "\n{}", written());
    }
}

fn settings<'d>(settings: impl IntoIterator<Item = &'d Setting>) -> String {
    let settings = settings.into_iter();
    let mut words: Vec<String> = settings
        .map(|it| format!("{}={}", it.name, it.value))
        .collect();
    words.sort();
    words.join(" ")
}

/// The parts of a description, with all that is not a number, and the numbers that are not rounded.
fn parts(of: &Description) -> Vec<String> {
    fn all<T>(list: &[T], text: impl Fn(&T) -> String) -> String {
        list.iter().map(text).collect::<Vec<_>>().join("\n")
    }
    let debug = |it: &dyn Debug| format!("{it:?}");
    vec![
        all(&of.links, |it| it.name.clone()),
        all(&of.joints, |it| {
            let law = it.mimic.as_ref().map(|it| it.joint);
            format!("{} {law:?} {:?} {:?}", it.name, it.limits, it.drive.damping)
        }),
        all(&of.loops, |it| {
            let ends = (it.predecessor.0, it.successor.0);
            format!("{} {:?} {ends:?}", it.name, it.kind)
        }),
        all(&of.frames, |it| format!("{} {}", it.name, it.link)),
        all(&of.geometry, |it| {
            let form = match &it.form {
                Form::Mesh(file) => debug(&file.scale),
                // Its vertices may have another order.
                Form::Shape(Shape::Mesh(mesh)) => format!("{:.9}", mesh.surface()),
                Form::Shape(shape) => debug(shape),
                Form::Other { .. } => String::new(),
            };
            let material = it.material.map(|it| &of.materials[it]);
            let material = material.map(|it| (&it.name, it.colour));
            let is = (it.is_visual, it.is_collision);
            format!("{} {} {is:?} {form} {material:?}", it.name, it.link)
        }),
        all(&of.actuators, |it| {
            let mut settings = it.settings.clone();
            settings.sort_by(|a, b| a.name.cmp(&b.name));
            let ranges = (it.control_range, it.force_range);
            let (kind, gear) = (&it.kind, it.gear);
            format!(
                "{kind} {:?} {gear:?} {ranges:?} {settings:?}",
                it.transmission
            )
        }),
        all(&of.tendons, |it| {
            let numbers = (it.stiffness, it.damping, it.friction, it.armature);
            let ranges = (it.rest_length, it.range);
            format!("{:?} {numbers:?} {ranges:?} {:?}", it.path, it.settings)
        }),
        all(&of.sensors, |it| {
            let mut settings = it.settings.clone();
            settings.sort_by(|a, b| a.name.cmp(&b.name));
            settings.retain(|it| !it.name.ends_with("type"));
            format!("{} {} {:?} {settings:?}", it.name, it.kind, it.targets)
        }),
        all(&of.contact_pairs, |it| {
            format!("{} {:?} {:?}", it.name, it.geometry, it.settings)
        }),
        all(&of.contact_exclusions, |it| {
            format!("{} {:?}", it.name, it.links)
        }),
        all(&of.configurations, |it| it.name.clone()),
        all(&of.kept, |it| format!("{:?} {}", it.owner, it.text)),
        debug(&of.gravity),
        all(&of.links, |it| settings(&it.settings)),
        all(&of.joints, |it| {
            let law = it.mimic.iter().flat_map(|it| &it.settings);
            settings(it.settings.iter().chain(law))
        }),
        all(&of.loops, |it| settings(&it.settings)),
        all(&of.frames, |it| settings(&it.settings)),
        all(&of.geometry, |it| settings(&it.settings)),
        all(&of.materials, |it| settings(&it.settings)),
        all(&of.configurations, |it| settings(&it.settings)),
    ]
}

#[test]
fn a_floating_joint_with_an_origin_is_the_same() {
    let text = "<robot name='r'><link name='base'/><link name='body'><inertial><origin xyz='0 0.1 0'/><mass value='2'/>
      <inertia ixx='1' ixy='0.1' ixz='0' iyy='2' iyz='0' izz='2.5'/></inertial></link>
      <joint name='j' type='floating'><origin xyz='1 2 3' rpy='0.3 0.2 0.1'/>
      <parent link='base'/><child link='body'/></joint></robot>";
    let robot = load_str(text).unwrap();
    let found = again(&robot.description);
    let difference = Difference::of(&robot.model, &found.model, 3).unwrap();
    assert!(difference.is_same(ROUNDING), "{difference:#?}");
    // Another mass is a difference.
    let other = load_str(&text.replace("value='2'", "value='3'")).unwrap();
    let found = again(&other.description);
    let difference = Difference::of(&robot.model, &found.model, 3).unwrap();
    assert!(!difference.is_same(ROUNDING), "{difference:#?}");
}
