//! Inverse kinematics on robots: reached goals by forward kinematics, limits, loops, goals out of
//! reach by geometry.

use featherline::kinematics::Target;
use featherline::random::SplitMix64;
use featherline::samples;
use featherline::spatial::{Mat3, Se3, Vec3};
use featherline::{Model, Workspace};
use featherline_constraint::{LoopWorkspace, loop_gap};
use featherline_control::{Error, Goal, InverseKinematics};

/// The last frame, which is at the end of the last branch.
fn tip(model: &Model) -> Target {
    let last = model.frame_ids().next_back();
    last.expect("the robot has frames").into()
}

fn placement(model: &Model, target: Target, q: &[f64]) -> Se3<f64> {
    let mut ws = Workspace::new(model);
    let kinematics = model.forward_kinematics(&mut ws, q);
    kinematics
        .expect("the configuration is valid")
        .placement(target)
}

fn is_within_limits(model: &Model, q: &[f64]) -> bool {
    model.joints().iter().filter(|it| it.nq == it.nv).all(|it| {
        (0..it.nq).all(|i| {
            let q = q[it.idx_q + i];
            it.limits.lower[i] <= q && q <= it.limits.upper[i]
        })
    })
}

/// Random configurations within limits are found again, up to other configurations that place the
/// tip as well, from starts that know nothing of them.
#[test]
fn placements_that_a_robot_can_reach_are_reached() {
    for model in [featherline_robots::panda(), featherline_robots::ur5()] {
        let target = tip(&model);
        let mut random = SplitMix64::new(7);
        let mut solver = InverseKinematics::new(&model)
            .expect("it has no loops")
            .restarts(20);
        for case in 0..50 {
            let wanted = placement(&model, target, &model.random_configuration(&mut random));
            let mut q = model.neutral_configuration();
            let goal = Goal::placement(target, wanted);
            let solution = solver.solve(&[goal], &mut q).expect("the goal is valid");
            assert!(solution.is_reached, "{} {case}: {solution:?}", model.name());
            assert!(is_within_limits(&model, &q));
            let there = placement(&model, target, &q);
            let apart = (there.translation - wanted.translation).norm();
            // The tolerance of the solver.
            assert!(apart <= 1e-8, "{} {case}: {apart}", model.name());
            let turned = there.rotation.to_rows();
            for (own, wanted) in turned
                .iter()
                .flatten()
                .zip(wanted.rotation.to_rows().iter().flatten())
            {
                assert!((own - wanted).abs() <= 1e-8);
            }
        }
    }
}

#[test]
fn hands_and_feet_of_a_floating_humanoid_are_reached_together() {
    let model = featherline_robots::humanoid();
    let mut random = SplitMix64::new(3);
    let there = model.random_configuration(&mut random);
    let leaves: Vec<Target> = model
        .joint_ids()
        .filter(|&it| model.children(it).next().is_none())
        .map(Target::from)
        .collect();
    assert!(leaves.len() >= 4);
    let goals: Vec<Goal> = leaves
        .iter()
        .map(|&it| Goal::position(it, placement(&model, it, &there).translation))
        .collect();
    let mut q = model.neutral_configuration();
    let mut solver = InverseKinematics::new(&model)
        .expect("it has no loops")
        .restarts(5);
    let solution = solver.solve(&goals, &mut q).expect("the goals are valid");
    assert!(solution.is_reached, "{solution:?}");
    assert!(model.is_normalised(&q, 1e-12).expect("it fits the model"));
}

/// Two rods of lengths l₁ and l₂ that hang from the origin: the nearest point of their disc.
#[test]
fn a_goal_out_of_reach_is_approached_as_far_as_the_robot_reaches() {
    let model = samples::double_pendulum();
    let (elbow, rod) = (
        Target::from(model.joint_id("elbow").expect("it is there")),
        Target::from(model.frame_id("lower_rod").expect("it is there")),
    );
    let below = Vec3::new(0.0, 0.0, -0.8);
    let reach = placement(&model, elbow, &[0.0, 0.0]).translation.norm() + below.norm();
    let direction = Vec3::new(0.6, 0.0, -0.8);
    let goal = Goal::position(rod, direction * (reach + 2.0)).at(below);
    let mut q = [0.1, 0.4];
    let mut solver = InverseKinematics::new(&model).expect("it has no loops");
    let solution = solver.solve(&[goal], &mut q).expect("the goal is valid");
    assert!(!solution.is_reached);
    // The errors are squared in the cost, which is flat to second order at its end.
    assert!((solution.position_error - 2.0).abs() < 1e-9, "{solution:?}");
    let tip = placement(&model, rod, &q).act_point(below);
    // It ends where a step gains a part of 1e-12 of the cost, whose square root this is some tens
    // of.
    assert!((tip - direction * reach).norm() < 1e-4, "{tip:?}");
}

#[test]
fn weights_and_rotations_are_kept() {
    let model = featherline_robots::panda();
    let target = tip(&model);
    let mut random = SplitMix64::new(11);
    let wanted = placement(&model, target, &model.random_configuration(&mut random)).rotation;
    let mut q = model.neutral_configuration();
    let mut solver = InverseKinematics::new(&model)
        .expect("it has no loops")
        .restarts(5);
    let solution = solver.solve(&[Goal::rotation(target, wanted)], &mut q);
    assert!(solution.expect("the goal is valid").is_reached);
    // Two goals that exclude each other: the compromise divides their distance by their weights.
    let point = placement(&model, target, &q).translation;
    let away = point + Vec3::new(0.0, 0.0, 0.01);
    let goals = [
        Goal::position(target, point).weight(3.0),
        Goal::position(target, away),
    ];
    let solution = solver.solve(&goals, &mut q).expect("the goals are valid");
    let reached = placement(&model, target, &q).translation;
    assert!(
        (reached - point - Vec3::new(0.0, 0.0, 0.0025)).norm() < 1e-7,
        "{solution:?}"
    );
}

