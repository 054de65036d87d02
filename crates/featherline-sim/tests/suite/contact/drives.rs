//! Drives, actuators of files and effort limits of joints.

use featherline::model::Model;
use featherline_formats::{Robot, load_str};
use featherline_sim::contact::{Drives, TimeStepping, WarmStart};
use featherline_sim::setup::{Controls, Setup};
use featherline_sim::simulation::{Method, MethodName, Simulator};

fn robot(text: &str) -> Robot {
    load_str(text).unwrap_or_else(|error| panic!("{error}"))
}

/// A box of 2 kg about a vertical hinge, 0.1 m from its middle, without gravity.
fn hinge(joint: &str, rest: &str) -> Robot {
    robot(&format!(
        "<mujoco><option gravity='0 0 0' timestep='0.001'/><worldbody><body>
         <joint name='h' axis='0 0 1' {joint}/><geom type='box' size='0.1 0.05 0.02' mass='2' pos='0.1 0 0'/>
         </body></worldbody>{rest}</mujoco>"
    ))
}

/// m (a² + b²)/3 + m l², in kg m².
const INERTIA: f64 = 2.0 * (0.1 * 0.1 + 0.05 * 0.05) / 3.0 + 2.0 * 0.1 * 0.1;

/// The speed of a hinge after some time, with the controls of a keyframe.
fn speed(robot: &Robot, configuration: &str, seconds: f64) -> f64 {
    let setup = Setup {
        configuration: Some(configuration.to_owned()),
        ..Setup::default()
    };
    let mut simulation = setup.simulation(robot).unwrap();
    simulation.run(seconds, seconds, &mut ()).unwrap();
    simulation.velocity()[0]
}

/// The bound of a joint is that of the sum of its actuators: 3 − 1 N·m are within it, and 2 · 1.5
/// N·m are not. MuJoCo has 7.059 and 8.824 rad/s.
#[test]
fn the_effort_limit_of_a_joint_bounds_the_sum_of_its_actuators() {
    let robot = hinge(
        "actuatorfrcrange='-2.5 2.5'",
        "<actuator><motor joint='h'/><motor joint='h'/></actuator><keyframe>
         <key name='against' ctrl='3 -1'/><key name='together' ctrl='1.5 1.5'/></keyframe>",
    );
    for (configuration, torque) in [("against", 2.0), ("together", 2.5)] {
        let found = speed(&robot, configuration, 0.1);
        // Constant torque: exact but for rounding.
        assert!((found - 0.1 * torque / INERTIA).abs() < 1e-12, "{found}");
    }
}

/// Springs and dampers with a target, stiffness, damping and force range each.
const SPRINGS: [[f64; 4]; 3] = [
    [1.0, 300.0, 2.0, 4.0],
    [-0.2, 20.0, 0.5, f64::INFINITY],
    [0.3, 900.0, 30.0, 1.5],
];

fn springs(model: &Model, effort: f64) -> Drives {
    let joint = model.joint_ids().next().unwrap();
    let all = SPRINGS.iter();
    all.fold(Drives::none(), |drives, &[target, k, d, range]| {
        drives.and_of(model, joint, k * target, (k, d), range)
    })
    .with_effort(|_| effort)
}

/// Drives with force ranges on one joint, and a bound of their sum: each step is the root of
/// I (v⁺ − v) = h clamp(Σ clamp(k (q_d − q − h v⁺) − d v⁺, ±range), ±effort), found by bisection.
#[test]
fn ranges_of_drives_and_the_effort_of_their_joint_are_kept_together() {
    let robot = hinge("", "");
    let (model, h) = (&robot.model, 1e-2);
    for effort in [1.0, 3.0, 5.0, f64::INFINITY] {
        let mut stepping = TimeStepping::new(model)
            .unwrap()
            .with_drives(springs(model, effort));
        let (mut q, mut v) = ([-0.4], [25.0]);
        for step in 0..300 {
            let residual = |after: f64| {
                let sum: f64 = SPRINGS
                    .iter()
                    .map(|[target, k, d, range]| {
                        let own = k * (target - q[0] - h * after) - d * after;
                        own.clamp(-range, *range)
                    })
                    .sum();
                INERTIA * (after - v[0]) - h * sum.clamp(-effort, effort)
            };
            let (mut low, mut high) = (-1e3, 1e3);
            for _ in 0..80 {
                let middle = 0.5 * (low + high);
                match residual(middle) > 0.0 {
                    true => high = middle,
                    false => low = middle,
                }
            }
            stepping.step(0.0, &mut q, &mut v, h).unwrap();
            // The solver's tolerance of what moves, 1e-6 of its speed.
            assert!(
                (v[0] - low).abs() < 1e-6 * (1.0 + low.abs()),
                "effort {effort}, step {step}: {} and {low}",
                v[0]
            );
        }
    }
}

