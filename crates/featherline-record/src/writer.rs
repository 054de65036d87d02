//! The interface of every format.

use featherline_sim::simulation::{RecorderError, Sample};

/// Writes samples one by one.
pub(crate) trait Writer {
    fn write(&mut self, sample: &Sample<'_>) -> Result<(), RecorderError>;

    /// Takes the shapes of the robot, which formats of numbers alone leave out.
    #[cfg(feature = "mcap")]
    fn add_shapes(&mut self, _: &crate::foxglove::Shapes) -> Result<(), RecorderError> {
        Ok(())
    }

    /// Writes the end of the file.
    fn finish(&mut self) -> Result<(), RecorderError>;
}
