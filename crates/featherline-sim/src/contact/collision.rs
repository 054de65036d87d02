//! Contacts of a collision model.

use super::moved::{MovedBodies, MovedBody};
use super::{ContactSource, Softness};
use featherline::model::JointId;
use featherline::spatial::{Se3, Vec3};
use featherline_constraint::nonsmooth::{Anisotropy, Contact};
use featherline_geometry::{
    CollisionError, CollisionModel, CollisionShape, CollisionWorkspace, Shape,
};
use std::sync::Arc;

/// Friction and restitution of two shapes that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Coulomb's coefficient μ.
    pub friction: f64,
    /// Newton's coefficient of restitution, 0 to 1.
    pub restitution: f64,
}

/// The contacts of a collision model's pairs, with a surface for each pair.
///
/// ```
/// use featherline::joint::JointKind;
/// use featherline::model::{JointId, JointSpec, ModelBuilder};
/// use featherline::spatial::{Inertia, Se3};
/// use featherline_geometry::{CollisionModel, CollisionShape, Plane, Sphere};
/// use featherline_sim::contact::{CollisionContacts, Surface, TimeStepping};
///
/// // A ball falls on the ground, and lies there.
/// let mut builder = ModelBuilder::new("ball");
/// let root = JointSpec::new("root", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
/// let root = builder.add_joint(root);
/// builder.add_body(root, "ball", Se3::identity(), Inertia::sphere(1.0, 0.1));
/// let model = builder.build()?.model;
/// let ball = CollisionShape::new("ball", model.joint_id("root")?, Se3::identity(), Sphere::new(0.1));
/// let ground = CollisionShape::new("ground", JointId::UNIVERSE, Se3::identity(), Plane);
/// let collision = CollisionModel::new(&model, vec![ground, ball])?;
/// let rubber = Surface { friction: 0.8, restitution: 0.0 };
/// let contacts = CollisionContacts::uniform(collision, rubber);
/// let mut stepping = TimeStepping::with(&model, (), contacts)?;
/// let (mut q, mut v) = (model.neutral_configuration(), vec![0.0; 6]);
/// q[2] = 0.3;
/// for _ in 0..500 {
///     stepping.step(0.0, &mut q, &mut v, 1e-3)?;
/// }
/// assert!((q[2] - 0.1).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CollisionContacts {
    model: Arc<CollisionModel>,
    ws: CollisionWorkspace,
    surfaces: Vec<Surface>,
    softness: Vec<Option<Softness>>,
    /// Of each pair whose friction is not the same in all directions, that across the first one.
    across: Vec<Option<f64>>,
    /// Of each body, how far its shapes reach from its joint's frame.
    radii: Arc<[f64]>,
    /// The shapes of moved bodies, with the indices of these.
    moved_shapes: Arc<[(usize, usize)]>,
    /// The moved bodies in the step.
    moved: Vec<MovedBody>,
}

impl CollisionContacts {
    /// All pairs with the same surface.
    pub fn uniform(model: impl Into<Arc<CollisionModel>>, surface: Surface) -> Self {
        let model = model.into();
        let surfaces = vec![surface; model.pairs().len()];
        Self::new(model, surfaces)
    }

    /// A surface for each pair, in the order of [`CollisionModel::pairs`]; pairs without one slide
    /// without friction. Simulations of one robot can share a model.
    pub fn new(model: impl Into<Arc<CollisionModel>>, mut surfaces: Vec<Surface>) -> Self {
        let model = model.into();
        let smooth = Surface {
            friction: 0.0,
            restitution: 0.0,
        };
        surfaces.resize(model.pairs().len(), smooth);
        Self {
            ws: CollisionWorkspace::new(&model),
            radii: radii(&model),
            model,
            surfaces,
            softness: Vec::new(),
            across: Vec::new(),
            moved_shapes: Arc::new([]),
            moved: Vec::new(),
        }
    }

