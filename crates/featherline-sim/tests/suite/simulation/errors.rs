//! Simulations that are refused or fail, and the reasons.

use featherline::samples::{self, RandomTree};
use featherline::{Error, Model};
use featherline_sim::integrator::forces::{
    Bumper, ForceModel, JointLimits, Loads, State, TorqueFunction,
};
use featherline_sim::integrator::{
    DormandPrince, ImplicitMidpoint, IntegratorError, RungeKutta4, SymplecticEuler, Tolerance,
};
use featherline_sim::simulation::{
    Method, ProportionalDerivative, Recorder, RecorderError, Sample, Simulation, SimulationError,
    SimulationWarning, Simulator,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
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
fn steps_that_lead_nowhere_are_refused() {
    let model = samples::double_pendulum();
    let run = |t: f64, step: f64, seconds: f64, every: f64| {
        Simulator::new(
            &model,
            Method::steps(RungeKutta4::new(&model), step).unwrap(),
        )
        .start(t, &[1.0, 0.0], &[0.0, 0.0])
        .unwrap()
        .run(seconds, every, &mut ())
    };
    for (step, every, what) in [
        (1e-300, 1.0, "the step"),
        (1e-13, 1.0, "the step"),
        (1.0, 1e-300, "the time between samples"),
    ] {
        let error = run(0.0, step, 1.0, every).unwrap_err();
        let SimulationError::TooManySteps {
            what: found, most, ..
        } = &error
        else {
            panic!("{error}");
        };
        assert!(*found == what && *most == 1e12, "{error}");
    }
    // Numbers near 10¹² are 1.2e-4 apart.
    let error = run(1e12, 1e-5, 1.0, 1.0).unwrap_err();
    assert!(
        matches!(&error, SimulationError::TimeStandsStill { what: "the step", t, .. } if *t > 9e11),
        "{error}"
    );
    run(1e12, 0.01, 1.0, 0.5).unwrap();
    // Near 10¹⁶ they are 2 apart, and the whole run is lost.
    let error = run(1e16, 0.01, 0.1, 0.1).unwrap_err();
    assert!(
        matches!(&error, SimulationError::TimeStandsStill { .. }),
        "{error}"
    );
}

#[test]
fn coordinates_whose_motion_would_not_show_are_refused() {
    let start = |model: &Model, q: &[f64], step: f64| {
        let method = Method::steps(RungeKutta4::new(model), step).unwrap();
        let v = vec![0.0; model.nv()];
        let started = Simulator::new(model, method).start(0.0, q, &v);
        started.unwrap().run(0.1, 0.1, &mut ())
    };
    let pendulum = samples::double_pendulum();
    for angle in [1e17, -1e17, 1e13] {
        match start(&pendulum, &[0.0, angle], 1e-3).err() {
            Some(SimulationError::Unresolved {
                joint,
                value,
                spacing,
                way,
                ..
            }) => {
                assert_eq!((joint.as_str(), value, way), ("elbow", angle, 1e-3));
                // 52 binary digits follow the first.
                let expected = 2.0_f64.powi(angle.abs().log2().floor() as i32 - 52);
                assert_eq!(spacing, expected);
            }
            other => panic!("{other:?}"),
        }
    }
    // Longer steps move further, and a hundred turns are no matter.
    start(&pendulum, &[0.0, 1e13], 10.0).unwrap();
    start(&pendulum, &[0.0, 628.0], 1e-3).unwrap();
    // A base far away is one, and its quaternion is none.
    let quadruped = featherline_robots::quadruped();
    let mut q = quadruped.neutral_configuration();
    q[2] = 1e16;
    assert!(matches!(
        start(&quadruped, &q, 1e-3),
        Err(SimulationError::Unresolved { .. })
    ));
}

#[test]
fn steps_that_follow_a_tolerance_are_measured_as_they_are() {
    // They may take 0.1 s, in which 1 rad/s would show where angles are 2 mrad apart; they take a
    // few milliseconds.
    let model = samples::double_pendulum();
    let run = |angle: f64, tolerance: f64| {
        let tolerance = Tolerance::of(tolerance);
        let method = Method::tolerance(DormandPrince::new(&model, tolerance).unwrap());
        let simulation = Simulator::new(&model, method).start(0.0, &[1.0, angle], &[0.0; 2]);
        simulation.unwrap().run(2.0, 0.1, &mut ())
    };
    match run(1e13, 1e-11).err() {
        Some(SimulationError::Unresolved { way, spacing, .. }) => {
            assert!(way < 10.0 * spacing, "{way} {spacing}");
        }
        other => panic!("{other:?}"),
    }
    run(1e6, 1e-11).unwrap();
    run(1e13, 1e-3).unwrap();
}

#[test]
fn a_step_that_is_too_large_for_loops_is_not_called_singular() {
    let model = samples::stewart();
    let q = model.reference_configurations().get("closed");
    let q = q.cloned().unwrap_or_else(|| model.neutral_configuration());
    let stops = Bumper {
        stiffness: 1e8,
        damping: 1e6,
        depth: 1e-3,
    };
    let method = Method::steps(RungeKutta4::new(&model), 0.2).unwrap();
    let simulator = Simulator::new(&model, method);
    let limits = JointLimits::new(&model, stops).unwrap();
    let simulation = simulator
        .with_forces(limits)
        .start(0.0, &q, &vec![0.0; model.nv()]);
    let error = simulation.unwrap().run(20.0, 0.2, &mut ()).unwrap_err();
    assert!(
        !matches!(error, SimulationError::Singular { .. }),
        "{error}"
    );
    assert!(error.to_string().contains("step"), "{error}");
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
    let SimulationError::Integrator(IntegratorError::Diverged { t, joint, .. }) = &error else {
        panic!("{error}");
    };
    assert!(*t >= last && *t < 1000.0, "{t} {last}");
    assert!(["shoulder", "elbow"].contains(&joint.as_str()));
    // The simulation keeps the last state that it reached.
    assert!(simulation.velocity().iter().all(|v| v.is_finite()));
    assert!(simulation.time() >= last && simulation.time() <= *t);
}

/// Every method, in steps of 10 ms.
fn methods(model: &Model) -> Vec<Method<'_>> {
    vec![
        Method::steps(SymplecticEuler::new(model), 0.01).unwrap(),
        Method::steps(RungeKutta4::new(model), 0.01).unwrap(),
        Method::steps(ImplicitMidpoint::new(model), 0.01).unwrap(),
        Method::tolerance(DormandPrince::new(model, Tolerance::default()).unwrap()),
        Method::variational(0.01).unwrap(),
        Method::maximal_variational(0.01).unwrap(),
    ]
}

