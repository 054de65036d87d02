//! The description of a model that was not read from a description.

use super::{Configuration, Description, Frame, Inertial, Joint, Link, Loop, Mimic, Motion};
use featherline::Model;
use featherline::joint::JointKind;
use featherline::model::{FrameKind, JointId};
use featherline::spatial::Se3;

impl Description {
    /// The description of a model: one link for each joint, with what is fixed to it.
    ///
    /// Links have the names of the model's bodies at the joints' output frames, or the joints'
    /// names. Bodies that the model has lumped, and all other frames, are frames here. Cost O(n).
    ///
    /// ```
    /// use featherline_formats::LoadOptions;
    /// use featherline_formats::description::Description;
    ///
    /// let model = featherline::samples::four_bar();
    /// let described = Description::from_model(&model);
    /// let again = described.robot(&LoadOptions::new())?.model;
    /// assert_eq!((again.nv(), again.loop_joints().len()), (model.nv(), 1));
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn from_model(model: &Model) -> Self {
        let mut description = Self::new(model.name());
        description.gravity = Some(model.gravity());
        let mut named = vec![None; model.joints().len()];
        for (index, frame) in model.frames().iter().enumerate() {
            let slot: &mut Option<usize> = &mut named[frame.joint.index()];
            let is_body = frame.kind == FrameKind::Body && frame.placement == Se3::identity();
            if is_body && slot.is_none() {
                *slot = Some(index);
            }
        }
        for (i, joint) in model.joints().iter().enumerate() {
            let name = named[i].map_or(&joint.name, |frame| &model.frames()[frame].name);
            let mut link = Link::new(name);
            link.inertial = (joint.inertia.mass != 0.0).then(|| {
                let at = Se3::from_translation(joint.inertia.com);
                Inertial::new(at, joint.inertia.mass, joint.inertia.rotational)
            });
            description.add_link(link);
        }
        for joint in &model.joints()[1..] {
            let child = description.joints.len() + 1;
            #[expect(clippy::wildcard_enum_match_arm, reason = "`Other` has every kind")]
            let motion = match &joint.kind {
                JointKind::Fixed => Motion::Fixed,
                JointKind::FreeFlyer => Motion::Floating,
                &JointKind::Prismatic { axis } => Motion::Prismatic { axis },
                &JointKind::Revolute { axis } if joint.limits.lower[0].is_finite() => {
                    Motion::Revolute { axis }
                }
                &JointKind::Revolute { axis } => Motion::Continuous { axis },
                kind => Motion::Other(kind.clone()),
            };
            let mut described = Joint::new(&joint.name, joint.parent.index(), child, motion);
            described.placement = joint.placement;
            described.limits = joint.limits.clone();
            described.drive = joint.drive.clone();
            described.mimic = joint.mimic.map(|mimic| {
                // Joint 0 of the model is the universe, which is no joint here.
                Mimic::new(mimic.source.index() - 1, mimic.ratio, mimic.offset)
            });
            description.add_joint(described);
        }
        for (index, frame) in model.frames().iter().enumerate() {
            let is_link = named[frame.joint.index()] == Some(index);
            if !is_link && frame.kind != FrameKind::Joint {
                let link = frame.joint.index();
                let frame = Frame::new(&frame.name, link, frame.placement, frame.kind);
                description.frames.push(frame);
            }
        }
        let end = |joint: JointId, placement| (joint.index(), placement);
        for closing in model.loop_joints() {
            description.loops.push(Loop::new(
                &closing.name,
                closing.kind.clone(),
                end(closing.predecessor, closing.predecessor_placement),
                end(closing.successor, closing.successor_placement),
            ));
        }
        for (name, q) in model.reference_configurations() {
            let own = model.joints()[1..].iter().enumerate();
            let own = own.filter(|(_, joint)| joint.nq > 0);
            let entries = own.map(|(i, joint)| (i, q[joint.idx_q..][..joint.nq].to_vec()));
            let configuration = Configuration::new(name, entries.collect());
            description.configurations.push(configuration);
        }
        description
    }
}
