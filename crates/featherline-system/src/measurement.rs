//! Rows beside the dynamics: what is known or measured, as sums of unknowns.

use crate::body::{Body, Wrench};
use crate::problem::{Components, Given, Known, Problem, WrenchBasis};
use crate::unknown::Unknowns;
use featherline::model::{FrameId, JointId};
use featherline::spatial::{Force, Motion, Se3};

/// One row: a sum of unknowns that equals a sum of inputs.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeasuredRow {
    /// Columns with their coefficients.
    pub constants: Vec<(usize, f64)>,
    /// Terms whose coefficients depend on the state.
    pub varying: Vec<Varying>,
    /// Inputs with their coefficients.
    pub inputs: Vec<(usize, f64)>,
}

/// A term whose coefficients depend on the state.
#[derive(Clone, Debug)]
pub(crate) enum Varying {
    /// The product of an external force that is written in the world frame with a covector in link coordinates.
    WorldForce { body: usize, covector: Motion<f64> },
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
    pub fn add_known(&mut self, known: Known, given: Given) {
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

    fn next_input(&mut self) -> usize {
        self.inputs += 1;
        self.inputs - 1
    }

    fn add_unit(&mut self, column: usize, given: Given) {
        let inputs = match given {
            Given::Input => vec![(self.next_input(), 1.0)],
            Given::Zero => Vec::new(),
        };
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
        given: Given,
    ) {
        let placement = self.frame_or_joint(joint, frame);
        let column = self.unknowns.external_force(joint).start;
        let body = &self.bodies[joint.index()];
        if components == Components::ALL
            && (given == Given::Zero || body.basis != WrenchBasis::World)
        {
            // What is known as a whole is known in every basis: one entry a row, the inputs are transformed.
            let first = self.inputs;
            if given == Given::Input {
                self.inputs += 6;
            }
            for component in 0..6 {
                let mut inputs = Vec::new();
                if given == Given::Input {
                    for k in 0..6 {
                        let in_link = placement.act_force(&unit_force(k));
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
            let inputs = match given {
                Given::Input => vec![(self.next_input(), 1.0)],
                Given::Zero => Vec::new(),
            };
            let mut row = MeasuredRow {
                inputs,
                ..MeasuredRow::default()
            };
            self.external_force_term(&mut row, joint, frame, unit_motion(component));
            self.rows.push(row);
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
            Some(frame) => *self.problem.model.frame_in_link(frame),
            None => self.problem.model.link_frame(joint).inverse(),
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
