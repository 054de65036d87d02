//! Rows beside the dynamics: what is known or measured, as sums of unknowns.

use super::body::{Body, Wrench};
use crate::error::SystemError;
use crate::problem::{
    Components, Known, KnownValue, Observable, Problem, Sensor, WrenchBasis, sensor_rows,
};
use crate::unknown::{Unknown, Unknowns};
use featherline::kernel;
use featherline::model::{FrameId, JointId};
use featherline::spatial::{Force, Motion, Se3, Vec3};

/// One row: a sum of unknowns that equals a sum of inputs.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeasuredRow {
    /// Columns with their coefficients.
    pub constants: Vec<(usize, f64)>,
    /// Terms that depend on the state.
    pub varying: Vec<Varying>,
    /// Inputs with their coefficients.
    pub inputs: Vec<(usize, f64)>,
    /// A constant that is added to them.
    pub offset: f64,
    /// The variance of the sum of inputs; none if it is exact.
    pub variance: Option<f64>,
}

/// A term that depends on the state.
#[derive(Clone, Debug)]
pub(crate) enum Varying {
    /// The product of an external force written in the world with a covector in link coordinates.
    WorldForce { body: usize, covector: Motion<f64> },
    /// The product of all forces on the robot, weight included, with a covector in world axes at
    /// the centre of mass.
    Momentum { covector: Motion<f64> },
    /// The product of a frame's velocity with a covector in the frame.
    Velocity {
        body: usize,
        frame: Se3<f64>,
        covector: Force<f64>,
    },
    /// The product of a frame's ω × v with a covector: what makes its acceleration classical.
    Centripetal {
        body: usize,
        frame: Se3<f64>,
        covector: Vec3<f64>,
    },
}

/// Makes rows, and counts the inputs that they read.
pub(crate) struct Rows<'a> {
    pub problem: &'a Problem,
    pub bodies: &'a [Body],
    pub unknowns: &'a Unknowns,
    pub inputs: usize,
    pub rows: Vec<MeasuredRow>,
}

