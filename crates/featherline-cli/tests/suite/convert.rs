//! `featherline convert`: the new file, and the report on what it kept.

use crate::process::{file, robot_with_arm, run};

fn output(name: &str) -> String {
    let path = file(name, "");
    path.to_str().expect("the path is UTF-8").to_owned()
}

#[test]
fn embedded_robots_become_the_same_urdf() {
    for robot in ["ur5", "double_pendulum", "hand"] {
        let run = run(&["convert", robot, &output(&format!("{robot}.urdf"))]);
        assert_eq!(run.code, 0, "{}{}", run.out, run.err);
        assert!(run.out.contains("the same robot"), "{}", run.out);
        assert!(run.out.contains("mass matrix"), "{}", run.out);
    }
}

#[test]
fn an_srdf_beside_a_urdf_has_the_home_of_a_robot() {
    for robot in ["panda", "quadruped", "humanoid"] {
        let (urdf, srdf) = (
            output(&format!("{robot}.urdf")),
            output(&format!("{robot}.srdf")),
        );
        std::fs::remove_file(&srdf).expect("an empty file");
        let converted = run(&["convert", robot, &urdf]);
        assert_eq!(converted.code, 0, "{}{}", converted.out, converted.err);
        assert!(
            converted.out.contains(&format!("`--srdf {srdf}`")),
            "{}",
            converted.out
        );
        let compute = ["--compute", "gravity_torque", "--configuration", "home"];
        let of = |robot: &str, more: &[&str]| {
            let run = run(&[&["eval", robot], more, &compute[..]].concat());
            assert_eq!(run.code, 0, "{}{}", run.out, run.err);
            let json: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
            json["gravity_torque"].to_string()
        };
        let base = (robot != "panda").then_some("--floating-base");
        let more: Vec<&str> = ["--srdf", &srdf].into_iter().chain(base).collect();
        assert_eq!(of(&urdf, &more), of(robot, &[]));
        // Its own file is replaced, another one is not.
        assert_eq!(run(&["convert", robot, &urdf]).code, 0);
        std::fs::write(&srdf, "<robot/>").expect("a file");
        let refused = run(&["convert", robot, &urdf]);
        assert_eq!(refused.code, 2, "{}{}", refused.out, refused.err);
        assert!(
            refused.err.contains("featherline did not write it"),
            "{}",
            refused.err
        );
    }
}

