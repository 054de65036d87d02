//! Robots with loops in motion.

use featherline::Model;
use featherline::samples;
use featherline_constraint::loop_gaps;
use featherline_constraint::{LoopError, LoopWorkspace, Stabilisation};
use featherline_sim::integrator::{DormandPrince, ImplicitMidpoint, RungeKutta4, Tolerance};
use featherline_sim::simulation::{
    Conservation, Event, GravityCompensation, LoopKeeping, LoopMonitor, Method, Sample, Simulation,
    SimulationError, Simulator,
};

fn drawn(model: &Model) -> Vec<f64> {
    match model.reference_configurations().get("closed") {
        Some(q) => q.clone(),
        None => model.neutral_configuration(),
    }
}

/// A linkage put in motion by a push on every coordinate.
fn pushed<'m>(model: &'m Model, method: Method<'m>, keeping: LoopKeeping) -> Simulation<'m> {
    Simulator::new(model, method)
        .with_loops_kept(keeping)
        .start_assembled(0.0, &drawn(model), &vec![1.0; model.nv()])
        .unwrap()
}

fn runge_kutta(model: &Model, step: f64) -> Method<'_> {
    Method::steps(RungeKutta4::new(model), step).unwrap()
}

#[test]
fn linkages_keep_their_energy_and_their_loops() {
    for model in [
        samples::four_bar(),
        samples::six_bar(),
        samples::bennett(),
        samples::delta(),
    ] {
        let name = model.name();
        let account = |step: f64| {
            let mut simulation = pushed(&model, runge_kutta(&model, step), LoopKeeping::default());
            let mut conservation = Conservation::new(&model);
            simulation.run(0.3, 0.01, &mut conservation).unwrap();
            assert!(simulation.worst_loop_condition().unwrap() >= 1.0);
            conservation
        };
        let (coarse, conservation) = (account(1e-3), account(5e-4));
        // Half the step, a sixteenth of the error; and rounding.
        let (before, error) = (coarse.peak_energy_error(), conservation.peak_energy_error());
        assert!(error < before / 10.0 + 1e-12, "{name}: {before} {error}");
        assert!(error < 1e-4, "{name}: {error}");
        let (gap, rate) = conservation.loop_error();
        // The accuracy of assembly and projection.
        assert!(gap < 1e-10 && rate < 1e-9, "{name}: {gap} {rate}");
        assert!(!conservation.floats_freely());
    }
}

#[test]
fn variational_motions_keep_loops_without_projection() {
    let keeping = LoopKeeping {
        projection: false,
        ..LoopKeeping::default()
    };
    for model in [samples::four_bar(), samples::bennett(), samples::six_bar()] {
        let name = model.name();
        let peak = |step| {
            let method = Method::maximal_variational(step).unwrap();
            let mut simulation = pushed(&model, method, keeping);
            let mut conservation = Conservation::new(&model);
            simulation.run(10.0, 0.01, &mut conservation).unwrap();
            let (gap, rate) = conservation.loop_error();
            assert!(gap < 1e-10 && rate < 1e-9, "{name}: {gap} {rate}");
            assert!(simulation.worst_loop_condition().is_none());
            conservation.peak_energy_error()
        };
        let [coarse, fine] = [5e-3, 2.5e-3].map(peak);
        // Second order: (0.0025 s times some 20 rad/s)², and a quarter of what twice the step
        // leaves.
        assert!(fine < 2.6e-3, "{name}: {fine}");
        let ratio = coarse / fine;
        assert!((3.5..4.5).contains(&ratio), "{name}: {coarse} {fine}");
    }
    assert!(Method::maximal_variational(0.0).is_err());
}

#[test]
fn projection_stabilisation_and_tolerance_find_the_same_motion() {
    let model = samples::four_bar();
    let pull = LoopKeeping::stabilised(Stabilisation::critical(0.01));
    let tolerance = DormandPrince::new(&model, Tolerance::of(1e-10)).unwrap();
    let cases = [
        pushed(&model, runge_kutta(&model, 1e-3), LoopKeeping::default()),
        pushed(&model, runge_kutta(&model, 1e-3), pull),
        pushed(&model, Method::tolerance(tolerance), LoopKeeping::default()),
    ];
    let ends = cases.map(|mut simulation| {
        let mut conservation = Conservation::new(&model);
        simulation.run(0.5, 0.05, &mut conservation).unwrap();
        (
            simulation.configuration().to_vec(),
            conservation.loop_error().0,
        )
    });
    for (q, gap) in &ends {
        assert!(*gap < 1e-6, "{gap}");
        for k in 0..3 {
            // Fourth order in steps of 1 ms, with rates of some tens a second.
            assert!((q[k] - ends[2].0[k]).abs() < 1e-5, "{ends:?}");
        }
    }
    // Forces alone leave more than projection does.
    assert!(ends[0].1 < 1e-10 && ends[1].1 > ends[0].1, "{ends:?}");
}

