//! `featherline check`: warnings, notes and exit codes.

use crate::process::{Run, file, robot_with_arm, run};

fn check(name: &str, text: &str) -> Run {
    let path = file(name, text);
    run(&["check", path.to_str().expect("the path is UTF-8")])
}

/// A link of one kilogram with the given moments of inertia, on a hinge with the given limit.
fn robot(ixx: f64, limit: &str) -> String {
    let hinge = format!(
        r#"<joint name="hinge" type="revolute">
    <parent link="base"/> <child link="arm"/> <axis xyz="0 1 0"/>
    <limit {limit}/>
  </joint>"#
    );
    robot_with_arm("r", ixx, &hinge)
}

const LIMIT: &str = r#"lower="-1" upper="1" effort="10" velocity="3""#;

#[test]
fn a_sound_robot_passes() {
    let run = check("sound.urdf", &robot(0.1, LIMIT));
    assert_eq!((run.code, run.out.as_str()), (0, "r: no warnings\n"));
}

#[test]
fn embedded_robots_are_sound() {
    for robot in featherline_robots::names() {
        let run = run(&["check", robot]);
        assert_eq!(run.code, 0, "{}", run.out);
    }
}

#[test]
fn an_impossible_inertia_is_found_with_its_line() {
    let run = check("triangle.urdf", &robot(0.9, LIMIT));
    assert_eq!(run.code, 1);
    assert!(run.out.contains("triangle.urdf:"), "{}", run.out);
    assert!(run.out.contains("triangle inequality"), "{}", run.out);
    assert!(run.out.contains("`arm`"), "{}", run.out);
}

