//! A dense solution of the system is what the recursive algorithms give.

use crate::common::{State, close, robots, solve, trees};
use featherline::dynamics::DynamicsOptions;
use featherline::joint::JointKind;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::spatial::{Force, Inertia, Se3, Sym3, Vec3};
use featherline::{Model, Workspace};
use featherline_system::{Known, KnownValue, Problem, System, WrenchBasis};

/// Two methods round differently, and badly conditioned trees amplify it.
const TOLERANCE: f64 = 1e-9;

fn all() -> impl Iterator<Item = (Model, u64)> {
    trees().chain(robots().zip(100..))
}

#[test]
fn with_known_accelerations_it_is_inverse_dynamics() {
    for (model, seed) in all() {
        let state = State::random(&model, seed);
        let system = System::new(Problem::inverse_dynamics(model)).expect("a system");
        let x = solve(&system, &state.q, &state.v, &state.a);
        let model = system.model();
        let mut ws = Workspace::new(model);
        let tau = model
            .rnea(&mut ws, &state.q, &state.v, &state.a)
            .expect("valid");
        let solution = system.solution(&x).expect("sizes agree");
        close(model.name(), solution.joint_forces(), tau, TOLERANCE);
        close(
            model.name(),
            solution.joint_accelerations(),
            &state.a,
            1e-15,
        );
    }
}

#[test]
fn with_known_forces_it_is_forward_dynamics() {
    for (model, seed) in all() {
        let state = State::random(&model, seed);
        let mut ws = Workspace::new(&model);
        // A random tree may have a singular mass matrix, for which neither has an answer.
        let Ok(expected) = model.aba(&mut ws, &state.q, &state.v, &state.tau) else {
            continue;
        };
        let expected = expected.to_vec();
        let system = System::new(Problem::forward_dynamics(model)).expect("a system");
        let x = solve(&system, &state.q, &state.v, &state.tau);
        let found = system.solution(&x).expect("sizes agree");
        close("q̈", found.joint_accelerations(), &expected, TOLERANCE);
    }
}

#[test]
fn with_some_of_both_it_is_hybrid_dynamics() {
    for (model, seed) in all() {
        let state = State::random(&model, seed);
        let mut ws = Workspace::new(&model);
        let known: Vec<bool> = (0..model.nv())
            .map(|k| (k as u64 + seed).is_multiple_of(3))
            .collect();
        let values: Vec<f64> = (0..model.nv())
            .map(|k| if known[k] { state.a[k] } else { state.tau[k] })
            .collect();
        let options = DynamicsOptions::default().without_passive_forces();
        let Ok(hybrid) =
            model.hybrid_dynamics(&mut ws, &state.q, &state.v, &values, &known, options)
        else {
            continue;
        };
        let (accelerations, forces) = (hybrid.accelerations.to_vec(), hybrid.forces.to_vec());
        let mut problem = Problem::new(model.clone()).external_forces(KnownValue::Zero);
        let mut coordinates: Vec<_> = model
            .joint_ids()
            .flat_map(|joint| (0..model.joint(joint).nv).map(move |degree| (joint, degree)))
            .collect();
        coordinates.sort_by_key(|&(joint, degree)| model.joint(joint).idx_v + degree);
        for (k, &(joint, degree)) in coordinates.iter().enumerate() {
            let quantity = if known[k] {
                Known::JointAcceleration { joint, degree }
            } else {
                Known::JointForce { joint, degree }
            };
            problem
                .know(quantity, KnownValue::Input)
                .expect("its own coordinate");
        }
        let system = System::new(problem).expect("a system");
        let x = solve(&system, &state.q, &state.v, &values);
        let found = system.solution(&x).expect("sizes agree");
        close("q̈", found.joint_accelerations(), &accelerations, TOLERANCE);
        close("τ", found.joint_forces(), &forces, TOLERANCE);
    }
}

