//! Random scenes.

use crate::{Outcome, robots, shapes};
use featherline::joint::JointKind;
use featherline::model::{JointHandle, JointId, JointSpec, Limits, Model, ModelBuilder};
use featherline::samples::{RandomTree, random_loops, random_tree};
use featherline::spatial::{Quaternion, Se3, Vec3};
use featherline_geometry::{CollisionModel, CollisionShape, Cuboid, Distribution, Plane, Shape};
use featherline_sim::contact::{Surface, distance_from, overlapping_pairs};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A scene before its first step.
pub struct Scene {
    /// The kind of scene.
    pub kind: &'static str,
    pub model: Model,
    pub collision: CollisionModel,
    /// One for each pair.
    pub surfaces: Vec<Surface>,
    pub q: Vec<f64>,
    /// For each coordinate, the stiffness and the damping of its drive, and its effort.
    pub gains: Vec<(f64, f64)>,
    pub efforts: Vec<f64>,
    /// The step, in s.
    pub step: f64,
    /// How fast it is thrown, in m/s and rad/s.
    pub speeds: (f64, f64),
    /// Whether it moves slowly enough for its step that energy and overlap stay small.
    pub is_gentle: bool,
    /// Whether something rebounds.
    pub rebounds: bool,
}

/// A model, its shapes and where it begins.
pub struct Parts {
    pub kind: &'static str,
    pub model: Model,
    pub shapes: Vec<CollisionShape>,
    /// The pairs that may touch; none for those that the collision model chooses.
    pub pairs: Option<Vec<[usize; 2]>>,
    pub q: Vec<f64>,
}

/// The scene of a seed.
pub fn scene(rng: &mut ChaCha8Rng, seed: u64) -> Outcome<Scene> {
    let parts = match seed % 8 {
        0 | 1 => bodies(rng)?,
        2 => stack(rng)?,
        3 | 4 => tree(rng, seed)?,
        5 => linkage(rng, seed)?,
        _ => robots::scene(rng)?,
    };
    let Parts {
        kind,
        model,
        shapes,
        pairs,
        q,
    } = parts;
    let collision = on_ground(&model, shapes, pairs, &q, rng.random_range(0.0..0.02))?;
    let is_smooth = rng.random::<f64>() < 0.1;
    let rebound = match rng.random_range(0..10) {
        0..6 => 0.0,
        6..9 => rng.random_range(0.0..0.95),
        _ => 1.0,
    };
    let surfaces = collision.pairs().iter().map(|_| Surface {
        friction: match rng.random_range(0..4) {
            0 => 0.8,
            1 => rng.random_range(0.0..0.3),
            _ => rng.random_range(0.0..1.5),
        } * if is_smooth { 0.0 } else { 1.0 },
        restitution: rebound,
    });
    let surfaces = surfaces.collect();
    let step = 10.0_f64.powf(rng.random_range(-4.0..-2.0));
    let is_gentle = rng.random::<f64>() < 0.85;
    let wildness = if is_gentle { 1.0 } else { 10.0 };
    let speeds = (
        wildness * rng.random_range(0.0..5.0),
        wildness * rng.random_range(0.0..10.0_f64.min(0.05 / step)),
    );
    let (gains, efforts) = gains(rng, &model);
    Ok(Scene {
        kind,
        model,
        collision,
        surfaces,
        q,
        gains,
        efforts,
        step,
        speeds,
        is_gentle,
        rebounds: rebound > 0.0,
    })
}

/// Drives from soft to stiff, or none.
fn gains(rng: &mut ChaCha8Rng, model: &Model) -> (Vec<(f64, f64)>, Vec<f64>) {
    let has_drives = rng.random::<f64>() < 0.7;
    let limited = rng.random::<f64>() < 0.6;
    let gains = (0..model.nv()).map(|_| {
        let stiffness = 10.0_f64.powf(rng.random_range(0.0..5.0));
        let damping = stiffness * rng.random_range(0.0..0.1);
        if has_drives {
            (stiffness, damping)
        } else {
            (0.0, 0.0)
        }
    });
    let gains = gains.collect();
    let efforts = (0..model.nv()).map(|_| match limited {
        true => 10.0_f64.powf(rng.random_range(0.0..2.5)),
        false => f64::INFINITY,
    });
    (gains, efforts.collect())
}