/// A copy goes on with the same bits, also where sums are at their bound.
#[test]
fn a_copied_state_goes_on_at_the_bounds_of_drives() {
    let robot = hinge("", "");
    let stepping = || {
        let stepping = TimeStepping::new(&robot.model).unwrap();
        stepping.with_drives(springs(&robot.model, 3.0))
    };
    let (mut original, mut kept) = (stepping(), WarmStart::default());
    let (mut q, mut v) = ([-0.4], [25.0]);
    for _ in 0..60 {
        original.keep_warm_start(&mut kept);
        let mut copy = stepping();
        copy.set_warm_start(&kept);
        let (mut own_q, mut own_v) = (q, v);
        copy.step(0.0, &mut own_q, &mut own_v, 1e-2).unwrap();
        original.step(0.0, &mut q, &mut v, 1e-2).unwrap();
        assert_eq!((own_q, own_v), (q, v));
    }
}

/// 100 N·m on a joint of 0.1 kg m² whose file limits it to 10 N·m.
const MOTOR: &str = "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/>
    <inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial></link>
    <joint name='j' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>
    <limit effort='10' velocity='2'/></joint></robot>";

/// A constant torque τ gives the speed τ t / I, with the τ of the limit unless it is left out.
#[test]
fn every_method_bounds_a_controller_by_the_effort_of_the_joint() {
    let robot = robot(MOTOR);
    for method in [
        MethodName::RungeKutta4,
        MethodName::SymplecticEuler,
        MethodName::ImplicitMidpoint,
        MethodName::DormandPrince,
        MethodName::Variational,
        MethodName::TimeStepping,
    ] {
        for (effort_limits, expected) in [(None, 1.0), (Some(false), 10.0)] {
            let setup = Setup {
                method: Some(method),
                is_driven: true,
                effort_limits,
                ..Setup::default()
            };
            let start = setup.decide(&robot).unwrap();
            let push = |_: f64, _: &[f64], _: &[f64], tau: &mut [f64]| tau[0] += 100.0;
            let simulator = start.simulator().unwrap().with_controller(push);
            let mut simulation = simulator.start(0.0, &start.q, &start.v).unwrap();
            simulation.run(0.01, 0.01, &mut ()).unwrap();
            let found = simulation.velocity()[0];
            // All methods are exact for a constant force, but for rounding and tolerances.
            assert!((found - expected).abs() < 1e-9, "{method:?}: {found}");
            assert_eq!(simulation.sample().unwrap().tau, [10.0 * expected]);
        }
    }
}

/// A controller and drives are one motor: 8 + 5 N·m are 10 of them, and 5 − 8 are −3. The force of
/// both is what samples have, and what does the work.
#[test]
fn controllers_and_drives_share_the_effort_of_a_joint() {
    let robot = robot(MOTOR);
    let joint = robot.model.joint_id("j").unwrap();
    // Of the last two, what a controller asks for is beyond the limit, and the sum is not, or is.
    let cases = [
        (8.0, 5.0, 10.0),
        (-8.0, 5.0, -3.0),
        (20.0, -15.0, 5.0),
        (-15.0, 30.0, 10.0),
    ];
    for (driven, given, expected) in cases {
        let drives = Drives::none().and_of(&robot.model, joint, driven, (0.0, 0.0), f64::INFINITY);
        let push = move |_: f64, _: &[f64], _: &[f64], tau: &mut [f64]| tau[0] += given;
        let simulator = Simulator::new(&robot.model, Method::time_stepping(1e-3).unwrap());
        let simulator = simulator.with_drives(drives).with_controller(push);
        let mut simulation = simulator.start(0.0, &[0.0], &[0.0]).unwrap();
        simulation.run(0.01, 0.01, &mut ()).unwrap();
        let speed = expected * 0.01 / 0.1;
        assert!((simulation.velocity()[0] - speed).abs() < 1e-12);
        let sample = simulation.sample().unwrap();
        assert!((sample.tau[0] - expected).abs() < 1e-12, "{:?}", sample.tau);
        let account = sample.contact.unwrap().account;
        let work = account.drive_work + account.force_work;
        assert!((work - 0.05 * speed * speed).abs() < 1e-12, "{work}");
    }
}

