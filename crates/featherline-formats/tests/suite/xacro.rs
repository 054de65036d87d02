//! Files in xacro, expanded.
#![cfg(feature = "xacro")]

use featherline_formats::repair::{RepairOptions, propose_str};
use featherline_formats::{
    Difference, Error, LoadOptions, Robot, load_str, load_str_with, load_with,
};
use std::fs;
use std::path::PathBuf;

/// A pendulum by a macro, its length by an argument.
const PENDULUM: &str = "<robot name='p' xmlns:xacro='http://www.ros.org/wiki/xacro'>
  <xacro:arg name='length' default='2'/>
  <xacro:property name='half' value='${0.5 * $(arg length)}'/>
  <xacro:macro name='rod' params='name mass'>
    <link name='${name}'><inertial><origin xyz='0 0 ${-half}'/><mass value='${mass}'/>
      <inertia ixx='${mass * half**2 / 3}' ixy='0' ixz='0' iyy='${mass * half**2 / 3}' iyz='0' izz='0.001'/></inertial></link>
  </xacro:macro>
  <link name='base'/>
  <xacro:rod name='upper' mass='3'/>
  <joint name='hinge' type='continuous'><parent link='base'/><child link='upper'/></joint>
</robot>";

/// The same pendulum of a length.
fn plain(length: f64) -> String {
    let half = 0.5 * length;
    let moment = half * half;
    format!(
        "<robot name='p'><link name='base'/><link name='upper'><inertial><origin xyz='0 0 {}'/><mass value='3'/>
         <inertia ixx='{moment}' ixy='0' ixz='0' iyy='{moment}' iyz='0' izz='0.001'/></inertial></link>
         <joint name='hinge' type='continuous'><parent link='base'/><child link='upper'/></joint></robot>",
        -half
    )
}

/// Fails unless two robots are the same.
fn assert_same(a: &Robot, b: &Robot) {
    let difference = Difference::of(&a.model, &b.model, 5).unwrap();
    assert!(difference.is_same(1e-14), "{difference:?}");
}

#[test]
fn macros_properties_and_arguments_are_expanded() {
    let robot = load_str(PENDULUM).unwrap();
    assert!(robot.warnings.is_empty(), "{:?}", robot.warnings);
    assert_same(&robot, &load_str(&plain(2.0)).unwrap());
    let options = LoadOptions::new().xacro_argument("length", "0.5");
    assert_same(
        &load_str_with(PENDULUM, &options).unwrap(),
        &load_str(&plain(0.5)).unwrap(),
    );
}

