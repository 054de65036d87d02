//! The collision model of a robot, with friction and restitution of each pair.

use super::{ContactDimension, PairSurface, Robot};
use crate::error::Error;
use crate::warning::{Warning, WarningCause};
use featherline::model::JointId;
use featherline::spatial::{Se3, Vec3};
use featherline_geometry::{
    Collider, CollisionError, CollisionModel, CollisionShape, Plane, Shape,
};
use thiserror::Error as ThisError;

/// The shapes and pairs that may touch, with friction and restitution: the result of
/// [`Robot::contact_model`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ContactModel {
    /// The shapes, and the pairs that may touch.
    pub collision: CollisionModel,
    /// The link of each shape, by its index in the description; none for a ground that was added.
    pub links: Vec<Option<usize>>,
    /// The index of each shape in [`Description::geometry`](super::Description::geometry); none for
    /// a ground that was added.
    pub geometry: Vec<Option<usize>>,
    /// Friction and restitution of each pair, in the order of
    /// [`CollisionModel::pairs`].
    pub surfaces: Vec<PairSurface>,
    /// Warnings of shapes that were left out or changed.
    pub warnings: Vec<Warning>,
}

/// Why a robot has no collision model.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum ContactModelError {
    /// Links and joints of the description are no tree.
    #[error(transparent)]
    Description(#[from] Error),
    /// Shapes that can't be put together.
    #[error(transparent)]
    Collision(#[from] CollisionError),
}

/// The name of a ground that is added.
const GROUND: &str = "ground";

impl Robot {
    /// The shapes that a robot touches with, the pairs that may touch, and their surfaces.
    ///
    /// Shapes are those of [`Robot::collision_shapes`]. With a `ground`, a plane at that
    /// height (in m) is added, which every shape of a moving link may touch, with the surface that
    /// the description gives to what has none. Cost: the size of the mesh files, and the square of
    /// the number of shapes.
    ///
    /// ```
    /// let scene = "[ground]\n[[body]]\nname = 'ball'\nsphere = 0.1\nposition = [0, 0, 1]\n";
    /// let scene = featherline_formats::load_str(scene)?;
    /// let contact = scene.contact_model(None)?;
    /// assert_eq!(contact.collision.pairs(), [[0, 1]]);
    /// assert_eq!(contact.surfaces[0].friction, 0.8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ContactModelError`].
    pub fn contact_model(&self, ground: Option<f64>) -> Result<ContactModel, ContactModelError> {
        let mut touching = self.collision_shapes();
        let mut warnings = std::mem::take(&mut touching.warnings);
        touching.shapes.retain(|it| {
            let Err(error) = Collider::new(it.shape.clone()) else {
                return true;
            };
            let geometry = &self.description.geometry[it.geometry];
            let location = self.description.sources.location(geometry.source);
            let what = "the collision shape";
            let reason = error.to_string();
            let cause = WarningCause::LeftOut { what, reason };
            warnings.push(Warning { location, cause });
            false
        });
        let rules = self.description.contact_rules()?;
        let is_plane = |k: usize| matches!(touching.shapes[k].shape, Shape::Plane(_));
        let mut pairs = self.collision_pairs(&touching.shapes)?;
        pairs.retain(|&[i, j]| !(is_plane(i) && is_plane(j)));
        let mut beyond_sliding = None;
        let mut found: Vec<([usize; 2], PairSurface)> = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let [a, b] = pair.map(|k| touching.shapes[k].geometry);
            let surface = rules.surface(a, b);
            if surface.dimension > ContactDimension::Sliding {
                beyond_sliding.get_or_insert_with(|| rules.dimension_source(a, b));
            }
            found.push((pair, surface));
        }
        if let Some(source) = beyond_sliding {
            let what = "friction against spinning or rolling (`condim` of 4 or 6)".to_owned();
            let reading = "such contacts resist sliding alone";
            let cause = WarningCause::Simplified { what, reading };
            let location = self.description.sources.location(source);
            warnings.push(Warning { location, cause });
        }
        let own = touching.shapes.iter();
        let (mut links, mut geometry): (Vec<_>, Vec<_>) = own
            .clone()
            .map(|it| (Some(it.link), Some(it.geometry)))
            .unzip();
        let shapes = own.clone().map(|it| {
            CollisionShape::new(it.name.clone(), it.joint, it.placement, it.shape.clone())
        });
        let mut shapes: Vec<CollisionShape> = shapes.collect();
        if let Some(height) = ground {
            let placement = Se3::from_translation(Vec3::new(0.0, 0.0, height));
            for (k, shape) in own.enumerate() {
                if shape.joint != JointId::UNIVERSE && !is_plane(k) {
                    let defaults = &self.description.contact_defaults;
                    let surface = defaults.combine(shape.surface.as_ref(), None);
                    found.push(([k, shapes.len()], surface));
                }
            }
            let plane = CollisionShape::new(GROUND, JointId::UNIVERSE, placement, Plane);
            shapes.push(plane);
            links.push(None);
            geometry.push(None);
        }
        found.sort_by_key(|(pair, _)| *pair);
        let (pairs, surfaces): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        Ok(ContactModel {
            collision: CollisionModel::with_pairs(&self.model, shapes, pairs)?,
            links,
            geometry,
            surfaces,
            warnings,
        })
    }
}

impl ContactModel {
    /// Leaves out pairs of shapes, by their indices.
    pub fn exclude(&mut self, left_out: &[[usize; 2]]) {
        let mut pairs = self.collision.pairs().iter();
        self.surfaces
            .retain(|_| pairs.next().is_some_and(|pair| !left_out.contains(pair)));
        for &[i, j] in left_out {
            // A pair of the model's own shapes.
            let _ = self.collision.exclude_shapes(i, j);
        }
    }
}
