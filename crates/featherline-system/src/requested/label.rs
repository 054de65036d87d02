//! The rows and columns of a system, with component, unit and frame.

use crate::names::owner;
use crate::problem::{Known, SensorKind, WrenchBasis};
use crate::system::{Equation, System};
use crate::unknown::Unknown;
use featherline::model::JointId;
use std::fmt::{Display, Formatter};

const AXES: [&str; 6] = ["x", "y", "z", "about x", "about y", "about z"];
const ACCELERATION: [&str; 2] = ["m/s²", "rad/s²"];
const FORCE: [&str; 2] = ["N", "N·m"];

/// A row or a column of a system, in words that no other one has.
///
/// ```
/// use featherline::samples;
/// use featherline_system::{Problem, System};
///
/// let system = System::new(Problem::inverse_dynamics(samples::double_pendulum()))?;
/// let label = system.row_label(5).expect("the last row of the first body");
/// assert_eq!(label.to_string(), "motion shoulder about z (link)");
/// assert_eq!(label.unit, "rad/s²");
/// assert_eq!(system.column_label(36).expect("τ").to_string(), "joint-force shoulder 0");
/// # Ok::<(), featherline_system::SystemError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The kind of equation or unknown.
    pub what: String,
    /// The joint, body, frame or sensor.
    pub name: String,
    /// Which of several numbers: an axis, or a degree of freedom from 0.
    pub component: String,
    /// Empty where a row mixes units.
    pub unit: String,
    /// The axes of a component: `link` is the kernels' frame of the body, `output` that of a
    /// joint, `world` or the name of a frame. Empty where there are no axes.
    pub frame: String,
}

/// The name in a line, as in `motion panda_joint1 about z (link)`.
impl Display for Label {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}", self.what, self.name, self.component)?;
        match &self.frame[..] {
            "" => Ok(()),
            frame => write!(f, " ({frame})"),
        }
    }
}

impl Label {
    fn of_six(what: &str, name: &str, component: usize, units: [&str; 2], frame: &str) -> Self {
        Self {
            what: what.to_owned(),
            name: name.to_owned(),
            component: AXES[component].to_owned(),
            unit: units[component / 3].to_owned(),
            frame: frame.to_owned(),
        }
    }

    fn plain(what: &str, name: &str, component: usize, unit: &str) -> Self {
        Self {
            what: what.to_owned(),
            name: name.to_owned(),
            component: component.to_string(),
            unit: unit.to_owned(),
            frame: String::new(),
        }
    }
}

impl System {
    /// The label of a column; none behind the last one. A column's numbers are in the frame that
    /// it names, where [solutions](Self::solution) are in the joint's output frame.
    pub fn column_label(&self, column: usize) -> Option<Label> {
        let model = self.model();
        let body = |joint: JointId| model.joint(joint).name.as_str();
        Some(match self.unknowns().at(column)? {
            Unknown::Acceleration { joint, component } => {
                Label::of_six("acceleration", body(joint), component, ACCELERATION, "link")
            }
            Unknown::Force { joint, component } => {
                Label::of_six("transmitted-force", body(joint), component, FORCE, "link")
            }
            Unknown::ExternalForce { joint, component } => {
                let frame = match self.wrench_basis(joint) {
                    WrenchBasis::Link => "link",
                    WrenchBasis::World => "world",
                    WrenchBasis::Frame(frame) => &model.frame(frame).name,
                };
                Label::of_six("external-force", body(joint), component, FORCE, frame)
            }
            Unknown::JointForce { coordinate } => {
                self.coordinate_label("joint-force", coordinate, FORCE)
            }
            Unknown::JointAcceleration { coordinate } => {
                self.coordinate_label("joint-acceleration", coordinate, ACCELERATION)
            }
            Unknown::LoopForce { joint, component } => {
                let name = &model.loop_joint(joint).name;
                Label::of_six("loop-force", name, component, FORCE, "output")
            }
            Unknown::LoopAcceleration { joint, degree } => {
                let (name, unit) = (
                    &model.loop_joint(joint).name,
                    self.unit(column, ACCELERATION),
                );
                Label::plain("loop-acceleration", name, degree, unit)
            }
        })
    }

