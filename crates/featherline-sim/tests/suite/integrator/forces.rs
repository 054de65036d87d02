//! The force models.

use super::robots::{every_kind, pendulum};
use crate::common::{State as Sample, external_forces, models};
use featherline::Workspace;
use featherline::dynamics::DynamicsOptions;
use featherline::joint::JointKind;
use featherline::model::{JointSpec, Limits, ModelBuilder};
use featherline::spatial::{Force, Inertia, Quaternion, Se3, Sym3, Vec3};
use featherline_sim::integrator::forces::{
    self, BodyForces, Bumper, ForceModel, JointLimits, JointTorques, Loads, State, TorqueFunction,
};
use featherline_sim::integrator::{ForwardDynamics, RungeKutta4, Stepper, VectorField};

/// The joint forces of a law.
fn joint_forces(law: &mut impl ForceModel, (q, v): (&[f64], &[f64]), bodies: usize) -> Vec<f64> {
    let mut tau = vec![0.0; v.len()];
    let mut bodies = vec![Force::zero(); bodies];
    let mut loads = Loads {
        tau: &mut tau,
        bodies: &mut bodies,
    };
    law.add(&State { t: 0.0, q, v }, &mut loads).unwrap();
    tau
}

#[test]
fn passive_laws_are_the_models_passive_forces() {
    for (model, seed) in models() {
        let s = Sample::random(&model, seed);
        let mut ws = Workspace::new(&model);
        let expected = model.passive_forces(&mut ws, &s.q, &s.v).unwrap();
        // So quick a transition is Coulomb's law at all but the least speeds.
        let mut laws = forces::passive(&model, 1e-9).unwrap();
        let found = joint_forces(&mut laws, (&s.q, &s.v), model.joints().len());
        for (x, y) in found.iter().zip(expected) {
            // The order of summation differs; forces are below some hundred.
            assert!((x - y).abs() < 1e-11, "{x} {y}");
        }
    }
}

#[test]
fn friction_is_smooth_about_rest() {
    let mut builder = ModelBuilder::new("slider");
    let slide = JointSpec::new("slide", ModelBuilder::UNIVERSE, JointKind::prismatic_x());
    builder.add_joint(slide.friction(3.0));
    let model = builder.build().unwrap().model;
    let mut law = forces::DryFriction::new(&model, 0.01).unwrap();
    let mut at = |v: f64| joint_forces(&mut law, (&[0.0], &[v]), 2)[0];
    assert_eq!(at(0.0), 0.0);
    // The slope at rest is f/w; far from it the force is f.
    assert!((at(1e-6) + 3.0 * 1e-4).abs() < 1e-9);
    assert!((at(100.0) + 3.0).abs() < 1e-7 && (at(-100.0) - 3.0).abs() < 1e-7);
    assert!(forces::DryFriction::new(&model, 0.0).is_err());
}

#[test]
fn a_field_is_forward_dynamics_under_its_laws() {
    for (model, seed) in models() {
        let s = Sample::random(&model, seed);
        let bodies = external_forces(&model);
        let laws = (
            JointTorques::new(s.tau.clone()),
            TorqueFunction::new(|t: f64, _: &[f64], v: &[f64], tau: &mut [f64]| {
                for k in 0..v.len() {
                    tau[k] += t * v[k];
                }
            }),
            BodyForces::new(bodies.clone()),
        );
        let mut field = ForwardDynamics::with_forces(&model, laws);
        let mut found = vec![0.0; model.nv()];
        field.acceleration(0.5, &s.q, &s.v, &mut found).unwrap();
        let total: Vec<f64> = s
            .tau
            .iter()
            .zip(&s.v)
            .map(|(tau, v)| tau + 0.5 * v)
            .collect();
        let mut ws = Workspace::new(&model);
        let expected = model
            .forward_dynamics(
                &mut ws,
                &s.q,
                &s.v,
                &total,
                DynamicsOptions::default()
                    .without_passive_forces()
                    .with_forces(&bodies),
            )
            .unwrap();
        assert_eq!(found, expected);
    }
}

