//! Derivatives of solutions against finite differences of dense solutions, and against the
//! derivatives of the recursive algorithms.

use crate::common::{State, close, solve};
use featherline::dynamics::DynamicsOptions;
use featherline::samples::{RandomTree, humanoid, random_tree};
use featherline::{Model, Workspace};
use featherline_system::{
    Contact, DerivativeSolver, DerivativesError, Known, KnownSet, KnownValue, Noise, Problem,
    Requested, Sensor, SensorKind, SolutionDerivatives, System,
};
use nalgebra::DMatrix;

/// Half the interval of finite differences. Solutions are polynomials of the second degree in v,
/// but for friction, and of the first in inputs: a long step keeps what dense solutions round,
/// 10⁻¹⁶ of conditions up to 10⁷, small beside it. By q, the error that is left is of its fourth
/// power.
const STEP: f64 = 1e-3;
const LONG_STEP: f64 = 1e-2;
const TOLERANCE: f64 = 1e-7;

/// An arm, a robot on legs, a humanoid with hands, one with mimic joints, and one with spherical
/// joints.
fn models() -> Vec<Model> {
    let every_kind = RandomTree {
        joints: 9,
        every_kind: true,
        mimic_joints: true,
        ..RandomTree::default()
    };
    let tree = random_tree(9, &every_kind);
    assert!(tree.nq() > tree.nv(), "a quaternion");
    vec![
        featherline_robots::panda(),
        featherline_robots::quadruped(),
        humanoid(),
        featherline_robots::hand(),
        tree,
    ]
}

fn derivatives<'s>(system: &'s System, state: &State, inputs: &[f64]) -> SolutionDerivatives<'s> {
    let mut solver = DerivativeSolver::new(system).expect("a square system");
    let found = solver.solve(&state.q, &state.v, inputs);
    found.expect("a regular state")
}

/// Central differences, with the error of the second order taken away (Richardson), relative to
/// the largest derivative by the same quantity.
fn check_by_differences(system: &System, state: &State, inputs: &[f64]) {
    let (name, model) = (system.model().name(), system.model());
    let found = derivatives(system, state, inputs);
    close(
        "the solution",
        found.unknowns(),
        &solve(system, &state.q, &state.v, inputs),
        1e-9,
    );
    let nv = model.nv();
    let at = |direction: usize, step: f64| {
        let (mut turn, mut v, mut inputs) = (vec![0.0; nv], state.v.clone(), inputs.to_vec());
        if let Some(input) = direction.checked_sub(2 * nv) {
            inputs[input] += step;
        } else if let Some(k) = direction.checked_sub(nv) {
            v[k] += step;
        } else {
            turn[direction] += step;
        }
        let q = model.integrate(&state.q, &turn).expect("a configuration");
        solve(system, &q, &v, &inputs)
    };
    let slope = |direction: usize, step: f64| -> Vec<f64> {
        let (next, last) = (at(direction, step), at(direction, -step));
        let pairs = next.iter().zip(&last);
        pairs
            .map(|(next, last)| (next - last) / (2.0 * step))
            .collect()
    };
    // Some directions of each kind: a dense solution of a humanoid takes long.
    let all = found.all();
    let blocks = [0..nv, nv..2 * nv, 2 * nv..all.ncols()];
    for block in blocks {
        let stride = 1 + block.len() / 5;
        let scale = all.columns_range(block.clone()).amax().max(1.0);
        for direction in block.step_by(stride) {
            let step = if direction < nv { STEP } else { LONG_STEP };
            let (coarse, fine) = (slope(direction, 2.0 * step), slope(direction, step));
            for (row, (coarse, fine)) in coarse.iter().zip(&fine).enumerate() {
                let expected = fine + (fine - coarse) / 3.0;
                let error = (all[(row, direction)] - expected).abs();
                assert!(
                    error < TOLERANCE * scale,
                    "{name}: row {row} by {direction}: {error} of {scale}"
                );
            }
        }
    }
}

