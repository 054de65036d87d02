//! The inertias of links, and those of links that state none.

use super::{Description, Form};
use crate::error::ErrorCause;
use crate::options::{LoadOptions, MissingInertia};
use crate::report::{Outcome, Report, fault};
use crate::warning::WarningCause;
use crate::xml::shortened;
use featherline::model::{JointHandle, ModelBuilder};
use featherline::spatial::Inertia;
use featherline_geometry::Distribution;
use std::collections::HashMap;

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
        return Err(fault(
            description.source,
            ErrorCause::BadDensity { density },
        ));
    }
    let mut has_shape = vec![false; inertias.len()];
    for geometry in description.geometry.iter().filter(|it| it.is_collision) {
        let link = geometry.link;
        if stated.get(link).is_none_or(Option::is_some) {
            continue;
        }
        let without_volume = |reason: String| {
            let link = shortened(&description.links[link].name);
            let cause = ErrorCause::ShapeWithoutVolume { link, reason };
            fault(geometry.source, cause)
        };
        let shape = match &geometry.form {
            Form::Shape(shape) => shape.clone(),
            Form::Other { .. } => continue,
            mesh @ Form::Mesh(_) => mesh.shape().map_err(|it| without_volume(it.to_string()))?,
        };
        let properties = shape.mass_properties(Distribution::Solid);
        let properties = properties.map_err(|it| without_volume(it.to_string()))?;
        let inertia = geometry
            .placement
            .act_inertia(&properties.with_density(density));
        inertias[link] = match std::mem::replace(&mut has_shape[link], true) {
            true => inertias[link].sum(&inertia),
            false => inertia,
        };
    }
    for (link, _) in has_shape.iter().enumerate().filter(|(_, has)| **has) {
        let cause = WarningCause::InertiaFromShapes {
            link: shortened(&description.links[link].name),
            mass: inertias[link].mass,
        };
        report.warn(description.links[link].source, cause);
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
    match links().find(|(_, carrier)| without(carrier)) {
        None => Ok(()),
        Some((link, _)) => {
            let name = shortened(&link.name);
            Err(fault(
                link.source,
                ErrorCause::MissingInertia { link: name },
            ))
        }
    }
}
