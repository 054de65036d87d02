//! Shapes.

use super::{Writer, named, pose};
use crate::description::{ContactDefaults, Form, Geometry, Setting, visibility_settings};
use crate::xml::numbers;
use featherline::spatial::Se3;
use featherline_geometry::Shape;

impl<'d> Writer<'d, '_, '_> {
    /// Writes a shape.
    pub(super) fn geom(&mut self, index: usize, is_moving: bool) {
        let description = self.description;
        let geometry = &description.geometry[index];
        let Some((kind, form)) = self.form(index, geometry) else {
            return;
        };
        let mut attributes = named(&self.names.geometry[index]);
        attributes.push(("type", kind.to_owned()));
        attributes.extend(form);
        let frame = self.assets.mesh(index).map(|it| it.frame);
        attributes.extend(match frame.filter(|it| *it != Se3::identity()) {
            Some(frame) => pose(&geometry.placement.compose(&frame)),
            None => pose(&geometry.placement),
        });
        attributes.extend(visibility(geometry));
        if let Some(index) = geometry.material
            && let Some(material) = self.description.materials.get(index)
        {
            match material.name.is_empty() {
                false => attributes.push(("material", self.names.materials[index].clone())),
                true => attributes.extend(material.colour.map(|it| ("rgba", numbers(&it)))),
            }
        }
        attributes.extend(surface(geometry, &description.contact_defaults));
        let what = format!("the shape `{}`", geometry.name);
        let own = geometry.surface.unwrap_or_default();
        if own.restitution.is_some() {
            self.lacks(geometry.source, format!("the restitution of {what}"));
        }
        if own.softness.is_some() {
            self.lacks(geometry.source, format!("the softness of {what}"));
        }
        let (settings, source) = (&geometry.settings, geometry.source);
        self.fill(&mut attributes, "body/geom", settings, &what, source);
        self.out.empty("geom", &attributes);
        if kind == "plane" && is_moving {
            let what = format!("the plane `{}`", geometry.name);
            self.refused(geometry.source, what, "planes that move");
        }
    }

    /// The type of a shape, and its size or mesh; none with a warning if MJCF has none.
    fn form(
        &mut self,
        index: usize,
        geometry: &'d Geometry,
    ) -> Option<(&'d str, Option<Attribute>)> {
        let shape = match &geometry.form {
            Form::Other { kind } => return Some((kind, None)),
            Form::Shape(shape) if self.assets.mesh(index).is_none() => shape,
            Form::Shape(_) | Form::Mesh(_) => {
                // One that is missing is reported with the meshes.
                let mesh = self.assets.mesh(index)?;
                let kind = Setting::find(&geometry.settings, "type");
                let kind = kind.filter(|it| *it == "sdf").unwrap_or("mesh");
                return Some((kind, Some(("mesh", mesh.name.clone()))));
            }
        };
        let (kind, size) = match shape {
            Shape::Sphere(it) => ("sphere", vec![it.radius]),
            Shape::Capsule(it) => ("capsule", vec![it.radius, it.length / 2.0]),
            Shape::Cylinder(it) => ("cylinder", vec![it.radius, it.length / 2.0]),
            Shape::Cuboid(it) => ("box", (it.sides * 0.5).to_array().to_vec()),
            Shape::Ellipsoid(it) => ("ellipsoid", it.semi_axes.to_array().to_vec()),
            Shape::Plane(_) => {
                // Without end, and with lines one apart.
                let stated = Setting::find(&geometry.settings, "size").is_some();
                let size = (!stated).then(|| ("size", "0 0 1".to_owned()));
                return Some(("plane", size));
            }
            Shape::Cone(_) | Shape::Polytope(_) | Shape::Mesh(_) => {
                let what = format!("the shape `{}`", geometry.name);
                self.lacks(geometry.source, what);
                return None;
            }
        };
        if size.iter().any(|it| *it <= 0.0) {
            let what = format!("the {kind} `{}`, whose size is 0,", geometry.name);
            self.lacks(geometry.source, what);
            return None;
        }
        Some((kind, Some(("size", numbers(&size)))))
    }
}

type Attribute = (&'static str, String);

/// Whether a shape touches, and whether it is seen, where its settings do not say the same. MuJoCo
/// shows the groups 0, 1 and 2.
fn visibility(geometry: &Geometry) -> Vec<Attribute> {
    let stated = |name, default: f64| {
        let stated = Setting::find(&geometry.settings, name);
        stated.map_or(Some(default), |it| it.trim().parse().ok())
    };
    let touches = stated("contype", 1.0) != Some(0.0) || stated("conaffinity", 1.0) != Some(0.0);
    let is_seen = stated("group", 0.0).is_some_and(|group| group < 3.0);
    let mut attributes = Vec::new();
    let touches_as_stated = touches == geometry.is_collision;
    let [contype, conaffinity, group] =
        visibility_settings(geometry.is_visual, geometry.is_collision);
    if !touches_as_stated {
        attributes.push(("contype", contype.value));
        attributes.push(("conaffinity", conaffinity.value));
    }
    match (geometry.is_visual, geometry.is_collision) {
        (true, true) if is_seen => {}
        (true, false) if is_seen && touches_as_stated => {}
        (false, _) if !is_seen => {}
        (true | false, true | false) => attributes.push(("group", group.value)),
    }
    attributes
}

/// Friction, `condim` and priority of a shape, where they are not MuJoCo's own and its settings do
/// not say them.
fn surface(geometry: &Geometry, defaults: &ContactDefaults) -> Vec<Attribute> {
    let stated = |name| Setting::find(&geometry.settings, name).is_some();
    let surface = geometry.surface.unwrap_or_default();
    let default = (*defaults != ContactDefaults::default()).then_some(defaults.friction);
    let friction = surface.friction.or(default).filter(|it| *it != 1.0);
    let friction = friction.filter(|_| geometry.is_collision && !stated("friction"));
    let mut attributes = Vec::new();
    attributes.extend(friction.map(|it| ("friction", numbers(&[it]))));
    attributes.extend(super::contact::condim(&surface, &geometry.settings));
    if surface.priority != 0 && !stated("priority") {
        attributes.push(("priority", surface.priority.to_string()));
    }
    attributes
}