/// Gives a simulator forces.
type Add<'m> = Box<dyn Fn(Simulator<'m>) -> Simulator<'m> + 'm>;

/// Pushes the body of the second joint after a tenth of a second.
struct Push(f64);

impl ForceModel for Push {
    fn add(&mut self, state: &State<'_>, loads: &mut Loads<'_>) -> Result<(), IntegratorError> {
        if state.t > 0.1 {
            loads.bodies[2].linear.x += self.0;
        }
        Ok(())
    }

    fn acts_on_bodies(&self) -> bool {
        true
    }
}

#[test]
fn forces_that_are_no_numbers_are_named_by_every_method_when_they_are_asked_for() {
    let model = samples::double_pendulum();
    for force in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let drive = move |t: f64, _: &[f64], _: &[f64], tau: &mut [f64]| {
            tau[1] += if t > 0.1 { force } else { 0.0 };
        };
        let cases: [(&str, &str, Add<'_>); 3] = [
            (
                "the controller",
                "joint",
                Box::new(move |s| s.with_controller(drive)),
            ),
            (
                "a force model",
                "joint",
                Box::new(move |s| s.with_forces(TorqueFunction::new(drive))),
            ),
            (
                "a force model",
                "the body of joint",
                Box::new(move |s| s.with_forces(Push(force))),
            ),
        ];
        for (who, what, add) in cases {
            for method in methods(&model) {
                let simulator = add(Simulator::new(&model, method));
                let mut simulation = simulator.start(0.0, &[1.0, 0.0], &[0.0, 0.0]).unwrap();
                // Asked again, it says the same.
                for _ in 0..2 {
                    let error = simulation.run(1.0, 0.1, &mut ()).unwrap_err();
                    let SimulationError::Integrator(IntegratorError::NoForce {
                        t,
                        by,
                        on,
                        joint,
                        force: given,
                    }) = &error
                    else {
                        panic!("{error}");
                    };
                    assert_eq!((*by, *on, joint.as_str()), (who, what, "elbow"));
                    assert_eq!(given.is_nan(), force.is_nan());
                    let text = error.to_string();
                    assert!(text.contains(who) && !text.contains("  "), "{text}");
                    // The first state after a tenth of a second, but for rounding of times.
                    assert!(*t > 0.1 && *t < 0.1101, "{error}");
                    assert!(simulation.time() <= *t + 1e-12);
                }
            }
        }
    }
}

