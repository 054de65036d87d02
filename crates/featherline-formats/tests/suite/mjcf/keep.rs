//! A file that is read and written states all that it stated.

use super::read::read;
use featherline_formats::description::Description;
use featherline_formats::{
    LoadOptions, Severity, WarningCause, load, load_str, load_str_with, mjcf, urdf,
};

/// The lines of what is written of a text, and what the writer warns of.
fn written(inside: &str) -> (String, Vec<String>) {
    let robot = load_str(&format!("<mujoco>{inside}</mujoco>")).unwrap();
    let written = mjcf::to_string(&robot.description).unwrap();
    let lost = written.warnings.iter().map(ToString::to_string).collect();
    (written.text, lost)
}

/// Fails unless each line is among those that are written, and nothing is lost.
#[track_caller]
fn assert_written(inside: &str, lines: &[&str]) {
    let (text, lost) = written(inside);
    for line in lines {
        assert!(text.contains(line), "no {line} in\n{text}");
    }
    assert_eq!(lost, Vec::<String>::new());
}

#[test]
fn what_dynamics_has_no_use_for_keeps_its_words() {
    assert_written(
        "<default><geom friction='1 .1 .01' solref='.01 1'/><site rgba='1 0 0 1'/><joint solimplimit='0 .9 .1'/></default>
         <worldbody><body name='b' gravcomp='.5'>
         <joint name='j' margin='.1' group='2'/><geom size='1' condim='4' friction='2' contype='3' group='1'/>
         <site name='s' type='box' size='1 2 3' group='4'/></body></worldbody>",
        &[
            r#"<body name="b" gravcomp=".5">"#,
            r#"<joint name="j" type="hinge" axis="0 0 1" margin=".1" group="2" solimplimit="0 .9 .1"/>"#,
            r#"<geom type="sphere" size="1" condim="4" friction="2 .1 .01" contype="3" group="1" solref=".01 1"/>"#,
            r#"<site name="s" type="box" size="1 2 3" group="4" rgba="1 0 0 1"/>"#,
        ],
    );
}

#[test]
fn what_is_set_for_all_of_the_robot_is_kept() {
    assert_written(
        "<compiler angle='radian' fusestatic='true' eulerseq='zyx'/>
         <option timestep='.001' gravity='0 0 -1'><flag contact='disable'/></option><size nkey='2'/>
         <visual><map znear='.1'/></visual><worldbody><body><freejoint align='false' group='1'/><geom size='1'/></body></worldbody>
         <keyframe><key name='k' time='2' qvel='1 2 3 4 5 6'/></keyframe>",
        &[
            r#"<compiler fusestatic="true"/>"#,
            "<option timestep=\".001\" gravity=\"0 0 -1\">\n    <flag contact=\"disable\"/>",
            r#"<size nkey="2"/>"#,
            r#"<map znear=".1"/>"#,
            r#"<freejoint name="joint_0" align="false" group="1"/>"#,
            r#"time="2" qvel="1 2 3 4 5 6""#,
        ],
    );
}

#[test]
fn gravity_that_is_changed_counts_for_the_written_file() {
    let text = "<mujoco><option timestep='.001' gravity='0 0 -1'><flag gravity='disable'/></option><worldbody/></mujoco>";
    let mut description = load_str(text).unwrap().description;
    let again = |description: &Description| {
        let written = mjcf::to_string(description).unwrap().text;
        let gravity = load_str(&written).unwrap().description.gravity;
        (written.matches("<option").count(), gravity.unwrap().z)
    };
    assert_eq!(again(&description), (1, 0.0));
    description.gravity = Some(featherline::spatial::Vec3::new(0.0, 0.0, -2.0));
    assert_eq!(again(&description), (2, -2.0));
}

#[test]
fn cameras_and_lights_are_where_their_frames_were() {
    assert_written(
        "<default><camera fovy='10'/><light castshadow='false'/></default><worldbody>
         <frame pos='1 0 0' euler='0 0 90'><camera name='a' pos='0 2 0'/><light name='l' dir='1 0 0'/></frame></worldbody>",
        &[
            r#"<camera name="a" pos="-1 0 0" fovy="10" quat="0.7071067811865476 0 0 0.7071067811865476"/>"#,
            r#"<light name="l" dir="0 1 0" castshadow="false" pos="1 0 0"/>"#,
        ],
    );
}

