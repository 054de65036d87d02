//! Compiled estimates against the estimator, which brings rows to a triangle by transformations.

use crate::common::{State, trees};
use crate::estimate::instrumented;
use crate::soak::cases;
use featherline::Model;
use featherline_system::{
    EstimateCheck, EstimateError, EstimateProgram, EstimateProgramError, EstimateRun,
    EstimateStatus, Estimator, EstimatorOptions, KnownValue, Noise, Problem, Sensor, SensorFile,
    SensorKind, System,
};

/// Readings between −1 and 1.
fn readings(system: &System, seed: u64) -> Vec<f64> {
    let reading = |k: usize| (1.7 * k as f64 + seed as f64).sin();
    (0..system.input_count()).map(reading).collect()
}

fn states(system: &System, seeds: std::ops::Range<u64>) -> Vec<Vec<f64>> {
    let state = |seed| {
        let state = State::random(system.model(), seed);
        [state.q, state.v, readings(system, seed)].concat()
    };
    seeds.map(state).collect()
}

/// The largest difference of requested unknowns from the estimator's, of the largest of them and
/// one.
fn difference(system: &System, options: &EstimatorOptions, state: &[f64], means: &[f64]) -> f64 {
    let (nq, nv) = (system.model().nq(), system.model().nv());
    let mut estimator = Estimator::new(system.clone(), options).expect("sound variances");
    let (q, v, inputs) = (&state[..nq], &state[nq..nq + nv], &state[nq + nv..]);
    let estimate = estimator.update(q, v, inputs).expect("an estimate");
    let torques = system.unknowns().joint_forces();
    let expected = &estimate.mean()[torques];
    let largest = expected.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    let differences = means.iter().zip(expected).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f64::max) / largest
}

/// Where torques stand.
fn torques(system: &System) -> Vec<usize> {
    system.unknowns().joint_forces().collect()
}

#[test]
fn the_program_estimates_what_the_estimator_does() {
    let models = trees().take(6).map(|(model, _)| model);
    let models = models.chain([featherline_robots::panda()]);
    for (k, model) in models.enumerate() {
        let system = System::new(instrumented(&model)).expect("a system");
        for options in [
            EstimatorOptions::default(),
            EstimatorOptions::default().equation_variance(1e-6),
            EstimatorOptions::default().prior_variance(1e4),
        ] {
            let program = EstimateProgram::new(&system, &options, &torques(&system));
            let program = program.expect("no redundant exact rows");
            let states = states(&system, 0..cases(10, 40));
            let width = program.requested().len();
            let mut means = vec![0.0; states.len() * width];
            let mut checks = vec![EstimateCheck::default(); states.len()];
            let mut run = EstimateRun::new(&system, &program).expect("memory");
            run.run(&states.concat(), &mut means, &mut checks)
                .expect("sizes agree");
            for ((state, check), means) in states.iter().zip(&checks).zip(means.chunks(width)) {
                assert_eq!(check.status, EstimateStatus::Accepted, "{k} {check:?}");
                let error = difference(&system, &options, state, means);
                assert!(error < 1e-9, "model {k}: {error:e}, {check:?}");
            }
        }
    }
}

/// Robots like to stand straight, where sines vanish.
#[test]
fn the_neutral_state_needs_no_other_program() {
    let model = featherline_robots::humanoid();
    let system = System::new(instrumented(&model)).expect("a system");
    let options = EstimatorOptions::default();
    let program = EstimateProgram::new(&system, &options, &torques(&system)).expect("regular");
    let rates = [vec![0.1; model.nv()], readings(&system, 0)].concat();
    let state = [model.neutral_configuration(), rates].concat();
    let mut means = vec![0.0; program.requested().len()];
    let mut checks = [EstimateCheck::default()];
    EstimateRun::new(&system, &program)
        .expect("memory")
        .run(&state, &mut means, &mut checks)
        .expect("sizes agree");
    assert_eq!(checks[0].status, EstimateStatus::Accepted, "{checks:?}");
    let error = difference(&system, &options, &state, &means);
    assert!(error < 1e-9, "{error:e}");
}

