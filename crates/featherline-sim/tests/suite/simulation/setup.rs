//! From a robot or a scene to its simulation: what a file says is what moves.

use featherline::samples;
use featherline_constraint::nonsmooth::FrictionLaw;
use featherline_formats::{LoadOptions, Robot, load_str, load_str_with};
use featherline_sim::contact::{ContactSource, Drives, ImpactLaw};
use featherline_sim::setup::{
    Controls, DrivesName, Ground, Setup, SetupError, SetupField, SetupWarning, Stops,
};
use featherline_sim::simulation::{LoopKeepingName, MethodName};

/// Gravity in m/s².
const G: f64 = 9.81;

fn scene(text: &str) -> Robot {
    load_str(text).unwrap_or_else(|error| panic!("{error}"))
}

/// A ball of 2 kg sinks into a soft ground by m g/k.
#[test]
fn soft_surfaces_are_soft() {
    let scene = scene(
        "[ground]\nstiffness = 5000\ndamping = 100\n[[body]]\nname = 'ball'\nsphere = 0.1\nmass = 2\n\
         position = [0, 0, 0.1]\n",
    );
    let start = Setup::default().decide(&scene).unwrap();
    let mut simulation = start
        .simulator()
        .unwrap()
        .start(0.0, &start.q, &start.v)
        .unwrap();
    simulation.run(4.0, 4.0, &mut ()).unwrap();
    let sunk = 0.1 - simulation.configuration()[2];
    // Implicit springs take the force at the end of a step, and come to rest exactly.
    assert!((sunk - 2.0 * G / 5000.0).abs() < 1e-9, "{sunk}");
    let contact = &simulation.contacts()[0].contact;
    assert_eq!(
        start.contacts.softness(contact).map(|it| it.stiffness),
        Some(5000.0)
    );
}

/// A ball with restitution 1 rises to where it fell from, by the law of impacts that is named.
#[test]
fn restitution_and_laws_are_those_of_the_scene() {
    let scene = scene(
        "[contact]\nfriction_law = 'convex'\nimpact_law = 'reflections'\nrestitution = 1\n[ground]\n\
         [[body]]\nname = 'ball'\nsphere = 0.1\nposition = [0, 0, 0.6]\n",
    );
    let mut start = Setup::default().decide(&scene).unwrap();
    assert_eq!(start.laws.cone, FrictionLaw::Convex);
    assert_eq!(start.laws.impact, ImpactLaw::Reflections);
    start.laws.cone = FrictionLaw::Exact;
    let mut stepping = start.time_stepping().unwrap();
    let (mut q, mut v) = (start.q, start.v);
    let (mut top, mut has_hit) = (0.0_f64, false);
    // It falls for √(2 · 0.5 / g) = 0.32 s, and rises for as long.
    for _ in 0..6500 {
        stepping.step(0.0, &mut q, &mut v, 1e-4).unwrap();
        has_hit |= v[2] > 0.0;
        top = if has_hit { top.max(q[2]) } else { top };
    }
    // As high as it began, to the way of a step at the impact's 3.1 m/s.
    assert!((top - 0.6).abs() < 3.2e-4, "{top}");
}

/// Two crates, of which the upper begins a micrometre in the lower: it stays on it.
#[test]
fn what_overlaps_at_the_start_is_put_apart() {
    let robot = scene(
        "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='9 9 1'/>\
         <body pos='0 0 0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='1'/></body>\
         <body pos='0 0 0.299999'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='1'/></body>\
         </worldbody></mujoco>",
    );
    let start = Setup::default().decide(&robot).unwrap();
    assert!(start.left_out.is_empty());
    let mut simulation = start.simulation().unwrap();
    simulation.run(2.0, 2.0, &mut ()).unwrap();
    assert!((simulation.configuration()[9] - 0.3).abs() < 2e-6);
    // Balls that begin 5 cm in each other come apart without speed, and say so.
    let balls = scene(
        "gravity = [0, 0, 0]\n[[body]]\nname = 'a'\nsphere = 0.1\n\
         [[body]]\nname = 'b'\nsphere = 0.1\nposition = [0.15, 0, 0]\n",
    );
    let start = Setup::default().decide(&balls).unwrap();
    assert!(matches!(
        &start.warnings[..],
        [SetupWarning::Overlap { depth, .. }] if (depth - 0.05).abs() < 1e-9
    ));
    let mut stepping = start.time_stepping().unwrap();
    let (mut q, mut v) = (start.q, start.v);
    for _ in 0..1000 {
        stepping.step(0.0, &mut q, &mut v, 1e-3).unwrap();
    }
    assert!(
        q[7] - q[0] > 0.2 - 1e-6 && q[7] - q[0] < 0.2 + 1e-4,
        "{q:?}"
    );
    assert!(v.iter().all(|v| v.abs() < 1e-6), "{v:?}");
}