#[test]
fn assets_are_kept_and_shapes_of_them_keep_their_words() {
    let text = "<default><geom rgba='1 0 0 1'/></default><asset><mesh name='unused' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/>
         <mesh name='used' vertex='0 0 0 1 0 0 0 1 0 0 0 1' inertia='shell' refpos='1 0 0'/>
         <texture name='t' type='2d' builtin='flat' width='2' height='2'/>
         <material name='m' texture='t' specular='.5'/><hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/></asset>
         <worldbody><geom name='hills' type='hfield' hfield='h'/><geom type='plane' size='1 2 3' material='m'/>
         <geom name='fit' type='capsule' mesh='used'/><geom type='mesh' mesh='used' pos='0 0 1'/></worldbody>
         <contact><pair geom1='hills' geom2='fit'/></contact>";
    assert_written(
        text,
        &[
            r#"<mesh name="unused" vertex="#,
            r#"inertia="shell" refpos="1 0 0"/>"#,
            r#"<texture name="t" type="2d" builtin="flat" width="2" height="2"/>"#,
            r#"<material name="m" texture="t" specular=".5"/>"#,
            r#"<geom name="hills" type="hfield" rgba="1 0 0 1" hfield="h"/>"#,
            r#"<geom type="plane" material="m" size="1 2 3" rgba="1 0 0 1"/>"#,
            r#"<geom name="fit" type="capsule" rgba="1 0 0 1" mesh="used"/>"#,
            r#"<geom type="mesh" mesh="used" pos="0 0 1" rgba="1 0 0 1"/>"#,
            r#"<pair geom1="hills" geom2="fit"/>"#,
        ],
    );
}

