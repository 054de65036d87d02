//! Taking joints and frames off.

use super::Surgery;
use super::draft::Draft;
use super::error::SurgeryError;
use crate::model::{FrameId, JointId, LoopId, Model};

impl Model {
    /// The robot without the given joints and all that they carry: bodies, frames, and the loop
    /// joints between them.
    ///
    /// Reference configurations lose the entries of what is gone. Cost O(n).
    ///
    /// # Errors
    /// [`SurgeryError::HeldByLoop`] if a loop joint joins what goes to what stays;
    /// [`SurgeryError::StillMimicked`] if a joint that stays mimics one that goes;
    /// [`SurgeryError::Universe`]; [`SurgeryError::Input`] for a joint of another model.
    ///
    /// ```
    /// use featherline::samples;
    ///
    /// let model = samples::double_pendulum();
    /// let pendulum = model.remove(&[model.joint_id("elbow")?])?.model;
    /// assert_eq!(pendulum.nv(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remove(&self, joints: &[JointId]) -> Result<Surgery, SurgeryError> {
        let mut goes = vec![false; self.joints().len()];
        for &joint in joints {
            self.check_joint(joint)?;
            if joint == JointId::UNIVERSE {
                return Err(SurgeryError::Universe { what: "removed" });
            }
            for below in self.subtree(joint) {
                goes[below.index()] = true;
            }
        }
        for (joint, gone) in self.joints().iter().zip(&goes) {
            let Some(law) = &joint.mimic else { continue };
            if !gone && goes[law.source.index()] {
                return Err(SurgeryError::StillMimicked {
                    mimic: joint.name.clone(),
                    mimicked: self.joint(law.source).name.clone(),
                });
            }
        }
        for closing in self.loop_joints() {
            let ends = [closing.predecessor, closing.successor];
            let gone = ends.map(|end| goes[end.index()]);
            if gone[0] != gone[1] {
                let end = if gone[0] { ends[0] } else { ends[1] };
                return Err(SurgeryError::HeldByLoop {
                    loop_joint: closing.name.clone(),
                    joint: self.joint(end).name.clone(),
                });
            }
        }
        let mut draft = Draft::of(self);
        for (joint, gone) in draft.joints.iter_mut().zip(&goes) {
            if *gone {
                *joint = None;
            }
        }
        draft.frames.retain(|f| !goes[f.frame.joint.index()]);
        draft.loops.retain(|l| !goes[l.closing.predecessor.index()]);
        Surgery::of(draft, self)
    }

    /// The robot without the given frames. Joints, bodies and coordinates stay as they are, and
    /// so do inertias: a body's frame is its name alone. Cost O(n).
    ///
    /// # Errors
    /// [`SurgeryError::Input`] for a frame of another model; [`SurgeryError::JointFrame`] for the
    /// frame of a joint that moves, or of the universe.
    ///
    /// ```
    /// use featherline::samples;
    ///
    /// let model = samples::double_pendulum();
    /// let frame = model.body_id("lower_rod")?;
    /// let bare = model.without_frames(&[frame])?.model;
    /// assert_eq!(bare.frames().len(), model.frames().len() - 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn without_frames(&self, frames: &[FrameId]) -> Result<Surgery, SurgeryError> {
        for &id in frames {
            self.check_frame(id)?;
            let frame = self.frame(id);
            let owner = self.joint(frame.joint);
            if frame.is_of_joint(owner) {
                let name = frame.name.clone();
                return Err(SurgeryError::JointFrame { name });
            }
        }
        let mut draft = Draft::of(self);
        draft
            .frames
            .retain(|f| !frames.contains(&FrameId(f.from.1)));
        Surgery::of(draft, self)
    }

    /// The tree without one of its loop joints. Coordinates stay as they are. Cost O(n).
    ///
    /// # Errors
    /// [`SurgeryError::Input`] for a loop joint of another model.
    ///
    /// ```
    /// use featherline::samples;
    ///
    /// let model = samples::four_bar();
    /// let open = model.without_loop_joint(model.loop_ids().next().unwrap())?.model;
    /// assert_eq!(open, model.without_loop_joints());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn without_loop_joint(&self, id: LoopId) -> Result<Surgery, SurgeryError> {
        self.check_loop(id)?;
        let mut draft = Draft::of(self);
        draft.loops.remove(id.index());
        Surgery::of(draft, self)
    }
}
