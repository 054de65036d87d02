//! A robot that was read.

use super::Description;
use crate::warning::Warning;
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
    /// A robot that is no file's, such as a generated one: its description is the model's.
    pub fn from_model(model: Model) -> Self {
        Self {
            warnings: Vec::new(),
            description: Description::from_model(&model),
            model,
        }
    }
}
