//! Mimic joints and loops.

use super::moves::{Coordinate, MoveKind};
use super::plan::Placed;
use super::{Attributes, Writer, named, vector};
use crate::description::{Loop, Setting, Source};
use crate::value::largest;
use crate::xml::{Text, numbers};
use featherline::joint::JointKind;
use featherline::spatial::{Quaternion, Se3};

/// How far apart, in m, two points may be that are one at the reference configuration.
const TOGETHER: f64 = 1e-12;

impl<'d> Writer<'d, '_, '_> {
    /// Writes mimic joints, screws and loops.
    pub(super) fn equality(&mut self) {
        let description = self.description;
        let mut written = Vec::new();
        for (i, joint) in description.joints.iter().enumerate() {
            let Some(law) = &joint.mimic else {
                continue;
            };
            let what = format!("the law of mimic joint `{}`", joint.name);
            let (Some(own), Some(other)) = (self.scalar(i), self.scalar(law.joint)) else {
                self.lacks(law.source, what);
                continue;
            };
            let mut attributes = polynomial(&own, &other, (law.ratio, law.offset));
            let path = "equality/joint";
            self.fill(&mut attributes, path, &law.settings, &what, law.source);
            written.push((law.source, line("joint", &attributes)));
            if law.ratio == 0.0 {
                let what = format!("joint `{}`, which does not move,", joint.name);
                self.lacks(law.source, what);
            }
        }
        written.extend(self.screws());
        let placements = self.placements();
        for closing in &description.loops {
            written.extend(self.closing(closing, &placements));
        }
        let kept = self.kept_constraints().into_iter();
        written.extend(kept.map(|it| (it.source, it.text.clone())));
        if written.is_empty() {
            return;
        }
        // In the order of the file.
        written.sort_by_key(|(source, _)| *source);
        self.out.open("equality", &[]);
        written.iter().for_each(|(_, text)| self.element(text));
        self.out.close("equality");
    }

    /// The hinge or slide that a joint of one degree of freedom is, and its reference.
    fn scalar(&self, joint: usize) -> Option<(String, f64)> {
        let all = self.plan.bodies.iter().flat_map(|it| &it.joints);
        let mut own = all.filter(|it| it.joint() == joint).enumerate();
        let degrees = self.description.joints.get(joint)?.motion.kind().nv();
        let (i, placed) = own.next()?;
        let Placed::Move { it, reference, .. } = placed else {
            return None;
        };
        let is_scalar = it.kind != MoveKind::Ball && degrees == 1;
        is_scalar.then(|| (self.names.joints[joint][i].clone(), *reference))
    }

    /// The translation of each screw follows its rotation.
    fn screws(&self) -> Vec<(Source, String)> {
        let mut laws = Vec::new();
        let placed = self.plan.bodies.iter().flat_map(|it| it.joints.windows(2));
        for pair in placed {
            let [
                Placed::Move { reference: x0, .. },
                Placed::Move {
                    joint,
                    it,
                    reference: y0,
                    ..
                },
            ] = pair
            else {
                continue;
            };
            let Coordinate::Multiple(_, pitch) = it.coordinate else {
                continue;
            };
            let own = self.plan.bodies.iter().flat_map(|it| &it.joints);
            let own = own.filter(|it| it.joint() == *joint);
            let at = own
                .filter_map(|it| match it {
                    Placed::Move { it, .. } => Some(it.suffix.clone()),
                    Placed::Free { .. } => None,
                })
                .position(|suffix| suffix == it.suffix);
            if let Some(at) = at
                && at > 0
            {
                let names = &self.names.joints[*joint];
                let own = (names[at].clone(), *y0);
                let other = (names[at - 1].clone(), *x0);
                let attributes = polynomial(&own, &other, (pitch, 0.0));
                let source = self.description.joints[*joint].source;
                laws.push((source, line("joint", &attributes)));
            }
        }
        laws
    }

    /// The placement of each link in the world at the reference configuration.
    fn placements(&self) -> Vec<Se3<f64>> {
        let mut of_bodies: Vec<Se3<f64>> = Vec::new();
        let mut placements = vec![Se3::identity(); self.description.links.len()];
        for body in &self.plan.bodies {
            let placement = match body.parent {
                Some(parent) => of_bodies[parent].compose(&body.placement),
                None => body.placement,
            };
            of_bodies.push(placement);
            if let Some(link) = body.link {
                placements[link] = placement;
            }
        }
        placements
    }

