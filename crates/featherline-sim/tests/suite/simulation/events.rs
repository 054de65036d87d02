//! Events of a simulation, beside times that are known.

use allocation_counter::measure;
use featherline::joint::JointKind;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::samples;
use featherline::spatial::{Inertia, Se3, Sym3, Vec3};
use featherline::{Model, Workspace};
use featherline_sim::integrator::{
    DormandPrince, ImplicitMidpoint, RungeKutta4, SymplecticEuler, Tolerance,
};
use featherline_sim::simulation::{
    Conservation, Direction, Event, Method, Occurrence, Sample, SimulationError, Simulator,
};
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

const GRAVITY: f64 = 9.81;

/// Balls on vertical slides.
fn balls(count: usize) -> Model {
    let mut builder = ModelBuilder::new("balls");
    for k in 0..count {
        let slide = JointSpec::new(
            format!("slide_{k}"),
            ModelBuilder::UNIVERSE,
            JointKind::prismatic_z(),
        );
        let slide = builder.add_joint(slide);
        let ball = Inertia::cuboid(1.0, Vec3::new(0.1, 0.1, 0.1));
        builder.add_body(slide, format!("ball_{k}"), Se3::identity(), ball);
    }
    builder.build().unwrap().model
}

/// A point of 1 kg on a massless rod of 1 m, hanging down.
fn pendulum() -> Model {
    let mut builder = ModelBuilder::new("pendulum");
    let hinge = JointSpec::new("hinge", ModelBuilder::UNIVERSE, JointKind::revolute_y());
    let hinge = builder.add_joint(hinge);
    let bob = Inertia::new(1.0, Vec3::new(0.0, 0.0, -1.0), Sym3::zero());
    builder.add_body(hinge, "bob", Se3::identity(), bob);
    builder.build().unwrap().model
}

/// Every method, with its name and order, in steps of `h`.
fn methods(model: &Model, h: f64) -> Vec<(&'static str, i32, Method<'_>)> {
    let tolerance = Tolerance::of(1e-11);
    vec![
        (
            "symplectic Euler",
            1,
            Method::steps(SymplecticEuler::new(model), h).unwrap(),
        ),
        (
            "Runge-Kutta 4",
            4,
            Method::steps(RungeKutta4::new(model), h).unwrap(),
        ),
        (
            "implicit midpoint",
            2,
            Method::steps(ImplicitMidpoint::new(model), h).unwrap(),
        ),
        (
            "Dormand-Prince",
            9,
            Method::tolerance(DormandPrince::new(model, tolerance).unwrap()),
        ),
        ("variational", 2, Method::variational(h).unwrap()),
        (
            "variational, maximal",
            2,
            Method::maximal_variational(h).unwrap(),
        ),
    ]
}

/// When a ball that falls from 1 m and keeps `kept` of its speed meets the ground.
fn bounces(kept: f64, count: usize) -> Vec<f64> {
    let fall = (2.0 / GRAVITY).sqrt();
    let mut times = vec![fall];
    for k in 1..count {
        times.push(times[k - 1] + 2.0 * fall * kept.powi(k as i32));
    }
    times
}

