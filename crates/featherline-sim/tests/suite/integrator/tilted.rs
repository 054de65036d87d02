//! Linkages whose axes are parallel to some digits only: structures, to the letter.

use featherline::joint::JointKind;
use featherline::model::{JointHandle, JointId, JointSpec, ModelBuilder};
use featherline::spatial::{Inertia, Motion, Se3, Vec3, exp6};
use featherline::{Model, Workspace, samples};
use featherline_constraint::LoopWorkspace;
use featherline_constraint::project_velocity;
use featherline_sim::integrator::MaximalVariationalIntegrator;
use featherline_sim::maximal::MaximalState;
use featherline_sim::simulation::{Method, Simulator};

/// A four-bar linkage of unlike bars, two of its hinges turned out of the plane's normal by some
/// angle.
fn four_bar(tilt: f64) -> Model {
    let at = |x: f64, z: f64| Se3::from_translation(Vec3::new(x, 0.0, z));
    let bar = |mass: f64, length: f64| Inertia::cuboid(mass, Vec3::new(0.05, 0.05, length));
    let about = |x: f64, z: f64| JointKind::revolute(Vec3::new(tilt * x, 1.0, tilt * z));
    let ground = ModelBuilder::UNIVERSE;
    let mut builder = ModelBuilder::new("tilted");
    let crank = builder.add_joint(JointSpec::new("crank", ground, JointKind::revolute_y()));
    builder.add_body(crank, "crank_bar", at(0.0, 0.05), bar(2.0, 0.1));
    let rocker = JointSpec::new("rocker", ground, about(1.0, 0.3)).placement(at(0.4, 0.0));
    let rocker = builder.add_joint(rocker);
    builder.add_body(rocker, "rocker_bar", at(0.01, 0.125), bar(5.0, 0.25));
    let coupler = JointSpec::new("coupler", crank, about(-0.4, 1.0)).placement(at(0.0, 0.1));
    let coupler = builder.add_joint(coupler);
    builder.add_body(coupler, "coupler_bar", at(0.21, 0.075), bar(8.0, 0.4));
    let ends = [(coupler, at(0.42, 0.15)), (rocker, at(0.02, 0.25))];
    builder.close_loop("pin", JointKind::revolute_y(), ends[0], ends[1]);
    builder.build().unwrap().model
}

/// Where the loop joints' output frames are in their input frames.
fn read(model: &Model, q: &[f64]) -> Vec<Se3<f64>> {
    let v = vec![0.0; model.nv()];
    let state = MaximalState::from_joints(model, &mut Workspace::new(model), q, &v).unwrap();
    let world = |body: JointId, frame: &Se3<f64>| match body.index() {
        0 => *frame,
        body => state.poses[body].placement().compose(frame),
    };
    let joints = model.loop_joints().iter();
    let read = joints.map(|joint| {
        let from = world(joint.predecessor, &joint.predecessor_placement);
        from.inverse_compose(&world(joint.successor, &joint.successor_placement))
    });
    read.collect()
}

/// A linkage of which every axis is turned by some angle; its loops close at `q` as they did.
fn turned(model: &Model, q: &[f64], angle: f64) -> Model {
    let build = |closings: &[Se3<f64>]| {
        let mut builder = ModelBuilder::new(model.name());
        builder.gravity(model.gravity());
        let mut handles: Vec<JointHandle> = vec![ModelBuilder::UNIVERSE];
        for (k, joint) in model.joints()[1..].iter().enumerate() {
            let by = |c: usize| angle * (1.0 + (3 * k + c) as f64).sin();
            let turn = exp6(&Motion::new(Vec3::zero(), Vec3::new(by(0), by(1), by(2))));
            let parent = handles[joint.parent.index()];
            let spec = JointSpec::new(&joint.name, parent, joint.kind.clone());
            let handle = builder.add_joint(spec.placement(joint.placement.compose(&turn)));
            let body = format!("{}_body", joint.name);
            builder.add_body(handle, body, Se3::identity(), joint.inertia);
            handles.push(handle);
        }
        for (joint, closing) in model.loop_joints().iter().zip(closings) {
            let from = joint.predecessor.index();
            let from = (handles[from], joint.predecessor_placement);
            let to = (handles[joint.successor.index()], *closing);
            builder.close_loop(&joint.name, joint.kind.clone(), from, to);
        }
        builder.build().unwrap().model
    };
    let wanted = read(model, q);
    let joints = model.loop_joints();
    let own: Vec<_> = joints.iter().map(|j| j.successor_placement).collect();
    let found = read(&build(&own), q);
    let closings = found.iter().zip(&wanted).zip(&own);
    let closed: Vec<Se3<f64>> = closings
        .map(|((found, wanted), own)| own.compose(&found.inverse_compose(wanted)))
        .collect();
    build(&closed)
}