#[test]
fn limits_push_back_and_never_pull() {
    let mut builder = ModelBuilder::new("limited");
    let mut limits = Limits::unbounded(1, 1);
    (limits.lower[0], limits.upper[0]) = (-1.0, 2.0);
    let hinge = JointSpec::new("hinge", ModelBuilder::UNIVERSE, JointKind::revolute_y());
    let hinge = builder.add_joint(hinge.limits(limits));
    let mut mimic_limits = Limits::unbounded(1, 1);
    mimic_limits.upper[0] = 0.5;
    let slide = JointSpec::new("slide", ModelBuilder::UNIVERSE, JointKind::prismatic_x());
    let slide = builder.add_joint(slide.limits(mimic_limits));
    builder.mimic(slide, hinge, -2.0, 0.0);
    let model = builder.build().unwrap().model;
    let bumper = Bumper {
        stiffness: 100.0,
        damping: 5.0,
        depth: 0.01,
    };
    let mut law = JointLimits::new(&model, bumper).unwrap();
    let mut at = |q: f64, v: f64| joint_forces(&mut law, (&[q], &[v]), 3)[0];
    for q in [-0.2, 0.0, 1.0, 2.0] {
        assert_eq!(at(q, 3.0), 0.0);
        assert_eq!(at(q, -3.0), 0.0);
    }
    // s k x with x = 0.01 beyond, where s is one half; damping on the way in, less on the way out,
    // none where it would pull.
    assert!((at(2.01, 0.0) + 0.5).abs() < 1e-12);
    assert!((at(2.01, 0.1) + 0.75).abs() < 1e-12);
    assert!((at(2.01, -0.1) + 0.25).abs() < 1e-12);
    assert_eq!(at(2.01, -1.0), 0.0);
    // The mimic joint, at −2 q, is 0.1 beyond its own limit at q = −0.3, and the mimicked joint
    // feels twice the force.
    let expected = 0.1 / 0.11 * 100.0 * 0.1;
    assert!((at(-0.3, 0.0) - 2.0 * expected).abs() < 1e-9);
}

#[test]
fn limits_suit_what_a_joint_moves() {
    // A block of 2 kg on a slider, and one of 1 kg on a second slider that moves at three times
    // the way.
    let mut builder = ModelBuilder::new("blocks");
    let block =
        |mass: f64| Inertia::new(mass, Vec3::zero(), Sym3::diagonal(Vec3::new(1.0, 1.0, 1.0)));
    let mut limits = Limits::unbounded(1, 1);
    limits.upper[0] = 1.0;
    let slider = |name| JointSpec::new(name, ModelBuilder::UNIVERSE, JointKind::prismatic_x());
    let first = builder.add_joint(slider("first").limits(limits.clone()));
    builder.add_body(first, "first_block", Se3::identity(), block(2.0));
    limits.upper[0] = 6.0;
    let second = builder.add_joint(slider("second").limits(limits));
    builder.add_body(second, "second_block", Se3::identity(), block(1.0));
    builder.mimic(second, first, 3.0, 0.0);
    let model = builder.build().unwrap().model;
    let (time, depth) = (0.02, 1e-3);
    let mut law = JointLimits::critical(&model, &[0.0], time, depth).unwrap();
    // They weigh 2 + 9 kg together, and seen from the second 11/9 kg.
    let mut at = |q: f64, v: f64| joint_forces(&mut law, (&[q], &[v]), 3)[0];
    let push = |mass: f64, x: f64, v: f64| -> f64 {
        x / (x + depth) * mass * (x / (time * time) + 2.0 * v / time)
    };
    let first = |x: f64, v: f64| push(11.0, x, v);
    let (found, expected) = (at(1.01, 0.3), -first(0.01, 0.3));
    assert!(
        (found - expected).abs() < 1e-9 * expected.abs(),
        "{found} {expected}"
    );
    let second = 3.0 * push(11.0 / 9.0, 3.0 * 2.01 - 6.0, 3.0 * 0.3);
    let (found, expected) = (at(2.01, 0.3), -first(1.01, 0.3) - second);
    assert!(
        (found - expected).abs() < 1e-9 * expected.abs(),
        "{found} {expected}"
    );
    for (time, depth) in [(0.0, 1.0), (1.0, -1.0), (f64::NAN, 1.0)] {
        assert!(JointLimits::critical(&model, &[0.0], time, depth).is_err());
    }
    assert!(JointLimits::critical(&model, &[0.0, 0.0], 1.0, 1.0).is_err());
}

