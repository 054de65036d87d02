//! Canonical forms: the same numbers as the kernels, in fewer operations.

use crate::common::{assert_close, inputs, kernel, models, of};
use featherline::joint::JointKind;
use featherline::model::{JointHandle, JointSpec, ModelBuilder};
use featherline::samples::{RandomTree, random_tree, tapered_chain};
use featherline::scalar::Operations;
use featherline::spatial::{Inertia, Mat3, Se3, Sym3, Vec3};
use featherline::{Error, Model};
use featherline_compile::{CanonicalModel, Graph, Quantity, Trace};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Why results may differ by more than a few units of rounding: parameters are regrouped, and what
/// was moved from a leaf to the root is subtracted again from forces that are much smaller.
const TOLERANCE: f64 = 1e-9;

fn rotation(rng: &mut ChaCha8Rng) -> Mat3<f64> {
    let angles = [(); 3].map(|()| rng.random_range(-3.0..3.0));
    Mat3::from_roll_pitch_yaw(angles[0], angles[1], angles[2])
}

fn vector(rng: &mut ChaCha8Rng) -> Vec3<f64> {
    Vec3::from([(); 3].map(|()| rng.random_range(-1.0..1.0)))
}

fn inertia(rng: &mut ChaCha8Rng) -> Inertia<f64> {
    let mass = rng.random_range(0.3..3.0);
    let [a, b, c] = [(); 3].map(|()| mass * rng.random_range(0.01..0.1));
    let principal = Sym3::diagonal(Vec3::new(b + c, a + c, a + b));
    Inertia::new(
        mass,
        vector(rng) * 0.3,
        principal.conjugated_by(&rotation(rng)),
    )
}

/// Placements that canonical frames treat differently.
fn placement(rng: &mut ChaCha8Rng) -> Se3<f64> {
    let turn = |roll: f64| Mat3::from_roll_pitch_yaw(roll, 0.0, 0.0);
    match rng.random_range(0..9) {
        // Parallel, antiparallel, and nearly parallel axes for joints about z; the last ones have a
        // common normal that is used, but far away.
        0 => Se3::new(Mat3::identity(), vector(rng)),
        1 => Se3::new(turn(std::f64::consts::PI), vector(rng)),
        2 => Se3::new(turn(1e-3), vector(rng)),
        3 => Se3::new(turn(1e-7), vector(rng)),
        4 => Se3::new(turn(0.021), vector(rng)),
        // Axes that intersect, and one axis for both.
        5 => Se3::from_rotation(rotation(rng)),
        6 => Se3::identity(),
        _ => Se3::new(rotation(rng), vector(rng)),
    }
}

fn kind(rng: &mut ChaCha8Rng, all: bool) -> JointKind {
    let axis = vector(rng);
    match rng.random_range(0..if all { 15 } else { 6 }) {
        0 | 1 => JointKind::revolute_z(),
        2 => JointKind::revolute(axis),
        3 => JointKind::prismatic_z(),
        4 => JointKind::prismatic(axis),
        5 => JointKind::revolute_unbounded(axis),
        6 => JointKind::helical(axis, 0.2),
        7 => JointKind::cylindrical(axis),
        8 => JointKind::universal(axis, vector(rng)),
        9 => JointKind::Translation,
        10 => JointKind::SphericalZyx,
        11 => JointKind::revolute_x(),
        12 => JointKind::Fixed,
        13 => {
            let parts = [
                (placement(rng), JointKind::revolute(axis)),
                (placement(rng), JointKind::Fixed),
            ];
            JointKind::composite(parts).expect("a composite of valid parts")
        }
        _ => {
            let parts = [
                (placement(rng), JointKind::prismatic_y()),
                (placement(rng), JointKind::revolute(axis)),
            ];
            JointKind::composite(parts).expect("a composite of valid parts")
        }
    }
}

