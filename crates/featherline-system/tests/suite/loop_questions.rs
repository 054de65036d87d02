//! Diagnosis, estimation, measurement and simulation of robots with loops.

use crate::common::{close, dense};
use crate::loops::{Closed, linkages};
use featherline::Workspace;
use featherline::kinematics::ReferenceFrame;
use featherline::samples;
use featherline::scalar::OpCount;
use featherline::spatial::{Force, Vec3};
use featherline_constraint::Stabilisation;
use featherline_constraint::loop_dynamics;
use featherline_system::{
    Advice, AssemblyMemory, CompiledSolve, Components, Diagnosis, EstimateCheck, EstimateError,
    EstimateProgram, EstimateRun, EstimateStatus, Estimator, EstimatorOptions, KnownSet, Noise,
    OrderError, Plan, PlanError, Prior, Problem, Requested, SearchOptions, Sensor, SensorFile,
    SensorKind, SensorSimulation, System, SystemError, Unknown, order,
};

/// Rounding, lost digits of the loops' condition, and forces of some hundred N beside
/// accelerations.
const TOLERANCE: f64 = 1e-8;

#[test]
fn a_planar_linkage_is_determined_but_for_forces() {
    let system = System::new(Problem::forward_dynamics(samples::four_bar())).expect("a system");
    let diagnosis = Diagnosis::of(&system).expect("it closes");
    assert!(!diagnosis.is_solvable() && diagnosis.leaves_loop_forces_open(&system));
    assert_eq!(diagnosis.redundancy(), 3);
    assert_eq!(diagnosis.dependent_sets.len(), 3);
    for sample in &diagnosis.samples {
        assert_eq!(sample.directions.len(), 3, "{}", sample.sample);
    }
    let name = &system.model().loop_joints()[0].name;
    let report = diagnosis.report(&system);
    for words in [
        "DETERMINED BUT FOR FORCES IN LOOPS",
        "REDUNDANT LOOP CONSTRAINTS",
        &format!("not determined: loop force of {name}, along y"),
        &format!("not determined: loop force of {name}, about x"),
        "3 equations are redundant",
        &format!("the closing of {name} (along y)"),
    ] {
        assert!(report.contains(words), "{words}\n{report}");
    }
    assert!(
        !report.contains("a of "),
        "motions are determined:\n{report}"
    );
    let refused = Plan::new(&system, &[], &SearchOptions::default(), |_| {});
    // The pattern alone tells that something lacks.
    let lacks = matches!(refused, Err(PlanError::Order(OrderError::Singular { .. })));
    assert!(lacks, "{refused:?}");
    // A force sensor in the hinge is what lacks.
    let advice = Advice::from_catalogue(&system, &Advice::catalogue(&system)).expect("it closes");
    let first = advice.additions[0][0].name(system.model());
    assert_eq!(first, format!("force sensor in the loop joint {name}"));
}

#[test]
fn loops_that_repeat_nothing_are_solvable() {
    for model in [samples::delta(), samples::stewart()] {
        let system = System::new(Problem::forward_dynamics(model)).expect("a system");
        let diagnosis = Diagnosis::of(&system).expect("it closes");
        assert!(diagnosis.is_solvable(), "{}", diagnosis.report(&system));
        assert_eq!(diagnosis.redundancy(), 0);
    }
}

#[test]
fn estimates_move_as_the_loops_do() {
    for (model, seed) in linkages().into_iter().zip(1..) {
        let Closed {
            model,
            mut ws,
            q,
            v,
            tau,
        } = Closed::near(model, seed, 0.1);
        let name = model.name();
        let system = System::new(Problem::forward_dynamics(model.clone())).expect("a system");
        let options = EstimatorOptions::default();
        let mut estimator = Estimator::new(system, &options).expect("priors");
        let estimate = estimator.update(&q, &v, &tau).expect("observable");
        let none = Stabilisation::NONE;
        let expected = loop_dynamics(&model, &mut ws, &q, &v, &tau, &[], &none);
        let expected = expected.expect("regular");
        let found = estimate.solution();
        close(
            name,
            found.joint_accelerations(),
            expected.accelerations,
            TOLERANCE,
        );
        let mut open = q.clone();
        open[model.nq() - 1] += 1e-4;
        let refused = estimator.update(&open, &v, &tau).expect_err("a gap");
        assert!(
            refused.to_string().contains("the loops are not closed"),
            "{refused}"
        );
    }
}

