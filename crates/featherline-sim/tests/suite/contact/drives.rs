//! Drives, actuators of files and effort limits of joints.

use featherline::model::Model;
use featherline_formats::{Robot, load_str};
use featherline_sim::contact::{Drives, TimeStepping, WarmStart};
use featherline_sim::setup::Setup;

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
