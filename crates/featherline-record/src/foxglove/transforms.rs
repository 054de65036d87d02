//! Where joints are.

use super::{Rotation, Time, Xyz, frame_name};
use featherline::{Error, Model, Workspace};
use serde::Serialize;
use std::io::Write;

/// Places the joints of a robot, sample by sample.
pub(crate) struct Transforms {
    model: Model,
    workspace: Workspace<f64>,
    /// The message, whose placements change.
    message: Message,
}

#[derive(Serialize)]
struct Message {
    transforms: Vec<Transform>,
}

#[derive(Serialize)]
struct Transform {
    timestamp: Time,
    parent_frame_id: String,
    child_frame_id: String,
    translation: Xyz,
    rotation: Rotation,
}

impl Transforms {
    pub(crate) fn new(model: &Model) -> Self {
        let transforms = model.joint_ids().map(|id| {
            let joint = model.joint(id);
            Transform {
                timestamp: Time::ZERO,
                parent_frame_id: frame_name(model, joint.parent).to_owned(),
                child_frame_id: frame_name(model, id).to_owned(),
                translation: joint.placement.translation.into(),
                rotation: (&joint.placement).into(),
            }
        });
        Self {
            workspace: Workspace::recursive(model),
            message: Message {
                transforms: transforms.collect(),
            },
            model: model.clone(),
        }
    }

    /// Writes where each joint's output frame is in that of its parent, at a time in nanoseconds.
    pub(crate) fn write(
        &mut self,
        q: &[f64],
        time: u64,
        out: &mut impl Write,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self.place(q, Time::from_nanoseconds(time))?;
        Ok(serde_json::to_writer(out, &self.message)?)
    }

    fn place(&mut self, q: &[f64], time: Time) -> Result<(), Error> {
        let positions = self.model.forward_kinematics(&mut self.workspace, q)?;
        let ids = self.model.joint_ids();
        for (transform, id) in self.message.transforms.iter_mut().zip(ids) {
            // pMi = (oMp)⁻¹ oMi
            let parent = positions.placement(self.model.joint(id).parent);
            let placement = parent.inverse().compose(&positions.placement(id));
            transform.timestamp = time;
            transform.translation = placement.translation.into();
            transform.rotation = (&placement).into();
        }
        Ok(())
    }
}
