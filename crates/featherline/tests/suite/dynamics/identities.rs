//! Identities that hold for every robot, on random trees with every kind of joint.

use crate::common::{State, close, external_forces, models};
use featherline::dynamics::DynamicsOptions;
use featherline::joint::JointKind;
use featherline::kernel;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::samples::{RandomTree, random_tree, snake};
use featherline::spatial::{Inertia, Se3, Sym3, Vec3};
use featherline::{Model, Workspace};

/// Rounding of a few hundred operations on numbers of order one, times the condition number that
/// random trees have.
const TOLERANCE: f64 = 1e-8;

#[test]
fn aba_inverts_rnea() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let tau = model.rnea(&mut ws, &s.q, &s.v, &s.a).unwrap().to_vec();
        let a = model.aba(&mut ws, &s.q, &s.v, &tau).unwrap();
        close("aba(rnea)", a, &s.a, TOLERANCE);
    }
}

#[test]
fn aba_inverts_rnea_with_external_forces() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let forces = external_forces(&model);
        let tau = model
            .inverse_dynamics(
                &mut ws,
                &s.q,
                &s.v,
                &s.a,
                DynamicsOptions::default()
                    .without_passive_forces()
                    .with_forces(&forces),
            )
            .unwrap()
            .to_vec();
        let a = model
            .forward_dynamics(
                &mut ws,
                &s.q,
                &s.v,
                &tau,
                DynamicsOptions::default()
                    .without_passive_forces()
                    .with_forces(&forces),
            )
            .unwrap();
        close("aba(rnea)", a, &s.a, TOLERANCE);
    }
}

#[test]
fn mass_matrix_columns_are_inverse_dynamics_of_unit_accelerations() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let model = model.with_gravity(Vec3::zero()).unwrap();
        let zeros = vec![0.0; model.nv()];
        let mass = model.crba(&mut ws, &s.q).unwrap().clone();
        for k in 0..model.nv() {
            let mut unit = zeros.clone();
            unit[k] = 1.0;
            let column = model.rnea(&mut ws, &s.q, &zeros, &unit).unwrap();
            close("column of M", column, mass.column(k).as_slice(), 1e-11);
        }
    }
}

/// Trees with long paths, whose mass matrices are filled by regions.
fn deep_models() -> Vec<(Model, u64)> {
    let shape = |seed: u64| RandomTree {
        joints: 60 + 3 * seed as usize,
        branching: 0.01 * seed as f64,
        every_kind: seed % 4 != 3,
        mimic_joints: false,
        floating: seed.is_multiple_of(2),
    };
    let model = |seed| (random_tree(900 + seed, &shape(seed)), seed);
    (0..8).map(model).collect()
}

#[test]
fn deep_mass_matrices_are_inverse_dynamics_of_unit_accelerations() {
    let mut deepest = 0;
    for (model, seed) in deep_models() {
        deepest = deepest.max(kernel::depth(&model));
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let model = model.with_gravity(Vec3::zero()).unwrap();
        let zeros = vec![0.0; model.nv()];
        let mass = model.crba(&mut ws, &s.q).unwrap().clone();
        let terms = model.all_terms(&mut ws, &s.q, &s.v).unwrap();
        assert_eq!(terms.mass_matrix(), &mass);
        let mut product = vec![0.0; model.nv()];
        for k in 0..model.nv() {
            let mut unit = zeros.clone();
            unit[k] = 1.0;
            let column = model.rnea(&mut ws, &s.q, &zeros, &unit).unwrap();
            // Rounding of a path of a hundred joints, relative to the column's greatest entry.
            let scale = mass.column(k).amax();
            let scaled = |x: &[f64]| x.iter().map(|x| x / scale).collect::<Vec<_>>();
            close(
                "column",
                &scaled(column),
                &scaled(mass.column(k).as_slice()),
                1e-12,
            );
            for (sum, x) in product.iter_mut().zip(column) {
                *sum += s.a[k] * x;
            }
        }
        // The packed form, through its factors: M a = τ gives back a.
        let at_rest = model
            .forward_dynamics_crba(&mut ws, &s.q, &zeros, &product)
            .unwrap();
        let at_rest = at_rest.to_vec();
        let again = model
            .rnea(&mut ws, &s.q, &zeros, &at_rest)
            .unwrap()
            .to_vec();
        let scale = product.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let scaled = |x: &[f64]| x.iter().map(|x| x / scale).collect::<Vec<_>>();
        close("M a", &scaled(&again), &scaled(&product), 1e-11);
    }
    assert!(deepest > 48, "{deepest}");
}

