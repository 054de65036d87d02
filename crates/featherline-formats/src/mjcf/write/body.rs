//! Bodies, and what is in them.

use super::{Writer, inertial, named, plan, pose};
use crate::description::Owner;
use featherline::model::FrameKind;

/// The next part to write.
enum Next {
    Body(usize),
    Close,
}

impl Writer<'_, '_, '_> {
    /// Writes the world and all bodies in it.
    pub(super) fn worldbody(&mut self) {
        let children = self.children();
        self.out.open("worldbody", &[]);
        if let Some(world) = self.plan.world {
            let link = &self.description.links[world];
            if let Some(inertial) = &link.inertial {
                let what = format!("the inertia of link `{}`, which does not move,", link.name);
                self.lacks(inertial.source, what);
            }
            self.contents(world, false);
        }
        let close = |body: &usize| [Next::Close, Next::Body(*body)];
        let mut open: Vec<Next> = children.0.iter().rev().flat_map(close).collect();
        while let Some(next) = open.pop() {
            let Next::Body(body) = next else {
                self.out.close("body");
                continue;
            };
            self.body(body, &children.1);
            open.extend(children.1[body].iter().rev().flat_map(close));
        }
        self.out.close("worldbody");
    }

    /// The bodies in the world, and those in each body.
    pub(super) fn children(&self) -> (Vec<usize>, Vec<Vec<usize>>) {
        let bodies = &self.plan.bodies;
        let (mut world, mut others) = (Vec::new(), vec![Vec::new(); bodies.len()]);
        for (i, body) in bodies.iter().enumerate() {
            match body.parent {
                Some(parent) => others[parent].push(i),
                None => world.push(i),
            }
        }
        (world, others)
    }

    /// Opens a body, with all in it but other bodies.
    fn body(&mut self, index: usize, children: &[Vec<usize>]) {
        let body = &self.plan.bodies[index];
        let (link, has_joints) = (body.link, !body.joints.is_empty());
        let name = match link {
            Some(link) => &self.names.links[link],
            None => &self.names.carriers[index],
        };
        let mut attributes = named(name);
        attributes.extend(pose(&body.placement));
        let description = self.description;
        let own = link.map(|it| &description.links[it]);
        if let Some(link) = own {
            let what = format!("the link `{}`", link.name);
            self.fill(&mut attributes, "body", &link.settings, &what, link.source);
        }
        self.out.open("body", &attributes);
        if let Some(link) = own {
            self.inertial(link);
        }
        self.joints(index);
        self.between(index);
        if has_joints && !self.has_mass(index, children) {
            let what = format!("the link `{}`", own.map_or("", |it| &it.name));
            let why = "moving bodies whose mass or a moment of inertia is zero";
            self.refused(own.map_or_else(Default::default, |it| it.source), what, why);
        }
        if let Some(link) = link {
            let is_moving = self.moves(index);
            self.contents(link, is_moving);
        }
    }

    /// Whether a body moves.
    fn moves(&self, index: usize) -> bool {
        let bodies = &self.plan.bodies;
        let mut above = std::iter::successors(Some(index), |&it| bodies[it].parent);
        above.any(|it| !bodies[it].joints.is_empty())
    }

    /// Whether a body, or one that is fixed on it, has mass.
    fn has_mass(&self, index: usize, children: &[Vec<usize>]) -> bool {
        let bodies = &self.plan.bodies;
        let mut open = vec![index];
        while let Some(body) = open.pop() {
            let link = bodies[body].link.map(|it| &self.description.links[it]);
            let own = link.and_then(|it| it.inertial.as_ref());
            if own.is_some_and(inertial::moves) {
                return true;
            }
            let fixed = children[body].iter();
            open.extend(fixed.filter(|&&it| bodies[it].joints.is_empty()));
        }
        false
    }

    /// Reports links between the joints of a body, unless a reader gives them their names again.
    fn between(&mut self, index: usize) {
        let body = &self.plan.bodies[index];
        let Some(link) = body.link else {
            return;
        };
        let (links, joints) = (&self.description.links, &self.description.joints);
        let own = &links[link].name;
        for &between in &body.between {
            let next = joints.iter().find(|it| it.parent == between);
            let next = next.filter(|it| !plan::is_fixed(it));
            let given = next.map(|it| format!("{own}_before_{}", it.name));
            let link = &links[between];
            if given.as_deref() == Some(link.name.trim_end_matches('_')) {
                continue;
            }
            let what = format!("the link `{}`, which has no mass", link.name);
            let writing = "its joints are joints of the next link";
            self.report.written_as(link.source, what, writing);
        }
    }

    /// Writes the shapes and frames of a link, and what was kept of it.
    fn contents(&mut self, link: usize, is_moving: bool) {
        let description = self.description;
        for i in std::mem::take(&mut self.geometry[link]) {
            self.geom(i, is_moving);
        }
        for i in std::mem::take(&mut self.frames[link]) {
            let frame = &description.frames[i];
            let mut attributes = named(&self.names.frames[i]);
            attributes.extend(pose(&frame.placement));
            match frame.kind {
                FrameKind::Joint | FrameKind::FixedJoint => continue,
                FrameKind::Body => self.out.empty("body", &attributes),
                FrameKind::Operational | FrameKind::Sensor => {
                    let what = format!("the frame `{}`", frame.name);
                    let path = "body/site";
                    self.fill(&mut attributes, path, &frame.settings, &what, frame.source);
                    self.out.empty("site", &attributes);
                    if frame.kind == FrameKind::Sensor {
                        let what = format!("the frame `{}` of a sensor", frame.name);
                        let writing = "it is written as a site like all others";
                        self.report.written_as(frame.source, what, writing);
                    }
                }
            }
        }
        self.kept_in(Owner::Link(link));
    }
}
