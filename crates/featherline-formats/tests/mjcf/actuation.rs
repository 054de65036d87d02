//! Actuators, tendons, sensors and contacts.

use crate::read::{read, warnings};
use featherline_formats::description::{Target, TendonPath, TendonPoint, Transmission};

const ARM: &str = "<worldbody><site name='o'/><geom name='floor' type='plane' size='1 1 1'/>
    <body name='a'><joint name='j' armature='1' damping='2'/><joint name='k'/>
    <geom name='g' size='.1'/><site name='s'/></body></worldbody>";

#[test]
fn actuators_have_a_transmission_ranges_and_the_rest_in_their_words() {
    let robot = read(&format!(
        "<default><motor ctrlrange='-1 1'/><position kp='7'/></default>{ARM}
         <tendon><fixed name='t'><joint joint='j' coef='2'/></fixed></tendon>
         <actuator><position name='p' joint='j' gear='3' forcerange='0 5'/><motor tendon='t'/>
         <general site='s' refsite='o' gear='0 0 1'/></actuator>"
    ));
    let [p, motor, general] = &robot.description.actuators[..] else {
        panic!("{:?}", robot.description.actuators);
    };
    assert_eq!(
        (p.kind.as_str(), p.transmission, p.gear[0]),
        ("position", Transmission::Joint(0), 3.0)
    );
    assert_eq!(
        (p.control_range, p.force_range),
        (Some([-1.0, 1.0]), Some([0.0, 5.0]))
    );
    assert_eq!(
        (p.settings[0].name.as_str(), p.settings[0].value.as_str()),
        ("kp", "7")
    );
    assert_eq!(motor.transmission, Transmission::Tendon(0));
    let frames = Transmission::Frame {
        frame: 1,
        reference: Some(0),
    };
    assert_eq!(
        (general.transmission, general.gear[..3].to_vec()),
        (frames, vec![0.0, 0.0, 1.0])
    );
}

#[test]
fn armature_and_damping_of_an_actuator_are_the_joints_by_the_squared_gear() {
    // MuJoCo 4.0: the mass matrix of this robot has 1 + 2·3² of armature.
    let robot = read(&format!(
        "{ARM}<actuator><motor joint='j' gear='3' armature='2' damping='5'/></actuator>"
    ));
    let drive = &robot.model.joints()[1].drive;
    assert_eq!((drive.armature[0], drive.damping[0]), (19.0, 47.0));
}

#[test]
fn tendons_go_over_joints_or_through_points() {
    let robot = read(&format!(
        "{ARM}<tendon><fixed stiffness='3' damping='2' springlength='.5' range='0 1'>
         <joint joint='j' coef='1'/><joint joint='k' coef='-2'/></fixed>
         <spatial name='s'><site site='o'/><geom geom='g' sidesite='s'/><pulley divisor='2'/><site site='s'/></spatial></tendon>"
    ));
    let [fixed, spatial] = &robot.description.tendons[..] else {
        panic!("{:?}", robot.description.tendons);
    };
    assert_eq!(fixed.path, TendonPath::Fixed(vec![(0, 1.0), (1, -2.0)]));
    assert_eq!((fixed.stiffness, fixed.damping), (3.0, 2.0));
    assert_eq!(
        (fixed.rest_length, fixed.range),
        (Some([0.5, 0.5]), Some([0.0, 1.0]))
    );
    let path = [
        TendonPoint::Frame(0),
        TendonPoint::Wrap {
            geometry: 1,
            side: Some(1),
        },
        TendonPoint::Pulley { divisor: 2.0 },
        TendonPoint::Frame(1),
    ];
    assert_eq!(spatial.path, TendonPath::Spatial(path.to_vec()));
}

#[test]
fn sensors_and_contacts_have_their_targets() {
    let robot = read(&format!(
        "{ARM}<sensor><gyro name='w' site='s' noise='.1'/><jointpos joint='k'/>
         <framepos objtype='body' objname='a' reftype='site' refname='o'/><clock/></sensor>
         <contact><pair geom1='floor' geom2='g' condim='1'/><exclude body1='world' body2='a'/></contact>"
    ));
    let targets: Vec<_> = robot
        .description
        .sensors
        .iter()
        .map(|it| it.targets.clone())
        .collect();
    let expected = [
        vec![Target::Frame(1)],
        vec![Target::Joint(1)],
        vec![Target::Link(2), Target::Frame(0)],
        vec![],
    ];
    assert_eq!(targets, expected);
    assert_eq!(robot.description.sensors[0].settings[0].value, ".1");
    assert_eq!(robot.description.contact_pairs[0].geometry, [0, 1]);
    assert_eq!(robot.description.contact_exclusions[0].links, [0, 2]);
    assert!(robot.warnings.is_empty(), "{}", warnings(&robot));
}

#[test]
fn what_names_nothing_is_left_out_with_a_warning() {
    let robot = read(&format!(
        "{ARM}<actuator><motor joint='jj'/><motor/></actuator><sensor><gyro site='x'/></sensor>
         <tendon><fixed><joint joint='l' coef='1'/></fixed></tendon>
         <contact><exclude body1='a' body2='c'/></contact>"
    ));
    let all = warnings(&robot);
    assert_eq!(all.matches("is left out").count(), 5, "{all}");
    assert!(
        all.contains("there is no joint `jj`; did you mean `j`?"),
        "{all}"
    );
}

#[test]
fn what_urdf_has_no_place_for_is_reported_when_it_is_written() {
    let robot = read(&format!(
        "<visual><global fovy='1'/></visual>{ARM}<actuator><motor name='m' joint='j'/></actuator>
         <sensor><clock name='c'/></sensor><tendon><fixed name='t'><joint joint='j' coef='1'/></fixed></tendon>
         <contact><exclude name='e' body1='world' body2='a'/><pair name='p' geom1='floor' geom2='g'/></contact>"
    ));
    let mut robot = robot;
    // URDF has no plane.
    robot.description.geometry.clear();
    let written = featherline_formats::urdf::to_string(&robot.description).unwrap();
    assert!(!written.text.contains("fovy"), "{}", written.text);
    let all: Vec<String> = written.warnings.iter().map(|it| it.to_string()).collect();
    for what in [
        "`<visual>`",
        "actuator `m`",
        "sensor `c`",
        "tendon `t`",
        "exclusion `e`",
        "pair `p`",
    ] {
        assert!(
            all.iter().any(|it| it.contains(what)),
            "no {what} in {all:#?}"
        );
    }
    let again = featherline_formats::load_str(&written.text).unwrap().model;
    assert_eq!(again.nv(), 2);
}
