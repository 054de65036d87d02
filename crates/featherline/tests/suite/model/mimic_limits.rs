//! Random configurations keep mimic joints within their limits, too.

use featherline::joint::JointKind;
use featherline::model::{Built, JointSpec, Limits, ModelBuilder, ModelWarning};
use featherline::spatial::{Inertia, Se3, Sym3, Vec3};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::f64::consts::PI;

fn limits(nq: usize, lower: f64, upper: f64) -> Limits {
    Limits {
        lower: vec![lower; nq],
        upper: vec![upper; nq],
        ..Limits::unbounded(nq, 1)
    }
}

/// A mimic joint's limits and law: lower, upper, ratio, offset.
type Law = [f64; 4];

/// A least and a greatest displacement.
type Interval = (f64, f64);

/// A joint with its limits, its mimic joints, and what comes out.
type Case<'a, T> = (JointKind, Interval, &'a [Law], T);

/// A joint with limits, and mimic joints of it, each mimicking the one before.
fn build(kind: JointKind, (lower, upper): Interval, mimic_joints: &[Law]) -> Built {
    let mut builder = ModelBuilder::new("fingers");
    let body = Inertia::new(1.0, Vec3::new(0.1, 0.0, 0.0), Sym3::scalar(0.1));
    let nq = kind.nq();
    let source = JointSpec::new("source", ModelBuilder::UNIVERSE, kind);
    let source = builder.add_joint(source.limits(limits(nq, lower, upper)));
    builder.add_body(source, "palm", Se3::identity(), body);
    for (i, &[lower, upper, ratio, offset]) in mimic_joints.iter().enumerate() {
        let name = format!("mimic_joint_{i}");
        let spec = JointSpec::new(name.clone(), source, JointKind::prismatic_y());
        let mimic_joint = builder.add_joint(spec.limits(limits(1, lower, upper)));
        builder.mimic(mimic_joint, source, ratio, offset);
        builder.add_body(mimic_joint, format!("{name}_body"), Se3::identity(), body);
    }
    builder.build().expect("a sound model")
}

/// The warnings of contradicting limits. That a prismatic joint can't mimic an angle without its
/// full rotations is another matter, and tested here.
fn contradictions(built: &Built) -> Vec<ModelWarning> {
    let source = &built
        .model
        .joint(built.model.joint_id("source").unwrap())
        .kind;
    let jump = |warning: &&ModelWarning| matches!(warning, ModelWarning::MimicJumps { .. });
    let jumps = built.warnings.iter().filter(jump).count();
    let expected = if let JointKind::RevoluteUnbounded { .. } = source {
        built.model.joints().len() - 2
    } else {
        0
    };
    assert_eq!(jumps, expected);
    let others = built.warnings.iter().filter(|warning| !jump(warning));
    others.cloned().collect()
}

/// The least and the greatest of many random displacements of the first joint.
fn extent(built: &Built) -> Interval {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut extent = (f64::INFINITY, f64::NEG_INFINITY);
    for _ in 0..2000 {
        let q = built.model.random_configuration(&mut rng);
        let displacement = match q.as_slice() {
            [cos, sin] => sin.atan2(*cos),
            [displacement] => *displacement,
            _ => panic!("the source alone has coordinates"),
        };
        extent = (extent.0.min(displacement), extent.1.max(displacement));
    }
    extent
}

const FREE: Interval = (f64::NEG_INFINITY, f64::INFINITY);