#[test]
fn readings_of_loops_are_simulated_and_estimated() {
    for model in linkages() {
        let name = &model.loop_joints()[0].name;
        let text = format!(
            r#"
            known = ["no-external-forces"]
            [[sensor]]
            name = "pin"
            type = "loop-force"
            joint = "{name}"
            sigma = 1e-6
            [[sensor]]
            name = "sum"
            type = "linear"
            terms = [{{ of = "loop-force", joint = "{name}", component = "fx", factor = 2.0 }}]
            sigma = 1e-6
            "#
        );
        let file = SensorFile::read(&text, &model).expect("sensors of a loop");
        let problem = file.problem(model.clone(), &[KnownSet::JointForces]);
        let system = System::new(problem.expect("a problem")).expect("a system");
        let mut simulation = SensorSimulation::new(&system, 3).expect("it closes");
        let mut estimator =
            Estimator::new(system.clone(), &EstimatorOptions::default()).expect("priors");
        let mut ws = featherline_constraint::LoopWorkspace::new(&model).expect("loops");
        for _ in 0..3 {
            let sample = simulation.advance().expect("a solution");
            system
                .check_loops(&mut ws, &sample.q, &sample.v)
                .expect("they are closed");
            // The simulated sample obeys the equations of motion.
            let truth = system.solution(&sample.unknowns).expect("sizes agree");
            let none = Stabilisation::NONE;
            let tau = truth.joint_forces().to_vec();
            let moved = loop_dynamics(&model, &mut ws, &sample.q, &sample.v, &tau, &[], &none);
            let moved = moved.expect("regular").accelerations;
            close(model.name(), truth.joint_accelerations(), moved, 1e-6);
            let force = truth.loop_force(system.unknowns().loops()[0]).to_array();
            let readings = &sample.inputs
                [system.sensor_inputs(system.problem().sensor_ids().next().expect("a sensor"))];
            close("pin", readings, &force, 1e-5);
            // Weight and motion are shared by joints and loops.
            assert!(force.iter().any(|x| x.abs() > 1e-3), "{force:?}");
            let estimate = estimator
                .update(&sample.q, &sample.v, &sample.inputs)
                .expect("observable");
            close(
                model.name(),
                estimate.solution().joint_accelerations(),
                moved,
                1e-5,
            );
        }
    }
}

#[test]
fn a_loop_joint_to_the_world_counts_in_the_momentum() {
    for (model, seed) in linkages().into_iter().zip(1..) {
        let Closed {
            model,
            mut ws,
            q,
            v,
            tau,
        } = Closed::near(model, seed, 0.1);
        let components = Components::ALL;
        let sensor = Sensor::new(
            "rate",
            SensorKind::CentroidalMomentumRate { components },
            Noise::Deviation(1.0),
        );
        let mut problem = Problem::forward_dynamics(model.clone());
        let sensor = problem.add_sensor(sensor).expect("a robot with mass");
        let system = System::new(problem).expect("a system");
        let plain = System::new(Problem::forward_dynamics(model.clone())).expect("a system");
        let solution = featherline_system::Determined::new(&plain).solve(&q, &v, &tau);
        let x = solution.expect("it fits");
        let inputs = [&tau[..], &[0.0; 6]].concat();
        let (matrix, right) = dense(&system, &q, &v, &inputs);
        let rest = matrix * nalgebra::DVector::from_column_slice(x.unknowns()) - right;
        let rows = system.equations().sensor(sensor);
        let found: Vec<f64> = rows.map(|row| rest[row]).collect();
        // Newton's and Euler's equations of all bodies, about the centre of mass.
        let none = Stabilisation::NONE;
        let moved = loop_dynamics(&model, &mut ws, &q, &v, &tau, &[], &none).expect("regular");
        let mut tree = Workspace::new(&model);
        let kinematics =
            model.forward_kinematics_accelerations(&mut tree, &q, &v, moved.accelerations);
        let kinematics = kinematics.expect("finite");
        let (mut rate, mut first) = (Force::zero(), Vec3::zero());
        for joint in model.joint_ids() {
            let inertia = &model.joint(joint).inertia;
            let velocity = kinematics.velocity(joint, ReferenceFrame::Local);
            let acceleration = kinematics.acceleration(joint, ReferenceFrame::Local);
            let placement = kinematics.placement(joint);
            rate += placement.act_force(&inertia.newton_euler(&velocity, &acceleration));
            first +=
                (placement.rotation.mul_vec(inertia.com) + placement.translation) * inertia.mass;
        }
        let center = first * (1.0 / model.total_mass());
        let angular = rate.angular - center.cross(rate.linear);
        let expected = Force::new(rate.linear, angular).to_array();
        close(model.name(), &found, &expected, TOLERANCE);
    }
}

