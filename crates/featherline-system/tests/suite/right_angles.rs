//! Configurations at right angles, where sines are roundings of zero and no pivots.
//!
//! An unknown force at the hand of an arm whose torques are known is determined where the Jacobian
//! is regular. The knowns fit the equations everywhere here, so that in singular configurations any
//! multiple of the open directions solves them with small numbers.

use crate::plans::requesting;
use featherline::Workspace;
use featherline::dynamics::DynamicsOptions;
use featherline::kinematics::ReferenceFrame;
use featherline::model::JointId;
use featherline::spatial::Force;
use featherline_system::{
    Check, EstimateError, Estimator, EstimatorOptions, GuardedProgram, GuardedRun, KnownValue,
    Problem, SolveStatus, System, order,
};
use nalgebra::DMatrix;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const FORCE: [f64; 6] = [-24.9, 6.9, 4.9, -16.4, 0.6, -9.6];

const STILL: [f64; 6] = [0.0; 6];

/// An arm and its hand.
fn arm() -> (System, JointId) {
    let model = featherline_robots::ur5();
    let hand = model.joint_id("wrist_3_joint").expect("a wrist");
    let problem = Problem::new(model).joint_accelerations(KnownValue::Input);
    let problem = problem.joint_forces(KnownValue::Input);
    let problem = problem.external_forces_except(&[hand], KnownValue::Zero);
    (System::new(problem).expect("a system"), hand)
}

/// The arm at rest, touched at its hand.
struct Touched {
    q: Vec<f64>,
    /// No accelerations, and the torques that hold it.
    inputs: Vec<f64>,
    is_singular: bool,
}

fn states(system: &System, hand: JointId) -> Vec<Touched> {
    let model = system.model();
    let mut ws = Workspace::new(model);
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut forces = vec![Force::zero(); model.joints().len()];
    forces[hand.index()] = Force::from_array(FORCE);
    let states = (0..200).map(|_| {
        let mut angle = || std::f64::consts::FRAC_PI_2 * f64::from(random.random_range(-2..=2));
        let mut q: Vec<f64> = (0..6).map(|_| angle()).collect();
        // Some are regular.
        if random.random_bool(0.5) {
            q[2] += 0.5;
        }
        let tau = model.inverse_dynamics(
            &mut ws,
            &q,
            &STILL,
            &STILL,
            DynamicsOptions::default()
                .without_passive_forces()
                .with_forces(&forces),
        );
        let inputs = [&STILL, tau.expect("a valid state")].concat();
        let mut jacobian = DMatrix::zeros(6, 6);
        model
            .forward_kinematics(&mut ws, &q)
            .expect("a valid state")
            .jacobian_into(hand, ReferenceFrame::Local, &mut jacobian)
            .expect("a joint");
        let is_singular = jacobian.singular_values().min() < 1e-6;
        Touched {
            q,
            inputs,
            is_singular,
        }
    });
    let states: Vec<Touched> = states.collect();
    let singular = states.iter().filter(|state| state.is_singular).count();
    assert!((20..180).contains(&singular), "{singular}");
    states
}

/// In whichever axes it is read, the force is as long; the tolerance is for the condition.
fn is_the_force(found: &[f64]) -> bool {
    let squared = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    (squared(found) / squared(&FORCE) - 1.0).abs() < 1e-9
}

#[test]
fn estimates_leave_open_what_right_angles_do() {
    let (system, hand) = arm();
    let options = EstimatorOptions::default().without_prior();
    let mut estimator = Estimator::new(system.clone(), &options).expect("an estimator");
    for state in states(&system, hand) {
        let found = estimator.update(&state.q, &STILL, &state.inputs);
        if state.is_singular {
            let refused = matches!(found, Err(EstimateError::Unobservable { .. }));
            assert!(refused, "{:?}", state.q);
        } else {
            let mean = found.expect("a regular state").mean().to_vec();
            let own = system.unknowns().external_force(hand);
            assert!(is_the_force(&mean[own]), "{:?}", state.q);
        }
    }
}

#[test]
fn solutions_of_right_angles_are_singular_where_they_are() {
    let (system, hand) = arm();
    let template = requesting(&system, system.unknowns().external_force(hand));
    let orders = [
        order::markowitz(&template),
        order::minimum_degree(&template),
        order::colamd(&template),
    ];
    let programs: Vec<GuardedProgram> = orders
        .into_iter()
        .filter_map(|order| GuardedProgram::new(&system, &template, &order.ok()?).ok())
        .collect();
    assert!(!programs.is_empty());
    for state in states(&system, hand) {
        let numbers = [&state.q[..], &STILL, &state.inputs].concat();
        for program in &programs {
            let (mut found, mut checks) = ([0.0; 6], [Check::default()]);
            GuardedRun::new(&system, program)
                .expect("memory")
                .run(&numbers, &mut found, &mut checks)
                .expect("sizes agree");
            let is_told = checks[0].status == SolveStatus::Singular;
            assert_eq!(is_told, state.is_singular, "{:?} {checks:?}", state.q);
            assert!(is_told || is_the_force(&found), "{:?}", state.q);
        }
    }
}
