//! Absurd forces: speeds are those that they give, and limits hold.

use super::middle::tree;
use featherline::Workspace;
use featherline::joint::JointKind;
use featherline::model::Model;
use featherline::random::{RandomSource, SplitMix64};
use featherline::spatial::Vec3;
use featherline_constraint::nonsmooth::limited_displacements;
use featherline_formats::LoadOptions;
use featherline_sim::contact::{ContactSource, TimeStepping};
use featherline_sim::integrator::forces::{ForceModel, TorqueFunction};
use featherline_sim::setup::Setup;
use nalgebra::DVector;

const STEP: f64 = 2e-3;

/// The extremes of a motion from rest.
#[derive(Debug)]
struct Motion {
    /// The greatest ‖v‖ beside the sum of h ‖M⁻¹ τ‖ so far, both in the norm of M: one at most, but
    /// for the change of M in steps of many radians.
    excess: f64,
    /// How far a joint went beyond its limits, and the most that the steps let pass, in rad or m.
    beyond: f64,
    allowed: f64,
    inexact_steps: usize,
}

fn motion<L: ForceModel, C: ContactSource>(
    model: &Model,
    stepping: &mut TimeStepping<'_, L, C>,
    (mut q, mut v): (Vec<f64>, Vec<f64>),
    tau: &[f64],
    steps: usize,
) -> Motion {
    let mut ws = Workspace::new(model);
    let tau = DVector::from_column_slice(tau);
    let limits = limited_displacements(model);
    let mut given = 0.0;
    let mut motion = Motion {
        excess: 0.0,
        beyond: 0.0,
        allowed: 0.0,
        inexact_steps: 0,
    };
    for _ in 0..steps {
        let mut mass = model.crba(&mut ws, &q).unwrap().clone();
        mass.fill_upper_triangle_with_lower_triangle();
        let response = mass.cholesky().unwrap().solve(&tau);
        given += STEP * tau.dot(&response).sqrt();
        let outcome = stepping.step(0.0, &mut q, &mut v, STEP).unwrap().outcome;
        let kinetic = model.kinetic_energy(&mut ws, &q, &v).unwrap();
        motion.excess = motion.excess.max((2.0 * kinetic).sqrt() / given);
        for it in &limits {
            let x = it.displacement.at(&q);
            motion.beyond = motion.beyond.max(it.lower - x).max(x - it.upper);
        }
        let allowed = STEP * (1e-8 * outcome.scale).max(1e-9);
        motion.allowed += allowed;
        motion.inexact_steps += usize::from(!outcome.has_converged);
    }
    motion
}

/// A tree that floats, and turns by up to 1e7 rad a step.
#[test]
fn joints_under_absurd_torques_are_no_faster_than_these_make_them() {
    let axis = Vec3::new(0.6, 0.0, 0.8);
    let kinds = [
        JointKind::FreeFlyer,
        JointKind::Spherical,
        JointKind::Revolute { axis },
        JointKind::RevoluteUnbounded { axis },
        JointKind::Spherical,
        JointKind::Revolute { axis },
    ];
    let model = tree(&kinds, Vec3::zero());
    let mut random = SplitMix64::new(3);
    for size in [1e4, 1e7, 1e10] {
        for _ in 0..5 {
            let q = model.random_configuration(&mut random);
            let torques = (0..model.nv()).map(|_| size * (random.uniform() - 0.5));
            let torques: Vec<f64> = torques.collect();
            let own = torques.clone();
            let forces = TorqueFunction::new(move |_, _: &[f64], _: &[f64], tau: &mut [f64]| {
                tau.copy_from_slice(&own);
            });
            let mut stepping = TimeStepping::with(&model, forces, ()).unwrap();
            let start = (q, vec![0.0; model.nv()]);
            let found = motion(&model, &mut stepping, start, &torques, 100);
            assert!(found.excess < 10.0, "{size:.0e} N m: {found:?}");
        }
    }
}

/// A quadruped that stands is pressed on its legs. Its limits hold, whether a step is exact or not.
#[test]
fn a_quadruped_under_absurd_forces_keeps_its_limits_and_its_speed() {
    let options = LoadOptions::new().floating_base(true);
    let robot = featherline_robots::load("quadruped", &options).unwrap();
    let model = &robot.model;
    let mut inexact_steps = 0;
    for force in [1e6, 1e7, 1e8, 1e10] {
        let start = Setup::default().decide(&robot).unwrap();
        let mut press = vec![0.0; model.nv()];
        for (own, part) in press.iter_mut().zip([1.0, 0.3, -1.0, 0.2, 0.5, 0.1]) {
            *own = force * part;
        }
        let own = press.clone();
        let forces = TorqueFunction::new(move |_, _: &[f64], _: &[f64], tau: &mut [f64]| {
            tau.copy_from_slice(&own);
        });
        let mut stepping = start.time_stepping_with(forces).unwrap();
        let found = motion(model, &mut stepping, (start.q, start.v), &press, 5);
        println!("{force:.0e} N: {found:?}");
        assert!(found.excess < 2.0, "{force:.0e} N: {found:?}");
        assert!(found.beyond <= found.allowed, "{force:.0e} N: {found:?}");
        inexact_steps += found.inexact_steps;
    }
    assert!(inexact_steps > 0);
}
