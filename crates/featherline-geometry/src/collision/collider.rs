//! Shapes prepared for distances, and the table of pairs.

use super::contact::{ContactPoint, feature, push_contact};
use super::convex::{Convex, Core};
use super::error::CollisionError;
use super::facets::Facets;
use super::flush::{Flush, gap_along};
use super::manifold::{self, Faces};
use super::nearest::Search;
use super::oriented_box::OrientedBox;
use super::pair::{
    ball_cuboid, ball_cylinder, ball_segment, between_points, convex, cuboid_cuboid, half_space,
    mesh, mesh_mesh, segment_segment,
};
use super::reduction::reduce;
use super::separation::Separation;
use super::sizes::check;
use super::tree::{Tree, Visit, next_leaf};
use crate::aabb::Aabb;
use crate::shape::Shape;
use featherline::kernel::{Kernel, dispatch};
use featherline::spatial::{Se3, Vec3};
use std::sync::Arc;

/// A shape prepared for distances: facets of a polytope and the tree of a mesh are built once.
///
/// Cloning shares them. Preparing a shape of another kind costs no more than checking its sizes.
#[derive(Clone, Debug)]
pub struct Collider {
    shape: Shape,
    /// The box around it in its own frame; none around a half-space.
    around: Option<Aabb>,
    facets: Option<Arc<Facets>>,
    tree: Option<Arc<Tree>>,
}

/// Limits of a search that finds the least separation, however large.
pub(crate) const ANY: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];

/// Memory that distances and contacts need, for use again.
#[derive(Default)]
pub(crate) struct Scratch {
    search: Search,
    /// A direction in the world along which the two shapes may be apart, such as that of the last
    /// call; of any length, or zero.
    pub axis: Vec3<f64>,
    faces: Option<Box<Faces>>,
    pub(super) stack: Vec<Visit>,
    inner_stack: Vec<Visit>,
    visits: Vec<mesh_mesh::Visit>,
}

impl Scratch {
    /// Memory for faces, made when it is needed first.
    fn faces(&mut self) -> &mut Faces {
        self.faces.get_or_insert_default()
    }
}