/// A wheel in its hub overlaps with it wherever it is, and does not touch it.
#[test]
fn what_overlaps_always_does_not_touch() {
    let robot = scene(
        "<mujoco><worldbody><body><joint type='slide' axis='1 0 0'/><geom name='cart' size='0.2'/>\
         <body><joint axis='0 1 0'/><geom name='arm' size='0.1' mass='1'/>\
         <body pos='0.15 0 0'><joint axis='0 1 0'/><geom name='hand' size='0.1' mass='1'/></body>\
         </body></body></worldbody></mujoco>",
    );
    let start = Setup::default().decide(&robot).unwrap();
    let expected = [["cart".to_owned(), "hand".to_owned()]];
    assert_eq!(start.left_out, expected);
}

/// Actuators with the controls of a keyframe, and the keyframe's state.
#[test]
fn a_simulation_begins_in_a_keyframe_with_its_controls() {
    let robot = scene(
        "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' type='slide' axis='1 0 0'/>\
         <geom size='0.1' mass='1'/></body></worldbody>\
         <actuator><position joint='j' kp='100' kv='20'/></actuator>\
         <keyframe><key name='out' qpos='0.3' qvel='0.1' ctrl='0.5'/></keyframe></mujoco>",
    );
    let start = Setup {
        configuration: Some("out".into()),
        ..Setup::default()
    }
    .decide(&robot)
    .unwrap();
    assert_eq!((&start.q[..], &start.v[..]), (&[0.3][..], &[0.1][..]));
    let simulator = start.simulator().unwrap();
    let mut simulation = simulator.start(0.0, &start.q, &start.v).unwrap();
    simulation.run(3.0, 1.0, &mut ()).unwrap();
    // Critically damped with 10 /s: what is left after 3 s is e⁻³⁰.
    assert!((simulation.configuration()[0] - 0.5).abs() < 1e-9);
    let unknown = Setup {
        configuration: Some("in".into()),
        ..Setup::default()
    }
    .decide(&robot);
    let Err(SetupError::UnknownConfiguration { known, .. }) = unknown else {
        panic!("there is no such keyframe");
    };
    assert!(known.contains(&"out".to_owned()), "{known:?}");
    let free = start.with_drives(Drives::none());
    assert!(free.drives.is_empty());
}

/// A ball of 0.5 kg that meets a crate of 1 kg in space, at 3 m/s: both go on at 1 m/s.
#[test]
fn bodies_in_space_collide() {
    let robot = scene(
        "<mujoco><option gravity='0 0 0' timestep='0.001'/><worldbody>\
         <body name='crate'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='1'/></body>\
         <body name='ball' pos='0 -0.5 0'><freejoint/><geom size='0.05' mass='0.5'/></body>\
         </worldbody></mujoco>",
    );
    let mut v = vec![0.0; 12];
    v[7] = 3.0;
    let setup = Setup {
        v: Some(v),
        ..Setup::default()
    };
    let start = setup.decide(&robot).unwrap();
    assert_eq!(start.method, MethodName::TimeStepping);
    let mut simulation = start.simulation().unwrap();
    simulation.run(0.5, 0.5, &mut ()).unwrap();
    let v = simulation.velocity();
    // To the tolerance of the laws of contact, relative to the speed.
    assert!(
        (v[1] - 1.0).abs() < 1e-5 && (v[7] - 1.0).abs() < 1e-5,
        "{v:?}"
    );
}

