//! The table of formats, and what else names formats.

use featherline::words::Words;
use featherline_formats::{ErrorCause, FileFormat, LoadOptions, load_str};
use std::path::Path;

/// A robot of one moving link.
const DOOR: &str = "<robot name='door'><link name='frame'/><link name='leaf'><inertial>
  <mass value='2'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>
  <joint name='hinge' type='continuous'><parent link='frame'/><child link='leaf'/></joint></robot>";

fn written() -> impl Iterator<Item = FileFormat> {
    FileFormat::ALL.into_iter().filter(|it| it.is_written())
}

#[test]
fn what_is_written_is_recognised_and_read() {
    let door = load_str(DOOR).unwrap();
    for format in written() {
        assert!(format.is_read());
        let name = format!("door.{}", format.words()[0]);
        let text = door.to_files(format, &name).unwrap();
        let again = text.read_again(&LoadOptions::new()).unwrap();
        assert_eq!(again.model.total_mass(), 2.0, "{format:?}");
        assert_eq!(FileFormat::of_path(&name), Some(format));
    }
    assert_eq!(FileFormat::names(), ["urdf", "mjcf", "json"]);
    assert_eq!(FileFormat::from_word("xml").unwrap(), FileFormat::Mjcf);
    assert!(FileFormat::from_word("sdf").is_err());
}

#[test]
fn a_format_that_is_not_written_is_an_error() {
    let door = load_str(DOOR).unwrap();
    for format in FileFormat::ALL.into_iter().filter(|it| !it.is_written()) {
        let error = door.to_files(format, "door").unwrap_err();
        assert!(error.to_string().contains(format.title()), "{error}");
    }
}

#[test]
fn endings_and_beginnings_say_the_format() {
    for (text, path, format) in [
        ("\u{feff} {\"a\":1}", None, Some(FileFormat::ModelFile)),
        ("name = 'x'\n  [[body]]\n", None, Some(FileFormat::Scene)),
        ("name = 'x'", Some("a.toml"), Some(FileFormat::Scene)),
        ("PXR-USDC", None, Some(FileFormat::Usd)),
        ("PK", Some("robot.USDZ"), Some(FileFormat::Usd)),
        ("<robot/>", Some("robot.usd"), None),
        ("<robot>\n[ground]\n</robot>", None, None),
        ("links", Some("robot.urdf"), None),
    ] {
        let found = FileFormat::of_text(text, path.map(Path::new));
        assert_eq!(found, format, "{text:?} {path:?}");
    }
    let sdf = load_str("<sdf version='1.9'/>").unwrap_err();
    assert!(matches!(
        sdf.cause(),
        ErrorCause::OtherFormat(FileFormat::Sdf)
    ));
    // The names of the formats that are read come from the table.
    for format in FileFormat::ALL.into_iter().filter(|it| it.is_read()) {
        assert!(sdf.to_string().contains(format.title()), "{sdf}");
    }
}

/// A file of the workspace, if this crate is in it.
fn workspace(file: &str) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(file)).ok()
}

#[test]
fn the_page_and_the_book_know_each_format() {
    // The module of the page expands no xacro, and reads no scenes.
    let by_page = |it: &FileFormat| it.is_read() && it.is_written();
    for file in ["viewer/src/main.ts", "viewer/src/viewer.ts"] {
        let Some(text) = workspace(file) else {
            continue;
        };
        for word in FileFormat::ALL
            .iter()
            .filter(|it| by_page(it))
            .flat_map(|it| it.words())
        {
            assert!(
                text.contains(&format!(".{word}")),
                "{file} does not open .{word}"
            );
        }
    }
    if let Some(text) = workspace("book/src/robot_files.md") {
        for format in FileFormat::ALL {
            let endings = format.words().join("`, `");
            let row = format!(
                "| {} | `{endings}` | {} |",
                format.title(),
                format.summary()
            );
            assert!(text.contains(&row), "the book lacks the row {row}");
        }
    }
}
