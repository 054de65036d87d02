//! Distances and contacts of a robot in one configuration.

use super::collider::Scratch;
use super::contact::ContactPoint;
use super::error::CollisionError;
use super::model::CollisionModel;
use super::pair::half_space;
use super::separation::Separation;
use super::sweep::Sweep;
use crate::aabb::Aabb;
use featherline::kernel;
use featherline::spatial::{Se3, Vec3};

/// A point of contact of two shapes of a collision model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairContact {
    /// The indices of the shapes, as [`CollisionModel::pairs`] has them.
    pub shapes: [usize; 2],
    /// The index of the pair in [`CollisionModel::pairs`].
    pub pair: usize,
    /// The point; its normal is from the first shape to the second.
    pub point: ContactPoint,
}

/// All memory that collision queries write to, made once from the collision model.
pub struct CollisionWorkspace {
    /// Of each shape in the world, and the box around it.
    placements: Vec<Se3<f64>>,
    boxes: Vec<Aabb>,
    sweep: Sweep,
    scratch: Scratch,
    /// Of each pair, the direction along which its shapes were apart last.
    axes: Vec<[f64; 3]>,
    distances: Vec<Separation>,
    overlapping: Vec<[usize; 2]>,
    points: Vec<ContactPoint>,
    contacts: Vec<PairContact>,
}

/// The shapes of a collision model in one configuration: the result of
/// [`CollisionWorkspace::place`].
pub struct Placed<'w> {
    model: &'w CollisionModel,
    ws: &'w mut CollisionWorkspace,
}

impl CollisionWorkspace {
    /// The workspace for a collision model.
    pub fn new(model: &CollisionModel) -> Self {
        let shapes = model.shapes().len();
        Self {
            placements: vec![Se3::identity(); shapes],
            boxes: vec![Aabb::centered(Vec3::zero()); shapes],
            sweep: Sweep::default(),
            scratch: Scratch::default(),
            // Pages of zeros, most of which are never written to in a scene of many bodies.
            axes: vec![[0.0; 3]; model.pairs().len()],
            distances: Vec::with_capacity(model.pairs().len()),
            overlapping: Vec::new(),
            points: Vec::new(),
            contacts: Vec::new(),
        }
    }

    /// Places all shapes, from the placements of the joints' output frames in the world, one a
    /// joint, the universe's first:
    /// [`joint_placements_into`](featherline::kinematics::Positions::joint_placements_into) writes
    /// them. Cost O(shapes).
    ///
    /// # Errors
    ///
    /// [`CollisionError::PlacementCount`], [`CollisionError::WorkspaceMismatch`],
    /// [`CollisionError::BadPlacement`] of a joint.
    ///
    /// ```
    /// use featherline::spatial::{Se3, Vec3};
    /// use featherline::{Workspace, samples};
    /// use featherline_geometry::{CollisionModel, CollisionShape, CollisionWorkspace, Sphere};
    ///
    /// let model = samples::double_pendulum();
    /// let tip = Se3::from_translation(Vec3::new(0.0, 0.0, -1.0));
    /// let hand = CollisionShape::new("hand", model.joint_id("elbow")?, tip, Sphere::new(0.1));
    /// let wall = Se3::from_translation(Vec3::new(0.5, 0.0, -2.0));
    /// let wall = CollisionShape::new("post", featherline::model::JointId::UNIVERSE, wall, Sphere::new(0.1));
    /// let collision = CollisionModel::new(&model, vec![hand, wall])?;
    /// let mut queries = CollisionWorkspace::new(&collision);
    ///
    /// let mut ws = Workspace::new(&model);
    /// let mut joints = vec![Se3::identity(); model.joints().len()];
    /// model.forward_kinematics(&mut ws, &[0.0, 0.0])?.joint_placements_into(&mut joints)?;
    /// let mut placed = queries.place(&collision, &joints)?;
    /// assert!((placed.distances()?[0].distance - 0.3).abs() < 1e-15);
    /// assert!(placed.contacts(0.05)?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn place<'w>(
        &'w mut self,
        model: &'w CollisionModel,
        joints: &[Se3<f64>],
    ) -> Result<Placed<'w>, CollisionError> {
        check_count("joint", model.joints, joints.len())?;
        if self.placements.len() != model.shapes().len() {
            return Err(CollisionError::WorkspaceMismatch);
        }
        if let Some(placement) = place_all(self, model, joints, true) {
            return Err(CollisionError::BadPlacement { placement });
        }
        Ok(Placed { model, ws: self })
    }

    /// Places all shapes where they are in the world, whatever carries them: a placement for each.
    /// Cost O(shapes).
    ///
    /// # Errors
    ///
    /// [`CollisionError::PlacementCount`], [`CollisionError::WorkspaceMismatch`],
    /// [`CollisionError::BadPlacement`] of a shape.
    ///
    /// ```
    /// use featherline::model::JointId;
    /// use featherline::samples;
    /// use featherline::spatial::{Se3, Vec3};
    /// use featherline_geometry::{CollisionModel, CollisionShape, CollisionWorkspace, Sphere};
    ///
    /// let ball = |name| CollisionShape::new(name, JointId::UNIVERSE, Se3::identity(), Sphere::new(0.1));
    /// let model = samples::double_pendulum();
    /// let collision = CollisionModel::with_pairs(&model, vec![ball("a"), ball("b")], vec![[0, 1]])?;
    /// let mut queries = CollisionWorkspace::new(&collision);
    /// let apart = [Se3::identity(), Se3::from_translation(Vec3::new(0.3, 0.0, 0.0))];
    /// let mut placed = queries.place_shapes(&collision, &apart)?;
    /// assert!((placed.distances()?[0].distance - 0.1).abs() < 1e-15);
    /// # Ok::<(), featherline_geometry::CollisionError>(())
    /// ```
    pub fn place_shapes<'w>(
        &'w mut self,
        model: &'w CollisionModel,
        placements: &[Se3<f64>],
    ) -> Result<Placed<'w>, CollisionError> {
        check_count("shape", model.shapes().len(), placements.len())?;
        if self.placements.len() != placements.len() {
            return Err(CollisionError::WorkspaceMismatch);
        }
        if let Some(placement) = place_all(self, model, placements, false) {
            return Err(CollisionError::BadPlacement { placement });
        }
        Ok(Placed { model, ws: self })
    }
}

