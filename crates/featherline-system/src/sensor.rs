//! Sensors: what is measured, with an error.

/// The number of a sensor, in the order in which the problem names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SensorId(pub(crate) usize);

impl SensorId {
    /// The position in the problem's list of sensors.
    pub fn index(self) -> usize {
        self.0
    }
}
