//! What can't be simulated, and why.

use featherline::integrator::{IntegratorError, RungeKutta4, SymplecticEuler};
use featherline::samples;
use featherline::simulation::{
    Method, Recorder, RecorderError, Sample, Simulation, SimulationError, Simulator,
};
use featherline::{Error, Model};
use std::ops::ControlFlow;

fn method(model: &Model) -> Method<'_> {
    Method::steps(RungeKutta4::new(model), 0.01).unwrap()
}

fn pendulum(model: &Model) -> Simulation<'_> {
    Simulator::new(model, method(model))
        .start(0.0, &[1.0, 0.0], &[0.0, 0.0])
        .unwrap()
}

#[test]
fn steps_and_times_must_be_possible() {
    let model = samples::double_pendulum();
    for step in [0.0, -0.01, f64::NAN, f64::INFINITY] {
        let error = Method::steps(RungeKutta4::new(&model), step).err();
        assert!(
            matches!(
                error,
                Some(IntegratorError::BadParameter {
                    what: "the step",
                    ..
                })
            ),
            "{step}"
        );
    }
    for (seconds, every) in [(-1.0, 0.1), (f64::NAN, 0.1), (1.0, 0.0), (1.0, -1.0)] {
        let error = pendulum(&model).run(seconds, every, &mut ()).unwrap_err();
        assert!(
            matches!(
                error,
                SimulationError::Integrator(IntegratorError::BadParameter { .. })
            ),
            "{error}"
        );
    }
    let mut seen = 0;
    pendulum(&model)
        .run(0.0, 0.1, &mut |_: &Sample<'_>| seen += 1)
        .unwrap();
    assert_eq!(seen, 1);
}

#[test]
fn a_start_must_fit_the_robot() {
    let model = samples::double_pendulum();
    for (q, v) in [
        (&[1.0][..], &[0.0, 0.0][..]),
        (&[1.0, 0.0], &[0.0]),
        (&[1.0, f64::NAN], &[0.0, 0.0]),
        (&[1.0, 0.0], &[0.0, f64::INFINITY]),
    ] {
        let error = Simulator::new(&model, method(&model))
            .start(0.0, q, v)
            .err();
        assert!(
            matches!(
                error,
                Some(SimulationError::Integrator(IntegratorError::Argument(
                    Error::Size { .. } | Error::NotFinite { .. }
                )))
            ),
            "{q:?} {v:?}"
        );
    }
}

#[test]
fn a_motion_that_diverges_says_when_and_where() {
    let model = samples::double_pendulum();
    // Two negative springs, which grow without bound: e^(100 t) overflows at some 7 s.
    let spread = |_: f64, q: &[f64], _: &[f64], tau: &mut [f64]| tau[1] += 1e4 * q[1];
    let mut simulation = Simulator::new(
        &model,
        Method::steps(SymplecticEuler::new(&model), 0.01).unwrap(),
    )
    .with_controller(spread)
    .start(0.0, &[0.0, 0.1], &[0.0, 0.0])
    .unwrap();
    let mut last = 0.0;
    let error = simulation
        .run(1000.0, 0.1, &mut |sample: &Sample<'_>| last = sample.t)
        .unwrap_err();
    let SimulationError::Integrator(IntegratorError::Diverged { t, joint }) = &error else {
        panic!("{error}");
    };
    assert!(*t >= last && *t < 1000.0, "{t} {last}");
    assert!(["upper", "lower"].contains(&joint.as_str()));
    // What was reached stands.
    assert!(simulation.velocity().iter().all(|v| v.is_finite()));
    assert!(simulation.time() >= last && simulation.time() <= *t);
}

#[test]
fn the_recorders_error_is_passed_on_with_its_time() {
    struct Full;
    impl Recorder for Full {
        fn record(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
            if sample.t < 0.25 {
                Ok(ControlFlow::Continue(()))
            } else {
                Err("the disc is full".into())
            }
        }
    }
    let model = samples::double_pendulum();
    let error = pendulum(&model).run(1.0, 0.1, &mut Full).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("t = 0.3") && text.contains("the disc is full"),
        "{text}"
    );
}

#[test]
fn the_variational_integrator_refuses_loops() {
    let model = samples::four_bar();
    let method = Method::variational(1e-3).unwrap();
    let error = Simulator::new(&model, method)
        .start(0.0, &[0.0; 3], &[0.0; 3])
        .err()
        .unwrap();
    assert!(
        matches!(&error, SimulationError::VariationalLoops { robot } if robot == "four_bar"),
        "{error}"
    );
    assert!(error.to_string().contains("maximal coordinates"));
    assert!(Method::variational(-1.0).is_err());
}
