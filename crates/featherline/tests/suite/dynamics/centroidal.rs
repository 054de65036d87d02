//! Centroidal momentum, its matrix and their rates, on random trees with every kind of joint.

use crate::common::{Rate, State, changing, close, external_forces, models, moving};
use featherline::dynamics::DynamicsOptions;
use featherline::joint::JointKind;
use featherline::kernel;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::scalar::Scalar;
use featherline::spatial::{Force, Inertia, Motion, Se3, Vec3};
use featherline::{Error, Model, Workspace};
use nalgebra::DVector;

/// Rounding of some hundred operations, relative to the greatest entry.
const TOLERANCE: f64 = 1e-11;

/// As above, where a result contains accelerations that the condition of the mass matrix has
/// magnified.
const ILL_CONDITIONED: f64 = 1e-8;

/// Placement and velocity of each body (in its joint's output frame), straight from the joints'
/// definitions.
fn bodies<S: Scalar>(model: &Model, q: &[S], v: &[S]) -> Vec<(Se3<S>, Motion<S>)> {
    let mut bodies: Vec<(Se3<S>, Motion<S>)> = vec![(Se3::identity(), Motion::zero())];
    for joint in &model.joints()[1..] {
        let mut columns = vec![Motion::zero(); joint.kind.nv()];
        let ratio = S::constant(joint.mimic.map_or(1.0, |m| m.ratio));
        let own = match &joint.mimic {
            None => joint.kind.evaluate(&q[joint.idx_q..], &mut columns),
            Some(mimic) => {
                let source =
                    if let JointKind::RevoluteUnbounded { .. } = &model.joint(mimic.source).kind {
                        q[joint.idx_q + 1].atan2(q[joint.idx_q])
                    } else {
                        q[joint.idx_q]
                    };
                let displacement = source * ratio + S::constant(mimic.offset);
                joint.kind.evaluate_displacement(displacement, &mut columns)
            }
        };
        let (placement, velocity) = bodies[joint.parent.index()];
        let relative = Se3::constant(&joint.placement).compose(&own);
        let mut velocity = relative.inverse_act_motion(&velocity);
        for (k, c) in columns.iter().enumerate() {
            velocity += *c * (ratio * v[joint.idx_v + k]);
        }
        bodies.push((placement.compose(&relative), velocity));
    }
    bodies
}

/// The sum of the bodies' momenta, about the sum of their mass points.
fn momentum<S: Scalar>(model: &Model, q: &[S], v: &[S]) -> (Force<S>, Vec3<S>) {
    let mut total = Force::zero();
    let mut first_moment = Vec3::zero();
    for (joint, (placement, velocity)) in model.joints().iter().zip(bodies(model, q, v)).skip(1) {
        let inertia = Inertia::constant(&joint.inertia);
        total += placement.act_force(&inertia.mul_motion(&velocity));
        first_moment += placement.act_point(inertia.com) * inertia.mass;
    }
    let com = first_moment * S::constant(1.0 / model.total_mass());
    total.angular -= com.cross(total.linear);
    (total, com)
}

#[test]
fn momentum_is_the_sum_of_the_bodies_momenta() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let expected = momentum(&model, &s.q, &s.v).0.to_array();
        let found = model.centroidal_momentum(&mut ws, &s.q, &s.v).unwrap();
        close("momentum", &found.to_array(), &expected, TOLERANCE);
        let map = model.centroidal_map(&mut ws, &s.q).unwrap();
        let product = map * DVector::from_column_slice(&s.v);
        close("A v", product.as_slice(), &expected, TOLERANCE);
    }
}

#[test]
fn rates_are_derivatives() {
    for (model, seed) in models() {
        let mut ws = Workspace::<f64>::new(&model);
        let mut rates = Workspace::<Rate>::new(&model);
        let s = State::random(&model, seed);
        let (q, v) = (moving(&model, &s.q, &s.v), changing(&s.v, &s.a));
        let expected = momentum(&model, &q, &v).0.to_array().map(|h| h.tangent[0]);
        let found = model
            .centroidal_momentum_rate(&mut ws, &s.q, &s.v, &s.a)
            .unwrap();
        close("rate", &found.to_array(), &expected, TOLERANCE);
        let expected = model.centroidal_map(&mut rates, &q).unwrap();
        let (values, derivatives) = (expected.map(|x| x.value), expected.map(|x| x.tangent[0]));
        let found = model.centroidal_map_rate(&mut ws, &s.q, &s.v).unwrap();
        close("A", found.matrix.as_slice(), values.as_slice(), TOLERANCE);
        close(
            "Ȧ",
            found.rate.as_slice(),
            derivatives.as_slice(),
            TOLERANCE,
        );
    }
}

#[test]
fn momentum_of_a_floating_robot_changes_by_the_forces_from_outside() {
    let mut floating = 0;
    for (model, seed) in models() {
        let roots: Vec<_> = model
            .children(featherline::model::JointId::UNIVERSE)
            .collect();
        if roots.len() > 1 || model.joint(roots[0]).kind != JointKind::FreeFlyer {
            continue;
        }
        // A base without armature is moved by nothing but its own joint force, here zero.
        if kernel::reflected_inertias(&model)[..6]
            .iter()
            .any(|&r| r != 0.0)
        {
            continue;
        }
        floating += 1;
        let mut ws = Workspace::new(&model);
        let mut s = State::random(&model, seed);
        s.tau[..6].fill(0.0);
        let forces = external_forces(&model);
        let a = model
            .forward_dynamics(
                &mut ws,
                &s.q,
                &s.v,
                &s.tau,
                DynamicsOptions::default()
                    .without_passive_forces()
                    .with_forces(&forces),
            )
            .unwrap()
            .to_vec();
        let found = model
            .centroidal_momentum_rate(&mut ws, &s.q, &s.v, &a)
            .unwrap();
        let (_, com) = momentum(&model, &s.q, &s.v);
        let mut expected = Force::zero();
        for ((placement, _), force) in bodies(&model, &s.q, &s.v).iter().zip(&forces).skip(1) {
            expected += placement.act_force(force);
        }
        expected.angular -= com.cross(expected.linear);
        expected.linear += model.gravity() * model.total_mass();
        close(
            "rate",
            &found.to_array(),
            &expected.to_array(),
            ILL_CONDITIONED,
        );
    }
    assert!(floating > 5);
}

#[test]
fn a_robot_without_mass_has_no_centroidal_momentum() {
    let mut builder = ModelBuilder::new("shaft");
    let hinge = JointSpec::new("hinge", ModelBuilder::UNIVERSE, JointKind::revolute_z());
    builder.add_joint(hinge.armature(0.1));
    let model = builder.build().unwrap().model;
    let mut ws = Workspace::new(&model);
    let no_mass = Error::NoMass {
        joint: "universe".to_owned(),
    };
    let outcome = model.centroidal_momentum(&mut ws, &[0.0], &[1.0]);
    assert_eq!(outcome, Err(no_mass.clone()));
    let outcome = model.centroidal_map(&mut ws, &[0.0]);
    assert_eq!(outcome.err(), Some(no_mass));
}