#[test]
fn files_below_the_folder_of_the_new_file_are_named_from_there() {
    let folder = std::env::temp_dir().join(format!("featherline keep & {}", std::process::id()));
    std::fs::create_dir_all(folder.join("pictures")).unwrap();
    let folder = folder.canonicalize().unwrap();
    std::fs::write(folder.join("pictures/wood.png"), "").unwrap();
    let robot = folder.join("robot.xml");
    std::fs::write(
        &robot,
        "<mujoco><compiler texturedir='pictures'/><asset><texture name='t' file='wood.png'/></asset><worldbody/></mujoco>",
    )
    .unwrap();
    let description = load(&robot).unwrap().description;
    let text = mjcf::to_string_beside(&description, &folder).unwrap().text;
    assert!(text.contains(r#"file="pictures/wood.png""#), "{text}");
    let text = mjcf::to_string_beside(&description, folder.join("pictures"))
        .unwrap()
        .text;
    assert!(text.contains(r#"file="wood.png""#), "{text}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn constraints_keep_their_words_and_their_order() {
    let joint = |name: &str| format!("<body><joint name='{name}'/><geom size='1'/></body>");
    let (text, lost) = written(&format!(
        "<default><equality solref='.1 1'/></default><worldbody><site name='o'/>{}{}
         <body><freejoint/><geom size='1'/><site name='s'/></body></worldbody>
         <tendon><fixed name='x'><joint joint='a' coef='1'/></fixed><fixed name='y'><joint joint='b' coef='1'/></fixed></tendon>
         <equality><tendon tendon1='x' tendon2='y' solimp='.9 .9 .1'/><joint name='law' joint1='a' joint2='b'/>
         <connect site1='s' site2='o'/><joint joint1='a' solref='.2 1'/></equality>",
        joint("a"),
        joint("b")
    ));
    assert_eq!(lost, Vec::<String>::new());
    let section = text.split("<equality>").nth(1).unwrap();
    let section = section.split("</equality>").next().unwrap();
    let lines: Vec<&str> = section
        .lines()
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .collect();
    assert_eq!(
        lines,
        [
            r#"<tendon tendon1="x" tendon2="y" solimp=".9 .9 .1" solref=".1 1"/>"#,
            r#"<joint joint1="a" joint2="b" polycoef="0 1 0 0 0" name="law" solref=".1 1"/>"#,
            r#"<connect name="loop_0" site1="s" site2="o" solref=".1 1"/>"#,
            r#"<joint joint1="a" solref=".2 1"/>"#,
        ]
    );
}

#[test]
fn what_is_read_in_part_is_written_whole() {
    assert_written(
        "<worldbody><body><joint name='a' type='slide' stiffness='1 2' armature='.5' actuatorfrcrange='-1 3'/>
         <geom size='1'/></body><body><joint name='b' type='ball' range='0 90'/><geom size='1'/></body></worldbody>
         <actuator><motor name='m' joint='a' gear='2' armature='.25' ctrllimited='false' ctrlrange='-1 1'/></actuator>",
        &[
            r#"<joint name="a" type="slide" axis="0 0 1" armature="0.5" stiffness="1 2" actuatorfrclimited="true" actuatorfrcrange="-1 3"/>"#,
            r#"<joint name="b" type="ball" limited="true" range="0 1.5707963267948966"/>"#,
            r#"<motor name="m" joint="a" gear="2" armature=".25" ctrlrange="-1 1" ctrllimited="false"/>"#,
        ],
    );
}

#[test]
fn a_change_of_the_description_counts_more_than_the_words_of_the_file() {
    let text = "<mujoco><worldbody><body><joint name='a' type='slide' stiffness='1 2' actuatorfrcrange='-1 3'/>
        <geom size='1' contype='0' conaffinity='0' group='3'/></body></worldbody></mujoco>";
    let mut description = load_str(text).unwrap().description;
    let joint = &mut description.joints[0];
    joint.drive.stiffness[0] = 0.0;
    joint.limits.effort[0] = f64::INFINITY;
    let shape = &mut description.geometry[0];
    (shape.is_visual, shape.is_collision) = (true, true);
    let written = mjcf::to_string(&description).unwrap().text;
    let again = load_str(&written).unwrap().description;
    assert_eq!(again.joints[0].drive.stiffness, [0.0]);
    assert_eq!(again.joints[0].limits.effort, [f64::INFINITY]);
    assert!(
        again.geometry[0].is_visual && again.geometry[0].is_collision,
        "{written}"
    );
}

#[test]
fn a_range_that_is_reversed_limits_nothing_and_is_reported() {
    let robot = load_str(
        "<mujoco><worldbody><body><joint name='j' type='slide' range='2 -1'/><geom size='1'/></body></worldbody>
         <actuator><motor joint='j' ctrlrange='1 1' forcerange='0 0'/></actuator></mujoco>",
    )
    .unwrap();
    assert_eq!(robot.model.joints()[1].limits.lower, [f64::NEG_INFINITY]);
    let reported = robot.warnings.iter().map(ToString::to_string);
    let reported: Vec<String> = reported.filter(|it| it.contains("as in MuJoCo")).collect();
    assert_eq!(reported.len(), 2, "{reported:?}");
    assert!(reported[0].contains("`range`, whose first number is not the smaller one"));
    // A range that MuJoCo refuses is an error, and an actuator is left out.
    for joint in [
        "limited='true' range='2 -1'",
        "actuatorfrclimited='true' actuatorfrcrange='1 1'",
    ] {
        let text = format!(
            "<mujoco><worldbody><body><joint {joint}/><geom size='1'/></body></worldbody></mujoco>"
        );
        assert_eq!(load_str(&text).unwrap_err().cause().code(), "empty-range");
    }
    let robot = read(
        "<worldbody><body><joint name='j'/><geom size='1'/></body></worldbody>
         <actuator><motor joint='j' ctrllimited='true' ctrlrange='1 1'/></actuator>",
    );
    let is_left_out = |it: &WarningCause| matches!(it, WarningCause::LeftOut { .. });
    assert!(is_left_out(&robot.warnings[0].cause));
}

#[test]
fn an_element_that_has_no_place_is_named() {
    let (_, lost) = written(
        "<worldbody><body><joint name='j'/><geom size='1'/></body></worldbody>
         <actuator><plugin joint='j' instance='i'><config key='k' value='v'/></plugin></actuator>",
    );
    assert_eq!(lost.len(), 1);
    assert!(
        lost[0].contains("`<config>` is not in the file"),
        "{lost:?}"
    );
}

#[test]
fn what_the_model_lacks_of_the_motion_is_a_warning_that_strict_refuses() {
    for (inside, says) in [
        (
            "<worldbody><flexcomp name='rope' type='grid' count='4 1 1' dim='1' mass='1'/></worldbody>",
            "`<flexcomp>` in `<worldbody>`: the bodies and the elastic forces",
        ),
        (
            "<deformable><flex name='f' body='world' element='0 0'/></deformable>",
            "`<deformable>` in `<mujoco>`: the elastic forces in it are left out",
        ),
        (
            "<worldbody><body><joint name='a'/><geom size='1'/></body></worldbody>
             <actuator><motor joint='a' delay='.1' nsample='9'/></actuator>",
            "the `delay` of an actuator: simulations use its control at once",
        ),
    ] {
        let text = format!("<mujoco>{inside}</mujoco>");
        let robot = load_str(&text).unwrap();
        let warned = robot
            .warnings
            .iter()
            .find(|it| it.to_string().contains(says));
        let warned = warned.unwrap_or_else(|| panic!("{says}: {:?}", robot.warnings));
        assert_eq!(warned.severity(), Severity::Warning);
        let strict = LoadOptions::new().strict(true);
        assert!(load_str_with(&text, &strict).is_err());
    }
}

#[test]
fn files_are_named_from_the_folder_of_what_is_written() {
    let folder = std::env::temp_dir().join(format!("featherline-names-{}", std::process::id()));
    let (from, to) = (folder.join("robot"), folder.join("other/deep"));
    std::fs::create_dir_all(from.join("me")).unwrap();
    std::fs::create_dir_all(&to).unwrap();
    let facets = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
    let solid = format!("solid a\n{facets}endsolid a\n");
    std::fs::write(from.join("me/m.stl"), solid).unwrap();
    let text = "<mujoco><compiler meshdir='me'/><asset><mesh file='m.stl'/></asset>
        <worldbody><body><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom type='mesh' mesh='m'/></body>
        </worldbody></mujoco>";
    std::fs::write(from.join("r.xml"), text).unwrap();
    let robot = load(from.join("r.xml")).unwrap();
    let written = mjcf::to_string_beside(&robot.description, &to)
        .unwrap()
        .text;
    assert!(
        written.contains("file=\"../../robot/me/m.stl\""),
        "{written}"
    );
    let written = urdf::to_string_beside(&robot.description, &to)
        .unwrap()
        .text;
    assert!(
        written.contains("filename=\"../../robot/me/m.stl\""),
        "{written}"
    );
    // Also a mesh that was not found, of a URDF.
    let text = "<robot name='r'><link name='a'><visual><geometry><mesh filename='../no.stl'/></geometry></visual>
        </link></robot>";
    std::fs::write(from.join("r.urdf"), text).unwrap();
    let robot = load(from.join("r.urdf")).unwrap();
    let written = urdf::to_string_beside(&robot.description, &to)
        .unwrap()
        .text;
    assert!(written.contains("filename=\"../../no.stl\""), "{written}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Flags that disable parts are written back, also where other words of the file say otherwise.
#[test]
fn what_is_disabled_is_written_again() {
    let text = "<mujoco><option><flag constraint='disable'/></option><option actuatorgroupdisable='3'/>
        <worldbody><body><joint name='j' damping='1' stiffness='2' range='-1 1'/><geom size='1'/></body></worldbody>
        <equality><joint joint1='j'/></equality>
        <actuator><motor joint='j' group='3'/><motor joint='j'/></actuator></mujoco>";
    let first = load_str(text).unwrap();
    let read = |description: &Description| {
        let written = mjcf::to_string(description).unwrap();
        assert!(written.warnings.is_empty(), "{:?}", written.warnings);
        load_str(&written.text).unwrap()
    };
    let again = read(&first.description);
    let names = ["contact", "equality", "frictionloss", "limit"];
    assert_eq!(again.description.disabled.names(), names);
    let disabled = again.description.actuators.iter().map(|it| it.is_disabled);
    assert!(disabled.eq([true, false]));
    let mut other = first.description.clone();
    (other.disabled.limits, other.disabled.dampers) = (false, true);
    let names = ["contact", "damper", "equality", "frictionloss"];
    let again = read(&other);
    assert_eq!(again.description.disabled.names(), names);
    assert_eq!(again.model.joints()[1].drive.damping, [0.0]);
    let mut bare = first.description.clone();
    bare.kept.retain(|it| it.tag != "option");
    bare.actuators.clear();
    let names = ["contact", "equality", "frictionloss", "limit"];
    assert_eq!(read(&bare).description.disabled.names(), names);
}

#[test]
fn groups_that_there_are_not_are_refused() {
    for groups in ["31", "-1", "0.5", "x"] {
        let text =
            format!("<mujoco><option actuatorgroupdisable='1 {groups}'/><worldbody/></mujoco>");
        let error = load_str(&text).unwrap_err().to_string();
        assert!(
            error.contains(&format!("`actuatorgroupdisable` has `{groups}`")),
            "{error}"
        );
    }
}

/// URDF has no flags: what is left of the joints is written, the rest is a warning.
#[test]
fn urdf_has_what_is_left() {
    let text = "<mujoco><option><flag damper='disable' limit='disable'/></option><worldbody>
        <body name='a'><joint damping='1' frictionloss='2' range='-1 1'/><geom size='1'/></body></worldbody></mujoco>";
    let written = urdf::to_string(&load_str(text).unwrap().description).unwrap();
    assert!(
        written.text.contains("<dynamics friction=\"2\"/>"),
        "{}",
        written.text
    );
    let says = "that limits of joints are disabled";
    assert!(
        written
            .warnings
            .iter()
            .any(|it| it.to_string().contains(says))
    );
}
