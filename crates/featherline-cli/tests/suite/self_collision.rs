//! `check --self-collision`: pairs that always, never or sometimes overlap, and their SRDF.

use crate::process::{Run, file, json_lines, run};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// An arm of four links with a ball each; that of `c` is at `x` and circles around `b`, 1 m from
/// `a`.
fn arm(x: f64, radius: f64) -> PathBuf {
    let link = |name: &str, x: f64, radius: f64| {
        format!(
            "<link name='{name}'><inertial><mass value='1'/>
             <inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>
             <collision><origin xyz='{x} 0 0'/><geometry><sphere radius='{radius}'/></geometry>
             </collision></link>"
        )
    };
    let joint = |name: &str, parent: &str, child: &str, x: f64| {
        format!(
            "<joint name='{name}' type='revolute'><parent link='{parent}'/><child link='{child}'/>
             <origin xyz='{x} 0 0'/><axis xyz='0 0 1'/>
             <limit lower='-3' upper='3' effort='1' velocity='1'/></joint>"
        )
    };
    let links = [
        link("a", 0.0, 0.1),
        link("b", 0.0, 0.1),
        link("c", x, radius),
        link("d", 5.0, 0.1),
    ];
    let joints = [
        joint("ab", "a", "b", 1.0),
        joint("bc", "b", "c", 0.0),
        joint("cd", "c", "d", 1.0),
    ];
    let text = [links.concat(), joints.concat()].concat();
    file(
        &format!("self-collision-{x}-{radius}.urdf"),
        &format!("<robot name='arm'>{text}</robot>"),
    )
}

fn check(path: &Path, more: &[&str]) -> Run {
    let path = path.to_str().expect("UTF-8");
    run(&[
        &["check", path, "--self-collision", "--samples", "500"],
        more,
    ]
    .concat())
}

fn overlap<'v>(survey: &'v Value, links: [&str; 2]) -> &'v str {
    let pairs = survey["pairs"].as_array().expect("pairs").iter();
    let mut own = pairs.filter(|it| it["links"][0] == links[0] && it["links"][1] == links[1]);
    let pair = own
        .next()
        .unwrap_or_else(|| panic!("{links:?} in {survey}"));
    pair["overlap"].as_str().expect("a word")
}

#[test]
fn pairs_are_told_apart_by_how_often_they_overlap() {
    // A ball of 0.1 m touches that of `a` in passing, one of 1.95 m always. `d` is 3 m away at
    // least.
    let run = check(&arm(0.9, 0.1), &["--format", "jsonl"]);
    assert_eq!(run.code, 0, "{}", run.out);
    let lines = json_lines(&run.out);
    let survey = lines
        .iter()
        .find(|it| it["pairs"].is_array())
        .expect("a survey");
    assert_eq!(overlap(survey, ["a", "c"]), "sometimes");
    assert_eq!(overlap(survey, ["a", "d"]), "never");
    assert_eq!(overlap(survey, ["b", "d"]), "never");
    let run = check(&arm(0.9, 1.95), &["--format", "jsonl"]);
    assert_eq!(run.code, 1, "{}", run.out);
    let lines = json_lines(&run.out);
    let survey = lines
        .iter()
        .find(|it| it["pairs"].is_array())
        .expect("a survey");
    assert_eq!(overlap(survey, ["a", "c"]), "always");
    // At the neutral configuration they are 0.1 m apart, at others more.
    let run = check(&arm(-0.9, 0.1), &["--format", "jsonl"]);
    assert_eq!(run.code, 1, "{}", run.out);
    let lines = json_lines(&run.out);
    let survey = lines
        .iter()
        .find(|it| it["pairs"].is_array())
        .expect("a survey");
    assert_eq!(overlap(survey, ["a", "c"]), "default");
    assert!(run.out.contains("overlap at the neutral configuration"));
}

