//! How the bodies that a loop joint connects move, and how that changes with each coordinate.

use super::constraint_change::End;
use super::workspace::Loop;
use featherline::kernel;
use featherline::kernel::{MotionColumn, Scratch, links};
use featherline::model::{LoopJoint, Model};
use featherline::spatial::Motion;

/// The bodies that a joint connects, at rest.
pub(crate) fn still_ends(joint: &LoopJoint) -> [End; 2] {
    let (from, to) = (&joint.predecessor_placement, &joint.successor_placement);
    [(joint.predecessor, from), (joint.successor, to)].map(|(body, output)| End {
        body,
        output: *output,
        velocity: Motion::zero(),
        acceleration: Motion::zero(),
    })
}

/// How the motion of a body changes with each coordinate, seen from the loop joint's output frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndColumn {
    pub jacobian: Motion<f64>,
    /// ψ̇.
    pub psi: Motion<f64>,
    /// ψ̈ + ψ̇ × v and ξ + J × v.
    pub by_q: Motion<f64>,
    pub by_v: Motion<f64>,
}

impl EndColumn {
    #[inline(always)]
    fn still() -> Self {
        Self {
            jacobian: Motion::zero(),
            psi: Motion::zero(),
            by_q: Motion::zero(),
            by_v: Motion::zero(),
        }
    }
}

/// The columns of all coordinates that move a body; those of the others are zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct EndColumns {
    pub columns: Vec<EndColumn>,
    pub is_moving: Vec<bool>,
    /// The coordinates on the body's path to the root.
    pub support: Vec<usize>,
}

impl EndColumns {
    pub(crate) fn new(n: usize) -> Self {
        Self {
            columns: vec![EndColumn::still(); n],
            is_moving: vec![false; n],
            support: Vec::with_capacity(n),
        }
    }

    #[inline(always)]
    fn clear(&mut self) {
        for &k in &self.support {
            self.columns[k] = EndColumn::still();
            self.is_moving[k] = false;
        }
        self.support.clear();
    }

    /// Adds a joint's part: mimic joints share coordinates.
    #[inline(always)]
    fn add(&mut self, k: usize, column: &EndColumn) {
        let own = &mut self.columns[k];
        own.jacobian += column.jacobian;
        own.psi += column.psi;
        own.by_q += column.by_q;
        own.by_v += column.by_v;
        if !self.is_moving[k] {
            self.is_moving[k] = true;
            self.support.push(k);
        }
    }

    /// The coordinates that move the body, with its Jacobian's columns.
    #[inline(always)]
    pub(crate) fn jacobian(&self) -> impl Iterator<Item = (usize, &Motion<f64>)> {
        let columns = self.support.iter();
        columns.map(|&k| (k, &self.columns[k].jacobian))
    }
}

kernel!(
    /// Reads how the bodies that a loop joint connects move and how that changes, both seen from
    /// the joint's output frame, from what the last derivatives of inverse dynamics or of
    /// kinematics left. Accelerations are less gravity where those are: it is the same for both
    /// bodies.
    pub(crate) fn read_ends(
        model: &Model,
        scratch: &Scratch<f64>,
        moving: &[MotionColumn<f64>],
        closing: &Loop,
        ends: &mut [End; 2],
        columns: &mut [EndColumns; 2],
    ) {
        let successor = closing.joint.successor.index();
        let mut frame = closing.output;
        if successor == 0 {
            // Links are placed in a frame that begins at the robot.
            frame.translation -= scratch.origin;
        } else {
            frame = scratch.world[successor].compose(&frame);
        }
        for (end, columns) in ends.iter_mut().zip(columns) {
            let body = end.body.index();
            end.velocity = frame.inverse_act_motion(&scratch.velocity[body]);
            end.acceleration = frame.inverse_act_motion(&scratch.acceleration[body]);
            columns.clear();
            let mut above = body;
            while above != 0 {
                let link = &links(model)[above];
                for k in 0..link.columns {
                    let own = &moving[link.column + k];
                    let jacobian = frame.inverse_act_motion(&own.jacobian());
                    let psi = frame.inverse_act_motion(&own.psi());
                    let psi_rate = frame.inverse_act_motion(&own.psi_rate());
                    let xi = frame.inverse_act_motion(&own.xi());
                    let column = EndColumn {
                        jacobian,
                        psi,
                        by_q: psi_rate + psi.cross(&end.velocity),
                        by_v: xi + jacobian.cross(&end.velocity),
                    };
                    columns.add(link.idx_v + k, &column);
                }
                above = link.parent;
            }
        }
    }
);