    /// The same with the softness of each pair, in the order of [`CollisionModel::pairs`]; pairs
    /// without one, or with numbers that are no softness, are rigid.
    ///
    /// ```
    /// use featherline::joint::JointKind;
    /// use featherline::model::{JointId, JointSpec, ModelBuilder};
    /// use featherline::spatial::{Inertia, Se3};
    /// use featherline_geometry::{CollisionModel, CollisionShape, Plane, Sphere};
    /// use featherline_sim::contact::{CollisionContacts, Softness, Surface, TimeStepping};
    ///
    /// // A ball of 1 kg sinks into a mat by m g/k.
    /// let mut builder = ModelBuilder::new("ball");
    /// let root = JointSpec::new("root", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
    /// let root = builder.add_joint(root);
    /// builder.add_body(root, "ball", Se3::identity(), Inertia::sphere(1.0, 0.1));
    /// let model = builder.build()?.model;
    /// let (body, origin) = (model.joint_id("root")?, Se3::identity());
    /// let ball = CollisionShape::new("ball", body, origin, Sphere::new(0.1));
    /// let mat = CollisionShape::new("mat", JointId::UNIVERSE, Se3::identity(), Plane);
    /// let collision = CollisionModel::new(&model, vec![mat, ball])?;
    /// let surface = Surface { friction: 0.8, restitution: 0.0 };
    /// let soft = Softness { stiffness: 1000.0, damping: 60.0 };
    /// let contacts = CollisionContacts::uniform(collision, surface);
    /// let contacts = contacts.with_softness(vec![Some(soft)]);
    /// let mut stepping = TimeStepping::with(&model, (), contacts)?;
    /// let (mut q, mut v) = (model.neutral_configuration(), vec![0.0; 6]);
    /// q[2] = 0.1;
    /// for _ in 0..2000 {
    ///     stepping.step(0.0, &mut q, &mut v, 1e-3)?;
    /// }
    /// assert!((q[2] - 0.1 + 9.81 / 1000.0).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_softness(mut self, mut softness: Vec<Option<Softness>>) -> Self {
        softness.resize(self.model.pairs().len(), None);
        for own in &mut softness {
            *own = own.filter(Softness::is_valid);
        }
        self.softness = softness;
        self
    }

    /// The same with a second coefficient of friction of each pair, across the first direction of
    /// its contacts, in the order of [`CollisionModel::pairs`]: a [`Surface`]'s own coefficient is
    /// then that along it. Pairs without one have the same friction in all directions.
    ///
    /// The first direction is that of MuJoCo (4.0, `mju_makeFrame` and `mjc_PlaneCapsule`): the y
    /// axis of the world as seen along the normal n, or the z axis where |n_y| ≥ ½; of a capsule on
    /// a plane, the capsule's axis.
    ///
    /// ```
    /// use featherline::joint::JointKind;
    /// use featherline::model::{JointId, JointSpec, ModelBuilder};
    /// use featherline::spatial::{Inertia, Se3, Vec3};
    /// use featherline_geometry::{CollisionModel, CollisionShape, Cuboid, Plane};
    /// use featherline_sim::contact::{CollisionContacts, Surface, TimeStepping};
    ///
    /// // A cube slides along x, with μ = 0.2 there and 0.8 along y: it loses 0.2 g in a second.
    /// let mut builder = ModelBuilder::new("cube");
    /// let root = JointSpec::new("root", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
    /// let root = builder.add_joint(root);
    /// let sides = Vec3::new(0.2, 0.2, 0.2);
    /// builder.add_body(root, "cube", Se3::identity(), Inertia::cuboid(1.0, sides));
    /// let model = builder.build()?.model;
    /// let (body, origin) = (model.joint_id("root")?, Se3::identity());
    /// let cube = CollisionShape::new("cube", body, origin, Cuboid::from_half_sides(sides * 0.5));
    /// let ground = CollisionShape::new("ground", JointId::UNIVERSE, origin, Plane);
    /// let collision = CollisionModel::new(&model, vec![ground, cube])?;
    /// let along_y = Surface { friction: 0.8, restitution: 0.0 };
    /// let contacts = CollisionContacts::uniform(collision, along_y);
    /// let contacts = contacts.with_friction_across(vec![Some(0.2)]);
    /// let mut stepping = TimeStepping::with(&model, (), contacts)?;
    /// let (mut q, mut v) = (model.neutral_configuration(), vec![0.0; 6]);
    /// (q[2], v[0]) = (0.1, 5.0);
    /// for _ in 0..1000 {
    ///     stepping.step(0.0, &mut q, &mut v, 1e-3)?;
    /// }
    /// assert!((v[0] - (5.0 - 0.2 * 9.81)).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_friction_across(mut self, mut across: Vec<Option<f64>>) -> Self {
        across.resize(self.model.pairs().len(), None);
        self.across = across;
        self
    }

    /// The same with one coefficient of friction for all pairs, in all directions.
    #[must_use]
    pub fn with_friction(mut self, friction: f64) -> Self {
        for surface in &mut self.surfaces {
            surface.friction = friction;
        }
        self.across.clear();
        self
    }

    /// The same with shapes of the world that go with [moved bodies](super::MovedBodies): the index
    /// of its body for each shape, in the order of [`CollisionModel::shapes`]. Of other shapes than
    /// the world's it counts for nothing.
    #[must_use]
    pub fn with_moved_shapes(mut self, bodies: Vec<Option<usize>>) -> Self {
        let shapes = bodies.into_iter().zip(self.model.shapes()).enumerate();
        let moved = shapes.filter_map(|(k, (body, shape))| {
            let body = body.filter(|_| shape.body == JointId::UNIVERSE);
            body.map(|body| (k, body))
        });
        self.moved_shapes = moved.collect();
        self
    }

    /// Whether a shape goes with a moved body.
    pub fn is_moved(&self, shape: usize) -> bool {
        self.moved_shapes.iter().any(|(own, _)| *own == shape)
    }

    /// Leaves out pairs of shapes, by their indices in ascending order.
    ///
    /// # Errors
    /// [`CollisionError`] for indices that no shapes have.
    pub fn exclude(&mut self, pairs: &[[usize; 2]]) -> Result<(), CollisionError> {
        if pairs.is_empty() {
            return Ok(());
        }
        let own = self.model.pairs().iter();
        let is_kept: Vec<bool> = own.map(|it| pairs.binary_search(it).is_err()).collect();
        let mut own = is_kept.iter();
        self.surfaces.retain(|_| own.next() == Some(&true));
        let mut own = is_kept.iter();
        self.softness.retain(|_| own.next() == Some(&true));
        let mut own = is_kept.iter();
        self.across.retain(|_| own.next() == Some(&true));
        let own = Arc::make_mut(&mut self.model);
        for &[i, j] in pairs {
            own.exclude_shapes(i, j)?;
        }
        self.ws = CollisionWorkspace::new(&self.model);
        Ok(())
    }

    /// The shapes of a contact that a source with this collision model has found, in the order of
    /// its bodies. None of other contacts.
    pub fn shapes_of(model: &CollisionModel, contact: &Contact) -> Option<[usize; 2]> {
        let pair = usize::try_from(contact.feature >> 32).ok()?;
        let [i, j] = *model.pairs().get(pair)?;
        let is_reversed = model.bodies([i, j]) != contact.bodies;
        Some(if is_reversed { [j, i] } else { [i, j] })
    }

    /// The collision model.
    pub fn model(&self) -> &CollisionModel {
        &self.model
    }
}