#[test]
fn a_platform_at_rest_is_held_by_gravity_compensation() {
    let model = samples::stewart();
    let control = GravityCompensation::new(&model);
    let mut simulation = Simulator::new(&model, runge_kutta(&model, 1e-2))
        .with_controller(control)
        .start(0.0, &drawn(&model), &vec![0.0; model.nv()])
        .unwrap();
    simulation.run(1.0, 0.1, &mut ()).unwrap();
    let fastest = simulation
        .velocity()
        .iter()
        .fold(0.0_f64, |m, v| m.max(v.abs()));
    assert!(fastest < 1e-8, "{fastest}");
    // Nobody driving, it falls.
    let mut simulation = Simulator::new(&model, runge_kutta(&model, 1e-3))
        .start(0.0, &drawn(&model), &vec![0.0; model.nv()])
        .unwrap();
    simulation.run(0.1, 0.1, &mut ()).unwrap();
    assert!(simulation.configuration()[2] < -0.02);
}

#[test]
fn an_open_start_says_by_how_much_and_can_be_assembled() {
    let model = samples::four_bar();
    let simulator = || Simulator::new(&model, runge_kutta(&model, 1e-3));
    let (q, v) = ([0.4, 0.0, 0.0], [1.0, 0.0, 0.0]);
    let error = simulator().start(0.0, &q, &v).err().unwrap();
    let SimulationError::InconsistentStart {
        joint,
        position,
        velocity,
        ..
    } = &error
    else {
        panic!("{error}");
    };
    // The crank of 0.1 m is turned by 0.4 rad: its end has moved by 2 · 0.1 · sin 0.2, the
    // coupler's end by more.
    assert!(*position > 0.0397 && *position < 0.5, "{position}");
    assert!(*velocity > 0.05, "{velocity}");
    assert_eq!(*joint, model.loop_joints()[0].name);
    assert!(error.to_string().contains("start_assembled"), "{error}");
    let mut simulation = simulator().start_assembled(0.0, &q, &v).unwrap();
    simulation.run(0.1, 0.1, &mut ()).unwrap();
    // A loop that cannot close says so: a coupler that ends 1.5 m from where it began, and bars
    // that reach 0.8 m.
    let mut stored = serde_json::to_value(&model).unwrap();
    let place = "/loop_joints/0/predecessor_placement/translation";
    *stored.pointer_mut(place).unwrap() = serde_json::json!([1.5, 0.0, 0.0]);
    let long: Model = serde_json::from_value(stored).unwrap();
    let error = Simulator::new(&long, runge_kutta(&long, 1e-3))
        .start_assembled(0.0, &q, &v)
        .err()
        .unwrap();
    let SimulationError::Loops { t, source } = &error else {
        panic!("{error}");
    };
    assert!(
        *t == 0.0 && matches!(source, LoopError::AssemblyFailed { gap, .. } if *gap > 0.69),
        "{error}"
    );
}

#[test]
fn a_motion_that_no_acceleration_continues_is_singular_with_its_condition() {
    // All bars along one line: the coupler may go on with the cranks or against them, and a
    // velocity that is part of each has no continuation.
    let model = samples::parallelogram();
    let flat = [1.0, -1.0, 1.0].map(|x| x * std::f64::consts::FRAC_PI_2);
    let mut simulation = Simulator::new(&model, runge_kutta(&model, 1e-3))
        .start_assembled(0.0, &flat, &[30.0, 0.0, 0.0])
        .unwrap();
    let error = simulation.run(1.0, 0.1, &mut ()).unwrap_err();
    let SimulationError::Singular {
        loops, residual, ..
    } = error
    else {
        panic!("{error}");
    };
    assert!(loops.condition >= 1.0 && loops.rank_lost == 1 && residual > 1.0);
}