#[test]
fn a_model_file_has_no_shapes() {
    let run = run(&["convert", "panda", &output("panda.json")]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(
        run.out.contains("shapes are not in the file (52 of them"),
        "{}",
        run.out
    );
}

#[test]
fn what_a_urdf_can_not_express_is_named_or_refused() {
    let lost = output("four_bar.urdf");
    let loops = run(&["convert", "four_bar", &lost]);
    assert_eq!(loops.code, 1, "{}{}", loops.out, loops.err);
    assert!(loops.out.contains("loop joint"), "{}", loops.out);
    assert!(loops.out.contains("not all of the robot"), "{}", loops.out);
    let balls = run(&["convert", "delta", &output("delta.urdf")]);
    assert_eq!(balls.code, 2, "{}{}", balls.out, balls.err);
    assert!(balls.err.contains("URDF has no type for"), "{}", balls.err);
}

#[test]
fn the_report_is_json_on_request() {
    let run = run(&["convert", "ur5", &output("ur5.urdf"), "--format", "jsonl"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report["is_same"], true);
    let quantities = report["quantities"].as_array().unwrap();
    assert!(quantities.iter().any(|it| it["quantity"] == "joint forces"));
}

#[test]
fn neither_an_unknown_format_nor_the_robot_itself_is_written() {
    let unknown = run(&["convert", "panda", "panda.sdf"]);
    assert_eq!(unknown.code, 2);
    assert!(
        unknown
            .err
            .contains("mjcf or xml for MJCF, json for model files"),
        "{}",
        unknown.err
    );
    assert!(!std::path::Path::new("panda.sdf").exists());
    let text = robot_with_arm("r", 0.1, "");
    let path = file("itself.urdf", &text);
    let path = path.to_str().unwrap();
    let itself = run(&["convert", path, path]);
    assert_eq!(itself.code, 2, "{}", itself.out);
    assert_eq!(std::fs::read_to_string(path).unwrap(), text);
}

const ARM: &str = "<mujoco model='arm'><worldbody><body name='arm'><joint name='hinge' axis='0 1 0' range='-90 90'/>
    <geom name='rod' type='capsule' fromto='0 0 0 0 0 -0.5' size='0.02' mass='1'/></body></worldbody>
<actuator><motor name='motor' joint='hinge' gear='3' ctrlrange='-1 1'/></actuator></mujoco>";

#[test]
fn a_urdf_becomes_mjcf_but_for_its_velocity_limits() {
    for robot in ["panda", "quadruped", "hand"] {
        let path = output(&format!("{robot}.xml"));
        let run = run(&["convert", robot, &path]);
        assert!(
            run.out.contains("greatest relative difference"),
            "{}{}",
            run.out,
            run.err
        );
        let lost = run.out.lines().filter(|line| line.starts_with("warning:"));
        for line in lost {
            assert!(line.contains("the velocity limit of joint"), "{line}");
            assert!(line.contains("robot/joint[@name="), "{line}");
        }
        assert_eq!(
            run.code,
            i32::from(run.out.contains("the velocity limit of joint")),
            "{}",
            run.out
        );
        let numbers = run
            .out
            .lines()
            .skip_while(|line| !line.starts_with("greatest"));
        for line in numbers.skip(1).filter(|line| line.starts_with("  ")) {
            let number = line
                .split_ascii_whitespace()
                .rev()
                .find_map(|word| word.parse::<f64>().ok());
            let is_velocity = line.contains("velocity limits");
            assert!(is_velocity || number.is_some_and(|it| it < 1e-12), "{line}");
        }
    }
}

#[test]
fn mjcf_becomes_a_urdf_without_its_actuators_which_are_named() {
    let arm = file("arm_with_motor.xml", ARM);
    let arm = arm.to_str().unwrap();
    let run_json = run(&[
        "convert",
        arm,
        &output("arm_of_mjcf.urdf"),
        "--format",
        "jsonl",
    ]);
    assert_eq!(run_json.code, 1, "{}{}", run_json.out, run_json.err);
    let report: serde_json::Value = serde_json::from_str(&run_json.out).unwrap();
    assert_eq!(
        (&report["format"], &report["is_same"]),
        (&"urdf".into(), &false.into())
    );
    let missing = report["missing"].as_array().unwrap();
    assert_eq!(missing.len(), 1, "{missing:?}");
    let message = missing[0].as_str().unwrap();
    assert!(message.contains("arm_with_motor.xml:3:11"), "{message}");
    assert!(
        message.contains("the actuator `motor` is not in the file: URDF"),
        "{message}"
    );
    // Named once.
    assert_eq!(
        report["differences"].as_array().unwrap().len(),
        0,
        "{}",
        run_json.out
    );
    let same = run(&["convert", arm, &output("arm_again.mjcf")]);
    assert_eq!(same.code, 0, "{}{}", same.out, same.err);
    let model = run(&["convert", arm, &output("arm_of_mjcf.json")]);
    assert_eq!(model.code, 0, "{}{}", model.out, model.err);
    let lost = "actuators are not in the file (1 of them";
    assert!(model.out.contains(lost), "{}", model.out);
}

#[test]
fn words_of_mjcf_are_kept_in_mjcf_and_named_elsewhere() {
    let text = ARM.replace("name='rod'", "name='rod' friction='2'");
    let arm = file("arm_with_friction.xml", &text);
    let arm = arm.to_str().unwrap();
    let path = output("arm_with_friction_again.xml");
    let same = run(&["convert", arm, &path]);
    assert_eq!(same.code, 0, "{}{}", same.out, same.err);
    assert!(
        std::fs::read_to_string(&path)
            .unwrap()
            .contains("friction=\"2\"")
    );
    for (name, code) in [
        ("arm_without_friction.urdf", 1),
        ("arm_without_friction.json", 0),
    ] {
        let other = run(&["convert", arm, &output(name)]);
        assert_eq!(other.code, code, "{}{}", other.out, other.err);
        let lost = "`friction` of shapes is not in the file (1 of them";
        assert_eq!(other.out.matches(lost).count(), 1, "{}", other.out);
    }
}

#[test]
fn the_format_can_be_said() {
    let path = output("double_pendulum.robot");
    let run = run(&["convert", "double_pendulum", &path, "--to", "mjcf"]);
    assert!(run.code < 2, "{}{}", run.out, run.err);
    assert!(
        std::fs::read_to_string(path)
            .unwrap()
            .starts_with("<mujoco")
    );
}

#[test]
fn what_can_not_be_written_or_read_again_is_not_there() {
    let nowhere = output("no_such_folder");
    let _ = std::fs::remove_file(&nowhere);
    let nowhere = format!("{nowhere}/x.urdf");
    let run_nowhere = run(&["convert", "panda", &nowhere]);
    assert_eq!(run_nowhere.code, 2, "{}", run_nowhere.out);
    assert!(
        run_nowhere.err.contains("can't write"),
        "{}",
        run_nowhere.err
    );
    // Bodies in bodies, more deeply than a reader goes.
    let mut deep = String::from("<robot name='deep'><link name='l0'/>");
    for i in 1..300 {
        deep += &format!(
            "<link name='l{i}'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>
             </inertial></link><joint name='j{i}' type='continuous'><parent link='l{}'/><child link='l{i}'/></joint>",
            i - 1
        );
    }
    let deep = file("deep.urdf", &(deep + "</robot>"));
    let path = output("deep.xml");
    std::fs::remove_file(&path).unwrap();
    let run = run(&["convert", deep.to_str().unwrap(), &path]);
    assert_eq!(run.code, 2, "{}", run.out);
    assert!(
        run.err
            .contains("is not written, because it could not be read again"),
        "{}",
        run.err
    );
    assert!(!std::path::Path::new(&path).exists());
}

#[test]
fn what_mujoco_refuses_is_written_and_named() {
    let hinge = r#"<joint name="hinge" type="continuous"><parent link="base"/><child link="massless"/></joint>
        <link name="massless"/>"#;
    let arm =
        r#"<joint name="arm_joint" type="fixed"><parent link="base"/><child link="arm"/></joint>"#;
    let path = file(
        "massless.urdf",
        &robot_with_arm("massless", 0.1, &format!("{hinge}{arm}")),
    );
    let run = run(&["convert", path.to_str().unwrap(), &output("massless.xml")]);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert!(
        run.out.contains("MuJoCo refuses moving bodies whose mass"),
        "{}",
        run.out
    );
    assert!(run.out.contains("note:"), "{}", run.out);
}

#[test]
fn parts_that_reading_left_out_are_counted_and_listed() {
    let hinge =
        r#"<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/></joint>"#;
    let shapes = r#"<link name="seen"><visual><geometry/></visual>
        <visual><geometry><mesh filename="no_such.stl"/></geometry></visual></link>
        <joint name="fixed" type="fixed"><parent link="arm"/><child link="seen"/></joint>"#;
    let text = robot_with_arm("partly", 0.1, &format!("{hinge}{shapes}"));
    let path = file("partly.urdf", &text);
    let path = path.to_str().unwrap();
    let written = run(&["convert", path, &output("partly_again.urdf")]);
    assert_eq!(written.code, 1, "{}{}", written.out, written.err);
    let last = "the same robot, but for 2 parts that were left out on reading\n";
    assert!(written.out.ends_with(last), "{}", written.out);
    for part in ["the visual is left out", "`no_such.stl` was not found"] {
        assert_eq!(written.out.matches(part).count(), 1, "{}", written.out);
    }
    let data = run(&[
        "convert",
        path,
        &output("partly_data.urdf"),
        "--format",
        "jsonl",
    ]);
    let report: serde_json::Value = serde_json::from_str(&data.out).unwrap();
    assert_eq!(report["is_same"], false);
    assert_eq!(
        report["left_out"].as_array().unwrap().len(),
        2,
        "{}",
        data.out
    );
    assert_eq!(report["parts_left_out"], 2);
    // MJCF: a sensor of an absent joint, and bodies of a soft part.
    let mjcf = "<mujoco><worldbody><body name='arm'><joint name='j'/><geom size='1'/>
      <flexcomp name='rope' type='grid' count='4 1 1' dim='1' mass='1'/></body></worldbody>
      <sensor><jointpos name='s' joint='nope'/></sensor></mujoco>";
    let path = file("partly.xml", mjcf);
    let written = run(&[
        "convert",
        path.to_str().unwrap(),
        &output("partly_again.xml"),
    ]);
    assert!(
        written
            .out
            .contains("the bodies and the elastic forces that it adds"),
        "{}",
        written.out
    );
    assert!(
        written.out.contains("the sensor is left out"),
        "{}",
        written.out
    );
    assert_eq!(written.code, 1, "{}", written.out);
    // A model file has neither shapes nor sensors, but bodies.
    let urdf = file("partly_model.urdf", &text);
    let model = run(&["convert", urdf.to_str().unwrap(), &output("partly.json")]);
    assert_eq!(model.code, 0, "{}", model.out);
    let model = run(&[
        "convert",
        path.to_str().unwrap(),
        &output("partly_mjcf.json"),
    ]);
    assert_eq!(model.code, 1, "{}", model.out);
}

#[test]
fn states_without_bound_are_refused() {
    let many = run(&[
        "convert",
        "panda",
        &output("many.urdf"),
        "--states",
        "1000000000",
    ]);
    assert_eq!(many.code, 2, "{}", many.out);
    assert!(many.err.contains("at most 100000"), "{}", many.err);
}

/// A triangular pyramid, one object a face.
const OBJECTS: &str =
    "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\no a\nf 1 3 2\no b\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

#[test]
fn meshes_that_mujoco_does_not_read_are_files_beside_the_new_one() {
    let mesh = file("pyramid.obj", OBJECTS);
    let shape = "<geometry><mesh filename='pyramid.obj'/></geometry>";
    let robot = format!(
        "<robot name='r'><link name='l'><visual>{shape}</visual><collision>{shape}</collision></link></robot>"
    );
    let robot = file("with_pyramid.urdf", &robot);
    let output = output("with_pyramid.xml");
    let arguments = ["convert", robot.to_str().unwrap(), &output];
    let first = run(&arguments);
    assert_eq!(first.code, 0, "{}{}", first.out, first.err);
    assert!(first.out.contains("note: "), "{}", first.out);
    assert!(
        first
            .out
            .contains("the mesh `pyramid.obj` is written as triangles"),
        "{}",
        first.out
    );
    let text = std::fs::read_to_string(&output).unwrap();
    assert!(
        text.contains("file=\"with_pyramid_meshes/pyramid.obj\""),
        "{text}"
    );
    let made = mesh
        .with_file_name("with_pyramid_meshes")
        .join("pyramid.obj");
    let made_text = std::fs::read_to_string(&made).unwrap();
    assert_eq!(made_text.matches("f ").count(), 4, "{made_text}");
    // A file that somebody else has written there is not replaced, and no robot is written without
    // it.
    std::fs::write(&made, OBJECTS).unwrap();
    std::fs::remove_file(&output).unwrap();
    let second = run(&arguments);
    assert_eq!(second.code, 2, "{}{}", second.out, second.err);
    assert!(
        second.err.contains("pyramid.obj is there already"),
        "{}",
        second.err
    );
    assert_eq!(std::fs::read_to_string(&made).unwrap(), OBJECTS);
    assert!(!std::path::Path::new(&output).exists());
    std::fs::remove_file(&made).unwrap();
}

#[test]
fn what_convert_wrote_is_checked_and_converted_without_complaint() {
    for robot in ["double_pendulum", "panda", "quadruped"] {
        for from in ["urdf", "xml", "json"] {
            let first = output(&format!("content_{robot}.{from}"));
            run(&["convert", robot, &first]);
            let checked = run(&["check", &first]);
            assert_eq!(checked.code, 0, "{first}: {}", checked.out);
            for to in ["urdf", "xml", "json"] {
                let second = output(&format!("content_{robot}_{from}.{to}"));
                let again = run(&["convert", &first, &second]);
                let complaints = again.out.lines().chain(again.err.lines());
                // A part that the format can't express, whatever wrote the first file.
                let lost = match to {
                    "xml" => "the velocity limit of joint",
                    _ => "the configuration `home` is not in the file: URDF can't express it",
                };
                let complaints = complaints
                    .filter(|line| line.starts_with("warning:"))
                    .filter(|line| to == "json" || !line.contains(lost));
                assert_eq!(complaints.collect::<Vec<_>>(), [""; 0], "{from} to {to}");
            }
        }
    }
}

#[test]
fn masks_and_groups_that_say_more_than_seen_and_touching_are_named() {
    // The shapes that the writer of MJCF marks as only visible, and the same with another group.
    for (word, is_more) in [
        ("contype='0' conaffinity='0' group='2'", None),
        ("contype='1' conaffinity='1' group='3'", None),
        ("contype='0' conaffinity='0' group='1'", Some("`group` of")),
        ("contype='2'", Some("`contype` of")),
    ] {
        let text = ARM.replace("name='rod'", &format!("name='rod' {word}"));
        let arm = file("arm_with_masks.xml", &text);
        let arm = arm.to_str().unwrap();
        let written = run(&["convert", arm, &output("arm_with_masks.urdf")]);
        for kind in ["`group` of", "`contype` of", "`conaffinity` of"] {
            let is_named = written.out.contains(kind);
            assert_eq!(is_named, is_more == Some(kind), "{word}: {}", written.out);
        }
    }
}

#[test]
fn a_link_that_is_named_after_its_joint_is_no_addition() {
    let written = run(&["convert", "four_bar", &output("four_bar_links.urdf")]);
    assert!(!written.out.contains("adds a"), "{}", written.out);
    let written = run(&["convert", "stewart", &output("stewart_joints.xml")]);
    let joints = "the new file adds a joint `foot_0_first` (11 more of this kind";
    assert_eq!(written.out.matches("adds a joint").count(), 1);
    assert!(written.out.contains(joints), "{}", written.out);
}
