//! `featherline info`: the tree of joints, or the robot as JSON.

mod arguments;
mod semantics;
mod tree;

pub use arguments::{HELP, InfoArguments};

use crate::failure::Failure;
use crate::format::{Format, write_line};
use crate::robot::{self, Robot};
use crate::status::Status;
use featherline::Model;
use featherline::model::{Drive, FrameKind, JointId, Limits, LoopJoint};
use featherline_formats::model_file;
use semantics::{EndEffector, Group};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{BufWriter, Write, stdout};

/// Draws or describes the robot, and saves its model if that is asked for.
pub fn run(arguments: &InfoArguments) -> Result<Status, Failure> {
    let robot = robot::load_and_warn(&arguments.robot)?;
    let model = &robot.model;
    if let Some(path) = &arguments.save {
        model_file::write_file(model, path).map_err(Failure::of_file(path))?;
    }
    let mut out = BufWriter::new(stdout().lock());
    match arguments.format {
        _ if arguments.json => {
            serde_json::to_writer_pretty(&mut out, &Description::of(&robot))?;
            writeln!(out)?;
        }
        Format::Jsonl => write_line(&mut out, &Description::of(&robot))?,
        Format::Text => {
            tree::draw(&mut out, model)?;
            semantics::write(&mut out, &robot)?;
        }
    }
    out.flush()?;
    Ok(Status::Done)
}

#[derive(Serialize)]
struct Description<'a> {
    name: &'a str,
    nq: usize,
    nv: usize,
    total_mass: f64,
    gravity: [f64; 3],
    joints: Vec<JointDescription<'a>>,
    loop_joints: Vec<LoopDescription<'a>>,
    bodies: Vec<FrameDescription<'a>>,
    frames: Vec<FrameDescription<'a>>,
    reference_configurations: &'a BTreeMap<String, Vec<f64>>,
    groups: Vec<Group<'a>>,
    end_effectors: Vec<EndEffector<'a>>,
}

#[derive(Serialize)]
struct JointDescription<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    /// Absent for kinds that have no axis, or more than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    axis: Option<[f64; 3]>,
    parent: Option<&'a str>,
    idx_q: usize,
    nq: usize,
    idx_v: usize,
    nv: usize,
    mimic: Option<MimicDescription<'a>>,
    placement: [[f64; 4]; 4],
    mass: f64,
    limits: &'a Limits,
    drive: &'a Drive,
}

/// A joint that closes a loop, and is not in the tree.
#[derive(Serialize)]
struct LoopDescription<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    /// Absent for the world.
    predecessor: Option<&'a str>,
    predecessor_placement: [[f64; 4]; 4],
    successor: Option<&'a str>,
    successor_placement: [[f64; 4]; 4],
}

#[derive(Serialize)]
struct MimicDescription<'a> {
    source: &'a str,
    ratio: f64,
    offset: f64,
}

#[derive(Serialize)]
struct FrameDescription<'a> {
    name: &'a str,
    kind: FrameKind,
    joint: Option<&'a str>,
    placement: [[f64; 4]; 4],
}

impl<'a> Description<'a> {
    fn of(robot: &'a Robot) -> Self {
        let model = &robot.model;
        Self {
            name: model.name(),
            nq: model.nq(),
            nv: model.nv(),
            total_mass: model.total_mass(),
            gravity: model.gravity().to_array(),
            joints: model
                .joint_ids()
                .map(|id| JointDescription::of(model, id))
                .collect(),
            loop_joints: model
                .loop_joints()
                .iter()
                .map(|closing| LoopDescription::of(model, closing))
                .collect(),
            bodies: frames(model, |kind| kind == FrameKind::Body),
            frames: frames(model, |_| true),
            reference_configurations: model.reference_configurations(),
            groups: semantics::groups(robot),
            end_effectors: semantics::end_effectors(robot),
        }
    }
}

impl<'a> LoopDescription<'a> {
    fn of(model: &'a Model, closing: &'a LoopJoint) -> Self {
        Self {
            name: &closing.name,
            kind: closing.kind.name(),
            predecessor: name_of(model, closing.predecessor),
            predecessor_placement: closing.predecessor_placement.to_homogeneous(),
            successor: name_of(model, closing.successor),
            successor_placement: closing.successor_placement.to_homogeneous(),
        }
    }
}

impl<'a> JointDescription<'a> {
    fn of(model: &'a Model, id: JointId) -> Self {
        let joint = model.joint(id);
        Self {
            name: &joint.name,
            kind: joint.kind.name(),
            axis: joint.kind.axis().map(|it| it.to_array()),
            parent: name_of(model, joint.parent),
            idx_q: joint.idx_q,
            nq: joint.nq,
            idx_v: joint.idx_v,
            nv: joint.nv,
            mimic: joint.mimic.map(|mimic| MimicDescription {
                source: &model.joint(mimic.source).name,
                ratio: mimic.ratio,
                offset: mimic.offset,
            }),
            placement: joint.placement.to_homogeneous(),
            mass: joint.inertia.mass,
            limits: &joint.limits,
            drive: &joint.drive,
        }
    }
}

/// The joint's name; nothing for the universe.
pub fn name_of(model: &Model, id: JointId) -> Option<&str> {
    (id != JointId::UNIVERSE).then(|| model.joint(id).name.as_str())
}

/// Frames that can be asked for; the universe's own is the world.
fn frames(model: &Model, accept: impl Fn(FrameKind) -> bool) -> Vec<FrameDescription<'_>> {
    let chosen = model.frames().iter().filter(|f| accept(f.kind));
    chosen
        .map(|frame| FrameDescription {
            name: &frame.name,
            kind: frame.kind,
            joint: name_of(model, frame.joint),
            placement: frame.placement.to_homogeneous(),
        })
        .collect()
}