impl Rows<'_> {
    /// Adds the rows of a known quantity.
    pub fn add_known(&mut self, known: Known, given: KnownValue) {
        match known {
            Known::JointAcceleration { joint, degree } => {
                let coordinate = self.problem.model.joint(joint).idx_v + degree;
                let column = self.unknowns.joint_accelerations().start + coordinate;
                self.add_unit(column, given);
            }
            Known::JointForce { joint, degree } => {
                let coordinate = self.problem.model.joint(joint).idx_v + degree;
                let column = self.unknowns.joint_forces().start + coordinate;
                self.add_unit(column, given);
            }
            Known::ExternalForce {
                joint,
                frame,
                components,
            } => self.add_external_force(joint, frame, components, given),
        }
    }

    /// What a row equals of which the value is given: one more input, or nothing.
    fn inputs_of(&mut self, given: KnownValue) -> Vec<(usize, f64)> {
        match given {
            KnownValue::Input => {
                self.inputs += 1;
                vec![(self.inputs - 1, 1.0)]
            }
            KnownValue::Zero => Vec::new(),
        }
    }

    fn add_unit(&mut self, column: usize, given: KnownValue) {
        let inputs = self.inputs_of(given);
        self.rows.push(MeasuredRow {
            constants: vec![(column, 1.0)],
            inputs,
            ..MeasuredRow::default()
        });
    }

    fn add_external_force(
        &mut self,
        joint: JointId,
        frame: Option<FrameId>,
        components: Components,
        given: KnownValue,
    ) {
        let placement = self.frame_or_joint(joint, frame);
        let column = self.unknowns.external_force(joint).start;
        let body = &self.bodies[joint.index()];
        if components.count() == 6
            && (given == KnownValue::Zero || body.basis != WrenchBasis::World)
        {
            // A six-vector that is known as a whole is known in every basis: one entry a row, the
            // inputs are transformed.
            let first = self.inputs;
            if given == KnownValue::Input {
                self.inputs += 6;
            }
            for component in 0..6 {
                let mut inputs = Vec::new();
                if given == KnownValue::Input {
                    for (k, axis) in components.iter().enumerate() {
                        let in_link = placement.act_force(&unit_force(axis));
                        let own = match &body.wrench {
                            Wrench::Frame(basis) => basis.inverse_act_force(&in_link),
                            Wrench::Link | Wrench::World => in_link,
                        };
                        inputs.push((first + k, own.to_array()[component]));
                    }
                    inputs.retain(|&(_, coefficient)| coefficient != 0.0);
                }
                self.rows.push(MeasuredRow {
                    constants: vec![(column + component, 1.0)],
                    inputs,
                    ..MeasuredRow::default()
                });
            }
            return;
        }
        for component in components.iter() {
            let mut row = MeasuredRow {
                inputs: self.inputs_of(given),
                ..MeasuredRow::default()
            };
            self.external_force_term(&mut row, joint, frame, unit_motion(component));
            self.rows.push(row);
        }
    }

    /// Adds the rows of a sensor.
    pub fn add_sensor(&mut self, sensor: &Sensor) -> Result<(), SystemError> {
        if let (true, Some(joint)) = (self.problem.loops_cut, sensor.kind.loop_joint()) {
            return Err(SystemError::LoopIsCut {
                name: sensor.name.clone(),
                joint: self.problem.model.loop_joint(joint).name.clone(),
            });
        }
        let rows = sensor_rows(&self.problem.model, sensor)?;
        let first = self.inputs;
        self.inputs += sensor.kind.readings(&self.problem.model);
        for k in 0..rows.weights.len() {
            let readings = rows.readings[k].iter().enumerate();
            let mut row = MeasuredRow {
                inputs: readings
                    .filter(|&(_, &weight)| weight != 0.0)
                    .map(|(reading, &weight)| (first + reading, weight))
                    .collect(),
                variance: rows.variances[k],
                ..MeasuredRow::default()
            };
            self.observe(&mut row, &rows.observable, &rows.weights[k]);
            merge(&mut row.constants);
            self.rows.push(row);
        }
        Ok(())
    }

    /// Adds a weighted sum of an observable's components.
    fn observe(&self, row: &mut MeasuredRow, observable: &Observable, weights: &[f64]) {
        let model = &self.problem.model;
        let columns = |start: usize| {
            let weights = weights.iter().enumerate();
            weights.map(move |(k, &weight)| (start + k, weight))
        };
        match observable {
            Observable::JointAcceleration(joint) => {
                let start = self.unknowns.joint_accelerations().start + model.joint(*joint).idx_v;
                row.constants.extend(columns(start));
            }
            Observable::JointForce(joint) => {
                let start = self.unknowns.joint_forces().start + model.joint(*joint).idx_v;
                row.constants.extend(columns(start));
            }
            Observable::ExternalForce(frame) => {
                let joint = model.frame(*frame).joint;
                let covector = Motion::from_array(six(weights));
                self.external_force_term(row, joint, Some(*frame), covector);
            }
            Observable::TransmittedForce(frame) => {
                let joint = model.frame(*frame).joint;
                let covector = Motion::from_array(six(weights));
                let in_link = kernel::frame_in_link(model, *frame).act_motion(&covector);
                let start = self.unknowns.force(joint).start;
                row.constants.extend((start..).zip(in_link.to_array()));
            }
            Observable::Acceleration(frame) => {
                let (joint, placement) = (
                    model.frame(*frame).joint,
                    *kernel::frame_in_link(model, *frame),
                );
                let covector = Force::from_array(six(weights));
                let in_link = placement.act_force(&covector);
                if joint == JointId::UNIVERSE {
                    // It accelerates against gravity, and does not turn.
                    row.offset += in_link.linear.dot(model.gravity());
                    return;
                }
                let start = self.unknowns.acceleration(joint).start;
                row.constants.extend((start..).zip(in_link.to_array()));
                if covector.linear != Vec3::zero() {
                    row.varying.push(Varying::Centripetal {
                        body: joint.index(),
                        frame: placement,
                        covector: covector.linear,
                    });
                }
            }
            Observable::Velocity(frame) => row.varying.push(Varying::Velocity {
                body: model.frame(*frame).joint.index(),
                frame: *kernel::frame_in_link(model, *frame),
                covector: Force::from_array(six(weights)),
            }),
            Observable::CentroidalMomentumRate => row.varying.push(Varying::Momentum {
                covector: Motion::from_array(six(weights)),
            }),
            Observable::LoopForce(joint) => {
                let start = self.unknowns.loop_force(*joint).start;
                row.constants.extend(columns(start));
            }
            Observable::Linear(terms) => {
                let terms = terms.iter();
                row.constants.extend(terms.map(|&(unknown, coefficient)| {
                    (self.unknowns.column(unknown), weights[0] * coefficient)
                }));
            }
            Observable::Sum(terms) => {
                for &(unknown, coefficient) in terms {
                    self.output_frame_term(row, unknown, weights[0] * coefficient);
                }
            }
        }
    }

    /// Adds a factor times a component in a joint's output frame, or a coordinate's own unknown.
    fn output_frame_term(&self, row: &mut MeasuredRow, unknown: Unknown, coefficient: f64) {
        let of_component = |component: usize| unit_motion(component) * coefficient;
        match unknown {
            Unknown::Acceleration { joint, component } => {
                let covector = unit_force(component) * coefficient;
                let in_link = self.frame_or_joint(joint, None).act_force(&covector);
                let start = self.unknowns.acceleration(joint).start;
                row.constants.extend((start..).zip(in_link.to_array()));
            }
            Unknown::Force { joint, component } => {
                let covector = of_component(component);
                let in_link = self.frame_or_joint(joint, None).act_motion(&covector);
                let start = self.unknowns.force(joint).start;
                row.constants.extend((start..).zip(in_link.to_array()));
            }
            Unknown::ExternalForce { joint, component } => {
                self.external_force_term(row, joint, None, of_component(component));
            }
            // Those of loop joints are in their output frames.
            Unknown::JointForce { .. }
            | Unknown::JointAcceleration { .. }
            | Unknown::LoopForce { .. }
            | Unknown::LoopAcceleration { .. } => {
                let column = self.unknowns.column(unknown);
                row.constants.push((column, coefficient));
            }
        }
    }

    /// Adds the product of an external force with a covector that is given in a frame.
    pub fn external_force_term(
        &self,
        row: &mut MeasuredRow,
        joint: JointId,
        frame: Option<FrameId>,
        covector: Motion<f64>,
    ) {
        let body = &self.bodies[joint.index()];
        let column = self.unknowns.external_force(joint).start;
        let same = frame.is_some_and(|frame| body.basis == WrenchBasis::Frame(frame));
        let in_link = self.frame_or_joint(joint, frame).act_motion(&covector);
        let own = match &body.wrench {
            _ if same => covector,
            Wrench::Link => in_link,
            Wrench::Frame(basis) => basis.inverse_act_motion(&in_link),
            Wrench::World => {
                row.varying.push(Varying::WorldForce {
                    body: joint.index(),
                    covector: in_link,
                });
                return;
            }
        };
        let entries = own.to_array().into_iter().enumerate();
        row.constants.extend(
            entries
                .filter(|&(_, coefficient)| coefficient != 0.0)
                .map(|(k, coefficient)| (column + k, coefficient)),
        );
    }

    /// A frame's placement in its link, or that of the joint's output frame.
    pub fn frame_or_joint(&self, joint: JointId, frame: Option<FrameId>) -> Se3<f64> {
        match frame {
            Some(frame) => *kernel::frame_in_link(&self.problem.model, frame),
            None => kernel::link_frame(&self.problem.model, joint).inverse(),
        }
    }
}

/// One along or about an axis.
pub(crate) fn unit_motion(component: usize) -> Motion<f64> {
    let mut array = [0.0; 6];
    array[component] = 1.0;
    Motion::from_array(array)
}

fn unit_force(component: usize) -> Force<f64> {
    Force::from_array(unit_motion(component).to_array())
}

fn six(weights: &[f64]) -> [f64; 6] {
    std::array::from_fn(|k| weights[k])
}

/// Sums what belongs to one column, and leaves out what vanishes.
fn merge(terms: &mut Vec<(usize, f64)>) {
    terms.sort_by_key(|&(column, _)| column);
    let mut merged: Vec<(usize, f64)> = Vec::with_capacity(terms.len());
    for &(column, coefficient) in terms.iter() {
        match merged.last_mut() {
            Some(last) if last.0 == column => last.1 += coefficient,
            _ => merged.push((column, coefficient)),
        }
    }
    merged.retain(|&(_, coefficient)| coefficient != 0.0);
    *terms = merged;
}
