//! Every algorithm of the model that has no call of its own, on many states through
//! [`Batch::evaluate`].

use super::every::{robots, row, some_frames, states};
use crate::common::{State, close, external_forces};
use featherline::batch::{Algorithm, Batch, BatchStatus, Precision};
use featherline::configuration;
use featherline::dynamics::DynamicsOptions;
use featherline::kernel;
use featherline::kinematics::ReferenceFrame;
use featherline::model::FrameId;
use featherline::scalar::Scalar;
use featherline::{Error, Model, Workspace, samples};
use nalgebra::DMatrix;

/// Eight lanes and a rest of a few; of sixteen, some.
const STATES: usize = 11;

/// The quantities that are computed in one run.
enum Group {
    Dynamics,
    Kinematics(FrameId),
    Configurations,
    /// Accelerations, of which every other one is known, and the joint forces.
    Hybrid(Vec<bool>),
}

impl Group {
    fn name(&self) -> &'static str {
        match self {
            Self::Dynamics => "dynamics",
            Self::Kinematics(_) => "kinematics",
            Self::Configurations => "configurations",
            Self::Hybrid(_) => "hybrid",
        }
    }

    /// The length of each result.
    fn lengths(&self, model: &Model) -> [usize; 9] {
        let (nq, nv) = (model.nq(), model.nv());
        match self {
            Self::Dynamics => [nv, nv, nv, nv * nv, 3, 6, 6 * nv, 6 * nv, 0],
            Self::Kinematics(_) => [6, 6, 6, 6, 6, 6 * nv, 6 * nv * nv, 3, 3],
            Self::Configurations => [nq, nv, nq, 1, nv, nv, nv * nv, nv * nv, nq],
            Self::Hybrid(_) => [nv, nv, 0, 0, 0, 0, 0, 0, 0],
        }
    }
}

impl Algorithm for Group {
    #[inline(always)]
    fn run<S: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        inputs: &[&[S]],
        results: &mut [&mut [S]],
    ) -> Result<(), Error> {
        let &[q, v, w] = inputs else {
            panic!("three inputs")
        };
        let nv = model.nv();
        let world = ReferenceFrame::LocalWorldAligned;
        match self {
            Self::Dynamics => {
                results[0].copy_from_slice(model.gravity_torque(ws, q)?);
                results[1].copy_from_slice(model.passive_forces(ws, q, v)?);
                let options = DynamicsOptions::default();
                results[2].copy_from_slice(model.inverse_dynamics(ws, q, v, w, options)?);
                results[3].copy_from_slice(model.coriolis_matrix(ws, q, v)?.as_slice());
                results[4][0] = model.kinetic_energy(ws, q, v)?;
                results[4][1] = model.potential_energy(ws, q)?;
                results[4][2] = model.mechanical_energy(ws, q, v)?;
                let rate = model.centroidal_momentum_rate(ws, q, v, w)?;
                results[5].copy_from_slice(&rate.to_array());
                let map = model.centroidal_map_rate(ws, q, v)?;
                results[6].copy_from_slice(map.matrix.as_slice());
                results[7].copy_from_slice(map.rate.as_slice());
            }
            Self::Kinematics(frame) => {
                let local = ReferenceFrame::Local;
                let moving = model.forward_kinematics_accelerations(ws, q, v, w)?;
                results[0].copy_from_slice(&moving.velocity(*frame, world).to_array());
                results[1].copy_from_slice(&moving.acceleration(*frame, local).to_array());
                let classical = moving.classical_acceleration(*frame, world);
                results[2].copy_from_slice(&classical.to_array());
                let moving = model.forward_kinematics_velocities(ws, q, v)?;
                results[3].copy_from_slice(&moving.velocity(*frame, local).to_array());
                results[4].copy_from_slice(&moving.bias_acceleration(*frame, world).to_array());
                let mut rate = DMatrix::from_element(6, nv, S::zero());
                moving.jacobian_rate_into(*frame, world, &mut rate)?;
                results[5].copy_from_slice(rate.as_slice());
                model.hessian_into(ws, q, *frame, world, results[6])?;
                let moving = model.forward_kinematics_accelerations(ws, q, v, w)?;
                let last = model.joint_ids().last().expect("a robot has joints");
                results[7].copy_from_slice(&moving.velocity(last, world).linear.to_array());
                let acceleration = moving.classical_acceleration(last, world);
                results[8].copy_from_slice(&acceleration.linear.to_array());
            }
            Self::Configurations => {
                let [moved, back, between, distance, rate, velocity, dq, dv, unit] = results else {
                    panic!("nine results")
                };
                configuration::integrate_into(model, q, v, moved)?;
                configuration::difference_into(model, q, moved, back)?;
                configuration::interpolate_into(model, q, moved, S::constant(0.3), between)?;
                distance[0] = model.distance(q, moved)?;
                kernel::displacement_rate(model, v, w, rate)?;
                kernel::displacement_velocity(model, v, w, velocity)?;
                let mut square = DMatrix::from_element(nv, nv, S::zero());
                configuration::d_integrate_dq(model, v, &mut square)?;
                dq.copy_from_slice(square.as_slice());
                configuration::d_integrate_dv(model, v, &mut square)?;
                dv.copy_from_slice(square.as_slice());
                for (to, x) in unit.iter_mut().zip(q) {
                    *to = *x * S::constant(1.1);
                }
                model.normalise(unit)?;
            }
            Self::Hybrid(known) => {
                let options = DynamicsOptions::default().without_passive_forces();
                let found = model.hybrid_dynamics(ws, q, v, w, known, options)?;
                results[0].copy_from_slice(found.accelerations);
                results[1].copy_from_slice(found.forces);
            }
        }
        Ok(())
    }
}

