//! Settings of the compiler, options and defaults.

use super::read::{assert_near, body, inertia, read, warnings};
use featherline::spatial::Vec3;
use featherline_formats::{LoadOptions, Severity, WarningCause, load_str, load_str_with};

#[test]
fn gravity_is_that_of_mujoco_unless_it_is_stated_or_disabled() {
    let gravity = |option: &str| read(&format!("{option}<worldbody/>")).model.gravity();
    assert_eq!(gravity(""), Vec3::new(0.0, 0.0, -9.81));
    assert_eq!(
        gravity("<option gravity='0 1 2'/>"),
        Vec3::new(0.0, 1.0, 2.0)
    );
    assert_eq!(
        gravity("<option><flag gravity='disable'/></option>"),
        Vec3::zero()
    );
}

#[test]
fn inertias_follow_from_geoms_as_the_compiler_is_told() {
    let mass = |compiler: &str, inside: &str| {
        let text = format!(
            "<compiler {compiler}/><worldbody><body name='b'><freejoint/>{inside}</body></worldbody>"
        );
        inertia(&read(&text), "b").mass
    };
    let inertial = "<inertial pos='0 0 0' mass='7' diaginertia='1 1 1'/>";
    let geoms = "<geom size='1' mass='1'/><geom size='1' mass='2' group='3'/>";
    let both = format!("{inertial}{geoms}");
    assert_eq!(mass("", geoms), 3.0);
    assert_eq!(mass("", &both), 7.0);
    assert_eq!(mass("inertiafromgeom='true'", &both), 3.0);
    assert_eq!(mass("inertiafromgeom='false'", geoms), 0.0);
    assert_eq!(mass("inertiagrouprange='0 2'", geoms), 1.0);
    assert_eq!(mass("boundmass='5'", geoms), 5.0);
    assert_eq!(mass("settotalmass='9'", geoms), 9.0);
}

#[test]
fn principal_moments_are_bounded_and_balanced() {
    let moments = |compiler: &str, inertia_attributes: &str| {
        let text = format!(
            "<compiler {compiler}/><worldbody><body name='b'><freejoint/>
             <inertial pos='0 0 0' mass='1' {inertia_attributes}/></body></worldbody>"
        );
        inertia(&read(&text), "b").rotational.to_elements()
    };
    let isotropic = |m: f64| [m, 0.0, 0.0, m, 0.0, m];
    assert_near(
        &moments("balanceinertia='true'", "diaginertia='1 1 4'"),
        &isotropic(2.0),
    );
    assert_near(
        &moments("boundinertia='3'", "diaginertia='1 2 2.5'"),
        &isotropic(3.0),
    );
    // Moments 1 and 3 about the diagonals of x and y, 2 about z.
    let full = "fullinertia='2 2 2 1 0 0'";
    assert_near(
        &moments("boundinertia='2'", full),
        &[2.5, 0.5, 0.0, 2.5, 0.0, 2.0],
    );
}

#[test]
fn the_last_of_several_compilers_counts() {
    let robot = read(
        "<compiler angle='radian' autolimits='true'/><compiler angle='degree'/>
         <worldbody><body><joint range='0 180'/><geom size='1'/></body></worldbody>",
    );
    assert_eq!(
        robot.model.joints()[1].limits.upper[0],
        std::f64::consts::PI
    );
}

