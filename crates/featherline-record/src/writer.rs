//! What every format does.

use featherline_sim::simulation::{RecorderError, Sample};

/// Writes samples one by one.
pub(crate) trait Writer {
    fn write(&mut self, sample: &Sample<'_>) -> Result<(), RecorderError>;

    /// Writes the end of the file.
    fn finish(&mut self) -> Result<(), RecorderError>;
}
