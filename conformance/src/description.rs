//! Robots described in JSON, with the joints that URDF cannot express. The folder's README has the
//! schema.

use anyhow::{Context, Result, bail, ensure};
use featherline::Model;
use featherline::joint::JointKind;
use featherline::model::{Drive, FrameKind, JointHandle, JointSpec, ModelBuilder, ModelWarning};
use featherline::spatial::{Inertia, Quaternion, Se3, Sym3, Vec3};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    name: String,
    gravity: [f64; 3],
    joints: Vec<Joint>,
    #[serde(default)]
    frames: Vec<Frame>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Joint {
    name: String,
    parent: Option<String>,
    kind: Kind,
    placement: Placement,
    body: Body,
    armature: Option<Vec<f64>>,
    rotor_inertia: Option<Vec<f64>>,
    gear_ratio: Option<Vec<f64>>,
    damping: Option<Vec<f64>>,
    friction: Option<Vec<f64>>,
    stiffness: Option<Vec<f64>>,
    spring_reference: Option<Vec<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Frame {
    name: String,
    joint: String,
    placement: Placement,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Placement {
    translation: [f64; 3],
    rotation: [f64; 4],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    mass: f64,
    com: [f64; 3],
    inertia: [f64; 6],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "type")]
enum Kind {
    Revolute {
        axis: [f64; 3],
    },
    RevoluteUnbounded {
        axis: [f64; 3],
    },
    Prismatic {
        axis: [f64; 3],
    },
    Helical {
        axis: [f64; 3],
        pitch: f64,
    },
    Cylindrical {
        axis: [f64; 3],
    },
    Universal {
        axis1: [f64; 3],
        axis2: [f64; 3],
    },
    Planar,
    Translation,
    Spherical,
    SphericalZyx,
    Ellipsoid {
        radii: [f64; 3],
    },
    FreeFlyer,
    Composite {
        parts: Vec<Part>,
    },
    Mimic {
        kind: Box<Kind>,
        master: String,
        ratio: f64,
        offset: f64,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    placement: Placement,
    kind: Kind,
}

/// Reads a description from a file.
///
/// # Errors
/// If the file cannot be read, does not follow the schema, or describes no possible robot.
pub fn read(path: &Path) -> Result<Model> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&text).with_context(|| format!("{} describes no robot", path.display()))
}

/// Reads a description from a text.
///
/// # Errors
/// If the text does not follow the schema, or describes no possible robot.
pub fn parse(text: &str) -> Result<Model> {
    build(&serde_json::from_str(text)?)
}

/// Makes the robot of a description that is parsed already.
///
/// # Errors
/// If the value does not follow the schema, or describes no possible robot.
pub fn from_value(value: Value) -> Result<Model> {
    build(&serde_json::from_value(value)?)
}

fn build(description: &Description) -> Result<Model> {
    let mut builder = ModelBuilder::new(description.name.as_str());
    builder.gravity(vector(description.gravity));
    let mut handles: HashMap<&str, JointHandle> = HashMap::new();
    for joint in &description.joints {
        let parent = match &joint.parent {
            None => ModelBuilder::UNIVERSE,
            Some(name) => handle(&handles, name)?,
        };
        let kind = if let Kind::Mimic { kind, .. } = &joint.kind {
            kind
        } else {
            &joint.kind
        };
        let kind = joint_kind(kind).with_context(|| format!("joint `{}`", joint.name))?;
        let drive = drive(joint, &kind);
        let spec = JointSpec::new(joint.name.as_str(), parent, kind)
            .placement(placement(&joint.placement))
            .drive(drive);
        let handle = builder.add_joint(spec);
        builder.add_body(
            handle,
            joint.name.as_str(),
            Se3::identity(),
            inertia(&joint.body),
        );
        handles.insert(&joint.name, handle);
    }
    for joint in &description.joints {
        if let Kind::Mimic {
            master,
            ratio,
            offset,
            ..
        } = &joint.kind
        {
            let joint = handle(&handles, &joint.name)?;
            builder.mimic(joint, handle(&handles, master)?, *ratio, *offset);
        }
    }
    for frame in &description.frames {
        let carrier = handle(&handles, &frame.joint)?;
        let at = placement(&frame.placement);
        builder.add_frame(carrier, frame.name.as_str(), at, FrameKind::Operational);
    }
    let built = builder.build()?;
    // A mimic joint of a cosine and sine jumps between states, each of which has its numbers.
    let jumps = |warning: &ModelWarning| matches!(warning, ModelWarning::MimicJumps { .. });
    ensure!(built.warnings.iter().all(jumps), "{:?}", built.warnings);
    Ok(built.model)
}

fn handle(handles: &HashMap<&str, JointHandle>, name: &str) -> Result<JointHandle> {
    let known = handles.get(name).copied();
    known.with_context(|| format!("no joint before this one is named `{name}`"))
}

fn drive(joint: &Joint, kind: &JointKind) -> Drive {
    let mut drive = Drive::none(kind);
    for (given, constant) in [
        (&joint.armature, &mut drive.armature),
        (&joint.rotor_inertia, &mut drive.rotor_inertia),
        (&joint.gear_ratio, &mut drive.gear_ratio),
        (&joint.damping, &mut drive.damping),
        (&joint.friction, &mut drive.friction),
        (&joint.stiffness, &mut drive.stiffness),
        (&joint.spring_reference, &mut drive.spring_reference),
    ] {
        if let Some(given) = given {
            constant.clone_from(given);
        }
    }
    drive
}

fn joint_kind(kind: &Kind) -> Result<JointKind> {
    Ok(match kind {
        Kind::Revolute { axis } => JointKind::revolute(vector(*axis)),
        Kind::RevoluteUnbounded { axis } => JointKind::revolute_unbounded(vector(*axis)),
        Kind::Prismatic { axis } => JointKind::prismatic(vector(*axis)),
        Kind::Helical { axis, pitch } => JointKind::helical(vector(*axis), *pitch),
        Kind::Cylindrical { axis } => JointKind::cylindrical(vector(*axis)),
        Kind::Universal { axis1, axis2 } => JointKind::universal(vector(*axis1), vector(*axis2)),
        Kind::Planar => JointKind::Planar,
        Kind::Translation => JointKind::Translation,
        Kind::Spherical => JointKind::Spherical,
        Kind::SphericalZyx => JointKind::SphericalZyx,
        Kind::Ellipsoid { radii } => JointKind::ellipsoid(vector(*radii)),
        Kind::FreeFlyer => JointKind::FreeFlyer,
        Kind::Composite { parts } => {
            let parts = parts
                .iter()
                .map(|part| Ok((placement(&part.placement), joint_kind(&part.kind)?)));
            JointKind::composite(parts.collect::<Result<Vec<_>>>()?)?
        }
        Kind::Mimic { .. } => bail!("only a whole joint can mimic another one"),
    })
}

fn vector([x, y, z]: [f64; 3]) -> Vec3<f64> {
    Vec3::new(x, y, z)
}

fn placement(placement: &Placement) -> Se3<f64> {
    let [x, y, z, w] = placement.rotation;
    let rotation = Quaternion::new(x, y, z, w).normalised().to_rotation();
    Se3::new(rotation, vector(placement.translation))
}

fn inertia(body: &Body) -> Inertia<f64> {
    let [xx, xy, xz, yy, yz, zz] = body.inertia;
    let rotational = Sym3::new(xx, xy, xz, yy, yz, zz);
    Inertia::new(body.mass, vector(body.com), rotational)
}
