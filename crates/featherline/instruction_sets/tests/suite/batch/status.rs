//! States without a result say why, and leave the others as they are.

use super::every::{Rows, row, states, together};
use featherline::batch::{Batch, BatchStatus};
use featherline::joint::JointKind;
use featherline::kernel;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::samples::{RandomTree, double_pendulum, random_tree};
use featherline::spatial::{Inertia, Se3, Vec3};
use featherline::{Error, Model, Workspace};

/// A floating robot with several quaternions.
fn robot() -> Model {
    let shape = RandomTree {
        joints: 9,
        floating: true,
        mimic_joints: false,
        ..RandomTree::default()
    };
    random_tree(3, &shape)
}

/// Results that depend on where the base is: all but the mass matrix and its inverse.
const OF_THE_PLACE: [&str; 32] = [
    "rnea_derivatives.tau",
    "rnea_derivatives.dq",
    "rnea_derivatives.dv",
    "rnea_derivatives.da",
    "aba_derivatives.a",
    "aba_derivatives.dq",
    "aba_derivatives.dv",
    "aba_derivatives.dtau",
    "regressor",
    "rnea",
    "bias",
    "aba",
    "forward_dynamics_crba",
    "centroidal_map",
    "centroidal_momentum.map",
    "centroidal_momentum",
    "terms.mass",
    "terms.bias",
    "terms.gravity",
    "terms.map",
    "terms.momentum",
    "terms.drift",
    "terms.center",
    "terms.kinetic",
    "terms.potential",
    "joint_placements",
    "frame_placements",
    "joint_jacobians",
    "frame_jacobians",
    "center_of_mass",
    "center_of_mass.above",
    "center_of_mass.jacobian",
];

/// Results that depend on the velocity, or are found together with such.
const OF_THE_VELOCITY: [&str; 24] = [
    "rnea_derivatives.tau",
    "rnea_derivatives.dq",
    "rnea_derivatives.dv",
    "rnea_derivatives.da",
    "aba_derivatives.a",
    "aba_derivatives.dq",
    "aba_derivatives.dv",
    "aba_derivatives.dtau",
    "regressor",
    "rnea",
    "bias",
    "aba",
    "forward_dynamics_crba",
    "terms.mass",
    "terms.bias",
    "terms.gravity",
    "terms.map",
    "terms.momentum",
    "terms.drift",
    "terms.center",
    "terms.kinetic",
    "terms.potential",
    LINEAR[0],
    LINEAR[1],
];

/// Results that are linear in the velocity, and of which one has it as a factor: finite where its
/// square is not.
const LINEAR: [&str; 2] = ["centroidal_momentum.map", "centroidal_momentum"];

/// Fails unless the spoiled states have the status and NaN, and the others the bits that they had.
fn check(spoiled: &[(usize, BatchStatus)], spoil: impl Fn(&mut Rows<f64>, &Model), calls: &[&str]) {
    let model = robot();
    let count = 37;
    let sound = Rows::of(&states(&model, count as u64));
    let mut rows = Rows::of(&states(&model, count as u64));
    spoil(&mut rows, &model);
    for threads in [1, 2] {
        let mut batch = Batch::new(&model, threads).unwrap();
        let (before, _) = together(&mut batch, &sound);
        let (after, statuses) = together(&mut batch, &rows);
        for ((name, before), (_, after)) in before.iter().zip(&after) {
            for k in 0..count {
                let is_spoiled = spoiled.iter().any(|s| s.0 == k);
                let bad = is_spoiled && calls.contains(name);
                if is_spoiled && !bad && LINEAR.contains(name) {
                    continue;
                }
                for (b, a) in row(before, count, k).iter().zip(row(after, count, k)) {
                    if bad {
                        assert!(a.is_nan(), "{name}, state {k}: {a}");
                    } else {
                        assert_eq!(b.to_bits(), a.to_bits(), "{name}, state {k}");
                    }
                }
            }
        }
        // Inverse dynamics reads all inputs.
        for (k, &found) in statuses[0].iter().enumerate() {
            let expected = spoiled
                .iter()
                .find(|s| s.0 == k)
                .map_or(BatchStatus::Solved, |s| s.1);
            assert_eq!(found, expected, "state {k}");
        }
    }
}