/// The collision model with a ground just above the lowest point, and without the pairs that
/// overlap at the start.
fn on_ground(
    model: &Model,
    mut shapes: Vec<CollisionShape>,
    pairs: Option<Vec<[usize; 2]>>,
    q: &[f64],
    overlap: f64,
) -> Outcome<CollisionModel> {
    let ground = shapes.len();
    let at = |z| Se3::from_translation(Vec3::new(0.0, 0.0, z));
    shapes.push(CollisionShape::new(
        "ground",
        JointId::UNIVERSE,
        at(-100.0),
        Plane,
    ));
    let pairs = match pairs {
        Some(pairs) => pairs,
        None => CollisionModel::new(model, shapes.clone())?.pairs().to_vec(),
    };
    let moving = (0..ground).filter(|&k| shapes[k].body != JointId::UNIVERSE);
    let pairs: Vec<_> = pairs
        .into_iter()
        .chain(moving.map(|k| [k, ground]))
        .collect();
    let above = CollisionModel::with_pairs(model, shapes.clone(), pairs.clone())?;
    let distance = distance_from(model, &above, ground, q)?;
    if distance.is_finite() {
        shapes[ground].placement = at(distance - 100.0 - overlap * overlap);
    }
    let mut collision = CollisionModel::with_pairs(model, shapes, pairs)?;
    for [i, j] in overlapping_pairs(model, &collision, q)? {
        collision.exclude_shapes(i, j)?;
    }
    Ok(collision)
}

/// A number of bodies that fall.
fn bodies(rng: &mut ChaCha8Rng) -> Outcome<Parts> {
    const CELL: f64 = 0.5;
    let mut builder = builder(rng);
    let mut shapes = Vec::new();
    let (mut placed, count) = (Vec::new(), rng.random_range(1..=8));
    for k in 0..count {
        let cell = [k % 2, (k / 2) % 2, k / 4].map(f64::from);
        let [x, y, z] = cell.map(|c| CELL * c + rng.random_range(-0.03..0.03));
        let solid = shapes::solid(rng, 0.25)?;
        placed.push((Vec3::new(x, y, z), turn(rng)));
        let joint = free_body(&mut builder, k as usize, solid.inertia);
        shapes.push((joint, solid.placement, solid.shape));
    }
    let (model, shapes) = built(&builder, shapes)?;
    let shapes = with_obstacles(rng, shapes);
    Ok(Parts {
        kind: "bodies",
        q: start(&model, &placed),
        model,
        shapes,
        pairs: None,
    })
}

/// Boxes on each other.
fn stack(rng: &mut ChaCha8Rng) -> Outcome<Parts> {
    let mut builder = builder(rng);
    let (mut shapes, mut placed, mut top) = (Vec::new(), Vec::new(), 0.0);
    for k in 0..rng.random_range(2..=8) {
        let mut side = || rng.random_range(0.08..0.2);
        let sides = Vec3::new(side(), side(), side());
        let shape = Shape::from(Cuboid::new(sides));
        let density = rng.random_range(1.0_f64..8.0).exp();
        let inertia = shape
            .mass_properties(Distribution::Solid)?
            .with_density(density);
        let mut aside = || rng.random_range(-0.02..0.02);
        let place = Vec3::new(aside(), aside(), top + 0.5 * sides.z);
        top += sides.z;
        placed.push((place, Quaternion::identity()));
        let joint = free_body(&mut builder, k, inertia);
        shapes.push((joint, Se3::identity(), shape));
    }
    let (model, shapes) = built(&builder, shapes)?;
    Ok(Parts {
        kind: "stack",
        q: start(&model, &placed),
        model,
        shapes,
        pairs: None,
    })
}

/// A tree with joints of every kind, some of them with limits, and shapes on its bodies.
fn tree(rng: &mut ChaCha8Rng, seed: u64) -> Outcome<Parts> {
    let shape = RandomTree {
        joints: rng.random_range(1..=9),
        branching: rng.random(),
        every_kind: rng.random::<f64>() < 0.8,
        mimic_joints: rng.random::<f64>() < 0.3,
        floating: rng.random(),
    };
    let model = with_limits(rng, &random_tree(seed, &shape))?;
    let near: Vec<f64> = (0..model.nv())
        .map(|_| rng.random_range(-0.3..0.3))
        .collect();
    let q = model.integrate(&model.neutral_configuration(), &near)?;
    let shapes = on_joints(rng, &model)?;
    Ok(Parts {
        kind: "tree",
        model,
        shapes,
        pairs: None,
        q,
    })
}

/// A tree whose bodies are closed to loops.
fn linkage(rng: &mut ChaCha8Rng, seed: u64) -> Outcome<Parts> {
    let shape = RandomTree {
        joints: rng.random_range(2..=7),
        floating: rng.random(),
        ..RandomTree::default()
    };
    let model = random_loops(seed, &shape, rng.random_range(1..=2));
    let q = model.reference_configurations()["closed"].clone();
    let shapes = on_joints(rng, &model)?;
    Ok(Parts {
        kind: "loops",
        model,
        shapes,
        pairs: None,
        q,
    })
}

