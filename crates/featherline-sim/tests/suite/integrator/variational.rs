//! The variational integrator in minimal coordinates.

use super::robots::{
    Case, STATES, State, cases, differences, every_kind, floating, pendulum, reference, size,
};
use crate::common::external_forces;
use allocation_counter::measure;
use featherline::joint::JointKind;
use featherline::kernel;
use featherline::samples::{RandomTree, double_pendulum, random_tree};
use featherline::spatial::{Se3, Vec3};
use featherline::{Model, Workspace};
use featherline_sim::integrator::forces::{self, BodyForces, ForceModel, TorqueFunction};
use featherline_sim::integrator::{Convergence, IntegratorError, VariationalIntegrator};
use nalgebra::{DVector, Matrix3, Vector3};
use std::f64::consts::PI;

/// States along the motion, as the other methods' tests take them.
fn run<L: ForceModel>(case: &Case, law: L, time: f64, steps: usize) -> Vec<State> {
    let mut motion = VariationalIntegrator::with_forces(&case.model, law);
    motion.start(0.0, &case.q, &case.v).unwrap();
    let mut states = Vec::new();
    for k in 0..steps {
        motion.step(time / steps as f64).unwrap();
        if (k + 1) % (steps / STATES) == 0 {
            let q = motion.configuration().to_vec();
            states.push((q, motion.velocity().unwrap().to_vec()));
        }
    }
    states
}

/// The order between the smallest steps, free of terms of the next even order: the method is
/// symmetric.
fn observed_order<L: ForceModel>(case: &Case, law: impl Fn() -> L) -> f64 {
    let time = 0.5;
    let exact = reference(case, law(), time);
    let errors = [200, 400, 800, 1600].map(|steps| {
        let states = run(case, law(), time, steps);
        differences(&case.model, &exact, &states)
    });
    let leading: Vec<f64> = errors
        .windows(2)
        .map(|pair| {
            let parts = pair[0].iter().zip(&pair[1]);
            size(
                &parts
                    .map(|(at_h, at_half)| 16.0 * at_half - at_h)
                    .collect::<Vec<_>>(),
            )
        })
        .collect();
    (leading[1] / leading[2]).log2()
}

#[test]
fn it_is_of_order_two_on_every_kind_of_joint() {
    for case in cases() {
        let order = observed_order(&case, || ());
        assert!((order - 2.0).abs() < 0.1, "{}: {order}", case.name);
    }
}

#[test]
fn it_is_of_order_two_under_every_kind_of_force() {
    for case in cases() {
        let law = || {
            let swing = |t: f64, q: &[f64], v: &[f64], tau: &mut [f64]| {
                for k in 0..v.len() {
                    tau[k] += (3.0 * t).sin() - 0.5 * q[0] * v[k];
                }
            };
            (
                forces::passive(&case.model, 0.5).unwrap(),
                TorqueFunction::new(swing),
                BodyForces::new(external_forces(&case.model)),
            )
        };
        let order = observed_order(&case, law);
        assert!((order - 2.0).abs() < 0.1, "{}: {order}", case.name);
    }
}

/// The action of one step, by forward kinematics, matrices and potential energy alone.
fn action(model: &Model, ws: &mut Workspace<f64>, q0: &[f64], q1: &[f64], h: f64) -> f64 {
    let mut place = |q: &[f64]| -> Vec<Se3<f64>> {
        let view = model.forward_kinematics(ws, q).unwrap();
        let ids = model.joint_ids();
        ids.map(|id| view.placement(id)).collect()
    };
    let (from, to) = (place(q0), place(q1));
    let mut sum = 0.0;
    for (id, (from, to)) in model.joint_ids().zip(from.iter().zip(&to)) {
        let moved = from.inverse_compose(to);
        let r = moved.rotation;
        let column = |c: Vec3<f64>| Vector3::from(c.to_array());
        let r = Matrix3::from_columns(&[column(r.x), column(r.y), column(r.z)]);
        // cay: [ω/2]× = (R − 1)(R + 1)⁻¹.
        let half = (r - Matrix3::identity()) * (r + Matrix3::identity()).try_inverse().unwrap();
        let w = Vector3::new(half[(2, 1)], half[(0, 2)], half[(1, 0)]) * 2.0 / h;
        let inertia = &model.joint(id).inertia;
        let at_com = (to.act_point(inertia.com) - from.act_point(inertia.com)) * (1.0 / h);
        let spin = inertia.rotational.mul_vec(Vec3::new(w.x, w.y, w.z));
        sum += 0.5 * inertia.mass * at_com.norm_squared() + 0.5 * w.dot(&column(spin));
    }
    let potential =
        model.potential_energy(ws, q0).unwrap() + model.potential_energy(ws, q1).unwrap();
    h * (sum - 0.5 * potential)
}

