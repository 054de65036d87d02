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
            "`a`",
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
        assert_eq!(error.location().position.unwrap().line, 2, "{shown}");
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

#[test]
fn expressions_have_the_values_of_python() {
    // The results of the program `xacro` 2 of ROS.
    for (expression, value) in [
        ("1e-5 * 2", "2e-05"),
        ("7//2, -7//2, 7%3, -7%3", "[3, -4, 1, 2]"),
        (
            "[2**-1, 7/2, 4/2, -2**2, 2**3**2]",
            "[0.5, 3.5, 2.0, -4, 512]",
        ),
        (
            "[round(2.567, 2), round(2.5), int(3.7), float('2')]",
            "[2.57, 2, 3, 2.0]",
        ),
        (
            "[math.radians(90), max(1, 2.5), min([3, 2])]",
            "[1.5707963267948966, 2.5, 2]",
        ),
        (
            "[not True, 1 &lt; 2 &lt; 3, 1 == 1.0, 3 in [1], None]",
            "[False, True, True, False, None]",
        ),
        ("'%.3f|%d|%s' % (1.23456, 7, 'x')", "1.235|7|x"),
        ("[x*2 for x in range(3) if x != 1]", "[0, 4]"),
        ("'A b'.lower().replace(' ', '_')", "a_b"),
        ("'hello'[1:3] + 'hello'[-1]", "elo"),
        ("dict(len=0.4, mass=1.2)['mass']", "1.2"),
        (
            "dict(zip(['a', 'b'], [1, 2]), c=3)",
            "{'a': 1, 'b': 2, 'c': 3}",
        ),
        ("list(map(float, '1 2.5'.split()))", "[1.0, 2.5]"),
        ("list(map(math.sqrt, [4, 9]))", "[2.0, 3.0]"),
        ("list(python.filter(bool, [0, 1, '', 'x']))", "[1, 'x']"),
        ("python.sorted([2, 3, 1], reverse=True)", "[3, 2, 1]"),
        (
            "[python.divmod(-7, 2)[0], python.ord('A'), python.sum([1, 2], 10), python.all([1, 0])]",
            "[-4, 65, 13, False]",
        ),
        (
            "[math.gcd(12, 18), math.factorial(5), math.prod([2, 3]), math.isfinite(inf)]",
            "[6, 120, 6, False]",
        ),
        (
            "[math.asinh(0), math.log1p(0), round(math.acosh(2), 6), math.fsum([0.5, 0.25])]",
            "[0.0, 0.0, 1.316958, 0.75]",
        ),
        ("list(enumerate(['a', 'b'], 1))[1][0]", "2"),
        (
            "[1e16, 1e-4, 123456789.123, 0.1+0.2]",
            "[1e+16, 0.0001, 123456789.123, 0.30000000000000004]",
        ),
        ("not 1 == 2", "True"),
        ("1 if 0 else 2 if 0 else 3", "3"),
        ("'left' if 'a' == 'a' and 1 else 'right'", "left"),
    ] {
        let text = robot(&format!("<link name=\"${{{expression}}}\"/>"));
        let loaded = load_str(&text).unwrap_or_else(|error| panic!("{expression}: {error}"));
        assert_eq!(loaded.description.links[0].name, value, "{expression}");
    }
}

