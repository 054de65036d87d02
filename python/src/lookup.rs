//! Joints and frames of a model by their names.

use crate::argument::names;
use crate::error;
use crate::model::Model;
use featherline::kinematics::Target;
use featherline::model::{FrameId, FrameKind, JointId, UnknownName};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

/// So many names tell what names are like.
const SHOWN: usize = 4;

impl Model {
    /// A joint or frame by its name: a frame of that name, else a joint.
    pub fn target(&self, name: &str) -> PyResult<Target> {
        let target = self.model.target(name);
        target.map_err(|unknown| self.unknown(&unknown))
    }

    /// A joint by its name.
    pub fn joint_named(&self, name: &str) -> PyResult<JointId> {
        let id = self.model.joint_id(name);
        id.map_err(|unknown| self.unknown(&unknown))
    }

    /// A frame by its name.
    pub fn frame_named(&self, name: &str) -> PyResult<FrameId> {
        let id = self.model.frame_id(name);
        id.map_err(|unknown| self.unknown(&unknown))
    }

    /// The joint of a name, or the joint that carries the frame of a name.
    pub fn joint_of(&self, name: &str) -> PyResult<JointId> {
        if let Ok(joint) = self.model.joint_id(name) {
            return Ok(joint);
        }
        Ok(match self.target(name)? {
            Target::Joint(joint) => joint,
            Target::Frame(frame) => self.model.frame(frame).joint,
        })
    }

    /// The joints of one name, or of a list of names.
    pub fn joints_of(&self, joints: &Bound<'_, PyAny>) -> PyResult<Vec<JointId>> {
        let names = names("joints", joints)?;
        names.iter().map(|name| self.joint_named(name)).collect()
    }

    /// A name that there is not: what it is instead, the nearest one, or what names there are.
    fn unknown(&self, unknown: &UnknownName) -> PyErr {
        let model = &*self.model;
        let (text, name) = (unknown.to_string(), &unknown.name);
        let is_joint = unknown.kind == "joint";
        if is_joint && let Ok(frame) = model.frame_id(name) {
            let frame = model.frame(frame);
            let kind = match frame.kind == FrameKind::Body {
                true => "link",
                false => "frame",
            };
            let carrier = match frame.joint {
                JointId::UNIVERSE => "fixed to the world".to_owned(),
                joint => format!("moved by joint `{}`", model.joint(joint).name),
            };
            return PyKeyError::new_err(format!("{text}: `{name}` is a {kind}, {carrier}"));
        }
        if unknown.closest.is_some() {
            return error::unknown_name(unknown);
        }
        let (all, list): (Vec<&str>, _) = match is_joint {
            true => {
                let joints = model.joints().iter().skip(1);
                (joints.map(|it| it.name.as_str()).collect(), "joints")
            }
            false => {
                let frames = self.named_frames().into_iter();
                let frames = frames.map(|id| model.frame(id));
                let links = frames.filter(|it| it.kind == FrameKind::Body);
                (links.map(|it| it.name.as_str()).collect(), "frames")
            }
        };
        let shown: Vec<String> = (all.iter().take(SHOWN))
            .map(|it| format!("`{it}`"))
            .collect();
        PyKeyError::new_err(match shown.is_empty() {
            true => text,
            false => format!(
                "{text}; model.{list} lists them, such as {}",
                shown.join(", ")
            ),
        })
    }
}