/// Runs a group on all states.
fn together<T: Precision>(
    batch: &mut Batch<T>,
    group: &Group,
    states: &[State],
) -> ([Vec<T>; 9], Vec<BatchStatus>) {
    let rows = |row: fn(&State) -> &Vec<f64>| -> Vec<T> {
        let all = states.iter().flat_map(row);
        all.map(|&x| T::constant(x)).collect()
    };
    let (q, v, w) = (rows(|s| &s.q), rows(|s| &s.v), rows(|s| &s.tau));
    let lengths = group.lengths(batch.model());
    let mut results = lengths.map(|length| vec![T::zero(); states.len() * length]);
    let mut status = vec![BatchStatus::default(); states.len()];
    let outputs = results.each_mut().map(|rows| &mut rows[..]);
    let failed = batch.evaluate(group, [&q, &v, &w], outputs, &mut status);
    let unsolved = status.iter().filter(|s| !s.is_solved()).count();
    assert_eq!(failed, Ok(unsolved));
    (results, status)
}

/// Runs a group on one state, in doubles.
fn alone(model: &Model, group: &Group, state: &State) -> [Vec<f64>; 9] {
    let mut results = group.lengths(model).map(|length| vec![0.0; length]);
    let mut rows = results.each_mut().map(|row| &mut row[..]);
    let inputs = [&state.q[..], &state.v, &state.tau];
    group
        .run(model, &mut Workspace::new(model), &inputs, &mut rows)
        .unwrap();
    results
}

fn compare<T: Precision + Into<f64>>() {
    let (mut compared, mut singular) = (0, 0);
    for (model, seed) in robots() {
        let states = states(&model, STATES as u64);
        let mut batch = Batch::<T>::new(&model, 1).unwrap();
        let mut groups = vec![Group::Dynamics, Group::Configurations];
        groups.push(Group::Hybrid((0..model.nv()).map(|k| k % 2 == 0).collect()));
        groups.extend(some_frames(&model).last().map(|&f| Group::Kinematics(f)));
        for group in groups {
            let (results, status) = together(&mut batch, &group, &states);
            for (n, state) in states.iter().enumerate() {
                let own = results.each_ref().map(|rows| -> Vec<f64> {
                    let row = row(rows, STATES, n);
                    row.iter().map(|&x| x.into()).collect()
                });
                let label = |k: usize| format!("{} {k} of robot {seed}, state {n}", group.name());
                if status[n] == BatchStatus::SingularInertia {
                    singular += 1;
                    continue;
                }
                assert_eq!(status[n], BatchStatus::Solved, "{}", label(0));
                compared += 1;
                if let Group::Hybrid(known) = &group {
                    judge_hybrid(&model, state, known, (&own[0], &own[1]), T::EPSILON);
                    continue;
                }
                for (k, expected) in alone(&model, &group, state).iter().enumerate() {
                    // Some hundred roundings along a chain of up to twenty joints; energies and
                    // forces of all their weight.
                    let mass: f64 = model.joints().iter().map(|j| j.inertia.mass).sum();
                    let weight = match (&group, k) {
                        (Group::Dynamics, 4 | 5) => (mass * model.gravity().norm()).max(1.0),
                        _ => 1.0,
                    };
                    close(&label(k), &own[k], expected, 100.0 * T::EPSILON * weight);
                }
            }
        }
    }
    assert!(
        compared > 2000 && singular * 100 < compared,
        "{compared}, {singular}"
    );
}

