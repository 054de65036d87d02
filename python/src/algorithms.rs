//! Algorithms with parameters as calls of one state, and of many in lanes where the library has
//! them.

use crate::evaluate::{Algorithm, Lanes};
use crate::forces::on_bodies;
use featherline::batch::Precision;
use featherline::dynamics::DynamicsOptions;
use featherline::kinematics::{ReferenceFrame, Target};
use featherline::model::{FrameId, JointId};
use featherline::spatial::Force;
use featherline::{Error, Model, Workspace};
use nalgebra::DMatrixViewMut;

/// Calls pass as many inputs as their algorithm takes.
fn misuse() -> Error {
    Error::Size {
        what: "the inputs",
        expected: 0,
        found: 0,
    }
}

/// External forces as rows of a batch: the universe has one, too.
fn padded<T: Precision>(rows: &[T], states: usize) -> Vec<T> {
    let width = rows.len() / states.max(1);
    let mut all = Vec::with_capacity(rows.len() + 6 * states);
    for row in rows.chunks_exact(width.max(1)) {
        all.extend([T::default(); 6]);
        all.extend_from_slice(row);
    }
    all
}

/// The regressor of the body that a joint moves.
pub struct JointBodyRegressor {
    pub joint: JointId,
}

impl Algorithm for JointBodyRegressor {
    fn run(
        &self,
        model: &Model,
        ws: &mut Workspace<f64>,
        inputs: &[&[f64]],
        out: &mut [f64],
    ) -> Result<(), Error> {
        let &[q, v, a] = inputs else {
            return Err(misuse());
        };
        let found = model.joint_body_regressor(ws, q, v, a, self.joint)?;
        out.copy_from_slice(found.as_slice());
        Ok(())
    }
}

/// Inverse dynamics of q, v, a, and forward dynamics of q, v, tau, each with or without passive
/// forces of the joints, and with rows of external forces where a fourth input is.
macro_rules! dynamics {
    ($($name:ident: $method:ident; in lanes $lanes:ident, $lanes_with_forces:ident;)*) => {$(
        pub struct $name {
            /// Whether damping, dry friction and springs act.
            pub passive: bool,
        }

        impl Algorithm for $name {
            fn run(
                &self,
                model: &Model,
                ws: &mut Workspace<f64>,
                inputs: &[&[f64]],
                out: &mut [f64],
            ) -> Result<(), Error> {
                let (&[q, v, x], rows) = inputs.split_first_chunk::<3>().ok_or_else(misuse)?;
                let external = on_bodies(rows.first());
                let mut options = DynamicsOptions::default().with_forces(&external);
                options.passive_forces = self.passive;
                out.copy_from_slice(model.$method(ws, q, v, x, options)?);
                Ok(())
            }

            fn run_lanes<T: Precision>(&self, lanes: Lanes<'_, T>) -> Option<Result<usize, Error>> {                let Lanes { batch, inputs, result: out, status } = lanes;
                match *inputs {
                    _ if self.passive => None,
                    [q, v, x] => Some(batch.$lanes(q, v, x, out, status)),
                    [q, v, x, rows] => {
                        let rows = padded(rows, status.len());
                        Some(batch.$lanes_with_forces(q, v, x, &rows, out, status))
                    }
                    _ => Some(Err(misuse())),
                }
            }
        }
    )*};
}

dynamics! {
    InverseDynamics: inverse_dynamics; in lanes rnea, rnea_with_forces;
    ForwardDynamics: forward_dynamics; in lanes aba, aba_with_forces;
}

/// The forces that joints transmit, of q, v, a, with rows of external forces where a fourth input
/// is.
pub struct TransmittedForces;

impl Algorithm for TransmittedForces {
    fn run(
        &self,
        model: &Model,
        ws: &mut Workspace<f64>,
        inputs: &[&[f64]],
        out: &mut [f64],
    ) -> Result<(), Error> {
        let (&[q, v, a], rows) = inputs.split_first_chunk::<3>().ok_or_else(misuse)?;
        let external = on_bodies(rows.first());
        let options = DynamicsOptions::default().with_forces(&external);
        let mut all = vec![Force::zero(); model.joints().len()];
        model.transmitted_forces(ws, q, v, a, options, &mut all)?;
        for (out, force) in out.chunks_exact_mut(6).zip(&all[1..]) {
            out.copy_from_slice(&force.to_array());
        }
        Ok(())
    }
}

/// What is asked of one frame.
#[derive(Clone, Copy)]
pub enum FrameQuantity {
    Velocity,
    Acceleration,
    ClassicalAcceleration,
    BiasAcceleration,
    ClassicalBiasAcceleration,
    Jacobian,
    JacobianRate,
    Hessian,
}