#[test]
fn a_ball_bounces_when_it_should() {
    let model = balls(1);
    for (name, order, method) in methods(&model, 0.01) {
        let mut times = Vec::new();
        let ground =
            Event::new("ground", |_, q, _| q[0])
                .falling()
                .then(|at: &mut Occurrence<'_>| {
                    at.v[0] *= -0.8;
                    times.push(at.t);
                    if times.len() < 8 {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                });
        let mut simulation = Simulator::new(&model, method)
            .with_event(ground)
            .start(0.0, &[1.0], &[0.0])
            .unwrap();
        let (mut samples, mut lowest) = (0, f64::INFINITY);
        let mut conservation = Conservation::new(&model);
        let mut count = |sample: &Sample<'_>| {
            samples += 1;
            lowest = sample.q[0].min(lowest);
        };
        simulation
            .run(10.0, 0.05, &mut (&mut count, &mut conservation))
            .unwrap();
        assert_eq!(simulation.stopped_by(), Some("ground"), "{name}");
        assert!(simulation.time() < 4.0, "{name}");
        drop(simulation);
        // Every method but the first follows a parabola to rounding, but for what a tolerance
        // leaves; that one is wrong by parts of a step, which add up.
        let (count, bound) = if order == 1 { (3, 0.1) } else { (8, 1e-9) };
        for (found, expected) in times.iter().zip(bounces(0.8, count)) {
            assert!(
                (found - expected).abs() < bound,
                "{name}: {found} {expected}"
            );
        }
        assert!(lowest > -bound, "{name}: {lowest:e}");
        // Each bounce is two samples, the state before and that after it.
        assert_eq!(
            samples,
            1 + (times[7] / 0.05).floor() as usize + 16,
            "{name}"
        );
        // The energy lost in a bounce does not count as an error.
        let error = conservation.peak_energy_error();
        assert!(error < 10.0 * bound, "{name}: {error:e}");
    }
}

/// A quarter of the period of a pendulum of 1 m from an angle: K(sin ½ θ) √(l/g), by the
/// arithmetic-geometric mean.
fn quarter(angle: f64) -> f64 {
    let (mut a, mut b) = (1.0, (0.5 * angle).cos());
    for _ in 0..8 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::FRAC_PI_2 / a / GRAVITY.sqrt()
}

#[test]
fn a_pendulum_passes_when_it_should_and_is_not_disturbed() {
    let model = pendulum();
    let quarter = quarter(1.0);
    for direction in [Direction::Either, Direction::Rising, Direction::Falling] {
        let expected: &[f64] = match direction {
            Direction::Either => &[1.0, 3.0, 5.0],
            Direction::Falling => &[1.0, 5.0],
            Direction::Rising => &[3.0],
        };
        let with = methods(&model, 0.01).into_iter();
        for ((name, order, method), (_, _, alone)) in with.zip(methods(&model, 0.01)) {
            let mut times = Vec::new();
            let passage = Event::new("passage", |_, q, _| q[0]).of(direction).then(
                |at: &mut Occurrence<'_>| {
                    times.push(at.t);
                    ControlFlow::Continue(())
                },
            );
            let seconds = 6.0 * quarter;
            let mut watched = Simulator::new(&model, method)
                .with_event(passage)
                .start(0.0, &[1.0], &[0.0])
                .unwrap();
            watched.run(seconds, seconds, &mut ()).unwrap();
            let mut unseen = Simulator::new(&model, alone)
                .start(0.0, &[1.0], &[0.0])
                .unwrap();
            unseen.run(seconds, seconds, &mut ()).unwrap();
            if order < 9 {
                assert_eq!(watched.configuration(), unseen.configuration(), "{name}");
                assert_eq!(watched.velocity(), unseen.velocity(), "{name}");
            }
            drop(watched);
            assert_eq!(times.len(), expected.len(), "{name}");
            // The method's own error over two seconds, of constants not above 5; that of the
            // tolerance a hundred steps long.
            let bound = if order == 9 {
                1e-9
            } else {
                5.0 * 0.01_f64.powi(order)
            };
            for (found, expected) in times.iter().zip(expected) {
                let error = (found - expected * quarter).abs();
                assert!(error < bound, "{name}: {error:e}");
            }
        }
    }
}