#[test]
fn defaults_are_inherited_by_class_and_by_the_bodies_inside() {
    let text = |geom: &str| {
        format!(
            "<mujoco><default><geom size='.1 .2' mass='1'/><default class='a'><geom mass='2'/>
             <default class='c'><geom size='.3'/></default></default>
             <default class='d'><geom type='box' size='1 1 1'/></default></default>
             <worldbody><body childclass='a'><body name='b'><joint/>{geom}</body></body></worldbody></mujoco>"
        )
    };
    let mass = |geom: &str| {
        let it = inertia(&load_str(&text(geom)).unwrap(), "b");
        (it.mass, it.rotational.zz())
    };
    // 2/5 m r² of balls, and of the cube m a²/6.
    assert_eq!(mass("<geom/>"), (2.0, 0.4 * 2.0 * 0.1 * 0.1));
    let (found, moment) = mass("<geom class='c'/>");
    assert!(found == 2.0 && (moment - 0.4 * 2.0 * 0.09).abs() < 1e-15);
    assert_eq!(mass("<geom class='main'/>").0, 1.0);
    let (found, moment) = mass("<geom class='d' mass='6'/>");
    assert!(found == 6.0 && (moment - 4.0).abs() < 1e-14);
    let error = load_str(&text("<geom class='e'/>"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("there is no default class `e`"), "{error}");
}

#[test]
fn of_two_defaults_of_a_class_the_later_one_counts() {
    // In one section, in two sections, and of actuators of two kinds.
    for text in [
        "<default><geom size='1' mass='1'/><geom mass='2'/></default>",
        "<default><geom size='1' mass='1'/></default><default><geom mass='2'/></default>",
    ] {
        let robot = read(&format!(
            "{text}<worldbody><body name='b'><joint/><geom/></body></worldbody>"
        ));
        assert_eq!(inertia(&robot, "b").mass, 2.0, "{text}");
    }
    let robot = read(
        "<default><motor gear='2'/><position gear='3' kp='1'/></default>
         <worldbody><body><joint name='j'/><geom size='1'/></body></worldbody>
         <actuator><motor joint='j'/></actuator>",
    );
    assert_eq!(robot.description.actuators[0].gear[0], 3.0);
}

#[test]
fn a_size_may_be_partly_the_default() {
    // MuJoCo 4.0 reads this capsule as 0.3, 0.2.
    let robot = read(
        "<default><geom type='capsule' size='.1 .2'/></default>
         <worldbody><geom size='.3'/></worldbody>",
    );
    let shape = robot.description.geometry[0].form.shape().unwrap();
    assert_near(
        &[shape.aabb().unwrap().max.x, shape.aabb().unwrap().max.z],
        &[0.3, 0.5],
    );
}

#[test]
fn a_rotation_replaces_that_of_the_defaults_in_any_way() {
    let robot = read(
        "<default><geom size='1' euler='90 0 0'/></default><worldbody><geom quat='1 0 0 0'/><geom/></worldbody>",
    );
    let rotation = |i: usize| robot.description.geometry[i].placement.rotation.to_rows()[2][2];
    assert_near(&[rotation(0), rotation(1)], &[1.0, 0.0]);
}

#[test]
fn what_is_not_used_is_a_note_and_what_does_not_exist_a_warning() {
    let robot = body(
        "<geom size='1' margin='0' colour='red'/><camera name='eye'/><wheel/>\n<geom size='1' margin='1'/>",
    );
    let all = warnings(&robot);
    let find = |text: &str| {
        let found = robot
            .warnings
            .iter()
            .find(|it| it.to_string().contains(text));
        found
            .unwrap_or_else(|| panic!("no {text} in {all}"))
            .clone()
    };
    let margin = find("the attribute `margin` of `<geom>`");
    assert!(matches!(
        margin.cause,
        WarningCause::Unused { count: 2, .. }
    ));
    assert_eq!(find("`<camera>` in `<body>`").severity(), Severity::Note);
    assert_eq!(
        find("the attribute `colour` of `<geom>` is not part of MJCF").severity(),
        Severity::Warning
    );
    assert_eq!(
        find("`<wheel>` in `<body>` is not part of MJCF").severity(),
        Severity::Warning
    );
    let kept: Vec<_> = robot
        .description
        .kept
        .iter()
        .map(|it| it.tag.as_str())
        .collect();
    assert_eq!(kept, ["camera", "wheel"]);
}

#[test]
fn a_world_does_not_float() {
    let options = LoadOptions::new().floating_base(true);
    let robot = load_str_with("<mujoco><worldbody/></mujoco>", &options).unwrap();
    assert_eq!(robot.model.nv(), 0);
    assert!(
        warnings(&robot).contains("the option of a floating base"),
        "{}",
        warnings(&robot)
    );
}

#[test]
fn what_is_misspelt_is_one_warning_with_the_name_that_may_be_meant() {
    let robot = body("<geom size='1' mas='2' frction='1'/>\n<goem size='1'/>");
    let all: Vec<String> = robot.warnings.iter().map(|it| it.to_string()).collect();
    assert_eq!(all.len(), 3, "{all:#?}");
    assert!(
        all[0].ends_with(
            "the attribute `mas` of `<geom>` is not used; write `mass` if that is meant"
        ),
        "{all:#?}"
    );
    assert!(
        all[1].ends_with("`frction` of `<geom>` is not used; write `friction` if that is meant"),
        "{all:#?}"
    );
    assert!(
        all[2].ends_with("`<goem>` in `<body>` is not used; write `geom` if that is meant"),
        "{all:#?}"
    );
}