#[test]
fn constraints_that_repeat_each_other_are_no_singularity() {
    // Bennett's hinges hold by three conditions more than its bars have freedom to break; off the
    // loops they contradict each other.
    let model = samples::bennett();
    let start = |step: f64| {
        let method = Method::steps(ImplicitMidpoint::new(&model), step).unwrap();
        let (q, v) = (drawn(&model), [1.0 / 3.0; 3]);
        let simulator = Simulator::new(&model, method);
        simulator.start_assembled(0.0, &q, &v).unwrap()
    };
    let mut simulation = start(0.002);
    simulation.run(5.0, 0.01, &mut ()).unwrap();
    assert_eq!(simulation.warnings(), []);
    let mut coarse = Simulator::new(&model, runge_kutta(&model, 0.02))
        .start_assembled(0.0, &drawn(&model), &[1.0 / 3.0; 3])
        .unwrap();
    let done = coarse.run(20.0, 0.02, &mut ());
    assert_eq!(coarse.warnings(), []);
    if let Err(error) = done {
        assert!(!error.to_string().contains("singular at"), "{error}");
    }
}

#[test]
fn variational_loops_stay_closed_for_long() {
    let model = samples::stewart();
    let method = Method::maximal_variational(0.005).unwrap();
    let mut account = Conservation::new(&model);
    let push = vec![0.2; model.nv()];
    let simulator = Simulator::new(&model, method);
    let mut simulation = simulator
        .start_assembled(0.0, &drawn(&model), &push)
        .unwrap();
    simulation.run(30.0, 0.01, &mut account).unwrap();
    let (gap, rate) = account.loop_error();
    // In the coordinates of the tree, which add up what each joint leaves.
    assert!(gap < 1e-9 && rate < 1e-8, "{gap:e} {rate:e}");
}

#[test]
fn a_flat_parallelogram_is_said_to_be_singular() {
    let model = samples::parallelogram();
    for step in [1e-3, 5e-4, 2e-4] {
        let method = Method::maximal_variational(step).unwrap();
        let simulator = Simulator::new(&model, method);
        let mut simulation = simulator
            .start_assembled(0.0, &drawn(&model), &[1.0 / 3.0; 3])
            .unwrap();
        if let Err(error) = simulation.run(20.0, 0.01, &mut ()) {
            let told = error.to_string();
            assert!(
                told.contains("It leads to a singularity of the loop"),
                "{told}"
            );
            assert!(
                told.contains("longer step") && !told.contains("condition of the loops is 1.0e0")
            );
        }
    }
}

#[test]
fn an_event_that_ends_a_run_leaves_the_state_that_one_which_does_not_shows() {
    let model = samples::four_bar();
    let step = 1e-3;
    let stabilised = LoopKeeping::stabilised(Stabilisation::critical(10.0 * step));
    let methods: [fn(&Model, f64) -> Method<'_>; 3] = [
        runge_kutta,
        |model, _| Method::tolerance(DormandPrince::new(model, Tolerance::of(1e-7)).unwrap()),
        |_, step| Method::maximal_variational(step).unwrap(),
    ];
    for (index, method) in methods.into_iter().enumerate() {
        for (keeping, drifts) in [(stabilised, index < 2), (LoopKeeping::default(), false)] {
            let run = |event: Event<'_>| {
                let mut simulation = Simulator::new(&model, method(&model, step))
                    .with_loops_kept(keeping)
                    .with_event(event)
                    .start_assembled(0.0, &drawn(&model), &[12.0, 0.0, 0.0])
                    .unwrap();
                let mut samples: Vec<(f64, Vec<f64>, Vec<f64>, f64)> = Vec::new();
                let mut keep = |sample: &Sample<'_>| {
                    let gap = sample.loop_gap.position;
                    samples.push((sample.t, sample.q.to_vec(), sample.v.to_vec(), gap));
                };
                simulation.run(0.5, 0.1, &mut keep).unwrap();
                samples.retain(|sample| sample.1[0] > 2.9);
                let end = (simulation.time(), simulation.configuration().to_vec());
                (samples.remove(0), end)
            };
            let passage = || Event::new("passage", |_, q, _| q[0] - 3.0).rising();
            let ((t, q, v, gap), _) = run(passage());
            let (stopped, end) = run(passage().stopping());
            assert_eq!(stopped, (t, q.clone(), v, gap), "{index}");
            assert_eq!(end, (t, q), "{index}");
            // The gap that stabilisation leaves, and projection does not.
            let bounds = if drifts { 1e-10..1e-3 } else { 0.0..1e-12 };
            assert!(bounds.contains(&gap), "{index}: {gap:e}");
        }
    }
}

