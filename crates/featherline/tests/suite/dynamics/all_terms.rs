//! All terms in one pass, against the algorithms that compute them one by one.

use crate::common::{State, close, models};
use featherline::joint::JointKind;
use featherline::kinematics::ReferenceFrame;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::{Error, Model, Workspace};
use nalgebra::{DMatrix, DVector};

/// Both ways round differently; some hundred operations, relative to the greatest entry.
const TOLERANCE: f64 = 1e-12;

#[test]
fn vectors_matrices_and_sums_are_those_of_the_single_algorithms() {
    for (model, seed) in models() {
        let (mut ws, mut other) = (Workspace::new(&model), Workspace::new(&model));
        let s = State::random(&model, seed);
        let terms = model.all_terms(&mut ws, &s.q, &s.v).unwrap();
        let mass = model.crba(&mut other, &s.q).unwrap();
        close(
            "M",
            terms.mass_matrix().as_slice(),
            mass.as_slice(),
            TOLERANCE,
        );
        let bias = model.bias(&mut other, &s.q, &s.v).unwrap();
        close("bias", terms.bias(), bias, TOLERANCE);
        let gravity = model.gravity_torque(&mut other, &s.q).unwrap();
        close("gravity", terms.gravity_torque(), gravity, TOLERANCE);
        let kinetic = model.kinetic_energy(&mut other, &s.q, &s.v).unwrap();
        close("kinetic", &[terms.kinetic_energy()], &[kinetic], TOLERANCE);
        let potential = model.potential_energy(&mut other, &s.q).unwrap();
        close(
            "potential",
            &[terms.potential_energy()],
            &[potential],
            TOLERANCE,
        );
        let map = model.centroidal_map_rate(&mut other, &s.q, &s.v).unwrap();
        let v = DVector::from_column_slice(&s.v);
        let (momentum, drift) = (map.matrix * &v, map.rate * &v);
        let found = terms.centroidal_map().unwrap();
        close("A", found.as_slice(), map.matrix.as_slice(), TOLERANCE);
        let found = terms.centroidal_momentum().unwrap().to_array();
        close("A v", &found, momentum.as_slice(), TOLERANCE);
        let found = terms.centroidal_drift().unwrap().to_array();
        close("Ȧ v", &found, drift.as_slice(), TOLERANCE);
    }
}

#[test]
fn kinematics_are_those_of_forward_kinematics() {
    for (model, seed) in models() {
        let (mut ws, mut other) = (Workspace::new(&model), Workspace::new(&model));
        let s = State::random(&model, seed);
        let mut expected = DMatrix::zeros(3, model.nv());
        let centers = model.centers_of_mass(&mut other, &s.q).unwrap();
        centers.center_of_mass_jacobian_into(&mut expected).unwrap();
        let kinematics = model
            .forward_kinematics_velocities(&mut other, &s.q, &s.v)
            .unwrap();
        let terms = model.all_terms(&mut ws, &s.q, &s.v).unwrap();
        let centers = terms.centers_of_mass();
        let mut found = expected.clone();
        centers.center_of_mass_jacobian_into(&mut found).unwrap();
        close(
            "of the centre",
            found.as_slice(),
            expected.as_slice(),
            TOLERANCE,
        );
        assert_eq!(terms.center_of_mass(), kinematics.center_of_mass());
        let (mut found, mut expected) =
            (DMatrix::zeros(6, model.nv()), DMatrix::zeros(6, model.nv()));
        for frame in model.frame_ids() {
            for reference in ReferenceFrame::ALL {
                terms.jacobian_into(frame, reference, &mut found).unwrap();
                kinematics
                    .jacobian_into(frame, reference, &mut expected)
                    .unwrap();
                assert_eq!(found, expected);
                assert_eq!(
                    terms.bias_acceleration(frame, reference),
                    kinematics.bias_acceleration(frame, reference)
                );
            }
        }
    }
}

#[test]
fn results_are_written_to_parts_of_larger_buffers() {
    let (model, seed) = models().swap_remove(6);
    let n = model.nv();
    let mut ws = Workspace::new(&model);
    let s = State::random(&model, seed);
    let terms = model.all_terms(&mut ws, &s.q, &s.v).unwrap();
    let mut large = DMatrix::from_element(n + 8, n + 2, f64::NAN);
    terms
        .mass_matrix_into(large.view_mut((1, 1), (n, n)))
        .unwrap();
    terms
        .centroidal_map_into(large.view_mut((n + 1, 1), (6, n)))
        .unwrap();
    assert_eq!(large.view((1, 1), (n, n)), *terms.mass_matrix());
    assert_eq!(
        large.view((n + 1, 1), (6, n)),
        *terms.centroidal_map().unwrap()
    );
    let mut vector = vec![f64::NAN; n];
    terms.bias_into(&mut vector).unwrap();
    assert_eq!(vector, terms.bias());
    terms.gravity_torque_into(&mut vector).unwrap();
    assert_eq!(vector, terms.gravity_torque());
    let wrong = terms.mass_matrix_into(&mut large);
    assert!(matches!(wrong, Err(Error::Size { expected, .. }) if expected == n));
    let wrong = terms.bias_into(&mut vector[1..]);
    assert!(matches!(wrong, Err(Error::Size { expected, .. }) if expected == n));
}

fn shaft() -> Model {
    let mut builder = ModelBuilder::new("shaft");
    let hinge = JointSpec::new("hinge", ModelBuilder::UNIVERSE, JointKind::revolute_z());
    builder.add_joint(hinge.armature(0.1));
    builder.build().unwrap().model
}

#[test]
fn what_has_no_mass_still_has_a_mass_matrix() {
    let model = shaft();
    let mut ws = Workspace::new(&model);
    let terms = model.all_terms(&mut ws, &[0.0], &[2.0]).unwrap();
    assert_eq!(terms.mass_matrix()[(0, 0)], 0.1);
    assert_eq!(terms.kinetic_energy(), 0.2);
    let no_mass = Error::NoMass {
        joint: "universe".to_owned(),
    };
    assert_eq!(terms.centroidal_momentum(), Err(no_mass.clone()));
    assert_eq!(terms.centroidal_drift(), Err(no_mass.clone()));
    assert_eq!(terms.centroidal_map().err(), Some(no_mass));
}

#[test]
fn bad_input_is_named() {
    let model = shaft();
    let mut ws = Workspace::new(&model);
    let found = model.all_terms(&mut ws, &[f64::NAN], &[0.0]).err();
    assert_eq!(
        found,
        Some(Error::NotFinite {
            what: "q",
            index: 0
        })
    );
    let found = model.all_terms(&mut ws, &[0.0], &[f64::INFINITY]).err();
    assert_eq!(
        found,
        Some(Error::NotFinite {
            what: "v",
            index: 0
        })
    );
    let mut ws = Workspace::recursive(&model);
    let found = model.all_terms(&mut ws, &[0.0], &[0.0]).err();
    assert_eq!(found, Some(Error::NoMatrices));
}
