//! Robots with frames that are held, in random states.

use crate::common::{State, models};
use featherline::kinematics::ReferenceFrame;
use featherline::model::JointId;
use featherline::samples::{self, RandomTree, random_loops};
use featherline::spatial::{Mat3, Se3, Vec3};
use featherline::{Model, Workspace};
use featherline_constraint::{
    ConstraintWorkspace, FrameConstraint, FrameConstraintKind, Stabilisation, assemble,
    project_velocity,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A robot with constraints, and a state.
pub struct Held {
    pub model: Model,
    pub constraints: Vec<FrameConstraint>,
    pub ws: ConstraintWorkspace,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub tau: Vec<f64>,
}

fn random_placement(rng: &mut ChaCha8Rng) -> Se3<f64> {
    let mut number = |size: f64| size * rng.random_range(-1.0..1.0);
    let rotation = Mat3::from_roll_pitch_yaw(number(3.0), number(1.5), number(3.0));
    Se3::new(rotation, Vec3::new(number(0.3), number(0.3), number(0.3)))
}

/// Joints that nothing else follows: the ends of legs and arms.
fn leaves(model: &Model) -> Vec<JointId> {
    let is_parent = |id: JointId| model.joints()[1..].iter().any(|j| j.parent == id);
    model.joint_ids().filter(|id| !is_parent(*id)).collect()
}

/// Random constraints at the ends of a robot, some of them between links, in every reference; they
/// are held near where they are.
pub fn random_constraints(
    model: &Model,
    q: &[f64],
    seed: u64,
    gains: bool,
) -> Vec<FrameConstraint> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let ends = leaves(model);
    let mut ws = Workspace::new(model);
    let placed = model.forward_kinematics(&mut ws, q).unwrap();
    let mut constraints = Vec::new();
    for (k, end) in ends.iter().copied().take(3).enumerate() {
        let kind = if (k + seed as usize).is_multiple_of(2) {
            FrameConstraintKind::Frame
        } else {
            FrameConstraintKind::Point
        };
        let frame = random_placement(&mut rng);
        let reference = ReferenceFrame::ALL[(k + seed as usize) % 3];
        let mut own = FrameConstraint::new(kind, end, frame).expressed_in(reference);
        let held = placed.placement(end).compose(&frame);
        // A little away from where it is.
        let moved = Se3::new(
            Mat3::from_roll_pitch_yaw(0.02, -0.03, 0.01),
            Vec3::new(0.01, 0.02, -0.015),
        );
        own.base_placement = held.compose(&moved);
        if k == 1 && ends.len() > 2 {
            let base = ends[2];
            own = own.held_by(
                base,
                placed
                    .placement(base)
                    .inverse_compose(&held)
                    .compose(&moved),
            );
        }
        if gains {
            own = own.stabilised(Stabilisation::with_gains(30.0 + k as f64, 7.0));
        }
        constraints.push(own);
    }
    constraints
}

fn held(model: Model, seed: u64, gains: bool) -> Held {
    let State {
        mut q, mut v, tau, ..
    } = State::random(&model, seed);
    if !model.loop_joints().is_empty() {
        let mut ws = featherline_constraint::LoopWorkspace::new(&model).unwrap();
        if let Some(closed) = model.reference_configurations().get("closed") {
            q.clone_from(closed);
        } else {
            q = model.neutral_configuration();
        }
        let step: Vec<f64> = v.iter().map(|x| 0.1 * x).collect();
        q = model.integrate(&q, &step).unwrap();
        assemble(&model, &mut ws, &mut q).unwrap();
        project_velocity(&model, &mut ws, &q, &mut v).unwrap();
    }
    let constraints = random_constraints(&model, &q, seed, gains);
    let ws = ConstraintWorkspace::new(&model, &constraints).unwrap();
    Held {
        model,
        constraints,
        ws,
        q,
        v,
        tau,
    }
}

/// Every embedded robot, random trees of every kind of joint, and robots with loops.
pub fn all(gains: bool) -> Vec<Held> {
    let mut all = Vec::new();
    let embedded = [
        featherline_robots::quadruped(),
        featherline_robots::humanoid(),
        featherline_robots::panda(),
        featherline_robots::ur5(),
        featherline_robots::hand(),
        featherline_robots::double_pendulum(),
    ];
    for (model, seed) in embedded.into_iter().zip(1..) {
        all.push(held(model, seed, gains));
    }
    for (model, seed) in models().into_iter().filter(|(m, _)| m.nv() > 0) {
        all.push(held(model, seed, gains));
    }
    let linkages = [samples::four_bar(), samples::stewart(), samples::delta()];
    for (model, seed) in linkages.into_iter().zip(5..) {
        all.push(held(model, seed, gains));
    }
    for seed in 0..10 {
        let shape = RandomTree {
            joints: 8 + seed as usize,
            mimic_joints: false,
            floating: seed % 2 == 0,
            ..RandomTree::default()
        };
        all.push(held(random_loops(seed, &shape, 1), seed, gains));
    }
    all
}
