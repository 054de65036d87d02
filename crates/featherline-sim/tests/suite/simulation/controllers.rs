//! Controllers do what they are for.

use featherline::samples;
use featherline::{Model, Workspace};
use featherline_robots as robots;
use featherline_sim::integrator::{RungeKutta4, forces};
use featherline_sim::simulation::{
    Controller, GravityCompensation, Method, ProportionalDerivative, Sample, Simulator,
    driven_coordinates,
};

fn runge_kutta(model: &Model, step: f64) -> Method<'_> {
    Method::steps(RungeKutta4::new(model), step).unwrap()
}

#[test]
fn gravity_compensation_holds_what_rests() {
    for model in [
        samples::double_pendulum(),
        robots::panda(),
        samples::snake(10),
    ] {
        let q: Vec<f64> = (0..model.nq()).map(|k| 0.7 + 0.3 * k as f64).collect();
        let rest = vec![0.0; model.nv()];
        let control = GravityCompensation::new(&model);
        let simulator = Simulator::new(&model, runge_kutta(&model, 1e-2)).with_controller(control);
        let mut simulation = simulator.start(0.0, &q, &rest).unwrap();
        simulation.run(0.5, 0.1, &mut ()).unwrap();
        // Unstable places, from which rounding of 1e-16 grows with some ten a second: e^5 of it at
        // most, and some digits.
        let fastest = simulation
            .velocity()
            .iter()
            .fold(0.0_f64, |m, v| m.max(v.abs()));
        assert!(fastest < 1e-10, "{}: {fastest}", model.name());
    }
}

#[test]
fn a_floating_base_is_not_driven_and_falls() {
    let model = robots::quadruped();
    let driven = driven_coordinates(&model);
    assert!(driven[..6].iter().all(|d| !d) && driven[6..].iter().all(|d| *d));
    let q = model.neutral_configuration();
    let rest = vec![0.0; model.nv()];
    let control = GravityCompensation::new(&model);
    let simulator = Simulator::new(&model, runge_kutta(&model, 1e-3)).with_controller(control);
    let mut simulation = simulator.start(0.0, &q, &rest).unwrap();
    let mut heights = Vec::new();
    simulation
        .run(0.5, 0.25, &mut |sample: &Sample<'_>| {
            assert_eq!(sample.tau[..6], [0.0; 6]);
            heights.push(sample.potential_energy / (9.81 * model.total_mass()));
        })
        .unwrap();
    // Motor forces are internal to the robot: its centre of mass falls freely, up to the error of
    // the steps.
    assert!((heights[0] - heights[1] - 0.5 * 9.81 * 0.0625).abs() < 1e-6);
    assert!((heights[0] - heights[2] - 0.5 * 9.81 * 0.25).abs() < 1e-6);
}

#[test]
fn what_a_controller_says_is_recorded_and_other_laws_are_not() {
    let model = samples::double_pendulum();
    let control = |t: f64, q: &[f64], _: &[f64], tau: &mut [f64]| {
        tau[0] += t;
        tau[1] += q[0];
    };
    let simulator = Simulator::new(&model, runge_kutta(&model, 0.01))
        .with_controller(control)
        .with_forces(forces::JointTorques::new(vec![5.0, 5.0]));
    let mut simulation = simulator.start(0.0, &[0.3, 0.0], &[0.0, 0.0]).unwrap();
    let mut seen = 0;
    simulation
        .run(1.0, 0.25, &mut |sample: &Sample<'_>| {
            assert_eq!(sample.tau, [sample.t, sample.q[0]]);
            seen += 1;
        })
        .unwrap();
    assert_eq!(seen, 5);
}

#[test]
fn work_done_is_energy_gained() {
    // Forces that don't vary: their work is their product with the way.
    let model = samples::double_pendulum();
    let push = |_: f64, _: &[f64], _: &[f64], tau: &mut [f64]| {
        tau[0] += 3.0;
        tau[1] -= 1.0;
    };
    let simulator = Simulator::new(&model, runge_kutta(&model, 1e-3)).with_controller(push);
    let mut simulation = simulator.start(0.0, &[0.3, -0.4], &[1.0, 0.0]).unwrap();
    simulation
        .run(1.0, 0.1, &mut |sample: &Sample<'_>| {
            let work = 3.0 * (sample.q[0] - 0.3) - (sample.q[1] + 0.4);
            let before = {
                let mut ws = Workspace::new(&model);
                model
                    .mechanical_energy(&mut ws, &[0.3, -0.4], &[1.0, 0.0])
                    .unwrap()
            };
            // Fourth order with steps of 1 ms.
            assert!((sample.energy() - before - work).abs() < 1e-9);
        })
        .unwrap();
}

#[test]
fn proportional_derivative_control_reaches_its_reference_on_every_arm() {
    for model in [robots::panda(), robots::ur5(), robots::hand()] {
        let reference = vec![0.2; model.nq()];
        let control = ProportionalDerivative::critical(&model, &reference, 1.0).unwrap();
        let simulator = Simulator::new(&model, runge_kutta(&model, 5e-3)).with_controller(control);
        let start = model.neutral_configuration();
        let mut simulation = simulator
            .start(0.0, &start, &vec![0.0; model.nv()])
            .unwrap();
        simulation.run(10.0, 1.0, &mut ()).unwrap();
        let left = model
            .difference(simulation.configuration(), &reference)
            .unwrap();
        let worst = left.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!(worst < 1e-2, "{}: {worst}", model.name());
    }
}

#[test]
fn a_reference_of_the_wrong_length_is_refused() {
    let model = samples::double_pendulum();
    let error = ProportionalDerivative::critical(&model, &[0.0], 1.0).unwrap_err();
    assert!(error.to_string().contains("1 entries"), "{error}");
    assert!(ProportionalDerivative::critical(&model, &[0.0; 2], -1.0).is_err());
    let mut control = ProportionalDerivative::critical(&model, &[0.0; 2], 1.0).unwrap();
    let mut tau = [0.0; 2];
    let state = forces::State {
        t: 0.0,
        q: &[0.0; 2],
        v: &[0.0; 2],
    };
    control.drive(&state, &mut tau).unwrap();
    // At its reference, hanging straight down, nothing is left to do.
    assert!(tau.iter().all(|x| x.abs() < 1e-12));
}