/// z = 2 - g t²/2, without a ground that nobody has put there.
#[test]
fn a_body_without_a_ground_falls() {
    let robot = scene(
        "<mujoco><worldbody><body pos='0 0 2'><freejoint/><geom size='0.1' mass='1'/></body>\
         </worldbody></mujoco>",
    );
    let mut simulation = Setup::default().simulation(&robot).unwrap();
    simulation.run(1.0, 1.0, &mut ()).unwrap();
    assert!((simulation.configuration()[2] - (2.0 - G / 2.0)).abs() < 1e-9);
}

/// A rod of damping 0.5 N·m·s/rad and a spring of 3 N·m/rad at 20°: it comes to rest where
/// k (q_rest - q) = m g l sin q, by hand.
#[test]
fn damping_and_springs_of_joints_act() {
    let robot = scene(
        "<mujoco><worldbody><body pos='0 0 1'>\
         <joint axis='0 1 0' damping='0.5' stiffness='3' springref='20'/>\
         <geom type='capsule' size='0.02' fromto='0 0 0 0 0 -0.5' mass='1'/></body></worldbody>\
         <keyframe><key name='raised' qpos='1'/></keyframe></mujoco>",
    );
    let setup = Setup {
        configuration: Some("raised".to_owned()),
        ..Setup::default()
    };
    let start = setup.decide(&robot).unwrap();
    assert_eq!(start.method, MethodName::RungeKutta4);
    let mut simulation = start.simulation().unwrap();
    simulation.run(8.0, 8.0, &mut ()).unwrap();
    let q = simulation.configuration()[0];
    let spring = 3.0 * (20.0_f64.to_radians() - q);
    // After 8 s the motion, damped at d/(2 m l²/3) = 3 /s, has e⁻²⁴ left.
    assert!((spring - G * 0.25 * q.sin()).abs() < 1e-5, "{q}");
    let free = Setup {
        passive: Some(false),
        ..setup
    };
    let mut simulation = free.simulation(&robot).unwrap();
    simulation.run(1.0, 1.0, &mut ()).unwrap();
    assert!(simulation.velocity()[0].abs() > 0.1);
}

/// A brick of a URDF whose base floats is put on a ground, and has no joints to hold.
#[test]
fn a_lone_body_is_simulated() {
    let text = "<robot name='brick'><link name='brick'><inertial><mass value='1'/>\
        <inertia ixx='0.004' ixy='0' ixz='0' iyy='0.008' iyz='0' izz='0.01'/></inertial>\
        <collision><geometry><box size='0.3 0.2 0.1'/></geometry></collision></link></robot>";
    let options = LoadOptions::new().floating_base(true);
    let robot = load_str_with(text, &options).unwrap();
    let start = Setup::default().decide(&robot).unwrap();
    assert!((start.q[2] - 0.05).abs() < 1e-12 && start.drives.is_empty());
    let falling = Setup {
        ground: Ground::None,
        ..Setup::default()
    };
    let mut simulation = falling.simulation(&robot).unwrap();
    simulation.run(0.5, 0.5, &mut ()).unwrap();
    assert!(simulation.velocity()[2] < -4.0);
}