#[test]
fn elements_attributes_namespaces_and_units_are_expanded() {
    let main = robot(
        "<xacro:include filename='part.xacro' ns='part'/>
         <xacro:property name='config' value=\"${xacro.load_yaml('config/arm.yaml')}\"/>
         <xacro:element xacro:name='li${'nk'}'><xacro:attribute name='name' value='a'/></xacro:element>
         <xacro:part.tip name='b' turn='${config.elbow.turn}'/>
         <xacro:call macro='part.tip' name='c' turn='${config.wrist.turn * part.factor}'/>",
    )
    .replace("'li${'nk'}'", "\"li${'nk'}\"");
    let part = robot(
        "<xacro:property name='factor' value='2'/>
         <xacro:macro name='tip' params='name turn parent:=a'><link name='${name}'/>
           <joint name='to_${name}' type='fixed'><parent link='${parent}'/><child link='${name}'/>
             <origin rpy='0 0 ${turn}'/></joint></xacro:macro>",
    );
    // An alias shares its entries; a key beside it counts.
    let config = "elbow: &elbow {turn: !degrees 90, name: x}\nwrist:\n  <<: *elbow\n  turn: 0.25\n";
    let files = [
        ("robot.xacro", &*main),
        ("part.xacro", &part),
        ("config/arm.yaml", config),
    ];
    let loaded = Folder::new("parts", &files)
        .load(&LoadOptions::new())
        .unwrap();
    let turn = |joint: usize| {
        let x = loaded.description.joints[joint].placement.rotation.x;
        x.y.atan2(x.x)
    };
    // To rounding of the rotations.
    assert!((turn(0) - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    assert!((turn(1) - 0.5).abs() < 1e-15);
}

/// Elements in one another, with another text in the innermost.
fn nested(count: usize, open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(count), close.repeat(count))
}

#[test]
fn what_would_end_hang_or_fill_the_process_is_an_error_with_the_limit() {
    let link = |name: &str| format!("<link name=\"${{{name}}}\"/>");
    let property =
        |name: &str, value: &str| format!("<xacro:property name='{name}' value=\"{value}\"/>");
    let chain = |count: usize, value: &dyn Fn(usize) -> String| -> String {
        let of = |i: usize| property(&format!("p{i}"), &value(i - 1));
        property("p0", "${[1]}") + &(1..=count).map(of).collect::<String>()
    };
    let texts = |i: usize| format!("${{p{i}}}").repeat(10);
    let macros: String = (1..=9)
        .map(|i| {
            let calls = format!("<xacro:m{}/>", i - 1).repeat(10);
            format!("<xacro:macro name='m{i}'>{calls}</xacro:macro>")
        })
        .collect();
    let first =
        |body: &str| format!("<xacro:macro name='m0'>{body}</xacro:macro>{macros}<xacro:m9/>");
    let twice = "<xacro:insert_block name='b'/>".repeat(2);
    let double = format!("<xacro:macro name='d' params='*b'><a>{twice}</a></xacro:macro>");
    for (inside, says) in [
        (link(&nested(200_000, "(", "1", ")")), "64 brackets"),
        (link(&nested(100_000, "[", "1", "]")), "64 brackets"),
        (link(&(" - ".repeat(100_000) + "1 +" + &"1+".repeat(100_000))), "ends too early"),
        (link(&("2**".repeat(100_000) + "2")), "64 powers"),
        (first("<link name='b'/>"), "1048576 elements"),
        (first(""), "4000000 steps"),
        (chain(9, &texts) + &link("p9"), "64 MiB of text"),
        // Macros have parameters anew in each call.
        (
            "<xacro:macro name='m' params='a'><xacro:m a='${a}${a}'/></xacro:macro><xacro:m a='xxxxxxxx'/>".to_owned(),
            "64 MiB of text",
        ),
        ("<xacro:macro name='m'><xacro:m/></xacro:macro><xacro:m/>".to_owned(), "more than 1000 macros"),
        (chain(2000, &|i| format!("${{p{i}}}")) + &link("p2000"), "more than 1000 macros"),
        (chain(100, &|i| format!("${{[p{i}]}}")) + &link("len(p100)"), "64 lists"),
        (chain(40, &|i| format!("${{[p{i}, p{i}]}}")) + &link("p40"), "steps"),
        (chain(40, &|i| format!("${{[p{i}, p{i}]}}")) + &link("p40 == [p39, [p38, p38]]"), "steps"),
        (link("'a' * 10**12"), "64 MiB of text"),
        (link("[1] * 10**12"), "4000000 steps"),
        (link("range(10**12)"), "4000000 steps"),
        (link("[[[[[0 for a in range(999)] for b in range(999)] for c in range(999)] for d in range(99)]]"), "4000000 steps"),
        (link("'a'.replace('a', 'b' * 10**7).replace('b', 'c' * 10**7)"), "64 MiB of text"),
        (
            double + &nested(40, "<xacro:d>", "<a/>", "</xacro:d>"),
            "64 MiB of text",
        ),
        (
            format!("<xacro:macro name='m' params='{}'/>", "a ".repeat(100_000)),
            "1000 parameters",
        ),
        ("<xacro:include filename='robot.xacro'/>".to_owned(), "the most that is accepted"),
    ] {
        let folder = Folder::new("bombs", &[("robot.xacro", &robot(&inside))]);
        let begin = std::time::Instant::now();
        let shown = match folder.load(&LoadOptions::new()) {
            Ok(_) => panic!("{says}: {}", &inside[..inside.len().min(300)]),
            Err(error) => error.to_string(),
        };
        let begin = begin.elapsed();
        assert!(shown.contains(says) && shown.len() < 700, "{says}: {shown}");
        // Far more than any takes, so that a loaded machine does not fail.
        assert!(begin.as_secs() < 20, "{says}: {begin:?}");
        println!("{says} {begin:?}");
    }
}

#[test]
fn aliases_in_yaml_share_memory() {
    let lists = (1..=20).map(|i| {
        let items = vec![format!("*l{}", i - 1); 9].join(",");
        format!("- &l{i} [{items}]\n")
    });
    let bomb: String = std::iter::once("- &l0 [1]\n".to_owned())
        .chain(lists)
        .collect();
    let main = |expression: &str| {
        robot(&format!(
            "<xacro:property name='p' value=\"${{load_yaml('bomb.yaml')}}\"/><link name='${{{expression}}}'/>"
        ))
    };
    let load = |expression: &str| {
        let files = [("robot.xacro", &*main(expression)), ("bomb.yaml", &*bomb)];
        Folder::new("yaml", &files).load(&LoadOptions::new())
    };
    assert_eq!(load("len(p)").unwrap().description.links[0].name, "21");
    let error = load("p").unwrap_err().to_string();
    assert!(error.contains("the most that is accepted"), "{error}");
    let deep = nested(200, "[", "1", "]");
    let files = [("robot.xacro", &*main("p")), ("bomb.yaml", &*deep)];
    let error = Folder::new("deep", &files)
        .load(&LoadOptions::new())
        .unwrap_err();
    assert!(error.to_string().contains("64 lists"), "{error}");
}

#[test]
fn files_outside_the_robots_folders_are_not_read() {
    let secret = "token: very secret\n";
    let inside =
        "<xacro:property name='p' value=\"${load_yaml('FILE')}\"/><link name='${p.token}'/>";
    let files = [
        ("package/urdf/robot.xacro", ""),
        ("package/config/own.yaml", secret),
        ("package/package.xml", "<package/>"),
        ("secret.yaml", secret),
        ("secret.xacro", "<robot>very secret</robot>"),
    ];
    let folder = Folder::new("outside", &files);
    let load = |inside: &str, options: &LoadOptions| {
        let path = folder.0.join("package/urdf/robot.xacro");
        fs::write(&path, robot(inside)).unwrap();
        load_with(path, options)
    };
    let named = |file: &str| inside.replace("FILE", file);
    let default = LoadOptions::new();
    load(&named("../config/own.yaml"), &default).unwrap();
    let absolute = folder.0.join("secret.yaml").display().to_string();
    for inside in [
        named("../../secret.yaml"),
        named(&absolute),
        "<xacro:include filename='../../secret.xacro'/>".to_owned(),
        "<xacro:include filename='../../secret.*'/>".to_owned(),
    ] {
        let error = load(&inside, &default).unwrap_err().to_string();
        assert!(error.contains("`root_folder` (`--root-folder`)"), "{error}");
        assert!(!error.contains("very secret"), "{error}");
    }
    let wide = LoadOptions::new().root_folder(&folder.0);
    load(&named(&absolute), &wide).unwrap();
    // A service shows nobody its environment.
    let environment = "<link name='$(env PATH)'/>";
    load(environment, &default).unwrap();
    let error = load(environment, &wide).unwrap_err().to_string();
    assert!(error.contains("`root_folder`"), "{error}");
    // A file that can't be read is not shown, either.
    fs::write(folder.0.join("package/config/own.yaml"), "very: [secret").unwrap();
    let error = load(&named("../config/own.yaml"), &default)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("it is not YAML in line") && !error.contains("secret]"),
        "{error}"
    );
}
