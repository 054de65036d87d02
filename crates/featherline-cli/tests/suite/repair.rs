//! `featherline check`: the line of a finding, JSON, `--diff` and `--fix`.

use crate::process::{Run, file, json_lines, robot_with_arm, run};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn check(path: &Path, options: &[&str]) -> Run {
    let path = path.to_str().expect("UTF-8");
    run(&[&["check", path], options].concat())
}

/// An arm whose moments violate the triangle inequality, and whose hinge has other parts.
fn arm(hinge: &str) -> String {
    let hinge = format!(
        "<joint name=\"hinge\" type=\"revolute\">\n    <parent link=\"base\"/> <child link=\"arm\"/>\n    {hinge}\n  </joint>"
    );
    robot_with_arm("r", 0.9, &hinge)
}

const LIMIT: &str = r#"<limit lower="-1" upper="1" effort="1" velocity="1"/>"#;

#[test]
fn the_line_is_shown_with_the_doubtful_part_underlined() {
    let path = file("underlined.urdf", &arm(LIMIT));
    let found = check(&path, &[]);
    let lines: Vec<&str> = found.out.lines().collect();
    let first = lines
        .iter()
        .position(|it| it.starts_with("warning[triangle-inequality]: "));
    let first = first.expect("the warning comes first");
    assert!(
        lines[first].contains("underlined.urdf:6:7: robot/link[@name='arm']/"),
        "{}",
        found.out
    );
    assert!(lines[first + 2].starts_with("6 | "), "{}", found.out);
    let source = r#"<inertia ixx="0.9" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>"#;
    let column = lines[first + 2].find(source).expect("the line is there");
    assert_eq!(lines[first + 3].find('^'), Some(column), "{}", found.out);
    assert_eq!(
        lines[first + 3].matches('^').count(),
        source.len(),
        "{}",
        found.out
    );
    assert!(
        found
            .out
            .contains("help: no body has the principal moments"),
        "{}",
        found.out
    );
    assert!(
        !found.out.contains('\u{1b}'),
        "no colours without a terminal"
    );
    // Quiet, one line.
    let quiet = check(&path, &["--quiet"]);
    assert_eq!(
        (quiet.code, quiet.out.lines().count()),
        (1, 1),
        "{}",
        quiet.out
    );
}