#[test]
fn a_state_alone_is_estimated_as_among_others() {
    let system = System::new(instrumented(&featherline_robots::panda())).expect("a system");
    let options = EstimatorOptions::default();
    let program = EstimateProgram::new(&system, &options, &torques(&system)).expect("regular");
    let mut run = EstimateRun::new(&system, &program).expect("memory");
    let states = states(&system, 0..70);
    let mut together = vec![0.0; 70 * 7];
    let mut checks = vec![EstimateCheck::default(); 70];
    run.run(&states.concat(), &mut together, &mut checks)
        .expect("sizes agree");
    for (state, expected) in states.iter().zip(together.chunks(7)) {
        let mut alone = [0.0; 7];
        let counted = allocation_counter::measure(|| {
            run.run(state, &mut alone, &mut checks[..1])
                .expect("sizes agree");
        });
        assert_eq!(counted.count_total, 0);
        assert_eq!(alone, expected);
    }
}

/// Load cells under two feet on floors without friction, all accelerations known: redundant
/// exact rows.
#[test]
fn redundant_exact_rows_are_compiled_where_equations_have_a_variance() {
    let model = featherline_robots::humanoid();
    let mut text = include_str!("../../../../robots/humanoid-feet.toml").to_owned();
    for foot in ["left", "right"] {
        text += &format!(
            "\n[[sensor]]\nname = \"{foot}_contact\"\ntype = \"contact\"\nframe = \"{foot}_sole\"\ncontact = \"frictionless\"\n"
        );
    }
    let file = SensorFile::read(&text, &model).expect("valid sensors");
    let problem = file.problem(model.clone(), &[]).expect("a problem");
    let system = System::new(problem).expect("a system");
    let exact = EstimatorOptions::default();
    let refused = EstimateProgram::new(&system, &exact, &torques(&system));
    let Err(error @ EstimateProgramError::Plan(_)) = refused else {
        panic!("{refused:?}");
    };
    assert!(error.to_string().contains("equation_variance"), "{error}");
    let weighted = exact.equation_variance(1e-10);
    let program = EstimateProgram::new(&system, &weighted, &torques(&system)).expect("regular");
    let mut run = EstimateRun::new(&system, &program).expect("memory");
    for seed in 0..4 {
        // Standing straight or anyhow, at rest, with cells that read more than the weight.
        let mut state = match seed {
            0 => model.neutral_configuration(),
            _ => State::random(&model, seed).q,
        };
        state.extend(vec![0.0; model.nv()]);
        for group in system.input_groups() {
            let reading = if group.sensor.is_some() { 90.0 } else { 0.0 };
            state.extend(vec![reading; group.inputs.len()]);
        }
        let mut means = vec![0.0; program.requested().len()];
        let mut checks = [EstimateCheck::default()];
        run.run(&state, &mut means, &mut checks)
            .expect("sizes agree");
        assert_eq!(checks[0].status, EstimateStatus::Accepted, "{checks:?}");
        assert!(difference(&system, &weighted, &state, &means) < 1e-8);
        if seed == 0 {
            // Ten micronewtons of deviation against a newton of the cells are 10⁻¹⁰ of variance;
            // some hundred equations and the lengths of levers multiply that by 10⁴.
            assert!(difference(&system, &exact, &state, &means) < 1e-5);
        }
    }
}

/// Sensors whose deviations differ by 10¹²: some states lose too many digits.
fn hard(model: &Model) -> System {
    let mut problem = Problem::new(model.clone()).external_forces(KnownValue::Zero);
    for (k, joint) in model.joint_ids().enumerate() {
        let sigma = 10.0_f64.powi(-6 * (k as i32 % 3));
        for (name, kind) in [
            ("encoder", SensorKind::JointAcceleration { joint }),
            ("torque", SensorKind::JointForce { joint }),
        ] {
            let sensor = Sensor::new(format!("{name} {k}"), kind, Noise::Deviation(sigma));
            problem.add_sensor(sensor).expect("a valid sensor");
        }
    }
    System::new(problem).expect("a system")
}

