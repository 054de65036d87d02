//! Shapes.

use super::{Writer, named, pose};
use crate::description::{Form, Geometry};
use crate::xml::numbers;
use featherline_geometry::Shape;

impl Writer<'_, '_, '_> {
    /// Writes a shape.
    pub(super) fn geom(&mut self, index: usize, is_moving: bool) {
        let geometry = &self.description.geometry[index];
        let Some((kind, form)) = self.form(index, geometry) else {
            return;
        };
        let mut attributes = named(&self.names.geometry[index]);
        attributes.push(("type", kind.to_owned()));
        attributes.push(form);
        attributes.extend(pose(&geometry.placement));
        if !geometry.is_collision {
            attributes.push(("contype", "0".to_owned()));
            attributes.push(("conaffinity", "0".to_owned()));
        }
        // MuJoCo shows the groups 0, 1 and 2.
        match (geometry.is_visual, geometry.is_collision) {
            (true, true) => {}
            (true, false) => attributes.push(("group", "2".to_owned())),
            (false, _) => attributes.push(("group", "3".to_owned())),
        }
        if let Some(index) = geometry.material
            && let Some(material) = self.description.materials.get(index)
        {
            match (material.name.is_empty(), material.colour) {
                (false, _) => {
                    attributes.push(("material", self.names.materials[index].clone()));
                }
                (true, Some(colour)) => attributes.push(("rgba", numbers(&colour))),
                (true, None) => {}
            }
        }
        self.out.empty("geom", &attributes);
        if kind == "plane" && is_moving {
            let what = format!("the plane `{}`", geometry.name);
            self.refused(geometry.source, what, "planes that move");
        }
    }

    /// The type of a shape, and its size or mesh; none with a warning if MJCF has none.
    fn form(&mut self, index: usize, geometry: &Geometry) -> Option<(&'static str, Attribute)> {
        if let Some(mesh) = self.assets.mesh(index) {
            return Some(("mesh", ("mesh", mesh.to_owned())));
        }
        let Form::Shape(shape) = &geometry.form else {
            // Reported with the meshes.
            return None;
        };
        let (kind, size) = match shape {
            Shape::Sphere(it) => ("sphere", vec![it.radius]),
            Shape::Capsule(it) => ("capsule", vec![it.radius, it.length / 2.0]),
            Shape::Cylinder(it) => ("cylinder", vec![it.radius, it.length / 2.0]),
            Shape::Cuboid(it) => ("box", (it.sides * 0.5).to_array().to_vec()),
            Shape::Ellipsoid(it) => ("ellipsoid", it.semi_axes.to_array().to_vec()),
            // Without end, and with lines one apart.
            Shape::Plane(_) => return Some(("plane", ("size", "0 0 1".to_owned()))),
            _ => {
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
        Some((kind, ("size", numbers(&size))))
    }
}

type Attribute = (&'static str, String);
