//! Limits, dry friction and drives of joints.

use super::{G, on_plane};
use featherline::joint::JointKind;
use featherline::model::{JointId, JointSpec, Limits, Model, ModelBuilder};
use featherline::spatial::{Inertia, Se3, Vec3};
use featherline_constraint::nonsmooth::Contact;
use featherline_sim::contact::{Drives, TimeStepping};

/// A rod of 1 kg and 1 m, hinged about y at one end, horizontal at zero.
fn rod(change: impl FnOnce(JointSpec) -> JointSpec) -> Model {
    let mut builder = ModelBuilder::new("rod");
    let hinge = JointSpec::new("hinge", ModelBuilder::UNIVERSE, JointKind::revolute_y());
    let hinge = builder.add_joint(change(hinge));
    let shape = Inertia::cuboid(1.0, Vec3::new(1.0, 0.02, 0.02));
    let placed = Se3::from_translation(Vec3::new(0.5, 0.0, 0.0)).act_inertia(&shape);
    builder.add_body(hinge, "rod", Se3::identity(), placed);
    builder.build().unwrap().model
}

/// The torque of gravity on the horizontal rod.
const WEIGHT: f64 = 0.5 * G;

#[test]
fn dry_friction_holds_below_breakaway_and_brakes_above() {
    let h = 1e-3;
    for (friction, holds) in [(1.001 * WEIGHT, true), (0.999 * WEIGHT, false)] {
        let model = rod(|hinge| hinge.friction(friction));
        let mut stepping = TimeStepping::new(&model).unwrap();
        let (mut q, mut v) = ([0.0], [0.0]);
        for _ in 0..1000 {
            stepping.step(0.0, &mut q, &mut v, h).unwrap();
        }
        assert_eq!(q[0].abs() < 1e-9, holds, "{q:?}");
    }
    // A moving joint is braked by all friction, and stops without turning back.
    let model = rod(|hinge| hinge.friction(2.0 * WEIGHT));
    let mut stepping = TimeStepping::new(&model).unwrap();
    let (mut q, mut v) = ([0.0], [-1.0]);
    for _ in 0..1000 {
        let before = v[0];
        stepping.step(0.0, &mut q, &mut v, h).unwrap();
        assert!(v[0] >= before - 1e-9 && v[0] < 1e-9, "{v:?}");
    }
    assert!(v[0].abs() < 1e-9 && q[0] < -0.01, "{q:?} {v:?}");
}

#[test]
fn limits_stop_a_joint_without_overshoot() {
    let mut limits = Limits::unbounded(1, 1);
    (limits.lower[0], limits.upper[0]) = (-0.4, 0.7);
    let model = rod(|hinge| hinge.limits(limits));
    let mut stepping = TimeStepping::new(&model).unwrap();
    for first in [0.0, -8.0] {
        let (mut q, mut v) = ([0.0], [first]);
        for _ in 0..3000 {
            stepping.step(0.0, &mut q, &mut v, 1e-3).unwrap();
            assert!(q[0] > -0.4 - 1e-9 && q[0] < 0.7 + 1e-9, "{q:?}");
        }
        assert!(
            (q[0] - 0.7).abs() < 1e-9 && v[0].abs() < 1e-9,
            "{q:?} {v:?}"
        );
    }
}

#[test]
fn drives_are_stable_at_any_gain_and_keep_their_effort() {
    let mut limits = Limits::unbounded(1, 1);
    limits.effort[0] = 20.0;
    let model = rod(|hinge| hinge.limits(limits.clone()));
    for stiffness in [1e2, 1e4, 1e6] {
        let target = [-1.0];
        // Effort that is limited brakes along kp e + kd v = 0: slow enough for 20 N·m.
        let damping = 0.2 * stiffness;
        let drives = Drives::uniform(&model, &target, stiffness, damping);
        let mut stepping = TimeStepping::new(&model).unwrap().with_drives(drives);
        let (mut q, mut v) = ([0.0], [0.0]);
        for _ in 0..4000 {
            let before = v[0];
            let report = stepping.step(0.0, &mut q, &mut v, 1e-3).unwrap();
            assert!(report.outcome.has_converged, "{stiffness}: {report:?}");
            // (τ + gravity)/(1/3 kg·m²)
            let most = (20.0 + WEIGHT) * 3.0 * 1e-3;
            assert!((v[0] - before).abs() < most + 1e-9, "{stiffness}: {v:?}");
        }
        // The spring yields to gravity: kp (q_d − q) + ½ g cos q = 0
        let left = stiffness * (target[0] - q[0]) + WEIGHT * q[0].cos();
        assert!(
            left.abs() < 1e-8 * stiffness && v[0].abs() < 1e-6,
            "{stiffness}: {q:?} {v:?} {left}"
        );
    }
}

