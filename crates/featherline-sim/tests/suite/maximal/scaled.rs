//! Loops of any size: the same linkages smaller and larger, lighter and heavier, and loops of which
//! parts differ as much.

use featherline::kinematics::ReferenceFrame;
use featherline::model::{JointHandle, JointSpec, ModelBuilder};
use featherline::samples::{RandomTree, random_loops};
use featherline::spatial::{Inertia, Motion, Se3};
use featherline::{Model, Workspace, samples};
use featherline_constraint::{LoopWorkspace, Stabilisation};
use featherline_constraint::{assemble, loop_dynamics, project_velocity};
use featherline_sim::maximal::maximal_dynamics;
use featherline_sim::maximal::{MaximalState, MaximalWorkspace};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A model in other units: lengths times `s`, gravity with them, masses times `k`. Angles and times
/// stay what they are.
fn scaled(model: &Model, s: f64, k: f64) -> Model {
    let place = |frame: &Se3<f64>| Se3::new(frame.rotation, frame.translation * s);
    let mut builder = ModelBuilder::new(model.name());
    builder.gravity(model.gravity() * s);
    let mut handles = vec![ModelBuilder::UNIVERSE];
    for joint in &model.joints()[1..] {
        assert!((0..joint.nv).all(|degree| joint.drive.reflected_inertia(degree) == 0.0));
        let parent = handles[joint.parent.index()];
        let spec = JointSpec::new(&joint.name, parent, joint.kind.clone());
        let handle = builder.add_joint(spec.placement(place(&joint.placement)));
        let Inertia {
            mass,
            com,
            rotational,
        } = joint.inertia;
        let inertia = Inertia::new(k * mass, com * s, rotational * (k * s * s));
        builder.add_body(
            handle,
            format!("{}_body", joint.name),
            Se3::identity(),
            inertia,
        );
        handles.push(handle);
    }
    for joint in model.loop_joints() {
        let end = |body: usize, frame: &Se3<f64>| -> (JointHandle, Se3<f64>) {
            (handles[body], place(frame))
        };
        let from = end(joint.predecessor.index(), &joint.predecessor_placement);
        let to = end(joint.successor.index(), &joint.successor_placement);
        builder.close_loop(&joint.name, joint.kind.clone(), from, to);
    }
    builder.build().unwrap().model
}

/// The accelerations of the bodies in a state of the original.
fn accelerations(model: &Model, s: f64, q: &[f64], v: &[f64]) -> Vec<Motion<f64>> {
    let (mut q, mut v) = (q.to_vec(), v.to_vec());
    for joint in &model.joints()[1..] {
        // How many coordinates are lengths, of the joints of these linkages.
        let lengths = (0..joint.kind.nv())
            .filter(|&k| joint.kind.is_translation(k))
            .count();
        let (q, v) = (&mut q[joint.idx_q..], &mut v[joint.idx_v..]);
        q[..lengths].iter_mut().for_each(|x| *x *= s);
        v[..lengths].iter_mut().for_each(|x| *x *= s);
    }
    let state = MaximalState::from_joints(model, &mut Workspace::new(model), &q, &v).unwrap();
    let mut ws = MaximalWorkspace::new(model).unwrap();
    let tau = vec![0.0; model.nv()];
    let found = maximal_dynamics(model, &mut ws, &state, &tau, &[]).unwrap();
    found.accelerations.to_vec()
}

#[test]
fn accelerations_do_not_depend_on_units() {
    for model in [samples::four_bar(), samples::stewart(), samples::delta()] {
        let mut q = match model.reference_configurations().get("closed") {
            Some(closed) => closed.clone(),
            None => model.neutral_configuration(),
        };
        let mut ws = LoopWorkspace::new(&model).unwrap();
        let mut v: Vec<f64> = (0..model.nv()).map(|k| (1.3 * k as f64).cos()).collect();
        assemble(&model, &mut ws, &mut q).unwrap();
        project_velocity(&model, &mut ws, &q, &mut v).unwrap();
        let expected = accelerations(&model, 1.0, &q, &v);
        let most = |part: fn(&Motion<f64>) -> f64| expected.iter().map(part).fold(0.0, f64::max);
        let (linear, angular) = (most(|a| a.linear.norm()), most(|a| a.angular.norm()));
        for s in [1e-5, 1e-3, 1e-1, 1e2] {
            for k in [1e-6, 1.0, 1e3] {
                let found = accelerations(&scaled(&model, s, k), s, &q, &v);
                for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    let name = format!("{} body {i}, lengths {s:e}, masses {k:e}", model.name());
                    // Rounding of states, times conditions of some hundreds: 10⁻¹³, with room.
                    let error = (found.linear * (1.0 / s) - expected.linear).norm();
                    assert!(error < 1e-11 * linear, "{name}: {error:e} m/s²");
                    let error = (found.angular - expected.angular).norm();
                    assert!(error < 1e-11 * angular, "{name}: {error:e} rad/s²");
                }
            }
        }
    }
}

/// Two loops whose constraints, divided by the roots of what they answer, have singular values from
/// one to 3·10⁵: corrections that leave a part of each hardly touch the weakest. The other
/// independent check accelerates the joints of the tree.
#[test]
fn the_weakest_of_unlike_constraints_holds() {
    let shape = RandomTree {
        joints: 9,
        branching: 0.5,
        every_kind: true,
        mimic_joints: false,
        floating: true,
    };
    let model = random_loops(382, &shape, 2);
    let q = &model.reference_configurations()["closed"];
    let mut ws = LoopWorkspace::new(&model).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(382);
    let mut v: Vec<f64> = (0..model.nv())
        .map(|_| rng.random_range(-1.0..1.0))
        .collect();
    let tau: Vec<f64> = (0..model.nv())
        .map(|_| rng.random_range(-3.0..3.0))
        .collect();
    project_velocity(&model, &mut ws, q, &mut v).unwrap();
    let by_loops = loop_dynamics(&model, &mut ws, q, &v, &tau, &[], &Stabilisation::NONE).unwrap();
    assert!(by_loops.condition > 1e5 && by_loops.residual < 1e-12);
    let a = by_loops.accelerations.to_vec();
    let mut tree = Workspace::new(&model);
    let state = MaximalState::from_joints(&model, &mut tree, q, &v).unwrap();
    let mut maximal = MaximalWorkspace::new(&model).unwrap();
    let found = maximal_dynamics(&model, &mut maximal, &state, &tau, &[]).unwrap();
    // Rounding of 10⁻¹⁶ by the condition.
    assert!(found.residual < 1e-10, "{:e}", found.residual);
    let expected = model
        .forward_kinematics_accelerations(&mut tree, q, &v, &a)
        .unwrap();
    for joint in model.joint_ids() {
        let expected = expected.acceleration(joint, ReferenceFrame::Local);
        let error = found.accelerations[joint.index()] - expected;
        let error = error.linear.norm() + error.angular.norm();
        assert!(error < 1e-9, "{}: {error:e}", model.joint(joint).name);
    }
}
