//! Parts of the physics that a file switches off: what is left moves as by hand.

use featherline_formats::{Robot, load_str};
use featherline_sim::setup::{Ground, Setup};

/// Gravity in m/s².
const G: f64 = 9.81;

/// The time in s of a motion, its step, and the greatest difference from the closed form, which the
/// velocity has exactly under constant forces.
const TIME: f64 = 0.5;
const STEP: f64 = 1e-3;
const CLOSE: f64 = 1e-9;

/// A hinge of 0.1 kg·m² without gravity, with what is on it, in a state and by a control.
fn hinge(option: &str, joint: &str, below: &str, key: &str) -> Robot {
    let text = format!(
        "<mujoco><option gravity='0 0 0' {option}</option><worldbody><body name='a'>
         <joint name='j' axis='0 1 0' {joint}/><inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/>
         </body></worldbody>{below}<keyframe><key name='initial' {key}/></keyframe></mujoco>"
    );
    let robot = load_str(&text).unwrap_or_else(|error| panic!("{error}"));
    assert!(robot.warnings.is_empty(), "{:?}", robot.warnings);
    robot
}

fn setup() -> Setup {
    Setup {
        configuration: Some("initial".to_owned()),
        step: Some(STEP),
        ..Setup::default()
    }
}

/// The last q and v of the first joint.
fn moved(robot: &Robot) -> (f64, f64) {
    let start = setup()
        .decide(robot)
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(start.warnings.is_empty(), "{:?}", start.warnings);
    let mut simulation = start.simulation().unwrap();
    simulation.run(TIME, TIME, &mut ()).unwrap();
    (simulation.configuration()[0], simulation.velocity()[0])
}

/// A joint with a damper, dry friction and a limit at 0.2 rad turns on at 2 rad/s without them, and
/// slower with each of them.
#[test]
fn dampers_friction_limits_and_springs_are_switched_off() {
    for (joint, flags, key, expected) in [
        ("damping='1'", "damper", "qvel='2'", 2.0),
        ("frictionloss='.3'", "frictionloss", "qvel='2'", 2.0),
        ("range='-10 10'", "limit", "qvel='2'", 2.0),
        ("stiffness='5'", "spring", "qpos='.5'", 0.0),
        (
            "frictionloss='.3' range='-10 10'",
            "constraint",
            "qvel='2'",
            2.0,
        ),
    ] {
        let flag = format!("><flag {flags}='disable'/>");
        let (q, v) = moved(&hinge(&flag, joint, "", key));
        assert!((v - expected).abs() < CLOSE, "{flags}: {v}");
        let begun = if key == "qpos='.5'" { 0.5 } else { 0.0 };
        assert!((q - begun - expected * TIME).abs() < CLOSE, "{flags}: {q}");
        let (_, with) = moved(&hinge(">", joint, "", key));
        assert!((with - expected).abs() > 0.1, "{flags}: {with}");
    }
}

/// A motor of 3 N·m in a range of ±1, and another one of 0.5 N·m in group 2, turn 0.1 kg·m².
#[test]
fn actuators_ranges_of_controls_and_groups_are_switched_off() {
    let motors =
        "<actuator><motor joint='j' ctrlrange='-1 1'/><motor joint='j' group='2'/></actuator>";
    for (option, force) in [
        (">", 1.5),
        ("><flag clampctrl='disable'/>", 3.5),
        ("><flag actuation='disable'/>", 0.0),
        ("actuatorgroupdisable='2'>", 1.0),
        ("actuatorgroupdisable='2 0'>", 0.0),
        ("actuatorgroupdisable='1'>", 1.5),
    ] {
        let (_, v) = moved(&hinge(option, "", motors, "ctrl='3 .5'"));
        assert!((v - force * TIME / 0.1).abs() < CLOSE, "{option}: {v}");
    }
}

/// Without its constraints a ball falls through the floor, and a joint does not go with another.
#[test]
fn contacts_and_equalities_are_switched_off() {
    let scene = |flag: &str| {
        format!(
            "<mujoco><option>{flag}</option><worldbody><geom type='plane' size='1 1 1'/>
             <body><joint type='slide' axis='0 0 1' name='z'/><geom size='.1'/></body>
             <body pos='2 0 2'><joint type='slide' axis='0 0 1' name='y'/><geom size='.1'/></body></worldbody>
             <equality><joint joint1='y' joint2='z' polycoef='0 .5 0 0 0'/></equality>
             <keyframe><key name='initial' qpos='.1 .05'/></keyframe></mujoco>"
        )
    };
    for (flags, falls, is_coupled) in [
        ("", false, true),
        ("<flag contact='disable'/>", true, true),
        ("<flag constraint='disable'/>", true, false),
        ("<flag equality='disable'/>", false, false),
    ] {
        let robot = load_str(&scene(flags)).unwrap();
        let model = &robot.model;
        assert_eq!(model.nq(), if is_coupled { 1 } else { 2 }, "{flags}");
        let (_, v) = moved(&robot);
        // The second ball goes down by half of what the first one does: (m + m/4) a = (m + m/2) g.
        let a = if is_coupled { 1.2 * G } else { G };
        let speed = if falls { a * TIME } else { 0.0 };
        assert!((v + speed).abs() < 1e-6, "{flags}: {v}");
        let ground = Setup {
            ground: Ground::At(0.0),
            ..setup()
        };
        let refused = ground.decide(&robot).err().map(|error| error.to_string());
        assert_eq!(
            refused.is_some_and(|it| it.contains("disables contact")),
            falls
        );
    }
}

/// Neighbours touch where the file does not filter them.
#[test]
fn the_filter_of_parents_is_switched_off() {
    let pairs = |flag: &str| {
        let text = format!(
            "<mujoco><option>{flag}</option><worldbody><body><joint axis='0 1 0'/><geom size='.1'/>
             <body pos='.3 0 0'><joint axis='0 1 0'/><geom size='.1'/></body></body></worldbody></mujoco>"
        );
        let robot = load_str(&text).unwrap();
        Setup::default().decide(&robot).unwrap().decision().pairs
    };
    assert_eq!((pairs(""), pairs("<flag filterparent='disable'/>")), (0, 1));
}

/// Without springs and dampers there is no gravity compensation, as in MuJoCo: a body falls.
#[test]
fn gravity_compensation_is_one_of_the_passive_forces() {
    for (flags, falls) in [
        ("spring='disable'", false),
        ("damper='disable'", false),
        ("spring='disable' damper='disable'", true),
    ] {
        let text = format!(
            "<mujoco><option><flag {flags}/></option><worldbody><body gravcomp='1'>
             <joint type='slide' axis='0 0 1'/><geom size='.1'/></body></worldbody>
             <keyframe><key name='initial'/></keyframe></mujoco>"
        );
        let (_, v) = moved(&load_str(&text).unwrap());
        let expected = if falls { -G * TIME } else { 0.0 };
        assert!((v - expected).abs() < CLOSE, "{flags}: {v}");
    }
}

/// The decision says what is off, and the model keeps its limits.
#[test]
fn the_decision_has_the_flags() {
    let robot = hinge(
        "><flag constraint='disable' spring='disable'/>",
        "range='-10 10'",
        "",
        "",
    );
    let decision = setup().decide(&robot).unwrap().decision();
    assert_eq!(
        decision.disabled,
        ["contact", "equality", "frictionloss", "limit", "spring"]
    );
    assert!((robot.model.joints()[1].limits.upper[0] - 10_f64.to_radians()).abs() < CLOSE);
}