fn check_count(of: &'static str, expected: usize, found: usize) -> Result<(), CollisionError> {
    match expected == found {
        true => Ok(()),
        false => Err(CollisionError::PlacementCount {
            of,
            expected,
            found,
        }),
    }
}

kernel!(
    /// Places all shapes and the boxes around them, from the placements of joints or of the shapes
    /// themselves. Returns one that is no number.
    fn place_all(
        ws: &mut CollisionWorkspace,
        model: &CollisionModel,
        placements: &[Se3<f64>],
        are_of_joints: bool,
    ) -> Option<usize> {
        for (i, shape) in model.shapes().iter().enumerate() {
            let (at, placement) = match are_of_joints {
                true => {
                    let body = shape.body.index();
                    (body, placements[body].compose(&shape.placement))
                }
                false => (i, placements[i]),
            };
            if !place_shape(ws, model, i, placement) {
                return Some(at);
            }
        }
        None
    }
);

kernel!(
    /// The separations of the pairs that have a closed form, in one pass: a call a pair takes four
    /// to nine times as long. No numbers for the others.
    fn closed_forms(ws: &mut CollisionWorkspace, model: &CollisionModel) {
        let not_found = Separation {
            distance: f64::NAN,
            points: [Vec3::zero(); 2],
            normal: Vec3::zero(),
        };
        ws.distances.clear();
        for pair in model.pairs() {
            let [a, b] = pair.map(|i| &model.colliders[i]);
            let [first, second] = pair.map(|i| &ws.placements[i]);
            ws.distances
                .push(a.closed_form(first, b, second).unwrap_or(not_found));
        }
    }
);

/// Places a shape and the box around it; false where its placement is no number.
#[inline(always)]
fn place_shape(
    ws: &mut CollisionWorkspace,
    model: &CollisionModel,
    shape: usize,
    placement: Se3<f64>,
) -> bool {
    let r = &placement.rotation;
    let parts = [r.x, r.y, r.z, placement.translation];
    if !parts.iter().all(|v| v.is_finite()) {
        return false;
    }
    let endless = Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY);
    let around = model.colliders[shape].placed_box(&placement);
    ws.boxes[shape] = around.unwrap_or(Aabb::centered(endless));
    ws.placements[shape] = placement;
    true
}