#[test]
fn squares_are_the_packed_matrices_in_both_triangles() {
    // Panels of all lengths, with momenta carried from pair to pair, and in one frame where paths
    // are long.
    for links in (1..14).chain(40..46).chain([100]) {
        let model = snake(links);
        let (tree, q) = (kernel::elimination_tree(&model), vec![0.3; model.nq()]);
        let mut ws = Workspace::<f64>::new(&model);
        let (mut other, mut third) = (ws.clone(), ws.clone());
        // Earlier content must not show.
        model
            .crba(&mut ws, &vec![-0.7; model.nq()])
            .expect("finite");
        let square = model.crba(&mut ws, &q).expect("finite");
        let packed = kernel::crba_packed(&model, &mut other, &q).expect("finite");
        let terms = model.all_terms(&mut third, &q, &q).expect("finite");
        assert_eq!(terms.mass_matrix(), square);
        for k in 0..model.nv() {
            for l in 0..=k {
                let element = packed[tree.place::<f64>(k, l)];
                assert_eq!(
                    [square[(k, l)], square[(l, k)]],
                    [element; 2],
                    "{k}, {l} of {links}"
                );
            }
        }
    }
}

#[test]
fn both_forward_dynamics_agree() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let crba = model
            .forward_dynamics_crba(&mut ws, &s.q, &s.v, &s.tau)
            .unwrap()
            .to_vec();
        let aba = model.aba(&mut ws, &s.q, &s.v, &s.tau).unwrap();
        close("aba", aba, &crba, TOLERANCE);
    }
}

#[test]
fn hybrid_dynamics_agrees_with_both_ends_and_in_between() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let tau = model.rnea(&mut ws, &s.q, &s.v, &s.a).unwrap().to_vec();
        for pattern in 0..4_usize {
            let known: Vec<bool> = (0..model.nv())
                .map(|k| match pattern {
                    0 => false,
                    1 => true,
                    2 => k % 2 == 0,
                    _ => (k * 7 + seed as usize).is_multiple_of(3),
                })
                .collect();
            let values: Vec<f64> = (0..model.nv())
                .map(|k| if known[k] { s.a[k] } else { tau[k] })
                .collect();
            let options = DynamicsOptions::default().without_passive_forces();
            let result = model
                .hybrid_dynamics(&mut ws, &s.q, &s.v, &values, &known, options)
                .unwrap();
            close("accelerations", result.accelerations, &s.a, TOLERANCE);
            close("forces", result.forces, &tau, TOLERANCE);
        }
    }
}

#[test]
fn inverse_of_the_mass_matrix_is_its_inverse_and_ltdl_s() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let mass = model.crba(&mut ws, &s.q).unwrap().clone();
        let inverse = model.mass_matrix_inverse(&mut ws, &s.q).unwrap().clone();
        let n = model.nv();
        let mut by_ltdl = inverse.clone();
        model
            .ltdl(&mut ws, &s.q)
            .unwrap()
            .inverse(&mut by_ltdl)
            .unwrap();
        close("inverse", inverse.as_slice(), by_ltdl.as_slice(), TOLERANCE);
        let identity = nalgebra::DMatrix::<f64>::identity(n, n);
        close(
            "M M⁻¹",
            (mass * &inverse).as_slice(),
            identity.as_slice(),
            TOLERANCE,
        );
        assert_eq!(inverse, inverse.transpose());
    }
}

/// A body on a fixed joint is the same as one that is lumped, also behind all coordinates, where q
/// has no entry for it.
#[test]
fn fixed_joints_move_nothing_wherever_they_stand() {
    let inertia = Inertia::new(1.0, Vec3::new(0.1, 0.2, 0.3), Sym3::scalar(0.2));
    let place = Se3::from_translation(Vec3::new(0.4, -0.1, 0.2));
    let build = |fixed: bool| {
        let mut builder = ModelBuilder::new("arm");
        let mut parent = ModelBuilder::UNIVERSE;
        for i in 0..3 {
            let joint = JointSpec::new(format!("hinge_{i}"), parent, JointKind::revolute_y());
            parent = builder.add_joint(joint.placement(place));
            builder.add_body(parent, format!("body_{i}"), Se3::identity(), inertia);
        }
        for i in 0..5 {
            let (joint, at) = if fixed {
                let joint = JointSpec::new(format!("fixed_{i}"), parent, JointKind::Fixed);
                (builder.add_joint(joint.placement(place)), Se3::identity())
            } else {
                (parent, place)
            };
            builder.add_body(joint, format!("tool_{i}"), at, inertia);
        }
        builder.build().unwrap().model
    };
    let (fixed, lumped) = (build(true), build(false));
    let s = State::random(&lumped, 1);
    let tau = |model: &Model| {
        let mut ws = Workspace::new(model);
        model.rnea(&mut ws, &s.q, &s.v, &s.a).unwrap().to_vec()
    };
    close("rnea", &tau(&fixed), &tau(&lumped), 1e-13);
}
