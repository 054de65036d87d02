//! The format of the new file, and its text.

use crate::failure::Failure;
use crate::file;
use crate::robot::Robot;
use clap::ValueEnum;
use featherline_formats::{Description, Written, mjcf, model_file, urdf};
use serde::Serialize;
use std::borrow::Cow;
use std::path::Path;

/// A format that robots are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// URDF
    Urdf,
    /// MJCF, of MuJoCo
    Mjcf,
    /// A model file
    Json,
}

/// The joint that moves a base that floats by an option.
const ROOT_JOINT: &str = "root_joint";

impl Target {
    /// The format that the extension of a file says.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "urdf" => Some(Self::Urdf),
            "xml" | "mjcf" => Some(Self::Mjcf),
            "json" => Some(Self::Json),
            _ => None,
        }
    }

    /// Whether the option of a floating base is part of the file, so that it is read without.
    pub fn has_floating_base(self) -> bool {
        self != Self::Urdf
    }

    /// A robot in the file at a path, which is not written here, and what it lacks.
    pub fn write(self, robot: &Robot, path: &Path) -> Result<Written, Failure> {
        let written = match self {
            Self::Json => {
                let mut written = Written::default();
                written.text = model_file::to_string(&robot.model) + "\n";
                return Ok(written);
            }
            Self::Urdf => urdf::to_string_beside(&robot.description, file::folder(path)),
            Self::Mjcf => mjcf::to_files(&*with_base(robot)?, path),
        };
        written.map_err(|error| Failure::Robot(error.to_string()))
    }
}

/// The description, with the joint of a floating base if it floats by an option.
fn with_base(robot: &Robot) -> Result<Cow<'_, Description>, Failure> {
    let description = &robot.description;
    let is_described = description.joints.iter().any(|it| it.name == ROOT_JOINT);
    if is_described || robot.model.joint_id(ROOT_JOINT).is_err() {
        return Ok(Cow::Borrowed(description));
    }
    let floating = description.with_floating_base();
    let floating = floating.map_err(|error| Failure::Robot(error.to_string()))?;
    Ok(Cow::Owned(floating))
}