#[test]
fn questions_about_loops_that_are_cut_are_refused() {
    let model = samples::four_bar();
    let joint = model.loop_ids().next().expect("a loop");
    let terms = vec![(
        Unknown::LoopForce {
            joint,
            component: 0,
        },
        1.0,
    )];
    for kind in [
        SensorKind::LoopForce { joint },
        SensorKind::Linear { terms },
    ] {
        let mut problem = Problem::new(model.clone());
        let added = problem.add_sensor(Sensor::new("pin", kind, Noise::Deviation(1.0)));
        added.expect("it has loops");
        assert!(System::new(problem.clone()).is_ok());
        let refused = System::new(problem.with_loops_cut());
        assert!(matches!(refused, Err(SystemError::LoopIsCut { .. })));
    }
    let cut = Problem::new(model.clone()).with_loops_cut();
    let whole = Problem::new(model);
    assert_ne!(cut.content_hash(), whole.content_hash());
    let cut = System::new(cut).expect("a tree");
    let name = &cut.model().loop_joints()[0].name;
    assert!(Requested::parse(&format!("loop-force:{name}"), &cut).is_err());
    assert_eq!(Requested::parse("loop-forces", &cut), Ok(Vec::new()));
    let prior = Prior::new(
        Requested::LoopForce(joint),
        vec![0.0; 6],
        Noise::Deviation(1.0),
    );
    let options = EstimatorOptions::default();
    let refused = Estimator::with_priors(cut.clone(), &options, &[prior]).map(drop);
    let is_cut = |error: &EstimateError| error.to_string().contains("loops are cut");
    assert!(refused.as_ref().is_err_and(is_cut), "{refused:?}");
    let x = vec![0.0; cut.unknowns().count()];
    assert!(Requested::LoopForce(joint).values(&cut, &x).is_err());
    let whole = System::new(whole).expect("a system");
    let requested = Requested::parse("loop-forces", &whole).expect("words");
    assert_eq!(requested, [Requested::LoopForce(joint)]);
    assert!(Requested::open(&whole).contains(&Requested::LoopForce(joint)));
    // A degree of freedom that the hinge does not have.
    let degree = Unknown::LoopAcceleration { joint, degree: 1 };
    let terms = vec![(degree, 1.0)];
    let sensor = Sensor::new("second", SensorKind::Linear { terms }, Noise::Exact);
    let refused = Problem::new(samples::four_bar()).add_sensor(sensor);
    assert!(matches!(
        refused,
        Err(SystemError::NoSuchDegree { count: 1, .. })
    ));
}