    /// The label of a row; none behind the last one.
    pub fn row_label(&self, row: usize) -> Option<Label> {
        let (model, problem) = (self.model(), self.problem());
        let body = |joint: JointId| model.joint(joint).name.as_str();
        Some(match self.equations().at(row)? {
            Equation::Motion { joint, component } => {
                Label::of_six("motion", body(joint), component, ACCELERATION, "link")
            }
            Equation::Force { joint, component } => {
                Label::of_six("force-balance", body(joint), component, FORCE, "link")
            }
            Equation::JointForce { coordinate } => {
                self.coordinate_label("joint-force-balance", coordinate, FORCE)
            }
            Equation::LoopMotion { joint, component } => {
                let name = &model.loop_joint(joint).name;
                Label::of_six("loop-motion", name, component, ACCELERATION, "output")
            }
            Equation::LoopFreedom { joint, degree } => {
                let column = self.unknowns().loop_acceleration(joint).start + degree;
                let name = &model.loop_joint(joint).name;
                Label::plain("loop-freedom", name, degree, self.unit(column, FORCE))
            }
            Equation::Known { known, component } => {
                let (of, _) = problem.knowns()[known.index()];
                self.known_label(known.index(), of, row, component)
            }
            Equation::Sensor { sensor, component } => {
                let sensor = &problem.sensors()[sensor.index()];
                let unit = self.unit_of(&sensor.kind, component);
                Label::plain("sensor", &sensor.name, component, unit)
            }
        })
    }

    /// A force or acceleration along a coordinate.
    fn coordinate_label(&self, what: &str, coordinate: usize, units: [&'static str; 2]) -> Label {
        let column = self.unknowns().joint_accelerations().start + coordinate;
        let (name, degree) = owner(self.model(), coordinate).unwrap_or(("", coordinate));
        Label::plain(what, name, degree, self.unit(column, units))
    }

    /// The second of two units where S, a column of the equations, has an angular part.
    fn unit(&self, column: usize, units: [&'static str; 2]) -> &'static str {
        let turns = self.equations().dynamics().any(|row| {
            let is_angular = matches!(
                self.equations().at(row),
                Some(Equation::Motion { component, .. } | Equation::LoopMotion { component, .. })
                    if component >= 3
            );
            is_angular && self.sparsity().position(row, column).is_some()
        });
        units[usize::from(turns)]
    }

    /// A known quantity: mostly of one unknown; components in another frame are of several.
    fn known_label(&self, index: usize, known: Known, row: usize, component: usize) -> Label {
        if let &[column] = self.sparsity().row(row)
            && let Some(of) = self.column_label(column)
        {
            return Label {
                what: format!("known {}", of.what),
                ..of
            };
        }
        let Known::ExternalForce {
            joint,
            frame,
            components,
        } = known
        else {
            return Label::plain("known", &(index + 1).to_string(), component, "");
        };
        let model = self.model();
        let axis = components.iter().nth(component).unwrap_or_default();
        let frame = frame.map_or("output", |frame| model.frame(frame).name.as_str());
        let name = &model.joint(joint).name;
        Label::of_six("known external-force", name, axis, FORCE, frame)
    }

    /// The unit of a sensor's row where all of its readings have the same: rows may combine them.
    fn unit_of(&self, kind: &SensorKind, component: usize) -> &'static str {
        let column = |joint: JointId| {
            let coordinate = self.model().joint(joint).idx_v + component;
            self.unknowns().joint_accelerations().start + coordinate
        };
        match *kind {
            SensorKind::JointAcceleration { joint } => self.unit(column(joint), ACCELERATION),
            SensorKind::JointForce { joint } => self.unit(column(joint), FORCE),
            SensorKind::Accelerometer { .. } => "m/s²",
            SensorKind::Gyroscope { .. } => "rad/s",
            SensorKind::AngularAccelerometer { .. } => "rad/s²",
            SensorKind::TactileNormal { .. } => "N",
            SensorKind::ExternalForce { .. }
            | SensorKind::ForceTorque { .. }
            | SensorKind::LoadCells { .. }
            | SensorKind::Contact { .. }
            | SensorKind::CentroidalMomentumRate { .. }
            | SensorKind::LoopForce { .. }
            | SensorKind::Linear { .. }
            | SensorKind::Sum { .. } => "",
        }
    }
}