#[test]
fn a_kick_at_a_given_time_is_given_then() {
    let model = balls(1);
    for (name, order, method) in methods(&model, 0.01) {
        let kick = Event::new("kick", |t, _, _| t - 0.123).then(|at: &mut Occurrence<'_>| {
            at.v[0] += 2.0;
            ControlFlow::Continue(())
        });
        let mut simulation = Simulator::new(&model, method)
            .with_event(kick)
            .start(0.0, &[0.0], &[0.0])
            .unwrap();
        simulation.run(1.0, 0.25, &mut ()).unwrap();
        let expected = 2.0 * (1.0 - 0.123) - 0.5 * GRAVITY;
        let bound = if order == 1 { 0.1 } else { 1e-9 };
        assert!(
            (simulation.configuration()[0] - expected).abs() < bound,
            "{name}"
        );
    }
}

#[test]
fn what_happens_at_once_is_met_at_once() {
    let model = balls(2);
    for (name, order, method) in methods(&model, 0.01) {
        let mut hits = [0; 2];
        let [first, second] = &mut hits;
        let bounce = |k: usize, count: &'static str| (k, count);
        let (a, b) = (bounce(0, "first"), bounce(1, "second"));
        let event = |(k, name): (usize, &'static str)| Event::new(name, move |_, q, _| q[k]);
        let mut simulation = Simulator::new(&model, method)
            .with_event(event(a).falling().then(move |at: &mut Occurrence<'_>| {
                *first += 1;
                at.v[0] *= -1.0;
                ControlFlow::Continue(())
            }))
            .with_event(event(b).falling().then(move |at: &mut Occurrence<'_>| {
                *second += 1;
                at.v[1] *= -1.0;
                ControlFlow::Continue(())
            }))
            .start(0.0, &[1.0, 1.0], &[0.0, 0.0])
            .unwrap();
        simulation.run(3.0, 0.1, &mut ()).unwrap();
        let q = simulation.configuration();
        let bound = if order == 1 { 0.5 } else { 1e-8 };
        assert!(
            (q[0] - q[1]).abs() < bound && q[0] > -bound,
            "{name}: {q:?}"
        );
        drop(simulation);
        // Down once, and every two falls after.
        assert_eq!(hits, [3, 3], "{name}");
    }
}

#[test]
fn a_run_that_an_event_has_ended_goes_on() {
    let model = balls(1);
    for (name, order, method) in methods(&model, 0.01) {
        let gate = Event::new("gate", |_, q, _| q[0] - 0.5).stopping();
        let mut simulation = Simulator::new(&model, method)
            .with_event(gate)
            .start(0.0, &[1.0], &[0.0])
            .unwrap();
        simulation.run(2.0, 0.1, &mut ()).unwrap();
        assert_eq!(simulation.stopped_by(), Some("gate"));
        let bound = if order == 1 { 0.05 } else { 1e-9 };
        let expected = (1.0 / GRAVITY).sqrt();
        assert!((simulation.time() - expected).abs() < bound, "{name}");
        let left = 0.5 - simulation.time();
        simulation.run(left, left, &mut ()).unwrap();
        assert_eq!(simulation.stopped_by(), None, "{name}");
        let expected = 1.0 - 0.5 * GRAVITY * 0.25;
        assert!(
            (simulation.configuration()[0] - expected).abs() < bound,
            "{name}"
        );
    }
}

#[test]
fn loops_stay_closed_where_a_crank_is_struck() {
    let model = samples::four_bar();
    let methods = [
        Method::steps(RungeKutta4::new(&model), 1e-3).unwrap(),
        Method::tolerance(DormandPrince::new(&model, Tolerance::default()).unwrap()),
        Method::maximal_variational(1e-3).unwrap(),
    ];
    for method in methods {
        let mut struck = 0;
        let strike =
            Event::new("strike", |_, q, _| q[0] - 0.3)
                .rising()
                .then(|at: &mut Occurrence<'_>| {
                    struck += 1;
                    // The crank alone, which the loop does not allow.
                    at.v[0] += 1.0;
                    ControlFlow::Continue(())
                });
        let mut simulation = Simulator::new(&model, method)
            .with_event(strike)
            .start_assembled(0.0, &[0.0; 3], &[5.0, 0.0, 0.0])
            .unwrap();
        let mut conservation = Conservation::new(&model);
        simulation.run(0.5, 0.01, &mut conservation).unwrap();
        drop(simulation);
        assert!(struck >= 1);
        let (gap, rate) = conservation.loop_error();
        // The gap that projection and iterations leave.
        assert!(gap < 1e-9 && rate < 1e-8, "{gap:e} {rate:e}");
        assert!(conservation.peak_energy_error() < 1e-2);
    }
}

