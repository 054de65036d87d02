//! Doubtful or unused statements are reported as warnings, with their positions.

use featherline::model::ModelWarning;
use featherline_formats::{Severity, Warning, WarningCause, load_str};

fn warnings(text: &str) -> Vec<Warning> {
    match load_str(text) {
        Ok(loaded) => loaded.warnings,
        Err(error) => panic!("{error}"),
    }
}

/// Line and text of every warning.
fn shown(text: &str) -> Vec<(usize, String)> {
    let of = |w: &Warning| {
        (
            w.location.position.map_or(0, |p| p.line),
            w.cause.to_string(),
        )
    };
    warnings(text).iter().map(of).collect()
}

#[test]
fn what_is_not_used_is_told_once_a_kind_with_its_count_and_first_line() {
    let text = r#"<robot name="r" xmlns:x="y" colour="red">
  <transmission name="steel"/>
  <link name="a" type="?">
    <visual><geometry><mesh filename="no/such/file.dae"/></geometry><paint/></visual>
    <collision/>
  </link>
  <link name="b"><visual/><visual/>forgotten</link>
  <joint name="j" type="fixed">
    <parent link="a"/><child link="b"/><axis xyz="zero"/><limit lower="x"/><mimic/>
    <safety_controller/>
  </joint>
  <link name="c"/>
  <joint name="k" type="continuous">
    <parent link="a"/><child link="c"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
    <dynamics damping="0" spring="1"/>
  </joint>
  <x:link name="d"/>
  <gazebo reference="a"><visual/></gazebo>
  <transmission name="brass"/>
</robot>"#;
    let all = shown(text);
    let expected = [
        (1, "the attribute `colour` of `<robot>` is not used"),
        (
            2,
            "`<transmission>` in `<robot>` is not used (2 times, first here)",
        ),
        (3, "the attribute `type` of `<link>` is not used"),
        (4, "`<paint>` in `<visual>` is not used"),
        (
            5,
            "the collision shape is left out: `<geometry>` is missing",
        ),
        (7, "the visual is left out: `<geometry>` is missing"),
        (7, "the visual is left out: `<geometry>` is missing"),
        (7, "text in `<link>` is not used"),
        (9, "`<axis>` in a fixed joint is not used"),
        (9, "`<limit>` in a fixed joint is not used"),
        (9, "`<mimic>` in a fixed joint is not used"),
        (10, "`<safety_controller>` in `<joint>` is not used"),
        (
            15,
            "the attribute `lower` of a continuous joint's `<limit>` is not used",
        ),
        (
            15,
            "the attribute `upper` of a continuous joint's `<limit>` is not used",
        ),
        (16, "the attribute `spring` of `<dynamics>` is not used"),
        (18, "`<x:link>` in `<robot>` is not used"),
        (19, "`<gazebo>` in `<robot>` is not used"),
    ];
    for (line, what) in expected {
        assert!(
            all.contains(&(line, what.to_owned())),
            "{line}: {what} is not among {all:#?}"
        );
    }
    // The link `c` is massless, so that the joint that moves it is named too.
    assert_eq!(all.len(), expected.len() + 1, "{all:#?}");
    assert!(all.is_sorted_by_key(|(line, _)| *line), "{all:#?}");
}

#[test]
fn what_other_types_of_joints_have_no_use_for_is_told() {
    for (kind, unused) in [
        ("floating", &["axis", "limit", "dynamics"][..]),
        ("planar", &["limit", "dynamics"]),
    ] {
        let text = format!(
            "<robot name='r'><link name='a'/><link name='b'/>
<joint name='j' type='{kind}'><parent link='a'/><child link='b'/>
<axis xyz='0 0 1'/><limit/><dynamics/></joint></robot>"
        );
        let all = shown(&text);
        for element in unused {
            let what = format!("`<{element}>` in a {kind} joint is not used");
            assert!(all.contains(&(3, what)), "{all:#?}");
        }
        assert_eq!(
            all.iter()
                .filter(|(_, what)| what.contains("not used"))
                .count(),
            unused.len()
        );
    }
}

#[test]
fn missing_limits_and_names_are_taken_as_stated() {
    let joint = |inner: &str| {
        format!(
            "<robot><link name='a'/>
<joint name='j' type='revolute'><parent link='a'/><child link='b'/>
{inner}</joint>
<link name='b'><inertial><mass value='1'/>
<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link></robot>"
        )
    };
    let nameless = (1, "the robot has no name; it is called `robot`".to_owned());
    let unbounded = |name: &str| {
        (
            3,
            format!("the limit has no `{name}`; it is taken as unbounded"),
        )
    };
    assert_eq!(
        shown(&joint("")),
        [
            nameless.clone(),
            (
                2,
                "the joint has no `<limit>`, which its type needs; it is taken as unbounded"
                    .to_owned()
            )
        ]
    );
    assert_eq!(
        shown(&joint("<limit lower='-1' upper='1'/>")),
        [nameless.clone(), unbounded("velocity"), unbounded("effort")]
    );
    let no_range =
        "the limit has neither `lower` nor `upper`; both are 0 in URDF, and the joint has no range";
    assert_eq!(
        shown(&joint("<limit effort='1' velocity='1'/>")),
        [nameless.clone(), (3, no_range.to_owned())]
    );
    assert_eq!(
        shown(&joint("<limit upper='1' effort='inf' velocity='1'/>")),
        [nameless]
    );
}

