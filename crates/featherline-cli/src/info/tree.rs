//! The tree of joints, drawn for a terminal.

use super::name_of;
use crate::table::{align_numbers, plain};
use featherline::Model;
use featherline::joint::JointKind;
use featherline::model::{FrameKind, Joint, JointId};
use featherline_record::coordinates;
use featherline_record::number::short;
use std::io::{self, Write};

/// Draws the robot: a line for each joint, with the body that it moves.
pub fn draw(out: &mut impl Write, model: &Model) -> io::Result<()> {
    let gravity = model.gravity().to_array().map(short).join(" ");
    let joints = model.joint_ids().count();
    writeln!(
        out,
        "{}: {} joint{}, nq {}, nv {}, {} kg that move, gravity ({gravity}) m/s²\n",
        model.name(),
        joints,
        if joints == 1 { "" } else { "s" },
        model.nq(),
        model.nv(),
        short(model.total_mass()),
    )?;
    let mut table = plain(["joint → body", "type", "q", "v", "mass [kg]", "limits"]);
    let bodies = Bodies::of(model);
    table.add_rows(rows(model, &bodies));
    align_numbers(&mut table, 2..5);
    writeln!(out, "{}", table.trim_fmt())?;
    for closing in model.loop_joints() {
        let end = |id| name_of(model, id).unwrap_or("the world");
        writeln!(
            out,
            "{} ({}) closes a loop from {} to {}",
            closing.name,
            closing.kind.name(),
            end(closing.predecessor),
            end(closing.successor)
        )?;
    }
    Ok(())
}

/// The names of the bodies that each joint moves.
struct Bodies<'a>(Vec<Vec<&'a str>>);

impl<'a> Bodies<'a> {
    fn of(model: &'a Model) -> Self {
        let mut bodies = vec![Vec::new(); model.joints().len()];
        for frame in model.frames() {
            if frame.kind == FrameKind::Body {
                bodies[frame.joint.index()].push(frame.name.as_str());
            }
        }
        Self(bodies)
    }

    /// The body on the joint's own line; the world has none.
    fn own(&self, id: JointId) -> Option<&'a str> {
        let first = self.0[id.index()].first().copied();
        first.filter(|_| id != JointId::UNIVERSE)
    }

    /// The other bodies, which are fixed to that one.
    fn fixed(&self, id: JointId) -> &[&'a str] {
        let skipped = usize::from(self.own(id).is_some());
        &self.0[id.index()][skipped..]
    }
}

/// The rows of the tree from top to bottom. An only child is not indented, so that a long chain
/// stays on the screen.
fn rows(model: &Model, bodies: &Bodies) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    // Joints still to be drawn, with the prefixes of their own line and of the lines below it.
    let mut open = vec![(String::new(), String::new(), JointId::UNIVERSE)];
    while let Some((prefix, below, id)) = open.pop() {
        let children: Vec<JointId> = model.children(id).collect();
        rows.push(joint_row(model, bodies, &prefix, id));
        let is_branching = children.len() > 1;
        let bar = if is_branching { "│  " } else { "" };
        for &name in bodies.fixed(id) {
            rows.push(vec![format!("{below}{bar}· {name}")]);
        }
        let last = children.len().saturating_sub(1);
        for (k, &child) in children.iter().enumerate().rev() {
            let (mark, bar) = match (is_branching, k == last) {
                (false, _) => ("", ""),
                (true, false) => ("├─ ", "│  "),
                (true, true) => ("└─ ", "   "),
            };
            open.push((format!("{below}{mark}"), format!("{below}{bar}"), child));
        }
    }
    rows
}

fn joint_row(model: &Model, bodies: &Bodies, prefix: &str, id: JointId) -> Vec<String> {
    if id == JointId::UNIVERSE {
        return vec!["world".to_owned()];
    }
    let joint = model.joint(id);
    let body = bodies
        .own(id)
        .map(|b| format!(" → {b}"))
        .unwrap_or_default();
    let place = |start: usize, length: usize| match length {
        0 => String::new(),
        1 => start.to_string(),
        n => format!("{start}…{}", start + n - 1),
    };
    vec![
        format!("{prefix}{}{body}", joint.name),
        kind(model, joint),
        place(joint.idx_q, joint.nq),
        place(joint.idx_v, joint.nv),
        short(joint.inertia.mass),
        limits(joint),
    ]
}

/// The kind with its axis, and the mimicked joint of a mimic joint.
fn kind(model: &Model, joint: &Joint) -> String {
    let mut text = joint.kind.name().replace('_', " ");
    if let Some(axis) = joint.kind.axis() {
        text += &format!(" {}", named_axis(axis.to_array()));
    }
    if let JointKind::Helical { pitch, .. } = joint.kind {
        text += &format!(", {} m/rad", short(pitch));
    }
    if let Some(mimic) = joint.mimic {
        let source = &model.joint(mimic.source).name;
        text += &format!(" = {} · {source}", short(mimic.ratio));
        if mimic.offset != 0.0 {
            text += &format!(" + {}", short(mimic.offset));
        }
    }
    text
}

fn named_axis(axis: [f64; 3]) -> String {
    match axis {
        [1.0, 0.0, 0.0] => "x".to_owned(),
        [0.0, 1.0, 0.0] => "y".to_owned(),
        [0.0, 0.0, 1.0] => "z".to_owned(),
        [-1.0, 0.0, 0.0] => "−x".to_owned(),
        [0.0, -1.0, 0.0] => "−y".to_owned(),
        [0.0, 0.0, -1.0] => "−z".to_owned(),
        other => format!("({})", other.map(short).join(" ")),
    }
}

/// Range, speed and effort of a joint with one coordinate; the others' are in the JSON.
fn limits(joint: &Joint) -> String {
    let [measure] = coordinates::of_kind(&joint.kind)[..] else {
        return String::new();
    };
    let (unit, force) = (measure.unit(), measure.force_unit());
    let bounds = &joint.limits;
    let mut parts = Vec::new();
    if let ([lower], [upper]) = (&bounds.lower[..], &bounds.upper[..])
        && (lower.is_finite() || upper.is_finite())
    {
        parts.push(format!("[{}, {}] {unit}", short(*lower), short(*upper)));
    }
    for (values, unit) in [
        (&bounds.velocity, format!("{unit}/s")),
        (&bounds.effort, force.to_owned()),
    ] {
        if let [value] = values[..]
            && value.is_finite()
        {
            parts.push(format!("{} {unit}", short(value)));
        }
    }
    parts.join(", ")
}
