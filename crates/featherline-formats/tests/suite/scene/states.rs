//! Where a scene begins.

use super::{assert_near, entries, scene, start};

#[test]
fn a_free_body_begins_where_it_stands() {
    let drop = scene("drop.toml");
    assert_eq!((drop.model.nq(), drop.model.nv()), (7, 6));
    assert_eq!(start(&drop), [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(drop.velocity("start"), Some(vec![0.0; 6]));
    assert_eq!(drop.velocity("end"), None);
    assert!(drop.warnings.is_empty(), "{:?}", drop.warnings);
}

#[test]
fn copies_stand_in_a_grid() {
    let pile = scene("pile.toml");
    assert_eq!(pile.model.joints().len(), 1001);
    assert_eq!(pile.model.gravity().to_array(), [0.0, 0.0, -1.62]);
    let at = |name| entries(&pile, name, start(&pile))[..3].to_vec();
    assert_near(&at("brick_0"), &[0.0, 0.0, 0.5]);
    assert_near(&at("brick_1"), &[0.11, 0.0, 0.5]);
    assert_near(&at("brick_10"), &[0.0, 0.12, 0.5]);
    assert_near(&at("brick_999"), &[0.99, 1.08, 1.67]);
}

#[test]
fn a_robot_begins_at_a_configuration_of_its_file_with_other_joints_besides() {
    let arms = scene("two_arms.toml");
    let q = start(&arms);
    assert_eq!(entries(&arms, "left/shoulder", q), [0.5]);
    assert_eq!(entries(&arms, "left/elbow", q), [0.25]);
    assert_eq!(entries(&arms, "right/elbow", q), [0.0]);
    let v = arms.velocity("start").expect("a start state");
    assert_eq!(entries(&arms, "right/shoulder", &v), [0.5]);
    assert_eq!(entries(&arms, "left/shoulder", &v), [0.0]);
    // The cube is rotated by a right angle about z: x of the world is −y of the cube.
    assert_near(entries(&arms, "cube", &v), &[0.0, -1.0, 0.0, 0.0, 0.0, 2.0]);
    // The file's configuration says where the left arm is; all else begins as it does.
    let bent = &arms.model.reference_configurations()["left/bent"];
    assert_eq!(entries(&arms, "left/elbow", bent), [1.0]);
    assert_eq!(entries(&arms, "cube", bent), entries(&arms, "cube", q));
}

#[test]
fn a_base_that_floats_has_its_pose_and_velocity_in_the_world() {
    let arm = scene("floating_arm.toml");
    assert_eq!(arm.model.nv(), 8);
    let half = 0.5_f64.sqrt();
    assert_near(
        entries(&arm, "root_joint", start(&arm)),
        &[0.0, 0.0, 2.0, 0.0, 0.0, half, half],
    );
    let v = arm.velocity("start").expect("a start state");
    // x of the world is −y of the base, and y is x.
    assert_near(
        entries(&arm, "root_joint", &v),
        &[0.0, -1.0, 0.0, 3.0, 0.0, 0.0],
    );
}

#[test]
fn a_body_of_mjcf_begins_where_its_file_and_the_scene_put_it() {
    let room = scene("room.toml");
    let q = start(&room);
    assert_near(
        entries(&room, "ball_free", q),
        &[10.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
    );
    assert_near(&entries(&room, "other_ball", q)[..3], &[10.0, 0.0, 3.0]);
    let hinge = room.model.joint_id("door_hinge").expect("a joint");
    let at = room.model.joint(hinge).placement.translation;
    assert_eq!(at.to_array(), [11.0, 0.0, 0.5]);
}
