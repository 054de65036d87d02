//! Actuators, tendons, sensors and contacts.

use super::read::{read, warnings};
use featherline_formats::description::{Response, Target, TendonPath, TendonPoint, Transmission};

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

/// Gains, biases and ranges are those that MuJoCo 4.0 compiles of the same text.
#[test]
fn motors_springs_and_dampers_have_a_law_with_the_defaults_of_their_class() {
    let robot = read(
        "<default><general gainprm='7'/><default class='g'>
           <general gaintype='fixed' biastype='affine' gainprm='30' biasprm='1 -30 -2'/></default></default>
         <worldbody><body><joint name='a' type='slide' range='1 3'/><geom size='.1' mass='2'/></body></worldbody>
         <actuator><position joint='a'/><velocity joint='a'/><position joint='a' inheritrange='0.5'/>
         <general joint='a' class='g'/><position joint='a' class='g'/><motor joint='a'/><general joint='a'/>
         <position joint='a' class='g' kp='5'/><general joint='a' gainprm='100 0 0'/></actuator>",
    );
    let expected = [
        (7.0, [0.0, -7.0, 0.0], None),
        (7.0, [0.0, 0.0, -7.0], None),
        (7.0, [0.0, -7.0, 0.0], Some([1.5, 2.5])),
        (30.0, [1.0, -30.0, -2.0], None),
        (30.0, [0.0, -30.0, -2.0], None),
        (1.0, [0.0; 3], None),
        (7.0, [0.0; 3], None),
        (5.0, [0.0, -5.0, -2.0], None),
        // Of a fixed gain the first number counts.
        (100.0, [0.0; 3], None),
    ];
    assert_eq!(robot.description.actuators.len(), expected.len());
    for (actuator, (gain, bias, controls)) in robot.description.actuators.iter().zip(expected) {
        let law = actuator.law.expect("a law");
        assert_eq!((law.gain, law.bias, law.controls), (gain, bias, controls));
    }
    // The control zero is kept in its range: f = 7 · 1.5.
    assert_eq!(robot.actuation(None).joints[2].force, 10.5);
}

/// MuJoCo 4.0 has biasprm[2] = −6.666… and −10 for these two: with the gear 3, 60 N·s/m.
#[test]
fn a_damping_ratio_is_that_of_the_joint_with_its_inertia() {
    let robot = read(
        "<worldbody><body><joint name='a' type='slide'/><geom size='.1' mass='2'/></body></worldbody>
         <actuator><position joint='a' kp='50' dampratio='1' gear='3'/>
         <general joint='a' biastype='affine' gainprm='50' biasprm='0 -50 0.5'/></actuator>",
    );
    let [first, second] = robot.actuation(None).joints[..] else {
        panic!("two")
    };
    for (found, expected) in [(first.damping, 60.0), (second.damping, 10.0)] {
        // A square root and some products.
        assert!((found - expected).abs() < 1e-13, "{found}");
    }
    assert_eq!((first.stiffness, second.stiffness), (450.0, 50.0));
}

/// The length is that of the joint that mimics: l = 2 (0.5 q + 0.1), and τ = 2 · 0.5 f.
#[test]
fn an_actuator_of_a_mimic_joint_acts_on_the_joint_that_it_mimics() {
    let robot = read(
        "<worldbody><body><joint name='a' type='slide'/><geom size='.1'/></body>
         <body><joint name='b' type='slide'/><geom size='.1'/></body></worldbody>
         <equality><joint joint1='b' joint2='a' polycoef='0.1 0.5 0 0 0'/></equality>
         <actuator><position joint='b' kp='10' gear='2' forcerange='-4 4'/></actuator>
         <keyframe><key name='k' ctrl='1'/></keyframe>",
    );
    assert!(warnings(&robot).is_empty(), "{}", warnings(&robot));
    let [own] = robot.actuation(Some("k")).joints[..] else {
        panic!("one")
    };
    assert_eq!(robot.model.joint(own.joint).name, "a");
    assert_eq!((own.stiffness, own.damping), (10.0, 0.0));
    assert_eq!(own.range, [-4.0, 4.0]);
    // f = 10 (1 − 0.2)
    assert!((own.force - 8.0).abs() < 1e-14, "{}", own.force);
}

/// f = (3 − 4 l − 0.5 l̇) u + 0.2 − l − 0.1 l̇ with the gear 2 and u = 0.5: τ = 2 f, l = 2 q.
#[test]
fn a_gain_that_is_affine_is_stiffness_and_damping_of_the_control() {
    let robot = read(&format!(
        "{ARM}<actuator><general joint='j' gear='2' gaintype='affine' gainprm='3 -4 -0.5'
         biastype='affine' biasprm='0.2 -1 -0.1'/><damper joint='k' kv='4' ctrlrange='0 1'/></actuator>
         <keyframe><key name='k' ctrl='0.5 2'/></keyframe>"
    ));
    let [affine, damper] = robot.actuation(Some("k")).joints[..] else {
        panic!("two")
    };
    let numbers = [affine.force, affine.stiffness, affine.damping];
    for (found, expected) in numbers.into_iter().zip([3.4, 12.0, 1.4]) {
        assert!((found - expected).abs() < 1e-14, "{found}");
    }
    // The control is kept in its range.
    assert_eq!(
        (damper.force, damper.stiffness, damper.damping),
        (0.0, 0.0, 4.0)
    );
}

#[test]
fn filters_and_integrators_begin_with_the_activations_of_a_keyframe() {
    let robot = read(&format!(
        "{ARM}<actuator><motor joint='j'/><position joint='j' kp='10' timeconst='0.1'/>
         <intvelocity joint='k' kp='5' actrange='-2 1'/></actuator>
         <keyframe><key name='k' ctrl='1 0.5 0.25' act='0.2 0.4'/></keyframe>"
    ));
    let [_, filter, integrator] = robot.actuation(Some("k")).joints[..] else {
        panic!("three")
    };
    assert_eq!((filter.force, filter.stiffness), (5.0, 10.0));
    let expected = Response::Filter {
        start: 2.0,
        time_constant: 0.1,
        bounds: [f64::NEG_INFINITY, f64::INFINITY],
    };
    assert_eq!(filter.response, expected);
    assert_eq!((integrator.force, integrator.stiffness), (2.0, 5.0));
    let (rate, bounds) = (1.25, [-10.0, 5.0]);
    assert_eq!(integrator.response, Response::Integrator { rate, bounds });
}

#[test]
fn actuators_that_are_no_force_of_a_joint_are_warnings() {
    let robot = read(&format!(
        "{ARM}<tendon><fixed name='t'><joint joint='j' coef='2'/></fixed></tendon>
         <actuator><motor tendon='t'/><motor body='a'/><muscle joint='j'/>
         <general joint='j' dyntype='muscle'/><general joint='j' gaintype='muscle'/>
         <general joint='j' dyntype='filter' gaintype='affine' gainprm='1 0 2'/>
         <general joint='j' biastype='affine' biasprm='0 3'/><motor joint='j' gear='-2' forcerange='0 5'/></actuator>"
    ));
    let actuation = robot.actuation(None);
    assert_eq!(actuation.warnings.len(), 6, "{:?}", actuation.warnings);
    let [last] = actuation.joints[..] else {
        panic!("one")
    };
    assert_eq!(last.range, [-10.0, 0.0]);
    let [tendon] = &actuation.lengths[..] else {
        panic!("one")
    };
    assert_eq!((tendon.force, tendon.range[1]), (0.0, f64::INFINITY));
}
