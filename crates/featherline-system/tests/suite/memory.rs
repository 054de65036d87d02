//! Assembling, eliminating and estimating allocate nothing.

use crate::common::{State, assemble};
use crate::loops::Closed;
use featherline::samples;
use featherline_system::{
    AssemblyMemory, Check, Elimination, Estimator, EstimatorOptions, GuardedProgram, GuardedRun,
    Noise, Prior, Problem, Requested, SensorFile, SolveStatus, System, order,
};

#[test]
fn assembling_does_not_allocate() {
    let problem = Problem::inverse_dynamics(featherline_robots::humanoid()).with_passive_forces();
    let system = System::new(problem).expect("a system");
    let state = State::random(system.model(), 1);
    let mut memory = AssemblyMemory::<f64>::new(&system);
    let mut values = vec![0.0; system.sparsity().entries()];
    let mut rhs = vec![0.0; system.sparsity().rows()];
    let counted = allocation_counter::measure(|| {
        system
            .assemble(
                &mut memory,
                &state.q,
                &state.v,
                &state.a,
                &mut values,
                &mut rhs,
            )
            .expect("a valid state");
    });
    assert_eq!(counted.count_total, 0);
}

#[test]
fn looking_at_loops_does_not_allocate() {
    let system = System::new(Problem::forward_dynamics(samples::delta())).expect("a system");
    let Closed {
        mut ws, q, v, tau, ..
    } = Closed::near(system.model().clone(), 1, 0.1);
    let mut memory = AssemblyMemory::<f64>::new(&system);
    let mut values = vec![0.0; system.sparsity().entries()];
    let mut rhs = vec![0.0; system.sparsity().rows()];
    let counted = allocation_counter::measure(|| {
        system.check_loops(&mut ws, &q, &v).expect("it fits");
        system
            .assemble(&mut memory, &q, &v, &tau, &mut values, &mut rhs)
            .expect("it fits");
    });
    assert_eq!(counted.count_total, 0);
}

#[test]
fn eliminating_in_a_fixed_order_does_not_allocate() {
    let system = System::new(Problem::forward_dynamics(featherline_robots::humanoid()));
    let system = system.expect("a system");
    let template = system.template().expect("square");
    let order = order::aba(&system).expect("forward dynamics");
    let elimination = Elimination::new(&template, &order).expect("no pivot vanishes");
    let state = State::random(system.model(), 2);
    let (values, right) = assemble(&system, &state.q, &state.v, &state.tau);
    let mut factors = elimination.factors();
    let mut unknowns = vec![0.0; right.len()];
    let counted = allocation_counter::measure(|| {
        factors
            .factorize(&elimination, &values)
            .expect("sizes agree");
        factors
            .solve(&elimination, &right, &mut unknowns)
            .expect("sizes agree");
    });
    assert_eq!(counted.count_total, 0);
}

#[test]
fn checked_programs_and_estimates_do_not_allocate() {
    let system = System::new(Problem::forward_dynamics(featherline_robots::humanoid()));
    let system = system.expect("a system");
    let columns = system.unknowns().joint_accelerations();
    let requested = (0..system.unknowns().count()).map(|column| columns.contains(&column));
    let template = system.template().expect("square");
    let template = template
        .requesting(requested.collect())
        .expect("sizes agree");
    let order = order::aba(&system).expect("forward dynamics");
    let program = GuardedProgram::new(&system, &template, &order).expect("no pivot vanishes");
    let mut run = GuardedRun::new(&system, &program).expect("memory");
    // More states than are solved together.
    let states: Vec<State> = (0..70).map(|k| State::random(system.model(), k)).collect();
    let inputs: Vec<f64> = states
        .iter()
        .flat_map(|state| [&state.q[..], &state.v, &state.tau].concat())
        .collect();
    let mut accelerations = vec![0.0; states.len() * system.model().nv()];
    let mut checks = vec![Check::default(); states.len()];
    let counted = allocation_counter::measure(|| {
        run.run(&inputs, &mut accelerations, &mut checks)
            .expect("sizes agree");
    });
    assert!(checks.iter().all(|c| c.status == SolveStatus::Accepted));
    assert_eq!(counted.count_total, 0);

    let feet = include_str!("../../../../robots/humanoid-feet.toml");
    let humanoid = featherline_robots::humanoid();
    let file = SensorFile::read(feet, &humanoid).expect("valid sensors");
    let problem = file.problem(humanoid, &[]).expect("a problem");
    let system = System::new(problem).expect("a system");
    let readings: Vec<f64> = (0..system.input_count())
        .map(|k| (k as f64).sin())
        .collect();
    let joint = system.model().joint_ids().last().expect("a joint");
    let foot = Requested::ExternalForce(joint);
    let foot = Prior::new(foot, vec![0.0; 6], Noise::Deviation(1e6));
    let options = EstimatorOptions::default();
    let mut estimator = Estimator::with_priors(system, &options, &[foot]).expect("sound variances");
    let counted = allocation_counter::measure(|| {
        let state = &states[0];
        let mut estimate = estimator
            .update(&state.q, &state.v, &readings)
            .expect("a prior for everything");
        assert!(
            estimate
                .posterior()
                .variances()
                .iter()
                .any(|&variance| variance > 0.0)
        );
        assert!(estimate.mean().iter().all(|mean| mean.is_finite()));
    });
    assert_eq!(counted.count_total, 0);
}
