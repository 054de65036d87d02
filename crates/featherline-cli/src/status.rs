//! How a command ends that was done.

/// How a command ends that was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done, and nothing to report by the exit code.
    Done,
    /// Something was found: `check` has a warning, `convert` lost something, or `system` has
    /// undetermined unknowns.
    Found,
    /// `check` has reported why the robot can't be read.
    Refused,
}

impl Status {
    /// [`Found`](Self::Found) if so.
    pub fn found_if(found: bool) -> Self {
        if found { Self::Found } else { Self::Done }
    }

    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Found => 1,
            // As of a command that was not done.
            Self::Refused => 2,
        }
    }
}