/// Accelerations that were found are judged by the forces that they need, since the mass matrix may
/// have a condition of 1e6.
fn judge_hybrid(
    model: &Model,
    state: &State,
    known: &[bool],
    (accelerations, forces): (&[f64], &[f64]),
    epsilon: f64,
) {
    let mut ws = Workspace::new(model);
    let mass = model.crba(&mut ws, &state.q).unwrap().abs();
    let sizes: Vec<f64> = accelerations.iter().map(|a| a.abs()).collect();
    let scale = (mass * nalgebra::DVector::from_vec(sizes)).max().max(1.0);
    let needed = model
        .rnea(&mut ws, &state.q, &state.v, accelerations)
        .unwrap();
    for k in 0..model.nv() {
        let given = if known[k] {
            accelerations[k]
        } else {
            forces[k]
        };
        // To rounding of the number type that the state was given in.
        assert!((given - state.tau[k]).abs() <= epsilon * state.tau[k].abs());
        // In each sum of up to forty products, some hundred roundings.
        let rest = (needed[k] - forces[k]).abs();
        assert!(rest < 2e3 * epsilon * scale, "{rest}, scale {scale}");
    }
}

#[test]
fn doubles_agree_with_single_states() {
    compare::<f64>();
}

#[test]
fn singles_agree_with_doubles() {
    compare::<f32>();
}

#[test]
fn threads_do_not_matter() {
    for (model, _) in robots().into_iter().step_by(9) {
        let states = states(&model, 75);
        let bits = |threads| {
            let mut batch = Batch::<f64>::new(&model, threads).unwrap();
            let (results, _) = together(&mut batch, &Group::Dynamics, &states);
            results.map(|rows| rows.iter().map(|x| x.to_bits()).collect::<Vec<_>>())
        };
        assert!(bits(1) == bits(3));
    }
}

/// Forces on bodies: lanes beside single states.
#[test]
fn forces_on_bodies_agree_with_single_states() {
    for (model, seed) in robots() {
        let states = states(&model, STATES as u64);
        let rows = |row: fn(&State) -> &Vec<f64>| states.iter().flat_map(row).copied().collect();
        let (q, v, w): (Vec<f64>, Vec<f64>, Vec<f64>) =
            (rows(|s| &s.q), rows(|s| &s.v), rows(|s| &s.tau));
        let forces = external_forces(&model);
        let row_of_forces: Vec<f64> = forces.iter().flat_map(|f| f.to_array()).collect();
        let all_forces = row_of_forces.repeat(STATES);
        let mut batch = Batch::<f64>::new(&model, 1).unwrap();
        let nv = model.nv();
        let mut tau = vec![0.0; STATES * nv];
        let mut back = vec![0.0; STATES * nv];
        let mut status = [BatchStatus::default(); STATES];
        let failed = batch.rnea_with_forces(&q, &v, &w, &all_forces, &mut tau, &mut status);
        assert_eq!(failed, Ok(0));
        let failed = batch.aba_with_forces(&q, &v, &tau, &all_forces, &mut back, &mut status);
        assert_eq!(failed, Ok(0));
        let mut ws = Workspace::new(&model);
        for (n, state) in states.iter().enumerate() {
            let label = format!("robot {seed}, state {n}");
            let (q, v, w) = (&state.q, &state.v, &state.tau);
            let tau = row(&tau, STATES, n);
            let alone = model
                .inverse_dynamics(
                    &mut ws,
                    q,
                    v,
                    w,
                    DynamicsOptions::default()
                        .without_passive_forces()
                        .with_forces(&forces),
                )
                .unwrap();
            // Some hundred roundings along a chain of up to twenty joints.
            close(&label, tau, alone, 100.0 * f64::EPSILON);
            // The accelerations come back as far as the condition of the mass matrix, up to 1e6,
            // lets them.
            close(&label, row(&back, STATES, n), w, 1e6 * 100.0 * f64::EPSILON);
        }
    }
}

