//! The variational integrator in maximal coordinates on trees, beside the minimal one; and what it
//! refuses.

use crate::common::{State, external_forces};
use allocation_counter::measure;
use featherline::kernel;
use featherline::samples::{RandomTree, double_pendulum, four_bar, random_loops, random_tree};
use featherline::spatial::Vec3;
use featherline::{Model, Workspace};
use featherline_sim::integrator::forces::{self, BodyForces, ForceModel, TorqueFunction};
use featherline_sim::integrator::{
    Convergence, IntegratorError, MaximalVariationalIntegrator, VariationalIntegrator,
};
use featherline_sim::maximal::{MaximalError, MaximalState};

/// Trees of every kind of joint but mimic joints, with states in motion.
fn trees() -> Vec<(Model, Vec<f64>, Vec<f64>)> {
    (0..24)
        .map(|seed| {
            let shape = RandomTree {
                joints: 2 + (seed as usize * 5) % 14,
                branching: (seed % 5) as f64 / 4.0,
                every_kind: true,
                mimic_joints: false,
                floating: seed % 3 == 0,
            };
            let model = random_tree(seed, &shape);
            let State { q, v, .. } = State::random(&model, seed);
            (model, q, v)
        })
        .collect()
}

/// Follows both integrators, and returns by how much they come to differ, in coordinates and
/// velocities. They have nothing in common but the momenta of a body: how a joint is held, what is
/// eliminated and what is iterated differ.
fn apart<L: ForceModel>(
    (model, q, v): &(Model, Vec<f64>, Vec<f64>),
    law: impl Fn() -> L,
    h: f64,
    steps: usize,
) -> [f64; 2] {
    let mut minimal = VariationalIntegrator::with_forces(model, law());
    let mut maximal = MaximalVariationalIntegrator::with_forces(model, law()).unwrap();
    // A tolerance is of the energy, and light links may be off by more than it.
    let convergence = Convergence {
        tolerance: 1e-13,
        ..Convergence::default()
    };
    minimal.set_convergence(convergence).unwrap();
    maximal.set_convergence(convergence).unwrap();
    minimal.start(0.0, q, v).unwrap();
    maximal.start(0.0, q, v).unwrap();
    let mut apart = [0.0_f64; 2];
    for _ in 0..steps {
        minimal.step(h).unwrap();
        maximal.step(h).unwrap();
        let (a, b) = (minimal.configuration(), maximal.configuration());
        for x in model.difference(a, b).unwrap() {
            apart[0] = apart[0].max(x.abs());
        }
        let (a, b) = (minimal.velocity().unwrap(), maximal.velocity().unwrap());
        for (a, b) in a.iter().zip(b) {
            apart[1] = apart[1].max((a - b).abs());
        }
        assert!(
            maximal.gap() < 1e-13,
            "{}: {:e}",
            model.name(),
            maximal.gap()
        );
    }
    let (q, v) = (minimal.configuration().to_vec(), vec![0.0; model.nv()]);
    let expected = MaximalState::from_joints(model, &mut Workspace::new(model), &q, &v).unwrap();
    for (a, b) in expected.poses.iter().zip(maximal.poses()) {
        let turn = a.orientation.dot(b.orientation).abs() - 1.0;
        let way = (a.position - b.position).norm();
        let name = model.name();
        assert!(way < 1e-9 && turn.abs() < 1e-12, "{name}: {way:e}");
    }
    let lost = minimal.momentum().unwrap() - maximal.momentum().unwrap();
    assert!(lost.linear.norm() + lost.angular.norm() < 1e-8);
    apart
}

#[test]
fn on_trees_it_follows_the_minimal_one_step_by_step() {
    for case in trees() {
        let model = &case.0;
        let [q, v] = apart(&case, || (), 2e-3, 50);
        assert!(q < 1e-9 && v < 1e-9, "{}: {q:e} {v:e}", model.name());
    }
}

#[test]
fn on_trees_it_follows_the_minimal_one_under_every_kind_of_force() {
    for case in trees() {
        let model = &case.0;
        let law = || {
            let swing = |t: f64, q: &[f64], v: &[f64], tau: &mut [f64]| {
                for k in 0..v.len() {
                    tau[k] += (3.0 * t).sin() - 0.5 * q[0] * v[k];
                }
            };
            (
                forces::passive(model, 0.5).unwrap(),
                TorqueFunction::new(swing),
                BodyForces::new(external_forces(model)),
            )
        };
        let [q, v] = apart(&case, law, 1e-3, 50);
        assert!(q < 1e-9 && v < 1e-9, "{}: {q:e} {v:e}", model.name());
    }
}

#[test]
fn long_steps_have_the_same_solution_too() {
    // A hundredth of a second at some radians a second: the truncation error is far above the
    // difference.
    let model = double_pendulum();
    let case = (model, vec![1.5, -0.5], vec![2.0, -3.0]);
    let [q, v] = apart(&case, || (), 0.01, 100);
    assert!(q < 1e-9 && v < 1e-8, "{q:e} {v:e}");
}

/// Trees that float freely, without armature that would hold them to the world, far from singular
/// joints.
fn floating() -> Vec<(Model, Vec<f64>, Vec<f64>)> {
    let mut found: Vec<_> = trees()
        .into_iter()
        .filter(|(model, ..)| {
            model.joints()[1].kind.nv() == 6 && kernel::reflected_inertias(model)[..6] == [0.0; 6]
        })
        .collect();
    for (model, q, v) in &mut found {
        *model = model.clone().with_gravity(Vec3::zero()).unwrap();
        *q = model.neutral_configuration();
        *v = (0..model.nv()).map(|k| (1.7 * k as f64).sin()).collect();
    }
    assert!(found.len() >= 2);
    found
}

