//! Centres of mass of robots and subtrees.

use super::ROUNDING;
use super::moving::*;
use crate::common::{State, close, models};
use featherline::joint::JointKind;
use featherline::model::{JointId, JointSpec, ModelBuilder};
use featherline::spatial::{Inertia, Se3, Sym3, Vec3};
use featherline::{Error, Model, Workspace};
use nalgebra::DMatrix;

fn roots(model: &Model) -> impl Iterator<Item = JointId> {
    std::iter::once(JointId::UNIVERSE).chain(model.joint_ids())
}

fn same(what: &str, found: Vec3<f64>, expected: Vec3<f64>) {
    close(what, &found.to_array(), &expected.to_array(), ROUNDING);
}

#[test]
fn positions_are_means_of_the_bodies_weighted_by_mass() {
    for (model, seed) in models() {
        let (mut ws, mut other) = (Workspace::new(&model), Workspace::new(&model));
        let s = State::random(&model, seed);
        let view = model.forward_kinematics(&mut ws, &s.q).unwrap();
        let centers = model.centers_of_mass(&mut other, &s.q).unwrap();
        for root in roots(&model) {
            let (mut mass, mut moment) = (0.0, Vec3::zero());
            for id in model.subtree(root).filter(|&id| id != JointId::UNIVERSE) {
                let body = &model.joint(id).inertia;
                mass += body.mass;
                moment += view.placement(id).act_point(body.com) * body.mass;
            }
            let expected = moment * (1.0 / mass);
            same("read", view.subtree_center_of_mass(root).unwrap(), expected);
            same(
                "kept",
                centers.subtree_center_of_mass(root).unwrap(),
                expected,
            );
        }
        let whole = view.subtree_center_of_mass(JointId::UNIVERSE).unwrap();
        assert_eq!(view.center_of_mass().unwrap(), whole);
        let mut alone = Workspace::new(&model);
        same(
            "alone",
            model.center_of_mass(&mut alone, &s.q).unwrap(),
            whole,
        );
    }
}

#[test]
fn centers_of_all_subtrees_are_those_of_each() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let view = (model.forward_kinematics_accelerations(&mut ws, &s.q, &s.v, &s.a)).unwrap();
        let n = model.joints().len();
        let mut masses = vec![0.0; n];
        let [mut p, mut v, mut a] = [(); 3].map(|()| vec![Vec3::zero(); n]);
        view.subtree_centers_of_mass_into(&mut masses, &mut p)
            .unwrap();
        view.subtree_center_of_mass_velocities_into(&mut masses, &mut v)
            .unwrap();
        view.subtree_center_of_mass_accelerations_into(&mut masses, &mut a)
            .unwrap();
        for root in roots(&model) {
            let i = root.index();
            let bodies = model.subtree(root).filter(|&id| id != JointId::UNIVERSE);
            let mass: f64 = bodies.map(|id| model.joint(id).inertia.mass).sum();
            close("mass", &[masses[i]], &[mass], ROUNDING);
            same("position", p[i], view.subtree_center_of_mass(root).unwrap());
            let expected = view.subtree_center_of_mass_velocity(root).unwrap();
            same("velocity", v[i], expected);
            let expected = view.subtree_center_of_mass_acceleration(root).unwrap();
            same("acceleration", a[i], expected);
        }
        assert!(matches!(
            view.subtree_centers_of_mass_into(&mut masses[1..], &mut p),
            Err(Error::Size { .. })
        ));
    }
}

#[test]
fn velocities_and_accelerations_are_derivatives() {
    for (model, seed) in models() {
        let (mut ws, mut dual) = (Workspace::new(&model), Workspace::new(&model));
        let s = State::random(&model, seed);
        let q = moving_configuration(&model, &s.q, &s.v);
        let curve = model
            .forward_kinematics_velocities(&mut dual, &q, &moving(&s.v, &s.a))
            .unwrap();
        let view = model
            .forward_kinematics_accelerations(&mut ws, &s.q, &s.v, &s.a)
            .unwrap();
        for root in roots(&model) {
            let expected = rate(curve.subtree_center_of_mass(root).unwrap());
            let found = view.subtree_center_of_mass_velocity(root).unwrap();
            same("velocity", found, expected);
            let expected = rate(curve.subtree_center_of_mass_velocity(root).unwrap());
            let found = view.subtree_center_of_mass_acceleration(root).unwrap();
            same("acceleration", found, expected);
        }
        let universe = JointId::UNIVERSE;
        assert_eq!(
            view.center_of_mass_velocity().unwrap(),
            view.subtree_center_of_mass_velocity(universe).unwrap()
        );
        assert_eq!(
            view.center_of_mass_acceleration().unwrap(),
            view.subtree_center_of_mass_acceleration(universe).unwrap()
        );
    }
}

