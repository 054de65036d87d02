//! Loop joints as part of the model.

use featherline::Model;
use featherline::joint::{JointError, JointKind};
use featherline::model::{JointSpec, ModelBuilder, ModelError};
use featherline::samples::{self, RandomTree, random_loops};
use featherline::spatial::{Inertia, Mat3, Se3, Vec3};

fn build(
    close: impl Fn(&mut ModelBuilder, [featherline::model::JointHandle; 2]),
) -> Result<Model, ModelError> {
    let mut builder = ModelBuilder::new("pair");
    let arms = ["left", "right"].map(|name| {
        let hinge = JointSpec::new(name, ModelBuilder::UNIVERSE, JointKind::revolute_y());
        let joint = builder.add_joint(hinge);
        let body = Inertia::cuboid(1.0, Vec3::new(0.1, 0.2, 0.3));
        builder.add_body(joint, format!("{name}_arm"), Se3::identity(), body);
        joint
    });
    close(&mut builder, arms);
    Ok(builder.build()?.model)
}

fn at(x: f64) -> Se3<f64> {
    Se3::from_translation(Vec3::new(x, 0.0, 0.0))
}

#[test]
fn loops_are_found_by_name_and_keep_their_ends_when_joints_are_sorted() {
    let mut builder = ModelBuilder::new("sorted");
    let hinge = |name| JointSpec::new(name, ModelBuilder::UNIVERSE, JointKind::revolute_y());
    let late = builder.add_joint(hinge("b"));
    let early = builder.add_joint(hinge("a"));
    builder.sibling_order(featherline::model::SiblingOrder::Alphabetical);
    let axis = JointKind::Revolute {
        axis: Vec3::new(0.0, 2.0, 0.0),
    };
    builder.close_loop("ring", axis, (late, at(1.0)), (early, at(2.0)));
    let model = builder.build().unwrap().model;
    let ring = model.loop_joint(model.loop_id("ring").unwrap());
    assert_eq!(model.joint(ring.predecessor).name, "b");
    assert_eq!(model.joint(ring.successor).name, "a");
    assert_eq!(ring.kind, JointKind::revolute_y());
    assert_eq!(
        (ring.predecessor_placement, ring.constraints()),
        (at(1.0), 5)
    );
    assert_eq!((model.nq(), model.nv()), (2, 2));
    let unknown = model.loop_id("rinq").unwrap_err().to_string();
    assert!(
        unknown.contains("loop joint") && unknown.contains("`ring`"),
        "{unknown}"
    );
}

#[test]
fn what_closes_no_loop_is_refused() {
    let refusal = |kind: JointKind, same: bool| {
        let built = build(|builder, [a, b]| {
            builder.close_loop(
                "ring",
                kind.clone(),
                (a, at(0.0)),
                (if same { a } else { b }, at(1.0)),
            );
        });
        built.unwrap_err()
    };
    let hinge = JointKind::revolute_y();
    let reason = refusal(hinge.clone(), true).to_string();
    assert!(
        reason.contains("`ring`") && reason.contains("one body"),
        "{reason}"
    );
    let reason = refusal(JointKind::FreeFlyer, false).to_string();
    assert!(reason.contains("holds nothing"), "{reason}");
    let twice = JointKind::composite([(at(0.0), hinge.clone()), (at(0.0), hinge)]).unwrap();
    let reason = refusal(twice, false).to_string();
    assert!(reason.contains("redundant"), "{reason}");
    let no_axis = JointKind::Prismatic { axis: Vec3::zero() };
    let refused = refusal(no_axis, false);
    assert!(
        matches!(&refused, ModelError::Kind { joint, source: JointError::ZeroAxis { .. } } if joint == "ring"),
        "{refused}"
    );
}

#[test]
fn names_placements_and_handles_are_checked() {
    let close = |name: &str, placement: Se3<f64>| {
        build(|builder, [a, b]| {
            builder.close_loop(name, JointKind::Spherical, (a, placement), (b, at(1.0)));
        })
    };
    assert!(close("ring", at(0.0)).is_ok());
    let double = close("left", at(0.0)).unwrap_err();
    assert!(
        matches!(double, ModelError::DuplicateName { .. }),
        "{double}"
    );
    let infinite = close("ring", at(f64::INFINITY)).unwrap_err();
    assert!(
        matches!(infinite, ModelError::NotFinite { .. }),
        "{infinite}"
    );
    let stretched = Se3::from_rotation(Mat3::from_columns(
        Vec3::unit(0) * 2.0,
        Vec3::unit(1),
        Vec3::unit(2),
    ));
    let skewed = close("ring", stretched).unwrap_err();
    assert!(
        matches!(skewed, ModelError::NotARotation { .. }),
        "{skewed}"
    );

    let mut larger = ModelBuilder::new("larger");
    let mut last = ModelBuilder::UNIVERSE;
    for k in 0..5 {
        last = larger.add_joint(JointSpec::new(
            format!("j{k}"),
            last,
            JointKind::revolute_x(),
        ));
    }
    let foreign = build(|builder, [a, _]| {
        builder.close_loop("ring", JointKind::Spherical, (a, at(0.0)), (last, at(0.0)));
    });
    let foreign = foreign.unwrap_err();
    assert!(
        matches!(&foreign, ModelError::ForeignHandle { name } if name == "ring"),
        "{foreign}"
    );
}

#[test]
fn loops_are_stored_and_hashed() {
    let shape = RandomTree::default();
    for model in [samples::stewart(), random_loops(3, &shape, 4)] {
        let stored = serde_json::to_value(&model).unwrap();
        let again: Model = serde_json::from_value(stored.clone()).unwrap();
        assert_eq!(again, model);
        assert_eq!(again.content_hash(), model.content_hash());
        for (pointer, value) in [
            ("/loop_joints/1/name", serde_json::json!("other")),
            (
                "/loop_joints/1/successor_placement/translation/0",
                serde_json::json!(0.123),
            ),
            ("/loop_joints/1/predecessor", serde_json::json!(2)),
        ] {
            let mut changed = stored.clone();
            *changed.pointer_mut(pointer).unwrap() = value;
            let changed: Model = serde_json::from_value(changed).unwrap();
            assert_ne!(changed.content_hash(), model.content_hash(), "{pointer}");
        }
        let mut foreign = stored.clone();
        *foreign.pointer_mut("/loop_joints/0/successor").unwrap() = serde_json::json!(99);
        let refused = serde_json::from_value::<Model>(foreign)
            .unwrap_err()
            .to_string();
        assert!(refused.contains("does not exist"), "{refused}");
        // Models were stored before there were loops.
        let mut tree = stored;
        tree.as_object_mut().unwrap().remove("loop_joints");
        let tree: Model = serde_json::from_value(tree).unwrap();
        assert!(tree.loop_joints().is_empty() && tree != model);
        assert_ne!(tree.content_hash(), model.content_hash());
    }
}
