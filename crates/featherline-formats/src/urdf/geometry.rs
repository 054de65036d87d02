//! Visual and collision geometry: `<visual>`, `<collision>`, `<material>`.

use super::value::{missing, origin};
use crate::description::{Description, Form, Geometry, Material, MeshFile};
use crate::error::ErrorCause;
use crate::report::{Outcome, Report, fault};
use crate::resolve::Resolver;
use crate::value::{negative, number, numbers, required, required_not_negative, single, vector};
use crate::warning::WarningCause;
use crate::xml::{Element, shortened};
use featherline::spatial::Vec3;
use featherline_geometry::{Capsule, Cuboid, Cylinder, Sphere};

/// Reads the materials that the robot's element defines.
pub(super) fn materials(root: Element<'_>, description: &mut Description, report: &mut Report<'_>) {
    for element in root.children().filter(|it| it.tag() == "material") {
        match material(element, report) {
            Ok(material) => description.materials.push(material),
            Err(fault) => report.left_out("the material", *fault),
        }
    }
}

/// Reads the shapes of a link. One that is malformed is left out with a warning: the motion of a
/// robot does not depend on it.
pub(super) fn shapes(
    link_element: Element<'_>,
    link: usize,
    resolver: &mut Resolver<'_>,
    description: &mut Description,
    report: &mut Report<'_>,
) {
    for element in link_element.children() {
        let what = match element.tag() {
            "visual" => "the visual",
            "collision" => "the collision shape",
            _ => continue,
        };
        match shape(element, link, resolver, description, report) {
            Ok(geometry) => description.geometry.push(geometry),
            Err(fault) => report.left_out(what, *fault),
        }
    }
}

fn shape(
    element: Element<'_>,
    link: usize,
    resolver: &mut Resolver<'_>,
    description: &mut Description,
    report: &mut Report<'_>,
) -> Outcome<Geometry> {
    let is_visual = element.tag() == "visual";
    let children: &[&str] = match is_visual {
        true => &["origin", "geometry", "material"],
        false => &["origin", "geometry"],
    };
    report.unused_except(element, &["name"], children);
    let at = origin(element, report)?;
    let Some(outer) = single(element, "geometry", report)? else {
        return Err(missing(element, "geometry"));
    };
    let mut geometry = Geometry::new(link, at, form(outer, resolver, report)?);
    element.name().clone_into(&mut geometry.name);
    (geometry.is_visual, geometry.is_collision) = (is_visual, !is_visual);
    geometry.source = element.source();
    if is_visual && let Some(inner) = single(element, "material", report)? {
        match material_of(inner, description, report) {
            Ok(material) => geometry.material = material,
            Err(fault) => report.left_out("the material", *fault),
        }
    }
    Ok(geometry)
}

fn form(outer: Element<'_>, resolver: &mut Resolver<'_>, report: &mut Report<'_>) -> Outcome<Form> {
    const FORMS: [&str; 5] = ["box", "cylinder", "sphere", "capsule", "mesh"];
    report.unused_except(outer, &[], &FORMS);
    let mut forms = outer.children().filter(|it| FORMS.contains(&it.tag()));
    let (Some(element), None) = (forms.next(), forms.next()) else {
        return Err(fault(outer.source(), ErrorCause::NotOneShape));
    };
    let size = |name| required_not_negative(element, name);
    Ok(match element.tag() {
        "box" => {
            report.unused_except(element, &["size"], &[]);
            required(element, "size")?;
            let sides = vector(element, "size")?.unwrap_or_else(Vec3::zero);
            if let Some(side) = sides.to_array().into_iter().find(|it| *it < 0.0) {
                return Err(negative(element, "size", side));
            }
            Form::Shape(Cuboid::new(sides).into())
        }
        "sphere" => {
            report.unused_except(element, &["radius"], &[]);
            Form::Shape(Sphere::new(size("radius")?).into())
        }
        "mesh" => {
            report.unused_except(element, &["filename", "scale"], &[]);
            let uri = required(element, "filename")?;
            let mut file = MeshFile::new(uri.value, resolver.find(uri.value));
            if let Some(scale) = scale(element)? {
                file.scale = scale;
            }
            if file.path.is_none() && resolver.has_folder() {
                let cause = resolver.missing(uri.value);
                report.warn(uri.source, cause);
            }
            Form::Mesh(file)
        }
        round => {
            report.unused_except(element, &["radius", "length"], &[]);
            let (radius, length) = (size("radius")?, size("length")?);
            match round {
                "cylinder" => Form::Shape(Cylinder::new(radius, length).into()),
                _ => Form::Shape(Capsule::new(radius, length).into()),
            }
        }
    })
}

/// The scale of a mesh: three factors, or one for all.
fn scale(element: Element<'_>) -> Outcome<Option<Vec3<f64>>> {
    let stated = element.attribute("scale");
    match stated.map_or(0, |it| it.value.split_ascii_whitespace().count()) {
        1 => Ok(number(element, "scale")?.map(|s| Vec3::new(s, s, s))),
        _ => vector(element, "scale"),
    }
}

fn material(element: Element<'_>, report: &mut Report<'_>) -> Outcome<Material> {
    report.unused_except(element, &["name"], &["color", "texture"]);
    let mut material = Material::new(element.name());
    material.source = element.source();
    if let Some(colour) = single(element, "color", report)? {
        report.unused_except(colour, &["rgba"], &[]);
        required(colour, "rgba")?;
        material.colour = numbers::<4>(colour, "rgba")?;
    }
    if let Some(texture) = single(element, "texture", report)? {
        report.unused_except(texture, &["filename"], &[]);
        // Exporters write a `<texture/>` where there is none.
        let file = texture.attribute("filename");
        material.texture = file.map(|file| file.value.to_owned());
    }
    Ok(material)
}

/// The index of the material that a visual defines, or refers to by its name.
fn material_of(
    element: Element<'_>,
    description: &mut Description,
    report: &mut Report<'_>,
) -> Outcome<Option<usize>> {
    let material = material(element, report)?;
    let mut known = description.materials.iter();
    let known = known.position(|it| !it.name.is_empty() && it.name == material.name);
    let is_reference = material.colour.is_none() && material.texture.is_none();
    match known {
        Some(known) if is_reference => return Ok(Some(known)),
        // The same definition in each link that uses it, as exporters write it.
        Some(known) if description.materials[known].looks_like(&material) => {
            return Ok(Some(known));
        }
        None if is_reference => {
            let name = shortened(&material.name);
            report.warn(element.source(), WarningCause::UnknownMaterial { name });
            return Ok(None);
        }
        _ => {}
    }
    description.materials.push(material);
    Ok(Some(description.materials.len() - 1))
}
