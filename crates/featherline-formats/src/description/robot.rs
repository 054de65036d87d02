//! A robot that was read.

use super::Description;
use crate::error::{Error, ErrorCause};
use crate::options::LoadOptions;
use crate::warning::{Severity, Warning};
use featherline::Model;
use featherline::model::{FrameKind, JointId};
use featherline::spatial::Se3;
use std::collections::HashMap;

/// A robot that was read, with warnings about its file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Robot {
    /// The model.
    pub model: Model,
    /// Warnings, in the order of the file.
    pub warnings: Vec<Warning>,
    /// The content of the file, including the parts that a model has no use for.
    pub description: Description,
}

impl Robot {
    /// The robot, unless there is a warning of [`Severity::Warning`]: that is an error then, in its
    /// place. [`LoadOptions::strict`](crate::LoadOptions::strict) does this to every robot.
    ///
    /// # Errors
    /// [`ErrorCause::Strict`], with all warnings.
    pub fn without_warnings(self) -> Result<Self, Error> {
        let mut warnings = self.warnings.iter();
        let is_serious = |it: &&Warning| it.severity() == Severity::Warning;
        let Some(first) = warnings.find(is_serious) else {
            return Ok(self);
        };
        let location = first.location.clone();
        let serious = self.warnings.iter().filter(is_serious);
        let warnings: Vec<Warning> = serious.cloned().collect();
        Err(Error::new(location, ErrorCause::Strict { warnings }))
    }

    /// The robot with warnings before its own, if the options do not refuse them.
    pub(crate) fn checked(
        mut self,
        first: Vec<Warning>,
        options: &LoadOptions,
    ) -> Result<Self, Error> {
        self.warnings.splice(0..0, first);
        match options.strict {
            true => self.without_warnings(),
            false => Ok(self),
        }
    }

    /// For each link of the description, the model's joint that carries it, and the placement of
    /// the link's frame in the output frame of that joint.
    ///
    /// A shape of the link is placed there by the product with [`Geometry::placement`]. Cost:
    /// linear in the number of frames.
    ///
    /// [`Geometry::placement`]: super::Geometry::placement
    ///
    /// ```
    /// let text = "
    ///     <robot name='r'>
    ///       <link name='base'/> <link name='tool'/>
    ///       <joint name='weld' type='fixed'>
    ///         <parent link='base'/> <child link='tool'/> <origin xyz='0 0 2'/>
    ///       </joint>
    ///     </robot>";
    /// let robot = featherline_formats::load_str(text)?;
    /// let (joint, placement) = robot.link_placements()[1];
    /// assert_eq!((joint.index(), placement.translation.z), (0, 2.0));
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn link_placements(&self) -> Vec<(JointId, Se3<f64>)> {
        let mut of_body = HashMap::new();
        let mut of_joint = HashMap::new();
        for frame in self.model.frames() {
            let found = match frame.kind {
                FrameKind::Body => &mut of_body,
                FrameKind::Joint => &mut of_joint,
                FrameKind::FixedJoint | FrameKind::Operational | FrameKind::Sensor => continue,
            };
            let name = frame.name.as_str();
            found.entry(name).or_insert((frame.joint, frame.placement));
        }
        // A link without a body is named after the joint of a model that was not read from a text.
        let links = self.description.links.iter();
        let place = |name: &str| of_body.get(name).or_else(|| of_joint.get(name)).copied();
        links
            .map(|link| place(&link.name).unwrap_or((JointId::UNIVERSE, Se3::identity())))
            .collect()
    }

    /// The velocity of a named configuration: entries of v, zero where the file gives none. None if
    /// there is no configuration of that name.
    ///
    /// ```
    /// let scene = "[[body]]\nname = 'ball'\nsphere = 0.1\nvelocity = [1, 0, 0, 0, 0, 2]\n";
    /// let scene = featherline_formats::load_str(scene)?;
    /// let v = scene.velocity("start").expect("a scene has a start state");
    /// assert_eq!(v, [1.0, 0.0, 0.0, 0.0, 0.0, 2.0]);
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn velocity(&self, configuration: &str) -> Option<Vec<f64>> {
        let configurations = &mut self.description.configurations.iter();
        let configuration = configurations.find(|it| it.name == configuration)?;
        let mut v = vec![0.0; self.model.nv()];
        for (joint, values) in &configuration.velocities {
            let name = &self.description.joints.get(*joint)?.name;
            let Ok(id) = self.model.joint_id(name) else {
                continue;
            };
            let joint = self.model.joint(id);
            // A mimic joint has no entries of its own.
            if joint.mimic.is_none() && joint.nv == values.len() {
                v[joint.idx_v..joint.idx_v + joint.nv].copy_from_slice(values);
            }
        }
        Some(v)
    }

    /// A robot that is no file's, such as a generated one: its description is the model's.
    pub fn from_model(model: Model) -> Self {
        Self {
            warnings: Vec::new(),
            description: Description::from_model(&model),
            model,
        }
    }
}
