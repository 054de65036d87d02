//! Random robots with every kind of joint.

use crate::joint::JointKind;
use crate::model::{FrameKind, JointHandle, JointSpec, Model, ModelBuilder};
use crate::spatial::{Inertia, Mat3, Motion, Se3, Sym3, Vec3};
use crate::workspace::Workspace;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The shape of a random tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomTree {
    /// How many joints.
    pub joints: usize,
    /// 0 gives a chain, 1 attaches each joint to any earlier one.
    pub branching: f64,
    /// Whether all kinds of joints occur, or revolute ones only.
    pub every_kind: bool,
    /// Whether some joints mimic others.
    pub mimic_joints: bool,
    /// Whether the first joint is a free-flyer.
    pub floating: bool,
}

impl Default for RandomTree {
    /// Twelve joints of every kind, branched, with mimic joints.
    fn default() -> Self {
        Self {
            joints: 12,
            branching: 0.5,
            every_kind: true,
            mimic_joints: true,
            floating: false,
        }
    }
}

/// A random robot: the same seed and shape give the same one.
///
/// Inertias are those of real distributions of mass, placements are general, some joints have
/// armature, damping, friction and springs.
///
/// ```
/// use featherline::samples::{random_tree, RandomTree};
///
/// let model = random_tree(7, &RandomTree { joints: 20, ..Default::default() });
/// assert_eq!(model.joints().len(), 21);
/// assert_eq!(model, random_tree(7, &RandomTree { joints: 20, ..Default::default() }));
/// ```
pub fn random_tree(seed: u64, shape: &RandomTree) -> Model {
    let mut builder = ModelBuilder::new(format!("random_{seed}"));
    add_tree(&mut builder, &mut ChaCha8Rng::seed_from_u64(seed), shape);
    built(&builder)
}

/// A [random tree](random_tree) of at least two joints in which `loops` joints of every kind close
/// loops between random bodies. It closes at the reference configuration `closed`.
///
/// ```
/// use featherline::samples::{random_loops, RandomTree};
///
/// let model = random_loops(7, &RandomTree::default(), 3);
/// assert_eq!(model.loop_joints().len(), 3);
/// assert_eq!(model.reference_configurations()["closed"].len(), model.nq());
/// ```
pub fn random_loops(seed: u64, shape: &RandomTree, loops: usize) -> Model {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut builder = ModelBuilder::new(format!("random_loops_{seed}"));
    let handles = add_tree(&mut builder, &mut rng, shape);
    let tree = built(&builder);
    let closed = tree.random_configuration(&mut rng);
    let mut workspace = Workspace::recursive(&tree);
    let placed = tree
        .forward_kinematics(&mut workspace, &closed)
        .expect("a random configuration has placements");
    let world = |body: usize| match tree.joint_id(&format!("joint_{body}")) {
        Ok(joint) => placed.placement(joint),
        // One more than there are joints: the universe.
        Err(_) => Se3::identity(),
    };
    let mut closing = Vec::new();
    for _ in 0..loops {
        let from = rng.random_range(0..=shape.joints);
        let to = (from + rng.random_range(1..=shape.joints)) % (shape.joints + 1);
        let kind = loop {
            let kind = random_kind(&mut rng);
            if kind.nv() < 6 {
                break kind;
            }
        };
        // Not far from neutral, where every kind is regular.
        let mut q = vec![0.0; kind.nq()];
        kind.neutral(&mut q);
        let step: Vec<f64> = (0..kind.nv())
            .map(|_| rng.random_range(-0.4..0.4))
            .collect();
        let mut moved = q.clone();
        kind.integrate(&q, &step, &mut moved);
        let input = random_placement(&mut rng);
        let output = kind.evaluate(&moved, &mut vec![Motion::zero(); kind.nv()]);
        let reached = world(from).compose(&input).compose(&output);
        closing.push((from, to, kind, input, world(to).inverse_compose(&reached)));
    }
    let handle = |body: usize| handles.get(body).copied().unwrap_or(ModelBuilder::UNIVERSE);
    for (k, (from, to, kind, input, output)) in closing.into_iter().enumerate() {
        let ends = ((handle(from), input), (handle(to), output));
        builder.close_loop(format!("loop_{k}"), kind, ends.0, ends.1);
    }
    builder.reference_configuration("closed", closed);
    built(&builder)
}

fn built(builder: &ModelBuilder) -> Model {
    // All figures are drawn from ranges that are physically sound, and names carry their index.
    let built = builder.build().expect("a random robot is a valid model");
    built.model
}

