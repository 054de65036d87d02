//! Joints that close loops: their constants, as the assembly reads them, and their equations.

use super::assemble::{Assemble, Entries, coupling};
use crate::error::SystemError;
use crate::problem::Problem;
use featherline::joint::JointKind;
use featherline::kernel;
use featherline::model::{JointId, LoopId};
use featherline::scalar::Scalar;
use featherline::spatial::{Motion, Se3, Vec3};

/// A joint that closes a loop.
#[derive(Clone, Debug)]
pub(crate) struct Closing {
    pub id: LoopId,
    pub kind: JointKind,
    /// The joints that move its two bodies, which may be the universe.
    pub predecessor: JointId,
    pub successor: JointId,
    /// From each of them the bodies on the way to the root, up to where the two ways meet.
    pub before: Vec<JointId>,
    pub behind: Vec<JointId>,
    /// Its frames in the link frames of its bodies.
    pub input: Se3<f64>,
    pub output: Se3<f64>,
}

/// Loop joints of no more degrees of freedom hold something.
const MOST_FREEDOM: usize = 5;

/// All joints that close loops: none where loops are cut.
pub(crate) fn closings(problem: &Problem) -> Result<Vec<Closing>, SystemError> {
    let model = &problem.model;
    if problem.loops_cut {
        return Ok(Vec::new());
    }
    let closing = |id| {
        let joint = model.loop_joint(id);
        if !joint.kind.has_motions_between() {
            return Err(SystemError::LoopKind {
                joint: joint.name.clone(),
            });
        }
        let way = |mut body: JointId| {
            let mut way = Vec::new();
            while body != JointId::UNIVERSE {
                way.push(body);
                body = model.parent(body);
            }
            way
        };
        let (mut before, mut behind) = (way(joint.predecessor), way(joint.successor));
        while before.last().is_some() && before.last() == behind.last() {
            before.pop();
            behind.pop();
        }
        let in_link = |body, placement| kernel::link_frame(model, body).inverse_compose(placement);
        Ok(Closing {
            id,
            kind: joint.kind.clone(),
            predecessor: joint.predecessor,
            successor: joint.successor,
            before,
            behind,
            input: in_link(joint.predecessor, &joint.predecessor_placement),
            output: in_link(joint.successor, &joint.successor_placement),
        })
    };
    model.loop_ids().map(closing).collect()
}

impl<S: Scalar, E: Entries<S>> Assemble<'_, S, E> {
    /// The equations of a loop joint, in its output frame, and its part in those of its bodies: its
    /// force acts on the successor, and the predecessor transmits it.
    #[inline(always)]
    pub fn close(&mut self, k: usize) {
        let closing = &self.closings[k];
        let rows = self.equations.loop_motion(closing.id).start;
        let free = self.equations.loop_freedom(closing.id);
        let force = self.unknowns.loop_force(closing.id).start;
        let accelerations = self.unknowns.loop_acceleration(closing.id).start;
        let output = Se3::<S>::constant(&closing.output);
        let seen = self
            .along(&closing.before)
            .inverse_compose(&self.along(&closing.behind))
            .compose(&output);
        let apart = Se3::<S>::constant(&closing.input).inverse_compose(&seen);
        let carried = output.inverse_act_motion(self.links.velocity(closing.successor));
        let before = seen.inverse_act_motion(self.links.velocity(closing.predecessor));
        let moving = carried - before;
        let mut subspace = [Motion::zero(); MOST_FREEDOM];
        let subspace = &mut subspace[..free.len()];
        let change = closing.kind.motions_between(&apart, &moving, subspace);
        // Featherstone 2008, equation 3.42, with S q̇ for the relative velocity.
        let mut bias = -(carried.cross(&moving) + change);
        for k in 0..subspace.len() {
            let column = subspace[k].to_array();
            for c in 0..6 {
                self.entries.put(rows + c, accelerations + k, column[c]);
                self.entries.put(free.start + k, force + c, column[c]);
            }
            self.rhs[free.start + k] = S::zero();
        }
        let ends = [
            (closing.successor, output, -S::one()),
            (closing.predecessor, seen, S::one()),
        ];
        for (body, frame, sign) in ends {
            if body == JointId::UNIVERSE {
                // It accelerates against gravity.
                let gravity = Vec3::<S>::constant(self.gravity);
                bias.linear += frame.rotation.tr_mul_vec(gravity) * sign;
            } else {
                self.put_end(rows, force, body, &frame, sign);
            }
        }
        let bias = bias.to_array();
        self.rhs[rows..rows + 6].copy_from_slice(&bias);
    }

    /// One end: its body's acceleration in the loop's equations, and the force in the body's.
    #[inline(always)]
    fn put_end(&mut self, rows: usize, force: usize, body: JointId, frame: &Se3<S>, sign: S) {
        let rotation = frame.rotation * sign;
        let coupling = coupling(frame, &[[false; 3]; 3]) * sign;
        let a = self.unknowns.acceleration(body).start;
        self.put_transposed(rows, a, &rotation);
        self.put_transposed(rows + 3, a + 3, &rotation);
        self.put_transposed(rows, a + 3, &coupling);
        let balance = self.equations.force(body).start;
        self.put(balance, force, &rotation);
        self.put(balance + 3, force + 3, &rotation);
        self.put(balance + 3, force, &coupling);
    }

    /// The placement of a way's first body in the body above its last one.
    #[inline(always)]
    fn along(&self, way: &[JointId]) -> Se3<S> {
        let mut placement = Se3::identity();
        for &body in way {
            placement = self.links.placement(body).compose(&placement);
        }
        placement
    }

    /// The coefficients of the forces that loop joints bring in from outside the robot, along a
    /// covector at the centre of mass.
    #[inline(always)]
    pub fn loop_momentum(&mut self, row: usize, covector: &Motion<S>, center: Vec3<S>) {
        for k in 0..self.closings.len() {
            let closing = &self.closings[k];
            let output = Se3::<S>::constant(&closing.output);
            let (world, sign) = match (closing.predecessor, closing.successor) {
                (JointId::UNIVERSE, successor) => {
                    (self.world[successor.index()].compose(&output), S::one())
                }
                (_, JointId::UNIVERSE) => (output, -S::one()),
                _ => continue,
            };
            let about = Se3::new(world.rotation, world.translation - center);
            let own = about.inverse_act_motion(covector) * sign;
            self.put_row(row, self.unknowns.loop_force(closing.id).start, &own);
        }
    }
}