/// A tree of joints that all have canonical forms.
fn tree(seed: u64) -> Model {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut builder = ModelBuilder::new(format!("tree_{seed}"));
    builder.gravity(if seed.is_multiple_of(2) {
        Vec3::new(0.0, 0.0, -9.81)
    } else {
        vector(&mut rng) * 5.0
    });
    let mut handles: Vec<JointHandle> = Vec::new();
    let armature = seed.is_multiple_of(3);
    for i in 0..1 + seed % 9 {
        let parent = match handles.len() {
            0 => ModelBuilder::UNIVERSE,
            n if seed % 4 == 1 => handles[rng.random_range(0..n)],
            n => handles[n - 1],
        };
        let kind = if i == 0 && seed.is_multiple_of(5) {
            JointKind::FreeFlyer
        } else {
            kind(&mut rng, seed % 7 < 3)
        };
        let is_free = kind == JointKind::FreeFlyer;
        let mut spec = JointSpec::new(format!("joint_{i}"), parent, kind);
        spec = spec.placement(placement(&mut rng));
        if armature && (!is_free || seed.is_multiple_of(10)) {
            spec = spec.armature(0.1);
        }
        let handle = builder.add_joint(spec);
        let body = inertia(&mut rng);
        builder.add_body(handle, format!("body_{i}"), Se3::identity(), body);
        handles.push(handle);
    }
    builder.build().expect("a valid tree").model
}

/// The robot's own joints, all figures general, without armature.
fn general_chain(links: usize) -> Model {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut builder = ModelBuilder::new("general_chain");
    let mut parent = ModelBuilder::UNIVERSE;
    for i in 0..links {
        let place = Se3::new(rotation(&mut rng), vector(&mut rng));
        let kind = JointKind::revolute(vector(&mut rng));
        let spec = JointSpec::new(format!("joint_{i}"), parent, kind).placement(place);
        parent = builder.add_joint(spec);
        let body = inertia(&mut rng);
        builder.add_body(parent, format!("body_{i}"), Se3::identity(), body);
    }
    builder.build().expect("a valid chain").model
}

fn robots() -> [Model; 6] {
    [
        featherline_robots::double_pendulum(),
        featherline_robots::panda(),
        featherline_robots::ur5(),
        featherline_robots::quadruped(),
        featherline_robots::humanoid(),
        featherline_robots::hand(),
    ]
}

/// Compares all forms with the kernels; tells whether articulated bodies were among them.
fn compare(model: &Model, canonical: &CanonicalModel, seed: u64) -> Result<bool, Error> {
    let name = model.name();
    let state = |quantity: &Quantity| -> Result<_, Error> {
        let inputs = inputs(quantity, model, seed);
        let expected = kernel(quantity, model, &inputs)?;
        let (q, rest) = inputs.split_at(model.nq());
        let (v, u) = rest.split_at(rest.len().min(model.nv()));
        Ok((q.to_vec(), v.to_vec(), u.to_vec(), expected))
    };
    let (q, v, a, expected) = state(&of("rnea"))?;
    let found = canonical.inverse_dynamics(&q, &v, &a);
    assert_close(&found, &expected, TOLERANCE, &format!("{name}: rnea"));
    let (q, _, _, expected) = state(&of("crba"))?;
    let found = canonical.mass_matrix(&q);
    assert_close(
        found.as_slice(),
        &expected,
        TOLERANCE,
        &format!("{name}: crba"),
    );
    let (q, v, tau, expected) = state(&of("aba"))?;
    // Accelerations are as exact as the mass matrix is well-conditioned; the joint forces that they
    // need always are.
    let forces = |found: Vec<f64>, what: &str| -> Result<(), Error> {
        let inputs = [&q[..], &v, &found].concat();
        let needed = kernel(&of("rnea"), model, &inputs)?;
        assert_close(&needed, &tau, TOLERANCE, &format!("{name}: {what}"));
        assert_close(&found, &expected, TOLERANCE, &format!("{name}: {what}"));
        Ok(())
    };
    let found = canonical.forward_dynamics_by_mass_matrix(&q, &v, &tau)?;
    forces(found, "by the mass matrix")?;
    match canonical.forward_dynamics_by_articulated_bodies(&q, &v, &tau) {
        Some(found) => forces(found, "by articulated bodies").map(|()| true),
        None => Ok(false),
    }
}