/// Adds joints and bodies, and returns the joints.
fn add_tree(
    builder: &mut ModelBuilder,
    rng: &mut ChaCha8Rng,
    shape: &RandomTree,
) -> Vec<JointHandle> {
    let mut handles: Vec<(JointHandle, bool)> = Vec::new();
    for i in 0..shape.joints {
        let parent = match handles.len() {
            0 => ModelBuilder::UNIVERSE,
            n if rng.random::<f64>() < shape.branching => {
                // Now and then a second tree grows from the world.
                let at = rng.random_range(0..n + usize::from(!shape.floating));
                handles.get(at).map_or(ModelBuilder::UNIVERSE, |h| h.0)
            }
            n => handles[n - 1].0,
        };
        let kind = match i {
            0 if shape.floating => JointKind::FreeFlyer,
            _ if shape.every_kind => random_kind(rng),
            _ => JointKind::revolute(random_axis(rng)),
        };
        let has_displacement = kind.has_one_displacement();
        let mut joint =
            JointSpec::new(format!("joint_{i}"), parent, kind).placement(random_placement(rng));
        if rng.random::<f64>() < 0.5 {
            joint = joint
                .armature(0.1 * rng.random::<f64>())
                .rotor(1e-3 * rng.random::<f64>(), 10.0);
        }
        if rng.random::<f64>() < 0.5 {
            joint = joint
                .damping(rng.random())
                .friction(rng.random())
                .stiffness(10.0 * rng.random::<f64>());
        }
        let handle = builder.add_joint(joint);
        builder.add_body(
            handle,
            format!("body_{i}"),
            random_placement(rng),
            random_inertia(rng),
        );
        if i % 3 == 0 {
            builder.add_body(
                handle,
                format!("lumped_{i}"),
                random_placement(rng),
                random_inertia(rng),
            );
            builder.add_frame(
                handle,
                format!("tool_{i}"),
                random_placement(rng),
                FrameKind::Operational,
            );
        }
        if shape.mimic_joints && has_displacement && rng.random::<f64>() < 0.5 {
            let sources: Vec<JointHandle> = handles.iter().filter(|h| h.1).map(|h| h.0).collect();
            if !sources.is_empty() {
                // Mimic joints may be mimicked, too.
                let source = sources[rng.random_range(0..sources.len())];
                builder.mimic(
                    handle,
                    source,
                    rng.random_range(-2.0..2.0),
                    rng.random_range(-0.5..0.5),
                );
            }
        }
        handles.push((handle, has_displacement));
    }
    handles.into_iter().map(|(handle, _)| handle).collect()
}

fn random_kind(rng: &mut impl Rng) -> JointKind {
    match rng.random_range(0..20) {
        0 => JointKind::revolute_x(),
        1 => JointKind::revolute_y(),
        2 => JointKind::revolute_z(),
        3 | 4 => JointKind::revolute(random_axis(rng)),
        5 => JointKind::revolute_unbounded(random_axis(rng)),
        6 => JointKind::prismatic_x(),
        7 => JointKind::prismatic(random_axis(rng)),
        8 => JointKind::helical(random_axis(rng), rng.random_range(-0.3..0.3)),
        9 => JointKind::cylindrical(random_axis(rng)),
        10 => JointKind::universal(random_axis(rng), random_axis(rng)),
        11 => JointKind::Planar,
        12 => JointKind::Translation,
        13 | 14 => JointKind::Spherical,
        15 => JointKind::SphericalZyx,
        16 => JointKind::ellipsoid(Vec3::new(0.3, 0.4, 0.5) * rng.random_range(0.5..1.5)),
        17 => JointKind::FreeFlyer,
        18 => {
            let parts = [
                (random_placement(rng), JointKind::revolute_unbounded_x()),
                (random_placement(rng), JointKind::Spherical),
            ];
            JointKind::composite(parts).expect("a composite of valid parts")
        }
        _ => {
            let parts = [
                (random_placement(rng), JointKind::revolute(random_axis(rng))),
                (random_placement(rng), JointKind::SphericalZyx),
                (random_placement(rng), JointKind::prismatic_y()),
            ];
            // With more than six degrees of freedom a leaf would make the mass matrix singular.
            let count = rng.random_range(1..=parts.len());
            // The list is not empty.
            JointKind::composite(parts.into_iter().take(count)).expect("a composite of valid parts")
        }
    }
}

fn random_vector(rng: &mut impl Rng) -> Vec3<f64> {
    Vec3::new(
        rng.random_range(-1.0..1.0),
        rng.random_range(-1.0..1.0),
        rng.random_range(-1.0..1.0),
    )
}

fn random_axis(rng: &mut impl Rng) -> Vec3<f64> {
    loop {
        let axis = random_vector(rng);
        let length = axis.norm();
        if (0.1..1.0).contains(&length) {
            return axis * (1.0 / length);
        }
    }
}

fn random_rotation(rng: &mut impl Rng) -> Mat3<f64> {
    let x = random_axis(rng);
    loop {
        let z = x.cross(random_axis(rng));
        let length = z.norm();
        if length > 0.1 {
            let z = z * (1.0 / length);
            return Mat3::from_columns(x, z.cross(x), z);
        }
    }
}

fn random_placement(rng: &mut impl Rng) -> Se3<f64> {
    Se3::new(random_rotation(rng), random_vector(rng) * 0.5)
}

/// The inertia of a random body with positive second moments of mass.
fn random_inertia(rng: &mut impl Rng) -> Inertia<f64> {
    let mass = rng.random_range(0.1..3.0);
    let (a, b, c) = (
        rng.random_range(0.01..0.1),
        rng.random_range(0.01..0.1),
        rng.random_range(0.01..0.1),
    );
    let principal = Sym3::diagonal(Vec3::new(b + c, a + c, a + b) * mass);
    Inertia::new(
        mass,
        random_vector(rng) * 0.3,
        principal.conjugated_by(&random_rotation(rng)),
    )
}
