//! Named configurations.

use super::Writer;
use super::plan::{Placed, free};
use crate::description::{Configuration, Joint, Setting};
use crate::mjcf::keyframe::REFERENCE;
use crate::xml::numbers;
use featherline::spatial::{Quaternion, Se3};

impl Writer<'_, '_, '_> {
    /// Writes the named configurations but the one of the reference.
    pub(super) fn keyframes(&mut self) {
        let description = self.description;
        self.out.open("keyframe", &[]);
        for configuration in &description.configurations {
            if configuration.name == REFERENCE {
                self.reference(configuration);
                continue;
            }
            let Some(qpos) = self.qpos(configuration) else {
                let what = format!("the configuration `{}`", configuration.name);
                self.lacks(configuration.source, what);
                continue;
            };
            let name = configuration.name.clone();
            let mut attributes = vec![("name", name), ("qpos", numbers(&qpos))];
            let what = format!("the configuration `{}`", configuration.name);
            let is_kept = Setting::find(&configuration.settings, "qvel").is_some();
            if !configuration.velocities.is_empty() && !is_kept {
                self.lacks(configuration.source, format!("the velocities of {what}"));
            }
            let path = "keyframe/key";
            let (settings, source) = (&configuration.settings, configuration.source);
            self.fill(&mut attributes, path, settings, &what, source);
            self.out.empty("key", &attributes);
        }
        self.out.close_if_used("keyframe");
    }

    /// Reports what poses of bodies can't say of the reference configuration.
    fn reference(&mut self, configuration: &Configuration) {
        let mut lost = Vec::new();
        for placed in self.plan.bodies.iter().flat_map(|it| &it.joints) {
            let Placed::Move { joint, it, .. } = placed else {
                continue;
            };
            let q = self.plan.reference[*joint].as_deref().unwrap_or_default();
            let coordinates = it.coordinates(q);
            if coordinates.is_some_and(|it| it.len() == 4 && it != [1.0, 0.0, 0.0, 0.0]) {
                lost.push(*joint);
            }
        }
        for joint in lost {
            let joint = &self.description.joints[joint];
            let what = format!("the start of joint `{}` in `{REFERENCE}`", joint.name);
            self.lacks(configuration.source, what);
        }
    }

    /// The entries of MuJoCo's q; none if the configuration has others than the joints.
    fn qpos(&self, configuration: &Configuration) -> Option<Vec<f64>> {
        let joints = &self.description.joints;
        let mut given = vec![None; joints.len()];
        for (joint, values) in &configuration.joints {
            *given.get_mut(*joint)? = Some(values.clone());
        }
        let mut qpos = Vec::new();
        for body in self.order() {
            for placed in &self.plan.bodies[body].joints {
                let index = placed.joint();
                let q = entries(index, joints, &given)?;
                match placed {
                    Placed::Move { it, .. } => qpos.extend(it.coordinates(&q)?),
                    Placed::Free { .. } => qpos.extend(self.free_entries(body, index, &q)?),
                }
            }
        }
        Some(qpos)
    }

    /// The placement of a free body in the world.
    fn free_entries(&self, body: usize, joint: usize, q: &[f64]) -> Option<[f64; 7]> {
        let &[x, y, z, a, b, c, d] = q else {
            return None;
        };
        let (base, own) = (
            &self.plan.bodies[body].base,
            &self.description.joints[joint],
        );
        if *base == Se3::identity() && own.child_placement == Se3::identity() {
            return Some([x, y, z, d, a, b, c]);
        }
        let placement = base.compose(&free(q)).compose(&own.child_placement);
        let [x, y, z] = placement.translation.to_array();
        let [a, b, c, d] = Quaternion::from_rotation(&placement.rotation).to_array();
        Some([x, y, z, d, a, b, c])
    }

    /// The bodies in the order of the file.
    fn order(&self) -> Vec<usize> {
        let (world, children) = self.children();
        let mut order = Vec::new();
        let mut open: Vec<usize> = world.into_iter().rev().collect();
        while let Some(body) = open.pop() {
            order.push(body);
            open.extend(children[body].iter().rev());
        }
        order
    }
}

/// The entries of q of a joint: those that are given, those that its law makes of another joint's,
/// or neutral ones.
fn entries(index: usize, joints: &[Joint], given: &[Option<Vec<f64>>]) -> Option<Vec<f64>> {
    // Up a chain of mimic joints, and down again.
    let mut chain = Vec::new();
    let mut here = index;
    while let (None, Some(law)) = (&given[here], &joints.get(here)?.mimic) {
        chain.push((law.ratio, law.offset));
        here = law.joint;
        if chain.len() > joints.len() || here >= joints.len() {
            return None;
        }
    }
    let mut q = match &given[here] {
        Some(values) => values.clone(),
        None => joints[here].motion.neutral(),
    };
    for (ratio, offset) in chain.into_iter().rev() {
        let &[x] = &q[..] else { return None };
        q = vec![ratio * x + offset];
    }
    Some(q)
}