#[test]
fn canonical_forms_agree_with_the_kernels() -> Result<(), Error> {
    let mut articulated = 0;
    for seed in 0..120 {
        let model = tree(seed);
        let canonical = CanonicalModel::new(&model).expect("all joints have canonical forms");
        articulated += u32::from(compare(&model, &canonical, seed)?);
    }
    assert!(articulated > 60, "{articulated}");
    for (seed, model) in robots().iter().enumerate() {
        let canonical = CanonicalModel::new(model).expect("robots have canonical forms");
        compare(model, &canonical, seed as u64)?;
    }
    for links in 1..12 {
        let model = tapered_chain(links);
        let canonical = CanonicalModel::new(&model).expect("a chain has a canonical form");
        assert!(compare(&model, &canonical, links as u64)?);
    }
    let mut found = 0;
    for (seed, model) in models(60).iter().enumerate() {
        if let Ok(canonical) = CanonicalModel::new(model) {
            compare(model, &canonical, seed as u64)?;
            found += 1;
        }
    }
    assert!(found > 15, "{found}");
    Ok(())
}

/// A hundred links whose axes are parallel, and lie on one line with their centres of mass, but for
/// angles and lengths about as small as `small`.
fn nearly_straight_chain(small: f64) -> Model {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut builder = ModelBuilder::new(format!("twisted_by_{small:e}"));
    let mut parent = ModelBuilder::UNIVERSE;
    for i in 0..100 {
        let angles = vector(&mut rng) * small;
        // Turned about the axis of the next joint by quarters.
        let quarter = f64::from(rng.random_range(0..4)) * std::f64::consts::FRAC_PI_2;
        let turn = Mat3::from_roll_pitch_yaw(angles.x, angles.y, quarter + angles.z);
        let way = Vec3::new(0.1, 0.0, 0.0) + vector(&mut rng) * small;
        let kind = JointKind::revolute_z();
        let spec = JointSpec::new(format!("joint_{i}"), parent, kind);
        parent = builder.add_joint(spec.placement(Se3::new(turn, way)));
        let com = Vec3::new(0.05, 0.0, 0.0) + vector(&mut rng) * small;
        let moments = Sym3::diagonal(Vec3::new(1e-4, 2e-3, 2e-3));
        let body = Inertia::new(0.5, com, moments);
        builder.add_body(parent, format!("body_{i}"), Se3::identity(), body);
    }
    builder.gravity(Vec3::new(3.0, 4.0, -9.81));
    builder.build().expect("a valid chain").model
}

