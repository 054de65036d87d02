//! Coordinates that are too large for double precision to show their motion in a step.
//!
//! Numbers near 10¹⁷ are 16 apart: an angle of that size stays where it is, whatever its velocity.

use super::{Result, SimulationError};
use featherline::kernel::SimpleJoints;
use featherline::model::{JointId, Model};

/// Numbers must be this much finer than the way of a step.
const FINER: f64 = 10.0;

/// The least speed in rad/s and m/s that must show: a robot that is at rest now may move later.
const SLOW: f64 = 1.0;

/// The angles and displacements of a configuration, but not quaternions and (cos, sin) pairs.
pub(in super::super) struct Resolution<'m> {
    model: &'m Model,
    coordinates: Box<[Coordinate]>,
}

struct Coordinate {
    joint: JointId,
    /// Where it stands in q, and its rate in v.
    entry: usize,
    rate: usize,
}

impl<'m> Resolution<'m> {
    pub(in super::super) fn new(model: &'m Model) -> Self {
        let mut coordinates = Vec::new();
        for id in model.joint_ids() {
            let joint = model.joint(id);
            if joint.mimic.is_some() {
                continue;
            }
            for part in SimpleJoints::of(&joint.kind) {
                coordinates.extend(part.vector_entries().enumerate().map(|(k, entry)| {
                    Coordinate {
                        joint: id,
                        entry: joint.idx_q + entry,
                        rate: joint.idx_v + part.v.start + k,
                    }
                }));
            }
        }
        Self {
            model,
            coordinates: coordinates.into(),
        }
    }

    /// Fails where a coordinate is too large to show its motion in `step` seconds.
    pub(in super::super) fn check(&self, step: f64, t: f64, q: &[f64], v: &[f64]) -> Result<()> {
        for coordinate in &self.coordinates {
            let value = q[coordinate.entry];
            let spacing = value.abs().next_up() - value.abs();
            let way = step * v[coordinate.rate].abs().max(SLOW);
            if spacing * FINER > way {
                return Err(SimulationError::Unresolved {
                    t,
                    joint: self.model.joint(coordinate.joint).name.clone(),
                    value,
                    spacing,
                    way,
                });
            }
        }
        Ok(())
    }
}
