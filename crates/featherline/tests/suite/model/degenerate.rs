//! Joints whose parameters are at or beyond the edge of what makes sense, and rotations that are
//! none.

use featherline::joint::{JointError, JointKind};
use featherline::model::{Built, Drive, JointSpec, ModelBuilder, ModelError, ModelWarning};
use featherline::spatial::{Inertia, Mat3, Se3, Sym3, Vec3};
use featherline::{Error, Model, Workspace};
use std::f64::consts::FRAC_1_SQRT_2;

fn body() -> Inertia<f64> {
    Inertia::new(1.0, Vec3::new(0.1, -0.2, 0.3), Sym3::scalar(0.1))
}

/// A joint that moves one body, after a change.
fn build_with(
    kind: JointKind,
    change: impl FnOnce(JointSpec) -> JointSpec,
) -> Result<Built, ModelError> {
    let mut builder = ModelBuilder::new("test");
    let joint = change(JointSpec::new("joint", ModelBuilder::UNIVERSE, kind));
    let joint = builder.add_joint(joint);
    builder.add_body(joint, "body", Se3::identity(), body());
    builder.build()
}

fn build(kind: JointKind) -> Result<Built, ModelError> {
    build_with(kind, |joint| joint)
}

fn refusal(kind: JointKind) -> JointError {
    match build(kind) {
        Err(ModelError::Kind { joint, source }) => {
            assert_eq!(joint, "joint");
            source
        }
        other => panic!("{other:?}"),
    }
}

fn composite(parts: impl IntoIterator<Item = JointKind>) -> JointKind {
    let parts = parts.into_iter().map(|kind| (Se3::identity(), kind));
    JointKind::composite(parts).expect("there are parts")
}

#[test]
fn a_universal_joint_turns_about_two_lines() {
    let (x, y) = (Vec3::unit(0), Vec3::unit(1));
    let skew = Vec3::new(1.0, 1e-9, 0.0);
    for (first, second) in [(x, x), (x, -x), (x * 3.0, x * 1e-200), (x, skew)] {
        let kind = JointKind::universal(first, second);
        assert_eq!(refusal(kind), JointError::ParallelAxes);
    }
    // Written out, and not through the constructor, axes have any length.
    let long = JointKind::Universal {
        first: x * 1e200,
        second: x * 1e200,
    };
    assert_eq!(refusal(long), JointError::ParallelAxes);
    // An angle of a millionth leaves the mass matrix invertible.
    for second in [y, Vec3::new(1.0, 1e-6, 0.0)] {
        let built = build(JointKind::universal(x, second)).expect("two lines");
        assert_eq!(built.warnings, []);
        let mut ws = Workspace::new(&built.model);
        assert!(
            built
                .model
                .aba(&mut ws, &[0.3, 0.2], &[0.0; 2], &[1.0; 2])
                .is_ok()
        );
    }
}

#[test]
fn semi_axes_are_lengths() {
    let radii = |x| JointKind::ellipsoid(Vec3::new(0.3, x, 0.2));
    assert_eq!(
        refusal(radii(-0.1)),
        JointError::NegativeRadius { radius: -0.1 }
    );
    for bad in [f64::NAN, f64::INFINITY] {
        assert!(matches!(refusal(radii(bad)), JointError::NotFinite { .. }));
    }
    // A flat ellipsoid and a point: three turns all the same.
    for kind in [radii(0.0), JointKind::ellipsoid(Vec3::zero())] {
        let model = build(kind).expect("a joint that moves").model;
        let mut ws = Workspace::new(&model);
        let tau = [0.1, 0.2, 0.3];
        assert!(
            model
                .aba(&mut ws, &[0.4, 0.5, 0.6], &[0.0; 3], &tau)
                .is_ok()
        );
    }
}

#[test]
fn a_pitch_is_finite() {
    for pitch in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = refusal(JointKind::helical(Vec3::unit(2), pitch));
        assert!(matches!(
            error,
            JointError::NotFinite { which: "pitch", .. }
        ));
    }
    assert!(build(JointKind::helical(Vec3::unit(2), 0.0)).is_ok());
}

