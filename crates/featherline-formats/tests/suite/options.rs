//! Options of loading: strict, permissive, missing inertias, folders that files may be in.

use featherline::{Workspace, spatial::Vec3};
use featherline_formats::{
    Error, ErrorCause, LoadOptions, MissingInertia, Robot, Severity, load, load_str, load_str_with,
    load_with,
};
use std::fs;
use std::path::PathBuf;

/// An arm on a base, with the inside of its link and of its joint.
fn arm(link: &str, joint: &str) -> String {
    format!(
        "<robot name='arm'>
<link name='base'/>
<link name='arm'>{link}</link>
<joint name='hinge' type='revolute'><parent link='base'/><child link='arm'/>{joint}</joint>
</robot>"
    )
}

const LIMIT: &str = "<limit lower='-1' upper='1' effort='1' velocity='1'/>";

/// An `<inertial>` of a mass, with a moment about z.
fn inertial(mass: f64, izz: f64) -> String {
    format!(
        "<inertial><origin xyz='0 0 1'/><mass value='{mass}'/>
         <inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='{izz}'/></inertial>"
    )
}

fn permissive(text: &str) -> Result<Robot, Error> {
    load_str_with(text, &LoadOptions::new().permissive(true))
}

#[test]
fn what_is_impossible_is_an_error_that_names_the_option_and_a_warning_with_it() {
    let good = inertial(1.0, 1.0);
    let bound = |bound: &str| arm(&good, &format!("<limit lower='-1' upper='1' {bound}/>"));
    for (text, says) in [
        (arm(&inertial(1.0, -1.0), LIMIT), "a principal moment is -1"),
        (arm(&inertial(-1.0, 1.0), LIMIT), "-1"),
        (
            arm(
                &good,
                "<limit lower='1' upper='-1' effort='1' velocity='1'/>",
            ),
            "above the upper one",
        ),
        (bound("effort='-2' velocity='1'"), "`effort` is -2"),
        (bound("effort='1' velocity='-2'"), "`velocity` is -2"),
        (
            bound("effort='1' velocity='1' acceleration='-2'"),
            "`acceleration` is -2",
        ),
        (
            arm(&good, &format!("{LIMIT}<dynamics damping='-3'/>")),
            "`damping` is -3",
        ),
        (
            arm(&good, &format!("{LIMIT}<mimic joint='hing'/>")),
            "there is no joint `hing` to mimic",
        ),
    ] {
        let error = load_str(&text).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        assert!(
            error.contains("check --fix") || error.contains("to mimic;"),
            "{error}"
        );
        assert!(error.contains("`permissive`"), "{error}");
        let robot = permissive(&text).unwrap();
        assert_eq!(robot.warnings.len(), 1, "{:?}", robot.warnings);
        assert_eq!(robot.warnings[0].severity(), Severity::Warning);
        let shown = robot.warnings[0].to_string();
        assert!(
            shown.contains(says) && !shown.contains("`permissive`"),
            "{shown}"
        );
        assert!(
            robot.warnings[0]
                .location
                .position
                .is_some_and(|at| at.line > 1),
            "{shown}"
        );
        assert_eq!(robot.model.nv(), 1);
    }
    // An error that does not concern physics remains an error.
    let error = permissive(&arm("<inertial/>", LIMIT))
        .unwrap_err()
        .to_string();
    assert!(!error.contains("`permissive`"), "{error}");
}

#[test]
fn algorithms_take_impossible_inertias_without_a_panic() {
    for inertial in [
        inertial(1.0, -5.0),
        inertial(-1.0, 1.0),
        inertial(-1.0, -5.0),
    ] {
        let model = permissive(&arm(&inertial, LIMIT)).unwrap().model;
        let mut ws = Workspace::new(&model);
        let (q, v, a) = ([0.3_f64], [0.5], [0.7]);
        // The axis is x: M = I_xx + m z² holds whatever the signs.
        let joint = &model.joints()[1].inertia;
        let expected = joint.rotational.xx() + joint.mass * joint.com.z.powi(2);
        let mass = model.crba(&mut ws, &q).unwrap()[(0, 0)];
        assert!((mass - expected).abs() < 1e-14, "{mass} {expected}");
        model.rnea(&mut ws, &q, &v, &a).unwrap();
        // No inverse, or the quotient.
        if let Ok(a) = model.aba(&mut ws, &q, &v, &[0.0]) {
            assert!(a[0].is_finite() && expected != 0.0);
        }
        let _ = model.kinetic_energy(&mut ws, &q, &v);
    }
}

