//! Texts and files made to exhaust stack, memory or time.

use super::case::every_option;
use featherline_formats::XmlRefusal;
use featherline_formats::{Error, ErrorCause, WarningCause, load, load_str, load_with};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Ample for a linear walk through some megabytes on a loaded machine, and nothing for a quadratic
/// one.
const FAST: Duration = Duration::from_secs(20);

fn error(text: &str) -> Error {
    let begun = Instant::now();
    let error = load_str(text).unwrap_err();
    assert!(begun.elapsed() < FAST, "{:?} for {error}", begun.elapsed());
    error
}

fn refusal(text: &str) -> (XmlRefusal, usize) {
    let error = error(text);
    let line = error.location().position.map_or(0, |p| p.line);
    let ErrorCause::Xml(refusal) = error.cause() else {
        panic!("{error:?}");
    };
    (refusal.clone(), line)
}

#[test]
fn a_million_nested_elements_are_refused_at_the_first_that_is_too_deep() {
    const DEPTH: usize = 1_000_000;
    let open = "<link name='a'>\n".repeat(DEPTH);
    let (why, line) = refusal(&format!("<robot name='r'>\n{open}"));
    assert!(matches!(why, XmlRefusal::TooDeep { .. }), "{why:?}");
    assert_eq!(line, 257);
    let closed = format!("<robot>{open}{}</robot>", "</link>".repeat(DEPTH));
    assert!(matches!(refusal(&closed).0, XmlRefusal::TooDeep { .. }));
    let unclosed = "<a".repeat(DEPTH);
    assert!(matches!(
        refusal(&unclosed).0,
        XmlRefusal::Malformed { .. } | XmlRefusal::Truncated { .. }
    ));
}

#[test]
fn a_tag_of_millions_of_attributes_without_a_blank_is_refused_at_once() {
    for attribute in ["=", "a='b'", "xmlns:a='b'"] {
        let (why, line) = refusal(&format!("<robot {}>", attribute.repeat(1_000_000)));
        assert!(
            matches!(
                why,
                XmlRefusal::Malformed { .. } | XmlRefusal::DuplicateAttribute { .. }
            ),
            "{attribute}: {why:?}"
        );
        assert_eq!(line, 1);
    }
}

#[test]
fn what_costs_the_parser_more_than_linear_time_or_memory_is_bounded() {
    let attributes: String = (0..100_000).fold(String::new(), |mut text, i| {
        let _ = write!(text, " a{i}='1'");
        text
    });
    let (why, line) = refusal(&format!("<robot name='r'>\n<link {attributes}/></robot>"));
    assert!(matches!(
        why,
        XmlRefusal::TooMany {
            what: "attributes in one element",
            ..
        }
    ));
    assert_eq!(line, 2);
    let namespaces: String = (0..70_000).fold(String::new(), |mut text, i| {
        let _ = write!(text, "<link xmlns:n{i}='u{i}'/>");
        text
    });
    let (why, _) = refusal(&format!("<robot name='r'>{namespaces}</robot>"));
    assert!(matches!(
        why,
        XmlRefusal::TooMany {
            what: "namespace declarations",
            ..
        }
    ));
    let (why, _) = refusal(&format!(
        "<robot name='r'>{}</robot>",
        "<a/>".repeat(5_000_000)
    ));
    assert!(matches!(why, XmlRefusal::TooMany { .. }));
    let (why, _) = refusal(&" ".repeat((64 << 20) + 1));
    assert!(matches!(why, XmlRefusal::TooLarge { .. }));
}

#[test]
fn long_names_and_long_lines_do_not_flood_messages() {
    let name = "n".repeat(1 << 20);
    let text = format!("<robot name='r'><link name='{name}'/><link name='{name}'/></robot>");
    assert!(error(&text).to_string().len() < 600);
    let number = "9".repeat(1 << 20) + "x";
    let text = format!(
        "<robot name='r'><link name='a'><inertial><mass value='{number}'/></inertial></link></robot>"
    );
    assert!(error(&text).to_string().len() < 600);
    let tag = "t".repeat(1 << 20);
    assert!(error(&format!("<{tag}/>")).to_string().len() < 600);
    assert!(error(&format!("<robot><{tag}></robot>")).to_string().len() < 600);
    let joint = format!(
        "<robot name='r'><link name='a'/><joint name='j' type='fixed'><parent link='{name}'/><child link='a'/></joint></robot>"
    );
    assert!(error(&joint).to_string().len() < 600);
}

/// A chain of links, each joint with the element that `inside` gives it.
fn chain(links: usize, inside: impl Fn(usize) -> String) -> String {
    let mut text = String::from("<robot name='r'><link name='l0'/>\n");
    for i in 1..links {
        let parent = i - 1;
        let inside = inside(i);
        let _ = writeln!(
            text,
            "<link name='l{i}'/><joint name='j{i}' type='continuous'>\
             <parent link='l{parent}'/><child link='l{i}'/>{inside}</joint>"
        );
    }
    text + "</robot>"
}

