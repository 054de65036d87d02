//! The rows of the system: the Newton-Euler equations, what is known, and what is measured.

use crate::names::NO_LOOP;
use crate::problem::{KnownId, SensorId};
use crate::unknown::Unknowns;
use featherline::model::{JointId, LoopId};
use std::ops::Range;

/// The equation of one row of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Equation {
    /// A component of aᵢ = ᵢXλ aλ + Sᵢ q̈ᵢ + cᵢ.
    Motion {
        /// The joint.
        joint: JointId,
        /// 0 to 5.
        component: usize,
    },
    /// A component of fᵢ = Iᵢ aᵢ + νᵢ − fᵢˣ + Σ ᵢX*ⱼ fⱼ.
    Force {
        /// The joint.
        joint: JointId,
        /// 0 to 5.
        component: usize,
    },
    /// τ = Σ Sᵀ f + armature · q̈ along a coordinate, the sum over the joint and those that follow
    /// it.
    JointForce {
        /// The coordinate's position in v.
        coordinate: usize,
    },
    /// A component of aₛ = X aₚ + S q̈ + c of a loop joint between a predecessor p and a successor
    /// s, in its output frame.
    LoopMotion {
        /// The joint that closes the loop.
        joint: LoopId,
        /// 0 to 5.
        component: usize,
    },
    /// Sᵀ f = 0 along a degree of freedom of a loop joint, which has no drive.
    LoopFreedom {
        /// The joint that closes the loop.
        joint: LoopId,
        /// Which of its degrees of freedom.
        degree: usize,
    },
    /// A known quantity.
    Known {
        /// Which one.
        known: KnownId,
        /// Which of its rows.
        component: usize,
    },
    /// A measurement.
    Sensor {
        /// The sensor.
        sensor: SensorId,
        /// Which of its rows.
        component: usize,
    },
}

/// Which row of the system is which equation.
///
/// For n bodies and nv coordinates: the equations of a₁ … aₙ, those of f₁ … fₙ, six rows each; nv
/// rows of τ; six rows for the motion of each loop joint, and a row for each of their degrees of
/// freedom; then the knowns and the sensors in the order in which the problem names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equations {
    pub(crate) joints: Vec<JointId>,
    pub(crate) nv: usize,
    pub(crate) loops: Vec<LoopId>,
    /// How many degrees of freedom the loop joints before each one have, and, last, all.
    pub(crate) freedoms: Vec<usize>,
    /// Where the rows of each known begin, and where the last ones end.
    pub(crate) knowns: Vec<usize>,
    /// Where the rows of each sensor begin, and where the last ones end.
    pub(crate) sensors: Vec<usize>,
}

impl Equations {
    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.sensors.last().copied().unwrap_or(0)
    }

    /// How many rows are dynamics, which hold for every robot: they come first.
    pub fn dynamics(&self) -> Range<usize> {
        0..self.loop_freedoms_start() + self.freedoms[self.loops.len()]
    }

    /// How many of them are those of the spanning tree: they come first.
    pub(crate) fn tree(&self) -> Range<usize> {
        0..12 * self.joints.len() + self.nv
    }

    fn loop_freedoms_start(&self) -> usize {
        self.tree().end + 6 * self.loops.len()
    }

    /// The rows of a joint's equation of motion.
    ///
    /// # Panics
    /// For the universe.
    pub fn motion(&self, joint: JointId) -> Range<usize> {
        let start = 6 * (joint.index() - 1);
        start..start + 6
    }

    /// The rows of a body's balance of forces.
    ///
    /// # Panics
    /// For the universe.
    pub fn force(&self, joint: JointId) -> Range<usize> {
        let start = 6 * (self.joints.len() + joint.index() - 1);
        start..start + 6
    }

    /// The rows of τ, in the order of v.
    pub fn joint_forces(&self) -> Range<usize> {
        let start = 12 * self.joints.len();
        start..start + self.nv
    }

    /// The rows of the spanning tree with the unknowns that they give, whose coefficient is −1,
    /// each after those that it follows from.
    pub(crate) fn pivots(&self, unknowns: &Unknowns) -> impl Iterator<Item = (usize, usize)> {
        let from_root = self.joints.iter();
        let motions =
            from_root.flat_map(|&joint| self.motion(joint).zip(unknowns.acceleration(joint)));
        let from_leaves = self.joints.iter().rev();
        let forces = from_leaves.flat_map(|&joint| self.force(joint).zip(unknowns.force(joint)));
        motions
            .chain(forces)
            .chain(self.joint_forces().zip(unknowns.joint_forces()))
    }

    /// The rows of a loop joint's motion.
    ///
    /// # Panics
    /// If the system has no such loop joint, as where loops are cut.
    pub fn loop_motion(&self, joint: LoopId) -> Range<usize> {
        assert!(joint.index() < self.loops.len(), "{NO_LOOP}");
        let start = self.tree().end + 6 * joint.index();
        start..start + 6
    }

    /// The rows that say that a loop joint has no drive, one for each of its degrees of freedom.
    ///
    /// # Panics
    /// If the system has no such loop joint, as where loops are cut.
    pub fn loop_freedom(&self, joint: LoopId) -> Range<usize> {
        assert!(joint.index() < self.loops.len(), "{NO_LOOP}");
        let start = self.loop_freedoms_start();
        start + self.freedoms[joint.index()]..start + self.freedoms[joint.index() + 1]
    }

    /// The rows of a known.
    ///
    /// # Panics
    /// If the problem has no such known.
    pub fn known(&self, known: KnownId) -> Range<usize> {
        self.knowns[known.index()]..self.knowns[known.index() + 1]
    }

    /// The rows of a sensor.
    ///
    /// # Panics
    /// If the problem has no such sensor.
    pub fn sensor(&self, sensor: SensorId) -> Range<usize> {
        self.sensors[sensor.index()]..self.sensors[sensor.index() + 1]
    }

    /// The equation of a row; none behind the last one.
    pub fn at(&self, row: usize) -> Option<Equation> {
        let bodies = self.joints.len();
        if row < 12 * bodies {
            let (joint, component) = (self.joints[row / 6 % bodies], row % 6);
            return Some(if row < 6 * bodies {
                Equation::Motion { joint, component }
            } else {
                Equation::Force { joint, component }
            });
        }
        if row < 12 * bodies + self.nv {
            let coordinate = row - 12 * bodies;
            return Some(Equation::JointForce { coordinate });
        }
        if row < self.dynamics().end {
            return Some(self.at_loop(row - self.tree().end));
        }
        if row < self.knowns.last().copied().unwrap_or(0) {
            let index = self.knowns.partition_point(|&start| start <= row) - 1;
            return Some(Equation::Known {
                known: KnownId(index),
                component: row - self.knowns[index],
            });
        }
        if row < self.count() {
            let index = self.sensors.partition_point(|&start| start <= row) - 1;
            return Some(Equation::Sensor {
                sensor: SensorId(index),
                component: row - self.sensors[index],
            });
        }
        None
    }

    /// The equation of a row behind those of the tree, which is one of a loop joint.
    fn at_loop(&self, row: usize) -> Equation {
        if let Some(&joint) = self.loops.get(row / 6) {
            let component = row % 6;
            return Equation::LoopMotion { joint, component };
        }
        let degree = row - 6 * self.loops.len();
        let index = self.freedoms.partition_point(|&start| start <= degree) - 1;
        Equation::LoopFreedom {
            joint: self.loops[index],
            degree: degree - self.freedoms[index],
        }
    }
}