/// The family of a shape in the table of pairs.
pub(super) enum Family<'a> {
    HalfSpace,
    Convex(Convex<'a>),
    Mesh(&'a Tree),
}

impl Collider {
    /// Prepares a shape. Cost O(F log² F) for a polytope or mesh of F faces, O(1) else.
    ///
    /// # Errors
    ///
    /// [`CollisionError::BadSize`], [`CollisionError::EmptyMesh`], both of shape 0.
    pub fn new(shape: Shape) -> Result<Self, CollisionError> {
        Self::numbered(shape, 0)
    }

    /// Prepares the shape of a number, which errors name.
    pub(crate) fn numbered(shape: Shape, index: usize) -> Result<Self, CollisionError> {
        check(&shape, index)?;
        let (facets, tree) = match &shape {
            Shape::Polytope(it) => (Some(Arc::new(Facets::of(it.mesh()))), None),
            Shape::Mesh(mesh) => (None, Some(Arc::new(Tree::of(mesh)))),
            Shape::Sphere(_)
            | Shape::Capsule(_)
            | Shape::Cuboid(_)
            | Shape::Cylinder(_)
            | Shape::Cone(_)
            | Shape::Ellipsoid(_)
            | Shape::Plane(_) => (None, None),
        };
        Ok(Self {
            around: shape.aabb(),
            shape,
            facets,
            tree,
        })
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The box along the world's axes around the placed shape; none around a half-space.
    #[inline(always)]
    pub(crate) fn placed_box(&self, placement: &Se3<f64>) -> Option<Aabb> {
        self.around
            .as_ref()
            .map(|around| mesh::box_in(placement, around))
    }

    #[inline(always)]
    pub(crate) fn is_half_space(&self) -> bool {
        matches!(self.shape, Shape::Plane(_))
    }

    #[inline(always)]
    pub(super) fn family(&self) -> Family<'_> {
        let convex = |core, radius| Family::Convex(Convex { core, radius });
        match &self.shape {
            Shape::Sphere(s) => convex(Core::Point, s.radius),
            Shape::Capsule(s) => convex(Core::Segment(0.5 * s.length), s.radius),
            Shape::Cuboid(s) => convex(Core::Cuboid(s.sides * 0.5), 0.0),
            Shape::Cylinder(s) => convex(Core::Cylinder(s.radius, 0.5 * s.length), 0.0),
            Shape::Cone(s) => convex(Core::Cone(s.radius, 0.5 * s.length), 0.0),
            Shape::Ellipsoid(s) => convex(Core::Ellipsoid(s.semi_axes), 0.0),
            Shape::Plane(_) => Family::HalfSpace,
            Shape::Polytope(_) => match &self.facets {
                Some(facets) => convex(Core::Polytope(facets), 0.0),
                None => convex(Core::Point, 0.0),
            },
            Shape::Mesh(_) => match &self.tree {
                Some(tree) => Family::Mesh(tree),
                None => convex(Core::Point, 0.0),
            },
        }
    }

    /// The distance of two placed shapes; see [`separation`](super::separation).
    ///
    /// # Errors
    ///
    /// As of [`separation`](super::separation), but for sizes, which are checked already.
    pub fn separation(
        &self,
        placement: &Se3<f64>,
        other: &Self,
        other_placement: &Se3<f64>,
    ) -> Result<Separation, CollisionError> {
        self.separation_with(placement, other, other_placement, &mut Scratch::default())
    }

    /// All points of contact of two placed shapes within a range; see
    /// [`contact_points`](super::contact_points).
    ///
    /// # Errors
    ///
    /// As of [`contact_points`](super::contact_points), but for sizes, which are checked already.
    pub fn contact_points(
        &self,
        placement: &Se3<f64>,
        other: &Self,
        other_placement: &Se3<f64>,
        range: f64,
        out: &mut Vec<ContactPoint>,
    ) -> Result<(), CollisionError> {
        let placements = [placement, other_placement];
        self.contacts_with(
            placement,
            other,
            other_placement,
            range,
            &mut Scratch::default(),
            out,
        )
        .map_err(|error| explain(error, placements))
    }

    /// A separation of two placed shapes that is at most `reach`, in m; none if they are farther
    /// apart. Of meshes that are nearer it is that of some triangles, and need not be the least: a
    /// reach of zero asks whether shapes touch, and costs less than their distance.
    ///
    /// # Errors
    ///
    /// As of [`separation`](super::separation), but for sizes, which are checked already.
    ///
    /// ```
    /// use featherline::spatial::{Se3, Vec3};
    /// use featherline_geometry::{Collider, Sphere};
    ///
    /// let (ball, here) = (Collider::new(Sphere::new(0.1).into())?, Se3::identity());
    /// let beside = Se3::from_translation(Vec3::new(0.25, 0.0, 0.0));
    /// assert!(ball.separation_within(&here, &ball, &beside, 0.0)?.is_none());
    /// assert!(ball.separation_within(&here, &ball, &beside, 0.1)?.is_some());
    /// # Ok::<(), featherline_geometry::CollisionError>(())
    /// ```
    pub fn separation_within(
        &self,
        placement: &Se3<f64>,
        other: &Self,
        other_placement: &Se3<f64>,
        reach: f64,
    ) -> Result<Option<Separation>, CollisionError> {
        let placements = [placement, other_placement];
        self.search_with(placements, other, [reach, reach], &mut Scratch::default())
    }

    pub(crate) fn separation_with(
        &self,
        placement: &Se3<f64>,
        other: &Self,
        other_placement: &Se3<f64>,
        scratch: &mut Scratch,
    ) -> Result<Separation, CollisionError> {
        let placements = [placement, other_placement];
        self.search_with(placements, other, ANY, scratch)?
            .ok_or_else(|| explain(CollisionError::Overflow, placements))
    }

    /// The separation if it is at most the first of two limits; the search may end with one of at
    /// most the second.
    pub(crate) fn search_with(
        &self,
        placements: [&Se3<f64>; 2],
        other: &Self,
        limits: [f64; 2],
        scratch: &mut Scratch,
    ) -> Result<Option<Separation>, CollisionError> {
        let found = self.search(placements, other, limits, scratch);
        let found = found.and_then(|found| match found {
            Some(s) if !s.is_finite() => Err(CollisionError::Overflow),
            // Placements that are not finite are beyond no reach.
            None if !placements.iter().all(|it| is_finite(it)) => Err(CollisionError::Overflow),
            found => Ok(found.filter(|s| s.distance <= limits[0])),
        });
        found.map_err(|error| explain(error, placements))
    }

    fn search(
        &self,
        [first, second]: [&Se3<f64>; 2],
        other: &Self,
        limits: [f64; 2],
        scratch: &mut Scratch,
    ) -> Result<Option<Separation>, CollisionError> {
        let [reach, enough] = limits;
        let found = match (self.family(), other.family()) {
            (Family::HalfSpace, Family::HalfSpace) => {
                half_space::separation_of_planes(first, second)?
            }
            (Family::HalfSpace, Family::Convex(b)) => dispatch(OnHalfSpace(first, &b, second)),
            (Family::Convex(a), Family::HalfSpace) => {
                dispatch(OnHalfSpace(second, &a, first)).swapped()
            }
            (Family::HalfSpace, Family::Mesh(tree)) => {
                half_space::separation_of_mesh(first, tree, second)
            }
            (Family::Mesh(tree), Family::HalfSpace) => {
                half_space::separation_of_mesh(second, tree, first).swapped()
            }
            (Family::Convex(a), Family::Convex(b)) => {
                convex_separation([&a, &b], [first, second], reach, scratch)?
            }
            (Family::Mesh(tree), Family::Convex(b)) => {
                let around = other.box_in(&first.inverse_compose(second))?;
                return mesh_separation(tree, &b, [first, second], &around, limits, scratch);
            }
            (Family::Convex(a), Family::Mesh(tree)) => {
                let around = self.box_in(&second.inverse_compose(first))?;
                return mesh_separation(tree, &a, [second, first], &around, limits, scratch)
                    .map(|found| found.map(Separation::swapped));
            }
            (Family::Mesh(a), Family::Mesh(b)) => {
                let b_in_a = first.inverse_compose(second);
                let found = mesh_mesh::nearest(a, b, &b_in_a, reach, enough, &mut scratch.visits);
                return Ok(found.map(|found| found.transformed_by(first)));
            }
        };
        Ok(Some(found))
    }

    /// The separation of two shapes without a search; none where that is slower, or must search.
    #[inline(always)]
    pub(super) fn closed_form(
        &self,
        placement: &Se3<f64>,
        other: &Self,
        other_placement: &Se3<f64>,
    ) -> Option<Separation> {
        match (self.family(), other.family()) {
            (Family::Convex(a), Family::Convex(b)) => {
                // Boxes that are apart have none, which is only seen half-way.
                let are_boxes = matches!((a.core, b.core), (Core::Cuboid(_), Core::Cuboid(_)));
                let placements = [placement, other_placement];
                (!are_boxes).then(|| ClosedForm([&a, &b], placements).run())?
            }
            (Family::HalfSpace | Family::Mesh(_), _) | (_, Family::HalfSpace | Family::Mesh(_)) => {
                None
            }
        }
    }

    /// The box of a shape in the frame of a mesh.
    pub(super) fn box_in(&self, placement: &Se3<f64>) -> Result<OrientedBox, CollisionError> {
        let around = self.around.as_ref().ok_or(CollisionError::Unbounded)?;
        Ok(OrientedBox::of_shape(around, placement))
    }

    pub(crate) fn contacts_with(
        &self,
        first: &Se3<f64>,
        other: &Self,
        second: &Se3<f64>,
        range: f64,
        scratch: &mut Scratch,
        out: &mut Vec<ContactPoint>,
    ) -> Result<(), CollisionError> {
        let begin = out.len();
        match (self.family(), other.family()) {
            (Family::HalfSpace, Family::HalfSpace) => {
                push_contact(
                    half_space::separation_of_planes(first, second)?,
                    0,
                    range,
                    out,
                );
            }
            (Family::HalfSpace, Family::Convex(b)) => {
                let corners = &mut scratch.faces().corners[0];
                half_space::contacts(first, &b, second, range, corners, out);
                reduce(out, begin);
            }
            (Family::Convex(a), Family::HalfSpace) => {
                let corners = &mut scratch.faces().corners[0];
                half_space::contacts(second, &a, first, range, corners, out);
                reduce(out, begin);
                swap(&mut out[begin..]);
            }
            (Family::HalfSpace, Family::Mesh(tree)) => {
                half_space::contacts_of_mesh(first, tree, second, range, out);
                reduce(out, begin);
            }
            (Family::Mesh(tree), Family::HalfSpace) => {
                half_space::contacts_of_mesh(second, tree, first, range, out);
                reduce(out, begin);
                swap(&mut out[begin..]);
            }
            (Family::Convex(a), Family::Convex(b)) => {
                convex_contacts([&a, &b], [first, second], range, scratch, out)?;
                reduce(out, begin);
            }
            (Family::Mesh(tree), Family::Convex(b)) => {
                let around = other.box_in(&first.inverse_compose(second))?;
                mesh_contacts(tree, &b, [first, second], &around, range, scratch, out)?;
            }
            (Family::Convex(a), Family::Mesh(tree)) => {
                let around = self.box_in(&second.inverse_compose(first))?;
                mesh_contacts(tree, &a, [second, first], &around, range, scratch, out)?;
                swap(&mut out[begin..]);
            }
            (Family::Mesh(a), Family::Mesh(b)) => {
                let in_first = first.inverse_compose(second);
                let around_first = self.box_in(&second.inverse_compose(first))?;
                let mut inner = std::mem::take(&mut scratch.inner_stack);
                b.begin(&mut inner);
                while let Some(leaf) = next_leaf(b, &around_first, range, &mut inner) {
                    let (shape, leaf) = (mesh::triangle(b, leaf), &b.nodes[leaf as usize]);
                    let around = leaf.around.placed(&in_first);
                    let here = out.len();
                    mesh_contacts(a, &shape, [first, second], &around, range, scratch, out)?;
                    for point in &mut out[here..] {
                        point.feature = feature(point.feature, b.faces[leaf.index as usize]);
                    }
                }
                scratch.inner_stack = inner;
            }
        }
        let finite =
            |point: &ContactPoint| point.distance.is_finite() && point.points[0].is_finite();
        match out[begin..].iter().all(finite) {
            true => Ok(()),
            false => {
                out.truncate(begin);
                Err(CollisionError::Overflow)
            }
        }
    }
}

/// Half-space × convex shape.
struct OnHalfSpace<'a>(&'a Se3<f64>, &'a Convex<'a>, &'a Se3<f64>);

impl Kernel for OnHalfSpace<'_> {
    type Output = Separation;

    #[inline(always)]
    fn run(self) -> Separation {
        half_space::separation(self.0, self.1, self.2)
    }
}

