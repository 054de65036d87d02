//! Building, questioning, storing and refusing models.

use crate::common::{State, close, models};
use featherline::joint::JointKind;
use featherline::model::{
    FrameKind, JointHandle, JointId, JointSpec, Limits, Model, ModelBuilder, ModelError,
    ModelWarning,
};
use featherline::spatial::{Inertia, Se3, Sym3, Vec3};
use featherline::{Workspace, samples};

fn ball(mass: f64) -> Inertia<f64> {
    Inertia::new(mass, Vec3::new(0.1, 0.0, 0.2), Sym3::scalar(0.01))
}

/// A hinge with a ball on it, after a change.
fn build(change: impl FnOnce(&mut ModelBuilder, JointHandle)) -> Result<Model, ModelError> {
    let mut builder = ModelBuilder::new("test");
    let hinge = JointSpec::new("hinge", ModelBuilder::UNIVERSE, JointKind::revolute_y());
    let hinge = builder.add_joint(hinge);
    builder.add_body(hinge, "ball", Se3::identity(), ball(1.0));
    change(&mut builder, hinge);
    builder.build().map(|built| built.model)
}

/// The message of the error that a change causes.
fn refusal(change: impl FnOnce(&mut ModelBuilder, JointHandle)) -> String {
    match build(change) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_is_impossible_is_refused_by_name() {
    let add = |b: &mut ModelBuilder, inertia| {
        b.add_body(ModelBuilder::UNIVERSE, "bad", Se3::identity(), inertia);
    };
    let negative = Sym3::diagonal(Vec3::new(-1.0, 1.0, 1.0));
    let child = |name: &str, parent, kind| JointSpec::new(name, parent, kind);
    let zero_axis = JointKind::Revolute { axis: Vec3::zero() };
    let mut scaled = Se3::identity();
    scaled.rotation = scaled.rotation * 2.0;
    let cases = [
        (
            refusal(|b, _| add(b, ball(-1.0))),
            "mass of `bad` is negative",
        ),
        (
            refusal(|b, _| add(b, ball(f64::NAN))),
            "inertia of `bad` is not a finite number",
        ),
        (
            refusal(|b, h| {
                b.add_body(
                    h,
                    "bad",
                    Se3::identity(),
                    Inertia::new(1.0, Vec3::zero(), negative),
                );
            }),
            "`bad` is not positive semidefinite",
        ),
        (
            refusal(|b, h| {
                b.add_joint(child("bad", h, zero_axis.clone()));
            }),
            "`bad`: the axis of a revolute joint is the zero vector",
        ),
        (
            refusal(|b, h| {
                b.add_joint(child("hinge", h, JointKind::revolute_x()));
            }),
            "two joints are named `hinge`",
        ),
        (
            refusal(|b, h| {
                b.add_frame(h, "tool", Se3::identity(), FrameKind::Operational);
                b.add_frame(h, "tool", Se3::identity(), FrameKind::Operational);
            }),
            "named `tool`",
        ),
        (
            refusal(|b, h| {
                b.add_joint(child("bad", h, JointKind::revolute_x()).placement(scaled));
            }),
            "`bad` has a rotation that is not orthonormal",
        ),
        (
            refusal(|b, h| {
                b.add_joint(
                    child("bad", h, JointKind::revolute_x()).limits(Limits::unbounded(2, 1)),
                );
            }),
            "lower limit of joint `bad` has 2 entries where its kind needs 1",
        ),
        (
            refusal(|b, h| {
                let mut limits = Limits::unbounded(1, 1);
                (limits.lower[0], limits.upper[0]) = (1.0, -1.0);
                b.add_joint(child("bad", h, JointKind::revolute_x()).limits(limits));
            }),
            "joint `bad` has a lower limit 1 above its upper limit -1",
        ),
        (
            refusal(|b, h| {
                b.add_joint(child("bad", h, JointKind::revolute_x()).damping(-1.0));
            }),
            "damping of `bad` is negative",
        ),
        (
            refusal(|b, h| {
                let ball_joint = b.add_joint(child("bad", h, JointKind::Spherical));
                b.mimic(ball_joint, h, 1.0, 0.0);
            }),
            "joint `bad` can't mimic `hinge`",
        ),
        (
            refusal(|b, h| {
                let other = b.add_joint(child("bad", h, JointKind::revolute_x()));
                b.mimic(other, h, 1.0, 0.0).mimic(h, other, 1.0, 0.0);
            }),
            "cycle",
        ),
        (
            refusal(|b, _| {
                b.reference_configuration("home", vec![0.0; 3]);
            }),
            "`home` has 3 entries where the model needs 1",
        ),
        (
            refusal(|b, _| {
                b.gravity(Vec3::new(0.0, f64::INFINITY, 0.0));
            }),
            "the gravity",
        ),
    ];
    for (message, part) in cases {
        assert!(message.contains(part), "`{message}` does not say `{part}`");
    }
    assert!(
        samples::snake(2)
            .with_gravity(Vec3::new(0.0, 0.0, f64::NAN))
            .is_err()
    );
}

#[test]
fn what_is_doubtful_is_a_warning() {
    let mut builder = ModelBuilder::new("test");
    let first = builder.add_joint(JointSpec::new(
        "first",
        ModelBuilder::UNIVERSE,
        JointKind::revolute_x(),
    ));
    let flat = Sym3::diagonal(Vec3::new(0.1, 0.1, 0.5));
    builder.add_body(
        first,
        "flat",
        Se3::identity(),
        Inertia::new(1.0, Vec3::zero(), flat),
    );
    builder.add_body(
        first,
        "point",
        Se3::identity(),
        Inertia::new(1.0, Vec3::zero(), Sym3::zero()),
    );
    builder.add_joint(JointSpec::new("empty", first, JointKind::revolute_x()));
    let warnings = builder.build().unwrap().warnings;
    let has = |test: fn(&ModelWarning) -> bool| warnings.iter().any(test);
    assert!(has(
        |w| matches!(w, ModelWarning::TriangleInequality { body, .. } if body == "flat")
    ));
    assert!(has(
        |w| matches!(w, ModelWarning::PointMass { body, .. } if body == "point")
    ));
    assert!(has(
        |w| matches!(w, ModelWarning::MovesNothing { joint } if joint == "empty")
    ));
    assert_eq!(warnings.len(), 3);
}

#[test]
fn the_tree_answers_for_itself() {
    for (model, _) in models() {
        for id in model.joint_ids() {
            let support: Vec<JointId> = model.support(id).collect();
            assert_eq!(support.first(), Some(&id));
            assert!(model.parent(id) < id);
            let subtree: Vec<JointId> = model.subtree(id).collect();
            for other in model.joint_ids() {
                let below = model.support(other).any(|above| above == id);
                assert_eq!(subtree.contains(&other), below);
            }
            for child in model.children(id) {
                assert_eq!(model.parent(child), id);
            }
            assert_eq!(model.joint_id(&model.joint(id).name), Ok(id));
        }
    }
    let error = samples::double_pendulum().joint_id("sholder").unwrap_err();
    assert_eq!(error.closest.as_deref(), Some("shoulder"));
}

#[test]
fn a_stored_model_is_the_same_model() {
    for (model, seed) in models() {
        let read: Model = serde_json::from_str(&serde_json::to_string(&model).unwrap()).unwrap();
        assert_eq!(read, model);
        let s = State::random(&model, seed);
        let tau = model
            .rnea(&mut Workspace::new(&model), &s.q, &s.v, &s.a)
            .unwrap()
            .to_vec();
        let mut ws = Workspace::new(&read);
        close(
            "tau",
            read.rnea(&mut ws, &s.q, &s.v, &s.a).unwrap(),
            &tau,
            0.0,
        );
    }
}

#[test]
fn a_stored_model_is_checked_when_it_is_read() {
    let text = serde_json::to_string(&samples::double_pendulum()).unwrap();
    let damaged = [
        ("\"mass\":1.0", "\"mass\":-1.0"),
        ("\"xx\":0.08", "\"xx\":-5.08"),
        ("\"idx_v\":1", "\"idx_v\":7"),
        ("\"parent\":1", "\"parent\":9"),
        ("\"idx_v\":0", "\"idx_v\":1"),
        ("\"universe\"", "\"world\""),
        ("-9.81", "null"),
    ];
    for (good, bad) in damaged {
        let changed = text.replace(good, bad);
        assert_ne!(changed, text, "{good} does not occur");
        assert!(
            serde_json::from_str::<Model>(&changed).is_err(),
            "{bad} was accepted"
        );
    }
}
