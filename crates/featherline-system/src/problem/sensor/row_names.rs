//! Descriptions of single rows of a sensor.

use super::{SensorKind, Support};
use crate::problem::Components;

const ALONG: [&str; 3] = ["x", "y", "z"];

impl SensorKind {
    /// The component that a row of the sensor measures, in words, as in `moment about x`; none for
    /// a sum of unknowns, and if there is no such row.
    ///
    /// Where readings have correlated errors, or come from load cells, a row tells what the rows
    /// before it leave open of that.
    ///
    /// ```
    /// use featherline_system::{Components, SensorKind};
    ///
    /// let rate = SensorKind::CentroidalMomentumRate { components: Components::LINEAR_Y.and(Components::ANGULAR_X) };
    /// assert_eq!(rate.describe_row(0).as_deref(), Some("force along y"));
    /// assert_eq!(rate.describe_row(1).as_deref(), Some("moment about x"));
    /// assert_eq!(rate.describe_row(2), None);
    /// ```
    pub fn describe_row(&self, row: usize) -> Option<String> {
        let (components, [linear, angular]) = match self {
            Self::JointAcceleration { .. } | Self::JointForce { .. } => {
                return Some(format!("degree of freedom {row}"));
            }
            Self::ExternalForce { components, .. }
            | Self::CentroidalMomentumRate { components } => (*components, WRENCH),
            Self::ForceTorque { .. } | Self::LoopForce { .. } => (Components::ALL, WRENCH),
            Self::Accelerometer { .. } => (Components::LINEAR, MOTION),
            Self::AngularAccelerometer { .. } => (Components::ANGULAR, MOTION),
            Self::Gyroscope { .. } => (Components::ANGULAR, ["", "angular velocity about"]),
            Self::Contact { contact, .. } => (contact.vanishing(), WRENCH),
            Self::LoadCells { positions, .. } => match Support::of(positions).components() {
                Some(components) => (components, WRENCH),
                // Across a line that is no axis.
                None if row == 0 => (Components::LINEAR_Z, WRENCH),
                None => return (row == 1).then(|| "moment across the line of the cells".into()),
            },
            Self::TactileNormal { .. } => (Components::LINEAR_Z, WRENCH),
            Self::Linear { .. } | Self::Sum { .. } => return None,
        };
        let component = components.iter().nth(row)?;
        Some(match component {
            0..3 => format!("{linear} {}", ALONG[component]),
            _ => format!("{angular} {}", ALONG[component - 3]),
        })
    }
}

const WRENCH: [&str; 2] = ["force along", "moment about"];
const MOTION: [&str; 2] = ["acceleration along", "angular acceleration about"];
