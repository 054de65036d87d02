//! The hash of a model's content: the same wherever the model is, another after every change.

use crate::common::models;
use featherline::Model;
use featherline::joint::JointKind;
use featherline::model::{Drive, FrameKind, JointSpec, Limits, ModelBuilder};
use featherline::samples::double_pendulum;
use featherline::spatial::{Inertia, Mat3, Se3, Sym3, Vec3};
use serde_json::Value;
use std::collections::HashSet;

/// A robot in which everything occurs that a model can say.
fn everything() -> Model {
    let at = |x, y, z| Se3::new(Mat3::from_roll_pitch_yaw(x, y, z), Vec3::new(x, y, z));
    let axis = Vec3::new(2.0, -3.0, 6.0);
    let wrist = [
        (at(0.1, 0.2, 0.3), JointKind::helical(axis, 0.25)),
        (at(-0.2, 0.1, 0.4), JointKind::SphericalZyx),
    ];
    let kinds = [
        JointKind::FreeFlyer,
        JointKind::revolute(axis),
        JointKind::prismatic_x(),
        JointKind::revolute_unbounded_y(),
        JointKind::helical(axis, -0.5),
        JointKind::cylindrical(axis),
        JointKind::universal(axis, Vec3::unit(1)),
        JointKind::Planar,
        JointKind::Translation,
        JointKind::Spherical,
        JointKind::SphericalZyx,
        JointKind::ellipsoid(Vec3::new(0.1, 0.2, 0.3)),
        JointKind::composite(wrist).expect("there are parts"),
        JointKind::Fixed,
    ];
    let mut builder = ModelBuilder::new("everything, Größe 1");
    builder.gravity(Vec3::new(0.0, 0.5, -1.62));
    let mut handles = vec![ModelBuilder::UNIVERSE];
    for (i, kind) in kinds.into_iter().enumerate() {
        let x = i as f64;
        let parent = handles[i / 2];
        let mut spec = JointSpec::new(format!("joint_{i}"), parent, kind.clone());
        spec = spec.placement(at(0.01 * x, 0.02 * x, -0.03 * x));
        if i == 1 {
            spec = spec
                .limits(Limits {
                    lower: vec![-1.5],
                    velocity: vec![3.0],
                    effort: vec![40.0],
                    acceleration: vec![500.0],
                    ..Limits::unbounded(1, 1)
                })
                .drive(Drive {
                    armature: vec![0.01],
                    rotor_inertia: vec![1e-5],
                    gear_ratio: vec![101.0],
                    damping: vec![0.2],
                    friction: vec![0.3],
                    stiffness: vec![0.4],
                    spring_reference: vec![0.5],
                });
        }
        let handle = builder.add_joint(spec);
        let inertia = Inertia::new(
            1.0 + x,
            Vec3::new(0.1, 0.0, -0.1 * x),
            Sym3::new(0.5, 0.01, 0.02, 0.6, 0.03, 0.7),
        );
        builder.add_body(handle, format!("body_{i}"), Se3::identity(), inertia);
        handles.push(handle);
    }
    builder.mimic(handles[3], handles[2], -2.0, 0.125);
    let (from, to) = (
        (handles[1], at(0.1, 0.2, 0.3)),
        (handles[5], at(0.4, 0.5, 0.6)),
    );
    builder.close_loop("ring", JointKind::cylindrical(Vec3::unit(1)), from, to);
    builder.add_frame(
        handles[3],
        "tool",
        at(1.0, 2.0, 3.0),
        FrameKind::Operational,
    );
    builder.add_frame(handles[3], "weld", at(1.0, 2.0, 3.0), FrameKind::FixedJoint);
    builder.add_frame(handles[4], "imu", at(0.5, 0.25, 0.0), FrameKind::Sensor);
    let q = builder.build().expect("a sound model").model;
    let q: Vec<f64> = q.neutral_configuration();
    builder.reference_configuration("home", q.clone());
    builder.reference_configuration("also", q);
    builder.build().expect("a sound model").model
}

fn read(stored: &Value) -> Option<Model> {
    serde_json::from_value(stored.clone()).ok()
}

