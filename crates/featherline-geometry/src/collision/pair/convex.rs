//! Any two convex shapes: nearest points of their cores, less both radii.

use crate::collision::convex::Convex;
use crate::collision::nearest::{Cores, Search, parting};
use crate::collision::separation::Separation;
use featherline::spatial::{Se3, Vec3};

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

/// A direction along which two shapes are apart; none if they touch or overlap. Fails as
/// [`separation`].
pub(crate) fn axis(
    [a, b]: [&Convex<'_>; 2],
    [first, second]: [&Se3<f64>; 2],
) -> Option<Option<Vec3<f64>>> {
    let cores = Cores {
        first: &a.core,
        second: &b.core,
        placement: &first.inverse_compose(second),
    };
    let found = parting(cores, a.radius + b.radius)?;
    Some(found.map(|normal| first.rotation.mul_vec(normal)))
}
