//! Regressors times the dynamic parameters against the quantities themselves.

use crate::common::{State, close, models};
use featherline::dynamics::DynamicsOptions;
use featherline::joint::JointKind;
use featherline::kinematics::ReferenceFrame;
use featherline::model::{Joint, JointSpec, ModelBuilder};
use featherline::random::{RandomSource, SplitMix64};
use featherline::regressor::drive_regressor_into;
use featherline::spatial::{DynamicParameters, Force, Inertia, Se3, Vec3, exp3};
use featherline::{Workspace, samples};
use nalgebra::{DMatrix, DVector, SVector};

/// Rounding of some hundred operations, relative to the greatest entry.
const TOLERANCE: f64 = 1e-11;

#[test]
fn joint_forces_and_momenta_are_linear_in_the_parameters() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let nv = model.nv();
        let parameters = DVector::from(model.dynamic_parameters());
        let armature: Vec<f64> = (0..nv)
            .map(|k| {
                let mut unit = vec![0.0; nv];
                unit[k] = 1.0;
                let mass = model.crba(&mut ws, &s.q).unwrap()[(k, k)];
                let mut y = DMatrix::zeros(nv, parameters.len());
                let momentum = model.joint_momentum_regressor_into(&mut ws, &s.q, &unit, &mut y);
                momentum.unwrap();
                mass - (y * &parameters)[k]
            })
            .collect();
        let mut y = DMatrix::from_element(nv, parameters.len(), f64::NAN);
        let (q, v, a) = (&s.q, &s.v, &s.a);
        model
            .joint_torque_regressor_into(&mut ws, q, v, a, &mut y)
            .unwrap();
        let mut drives = DMatrix::zeros(nv, 3 * nv);
        drive_regressor_into(v, a, &mut drives).unwrap();
        let found = &y * &parameters + drives.columns(0, nv) * DVector::from(armature.clone());
        let tau = model.rnea(&mut ws, q, v, a).unwrap();
        close("τ", found.as_slice(), tau, TOLERANCE);

        model
            .gravity_torque_regressor_into(&mut ws, q, &mut y)
            .unwrap();
        let gravity = model.gravity_torque(&mut ws, q).unwrap();
        close("g", (&y * &parameters).as_slice(), gravity, TOLERANCE);

        model
            .joint_momentum_regressor_into(&mut ws, q, v, &mut y)
            .unwrap();
        let momentum = model.crba(&mut ws, q).unwrap() * DVector::from_column_slice(v);
        let drives = drives.columns(nv, nv) * DVector::from(armature);
        let found = &y * &parameters + drives;
        close("M v", found.as_slice(), momentum.as_slice(), TOLERANCE);
    }
}

#[test]
fn energies_are_linear_in_the_parameters() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let parameters = model.dynamic_parameters();
        let mut y = vec![f64::NAN; parameters.len()];
        let product = |y: &[f64]| y.iter().zip(&parameters).map(|(y, p)| y * p).sum::<f64>();
        model
            .potential_energy_regressor_into(&mut ws, &s.q, &mut y)
            .unwrap();
        let energy = model.potential_energy(&mut ws, &s.q).unwrap();
        close("V", &[product(&y)], &[energy], TOLERANCE);
        model
            .kinetic_energy_regressor_into(&mut ws, &s.q, &s.v, &mut y)
            .unwrap();
        let moved = model.forward_kinematics_velocities(&mut ws, &s.q, &s.v);
        let moved = moved.unwrap();
        let energy: f64 = model.joints()[1..]
            .iter()
            .map(|joint| {
                let id = model.joint_id(&joint.name).unwrap();
                let velocity = moved.velocity(id, ReferenceFrame::Local);
                let momentum = joint.inertia.to_parameters().mul_motion(&velocity);
                0.5 * velocity.dot(&momentum)
            })
            .sum();
        close("T", &[product(&y)], &[energy], TOLERANCE);
    }
}

#[test]
fn the_regressor_of_one_body_gives_its_force() {
    for (model, seed) in models().into_iter().take(20) {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let joint = model.joints().last().unwrap();
        let id = model.joint_id(&joint.name).unwrap();
        let y = model.joint_body_regressor(&mut ws, &s.q, &s.v, &s.a, id);
        let body: DynamicParameters<f64> = joint.inertia.to_parameters();
        let found = y.unwrap() * SVector::from(body.to_array());
        // The last joint carries nothing else: its transmitted force is this one.
        let mut transmitted = vec![Force::zero(); model.joints().len()];
        let options = DynamicsOptions::default();
        model
            .transmitted_forces(&mut ws, &s.q, &s.v, &s.a, options, &mut transmitted)
            .unwrap();
        let transmitted = transmitted.last().unwrap().to_array();
        close("f", found.as_slice(), &transmitted, TOLERANCE);
    }
}