/// Actuators, their controls, a time in s, and angle and speed of MuJoCo 3 with steps of 1e-5 s.
const ACTUATORS: [(&str, &str, f64, [f64; 2]); 8] = [
    (
        "<position joint='h' kp='10' kv='1' timeconst='0.05'/>",
        "ctrl='0.5'",
        0.2,
        [0.38071015, 1.53288216],
    ),
    (
        "<position joint='h' kp='10' kv='1' timeconst='0.05'/>",
        "ctrl='0.5' act='0.5'",
        0.2,
        [0.4573543, 0.77122629],
    ),
    (
        "<intvelocity joint='h' kp='50' kv='2' actrange='-1 0.1'/>",
        "ctrl='0.4'",
        0.2,
        [0.06399172, 0.40057903],
    ),
    (
        "<intvelocity joint='h' kp='50' kv='2' actrange='-1 0.1'/>",
        "ctrl='0.4'",
        0.6,
        [0.09999998, 0.00000244],
    ),
    (
        "<general joint='h' gear='2' gaintype='affine' gainprm='3 -4 -0.5' biastype='affine'
         biasprm='0.2 -1 -0.1'/>",
        "ctrl='0.5' qvel='1'",
        0.2,
        [0.24364407, 0.43702741],
    ),
    (
        "<general joint='h' dyntype='integrator' gainprm='2' actlimited='true' actrange='-0.1 0.1'/>",
        "ctrl='1'",
        0.2,
        [0.08235294, 1.05878824],
    ),
    (
        "<cylinder joint='h' timeconst='0.05' area='2' bias='0.1 -3 -0.2'/>",
        "ctrl='1'",
        0.2,
        [0.51486684, 3.9618559],
    ),
    (
        "<damper joint='h' kv='4' ctrlrange='0 1'/>",
        "ctrl='0.5' qvel='3'",
        0.01,
        [0.02150894, 1.48064926],
    ),
];

#[test]
fn actuators_with_filters_integrators_and_controlled_dampers_move_as_in_mujoco() {
    for (actuator, key, seconds, [angle, speed]) in ACTUATORS {
        let robot = hinge(
            "",
            &format!("<actuator>{actuator}</actuator><keyframe><key name='k' {key}/></keyframe>"),
        );
        let setup = Setup {
            configuration: Some("k".to_owned()),
            step: Some(1e-5),
            ..Setup::default()
        };
        let start = setup.decide(&robot).unwrap();
        assert!(
            start.warnings.is_empty(),
            "{actuator}: {:?}",
            start.warnings
        );
        let mut simulation = start.simulation().unwrap();
        // In two runs: what a filter has reached stays.
        simulation.run(0.5 * seconds, seconds, &mut ()).unwrap();
        simulation.run(0.5 * seconds, seconds, &mut ()).unwrap();
        let found = [simulation.configuration()[0], simulation.velocity()[0]];
        // Both methods are of order one, with rates up to 100/s.
        for (found, expected) in found.into_iter().zip([angle, speed]) {
            let error = (found - expected).abs();
            assert!(
                error < 1e-3 * (0.1 + expected.abs()),
                "{actuator}: {found}, not {expected}"
            );
        }
    }
}

/// A braking torque −kv u ω with implicit steps: ω_{n+1} = ω_n/(1 + h kv u/I), stable at any gain.
#[test]
fn a_controlled_damper_brakes_without_overshoot() {
    for kv in [4.0, 4e6] {
        let robot = hinge(
            "",
            &format!(
                "<actuator><damper joint='h' kv='{kv}' ctrlrange='0 1'/></actuator>
                 <keyframe><key name='braking' qvel='3' ctrl='0.5'/></keyframe>"
            ),
        );
        let found = speed(&robot, "braking", 0.01);
        let expected = 3.0 * (1.0 + 1e-3 * 0.5 * kv / INERTIA).powi(-10);
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    }
}

/// A motor behind a filter of first order: the force after n steps is exactly 2 (1 − e^{−n h/T}),
/// and the speed the sum of h/I of these.
#[test]
fn a_filter_of_a_control_is_exact_and_part_of_what_is_kept_of_a_step() {
    let robot = hinge(
        "",
        "<actuator><general joint='h' dyntype='filterexact' dynprm='0.05' gainprm='2 0 0'/></actuator>
         <keyframe><key name='on' ctrl='1'/></keyframe>",
    );
    let setup = Setup {
        configuration: Some("on".to_owned()),
        ..Setup::default()
    };
    let start = setup.decide(&robot).unwrap();
    let (h, mut expected) = (1e-3_f64, 0.0);
    let (mut stepping, mut kept) = (start.time_stepping().unwrap(), WarmStart::default());
    let (mut q, mut v) = ([0.0], [0.0]);
    for n in 0..200 {
        // Each step by another one, which has only what was kept.
        let mut next = start.time_stepping().unwrap();
        stepping.keep_warm_start(&mut kept);
        next.set_warm_start(&kept);
        next.step(0.0, &mut q, &mut v, h).unwrap();
        stepping = next;
        expected += h / INERTIA * 2.0 * (1.0 - (-f64::from(n) * h / 0.05).exp());
        assert!(
            (v[0] - expected).abs() < 1e-11,
            "{n}: {} and {expected}",
            v[0]
        );
    }
}

