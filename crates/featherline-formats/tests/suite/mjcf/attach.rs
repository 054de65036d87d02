//! Models in files of their own that are attached. Expected figures are what MuJoCo 4.0 compiles.

use super::includes::Folder;
use featherline_formats::description::Form;
use featherline_formats::{Error, ErrorCause, Robot, Severity, load_str};

/// An arm in radians, with defaults of its own; MuJoCo's defaults are degrees.
const ARM: &str = r#"<mujoco model="arm"><compiler angle="radian"/><option gravity="0 0 -1"/>
  <default><geom density="500"/><default class="c"><joint damping="3"/></default></default>
  <asset><material name="red" rgba="1 0 0 1"/></asset>
  <worldbody><geom name="foot" size="0.5"/><site name="ws" pos="0 0 1"/>
    <frame name="fr" pos="0 0 0.5"><body name="a" pos="1 0 0">
      <joint name="j" class="c" range="-1 1"/><geom name="g" size="0.1" material="red"/>
      <body name="b" pos="0 1 0"><joint name="k" ref="0.2" axis="0 1 0"/>
        <geom name="h" size="0.2"/><site name="s"/></body></body></frame></worldbody>
  <contact><exclude name="e" body1="world" body2="a"/></contact>
  <equality><weld name="w" body1="b" body2="world"/><joint name="eq" joint1="j" joint2="k"/></equality>
  <tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>
  <actuator><motor name="m" joint="j"/><motor name="m2" joint="k"/></actuator>
  <sensor><jointpos name="jp" joint="k"/><framepos name="fp" objtype="body" objname="b"/></sensor>
  <keyframe><key name="home" qpos="0.3 0.4" ctrl="5 6"/></keyframe></mujoco>"#;

/// A robot that attaches it, with more elements at the end.
fn main(attach: &str, more: &str) -> String {
    format!(
        r#"<mujoco model="main"><default><geom density="2000"/></default>
        <asset><model name="arm" file="sub/arm.xml"/></asset>
        <worldbody><body name="base" pos="0 0 2" childclass="main"><joint name="bj"/><geom size="0.3"/>
          <frame euler="0 0 90">{attach}</frame></body>
          <body name="last"><freejoint/><geom size="0.1"/></body></worldbody>
        <actuator><motor name="ma" joint="bj"/></actuator>
        <sensor><jointpos name="mjp" joint="bj"/></sensor>{more}</mujoco>"#
    )
}

fn load(name: &str, attach: &str, more: &str) -> Result<Robot, Error> {
    let text = main(attach, more);
    Folder::new(name, &[("main.xml", &text), ("sub/arm.xml", ARM)]).load()
}

fn names<'a, T>(parts: &'a [T], name: impl Fn(&'a T) -> &'a str) -> Vec<&'a str> {
    parts.iter().map(name).collect()
}

/// The mass of the body that a joint moves.
fn mass(robot: &Robot, link: &str) -> f64 {
    let mut links = robot.description.links.iter();
    let link = links.find(|it| it.name == link).unwrap();
    link.inertial.as_ref().unwrap().mass
}