fn agree(what: &str, found: &DMatrix<f64>, expected: &DMatrix<f64>) {
    let scale = expected.amax().max(1.0);
    let error = (found - expected).amax();
    assert!(error < 1e-9 * scale, "{what}: {error} of {scale}");
}

#[test]
fn inverse_and_forward_dynamics_have_the_derivatives_of_the_recursions() {
    for model in models() {
        let (name, mut ws) = (model.name().to_owned(), Workspace::new(&model));
        let inverse = System::new(Problem::inverse_dynamics(model.clone())).expect("a system");
        let forward = System::new(Problem::forward_dynamics(model.clone())).expect("a system");
        for seed in 0..3 {
            let state = State::random(&model, seed);
            let State { q, v, a, .. } = &state;
            let found = derivatives(&inverse, &state, a);
            let torques = found.of(&Requested::JointForces).expect("a tree");
            let expected = model.rnea_derivatives(&mut ws, q, v, a).expect("valid");
            agree(&format!("{name}: ∂τ/∂q"), &torques.dq, expected.dq);
            agree(&format!("{name}: ∂τ/∂v"), &torques.dv, expected.dv);
            agree(&format!("{name}: ∂τ/∂q̈"), &torques.dinputs, expected.da);

            let tau = model.rnea(&mut ws, q, v, a).expect("valid").to_vec();
            let found = derivatives(&forward, &state, &tau);
            let rates = found.of(&Requested::JointAccelerations).expect("a tree");
            let expected = model.aba_derivatives(&mut ws, q, v, &tau).expect("valid");
            agree(&format!("{name}: ∂q̈/∂q"), &rates.dq, expected.dq);
            agree(&format!("{name}: ∂q̈/∂v"), &rates.dv, expected.dv);
            agree(&format!("{name}: ∂q̈/∂τ"), &rates.dinputs, expected.dtau);
        }
        let state = State::random(&model, 7);
        check_by_differences(&inverse, &state, &state.a);
        check_by_differences(&forward, &state, &state.tau);
    }
}

#[test]
fn hybrid_dynamics_have_the_derivatives_of_the_kernel() {
    for model in models() {
        let (name, mut ws) = (model.name().to_owned(), Workspace::new(&model));
        let mut problem = Problem::new(model.clone()).external_forces(KnownValue::Zero);
        // Every other joint is driven.
        let mut known = vec![false; model.nv()];
        let free = model
            .joint_ids()
            .filter(|&id| model.joint(id).mimic.is_none());
        for (k, joint) in free.enumerate() {
            let first = model.joint(joint).idx_v;
            for degree in 0..model.joint(joint).nv {
                known[first + degree] = k % 2 == 1;
                let given = match k % 2 {
                    0 => Known::JointForce { joint, degree },
                    _ => Known::JointAcceleration { joint, degree },
                };
                problem
                    .know(given, KnownValue::Input)
                    .expect("a coordinate");
            }
        }
        let system = System::new(problem).expect("a system");
        let state = State::random(&model, 11);
        let State {
            q, v, a: values, ..
        } = &state;
        let found = derivatives(&system, &state, values);
        let torques = found.of(&Requested::JointForces).expect("a tree");
        let rates = found.of(&Requested::JointAccelerations).expect("a tree");
        let options = DynamicsOptions::default().without_passive_forces();
        let expected = model.hybrid_dynamics_derivatives(&mut ws, q, v, values, &known, options);
        let expected = expected.expect("valid");
        for (what, found, expected) in [
            ("∂τ/∂q", &torques.dq, expected.forces_dq),
            ("∂τ/∂v", &torques.dv, expected.forces_dv),
            ("∂τ/∂values", &torques.dinputs, expected.forces_dvalues),
            ("∂q̈/∂q", &rates.dq, expected.accelerations_dq),
            ("∂q̈/∂v", &rates.dv, expected.accelerations_dv),
            ("∂q̈/∂values", &rates.dinputs, expected.accelerations_dvalues),
        ] {
            agree(&format!("{name}: {what}"), found, expected);
        }
        check_by_differences(&system, &state, values);
    }
}