#[test]
fn a_range_that_is_empty_is_no_range() {
    let limit = "<limit lower='1' upper='-1' effort='1' velocity='1'/>";
    let robot = permissive(&arm(&inertial(1.0, 1.0), limit)).unwrap();
    let limits = &robot.model.joints()[1].limits;
    assert_eq!(
        (limits.lower[0], limits.upper[0]),
        (f64::NEG_INFINITY, f64::INFINITY)
    );
}

#[test]
fn a_strict_reader_refuses_warnings_and_lets_notes_pass() {
    let strict = LoadOptions::new().strict(true);
    let good = arm(&inertial(1.0, 1.0), &format!("{LIMIT}<paint/>"));
    let robot = load_str_with(&good, &strict).unwrap();
    assert_eq!(robot.warnings.len(), 1);
    let doubtful = arm(&inertial(1.0, 1.0), "<limit lower='-1' upper='1'/>");
    assert_eq!(load_str(&doubtful).unwrap().warnings.len(), 2);
    let error = load_str_with(&doubtful, &strict).unwrap_err();
    let ErrorCause::Strict { warnings } = error.cause() else {
        panic!("{error}");
    };
    assert_eq!(warnings.len(), 2);
    assert_eq!(error.location().position.unwrap().line, 5);
    let shown = error.to_string();
    let says = "the limit has no `velocity`; it is taken as unbounded (refused by the option `strict`, with one more warning)";
    assert!(shown.ends_with(says), "{shown}");
    // So are the warnings of a model's builder.
    let moves_nothing = load_str(&arm("", LIMIT)).unwrap();
    assert!(moves_nothing.description.robot(&strict).is_err());
}

const BOX: &str =
    "<collision><origin xyz='0 0 1'/><geometry><box size='0.1 0.2 0.3'/></geometry></collision>";

#[test]
fn a_missing_inertia_is_nothing_or_that_of_the_shapes_or_an_error() {
    let text = arm(BOX, LIMIT);
    assert_eq!(load_str(&text).unwrap().model.total_mass(), 0.0);
    let shapes =
        |density| LoadOptions::new().missing_inertia(MissingInertia::FromShapes { density });
    let robot = load_str_with(&text, &shapes(500.0)).unwrap();
    let inertia = robot.model.joints()[1].inertia;
    assert!((inertia.mass - 3.0).abs() < 1e-14);
    assert!((inertia.com - Vec3::new(0.0, 0.0, 1.0)).norm() < 1e-14);
    // m (y² + z²) / 12
    let expected = 3.0 * (0.04 + 0.09) / 12.0;
    assert!((inertia.rotational.xx() - expected).abs() < 1e-14);
    assert!(robot.description.links[1].inertial.is_none());
    assert_eq!(robot.warnings.len(), 1);
    assert!(
        robot.warnings[0].to_string().contains("give it 3"),
        "{:?}",
        robot.warnings
    );
    // Two shapes add up; a stated inertia stays; a visual is no body.
    let twice = load_str_with(&arm(&[BOX, BOX].concat(), LIMIT), &shapes(500.0)).unwrap();
    assert!((twice.model.total_mass() - 6.0).abs() < 1e-14);
    let stated = arm(&(inertial(1.0, 1.0) + BOX), LIMIT);
    assert_eq!(
        load_str_with(&stated, &shapes(500.0))
            .unwrap()
            .model
            .total_mass(),
        1.0
    );
    let seen = arm(&BOX.replace("collision", "visual"), LIMIT);
    assert_eq!(
        load_str_with(&seen, &shapes(500.0))
            .unwrap()
            .model
            .total_mass(),
        0.0
    );
    for density in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = load_str_with(&text, &shapes(density)).unwrap_err();
        assert!(
            matches!(error.cause(), ErrorCause::BadDensity { .. }),
            "{error}"
        );
    }
    let mesh = arm(
        "\n<collision><geometry><mesh filename='no.stl'/></geometry></collision>",
        LIMIT,
    );
    let error = load_str_with(&mesh, &shapes(1.0)).unwrap_err();
    assert!(
        matches!(error.cause(), ErrorCause::ShapeWithoutVolume { .. }),
        "{error}"
    );
    assert_eq!(error.location().position.unwrap().line, 4);
}