#[test]
fn base_parameters_give_the_same_torques_and_none_is_superfluous() {
    for (model, seed) in models().into_iter().step_by(6) {
        let mut ws = Workspace::new(&model);
        let base = model.base_parameters().unwrap();
        let parameters = DVector::from(model.dynamic_parameters());
        let (nv, states) = (model.nv(), 2 * base.len() / model.nv() + 2);
        let mut stacked = DMatrix::zeros(states * nv, base.len());
        for state in 0..states {
            // Other states than those that the basis was found from.
            let s = State::random(&model, seed + 100 * state as u64);
            let mut y = DMatrix::zeros(nv, parameters.len());
            model
                .joint_torque_regressor_into(&mut ws, &s.q, &s.v, &s.a, &mut y)
                .unwrap();
            let selected = base.select(&y);
            let found = &selected * base.values(parameters.as_slice());
            let expected = &y * &parameters;
            close("τ", found.as_slice(), expected.as_slice(), 1e-9);
            stacked.rows_mut(state * nv, nv).copy_from(&selected);
        }
        // Each column has a part of its own.
        let scaled = DMatrix::from_columns(
            &stacked
                .column_iter()
                .map(|c| c.normalize())
                .collect::<Vec<_>>(),
        );
        assert!(scaled.singular_values().min() > 1e-7, "seed {seed}");
    }
}

/// Seven for each revolute joint, less four for the first and two more where gravity is along it
/// (H. Mayeda, K. Yoshida and K. Osuka, *Base parameters of manipulator dynamic models*, 1990).
#[test]
fn a_robot_without_joints_has_no_base_parameters() {
    let model = ModelBuilder::new("stone").build().unwrap().model;
    let base = model.base_parameters().unwrap();
    assert_eq!((base.len(), base.map.shape()), (0, (0, 0)));
}

#[test]
fn arms_have_the_base_parameters_that_the_formula_counts() {
    let count = |model: featherline::Model| model.base_parameters().unwrap().len();
    assert_eq!(count(featherline_robots::ur5()), 7 * 6 - 4 - 2);
    assert_eq!(count(featherline_robots::panda()), 7 * 7 - 4 - 2);
    // In a plane: a moment and two components of the first moment for each rod.
    assert_eq!(count(samples::double_pendulum()), 6);
}

/// A tree of joints with constant motion subspaces: general ones, or with axes and placements as
/// arms have them, parallel, perpendicular and meeting.
fn plain_tree(seed: u64) -> featherline::Model {
    let mut random = SplitMix64::new(seed);
    let mut pick = |count: usize| (random.uniform() * count as f64) as usize;
    let is_general = seed.is_multiple_of(3);
    let mut builder = ModelBuilder::new(format!("plain_{seed}"));
    let mut handles = vec![ModelBuilder::UNIVERSE];
    let joints = 2 + pick(6);
    for i in 0..joints {
        let vector = |pick: &mut dyn FnMut(usize) -> usize| {
            if is_general {
                let mut entry = || pick(1000) as f64 / 500.0 - 1.0;
                return Vec3::new(entry(), entry(), entry() + 0.01);
            }
            Vec3::unit(pick(3)) * if pick(2) == 0 { 1.0 } else { -1.0 }
        };
        let axis = vector(&mut pick);
        let kind = match pick(14) {
            0..6 => JointKind::revolute(axis),
            6 => JointKind::RevoluteUnbounded {
                axis: axis.normalised(),
            },
            7 | 8 => JointKind::prismatic(axis),
            9 => JointKind::helical(axis, 0.1),
            10 => JointKind::cylindrical(axis),
            11 => JointKind::Spherical,
            12 if i == 0 => JointKind::FreeFlyer,
            12 => JointKind::Planar,
            _ => JointKind::Fixed,
        };
        let parent = match pick(4) {
            0 => handles[pick(i + 1)],
            _ => handles[i],
        };
        let (about, offset) = (vector(&mut pick), vector(&mut pick));
        let angle = match is_general {
            true => pick(1000) as f64 / 300.0,
            false => pick(4) as f64 * std::f64::consts::FRAC_PI_2,
        };
        let offset = offset * (0.3 * pick(2) as f64);
        let placement = Se3::new(exp3(about.normalised() * angle), offset);
        let spec = JointSpec::new(format!("joint_{i}"), parent, kind).placement(placement);
        let joint = builder.add_joint(spec);
        let box_ = Inertia::cuboid(1.0 + pick(9) as f64, Vec3::new(0.1, 0.2, 0.3));
        builder.add_body(joint, format!("body_{i}"), Se3::identity(), box_);
        handles.push(joint);
    }
    builder.build().expect("a sound model").model
}

/// Both find the basis that prefers the first columns, which is unique, and so is its map.
#[test]
fn base_parameters_by_structure_are_those_of_sampled_regressors() {
    let mut models: Vec<_> = (0..40).map(plain_tree).collect();
    models.extend([featherline_robots::ur5(), featherline_robots::panda()]);
    models.extend([featherline_robots::quadruped(), samples::double_pendulum()]);
    for model in models {
        if model.nv() == 0 {
            continue;
        }
        let sampled = model.base_parameters().unwrap();
        let structural = model.structural_base_parameters().expect("plain joints");
        assert_eq!(structural.columns, sampled.columns, "{}", model.name());
        // Rounding times the condition number of sampled regressors: 6e-9 at most, of a general
        // tree.
        let error = (&structural.map - &sampled.map).amax();
        assert!(error < 1e-7, "{}: {error:e}", model.name());
    }
}

#[test]
fn base_parameters_have_no_structure_where_joints_mimic_or_subspaces_vary() {
    for (model, _) in models() {
        let is_plain = |j: &Joint| j.mimic.is_none() && j.kind.has_constant_subspace();
        let expected = model.joints().iter().all(is_plain);
        assert_eq!(model.structural_base_parameters().is_some(), expected);
    }
}