/// A quantity of a joint's frame, or of a named one.
pub struct OfFrame {
    pub target: Target,
    pub reference: ReferenceFrame,
    pub quantity: FrameQuantity,
}

impl Algorithm for OfFrame {
    fn run(
        &self,
        model: &Model,
        ws: &mut Workspace<f64>,
        inputs: &[&[f64]],
        out: &mut [f64],
    ) -> Result<(), Error> {
        let &Self {
            target, reference, ..
        } = self;
        let matrix = |out| DMatrixViewMut::from_slice(out, 6, model.nv());
        match (self.quantity, inputs) {
            (FrameQuantity::Velocity, &[q, v]) => {
                let views = model.forward_kinematics_velocities(ws, q, v)?;
                out.copy_from_slice(&views.velocity(target, reference).to_array());
            }
            (FrameQuantity::Acceleration, &[q, v, a]) => {
                let views = model.forward_kinematics_accelerations(ws, q, v, a)?;
                out.copy_from_slice(&views.acceleration(target, reference).to_array());
            }
            (FrameQuantity::ClassicalAcceleration, &[q, v, a]) => {
                let views = model.forward_kinematics_accelerations(ws, q, v, a)?;
                out.copy_from_slice(&views.classical_acceleration(target, reference).to_array());
            }
            (FrameQuantity::BiasAcceleration, &[q, v]) => {
                let views = model.forward_kinematics_velocities(ws, q, v)?;
                out.copy_from_slice(&views.bias_acceleration(target, reference).to_array());
            }
            (FrameQuantity::ClassicalBiasAcceleration, &[q, v]) => {
                let views = model.forward_kinematics_velocities(ws, q, v)?;
                let bias = views.classical_bias_acceleration(target, reference);
                out.copy_from_slice(&bias.to_array());
            }
            (FrameQuantity::Jacobian, &[q]) => {
                let views = model.forward_kinematics(ws, q)?;
                views.jacobian_into(target, reference, matrix(out))?;
            }
            (FrameQuantity::JacobianRate, &[q, v]) => {
                let views = model.forward_kinematics_velocities(ws, q, v)?;
                views.jacobian_rate_into(target, reference, matrix(out))?;
            }
            (FrameQuantity::Hessian, &[q]) => {
                model.hessian_into(ws, q, target, reference, out)?;
            }
            _ => return Err(misuse()),
        }
        Ok(())
    }

    fn run_lanes<T: Precision>(&self, lanes: Lanes<'_, T>) -> Option<Result<usize, Error>> {
        let Lanes {
            batch,
            inputs,
            result: out,
            status,
        } = lanes;
        let (&Target::Frame(frame), FrameQuantity::Jacobian, &[q]) =
            (&self.target, self.quantity, inputs)
        else {
            return None;
        };
        Some(batch.frame_jacobians(q, &[frame], self.reference, out, status))
    }
}

/// The placements of frames, as rows of homogeneous matrices.
pub struct Placements {
    pub targets: Vec<Target>,
}

impl Placements {
    /// Their frames, if all are frames.
    fn frames(&self) -> Option<Vec<FrameId>> {
        self.targets
            .iter()
            .map(|target| match target {
                Target::Frame(frame) => Some(*frame),
                Target::Joint(_) => None,
            })
            .collect()
    }
}

impl Algorithm for Placements {
    fn run(
        &self,
        model: &Model,
        ws: &mut Workspace<f64>,
        inputs: &[&[f64]],
        out: &mut [f64],
    ) -> Result<(), Error> {
        let positions = model.forward_kinematics(ws, inputs[0])?;
        for (out, &target) in out.chunks_exact_mut(16).zip(&self.targets) {
            let rows = positions.placement(target).to_homogeneous();
            for (k, x) in out.iter_mut().enumerate() {
                *x = rows[k % 4][k / 4];
            }
        }
        Ok(())
    }

    fn run_lanes<T: Precision>(&self, lanes: Lanes<'_, T>) -> Option<Result<usize, Error>> {
        let Lanes {
            batch,
            inputs,
            result: out,
            status,
        } = lanes;
        let frames = self.frames()?;
        // A placement of a batch is its rotation, column by column, and its translation.
        let mut rows = vec![T::default(); 12 * frames.len() * status.len()];
        let done = batch.frame_placements(inputs[0], &frames, &mut rows, status);
        let (zero, one) = (T::default(), T::constant(1.0));
        for (matrix, placement) in out.chunks_exact_mut(16).zip(rows.chunks_exact(12)) {
            for column in 0..4 {
                matrix[4 * column..4 * column + 3]
                    .copy_from_slice(&placement[3 * column..3 * column + 3]);
                matrix[4 * column + 3] = if column == 3 { one } else { zero };
            }
        }
        Some(done)
    }
}
