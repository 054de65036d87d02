//! Texts that are no XML, or no URDF.

use super::case::{cases, check};
use featherline_formats::ErrorCause::{OtherFormat as OtherFormatCause, UnknownFormat, Xml};
use featherline_formats::FileFormat;
use featherline_formats::XmlRefusal as X;

#[test]
fn a_text_that_is_not_well_formed_gives_its_line() {
    check(
        cases! {
            "empty": 1, Xml(X::Empty), "nothing here to read", "";
            "blank": 1, Xml(X::Empty), "nothing here to read", " \n\t\r\n ";
            "byte order mark alone": 1, Xml(X::Empty), "nothing here", "\u{feff}";
            "no markup": 1, Xml(X::Malformed { .. }), "not well-formed", "a robot with two arms";
            "comment alone": 1, Xml(X::Malformed { .. }), "root", "<!-- later -->";
            "cut off in an element": 3, Xml(X::Truncated { .. }), "inside `<link>`, which opens in line 2",
                "<robot name='r'>\n<link name='a'>\n<inertial/>";
            "cut off in the root": 2, Xml(X::Truncated { .. }), "inside `<robot>`",
                "<robot name='r'>\n<link name='a'/>\n";
            "cut off in a tag": 2, Xml(X::Truncated { .. }), "cut off",
                "<robot name='r'>\n<link name='a'";
            "cut off in an attribute": 2, Xml(X::Truncated { .. }), "cut off",
                "<robot name='r'>\n<link name='a";
            "cut off in a comment": 2, Xml(X::Truncated { .. }), "inside a comment",
                "<robot name='r'>\n<!-- the arm\n</robot>";
            "cut off in CDATA": 2, Xml(X::Truncated { .. }), "inside a CDATA section",
                "<robot name='r'>\n<![CDATA[ ]] ></robot>";
            "cut off in an instruction": 2, Xml(X::Truncated { .. }), "inside a processing instruction",
                "<robot name='r'>\n<?xml-model href='x' ></robot>";
            "closed by another tag": 3, Xml(X::Malformed { .. }), "found `</robot>` where `</link>` is needed: `<link>` opens in line 2",
                "<robot name='r'>\n<link name='a'>\n</robot>";
            "closed twice": 3, Xml(X::Malformed { .. }), "not well-formed",
                "<robot name='r'>\n<link name='a'/>\n</robot></robot>";
            "two root elements": 2, Xml(X::Malformed { .. }), "not well-formed",
                "<robot name='r'><link name='a'/></robot>\n<robot name='s'><link name='a'/></robot>";
            "attribute given twice": 2, Xml(X::DuplicateAttribute { .. }), "`name` is given twice",
                "<robot name='r'>\n<link name='a' name='b'/></robot>";
            "attribute without quotes": 2, Xml(X::Malformed { .. }), "quote",
                "<robot name='r'>\n<link name=a/></robot>";
            "attribute without value": 2, Xml(X::Malformed { .. }), "not well-formed",
                "<robot name='r'>\n<link name/></robot>";
            "stray bracket": 2, Xml(X::Malformed { .. }), "not well-formed",
                "<robot name='r'>\n< link name='a'/></robot>";
            "unescaped bracket in an attribute": 2, Xml(X::Malformed { .. }), "'<'",
                "<robot name='r'>\n<link name='a<b'/></robot>";
            "unknown entity": 2, Xml(X::Malformed { .. }), "entity",
                "<robot name='r'>\n<link name='&arm;'/></robot>";
            "prefix that is not declared": 2, Xml(X::Malformed { .. }), "the prefix `xacro:` is not declared",
                "<robot name='r'>\n<xacro:arm/></robot>";
            "control character": 2, Xml(X::Malformed { .. }), "non-XML character",
                "<robot name='r'>\n<link name='a\u{1}'/></robot>";
            "declaration in the middle": 2, Xml(X::Malformed { .. }), "declaration",
                "<robot name='r'>\n<?xml version='1.0'?></robot>";
            "document type": 2, Xml(X::DocumentType), "`<!DOCTYPE`",
                "<?xml version='1.0'?>\n<!DOCTYPE robot>\n<robot name='r'><link name='a'/></robot>";
            "entity bomb": 2, Xml(X::DocumentType), "expand without bound", ENTITY_BOMB;
            "external entity": 1, Xml(X::DocumentType), "`<!DOCTYPE`",
                "<!DOCTYPE robot [<!ENTITY x SYSTEM 'file:///etc/hostname'>]>\n<robot name='&x;'/>";
        },
        27,
    );
}

