//! Equality constraints and keyframes.

use super::read::{assert_at, assert_near, read, site, warnings};
use featherline::joint::JointKind;
use featherline_formats::{LoadOptions, MimicJoints, load_str, load_str_with};

const TWO: &str = "<worldbody><body name='a' pos='1 0 0'><joint name='x' ref='0'/><geom size='.1'/></body>
    <body name='b' pos='0 2 0' euler='0 0 90'><joint name='y'/><geom size='.1'/><site name='s'/></body></worldbody>";

#[test]
fn a_connect_closes_a_loop_at_the_same_point() {
    let robot = read(&format!(
        "{TWO}<equality><connect body1='a' body2='b' anchor='0 0 3'/></equality>"
    ));
    let closing = &robot.description.loops[0];
    assert_eq!(
        (closing.kind.clone(), closing.name.as_str()),
        (JointKind::Spherical, "loop_0")
    );
    let ((a, here), (b, there)) = (closing.predecessor, closing.successor);
    assert_eq!((a, b), (1, 2));
    assert_at(here.translation, [0.0, 0.0, 3.0]);
    // (1, −2, 3) of the world, seen from a frame that is rotated by 90° about z.
    assert_at(there.translation, [-2.0, -1.0, 3.0]);
    assert_eq!(robot.model.loop_joints().len(), 1);
}

#[test]
fn a_weld_keeps_the_pose_of_the_start_or_the_one_that_is_stated() {
    let end = |weld: &str| {
        let robot = read(&format!("{TWO}<equality><weld {weld}/></equality>"));
        let closing = &robot.description.loops[0];
        assert_eq!(closing.kind, JointKind::Fixed);
        (closing.predecessor, closing.successor)
    };
    let ((_, here), (world, there)) = end("body1='a'");
    assert_eq!(world, 0);
    assert_at(here.translation, [-1.0, 0.0, 0.0]);
    assert_at(there.translation, [0.0; 3]);
    let ((_, here), (_, there)) = end("body1='a' body2='b' relpose='4 5 6 0 1 0 0' anchor='7 8 9'");
    assert_at(here.translation, [4.0, 5.0, 6.0]);
    assert_near(&here.rotation.to_rows()[2], &[0.0, 0.0, -1.0]);
    assert_at(there.translation, [7.0, 8.0, 9.0]);
}

#[test]
fn a_linear_joint_constraint_is_a_mimic_joint() {
    let text = format!(
        "<mujoco>{}<equality><joint joint1='y' joint2='x' polycoef='.1 2 0 0 0'/></equality></mujoco>",
        TWO.replace("ref='0'", "ref='90'")
    );
    let robot = load_str(&text).unwrap();
    assert_eq!(robot.model.nv(), 1);
    let law = robot.description.joints[1].mimic.as_ref().unwrap();
    // y = 0.1 + 2 (x − π/2).
    assert_near(&[law.ratio, law.offset], &[2.0, 0.1 - std::f64::consts::PI]);
    let free = load_str_with(&text, &LoadOptions::new().mimic(MimicJoints::Free)).unwrap();
    assert_eq!(free.model.nv(), 2);
}

#[test]
fn other_constraints_are_kept_with_a_warning() {
    let robot = read(&format!(
        "{TWO}<equality><joint joint1='y' joint2='x' polycoef='0 0 1 0 0'/><joint joint1='y'/>
         <weld body1='a' active='false'/></equality>"
    ));
    assert_eq!(
        (robot.description.loops.len(), robot.description.kept.len()),
        (0, 3)
    );
    assert_eq!(
        warnings(&robot)
            .matches("the constraint is not part of the model")
            .count(),
        3
    );
}

#[test]
fn keyframes_are_configurations_and_one_of_another_length_is_left_out() {
    let robot = read(
        "<worldbody><body><freejoint/><geom size='1'/><site name='s' pos='1 0 0'/></body></worldbody>
         <keyframe><key name='up' qpos='1 2 3 1 0 0 1'/><key/><key qpos='1 2'/></keyframe>",
    );
    let q = &robot.model.reference_configurations()["up"];
    assert_at(site(&robot.model, q, "s").translation, [1.0, 3.0, 3.0]);
    assert!(robot.model.reference_configurations().contains_key("key_1"));
    assert_eq!(robot.velocity("up"), Some(vec![0.0; 6]));
    assert!(
        warnings(&robot).contains("the keyframe is left out"),
        "{}",
        warnings(&robot)
    );
}

/// A quarter turn about z: x of the world is −y of the body, whose angular velocity MuJoCo gives in
/// its own frame.
#[test]
fn velocities_of_keyframes_are_those_of_the_moving_frame() {
    let robot = read(
        "<worldbody><body><freejoint/><geom size='1'/></body>
         <body><joint type='slide'/><geom size='1'/></body></worldbody>
         <keyframe><key name='flies' qpos='0 0 0 0.5 0 0 0.5 0' qvel='3 0 1 4 5 6 7'/>
         <key name='short' qvel='1 2'/></keyframe>",
    );
    let v = robot.velocity("flies").expect("a keyframe");
    for (found, expected) in v.iter().zip([0.0, -3.0, 1.0, 4.0, 5.0, 6.0, 7.0]) {
        // A rotation by a quaternion that is exact.
        assert!((found - expected).abs() < 1e-15, "{v:?}");
    }
    assert_eq!(v.len(), 7);
    assert!(robot.velocity("short").is_none());
    assert!(
        warnings(&robot).contains("the keyframe is left out"),
        "{}",
        warnings(&robot)
    );
}
