//! Accelerations and joint forces of bodies, against three other ways to them.

use super::dense;
use crate::common::{State, external_forces, models};
use featherline::dynamics::DynamicsOptions;
use featherline::joint::JointKind;
use featherline::kinematics::ReferenceFrame;
use featherline::model::{JointHandle, JointSpec, ModelBuilder};
use featherline::spatial::{Force, Inertia, Motion, Quaternion, Se3, Vec3, exp6};
use featherline::{Model, Workspace, samples};
use featherline_constraint::Stabilisation;
use featherline_sim::maximal::maximal_dynamics;
use featherline_sim::maximal::{MaximalError, MaximalState, MaximalWorkspace};

/// Condition numbers of these robots reach 1e6; what is left of sixteen digits.
const TOLERANCE: f64 = 1e-9;

fn trees() -> Vec<(Model, u64)> {
    let mut models = models();
    let mimic_joints = models.iter().filter(|(model, _)| model.has_mimic_joints());
    assert!(models.len() > 20 && mimic_joints.count() > 3);
    // More than are taken at once on the way to the root, with children far from their parents.
    models.push((samples::snake(100), 3));
    let wide = samples::RandomTree {
        joints: 150,
        branching: 0.5,
        every_kind: true,
        mimic_joints: false,
        floating: true,
    };
    models.push((samples::random_tree(11, &wide), 4));
    models
}

/// A robot's bodies under random forces, and what the recursion says.
struct Solved {
    s: State,
    ws: Workspace<f64>,
    state: MaximalState,
    external: Vec<Force<f64>>,
    accelerations: Vec<Motion<f64>>,
    joint_forces: Vec<Force<f64>>,
}

impl Solved {
    fn new(model: &Model, seed: u64) -> Self {
        let s = State::random(model, seed);
        let external = external_forces(model);
        let mut ws = Workspace::new(model);
        let state = MaximalState::from_joints(model, &mut ws, &s.q, &s.v).unwrap();
        let mut kkt = MaximalWorkspace::new(model).unwrap();
        let result = maximal_dynamics(model, &mut kkt, &state, &s.tau, &external).unwrap();
        Self {
            accelerations: result.accelerations.to_vec(),
            joint_forces: result.joint_forces.to_vec(),
            s,
            ws,
            state,
            external,
        }
    }

    /// By the articulated-body algorithm.
    fn joint_accelerations(&mut self, model: &Model) -> Vec<f64> {
        let State { q, v, tau, .. } = &self.s;
        let a = model.forward_dynamics(
            &mut self.ws,
            q,
            v,
            tau,
            DynamicsOptions::default()
                .without_passive_forces()
                .with_forces(&self.external),
        );
        a.unwrap().to_vec()
    }
}

fn close(name: &str, what: &str, found: &[f64], expected: &[f64]) {
    close_to(TOLERANCE, name, what, found, expected);
}

fn close_to(tolerance: f64, name: &str, what: &str, found: &[f64], expected: &[f64]) {
    let size = expected.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
    for (k, (x, y)) in found.iter().zip(expected).enumerate() {
        let error = (x - y).abs() / size;
        assert!(error < tolerance, "{name}: {what} {k}: {x}, not {y}");
    }
}

/// Components of the bodies' accelerations, without the universe's.
fn numbers(accelerations: &[Motion<f64>]) -> Vec<f64> {
    let bodies = accelerations.iter().skip(1);
    bodies
        .flat_map(|acceleration| acceleration.to_array())
        .collect()
}

/// The same as the kinematics of joints have them.
fn by_joints(
    model: &Model,
    ws: &mut Workspace<f64>,
    (q, v, a): (&[f64], &[f64], &[f64]),
) -> Vec<f64> {
    let found = model.forward_kinematics_accelerations(ws, q, v, a).unwrap();
    let reference = ReferenceFrame::Local;
    let joints = model.joint_ids();
    joints
        .flat_map(|joint| found.acceleration(joint, reference).to_array())
        .collect()
}