    /// Whether the frames of a loop are those of the sites that its settings name.
    fn is_of_sites(&self, closing: &Loop) -> bool {
        let ends = [
            ("site1", &closing.predecessor),
            ("site2", &closing.successor),
        ];
        ends.into_iter().all(|(name, (link, placement))| {
            let site = Setting::find(&closing.settings, name);
            let mut sites = self.description.frames.iter().enumerate();
            sites.any(|(i, it)| {
                site == Some(&self.names.frames[i])
                    && (it.link, it.placement) == (*link, *placement)
            })
        })
    }

    fn closing(&mut self, closing: &'d Loop, placements: &[Se3<f64>]) -> Option<(Source, String)> {
        let is_of_sites = self.is_of_sites(closing);
        let ((one, here), (two, there)) = (&closing.predecessor, &closing.successor);
        let is_known = *one < placements.len() && *two < placements.len();
        #[expect(clippy::wildcard_enum_match_arm, reason = "others are reported")]
        let (tag, attributes) = match &closing.kind {
            JointKind::Spherical if is_of_sites => ("connect", Vec::new()),
            JointKind::Fixed if is_of_sites => ("weld", Vec::new()),
            JointKind::Spherical if is_known => {
                let end = |link: usize, at: &Se3<f64>| placements[link].act_point(at.translation);
                let apart = end(*one, here) - end(*two, there);
                if apart.norm() > TOGETHER * (1.0 + end(*one, here).norm()) {
                    let what = format!("the loop joint `{}`", closing.name);
                    let what = format!("{what}, which is open in the reference configuration,");
                    self.lacks(closing.source, what);
                    return None;
                }
                ("connect", vec![("anchor", vector(here.translation))])
            }
            JointKind::Fixed if is_known => {
                // Body 1 · relpose is where body 2 · anchor is.
                let anchor = Se3::from_translation(there.translation);
                let relative = here.compose(&there.inverse()).compose(&anchor);
                let mut attributes = vec![("anchor", vector(there.translation))];
                // Without it, the pose is that of the reference configuration.
                let start = placements[*one].inverse_compose(&placements[*two].compose(&anchor));
                let is_stated = Setting::find(&closing.settings, "relpose").is_some();
                if is_stated || !is_together(&relative, &start) {
                    let [x, y, z, w] = Quaternion::from_rotation(&relative.rotation).to_array();
                    let [a, b, c] = relative.translation.to_array();
                    attributes.push(("relpose", numbers(&[a, b, c, w, x, y, z])));
                }
                ("weld", attributes)
            }
            _ => {
                let kind = closing.kind.name();
                let what = format!("the loop joint `{}` ({kind})", closing.name);
                self.lacks(closing.source, what);
                return None;
            }
        };
        let mut all = named(&closing.name);
        if !is_of_sites {
            all.push(("body1", self.names.links[*one].clone()));
            all.push(("body2", self.names.links[*two].clone()));
        }
        all.extend(attributes);
        let path = format!("equality/{tag}");
        let what = format!("the loop joint `{}`", closing.name);
        self.fill(&mut all, &path, &closing.settings, &what, closing.source);
        if !is_of_sites {
            all.retain(|(name, _)| !name.starts_with("site"));
        }
        Some((closing.source, line(tag, &all)))
    }
}

/// Whether two placements are one.
fn is_together(one: &Se3<f64>, other: &Se3<f64>) -> bool {
    let apart = one.inverse_compose(other);
    let turn = Quaternion::from_rotation(&apart.rotation).to_array();
    let size = 1.0 + one.translation.norm();
    apart.translation.norm() < TOGETHER * size && largest(&turn[..3]) < TOGETHER
}

/// y − y₀ = a₀ + a₁ (x − x₀) for the law y = ratio · x + offset.
fn polynomial<'d>(
    (own, y0): &(String, f64),
    (other, x0): &(String, f64),
    (ratio, offset): (f64, f64),
) -> Attributes<'d> {
    let a0 = offset - y0 + ratio * x0;
    vec![
        ("joint1", own.clone()),
        ("joint2", other.clone()),
        ("polycoef", numbers(&[a0, ratio, 0.0, 0.0, 0.0])),
    ]
}

/// An element on a line.
fn line(tag: &str, attributes: &[(&str, String)]) -> String {
    let mut out = Text::default();
    out.empty(tag, attributes);
    out.text.trim_end().to_owned()
}