/// A field that has no effect is an error that names it, and no other.
#[test]
fn what_has_no_effect_is_named() {
    let pendulum = Robot::from_model(samples::double_pendulum());
    let refused = |setup: Setup| match setup.decide(&pendulum) {
        Err(SetupError::Idle { what, .. }) => what,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("{setup:?} has an effect"),
    };
    let said = Setup::default;
    assert_eq!(
        refused(Setup {
            friction: Some(0.5),
            ..said()
        }),
        SetupField::Friction
    );
    assert_eq!(
        refused(Setup {
            ground: Ground::At(0.0),
            ..said()
        }),
        SetupField::Ground
    );
    assert_eq!(
        refused(Setup {
            frequency: Some(2.0),
            ..said()
        }),
        SetupField::Frequency
    );
    assert_eq!(
        refused(Setup {
            loops: Some(LoopKeepingName::Both),
            ..said()
        }),
        SetupField::Loops
    );
    let variational = Some(MethodName::Variational);
    assert_eq!(
        refused(Setup {
            method: variational,
            tolerance: Some(1e-6),
            ..said()
        }),
        SetupField::Tolerance
    );
    assert_eq!(
        refused(Setup {
            method: variational,
            drives: Some(DrivesName::Hold),
            ..said()
        }),
        SetupField::Drives
    );
    let stepping = Some(MethodName::TimeStepping);
    assert_eq!(
        refused(Setup {
            method: stepping,
            stops: Some(Stops::default()),
            ..said()
        }),
        SetupField::Stops
    );
    let found = Setup {
        step: Some(-1.0),
        ..said()
    }
    .decide(&pendulum);
    assert!(matches!(
        found,
        Err(SetupError::BadNumber {
            what: SetupField::Step,
            ..
        })
    ));
}

/// 0.1 kg·m² with a motor, and a second one on the same joint.
const MOTORS: &str = "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j'/>
    <inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/></body></worldbody>
    <actuator><motor name='push' joint='j'/><motor name='pull' joint='j' gear='-1'/></actuator>
    <keyframe><key name='on' ctrl='1 .5'/></keyframe></mujoco>";

fn with_controls(controls: Controls) -> Setup {
    Setup {
        configuration: Some("on".to_owned()),
        controls: Some(controls),
        ..Setup::default()
    }
}

/// Controls come from the keyframe, from a list, or by name: then the others stay.
#[test]
fn controls_are_said_in_order_or_by_name() {
    let robot = scene(MOTORS);
    let push = |control| Controls::Named(vec![("push".to_owned(), control)]);
    for (controls, torque) in [
        (Controls::Named(Vec::new()), 0.5),
        (Controls::All(vec![3.0, 1.0]), 2.0),
        (push(3.0), 2.5),
    ] {
        let start = with_controls(controls).decide(&robot).unwrap();
        assert_eq!(start.decision().controls, start.controls);
        let sum: f64 = start.controls[0] - start.controls[1];
        assert_eq!(sum, torque);
        let mut simulation = start.simulation().unwrap();
        simulation.run(0.1, 0.1, &mut ()).unwrap();
        assert!((simulation.velocity()[0] - torque).abs() < 1e-12);
    }
}

#[test]
fn controls_that_can_not_be_are_refused() {
    let robot = scene(MOTORS);
    let refused = |setup: Setup, robot: &Robot| setup.decide(robot).err().unwrap();
    let three = Controls::All(vec![1.0; 3]);
    let named = |name: &str, control| Controls::Named(vec![(name.to_owned(), control)]);
    for (controls, says) in [
        (
            three,
            "3 controls are given, where the robot has 2 actuators: push, pull",
        ),
        (
            named("pusch", 1.0),
            "has no actuator `pusch`; did you mean `push`?; it has push, pull",
        ),
        (named("push", f64::NAN), "controls is NaN"),
    ] {
        let error = refused(with_controls(controls), &robot).to_string();
        assert!(error.contains(says), "{error}");
    }
    let none =
        scene("<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>");
    let empty = || Some(Controls::All(Vec::new()));
    let all = Some(Controls::All(vec![1.0; 2]));
    let hold = Setup {
        drives: Some(DrivesName::Hold),
        controls: all.clone(),
        ..Setup::default()
    };
    let other = Setup {
        method: Some(MethodName::RungeKutta4),
        controls: all,
        ..Setup::default()
    };
    let without = Setup {
        controls: empty(),
        ..Setup::default()
    };
    for (setup, robot) in [(hold, &robot), (other, &robot), (without, &none)] {
        let error = refused(setup, robot);
        assert!(
            matches!(
                error,
                SetupError::Idle {
                    what: SetupField::Controls,
                    ..
                }
            ),
            "{error}"
        );
    }
}
