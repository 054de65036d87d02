//! Properties of a robot that call for time stepping, and its position on the ground at the start.

use featherline::Workspace;
use featherline::joint::JointKind;
use featherline::model::{JointId, Model};
use featherline::random::SplitMix64;
use featherline::spatial::Se3;
use featherline_geometry::{
    CollisionError, CollisionModel, CollisionWorkspace, Placed, Separation, Shape,
};

/// Overlaps at the start that are rounding, in m.
const TOUCHING: f64 = 1e-6;

/// Where q has the height of the floating base of a tree that has one and stands alone: what can be
/// put on a ground.
///
/// ```
/// use featherline::samples;
/// use featherline_sim::contact::floating_height;
///
/// assert_eq!(floating_height(&samples::double_pendulum()), None);
/// ```
pub fn floating_height(model: &Model) -> Option<usize> {
    let bases = model.joints().iter().skip(1);
    let mut roots = bases.filter(|joint| joint.parent == JointId::UNIVERSE);
    let root = roots.next()?;
    let is_alone = roots.next().is_none();
    (is_alone && root.kind == JointKind::FreeFlyer && model.loop_joints().is_empty())
        .then_some(root.idx_q + 2)
}

/// Whether a joint has limits or dry friction, which [time stepping](super::TimeStepping) alone has
/// exactly.
///
/// ```
/// use featherline::samples;
/// use featherline_sim::contact::has_limits_or_friction;
///
/// assert!(!has_limits_or_friction(&samples::double_pendulum()));
/// ```
pub fn has_limits_or_friction(model: &Model) -> bool {
    model.joints().iter().any(|joint| {
        let limits = joint.limits.lower.iter().chain(&joint.limits.upper);
        let mut limits = limits.filter(|bound| bound.is_finite());
        let mut friction = joint.drive.friction.iter();
        limits.next().is_some() || friction.any(|friction| *friction != 0.0)
    })
}

/// The pairs of shapes that overlap in a configuration, but for half-spaces: the ground holds what
/// begins in it.
///
/// # Errors
/// [`CollisionError`]; of a configuration that does not fit in [`CollisionError::Kinematics`].
///
/// ```
/// use featherline::model::JointId;
/// use featherline::samples;
/// use featherline::spatial::{Se3, Vec3};
/// use featherline_geometry::{CollisionModel, CollisionShape, Plane, Sphere};
/// use featherline_sim::contact::overlapping_pairs;
///
/// let model = samples::double_pendulum();
/// let at = |z| Se3::from_translation(Vec3::new(0.0, 0.0, z));
/// let shapes = vec![
///     CollisionShape::new("ground", JointId::UNIVERSE, at(-2.0), Plane),
///     CollisionShape::new("post", JointId::UNIVERSE, at(-2.1), Sphere::new(0.2)),
///     CollisionShape::new("hand", model.joint_id("elbow")?, at(-1.0), Sphere::new(0.1)),
/// ];
/// let collision = CollisionModel::new(&model, shapes)?;
/// assert_eq!(overlapping_pairs(&model, &collision, &[0.0, 0.0])?, [[1, 2]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn overlapping_pairs(
    model: &Model,
    collision: &CollisionModel,
    q: &[f64],
) -> Result<Vec<[usize; 2]>, CollisionError> {
    let is_plane = |k: usize| matches!(collision.shapes()[k].shape, Shape::Plane(_));
    let mut queries = CollisionWorkspace::new(collision);
    let mut placed = place(model, collision, &mut queries, q)?;
    let mut found = placed.collisions(false)?.to_vec();
    found.retain(|pair| !pair.iter().any(|&k| is_plane(k)));
    let mut overlapping = Vec::new();
    for pair in found {
        if placed.separation(pair)?.distance < -TOUCHING {
            overlapping.push(pair);
        }
    }
    Ok(overlapping)
}

/// The deepest overlap of two shapes in a configuration, half-spaces aside: the shapes by their
/// indices, and how deep they reach into each other in m. None where none overlap.
///
/// # Errors
/// As [`overlapping_pairs`].
#[cfg(feature = "formats")]
pub(crate) fn deepest_overlap(
    model: &Model,
    collision: &CollisionModel,
    q: &[f64],
) -> Result<Option<([usize; 2], f64)>, CollisionError> {
    let pairs = overlapping_pairs(model, collision, q)?;
    let all = separations(model, collision, q, |pair| pairs.contains(pair))?.into_iter();
    let depths = all.map(|(pair, it)| (pair, -it.distance));
    Ok(depths.max_by(|a, b| a.1.total_cmp(&b.1)))
}