#[test]
fn a_urdf_that_only_declares_the_prefix_is_read_as_it_stands() {
    let text = plain(1.0).replacen(
        "<robot",
        "<robot xmlns:xacro='http://www.ros.org/wiki/xacro'",
        1,
    );
    let text = text.replace("</robot>", "\n<paint/><!-- ${of_the_source} --></robot>");
    let warning = load_str(&text).unwrap().warnings.remove(0);
    assert_eq!(warning.location.position.unwrap().line, 4);
}

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let name = format!("featherline-xacro-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        for (file, text) in files {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(folder)
    }

    fn load(&self, options: &LoadOptions) -> Result<Robot, Error> {
        load_with(self.0.join("robot.xacro"), options)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn robot(inside: &str) -> String {
    format!("<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n{inside}\n</robot>")
}

#[test]
fn files_are_included_beside_the_file_and_from_packages() {
    let part = |name: &str| robot(&format!("<link name='{name}'/>"));
    let main = robot(
        "<link name='root'/><xacro:include filename='near.xacro'/>
         <xacro:include filename='$(find parts)/far.xacro'/>
         <joint name='a' type='fixed'><parent link='root'/><child link='near'/></joint>
         <joint name='b' type='fixed'><parent link='root'/><child link='far'/></joint>",
    );
    let folder = Folder::new(
        "includes",
        &[
            ("robot.xacro", &main),
            ("near.xacro", &part("near")),
            ("elsewhere/parts/far.xacro", &part("far")),
        ],
    );
    let options = LoadOptions::new().package_folder(folder.0.join("elsewhere"));
    assert_eq!(folder.load(&options).unwrap().description.links.len(), 3);
    let error = folder.load(&LoadOptions::new()).unwrap_err().to_string();
    assert!(
        error.contains("the package `parts` was not found"),
        "{error}"
    );
    assert!(error.contains("--package-folder"), "{error}");
    fs::remove_file(folder.0.join("near.xacro")).unwrap();
    let error = folder.load(&options).unwrap_err().to_string();
    assert!(error.contains("near.xacro"), "{error}");
}

#[test]
fn errors_say_what_is_wrong_and_where() {
    for (inside, says) in [
        ("<link name='$(arg prefix)base'/>", "--xacro NAME:=VALUE"),
        ("<link name='${prefix}base'/>", "prefix"),
        ("<xacro:leg/>", "leg"),
        (
            "<xacro:if value='maybe'><link name='a'/></xacro:if>",
            "maybe",
        ),
        (
            "<xacro:macro name='m' params='a'><link name='${a}'/></xacro:macro><xacro:m/>",
            "'a'",
        ),
    ] {
        let folder = Folder::new("errors", &[("robot.xacro", &robot(inside))]);
        let error = folder.load(&LoadOptions::new()).unwrap_err();
        let shown = error.to_string();
        assert!(
            shown.contains("the xacro file can't be expanded") && shown.contains(says),
            "{shown}"
        );
        assert!(
            error
                .location()
                .file
                .as_ref()
                .unwrap()
                .ends_with("robot.xacro"),
            "{shown}"
        );
        assert!(!shown.contains('\n') && shown.len() < 700, "{shown}");
    }
}

#[test]
fn positions_are_those_of_the_expanded_text() {
    let folder = Folder::new(
        "expanded",
        &[(
            "robot.xacro",
            &robot("<link name=\"${'a'}\"><paint/></link>"),
        )],
    );
    let warning = folder.load(&LoadOptions::new()).unwrap().warnings.remove(0);
    let shown = warning.to_string();
    assert!(shown.contains("robot.xacro (expanded):"), "{shown}");
    let error = robot("<link name=\"${'a'}\"/><joint name='j' type='turn'/>");
    fs::write(folder.0.join("robot.xacro"), error).unwrap();
    let error = folder.load(&LoadOptions::new()).unwrap_err().to_string();
    assert!(
        error.contains("robot.xacro (expanded):") && error.contains("`turn`"),
        "{error}"
    );
}

#[test]
fn a_text_includes_no_file() {
    let error = load_str(&robot("<xacro:include filename='a.xacro'/>")).unwrap_err();
    assert!(error.to_string().contains("includes no files"), "{error}");
}

#[test]
fn a_macro_that_calls_itself_ends() {
    let text = robot("<xacro:macro name='m'><xacro:m/></xacro:macro><xacro:m/>");
    let error = load_str(&text).unwrap_err().to_string();
    assert!(error.contains("can't be expanded"), "{error}");
}

#[test]
fn arguments_that_the_file_does_not_have_are_warnings_with_those_that_it_has() {
    let options = LoadOptions::new().xacro_argument("lenght", "2");
    let warnings = load_str_with(PENDULUM, &options).unwrap().warnings;
    let [warning] = &warnings[..] else {
        panic!("{warnings:?}");
    };
    let says = "the xacro file has no argument `lenght`, so that its value is not used; did you mean `length`? (its \
                argument is `length`)";
    assert_eq!(warning.cause.to_string(), says);
    // Those of files that are included count; what is not declared and used, too.
    let main = robot("<xacro:include filename='part.xacro'/>");
    let part =
        robot("<xacro:arg name='side' default='left'/><link name='$(arg side)$(arg tail)'/>");
    let folder = Folder::new(
        "arguments",
        &[("robot.xacro", &main), ("part.xacro", &part)],
    );
    let options = LoadOptions::new()
        .xacro_argument("side", "up")
        .xacro_argument("tail", "_");
    let loaded = folder.load(&options).unwrap();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    assert_eq!(loaded.description.links[0].name, "up_");
    // A file that is not in xacro has none.
    let warnings = load_str_with(&plain(1.0), &options).unwrap().warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0]
            .to_string()
            .contains("`xacro_argument` (`--xacro`) has no effect")
    );
}

#[test]
fn attributes_stay_in_the_order_of_the_file() {
    let attributes = "name='z' zeta='1' alpha='2' mid='3' beta='4' omega='5' gamma='6'";
    let text = robot(&format!("<link name=\"${{'a'}}\"/><paint {attributes}/>"));
    let loaded = load_str(&text).unwrap();
    let kept = &loaded.description.kept[0].text;
    assert_eq!(kept.replace('"', "'"), format!("<paint {attributes}/>"));
}

#[test]
fn repairs_are_those_of_the_expansion() {
    let text = robot(
        "<xacro:property name='k' value='2'/><link name='a'/><link name='b'/>
         <joint name='j' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 0 ${k}'/></joint>",
    );
    let repairs = propose_str(&text, &RepairOptions::new()).unwrap();
    assert!(repairs.is_expanded);
    assert_eq!(repairs.repairs[0].code, "axis-length");
    let after = repairs.apply();
    assert!(
        after.contains(r#"xyz="0 0 1""#) && !after.contains("xacro:"),
        "{after}"
    );
}