#[test]
fn errors_of_every_command_show_the_line() {
    let path = file(
        "underlined_error.urdf",
        &arm(r#"<limit lower="1" upper="0"/>"#),
    );
    let path = path.to_str().expect("UTF-8");
    for command in [&["check", path][..], &["info", path], &["eval", path]] {
        let refused = run(command);
        assert_eq!(refused.code, 2, "{command:?}");
        // Findings of `check` are its answer, and repairs of what else is wrong are among them.
        let shown = match command[0] {
            "check" => &refused.out,
            _ => &refused.err,
        };
        let others = shown.matches("warning[triangle-inequality]: ").count();
        assert_eq!(others, usize::from(command[0] == "check"), "{shown}");
        let start = shown.find("error[empty-range]: ").expect("it is named");
        let shown = &shown[start..];
        assert!(
            shown.contains(r#"11 |     <limit lower="1" upper="0"/>"#),
            "{shown}"
        );
        assert_eq!(
            shown.matches('^').count(),
            r#"<limit lower="1" upper="0"/>"#.len()
        );
        assert_eq!(refused.out.is_empty(), command[0] != "check");
    }
}

#[test]
fn findings_are_lines_of_json() {
    let path = file("json.urdf", &arm(""));
    let found = check(&path, &["--format", "jsonl"]);
    assert_eq!((found.code, found.err.as_str()), (1, ""));
    let lines = json_lines(&found.out);
    let counts = lines.last().expect("a last line");
    assert_eq!(counts["robot"], "r");
    let numbers = ["errors", "warnings", "notes", "repairs"].map(|it| counts[it].as_u64());
    assert_eq!(numbers, [0, 2, 0, 2].map(Some), "{}", found.out);
    let limit = lines
        .iter()
        .find(|it| it["code"] == "no-limit")
        .expect("found");
    assert_eq!(limit["severity"], "warning");
    assert_eq!(
        (limit["line"].as_u64(), limit["column"].as_u64()),
        (Some(9), Some(3))
    );
    assert_eq!(
        limit["end"]["column"].as_u64(),
        Some(3 + r#"<joint name="hinge" type="revolute">"#.len() as u64)
    );
    assert_eq!(limit["element"], "robot/joint[@name='hinge']");
    let edit = &limit["repair"]["edits"][0];
    assert_eq!(edit["text"], "continuous");
    assert_eq!(
        (
            edit["start"]["line"].as_u64(),
            edit["start"]["column"].as_u64()
        ),
        (Some(9), Some(29))
    );
    assert_eq!(edit["end"]["column"].as_u64(), Some(37));
    // An error is a finding.
    let path = file("json_error.urdf", &arm(r#"<limit lower="1" upper="0"/>"#));
    let refused = check(&path, &["--format", "jsonl"]);
    assert_eq!((refused.code, refused.err.as_str()), (2, ""));
    let lines = json_lines(&refused.out);
    let error = lines
        .iter()
        .find(|it| it["severity"] == "error")
        .expect("an error");
    assert_eq!(
        (&error["code"], error["line"].as_u64()),
        (&Value::from("empty-range"), Some(11))
    );
    assert_eq!(lines.last().expect("counts")["robot"], Value::Null);
    // A file that is not there has no line.
    let missing = run(&["check", "no/such.urdf", "--format", "jsonl"]);
    assert_eq!(missing.code, 2);
    let error = &json_lines(&missing.out)[0];
    assert_eq!(
        (&error["code"], &error["line"]),
        (&Value::from("unreadable"), &Value::Null)
    );
}

#[test]
fn a_difference_is_shown_and_nothing_is_written() {
    let text = arm("");
    let path = file("shown.urdf", &text);
    let shown = check(&path, &["--diff"]);
    assert_eq!(shown.code, 1, "{}", shown.err);
    assert_eq!(fs::read_to_string(&path).expect("there"), text);
    assert_eq!(shown.out.matches("repair[").count(), 2, "{}", shown.out);
    let removed = "-  <joint name=\"hinge\" type=\"revolute\">\n+  <joint name=\"hinge\" type=\"continuous\">\n";
    assert!(shown.out.contains(removed), "{}", shown.out);
    assert!(shown.out.contains("@@ -3,10 +3,10 @@"), "{}", shown.out);
    assert!(shown.out.ends_with("r: no warnings\n"), "{}", shown.out);
    // As data.
    let data = json_lines(&check(&path, &["--diff", "--format", "jsonl"]).out);
    let codes: Vec<_> = data.iter().filter_map(|it| it["code"].as_str()).collect();
    assert_eq!(codes, ["triangle-inequality", "no-limit"]);
    // A sound robot has nothing to show.
    let sound = file("shown_sound.urdf", &robot_with_arm("r", 0.1, &arm_joint()));
    let shown = check(&sound, &["--diff"]);
    assert_eq!((shown.code, shown.out.as_str()), (0, "r: no warnings\n"));
}

fn arm_joint() -> String {
    format!(
        "<joint name=\"hinge\" type=\"revolute\"><parent link=\"base\"/><child link=\"arm\"/>{LIMIT}</joint>"
    )
}

#[test]
fn patch_and_git_apply_the_output_of_a_difference() {
    // Changes far from one another: two pieces of one difference, which has one header.
    let far = "\n".repeat(20);
    let text = arm(&format!(
        r#"<axis xyz="0 2 0"/> {far} <limit lower="1" upper="0" effort="1" velocity="1"/>"#
    ));
    let path = file("patched.urdf", &text);
    let folder = path.parent().expect("a folder");
    let shown = crate::process::command(&["check", "patched.urdf", "--diff"])
        .current_dir(folder)
        .output()
        .expect("it runs");
    let difference = String::from_utf8(shown.stdout).expect("UTF-8");
    assert_eq!(
        difference
            .matches("--- patched.urdf\n+++ patched.urdf\n")
            .count(),
        1,
        "{difference}"
    );
    assert_eq!(difference.matches("\n@@ ").count(), 2, "{difference}");
    let (by_hand, other) = (folder.join("patched_here"), folder.join("patched_there"));
    for (folder, program, arguments) in [
        (&by_hand, "patch", &["-p0"][..]),
        (&other, "git", &["apply", "-p0"]),
    ] {
        fs::create_dir_all(folder).expect("a folder");
        fs::write(folder.join("patched.urdf"), &text).expect("written");
        fs::write(folder.join("difference"), &difference).expect("written");
        let input = fs::File::open(folder.join("difference")).expect("there");
        let mut command = std::process::Command::new(program);
        command.args(arguments).current_dir(folder).stdin(input);
        // A folder of a repository, in which git would look for the files.
        command.env("GIT_CEILING_DIRECTORIES", folder);
        match command.output() {
            Ok(output) => assert!(
                output.status.success(),
                "{program}: {output:?}\n{difference}"
            ),
            // A machine without the program.
            Err(_) => fs::write(folder.join("patched.urdf"), applied(&text, &difference))
                .expect("written"),
        }
    }
    assert_eq!(check(&path, &["--fix"]).code, 0);
    let fixed = fs::read_to_string(&path).expect("there");
    assert_ne!(fixed, text);
    assert_eq!(applied(&text, &difference), fixed);
    for folder in [by_hand, other] {
        let patched = fs::read_to_string(folder.join("patched.urdf")).expect("there");
        assert_eq!(patched, fixed);
    }
}

/// The text that `patch` makes by a difference, line by line.
fn applied(text: &str, difference: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let (mut at, mut grown) = (None, 0);
    for line in difference.lines() {
        if let Some(header) = line.strip_prefix("@@ -") {
            let start = header
                .split([',', ' '])
                .next()
                .and_then(|it| it.parse::<usize>().ok());
            at = start.map(|start| start - 1 + grown);
        }
        let Some(here) = at.as_mut() else { continue };
        if let Some(line) = line.strip_prefix('-') {
            assert_eq!(lines.remove(*here), line);
            grown = grown.wrapping_sub(1);
        } else if let Some(line) = line.strip_prefix('+') {
            lines.insert(*here, line.to_owned());
            (*here, grown) = (*here + 1, grown.wrapping_add(1));
        } else if let Some(line) = line.strip_prefix(' ') {
            if lines.get(*here).is_none_or(|it| it != line) {
                // The lines after the difference.
                at = None;
                continue;
            }
            *here += 1;
        }
    }
    lines.join("\n")
}

#[cfg(feature = "xacro")]
#[test]
fn repairs_of_xacro_are_shown_and_the_file_is_not_overwritten() {
    let text = "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>
  <xacro:property name='k' value='2'/><link name='a'/><link name='b'><inertial><mass value='1'/>
  <inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>
  <joint name='j' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 0 ${k}'/></joint></robot>";
    let path = file("macro.xacro", text);
    let shown = check(&path, &["--diff"]);
    assert_eq!(shown.code, 1, "{}", shown.err);
    assert!(
        shown.out.contains("+++ macro.xacro (expanded)"),
        "{}",
        shown.out
    );
    assert!(
        shown
            .err
            .contains("repairs are those of the text that it expands to"),
        "{}",
        shown.err
    );
    let own = path.to_str().expect("UTF-8");
    for output in [&["--fix"][..], &["--fix", "--output", own]] {
        let refused = check(&path, output);
        assert_eq!(refused.code, 2, "{}", refused.out);
        assert!(
            refused.err.contains("it is written in xacro"),
            "{}",
            refused.err
        );
        assert_eq!(fs::read_to_string(&path).expect("there"), text);
    }
    let other = path.with_file_name("macro_expanded.urdf");
    let written = check(&path, &["--fix", "-o", other.to_str().expect("UTF-8")]);
    assert_eq!(written.code, 0, "{}{}", written.out, written.err);
    let expanded = fs::read_to_string(&other).expect("there");
    assert!(
        expanded.contains(r#"xyz="0 0 1""#) && !expanded.contains("xacro:"),
        "{expanded}"
    );
}

#[test]
fn a_file_is_repaired_in_place_and_what_is_left_is_reported() {
    let text = arm(r#"<limit lower="1" upper="-1" effort="0" velocity="1"/>"#);
    let path = file("fixed.urdf", &text);
    let fixed = check(&path, &["--fix"]);
    // The effort of zero is a choice.
    assert_eq!(fixed.code, 1, "{}", fixed.err);
    assert!(fixed.out.contains("repair[empty-range]: "), "{}", fixed.out);
    assert!(
        fixed.out.contains("the limit of effort is 0"),
        "{}",
        fixed.out
    );
    let after = fs::read_to_string(&path).expect("there");
    assert!(
        after.contains(r#"<limit lower="-1" upper="1" effort="0""#),
        "{after}"
    );
    assert!(
        fixed.out.ends_with("fixed.urdf: 2 repairs written\n"),
        "{}",
        fixed.out
    );
    // Again, nothing changes.
    let again = check(&path, &["--fix"]);
    assert!(
        again.out.ends_with("fixed.urdf: nothing to repair\n"),
        "{}",
        again.out
    );
    assert_eq!(
        (again.code, again.out.contains("repair[")),
        (1, false),
        "{}",
        again.out
    );
    assert_eq!(fs::read_to_string(&path).expect("there"), after);
}

#[test]
fn what_is_misspelt_is_shown_with_its_repair_and_its_content_stays() {
    let text = arm(LIMIT).replace("ixx=\"0.9\"", "ixx=\"0.1\"");
    let text = text.replace("<mass value", "<mas value");
    let path = file("misspelt.urdf", &text);
    let found = check(&path, &[]);
    assert_eq!(found.code, 2, "{}", found.out);
    for says in [
        "warning[misspelt-element]: ",
        "`<inertial>` has no `<mas>`: rename it to `<mass>`",
        "error[missing-element]: ",
        "`<mass>` is missing, and `<mas>` is not used; write `mass` if that is meant",
        "misspelt.urdf: can't be read; with the repair it can\n",
    ] {
        assert!(found.out.contains(says), "{says}: {}", found.out);
    }
    let fixed = check(&path, &["--fix"]);
    assert_eq!(fixed.code, 0, "{}", fixed.out);
    let expected = text.replace("<mas value", "<mass value");
    assert_eq!(fs::read_to_string(&path).expect("there"), expected);
}

#[test]
fn a_file_that_can_not_be_read_with_the_repairs_is_not_written() {
    // The second link gets a name of its own, and then is a second root.
    let text = arm(LIMIT).replace(
        "<link name=\"base\"/>",
        "<link name=\"base\"/><link name=\"arm\"/>",
    );
    let path = file("hopeless.urdf", &text);
    let refused = check(&path, &["--fix"]);
    assert_eq!(refused.code, 2, "{}", refused.out);
    assert!(refused.out.contains("error[two-roots]"), "{}", refused.out);
    assert!(
        refused.err.contains("nothing is written"),
        "{}",
        refused.err
    );
    assert_eq!(fs::read_to_string(&path).expect("there"), text);
}

#[test]
fn another_file_may_be_written() {
    let text = arm("");
    let path = file("kept.urdf", &text);
    let other = path.with_file_name("kept_repaired.urdf");
    let fixed = check(&path, &["--fix", "-o", other.to_str().expect("UTF-8")]);
    assert_eq!(fixed.code, 0, "{}{}", fixed.out, fixed.err);
    assert!(
        fixed
            .out
            .ends_with("kept_repaired.urdf: 2 repairs written\n"),
        "{}",
        fixed.out
    );
    assert_eq!(fs::read_to_string(&path).expect("there"), text);
    assert_eq!(check(&other, &[]).code, 0);
    let copy = path.with_file_name("kept_copy.urdf");
    let copied = check(&other, &["--fix", "-o", copy.to_str().expect("UTF-8")]);
    let says = format!("nothing to repair; {} is a copy\n", copy.display());
    assert!(copied.out.ends_with(&says), "{}", copied.out);
    assert_eq!(
        fs::read_to_string(&copy).expect("there"),
        fs::read_to_string(&other).expect("there")
    );
    for (arguments, told) in [
        (&["-o", "x.urdf"][..], "--fix"),
        (&["--fix", "--diff"], "cannot be used with"),
        (&["--diff", "--density", "0"], "above zero"),
    ] {
        let refused = check(&path, arguments);
        assert_eq!(refused.code, 2);
        assert!(refused.err.contains(told), "{}", refused.err);
    }
    let embedded = run(&["check", "panda", "--fix"]);
    assert_eq!(embedded.code, 2);
    assert!(
        embedded.err.contains("no text to repair"),
        "{}",
        embedded.err
    );
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let path = file("linked_target.urdf", &arm(""));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("permitted");
    let link = path.with_file_name("linked.urdf");
    let _ = fs::remove_file(&link);
    symlink(&path, &link).expect("a link");
    assert_eq!(check(&link, &["--fix"]).code, 0);
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    assert!(
        fs::read_to_string(&path)
            .expect("there")
            .contains("continuous")
    );
    let mode = fs::metadata(&path).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    let folder = path.parent().expect("a folder");
    let left = fs::read_dir(folder).expect("there").flatten();
    let left = left.filter(|it| it.file_name().to_string_lossy().starts_with(".linked"));
    assert_eq!(left.count(), 0);
}

#[test]
fn meshes_are_named_from_the_folder_of_the_repaired_file() {
    let mesh =
        |uri: &str| format!(r#"<visual><geometry><mesh filename="{uri}"/></geometry></visual>"#);
    let uris = [
        "meshes/moved.stl",
        "lost/moved.stl",
        "package://p/moved.stl",
    ];
    let text = arm("").replace(
        "<link name=\"base\"/>",
        &format!("<link name=\"base\">{}</link>", uris.map(mesh).concat()),
    );
    let path = file("moved.urdf", &text);
    let folder = path.parent().expect("a folder");
    fs::create_dir_all(folder.join("meshes")).expect("writable");
    fs::create_dir_all(folder.join("moved_there")).expect("writable");
    fs::write(folder.join("meshes/moved.stl"), "solid s\nendsolid s\n").expect("writable");
    let other = folder.join("moved_there/moved.urdf");
    let fixed = check(&path, &["--fix", "-o", other.to_str().expect("UTF-8")]);
    let written = fs::read_to_string(&other).expect("there");
    for name in [
        "../meshes/moved.stl",
        "../lost/moved.stl",
        "package://p/moved.stl",
    ] {
        assert!(written.contains(&format!("\"{name}\"")), "{written}");
    }
    assert!(written.contains("continuous"), "{written}");
    assert!(fixed.out.contains("repair[mesh-folder]: "), "{}", fixed.out);
    assert!(
        fixed
            .out
            .contains("+  <link name=\"base\"><visual><geometry><mesh filename=\"../meshes/"),
        "{}",
        fixed.out
    );
    // Beside the file, names stay.
    let beside = folder.join("moved_beside.urdf");
    check(&path, &["--fix", "-o", beside.to_str().expect("UTF-8")]);
    assert!(
        fs::read_to_string(&beside)
            .expect("there")
            .contains("\"meshes/moved.stl\"")
    );
}

#[test]
fn an_error_that_no_repair_is_known_for_is_named_before_and_after() {
    // An axis of zero length needs a choice; the range does not.
    let text = arm(r#"<axis xyz="0 0 0"/><limit lower="1" upper="0" effort="1" velocity="1"/>"#)
        .replace("</robot>", "<link name=\"arm\"/></robot>");
    let path = file("remaining.urdf", &text);
    let found = check(&path, &[]);
    assert_eq!(found.code, 2, "{}", found.out);
    assert!(
        found.out.contains("error[zero-axis]"),
        "{}{}",
        found.out,
        found.err
    );
    assert!(
        found.err.contains("with it, the robot still can't be read"),
        "{}",
        found.err
    );
    assert!(!found.err.contains("--fix` writes"), "{}", found.err);
    let other = text
        .replace("0 0 0", "0 0 1")
        .replace("lower=\"1\"", "lower=\"2\"");
    let path = file("remaining_root.urdf", &other);
    let found = check(&path, &["--format", "jsonl"]);
    let lines = json_lines(&found.out);
    let errors: Vec<_> = lines
        .iter()
        .filter(|it| it["severity"] == "error")
        .collect();
    // Each with its repair, but the last.
    assert!(errors.len() > 1, "{}", found.out);
    let left: Vec<_> = errors.iter().filter(|it| it["repair"].is_null()).collect();
    assert_eq!(left.len(), 1, "{}", found.out);
    let message = left[0]["message"].as_str().expect("text");
    let says = ". This error appears once the repairs above are made, and no repair is known";
    assert!(message.ends_with(says), "{message}");
    assert_eq!(left[0]["code"], "two-roots", "{}", found.out);
    let fixed = check(&path, &["--fix"]);
    assert!(fixed.out.contains("error[two-roots]"), "{}", fixed.out);
    assert!(
        fixed.err.contains("nothing is written: 1 error remains"),
        "{}",
        fixed.err
    );
}
