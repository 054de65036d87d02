//! Tendons.

use super::{Attributes, Writer, named};
use crate::description::{Setting, Tendon, TendonPath, TendonPoint};
use crate::xml::{number, numbers};

/// An element of a tendon's path.
type Point = (&'static str, Vec<(&'static str, String)>);

impl<'d> Writer<'d, '_, '_> {
    /// Writes the tendons.
    pub(super) fn tendons(&mut self) {
        let description = self.description;
        self.out.open("tendon", &[]);
        for (i, tendon) in description.tendons.iter().enumerate() {
            let Some((tag, points)) = self.path(tendon) else {
                let what = format!("the tendon `{}`, or a part that it runs over,", tendon.name);
                self.lacks(tendon.source, what);
                // Nothing may refer to it.
                self.names.tendons[i] = String::new();
                continue;
            };
            let attributes = self.tendon(i, tendon, tag);
            self.out.open(tag, &attributes);
            for (tag, attributes) in points {
                self.out.empty(tag, &attributes);
            }
            self.out.close(tag);
        }
        self.out.close_if_used("tendon");
    }

    fn tendon(&mut self, index: usize, tendon: &'d Tendon, tag: &str) -> Attributes<'d> {
        let mut attributes = named(&self.names.tendons[index]);
        let mut add = |name, value: String| attributes.push((name, value));
        for (name, value) in [
            ("stiffness", tendon.stiffness),
            ("damping", tendon.damping),
            ("frictionloss", tendon.friction),
            ("armature", tendon.armature),
        ] {
            // A polynomial begins with it.
            if value != 0.0 || Setting::find(&tendon.settings, name).is_some() {
                add(name, number(value));
            }
        }
        if let Some(rest) = tendon.rest_length {
            add("springlength", numbers(&rest));
        }
        if let Some(range) = tendon.range {
            add("limited", "true".to_owned());
            add("range", numbers(&range));
        }
        let what = format!("the tendon `{}`", tendon.name);
        let path = format!("tendon/{tag}");
        let (settings, source) = (&tendon.settings, tendon.source);
        self.fill(&mut attributes, &path, settings, &what, source);
        attributes
    }

    /// The elements of a path; none if a part of it is not in the file.
    fn path(&self, tendon: &Tendon) -> Option<(&'static str, Vec<Point>)> {
        let site = |index: usize| self.site(index);
        match &tendon.path {
            TendonPath::Fixed(terms) => {
                let term = |&(joint, coefficient): &(usize, f64)| -> Option<Point> {
                    let joint = ("joint", self.one_joint(joint)?);
                    Some(("joint", vec![joint, ("coef", number(coefficient))]))
                };
                let terms: Option<Vec<Point>> = terms.iter().map(term).collect();
                Some(("fixed", terms?))
            }
            TendonPath::Spatial(points) => {
                let point = |point: &TendonPoint| -> Option<Point> {
                    Some(match point {
                        TendonPoint::Frame(index) => ("site", vec![("site", site(*index)?)]),
                        TendonPoint::Wrap { geometry, side } => {
                            let mut attributes = vec![("geom", self.written_shape(*geometry)?)];
                            if let Some(side) = side {
                                attributes.push(("sidesite", site(*side)?));
                            }
                            ("geom", attributes)
                        }
                        TendonPoint::Pulley { divisor } => {
                            ("pulley", vec![("divisor", number(*divisor))])
                        }
                    })
                };
                let points: Option<Vec<Point>> = points.iter().map(point).collect();
                Some(("spatial", points?))
            }
        }
    }

    /// The name of the site that a frame is.
    pub(super) fn site(&self, index: usize) -> Option<String> {
        use featherline::model::FrameKind;
        match self.description.frames.get(index)?.kind {
            FrameKind::Operational | FrameKind::Sensor => Some(self.names.frames[index].clone()),
            FrameKind::Body | FrameKind::Joint | FrameKind::FixedJoint => None,
        }
    }

    /// The name of a joint that is one in the file.
    pub(super) fn one_joint(&self, index: usize) -> Option<String> {
        match &self.names.joints.get(index)?[..] {
            [name] => Some(name.clone()),
            _ => None,
        }
    }
}
