//! Whether two placed shapes touch, which costs less than how far apart they are.

use super::collider::{BoxGap, ClosedForm, Collider, Family, GapAlong, Scratch};
use super::convex::{Convex, Core};
use super::error::CollisionError;
use super::pair::{convex, mesh};
use super::tree::next_leaf;
use featherline::kernel::dispatch;
use featherline::spatial::Se3;

impl Collider {
    /// Whether two placed shapes overlap or touch. Tries whether they are apart along the axis of
    /// `scratch`, and leaves there the one that parts them.
    pub(crate) fn touches(
        &self,
        placements: [&Se3<f64>; 2],
        other: &Self,
        scratch: &mut Scratch,
    ) -> Result<bool, CollisionError> {
        let [first, second] = placements;
        let (tree, shape, placements, around) = match (self.family(), other.family()) {
            (Family::Convex(a), Family::Convex(b)) => {
                return convex_touch([&a, &b], placements, scratch);
            }
            (Family::Mesh(tree), Family::Convex(b)) => {
                let around = other.box_in(&first.inverse_compose(second))?;
                (tree, b, [first, second], around)
            }
            (Family::Convex(a), Family::Mesh(tree)) => {
                let around = self.box_in(&second.inverse_compose(first))?;
                (tree, a, [second, first], around)
            }
            (Family::Mesh(_), Family::Mesh(_))
            | (Family::HalfSpace, _)
            | (_, Family::HalfSpace) => {
                return Ok(self
                    .search_with(placements, other, [0.0; 2], scratch)?
                    .is_some());
            }
        };
        let mut stack = std::mem::take(&mut scratch.stack);
        tree.begin(&mut stack);
        let mut touches = false;
        while !touches && let Some(leaf) = next_leaf(tree, &around, 0.0, &mut stack) {
            let triangle = mesh::triangle(tree, leaf);
            touches = convex_touch([&triangle, &shape], placements, scratch)?;
        }
        scratch.stack = stack;
        Ok(touches)
    }
}

/// Whether two convex shapes touch or overlap.
fn convex_touch(
    [a, b]: [&Convex<'_>; 2],
    placements: [&Se3<f64>; 2],
    scratch: &mut Scratch,
) -> Result<bool, CollisionError> {
    if let (Core::Cuboid(one), Core::Cuboid(other)) = (&a.core, &b.core) {
        let gap = dispatch(BoxGap([*one, *other], placements));
        return (gap.is_finite().then_some(gap <= 0.0)).ok_or(CollisionError::Overflow);
    }
    if let Some(found) = dispatch(ClosedForm([a, b], placements)) {
        let touches = found.is_finite().then_some(found.distance <= 0.0);
        return touches.ok_or(CollisionError::Overflow);
    }
    if dispatch(GapAlong(scratch.axis, [a, b], placements)) > 0.0 {
        return Ok(false);
    }
    let axis = convex::axis([a, b], placements).ok_or(CollisionError::Overflow)?;
    scratch.axis = axis.unwrap_or(scratch.axis);
    Ok(axis.is_none())
}