/// Writes what it is told to.
struct Writes {
    value: f64,
    results: usize,
}

impl Algorithm for Writes {
    fn run<S: Scalar>(
        &self,
        _: &Model,
        _: &mut Workspace<S>,
        _: &[&[S]],
        results: &mut [&mut [S]],
    ) -> Result<(), Error> {
        for row in results.iter_mut().take(self.results) {
            row.fill(S::constant(self.value));
        }
        Ok(())
    }
}

#[test]
fn what_is_not_finite_or_not_written_is_no_result() {
    let model = samples::double_pendulum();
    let mut batch = Batch::<f64>::new(&model, 1).unwrap();
    let q = [0.0; 6];
    let mut judge = |value, results| {
        let (mut first, mut second) = ([0.0; 3], [0.0; 6]);
        let mut status = [BatchStatus::default(); 3];
        let algorithm = Writes { value, results };
        let outputs = [&mut first[..], &mut second[..]];
        let failed = batch.evaluate(&algorithm, [&q], outputs, &mut status);
        (failed, status[1], first[1].is_nan())
    };
    assert_eq!(judge(1.0, 2), (Ok(0), BatchStatus::Solved, false));
    assert_eq!(
        judge(f64::INFINITY, 2),
        (Ok(3), BatchStatus::Overflow, true)
    );
    assert_eq!(judge(1.0, 1), (Ok(3), BatchStatus::Overflow, true));
}

#[test]
fn misuse_fails_the_call() {
    let model = samples::double_pendulum();
    let mut batch = Batch::<f64>::new(&model, 2).unwrap();
    let states = states(&model, 3);
    // Hybrid dynamics with a list for another robot.
    let rows = [0.0; 6];
    let (mut a, mut tau) = ([0.0; 6], [0.0; 6]);
    let mut status = [BatchStatus::default(); 3];
    let group = Group::Hybrid(vec![true]);
    let found = batch.evaluate(
        &group,
        [&rows, &rows, &rows],
        [&mut a, &mut tau],
        &mut status,
    );
    let expected = Error::Size {
        what: "known",
        expected: 2,
        found: 1,
    };
    assert_eq!(found, Err(expected));
    // Rows that are no whole number for a state.
    let algorithm = Writes {
        value: 1.0,
        results: 1,
    };
    let found = batch.evaluate(&algorithm, [&rows], [&mut a[..5]], &mut status);
    assert!(matches!(found, Err(Error::Size { found: 5, .. })));
    let found = batch.evaluate(&algorithm, [&rows[..4]], [&mut a[..3]], &mut status);
    assert!(matches!(found, Err(Error::Size { what: "q", .. })));
    let found = batch.evaluate(&algorithm, [&rows, &rows[..1]], [&mut a[..3]], &mut status);
    assert!(matches!(found, Err(Error::Size { found: 1, .. })));
    // A state that is bad is not misuse.
    let mut bad: Vec<f64> = states.iter().flat_map(|s| s.q.clone()).collect();
    bad[2] = f64::NAN;
    let group = Group::Hybrid(vec![true, false]);
    let found = batch.evaluate(
        &group,
        [&bad, &rows, &rows],
        [&mut a, &mut tau],
        &mut status,
    );
    assert_eq!((found, status[1]), (Ok(1), BatchStatus::NotFinite));
    assert!(a[2].is_nan() && a[4].is_finite());
}