#[test]
fn loops_stay_closed() {
    for model in [samples::four_bar(), samples::stewart(), samples::delta()] {
        let mut ws = LoopWorkspace::new(&model).expect("its loops are valid");
        let target = tip(&model);
        let mut q = model.neutral_configuration();
        let start = placement(&model, target, &q).translation;
        // A place that it can reach: where a small motion of the linkage brings it.
        let mut v = vec![0.05; model.nv()];
        featherline_constraint::project_velocity(&model, &mut ws, &q, &mut v)
            .expect("it is closed");
        let mut there = model.integrate(&q, &v).expect("it is valid");
        featherline_constraint::assemble(&model, &mut ws, &mut there).expect("it closes");
        let wanted = placement(&model, target, &there).translation;
        assert!((wanted - start).norm() > 1e-4, "{}", model.name());
        let mut solver = InverseKinematics::new(&model).expect("its loops are valid");
        let solution = solver
            .solve(&[Goal::position(target, wanted)], &mut q)
            .expect("the goal is valid");
        assert!(solution.is_reached, "{}: {solution:?}", model.name());
        let gap = loop_gap(&model, &mut ws, &q, &vec![0.0; model.nv()]).expect("it is valid");
        // The accuracy that assembly promises.
        assert!(gap.position < 1e-10, "{}: {gap:?}", model.name());
    }
}

#[test]
fn linkages_stay_within_limits_while_they_are_pulled() {
    // Far above what the legs and arms reach.
    for model in [samples::stewart(), samples::delta()] {
        let q0 = model.neutral_configuration();
        let target = tip(&model);
        let start = placement(&model, target, &q0).translation;
        for aside in [[0.0, 0.0, 3.0], [0.0, 0.0, -3.0], [2.0, 1.0, 0.5]] {
            let mut q = q0.clone();
            let wanted = start + Vec3::from(aside);
            let mut solver = InverseKinematics::new(&model)
                .expect("its loops are valid")
                .restarts(0);
            let goal = Goal::position(target, wanted);
            let solution = solver.solve(&[goal], &mut q).expect("the goal is valid");
            assert!(!solution.is_reached, "{} {aside:?}", model.name());
            assert!(is_within_limits(&model, &q), "{} {aside:?}", model.name());
            let mut ws = LoopWorkspace::new(&model).expect("its loops are valid");
            let gap = loop_gap(&model, &mut ws, &q, &vec![0.0; model.nv()]).expect("it is valid");
            assert!(gap.position < 1e-10, "{}: {gap:?}", model.name());
        }
    }
}

#[test]
fn starts_that_were_tried_are_counted() {
    let model = samples::double_pendulum();
    let elbow = model.joint_id("elbow").expect("it is there");
    let mut solver = InverseKinematics::new(&model)
        .expect("it has no loops")
        .restarts(3);
    let mut solve = |goal| {
        let solution = solver.solve(&[goal], &mut [0.1, 0.2]);
        solution.expect("the goal is valid")
    };
    let far = solve(Goal::position(elbow, Vec3::new(50.0, 0.0, 0.0)));
    assert!(!far.is_reached && far.restarts == 3);
    let mut ws = Workspace::new(&model);
    let placed = model.forward_kinematics(&mut ws, &[0.3, 0.1]);
    let near = placed.expect("it is valid").placement(elbow).translation;
    let near = solve(Goal::position(elbow, near));
    assert!(near.is_reached && near.restarts == 0);
}

#[test]
fn goals_that_are_none_are_errors() {
    let model = samples::double_pendulum();
    let elbow = model.joint_id("elbow").expect("it is there");
    let mut solver = InverseKinematics::new(&model).expect("it has no loops");
    let mut q = [0.0, 0.0];
    let nowhere = Goal::position(elbow, Vec3::new(f64::NAN, 0.0, 0.0));
    let fault = solver.solve(&[nowhere], &mut q);
    assert!(matches!(fault, Err(Error::Goal { index: 0, .. })));
    let light = Goal::position(elbow, Vec3::zero()).weight(-1.0);
    assert!(matches!(
        solver.solve(&[light], &mut q),
        Err(Error::Goal { .. })
    ));
    let doubled = Mat3::from_columns(Vec3::unit(0) * 2.0, Vec3::unit(1), Vec3::unit(2));
    for goal in [
        Goal::rotation(elbow, doubled),
        Goal::placement(elbow, Se3::from_rotation(doubled)),
    ] {
        let error = solver
            .solve(&[goal], &mut q)
            .expect_err("it is no rotation");
        let says = "goal 0 has a matrix that is no rotation: column 1 of its rotation has length 2";
        assert!(error.to_string().contains(says), "{error}");
    }
    let goal = Goal::position(elbow, Vec3::zero());
    assert!(matches!(
        solver.solve(&[goal], &mut [0.0]),
        Err(Error::Model(_))
    ));
    // Without goals, the start is the answer.
    let solution = solver.solve(&[], &mut q).expect("there is nothing to do");
    assert!(solution.is_reached && solution.iterations == 0);
}
