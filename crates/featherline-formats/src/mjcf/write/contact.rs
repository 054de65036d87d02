//! Which shapes may touch.

use super::Writer;
use crate::description::{ContactDefaults, ContactDimension, FrictionRule, Setting, Surface};
use crate::xml::numbers;

/// `condim`, where it is not MuJoCo's own, and settings do not say it.
pub(super) fn condim(surface: &Surface, settings: &[Setting]) -> Option<(&'static str, String)> {
    let condim = match surface.dimension? {
        ContactDimension::Frictionless => "1",
        ContactDimension::Sliding => return None,
        ContactDimension::Torsional => "4",
        ContactDimension::Rolling => "6",
    };
    let is_stated = Setting::find(settings, "condim").is_some();
    (!is_stated).then(|| ("condim", condim.to_owned()))
}

impl Writer<'_, '_, '_> {
    /// Writes pairs and exclusions.
    pub(super) fn contact(&mut self) {
        let description = self.description;
        self.out.open("contact", &[]);
        for pair in &description.contact_pairs {
            let what = format!("the contact pair `{}`", pair.name);
            let names = pair.geometry.map(|it| self.written_shape(it));
            let [Some(one), Some(two)] = names else {
                self.lacks(pair.source, what);
                continue;
            };
            let mut attributes = super::named(&pair.name);
            attributes.push(("geom1", one));
            attributes.push(("geom2", two));
            let surface = pair.surface.unwrap_or_default();
            let across = surface.friction_across.or(surface.friction);
            if let (Some(friction), Some(across)) = (surface.friction, across)
                && [friction, across] != [1.0; 2]
                && Setting::find(&pair.settings, "friction").is_none()
            {
                // Both directions of sliding.
                attributes.push(("friction", numbers(&[friction, across])));
            }
            attributes.extend(condim(&surface, &pair.settings));
            let path = "contact/pair";
            self.fill(&mut attributes, path, &pair.settings, &what, pair.source);
            self.out.empty("pair", &attributes);
        }
        for exclusion in &description.contact_exclusions {
            let names = exclusion.links.map(|it| self.names.links.get(it).cloned());
            let [Some(one), Some(two)] = names else {
                let what = format!("the contact exclusion `{}`", exclusion.name);
                self.lacks(exclusion.source, what);
                continue;
            };
            let mut attributes = super::named(&exclusion.name);
            attributes.push(("body1", one));
            attributes.push(("body2", two));
            self.out.empty("exclude", &attributes);
        }
        self.out.close_if_used("contact");
        for rule in &description.contact_rules {
            self.lacks(rule.source, "a rule of contacts between sets of links");
        }
        let has_friction = || {
            let shapes = description.geometry.iter();
            let mut given = shapes.filter_map(|it| it.surface?.friction);
            given.any(|it| it != 1.0) || description.contact_defaults != ContactDefaults::default()
        };
        if description.contact_defaults.friction_rule != FrictionRule::Larger && has_friction() {
            let what = "the friction of two shapes is the geometric mean of theirs".to_owned();
            let writing = "MuJoCo takes the larger one";
            self.report.written_as(description.source, what, writing);
        }
    }

    /// The name of a shape, if it is in the file.
    pub(super) fn written_shape(&self, index: usize) -> Option<String> {
        use crate::description::Form;
        use featherline_geometry::Shape;
        let is_written = match &self.description.geometry.get(index)?.form {
            Form::Shape(Shape::Cone(_)) => false,
            Form::Mesh(_) => self.assets.mesh(index).is_some(),
            Form::Shape(_) | Form::Other { .. } => true,
        };
        is_written.then(|| self.names.geometry[index].clone())
    }
}