impl Placed<'_> {
    /// The placement of a shape in the world.
    ///
    /// # Panics
    ///
    /// If there is no such shape.
    pub fn placement(&self, shape: usize) -> &Se3<f64> {
        &self.ws.placements[shape]
    }

    /// Puts a shape elsewhere in the world than its joint carries it.
    ///
    /// # Errors
    ///
    /// [`CollisionError::BadPlacement`] of its joint, for a placement that is no number.
    ///
    /// # Panics
    ///
    /// If there is no such shape.
    pub fn move_shape(&mut self, shape: usize, placement: Se3<f64>) -> Result<(), CollisionError> {
        match place_shape(self.ws, self.model, shape, placement) {
            true => Ok(()),
            false => Err(CollisionError::BadPlacement {
                placement: self.model.shapes()[shape].body.index(),
            }),
        }
    }

    /// The separation of each pair, in the order of [`CollisionModel::pairs`].
    ///
    /// # Errors
    ///
    /// [`CollisionError::Overflow`].
    pub fn distances(&mut self) -> Result<&[Separation], CollisionError> {
        closed_forms(self.ws, self.model);
        for (at, &pair) in self.model.pairs().iter().enumerate() {
            if !self.ws.distances[at].is_finite() {
                self.ws.distances[at] = self.separation(pair)?;
            }
        }
        Ok(&self.ws.distances)
    }

    /// The pair that is nearest, or overlaps most, and its separation; none without pairs.
    ///
    /// A pair whose boxes are farther apart than the nearest so far is not looked at.
    ///
    /// # Errors
    ///
    /// [`CollisionError::Overflow`].
    pub fn nearest(&mut self) -> Result<Option<([usize; 2], Separation)>, CollisionError> {
        let mut best: Option<([usize; 2], Separation)> = None;
        for &pair in self.model.pairs() {
            let least = best.map_or(f64::INFINITY, |(_, s)| s.distance);
            let [a, b] = pair.map(|i| &self.ws.boxes[i]);
            if a.gap(b) > least.max(0.0) {
                continue;
            }
            if let Some(found) = self.within(pair, [least, f64::NEG_INFINITY])?
                && found.distance < least
            {
                best = Some((pair, found));
            }
        }
        Ok(best)
    }

    /// The pairs that overlap or touch, in ascending order; with `first_only`, no more than one.
    ///
    /// # Errors
    ///
    /// [`CollisionError::Overflow`].
    pub fn collisions(&mut self, first_only: bool) -> Result<&[[usize; 2]], CollisionError> {
        let CollisionWorkspace {
            placements,
            boxes,
            sweep,
            scratch,
            axes,
            overlapping,
            ..
        } = &mut *self.ws;
        overlapping.clear();
        sweep.find(boxes, &self.model.pairs, 0.0);
        // Pairs may have been included since.
        axes.resize(self.model.pairs().len(), [0.0; 3]);
        for &at in &sweep.found {
            let pair = self.model.pairs()[at];
            let [a, b] = pair.map(|i| &self.model.colliders[i]);
            scratch.axis = Vec3::from(axes[at]);
            let touches = a.touches(pair.map(|i| &placements[i]), b, scratch)?;
            axes[at] = scratch.axis.to_array();
            if touches {
                overlapping.push(pair);
                if first_only {
                    break;
                }
            }
        }
        Ok(overlapping)
    }

    /// All points of contact with a distance of at most `range`, in m, pair by pair in ascending
    /// order.
    ///
    /// Allocates nothing once its memory has grown to what a configuration needs. Cost: a search of
    /// pairs whose boxes are within range, O(shapes) where the order of the last call still holds,
    /// and the contact of each.
    ///
    /// # Errors
    ///
    /// [`CollisionError::Overflow`].
    pub fn contacts(&mut self, range: f64) -> Result<&[PairContact], CollisionError> {
        let CollisionWorkspace {
            placements,
            boxes,
            sweep,
            scratch,
            axes,
            points,
            contacts,
            ..
        } = &mut *self.ws;
        contacts.clear();
        sweep.find(boxes, &self.model.pairs, range);
        // Pairs may have been included since.
        axes.resize(self.model.pairs().len(), [0.0; 3]);
        for &at in &sweep.found {
            let shapes = self.model.pairs()[at];
            let [a, b] = shapes.map(|i| &self.model.colliders[i]);
            let [first, second] = shapes.map(|i| &placements[i]);
            // A box may be well above a half-space.
            let [around_a, around_b] = shapes.map(|i| &boxes[i]);
            if a.is_half_space() && half_space::is_beyond(first, around_b, range)
                || b.is_half_space() && half_space::is_beyond(second, around_a, range)
            {
                continue;
            }
            points.clear();
            scratch.axis = Vec3::from(axes[at]);
            a.contacts_with(first, b, second, range, scratch, points)?;
            axes[at] = scratch.axis.to_array();
            contacts.extend(points.iter().map(|&point| PairContact {
                shapes,
                pair: at,
                point,
            }));
        }
        Ok(contacts)
    }

    /// The separation of one pair of shapes, whether or not it is tested otherwise.
    ///
    /// # Errors
    ///
    /// [`CollisionError::Overflow`].
    ///
    /// # Panics
    ///
    /// If there is no such shape.
    pub fn separation(&mut self, pair: [usize; 2]) -> Result<Separation, CollisionError> {
        let [a, b] = pair.map(|i| &self.model.colliders[i]);
        let [first, second] = pair.map(|i| &self.ws.placements[i]);
        a.separation_with(first, b, second, &mut self.ws.scratch)
    }

    /// The separation of a pair within limits; see `Collider::search_with`.
    fn within(
        &mut self,
        pair: [usize; 2],
        limits: [f64; 2],
    ) -> Result<Option<Separation>, CollisionError> {
        let [a, b] = pair.map(|i| &self.model.colliders[i]);
        let placements = pair.map(|i| &self.ws.placements[i]);
        a.search_with(placements, b, limits, &mut self.ws.scratch)
    }
}
