//! What the rows and columns of a system are, as cells of a table.

use featherline::Model;
use featherline::model::JointId;
use featherline_record::coordinates::{self, Measure};
use featherline_system::{Equation, Known, SensorKind, System, Unknown, WrenchBasis};

/// The headings of a label's cells.
pub const HEADINGS: [&str; 5] = ["what", "name", "component", "unit", "frame"];

/// What stands in a row or a column.
#[derive(Clone, Debug)]
pub struct Label {
    /// The kind of equation or unknown.
    pub what: String,
    /// The joint, body, frame or sensor.
    pub name: String,
    /// Which of several numbers: an axis, or a degree of freedom from 0.
    pub component: String,
    /// Empty where a row mixes units.
    pub unit: String,
    /// The axes of a component: `link` is the kernels' frame of the body, `output` that of a loop
    /// joint, `world` or the name of a frame.
    pub frame: String,
}

const AXES: [&str; 6] = ["x", "y", "z", "about x", "about y", "about z"];
const ACCELERATION: [&str; 2] = ["m/s²", "rad/s²"];
const FORCE: [&str; 2] = ["N", "N·m"];

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

    fn plain(what: String, name: &str, component: usize, unit: String) -> Self {
        Self {
            what,
            name: name.to_owned(),
            component: component.to_string(),
            unit,
            frame: String::new(),
        }
    }

    /// One name in a line of text, as in `motion panda_joint1 about z`.
    pub fn line(&self) -> String {
        format!("{} {} {}", self.what, self.name, self.component)
    }

    /// The cells under [`HEADINGS`].
    pub fn cells(&self) -> [&str; 5] {
        [
            &self.what,
            &self.name,
            &self.component,
            &self.unit,
            &self.frame,
        ]
    }
}

/// The labels of a system.
pub struct Labels<'s> {
    system: &'s System,
    /// What each coordinate of v measures.
    measures: Vec<Measure>,
}

impl<'s> Labels<'s> {
    pub fn new(system: &'s System) -> Self {
        let entries = coordinates::velocity(system.model());
        Self {
            system,
            measures: entries.into_iter().map(|entry| entry.measure).collect(),
        }
    }

    pub fn rows(&self) -> Vec<Label> {
        (0..self.system.sparsity().rows())
            .filter_map(|row| self.row(row))
            .collect()
    }

    pub fn columns(&self) -> Vec<Label> {
        let columns = 0..self.system.sparsity().columns();
        columns
            .filter_map(|column| self.system.unknowns().at(column))
            .map(|unknown| self.unknown(unknown))
            .collect()
    }

    fn unknown(&self, unknown: Unknown) -> Label {
        let model = self.system.model();
        let body = |joint: JointId| model.joint(joint).name.as_str();
        match unknown {
            Unknown::Acceleration { joint, component } => {
                Label::of_six("acceleration", body(joint), component, ACCELERATION, "link")
            }
            Unknown::Force { joint, component } => {
                Label::of_six("transmitted-force", body(joint), component, FORCE, "link")
            }
            Unknown::ExternalForce { joint, component } => {
                let frame = match self.system.wrench_basis(joint) {
                    WrenchBasis::Link => "link",
                    WrenchBasis::World => "world",
                    WrenchBasis::Frame(frame) => &model.frame(frame).name,
                };
                Label::of_six("external-force", body(joint), component, FORCE, frame)
            }
            Unknown::JointForce { coordinate } => self.coordinate("joint-force", coordinate),
            Unknown::JointAcceleration { coordinate } => {
                self.coordinate("joint-acceleration", coordinate)
            }
            Unknown::LoopForce { joint, component } => {
                let name = &model.loop_joint(joint).name;
                Label::of_six("loop-force", name, component, FORCE, "output")
            }
            Unknown::LoopAcceleration { joint, degree } => {
                let joint = model.loop_joint(joint);
                let unit = acceleration(coordinates::of_kind(&joint.kind)[degree]);
                Label::plain("loop-acceleration".to_owned(), &joint.name, degree, unit)
            }
        }
    }