/// A chain that floats on a link without mass, hinged to it at its origin: turning that link and
/// turning the hinge back moves nothing.
fn floating_on_nothing(links: usize) -> Model {
    let mut builder = ModelBuilder::new("floating_on_nothing");
    let root = JointSpec::new("root_joint", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
    let mut parent = builder.add_joint(root);
    let (along, across) = (9e-5, 0.2 * (3.0 * 0.03 * 0.03 + 0.1 * 0.1) / 12.0);
    for i in 0..links {
        let kind = match i % 2 {
            0 => JointKind::revolute_y(),
            _ => JointKind::revolute_z(),
        };
        let way = Vec3::new(if i == 0 { 0.0 } else { 0.1 }, 0.0, 0.0);
        let spec = JointSpec::new(format!("joint_{i}"), parent, kind);
        parent = builder.add_joint(spec.placement(Se3::from_translation(way)));
        let moments = Sym3::diagonal(Vec3::new(along, across, across));
        let body = Inertia::new(0.2, Vec3::new(0.05, 0.0, 0.0), moments);
        builder.add_body(parent, format!("body_{i}"), Se3::identity(), body);
    }
    builder.build().expect("a valid chain").model
}

#[test]
fn what_is_singular_everywhere_is_refused_and_the_rest_is_compiled() -> Result<(), Error> {
    let model = floating_on_nothing(5);
    for quantity in [
        of("aba"),
        of("forward_dynamics_crba"),
        of("mass_matrix_inverse"),
    ] {
        let refused = quantity.trace_lean(&model).map(|function| function.graph);
        assert!(
            matches!(refused, Err(Error::SingularInertia { .. })),
            "{quantity:?}"
        );
    }
    for quantity in [of("rnea"), of("crba")] {
        let function = quantity.trace_lean(&model)?.simplified();
        let inputs = inputs(&quantity, &model, 1);
        let expected = kernel(&quantity, &model, &inputs)?;
        let found = function.graph.evaluate(&inputs).expect("sizes agree");
        assert_close(&found, &expected, TOLERANCE, model.name());
    }
    Ok(())
}

#[test]
fn what_is_small_is_not_taken_for_nothing() -> Result<(), Error> {
    for small in [0.0, 1e-14, 1e-12, 1e-11, 1e-9, 1e-7] {
        let model = nearly_straight_chain(small);
        let inputs = inputs(&of("rnea"), &model, 5);
        let expected = kernel(&of("rnea"), &model, &inputs)?;
        let found = of("rnea").trace_lean(&model)?.graph.evaluate(&inputs);
        let found = found.expect("as many inputs as there are");
        assert_close(&found, &expected, 1e-12, model.name());
    }
    Ok(())
}

#[test]
fn lean_traces_agree_with_the_kernels() -> Result<(), Error> {
    let quantities = [
        of("rnea"),
        of("bias"),
        of("gravity_torque"),
        of("crba"),
        of("aba"),
        of("forward_dynamics_crba"),
        of("center_of_mass"),
        of("crba_packed"),
        of("mass_matrix_solve"),
    ];
    let shape = RandomTree {
        joints: 5,
        every_kind: false,
        ..RandomTree::default()
    };
    let mut all: Vec<Model> = (0..4).map(|seed| random_tree(seed, &shape)).collect();
    all.extend([0, 6, 8, 13, 21].map(tree));
    all.extend([tapered_chain(5), featherline_robots::panda()]);
    let large = RandomTree {
        joints: 66,
        ..shape
    };
    // Frames and parameters of large robots are chosen by parts of them.
    all.push(random_tree(5, &large));
    for (seed, model) in all.iter().enumerate() {
        for quantity in &quantities {
            if model.nv() > 60 && !["rnea", "aba"].contains(&quantity.entry().name) {
                continue;
            }
            let function = quantity.trace_lean(model)?;
            let inputs = inputs(quantity, model, seed as u64);
            let found = function
                .graph
                .evaluate(&inputs)
                .expect("as many inputs as there are");
            let expected = kernel(quantity, model, &inputs)?;
            assert_close(&found, &expected, TOLERANCE, model.name());
            let (lean, plain) = (function.graph.count(), quantity.trace(model)?.graph.count());
            assert!(cost(&lean) <= cost(&plain), "{}", model.name());
        }
    }
    Ok(())
}

#[test]
fn joints_without_a_canonical_form_keep_the_kernel() -> Result<(), Error> {
    let mut builder = ModelBuilder::new("ball");
    let ball = JointSpec::new("ball", ModelBuilder::UNIVERSE, JointKind::Spherical);
    let ball = builder.add_joint(ball);
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    builder.add_body(ball, "body", Se3::identity(), inertia(&mut rng));
    let model = builder.build().expect("a valid model").model;
    let error = CanonicalModel::new(&model).expect_err("a spherical joint has no canonical form");
    assert!(error.to_string().contains("`ball` is spherical"), "{error}");
    let (lean, plain) = (of("rnea").trace_lean(&model)?, of("rnea").trace(&model)?);
    assert_eq!(lean.graph.count(), plain.graph.count());
    Ok(())
}

fn cost(o: &Operations) -> u64 {
    o.additions + o.multiplications + o.divisions + o.square_roots + o.other
}

/// The operations of one form with the choices that are good for most.
fn count(
    model: &Model,
    form: impl FnOnce(&CanonicalModel, &[Trace], &[Trace], &[Trace]) -> Vec<Trace>,
) -> Operations {
    let canonical = CanonicalModel::new(model).expect("a chain has a canonical form");
    let n = model.nv();
    let graph = Graph::record(3 * n, |x| {
        form(&canonical, &x[..n], &x[n..2 * n], &x[2 * n..])
    });
    graph.count()
}

/// 0.85 of the textbook's additions and multiplications for a serial chain: Newton-Euler 174N −
/// 208, and articulated bodies 429N − 507 (Featherstone 2008, table 10.1).
#[test]
fn chains_take_fewer_operations_than_the_textbook() -> Result<(), Error> {
    let bound = |slope: f64, offset: f64, n: usize| 0.85 * (slope * n as f64 - offset);
    for n in 4..=30 {
        let model = tapered_chain(n);
        let inverse = count(&model, |c, q, v, a| c.inverse_dynamics(q, v, a));
        assert!(
            (cost(&inverse) as f64) < bound(174.0, 208.0, n),
            "{n}: {inverse:?}"
        );
        let forward = count(&model, |c, q, v, tau| {
            c.forward_dynamics_by_articulated_bodies(q, v, tau)
                .expect("each joint has its own coordinate")
        });
        assert!(
            (cost(&forward) as f64) < bound(429.0, 507.0, n),
            "{n}: {forward:?}"
        );
    }
    for n in [4, 5, 9, 16] {
        let model = tapered_chain(n);
        let lean = of("rnea").trace_lean(&model)?.graph.count();
        // Derived link by link in the crate's documentation; the ends save what is constant or not
        // asked for.
        let n = n as u64;
        assert_eq!(
            (lean.multiplications, lean.additions),
            (61 * n - 87, 42 * n - 64)
        );
    }
    let forward = |n| -> Result<_, Error> {
        let function = of("aba").trace_lean(&tapered_chain(n))?;
        Ok(function.graph.count())
    };
    let link = forward(13)? - forward(12)?;
    let link = (link.multiplications, link.additions, link.divisions);
    assert_eq!(link, (160, 132, 1));
    Ok(())
}

/// Derived link by link in the documentation of the module: a link inside of a chain adds 81
/// multiplications and 70 additions.
#[test]
fn general_links_cost_what_is_derived_by_hand() {
    let inverse = |n| count(&general_chain(n), |c, q, v, a| c.inverse_dynamics(q, v, a));
    for n in [5, 9, 14] {
        let link = inverse(n + 1) - inverse(n);
        assert_eq!((link.multiplications, link.additions), (81, 70), "{n}");
    }
}

#[test]
fn how_far_the_choice_has_come_is_told() -> Result<(), Error> {
    for quantity in [of("rnea"), of("crba"), of("aba")] {
        let model = tapered_chain(6);
        let mut heard = vec![0.0];
        let function = quantity.trace_lean_watched(&model, |share| heard.push(share))?;
        assert!(heard.is_sorted() && heard.last() == Some(&1.0), "{heard:?}");
        // Each joint but the first has something to choose.
        assert!(heard.len() > model.nv(), "{heard:?}");
        let unwatched = quantity.trace_lean(&model)?;
        assert_eq!(function.graph.count(), unwatched.graph.count());
    }
    Ok(())
}
