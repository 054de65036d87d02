//! Any two convex shapes: nearest points of their cores, less both radii.

use crate::collision::convex::Convex;
use crate::collision::nearest::{PlacedCores, Search, parting};
use crate::collision::separation::Separation;
use featherline::spatial::{Se3, Vec3};

/// Convex × convex; none if the search for nearest points does not end. Beyond `reach` the distance
/// is a lower bound.
pub(crate) fn separation(
    search: &mut Search,
    shapes: [&Convex<'_>; 2],
    placements: [&Se3<f64>; 2],
    reach: f64,
) -> Option<Separation> {
    let (cores, radii) = (shapes.map(|it| &it.core), shapes.map(|it| it.radius));
    let cores = PlacedCores { cores, placements };
    let found = search.between(cores, reach + radii[0] + radii[1])?;
    Some(found.thickened(radii))
}

/// A direction along which two shapes are apart; none if they touch or overlap. Fails as
/// [`separation`].
pub(crate) fn axis(
    [a, b]: [&Convex<'_>; 2],
    placements: [&Se3<f64>; 2],
) -> Option<Option<Vec3<f64>>> {
    let cores = [&a.core, &b.core];
    parting(PlacedCores { cores, placements }, a.radius + b.radius)
}
