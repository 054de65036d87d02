//! A singular mass matrix is reported at the joint that causes it, by every algorithm that needs
//! the inverse.

use featherline::joint::JointKind;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::spatial::{Inertia, Mat3, Se3, Sym3, Vec3};
use featherline::{Error, Model, Workspace};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Three hinges in a row: two rods, and a last link with the given inertia.
fn chain(last: Inertia<f64>) -> Model {
    let rod = Inertia::new(1.0, Vec3::new(0.0, 0.0, -0.5), Sym3::scalar(0.1));
    let below = Se3::from_translation(Vec3::new(0.0, 0.0, -1.0));
    let mut builder = ModelBuilder::new("chain");
    let mut parent = ModelBuilder::UNIVERSE;
    for (name, inertia) in [("first", rod), ("second", rod), ("third", last)] {
        let hinge = JointSpec::new(name, parent, JointKind::revolute_y()).placement(below);
        parent = builder.add_joint(hinge);
        builder.add_body(parent, format!("{name}_link"), Se3::identity(), inertia);
    }
    builder.build().expect("the chain is valid").model
}

fn joint_of<T>(result: Result<T, Error>) -> String {
    match result.map(drop) {
        Err(Error::SingularInertia { joint }) => joint,
        other => panic!("expected a singular mass matrix, found {other:?}"),
    }
}

#[test]
fn the_joint_that_moves_no_inertia_is_named() {
    let on_the_axis = Inertia::new(1.0, Vec3::zero(), Sym3::zero());
    for model in [chain(Inertia::zero()), chain(on_the_axis)] {
        let mut ws = Workspace::new(&model);
        let (q, zero) = ([0.3, -0.4, 0.5], [0.0; 3]);
        assert_eq!(joint_of(model.ltdl(&mut ws, &q)), "third");
        assert_eq!(joint_of(model.aba(&mut ws, &q, &zero, &zero)), "third");
        assert_eq!(joint_of(model.mass_matrix_inverse(&mut ws, &q)), "third");
        let by_crba = model.forward_dynamics_crba(&mut ws, &q, &zero, &zero);
        assert_eq!(joint_of(by_crba), "third");
    }
}