/// The derivative of a function of the configuration along each coordinate, by central differences
/// of fourth order.
fn gradient(model: &Model, q: &[f64], mut f: impl FnMut(&[f64]) -> f64) -> Vec<f64> {
    let e = 1e-3;
    (0..model.nv())
        .map(|k| {
            let mut at = |s: f64| {
                let mut step = vec![0.0; model.nv()];
                step[k] = s * e;
                f(&model.integrate(q, &step).unwrap())
            };
            (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * e)
        })
        .collect()
}

#[test]
fn the_action_is_stationary() {
    let h = 0.01;
    for case in cases() {
        let model = &case.model;
        let mut ws = Workspace::new(model);
        let mut motion = VariationalIntegrator::new(model);
        motion.start(0.0, &case.q, &case.v).unwrap();
        let mut path = vec![case.q.clone()];
        for _ in 0..4 {
            motion.step(h).unwrap();
            path.push(motion.configuration().to_vec());
        }
        // Armature and rotors have their momenta I d/h beside the action.
        let own = |k: usize, i: usize| {
            let d = model.difference(&path[k], &path[k + 1]).unwrap();
            kernel::reflected_inertias(model)[i] * d[i] / h
        };
        // The first step begins with the momentum of the velocity: −D₁S = M v.
        let begin = gradient(model, &path[0], |q| action(model, &mut ws, q, &path[1], h));
        let v = DVector::from_column_slice(&case.v);
        let momentum = model.crba(&mut ws, &path[0]).unwrap() * v;
        // Differences: rounding 1e-15/1e-3 of an action of size 0.1, times h for a mean of forces,
        // and fourth-order errors.
        for k in 0..model.nv() {
            let lack = momentum[k] + begin[k] - own(0, k);
            assert!(lack.abs() < 1e-8, "{}: {k} {lack:e}", case.name);
        }
        for k in 1..4 {
            let slope = gradient(model, &path[k], |q| {
                action(model, &mut ws, &path[k - 1], q, h)
                    + action(model, &mut ws, q, &path[k + 1], h)
            });
            for (i, slope) in slope.iter().enumerate() {
                let slope = slope + own(k - 1, i) - own(k, i);
                assert!(slope.abs() < 1e-8, "{}: {i} {slope:e}", case.name);
            }
        }
    }
}

#[test]
fn momentum_is_kept_to_rounding() {
    for case in floating() {
        // However loosely the steps are solved: what one leaves, the next one makes up for.
        for tolerance in [1e-11, 1e-7] {
            let mut motion = VariationalIntegrator::new(&case.model);
            let convergence = Convergence {
                tolerance,
                ..Convergence::default()
            };
            motion.set_convergence(convergence).unwrap();
            motion.start(0.0, &case.q, &case.v).unwrap();
            let before = motion.momentum().unwrap();
            for _ in 0..500 {
                motion.step(2e-3).unwrap();
            }
            let change = motion.momentum().unwrap() - before;
            let scale = before.linear.norm() + before.angular.norm();
            let error = change.linear.norm() + change.angular.norm();
            assert!(error < 1e-12 * scale, "{}: {error:e} of {scale}", case.name);
        }
    }
}

#[test]
fn momentum_is_that_of_the_velocity() {
    for case in floating() {
        let mut ws = Workspace::new(&case.model);
        let mut motion = VariationalIntegrator::new(&case.model);
        motion.start(0.0, &case.q, &case.v).unwrap();
        for _ in 0..3 {
            motion.step(1e-3).unwrap();
        }
        let found = motion.momentum().unwrap();
        let (q, v) = (
            motion.configuration().to_vec(),
            motion.velocity().unwrap().to_vec(),
        );
        let expected = case.model.centroidal_momentum(&mut ws, &q, &v).unwrap();
        let com = case
            .model
            .forward_kinematics(&mut ws, &q)
            .unwrap()
            .center_of_mass()
            .unwrap();
        let about_com = found.angular - com.cross(found.linear);
        let error = (found.linear - expected.linear).norm() + (about_com - expected.angular).norm();
        assert!(error < 1e-10, "{}: {error:e}", case.name);
    }
}