#[test]
fn what_the_model_doubts_is_told_at_the_element() {
    let text = "<robot name='r'><link name='a'/>
<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>
<joint name='k' type='continuous'><parent link='b'/><child link='c'/></joint>
<joint name='f' type='fixed'><parent link='b'/><child link='d'/></joint>
<joint name='g' type='fixed'><parent link='b'/><child link='e'/></joint>
<link name='b'><inertial><mass value='1'/>
<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='5'/></inertial></link>
<link name='c'/>
<link name='d'><inertial><mass value='1'/>
<inertia ixx='0' ixy='0' ixz='1e-20' iyy='0' iyz='0' izz='0'/></inertial></link>
<link name='e'><inertial><mass value='1'/>
<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='-0.1'/></inertial></link></robot>";
    let all = warnings(text);
    let place = |w: &Warning| {
        let WarningCause::Model(inner) = &w.cause else {
            panic!("{w}");
        };
        let element = w.location.element.clone().unwrap_or_default();
        (
            w.location.position.map_or(0, |p| p.line),
            element,
            inner.clone(),
        )
    };
    let all: Vec<_> = all.iter().map(place).collect();
    let inertia = |link| format!("robot/link[@name='{link}']/inertial/inertia");
    assert_eq!(all.len(), 4, "{all:#?}");
    // Link e has an impossible inertia, that of b outweighs it; d has only what rounding left.
    assert!(
        matches!(&all[0], (3, joint, ModelWarning::MovesNothing { .. }) if joint == "robot/joint[@name='k']")
    );
    assert!(
        matches!(&all[1], (7, path, ModelWarning::TriangleInequality { .. }) if *path == inertia("b"))
    );
    assert!(matches!(&all[2], (10, path, ModelWarning::PointMass { .. }) if *path == inertia("d")));
    assert!(
        matches!(&all[3], (12, path, ModelWarning::InertiaNotPositive { moment, .. })
            if *path == inertia("e") && *moment == -0.1)
    );
}

#[test]
fn limits_without_a_common_range_are_reported_at_the_mimic_joint() {
    let body = "<inertial><mass value='1'/>
<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
    let text = |lower: &str| {
        format!(
            "<robot name='r'><link name='a'/><link name='b'>{body}</link><link name='c'>{body}</link>
<joint name='j' type='revolute'><parent link='a'/><child link='b'/>
<limit lower='0' upper='1' effort='1' velocity='1'/></joint>
<joint name='k' type='revolute'><parent link='b'/><child link='c'/><mimic joint='j' multiplier='-1'/>
<limit lower='{lower}' upper='-0.5' effort='1' velocity='1'/></joint></robot>"
        )
    };
    assert_eq!(warnings(&text("-0.8")).len(), 0);
    let all = shown(&text("-0.8").replace("multiplier='-1'", ""));
    assert!(
        all.iter()
            .any(|(line, what)| *line == 6 && what.contains("those of `k` leave no range")),
        "{all:?}"
    );
}

#[test]
fn figures_that_overflow_are_told_where_they_stand() {
    let text = "<robot name='r'><link name='a'/>
<link name='b'><inertial><mass value='1e60'/>
<inertia ixx='1e49' ixy='0' ixz='0' iyy='1e49' iyz='0' izz='1e49'/></inertial></link>
<link name='c'><inertial><mass value='1'/>
<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>
<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>
<joint name='k' type='continuous'><mimic joint='j' multiplier='-1e200' offset='1e51'/>
<origin xyz='0 -1e80 0'/><parent link='b'/><child link='c'/></joint></robot>";
    let told = [
        (3, "the mass of body `b` is 1e60"),
        (7, "the placement of joint `k` is 1e80"),
        (7, "the mimic ratio of joint `k` is -1e200"),
        (7, "the mimic offset of joint `k` is 1e51"),
    ];
    let all = shown(text);
    assert_eq!(all.len(), told.len(), "{all:?}");
    for ((line, what), (expected_line, expected)) in all.iter().zip(told) {
        assert_eq!(*line, expected_line, "{what}");
        assert!(what.starts_with(expected), "{what}");
    }
}

#[test]
fn a_warning_shows_its_place() {
    let all = warnings("<robot name='r'>\n  <link name='a'/> <gazebo/>\n</robot>");
    assert_eq!(
        all[0].to_string(),
        "line 2, column 20: robot/gazebo: `<gazebo>` in `<robot>` is not used"
    );
}

#[test]
fn limits_without_a_range_are_warnings_and_unused_parts_are_notes() {
    let text = r#"<robot name="r"><link name="a"><paint/></link><link name="b"/>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/>
    <limit lower="0.5" upper="0.5" velocity="0" effort="0"/></joint></robot>"#;
    let warnings = warnings(text);
    let of = |severity| {
        let alike = warnings.iter().filter(move |it| it.severity() == severity);
        alike.map(|it| &it.cause).collect::<Vec<_>>()
    };
    let notes = of(Severity::Note);
    assert!(
        matches!(notes[..], [WarningCause::Unused { .. }]),
        "{notes:?}"
    );
    let limits: Vec<&WarningCause> = of(Severity::Warning);
    let limits = limits
        .into_iter()
        .filter(|it| !matches!(it, WarningCause::Model(_)));
    let limits: Vec<&WarningCause> = limits.collect();
    assert_eq!(
        limits,
        [
            &WarningCause::EqualLimits { at: 0.5 },
            &WarningCause::ZeroBound {
                attribute: "velocity"
            },
            &WarningCause::ZeroBound {
                attribute: "effort"
            },
        ]
    );
    let of_limits = |it: &&Warning| matches!(it.cause, WarningCause::EqualLimits { .. });
    let first = warnings.iter().find(of_limits).unwrap();
    assert_eq!(
        first.location.position.map(|it| (it.line, it.column)),
        Some((3, 5))
    );
}