#[test]
fn limits_of_zero_are_found_and_a_neutral_outside_is_noted() {
    let zero = check(
        "zero.urdf",
        &robot(0.1, r#"lower="-1" upper="1" effort="0" velocity="0""#),
    );
    assert_eq!(zero.code, 1);
    assert!(
        zero.out
            .contains("[@name='hinge']/limit: the limit of velocity is 0"),
        "{}",
        zero.out
    );
    assert!(
        zero.out
            .contains("[@name='hinge']/limit: the limit of effort is 0"),
        "{}",
        zero.out
    );
    let outside = check(
        "outside.urdf",
        &robot(0.1, r#"lower="0.5" upper="1" effort="1" velocity="1""#),
    );
    assert_eq!(outside.code, 0);
    assert!(
        outside
            .out
            .contains("`hinge`: the neutral configuration 0 lies outside"),
        "{}",
        outside.out
    );
}

/// Two links on hinges with parallel axes; the outer one has almost no inertia.
fn light_tip(inertial: &str) -> String {
    let others = format!(
        r#"<link name="tip">{inertial}</link>
  <joint name="shoulder" type="continuous">
    <parent link="base"/> <child link="arm"/> <axis xyz="0 1 0"/>
  </joint>
  <joint name="elbow" type="continuous">
    <origin xyz="0 0 -1"/> <parent link="arm"/> <child link="tip"/> <axis xyz="0 1 0"/>
  </joint>"#
    );
    robot_with_arm("r", 0.1, &others)
}

#[test]
fn a_singular_mass_matrix_is_found_once_with_its_joint() {
    let run = check("massless_tip.urdf", &light_tip(""));
    assert_eq!(run.code, 1);
    assert_eq!(run.out.matches("singular").count(), 1, "{}", run.out);
    assert!(run.out.contains("`elbow`"), "{}", run.out);
}

#[test]
fn a_singular_mass_matrix_behind_a_point_mass_is_found_by_numbers() {
    // A point mass on the joint's axis: the joint moves mass, and yet has no inertia.
    let inertial = r#"<inertial><mass value="1"/>
        <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>"#;
    let run = check("point_on_axis.urdf", &light_tip(inertial));
    assert_eq!(run.code, 1);
    assert!(
        run.out
            .contains("joint `elbow`: the mass matrix is singular"),
        "{}",
        run.out
    );
}

#[test]
fn a_badly_conditioned_mass_matrix_is_found_with_its_joint() {
    let inertial = r#"<inertial><mass value="1e-9"/>
        <inertia ixx="1e-12" ixy="0" ixz="0" iyy="1e-12" iyz="0" izz="1e-12"/></inertial>"#;
    let run = check("light_tip.urdf", &light_tip(inertial));
    assert_eq!(run.code, 1);
    assert!(
        run.out
            .contains("joint `elbow`: the mass matrix is badly conditioned"),
        "{}",
        run.out
    );
}

#[test]
fn figures_that_overflow_are_found_where_they_stand_and_nothing_else_is_blamed() {
    let sound = light_tip(
        r#"<inertial><mass value="1"/>
        <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>"#,
    );
    let mimic_joint = sound.replace(
        r#"<joint name="elbow" type="continuous">"#,
        r#"<joint name="elbow" type="continuous"><mimic joint="shoulder" multiplier="1e200"/>"#,
    );
    let cases = [
        (
            "inertia",
            sound.replacen(r#"izz="0.1""#, r#"izz="1e308""#, 1),
            "huge.urdf:6:",
            "the rotational inertia of body `arm` is 1e308",
        ),
        (
            "mass",
            sound.replacen(r#"<mass value="1"/>"#, r#"<mass value="1e60"/>"#, 1),
            "huge.urdf:6:",
            "the mass of body `arm` is 1e60",
        ),
        (
            "placement",
            sound.replace(r#"xyz="0 0 -1""#, r#"xyz="0 0 -1e100""#),
            "huge.urdf:14:",
            "the placement of joint `elbow` is 1e100",
        ),
        (
            "multiplier",
            mimic_joint,
            "huge.urdf:14:",
            "the mimic ratio of joint `elbow` is 1e200",
        ),
    ];
    for (name, text, place, cause) in cases {
        let run = check("huge.urdf", &text);
        assert_eq!(run.code, 1, "{name}: {}", run.err);
        let found = run.out.lines().find(|line| line.contains(cause));
        assert!(
            found.is_some_and(|line| line.contains(place)),
            "{name}: {}",
            run.out
        );
        assert!(!run.out.contains("singular"), "{name}: {}", run.out);
    }
}

#[test]
fn parts_that_are_not_used_are_noted_with_their_line() {
    let text = robot(0.1, LIMIT).replace(
        "<link name=\"base\"/>",
        "<link name=\"base\"><paint/></link>",
    );
    let run = check("paint.urdf", &text);
    assert_eq!(run.code, 0);
    assert!(run.out.contains("paint.urdf:2:"), "{}", run.out);
    assert!(run.out.contains("note[unused]:"), "{}", run.out);
}

#[test]
fn a_robot_that_cannot_be_read_is_located() {
    let text = robot(0.1, LIMIT).replace("<mass value=\"1\"/>", "<mass value=\"-1\"/>");
    let run = check("negative.urdf", &text);
    assert_eq!(run.code, 2);
    assert!(run.err.is_empty(), "{}", run.err);
    assert!(
        run.out.contains("error[negative]: negative.urdf:5:"),
        "{}",
        run.out
    );
    assert!(
        run.out.ends_with(
            "negative.urdf: can't be read; reading stopped at this error, and others may follow once it is mended\n"
        ),
        "{}",
        run.out
    );
    // With a second one in another part.
    let two = text.replace("type=\"revolute\"", "type=\"hinge\"");
    let run = check("negative_hinge.urdf", &two);
    for found in ["error[negative]: ", "error[unknown-joint-type]: "] {
        assert!(run.out.contains(found), "{}", run.out);
    }
    assert!(
        run.out.ends_with(
            "reading stopped at these 2 errors, and others may follow once they are mended\n"
        ),
        "{}",
        run.out
    );
    let missing = crate::process::run(&["check", "no/such.urdf"]);
    assert!(missing.out.ends_with("can't be read\n"), "{}", missing.out);
    let truncated = check("truncated.urdf", &robot(0.1, LIMIT)[..200]);
    assert_eq!(truncated.code, 2);
    assert!(
        truncated.out.contains("]: truncated.urdf:"),
        "{}",
        truncated.out
    );
    // Nor is one that has warnings, with `--strict`, or whose SRDF is none.
    let text = robot(0.1, r#"lower="-1" upper="1" effort="0" velocity="1""#);
    let path = file("strict.urdf", &text);
    let path = path.to_str().expect("the path is UTF-8");
    for options in [&["--strict"][..], &["--srdf", path]] {
        let refused = crate::process::run(&[&["check", path], options].concat());
        assert_eq!(
            (refused.code, refused.err.as_str()),
            (2, ""),
            "{}",
            refused.out
        );
        assert!(refused.out.contains("error["), "{}", refused.out);
    }
}

#[test]
fn a_file_that_is_not_below_the_current_folder_is_named_once() {
    let text = robot(0.9, r#"lower="-1" upper="1" effort="0" velocity="0""#);
    let path = file("elsewhere.urdf", &text);
    let folder = path.parent().expect("a folder").to_str().expect("UTF-8");
    let run = check("elsewhere.urdf", &text);
    assert_eq!(run.out.matches(folder).count(), 1, "{}", run.out);
    assert!(
        run.out
            .starts_with(&format!("checking {}\n", path.display())),
        "{}",
        run.out
    );
    // Lines that stand alone have it.
    let path = path.to_str().expect("UTF-8");
    let quiet = crate::process::run(&["check", path, "--quiet"]);
    assert_eq!(quiet.out.matches(folder).count(), quiet.out.lines().count());
}

#[test]
fn of_a_kind_three_have_their_lines_and_all_are_listed() {
    let joints: String = (1..=5)
        .map(|k| {
            format!(
                "<link name='l{k}'/><joint name='j{k}' type='fixed'><parent link='base'/><child link='l{k}'/></joint>
                 <joint name='m{k}' type='revolute'><parent link='l{k}'/><child link='n{k}'/>
                 <limit lower='-1' upper='1' effort='0' velocity='1'/></joint>
                 <link name='n{k}'><inertial><mass value='1'/>
                 <inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial></link>"
            )
        })
        .collect();
    let run = check(
        "many.urdf",
        &format!("<robot name='r'><link name='base'/>{joints}</robot>"),
    );
    assert_eq!(run.code, 1);
    assert_eq!(
        run.out.matches("warning[zero-bound]").count(),
        5,
        "{}",
        run.out
    );
    assert_eq!(
        run.out.lines().filter(|it| it.contains("^^^")).count(),
        3,
        "{}",
        run.out
    );
}

#[test]
fn wrong_units_are_found() {
    let text = robot(0.1, LIMIT).replace("<mass value=\"1\"/>", "<mass value=\"1000\"/>");
    let text = text.replace("lower=\"-1\" upper=\"1\"", "lower=\"-90\" upper=\"90\"");
    let run = check("grams.urdf", &text);
    assert_eq!(run.code, 1);
    for code in ["too-dense", "degrees"] {
        assert!(
            run.out.contains(&format!("warning[{code}]: grams.urdf:")),
            "{}",
            run.out
        );
    }
}