#[test]
fn a_whole_model_is_attached_with_all_that_names_its_parts() {
    let more = r#"<equality><weld name="mw" body1="p_b" body2="last"/></equality>
        <keyframe><key name="mk" qpos="9 1 2 0 0 0 1 0 0 0"/></keyframe>"#;
    let robot = load("whole", r#"<attach model="arm" prefix="p_"/>"#, more).unwrap();
    let it = &robot.description;
    assert_eq!(
        names(&it.links, |l| &l.name),
        ["world", "base", "p_a", "p_b", "last"]
    );
    let joints: Vec<&str> = names(&it.joints, |j| &j.name);
    assert_eq!(joints, ["bj", "p_j", "p_k", "joint_3"]);
    // Spheres: 4/3 π r³ of 2000 kg/m³ and, in the arm, of 500; its foot belongs to the base.
    let masses = [("base", 487.9940588576145), ("p_a", 2.0943951023931957)];
    for (link, expected) in masses.into_iter().chain([("p_b", 16.755160819145566)]) {
        assert!(
            (mass(&robot, link) - expected).abs() < 1e-12 * expected,
            "{link}"
        );
    }
    // The frame of the robot turns what is attached, and the arm's own frame stays.
    let at = it.joints[1].placement.translation;
    assert!((at - featherline::spatial::Vec3::new(0.0, 1.0, 0.5)).norm() < 1e-15);
    assert_eq!(it.joints[1].limits.upper, [1.0]);
    assert_eq!(it.joints[1].drive.damping, [3.0]);
    assert_eq!(it.joints[1].mimic.as_ref().unwrap().joint, 2);
    assert_eq!(
        names(&it.geometry, |g| &g.name),
        ["", "p_foot", "p_g", "p_h", ""]
    );
    assert_eq!(
        it.geometry.iter().map(|g| g.link).collect::<Vec<_>>(),
        [1, 1, 2, 3, 4]
    );
    assert_eq!(names(&it.frames, |f| &f.name), ["p_ws", "p_s"]);
    assert_eq!(names(&it.actuators, |a| &a.name), ["ma", "p_m", "p_m2"]);
    assert_eq!(names(&it.sensors, |s| &s.name), ["mjp", "p_jp", "p_fp"]);
    assert_eq!(names(&it.tendons, |t| &t.name), ["p_t"]);
    assert_eq!(names(&it.materials, |m| &m.name), ["p_red"]);
    assert_eq!(names(&it.loops, |l| &l.name), ["mw", "p_w"]);
    assert_eq!(it.loops[1].predecessor.0, 3);
    assert_eq!(it.loops[1].successor.0, 0);
    assert_eq!(it.contact_exclusions[0].links, [0, 2]);
    assert_eq!(
        names(&it.configurations, |c| &c.name),
        ["qpos0", "mk", "p_home"]
    );
    let home = &it.configurations[2];
    let q: Vec<f64> = home.joints.iter().flat_map(|(_, q)| q.clone()).collect();
    // The quaternion is x, y, z, w here; the free body of the robot is where it begins.
    assert_eq!(q, [0.0, 0.3, 0.4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(home.controls, [(1, 5.0), (2, 6.0)]);
    assert_eq!(it.gravity.unwrap().z, -9.81);
    let warned: Vec<String> = robot.warnings.iter().map(ToString::to_string).collect();
    assert!(
        warned[0].contains("the gravity of an attached model"),
        "{warned:?}"
    );
    assert_eq!(warned.len(), 1, "{warned:?}");
}

#[test]
fn one_body_or_frame_of_a_model_is_attached() {
    let frame = load(
        "frame",
        r#"<attach model="arm" frame="fr" prefix="p_"/>"#,
        "",
    )
    .unwrap();
    assert_eq!(names(&frame.description.frames, |f| &f.name), ["p_s"]);
    let at = frame.description.joints[1].placement.translation;
    assert!((at - featherline::spatial::Vec3::new(0.0, 1.0, 0.5)).norm() < 1e-15);

    let body = load("body", r#"<attach model="arm" body="b" prefix="p_"/>"#, "").unwrap();
    let it = &body.description;
    assert_eq!(
        names(&it.links, |l| &l.name),
        ["world", "base", "p_b", "last"]
    );
    // Its own position, in the frame of the robot that is rotated.
    let at = it.joints[1].placement.translation;
    assert!((at - featherline::spatial::Vec3::new(-1.0, 0.0, 0.0)).norm() < 1e-15);
    assert_eq!(names(&it.actuators, |a| &a.name), ["ma", "p_m2"]);
    assert_eq!(names(&it.sensors, |s| &s.name), ["mjp", "p_jp", "p_fp"]);
    assert_eq!(names(&it.loops, |l| &l.name), ["p_w"]);
    // An element that names parts which stay behind is reported with its line.
    let lines = |what: &str| {
        let mut warnings = body.warnings.iter();
        let found = warnings.find(|it| it.to_string().contains(what));
        let found = found.unwrap_or_else(|| panic!("{what}: {:?}", body.warnings));
        assert_eq!(found.severity(), Severity::Warning);
        found.location.position.unwrap().line
    };
    assert_eq!(lines("the constraint"), 10);
    assert_eq!(lines("the tendon"), 11);
    assert_eq!(lines("the actuator"), 12);
    assert_eq!(lines("the contact exclusion"), 9);
    assert_eq!(lines("the keyframe"), 14);
}

#[test]
fn a_model_is_attached_twice_and_in_a_replicate() {
    let twice =
        r#"<attach model="arm" body="b" prefix="p_"/><attach model="arm" body="b" prefix="q_"/>"#;
    let robot = load("twice", twice, "").unwrap();
    let it = &robot.description;
    assert_eq!(
        names(&it.links, |l| &l.name),
        ["world", "base", "p_b", "q_b", "last"]
    );
    assert_eq!(names(&it.actuators, |a| &a.name), ["ma", "p_m2", "q_m2"]);

    let copies = r#"<replicate count="2" offset="1 0 0"><attach model="arm" body="b" prefix="p_"/></replicate>"#;
    let robot = load("copies", copies, "").unwrap();
    let it = &robot.description;
    assert_eq!(
        names(&it.links, |l| &l.name),
        ["world", "base", "p_b0", "p_b1", "last"]
    );
    assert_eq!(names(&it.actuators, |a| &a.name), ["ma", "p_m20", "p_m21"]);
    let sensors = ["mjp", "p_jp0", "p_fp0", "p_jp1", "p_fp1"];
    assert_eq!(names(&it.sensors, |s| &s.name), sensors);
    assert_eq!(names(&it.loops, |l| &l.name), ["p_w0", "p_w1"]);
    let at = it.joints[2].placement.translation;
    assert!((at - featherline::spatial::Vec3::new(-1.0, 1.0, 0.0)).norm() < 1e-15);
}

#[test]
fn models_attach_models_and_find_their_own_files() {
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let folder = Folder::new(
        "nested-models",
        &[
            (
                "main.xml",
                "<mujoco><asset><model file='hand/hand.xml'/></asset><worldbody>
                 <attach model='hand' prefix='l_'/><attach model='hand' prefix='r_'/></worldbody></mujoco>",
            ),
            (
                "hand/hand.xml",
                "<mujoco model='hand'><compiler meshdir='../meshes'/>
                 <asset><mesh file='palm.obj'/><model name='finger' file='../finger.xml'/></asset>
                 <worldbody><body name='palm'><joint name='wrist'/>
                 <geom type='mesh' mesh='palm' density='6'/>
                 <attach model='finger' body='tip' prefix='f_'/></body></worldbody></mujoco>",
            ),
            (
                "finger.xml",
                "<mujoco><worldbody><body name='tip'><joint name='bend' type='slide'/>
                 <geom size='0.1' mass='3'/></body></worldbody>
                 <keyframe><key name='bent' qpos='0.5'/></keyframe></mujoco>",
            ),
            ("meshes/palm.obj", tetrahedron),
        ],
    );
    let robot = folder.load().unwrap();
    assert!(robot.warnings.is_empty(), "{:?}", robot.warnings);
    let it = &robot.description;
    let links = ["world", "l_palm", "l_f_tip", "r_palm", "r_f_tip"];
    assert_eq!(names(&it.links, |l| &l.name), links);
    assert!(
        it.geometry
            .iter()
            .any(|g| matches!(&g.form, Form::Mesh(file) if file.path.is_some()))
    );
    // A tetrahedron of 1/6 m³ at 6 kg/m³.
    assert!((mass(&robot, "r_palm") - 1.0).abs() < 1e-12);
    assert_eq!(mass(&robot, "r_f_tip"), 3.0);
    // The keyframe of the finger says where its own joint is.
    let bent = it
        .configurations
        .iter()
        .find(|c| c.name == "r_f_bent")
        .unwrap();
    let q: Vec<f64> = bent.joints.iter().flat_map(|(_, q)| q.clone()).collect();
    assert_eq!(q, [0.0, 0.0, 0.0, 0.5]);
}

#[test]
fn what_can_not_be_attached_is_an_error_with_its_line() {
    let error = |name, attach| load(name, attach, "").unwrap_err();
    let unknown = error("no-model", r#"<attach model="leg" prefix="p_"/>"#);
    assert_eq!(unknown.cause().code(), "unknown-name");
    assert_eq!(unknown.location().position.unwrap().line, 4);
    let unknown = error("no-body", r#"<attach model="arm" body="c" prefix="p_"/>"#);
    assert_eq!(unknown.cause().code(), "unknown-name");
    let missing = error("no-prefix", r#"<attach model="arm"/>"#);
    assert_eq!(missing.cause().code(), "missing-attribute");
    // A name that is there already.
    let twice = r#"<attach model="arm" prefix=""/><attach model="arm" prefix=""/>"#;
    assert_eq!(error("same-names", twice).cause().code(), "duplicate-name");
    let text = "<mujoco><asset><model name='m' file='m.xml'/></asset><worldbody>
        <attach model='m' prefix=''/></worldbody></mujoco>";
    assert!(matches!(
        load_str(text).unwrap_err().cause(),
        ErrorCause::Include { .. }
    ));
    // A model that attaches itself.
    let circle = "<mujoco><asset><model name='m' file='main.xml'/></asset><worldbody>
        <attach model='m' prefix='x'/><attach model='m' prefix='y'/></worldbody></mujoco>";
    let folder = Folder::new("circle", &[("main.xml", circle)]);
    let error = folder.load().unwrap_err();
    assert!(error.to_string().contains("nested too deeply"), "{error}");
}

#[test]
fn elements_that_name_replicated_parts_are_replicated() {
    let robot = load_str(
        r#"<mujoco model="m"><worldbody><site name="w" pos="0 0 1"/>
        <body name="c"><joint name="cj"/><geom size=".1"/></body>
        <replicate count="2" offset="1 0 0"><body name="b"><joint name="j" axis="0 1 0"/>
          <geom name="g" size="0.1"/><site name="s" pos="0 0 0.2"/></body></replicate></worldbody>
        <contact><exclude name="ex" body1="b" body2="c"/></contact>
        <tendon><spatial name="t"><site site="w"/><site site="s"/></spatial>
          <fixed name="f"><joint joint="j" coef="1"/></fixed>
          <fixed name="f2"><joint joint="j" coef="1"/><joint joint="cj" coef="2"/></fixed></tendon>
        <actuator><motor name="act" joint="cj"/><motor name="m" joint="j"/>
          <motor name="mt" tendon="t"/></actuator>
        <sensor><tendonpos name="tp" tendon="t"/><jointpos name="jp" joint="j"/></sensor></mujoco>"#,
    )
    .unwrap();
    let it = &robot.description;
    let tendons = ["t0", "f0", "f20", "t1", "f1", "f21"];
    assert_eq!(names(&it.tendons, |t| &t.name), tendons);
    assert_eq!(
        names(&it.actuators, |a| &a.name),
        ["act", "m0", "mt0", "m1", "mt1"]
    );
    assert_eq!(
        names(&it.sensors, |s| &s.name),
        ["tp0", "jp0", "tp1", "jp1"]
    );
    assert_eq!(names(&it.contact_exclusions, |e| &e.name), ["ex0", "ex1"]);
    assert_eq!(it.contact_exclusions[1].links, [3, 1]);
    let path = format!("{:?}", it.tendons[5].path);
    assert!(path.contains("[(2, 1.0), (0, 2.0)]"), "{path}");

    // Inner additions stand before outer ones.
    let nested = load_str(
        r#"<mujoco model="m"><worldbody><replicate count="2" offset="0 3 0" sep="-">
        <replicate count="3" offset="1 0 0"><body name="b"><joint name="j"/><geom size="0.1"/></body>
        </replicate></replicate></worldbody><actuator><motor name="m" joint="j"/></actuator></mujoco>"#,
    )
    .unwrap();
    let actuators = ["m0-0", "m1-0", "m2-0", "m0-1", "m1-1", "m2-1"];
    assert_eq!(names(&nested.description.actuators, |a| &a.name), actuators);
}

#[test]
fn what_is_attached_is_written_and_read_again() {
    let robot = load("again", r#"<attach model="arm" prefix="p_"/>"#, "").unwrap();
    let written = featherline_formats::mjcf::to_string(&robot.description).unwrap();
    assert!(
        !written.text.contains("<attach") && !written.text.contains("<model"),
        "{}",
        written.text
    );
    let again = load_str(&written.text).unwrap();
    assert!((again.model.total_mass() - robot.model.total_mass()).abs() < 1e-9);
    let actuators = |it: &Robot| it.description.actuators.len();
    assert_eq!(
        (again.model.nv(), actuators(&again)),
        (robot.model.nv(), actuators(&robot))
    );
}
