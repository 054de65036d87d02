//! Quantities with external forces on joints and frames, in any reference.

use super::numbers::matrix;
use super::{AnyAlgorithm, Entry};
use crate::derivatives::add_by_joint_forces;
use crate::dynamics::ExternalForce;
use crate::error::{Error, check_size};
use crate::kinematics::{ReferenceFrame, Target};
use crate::model::Model;
use crate::spatial::Force;
use crate::workspace::Workspace;
use nalgebra::DMatrix;

/// A quantity whose input f has six numbers for each of some joints and frames, \[force; moment\]
/// constant in a reference: derivatives by q count how they change in the joints' frames.
///
/// One state is computed after the other: it has no lanes.
///
/// ```
/// use featherline::kinematics::ReferenceFrame;
/// use featherline::quantity::{self, AnyAlgorithm, OnFrames, Parameters};
/// use featherline::{Workspace, samples};
///
/// // 3 N up at the elbow, 1 m from the shoulder, lift the rod that is raised to the horizontal.
/// let model = samples::double_pendulum();
/// let bias = quantity::find("bias").expect("it is in the catalogue");
/// let lifted = OnFrames {
///     entry: &bias.entry,
///     algorithm: &*(bias.with)(&Parameters::NONE)?,
///     targets: &[model.joint_id("elbow")?.into()],
///     reference: ReferenceFrame::LocalWorldAligned,
/// };
/// let (q, v, f) = ([std::f64::consts::FRAC_PI_2, 0.0], [0.0; 2], [0.0, 0.0, 3.0, 0.0, 0.0, 0.0]);
/// let (mut ws, mut out) = (Workspace::new(&model), [0.0; 2]);
/// lifted.run(&model, &mut ws, &[&q, &v, &f], &mut [&mut out])?;
/// assert!((out[0] - (2.0 * 9.81 - 3.0)).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct OnFrames<'a> {
    /// The quantity's entry in the catalogue.
    pub entry: &'a Entry,
    /// The quantity, which takes f.
    pub algorithm: &'a dyn AnyAlgorithm,
    /// The joints and frames on whose bodies the forces act.
    pub targets: &'a [Target],
    /// Where the components of all forces are constant.
    pub reference: ReferenceFrame,
}

impl AnyAlgorithm for OnFrames<'_> {
    fn run(
        &self,
        model: &Model,
        ws: &mut Workspace<f64>,
        inputs: &[&[f64]],
        results: &mut [&mut [f64]],
    ) -> Result<(), Error> {
        let (&[q, ..], Some((rows, others))) = (inputs, inputs.split_last()) else {
            return Err(super::numbers::wrong_number(self.entry, inputs.len()));
        };
        check_size("external forces", 6 * self.targets.len(), rows.len())?;
        let given = self.targets.iter().zip(rows.as_chunks::<6>().0);
        let given: Vec<_> = given
            .map(|(&target, &row)| ExternalForce {
                target,
                reference: self.reference,
                force: Force::from_array(row),
            })
            .collect();
        let mut forces = vec![Force::zero(); model.joints().len()];
        model.external_forces_into(ws, q, &given, &mut forces)?;
        let rows: Vec<f64> = forces[1..].iter().flat_map(|f| f.to_array()).collect();
        let inputs: Vec<&[f64]> = others.iter().copied().chain([&rows[..]]).collect();
        self.algorithm.run(model, ws, &inputs, results)?;
        if self.reference == ReferenceFrame::Local {
            return Ok(());
        }
        let n = model.nv();
        let outputs = self.entry.outputs;
        let position = |name| outputs.iter().position(|output| output.name == name);
        let change = |ws: &mut _| {
            let mut change = DMatrix::zeros(n, n);
            let done = model.external_forces_derivative_into(ws, q, &given, &mut change);
            done.map(|()| change)
        };
        if let Some(dq) = position("dtau_dq") {
            let mut dq = matrix(results[dq], n);
            dq -= change(ws)?;
        }
        if let (Some(dq), Some(dtau)) = (position("dqdd_dq"), position("dqdd_dtau")) {
            let dtau = results[dtau].to_vec();
            add_by_joint_forces(n, &change(ws)?, &dtau, results[dq]);
        }
        Ok(())
    }
}

impl std::fmt::Debug for OnFrames<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} on {:?}", self.entry.name, self.targets)
    }
}