/// Two fingers pinch a cube of 45 g with 12 N each: mujoco issue 3328.
#[test]
fn a_pinched_cube_does_not_creep() {
    let (h, mu, half) = (2e-3, 0.7, 0.02);
    let mut builder = ModelBuilder::new("gripper");
    let slide = |name, x| {
        JointSpec::new(name, ModelBuilder::UNIVERSE, JointKind::prismatic_x())
            .placement(Se3::from_translation(Vec3::new(x, 0.0, 0.0)))
    };
    let left = builder.add_joint(slide("left", -half));
    let right = builder.add_joint(slide("right", half));
    let root = JointSpec::new("root", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
    let root = builder.add_joint(root);
    let finger = Inertia::cuboid(0.2, Vec3::new(0.01, 0.04, 0.04));
    builder.add_body(left, "left_finger", Se3::identity(), finger);
    builder.add_body(right, "right_finger", Se3::identity(), finger);
    let size = 2.0 * half;
    let cube = Inertia::cuboid(0.045, Vec3::new(size, size, size));
    builder.add_body(root, "cube", Se3::identity(), cube);
    let model = builder.build().unwrap().model;
    let [left, right, root] = ["left", "right", "root"].map(|name| model.joint_id(name).unwrap());
    let contacts = move |placements: &[Se3<f64>], range: f64, out: &mut Vec<Contact>| {
        for (finger, side) in [(left, -1.0), (right, 1.0)] {
            let mut k = 0;
            for y in [-half, half] {
                for z in [-half, half] {
                    let point = placements[root.index()].act_point(Vec3::new(side * half, y, z));
                    let mut contact = on_plane(root, point, mu, k);
                    let face = placements[finger.index()].translation.x;
                    contact.bodies = [finger, root];
                    contact.point = Vec3::new(face, point.y, point.z);
                    contact.normal = Vec3::unit(0) * -side;
                    contact.gap = (face - point.x) * side;
                    if contact.gap < range {
                        out.push(contact);
                    }
                    k += 1;
                }
            }
        }
    };
    let press = featherline_sim::integrator::forces::TorqueFunction::new(
        |_: f64, _: &[f64], _: &[f64], tau: &mut [f64]| {
            tau[0] += 12.0;
            tau[1] -= 12.0;
        },
    );
    let mut stepping = TimeStepping::with(&model, press, contacts).unwrap();
    let mut q = model.neutral_configuration();
    let mut v = vec![0.0; model.nv()];
    for k in 0..5000 {
        let report = stepping.step(0.0, &mut q, &mut v, h).unwrap();
        assert!(report.outcome.has_converged, "step {k}: {report:?}");
    }
    let creep = q[2].abs().max(q[3].abs()).max(q[4].abs()) / (5000.0 * h);
    println!("creep {creep:e} m/s");
    assert!(creep < 1e-9, "{creep}");
}

/// The universe is a body of contacts like others.
#[test]
fn rows_of_the_world_alone_move_nothing() {
    let model = rod(|hinge| hinge);
    let contacts = |_: &[Se3<f64>], _: f64, out: &mut Vec<Contact>| {
        out.push(on_plane(JointId::UNIVERSE, Vec3::zero(), 0.5, 0));
    };
    let mut stepping = TimeStepping::with(&model, (), contacts).unwrap();
    let (mut q, mut v) = ([0.0], [0.0]);
    let report = stepping.step(0.0, &mut q, &mut v, 1e-3).unwrap();
    assert!(report.outcome.has_converged && v[0] > 0.0);
}