/// A robot on one foot, whose load cells and floor without friction give the force on it; all
/// joints are driven and the base falls as it does.
fn on_one_foot() -> System {
    let model = featherline_robots::humanoid();
    let frame = model.frame_id("left_sole").expect("a sole");
    let base = model.joint_ids().next().expect("a base");
    let mut problem = Problem::new(model.clone());
    for joint in model.joint_ids().filter(|&joint| joint != base) {
        let known = KnownSet::JointAcceleration(joint);
        known.add_to(&mut problem).expect("a joint");
    }
    KnownSet::FreeBase.add_to(&mut problem).expect("a base");
    let positions = vec![[0.08, 0.03], [0.08, -0.03], [-0.08, 0.03], [-0.08, -0.03]];
    let cells = SensorKind::LoadCells { frame, positions };
    let cells = Sensor::new("cells", cells, Noise::Deviation(1.0));
    problem.add_sensor(cells).expect("a sensor");
    let contact = Contact::Frictionless;
    let floor = SensorKind::Contact { frame, contact };
    let floor = Sensor::new("floor", floor, Noise::Exact);
    problem.add_sensor(floor).expect("a contact");
    let foot = model.frame(frame).joint;
    let problem = problem.external_forces_except(&[foot], KnownValue::Zero);
    System::new(problem).expect("a system")
}

#[test]
fn readings_of_load_cells_count_among_the_inputs() {
    let system = on_one_foot();
    let model = system.model();
    let state = State::random(model, 5);
    let mut inputs = state.a[6..].to_vec();
    inputs.extend([120.0, 80.0, 150.0, 100.0]);
    check_by_differences(&system, &state, &inputs);

    // One newton more on each cell is four newtons on the robot, along the sole's normal.
    let found = derivatives(&system, &state, &inputs);
    let foot = model.frame_id("left_sole").expect("a sole");
    let force = found.of(&Requested::ExternalForce(model.frame(foot).joint));
    let cells = force
        .expect("a body")
        .dinputs
        .columns(model.nv() - 6, 4)
        .column_sum();
    assert!((cells.rows(0, 3).norm() - 4.0).abs() < 1e-12, "{cells}");
}

#[test]
fn passive_forces_count() {
    let hand = Problem::inverse_dynamics(featherline_robots::hand()).with_passive_forces();
    let system = System::new(hand).expect("a system");
    let state = State::random(system.model(), 3);
    check_by_differences(&system, &state, &state.a);
}

#[test]
fn what_has_no_derivatives_is_a_typed_error() {
    let model = featherline_robots::humanoid();
    let (q, v) = (model.neutral_configuration(), vec![0.0; model.nv()]);
    // Nothing is known of accelerations and torques.
    let open = Problem::new(model).external_forces(KnownValue::Zero);
    let open = System::new(open).expect("a system");
    let error = DerivativeSolver::new(&open).err();
    assert!(
        matches!(error, Some(DerivativesError::NotSquare { rows, columns }) if rows < columns),
        "{error:?}"
    );
    // Hinges of a planar linkage hold it in its plane three times over.
    let bars = System::new(Problem::forward_dynamics(featherline::samples::four_bar()));
    let bars = bars.expect("a system");
    let mut solver = DerivativeSolver::new(&bars).expect("a square system");
    let error = solver.solve(&[0.0; 3], &[0.0; 3], &[0.0; 3]).err();
    assert_eq!(error, Some(DerivativesError::Singular));
    let system = on_one_foot();
    let mut solver = DerivativeSolver::new(&system).expect("a square system");
    let error = solver.solve(&q, &v, &[f64::NAN; 1]).err();
    assert!(
        matches!(error, Some(DerivativesError::System(_))),
        "{error:?}"
    );
}
