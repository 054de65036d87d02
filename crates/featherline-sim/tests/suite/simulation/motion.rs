//! A simulation is its method's steps, and nothing else.

use featherline::Model;
use featherline::samples::{self, RandomTree, random_tree};
use featherline_sim::integrator::{
    DormandPrince, ForwardDynamics, RungeKutta4, Stepper, SymplecticEuler, Tolerance,
};
use featherline_sim::simulation::{
    Conservation, Method, Recorder, RecorderError, Sample, Simulation, Simulator,
};
use std::ops::ControlFlow;

/// All that a sample says, to the last bit.
pub fn bits(sample: &Sample<'_>) -> Vec<u64> {
    let scalars = [sample.t, sample.kinetic_energy, sample.potential_energy];
    let momentum = sample.momentum.to_array();
    let gap = [sample.loop_gap.position, sample.loop_gap.velocity];
    let rows = [sample.q, sample.v, sample.tau, &scalars, &momentum, &gap];
    rows.concat().iter().map(|x| x.to_bits()).collect()
}

pub fn recorded(simulation: &mut Simulation<'_>, seconds: f64, every: f64) -> Vec<Vec<u64>> {
    let mut rows = Vec::new();
    simulation
        .run(seconds, every, &mut |sample: &Sample<'_>| {
            rows.push(bits(sample))
        })
        .unwrap();
    rows
}

/// A robot with every kind of joint, in motion.
fn robot() -> (Model, Vec<f64>, Vec<f64>) {
    let shape = RandomTree {
        joints: 8,
        branching: 0.4,
        every_kind: true,
        mimic_joints: true,
        floating: true,
    };
    let model = random_tree(5, &shape);
    let q = model.neutral_configuration();
    let v = (0..model.nv()).map(|k| (1.3 * k as f64).sin()).collect();
    (model, q, v)
}

#[test]
fn samples_are_the_states_that_the_method_reaches() {
    let (model, q, v) = robot();
    // A quarter of the samples' distance, all of them powers of two: every time is exact.
    let (every, step) = (1.0 / 32.0, 1.0 / 128.0);
    let steppers: fn(&Model) -> [Box<dyn Stepper + '_>; 2] = |model| {
        [
            Box::new(SymplecticEuler::new(model)),
            Box::new(RungeKutta4::new(model)),
        ]
    };
    for (own, mut alone) in steppers(&model).into_iter().zip(steppers(&model)) {
        let name = own.name();
        let method = Method::boxed_steps(own, step).unwrap();
        let mut simulation = Simulator::new(&model, method).start(0.0, &q, &v).unwrap();
        let mut states = Vec::new();
        simulation
            .run(0.25, every, &mut |sample: &Sample<'_>| {
                states.push((sample.t, sample.q.to_vec(), sample.v.to_vec()));
            })
            .unwrap();
        assert_eq!(states.len(), 9, "{name}");
        let mut field = ForwardDynamics::new(&model);
        let (mut own_q, mut own_v) = (q.clone(), v.clone());
        for (k, (t, q, v)) in states.iter().enumerate() {
            assert_eq!(*t, every * k as f64);
            assert_eq!((q, v), (&own_q, &own_v), "{name} at {t}");
            for j in 0..4 {
                let begin = t + step * j as f64;
                alone
                    .step(&mut field, begin, &mut own_q, &mut own_v, step)
                    .unwrap();
            }
        }
    }
}