#[test]
fn a_configuration_that_is_not_finite() {
    let spoil = |rows: &mut Rows<f64>, model: &Model| {
        rows.q[5 * model.nq()] = f64::NAN;
        rows.q[36 * model.nq() + 2] = f64::INFINITY;
    };
    let spoiled = [(5, BatchStatus::NotFinite), (36, BatchStatus::NotFinite)];
    check(&spoiled, spoil, &OF_THE_PLACE);
}

#[test]
fn a_velocity_that_is_not_finite() {
    let spoil = |rows: &mut Rows<f64>, model: &Model| rows.v[9 * model.nv() + 1] = f64::NAN;
    check(&[(9, BatchStatus::NotFinite)], spoil, &OF_THE_VELOCITY);
}

#[test]
fn a_quaternion_of_length_zero() {
    let spoil = |rows: &mut Rows<f64>, model: &Model| {
        rows.q[20 * model.nq() + 3..20 * model.nq() + 7].fill(0.0);
    };
    check(&[(20, BatchStatus::ZeroRotation)], spoil, &OF_THE_PLACE);
}

#[test]
fn a_velocity_whose_square_overflows() {
    let spoil = |rows: &mut Rows<f64>, model: &Model| {
        rows.v[8 * model.nv()..9 * model.nv()].fill(1e200);
        rows.v[9 * model.nv()..10 * model.nv()].fill(-1e200);
    };
    let spoiled = [(8, BatchStatus::Overflow), (9, BatchStatus::Overflow)];
    check(
        &spoiled,
        spoil,
        &OF_THE_VELOCITY[..OF_THE_VELOCITY.len() - LINEAR.len()],
    );
}

#[test]
fn all_states_may_be_bad() {
    let model = robot();
    let mut rows = Rows::<f64>::of(&states(&model, 11));
    rows.q.fill(f64::NAN);
    let (results, statuses) = together(&mut Batch::new(&model, 2).unwrap(), &rows);
    assert!(
        statuses
            .iter()
            .flatten()
            .all(|&s| s == BatchStatus::NotFinite)
    );
    assert!(results.iter().flat_map(|(_, r)| r).all(|x| x.is_nan()));
}

#[test]
fn a_singular_mass_matrix_is_that_state_s_alone() {
    let model = double_pendulum();
    let mut batch = Batch::<f64>::new(&model, 1).unwrap();
    let nominal = batch.parameters();
    let mut parameters: Vec<f64> = (0..20).flat_map(|_| nominal.clone()).collect();
    // The lower rod of state 13 weighs nothing.
    parameters[13 * 20 + 10..14 * 20].fill(0.0);
    let sound = Rows::of(&states(&model, 20));
    let (before, _) = together(&mut batch, &sound);
    batch.set_parameters(&parameters).unwrap();
    let (after, statuses) = together(&mut batch, &sound);
    let names: Vec<_> = before.iter().map(|r| r.0).collect();
    let singular = [
        "aba",
        "forward_dynamics_crba",
        "mass_matrix_solve",
        "mass_matrix_inverse",
    ];
    for name in singular {
        let call = names.iter().position(|n| *n == name).unwrap();
        let (before, after) = (&before[call].1, &after[call].1);
        for k in 0..20 {
            let expected = if k == 13 {
                BatchStatus::SingularInertia
            } else {
                BatchStatus::Solved
            };
            assert_eq!(statuses[call][k], expected, "{name}");
            for (b, a) in row(before, 20, k).iter().zip(row(after, 20, k)) {
                // The bodies of the others went through the link frames once more.
                assert!(k == 13 && a.is_nan() || (a - b).abs() < 1e-12 * b.abs().max(1.0));
            }
        }
    }
    assert!(statuses[0].iter().all(|s| s.is_solved()));
}