#[test]
fn estimates_of_regular_loops_are_compiled() {
    let model = samples::delta();
    let mut problem = Problem::forward_dynamics(model.clone());
    for joint in model.loop_ids() {
        let name = format!("pin of {}", model.loop_joint(joint).name);
        let kind = SensorKind::LoopForce { joint };
        let sensor = Sensor::new(name, kind, Noise::Deviation(0.1));
        problem.add_sensor(sensor).expect("a loop joint");
    }
    let system = System::new(problem).expect("a system");
    // Equations that sensors repeat have a variance in a program.
    let options = EstimatorOptions::default().equation_variance(1e-6);
    let requested: Vec<usize> = system.unknowns().joint_accelerations().collect();
    let program = EstimateProgram::new(&system, &options, &requested).expect("weighted rows");
    let mut run = EstimateRun::new(&system, &program).expect("memory");
    let mut estimator = Estimator::new(system.clone(), &options).expect("priors");
    let (mut means, mut checks) = (vec![0.0; requested.len()], [EstimateCheck::default()]);
    for seed in 0..3 {
        let Closed { q, v, tau, .. } = Closed::near(model.clone(), seed, 0.1);
        let readings = vec![0.1; system.input_count() - tau.len()];
        let inputs = [tau, readings].concat();
        let mut state = [&q[..], &v, &inputs].concat();
        run.run(&state, &mut means, &mut checks)
            .expect("sizes agree");
        assert_eq!(checks[0].status, EstimateStatus::Accepted);
        let estimate = estimator.update(&q, &v, &inputs).expect("observable");
        close(
            "means",
            &means,
            estimate.solution().joint_accelerations(),
            1e-6,
        );
        // Off its loops no program is asked.
        state[q.len() - 1] += 1e-3;
        run.run(&state, &mut means, &mut checks)
            .expect("sizes agree");
        let is_open = |status: &EstimateStatus| {
            let text = "loops are not closed";
            matches!(status, EstimateStatus::Failed(error) if error.to_string().contains(text))
        };
        assert!(is_open(&checks[0].status), "{:?}", checks[0].status);
        assert!(means.iter().all(|mean| mean.is_nan()));
    }
}

/// A state off the loops has numbers, which mean nothing.
#[test]
fn a_state_that_does_not_fit_is_neither_assembled_nor_solved() {
    let system = System::new(Problem::forward_dynamics(samples::delta())).expect("a system");
    let Closed {
        mut ws,
        mut q,
        v,
        tau,
        ..
    } = Closed::near(system.model().clone(), 1, 0.1);
    let mut memory = AssemblyMemory::new(&system);
    let mut values = vec![0.0; system.sparsity().entries()];
    let mut rhs = vec![0.0; system.sparsity().rows()];
    let template = system.template().expect("square");
    let order = order::markowitz(&template).expect("regular");
    let solve = CompiledSolve::new(&system, &template, &order).expect("an order");
    let mut found = vec![0.0; system.unknowns().count()];
    let state = [&q[..], &v, &tau].concat();
    system
        .assemble(&mut memory, &q, &v, &tau, &mut values, &mut rhs)
        .expect("it fits");
    solve.run(&system, &state, &mut found).expect("it fits");

    *q.last_mut().expect("coordinates") += 1e-3;
    let state = [&q[..], &v, &tau].concat();
    for refused in [
        system.check_loops(&mut ws, &q, &v),
        system.assemble(&mut memory, &q, &v, &tau, &mut values, &mut rhs),
        solve.run(&system, &state, &mut found),
    ] {
        let is_open =
            matches!(refused, Err(SystemError::OpenLoops { position, .. }) if position > 1e-4);
        assert!(is_open, "{refused:?}");
    }
    // Other scalars are taken as they are.
    let counted = |numbers: &[f64]| -> Vec<OpCount> {
        let numbers = numbers.iter().copied();
        numbers.map(OpCount::variable).collect()
    };
    let mut memory = AssemblyMemory::<OpCount>::new(&system);
    let (mut values, mut rhs) = (counted(&values), counted(&rhs));
    let (q, v, tau) = (counted(&q), counted(&v), counted(&tau));
    let taken = system.assemble(&mut memory, &q, &v, &tau, &mut values, &mut rhs);
    assert_eq!(taken, Ok(()));
}
