//! The inertias of links, and those of links that state none.

use super::shapes::{NoVolume, OpenMesh, inertia_of_shapes};
use super::{Description, Geometry, Link};
use crate::error::ErrorCause;
use crate::options::{LoadOptions, MissingInertia};
use crate::report::{Outcome, Report, fault};
use crate::warning::WarningCause;
use crate::xml::shortened;
use featherline::model::{JointHandle, ModelBuilder};
use featherline::spatial::Inertia;
use std::collections::{BTreeMap, HashMap};

/// The inertia of each link in its own frame.
pub(super) fn inertias(
    description: &Description,
    options: &LoadOptions,
    report: &mut Report<'_>,
) -> Outcome<Vec<Inertia<f64>>> {
    let stated = description.links.iter();
    let stated = stated.map(|link| link.inertial.as_ref().map(|it| it.inertia()));
    let stated: Vec<Option<Inertia<f64>>> = stated.collect();
    let mut inertias: Vec<Inertia<f64>> = stated
        .iter()
        .map(|inertia| inertia.unwrap_or_else(Inertia::zero))
        .collect();
    let MissingInertia::FromShapes { density } = options.missing_inertia else {
        return Ok(inertias);
    };
    if !(density > 0.0 && density.is_finite()) {
        let cause = ErrorCause::BadDensity { density };
        return Err(fault(description.source, cause));
    }
    let mut shapes: BTreeMap<usize, Vec<&Geometry>> = BTreeMap::new();
    for geometry in description.geometry.iter().filter(|it| it.is_collision) {
        if stated.get(geometry.link).is_some_and(Option::is_none) {
            shapes.entry(geometry.link).or_default().push(geometry);
        }
    }
    for (link, shapes) in shapes {
        let Link { name, source, .. } = &description.links[link];
        let inertia = inertia_of_shapes(shapes.into_iter(), OpenMesh::Refused, density);
        let inertia = inertia.map_err(|NoVolume { source, reason }| {
            let link = shortened(name);
            fault(source, ErrorCause::ShapeWithoutVolume { link, reason })
        })?;
        inertias[link] = inertia.unwrap_or_else(Inertia::zero);
        let cause = WarningCause::InertiaFromShapes {
            link: shortened(name),
            mass: inertias[link].mass,
        };
        report.warn(*source, cause);
    }
    Ok(inertias)
}

/// Fails if a joint moves links none of which has an inertia. `carriers` are the joints that move
/// the links.
pub(super) fn check_inertias(description: &Description, carriers: &[JointHandle]) -> Outcome<()> {
    let links = || description.links.iter().zip(carriers);
    let mut has_inertia: HashMap<JointHandle, bool> = HashMap::new();
    for (link, carrier) in links() {
        *has_inertia.entry(*carrier).or_default() |= link.inertial.is_some();
    }
    let without =
        |carrier: &JointHandle| *carrier != ModelBuilder::UNIVERSE && !has_inertia[carrier];
    let Some((first, _)) = links().find(|(_, carrier)| without(carrier)) else {
        return Ok(());
    };
    let link = shortened(&first.name);
    Err(fault(first.source, ErrorCause::MissingInertia { link }))
}
