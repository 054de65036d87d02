//! URDFs that are written as MJCF are the same robots.

use super::damaged::ROBOTS;
use featherline_formats::{
    Difference, LoadOptions, MimicJoints, WarningCause, Written, load_str, load_str_with, mjcf,
    urdf,
};

/// Rotations go through quaternions and angles.
const ROUNDING: f64 = 1e-12;

const DYNAMICS: [&str; 3] = ["joint forces", "mass matrix", "placements of frames"];

/// The greatest difference of joint forces, mass matrix and placements; none if the joints are
/// others.
fn dynamics(difference: &Difference) -> Option<f64> {
    let own = difference.quantities.iter();
    let own: Vec<f64> = own
        .filter(|it| DYNAMICS.contains(&it.quantity))
        .map(|it| it.relative)
        .collect();
    (own.len() == DYNAMICS.len()).then(|| own.into_iter().fold(0.0, f64::max))
}

#[test]
fn the_dynamics_are_the_same_as_mjcf_and_as_urdf_again() {
    let mut compared = 0;
    for text in ROBOTS {
        for mimic in [MimicJoints::Coupled, MimicJoints::Free] {
            let options = LoadOptions::new().mimic(mimic);
            let robot = load_str_with(text, &options).unwrap();
            let name = robot.model.name().to_owned();
            let written = mjcf::to_string(&robot.description).unwrap();
            let again = load_str_with(&written.text, &options).unwrap();
            let difference = Difference::of(&robot.model, &again.model, 10).unwrap();
            // One of them has a planar joint.
            let Some(worst) = dynamics(&difference) else {
                assert!(text.contains("planar"), "{name}: {difference:#?}");
                continue;
            };
            compared += 1;
            assert!(worst < ROUNDING, "{name}: {difference:#?}");
            let lost = written.warnings.iter().map(ToString::to_string);
            let mut lost = lost.filter(|it| !it.contains("fixed joints"));
            assert!(
                lost.all(|it| it.contains("velocity limit")),
                "{name}: {:#?}",
                written.warnings
            );
            let back = urdf::to_string(&again.description).unwrap();
            let back = load_str_with(&back.text, &options).unwrap();
            let difference = Difference::of(&robot.model, &back.model, 10).unwrap();
            let worst = dynamics(&difference);
            assert!(
                worst.is_some_and(|it| it < ROUNDING),
                "{name}: {difference:#?}"
            );
        }
    }
    assert_eq!(compared, 10);
}

#[test]
fn floating_robots_are_the_same() {
    let options = LoadOptions::new().floating_base(true);
    for text in &ROBOTS[..5] {
        let robot = load_str_with(text, &options).unwrap();
        let floating = robot.description.with_floating_base().unwrap();
        let written = mjcf::to_string(&floating).unwrap();
        let again = load_str_with(&written.text, &LoadOptions::new()).unwrap();
        let difference = Difference::of(&robot.model, &again.model, 10).unwrap();
        let worst = dynamics(&difference);
        assert!(
            worst.is_some_and(|it| it < ROUNDING),
            "{}: {difference:#?}",
            robot.model.name()
        );
        assert_eq!(difference.missing, []);
    }
}

/// The parts that a writer reports as written in another way.
fn written_as(written: &Written) -> Vec<&str> {
    let causes = written.warnings.iter().map(|it| &it.cause);
    let what = causes.filter_map(|it| {
        if let WarningCause::WrittenAs { what, .. } = it {
            Some(what.as_str())
        } else {
            None
        }
    });
    what.collect()
}

#[test]
fn a_site_becomes_a_link_without_mass() {
    let text = r#"<mujoco model="m"><compiler autolimits="true"/><worldbody>
        <site name="mark" pos="1 2 3"/>
        <body name="arm"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
          <joint name="hinge" axis="0 1 0"/>
          <site name="tip" pos="0.1 0.2 0.3" euler="90 0 0"/><site pos="1 0 0"/>
          <site name="tip_fixed"/><site name="arm"/></body></worldbody></mujoco>"#;
    let robot = load_str(text).unwrap();
    let written = urdf::to_string(&robot.description).unwrap();
    let again = load_str(&written.text).unwrap();
    let link = |name: &str| {
        again
            .description
            .links
            .iter()
            .position(|it| it.name == name)
    };
    for name in ["mark", "tip", "tip_fixed"] {
        let index = link(name).unwrap_or_else(|| panic!("no link {name}: {}", written.text));
        assert!(again.description.links[index].inertial.is_none());
    }
    let tip = again.description.joints.iter();
    let mut tip = tip.filter(|it| Some(it.child) == link("tip"));
    // x, y and z as the site states them, turned by 90° about x.
    let placement = tip.next().unwrap().placement;
    assert_eq!(placement.translation.to_array(), [0.1, 0.2, 0.3]);
    let turned = placement.rotation.to_rows();
    let expected = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]];
    for (row, expected) in turned.iter().zip(expected) {
        for (x, y) in row.iter().zip(expected) {
            assert!((x - y).abs() < 1e-15, "{turned:?}");
        }
    }
    // The name `arm` is that of the body.
    let lost: Vec<String> = written.warnings.iter().map(ToString::to_string).collect();
    let named = |name: &str| lost.iter().any(|it| it.contains(name));
    assert!(named("the frame `arm`"), "{lost:?}");
    assert!(!named("tip") && !named("mark"), "{lost:?}");
    let difference = Difference::of(&robot.model, &again.model, 10).unwrap();
    let missing: Vec<&str> = difference.missing.iter().map(|it| &it.name[..]).collect();
    assert_eq!(missing, ["arm"]);
    let worst = dynamics(&difference);
    assert!(worst.is_some_and(|it| it < ROUNDING), "{difference:#?}");
}

#[test]
fn a_link_whose_joint_is_elsewhere_keeps_its_frame() {
    let inertial = r#"<inertial pos="0 0 0.1" mass="1" diaginertia="1 1 1"/>"#;
    let text = format!(
        r#"<mujoco model="m"><worldbody><body name="arm" pos="0 0 1">{inertial}
        <joint name="first" axis="0 1 0" pos="0 0 0.5"/><joint name="second" axis="1 0 0" pos="0.2 0 0"/>
        <geom name="ball" size="0.1"/><site name="tip" pos="0 0 0.3"/>
        <body name="hand" pos="0 0 0.2">{inertial}<joint name="third" axis="0 0 1"/></body>
        </body></worldbody></mujoco>"#
    );
    let robot = load_str(&text).unwrap();
    let written = urdf::to_string(&robot.description).unwrap();
    let again = load_str(&written.text).unwrap();
    let difference = Difference::of(&robot.model, &again.model, 10).unwrap();
    // All frames are where they were, and the links at the joints are new.
    let worst = dynamics(&difference);
    assert!(worst.is_some_and(|it| it < ROUNDING), "{difference:#?}");
    let added: Vec<_> = difference
        .missing
        .iter()
        .map(|it| (&it.name[..], it.is_in_first))
        .collect();
    assert_eq!(
        added,
        [("arm_before_second_carrier", false), ("arm_carrier", false)]
    );
    let says = [
        "the link `arm_before_second`, whose frame is not at its joint `first`",
        "the link `arm`, whose frame is not at its joint `second`",
    ];
    assert_eq!(written_as(&written), says);
    assert!(!written.text.contains("-0 "), "{}", written.text);
    // A part of a link stays in the link's frame.
    let ball = &again.description.geometry[0];
    assert_eq!(again.description.links[ball.link].name, "arm");
    assert_eq!(ball.placement.translation.to_array(), [0.0; 3]);
}