/// A thruster beside the middle of a free box, in a site that is turned by 90° about x: its −y is
/// the body's −z. From rest, a step gives v = h f/m and ω = h I⁻¹ (p × f + τ).
#[test]
fn a_thruster_at_a_site_pushes_and_turns_its_body() {
    let robot = robot(
        "<mujoco><option gravity='0 0 0' timestep='0.001'/><worldbody><body><freejoint/>
         <geom type='box' size='0.1 0.1 0.02' mass='0.5' contype='0' conaffinity='0'/>
         <site name='rotor' pos='0.1 0 0' quat='1 1 0 0'/></body></worldbody>
         <actuator><motor site='rotor' gear='0 1 0 0 0.01 0' ctrlrange='0 4'/></actuator>
         <keyframe><key name='on' ctrl='5'/></keyframe></mujoco>",
    );
    let setup = Setup {
        configuration: Some("on".to_owned()),
        ..Setup::default()
    };
    let start = setup.decide(&robot).unwrap();
    assert!(start.warnings.is_empty(), "{:?}", start.warnings);
    let mut simulation = start.simulation().unwrap();
    simulation.run(1e-3, 1e-3, &mut ()).unwrap();
    let (thrust, h) = (4.0, 1e-3);
    let about = |a: f64, b: f64| 0.5 / 3.0 * (a * a + b * b);
    let expected = [
        0.0,
        0.0,
        h * thrust / 0.5,
        0.0,
        -h * 0.1 * thrust / about(0.1, 0.02),
        h * 0.01 * thrust / about(0.1, 0.1),
    ];
    for (found, expected) in simulation.velocity().iter().zip(expected) {
        // Rounding, and the body turns by h ω/2 within the step.
        assert!((found - expected).abs() < 2e-6, "{found}, not {expected}");
    }
}

/// A thruster and a motor follow their controls: 4 N, then 1 N on 0.5 kg, each for 0.1 s, give 0.8
/// and 1 m/s, and all work is the energy at the end.
#[test]
fn thrusters_follow_their_controls() {
    let robot = robot(
        "<mujoco><option gravity='0 0 0'/><worldbody><body><joint type='slide' axis='0 0 1'/>
         <inertial pos='0 0 0' mass='0.5' diaginertia='1 1 1'/><site name='s'/></body>
         <body><joint name='j'/><inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/></body></worldbody>
         <actuator><motor joint='j'/><motor site='s' gear='0 0 2 0 0 0'/></actuator></mujoco>",
    );
    let mut simulation = Setup::default().simulation(&robot).unwrap();
    let mut speeds = Vec::new();
    for controls in [[3.0, 2.0], [-3.0, 0.5]] {
        let asked = Drives::of_actuators(&robot.model, &robot.actuation_by(&controls).unwrap());
        assert_eq!(asked.len(), 2);
        assert!(simulation.drives_mut().unwrap().follow(&asked));
        simulation.run(0.1, 0.1, &mut ()).unwrap();
        speeds.extend_from_slice(simulation.velocity());
    }
    for (found, expected) in speeds.iter().zip([0.8, 3.0, 1.0, 0.0]) {
        assert!((found - expected).abs() < 1e-12, "{speeds:?}");
    }
    let account = simulation.sample().unwrap().contact.unwrap().account;
    let kinetic = 0.5 * 0.5 * 1.0;
    assert!((account.drive_work - kinetic).abs() < 1e-12, "{account:?}");
    // Those of another robot are none to follow.
    assert!(!simulation.drives_mut().unwrap().follow(&Drives::none()));
}

