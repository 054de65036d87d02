//! A loop joint and contacts together: a parallelogram that lands on its feet.

use super::{G, Touch, touching};
use featherline::joint::JointKind;
use featherline::model::{JointSpec, Model, ModelBuilder};
use featherline::spatial::{Inertia, Se3, Vec3};
use featherline_constraint::{LoopWorkspace, loop_gap};
use featherline_sim::contact::Drives;
use featherline_sim::simulation::{Method, Sample, Simulator};

const HALF: f64 = 0.3;
const LEG: f64 = 0.4;

/// A trunk with two legs, and a foot that joins the lower ends of both.
fn walker() -> Model {
    let mut builder = ModelBuilder::new("walker");
    builder.gravity(Vec3::new(0.0, 0.0, -G));
    let root = JointSpec::new("root", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
    let root = builder.add_joint(root);
    let at = |x: f64, z: f64| Se3::from_translation(Vec3::new(x, 0.0, z));
    let bar = Inertia::cuboid(3.0, Vec3::new(2.0 * HALF, 0.2, 0.05));
    builder.add_body(root, "trunk", Se3::identity(), bar);
    let hinge = |name, parent, placement| {
        JointSpec::new(name, parent, JointKind::revolute_y()).placement(placement)
    };
    let rear = builder.add_joint(hinge("rear", root, at(-HALF, 0.0)));
    let front = builder.add_joint(hinge("front", root, at(HALF, 0.0)));
    let ankle = builder.add_joint(hinge("ankle", rear, at(0.0, -LEG)));
    let leg = Inertia::cuboid(0.5, Vec3::new(0.05, 0.05, LEG));
    builder.add_body(rear, "rear_leg", at(0.0, -LEG / 2.0), leg);
    builder.add_body(front, "front_leg", at(0.0, -LEG / 2.0), leg);
    let foot = Inertia::cuboid(1.0, Vec3::new(2.0 * HALF, 0.2, 0.05));
    builder.add_body(ankle, "foot", at(HALF, 0.0), foot);
    let ends = ((ankle, at(2.0 * HALF, 0.0)), (front, at(0.0, -LEG)));
    builder.close_loop("loop", JointKind::revolute_y(), ends.0, ends.1);
    builder.build().unwrap().model
}

#[test]
fn a_parallelogram_lands_on_its_feet_and_stays_closed() {
    let model = walker();
    let foot = model.joint_id("ankle").unwrap();
    let soles = [
        (0.0, -0.1),
        (0.0, 0.1),
        (2.0 * HALF, -0.1),
        (2.0 * HALF, 0.1),
    ];
    let soles = soles.map(|(x, y)| Touch::ground(foot, Vec3::new(x, y, -0.025), 0.6));
    let mut q = model.neutral_configuration();
    let (sin, cos) = 0.1_f64.sin_cos();
    (q[2], q[4], q[6]) = (0.6, sin, cos);
    for (name, angle) in [("rear", 0.3), ("front", 0.3), ("ankle", -0.3)] {
        q[model.joint(model.joint_id(name).unwrap()).idx_q] = angle;
    }
    let rear = model.joint(model.joint_id("rear").unwrap()).idx_v;
    let drives = Drives::uniform(&model, &q, 400.0, 40.0).only(|k| k == rear);
    let simulator = Simulator::new(&model, Method::time_stepping(1e-3).unwrap());
    let simulator = simulator
        .with_contacts(touching(soles.to_vec()))
        .with_drives(drives);
    let mut v = vec![0.0; model.nv()];
    v[0] = 0.5;
    let mut simulation = simulator.start(0.0, &q, &v).unwrap();
    let mut ws = LoopWorkspace::new(&model).unwrap();
    let (mut gap, mut deepest, mut residual) = (0.0_f64, 0.0_f64, 0.0_f64);
    let mut watch = |sample: &Sample<'_>| {
        let found = loop_gap(&model, &mut ws, sample.q, sample.v).unwrap();
        gap = gap.max(found.position);
        let contact = sample.contact.unwrap();
        deepest = deepest.max(contact.penetration());
        residual = residual.max(contact.residual());
    };
    simulation.run(2.0, 1e-3, &mut watch).unwrap();
    let sample = simulation.sample().unwrap();
    let contact = sample.contact.unwrap();
    let forces = contact.contacts.iter().map(|it| contact.force(it).z);
    let (weight, carried) = (5.0 * G, forces.sum::<f64>());
    println!("gap {gap:.1e} m, penetration {deepest:.1e} m, residual {residual:.1e}");
    assert_eq!(contact.account.inexact_steps, 0);
    assert!((carried / weight - 1.0).abs() < 1e-6, "{carried} {weight}");
    assert!(gap < 1e-10, "{gap}");
    assert!(deepest < 1e-6, "{deepest}");
}