/// A base that floats and has no mass of its own carries a hinge: nothing but the hinge's axis
/// keeps it from turning with the link. Bodies farther out change nothing about that.
fn massless_base(farther: usize) -> Model {
    let lopsided = Inertia::new(1.0, Vec3::new(0.1, 0.02, 0.03), Sym3::scalar(0.1));
    let next = Se3::new(
        Mat3::from_roll_pitch_yaw(0.3, 0.2, 0.1),
        Vec3::new(0.3, 0.0, 0.1),
    );
    let mut builder = ModelBuilder::new("massless base");
    let base = JointSpec::new("base", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
    let base = builder.add_joint(base);
    let mut parent =
        builder.add_joint(JointSpec::new("hinge", base, JointKind::revolute_z()).placement(next));
    builder.add_body(parent, "link", Se3::identity(), lopsided);
    for k in 0..farther {
        let kind = match k % 2 {
            0 => JointKind::FreeFlyer,
            _ => JointKind::revolute_y(),
        };
        let joint = JointSpec::new(format!("joint_{k}"), parent, kind).placement(next);
        parent = builder.add_joint(joint);
        builder.add_body(parent, format!("link_{k}"), Se3::identity(), lopsided);
    }
    builder.build().expect("a valid robot").model
}

#[test]
fn what_rounding_leaves_of_a_pivot_is_no_inertia() {
    for farther in [0, 1, 2, 5] {
        let model = massless_base(farther);
        let mut ws = Workspace::new(&model);
        let zero = vec![0.0; model.nv()];
        for seed in 0..300 {
            let q = model.random_configuration(&mut ChaCha8Rng::seed_from_u64(seed));
            assert_eq!(joint_of(model.ltdl(&mut ws, &q)), "base");
            assert_eq!(joint_of(model.mass_matrix_inverse(&mut ws, &q)), "base");
            assert_eq!(joint_of(model.aba(&mut ws, &q, &zero, &zero)), "base");
        }
    }
}

#[test]
fn what_a_heavy_body_far_out_rounds_is_no_inertia() {
    // Rails all along one axis take the heavy body's inertia to the base, of which the hinge lets
    // go but for rounding. Near bodies weigh a millionth of that, and round nothing.
    let light = Inertia::new(1e-3, Vec3::new(0.1, 0.02, 0.03), Sym3::scalar(1e-4));
    let heavy = Inertia::new(1e3, Vec3::new(0.1, 0.02, 0.03), Sym3::scalar(1e2));
    let mut builder = ModelBuilder::new("crane");
    let base = JointSpec::new("base", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
    let base = builder.add_joint(base);
    let turned = Se3::new(
        Mat3::from_roll_pitch_yaw(0.3, 0.2, 0.1),
        Vec3::new(0.3, 0.0, 0.1),
    );
    let hinge = JointSpec::new("hinge", base, JointKind::revolute_z()).placement(turned);
    let mut parent = builder.add_joint(hinge);
    builder.add_body(parent, "link", Se3::identity(), light);
    for k in 0..20 {
        let rail = JointSpec::new(format!("rail_{k}"), parent, JointKind::prismatic_x());
        parent = builder.add_joint(rail);
        builder.add_body(parent, format!("carriage_{k}"), Se3::identity(), light);
    }
    builder.add_body(parent, "load", Se3::identity(), heavy);
    let model = builder.build().expect("a valid robot").model;
    let mut ws = Workspace::new(&model);
    let zero = vec![0.0; model.nv()];
    for seed in 0..100 {
        let q = model.random_configuration(&mut ChaCha8Rng::seed_from_u64(seed));
        assert_eq!(joint_of(model.aba(&mut ws, &q, &zero, &zero)), "base");
    }
}

#[test]
fn long_chains_are_not_singular() {
    // The base of a stretched chain of n links moves an inertia of its own of the order of one
    // link, of a sum of n³ of them.
    let rod = Inertia::new(1.0, Vec3::new(0.0, 0.0, -0.5), Sym3::scalar(0.1));
    let below = Se3::from_translation(Vec3::new(0.0, 0.0, -1.0));
    for count in [100, 1000] {
        let mut builder = ModelBuilder::new("chain");
        let mut parent = ModelBuilder::UNIVERSE;
        for k in 0..count {
            let hinge = JointSpec::new(format!("hinge_{k}"), parent, JointKind::revolute_y());
            parent = builder.add_joint(hinge.placement(below));
            builder.add_body(parent, format!("link_{k}"), Se3::identity(), rod);
        }
        let model = builder.build().expect("a valid robot").model;
        let mut ws = Workspace::new(&model);
        let (stretched, zero) = (vec![0.0; count], vec![0.0; count]);
        let crumpled = model.random_configuration(&mut ChaCha8Rng::seed_from_u64(1));
        for q in [stretched, crumpled] {
            assert!(model.ltdl(&mut ws, &q).is_ok(), "{count}");
            assert!(model.aba(&mut ws, &q, &zero, &zero).is_ok(), "{count}");
        }
    }
}

#[test]
fn singles_tell_the_pivots_of_long_chains_from_rounding() {
    // Near the root of a chain of a hundred links a pivot is that of a few links, and below 1e-7 of
    // what the whole chain has.
    let model = featherline_robots::snake();
    let (mut single, mut double) = (Workspace::<f32>::new(&model), Workspace::<f64>::new(&model));
    let nv = model.nv();
    let mut worst: f64 = 0.0;
    for seed in 0..64 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        // Numbers that are exact in single precision.
        let rounded = |values: &[f64]| values.iter().map(|&x| x as f32).collect::<Vec<_>>();
        let q = rounded(&model.random_configuration(&mut rng));
        let v: Vec<f32> = (0..nv).map(|_| rng.random_range(-1.0..1.0)).collect();
        let tau: Vec<f32> = (0..nv).map(|_| rng.random_range(-1.0..1.0)).collect();
        let widened = |values: &[f32]| values.iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
        let found = model.aba(&mut single, &q, &v, &tau).unwrap();
        let expected = model
            .aba(&mut double, &widened(&q), &widened(&v), &widened(&tau))
            .unwrap();
        let scale = expected.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        for (&f, &e) in found.iter().zip(expected) {
            worst = worst.max((f64::from(f) - e).abs() / scale);
        }
        assert!(model.mass_matrix_inverse(&mut single, &q).is_ok());
    }
    // A few hundred roundings of the greatest acceleration.
    assert!(worst < 1e-4, "{worst}");
}