/// Configurations in which overlapping pairs are looked at, drawn within the limits of joints.
const SAMPLES: usize = 16;

/// The pairs of shapes that overlap in a configuration and, as far as samples of joints tell, in
/// every other: their shapes reach into each other by design, as the housings of a joint do. Of a
/// robot with loops, which samples would open, all that overlap in the configuration.
///
/// # Errors
/// As [`overlapping_pairs`].
///
/// ```
/// use featherline::model::JointId;
/// use featherline::samples;
/// use featherline::spatial::{Se3, Vec3};
/// use featherline_geometry::{CollisionModel, CollisionShape, Sphere};
/// use featherline_sim::contact::pairs_that_always_overlap;
///
/// let model = samples::double_pendulum();
/// let at = |z| Se3::from_translation(Vec3::new(0.0, 0.0, z));
/// let shapes = vec![
///     CollisionShape::new("hub", JointId::UNIVERSE, at(0.0), Sphere::new(1.0)),
///     CollisionShape::new("post", JointId::UNIVERSE, at(-2.0), Sphere::new(0.1)),
///     CollisionShape::new("elbow", model.joint_id("elbow")?, at(0.0), Sphere::new(0.1)),
///     CollisionShape::new("hand", model.joint_id("elbow")?, at(-1.0), Sphere::new(0.1)),
/// ];
/// let collision = CollisionModel::new(&model, shapes)?;
/// // The elbow, 1 m from the hub's centre, is always in it; the hand is in the post as it hangs.
/// assert_eq!(pairs_that_always_overlap(&model, &collision, &[0.0, 0.0])?, [[0, 2]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pairs_that_always_overlap(
    model: &Model,
    collision: &CollisionModel,
    q: &[f64],
) -> Result<Vec<[usize; 2]>, CollisionError> {
    let pairs = overlapping_pairs(model, collision, q)?;
    if pairs.is_empty() || !model.loop_joints().is_empty() {
        return Ok(pairs);
    }
    let own = CollisionModel::with_pairs(model, collision.shapes().to_vec(), pairs)?;
    Ok(own.survey(model, SAMPLES, &mut SplitMix64::new(0))?.always)
}

/// How far a shape begins below a ground, in m, before anybody doubts that this was meant.
const DEEP: f64 = 0.01;

/// A shape that begins deep in a half-space, which throws it out in the first step.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[error(
    "`{shape}` begins {depth:.2} m inside `{ground}`, which throws it out; begin {depth:.2} m higher, in a scene by `position`"
)]
pub struct InGround {
    /// The name of the shape.
    pub shape: String,
    /// The name of the half-space.
    pub ground: String,
    /// How deep its lowest point is, in m.
    pub depth: f64,
}

impl InGround {
    /// The shape that is deepest in a half-space, if it is deeper than 1 cm.
    ///
    /// # Errors
    /// As [`overlapping_pairs`].
    ///
    /// ```
    /// use featherline::joint::JointKind;
    /// use featherline::model::{JointSpec, ModelBuilder};
    /// use featherline::spatial::{Inertia, Se3};
    /// use featherline_geometry::{CollisionModel, CollisionShape, Plane, Sphere};
    /// use featherline_sim::contact::InGround;
    ///
    /// let mut builder = ModelBuilder::new("ball");
    /// let root = JointSpec::new("root", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
    /// let root = builder.add_joint(root);
    /// builder.add_body(root, "ball", Se3::identity(), Inertia::sphere(1.0, 0.1));
    /// let model = builder.build()?.model;
    /// let origin = Se3::identity();
    /// let shapes = vec![
    ///     CollisionShape::new("ground", featherline::model::JointId::UNIVERSE, origin, Plane),
    ///     CollisionShape::new("ball", model.joint_id("root")?, origin, Sphere::new(0.1)),
    /// ];
    /// let collision = CollisionModel::new(&model, shapes)?;
    /// let found = InGround::deepest(&model, &collision, &model.neutral_configuration())?;
    /// assert_eq!(found.map(|it| it.depth), Some(0.1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn deepest(
        model: &Model,
        collision: &CollisionModel,
        q: &[f64],
    ) -> Result<Option<Self>, CollisionError> {
        let shapes = collision.shapes();
        let is_plane = |k: usize| matches!(shapes[k].shape, Shape::Plane(_));
        let in_ground = |&[a, b]: &[usize; 2]| is_plane(a) != is_plane(b);
        let all = separations(model, collision, q, in_ground)?.into_iter();
        let grounded = all.map(|([a, b], it)| match is_plane(a) {
            true => (b, a, -it.distance),
            false => (a, b, -it.distance),
        });
        let deepest = grounded.max_by(|a, b| a.2.total_cmp(&b.2));
        let deepest = deepest.filter(|it| it.2 > DEEP);
        Ok(deepest.map(|(shape, ground, depth)| Self {
            shape: shapes[shape].name.clone(),
            ground: shapes[ground].name.clone(),
            depth,
        }))
    }
}