#[test]
fn the_range_of_a_mimicked_joint_is_what_its_mimic_joints_leave() {
    let slide = JointKind::prismatic_x;
    let cases: [Case<Interval>; 8] = [
        // No mimic joints, or mimic joints without limits.
        (slide(), (-2.0, 3.0), &[], (-2.0, 3.0)),
        (
            slide(),
            (-2.0, 3.0),
            &[[FREE.0, FREE.1, 2.0, 0.1]],
            (-2.0, 3.0),
        ),
        // 2 q + 1 in [0, 2], and −q/2 in [−0.1, 5].
        (slide(), (-2.0, 3.0), &[[0.0, 2.0, 2.0, 1.0]], (-0.5, 0.5)),
        (
            slide(),
            (-2.0, 3.0),
            &[[0.0, 2.0, 2.0, 1.0], [-0.1, 5.0, -0.5, 0.0]],
            (-0.5, 0.2),
        ),
        // A joint without limits gets those of its mimic joints.
        (slide(), FREE, &[[4.0, 5.0, 1.0, 0.0]], (4.0, 5.0)),
        // A mimic joint that stays where it may be asks for nothing.
        (slide(), (-2.0, 3.0), &[[0.0, 1.0, 0.0, 0.5]], (-2.0, 3.0)),
        (
            JointKind::revolute_unbounded_x(),
            FREE,
            &[[-0.5, 0.25, -0.5, 0.0]],
            (-0.5, 1.0),
        ),
        (
            JointKind::revolute_unbounded_x(),
            FREE,
            &[[-9.0, 0.0, 1.0, 0.0]],
            (-PI, 0.0),
        ),
    ];
    for (kind, own, mimic_joints, (lower, upper)) in cases {
        let built = build(kind, own, mimic_joints);
        assert_eq!(contradictions(&built), []);
        let found = extent(&built);
        // 2000 draws come within a hundredth of the ends, and leave the range by rounding at most.
        let near = 0.01 * (upper - lower);
        assert!(
            (lower - 1e-15..lower + near).contains(&found.0),
            "{mimic_joints:?}: {found:?}"
        );
        assert!(
            (upper - near..=upper + 1e-15).contains(&found.1),
            "{mimic_joints:?}: {found:?}"
        );
    }
}

#[test]
fn limits_that_meet_in_a_point_are_no_contradiction() {
    let built = build(
        JointKind::revolute_x(),
        (0.3, 1.0),
        &[[-1.0, 0.1, 1.0, -0.2]],
    );
    assert_eq!(built.warnings, []);
    let found = extent(&built);
    assert!(
        (found.0 - 0.3).abs() < 1e-15 && (found.1 - 0.3).abs() < 1e-15,
        "{found:?}"
    );
}

#[test]
fn limits_that_contradict_are_a_warning_and_leave_those_of_the_mimicked_joint() {
    let cases: [Case<(&str, Interval)>; 4] = [
        (
            JointKind::revolute_x(),
            (0.0, 1.0),
            &[[2.0, 3.0, 1.0, 0.0]],
            ("mimic_joint_0", (0.0, 1.0)),
        ),
        (
            JointKind::revolute_x(),
            (0.0, 1.0),
            &[[0.0, 0.4, 1.0, 0.0], [0.5, 1.0, 1.0, 0.0]],
            ("mimic_joint_1", (0.0, 1.0)),
        ),
        // It stands still, outside its limits.
        (
            JointKind::revolute_x(),
            (0.0, 1.0),
            &[[0.0, 1.0, 0.0, 2.0]],
            ("mimic_joint_0", (0.0, 1.0)),
        ),
        // An angle beyond π is none.
        (
            JointKind::revolute_unbounded_x(),
            FREE,
            &[[4.0, 5.0, 1.0, 0.0]],
            ("mimic_joint_0", (-PI, PI)),
        ),
    ];
    for (kind, own, mimic_joints, (first, (lower, upper))) in cases {
        let built = build(kind, own, mimic_joints);
        let expected = ModelWarning::ContradictoryLimits {
            mimicked: "source".to_owned(),
            mimic: first.to_owned(),
        };
        assert_eq!(contradictions(&built), [expected]);
        let found = extent(&built);
        let near = 0.01 * (upper - lower);
        assert!(found.0 >= lower && found.0 < lower + near, "{found:?}");
        assert!(found.1 <= upper && found.1 > upper - near, "{found:?}");
    }
}