/// The table of convex pairs with closed forms; none for all others.
pub(super) struct ClosedForm<'a>(pub [&'a Convex<'a>; 2], pub [&'a Se3<f64>; 2]);

impl Kernel for ClosedForm<'_> {
    type Output = Option<Separation>;

    #[inline(always)]
    fn run(self) -> Option<Separation> {
        let Self([a, b], [first, second]) = self;
        let (p, q) = (first.translation, second.translation);
        let cores = match (&a.core, &b.core) {
            (Core::Point, Core::Point) => between_points(p, q, Vec3::unit(2)),
            (Core::Point, Core::Segment(half)) => ball_segment::separation(p, *half, second),
            (Core::Segment(half), Core::Point) => {
                ball_segment::separation(q, *half, first).swapped()
            }
            (Core::Point, Core::Cuboid(half)) => ball_cuboid::separation(p, *half, second),
            (Core::Cuboid(half), Core::Point) => ball_cuboid::separation(q, *half, first).swapped(),
            (Core::Point, Core::Cylinder(radius, half)) => {
                ball_cylinder::separation(p, [*radius, *half], second)
            }
            (Core::Cylinder(radius, half), Core::Point) => {
                ball_cylinder::separation(q, [*radius, *half], first).swapped()
            }
            (Core::Segment(one), Core::Segment(other)) => {
                segment_segment::separation([*one, *other], first, second)
            }
            (Core::Cuboid(one), Core::Cuboid(other)) => {
                let placement = first.inverse_compose(second);
                let axis = cuboid_cuboid::axis(*one, *other, &placement);
                if axis.gap > 0.0 {
                    return None;
                }
                cuboid_cuboid::overlap(*one, *other, &placement, &axis).transformed_by(first)
            }
            _ => return None,
        };
        Some(cores.thickened([a.radius, b.radius]))
    }
}

