//! Stiff joints, and the method for them.

use super::robots::{cases, differences, pendulum, size};
use featherline::samples::double_pendulum;
use featherline_sim::integrator::forces::TorqueFunction;
use featherline_sim::integrator::{
    ForwardDynamics, ImplicitMidpoint, IntegratorError, RungeKutta4, Stepper,
};

#[test]
fn a_stiff_spring_holds_where_explicit_methods_diverge() {
    // A spring and a damper of 1e6 hold the lower joint; the upper one swings as if they were one
    // rod of 2 m.
    let hold = |_: f64, q: &[f64], v: &[f64], tau: &mut [f64]| tau[1] -= 1e6 * q[1] + 1e6 * v[1];
    let model = double_pendulum();
    let (start, h) = (([0.5, 0.0], [0.0, 0.0]), 0.005);
    let mut field = ForwardDynamics::with_forces(&model, TorqueFunction::new(hold));
    let (mut q, mut v) = start;
    let mut stepper = ImplicitMidpoint::new(&model);
    for k in 0..400 {
        stepper
            .step(&mut field, h * k as f64, &mut q, &mut v, h)
            .unwrap();
    }
    // The rod alone: inertia (2 kg)(2 m)²/3 about the hinge, centre 1 m below it.
    let mut rod = |_: f64, q: &[f64], _: &[f64], a: &mut [f64]| -> Result<(), IntegratorError> {
        a[0] = -2.0 * 9.81 * q[0].sin() / (8.0 / 3.0);
        Ok(())
    };
    let alone = pendulum();
    let (mut q1, mut v1) = ([0.5], [0.0]);
    let mut fine = RungeKutta4::new(&alone);
    for k in 0..400 {
        fine.step(&mut rod, h * k as f64, &mut q1, &mut v1, h)
            .unwrap();
    }
    // The spring yields by some 1e-5 rad, the method's error is of second order in 0.005 s.
    assert!(
        (q[0] - q1[0]).abs() < 1e-4 && (v[0] - v1[0]).abs() < 1e-3,
        "{q:?} {q1:?}"
    );
    assert!(q[1].abs() < 1e-4);

    let (mut q, mut v) = start;
    let mut explicit = RungeKutta4::new(&model);
    let lost = (0..400).any(|_| explicit.step(&mut field, 0.0, &mut q, &mut v, h).is_err());
    assert!(lost);
}

#[test]
fn it_goes_back_as_it_came() {
    for case in cases() {
        let mut field = ForwardDynamics::new(&case.model);
        let mut stepper = ImplicitMidpoint::new(&case.model);
        let (mut q, mut v) = (case.q.clone(), case.v.clone());
        for h in [0.01, -0.01] {
            for _ in 0..10 {
                stepper.step(&mut field, 0.0, &mut q, &mut v, h).unwrap();
            }
        }
        let start = [(case.q.clone(), case.v.clone())];
        let error = size(&differences(&case.model, &start, &[(q, v)]));
        // The residual of the iterations, twenty times, not an error of the method.
        assert!(error < 1e-10, "{}: {error:e}", case.name);
    }
}

#[test]
fn a_force_without_a_solution_is_not_converged() {
    // Coulomb's friction on a joint that must stop within the step: no mean velocity balances the
    // jump.
    let rub = |_: f64, _: &[f64], v: &[f64], tau: &mut [f64]| tau[1] -= 50.0 * v[1].signum();
    let model = double_pendulum();
    let mut field = ForwardDynamics::with_forces(&model, TorqueFunction::new(rub));
    let (mut q, mut v) = ([0.0, 0.3], [0.0, 0.1]);
    let mut stepper = ImplicitMidpoint::new(&model);
    match stepper.step(&mut field, 0.0, &mut q, &mut v, 0.01) {
        Err(IntegratorError::NotConverged {
            joint, iterations, ..
        }) => {
            assert!((joint == "elbow" || joint == "shoulder") && iterations > 1);
            assert_eq!((q, v), ([0.0, 0.3], [0.0, 0.1]));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_search_that_runs_away_is_no_motion_that_does() {
    // Nothing balances a thrust that grows so fast, and the search for it goes overflow.
    let mut field = |_: f64, _: &[f64], v: &[f64], a: &mut [f64]| -> Result<(), IntegratorError> {
        (a[0], a[1]) = ((1e3 * v[0]).exp(), 0.0);
        Ok(())
    };
    let model = double_pendulum();
    let (mut q, mut v) = ([0.0; 2], [0.0; 2]);
    let mut stepper = ImplicitMidpoint::new(&model);
    match stepper.step(&mut field, 0.0, &mut q, &mut v, 0.01) {
        Err(IntegratorError::NotConverged { iterations, .. }) => assert!(iterations > 1),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_joint_that_is_furthest_from_solved_is_blamed() {
    // Rubbing that no mean velocity balances, as above: it takes all of the lower joint's velocity,
    // and a hundred times as much of the upper one's, which is nothing to that.
    let h = 0.01;
    let mut field = |_: f64, _: &[f64], v: &[f64], a: &mut [f64]| -> Result<(), IntegratorError> {
        a[0] = -5000.0 * (v[0] - 1e6).signum();
        a[1] = -50.0 * v[1].signum();
        Ok(())
    };
    let model = double_pendulum();
    let (mut q, mut v) = ([0.0; 2], [1e6 + 10.0, 0.1]);
    let mut stepper = ImplicitMidpoint::new(&model);
    let error = stepper.step(&mut field, 0.0, &mut q, &mut v, h);
    match error {
        Err(IntegratorError::NotConverged { joint, .. }) => assert_eq!(joint, "elbow"),
        other => panic!("{other:?}"),
    }
}