#[test]
fn columns_of_the_jacobian_are_velocities_for_unit_rates() {
    for (model, seed) in models() {
        let (mut ws, mut other) = (Workspace::new(&model), Workspace::new(&model));
        let s = State::random(&model, seed);
        let centers = model.centers_of_mass(&mut ws, &s.q).unwrap();
        let mut jacobian = DMatrix::from_element(3, model.nv(), f64::NAN);
        for root in roots(&model) {
            centers
                .subtree_center_of_mass_jacobian_into(root, &mut jacobian)
                .unwrap();
            for k in 0..model.nv() {
                let mut unit = vec![0.0; model.nv()];
                unit[k] = 1.0;
                let expected = model
                    .forward_kinematics_velocities(&mut other, &s.q, &unit)
                    .unwrap()
                    .subtree_center_of_mass_velocity(root)
                    .unwrap();
                let found = jacobian.column(k);
                close("column", found.as_slice(), &expected.to_array(), ROUNDING);
            }
        }
        let mut whole = DMatrix::from_element(3, model.nv(), f64::NAN);
        centers.center_of_mass_jacobian_into(&mut whole).unwrap();
        centers
            .subtree_center_of_mass_jacobian_into(JointId::UNIVERSE, &mut jacobian)
            .unwrap();
        assert_eq!(whole, jacobian);
    }
}

#[test]
fn a_subtree_without_mass_has_no_centre() {
    let mut builder = ModelBuilder::new("sling");
    let hinge = |name: &str, parent| JointSpec::new(name, parent, JointKind::revolute_y());
    let arm = builder.add_joint(hinge("arm", ModelBuilder::UNIVERSE));
    let wire = builder.add_joint(hinge("wire", arm).armature(0.1));
    let rod = Inertia::new(1.0, Vec3::unit(0), Sym3::scalar(0.1));
    builder.add_body(arm, "arm", Se3::identity(), rod);
    builder.add_body(wire, "wire", Se3::identity(), Inertia::zero());
    let model = builder.build().unwrap().model;
    let mut ws = Workspace::new(&model);
    let (q, zeros) = ([0.3, -0.2], [0.0; 2]);
    let wire = model.joint_id("wire").unwrap();
    let expected = Error::NoMass {
        joint: "wire".to_owned(),
    };
    let view = model
        .forward_kinematics_accelerations(&mut ws, &q, &zeros, &zeros)
        .unwrap();
    assert_eq!(view.subtree_center_of_mass(wire), Err(expected.clone()));
    assert_eq!(
        view.subtree_center_of_mass_velocity(wire),
        Err(expected.clone())
    );
    assert_eq!(
        view.subtree_center_of_mass_acceleration(wire),
        Err(expected.clone())
    );
    assert!(view.center_of_mass().is_ok());
    let nothing = ModelBuilder::new("nothing").build().unwrap().model;
    let mut empty = Workspace::<f64>::new(&nothing);
    assert!(matches!(
        nothing.center_of_mass(&mut empty, &[]),
        Err(Error::NoMass { .. })
    ));
    let centers = model.centers_of_mass(&mut ws, &q).unwrap();
    let mut jacobian = DMatrix::from_element(3, 2, 7.0);
    assert_eq!(
        centers.subtree_center_of_mass_jacobian_into(wire, &mut jacobian),
        Err(expected)
    );
    assert!(jacobian.iter().all(|&entry| entry == 7.0));
    let mut flat = DMatrix::zeros(2, 2);
    assert!(matches!(
        centers.center_of_mass_jacobian_into(&mut flat),
        Err(Error::Size { .. })
    ));
}