/// The part of a capsule's axis in a plane below which it has no direction there.
const UPRIGHT: f64 = 1e-9;

/// The first direction of [`with_friction_across`](CollisionContacts::with_friction_across).
fn first_direction(
    model: &CollisionModel,
    placed: impl Fn(usize) -> Se3<f64>,
    shapes: [usize; 2],
    normal: Vec3<f64>,
) -> Vec3<f64> {
    let in_plane = |axis: Vec3<f64>| axis - normal * normal.dot(axis);
    let [a, b] = shapes.map(|k| &model.shapes()[k]);
    let capsule = if let (Shape::Plane(_), Shape::Capsule(_)) = (&a.shape, &b.shape) {
        Some(shapes[1])
    } else if let (Shape::Capsule(_), Shape::Plane(_)) = (&a.shape, &b.shape) {
        Some(shapes[0])
    } else {
        None
    };
    let axis = capsule.map(|it| in_plane(placed(it).rotation.z));
    let of_world = match normal.y.abs() < 0.5 {
        true => Vec3::unit(1),
        false => Vec3::unit(2),
    };
    let direction = axis.filter(|axis| axis.norm() > UPRIGHT);
    let direction = direction.unwrap_or_else(|| in_plane(of_world));
    direction * direction.norm().recip()
}

/// The radius of a plane that moves, in m: it has no end.
const PLANE: f64 = 10.0;

/// How far the shapes of each body reach from its joint's frame.
fn radii(model: &CollisionModel) -> Arc<[f64]> {
    let shapes = || model.shapes().iter();
    let count = shapes().map(|shape| shape.body.index() + 1).max();
    let mut radii = vec![0.0_f64; count.unwrap_or(0)];
    for shape in shapes() {
        let own = &mut radii[shape.body.index()];
        *own = own.max(reach(shape, &shape.placement, Vec3::zero()));
    }
    radii.into()
}