#[test]
fn functions_without_a_value_and_balls_at_rest_are_errors() {
    let model = balls(1);
    for (name, _, method) in methods(&model, 0.01) {
        let root = Event::new("root", |_, q, _| q[0].sqrt());
        let mut simulation = Simulator::new(&model, method)
            .with_event(root)
            .start(0.0, &[1.0], &[0.0])
            .unwrap();
        match simulation.run(1.0, 0.1, &mut ()) {
            Err(SimulationError::EventNotFinite { event, t, value }) => {
                assert!(event == "root" && t > 0.4 && value.is_nan(), "{name}: {t}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
    // Put down, and left alone; and ever shorter bounces.
    for kept in [0.0, 0.3] {
        for (name, _, method) in methods(&model, 0.01) {
            let ground = Event::new("ground", |_, q, _| q[0]).falling().then(
                move |at: &mut Occurrence<'_>| {
                    at.v[0] *= -kept;
                    ControlFlow::Continue(())
                },
            );
            let mut simulation = Simulator::new(&model, method)
                .with_event(ground)
                .start(0.0, &[1.0], &[0.0])
                .unwrap();
            let end = (2.0 / GRAVITY).sqrt() * (1.0 + kept) / (1.0 - kept);
            match simulation.run(3.0, 0.1, &mut ()) {
                Err(SimulationError::EventRests { event, t }) => {
                    assert!(
                        event == "ground" && (t - end).abs() < 0.1,
                        "{name}: {t} {end}"
                    );
                }
                other => panic!("{name} {kept}: {other:?}"),
            }
        }
    }
}

#[test]
fn finding_events_allocates_nothing() {
    let model = samples::double_pendulum();
    for (name, _, method) in methods(&model, 0.01) {
        let mut count = 0;
        let swing = Event::new("swing", |_, q, _| q[0]).then(|at: &mut Occurrence<'_>| {
            count += 1;
            at.v[1] *= 0.9;
            ControlFlow::Continue(())
        });
        let mut simulation = Simulator::new(&model, method)
            .with_event(swing)
            .start(0.0, &[0.5, 0.0], &[0.0, 0.0])
            .unwrap();
        let mut outcome = Ok(());
        let counted = measure(|| outcome = simulation.run(2.0, 0.1, &mut ()));
        outcome.unwrap();
        drop(simulation);
        assert_eq!(counted.count_total, 0, "{name}");
        assert!(count > 1, "{name}");
    }
}

#[test]
fn an_impact_is_counted_as_what_it_took() {
    // A robot that flies; a strike changes all of its momentum.
    let model = featherline_robots::quadruped();
    let q = model.neutral_configuration();
    let v: Vec<f64> = (0..model.nv()).map(|k| (1.1 * k as f64).sin()).collect();
    let strike = Event::new("strike", |t, _, _| t - 0.2).then(|at: &mut Occurrence<'_>| {
        for (k, v) in at.v.iter_mut().enumerate() {
            *v += 0.5 * (k as f64).cos();
        }
        ControlFlow::Continue(())
    });
    let method = Method::steps(RungeKutta4::new(&model), 1e-3).unwrap();
    let mut simulation = Simulator::new(&model, method)
        .with_event(strike)
        .start(0.0, &q, &v)
        .unwrap();
    let mut conservation = Conservation::new(&model);
    let mut momenta = Vec::new();
    let mut see = |sample: &Sample<'_>| momenta.push(sample.momentum.linear);
    simulation
        .run(0.5, 0.1, &mut (&mut conservation, &mut see))
        .unwrap();
    // It did change, by far more than the account has as an error.
    let mut ws = Workspace::new(&model);
    let after =
        model.centroidal_momentum(&mut ws, simulation.configuration(), simulation.velocity());
    assert!((after.unwrap().linear - momenta[0]).norm() > 1.0);
    let (error, scale) = (
        conservation.linear_momentum_error(),
        conservation.linear_momentum_scale(),
    );
    assert!(error < 1e-6 * scale, "{error:e} of {scale}");
    assert!(conservation.peak_energy_error() < 1e-6);
    assert!(conservation.center_energy_error() < 1e-6);
}

#[test]
fn clocks_strike_at_samples_too() {
    let model = pendulum();
    // Multiples of the period at which samples are taken, as sums and products of decimals come to
    // them.
    let times = [0.1, 0.3, 0.05 * 12.0, 0.1 + 0.2, 0.7, 0.9];
    for start in [0.0, 0.3 - 0.25] {
        for h in [1e-3, 0.01] {
            for (name, _, method) in methods(&model, h) {
                let mut simulator = Simulator::new(&model, method);
                let struck = Rc::new(RefCell::new(Vec::new()));
                for (k, time) in times.into_iter().enumerate() {
                    let struck = Rc::clone(&struck);
                    let strike = move |_: &mut Occurrence<'_>| {
                        struck.borrow_mut().push(k);
                        ControlFlow::Continue(())
                    };
                    let clock = Event::new(format!("clock {k}"), move |t, _, _| t - time);
                    simulator = simulator.with_event(clock.then(strike));
                }
                let mut simulation = simulator.start(start, &[0.3], &[0.0]).unwrap();
                simulation.run(1.0, 0.1, &mut ()).unwrap();
                drop(simulation);
                let mut struck = struck.take();
                struck.sort_unstable();
                assert_eq!(struck, [0, 1, 2, 3, 4, 5], "{name}, {h} from {start}");
            }
        }
    }
}