#[test]
fn momentum_is_kept_to_rounding() {
    for (model, q, v) in floating() {
        // However loosely the steps are solved: joints give to one body what they take from the
        // other.
        for tolerance in [1e-11, 1e-6] {
            let mut motion = MaximalVariationalIntegrator::new(&model).unwrap();
            let convergence = Convergence {
                tolerance,
                ..Convergence::default()
            };
            motion.set_convergence(convergence).unwrap();
            motion.start(0.0, &q, &v).unwrap();
            let before = motion.momentum().unwrap();
            for _ in 0..500 {
                motion.step(1e-3).unwrap();
            }
            let change = motion.momentum().unwrap() - before;
            let scale = before.linear.norm() + before.angular.norm();
            let error = change.linear.norm() + change.angular.norm();
            assert!(
                error < 1e-12 * scale,
                "{}: {error:e} of {scale}",
                model.name()
            );
        }
    }
}

#[test]
fn a_start_is_read_back() {
    for (model, q, v) in trees() {
        let mut motion = MaximalVariationalIntegrator::new(&model).unwrap();
        motion.start(1.5, &q, &v).unwrap();
        assert_eq!((motion.time(), motion.configuration()), (1.5, &q[..]));
        assert!(motion.gap() < 1e-13);
        for (found, given) in motion.velocity().unwrap().iter().zip(&v) {
            // M⁻¹ M v: rounding times the condition of M.
            assert!((found - given).abs() < 1e-10, "{}", model.name());
        }
        let mut ws = Workspace::new(&model);
        let energy = model.mechanical_energy(&mut ws, &q, &v).unwrap();
        assert!((motion.energy().unwrap() - energy).abs() < 1e-9);
    }
}

#[test]
fn the_same_motion_has_the_same_bits_whatever_is_read() {
    for (model, q, v) in trees() {
        let mut silent = MaximalVariationalIntegrator::new(&model).unwrap();
        silent.start(0.0, &q, &v).unwrap();
        let mut read = silent.clone();
        for _ in 0..20 {
            silent.step(1e-3).unwrap();
            read.step(1e-3).unwrap();
            read.energy().unwrap();
            read.momentum().unwrap();
        }
        assert_eq!(silent.configuration(), read.configuration());
        assert_eq!(silent.poses(), read.poses());
    }
}

#[test]
fn steps_allocate_nothing() {
    for (model, q, v) in trees() {
        let laws = (
            forces::passive(&model, 0.1).unwrap(),
            BodyForces::new(external_forces(&model)),
        );
        let mut motion = MaximalVariationalIntegrator::with_forces(&model, laws).unwrap();
        let mut outcome = Ok(());
        let counted = measure(|| {
            outcome = (|| {
                motion.start(0.0, &q, &v)?;
                for _ in 0..5 {
                    motion.step(1e-3)?;
                    motion.energy()?;
                    motion.momentum()?;
                }
                Ok::<(), IntegratorError>(())
            })();
        });
        outcome.unwrap();
        assert_eq!(counted.count_total, 0, "{}", model.name());
    }
}

#[test]
fn a_step_that_does_not_converge_says_so_and_changes_nothing() {
    let (model, q, v) = &trees()[1];
    let mut motion = MaximalVariationalIntegrator::new(model).unwrap();
    let once = Convergence {
        most_iterations: 1,
        ..Convergence::default()
    };
    motion.set_convergence(once).unwrap();
    motion.start(0.0, q, v).unwrap();
    match motion.step(0.01) {
        Err(IntegratorError::NotConverged {
            iterations: 1,
            change,
            joint,
            ..
        }) => {
            assert!(change > 0.0 && model.joint_id(&joint).is_ok());
        }
        other => panic!("{other:?}"),
    }
    assert_eq!((motion.time(), motion.configuration()), (0.0, &q[..]));
    motion.set_convergence(Convergence::default()).unwrap();
    motion.step(1e-3).unwrap();
    let mut other = MaximalVariationalIntegrator::new(model).unwrap();
    other.start(0.0, q, v).unwrap();
    other.step(1e-3).unwrap();
    assert_eq!(motion.configuration(), other.configuration());
}

#[test]
fn what_is_no_robot_no_state_and_no_step_is_refused() {
    let mimic_joint = random_loops(1, &RandomTree::default(), 1);
    assert!(
        mimic_joint
            .joints()
            .iter()
            .any(|joint| joint.mimic.is_some())
    );
    let error = MaximalVariationalIntegrator::new(&mimic_joint).unwrap_err();
    assert!(matches!(error, MaximalError::MimicJoint { .. }), "{error}");

    let model = four_bar();
    let mut motion = MaximalVariationalIntegrator::new(&model).unwrap();
    let still = [0.0; 3];
    match motion.start(0.0, &[0.4, 0.0, 0.0], &still) {
        Err(IntegratorError::OpenLoop { joint, gap, .. }) => {
            assert_eq!(joint, model.loop_joints()[0].name);
            // The crank of 0.1 m is turned by 0.4 rad.
            assert!(gap > 0.0397 && gap < 0.5, "{gap}");
        }
        other => panic!("{other:?}"),
    }
    assert!(motion.start(0.0, &[0.0; 2], &still).is_err());
    assert!(motion.start(0.0, &[f64::NAN; 3], &still).is_err());
    assert!(motion.start(0.0, &still, &[f64::INFINITY; 3]).is_err());
    assert!(motion.start(f64::NAN, &still, &still).is_err());
    motion.start(0.0, &still, &still).unwrap();
    for step in [0.0, -0.1, f64::NAN] {
        assert!(motion.step(step).is_err());
    }
}
