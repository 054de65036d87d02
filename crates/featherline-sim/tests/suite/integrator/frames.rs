//! Robots that float: the variational integrators find the same motion in every frame, and with any
//! masses.

use super::robots::{Case, floating};
use crate::common::external_forces;
use featherline::joint::JointKind;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::spatial::{Force, Inertia, Se3, Sym3, Vec3, exp3};
use featherline::{Model, Workspace};
use featherline_sim::integrator::forces::BodyForces;
use featherline_sim::integrator::{
    DenseOutput, DormandPrince, ForwardDynamics, IntegratorError, MaximalVariationalIntegrator,
    Tolerance, VariationalIntegrator,
};
use std::f64::consts::FRAC_PI_2;
use std::ops::ControlFlow;

/// Robots that float without gravity, and a linkage.
fn in_flight() -> Vec<Case> {
    let mut found = floating();
    found.push(square());
    found
}

/// Four bars in a square that float and shear.
fn square() -> Case {
    let mut builder = ModelBuilder::new("square");
    builder.gravity(Vec3::zero());
    let moment = Sym3::diagonal(Vec3::new(0.02, 0.1, 0.12));
    let bar = Inertia::new(1.0, Vec3::new(0.5, 0.0, 0.0), moment);
    let corner = Se3::new(
        exp3(Vec3::new(0.0, 0.0, FRAC_PI_2)),
        Vec3::new(1.0, 0.0, 0.0),
    );
    let base = JointSpec::new("base", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
    let base = builder.add_joint(base);
    let mut last = base;
    builder.add_body(base, "bar_0", Se3::identity(), bar);
    for k in 1..4 {
        let hinge = JointSpec::new(format!("hinge_{k}"), last, JointKind::revolute_z());
        last = builder.add_joint(hinge.placement(corner));
        builder.add_body(last, format!("bar_{k}"), Se3::identity(), bar);
    }
    let ends = ((last, corner), (base, Se3::identity()));
    builder.close_loop("pin", JointKind::revolute_z(), ends.0, ends.1);
    let model = builder.build().unwrap().model;
    Case {
        name: "square",
        q: model.neutral_configuration(),
        v: vec![0.1, -0.2, 0.3, 0.5, 0.4, -0.6, 0.7, -0.7, 0.7],
        model,
    }
}

/// A configuration and the momentum there.
type Reached = (Vec<f64>, Force<f64>);

/// Where the robot is after steps of 10 ms, by each integrator that moves it, and its momentum.
fn after(
    model: &Model,
    (q, v): (&[f64], &[f64]),
    forces: &[Force<f64>],
    steps: usize,
) -> Result<Vec<Reached>, IntegratorError> {
    let mut found = Vec::new();
    let law = || BodyForces::new(forces);
    if !model.has_mimic_joints() {
        let mut maximal = MaximalVariationalIntegrator::with_forces(model, law()).unwrap();
        maximal.start(0.0, q, v)?;
        for _ in 0..steps {
            maximal.step(0.01)?;
        }
        found.push((maximal.configuration().to_vec(), maximal.momentum()?));
    }
    if model.loop_joints().is_empty() {
        let mut minimal = VariationalIntegrator::with_forces(model, law());
        minimal.start(0.0, q, v)?;
        for _ in 0..steps {
            minimal.step(0.01)?;
        }
        found.push((minimal.configuration().to_vec(), minimal.momentum()?));
    }
    Ok(found)
}

/// The velocity of a robot that is watched from a frame that goes the other way.
fn boosted(case: &Case, fast: Vec3<f64>) -> Vec<f64> {
    let (model, mut v) = (&case.model, case.v.clone());
    let mut ws = Workspace::recursive(model);
    let first = model.joint_ids().next().unwrap();
    let placed = model.forward_kinematics(&mut ws, &case.q).unwrap();
    let turn = placed.placement(first).rotation;
    for (own, more) in v.iter_mut().zip(turn.tr_mul_vec(fast).to_array()) {
        *own += more;
    }
    v
}

/// How far two configurations are apart when the second has gone `way` further.
fn apart(case: &Case, still: &[f64], moved: &[f64], way: Vec3<f64>) -> f64 {
    let axes = case.model.joints()[1].placement.rotation;
    let mut moved = moved.to_vec();
    for (own, more) in moved.iter_mut().zip(axes.tr_mul_vec(way).to_array()) {
        *own -= more;
    }
    let apart = case.model.difference(still, &moved).unwrap();
    apart.iter().fold(0.0, |most, x| most.max(x.abs()))
}

#[test]
fn motions_are_the_same_at_any_speed() {
    // Faster than satellites: a step carries a robot a hundred times its own size.
    let fast = Vec3::new(4000.0, -7000.0, 2000.0);
    for case in in_flight() {
        let none = vec![Force::zero(); case.model.joints().len()];
        for forces in [none, external_forces(&case.model)] {
            let still = after(&case.model, (&case.q, &case.v), &forces, 50).unwrap();
            let v = boosted(&case, fast);
            let moved = after(&case.model, (&case.q, &v), &forces, 50).unwrap();
            for ((still, before), (moved, after)) in still.iter().zip(&moved) {
                // Rounding of places 4 km away and of speeds of 8 km/s, which chaotic limbs make
                // the most of.
                let worst = apart(&case, still, moved, fast * 0.5);
                assert!(worst < 1e-8, "{}: {worst:e}", case.name);
                let gained = after.linear - before.linear - fast * case.model.total_mass();
                assert!(gained.norm() < 1e-12 * after.linear.norm(), "{}", case.name);
            }
        }
    }
}

#[test]
fn robots_fall_as_they_float() {
    let (gravity, steps) = (Vec3::new(0.3, -0.2, -9.81), 400);
    for case in in_flight() {
        let none = vec![Force::zero(); case.model.joints().len()];
        let floats = after(&case.model, (&case.q, &case.v), &none, steps);
        let heavy = case.model.clone().with_gravity(gravity).unwrap();
        let falls = after(&heavy, (&case.q, &case.v), &none, steps);
        // Long motions of chaotic limbs meet steps that are too long for them: at the same place,
        // if at all.
        let (floats, falls) = match (floats, falls) {
            (Ok(floats), Ok(falls)) => (floats, falls),
            (Err(a), Err(b)) => {
                assert_eq!(a.to_string(), b.to_string());
                continue;
            }
            (a, b) => panic!("{}: {:?} {:?}", case.name, a.err(), b.err()),
        };
        let time = 0.01 * steps as f64;
        for ((floats, _), (falls, _)) in floats.iter().zip(&falls) {
            let worst = apart(&case, floats, falls, gravity * (0.5 * time * time));
            // Rounding of the way fallen.
            assert!(worst < 1e-12, "{}: {worst:e}", case.name);
        }
    }
}

/// Bodies with a link on a hinge each, every one carried by its own row of joints.
fn carried(name: &str, bases: &[&[JointKind]]) -> Model {
    let mut builder = ModelBuilder::new(name);
    let moment = Sym3::diagonal(Vec3::new(0.03, 0.036, 0.024));
    let body = Inertia::new(3.0, Vec3::new(0.02, 0.01, -0.15), moment);
    let moment = Sym3::diagonal(Vec3::new(0.01, 0.012, 0.008));
    let arm = Inertia::new(1.0, Vec3::new(0.02, 0.01, -0.15), moment);
    for (k, kinds) in bases.iter().enumerate() {
        let mut last = ModelBuilder::UNIVERSE;
        for (axis, kind) in kinds.iter().enumerate() {
            let joint = JointSpec::new(format!("base_{k}_{axis}"), last, kind.clone());
            last = builder.add_joint(joint);
        }
        builder.add_body(last, format!("body_{k}"), Se3::identity(), body);
        let hinge = JointSpec::new(format!("hinge_{k}"), last, JointKind::revolute_x());
        let below = Se3::new(exp3(Vec3::zero()), Vec3::new(0.0, 0.0, -0.3));
        let hinge = builder.add_joint(hinge.placement(below));
        builder.add_body(hinge, format!("arm_{k}"), Se3::identity(), arm);
    }
    builder.build().unwrap().model
}

/// Robots on bases that go far without being free bodies, or beside others; a velocity of each, and
/// what makes it fast.
fn far_going() -> Vec<(Model, Vec<f64>, Vec<f64>)> {
    let slides = [0, 1, 2].map(|axis| JointKind::prismatic(Vec3::unit(axis)));
    let [planar, free] = [JointKind::Planar, JointKind::FreeFlyer];
    vec![
        (
            carried("planar", &[&[planar]]),
            vec![0.0, 0.0, 0.4, 1.0],
            vec![1.0, 0.5, 0.0, 0.0],
        ),
        (
            carried("slides", &[&slides]),
            vec![0.1, 0.0, 0.0, 1.0],
            vec![1.0, 0.5, -0.3, 0.0],
        ),
        (
            carried("pair", &[std::slice::from_ref(&free); 2]),
            [0.0, 0.0, 0.0, 0.3, 0.2, -0.4, 1.0].repeat(2),
            [[0.0; 7], [1.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0]].concat(),
        ),
    ]
}

/// Where the hinges of a robot are after half a second, by the variational integrators that follow
/// a base which goes so far in a step. That in maximal coordinates corrects velocities of bodies,
/// in which a base that joints hold has far levers, and a massless one none.
fn hinges_after(model: &Model, v: &[f64], h: f64, way: f64) -> Vec<f64> {
    let q = model.neutral_configuration();
    let hinges = |q: &[f64]| {
        let joints = model.joints().iter();
        joints
            .filter(|joint| joint.name.starts_with("hinge"))
            .map(|joint| q[joint.idx_q])
            .collect::<Vec<_>>()
    };
    let steps = (0.5 / h).round() as usize;
    let mut minimal = VariationalIntegrator::new(model);
    minimal.start(0.0, &q, v).unwrap();
    (0..steps).for_each(|_| minimal.step(h).unwrap());
    let mut found = hinges(minimal.configuration());
    let has_massless = model.joints()[1..].iter().any(|j| j.inertia.mass == 0.0);
    if way <= 1.0 && !has_massless {
        let mut maximal = MaximalVariationalIntegrator::new(model).unwrap();
        maximal.start(0.0, &q, v).unwrap();
        (0..steps).for_each(|_| maximal.step(h).unwrap());
        found.extend(hinges(maximal.configuration()));
    }
    found
}

#[test]
fn what_bases_carry_moves_the_same_at_any_speed() {
    for (model, slow, direction) in far_going() {
        for (h, speed) in [(1e-2, 1e3), (1e-3, 1e3), (1e-3, 1e4), (1e-4, 1e4)] {
            let fast: Vec<f64> = (slow.iter().zip(&direction))
                .map(|(slow, along)| slow + speed * along)
                .collect();
            let way = speed * h;
            let (still, moved) = (
                hinges_after(&model, &slow, h, way),
                hinges_after(&model, &fast, h, way),
            );
            for (still, moved) in still.iter().zip(&moved) {
                let worst = (still - moved).abs();
                // Rounding of the way that a step takes, times the momentum.
                let bound = 1e-9 * speed * speed * h;
                assert!(
                    worst < bound,
                    "{} at {speed:e} m/s, {h} s: {worst:e}",
                    model.name()
                );
            }
        }
    }
}

/// A base that floats and a link on a hinge, of masses that need not be alike.
fn unequal(base: f64, link: f64) -> Model {
    let mut builder = ModelBuilder::new("unequal");
    let joint = JointSpec::new("base", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
    let joint = builder.add_joint(joint);
    let moment = Sym3::diagonal(Vec3::new(0.01, 0.01, 0.01) * base);
    let body = Inertia::new(base, Vec3::zero(), moment);
    builder.add_body(joint, "body", Se3::identity(), body);
    let hinge = builder.add_joint(JointSpec::new("hinge", joint, JointKind::revolute_y()));
    let moment = Sym3::diagonal(Vec3::new(0.01, 0.012, 0.008) * link);
    let arm = Inertia::new(link, Vec3::new(0.1, 0.0, -0.5), moment);
    builder.add_body(hinge, "arm", Se3::identity(), arm);
    builder.build().unwrap().model
}

#[test]
fn light_and_heavy_bodies_move_each_other_as_they_should() {
    for ratio in [1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6] {
        for (base, link) in [(1.0, ratio), (ratio, 1.0)] {
            let model = unequal(base, link);
            let (q, v) = (model.neutral_configuration(), vec![0.5; 7]);
            let (mut t, mut there, mut expected) = (0.0, q.clone(), v.clone());
            let mut method = DormandPrince::new(&model, Tolerance::of(1e-12)).unwrap();
            let go_on = |_: &mut DenseOutput<'_>| Ok(ControlFlow::Continue(()));
            let mut field = ForwardDynamics::new(&model);
            method
                .integrate(&mut field, &mut t, &mut there, &mut expected, 0.5, go_on)
                .unwrap();
            let mut minimal = VariationalIntegrator::new(&model);
            let mut maximal = MaximalVariationalIntegrator::new(&model).unwrap();
            minimal.start(0.0, &q, &v).unwrap();
            maximal.start(0.0, &q, &v).unwrap();
            for _ in 0..500 {
                minimal.step(1e-3).unwrap();
                maximal.step(1e-3).unwrap();
            }
            for found in [minimal.velocity().unwrap(), maximal.velocity().unwrap()] {
                for (found, expected) in found.iter().zip(&expected) {
                    // Of second order: 1e-6 times third derivatives of size one.
                    let error = (found - expected).abs();
                    assert!(error < 3e-6, "{base:e} kg and {link:e} kg: {error:e}");
                }
            }
        }
    }
}