#[test]
fn external_forces_act_in_every_basis_alike() {
    for (model, seed) in all() {
        let state = State::random(&model, seed);
        let forces: Vec<Force<f64>> = (0..model.joints().len())
            .map(|i| {
                let x = i as f64;
                Force::new(
                    Vec3::new(x.sin(), x.cos(), 1.0),
                    Vec3::new(0.5, (2.0 * x).sin(), x.cos()),
                )
            })
            .collect();
        let mut ws = Workspace::new(&model);
        let expected = model
            .inverse_dynamics(
                &mut ws,
                &state.q,
                &state.v,
                &state.a,
                DynamicsOptions::default()
                    .without_passive_forces()
                    .with_forces(&forces),
            )
            .expect("valid")
            .to_vec();
        let mut inputs = state.a.clone();
        for force in &forces[1..] {
            inputs.extend(force.to_array());
        }
        let frame_of = |joint| {
            model
                .frame_ids()
                .find(|&frame| model.frame(frame).joint == joint)
                .map_or(WrenchBasis::Link, WrenchBasis::Frame)
        };
        for basis in 0..3 {
            let mut problem = Problem::new(model.clone())
                .joint_accelerations(KnownValue::Input)
                .external_forces(KnownValue::Input);
            for joint in model.joint_ids() {
                let basis = match basis {
                    0 => WrenchBasis::Link,
                    1 => frame_of(joint),
                    _ => WrenchBasis::World,
                };
                problem
                    .choose_basis(joint, basis)
                    .expect("the joint's own frame");
            }
            let system = System::new(problem).expect("a system");
            let x = solve(&system, &state.q, &state.v, &inputs);
            let found = system.solution(&x).expect("sizes agree");
            close("τ", found.joint_forces(), &expected, TOLERANCE);
            if basis < 2 {
                for (joint, force) in model.joint_ids().zip(&forces[1..]) {
                    let found = found.external_force(joint).to_array();
                    close("fˣ", &found, &force.to_array(), 1e-13);
                }
            }
        }
    }
}

#[test]
fn accelerations_are_those_of_the_kinematics_and_transmitted_forces_balance() {
    for (model, seed) in all() {
        let state = State::random(&model, seed);
        let system = System::new(Problem::inverse_dynamics(model)).expect("a system");
        let x = solve(&system, &state.q, &state.v, &state.a);
        let solution = system.solution(&x).expect("sizes agree");
        let model = system.model();
        let mut ws = Workspace::new(model);
        let kinematics = model
            .forward_kinematics_accelerations(&mut ws, &state.q, &state.v, &state.a)
            .expect("valid");
        for joint in model.joint_ids() {
            let local = featherline::kinematics::ReferenceFrame::Local;
            let mut expected = kinematics.acceleration(joint, local);
            let rotation = kinematics.placement(joint).rotation;
            expected.linear -= rotation.tr_mul_vec(model.gravity());
            let found = solution.acceleration(joint).to_array();
            close("a", &found, &expected.to_array(), TOLERANCE);
        }
        // The forces that the roots transmit, with gravity, equal the rate of the total momentum.
        let mut total = Force::zero();
        for joint in model.joint_ids().filter(|&j| model.parent(j).index() == 0) {
            let transmitted = solution.transmitted_force(joint);
            total += kinematics.placement(joint).act_force(&transmitted);
        }
        let mut rate = Force::zero();
        for joint in model.joint_ids() {
            let velocity =
                kinematics.velocity(joint, featherline::kinematics::ReferenceFrame::Local);
            let inertia = &model.joint(joint).inertia;
            let needed = inertia.newton_euler(&velocity, &solution.acceleration(joint));
            rate += kinematics.placement(joint).act_force(&needed);
        }
        close("balance", &total.to_array(), &rate.to_array(), TOLERANCE);
    }
}

#[test]
fn passive_forces_and_armature_count_as_in_the_core() {
    for (model, seed) in all() {
        let state = State::random(&model, seed);
        let problem = Problem::inverse_dynamics(model).with_passive_forces();
        let system = System::new(problem).expect("a system");
        let x = solve(&system, &state.q, &state.v, &state.a);
        let model = system.model();
        let mut ws = Workspace::new(model);
        let options = DynamicsOptions::default();
        let expected = model
            .inverse_dynamics(&mut ws, &state.q, &state.v, &state.a, options)
            .expect("valid");
        let solution = system.solution(&x).expect("sizes agree");
        close("τ", solution.joint_forces(), expected, TOLERANCE);
    }
}

#[test]
fn a_joint_without_motion_transmits_forces_all_the_same() {
    let inertia = Inertia::new(
        2.0,
        Vec3::new(0.0, 0.1, 0.2),
        Sym3::diagonal(Vec3::new(0.3, 0.4, 0.5)),
    );
    let mut builder = ModelBuilder::new("held");
    let hinge = builder.add_joint(JointSpec::new(
        "hinge",
        ModelBuilder::UNIVERSE,
        JointKind::revolute_x(),
    ));
    let held = JointSpec::new("held", hinge, JointKind::Fixed)
        .placement(Se3::from_translation(Vec3::new(0.1, 0.2, 0.3)));
    let held = builder.add_joint(held);
    builder.add_body(hinge, "carrier", Se3::identity(), inertia);
    builder.add_body(held, "load", Se3::identity(), inertia);
    let model = builder.build().expect("valid").model;
    let system = System::new(Problem::inverse_dynamics(model)).expect("a system");
    let x = solve(&system, &[0.0], &[0.0], &[0.0]);
    let joint = system.model().joint_id("held").expect("there is one");
    let force = system
        .solution(&x)
        .expect("sizes agree")
        .transmitted_force(joint);
    close(
        "weight",
        &force.to_array(),
        &[0.0, 0.0, 19.62, 1.962, 0.0, 0.0],
        1e-14,
    );
}