#[test]
fn bodies_accelerate_as_the_articulated_body_algorithm_has_it() {
    for (model, seed) in trees() {
        let mut solved = Solved::new(&model, seed);
        let a = solved.joint_accelerations(&model);
        let Solved {
            s,
            ws,
            accelerations,
            ..
        } = &mut solved;
        let expected = by_joints(&model, ws, (&s.q, &s.v, &a));
        let all = numbers(accelerations);
        close(model.name(), "acceleration", &all, &expected);
    }
}

/// The pivot of a hinge near the root of a hundred thousand links is a part of 1e-15 of what it
/// would be if all moved as one.
#[test]
fn very_long_chains_are_not_singular() {
    let mut builder = ModelBuilder::new("very long");
    let mut above = ModelBuilder::UNIVERSE;
    let link = Inertia::cuboid(1.0, Vec3::new(0.05, 0.05, 0.1));
    for k in 0..100_000 {
        let kind = JointKind::revolute(Vec3::unit(k % 3));
        let placement = Se3::from_translation(Vec3::new(0.0, 0.0, 0.1));
        above =
            builder.add_joint(JointSpec::new(format!("j{k}"), above, kind).placement(placement));
        builder.add_body(above, format!("b{k}"), Se3::identity(), link);
    }
    let model = builder.build().unwrap().model;
    let nv = model.nv();
    let q: Vec<f64> = (0..nv).map(|k| (0.37 * k as f64).sin()).collect();
    let tau: Vec<f64> = (0..nv).map(|k| 0.1 * (0.73 * k as f64).cos()).collect();
    let v = vec![0.0; nv];
    let mut ws = Workspace::recursive(&model);
    let state = MaximalState::from_joints(&model, &mut ws, &q, &v).unwrap();
    let mut kkt = MaximalWorkspace::new(&model).unwrap();
    let result = maximal_dynamics(&model, &mut kkt, &state, &tau, &[]).unwrap();
    let a = model.aba(&mut ws, &q, &v, &tau).unwrap().to_vec();
    let all = numbers(result.accelerations);
    let expected = by_joints(&model, &mut ws, (&q, &v, &a));
    // Poses in the world are rounded to 1e-14 m tens of metres away, 1e-13 of a link, and the
    // condition is 1e6.
    close_to(1e-7, model.name(), "acceleration", &all, &expected);
}

#[test]
fn joint_forces_move_their_bodies_and_do_the_work_of_the_drives() {
    for (model, seed) in trees() {
        let mut solved = Solved::new(&model, seed);
        let a = solved.joint_accelerations(&model);
        let Solved {
            s: State { q, tau, .. },
            external,
            state,
            accelerations,
            joint_forces,
            ..
        } = &solved;

        // Newton and Euler, leaf to root: what a body needs is what its joint brings and its
        // children take.
        let (mut power, mut driven) = (vec![0.0; model.nv()], tau.clone());
        let mut needed: Vec<Force<f64>> = vec![Force::zero(); model.joints().len()];
        for id in model.joint_ids().rev() {
            let (i, joint) = (id.index(), model.joint(id));
            let placement = state.poses[i].placement();
            let mut proper = accelerations[i];
            proper.linear -= placement.rotation.tr_mul_vec(model.gravity());
            let momentum = joint.inertia.mul_motion(&state.velocities[i]);
            needed[i] = needed[i]
                + joint.inertia.mul_motion(&proper)
                + state.velocities[i].cross_force(&momentum)
                - external[i];
            if joint.parent.index() != 0 {
                let above = state.poses[joint.parent.index()].placement();
                let carried = above.inverse_compose(&placement).act_force(&needed[i]);
                needed[joint.parent.index()] += carried;
            }
            close(
                model.name(),
                &format!("force of {}", joint.name),
                &joint_forces[i].to_array(),
                &needed[i].to_array(),
            );
            let mut subspace = vec![Motion::zero(); joint.kind.nv()];
            match &joint.mimic {
                None => {
                    let own = &q[joint.idx_q..joint.idx_q + joint.nq];
                    joint.kind.evaluate(own, &mut subspace);
                }
                Some(mimic) => {
                    joint.kind.evaluate_displacement(0.0, &mut subspace);
                    subspace[0] = subspace[0] * mimic.ratio;
                }
            }
            for (k, s) in subspace.iter().enumerate() {
                let degree = joint.idx_v + k;
                power[degree] += s.dot(&joint_forces[i]);
                let inertia = joint.drive.reflected_inertia(k);
                let ratio = joint.mimic.map_or(1.0, |mimic| mimic.ratio);
                driven[degree] -= inertia * ratio * ratio * a[degree];
            }
        }
        // a mimic joint's work is the mimicked joint's.
        close(model.name(), "work", &power, &driven);
    }
}

