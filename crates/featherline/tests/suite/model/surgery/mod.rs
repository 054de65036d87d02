//! Surgery: bodies of the new model are where those of the old one are, and move as they do; with
//! energies equal as well, the equations of motion are the same.

mod append;
mod lock;
mod mimic;
mod remove;
mod reroot;

use crate::common::{close, models};
use featherline::kinematics::ReferenceFrame::World;
use featherline::model::surgery::Carried;
use featherline::model::{FrameId, FrameKind, JointId, LoopId};
use featherline::samples::{RandomTree, random_loops};
use featherline::spatial::Se3;
use featherline::{Model, Workspace};
use nalgebra::DMatrix;

/// Rounding of some tens of products, relative to the largest entry.
const ROUNDING: f64 = 1e-11;

/// Random trees and loops of every kind of joint, and robots.
fn every_model() -> Vec<(Model, u64)> {
    let mut all = models();
    for seed in 100..120 {
        let shape = RandomTree {
            floating: seed % 2 == 1,
            ..RandomTree::default()
        };
        all.push((random_loops(seed, &shape, 3), seed));
    }
    all.push((featherline_robots::panda(), 1));
    all.push((featherline_robots::quadruped(), 2));
    all.push((featherline_robots::humanoid(), 3));
    all.push((featherline_robots::hand(), 4));
    all
}

/// The frames' placements and velocities, as numbers.
fn frames(model: &Model, q: &[f64], v: &[f64], ids: impl IntoIterator<Item = FrameId>) -> Vec<f64> {
    let mut ws = Workspace::new(model);
    let moving = model.forward_kinematics_velocities(&mut ws, q, v).unwrap();
    let mut numbers = Vec::new();
    for id in ids {
        numbers.extend(moving.placement(id).to_homogeneous().concat());
        numbers.extend(moving.velocity(id, World).to_array());
    }
    numbers
}

/// The placements in the world of both ends of a loop joint, as numbers.
fn loop_ends(model: &Model, q: &[f64], id: LoopId) -> Vec<f64> {
    let closing = model.loop_joint(id);
    let mut ws = Workspace::new(model);
    let placed = model.forward_kinematics(&mut ws, q).unwrap();
    let ends = [
        (closing.predecessor, &closing.predecessor_placement),
        (closing.successor, &closing.successor_placement),
    ];
    let world = |(joint, end): (JointId, &Se3<f64>)| placed.placement(joint).compose(end);
    let numbers = ends.map(|end| world(end).to_homogeneous().concat());
    numbers.concat()
}

/// Fails unless all frames and ends of loops that are carried over are where they were, and move as
/// they did; but for the frames of joints that are reversed.
fn same_frames(
    what: &str,
    (model, new, carried): (&Model, &Model, &Carried),
    (q, v): (&[f64], &[f64]),
    reversed: &[JointId],
) {
    let kept = |id: &FrameId| {
        let frame = model.frame(*id);
        let stays = frame.kind != FrameKind::Joint || !reversed.contains(&frame.joint);
        carried.frame(*id).is_some_and(|there| {
            assert_eq!(new.frame(there).name, frame.name, "{what}");
            stays
        })
    };
    let old: Vec<FrameId> = model.frame_ids().filter(kept).collect();
    let now = old.iter().map(|&id| carried.frame(id).unwrap());
    let (q_new, v_new) = carry(carried, q, v);
    let found = frames(new, &q_new, &v_new, now);
    let expected = frames(model, q, v, old.iter().copied());
    close(what, &found, &expected, ROUNDING);
    for id in model.loop_ids() {
        if let Some(there) = carried.loop_joint(id) {
            let (found, expected) = (loop_ends(new, &q_new, there), loop_ends(model, q, id));
            close(what, &found, &expected, ROUNDING);
        }
    }
}

fn carry(carried: &Carried, q: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
    (
        carried.configuration(q).unwrap(),
        carried.velocity(q, v).unwrap(),
    )
}

/// Fails unless carried velocities are the derivatives of carried configurations.
fn velocities_are_derivatives(
    what: &str,
    (model, new, carried): (&Model, &Model, &Carried),
    (q, v): (&[f64], &[f64]),
) {
    // Central differences: the error is of the order of h² and of rounding over h.
    let h = 1e-5;
    let (_, v_new) = carry(carried, q, v);
    let mut ends = Vec::new();
    for h in [-h, h] {
        let step: Vec<f64> = v.iter().map(|x| h * x).collect();
        let moved = model.integrate(q, &step).unwrap();
        ends.push(carried.configuration(&moved).unwrap());
    }
    let difference = new.difference(&ends[0], &ends[1]).unwrap();
    let found: Vec<f64> = difference.iter().map(|x| x / (2.0 * h)).collect();
    close(what, &found, &v_new, 1e-8);
}

/// The mass matrix, both triangles.
fn mass_matrix(model: &Model, q: &[f64]) -> DMatrix<f64> {
    let mut ws = Workspace::new(model);
    model.crba(&mut ws, q).unwrap().clone()
}

/// Where the coordinates of the joints that are carried over are in v: old and new.
fn columns(model: &Model, new: &Model, carried: &Carried) -> Vec<(usize, usize)> {
    let mut columns = Vec::new();
    for id in model.joint_ids() {
        let Some(there) = carried.joint(id) else {
            continue;
        };
        let (old, now) = (model.joint(id), new.joint(there));
        for k in 0..now.nv.min(old.nv) {
            columns.push((old.idx_v + k, now.idx_v + k));
        }
    }
    columns
}

/// Joints for tests, other ones for other seeds.
fn some_joints(model: &Model, seed: u64, accept: impl Fn(JointId) -> bool) -> Vec<JointId> {
    let mut chosen: Vec<JointId> = Vec::new();
    for id in model.joint_ids() {
        let dice = (seed + 7) * (id.index() as u64 + 3) % 11;
        if dice < 4 && accept(id) {
            chosen.push(id);
        }
    }
    chosen
}