#[test]
fn what_a_program_loses_is_found_by_the_estimator() {
    let options = EstimatorOptions::default();
    let (mut accepted, mut fell_back) = (0, 0);
    for (model, _) in trees().take(6) {
        let system = hard(&model);
        let program = EstimateProgram::new(&system, &options, &torques(&system)).expect("regular");
        let mut run = EstimateRun::new(&system, &program).expect("memory");
        for state in states(&system, 0..20) {
            let mut means = vec![0.0; program.requested().len()];
            let mut checks = [EstimateCheck::default()];
            run.run(&state, &mut means, &mut checks)
                .expect("sizes agree");
            #[expect(clippy::wildcard_enum_match_arm, reason = "no other is right")]
            match checks[0].status {
                EstimateStatus::Accepted => accepted += 1,
                EstimateStatus::FellBack => fell_back += 1,
                _ => panic!("{checks:?}"),
            }
            let error = difference(&system, &options, &state, &means);
            assert!(error < 1e-8, "{error:e} {checks:?}");
        }
    }
    assert!(accepted > 0 && fell_back > 0, "{accepted}, {fell_back}");
}

#[test]
fn a_program_that_is_not_accurate_gives_way() {
    let system = System::new(instrumented(&featherline_robots::panda())).expect("a system");
    let options = EstimatorOptions::default();
    let program = EstimateProgram::new(&system, &options, &torques(&system)).expect("regular");
    let mut run = EstimateRun::new(&system, &program)
        .expect("memory")
        .with_limit(0.0);
    let state = &states(&system, 3..4)[0];
    let (mut means, mut checks) = ([0.0; 7], [EstimateCheck::default()]);
    run.run(state, &mut means, &mut checks)
        .expect("sizes agree");
    assert_eq!(checks[0].status, EstimateStatus::FellBack);
    assert_eq!(difference(&system, &options, state, &means), 0.0);
}

#[test]
fn a_state_without_an_estimate_says_why_and_harms_no_other() {
    let system = System::new(instrumented(&featherline_robots::panda())).expect("a system");
    let options = EstimatorOptions::default();
    let program = EstimateProgram::new(&system, &options, &torques(&system)).expect("regular");
    let mut run = EstimateRun::new(&system, &program).expect("memory");
    let mut states = states(&system, 0..3);
    states[1][14] = f64::NAN; // The first reading.
    states[2][0] = f64::INFINITY;
    let (mut means, mut checks) = ([1.0; 21], vec![EstimateCheck::default(); 3]);
    run.run(&states.concat(), &mut means, &mut checks)
        .expect("sizes agree");
    assert_eq!(checks[0].status, EstimateStatus::Accepted);
    assert!(matches!(
        &checks[1].status,
        EstimateStatus::Failed(EstimateError::Measurement { reading: 0, .. })
    ));
    assert!(
        matches!(checks[2].status, EstimateStatus::Failed(_)),
        "{checks:?}"
    );
    assert!(
        checks[1..]
            .iter()
            .all(|check| check.backward_error == f64::INFINITY)
    );
    assert!(means[..7].iter().all(|x| x.is_finite()) && means[7..].iter().all(|x| x.is_nan()));
}

/// Forces that frictionless soles can't tell from each other are known exactly twice, and what
/// nothing tells is told by no order.
#[test]
fn what_no_order_can_solve_is_refused() {
    let humanoid = featherline_robots::humanoid();
    let feet = include_str!("../../../../robots/humanoid-feet.toml");
    let file = SensorFile::read(feet, &humanoid).expect("valid sensors");
    let mut problem = file.problem(humanoid, &[]).expect("a problem");
    let joint = problem.model().joint_ids().last().expect("a joint");
    for name in ["one", "two"] {
        let kind = SensorKind::JointForce { joint };
        let sensor = Sensor::new(name, kind, Noise::Exact);
        problem.add_sensor(sensor).expect("a valid sensor");
    }
    let twice = System::new(problem).expect("a system");
    let refused = EstimateProgram::new(&twice, &EstimatorOptions::default(), &torques(&twice));
    assert!(
        matches!(refused, Err(EstimateProgramError::Plan(_))),
        "{refused:?}"
    );

    let open = System::new(Problem::new(featherline_robots::panda())).expect("a system");
    let options = EstimatorOptions::default().without_prior();
    let refused = EstimateProgram::new(&open, &options, &torques(&open));
    assert!(matches!(refused, Err(EstimateProgramError::Plan(_))));
    let refused = EstimateProgram::new(&open, &options, &[9999]);
    assert!(matches!(
        refused,
        Err(EstimateProgramError::Estimate(
            EstimateError::OutOfRange { .. }
        ))
    ));
}
