//! A sensor as rows: sums of a few quantities that equal sums of its readings, with independent
//! errors.

use super::noise::NoiseFault;
use super::{Sensor, SensorKind, Support};
use crate::error::SystemError;
use crate::problem::Components;
use crate::unknown::Unknown;
use featherline::Model;
use featherline::model::{FrameId, JointId, LoopId};
use nalgebra::DMatrix;

/// The quantity whose components the rows of a sensor are sums of.
#[derive(Clone, Debug)]
pub(crate) enum Observable {
    /// The joint's q̈.
    JointAcceleration(JointId),
    /// The joint's τ.
    JointForce(JointId),
    /// The external force on the frame's body, six components in the frame.
    ExternalForce(FrameId),
    /// The force that the joint of the frame's body transmits, six components in the frame.
    TransmittedForce(FrameId),
    /// The proper acceleration of the frame, the linear part classical: six components in the
    /// frame.
    Acceleration(FrameId),
    /// The frame's velocity, six components in the frame.
    Velocity(FrameId),
    /// The rate of the centroidal momentum, six components in world axes.
    CentroidalMomentumRate,
    /// The force that a loop joint passes on to its successor, six components in its output frame.
    LoopForce(LoopId),
    /// A sum of unknowns.
    Linear(Vec<(Unknown, f64)>),
    /// A sum of unknowns, six-vectors in the joints' output frames.
    Sum(Vec<(Unknown, f64)>),
}

/// The rows of a sensor.
#[derive(Clone, Debug)]
pub(crate) struct SensorRows {
    pub observable: Observable,
    /// For each row, the weights of the observable's components.
    pub weights: Vec<Vec<f64>>,
    /// For each row, the weights of the readings.
    pub readings: Vec<Vec<f64>>,
    /// For each row, the variance of its right-hand side; none if it is exact.
    pub variances: Vec<Option<f64>>,
}

/// The rows of a sensor, combined so that their errors are independent.
pub(crate) fn sensor_rows(model: &Model, sensor: &Sensor) -> Result<SensorRows, SystemError> {
    let readings = sensor.kind.readings(model);
    let (observable, mut weights, mut combined) = plain_rows(model, &sensor.kind);
    let noise_size = if readings == 0 {
        weights.len()
    } else {
        readings
    };
    let Some(covariance) = readings_covariance(sensor, noise_size)? else {
        let variances = vec![None; weights.len()];
        return Ok(SensorRows {
            observable,
            weights,
            readings: combined,
            variances,
        });
    };
    let covariance = if readings == 0 {
        covariance
    } else {
        let gain = DMatrix::from_fn(combined.len(), readings, |i, j| combined[i][j]);
        &gain * covariance * gain.transpose()
    };
    // With Σ = L D Lᵀ the rows L⁻¹ y have the independent variances D.
    let rows = weights.len();
    let mut pivots = covariance.clone();
    let mut variances = Vec::with_capacity(rows);
    for k in 0..rows {
        let pivot = pivots[(k, k)];
        // The pivots of a covariance of less than full rank are zero but for rounding.
        if pivot <= 1e-12 * covariance[(k, k)] || !pivot.is_finite() {
            return Err(SystemError::SensorNumber {
                sensor: sensor.name.clone(),
                key: "positions",
                what: "readings or errors that are not independent (load cells too close together?)",
            });
        }
        variances.push(Some(pivot));
        for i in k + 1..rows {
            let factor = pivots[(i, k)] / pivot;
            if factor.abs() <= 1e-15 {
                continue;
            }
            for j in k..rows {
                let change = factor * pivots[(k, j)];
                pivots[(i, j)] -= change;
            }
            for matrix in [&mut weights, &mut combined] {
                let (above, below) = matrix.split_at_mut(i);
                for (x, &y) in below[0].iter_mut().zip(&above[k]) {
                    *x -= factor * y;
                }
            }
        }
    }
    Ok(SensorRows {
        observable,
        weights,
        readings: combined,
        variances,
    })
}

type Weights = Vec<Vec<f64>>;

/// The rows as they are read, before errors are made independent.
fn plain_rows(model: &Model, kind: &SensorKind) -> (Observable, Weights, Weights) {
    let picked =
        |components: Components| -> Weights { components.iter().map(|c| unit(c, 6)).collect() };
    let each = |count: usize| -> Weights { (0..count).map(|k| unit(k, count)).collect() };
    let (observable, rows) = match kind {
        SensorKind::JointAcceleration { joint } => {
            let rows = each(model.joint(*joint).nv);
            (Observable::JointAcceleration(*joint), rows)
        }
        SensorKind::JointForce { joint } => {
            let rows = each(model.joint(*joint).nv);
            (Observable::JointForce(*joint), rows)
        }
        SensorKind::ExternalForce { frame, components } => {
            (Observable::ExternalForce(*frame), picked(*components))
        }
        SensorKind::ForceTorque { frame, reaction } => {
            let mut rows = picked(Components::ALL);
            if *reaction {
                for row in &mut rows {
                    row.iter_mut().for_each(|weight| *weight = -*weight);
                }
            }
            (Observable::TransmittedForce(*frame), rows)
        }
        SensorKind::Accelerometer { frame } => {
            (Observable::Acceleration(*frame), picked(Components::LINEAR))
        }
        SensorKind::AngularAccelerometer { frame } => {
            let rows = picked(Components::ANGULAR);
            (Observable::Acceleration(*frame), rows)
        }
        SensorKind::Gyroscope { frame } => {
            (Observable::Velocity(*frame), picked(Components::ANGULAR))
        }
        SensorKind::LoadCells { frame, positions } => {
            let (rows, readings) = Support::of(positions).rows(positions);
            return (Observable::ExternalForce(*frame), rows, readings);
        }
        SensorKind::TactileNormal { frame } => {
            let rows = picked(Components::LINEAR_Z);
            (Observable::ExternalForce(*frame), rows)
        }
        SensorKind::Contact { frame, contact } => {
            let rows = picked(contact.vanishing());
            let readings = vec![Vec::new(); rows.len()];
            return (Observable::ExternalForce(*frame), rows, readings);
        }
        SensorKind::CentroidalMomentumRate { components } => {
            (Observable::CentroidalMomentumRate, picked(*components))
        }
        SensorKind::LoopForce { joint } => (Observable::LoopForce(*joint), picked(Components::ALL)),
        SensorKind::Linear { terms } => (Observable::Linear(terms.clone()), each(1)),
        SensorKind::Sum { terms } => (Observable::Sum(terms.clone()), each(1)),
    };
    let readings = each(rows.len());
    (observable, rows, readings)
}

fn unit(k: usize, len: usize) -> Vec<f64> {
    let mut row = vec![0.0; len];
    row[k] = 1.0;
    row
}

/// The covariance of the readings; none if they are exact.
pub(crate) fn readings_covariance(
    sensor: &Sensor,
    size: usize,
) -> Result<Option<DMatrix<f64>>, SystemError> {
    let covariance = sensor.noise.covariance(size);
    covariance.map_err(|NoiseFault { key, what }| SystemError::SensorNumber {
        sensor: sensor.name.clone(),
        key,
        what,
    })
}