#[test]
fn constraints_that_repeat_others_do_not_lock_within_a_step() {
    // Half a thousandth off its loop Bennett's linkage would hold in all three coordinates, and
    // what drives it be lost.
    let model = samples::bennett();
    let methods = [
        runge_kutta(&model, 0.01),
        runge_kutta(&model, 0.015),
        runge_kutta(&model, 0.02),
        Method::tolerance(DormandPrince::new(&model, Tolerance::of(1e-6)).unwrap()),
    ];
    for (index, method) in methods.into_iter().enumerate() {
        let mut simulation = pushed(&model, method, LoopKeeping::default());
        let mut conservation = Conservation::new(&model);
        simulation.run(5.0, 0.06, &mut conservation).unwrap();
        let (error, condition) = (
            conservation.peak_energy_error(),
            simulation.worst_loop_condition().unwrap(),
        );
        // Some tens all around the linkage's way.
        assert!(condition < 100.0, "{index}: {condition:e}");
        assert!(error < 0.05, "{index}: {error:e}");
    }
}

#[test]
fn a_regular_start_is_not_singular_for_a_method_that_begins_elsewhere() {
    let model = samples::bennett();
    let method = Method::steps(ImplicitMidpoint::new(&model), 1e-3).unwrap();
    let mut simulation = Simulator::new(&model, method)
        .start_assembled(0.0, &drawn(&model), &[40.0, 0.0, 0.0])
        .unwrap();
    simulation.run(5.0, 0.1, &mut ()).unwrap();
    assert_eq!(simulation.warnings(), []);
}

#[test]
fn a_motion_that_follows_a_tolerance_does_not_depend_on_when_it_is_seen() {
    let model = samples::four_bar();
    let end = |every: f64| {
        let tolerance = DormandPrince::new(&model, Tolerance::of(1e-7)).unwrap();
        let mut simulation = Simulator::new(&model, Method::tolerance(tolerance))
            .start_assembled(0.0, &drawn(&model), &[12.0, 0.0, 0.0])
            .unwrap();
        let mut conservation = Conservation::new(&model);
        simulation.run(5.0, every, &mut conservation).unwrap();
        let (gap, rate) = conservation.loop_error();
        assert!(gap < 1e-10 && rate < 1e-8, "{every}: {gap:e} {rate:e}");
        (
            simulation.configuration()[0],
            conservation.peak_energy_error(),
        )
    };
    let [often, seldom, once] = [0.01, 0.5, 5.0].map(end);
    // At two turns a second and more: fast enough for loops to drift.
    assert!(once.0.abs() > 20.0, "{once:?}");
    // Some thousand steps that may each be off by 1e-7; those that samples cut short are better.
    assert!((once.0 - often.0).abs() < 1e-4, "{often:?} {once:?}");
    assert!((once.0 - seldom.0).abs() < 1e-5, "{seldom:?} {once:?}");
    assert!(once.1 < 1e-5, "{once:?}");
}

#[test]
fn each_loop_is_told_with_its_worst_gap_and_when() {
    let model = samples::stewart();
    let still = vec![0.0; model.nv()];
    let mut simulation = Simulator::new(&model, runge_kutta(&model, 5e-3))
        .with_loops_kept(LoopKeeping::stabilised(Stabilisation::NONE))
        .start_assembled(0.0, &drawn(&model), &still)
        .unwrap();
    let mut loops = LoopMonitor::new(&model).unwrap();
    let mut widest = vec![(0.0, f64::NAN); 6];
    let mut conservation = Conservation::new(&model);
    let mut by_hand = |sample: &Sample<'_>| {
        let mut ws = LoopWorkspace::new(&model).unwrap();
        let gaps = loop_gaps(&model, &mut ws, sample.q).unwrap();
        let mut most = 0.0_f64;
        for (widest, gap) in widest.iter_mut().zip(gaps) {
            let length = gap.linear.norm().hypot(gap.angular.norm());
            most = most.max(length);
            if length > widest.0 {
                *widest = (length, sample.t);
            }
        }
        // Another way through the tree, of a metre or two.
        assert!((most - sample.loop_gap.position).abs() < 1e-14);
    };
    let mut recorder = (&mut loops, &mut conservation, &mut by_hand);
    simulation.run(0.5, 0.01, &mut recorder).unwrap();
    for (worst, (length, t)) in loops.worst().iter().zip(&widest) {
        // Balls hold no angle.
        assert!(worst.angle < 1e-12 && worst.position > 0.0, "{worst:?}");
        assert!((worst.position - length).abs() <= 1e-12 * length && worst.t == *t);
    }
    let (gap, _) = conservation.loop_error();
    let most = loops.worst().iter().map(|worst| worst.position);
    assert!((most.fold(0.0, f64::max) - gap).abs() < 1e-14);
}