    /// A force or acceleration along a coordinate.
    fn coordinate(&self, what: &str, coordinate: usize) -> Label {
        let measure = self.measures[coordinate];
        let unit = match what {
            "joint-acceleration" => acceleration(measure),
            _ => measure.force_unit().to_owned(),
        };
        let (name, degree) = owner(self.system.model(), coordinate);
        Label::plain(what.to_owned(), name, degree, unit)
    }

    fn row(&self, row: usize) -> Option<Label> {
        let (model, problem) = (self.system.model(), self.system.problem());
        let body = |joint: JointId| model.joint(joint).name.as_str();
        Some(match self.system.equations().at(row)? {
            Equation::Motion { joint, component } => {
                Label::of_six("motion", body(joint), component, ACCELERATION, "link")
            }
            Equation::Force { joint, component } => {
                Label::of_six("force-balance", body(joint), component, FORCE, "link")
            }
            Equation::JointForce { coordinate } => {
                self.coordinate("joint-force-balance", coordinate)
            }
            Equation::LoopMotion { joint, component } => {
                let name = &model.loop_joint(joint).name;
                Label::of_six("loop-motion", name, component, ACCELERATION, "output")
            }
            Equation::LoopFreedom { joint, degree } => {
                let joint = model.loop_joint(joint);
                let unit = coordinates::of_kind(&joint.kind)[degree].force_unit();
                Label::plain(
                    "loop-freedom".to_owned(),
                    &joint.name,
                    degree,
                    unit.to_owned(),
                )
            }
            Equation::Known { known, component } => {
                self.known(problem.knowns()[known.index()].0, row, component)
            }
            Equation::Sensor { sensor, component } => {
                let sensor = &problem.sensors()[sensor.index()];
                let unit = self.unit_of(&sensor.kind, component);
                Label::plain("sensor".to_owned(), &sensor.name, component, unit)
            }
        })
    }

    /// A known quantity: mostly of one unknown; components in another frame are of several.
    fn known(&self, known: Known, row: usize, component: usize) -> Label {
        if let &[column] = self.system.sparsity().row(row)
            && let Some(unknown) = self.system.unknowns().at(column)
        {
            let of = self.unknown(unknown);
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
            return Label::plain("known".to_owned(), "", component, String::new());
        };
        let model = self.system.model();
        let axis = components.iter().nth(component).unwrap_or_default();
        let frame = frame.map_or("output", |frame| model.frame(frame).name.as_str());
        Label::of_six(
            "known external-force",
            &model.joint(joint).name,
            axis,
            FORCE,
            frame,
        )
    }

    /// The unit of a sensor's row where all of its readings have the same: rows may combine them.
    fn unit_of(&self, kind: &SensorKind, component: usize) -> String {
        let model = self.system.model();
        let measure = |joint: JointId| self.measures[model.joint(joint).idx_v + component];
        match *kind {
            SensorKind::JointAcceleration { joint } => acceleration(measure(joint)),
            SensorKind::JointForce { joint } => measure(joint).force_unit().to_owned(),
            SensorKind::Accelerometer { .. } => "m/s²".to_owned(),
            SensorKind::Gyroscope { .. } => "rad/s".to_owned(),
            SensorKind::AngularAccelerometer { .. } => "rad/s²".to_owned(),
            SensorKind::TactileNormal { .. } => "N".to_owned(),
            SensorKind::ExternalForce { .. }
            | SensorKind::ForceTorque { .. }
            | SensorKind::LoadCells { .. }
            | SensorKind::Contact { .. }
            | SensorKind::CentroidalMomentumRate { .. }
            | SensorKind::LoopForce { .. }
            | SensorKind::Linear { .. }
            | SensorKind::Sum { .. } => String::new(),
        }
    }
}

fn acceleration(measure: Measure) -> String {
    format!("{}/s²", measure.unit())
}

/// The joint of a coordinate, and which of its degrees of freedom it is.
fn owner(model: &Model, coordinate: usize) -> (&str, usize) {
    let mut joints = model.joints().iter();
    let owner = joints.find(|joint| (joint.idx_v..joint.idx_v + joint.nv).contains(&coordinate));
    owner.map_or(("", coordinate), |joint| {
        (&joint.name, coordinate - joint.idx_v)
    })
}