#[test]
fn long_chains_of_links_and_of_mimic_joints_are_read_in_linear_time() {
    const LINKS: usize = 30_000;
    let begun = Instant::now();
    let mimic_joints = chain(LINKS, |i| {
        if i + 1 < LINKS {
            format!("<mimic joint='j{}'/>", i + 1)
        } else {
            String::new()
        }
    });
    let robot = load_str(&mimic_joints).unwrap();
    assert_eq!((robot.model.joints().len(), robot.model.nv()), (LINKS, 1));
    let circle = chain(LINKS, |i| {
        format!("<mimic joint='j{}'/>", i % (LINKS - 1) + 1)
    });
    let error = load_str(&circle).unwrap_err();
    assert!(
        matches!(error.cause(), ErrorCause::MimicCycle { .. }),
        "{error}"
    );
    assert!(begun.elapsed() < FAST, "{:?}", begun.elapsed());
}

#[test]
fn of_as_many_errors_as_joints_some_are_reported() {
    // Each costs a search for a similar name among all.
    let text = chain(30_000, |_| "<mimic joint='no_such'/>".to_owned());
    assert_eq!(error(&text).others().len(), 20);
}

#[test]
fn mimic_joints_that_would_fill_the_memory_are_refused() {
    // Each of the upper half mimics one of the lower half: all coordinates meet in the middle.
    const LINKS: usize = 20_000;
    let crossed = chain(LINKS, |i| {
        if i < LINKS / 2 {
            format!("<mimic joint='j{}'/>", i + LINKS / 2)
        } else {
            String::new()
        }
    });
    let error = error(&crossed);
    assert!(
        matches!(error.cause(), ErrorCause::TooManyMimicked { .. }),
        "{error}"
    );
    assert_eq!(error.location().position.map(|p| p.line), Some(2));
    // One mimic joint in a long chain couples all, and costs next to nothing.
    let begun = Instant::now();
    let one = chain(LINKS, |i| {
        if i == 1 {
            format!("<mimic joint='j{}'/>", LINKS - 1)
        } else {
            String::new()
        }
    });
    assert!(load_str(&one).is_ok());
    assert!(begun.elapsed() < FAST, "{:?}", begun.elapsed());
}

#[test]
fn as_many_warnings_as_elements_cost_no_more_than_the_text() {
    const LINKS: usize = 30_000;
    // Everything on one line, where a column would be found by counting from its beginning.
    let text = chain(LINKS, |_| "<limit/>".to_owned()).replace('\n', " ");
    let begun = Instant::now();
    let robot = load_str(&text).unwrap();
    assert!(begun.elapsed() < FAST, "{:?}", begun.elapsed());
    let unbounded = |cause: &WarningCause| matches!(cause, WarningCause::NoBound { .. });
    let count = robot
        .warnings
        .iter()
        .filter(|w| unbounded(&w.cause))
        .count();
    assert_eq!(count, 2 * (LINKS - 1));
}

fn temporary(name: &str, bytes: &[u8]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("featherline-{}-{name}", std::process::id()));
    std::fs::write(&path, bytes).expect("the folder for temporary files is writable");
    path
}

#[test]
fn files_that_are_missing_or_no_text_are_errors_that_name_the_file() {
    let missing = load("no/such/robot.urdf").unwrap_err();
    assert!(
        matches!(missing.cause(), ErrorCause::Unreadable(_)),
        "{missing}"
    );
    assert!(
        missing
            .to_string()
            .starts_with("no/such/robot.urdf: the file can't be read: "),
        "{missing}"
    );
    assert!(std::error::Error::source(&missing).is_some());
    let folder = load(std::env::temp_dir()).unwrap_err();
    assert!(
        matches!(folder.cause(), ErrorCause::Unreadable(_)),
        "{folder}"
    );

    let binary = temporary(
        "binary.urdf",
        b"<robot name='r'>\n<link name='\xff'/></robot>",
    );
    for options in every_option() {
        let error = load_with(&binary, &options).unwrap_err();
        assert!(matches!(error.cause(), ErrorCause::NotUtf8), "{error}");
        let place = format!("{}:2:13: this is not text in UTF-8", binary.display());
        assert!(error.to_string().starts_with(&place), "{error}");
    }
    std::fs::remove_file(binary).unwrap();

    let broken = temporary("broken.urdf", b"<robot name='r'>\n  <link/>\n</robot>");
    let error = load(&broken).unwrap_err();
    let place = format!("{}:2:3: robot/link: ", broken.display());
    assert!(error.to_string().starts_with(&place), "{error}");
    std::fs::remove_file(broken).unwrap();

    let huge = temporary("huge.urdf", &vec![b' '; (64 << 20) + 1]);
    let error = load(&huge).unwrap_err();
    assert!(
        matches!(error.cause(), ErrorCause::Xml(XmlRefusal::TooLarge { .. })),
        "{error}"
    );
    std::fs::remove_file(huge).unwrap();
}