#[test]
fn a_link_without_inertia_is_refused_unless_it_is_fixed_to_one_that_has() {
    let refuse = LoadOptions::new().missing_inertia(MissingInertia::Refuse);
    let error = load_str_with(&arm("", LIMIT), &refuse).unwrap_err();
    assert!(
        matches!(error.cause(), ErrorCause::MissingInertia { .. }),
        "{error}"
    );
    assert_eq!(error.location().position.unwrap().line, 3);
    // The base does not move, unless it floats.
    let held = arm(&inertial(1.0, 1.0), LIMIT).replace(
        "</robot>",
        "<link name='tool'/><joint name='f' type='fixed'><parent link='arm'/><child link='tool'/></joint></robot>",
    );
    load_str_with(&held, &refuse).unwrap();
    let error = load_str_with(&held, &refuse.floating_base(true)).unwrap_err();
    assert!(
        error.to_string().contains("the link `base` moves"),
        "{error}"
    );
}

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let name = format!("featherline-options-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        for (file, text) in files {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// An arm with a mesh.
fn mesh(file: &str) -> String {
    let mesh = format!("<visual><geometry><mesh filename='{file}'/></geometry></visual>");
    arm(&(inertial(1.0, 1.0) + &mesh), LIMIT)
}

#[test]
fn files_outside_the_folders_are_not_read() {
    let folder = Folder::new(
        "roots",
        &[
            ("in/robot.urdf", ""),
            ("in/a.stl", ""),
            ("out/a.stl", ""),
            (
                "in/main.xml",
                "<mujoco>\n<include file='../out/part.xml'/></mujoco>",
            ),
            ("in/good.xml", "<mujoco><include file='part.xml'/></mujoco>"),
            ("in/part.xml", "<x/>"),
            ("out/part.xml", "<x/>"),
            (
                "in/robot.xacro",
                "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'><link name='${1}'/></robot>",
            ),
        ],
    );
    let at = |file: &str| folder.0.join(file);
    let bounded = LoadOptions::new().root_folder(at("in"));
    let outside = at("out/a.stl");
    let absolute = format!("file://{}", outside.display());
    for (file, is_in) in [("a.stl", true), ("../out/a.stl", false), (&absolute, false)] {
        fs::write(at("in/robot.urdf"), mesh(file)).unwrap();
        let found = |options: &LoadOptions| load_with(at("in/robot.urdf"), options).unwrap();
        assert!(found(&LoadOptions::new()).warnings.is_empty(), "{file}");
        assert_eq!(found(&bounded).warnings.is_empty(), is_in, "{file}");
    }
    load_with(at("in/main.xml"), &LoadOptions::new()).unwrap();
    load_with(at("in/good.xml"), &bounded).unwrap();
    let error = load_with(at("in/main.xml"), &bounded).unwrap_err();
    assert!(error.to_string().contains("outside the folders"), "{error}");
    assert_eq!(error.location().position.unwrap().line, 2);
    load_with(at("in/robot.xacro"), &bounded).unwrap();
    // A link of the file system leads outside.
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(at("out/part.xml"), at("in/linked.xml")).unwrap();
        fs::write(
            at("in/good.xml"),
            "<mujoco><include file='linked.xml'/></mujoco>",
        )
        .unwrap();
        assert!(load_with(at("in/good.xml"), &bounded).is_err());
    }
}