#[test]
fn energy_does_not_drift() {
    for (model, q, v, bound) in [
        (pendulum(), vec![2.0], vec![0.0], 1e-3),
        (double_pendulum(), vec![1.5, -0.5], vec![0.0, 0.0], 5e-3),
    ] {
        let mut motion = VariationalIntegrator::new(&model);
        motion.start(0.0, &q, &v).unwrap();
        let before = motion.energy().unwrap();
        // Relative to the range of the potential energy, because its zero is arbitrary.
        let scale = model.total_mass() * 9.81;
        let (mut early, mut late) = (0.0_f64, 0.0_f64);
        for k in 0..20_000 {
            motion.step(0.01).unwrap();
            let error = ((motion.energy().unwrap() - before) / scale).abs();
            let half = if k < 10_000 { &mut early } else { &mut late };
            *half = half.max(error);
        }
        assert!(early < bound && late < bound, "{early:e} {late:e}");
        // Where it drifts, the second half is three times as bad as the first on average.
        assert!(late < 1.5 * early, "{early:e} {late:e}");
    }
}

#[test]
fn a_start_is_read_back() {
    for case in cases() {
        let mut motion = VariationalIntegrator::new(&case.model);
        motion.start(1.5, &case.q, &case.v).unwrap();
        assert_eq!((motion.time(), motion.configuration()), (1.5, &case.q[..]));
        let error: Vec<f64> = motion
            .velocity()
            .unwrap()
            .iter()
            .zip(&case.v)
            .map(|(found, given)| found - given)
            .collect();
        // M⁻¹ M v: rounding times the condition of M.
        assert!(size(&error) < 1e-11, "{}: {:e}", case.name, size(&error));
        let mut ws = Workspace::new(&case.model);
        let energy = case
            .model
            .mechanical_energy(&mut ws, &case.q, &case.v)
            .unwrap();
        assert!((motion.energy().unwrap() - energy).abs() < 1e-9);
    }
}

#[test]
fn the_same_motion_has_the_same_bits_whatever_is_read() {
    for case in cases() {
        let mut silent = VariationalIntegrator::new(&case.model);
        silent.start(0.0, &case.q, &case.v).unwrap();
        let mut read = silent.clone();
        for _ in 0..20 {
            silent.step(1e-3).unwrap();
            read.step(1e-3).unwrap();
            read.energy().unwrap();
            read.momentum().unwrap();
            read.velocity().unwrap();
        }
        assert_eq!(
            silent.configuration(),
            read.configuration(),
            "{}",
            case.name
        );
    }
}

#[test]
fn steps_allocate_nothing() {
    for case in cases() {
        let laws = (
            forces::passive(&case.model, 0.1).unwrap(),
            BodyForces::new(external_forces(&case.model)),
        );
        let mut motion = VariationalIntegrator::with_forces(&case.model, laws);
        let mut outcome = Ok(());
        let counted = measure(|| {
            outcome = (|| {
                motion.start(0.0, &case.q, &case.v)?;
                for _ in 0..5 {
                    motion.step(1e-3)?;
                    motion.energy()?;
                    motion.momentum()?;
                }
                Ok::<(), IntegratorError>(())
            })();
        });
        outcome.unwrap();
        assert_eq!(counted.count_total, 0, "{}", case.name);
    }
}

#[test]
fn a_body_that_turns_too_far_is_named() {
    let model = double_pendulum();
    let mut motion = VariationalIntegrator::new(&model);
    motion.start(0.0, &[0.0, 0.0], &[0.0, 400.0]).unwrap();
    let works = match motion.step(0.01) {
        Err(IntegratorError::HalfTurn {
            t,
            h,
            joint,
            shorter,
        }) => {
            assert_eq!((t, h, joint.as_str()), (0.0, 0.01, "elbow"));
            // At 400 rad/s π takes 7.9 ms, and iterations converge well below that.
            shorter.unwrap()
        }
        other => panic!("{other:?}"),
    };
    // The state is as it was, and a shorter step goes on from it.
    assert_eq!(
        (motion.time(), motion.configuration()),
        (0.0, &[0.0, 0.0][..])
    );
    assert!(works < 0.0079 && motion.step(2.0 * works).is_err());
    motion.step(works).unwrap();
}

