//! Robots in several files, and texts that are no robots.

use super::case::is_only_reported;
use featherline_formats::load_with;
use featherline_formats::repair::{RepairOptions, propose, propose_str};
use std::fs;
use std::path::PathBuf;

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("the target folder is writable");
    folder
}

#[test]
fn edits_belong_to_the_file_that_they_are_in() {
    let folder = folder("repair_includes");
    let main = folder.join("main.xml");
    let text = "<mujoco><include file='arm.xml'/>
  <equality><joint joint1='j' joint2='no_such'/></equality></mujoco>";
    let arm = "<mujoco><worldbody><!-- arm -->
  <body><joint name='j' range='1 -1' limited='true'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/></body>
</worldbody></mujoco>";
    fs::write(&main, text).expect("writable");
    fs::write(folder.join("arm.xml"), arm).expect("writable");
    let options = RepairOptions::new();
    let repairs = propose(&main, &options).expect("it is text");
    let found: Vec<(&str, usize)> = repairs
        .repairs
        .iter()
        .map(|it| (it.code, it.edits[0].file))
        .collect();
    assert_eq!(
        found,
        [
            ("empty-range", 1),
            ("unknown-name", 0),
            ("triangle-inequality", 1)
        ]
    );
    assert!(repairs.outcome.is_ok());
    assert_eq!(repairs.changed(), [0, 1]);
    assert_eq!(
        repairs.files[1].path.as_deref(),
        Some(&*folder.join("arm.xml"))
    );
    let count = repairs.repairs.len();
    let after = repairs.text(1, count);
    assert_eq!(
        after,
        arm.replace("1 -1", "-1 1").replace("1 1 3", "1.5 1.5 3")
    );
    // Nothing was written; what is written can be read, and has no repairs.
    assert_eq!(
        fs::read_to_string(folder.join("arm.xml")).expect("there"),
        arm
    );
    fs::write(&main, repairs.apply()).expect("writable");
    fs::write(folder.join("arm.xml"), after).expect("writable");
    load_with(&main, &options.load).expect("it is a robot now");
    assert_eq!(propose(&main, &options).expect("text").repairs, []);
}

#[test]
fn other_texts_have_no_repairs() {
    for text in [
        "",
        "{\"featherline_model\": 1}",
        "<robot name='r'>",
        "<sdf><joint type='revolute'><axis xyz='0 0 2'/></joint></sdf>",
        "<robot name='r'><link name='a'/><joint name='j' type='fixed'/></robot>",
    ] {
        is_only_reported(text);
        let repairs = propose_str(text, &RepairOptions::new()).expect("it is text");
        assert!(repairs.outcome.is_err(), "{text}");
    }
    let missing = propose("/no/such/file.urdf", &RepairOptions::new());
    assert_eq!(
        missing.expect_err("it is not there").cause().code(),
        "unreadable"
    );
}