#[test]
fn by_default_files_are_in_the_folders_around_the_robot() {
    let folder = Folder::new(
        "default",
        &[
            ("a/b/urdf/robot.urdf", ""),
            ("a/b/meshes/a.stl", ""),
            ("a/part.xml", "<x/>"),
            ("a/c/package.xml", ""),
            ("a/c/a.stl", ""),
            ("a/d/a.stl", ""),
        ],
    );
    let at = |file: &str| folder.0.join(file);
    let warnings = |uri: &str, options: &LoadOptions| {
        fs::write(at("a/b/urdf/robot.urdf"), mesh(uri)).unwrap();
        let robot = load_with(at("a/b/urdf/robot.urdf"), options).unwrap();
        let codes = robot.warnings.iter().map(|it| it.cause.code());
        codes.collect::<Vec<_>>().join(" ")
    };
    let default = LoadOptions::new();
    let outside = format!("file://{}", at("a/d/a.stl").display());
    for (uri, expected) in [
        ("../meshes/a.stl", ""),
        ("package://b/meshes/a.stl", ""),
        // Another package above, by its manifest; a folder that is none.
        ("package://c/a.stl", ""),
        ("package://d/a.stl", "missing-mesh"),
        ("package://c/../d/a.stl", "missing-mesh"),
        ("package://c//../d/a.stl", "missing-mesh"),
        ("package://../d/a.stl", "missing-mesh"),
        ("../../d/a.stl", "mesh-outside"),
        (&outside, "mesh-outside"),
    ] {
        assert_eq!(warnings(uri, &default), expected, "{uri}");
    }
    let wide = LoadOptions::new().root_folder(at("a"));
    assert_eq!(warnings(&outside, &wide), "");
    let packages = LoadOptions::new().package_folder(at("a"));
    assert_eq!(warnings("package://d/a.stl", &packages), "");
    assert_eq!(warnings(&outside, &packages), "");
    // The folder of the nearest package is wider than that around the file's own.
    fs::write(at("a/package.xml"), "").unwrap();
    assert_eq!(warnings(&outside, &default), "");
    fs::remove_file(at("a/package.xml")).unwrap();
    fs::write(
        at("a/b/urdf/robot.xml"),
        "<mujoco><include file='../../part.xml'/></mujoco>",
    )
    .unwrap();
    let error = load_with(at("a/b/urdf/robot.xml"), &default).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("`root_folder` (`--root-folder`)"),
        "{error}"
    );
    // The robot of a scene is in the folders of the scene.
    fs::write(at("a/b/scene.toml"), "[[robot]]\nfile = '../robot.urdf'").unwrap();
    fs::write(at("a/robot.urdf"), mesh("../up.stl")).unwrap();
    fs::write(at("up.stl"), "").unwrap();
    let scene = load_with(at("a/b/scene.toml"), &default).unwrap();
    assert_eq!(scene.warnings[0].cause.code(), "mesh-outside");
}

#[test]
fn folders_that_do_not_exist_are_reported() {
    let options = LoadOptions::new().package_folder("no/such/folder");
    let robot = load_str_with("<robot name='r'><link name='a'/></robot>", &options).unwrap();
    let shown = robot.warnings[0].to_string();
    assert!(
        shown.contains(
            "there is no folder `no/such/folder`, which the option `package_folder` (`--package-folder`) names"
        ),
        "{shown}"
    );
    let options = LoadOptions::new().root_folder("no/such/folder");
    let error = load_str_with("<robot name='r'><link name='a'/></robot>", &options).unwrap_err();
    assert_eq!(error.cause().code(), "no-folder");
}

#[test]
fn a_missing_file_that_is_called_like_a_robot_says_where_embedded_robots_are() {
    let error = |path: &str| load(path).expect_err("there is no such file").to_string();
    let panda = error("panda");
    assert!(
        panda.starts_with("panda: the file can't be read: "),
        "{panda}"
    );
    let says = "embedded robots come from the crate featherline-robots: \
                `featherline_robots::load(\"panda\", …)`";
    assert!(panda.contains(says), "{panda}");
    for path in ["panda.urdf", "./panda", "robots/panda"] {
        assert!(!error(path).contains("featherline-robots"), "{path}");
    }
}

#[test]
fn what_links_without_inertia_are_has_words() {
    let read = |text: &str| text.parse::<MissingInertia>();
    assert_eq!(read("zero"), Ok(MissingInertia::Zero));
    assert_eq!(read("refuse"), Ok(MissingInertia::Refuse));
    assert_eq!(
        read("shapes"),
        Ok(MissingInertia::FromShapes { density: 1000.0 })
    );
    assert_eq!(
        read("shapes:2700"),
        Ok(MissingInertia::FromShapes { density: 2700.0 })
    );
    for wrong in [
        "",
        "shape",
        "shapes:",
        "shapes:0",
        "shapes:-1",
        "shapes:inf",
        "shapes:heavy",
    ] {
        let remedy = read(wrong).expect_err("it is no word");
        assert!(remedy.starts_with("write `zero`"), "{wrong}: {remedy}");
    }
}