#[test]
fn forces_beyond_all_robots_let_every_method_diverge() {
    let model = samples::double_pendulum();
    for (index, method) in methods(&model).into_iter().enumerate() {
        let tears = |t: f64, _: &[f64], _: &[f64], tau: &mut [f64]| {
            tau[1] = if t > 0.1 { 1e200 } else { 0.0 };
        };
        let follows_tolerance = index == 4;
        let error = Simulator::new(&model, method)
            .with_controller(tears)
            .start(0.0, &[1.0, 0.0], &[0.0, 0.0])
            .unwrap()
            .run(1.0, 0.1, &mut ())
            .unwrap_err();
        #[expect(clippy::wildcard_enum_match_arm, reason = "of many errors")]
        let is_told = match &error {
            SimulationError::Integrator(IntegratorError::Diverged { .. }) => true,
            SimulationError::Integrator(IntegratorError::StepTooSmall { .. }) => follows_tolerance,
            _ => false,
        };
        assert!(is_told, "{error}");
    }
}

#[test]
fn a_step_that_is_too_long_is_no_fault_of_the_robot() {
    // Critical gains for each joint by itself, others held: with light links beside heavy ones the
    // robot answers a thousand times faster.
    let shape = |seed: u64| RandomTree {
        joints: 8,
        branching: 0.5,
        every_kind: true,
        mimic_joints: seed.is_multiple_of(2),
        floating: false,
    };
    for (seed, step) in [(4, 1e-3), (16, 1e-3), (16, 1e-4), (20, 1e-3)] {
        let model = samples::random_tree(seed, &shape(seed));
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let goal = model.random_configuration(&mut rng);
        let q = model.integrate(&goal, &vec![0.3; model.nv()]).unwrap();
        let control = ProportionalDerivative::critical(&model, &goal, 1.0).unwrap();
        let method = Method::steps(RungeKutta4::new(&model), step).unwrap();
        let mut simulation = Simulator::new(&model, method)
            .with_controller(control)
            .start(0.0, &q, &vec![0.0; model.nv()])
            .unwrap();
        let error = simulation.run(5.0, 0.1, &mut ()).unwrap_err();
        let SimulationError::BlownUp {
            t, speed, first, ..
        } = &error
        else {
            panic!("{seed} {step}: {error}");
        };
        assert!(*t < 0.1 && *speed > 1e3 && *first == 0.0);
        assert!(error.to_string().contains("step is too large"), "{error}");
        // It was told before.
        let warnings = simulation.warnings();
        let is_told =
            matches!(warnings, [SimulationWarning::FastDamping(it), ..] if it.longest < step);
        assert!(is_told, "{seed} {step}: {warnings:?}");
    }
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