#[test]
fn steps_are_shortened_to_meet_the_samples_and_the_end() {
    let model = samples::double_pendulum();
    let method = Method::steps(RungeKutta4::new(&model), 0.03).unwrap();
    let mut simulation = Simulator::new(&model, method)
        .start(1.0, &[0.4, 0.1], &[0.0, 0.0])
        .unwrap();
    let mut times = Vec::new();
    simulation
        .run(0.25, 0.1, &mut |sample: &Sample<'_>| times.push(sample.t))
        .unwrap();
    assert_eq!(times, [1.0, 1.0 + 0.1, 1.0 + 0.2, 1.25]);
    // Four steps of 25 ms in each tenth of a second, and two in the rest: ten alike.
    let (mut q, mut v) = ([0.4, 0.1], [0.0, 0.0]);
    let mut stepper = RungeKutta4::new(&model);
    let mut field = ForwardDynamics::new(&model);
    for _ in 0..10 {
        stepper
            .step(&mut field, 0.0, &mut q, &mut v, 0.025)
            .unwrap();
    }
    for k in 0..2 {
        // Rounding of the last steps' length.
        assert!((simulation.configuration()[k] - q[k]).abs() < 1e-14);
        assert!((simulation.velocity()[k] - v[k]).abs() < 1e-14);
    }
}

#[test]
fn the_same_arguments_give_the_same_motion_to_the_last_bit() {
    let (model, q, v) = robot();
    let methods: [fn(&Model) -> Method<'_>; 3] = [
        |model| Method::steps(RungeKutta4::new(model), 0.01).unwrap(),
        |model| Method::tolerance(DormandPrince::new(model, Tolerance::default()).unwrap()),
        |_| Method::variational(0.01).unwrap(),
    ];
    for method in methods {
        let run = |parts: &[f64]| {
            let simulator = Simulator::new(&model, method(&model));
            let mut simulation = simulator.start(0.0, &q, &v).unwrap();
            let mut rows: Vec<Vec<u64>> = Vec::new();
            for &seconds in parts {
                // The last sample of one part is the first one of the next.
                rows.pop();
                rows.extend(recorded(&mut simulation, seconds, 0.0625));
            }
            rows
        };
        let whole = run(&[0.5]);
        assert_eq!(whole.len(), 9);
        assert_eq!(run(&[0.5]), whole);
        assert_eq!(run(&[0.125, 0.375]), whole);
    }
}

#[test]
fn both_kinds_of_method_find_the_same_motion() {
    let (model, q, v) = robot();
    let steps = Method::steps(RungeKutta4::new(&model), 1e-3).unwrap();
    let tolerance = Method::tolerance(DormandPrince::new(&model, Tolerance::of(1e-11)).unwrap());
    let ends = [steps, tolerance].map(|method| {
        let mut simulation = Simulator::new(&model, method).start(0.0, &q, &v).unwrap();
        simulation.run(0.5, 0.1, &mut ()).unwrap();
        (
            simulation.configuration().to_vec(),
            simulation.velocity().to_vec(),
        )
    });
    let apart = model.difference(&ends[0].0, &ends[1].0).unwrap();
    // Fourth order with steps of 1 ms, and rates of some ten a second: h⁴ of 10⁴ to 10⁶.
    for k in 0..model.nv() {
        assert!(apart[k].abs() < 1e-7, "q[{k}]: {}", apart[k]);
        let speed = 1.0 + ends[0].1[k].abs();
        assert!((ends[0].1[k] - ends[1].1[k]).abs() < 1e-6 * speed, "v[{k}]");
    }
}

#[test]
fn the_variational_integrator_finds_the_same_motion_and_keeps_momentum_to_rounding() {
    let model = featherline_robots::quadruped();
    let q = model.neutral_configuration();
    let v: Vec<f64> = (0..model.nv()).map(|k| (0.7 * k as f64).sin()).collect();
    let run = |method| {
        let mut simulation = Simulator::new(&model, method).start(0.0, &q, &v).unwrap();
        let mut account = Conservation::new(&model);
        simulation.run(0.5, 0.01, &mut account).unwrap();
        (simulation.configuration().to_vec(), account)
    };
    let (exact, _) = run(Method::steps(RungeKutta4::new(&model), 5e-4).unwrap());
    let (coarse, account) = run(Method::variational(2e-3).unwrap());
    let (fine, finer) = run(Method::variational(1e-3).unwrap());
    let apart = |other: &[f64]| {
        let difference = model.difference(&exact, other).unwrap();
        difference.iter().fold(0.0_f64, |m, x| m.max(x.abs()))
    };
    // Second order: half the step, a quarter of the error.
    let ratio = apart(&coarse) / apart(&fine);
    assert!(
        (3.5..4.5).contains(&ratio),
        "{} {}",
        apart(&coarse),
        apart(&fine)
    );
    // Sums of some hundred rounded steps of 12 kg.
    assert!(account.linear_momentum_error() < 1e-10, "{account:?}");
    // About the centre of mass, which falls as it should.
    for account in [account, finer] {
        assert!(account.angular_momentum_error() < 1e-10, "{account:?}");
    }
}

#[test]
fn a_recorder_can_end_the_simulation() {
    struct Stop(usize);
    impl Recorder for Stop {
        fn record(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
            self.0 += 1;
            Ok(if sample.t >= 0.2 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        }
    }
    let model = samples::double_pendulum();
    let method = Method::steps(RungeKutta4::new(&model), 0.01).unwrap();
    let mut simulation = Simulator::new(&model, method)
        .start(0.0, &[1.0, 0.0], &[0.0, 0.0])
        .unwrap();
    let (mut stop, mut seen) = (Stop(0), 0);
    let mut count = |_: &Sample<'_>| seen += 1;
    simulation
        .run(5.0, 0.1, &mut (&mut stop, &mut count))
        .unwrap();
    assert_eq!((stop.0, seen, simulation.time()), (3, 3, 0.2));
}
