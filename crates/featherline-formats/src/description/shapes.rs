//! The inertia that shapes give a link.

use super::{Form, Geometry};
use crate::location::Source;
use featherline::spatial::Inertia;
use featherline_geometry::{Distribution, MassProperties, MeshInertia, Shape};

/// The treatment of a mesh that is not closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenMesh {
    /// A shape without volume.
    Refused,
    /// Its convex hull.
    Hull,
}

/// A shape without volume: where it is, and why it has none.
#[derive(Debug)]
pub(crate) struct NoVolume {
    pub(crate) source: Source,
    pub(crate) reason: String,
}

/// The sum of the inertias of solid shapes in the frame of their link, at a density in kg/m³; none
/// without shapes. Meshes are read; where shapes overlap, each counts.
pub(crate) fn inertia_of_shapes<'a>(
    shapes: impl Iterator<Item = &'a Geometry>,
    open_mesh: OpenMesh,
    density: f64,
) -> Result<Option<Inertia<f64>>, NoVolume> {
    let mut sum: Option<Inertia<f64>> = None;
    // Other forms, such as height fields, have no volume that counts.
    for geometry in shapes.filter(|it| !matches!(it.form, Form::Other { .. })) {
        let properties = properties(&geometry.form, open_mesh).map_err(|reason| NoVolume {
            source: geometry.source,
            reason,
        })?;
        // I = Σ X_k ρ I_k
        let own = properties.with_density(density);
        let inertia = geometry.placement.act_inertia(&own);
        sum = Some(sum.map_or(inertia, |sum| sum.sum(&inertia)));
    }
    Ok(sum)
}

/// The mass properties of a solid shape of density one, or why it has none.
fn properties(form: &Form, open_mesh: OpenMesh) -> Result<MassProperties, String> {
    let shape = form.shape().map_err(|it| it.to_string())?;
    let solid = shape.mass_properties(Distribution::Solid);
    match (solid, &shape) {
        (Err(_), Shape::Mesh(mesh)) if open_mesh == OpenMesh::Hull => {
            let hull = mesh.mass_properties(MeshInertia::Convex);
            hull.map_err(|it| it.to_string())
        }
        (solid, _) => solid.map_err(|it| it.to_string()),
    }
}