/// Iterations could jump by two turns and more, to which the half angle's cosine is blind: the
/// velocity was right, and the angle wrong by any number of turns.
#[test]
fn no_joint_turns_by_several_turns_within_a_step() {
    let (h, mut followed, mut refused) = (0.01, 0, 0);
    for model in [
        pendulum(),
        double_pendulum(),
        every_kind(true),
        every_kind(false),
    ] {
        for speed in (10..=600).step_by(5) {
            let mut motion = VariationalIntegrator::new(&model);
            let q = model.neutral_configuration();
            let v: Vec<f64> = (0..model.nv())
                .map(|k| f64::from(speed) / (1.0 + k as f64))
                .collect();
            motion.start(0.0, &q, &v).unwrap();
            for _ in 0..20 {
                let before = motion.configuration().to_vec();
                if motion.step(h).is_err() {
                    refused += 1;
                    break;
                }
                let turning = model.joints().iter().filter(|joint| {
                    joint.nv == 1 && matches!(joint.kind, JointKind::Revolute { .. })
                });
                for joint in turning {
                    let angle = motion.configuration()[joint.idx_q] - before[joint.idx_q];
                    assert!(angle.abs() < PI, "{speed} rad/s: {} by {angle}", joint.name);
                }
                followed += 1;
            }
        }
    }
    assert!(followed > 500 && refused > 50, "{followed} {refused}");
}

#[test]
fn a_step_that_does_not_converge_says_so() {
    let model = every_kind(true);
    let mut motion = VariationalIntegrator::new(&model);
    let convergence = Convergence {
        most_iterations: 1,
        ..Convergence::default()
    };
    motion.set_convergence(convergence).unwrap();
    let v = vec![1.0; model.nv()];
    motion
        .start(0.0, &model.neutral_configuration::<f64>(), &v)
        .unwrap();
    match motion.step(0.01) {
        Err(IntegratorError::NotConverged {
            iterations: 1,
            change,
            joint,
            ..
        }) => {
            assert!(change > 0.0 && !joint.is_empty());
        }
        other => panic!("{other:?}"),
    }
    for bad in [
        Convergence {
            tolerance: 0.0,
            ..Convergence::default()
        },
        Convergence {
            most_iterations: 0,
            ..Convergence::default()
        },
    ] {
        assert!(motion.set_convergence(bad).is_err());
    }
}

#[test]
fn what_is_no_state_and_no_step_is_refused() {
    let model = pendulum();
    let mut motion = VariationalIntegrator::new(&model);
    assert!(motion.start(0.0, &[0.0, 0.0], &[0.0]).is_err());
    assert!(motion.start(0.0, &[f64::NAN], &[0.0]).is_err());
    assert!(motion.start(0.0, &[0.0], &[f64::INFINITY]).is_err());
    assert!(motion.start(f64::NAN, &[0.0], &[0.0]).is_err());
    assert!(motion.step(0.0).is_err() && motion.step(f64::NAN).is_err());
    assert!(motion.step(-0.1).is_err());
}

#[test]
fn a_robot_at_rest_stays_there() {
    let shape = RandomTree {
        floating: false,
        ..RandomTree::default()
    };
    for model in [
        pendulum(),
        random_tree(5, &shape).with_gravity(Vec3::zero()).unwrap(),
    ] {
        let q: Vec<f64> = model.neutral_configuration();
        let mut motion = VariationalIntegrator::new(&model);
        motion.start(0.0, &q, &vec![0.0; model.nv()]).unwrap();
        for _ in 0..10 {
            motion.step(0.01).unwrap();
        }
        assert!(model.distance(&q, motion.configuration()).unwrap() < 1e-15);
    }
}

/// Damping that has no value the first time unless it has `begun`.
struct Late {
    begun: bool,
}

impl ForceModel for Late {
    fn add(
        &mut self,
        state: &forces::State<'_>,
        loads: &mut forces::Loads<'_>,
    ) -> Result<(), IntegratorError> {
        for (tau, v) in loads.tau.iter_mut().zip(state.v) {
            *tau += if self.begun { -0.1 * v } else { f64::NAN };
        }
        self.begun = true;
        Ok(())
    }
}

#[test]
fn a_force_without_a_value_leaves_no_trace() {
    let model = double_pendulum();
    let after = |begun| {
        let mut motion = VariationalIntegrator::with_forces(&model, Late { begun });
        motion.start(0.0, &[0.3, -0.2], &[1.0, 0.5]).unwrap();
        let first = motion.step(0.01);
        let is_refused = matches!(first, Err(IntegratorError::NoForce { .. }));
        assert_eq!(is_refused, !begun, "{first:?}");
        if !begun {
            motion.step(0.01).unwrap();
        }
        motion.configuration().to_vec()
    };
    assert_eq!(after(false), after(true));
}