#[test]
fn misuse_is_an_error() {
    let model = double_pendulum();
    let mut batch = Batch::<f64>::new(&model, 1).unwrap();
    let mut status = [BatchStatus::default(); 3];
    let error = |what, expected, found| {
        Err(Error::Size {
            what,
            expected,
            found,
        })
    };
    let six = [0.0; 6];
    assert_eq!(
        batch.rnea(&[0.0; 5], &six, &six, &mut [0.0; 6], &mut status),
        error("q", 6, 5)
    );
    assert_eq!(
        batch.rnea(&six, &six, &[0.0; 7], &mut [0.0; 6], &mut status),
        error("a", 6, 7)
    );
    assert_eq!(
        batch.crba(&six, &mut [0.0; 11], &mut status),
        error("mass_matrix", 12, 11)
    );
    assert_eq!(
        batch.set_parameters(&[1.0; 19]).map(|()| 0),
        error("the dynamic parameters", 20, 19)
    );
    let spoiled = batch.set_parameters(&[f64::NAN; 20]);
    assert_eq!(
        spoiled,
        Err(Error::NotFinite {
            what: "the dynamic parameters",
            index: 0
        })
    );
    let two = batch.parameters().repeat(2);
    batch.set_parameters(&two).unwrap();
    assert_eq!(
        batch.crba(&six, &mut [0.0; 12], &mut status),
        error("status", 2, 3)
    );
    batch.clear_parameters();
    assert_eq!(batch.crba(&six, &mut [0.0; 12], &mut status), Ok(0));
}

#[test]
fn slides_hide_no_angle_that_is_none() {
    // A pole on a cart: the cart's diagonal element is a mass, whatever the angle.
    let mut builder = ModelBuilder::new("cart_pole");
    let body = Inertia::cuboid(1.0, Vec3::new(0.2, 0.1, 0.4));
    let cart = JointSpec::new("cart", ModelBuilder::UNIVERSE, JointKind::prismatic_x());
    let cart = builder.add_joint(cart);
    builder.add_body(cart, "cart", Se3::identity(), body);
    let pole = builder.add_joint(JointSpec::new("pole", cart, JointKind::revolute_y()));
    let above = Se3::from_translation(Vec3::new(0.0, 0.0, 0.5));
    builder.add_body(pole, "pole", above, body);
    let model = builder.build().unwrap().model;

    for angle in [f64::NAN, f64::INFINITY] {
        let mut ws = Workspace::new(&model);
        let q = [0.1, angle];
        let refused = |error: Error| matches!(error, Error::NotFinite { index: 1, .. });
        assert!(model.crba(&mut ws, &q).is_err_and(refused));
        assert!(kernel::crba_packed(&model, &mut ws, &q).is_err_and(refused));
        // Where the cart is does not matter.
        let sound = model.crba(&mut ws, &[angle, 0.3]).unwrap();
        assert!(sound.iter().all(|x| x.is_finite()));

        let q = [0.1, 0.3, 0.1, angle, 0.1, 0.4];
        let expected = [
            BatchStatus::Solved,
            BatchStatus::NotFinite,
            BatchStatus::Solved,
        ];
        let (mut square, mut packed, mut status) =
            ([0.0; 12], [0.0; 9], [BatchStatus::default(); 3]);
        let mut batch = Batch::<f64>::new(&model, 1).unwrap();
        assert_eq!(batch.crba(&q, &mut square, &mut status), Ok(1));
        assert_eq!(status, expected);
        assert_eq!(batch.crba_packed(&q, &mut packed, &mut status), Ok(1));
        assert_eq!(status, expected);
        let q = q.map(|x| x as f32);
        let mut square = [0.0; 12];
        let mut batch = Batch::<f32>::new(&model, 1).unwrap();
        assert_eq!(batch.crba(&q, &mut square, &mut status), Ok(1));
        assert_eq!(status, expected);
    }
}