/// The distance in m of a shape, such as the ground, from the nearest shape that may touch it;
/// negative where they overlap, and infinite where none may.
///
/// # Errors
/// As [`overlapping_pairs`].
///
/// ```
/// use featherline::model::JointId;
/// use featherline::samples;
/// use featherline::spatial::{Se3, Vec3};
/// use featherline_geometry::{CollisionModel, CollisionShape, Plane, Sphere};
/// use featherline_sim::contact::distance_from;
///
/// let model = samples::double_pendulum();
/// let at = |z| Se3::from_translation(Vec3::new(0.0, 0.0, z));
/// let shapes = vec![
///     CollisionShape::new("ground", JointId::UNIVERSE, at(-3.0), Plane),
///     CollisionShape::new("hand", model.joint_id("elbow")?, at(-1.0), Sphere::new(0.1)),
/// ];
/// let collision = CollisionModel::new(&model, shapes)?;
/// let distance = distance_from(&model, &collision, 0, &[0.0, 0.0])?;
/// assert!((distance - 0.9).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn distance_from(
    model: &Model,
    collision: &CollisionModel,
    shape: usize,
    q: &[f64],
) -> Result<f64, CollisionError> {
    let own = separations(model, collision, q, |pair| pair.contains(&shape))?.into_iter();
    Ok(own.fold(f64::INFINITY, |least, (_, it)| least.min(it.distance)))
}

/// Moves the [floating base](floating_height) of a robot up or down until its lowest shape touches
/// another shape, such as the ground. Changes nothing for a robot without such a base, or of which
/// nothing may touch that shape.
///
/// # Errors
/// As [`overlapping_pairs`].
///
/// ```
/// use featherline::joint::JointKind;
/// use featherline::model::{JointId, JointSpec, ModelBuilder};
/// use featherline::spatial::{Inertia, Se3};
/// use featherline_geometry::{CollisionModel, CollisionShape, Plane, Sphere};
/// use featherline_sim::contact::put_on;
///
/// let mut builder = ModelBuilder::new("ball");
/// let root = JointSpec::new("root", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
/// let root = builder.add_joint(root);
/// builder.add_body(root, "ball", Se3::identity(), Inertia::sphere(1.0, 0.1));
/// let model = builder.build()?.model;
/// let (body, origin) = (model.joint_id("root")?, Se3::identity());
/// let shapes = vec![
///     CollisionShape::new("ground", JointId::UNIVERSE, origin, Plane),
///     CollisionShape::new("ball", body, origin, Sphere::new(0.1)),
/// ];
/// let collision = CollisionModel::new(&model, shapes)?;
/// let mut q = model.neutral_configuration();
/// put_on(&model, &collision, 0, &mut q)?;
/// assert!((q[2] - 0.1).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn put_on(
    model: &Model,
    collision: &CollisionModel,
    shape: usize,
    q: &mut [f64],
) -> Result<(), CollisionError> {
    let Some(height) = floating_height(model) else {
        return Ok(());
    };
    let lowest = distance_from(model, collision, shape, q)?;
    if lowest.is_finite() {
        q[height] -= lowest;
    }
    Ok(())
}

/// The separations of some of the pairs.
fn separations(
    model: &Model,
    collision: &CollisionModel,
    q: &[f64],
    is_asked: impl Fn(&[usize; 2]) -> bool,
) -> Result<Vec<([usize; 2], Separation)>, CollisionError> {
    let mut queries = CollisionWorkspace::new(collision);
    let mut placed = place(model, collision, &mut queries, q)?;
    let pairs = collision.pairs().iter().filter(|pair| is_asked(pair));
    pairs
        .map(|&pair| Ok((pair, placed.separation(pair)?)))
        .collect()
}

/// The shapes in a configuration.
fn place<'w>(
    model: &Model,
    collision: &'w CollisionModel,
    queries: &'w mut CollisionWorkspace,
    q: &[f64],
) -> Result<Placed<'w>, CollisionError> {
    let mut ws = Workspace::<f64>::recursive(model);
    let mut joints = vec![Se3::identity(); model.joints().len()];
    let placed = model.forward_kinematics(&mut ws, q)?;
    placed.joint_placements_into(&mut joints)?;
    queries.place(collision, &joints)
}
