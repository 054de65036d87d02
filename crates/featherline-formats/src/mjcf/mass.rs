//! The inertias of links, when those of all bodies are known.

use super::reader::Reader;
use crate::description::Inertial;
use featherline::spatial::{Inertia, Se3, Sym3};

/// Scales the masses to the total that is asked for, and gives the links their inertias.
pub(super) fn finish(reader: &mut Reader<'_, '_, '_>) {
    let total: f64 = reader.inertias.iter().map(|it| it.mass).sum();
    if let Some(wanted) = reader.compiler.total_mass
        && total > 0.0
    {
        for inertia in &mut reader.inertias {
            *inertia = scaled(inertia, wanted / total);
        }
    }
    for (link, inertia) in reader.description.links.iter_mut().zip(&reader.inertias) {
        if inertia.mass != 0.0 || inertia.rotational != Sym3::zero() {
            let center = Se3::from_translation(inertia.com);
            let mut inertial = Inertial::new(center, inertia.mass, inertia.rotational);
            inertial.source = link.source;
            link.inertial = Some(inertial);
        }
    }
}

fn scaled(inertia: &Inertia<f64>, factor: f64) -> Inertia<f64> {
    let [xx, xy, xz, yy, yz, zz] = inertia.rotational.to_elements().map(|it| it * factor);
    let rotational = Sym3::new(xx, xy, xz, yy, yz, zz);
    Inertia::new(inertia.mass * factor, inertia.com, rotational)
}