/// The hashes that another program computes of stored models (reference/content_hash.py), so that
/// they are the same in every process and on every platform.
#[test]
fn hashes_are_those_of_the_documented_description() {
    let stored: Value = serde_json::from_str(include_str!("reference/content_hash.json"))
        .expect("the file is JSON");
    let cases = stored.as_array().expect("a list");
    let built = [everything(), double_pendulum()];
    assert_eq!(cases.len(), built.len());
    for (case, built) in cases.iter().zip(built) {
        let model = read(&case["model"]).expect("a sound model");
        let hash = format!("{:032x}", model.content_hash());
        assert_eq!(hash, case["hash"], "{}", model.name());
        // A model that is built anew may differ from the stored one in the last bit of a sine.
        assert_eq!(built.name(), model.name());
        assert_eq!(built.frames().len(), model.frames().len());
    }
}

#[test]
fn storing_and_cloning_keep_the_hash() {
    let mut hashes = HashSet::new();
    for (model, _) in models() {
        let stored = serde_json::to_string(&model).expect("a model can be stored");
        let again: Model = serde_json::from_str(&stored).expect("it was sound");
        assert_eq!(again.content_hash(), model.content_hash());
        assert_eq!(model.clone().content_hash(), model.content_hash());
        hashes.insert(model.content_hash());
    }
    assert_eq!(hashes.len(), models().len());
}

#[test]
fn the_sign_of_zero_does_not_count() {
    let pendulum = |zero: f64| {
        let gravity = Vec3::new(zero, 0.0, -9.81);
        double_pendulum().with_gravity(gravity).expect("finite")
    };
    assert_eq!(pendulum(0.0), pendulum(-0.0));
    assert_eq!(pendulum(0.0).content_hash(), pendulum(-0.0).content_hash());
    assert_ne!(
        pendulum(0.0).content_hash(),
        pendulum(1e-300).content_hash()
    );
}

/// Changes every number and text of a stored value in turn, and hands the whole to `try_it`.
fn change_each(
    whole: &Value,
    path: &mut Vec<String>,
    here: &Value,
    try_it: &mut impl FnMut(&str, Value),
) {
    let pointer = format!("/{}", path.join("/"));
    let mut replace = |new: Value| {
        let mut changed = whole.clone();
        if let Some(place) = changed.pointer_mut(&pointer) {
            *place = new;
            try_it(&pointer, changed);
        }
    };
    match here {
        Value::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(index), _) => {
                replace((index + 1).into());
                if index > 0 {
                    replace((index - 1).into());
                }
            }
            (None, Some(x)) => {
                // In the last place, so that rotations stay rotations; a tiny amount where it was
                // zero.
                let next = if x == 0.0 { 1e-300 } else { x.next_up() };
                replace(next.into());
            }
            _ => panic!("{number} is no number"),
        },
        Value::String(text) => replace(format!("{text}'").into()),
        Value::Null => replace(7.0.into()),
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                path.push(i.to_string());
                change_each(whole, path, item, try_it);
                path.pop();
            }
        }
        Value::Object(entries) => {
            for (key, value) in entries {
                path.push(key.clone());
                change_each(whole, path, value, try_it);
                path.pop();
            }
        }
        Value::Bool(_) => panic!("models have no truth values"),
    }
}

#[test]
fn whatever_is_changed_changes_the_hash() {
    let model = everything();
    let whole = serde_json::to_value(&model).expect("a model can be stored");
    let mut hashes = HashSet::from([model.content_hash()]);
    let (mut accepted, mut refused) = (0, 0);
    change_each(&whole, &mut Vec::new(), &whole, &mut |place, changed| {
        match read(&changed) {
            Some(other) if other == model => {
                // An axis is normalised again, which may undo a change in its last place.
                assert!(place.contains("axis") || place.contains("first"), "{place}");
            }
            Some(other) => {
                assert!(
                    hashes.insert(other.content_hash()),
                    "{place} does not count"
                );
                accepted += 1;
            }
            None => refused += 1,
        }
    });
    // Indices must fit, and kinds be known; all other entries may have other values.
    assert!(
        accepted > 1000 && refused < accepted / 4,
        "{accepted} {refused}"
    );
}
