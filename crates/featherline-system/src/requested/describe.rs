//! Rows and columns of a system in words.

use super::component::component;
use crate::names::coordinate_name;
use crate::problem::WrenchBasis;
use crate::system::{Equation, System};
use crate::unknown::Unknown;

/// How a message names the components of a six-vector.
pub(crate) const ALONG: [&str; 6] = [
    "along x", "along y", "along z", "about x", "about y", "about z",
];

impl System {
    /// A row in words for messages, as in `the equations of motion of left_foot` or
    /// `sensor encoder`; none behind the last one. All rows of a body or a sensor have the same
    /// words: [`row_label`](Self::row_label) tells them apart.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::{Problem, System};
    ///
    /// let system = System::new(Problem::inverse_dynamics(samples::double_pendulum()))?;
    /// assert_eq!(system.describe_row(0).as_deref(), Some("the equations of motion of shoulder"));
    /// # Ok::<(), featherline_system::SystemError>(())
    /// ```
    pub fn describe_row(&self, row: usize) -> Option<String> {
        let (model, problem) = (self.model(), self.problem());
        Some(match self.equations().at(row)? {
            Equation::Motion { joint, .. } | Equation::Force { joint, .. } => {
                format!("the equations of motion of {}", model.joint(joint).name)
            }
            Equation::JointForce { coordinate } => {
                format!("τ = Sᵀ f of {}", coordinate_name(model, coordinate))
            }
            Equation::LoopMotion { joint, .. } => {
                format!("the closing of {}", model.loop_joint(joint).name)
            }
            Equation::LoopFreedom { joint, .. } => {
                format!("Sᵀ f = 0 of {}", model.loop_joint(joint).name)
            }
            Equation::Known { known, .. } => {
                let columns = self.sparsity().row(row).iter();
                let mut columns = columns.copied();
                match (columns.next(), columns.next()) {
                    (Some(column), None) => {
                        format!("what is known of {}", name_of(self, column))
                    }
                    _ => format!("known {}", known.index() + 1),
                }
            }
            Equation::Sensor { sensor, .. } => {
                format!("sensor {}", problem.sensors()[sensor.index()].name)
            }
        })
    }
}

/// An unknown as rows give it: external forces in their frames, others in the output frame's.
pub(crate) fn name_of(system: &System, column: usize) -> String {
    match system.unknowns().at(column) {
        Some(Unknown::ExternalForce { joint, component })
            if let WrenchBasis::Frame(frame) = system.wrench_basis(joint) =>
        {
            let frame = &system.model().frame(frame).name;
            format!("external force at {frame} {}", ALONG[component])
        }
        _ => component(system, column).map_or_else(
            || format!("column {column}"),
            |unknown| name_of_component(system, unknown),
        ),
    }
}

/// A component in the joint's output frame.
pub(crate) fn name_of_component(system: &System, unknown: Unknown) -> String {
    let Unknown::ExternalForce { joint, component } = unknown else {
        return unknown.describe(system.model());
    };
    let axes = match system.wrench_basis(joint) {
        WrenchBasis::World => ", world axes",
        WrenchBasis::Link | WrenchBasis::Frame(_) => "",
    };
    let name = &system.model().joint(joint).name;
    format!("external force on {name}{axes} {}", ALONG[component])
}
