//! Good files, damaged at random.

use super::case::every_option;
use featherline_formats::load_str_with;
use proptest::prelude::*;

pub const ROBOTS: [&str; 6] = [
    include_str!("../../../../../robots/quadruped.urdf"),
    include_str!("../../../../../robots/humanoid.urdf"),
    include_str!("../../../../../robots/double_pendulum.urdf"),
    include_str!("../../../../../robots/ur5.urdf"),
    include_str!("../../../../../robots/hand.urdf"),
    EVERYTHING,
];

/// Every element and attribute that the reader knows.
const EVERYTHING: &str = r#"<?xml version="1.0"?>
<robot name="all" version="1.0" xmlns:x="y">
  <link name="base"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="a"><inertial><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><mass value="1"/>
    <inertia ixx="1" ixy="0.1" ixz="0.1" iyy="1" iyz="0.1" izz="1"/></inertial></link>
  <material name="m"><color rgba="1 0 0.5 1"/><texture filename="t.png"/></material>
  <link name="b"><visual name="v"><origin rpy="0.1 0.2 0.3"/><geometry><box size="1 2 3"/></geometry><material name="m"/></visual>
    <visual><geometry><mesh filename="package://p/a.stl" scale="0.1 0.1 0.1"/></geometry><material name=""><color rgba="1 1 1 1"/></material></visual>
    <collision><geometry><cylinder radius="0.1" length="1"/></geometry></collision><sensor name="s" type="camera"/></link>
  <link name="c"><collision><origin xyz="0 0 1"/><geometry><capsule radius="0.1" length="1"/></geometry></collision>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link><link name="d"/><link name="e"/><link name="f"/>
  <joint name="1" type="revolute"><origin xyz="0 0 1" quat_xyzw="0 0 0.6 0.8"/><parent link="base"/><child link="a"/>
    <axis xyz="0 1 1"/><limit lower="-1" upper="1" effort="10" velocity="3" acceleration="9"/><safety_controller k_velocity="1"/><dynamics damping="1" friction="2"/></joint>
  <joint name="2" type="continuous"><parent link="a"/><child link="b"/><mimic joint="3" multiplier="2" offset="1"/></joint>
  <joint name="3" type="prismatic"><parent link="a"/><child link="c"/><limit lower="-inf" upper="inf"/></joint>
  <joint name="4" type="planar"><parent link="c"/><child link="d"/><axis xyz="1 0 0"/></joint>
  <joint name="5" type="floating"><parent link="d"/><child link="e"/></joint>
  <joint name="6" type="fixed"><parent link="e"/><child link="f"/></joint>
  <transmission name="t"/><x:gazebo/>text
</robot>"#;

/// Replacements of a number.
const WORDS: [&str; 14] = [
    "", "nan", "-inf", "0", "-1", "1e308", "-1e308", "1e-320", "1e999", "${x}", "0x10", "1 2 3 4",
    "−1", "a",
];

#[derive(Clone, Debug)]
enum Damage {
    Cut(prop::sample::Index),
    Flip(prop::sample::Index, u8),
    Delete(prop::sample::Index, usize),
    Repeat(prop::sample::Index, usize),
    ReplaceNumber(prop::sample::Index, &'static str),
}

fn damage() -> impl Strategy<Value = Damage> {
    let place = any::<prop::sample::Index>;
    prop_oneof![
        1 => place().prop_map(Damage::Cut),
        4 => (place(), any::<u8>()).prop_map(|(at, byte)| Damage::Flip(at, byte)),
        2 => (place(), 1..200_usize).prop_map(|(at, length)| Damage::Delete(at, length)),
        2 => (place(), 1..400_usize).prop_map(|(at, length)| Damage::Repeat(at, length)),
        6 => (place(), prop::sample::select(&WORDS[..])).prop_map(|(at, word)| Damage::ReplaceNumber(at, word)),
    ]
}

fn apply(text: &str, damage: &Damage) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let length = bytes.len().max(1);
    match damage {
        Damage::Cut(at) => bytes.truncate(at.index(length)),
        Damage::Flip(at, byte) => {
            if let Some(old) = bytes.get_mut(at.index(length)) {
                *old = *byte;
            }
        }
        Damage::Delete(at, count) => {
            let start = at.index(length).min(bytes.len());
            let end = (start + count).min(bytes.len());
            bytes.drain(start..end);
        }
        Damage::Repeat(at, count) => {
            let start = at.index(length).min(bytes.len());
            let end = (start + count).min(bytes.len());
            let piece = bytes[start..end].to_vec();
            bytes.splice(end..end, piece);
        }
        Damage::ReplaceNumber(at, word) => {
            // Values of attributes stand between quotes.
            let start = at.index(length).min(bytes.len());
            let quote = |from: usize| {
                bytes[from..]
                    .iter()
                    .position(|&b| b == b'"')
                    .map(|i| from + i)
            };
            if let Some(first) = quote(start)
                && let Some(second) = quote(first + 1)
            {
                bytes.splice(first + 1..second, word.bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_are_read_or_refused_in_a_place_of_theirs(
        robot in prop::sample::select(&ROBOTS[..]),
        damages in prop::collection::vec(damage(), 1..4),
        option in 0..16_usize,
    ) {
        let text = damages.iter().fold(robot.to_owned(), |text, damage| apply(&text, damage));
        let lines = text.matches('\n').count() + 1;
        match load_str_with(&text, &every_option()[option]) {
            Ok(loaded) => {
                // An accepted text gives a model with finite numbers.
                prop_assert!(loaded.model.total_mass().is_finite());
                for joint in loaded.model.joints() {
                    prop_assert!(joint.placement.translation.is_finite());
                    prop_assert!(joint.inertia.com.is_finite() && joint.inertia.mass >= 0.0);
                }
                for warning in loaded.warnings {
                    prop_assert!(warning.location.position.is_some_and(|p| p.line <= lines));
                }
            }
            Err(error) => {
                prop_assert!(error.location().position.is_some_and(|p| p.line <= lines), "{}", error);
            }
        }
    }
}

#[test]
fn the_undamaged_files_are_read_with_every_option() {
    for robot in ROBOTS {
        for options in every_option() {
            if let Err(error) = load_str_with(robot, &options) {
                panic!("{error}");
            }
        }
    }
}