#[test]
fn parts_of_a_composite_are_checked_at_any_depth() {
    assert_eq!(JointKind::composite([]), Err(JointError::EmptyComposite));
    let stored = serde_json::from_str::<JointKind>(r#"{"composite": []}"#);
    let reason = stored.expect_err("no parts").to_string();
    assert!(reason.contains("no parts"), "{reason}");

    let no_axis = JointKind::prismatic(Vec3::zero());
    let nested = composite([JointKind::revolute_x(), composite([no_axis])]);
    assert!(matches!(refusal(nested), JointError::ZeroAxis { .. }));
    let parallel = JointKind::universal(Vec3::unit(2), Vec3::unit(2));
    let nested = composite([JointKind::Planar, composite([parallel])]);
    assert_eq!(refusal(nested), JointError::ParallelAxes);
    let mirror = Mat3::from_columns(Vec3::unit(1), Vec3::unit(0), Vec3::unit(2));
    let mirrored = JointKind::composite([(Se3::from_rotation(mirror), JointKind::revolute_x())]);
    assert!(matches!(
        refusal(mirrored.expect("there is a part")),
        JointError::NotARotation { .. }
    ));
}

/// The warning of a model, if it has one.
fn repeated(built: &Built) -> Option<(usize, usize)> {
    match built.warnings.as_slice() {
        [] => None,
        [
            ModelWarning::DependentMotions {
                joint,
                degrees,
                independent,
            },
        ] => {
            assert_eq!(joint, "joint");
            Some((*degrees, *independent))
        }
        other => panic!("{other:?}"),
    }
}

/// Whether accelerations follow from forces where the robot is not stretched out.
fn moves(model: &Model) -> bool {
    let q: Vec<f64> = (0..model.nq()).map(|k| 0.3 + 0.2 * k as f64).collect();
    let v = vec![0.0; model.nv()];
    let tau = vec![1.0; model.nv()];
    match model.forward_dynamics_crba(&mut Workspace::new(model), &q, &v, &tau) {
        Ok(_) => true,
        Err(Error::SingularInertia { .. }) => false,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn parts_of_a_composite_that_repeat_each_other_are_named() {
    let (turn_x, turn_z) = (JointKind::revolute_x(), JointKind::revolute_z());
    let cases = [
        (composite([turn_z.clone(), turn_z.clone()]), Some((2, 1))),
        (composite([turn_z.clone(), turn_x.clone()]), None),
        // At its neutral configuration its first and last axis are one, elsewhere they are not.
        (
            composite([turn_z.clone(), turn_x.clone(), turn_z.clone()]),
            None,
        ),
        (
            composite([JointKind::Spherical, turn_x.clone()]),
            Some((4, 3)),
        ),
        (
            composite([JointKind::FreeFlyer, turn_x.clone()]),
            Some((7, 6)),
        ),
        (
            composite([JointKind::Translation, JointKind::Spherical]),
            None,
        ),
        (
            composite([
                JointKind::cylindrical(Vec3::unit(2)),
                JointKind::prismatic_z(),
            ]),
            Some((3, 2)),
        ),
    ];
    for (kind, expected) in cases {
        let built = build(kind.clone()).expect("physically possible");
        assert_eq!(repeated(&built), expected, "{kind:?}");
        assert_eq!(moves(&built.model), expected.is_none(), "{kind:?}");
    }
    let hinges = composite([turn_z.clone(), turn_z]);
    // An armature on both tells them apart, and one is enough.
    let built = build_with(hinges.clone(), |joint| joint.armature(0.1)).expect("possible");
    assert_eq!(repeated(&built), None);
    let one = Drive {
        armature: vec![0.0, 0.1],
        ..Drive::none(&hinges)
    };
    let built = build_with(hinges, |joint| joint.drive(one)).expect("possible");
    assert_eq!(repeated(&built), None);
    assert!(moves(&built.model));
}

/// A robot whose joints have rotations of each length: q is 2 + 4 + 7 entries long.
fn turning(q: Vec<f64>) -> Result<Built, ModelError> {
    let mut builder = ModelBuilder::new("turning");
    let mut parent = ModelBuilder::UNIVERSE;
    for (name, kind) in [
        ("wheel", JointKind::revolute_unbounded_z()),
        ("car", JointKind::Planar),
        ("drone", JointKind::FreeFlyer),
    ] {
        parent = builder.add_joint(JointSpec::new(name, parent, kind));
        builder.add_body(parent, format!("{name}_body"), Se3::identity(), body());
    }
    builder.reference_configuration("home", q);
    builder.build()
}

#[test]
fn reference_configurations_stand_for_rotations() {
    let good = [
        0.6, -0.8, 1.0, 2.0, 0.0, 1.0, 5.0, 6.0, 7.0, 0.5, 0.5, -0.5, 0.5,
    ];
    assert!(turning(good.to_vec()).is_ok());
    // Figures printed with four digits are good enough.
    let mut printed = good;
    printed[9..].copy_from_slice(&[0.9511, 0.0, 0.0, 0.3090]);
    assert!(turning(printed.to_vec()).is_ok());
    for (entries, joint) in [(0..2, "wheel"), (4..6, "car"), (9..13, "drone")] {
        for factor in [0.0, 0.99, 1.01, -2.0, 1e200] {
            let mut bad = good;
            bad[entries.clone()].iter_mut().for_each(|x| *x *= factor);
            let expected = ModelError::NotNormalised {
                what: "reference configuration `home`".to_owned(),
                joint: joint.to_owned(),
            };
            assert_eq!(turning(bad.to_vec()).err(), Some(expected), "{factor}");
        }
    }
}

#[test]
fn a_stored_reference_configuration_is_checked_when_it_is_read() {
    let mut builder = ModelBuilder::new("ball");
    let ball = JointSpec::new("ball", ModelBuilder::UNIVERSE, JointKind::Spherical);
    let ball = builder.add_joint(ball);
    builder.add_body(ball, "body", Se3::identity(), body());
    builder.reference_configuration("home", vec![FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2]);
    let model = builder.build().expect("a sound model").model;
    let mut stored = serde_json::to_value(&model).expect("a model can be stored");
    assert!(serde_json::from_value::<Model>(stored.clone()).is_ok());
    stored["reference_configurations"]["home"] = serde_json::json!([0, 0, 0, 0]);
    let reason = serde_json::from_value::<Model>(stored).expect_err("no rotation");
    assert!(reason.to_string().contains("`home`"), "{reason}");
}

#[test]
fn a_spring_rests_in_a_rotation() {
    let kind = JointKind::Spherical;
    let spring = |reference: [f64; 4]| Drive {
        stiffness: vec![1.0; 3],
        spring_reference: reference.to_vec(),
        ..Drive::none(&JointKind::Spherical)
    };
    let with = |reference| build_with(kind.clone(), |joint| joint.drive(spring(reference)));
    assert!(with([0.0, 0.6, 0.8, 0.0]).is_ok());
    for bad in [[0.0; 4], [0.0, 0.6, 0.9, 0.0]] {
        let expected = ModelError::NotNormalised {
            what: "the spring reference".to_owned(),
            joint: "joint".to_owned(),
        };
        assert_eq!(with(bad).err(), Some(expected));
    }
}

/// The warnings of a model with one large figure in a joint or body.
fn doubts(kind: JointKind, change: impl FnOnce(JointSpec) -> JointSpec) -> Vec<String> {
    let built = build_with(kind, change).expect("all figures are finite");
    built.warnings.iter().map(ModelWarning::to_string).collect()
}

#[test]
fn figures_whose_products_overflow_are_named() {
    let far = Se3::from_translation(Vec3::new(0.0, -2e50, 0.0));
    let hinge = JointKind::revolute_x;
    let nested = JointKind::composite([
        (far, JointKind::helical(Vec3::unit(2), 0.1)),
        (far, hinge()),
    ]);
    for (found, expected) in [
        (
            doubts(hinge(), |j| j.placement(far)),
            "the placement of joint `joint` is 2e50",
        ),
        (
            doubts(hinge(), |j| j.armature(1e51)),
            "the reflected inertia of joint `joint` is 1e51",
        ),
        (
            doubts(hinge(), |j| j.rotor(1e21, -1e15)),
            "the reflected inertia of joint `joint` is 1e51",
        ),
        (
            doubts(JointKind::helical(Vec3::unit(2), -3e50), |j| j),
            "a length of joint `joint` is 3e50",
        ),
        (
            doubts(JointKind::ellipsoid(Vec3::new(0.1, 0.2, 1e200)), |j| j),
            "a length of joint `joint` is 1e200",
        ),
        (
            doubts(nested.expect("there are parts"), |j| j),
            "a length of joint `joint` is 2e50",
        ),
    ] {
        assert_eq!(found.len(), 1, "{expected}: {found:?}");
        assert!(found[0].starts_with(expected), "{found:?}");
    }
    let near = Se3::from_translation(Vec3::new(0.0, -1e49, 0.0));
    assert_eq!(doubts(hinge(), |j| j.placement(near)), [""; 0]);
}

#[test]
fn an_overflow_is_not_called_singular() {
    let built = build_with(JointKind::revolute_x(), |j| j.armature(f64::MAX)).expect("finite");
    // The bound of the joint's inertia, its armature with the body's, is no finite number any more.
    let mut builder = ModelBuilder::new("heavy");
    let joint = JointSpec::new("joint", ModelBuilder::UNIVERSE, JointKind::revolute_x());
    let joint = builder.add_joint(joint.armature(f64::MAX));
    let heavy = Inertia::new(1.0, Vec3::zero(), Sym3::scalar(f64::MAX / 4.0));
    builder.add_body(joint, "body", Se3::identity(), heavy);
    for model in [built.model, builder.build().expect("finite").model] {
        let mut ws = Workspace::new(&model);
        for done in [
            model.ltdl(&mut ws, &[0.0]).map(drop),
            model.aba(&mut ws, &[0.0], &[0.0], &[1.0]).map(drop),
        ] {
            assert!(
                !matches!(done, Err(Error::SingularInertia { .. })),
                "{done:?}"
            );
        }
    }
}
