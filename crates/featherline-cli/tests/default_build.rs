//! What the build without features says of what it leaves out.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Builds the program without features, in a folder of its own, and gives its path.
fn build() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("default-build");
    let status = Command::new(env!("CARGO"))
        .args(["build", "--package", "featherline-cli", "--target-dir"])
        .arg(&folder)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .expect("cargo runs");
    assert!(status.success());
    folder.join("debug").join("featherline")
}

#[test]
#[ignore = "builds the program a second time: cargo test -p featherline-cli --test default_build -- --ignored"]
fn what_is_left_out_says_in_one_line_how_to_get_it() {
    let program = build();
    let run = |arguments: &[&str]| -> Output {
        let output = Command::new(&program).args(arguments).output();
        output.expect("the program runs")
    };
    for command in ["info", "check", "eval"] {
        assert!(run(&[command, "panda"]).status.success(), "{command}");
    }
    let short = ["simulate", "panda", "--seconds", "0.01"];
    assert!(run(&short).status.success());
    for (arguments, feature) in [
        (&["system", "panda", "--known", "tau"][..], "system"),
        (&["system", "--help"], "system"),
        (
            &["compile", "panda", "--quantity", "tau", "-o", "x"],
            "compile",
        ),
        (&["run", "x", "--states", "-"], "compile"),
        (&[&short[..], &["--plot", "x.svg"]].concat(), "plots"),
        (
            &[&short[..], &["--record", "x.parquet"]].concat(),
            "parquet",
        ),
        (&[&short[..], &["--record", "x.mcap"]].concat(), "mcap"),
    ] {
        let refused = run(arguments);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
        assert!(refused.stdout.is_empty());
        let error = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(error.lines().count(), 1, "{error}");
        let remedy = format!("cargo install --path crates/featherline-cli --features {feature}`");
        assert!(error.contains(&remedy), "{error}");
        assert!(error.contains("--features full"), "{error}");
    }
}
