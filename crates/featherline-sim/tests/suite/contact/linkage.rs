//! Loop joints and contacts together: a parallelogram that lands on its feet, a Stewart platform.

use super::{G, Touch, touching};
use featherline::Workspace;
use featherline::joint::JointKind;
use featherline::model::{JointId, JointSpec, Model, ModelBuilder};
use featherline::samples;
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

/// A platform falls with its sliders loose until it lies on three props of unlike heights: six
/// loops, limits and contacts together. The props carry it, and what the legs ask for at its balls.
#[test]
fn a_stewart_platform_lands_on_props_and_stays_closed() {
    let model = samples::stewart();
    let platform = model.joint_id("platform").unwrap();
    let props = [(0.0, 0.50), (2.0, 0.51), (4.3, 0.52)].map(|(angle, height): (f64, f64)| {
        let (sin, cos) = angle.sin_cos();
        // The disc is 2 cm thick.
        let point = Vec3::new(0.25 * cos, 0.25 * sin, -0.01);
        Touch {
            origin: Vec3::new(0.0, 0.0, height),
            ..Touch::ground(platform, point, 0.6)
        }
    });
    let simulator = Simulator::new(&model, Method::time_stepping(1e-3).unwrap());
    let simulator = simulator.with_contacts(touching(props.to_vec()));
    let (q, v) = (model.neutral_configuration(), vec![0.0; model.nv()]);
    let mut simulation = simulator.start(0.0, &q, &v).unwrap();
    let mut ws = LoopWorkspace::new(&model).unwrap();
    let (mut gap, mut deepest) = (0.0_f64, 0.0_f64);
    let mut watch = |sample: &Sample<'_>| {
        let found = loop_gap(&model, &mut ws, sample.q, sample.v).unwrap();
        gap = gap.max(found.position);
        deepest = deepest.max(sample.contact.unwrap().penetration());
    };
    simulation.run(1.0, 1e-3, &mut watch).unwrap();
    let sample = simulation.sample().unwrap();
    let contact = sample.contact.unwrap();
    let fastest = sample.v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    println!("gap {gap:.1e} m, penetration {deepest:.1e} m, at rest to {fastest:.1e}");
    assert_eq!(contact.account.inexact_steps, 0);
    assert_eq!(contact.contacts.len(), 3);
    assert!(gap < 1e-10, "{gap}");
    assert!(deepest < 1e-6, "{deepest}");
    assert!(fastest < 1e-6, "{fastest}");
    let forces = contact.contacts.iter().map(|it| contact.force(it).z);
    let carried: f64 = forces.sum();
    // A leg along u is held at its ball: along u by what its rod weighs, across by the moment about
    // its foot. Upwards that is Σ m g ((u_z² of the rod) + d/L (1 − u_z²)).
    let mut ws = Workspace::<f64>::new(&model);
    let placed = model.forward_kinematics(&mut ws, sample.q).unwrap();
    let mass = |id: JointId| model.joint(id).inertia.mass;
    let mut expected = mass(platform) * G;
    for leg in 0..6 {
        let joint = |name: &str| model.joint_id(&format!("{name}_{leg}")).unwrap();
        let bars = [joint("foot"), joint("slider")];
        let foot = placed.placement(bars[0]).translation;
        let middle = |id: JointId| placed.placement(id).act_point(model.joint(id).inertia.com);
        // A rod ends as far above its middle as it begins below.
        let top = middle(bars[1]) * 2.0 - placed.placement(bars[1]).translation;
        let length = (top - foot).norm();
        let up = (top - foot).normalised().z;
        expected += mass(bars[1]) * G * up * up;
        for bar in bars {
            let part = (middle(bar) - foot).norm() / length;
            expected += mass(bar) * G * part * (1.0 - up * up);
        }
    }
    println!("carried {carried} N of {expected} N");
    assert!(
        (carried / expected - 1.0).abs() < 1e-6,
        "{carried} {expected}"
    );
}