#[test]
fn the_recursion_solves_the_dense_system() {
    for (model, seed) in trees() {
        // The dense system has constraints between two bodies only.
        if model.joints().len() > 20 || model.has_mimic_joints() {
            continue;
        }
        let solved = Solved::new(&model, seed);
        let State { q, v, tau, .. } = &solved.s;
        let (accelerations, forces) =
            dense::solve(&model, &solved.state, q, v, tau, &solved.external);
        let flat = |motions: &[Motion<f64>]| -> Vec<f64> {
            motions.iter().flat_map(|m| m.to_array()).collect()
        };
        let flat_forces = |forces: &[Force<f64>]| -> Vec<f64> {
            forces.iter().flat_map(|f| f.to_array()).collect()
        };
        let name = model.name();
        close(
            name,
            "acceleration",
            &flat(&solved.accelerations),
            &flat(&accelerations),
        );
        let found = flat_forces(&solved.joint_forces);
        close(name, "force", &found, &flat_forces(&forces));
    }
}

/// Two fingers that mirror each other, each on a hinge of its own.
fn gripper() -> (ModelBuilder, [JointHandle; 2]) {
    let (mut builder, zero) = (ModelBuilder::new("gripper"), Se3::identity());
    let fingers = ["left", "right"].map(|name| {
        let kind = JointKind::revolute(Vec3::unit(1));
        let finger = builder.add_joint(JointSpec::new(name, ModelBuilder::UNIVERSE, kind));
        let inertia = Inertia::cuboid(1.0, Vec3::new(0.2, 0.3, 0.5));
        builder.add_body(finger, name, zero, inertia);
        finger
    });
    builder.mimic(fingers[1], fingers[0], -2.0, 0.1);
    (builder, fingers)
}

#[test]
fn a_mimic_joint_out_of_place_shows_and_is_pulled_back() {
    let model = gripper().0.build().unwrap().model;
    let mut ws = Workspace::new(&model);
    let mut state = MaximalState::from_joints(&model, &mut ws, &[0.3], &[0.7]).unwrap();
    // The mimic joint alone turns on and turns faster, along its own motion.
    let turned = exp6(&Motion::new(Vec3::zero(), Vec3::new(0.0, 1e-2, 0.0)));
    let pose = state.poses[2].placement().compose(&turned);
    state.poses[2].orientation = Quaternion::from_rotation(&pose.rotation);
    state.velocities[2].angular.y += 3e-2;
    let (mut q, mut v) = ([0.0], [0.0]);
    let gap = state.to_joints(&model, &mut q, &mut v).unwrap();
    assert!((q[0] - 0.3).abs() + (v[0] - 0.7).abs() < 1e-12);
    assert!((gap.position - 1e-2).abs() < 1e-12 && (gap.velocity - 3e-2).abs() < 1e-12);

    let mut kkt = MaximalWorkspace::new(&model).unwrap();
    for (stabilisation, pull) in [
        (Stabilisation::NONE, 0.0),
        // 2 · 10 · 0.03 + 10² · 0.01.
        (Stabilisation::critical(0.1), 1.6),
    ] {
        kkt.stabilise(stabilisation);
        let result = maximal_dynamics(&model, &mut kkt, &state, &[0.4], &[]);
        let [_, source, mimic_joint] = result.unwrap().accelerations else {
            panic!("two bodies and the universe");
        };
        let left = mimic_joint.angular.y + 2.0 * source.angular.y;
        assert!((left + pull).abs() < 1e-12, "{left}");
    }
}

