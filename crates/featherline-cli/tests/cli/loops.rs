//! What commands that see the spanning tree alone say of robots with closed loops.

use crate::process::{json_lines, run, run_with};

const LINKAGES: [(&str, &str); 3] = [
    ("four_bar", "`four_bar` has a closed loop (one loop joint)"),
    ("delta", "`delta` has closed loops (6 loop joints)"),
    ("stewart", "`stewart` has closed loops (6 loop joints)"),
];

#[test]
fn a_robot_with_loops_has_no_system_unless_they_are_cut() {
    for (robot, loops) in LINKAGES {
        let system = [
            "system",
            robot,
            "--known",
            "joint-forces,no-external-forces",
        ];
        for deed in [
            &["--diagnose"][..],
            &["--count"],
            &["--simulate", "1"],
            &["--solve", "-"],
            &["--estimate", "-"],
        ] {
            let refused = run(&[&system[..], deed].concat());
            assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{robot}");
            for words in [loops, "featherline simulate", "--cut-loops"] {
                assert!(refused.err.contains(words), "{}", refused.err);
            }
        }
        let tree = run(&[&system[..], &["--cut-loops"]].concat());
        assert_eq!(tree.code, 0, "{}", tree.err);
        assert_eq!(json_lines(&tree.out)[0]["solvable"], true);
    }
    let idle = run(&["system", "panda", "--cut-loops"]);
    assert_eq!(idle.code, 2);
    assert!(
        idle.err.contains("`panda` has no closed loops"),
        "{}",
        idle.err
    );
}

#[test]
fn what_is_computed_of_the_spanning_tree_is_said_to_be() {
    let program = std::env::temp_dir().join(format!("featherline-{}.tree", std::process::id()));
    let program = program.to_str().expect("UTF-8").to_owned();
    for (robot, loops) in LINKAGES {
        for arguments in [
            &["eval", robot, "--compute", "com"][..],
            &["compile", robot, "--quantity", "aba", "--output", &program],
        ] {
            let done = run(arguments);
            assert_eq!(done.code, 0, "{arguments:?}: {}", done.err);
            let told = format!(
                "warning: {loops}: what is computed is its spanning tree, with open loops; `featherline simulate {robot}` keeps them \
                 closed\n"
            );
            assert_eq!(done.err, told, "{arguments:?}");
        }
        let checked = run(&["check", robot]);
        assert_eq!(checked.code, 0, "{}", checked.out);
        let told = format!("note: {loops}: what is computed is its spanning tree");
        assert!(checked.out.contains(&told), "{}", checked.out);
    }
    std::fs::remove_file(program).expect("it was written");
    // Of a tree, nothing is said.
    assert_eq!(run_with(&["eval", "panda", "--compute", "com"], "").err, "");
}