/// The same tree; some displacements that mimic nothing have limits.
fn with_limits(rng: &mut ChaCha8Rng, sample: &Model) -> Outcome<Model> {
    let mut builder = ModelBuilder::new("tree");
    let mut handles: Vec<JointHandle> = vec![ModelBuilder::UNIVERSE];
    let joints = &sample.joints()[1..];
    for joint in joints {
        let mut limits = Limits::unbounded(joint.kind.nq(), joint.kind.nv());
        if joint.mimic.is_none() && joint.nq == joint.nv && rng.random() {
            for k in 0..joint.nq {
                limits.lower[k] = -rng.random_range(0.31..1.5);
                limits.upper[k] = rng.random_range(0.31..1.5);
            }
        }
        let spec = JointSpec::new(
            joint.name.clone(),
            handles[joint.parent.index()],
            joint.kind.clone(),
        );
        let spec = spec.placement(joint.placement).limits(limits);
        let handle = builder.add_joint(spec.drive(joint.drive.clone()));
        let name = format!("{}_body", joint.name);
        builder.add_body(handle, name, Se3::identity(), joint.inertia);
        handles.push(handle);
    }
    for (k, joint) in joints.iter().enumerate() {
        if let Some(mimic) = &joint.mimic {
            let source = handles[mimic.source.index()];
            builder.mimic(handles[k + 1], source, mimic.ratio, mimic.offset);
        }
    }
    Ok(builder.build()?.model)
}

/// Solids around the centres of mass of most joints' bodies.
fn on_joints(rng: &mut ChaCha8Rng, model: &Model) -> Outcome<Vec<CollisionShape>> {
    let mut shapes = Vec::new();
    for id in model.joint_ids().filter(|id| *id != JointId::UNIVERSE) {
        if rng.random::<f64>() < 0.3 {
            continue;
        }
        let solid = shapes::solid(rng, 0.25)?;
        let at = Se3::new(turn(rng).to_rotation(), model.joint(id).inertia.com);
        let name = format!("shape_{}", id.index());
        let placement = at.compose(&solid.placement);
        shapes.push(CollisionShape::new(name, id, placement, solid.shape));
    }
    Ok(shapes)
}

/// Half of the scenes have some boxes that stand still.
fn with_obstacles(rng: &mut ChaCha8Rng, mut shapes: Vec<CollisionShape>) -> Vec<CollisionShape> {
    if rng.random() {
        return shapes;
    }
    for k in 0..rng.random_range(1..4) {
        let mut number = || rng.random_range(0.1..0.5);
        let sides = Vec3::new(number(), number(), number());
        let place = Vec3::new(number(), number(), number() - 0.8);
        let at = Se3::new(turn(rng).to_rotation(), place);
        let name = format!("obstacle_{k}");
        let obstacle = CollisionShape::new(name, JointId::UNIVERSE, at, Cuboid::new(sides));
        shapes.push(obstacle);
    }
    shapes
}

/// An empty world; gravity is tilted in some.
fn builder(rng: &mut ChaCha8Rng) -> ModelBuilder {
    let mut builder = ModelBuilder::new("scene");
    let tilt = match rng.random_range(0..3) {
        0 => rng.random_range(0.0..0.7),
        _ => 0.0_f64,
    };
    builder.gravity(Vec3::new(9.81 * tilt.sin(), 0.0, -9.81 * tilt.cos()));
    builder
}

fn free_body(
    builder: &mut ModelBuilder,
    k: usize,
    inertia: featherline::spatial::Inertia<f64>,
) -> JointHandle {
    let root = JointSpec::new(
        format!("root_{k}"),
        ModelBuilder::UNIVERSE,
        JointKind::FreeFlyer,
    );
    let joint = builder.add_joint(root);
    builder.add_body(joint, format!("body_{k}"), Se3::identity(), inertia);
    joint
}

/// The model of free bodies, and their shapes.
fn built(
    builder: &ModelBuilder,
    shapes: Vec<(JointHandle, Se3<f64>, Shape)>,
) -> Outcome<(Model, Vec<CollisionShape>)> {
    let model = builder.build()?.model;
    let mut placed = Vec::new();
    for (k, (_, placement, shape)) in shapes.into_iter().enumerate() {
        let body = model.joint_id(&format!("root_{k}"))?;
        placed.push(CollisionShape::new(
            format!("shape_{k}"),
            body,
            placement,
            shape,
        ));
    }
    Ok((model, placed))
}

/// The configuration of free bodies.
fn start(model: &Model, placed: &[(Vec3<f64>, Quaternion<f64>)]) -> Vec<f64> {
    let mut q = model.neutral_configuration();
    for (k, (place, turn)) in placed.iter().enumerate() {
        q[7 * k..7 * k + 3].copy_from_slice(&place.to_array());
        q[7 * k + 3..7 * k + 7].copy_from_slice(&turn.to_array());
    }
    q
}

/// A random orientation.
fn turn(rng: &mut ChaCha8Rng) -> Quaternion<f64> {
    loop {
        let mut number = || rng.random_range(-1.0..1.0);
        let q = Quaternion::new(number(), number(), number(), number());
        if (0.1..1.0).contains(&q.norm()) {
            return q.normalised();
        }
    }
}

/// The generator of a seed.
pub fn generator(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}
