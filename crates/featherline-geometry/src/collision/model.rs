//! The shapes of a robot that can collide, and which of them are tested.

use super::collider::Collider;
use super::error::CollisionError;
use crate::shape::Shape;
use featherline::Model;
use featherline::model::JointId;
use featherline::spatial::Se3;
use std::sync::Arc;

/// A shape on a body of a robot, or in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct CollisionShape {
    /// The name of the shape.
    pub name: String,
    /// The joint that moves the shape's body; [`JointId::UNIVERSE`] for a shape of the world.
    pub body: JointId,
    /// The placement of the shape in the output frame of that joint.
    pub placement: Se3<f64>,
    /// The shape.
    pub shape: Shape,
}

impl CollisionShape {
    /// The shape of a name on a body.
    pub fn new(
        name: impl Into<String>,
        body: JointId,
        placement: Se3<f64>,
        shape: impl Into<Shape>,
    ) -> Self {
        Self {
            name: name.into(),
            body,
            placement,
            shape: shape.into(),
        }
    }
}

/// The shapes of a robot that can collide, and the pairs of them that are tested.
///
/// Immutable while it is used, and shared by threads; a
/// [`CollisionWorkspace`](super::CollisionWorkspace) holds what changes.
///
/// ```
/// use featherline::model::JointId;
/// use featherline::samples;
/// use featherline::spatial::{Se3, Vec3};
/// use featherline_geometry::{Capsule, CollisionModel, CollisionShape, Plane};
///
/// let model = samples::double_pendulum();
/// let (upper, lower) = (model.joint_id("shoulder")?, model.joint_id("elbow")?);
/// let rod = |name, body| {
///     let middle = Se3::from_translation(Vec3::new(0.0, 0.0, -0.5));
///     CollisionShape::new(name, body, middle, Capsule::new(0.05, 1.0))
/// };
/// let floor = Se3::from_translation(Vec3::new(0.0, 0.0, -1.5));
/// let floor = CollisionShape::new("floor", JointId::UNIVERSE, floor, Plane);
/// let shapes = vec![rod("upper", upper), rod("lower", lower), floor];
/// let collision = CollisionModel::new(&model, shapes)?;
/// // Not the rods, which a joint connects, and not what the world carries on the floor.
/// assert_eq!(collision.pairs(), [[1, 2]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CollisionModel {
    shapes: Vec<CollisionShape>,
    pub(super) colliders: Vec<Collider>,
    /// The number of joints of the robot, the universe included.
    pub(super) joints: usize,
    pub(super) pairs: Arc<Vec<[usize; 2]>>,
}

impl CollisionModel {
    /// The collision model of shapes, with the default pairs.
    ///
    /// These are shapes of different bodies, unless a joint connects the bodies. Between the world
    /// and a body that it carries, shapes are tested if the joint has six degrees of freedom: a
    /// free base on the ground, not the first link of an arm. Cost O(shapes²), and the preparation
    /// of each shape.
    ///
    /// # Errors
    ///
    /// [`CollisionError::Missing`] for a body that the robot does not have,
    /// [`CollisionError::BadSize`], [`CollisionError::EmptyMesh`],
    /// [`CollisionError::BadPlacement`].
    pub fn new(model: &Model, shapes: Vec<CollisionShape>) -> Result<Self, CollisionError> {
        let mut pairs = Vec::new();
        for first in 0..shapes.len() {
            for second in first + 1..shapes.len() {
                let [a, b] = [first, second].map(|k| shapes[k].body);
                let count = model.joints().len();
                if a.index() < count && b.index() < count && is_default(model, a, b) {
                    pairs.push([first, second]);
                }
            }
        }
        Self::with_pairs(model, shapes, pairs)
    }

    /// The collision model of shapes, with given pairs of them; each pair once, the smaller index
    /// first.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); [`CollisionError::Missing`] for a pair of a shape that there is not,
    /// [`CollisionError::SameShape`].
    pub fn with_pairs(
        model: &Model,
        shapes: Vec<CollisionShape>,
        pairs: Vec<[usize; 2]>,
    ) -> Result<Self, CollisionError> {
        let joints = model.joints().len();
        let mut colliders = Vec::with_capacity(shapes.len());
        for (index, shape) in shapes.iter().enumerate() {
            let body = shape.body.index();
            if body >= joints {
                return Err(CollisionError::Missing {
                    kind: "joint",
                    index: body,
                    count: joints,
                });
            }
            let (r, p) = (&shape.placement.rotation, shape.placement.translation);
            if ![r.x, r.y, r.z, p].iter().all(|v| v.is_finite()) {
                return Err(CollisionError::BadPlacement { placement: index });
            }
            colliders.push(Collider::numbered(shape.shape.clone(), index)?);
        }
        let mut made = Self {
            shapes,
            colliders,
            joints,
            pairs: Arc::new(Vec::new()),
        };
        let mut pairs = pairs;
        for pair in &mut pairs {
            *pair = made.pair(pair[0], pair[1])?;
        }
        pairs.sort_unstable();
        pairs.dedup();
        made.pairs = Arc::new(pairs);
        Ok(made)
    }

