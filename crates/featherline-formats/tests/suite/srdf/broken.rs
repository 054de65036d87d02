//! A file with every element, each part of it damaged in turn.

use super::ROBOT;
use featherline_formats::{LoadOptions, load_str, load_str_with};

const EVERYTHING: &str = "<robot name='r' version='1.0.0'>
<virtual_joint name='v' type='floating' parent_frame='world' child_link='base'/>
<group name='arm'><chain base_link='base' tip_link='hand'/><link name='upper'/></group>
<group name='hand'><joint name='left_finger'/><group name='arm'/></group>
<group_state name='home' group='arm'><joint name='elbow' value='0.5'/><joint name='root_joint' value='0 0 1 0 0 0 1'/></group_state>
<end_effector name='e' parent_link='lower' group='hand' parent_group='arm'/>
<passive_joint name='elbow'/>
<disable_default_collisions link='cart'/>
<enable_collisions link1='cart' link2='base' reason='x'/>
<disable_collisions link1='base' link2='upper' reason='Adjacent'/>
<link_sphere_approximation link='hand'><sphere center='0 0 0' radius='0.1'/></link_sphere_approximation>
<joint_property joint_name='elbow' property_name='p' value='1'/>
<rotor_params><joint name='elbow' mass='1e-5' gear_ratio='100'/></rotor_params>
</robot>";

/// Where each piece between quotes is.
fn values() -> Vec<(usize, usize)> {
    let quotes: Vec<usize> = EVERYTHING.match_indices('\'').map(|(i, _)| i).collect();
    quotes
        .chunks_exact(2)
        .map(|it| (it[0] + 1, it[1]))
        .collect()
}

fn options() -> LoadOptions {
    LoadOptions::new().floating_base(true)
}

/// Adds a text to the robot: it is read with warnings in their places, or an error has one.
fn check(text: &str) {
    let lines = text.matches('\n').count() + 1;
    let robot = load_str_with(ROBOT, &options()).unwrap();
    let before = robot.warnings.len();
    match robot.with_srdf_str(text) {
        Ok(robot) => {
            for warning in &robot.warnings[before..] {
                let position = warning.location.position;
                assert!(position.is_some_and(|at| at.line <= lines), "{warning}");
                assert!(warning.to_string().len() < 600, "{warning}");
            }
            for q in robot.model.reference_configurations().values() {
                assert!(q.len() == robot.model.nq() && q.iter().all(|x| x.is_finite()));
            }
        }
        Err(error) => assert!(error.location().position.is_some(), "{error}"),
    }
}

#[test]
fn the_whole_file_is_read_without_a_warning() {
    let robot = load_str_with(ROBOT, &options()).unwrap();
    let before = robot.warnings.len();
    let robot = robot.with_srdf_str(EVERYTHING).unwrap();
    assert_eq!(robot.warnings[before..], []);
}

#[test]
fn every_line_may_be_missing() {
    let lines: Vec<&str> = EVERYTHING.lines().collect();
    for left_out in 0..lines.len() {
        let kept = lines.iter().enumerate().filter(|(i, _)| *i != left_out);
        check(&kept.map(|(_, line)| *line).collect::<Vec<_>>().join("\n"));
    }
}

#[test]
fn every_value_may_be_garbled() {
    for (start, end) in values() {
        for garbled in ["", "nothing", "1e999", "-1", "1 2", "<"] {
            let text = [&EVERYTHING[..start], garbled, &EVERYTHING[end..]].concat();
            check(&text);
        }
    }
}

#[test]
fn a_name_that_is_garbled_is_a_warning() {
    // Names of parts; the values of the others are free, or numbers.
    let free = [
        "r", "1.0.0", "v", "floating", "world", "home", "e", "x", "Adjacent", "p", "1",
    ];
    let mut count = 0;
    for (start, end) in values() {
        let value = &EVERYTHING[start..end];
        let defines = EVERYTHING[..start].ends_with("group name='") && !value.starts_with("ar");
        if free.contains(&value) || value.starts_with(|c: char| c.is_ascii_digit()) || defines {
            continue;
        }
        let text = [&EVERYTHING[..start], "nothing", &EVERYTHING[end..]].concat();
        let robot = load_str_with(ROBOT, &options()).unwrap();
        let before = robot.warnings.len();
        let warnings = &robot.with_srdf_str(&text).unwrap().warnings[before..];
        assert!(!warnings.is_empty(), "{value}: nothing is said");
        count += 1;
    }
    assert!(count > 20, "{count}");
}

#[test]
fn every_attribute_may_be_missing() {
    for (start, end) in values() {
        let name = EVERYTHING[..start].rfind(' ').unwrap();
        check(&[&EVERYTHING[..name], &EVERYTHING[end + 1..]].concat());
    }
}

#[test]
fn the_file_may_end_anywhere() {
    let robot = load_str(ROBOT).unwrap();
    for end in 0..EVERYTHING.len() {
        let error = robot.clone().with_srdf_str(&EVERYTHING[..end]).unwrap_err();
        assert!(error.location().position.is_some(), "{error}");
    }
}