/// The gap of two convex shapes along a direction, which bounds their distance from below; nothing
/// is known along none.
pub(super) struct GapAlong<'a>(
    pub Vec3<f64>,
    pub [&'a Convex<'a>; 2],
    pub [&'a Se3<f64>; 2],
);

impl Kernel for GapAlong<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let Self(direction, shapes, placements) = self;
        let length = direction.norm();
        if length <= 0.0 {
            return f64::NEG_INFINITY;
        }
        gap_along(direction * length.recip(), shapes, placements)
    }
}

/// The greatest gap of two boxes along an axis.
pub(super) struct BoxGap<'a>(pub [Vec3<f64>; 2], pub [&'a Se3<f64>; 2]);

impl Kernel for BoxGap<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let Self([a, b], [first, second]) = self;
        cuboid_cuboid::axis(a, b, &first.inverse_compose(second)).gap
    }
}

/// Beyond `reach` a lower bound of the distance.
#[inline(always)]
fn convex_separation(
    shapes: [&Convex<'_>; 2],
    placements: [&Se3<f64>; 2],
    reach: f64,
    scratch: &mut Scratch,
) -> Result<Separation, CollisionError> {
    match dispatch(ClosedForm(shapes, placements)) {
        Some(found) => Ok(found),
        None => general(scratch, shapes, placements, reach),
    }
}

fn general(
    scratch: &mut Scratch,
    shapes: [&Convex<'_>; 2],
    placements: [&Se3<f64>; 2],
    reach: f64,
) -> Result<Separation, CollisionError> {
    convex::separation(&mut scratch.search, shapes, placements, reach)
        .ok_or(CollisionError::Overflow)
}

fn convex_contacts(
    [a, b]: [&Convex<'_>; 2],
    [first, second]: [&Se3<f64>; 2],
    range: f64,
    scratch: &mut Scratch,
    out: &mut Vec<ContactPoint>,
) -> Result<(), CollisionError> {
    if let (Core::Cuboid(one), Core::Cuboid(other)) = (&a.core, &b.core) {
        // A separating axis bounds the distance from below.
        if dispatch(BoxGap([*one, *other], [first, second])) > range {
            return Ok(());
        }
    }
    let nearest = match dispatch(ClosedForm([a, b], [first, second])) {
        Some(found) => found,
        None => {
            // Most shapes that were apart are so along the same direction.
            if dispatch(GapAlong(scratch.axis, [a, b], [first, second])) > range {
                return Ok(());
            }
            let found = general(scratch, [a, b], [first, second], range)?;
            scratch.axis = found.normal;
            found
        }
    };
    let (shapes, placements) = ([a, b], [first, second]);
    if nearest.distance > range {
        return Ok(());
    }
    let flush = Flush {
        nearest,
        shapes,
        placements,
    };
    let Some(nearest) = dispatch(flush) else {
        return Ok(());
    };
    manifold::contacts(nearest, shapes, placements, range, scratch.faces(), out);
    Ok(())
}

fn mesh_separation(
    tree: &Tree,
    shape: &Convex<'_>,
    [first, second]: [&Se3<f64>; 2],
    around: &OrientedBox,
    limits: [f64; 2],
    scratch: &mut Scratch,
) -> Result<Option<Separation>, CollisionError> {
    let [reach, enough] = limits;
    let mut stack = std::mem::take(&mut scratch.stack);
    let (mut least, mut best) = (reach, None);
    tree.begin(&mut stack);
    while let Some(leaf) = next_leaf(tree, around, least, &mut stack) {
        let triangle = mesh::triangle(tree, leaf);
        let found = convex_separation([&triangle, shape], [first, second], least, scratch)?;
        if found.distance < least || found.distance == least && best.is_none() {
            (least, best) = (found.distance, Some(found));
            if least <= enough {
                break;
            }
        }
    }
    scratch.stack = stack;
    Ok(best)
}

fn mesh_contacts(
    tree: &Tree,
    shape: &Convex<'_>,
    [first, second]: [&Se3<f64>; 2],
    around: &OrientedBox,
    range: f64,
    scratch: &mut Scratch,
    out: &mut Vec<ContactPoint>,
) -> Result<(), CollisionError> {
    let begin = out.len();
    let mut stack = std::mem::take(&mut scratch.stack);
    // Of points whose normal leans over a neighbour, the deepest: it counts if there is no other.
    let mut deepest: Option<ContactPoint> = None;
    tree.begin(&mut stack);
    while let Some(leaf) = next_leaf(tree, around, range, &mut stack) {
        let triangle = mesh::triangle(tree, leaf);
        let face = tree.nodes[leaf as usize].index;
        let here = out.len();
        convex_contacts([&triangle, shape], [first, second], range, scratch, out)?;
        let mut kept = here;
        for i in here..out.len() {
            let mut point = out[i];
            point.feature = feature(point.feature, tree.faces[face as usize]);
            let place = first.inverse_act_point(point.points[0]);
            if tree.is_normal(face, place, first.rotation.tr_mul_vec(point.normal)) {
                out[kept] = point;
                kept += 1;
            } else if deepest.is_none_or(|deepest| point.distance < deepest.distance) {
                deepest = Some(point);
            }
        }
        out.truncate(kept);
    }
    scratch.stack = stack;
    if out.len() == begin {
        out.extend(deepest);
    }
    mesh::patches(out, begin);
    Ok(())
}

fn swap(points: &mut [ContactPoint]) {
    for point in points {
        point.points.swap(0, 1);
        point.normal = -point.normal;
    }
}

/// The reason why something is not finite.
#[cold]
fn explain(error: CollisionError, placements: [&Se3<f64>; 2]) -> CollisionError {
    match placements.iter().position(|it| !is_finite(it)) {
        Some(placement) => CollisionError::BadPlacement { placement },
        None => error,
    }
}

fn is_finite(placement: &Se3<f64>) -> bool {
    let r = &placement.rotation;
    r.x.is_finite() && r.y.is_finite() && r.z.is_finite() && placement.translation.is_finite()
}
