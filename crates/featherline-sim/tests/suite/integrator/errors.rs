//! Integration errors name the quantity, the joint and the time.

use super::robots::{every_kind, pendulum};
use featherline::Model;
use featherline::samples::{self, double_pendulum};
use featherline::spatial::{Motion, log3};
use featherline_sim::integrator::{
    DormandPrince, ForwardDynamics, IntegratorError, MaximalVariationalIntegrator, RungeKutta4,
    Stepper, SymplecticEuler, Tolerance, VariationalIntegrator, forces,
};
use std::ops::ControlFlow;

#[test]
fn divergence_names_the_joint_and_the_time_and_leaves_the_state() {
    let model = double_pendulum();
    // A damper far too stiff for the step, on the lower joint.
    let brake = |_: f64, _: &[f64], v: &[f64], tau: &mut [f64]| tau[1] -= 1e9 * v[1];
    let steppers: [Box<dyn Stepper>; 2] = [
        Box::new(SymplecticEuler::new(&model)),
        Box::new(RungeKutta4::new(&model)),
    ];
    for mut stepper in steppers {
        let law = forces::TorqueFunction::new(brake);
        let mut field = ForwardDynamics::with_forces(&model, law);
        let (mut q, mut v) = ([1.0, 0.0], [0.0, 1.0]);
        let mut steps = 0;
        let error = loop {
            let before = (q, v);
            let t = 0.1 * steps as f64;
            match stepper.step(&mut field, t, &mut q, &mut v, 0.1) {
                Ok(()) => steps += 1,
                Err(error) => {
                    assert_eq!((q, v), before, "{}", stepper.name());
                    break error;
                }
            }
            assert!(steps < 1000, "{} does not diverge", stepper.name());
        };
        if let IntegratorError::Diverged { t, joint, .. } = error {
            let begin = 0.1 * steps as f64;
            assert!(t >= begin && t <= begin + 0.1 + 1e-12);
            assert!(joint == "elbow" || joint == "shoulder");
        } else {
            panic!("{}: {error}", stepper.name())
        }
    }
}

/// The joint of the greatest speed, and that speed.
fn fastest(model: &Model, v: &[f64]) -> (String, f64) {
    let joints = model.joints().iter().skip(1);
    let speeds = joints.map(|joint| (joint.name.clone(), v[joint.idx_v].abs()));
    speeds.reduce(|a, b| if b.1 > a.1 { b } else { a }).unwrap()
}

#[test]
fn the_joint_that_was_fastest_is_blamed_and_not_the_first() {
    // A snake of a hundred hinges, each at 1 rad/s: its tail turns at 70 rad/s, and is lost first.
    let model = samples::snake(100);
    let (q, v, h) = (vec![0.0; 100], vec![1.0; 100], 1e-3);
    let steppers: [Box<dyn Stepper>; 2] = [
        Box::new(SymplecticEuler::new(&model)),
        Box::new(RungeKutta4::new(&model)),
    ];
    for mut stepper in steppers {
        let mut field = ForwardDynamics::new(&model);
        let (mut q, mut v, mut t) = (q.clone(), v.clone(), 0.0);
        let error = loop {
            match stepper.step(&mut field, t, &mut q, &mut v, h) {
                Ok(()) => t += h,
                Err(error) => break error,
            }
        };
        let IntegratorError::Diverged { joint, speed, .. } = &error else {
            panic!("{}: {error}", stepper.name());
        };
        // Stages go on from the state before; what is fastest in it need not be what is fastest in
        // them.
        let (_, most) = fastest(&model, &v);
        let number: usize = joint.trim_start_matches("joint_").parse().unwrap();
        assert!(number >= 80, "{}: {error}", stepper.name());
        assert!(*speed >= most, "{}: {error} {most}", stepper.name());
    }
    let mut minimal = VariationalIntegrator::new(&model);
    let mut maximal = MaximalVariationalIntegrator::new(&model).unwrap();
    minimal.start(0.0, &q, &v).unwrap();
    maximal.start(0.0, &q, &v).unwrap();
    let mut before = [q, maximal.configuration().to_vec()];
    let mut poses = maximal.poses().to_vec();
    let error = loop {
        let (now, there) = (maximal.configuration().to_vec(), maximal.poses().to_vec());
        match maximal.step(h) {
            Ok(()) => (before, poses) = ([now, maximal.configuration().to_vec()], there),
            Err(error) => break error,
        }
    };
    let IntegratorError::Diverged { joint, speed, .. } = &error else {
        panic!("{error}");
    };
    // By how the bodies moved in the last step, in Cayley's coordinates.
    let moved = poses.iter().zip(maximal.poses()).map(|(then, now)| {
        let moved = then.placement().inverse_compose(&now.placement());
        let turn = log3(&moved.rotation);
        let half = turn * ((0.5 * turn.norm()).tan() / turn.norm());
        let way = moved.translation;
        let speeds = Motion::new(way - half.cross(way), half + half).to_array();
        speeds.iter().fold(0.0_f64, |most, x| most.max(x.abs())) / h
    });
    let bodies = moved.zip(model.joints()).skip(1);
    let (most, fastest_body) = bodies.reduce(|a, b| if b.0 > a.0 { b } else { a }).unwrap();
    assert!(
        *joint == fastest_body.name && (speed - most).abs() < 1e-6 * most,
        "{error} {most}"
    );
    let steps = before[1].iter().zip(&before[0]);
    let last: Vec<f64> = steps.map(|(now, then)| (now - then) / h).collect();
    let (expected, _) = fastest(&model, &last);
    let error = loop {
        if let Err(error) = minimal.step(h) {
            break error;
        }
    };
    let IntegratorError::NotConverged { joint, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(*joint, expected);
}

#[test]
fn a_field_of_ones_own_passes_its_error_on() {
    let model = pendulum();
    let mut field = |t: f64, _: &[f64], _: &[f64], _: &mut [f64]| -> Result<(), IntegratorError> {
        Err(IntegratorError::field(t, "the rope is slack"))
    };
    let error = RungeKutta4::new(&model)
        .step(&mut field, 2.0, &mut [0.0], &mut [0.0], 0.1)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "no accelerations at t = 2 s: the rope is slack"
    );
}