/// How far a shape that is placed reaches from a point.
fn reach(shape: &CollisionShape, placement: &Se3<f64>, from: Vec3<f64>) -> f64 {
    match shape.shape.aabb() {
        Some(bounds) => {
            let centre = placement.act_point((bounds.min + bounds.max) * 0.5);
            (centre - from).norm() + 0.5 * (bounds.max - bounds.min).norm()
        }
        None => (placement.translation - from).norm() + PLANE,
    }
}

impl Clone for CollisionContacts {
    /// A source with memory of its own, and the same shapes.
    fn clone(&self) -> Self {
        Self {
            model: self.model.clone(),
            ws: CollisionWorkspace::new(&self.model),
            surfaces: self.surfaces.clone(),
            softness: self.softness.clone(),
            across: self.across.clone(),
            radii: self.radii.clone(),
            moved_shapes: self.moved_shapes.clone(),
            moved: self.moved.clone(),
        }
    }
}

impl ContactSource for CollisionContacts {
    fn find(
        &mut self,
        placements: &[Se3<f64>],
        range: f64,
        out: &mut Vec<Contact>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let Self {
            model,
            ws,
            surfaces,
            across,
            moved_shapes,
            moved,
            ..
        } = self;
        let body_of = |shape: usize| {
            let found = moved_shapes.iter().find(|(own, _)| *own == shape);
            found.and_then(|(_, body)| moved.get(*body))
        };
        let place_of = |shape: usize| {
            let own = &model.shapes()[shape];
            match body_of(shape) {
                Some(body) => body.carry(&own.placement),
                None => placements[own.body.index()].compose(&own.placement),
            }
        };
        let before = out.len();
        let mut placed = ws.place(model, placements)?;
        for &(shape, _) in moved_shapes.iter() {
            placed.move_shape(shape, place_of(shape))?;
        }
        for found in placed.contacts(range)? {
            let surface = surfaces[found.pair];
            let point = &found.point;
            let across = across.get(found.pair).copied().flatten();
            let anisotropy = across.map(|across| Anisotropy {
                direction: first_direction(model, place_of, found.shapes, point.normal),
                across,
            });
            let middle = (point.points[0] + point.points[1]) * 0.5;
            let velocity =
                |shape| body_of(shape).map_or(Vec3::zero(), |body| body.velocity_at(middle));
            let [first, second] = found.shapes.map(velocity);
            out.push(Contact {
                bodies: model.bodies(found.shapes),
                point: middle,
                normal: point.normal,
                gap: point.distance,
                friction: surface.friction,
                anisotropy,
                restitution: surface.restitution,
                surface_velocity: second - first,
                feature: (found.pair as u64) << 32 | u64::from(point.feature),
            });
        }
        // Contacts of the same bodies stand together.
        let found = &mut out[before..];
        if !found.is_sorted_by_key(|contact| contact.bodies) {
            found.sort_unstable_by_key(|contact| (contact.bodies, contact.feature));
        }
        Ok(())
    }

    fn radius(&self, body: JointId) -> f64 {
        self.radii.get(body.index()).copied().unwrap_or(0.0)
    }

    fn softness(&self, contact: &Contact) -> Option<Softness> {
        let pair = usize::try_from(contact.feature >> 32).ok()?;
        *self.softness.get(pair)?
    }

    fn place_moved(&mut self, moved: &MovedBodies) {
        self.moved.clone_from(&moved.bodies);
    }

    fn fastest_surface(&self) -> f64 {
        let speeds = self.moved_shapes.iter().map(|&(shape, body)| {
            let own = &self.model.shapes()[shape];
            self.moved.get(body).map_or(0.0, |body| {
                let reach = reach(own, &body.carry(&own.placement), body.now.translation);
                body.velocity_at(body.now.translation).norm() + body.angular.norm() * reach
            })
        });
        speeds.fold(0.0, f64::max)
    }

    fn body_pairs(&self) -> Vec<[JointId; 2]> {
        let pairs = self.model.pairs().iter();
        let mut bodies: Vec<_> = pairs.map(|pair| self.model.bodies(*pair)).collect();
        bodies.sort_unstable();
        bodies.dedup();
        bodies
    }
}