/// Force ranges that are not the same either way bound motors, dampers and springs, which are rows
/// of the solver where they are at a bound: a force τ turns 0.1 kg·m² to τ t/I.
#[test]
fn force_ranges_have_two_ends() {
    for (actuators, control, torque) in [
        ("<motor joint='j' forcerange='-1 3'/>", 5.0, 3.0),
        ("<motor joint='j' forcerange='-1 3'/>", -5.0, -1.0),
        ("<motor joint='j' forcerange='-1 3' gear='-2'/>", -5.0, 2.0),
        ("<velocity joint='j' kv='10' forcerange='-1 3'/>", 1e3, 3.0),
        (
            "<velocity joint='j' kv='10' forcerange='-1 3'/>",
            -1e3,
            -1.0,
        ),
        ("<position joint='j' kp='50' forcerange='.5 3'/>", 1e3, 3.0),
        ("<position joint='j' kp='50' forcerange='.5 3'/>", -1e3, 0.5),
        // The joint's limit of 2.5 N·m bounds the sum.
        (
            "<position joint='j' kp='50' forcerange='-1 2'/><motor joint='j' forcerange='-1 1'/>",
            1e3,
            2.5,
        ),
        (
            "<position joint='j' kp='50' forcerange='-1 2'/><motor joint='j' forcerange='-1 1'/>",
            -1e3,
            -2.0,
        ),
    ] {
        let robot = robot(&format!(
            "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' actuatorfrcrange='-2.5 2.5'/>
             <inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/></body></worldbody>
             <actuator>{actuators}</actuator></mujoco>"
        ));
        let torque = f64::clamp(torque, -2.5, 2.5);
        let controls = vec![control; robot.description.actuators.len()];
        let setup = Setup {
            controls: Some(Controls::All(controls)),
            ..Setup::default()
        };
        let start = setup.decide(&robot).unwrap();
        assert!(start.warnings.is_empty(), "{:?}", start.warnings);
        let mut simulation = start.simulation().unwrap();
        simulation.run(0.05, 0.05, &mut ()).unwrap();
        let expected = torque * 0.05 / 0.1;
        let found = simulation.velocity()[0];
        // The solver's rows keep a bound to 1e-9 of it.
        assert!(
            (found - expected).abs() < 1e-8,
            "{actuators}, {control}: {found}"
        );
    }
}

/// A spring that only pushes: a mass comes to its target from below, and goes on from there at the
/// speed of a quarter of an oscillation, v = A ω.
#[test]
fn a_spring_that_only_pushes_lets_go() {
    let robot = robot(
        "<mujoco><option gravity='0 0 0' timestep='1e-4'/><worldbody><body><joint name='j' type='slide'/>
         <inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></worldbody>
         <actuator><position joint='j' kp='100' forcerange='0 1e3'/></actuator></mujoco>",
    );
    let setup = Setup {
        controls: Some(Controls::All(vec![0.1])),
        ..Setup::default()
    };
    let mut simulation = setup.simulation(&robot).unwrap();
    simulation.run(0.5, 0.5, &mut ()).unwrap();
    // Implicit Euler damps the oscillation by the part h ω² t/2 = 8e-4.
    assert!(
        (simulation.velocity()[0] - 1.0).abs() < 2e-3,
        "{:?}",
        simulation.velocity()
    );
}

/// An arm of two links that are fixed to each other, a part of whose weight is carried.
fn carried(first: f64, second: f64, gravity: f64) -> Robot {
    robot(&format!(
        "<mujoco><option gravity='0 0 -{gravity}' timestep='0.001'/><worldbody>
         <body gravcomp='{first}'><joint axis='0 1 0'/><geom size='0.03' pos='0.2 0 0' mass='1'/>
         <body gravcomp='{second}' pos='0.3 0 0'><geom size='0.03' pos='0.1 0.05 0' mass='0.5'/></body>
         </body></worldbody></mujoco>"
    ))
}

/// Carried weight is weight that is not there: all of it, half of it, or that of one link, whose
/// lack the other's moment 0.2 · 1 of 0.2 · 1 + 0.4 · 0.5 shows.
#[test]
fn gravity_compensation_of_bodies_carries_their_weight() {
    for method in [MethodName::RungeKutta4, MethodName::TimeStepping] {
        let fall = |robot: &Robot| {
            let setup = Setup {
                method: Some(method),
                ..Setup::default()
            };
            let mut simulation = setup.simulation(robot).unwrap();
            simulation.run(0.5, 0.5, &mut ()).unwrap();
            simulation.configuration()[0]
        };
        let cases = [
            (1.0, 1.0, 0.0),
            (0.5, 0.5, 0.5),
            (0.0, 1.0, 0.5),
            (0.0, 0.0, 1.0),
        ];
        for (first, second, part) in cases {
            let found = fall(&carried(first, second, 9.81));
            let expected = fall(&carried(0.0, 0.0, part * 9.81));
            assert!(
                (found - expected).abs() < 1e-10,
                "{method:?}: {found}, not {expected}"
            );
        }
    }
}
