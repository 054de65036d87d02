//! Random robots and states for the tests.
#![allow(dead_code, unused_imports)] // each test file uses its part

mod motion;

pub use motion::{Rate, changing, moving};

use featherline::Model;
use featherline::dynamics::ExternalForce;
use featherline::joint::JointKind;
use featherline::kinematics::{ReferenceFrame, Target};
use featherline::samples::{RandomTree, random_tree};
use featherline::spatial::{Force, Vec3};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Robots of all shapes, each with a seed for its state.
pub fn models() -> Vec<(Model, u64)> {
    let mut models = Vec::new();
    for seed in 0..60 {
        let shape = RandomTree {
            joints: 1 + (seed as usize * 7) % 20,
            branching: (seed % 5) as f64 / 4.0,
            every_kind: seed % 4 != 0,
            mimic_joints: seed % 2 == 1,
            floating: seed % 3 == 0,
        };
        models.push((random_tree(seed, &shape), seed));
    }
    models
}

/// Forces on all bodies, the universe's included.
pub fn external_forces(model: &Model) -> Vec<Force<f64>> {
    let force = |i: usize| {
        let x = i as f64;
        Force::new(
            Vec3::new(x.sin(), x.cos(), 1.0),
            Vec3::new(0.5, (2.0 * x).sin(), x.cos()),
        )
    };
    (0..model.joints().len()).map(force).collect()
}

/// Forces in every reference, on joints and frames: the universe, and two on the last link.
pub fn frame_forces(model: &Model) -> Vec<ExternalForce<f64>> {
    let joints = model.joint_ids().map(Target::from);
    let frames = model.frame_ids().map(Target::from);
    let targets: Vec<Target> = joints.chain(frames).collect();
    let last = targets[targets.len() - 1];
    let forces = external_forces(model);
    let targets = targets.into_iter().step_by(3).chain([last, last]);
    let given = targets.enumerate().map(|(k, target)| ExternalForce {
        target,
        reference: ReferenceFrame::ALL[k % 3],
        force: forces[k % forces.len()],
    });
    given.collect()
}

/// A state of a robot.
pub struct State {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
    pub tau: Vec<f64>,
}

impl State {
    pub fn random(model: &Model, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5eed);
        let mut q = vec![0.0; model.nq()];
        for joint in model.joints() {
            if joint.mimic.is_none() {
                random_configuration(
                    &joint.kind,
                    &mut q[joint.idx_q..joint.idx_q + joint.nq],
                    &mut rng,
                );
            }
        }
        let mut tangent = || {
            (0..model.nv())
                .map(|_| rng.random_range(-1.0..1.0))
                .collect()
        };
        Self {
            v: tangent(),
            a: tangent(),
            tau: tangent(),
            q,
        }
    }
}

fn random_configuration(kind: &JointKind, q: &mut [f64], rng: &mut impl Rng) {
    if let JointKind::Composite(composite) = kind {
        let mut rest = q;
        for part in composite.parts() {
            let (own, after) = rest.split_at_mut(part.kind.nq());
            random_configuration(&part.kind, own, rng);
            rest = after;
        }
        return;
    }
    for x in q.iter_mut() {
        *x = rng.random_range(-1.2..1.2);
    }
    let unit = match kind {
        JointKind::RevoluteUnbounded { .. } => 0..2,
        JointKind::Planar => 2..4,
        JointKind::Spherical => 0..4,
        JointKind::FreeFlyer => 3..7,
        JointKind::Fixed
        | JointKind::Revolute { .. }
        | JointKind::Prismatic { .. }
        | JointKind::Helical { .. }
        | JointKind::Cylindrical { .. }
        | JointKind::Universal { .. }
        | JointKind::Translation
        | JointKind::SphericalZyx
        | JointKind::Ellipsoid { .. }
        | JointKind::Composite(_) => return,
    };
    let norm = q[unit.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
    q[unit].iter_mut().for_each(|x| *x /= norm);
}

/// Fails unless two vectors agree within a tolerance relative to the larger one's greatest entry
/// (or to one).
pub fn close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}: lengths");
    let scale = expected.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    for (k, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!(
            (f - e).abs() <= tolerance * scale,
            "{what}[{k}]: found {f}, expected {e}, scale {scale}"
        );
    }
}