#[test]
fn accelerations_that_are_not_finite_are_found() {
    let model = every_kind(true);
    let wrong = model.joint(model.joint_id("joint_3").unwrap()).idx_v;
    let mut field = |_: f64, _: &[f64], _: &[f64], a: &mut [f64]| -> Result<(), IntegratorError> {
        a.fill(0.0);
        a[wrong] = f64::NAN;
        Ok(())
    };
    let (mut q, mut v) = (model.neutral_configuration(), vec![0.0; model.nv()]);
    for stepper in [
        &mut RungeKutta4::new(&model) as &mut dyn Stepper,
        &mut SymplecticEuler::new(&model),
    ] {
        match stepper.step(&mut field, 0.0, &mut q, &mut v, 0.1) {
            Err(IntegratorError::Diverged { joint, .. }) => assert_eq!(joint, "joint_3"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_tolerance_that_cannot_be_kept_names_the_joint() {
    let model = double_pendulum();
    // A wall that jumps to a million newton metres.
    let wall = |_: f64, q: &[f64], _: &[f64], tau: &mut [f64]| {
        if q[1] > 0.1 {
            tau[1] -= 1e6;
        }
    };
    let law = forces::TorqueFunction::new(wall);
    let mut field = ForwardDynamics::with_forces(&model, law);
    let tolerance = Tolerance {
        least_step: 1e-5,
        ..Tolerance::of(1e-10)
    };
    let mut method = DormandPrince::new(&model, tolerance).unwrap();
    let (mut t, mut q, mut v) = (0.0, [0.0, 0.0], [0.0, 1.0]);
    let go_on =
        |_: &mut featherline_sim::integrator::DenseOutput<'_>| Ok(ControlFlow::Continue(()));
    match method.integrate(&mut field, &mut t, &mut q, &mut v, 1.0, go_on) {
        Err(IntegratorError::StepTooSmall { joint, t: at, .. }) => {
            assert!(joint == "elbow" && at == t && t > 0.05 && q[1] < 0.1 + 1e-3);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_no_integration_can_have_is_refused() {
    let model = pendulum();
    let mut field = ForwardDynamics::new(&model);
    let mut stepper = RungeKutta4::new(&model);
    let mut step = |t: f64, q: &mut [f64], v: &mut [f64], h: f64| {
        stepper
            .step(&mut field, t, q, v, h)
            .unwrap_err()
            .to_string()
    };
    assert!(step(0.0, &mut [0.0, 0.0], &mut [0.0], 0.1).starts_with("q has 2 entries"));
    assert!(step(0.0, &mut [0.0], &mut [], 0.1).starts_with("v has 0 entries"));
    assert!(step(0.0, &mut [0.0], &mut [0.0], f64::NAN).starts_with("the step is NaN"));
    assert!(step(f64::INFINITY, &mut [0.0], &mut [0.0], 0.1).starts_with("the time is inf"));
    for tolerance in [
        Tolerance::of(0.0),
        Tolerance::of(f64::NAN),
        Tolerance {
            relative: -1.0,
            ..Tolerance::default()
        },
        Tolerance {
            least_step: 0.0,
            ..Tolerance::default()
        },
        Tolerance {
            greatest_step: 1e-12,
            ..Tolerance::default()
        },
    ] {
        assert!(DormandPrince::new(&model, tolerance).is_err());
    }
    let few = Tolerance {
        most_steps: 3,
        ..Tolerance::default()
    };
    let mut method = DormandPrince::new(&model, few).unwrap();
    let (mut t, mut q, mut v) = (0.0, [1.0], [0.0]);
    let go_on =
        |_: &mut featherline_sim::integrator::DenseOutput<'_>| Ok(ControlFlow::Continue(()));
    match method.integrate(&mut field, &mut t, &mut q, &mut v, 100.0, go_on) {
        Err(IntegratorError::TooManySteps { steps: 3, t: at }) => assert!(at == t && t > 0.0),
        other => panic!("{other:?}"),
    }
}
