//! A good file, damaged at random.

use featherline_formats::load_str;
use proptest::prelude::*;

/// Every element and most attributes that the reader knows.
pub const EVERYTHING: &str = r#"<mujoco model="all">
  <compiler angle="radian" eulerseq="XYz" boundmass="0.1" boundinertia="0.01" balanceinertia="true" settotalmass="9"
    inertiafromgeom="auto" inertiagrouprange="0 4" strippath="true" meshdir="m" autolimits="true"/>
  <option gravity="0 0 -1"><flag gravity="enable"/></option>
  <default><geom size=".1 .1 .1" density="500"/><default class="c"><joint damping="1" springdamper="1 1"/>
    <motor ctrlrange="-1 1"/><site size=".1"/></default></default>
  <asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 1 2 3 2 0 3" scale="1 -2 1" refpos="1 0 0"
    refquat="1 1 0 0" inertia="exact"/><material name="m" rgba="1 0 0 1"/></asset>
  <worldbody>
    <geom name="floor" type="plane"/><light/><site name="o"/>
    <body name="a" pos="1 2 3" axisangle="1 1 0 0.3" childclass="c">
      <joint name="x" type="slide" axis="1 0 0" ref="0.2" range="-1 1"/><joint name="y" pos="1 0 0" range="0 1"/>
      <joint name="z" type="ball" stiffness="1 0 0"/>
      <geom name="g" type="capsule" fromto="0 0 0 1 1 1" material="m"/>
      <frame pos="0 0 1" xyaxes="0 1 0 1 0 0"><body name="b" zaxis="1 1 1"><joint name="k" actuatorfrcrange="-2 2"/>
        <geom type="mesh" mesh="t" mass="2"/><site name="s" quat="1 1 0 0"/></body></frame>
      <replicate count="3" offset="0 0 1" euler="0 0.1 0" sep="_"><body name="r"><joint name="r"/>
        <geom type="ellipsoid" shellinertia="true"/></body></replicate>
    </body>
    <body name="f" euler="1 2 3"><freejoint name="free"/><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0"/></body>
  </worldbody>
  <equality><connect body1="b" body2="f" anchor="0 0 1"/><weld site1="s" site2="o"/>
    <joint joint1="x" joint2="y" polycoef="1 2 0 0 0"/></equality>
  <tendon><fixed name="ten"><joint joint="x" coef="1"/></fixed><spatial><site site="s"/><site site="o"/></spatial></tendon>
  <actuator><motor name="mot" joint="k" class="c" gear="2" armature="1"/><position tendon="ten" kp="3"/></actuator>
  <sensor><gyro site="s"/><actuatorfrc actuator="mot"/></sensor>
  <contact><exclude body1="a" body2="b"/><pair geom1="floor" geom2="g"/></contact>
  <keyframe><key name="home" qpos="0 0 1 0 0 0 0 0 0 0 1 2 3 1 0 0 0"/></keyframe>
</mujoco>"#;

/// Replacements of a value.
const WORDS: [&str; 14] = [
    "", "nan", "-inf", "0", "-1", "1e308", "-1e308", "1e-320", "1e999", "s", "0 0 0", "1 2 3 4",
    "−1", "true",
];

#[derive(Clone, Debug)]
enum Damage {
    Cut(prop::sample::Index),
    Delete(prop::sample::Index, usize),
    DeleteElement(prop::sample::Index),
    Repeat(prop::sample::Index, usize),
    Replace(prop::sample::Index, &'static str),
}

fn damage() -> impl Strategy<Value = Damage> {
    let place = any::<prop::sample::Index>;
    prop_oneof![
        1 => place().prop_map(Damage::Cut),
        2 => (place(), 1..100_usize).prop_map(|(at, length)| Damage::Delete(at, length)),
        6 => place().prop_map(Damage::DeleteElement),
        2 => (place(), 1..400_usize).prop_map(|(at, length)| Damage::Repeat(at, length)),
        8 => (place(), prop::sample::select(&WORDS[..])).prop_map(|(at, word)| Damage::Replace(at, word)),
    ]
}

fn apply(text: &str, damage: &Damage) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let length = bytes.len().max(1);
    let at = |index: &prop::sample::Index| index.index(length).min(bytes.len());
    let find = |from: usize, wanted: u8| {
        bytes[from..]
            .iter()
            .position(|b| *b == wanted)
            .map(|i| from + i)
    };
    match damage {
        Damage::Cut(index) => bytes.truncate(at(index)),
        Damage::Delete(index, count) => {
            let start = at(index);
            let end = (start + count).min(bytes.len());
            bytes.drain(start..end);
        }
        Damage::DeleteElement(index) => {
            if let Some(start) = find(at(index), b'<')
                && let Some(end) = find(start, b'>')
                && bytes[end - 1] == b'/'
            {
                bytes.drain(start..=end);
            }
        }
        Damage::Repeat(index, count) => {
            let start = at(index);
            let end = (start + count).min(bytes.len());
            let piece = bytes[start..end].to_vec();
            bytes.splice(end..end, piece);
        }
        Damage::Replace(index, word) => {
            if let Some(first) = find(at(index), b'"')
                && let Some(second) = find(first + 1, b'"')
            {
                bytes.splice(first + 1..second, word.bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_are_read_or_refused_in_a_place_of_theirs(
        damages in prop::collection::vec(damage(), 1..4),
    ) {
        let text = damages.iter().fold(EVERYTHING.to_owned(), |text, damage| apply(&text, damage));
        let lines = text.matches('\n').count() + 1;
        match load_str(&text) {
            Ok(robot) => {
                prop_assert!(robot.model.total_mass().is_finite());
                for warning in robot.warnings {
                    prop_assert!(warning.location.position.is_some_and(|it| it.line <= lines));
                }
            }
            Err(error) => {
                prop_assert!(error.location().position.is_some_and(|it| it.line <= lines), "{}", error);
            }
        }
    }
}

#[test]
fn the_undamaged_file_is_read_and_nothing_in_it_is_foreign() {
    let robot = load_str(EVERYTHING).unwrap_or_else(|error| panic!("{error}"));
    let all: Vec<String> = robot.warnings.iter().map(|it| it.to_string()).collect();
    assert!(
        all.iter()
            .all(|it| !it.contains("not part of MJCF") && !it.contains("left out")),
        "{all:#?}"
    );
    assert_eq!(
        (
            robot.description.loops.len(),
            robot.description.actuators.len()
        ),
        (2, 2)
    );
    assert_eq!(robot.description.configurations.len(), 2);
}