    /// The shapes, in the order that they were given.
    pub fn shapes(&self) -> &[CollisionShape] {
        &self.shapes
    }

    /// The index of the shape of a name; none if no shape has it.
    pub fn shape_index(&self, name: &str) -> Option<usize> {
        self.shapes.iter().position(|shape| shape.name == name)
    }

    /// The pairs that are tested: indices of shapes, the smaller one first, in ascending order.
    pub fn pairs(&self) -> &[[usize; 2]] {
        &self.pairs
    }

    /// The bodies of two shapes, as [`distance_jacobian`](super::distance_jacobian) takes them.
    ///
    /// # Panics
    ///
    /// If there is no such shape.
    pub fn bodies(&self, [first, second]: [usize; 2]) -> [JointId; 2] {
        [self.shapes[first].body, self.shapes[second].body]
    }

    /// Tests no shapes of two bodies against each other. Cost O(pairs).
    ///
    /// # Errors
    ///
    /// [`CollisionError::Missing`].
    pub fn exclude_bodies(&mut self, a: JointId, b: JointId) -> Result<(), CollisionError> {
        for body in [a, b] {
            if body.index() >= self.joints {
                let (index, count) = (body.index(), self.joints);
                return Err(CollisionError::Missing {
                    kind: "joint",
                    index,
                    count,
                });
            }
        }
        let shapes = &self.shapes;
        Arc::make_mut(&mut self.pairs).retain(|&[i, j]| {
            let bodies = [shapes[i].body, shapes[j].body];
            bodies != [a, b] && bodies != [b, a]
        });
        Ok(())
    }

    /// Does not test two shapes against each other. Cost O(pairs).
    ///
    /// # Errors
    ///
    /// [`CollisionError::Missing`], [`CollisionError::SameShape`].
    pub fn exclude_shapes(&mut self, i: usize, j: usize) -> Result<(), CollisionError> {
        let pair = self.pair(i, j)?;
        Arc::make_mut(&mut self.pairs).retain(|other| *other != pair);
        Ok(())
    }

    /// Tests two shapes against each other, whatever their bodies. Cost O(pairs).
    ///
    /// # Errors
    ///
    /// [`CollisionError::Missing`], [`CollisionError::SameShape`];
    /// [`CollisionError::Unbounded`] for two half-spaces.
    pub fn include_shapes(&mut self, i: usize, j: usize) -> Result<(), CollisionError> {
        let pair = self.pair(i, j)?;
        if pair
            .iter()
            .all(|&k| matches!(self.shapes[k].shape, Shape::Plane(_)))
        {
            return Err(CollisionError::Unbounded);
        }
        if let Err(at) = self.pairs.binary_search(&pair) {
            Arc::make_mut(&mut self.pairs).insert(at, pair);
        }
        Ok(())
    }

    /// Two indices of shapes in ascending order.
    fn pair(&self, i: usize, j: usize) -> Result<[usize; 2], CollisionError> {
        let count = self.shapes.len();
        for index in [i, j] {
            if index >= count {
                return Err(CollisionError::Missing {
                    kind: "shape",
                    index,
                    count,
                });
            }
        }
        match i == j {
            true => Err(CollisionError::SameShape { shape: i }),
            false => Ok([i.min(j), i.max(j)]),
        }
    }
}

/// Whether shapes of two bodies are tested if nothing else is said.
fn is_default(model: &Model, a: JointId, b: JointId) -> bool {
    if a == b {
        return false;
    }
    let connects = |parent: JointId, child: JointId| {
        child != JointId::UNIVERSE && model.parent(child) == parent
    };
    let free = |child: JointId| model.joint(child).kind.nv() == 6;
    match (connects(a, b), connects(b, a)) {
        (false, false) => true,
        (true, _) => a == JointId::UNIVERSE && free(b),
        (_, true) => b == JointId::UNIVERSE && free(a),
    }
}
