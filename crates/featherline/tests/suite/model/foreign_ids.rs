//! Ids of a larger model: errors where there is a `Result`, and panics that say what is wrong where
//! there is none.

use featherline::kinematics::ReferenceFrame;
use featherline::model::{FrameId, JointId};
use featherline::samples::{double_pendulum, snake};
use featherline::{Error, Workspace};
use nalgebra::DMatrix;
use std::panic::{AssertUnwindSafe, catch_unwind};

const LOCAL: ReferenceFrame = ReferenceFrame::Local;

/// The last joint and frame of a robot with many.
fn foreign() -> (JointId, FrameId) {
    let snake = snake(20);
    let last = snake.frame_ids().next_back();
    (
        snake.joint_ids().next_back().expect("it has joints"),
        last.expect("it has frames"),
    )
}

/// The message of a panic.
fn panic_of<T>(call: impl FnOnce() -> T) -> String {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(_) => panic!("nothing panicked"),
        Err(message) => *message.downcast().expect("a message with figures in it"),
    }
}

#[test]
fn functions_without_a_result_panic_with_the_reason() {
    let model = double_pendulum();
    let mut ws = Workspace::new(&model);
    let (joint, frame) = foreign();
    let (q, v) = ([0.1, 0.2], [0.3, 0.4]);
    let accelerations = model
        .forward_kinematics_accelerations(&mut ws, &q, &v, &v)
        .expect("a good state");
    let at_joint = [
        panic_of(|| model.joint(joint).nq),
        panic_of(|| model.parent(joint)),
        panic_of(|| model.children(joint).count()),
        panic_of(|| model.subtree(joint).count()),
        panic_of(|| model.support(joint).count()),
        panic_of(|| accelerations.placement(joint)),
        panic_of(|| accelerations.velocity(joint, LOCAL)),
        panic_of(|| accelerations.acceleration(joint, LOCAL)),
        panic_of(|| accelerations.classical_acceleration(joint, LOCAL)),
        panic_of(|| {
            let mut ws = Workspace::new(&model);
            let jacobians = model.joint_jacobians(&mut ws, &q).expect("a good state");
            jacobians.joint_columns(joint).len()
        }),
    ];
    let expected = "there is no joint 20 in model `double_pendulum`, which has 3: the id belongs to another model";
    for message in at_joint {
        assert_eq!(message, expected);
    }
    let at_frame = [
        panic_of(|| model.frame(frame).kind),
        panic_of(|| accelerations.placement(frame)),
        panic_of(|| accelerations.velocity(frame, LOCAL)),
        panic_of(|| accelerations.acceleration(frame, LOCAL)),
        panic_of(|| accelerations.classical_acceleration(frame, LOCAL)),
        panic_of(|| accelerations.bias_acceleration(frame, LOCAL)),
        panic_of(|| accelerations.classical_bias_acceleration(frame, LOCAL)),
    ];
    for message in at_frame {
        assert!(
            message.contains("no frame") && message.contains("`double_pendulum`"),
            "{message}"
        );
    }
}

#[test]
fn functions_with_a_result_return_the_reason() {
    let model = double_pendulum();
    let mut ws = Workspace::new(&model);
    let (joint, frame) = foreign();
    let (q, v) = ([0.1, 0.2], [0.3, 0.4]);
    let mut out = DMatrix::zeros(6, 2);
    let mut narrow = DMatrix::zeros(3, 2);
    let no_joint = Err(Error::ForeignId {
        kind: "joint",
        index: 20,
        model: "double_pendulum".to_owned(),
        count: 3,
    });
    let no_frame = Err(Error::ForeignId {
        kind: "frame",
        index: frame.index(),
        model: "double_pendulum".to_owned(),
        count: model.frames().len(),
    });

    let mut hessian = [0.0; 24];
    let done = model.hessian_into(&mut ws, &q, frame, LOCAL, &mut hessian);
    assert_eq!(done, no_frame);
    let centers = model.centers_of_mass(&mut ws, &q).expect("a good state");
    let done = centers.subtree_center_of_mass_jacobian_into(joint, &mut narrow);
    assert_eq!(done, no_joint);
    let jacobians = model.joint_jacobians(&mut ws, &q).expect("a good state");
    let done = jacobians.jacobian_into(joint, LOCAL, &mut out);
    assert_eq!(done, no_joint);
    let done = jacobians.jacobian_into(frame, LOCAL, &mut out);
    assert_eq!(done, no_frame);

    let view = model
        .forward_kinematics_accelerations(&mut ws, &q, &v, &v)
        .expect("a good state");
    assert_eq!(view.jacobian_into(joint, LOCAL, &mut out), no_joint);
    assert_eq!(view.jacobian_into(frame, LOCAL, &mut out), no_frame);
    let done = view.jacobian_rate_into(joint, LOCAL, &mut out);
    assert_eq!(done, no_joint);
    let done = view.jacobian_rate_into(frame, LOCAL, &mut out);
    assert_eq!(done, no_frame);
    for found in [
        view.subtree_center_of_mass(joint),
        view.subtree_center_of_mass_velocity(joint),
        view.subtree_center_of_mass_acceleration(joint),
    ] {
        assert_eq!(found.map(drop), no_joint);
    }
}
