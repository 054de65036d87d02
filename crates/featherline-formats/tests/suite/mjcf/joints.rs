//! Joints: kinds, anchors, references, several on a body, limits, drives.

use super::read::{assert_at, assert_near, read, site, warnings};
use featherline::Workspace;
use featherline_formats::{ErrorCause, load_str};
use std::f64::consts::PI;

#[test]
fn a_hinge_rotates_about_its_anchor() {
    let robot = read(
        "<worldbody><body name='b' pos='1 0 0'><joint name='j' pos='0 1 0' axis='0 0 2'/>
         <geom size='.1' pos='0 -1 0'/><site name='s' pos='0 -1 0'/></body></worldbody>",
    );
    // The site is 2 below the anchor (1, 1), and comes to its right.
    assert_at(
        site(&robot.model, &[PI / 2.0], "s").translation,
        [3.0, 1.0, 0.0],
    );
    assert_at(
        site(&robot.model, &[0.0], "s").translation,
        [1.0, -1.0, 0.0],
    );
}

#[test]
fn coordinates_are_counted_from_the_reference() {
    let robot = read(
        "<worldbody><body><joint name='turn' axis='0 0 1' ref='90'/>
         <joint name='push' type='slide' axis='1 0 0' ref='0.5'/>
         <geom size='.1'/><site name='s' pos='1 0 0'/></body></worldbody>",
    );
    let start = robot.model.reference_configurations()["qpos0"].to_vec();
    assert_near(&start, &[PI / 2.0, 0.5]);
    assert_at(site(&robot.model, &start, "s").translation, [1.0, 0.0, 0.0]);
    // By −90° from the reference, and by 1 along the rotated axis.
    assert_at(
        site(&robot.model, &[0.0, 1.5], "s").translation,
        [0.0, -2.0, 0.0],
    );
}

#[test]
fn joints_of_a_body_act_in_their_order_with_links_without_mass_between_them() {
    let robot = read(
        "<worldbody><body name='b' pos='0 0 1'>
         <joint name='x' type='slide' axis='1 0 0'/><joint name='turn' axis='0 0 1'/>
         <joint type='slide' axis='1 0 0'/>
         <geom type='box' size='1 1 1' mass='2'/><site name='s'/></body></worldbody>",
    );
    let names: Vec<_> = robot
        .description
        .links
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["world", "b_before_turn", "b_before_joint_2", "b"]);
    let names: Vec<_> = robot
        .description
        .joints
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["x", "turn", "joint_2"]);
    // The last slide goes along y after the rotation.
    let q = [3.0, PI / 2.0, 2.0];
    assert_at(site(&robot.model, &q, "s").translation, [3.0, 2.0, 1.0]);
    let mut ws = Workspace::new(&robot.model);
    let mass = robot.model.crba(&mut ws, &q).unwrap();
    // Moment of the cube 2·(4 + 4)/12, and 2·2² of its distance.
    assert_near(
        &[mass[(0, 0)], mass[(1, 1)], mass[(2, 2)]],
        &[2.0, 4.0 / 3.0 + 8.0, 2.0],
    );
    assert_near(
        &[mass[(0, 1)], mass[(0, 2)], mass[(1, 2)]],
        &[-4.0, 0.0, 0.0],
    );
}

