//! A robot that was read.

use super::Description;
use crate::error::{Error, ErrorCause};
use crate::warning::{Severity, Warning};
use featherline::Model;

/// A robot that was read, with warnings about its file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Robot {
    /// The model.
    pub model: Model,
    /// Warnings, in the order of the file.
    pub warnings: Vec<Warning>,
    /// What the file states, with what a model has no use for.
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

    /// A robot that is no file's, such as a generated one: its description is the model's.
    pub fn from_model(model: Model) -> Self {
        Self {
            warnings: Vec::new(),
            description: Description::from_model(&model),
            model,
        }
    }
}
