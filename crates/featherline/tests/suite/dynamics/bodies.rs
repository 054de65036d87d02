//! Transmitted forces and articulated inertias, against sums over subtrees and the mass matrix.

use crate::common::{State, close, external_forces, models};
use featherline::dynamics::DynamicsOptions;
use featherline::joint::JointKind;
use featherline::kinematics::ReferenceFrame;
use featherline::spatial::{ArticulatedInertia, Force, Motion, Vec3};
use featherline::{Error, Workspace, samples};

/// Some hundred operations, relative to the greatest entry.
const TOLERANCE: f64 = 1e-11;

#[test]
fn joints_transmit_what_the_bodies_beyond_them_need() {
    for (model, seed) in models() {
        let (mut ws, mut other) = (Workspace::new(&model), Workspace::new(&model));
        let s = State::random(&model, seed);
        let count = model.joints().len();
        let external = external_forces(&model);
        let options = DynamicsOptions::default().with_forces(&external);
        let mut forces = vec![Force::zero(); count];
        model
            .transmitted_forces(&mut ws, &s.q, &s.v, &s.a, options, &mut forces)
            .unwrap();
        let view = model
            .forward_kinematics_accelerations(&mut other, &s.q, &s.v, &s.a)
            .unwrap();
        // Newton and Euler for each body, carried to each joint before it in the world's axes.
        let mut needed = vec![Force::zero(); count];
        for id in model.joint_ids() {
            let (joint, placement) = (model.joint(id), view.placement(id));
            let v = view.velocity(id, ReferenceFrame::Local);
            let mut a = view.acceleration(id, ReferenceFrame::Local);
            let weight = placement.rotation.tr_mul_vec(model.gravity());
            a = a - Motion::new(weight, Vec3::zero());
            let own = joint.inertia.newton_euler(&v, &a) - external[id.index()];
            let in_world = placement.act_force(&own);
            let mut before = id;
            while before.index() != 0 {
                needed[before.index()] += in_world;
                before = model.joint(before).parent;
            }
        }
        for id in model.joint_ids() {
            let expected = view.placement(id).inverse_act_force(&needed[id.index()]);
            close(
                &model.joint(id).name,
                &forces[id.index()].to_array(),
                &expected.to_array(),
                TOLERANCE,
            );
        }
    }
}

#[test]
fn the_articulated_inertia_of_a_free_base_is_the_schur_complement_of_the_mass_matrix() {
    let mut checked = 0;
    for (model, seed) in models().into_iter().chain([(samples::humanoid(), 5)]) {
        let joints = model.joints();
        let is_free = joints[1].kind == JointKind::FreeFlyer && model.nv() > 6;
        if !is_free || joints.iter().any(|joint| joint.mimic.is_some()) {
            continue;
        }
        checked += 1;
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let mut inertias = vec![ArticulatedInertia::zero(); joints.len()];
        model
            .articulated_inertias(&mut ws, &s.q, &mut inertias)
            .unwrap();
        let m = model.crba(&mut ws, &s.q).unwrap().clone();
        let rest = m.nrows() - 6;
        let inner = m.view((6, 6), (rest, rest)).into_owned();
        let across = m.view((6, 0), (rest, 6)).into_owned();
        let solved = inner.cholesky().unwrap().solve(&across);
        let mut expected = m.view((0, 0), (6, 6)) - across.transpose() * solved;
        for degree in 0..6 {
            // The base's own drives are felt by its coordinates, not by its body.
            expected[(degree, degree)] -= joints[1].drive.reflected_inertia(degree);
        }
        for (row, found) in inertias[1].to_matrix().iter().enumerate() {
            let expected: Vec<f64> = expected.row(row).iter().copied().collect();
            close("Iᴬ", found, &expected, TOLERANCE);
        }
    }
    assert!(checked > 5, "{checked}");
}

#[test]
fn wrong_lengths_are_errors() {
    let model = samples::double_pendulum();
    let (mut ws, zero) = (Workspace::new(&model), [0.0; 2]);
    let mut forces = [Force::zero(); 2];
    let options = DynamicsOptions::default();
    let told = model.transmitted_forces(&mut ws, &zero, &zero, &zero, options, &mut forces);
    let size = |what| Error::Size {
        what,
        expected: 3,
        found: 2,
    };
    assert_eq!(told, Err(size("forces")));
    let mut inertias = [ArticulatedInertia::zero(); 2];
    let told = model.articulated_inertias(&mut ws, &zero, &mut inertias);
    assert_eq!(told, Err(size("inertias")));
}