#[test]
fn free_and_ball_joints_have_quaternions_in_our_order() {
    let robot = read(
        "<worldbody><body name='a' pos='1 2 3' quat='0 1 0 0'><freejoint/><geom size='1'/>
         <body name='c'><joint type='ball' pos='0 0 1'/><geom size='1'/></body></body></worldbody>",
    );
    let start = &robot.model.reference_configurations()["qpos0"];
    assert_near(
        start,
        &[1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
    );
}

#[test]
fn limits_are_in_force_by_their_presence_or_by_a_word() {
    let text = |compiler: &str, joint: &str| {
        let text = format!(
            "<mujoco><compiler {compiler}/><worldbody><body><joint name='j' {joint}/>
             <geom size='1'/></body></worldbody></mujoco>"
        );
        let robot = load_str(&text).unwrap();
        let limits = &robot.model.joints()[1].limits;
        (limits.lower[0], limits.upper[0])
    };
    let free = (f64::NEG_INFINITY, f64::INFINITY);
    assert_eq!(text("", "range='-180 90'"), (-PI, PI / 2.0));
    assert_eq!(text("angle='radian'", "range='-1 2'"), (-1.0, 2.0));
    assert_eq!(text("", "type='slide' range='-1 2'"), (-1.0, 2.0));
    let unsaid = "<mujoco><compiler autolimits='false'/><worldbody><body>
        <joint range='-1 2'/><geom size='1'/></body></worldbody></mujoco>";
    let error = load_str(unsaid).unwrap_err().to_string();
    assert!(
        error.contains("`range` is given without `limited`"),
        "{error}"
    );
    assert_eq!(
        text(
            "autolimits='false'",
            "range='-1 2' type='slide' limited='true'"
        ),
        (-1.0, 2.0)
    );
    assert_eq!(text("", "range='-1 2' limited='false'"), free);
    // MuJoCo 4.0 takes no range from these.
    assert_eq!(text("", "range='0 0'"), free);
    assert_eq!(text("", "range='1 0'"), free);
}

#[test]
fn drives_are_read_in_radians() {
    let robot = read(
        "<worldbody><body><joint name='j' armature='1' damping='2' frictionloss='3' stiffness='4'
         springref='180' actuatorfrcrange='-5 5'/><geom size='1'/></body></worldbody>",
    );
    let joint = &robot.model.joints()[1];
    let drive = &joint.drive;
    assert_eq!(
        (drive.armature[0], drive.damping[0], drive.friction[0]),
        (1.0, 2.0, 3.0)
    );
    assert_eq!((drive.stiffness[0], drive.spring_reference[0]), (4.0, PI));
    assert_eq!(joint.limits.effort[0], 5.0);
    assert!(robot.warnings.is_empty(), "{}", warnings(&robot));
}

#[test]
fn springs_and_dampers_follow_from_a_time_constant() {
    // MuJoCo 4.0: stiffness 0.4, damping 0.08, of a ball of 1 kg and 0.1 m: 0.004 kg·m².
    let robot = read(
        "<worldbody><body><joint springdamper='0.1 1'/><geom size='.1' mass='1'/></body></worldbody>",
    );
    let drive = &robot.model.joints()[1].drive;
    assert_near(&[drive.stiffness[0], drive.damping[0]], &[0.4, 0.08]);
    // The mass of the whole subtree, and the armature: 3 + 1.
    let robot = read(
        "<worldbody><body><joint type='slide' springdamper='2 .5' armature='1'/>
         <geom size='.1' mass='1'/><body pos='1 0 0'><geom size='.1' mass='2'/></body></body></worldbody>",
    );
    let drive = &robot.model.joints()[1].drive;
    assert_near(&[drive.stiffness[0], drive.damping[0]], &[4.0, 4.0]);
}

#[test]
fn a_free_joint_stands_alone_in_the_world() {
    for text in [
        "<body><freejoint/><joint/><geom size='1'/></body>",
        "<body><joint/><geom size='1'/><body>\n<freejoint/><geom size='1'/></body></body>",
    ] {
        let error =
            load_str(&format!("<mujoco><worldbody>{text}</worldbody></mujoco>")).unwrap_err();
        assert!(
            matches!(error.cause(), ErrorCause::NotAllowed { .. }),
            "{error}"
        );
    }
}

#[test]
fn what_a_joint_of_a_model_does_not_have_is_a_warning() {
    for (joint, what) in [
        (
            "type='ball' range='0 30'",
            "the greatest angle of a ball joint",
        ),
        ("type='free' armature='1'", "the armature of a free joint"),
        ("damping='1 2'", "a nonlinear damping"),
        (
            "actuatorfrcrange='-1 2'",
            "a range of forces that is not symmetric",
        ),
    ] {
        let robot = read(&format!(
            "<worldbody><body><joint {joint}/><geom size='1'/></body></worldbody>"
        ));
        assert!(
            warnings(&robot).contains(what),
            "{joint}: {}",
            warnings(&robot)
        );
    }
}

/// The armature of a free joint of type "free" counts in all six degrees of freedom, as MuJoCo has
/// it: 2 kg with 0.5 kg of armature fall with 9.81 · 2 / 2.5 m/s².
#[test]
fn a_free_joint_has_armature_in_six_degrees_of_freedom() {
    let robot = load_str(
        "<mujoco model='m'><worldbody><body><joint type='free' armature='0.5'/>
         <geom size='0.1' mass='2'/></body></worldbody></mujoco>",
    )
    .unwrap();
    let model = &robot.model;
    let mut ws = Workspace::<f64>::new(model);
    let q = model.neutral_configuration();
    let mass = model.crba(&mut ws, &q).unwrap();
    // A sphere: 2/5 m r².
    for (k, expected) in [2.5, 2.5, 2.5, 0.508, 0.508, 0.508].into_iter().enumerate() {
        assert!((mass[(k, k)] - expected).abs() < 1e-15, "{k}");
    }
    let fall = model.aba(&mut ws, &q, &[0.0; 6], &[0.0; 6]).unwrap();
    let expected = [0.0, 0.0, -9.81 * 2.0 / 2.5, 0.0, 0.0, 0.0];
    let pairs = fall.iter().zip(expected);
    assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-14));
}