#[test]
fn mimic_joints_beside_loops_and_foreign_arguments_are_refused() {
    let (mut builder, [left, right]) = gripper();
    let origin = Se3::identity();
    builder.close_loop(
        "ball",
        JointKind::Spherical,
        (left, origin),
        (right, origin),
    );
    let model = builder.build().unwrap().model;
    let refused = MaximalWorkspace::new(&model).unwrap_err();
    assert!(
        matches!(refused, MaximalError::MimicJoint { .. }),
        "{refused}"
    );

    let model = samples::double_pendulum();
    let mut ws = Workspace::new(&model);
    let state = MaximalState::from_joints(&model, &mut ws, &[0.1, 0.2], &[0.0; 2]).unwrap();
    let mut kkt = MaximalWorkspace::new(&model).unwrap();
    let mut refusal = |state: &MaximalState, tau: &[f64], external: &[Force<f64>]| {
        let error = maximal_dynamics(&model, &mut kkt, state, tau, external);
        error.unwrap_err().to_string()
    };
    assert!(refusal(&state, &[0.0], &[]).contains("tau has 1 entries"));
    assert!(refusal(&state, &[0.0, f64::NAN], &[]).contains("tau[1]"));
    assert!(refusal(&state, &[0.0; 2], &[Force::zero()]).contains("external has 1"));
    let mut broken = state.clone();
    broken.velocities[2].angular.x = f64::INFINITY;
    assert!(refusal(&broken, &[0.0; 2], &[]).contains("velocities[2]"));
    broken = state;
    broken.poses[1].orientation = Quaternion::new(0.0, 0.0, 0.0, 0.0);
    assert!(refusal(&broken, &[0.0; 2], &[]).contains("poses[1]"));
}

#[test]
fn a_massless_body_in_between_is_carried_by_the_one_beyond() {
    let mut builder = ModelBuilder::new("wrist");
    let mut above = ModelBuilder::UNIVERSE;
    for k in 0..4 {
        let kind = JointKind::revolute(Vec3::unit(k % 3));
        let placement = Se3::from_translation(Vec3::new(0.1, 0.2 * k as f64, -0.3));
        above =
            builder.add_joint(JointSpec::new(format!("j{k}"), above, kind).placement(placement));
        if k == 0 || k == 3 {
            let inertia = Inertia::cuboid(1.0 + k as f64, Vec3::new(0.2, 0.3, 0.5));
            builder.add_body(above, format!("b{k}"), Se3::identity(), inertia);
        }
    }
    let model = builder.build().unwrap().model;
    let (q, v, tau) = (
        [0.3, -0.4, 0.5, 0.6],
        [0.1, 0.2, -0.3, 0.4],
        [1.0, 0.0, -1.0, 0.5],
    );
    let mut ws = Workspace::new(&model);
    let state = MaximalState::from_joints(&model, &mut ws, &q, &v).unwrap();
    let mut kkt = MaximalWorkspace::new(&model).unwrap();
    let result = maximal_dynamics(&model, &mut kkt, &state, &tau, &[]).unwrap();
    let a = model.aba(&mut ws, &q, &v, &tau).unwrap().to_vec();
    let all = numbers(result.accelerations);
    let expected = by_joints(&model, &mut ws, (&q, &v, &a));
    close(model.name(), "acceleration", &all, &expected);
}
