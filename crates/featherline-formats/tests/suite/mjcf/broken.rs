//! Broken texts, and the errors that they must give.

use featherline_formats::{ErrorCause as E, load_str};

struct Case {
    text: &'static str,
    line: usize,
    is_cause: fn(&E) -> bool,
    says: &'static str,
}

/// `line, cause pattern, "what the message says", "text inside <mujoco>";`
macro_rules! cases {
    ($($line:literal, $cause:pat, $says:literal, $text:literal;)*) => {
        [$(Case { line: $line, is_cause: |cause| matches!(cause, $cause), says: $says, text: $text }),*]
    };
}

#[test]
fn each_mistake_is_an_error_in_its_line() {
    let cases = cases! {
        2, E::NotAllowed { .. }, "global coordinates", "\n<compiler coordinate='global'/>";
        2, E::UnknownWord { .. }, "`angle` has `grad`, which it can't have; write `degree` or `radian`",
            "\n<compiler angle='grad'/>";
        2, E::UnknownWord { attribute: "eulerseq", .. }, "three letters", "\n<compiler eulerseq='xy'/>";
        2, E::NumberCount { .. }, "`gravity` has 2 numbers", "\n<option gravity='0 0'/>";
        2, E::MissingAttribute { attribute: "class" }, "`class` is missing", "<default>\n<default/></default>";
        3, E::DuplicateName { first_line: 2, .. }, "two classes are named `a`",
            "<default>\n<default class='a'/>\n<default class='a'/></default>";
        2, E::UnknownName { what: "default class", .. }, "did you mean `arm`?",
            "<default><default class='arm'/></default><worldbody>\n<body childclass='arn'/></worldbody>";
        2, E::SeveralRotations { .. }, "given by `quat` and by `euler`",
            "<worldbody>\n<body quat='1 0 0 0' euler='0 0 0'/></worldbody>";
        2, E::ZeroQuaternion, "the quaternion is zero", "<worldbody>\n<body quat='0 0 0 0'/></worldbody>";
        2, E::ZeroAxis, "zero vector", "<worldbody>\n<body zaxis='0 0 0'/></worldbody>";
        2, E::ZeroAxis, "zero vector", "<worldbody>\n<body xyaxes='1 0 0 2 0 0'/></worldbody>";
        2, E::ZeroAxis, "zero vector", "<worldbody><body>\n<joint axis='0 0 0'/></body></worldbody>";
        2, E::NotANumber { .. }, "`pos` has `x`", "<worldbody>\n<body pos='0 x 0'/></worldbody>";
        2, E::NotFinite { .. }, "not a finite number", "<worldbody>\n<body pos='0 nan 0'/></worldbody>";
        2, E::UnknownWord { attribute: "type", .. }, "`type` has `screw`",
            "<worldbody><body>\n<joint type='screw'/></body></worldbody>";
        2, E::EmptyRange { .. }, "is above the upper one",
            "<worldbody><body>\n<joint type='slide' limited='true' range='1 0'/></body></worldbody>";
        2, E::Negative { attribute: "armature", .. }, "can't be negative",
            "<worldbody><body>\n<joint armature='-1'/></body></worldbody>";
        2, E::NotAllowed { .. }, "the world has no `<joint>`", "<worldbody>\n<joint/></worldbody>";
        2, E::MissingSize { form: "sphere", .. }, "a sphere needs 1 positive", "<worldbody>\n<geom/></worldbody>";
        2, E::MissingSize { form: "capsule", needed: 2 }, "or one and `fromto`",
            "<worldbody>\n<geom type='capsule' size='1'/></worldbody>";
        2, E::MissingSize { .. }, "a box needs 3", "<worldbody>\n<geom type='box' size='1 0 1'/></worldbody>";
        2, E::ZeroAxis, "zero vector",
            "<worldbody>\n<geom type='capsule' size='1' fromto='1 1 1 1 1 1'/></worldbody>";
        2, E::NotAllowed { .. }, "a sphere has no `fromto`",
            "<worldbody>\n<geom size='1' fromto='1 1 1 1 1 2'/></worldbody>";
        2, E::MissingAttribute { attribute: "mesh" }, "`mesh` is missing",
            "<worldbody>\n<geom type='mesh'/></worldbody>";
        2, E::UnknownName { what: "mesh", .. }, "there is no mesh `m`",
            "<worldbody>\n<geom type='mesh' mesh='m'/></worldbody>";
        2, E::Negative { attribute: "mass", .. }, "can't be negative",
            "<worldbody><body>\n<geom size='1' mass='-1'/></body></worldbody>";
        2, E::NotAllowed { .. }, "face 0 names vertex 7", "<asset>\n<mesh name='m' vertex='0 0 0 1 0 0 0 1 0' face='0 1 7'/></asset>";
        2, E::NotAllowed { .. }, "three numbers each", "<asset>\n<mesh name='m' vertex='0 0 0 1'/></asset>";
        2, E::NoVolume { .. }, "the volume is zero",
            "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0' face='0 1 2'/></asset><worldbody><body><joint/>
    <geom type='mesh' mesh='m'/></body></worldbody>";
        2, E::MissingAttribute { attribute: "pos" }, "`pos` is missing",
            "<worldbody><body>\n<inertial mass='1'/></body></worldbody>";
        2, E::Negative { attribute: "mass", .. }, "can't be negative",
            "<worldbody><body>\n<inertial pos='0 0 0' mass='-1'/></body></worldbody>";
        2, E::NotAllowed { .. }, "both `diaginertia` and `fullinertia`",
            "<worldbody><body>\n<inertial pos='0 0 0' mass='1' diaginertia='1 1 1' fullinertia='1 1 1 0 0 0'/></body></worldbody>";
        2, E::NotAllowed { .. }, "`count` is 0", "<worldbody>\n<replicate count='0'/></worldbody>";
        2, E::TooMany { .. }, "more than 262144 bodies",
            "<worldbody><replicate count='1000'><replicate count='1000'>
    <site/></replicate></replicate></worldbody>";
        2, E::UnknownName { what: "body", .. }, "there is no body `b`", "<equality>\n<weld body1='b'/></equality>";
        2, E::UnknownName { what: "joint", .. }, "there is no joint `b`", "<equality>\n<joint joint1='b'/></equality>";
        2, E::MissingAttribute { attribute: "anchor" }, "`anchor` is missing",
            "<worldbody><body name='b'/></worldbody><equality>\n<connect body1='b'/></equality>";
        2, E::Include { .. }, "load it from its file", "\n<include file='a.xml'/>";
        2, E::MissingAttribute { attribute: "file" }, "`file` is missing", "\n<include/>";
    };
    for Case {
        text,
        line,
        is_cause,
        says,
    } in cases
    {
        let error = match load_str(&format!("<mujoco>{text}</mujoco>")) {
            Ok(_) => panic!("read without an error: {text}"),
            Err(error) => error,
        };
        let shown = error.to_string();
        assert!(is_cause(error.cause()), "{text}: {:?}", error.cause());
        assert_eq!(
            error.location().position.map(|it| it.line),
            Some(line),
            "{text}: {shown}"
        );
        assert!(shown.contains(says), "{text}: {shown}");
    }
}

#[test]
fn elements_that_are_nested_too_deeply_are_refused() {
    let deep = "<body>".repeat(300) + &"</body>".repeat(300);
    let error = load_str(&format!("<mujoco><worldbody>{deep}</worldbody></mujoco>")).unwrap_err();
    assert!(matches!(error.cause(), E::Xml(_)), "{error}");
    // As deep as is accepted, without an overflow of the stack.
    let deep = "<body>".repeat(250) + &"</body>".repeat(250);
    load_str(&format!("<mujoco><worldbody>{deep}</worldbody></mujoco>")).unwrap();
}
