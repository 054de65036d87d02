//! Any two convex shapes: nearest points of their cores, less both radii.

use crate::collision::convex::Convex;
use crate::collision::nearest::Search;
use crate::collision::separation::Separation;
use featherline::spatial::Se3;

/// Convex × convex; none if the search for nearest points does not end. Beyond `reach` the distance
/// is a lower bound.
pub(crate) fn separation(
    search: &mut Search,
    [a, b]: [&Convex<'_>; 2],
    [first, second]: [&Se3<f64>; 2],
    reach: f64,
) -> Option<Separation> {
    let placement = first.inverse_compose(second);
    let reach = reach + a.radius + b.radius;
    let cores = search.between(&a.core, &b.core, &placement, reach)?;
    Some(cores.thickened([a.radius, b.radius]).transformed_by(first))
}
