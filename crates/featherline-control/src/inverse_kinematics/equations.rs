//! Errors of goals, and how they change with the coordinates.

use crate::goal::{Goal, GoalPose};
use featherline::kinematics::ReferenceFrame;
use featherline::spatial::{Vec3, log3};
use featherline::{Error, Model, Workspace};
use nalgebra::{DMatrix, DVector};

/// Errors e of goals and their Jacobian J, de = −J dq; rows times the roots of weights.
pub(super) struct Equations {
    jacobian: DMatrix<f64>,
    errors: DVector<f64>,
    /// The Jacobian of one frame.
    frame: DMatrix<f64>,
}

/// How large errors are.
#[derive(Clone, Copy)]
pub(super) struct Errors {
    /// Half the weighted sum of squares.
    pub(super) cost: f64,
    /// The largest of a position, in m, and of a rotation, in rad.
    pub(super) position: f64,
    pub(super) rotation: f64,
}

impl Errors {
    pub(super) fn infinite() -> Self {
        Self {
            cost: f64::INFINITY,
            position: f64::INFINITY,
            rotation: f64::INFINITY,
        }
    }

    pub(super) fn is_within(&self, tolerance: f64) -> bool {
        self.position <= tolerance && self.rotation <= tolerance
    }
}

impl Equations {
    pub(super) fn new(model: &Model, goals: &[Goal]) -> Self {
        let rows = goals.iter().map(Goal::rows).sum();
        Self {
            jacobian: DMatrix::zeros(rows, model.nv()),
            errors: DVector::zeros(rows),
            frame: DMatrix::zeros(6, model.nv()),
        }
    }

    /// Writes the equations at a configuration.
    pub(super) fn evaluate(
        &mut self,
        model: &Model,
        ws: &mut Workspace<f64>,
        goals: &[Goal],
        q: &[f64],
    ) -> Result<Errors, Error> {
        let kinematics = model.forward_kinematics(ws, q)?;
        let mut largest = Errors {
            cost: 0.0,
            position: 0.0,
            rotation: 0.0,
        };
        let mut row = 0;
        for goal in goals {
            // The linear rows are the velocity of the frame's origin, along the world's axes.
            let reference = ReferenceFrame::LocalWorldAligned;
            kinematics.jacobian_into(goal.target, reference, &mut self.frame)?;
            let placement = kinematics.placement(goal.target);
            let arm = placement.rotation * goal.point;
            let position = placement.translation + arm;
            let weight = goal.weight.sqrt();
            let (wanted_position, wanted_rotation) = match goal.wanted {
                GoalPose::Position(position) => (Some(position), None),
                GoalPose::Rotation(rotation) => (None, Some(rotation)),
                GoalPose::Placement(placement) => (
                    Some(placement.act_point(goal.point)),
                    Some(placement.rotation),
                ),
            };
            if let Some(wanted) = wanted_position {
                let error = wanted - position;
                largest.position = largest.position.max(error.norm());
                self.position_rows(row, arm, error, weight);
                row += 3;
            }
            if let Some(wanted) = wanted_rotation {
                // About the world's axes: exp(e) R = R_wanted.
                let error = log3(&(wanted * placement.rotation.transpose()));
                largest.rotation = largest.rotation.max(error.norm());
                self.rotation_rows(row, error, weight);
                row += 3;
            }
        }
        largest.cost = 0.5 * self.errors.norm_squared();
        Ok(largest)
    }

    /// The velocity of a point at `arm` from the frame's origin is v + ω × arm.
    fn position_rows(&mut self, row: usize, arm: Vec3<f64>, error: Vec3<f64>, weight: f64) {
        for (column, frame) in self.frame.column_iter().enumerate() {
            let linear = Vec3::new(frame[0], frame[1], frame[2]);
            let angular = Vec3::new(frame[3], frame[4], frame[5]);
            let velocity = (linear + angular.cross(arm)).to_array();
            for (i, entry) in velocity.into_iter().enumerate() {
                self.jacobian[(row + i, column)] = weight * entry;
            }
        }
        self.error_rows(row, error, weight);
    }

    /// The gradient of half the squared angle is the rotation vector itself, whatever the angle, so
    /// that the angular velocity may stand for the rate of the vector.
    fn rotation_rows(&mut self, row: usize, error: Vec3<f64>, weight: f64) {
        for (column, frame) in self.frame.column_iter().enumerate() {
            for i in 0..3 {
                self.jacobian[(row + i, column)] = weight * frame[3 + i];
            }
        }
        self.error_rows(row, error, weight);
    }

    fn error_rows(&mut self, row: usize, error: Vec3<f64>, weight: f64) {
        for (i, entry) in error.to_array().into_iter().enumerate() {
            self.errors[row + i] = weight * entry;
        }
    }

    /// JᵀJ and Jᵀe, of the velocities that a matrix takes others to.
    pub(super) fn normal(&self, allowed: Option<&DMatrix<f64>>) -> (DMatrix<f64>, DVector<f64>) {
        let reduced = allowed.map(|allowed| &self.jacobian * allowed);
        let jacobian = reduced.as_ref().unwrap_or(&self.jacobian);
        (jacobian.tr_mul(jacobian), jacobian.tr_mul(&self.errors))
    }
}