#[test]
fn limits_of_positions_push_in_the_input_frame() {
    for kind in [JointKind::FreeFlyer, JointKind::Planar] {
        let mut builder = ModelBuilder::new("floor");
        let mut limits = Limits::unbounded(kind.nq(), kind.nv());
        limits.lower[1] = 0.0;
        let base = JointSpec::new("base", ModelBuilder::UNIVERSE, kind.clone());
        builder.add_joint(base.limits(limits));
        let model = builder.build().unwrap().model;
        let bumper = Bumper {
            stiffness: 1000.0,
            damping: 10.0,
            depth: 0.001,
        };
        let mut law = JointLimits::new(&model, bumper).unwrap();
        let turn = Quaternion::from_axis_angle(Vec3::unit(2), 0.7);
        let (sin, cos) = 0.7_f64.sin_cos();
        let q = if let JointKind::Planar = kind {
            vec![0.3, -0.01, cos, sin]
        } else {
            [&[0.3, -0.01, 5.0][..], &turn.to_array()].concat()
        };
        // It falls at 2 m/s in the world, as the turned frame sees it.
        let falling = turn.conjugate().rotate(Vec3::new(0.0, -2.0, 0.0));
        let mut v = vec![0.0; model.nv()];
        (v[0], v[1]) = (falling.x, falling.y);
        let tau = joint_forces(&mut law, (&q, &v), 2);
        let push = turn.rotate(Vec3::new(tau[0], tau[1], 0.0));
        let expected = 0.01 / 0.011 * (1000.0 * 0.01 + 10.0 * 2.0);
        assert!(
            push.x.abs() < 1e-12 && (push.y - expected).abs() < 1e-9,
            "{kind:?}"
        );
    }
}

#[test]
fn a_limit_returns_what_it_does_not_damp() {
    // A slider that hits an end stop without damping comes back as fast as it came.
    let mut builder = ModelBuilder::new("slider");
    let mut limits = Limits::unbounded(1, 1);
    limits.upper[0] = 1.0;
    let slide = JointSpec::new("slide", ModelBuilder::UNIVERSE, JointKind::prismatic_x());
    let slide = builder.add_joint(slide.limits(limits));
    let block = Inertia::new(2.0, Vec3::zero(), Sym3::diagonal(Vec3::new(1.0, 1.0, 1.0)));
    builder.add_body(slide, "block", Se3::identity(), block);
    let model = builder.build().unwrap().model;
    for (damping, returned) in [(0.0, 1.0), (50.0, 0.9)] {
        let bumper = Bumper {
            stiffness: 1e4,
            damping,
            depth: 1e-3,
        };
        let law = JointLimits::new(&model, bumper).unwrap();
        let mut field = ForwardDynamics::with_forces(&model, law);
        let mut stepper = RungeKutta4::new(&model);
        let (mut q, mut v) = ([0.9], [1.0]);
        let mut deepest = 0.0_f64;
        for k in 0..20_000 {
            stepper
                .step(&mut field, 1e-5 * k as f64, &mut q, &mut v, 1e-5)
                .unwrap();
            deepest = deepest.max(q[0] - 1.0);
        }
        assert!(q[0] < 1.0 && deepest > 1e-3);
        if damping == 0.0 {
            assert!((v[0] + returned).abs() < 1e-6, "{v:?}");
        } else {
            assert!(v[0] < 0.0 && -v[0] < returned, "{v:?}");
        }
    }
}

#[test]
fn springs_and_gravity_keep_the_energy() {
    let model = pendulum();
    // A spring of 3 N·m/rad on the hinge: E = ½ k q² more than the robot's own.
    let mut builder = ModelBuilder::new("sprung");
    let hinge = JointSpec::new("hinge", ModelBuilder::UNIVERSE, JointKind::revolute_y());
    let hinge = builder.add_joint(hinge.stiffness(3.0));
    builder.add_body(hinge, "rod", Se3::identity(), model.joints()[1].inertia);
    let model = builder.build().unwrap().model;
    let mut field = ForwardDynamics::with_forces(&model, forces::Springs::new(&model));
    let mut ws = Workspace::new(&model);
    let (mut q, mut v) = ([1.0], [0.5]);
    let mut energy =
        |q: &[f64], v: &[f64]| model.mechanical_energy(&mut ws, q, v).unwrap() + 1.5 * q[0] * q[0];
    let before = energy(&q, &v);
    let mut stepper = RungeKutta4::new(&model);
    for k in 0..1000 {
        stepper
            .step(&mut field, 1e-3 * k as f64, &mut q, &mut v, 1e-3)
            .unwrap();
    }
    assert!((energy(&q, &v) - before).abs() < 1e-11);
}

#[test]
fn nothing_says_so() {
    let model = pendulum();
    assert!(().is_nothing());
    assert!(forces::passive(&model, 1e-3).unwrap().is_nothing());
    assert!(!(JointTorques::new([0.0]), ()).is_nothing());
    let bumper = Bumper {
        stiffness: 1.0,
        damping: 0.0,
        depth: 0.1,
    };
    assert!(
        JointLimits::new(&every_kind(true), bumper)
            .unwrap()
            .is_nothing()
    );
    assert!(((), BodyForces::new([])).acts_on_bodies() && !((), ()).acts_on_bodies());
}
