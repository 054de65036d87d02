//! Bodies that the user moves: `mocap`.

use featherline::spatial::Vec3;
use featherline_formats::{WarningCause, load_str};

fn file(bodies: &str, more: &str) -> String {
    format!("<mujoco><worldbody>{bodies}</worldbody>{more}</mujoco>")
}

const TOOL: &str = "<body name='tool' pos='0 0 1'><freejoint/><geom size='.1'/></body>";

#[test]
fn shapes_and_welds_belong_to_the_moved_body() {
    let bodies = "<body name='hand' mocap='true' pos='1 0 0'><geom size='.1'/>
        <body pos='0 0 1' name='finger'><geom size='.1'/></body></body>";
    let weld =
        "<equality><weld body1='tool' body2='finger' solref='.1 2' solimp='.9 .99'/></equality>";
    let robot = load_str(&file(&format!("{bodies}{TOOL}"), weld)).unwrap();
    assert!(robot.warnings.is_empty(), "{:?}", robot.warnings);
    let moved = robot.moved_bodies(None);
    assert_eq!(moved.len(), 1);
    assert_eq!(moved[0].reference.translation, Vec3::new(1.0, 0.0, 0.0));
    let of = |name: &str| {
        let links = robot.description.links.iter();
        let link = links.clone().position(|it| it.name == name).unwrap();
        robot.moved_body_of(&moved, link)
    };
    assert_eq!(
        [of("hand"), of("finger"), of("tool")],
        [Some(0), Some(0), None]
    );
    let couplings = robot.couplings();
    assert_eq!(couplings.len(), 1);
    // The finger's frame in the world, and in the tool, as it is at first.
    assert_eq!(couplings[0].target.translation, Vec3::new(1.0, 0.0, 1.0));
    assert_eq!(couplings[0].placement.translation, Vec3::new(1.0, 0.0, 0.0));
    // 2/(d T) and 1/(d T² ζ²)
    assert!((couplings[0].law.damping - 2.0 / (0.99 * 0.1)).abs() < 1e-12);
    assert!((couplings[0].law.stiffness - 1.0 / (0.99 * 0.04)).abs() < 1e-12);
}

#[test]
fn a_weld_between_robots_is_a_loop_and_its_softness_a_note() {
    let other = TOOL.replace("tool", "other");
    let weld = "<equality><weld body1='tool' body2='other' solref='.1 2'/></equality>";
    let robot = load_str(&file(&format!("{TOOL}{other}"), weld)).unwrap();
    assert_eq!(robot.model.loop_joints().len(), 1);
    assert!(robot.couplings().is_empty());
    assert!(matches!(
        robot.warnings[0].cause,
        WarningCause::Unused { .. }
    ));
}

#[test]
fn parts_that_do_not_move_are_warnings() {
    let joint = "<body name='hand' mocap='true'><body><joint/><geom size='.1'/></body></body>";
    let inner = "<body><geom size='.1'/><body name='hand' mocap='true'/></body>";
    for bodies in [joint, inner] {
        let robot = load_str(&file(bodies, "")).unwrap();
        let is_simplified =
            |it: &featherline_formats::Warning| matches!(it.cause, WarningCause::Simplified { .. });
        assert!(robot.warnings.iter().any(is_simplified), "{bodies}");
    }
}

#[test]
fn keyframes_place_each_moved_body() {
    let bodies = "<body name='a' mocap='true'/><body name='b' mocap='true' pos='0 1 0'/>";
    let key = "<keyframe><key name='k' mpos='1 2 3 4 5 6'/></keyframe>";
    let robot = load_str(&file(bodies, key)).unwrap();
    let moved = robot.moved_bodies(Some("k"));
    assert_eq!(moved[1].start.translation, Vec3::new(4.0, 5.0, 6.0));
    assert_eq!(moved[1].reference.translation, Vec3::new(0.0, 1.0, 0.0));
    let key = "<keyframe><key name='k' mpos='1 2 3'/></keyframe>";
    let robot = load_str(&file(bodies, key)).unwrap();
    let counts = robot
        .warnings
        .iter()
        .any(|it| it.to_string().contains("mpos"));
    assert!(counts, "{:?}", robot.warnings);
}
