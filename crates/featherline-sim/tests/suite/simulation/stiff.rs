//! Stiff drives and stops, by the method for them.

use featherline_robots as robots;
use featherline_sim::integrator::ImplicitMidpoint;
use featherline_sim::integrator::forces::{Bumper, JointLimits};
use featherline_sim::simulation::{LimitMonitor, Method, ProportionalDerivative, Simulator};

const GOAL: [f64; 7] = [0.3, -0.8, 0.2, -2.0, 0.1, 1.6, 0.8];

#[test]
fn an_arm_that_is_torn_to_its_goal_gets_there() {
    // Springs of 200 Hz two radians from their rest: half a thousand rad/s within the first step,
    // where forces of inertia are as large as those of the springs.
    let model = robots::panda();
    for (frequency, step) in [(200.0, 1e-3), (200.0, 1e-2), (30.0, 1e-2), (30.0, 1e-3)] {
        let method = Method::steps(ImplicitMidpoint::new(&model), step).unwrap();
        let control = ProportionalDerivative::critical(&model, &GOAL, frequency).unwrap();
        // The arm's own motors are too weak to tear it.
        let mut simulation = Simulator::new(&model, method)
            .with_controller(control)
            .without_effort_limits()
            .start(0.0, &[0.0; 7], &[0.0; 7])
            .unwrap();
        simulation.run(2.0, 0.01, &mut ()).unwrap();
        let left = simulation.configuration().iter().zip(&GOAL);
        let left = left.fold(0.0_f64, |m, (q, goal)| m.max((q - goal).abs()));
        // The dampers of the lightest joint take away 10⁵ 1/s, of which the rule leaves (1 −
        // z/2)/(1 + z/2) with z a thousand in steps of 10 ms: some e^−0.8 of what it swings after
        // 200 steps, in the part that it has of the way.
        assert!(left < 1e-3, "{frequency} {step}: {left:e}");
    }
}

#[test]
fn an_arm_falls_on_hard_stops() {
    let model = robots::ur5();
    let bumper = Bumper {
        stiffness: 1e5,
        damping: 100.0,
        depth: 1e-3,
    };
    let method = Method::steps(ImplicitMidpoint::new(&model), 1e-3).unwrap();
    let mut simulation = Simulator::new(&model, method)
        .with_forces(JointLimits::new(&model, bumper).unwrap())
        .start(0.0, &[0.0; 6], &[1.0 / 6.0; 6])
        .unwrap();
    let mut account = LimitMonitor::new(&model);
    simulation.run(2.0, 0.01, &mut account).unwrap();
    // Two metres of fall on 1e5 N m/rad: a few hundred joules, for which springs yield by √(2 E/k)
    // < 0.1 rad.
    assert!(account.warning(0.1).is_none());
}
