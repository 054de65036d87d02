//! The commands of the pages, as their readers type them.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, thread};

/// In place of the program: pages are written to a file where a reader's browser opens.
const PROGRAM: &str = r#"#!/bin/sh
for word do
  shift
  [ "$word" = --view ] || set -- "$@" "$word"
done
case " $* " in
  # Pictures need a browser, and have tests of their own.
  *" --png "* | *" --gif "*) exit 0 ;;
  *" --html "*) ;;
  " view "*) set -- "$@" --html page.html ;;
esac
"$FEATHERLINE" "$@"
code=$?
# 1 is a finding, 2 an error.
[ $code = 1 ] || exit $code
"#;

/// An arm with a named configuration.
const ARM: &str = "<mujoco><worldbody><body><joint name='j'/><geom size='0.1'/></body></worldbody>
    <keyframe><key name='home' qpos='1'/></keyframe></mujoco>";

/// Commands of other programs, tested by the steps that build featherline.
const OTHERS: [&str; 4] = ["cargo ", "cd ", "npm ", "pip "];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All pages: of the repository, the book and the crates.
fn pages() -> Vec<PathBuf> {
    let in_folder = |folder: &str| {
        let folder = fs::read_dir(repository().join(folder)).expect("a folder of the repository");
        folder.map(|entry| entry.expect("an entry of the folder").path())
    };
    let book = in_folder("book/src").filter(|path| path.extension().is_some_and(|it| it == "md"));
    let crates = in_folder("crates").map(|folder| folder.join("README.md"));
    let mut pages: Vec<_> = book.chain(crates).collect();
    pages.push(repository().join("README.md"));
    pages.sort();
    pages
}

/// The blocks of commands of a page, without those that name a robot only by ROBOT.
fn blocks(page: &str) -> Vec<String> {
    let blocks = page.split("\n```sh\n").skip(1);
    let blocks = blocks.filter_map(|rest| rest.split("\n```").next());
    let own = |line: &&str| !OTHERS.iter().any(|other| line.starts_with(other));
    blocks
        .filter(|block| !block.contains(" ROBOT"))
        .map(|block| block.lines().filter(own).collect::<Vec<_>>().join("\n"))
        .collect()
}

/// An empty folder with the files that pages take for granted.
fn folder(page: &Path) -> PathBuf {
    let name = page.strip_prefix(repository()).expect("a page of it");
    let name = name.to_string_lossy().replace('/', "-");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("pages")
        .join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("a folder of an earlier run");
    }
    fs::create_dir_all(folder.join("ros/src")).expect("a folder");
    let root = fs::canonicalize(repository()).expect("the repository");
    for link in ["robots", "examples"] {
        std::os::unix::fs::symlink(root.join(link), folder.join(link)).expect("a link");
    }
    for (file, like) in [
        ("my_robot.urdf", "robots/panda.urdf"),
        ("scene.toml", "examples/scenes/cradle.toml"),
        ("scene.xml", "examples/scenes/gripper.xml"),
    ] {
        fs::copy(root.join(like), folder.join(file)).expect("a copy");
    }
    let text = fs::read_to_string(root.join("robots/ur5.urdf")).expect("a robot");
    let arm = "<xacro:arg name='arm' default='right'/></robot>";
    let start = "<robot xmlns:xacro='http://www.ros.org/wiki/xacro'";
    let xacro = text.replacen("<robot", start, 1).replace("</robot>", arm);
    fs::write(folder.join("my_robot.urdf.xacro"), xacro).expect("a file");
    fs::write(folder.join("arm.xml"), ARM).expect("a file");
    let states =
        r#"{"q": [0, 0, 0, -1, 0, 1, 0], "v": [0, 0, 0, 0, 0, 0, 1], "a": [1, 0, 0, 0, 0, 0, 0]}"#;
    fs::write(folder.join("states.jsonl"), states).expect("a file");
    let sensors = fs::read_to_string(root.join("book/src/sensor_files.md")).expect("a page");
    let push = sensors
        .split("let text = r#\"")
        .nth(1)
        .expect("its first sensor file");
    let push = push.split("\"#").next().expect("the end of the file");
    fs::write(folder.join("push.toml"), push).expect("a file");
    fs::create_dir(folder.join("bin")).expect("a folder");
    let program = folder.join("bin/featherline");
    fs::write(&program, PROGRAM).expect("a file");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&program, executable).expect("a program");
    folder
}

/// The commands of a page that fail, each with its error.
fn failures(page: &Path) -> Vec<String> {
    let Ok(text) = fs::read_to_string(page) else {
        return vec![format!("{} is missing", page.display())];
    };
    let blocks = blocks(&text);
    if blocks.is_empty() {
        return Vec::new();
    }
    let folder = folder(page);
    let path = std::env::var("PATH").unwrap_or_default();
    let mut failures = Vec::new();
    for block in blocks {
        let output = Command::new("bash")
            .args(["-e", "-o", "pipefail", "-c", &block])
            .current_dir(&folder)
            .env("HOME", &folder)
            .env("PATH", format!("{}:{path}", folder.join("bin").display()))
            .env("FEATHERLINE", env!("CARGO_BIN_EXE_featherline"))
            .stdin(Stdio::null())
            .output()
            .expect("bash starts");
        if !output.status.success() {
            let error = String::from_utf8_lossy(&output.stderr);
            failures.push(format!("{}: {block}\n{error}", page.display()));
        }
    }
    failures
}

#[test]
fn the_commands_of_all_pages_run() {
    let pages = pages();
    let failures: Vec<String> = thread::scope(|scope| {
        let running: Vec<_> = (pages.iter())
            .map(|page| scope.spawn(move || failures(page)))
            .collect();
        let ended = running.into_iter().map(|it| it.join().expect("no panic"));
        ended.flatten().collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