const ENTITY_BOMB: &str = r#"<?xml version="1.0"?>
<!DOCTYPE robot [
<!ENTITY a "ha">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
<!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;">
<!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;">
<!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;">
]>
<robot name="&f;"/>"#;

#[test]
fn what_is_harmless_before_the_root_is_accepted() {
    for before in [
        "\u{feff}",
        "\n\n<?xml version='1.0'?>",
        "<!-- ours --> <?xml version='1.0'?>",
    ] {
        let text = format!("{before}<robot name='r'><link name='a &amp; b'/></robot>");
        let robot = featherline_formats::load_str(&text).expect("it is a robot");
        assert_eq!(robot.description.links[0].name, "a & b", "{before}");
    }
}

#[test]
fn another_format_is_told_by_its_root() {
    check(
        cases! {
            "part of MJCF": 1, UnknownFormat { .. }, "a part of an MJCF file", "<mujocoinclude/>";
            "SDF": 2, OtherFormatCause(FileFormat::Sdf), "sdf2mjcf",
                "<?xml version='1.0'?>\n<sdf version='1.9'><model name='m'/></sdf>";
            "mesh": 1, UnknownFormat { .. }, "COLLADA", "<COLLADA version='1.4.1'/>";
            "manifest": 1, UnknownFormat { .. }, "manifest", "<package format='2'/>";
            "something else": 1, UnknownFormat { .. }, "the root element is `<bicycle>`; a URDF begins with `<robot>`, an MJCF file with `<mujoco>`",
                "<bicycle/>";
            "capital letters": 1, UnknownFormat { .. }, "`<Robot>`", "<Robot name='r'/>";
            "a prefixed root": 1, UnknownFormat { .. }, "`<x:robot>`", "<x:robot xmlns:x='y' name='r'/>";
        },
        7,
    );
}

#[test]
fn usd_is_named_in_each_of_its_three_forms() {
    // As text, binary, packed as a zip file, and by the name where the beginning says nothing.
    let forms: [(&str, &[u8]); 5] = [
        ("text.usda", b"#usda 1.0\n(\n    defaultPrim = \"arm\"\n)\n"),
        ("text_of_another_name.urdf", b"#usda 1.0\n"),
        ("binary.usd", b"PXR-USDC\x00\x08\x00\xff\xfe"),
        ("packed.usdz", b"PK\x03\x04\x0a\x00\xff"),
        ("nothing.USD", b"def Xform"),
    ];
    for (name, bytes) in forms {
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, bytes).expect("a file of the test");
        let error = featherline_formats::load(&path).expect_err("USD is not read");
        let cause = error.cause();
        assert!(
            matches!(cause, OtherFormatCause(FileFormat::Usd)),
            "{name}: {error}"
        );
        assert_eq!(cause.code(), "unknown-format");
        assert_eq!(error.location().file.as_deref(), Some(&*path));
        assert!(error.to_string().contains("usd_to_urdf"), "{error}");
    }
    let error = featherline_formats::load_str("#usda 1.0\n").expect_err("USD is not read");
    assert!(matches!(error.cause(), OtherFormatCause(FileFormat::Usd)));
    // A robot is one under any name.
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("a_urdf.usd");
    std::fs::write(&path, "<robot name='r'><link name='a'/></robot>").expect("a file");
    assert!(featherline_formats::load(&path).is_ok());
}