#[test]
fn what_is_written_is_read_as_an_srdf_that_leaves_the_pairs_out() {
    let arm = arm(0.9, 1.95);
    let srdf = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("arm.srdf");
    let srdf = srdf.to_str().expect("UTF-8");
    let run = check(&arm, &["--write-srdf", srdf]);
    assert!(run.out.contains("excludes these 6 pairs"), "{}", run.out);
    let text = std::fs::read_to_string(srdf).expect("an SRDF");
    let line = r#"<disable_collisions link1="a" link2="c" reason="Always"/>"#;
    assert!(text.contains(line), "{text}");
    let after = check(&arm, &["--srdf", srdf]);
    assert_eq!(after.code, 0, "{}", after.out);
    assert!(
        after.out.contains("no two links may touch"),
        "{}",
        after.out
    );
    // A file that somebody else wrote stays.
    let own = file("own.srdf", "<robot name='r'><group name='mine'/></robot>");
    let own = own.to_str().expect("UTF-8");
    let refused = check(&arm, &["--write-srdf", own]);
    assert_eq!(refused.code, 2, "{}", refused.out);
    assert!(refused.err.contains("did not write it"), "{}", refused.err);
    assert!(
        std::fs::read_to_string(own)
            .expect("a file")
            .contains("mine")
    );
    // Without a file the lines are shown.
    let shown = check(&arm, &[]);
    assert!(shown.out.contains(line), "{}", shown.out);
}

#[test]
fn an_srdf_names_the_links_that_joints_connect_as_adjacent() {
    // `plate` and `tool` are fixed to `arm`, and `bare` between `arm` and `tip` has no shape.
    let ball = "<collision><geometry><sphere radius='0.01'/></geometry></collision>";
    let inertial = "<inertial><mass value='1'/>
        <inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";
    let mut text = String::new();
    for (name, shape) in [
        ("base", ball),
        ("arm", ball),
        ("plate", ball),
        ("tool", ball),
        ("bare", ""),
        ("tip", ball),
    ] {
        text += &format!("<link name='{name}'>{inertial}{shape}</link>");
    }
    for (kind, parent, child) in [
        ("continuous", "base", "arm"),
        ("fixed", "arm", "plate"),
        ("fixed", "plate", "tool"),
        ("continuous", "arm", "bare"),
        ("continuous", "bare", "tip"),
    ] {
        text += &format!(
            "<joint name='to_{child}' type='{kind}'><parent link='{parent}'/>
             <child link='{child}'/><origin xyz='0 0 1'/><axis xyz='1 0 0'/></joint>"
        );
    }
    let robot = file("adjacent.urdf", &format!("<robot name='r'>{text}</robot>"));
    let srdf = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("adjacent.srdf");
    let srdf = srdf.to_str().expect("UTF-8");
    let run = check(&robot, &["--write-srdf", srdf]);
    assert_eq!(run.code, 0, "{}", run.out);
    let text = std::fs::read_to_string(srdf).expect("an SRDF");
    let adjacent: Vec<&str> = text.lines().filter(|it| it.contains("Adjacent")).collect();
    let pairs = [
        ["base", "arm"],
        ["base", "plate"],
        ["base", "tool"],
        ["arm", "plate"],
        ["arm", "tool"],
        ["arm", "tip"],
        ["plate", "tool"],
        ["plate", "tip"],
        ["tool", "tip"],
    ];
    let line = |[a, b]: [&str; 2]| {
        format!("  <disable_collisions link1=\"{a}\" link2=\"{b}\" reason=\"Adjacent\"/>")
    };
    assert_eq!(adjacent, pairs.map(line));
    // Nobody else is a pair; the base and the tip are 3 m apart at most, and never meet.
    assert_eq!(text.matches("disable_collisions").count(), 10, "{text}");
    assert!(text.contains(r#"link1="base" link2="tip" reason="Never""#));
    // The pairs that the file has are not written twice.
    let again = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("adjacent-again.srdf");
    let again = again.to_str().expect("UTF-8");
    check(&robot, &["--srdf", srdf, "--write-srdf", again]);
    let again = std::fs::read_to_string(again).expect("an SRDF");
    assert_eq!(again, text);
}

#[test]
fn a_robot_without_shapes_has_nothing_to_test() {
    let bare = file("bare.urdf", "<robot name='bare'><link name='a'/></robot>");
    let run = check(&bare, &[]);
    assert!(
        run.out.contains("no link has a collision shape"),
        "{}",
        run.out
    );
    let refused = crate::process::run(&["check", "panda", "--samples", "5"]);
    assert_eq!(refused.code, 2);
}
