//! Bodies: poses, inertias, frames, replicates, names.

use super::read::{assert_at, assert_near, inertia, read, site, warnings};
use featherline_formats::{ErrorCause, load_str};

#[test]
fn rotations_are_given_in_five_ways() {
    // Each takes x to y: a site at x of the body is at y of the world.
    for rotation in [
        "quat='1 0 0 1'",
        "axisangle='0 0 3 90'",
        "xyaxes='0 2 0 -1 1 0'",
        "euler='0 0 90'",
    ] {
        let robot = read(&format!(
            "<worldbody><body {rotation}><site name='s' pos='1 0 0'/></body></worldbody>"
        ));
        assert_at(site(&robot.model, &[], "s").translation, [0.0, 1.0, 0.0]);
    }
    let robot =
        read("<worldbody><body zaxis='0 1 0'><site name='s' pos='0 0 1'/></body></worldbody>");
    assert_at(site(&robot.model, &[], "s").translation, [0.0, 1.0, 0.0]);
}

#[test]
fn small_letters_rotate_with_the_frame_and_capitals_do_not() {
    // x by 90°, then z by 90°: of the rotated frame, z is −y of the world.
    for (sequence, expected) in [("xzy", [0.0, 0.0, 1.0]), ("XZY", [0.0, 1.0, 0.0])] {
        let robot = read(&format!(
            "<compiler eulerseq='{sequence}'/><worldbody><body euler='90 90 0'>
             <site name='s' pos='1 0 0'/></body></worldbody>"
        ));
        assert_at(site(&robot.model, &[], "s").translation, expected);
    }
}

#[test]
fn an_inertial_is_given_by_its_diagonal_or_in_full() {
    let robot = read(
        "<worldbody><body name='a'><freejoint/>
         <inertial pos='1 2 3' mass='4' diaginertia='1 2 2.5' euler='0 0 90'/></body>
         <body name='b'><freejoint/>
         <inertial pos='0 0 1' mass='1' fullinertia='1 2 2.5 .1 .2 .3'/></body></worldbody>",
    );
    let a = inertia(&robot, "a");
    assert_near(&[a.mass], &[4.0]);
    assert_at(a.com, [1.0, 2.0, 3.0]);
    assert_near(&a.rotational.to_elements(), &[2.0, 0.0, 0.0, 1.0, 0.0, 2.5]);
    // xx, yy, zz, xy, xz, yz in the file; xx, xy, xz, yy, yz, zz here.
    let b = inertia(&robot, "b").rotational.to_elements();
    assert_near(&b, &[1.0, 0.1, 0.2, 2.0, 0.3, 2.5]);
}

#[test]
fn frames_are_read_into_what_is_in_them() {
    let robot = read(
        "<default><default class='big'><geom size='2'/></default></default>
         <worldbody><frame pos='0 0 1' euler='0 0 90' childclass='big'>
         <body name='b' pos='1 0 0'><frame pos='1 0 0'><joint name='j' axis='1 0 0' pos='0 1 0'/>
         <geom density='0'/><site name='s'/></frame><geom size='1' mass='1'/></body></frame></worldbody>",
    );
    assert_at(site(&robot.model, &[0.0], "s").translation, [0.0, 2.0, 1.0]);
    // The axis is x of the body, which is y of the world; half a turn about it through the body's
    // (1, 1, 0) takes the site to the other side.
    let half = site(&robot.model, &[std::f64::consts::PI], "s").translation;
    assert_at(half, [-2.0, 2.0, 1.0]);
    assert_near(&[robot.model.total_mass()], &[1.0]);
    assert!(robot.warnings.is_empty(), "{}", warnings(&robot));
}

#[test]
fn replicates_number_what_is_in_them() {
    // Names and positions are those of MuJoCo 4.0.
    let robot = read(
        "<worldbody><replicate count='11' offset='1 0 0' euler='0 0 30' sep='-'>
         <body name='b' pos='0 1 0'><replicate count='2' offset='0 .1 0'><site name='s'/></replicate>
         </body></replicate></worldbody>",
    );
    let names: Vec<_> = robot
        .description
        .links
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!((names.len(), names[1], names[11]), (12, "b-00", "b-10"));
    assert_at(
        site(&robot.model, &[], "s0-01").translation,
        [0.5, 0.75f64.sqrt(), 0.0],
    );
    let [x, y, _] = site(&robot.model, &[], "s0-03").translation.to_array();
    // 1 + cos 30° + cos 60° − sin 90°, and so on.
    assert_near(&[x, y], &[1.3660254037844386, 1.3660254037844386]);
    assert_eq!(robot.description.frames[1].name, "s1-00");
}

#[test]
fn what_has_no_name_gets_one_that_is_not_taken() {
    let robot = read(
        "<worldbody><body name='body_2'/><body><body><joint/><geom size='1'/><site/></body></body></worldbody>",
    );
    let links: Vec<_> = robot
        .description
        .links
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(links, ["world", "body_2", "body_2_", "body_3"]);
    let joints: Vec<_> = robot
        .description
        .joints
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(joints, ["body_2_fixed", "body_2__fixed", "joint_0"]);
    assert_eq!(robot.description.frames[0].name, "site_0");
}

#[test]
fn names_are_unique_in_their_kind() {
    for text in [
        "<body name='a'/>\n<body name='a'/>",
        "<body><joint name='a'/><geom size='1'/></body>\n<body><joint name='a'/><geom size='1'/></body>",
        "<site name='a'/>\n<site name='a'/>",
        "<geom size='1' name='a'/>\n<geom size='1' name='a'/>",
    ] {
        let error =
            load_str(&format!("<mujoco><worldbody>{text}</worldbody></mujoco>")).unwrap_err();
        let is_duplicate = matches!(
            error.cause(),
            ErrorCause::DuplicateName { first_line: 1, .. }
        );
        assert!(
            is_duplicate && error.location().position.unwrap().line == 2,
            "{error}"
        );
    }
    // A joint and a body may share theirs.
    read(
        "<worldbody><body name='a'><joint name='a'/><geom name='a' size='1'/><site name='a'/></body></worldbody>",
    );
}
