//! Given contacts: frames that loop joints hold to the world.

use super::derivatives::compare;
use super::robots::Closed;
use featherline::joint::JointKind;
use featherline::model::ModelError;
use featherline::scalar::Dual;
use featherline::spatial::{Force, Vec3};
use featherline::{Error, Model, Workspace};
use featherline_constraint::{
    LoopError, LoopWorkspace, Stabilisation, loop_dynamics, loop_dynamics_derivatives,
    project_velocity, with_contacts,
};

const POINT_FEET: [&str; 4] = [
    "front_left_foot",
    "front_right_foot",
    "rear_left_foot",
    "rear_right_foot",
];

/// A robot on its feet in a bent posture, in a motion that keeps them where they are.
fn standing(model: &Model, kind: &JointKind, feet: &[&str]) -> Closed {
    let neutral: Vec<f64> = model.neutral_configuration();
    let bend: Vec<f64> = (0..model.nv())
        .map(|k| 0.3 * (1.0 + k as f64).sin())
        .collect();
    let q = model.integrate(&neutral, &bend).unwrap();
    let model = with_contacts(model, &q, kind, feet.iter().copied()).unwrap();
    let mut ws = LoopWorkspace::new(&model).unwrap();
    let mut v: Vec<f64> = (0..model.nv()).map(|k| (2.0 * k as f64).cos()).collect();
    project_velocity(&model, &mut ws, &q, &mut v).unwrap();
    assert!(v.iter().any(|v| v.abs() > 0.1), "it moves");
    let tau = (0..model.nv()).map(|k| (3.0 * k as f64).sin()).collect();
    Closed {
        model,
        ws,
        q,
        v,
        tau,
    }
}

fn robots() -> [Closed; 3] {
    let quadruped = featherline_robots::quadruped();
    [
        standing(&quadruped, &JointKind::Spherical, &POINT_FEET),
        // A trot: two feet on the ground.
        standing(
            &quadruped,
            &JointKind::Spherical,
            &[POINT_FEET[0], POINT_FEET[3]],
        ),
        standing(
            &featherline_robots::humanoid(),
            &JointKind::Fixed,
            &["left_sole", "right_sole"],
        ),
    ]
}

#[test]
fn derivatives_on_the_ground_are_those_of_whole_solutions() {
    for robot in robots() {
        compare(robot, &Stabilisation::NONE);
    }
}

/// The equations of motion with contact forces, τ = ID(q, v, q̈, F), differentiated in dual numbers
/// at the analytical dq̈ and dF.
#[test]
fn derivatives_satisfy_the_equations_of_motion_in_dual_numbers() {
    type D = Dual<f64, 1>;
    for mut robot in robots() {
        let Closed {
            model,
            ws,
            q,
            v,
            tau,
        } = &mut robot;
        let (n, none) = (model.nv(), Stabilisation::NONE);
        let found = loop_dynamics_derivatives(model, ws, q, v, tau, &[], &none).unwrap();
        let mut tree = Workspace::<D>::new(model);
        for k in 0..n {
            for by_q in [true, false] {
                let (da, df) = match by_q {
                    true => (found.dq, found.loop_forces_dq),
                    false => (found.dv, found.loop_forces_dv),
                };
                let seed = |on: bool, i: usize| f64::from(u8::from(on && i == k));
                let step: Vec<D> = (0..n).map(|i| D::new(0.0, [seed(by_q, i)])).collect();
                let fixed: Vec<D> = q.iter().map(|&q| D::fixed(q)).collect();
                let q = model.integrate(&fixed, &step).unwrap();
                let dual = |x: f64, dx: f64| D::new(x, [dx]);
                let v: Vec<D> = (0..n).map(|i| dual(v[i], seed(!by_q, i))).collect();
                let a = found.dynamics.accelerations;
                let a: Vec<D> = (0..n).map(|i| dual(a[i], da[(i, k)])).collect();
                let mut forces = vec![Force::<D>::zero(); model.joints().len()];
                for (l, closing) in model.loop_joints().iter().enumerate() {
                    let own = found.dynamics.loop_forces[l].to_array();
                    let force = std::array::from_fn(|r| dual(own[r], df[(6 * l + r, k)]));
                    let on_body = featherline::spatial::Se3::constant(&closing.successor_placement)
                        .act_force(&Force::from_array(force));
                    forces[closing.successor.index()] += on_body;
                }
                let options = featherline::dynamics::DynamicsOptions::default()
                    .without_passive_forces()
                    .with_forces(&forces);
                let needed = model
                    .inverse_dynamics(&mut tree, &q, &v, &a, options)
                    .unwrap();
                let worst = needed
                    .iter()
                    .map(|x| x.tangent[0].abs())
                    .fold(0.0, f64::max);
                let scale = da.amax().max(1.0);
                assert!(worst < 1e-9 * scale, "{}: {k} {worst:e}", model.name());
            }
        }
    }
}

#[test]
fn feet_that_stand_bear_the_weight() {
    let model = featherline_robots::quadruped();
    let q = model.neutral_configuration();
    let standing = with_contacts(&model, &q, &JointKind::Spherical, POINT_FEET).unwrap();
    let mut ws = LoopWorkspace::new(&standing).unwrap();
    let (rest, none) = (vec![0.0; model.nv()], Stabilisation::NONE);
    let found = loop_dynamics(&standing, &mut ws, &q, &rest, &rest, &[], &none).unwrap();
    let (mut tree, mut sum) = (Workspace::new(&model), Vec3::zero());
    let placed = model.forward_kinematics(&mut tree, &q).unwrap();
    for (name, force) in POINT_FEET.iter().zip(found.loop_forces) {
        let target = model.target(name).unwrap();
        sum += placed.placement(target).rotation.mul_vec(force.linear);
    }
    let a = found.accelerations.to_vec();
    // m c̈ = Σ f + m g
    let momentum = model
        .centroidal_momentum_rate(&mut tree, &q, &rest, &a)
        .unwrap()
        .linear;
    let weight = model.gravity() * model.total_mass();
    assert!((momentum - sum - weight).norm() < 1e-8, "{sum:?}");
}

#[test]
fn what_cannot_stand_is_an_error() {
    let model = featherline_robots::quadruped();
    let q = model.neutral_configuration::<f64>();
    let with = |kind: JointKind, names: &[&str]| {
        with_contacts(&model, &q, &kind, names.iter().copied()).unwrap_err()
    };
    assert!(matches!(
        with(JointKind::Spherical, &["front_left_fot"]),
        LoopError::Tree(Error::UnknownName(_))
    ));
    assert!(matches!(
        with(JointKind::FreeFlyer, &["front_left_foot"]),
        LoopError::Model(ModelError::BadLoop { .. })
    ));
    assert!(matches!(
        with(JointKind::Fixed, &["front_left_foot", "front_left_foot"]),
        LoopError::Model(ModelError::DuplicateName { .. })
    ));
    assert!(matches!(
        with_contacts(&model, &q[1..], &JointKind::Fixed, []),
        Err(LoopError::Tree(Error::Size { .. }))
    ));
}