/// The configuration of a linkage after two turns of its crank, the largest gap, and the largest
/// error of the energy in J.
fn moved(model: &Model) -> (Vec<f64>, f64, f64) {
    let mut motion = MaximalVariationalIntegrator::new(model).unwrap();
    let mut v = [7.0, 0.0, 0.0];
    let mut ws = LoopWorkspace::new(model).unwrap();
    project_velocity(model, &mut ws, &[0.0; 3], &mut v).unwrap();
    motion.start(0.0, &[0.0; 3], &v).unwrap();
    let before = motion.energy().unwrap();
    let (mut gap, mut error) = (0.0_f64, 0.0_f64);
    for _ in 0..2000 {
        motion.step(1e-3).unwrap();
        gap = gap.max(motion.gap());
        error = error.max((motion.energy().unwrap() - before).abs());
    }
    (motion.configuration().to_vec(), gap, error)
}

#[test]
fn axes_of_few_digits_leave_a_linkage_its_motion() {
    let (expected, exact_gap, exact_error) = moved(&four_bar(0.0));
    assert!(expected[0].abs() > 10.0, "{expected:?}");
    assert!(exact_gap < 1e-12, "{exact_gap:e}");
    for tilt in [1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 3.7e-6, 1e-5, 3e-5] {
        let (q, gap, error) = moved(&four_bar(tilt));
        for (q, expected) in q.iter().zip(&expected) {
            // Bars turn and shift by as much as their axes do; two turns add it up.
            let apart = (q - expected).abs();
            assert!(apart < 30.0 * tilt + 1e-9, "{tilt:e}: {apart:e}");
        }
        // The pin stays open by what its axis is turned out of the others'.
        assert!(gap < 5.0 * tilt + 1e-12, "{tilt:e}: {gap:e}");
        assert!(
            error < exact_error * (1.0 + 1e3 * tilt) + 1e-9,
            "{tilt:e}: {error:e} J"
        );
    }
}

#[test]
fn planar_linkages_move_with_axes_of_few_digits() {
    for linkage in [
        samples::four_bar(),
        samples::parallelogram(),
        samples::six_bar(),
    ] {
        let q = match linkage.reference_configurations().get("closed") {
            Some(q) => q.clone(),
            None => linkage.neutral_configuration(),
        };
        let run = |model: &Model| {
            let mut ws = LoopWorkspace::new(model).unwrap();
            let mut v = vec![1.0; model.nv()];
            project_velocity(model, &mut ws, &q, &mut v).unwrap();
            let mut motion = MaximalVariationalIntegrator::new(model).unwrap();
            motion.start(0.0, &q, &v).unwrap();
            let mut gap = 0.0_f64;
            for _ in 0..500 {
                motion.step(1e-3).unwrap();
                gap = gap.max(motion.gap());
            }
            (motion.configuration().to_vec(), gap)
        };
        let (expected, exact_gap) = run(&linkage);
        assert!(exact_gap < 1e-10, "{}: {exact_gap:e}", linkage.name());
        let way = linkage.difference(&q, &expected).unwrap();
        assert!(
            way.iter().any(|x| x.abs() > 0.3),
            "{}: {way:?}",
            linkage.name()
        );
        for angle in [1e-9, 1e-7, 1e-6, 5e-6] {
            let name = format!("{} {angle:e}", linkage.name());
            let (found, gap) = run(&turned(&linkage, &q, angle));
            assert!(gap < 10.0 * angle, "{name}: {gap:e}");
            for (found, expected) in found.iter().zip(&expected) {
                let apart = (found - expected).abs();
                // The effect of other axes within half a second, also where bars begin upright.
                assert!(apart < 1e3 * angle, "{name}: {apart:e}");
            }
        }
    }
}

#[test]
fn what_holds_next_to_nothing_is_said_where_it_holds_too_much() {
    let mut said = 0;
    for tilt in [1e-4, 2e-4] {
        let model = four_bar(tilt);
        let simulator = Simulator::new(&model, Method::maximal_variational(1e-3).unwrap());
        let mut run = simulator.start(0.0, &[0.0; 3], &[0.0; 3]).unwrap();
        if let Err(error) = run.run(0.1, 0.01, &mut ()) {
            let error = error.to_string();
            assert!(
                error.contains("digits") && error.contains("`pin`"),
                "{error}"
            );
            said += 1;
        }
    }
    assert!(said > 0);
}
