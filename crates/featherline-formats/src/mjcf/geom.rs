//! Geoms: shapes, and the mass that they have.

use super::attributes::Attributes;
use super::compiler::Compiler;
use super::mesh::MeshAsset;
use super::orientation::{direction, pose};
use crate::description::{Form, z_to};
use crate::error::ErrorCause;
use crate::report::{Outcome, Report, fault, not_allowed};
use featherline::spatial::{Inertia, Se3, Vec3};
use featherline_geometry::{
    Capsule, Cuboid, Cylinder, Distribution, Ellipsoid, MassError, MassProperties, Plane, Shape,
    Sphere,
};
use std::sync::Arc;

const TYPES: [&str; 9] = [
    "plane",
    "hfield",
    "sphere",
    "capsule",
    "ellipsoid",
    "cylinder",
    "box",
    "mesh",
    "sdf",
];

/// A geom: its shape, and where it is.
pub(super) struct Geom<'m> {
    kind: &'static str,
    pub(super) form: Form,
    /// The placement of the geom's frame, without that of a mesh in it.
    frame: Se3<f64>,
    /// The placement of the shape.
    pub(super) placement: Se3<f64>,
    mesh: Option<&'m MeshAsset>,
}

impl<'m> Geom<'m> {
    /// Reads the shape of a geom; `mesh` is the asset that it names.
    pub(super) fn read(
        attributes: &Attributes<'_>,
        compiler: &Compiler,
        mesh: Option<&'m MeshAsset>,
        report: &mut Report<'_>,
    ) -> Outcome<Self> {
        let kind = attributes.word("type", &TYPES)?.unwrap_or("sphere");
        let mut frame = pose(attributes, compiler)?;
        let source = attributes.element().source();
        let mut placement = frame;
        let other = Form::Other {
            kind: kind.to_owned(),
        };
        let form = match (kind, mesh) {
            ("mesh" | "sdf", Some(mesh)) => {
                if let Some((file, within)) = mesh.file() {
                    placement = frame.compose(&within);
                    Form::Mesh(file)
                } else {
                    match mesh.mesh() {
                        Ok(it) => Form::Shape(Shape::Mesh(Arc::clone(it))),
                        Err(_) => other,
                    }
                }
            }
            ("mesh" | "sdf", None) => {
                let attribute = "mesh";
                return Err(fault(source, ErrorCause::MissingAttribute { attribute }));
            }
            ("plane", _) | (_, None) if kind != "hfield" => {
                let shape;
                (shape, frame) = primitive(kind, attributes, frame)?;
                placement = frame;
                Form::Shape(shape)
            }
            _ => {
                let what = match kind {
                    "hfield" => "a height field".to_owned(),
                    _ => format!("the {kind} that is fitted to a mesh"),
                };
                let reading = "nothing touches it, and it is kept for files of its format";
                report.simplified(source, what, reading);
                other
            }
        };
        Ok(Self {
            kind,
            form,
            frame,
            placement,
            mesh,
        })
    }

    /// The inertia in the frame of the body.
    pub(super) fn inertia(
        &self,
        attributes: &Attributes<'_>,
        report: &mut Report<'_>,
    ) -> Outcome<Inertia<f64>> {
        let source = attributes.element().source();
        let (mass, density) = (attributes.number("mass")?, attributes.number("density")?);
        let shell = attributes.flag("shellinertia")?.unwrap_or(false);
        for (attribute, value) in [("mass", mass), ("density", density)] {
            if let Some(value) = value.filter(|it| *it < 0.0) {
                return Err(fault(source, ErrorCause::Negative { attribute, value }));
            }
        }
        let is_massless = mass.map_or(density == Some(0.0), |mass| mass == 0.0);
        if is_massless || matches!(self.kind, "plane" | "hfield") {
            return Ok(Inertia::zero());
        }
        let no_volume = |reason: String| {
            let form = self.kind.to_owned();
            fault(source, ErrorCause::NoVolume { form, reason })
        };
        let inertia_of = |unit: MassProperties| match mass {
            Some(mass) => unit.with_mass(mass),
            None => unit.with_density(density.unwrap_or(1000.0)),
        };
        let own = inertia_of(self.unit_inertia(shell).map_err(no_volume)?);
        if let ("mesh" | "sdf", Some(mesh)) = (self.kind, self.mesh) {
            mesh.compare(&own, inertia_of, report);
        }
        Ok(self.frame.act_inertia(&own))
    }

    fn unit_inertia(&self, shell: bool) -> Result<MassProperties, String> {
        let reason = |error: MassError| error.to_string();
        match (self.kind, self.mesh, &self.form) {
            ("mesh" | "sdf", Some(mesh), _) => {
                mesh.mesh()?.mass_properties(mesh.inertia).map_err(reason)
            }
            (_, _, Form::Shape(shape)) if shell => {
                shape.mass_properties(Distribution::Shell).map_err(reason)
            }
            (_, _, Form::Shape(shape)) => {
                shape.mass_properties(Distribution::Solid).map_err(reason)
            }
            _ => Err("it is fitted to a mesh, which is not read".to_owned()),
        }
    }
}

/// The shape of a primitive, and its frame, which `fromto` may give.
fn primitive(
    kind: &'static str,
    attributes: &Attributes<'_>,
    frame: Se3<f64>,
) -> Outcome<(Shape, Se3<f64>)> {
    let (mut size, given) = attributes.up_to("size", [0.0; 3])?;
    if kind == "plane" {
        return Ok((Plane.into(), frame));
    }
    let mut frame = frame;
    let mut needed = match kind {
        "sphere" => 1,
        "capsule" | "cylinder" => 2,
        _ => 3,
    };
    let from_to = from_to(attributes)?;
    if let Some((at, half_length)) = from_to {
        if kind == "sphere" {
            let remedy = "give it a `pos`, or make it a capsule";
            let source = attributes.source("fromto");
            return Err(not_allowed(source, "a sphere has no `fromto`", remedy));
        }
        frame = at;
        size = match needed {
            2 => [size[0], half_length, 0.0],
            _ => [size[0], size[0], half_length],
        };
        needed = 1;
    }
    if given < needed || size[..needed].iter().any(|it| *it <= 0.0) {
        let cause = ErrorCause::MissingSize { form: kind, needed };
        return Err(fault(attributes.source("size"), cause));
    }
    let [a, b, c] = size;
    let shape = match kind {
        "sphere" => Sphere::new(a).into(),
        "capsule" => Capsule::from_half_length(a, b).into(),
        "cylinder" => Cylinder::from_half_length(a, b).into(),
        "ellipsoid" => Ellipsoid::new(Vec3::new(a, b, c)).into(),
        _ => Cuboid::from_half_sides(Vec3::new(a, b, c)).into(),
    };
    Ok((shape, frame))
}

/// The frame in the middle between the two points of `fromto`, and half their distance. Its z axis
/// runs from the second point to the first, as in MuJoCo.
pub(super) fn from_to(attributes: &Attributes<'_>) -> Outcome<Option<(Se3<f64>, f64)>> {
    let Some([a, b, c, d, e, f]) = attributes.numbers("fromto")? else {
        return Ok(None);
    };
    let (from, to) = (Vec3::new(a, b, c), Vec3::new(d, e, f));
    let z = direction(from - to, attributes, "fromto")?;
    let frame = Se3::new(z_to(z), (from + to) * 0.5);
    Ok(Some((frame, (from - to).norm() * 0.5)))
}