#[test]
fn a_slow_passage_that_ends_a_run_is_past_in_the_next() {
    let model = balls(1);
    for (name, _, method) in methods(&model, 0.01) {
        let mut simulation = Simulator::new(&model, method)
            .with_event(Event::new("mark", |_, q, _| q[0]).stopping())
            .start(0.0, &[1e-6], &[0.0])
            .unwrap();
        simulation.run(1.0, 0.1, &mut ()).unwrap();
        assert_eq!(simulation.stopped_by(), Some("mark"), "{name}");
        let passed = simulation.time();
        simulation.run(1.0, 0.1, &mut ()).unwrap();
        assert_eq!(simulation.stopped_by(), None, "{name}");
        assert!(simulation.time() > passed && simulation.configuration()[0] < -1.0);
    }
}

#[test]
fn actions_that_leave_no_number_are_named() {
    let model = balls(2);
    for bad in [f64::NAN, f64::INFINITY] {
        for (name, _, method) in methods(&model, 0.01) {
            let spoil = move |at: &mut Occurrence<'_>| {
                at.v[1] = bad;
                ControlFlow::Continue(())
            };
            let mut simulation = Simulator::new(&model, method)
                .with_event(Event::new("spoiler", |t, _, _| t - 0.123).then(spoil))
                .start(0.0, &[1.0, 1.0], &[0.0, 0.0])
                .unwrap();
            match simulation.run(1.0, 0.1, &mut ()) {
                Err(SimulationError::ActionNotFinite { event, t, index }) => {
                    assert_eq!((event.as_str(), index), ("spoiler", 1), "{name}");
                    assert!((t - 0.123).abs() < 1e-6, "{name}: {t}");
                }
                other => panic!("{name}: {other:?}"),
            }
        }
    }
}
