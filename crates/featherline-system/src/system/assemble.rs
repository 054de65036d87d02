//! The numbers of the system, from a state of the robot.
//!
//! One source serves every scalar. With a counting or tracing scalar it tells which entries are
//! zero in every state, and so gives the pattern; with `f64` it writes the values; with a tracing
//! scalar it is the beginning of a compiled program.

use super::body::{Body, Wrench};
use super::closing::Closing;
use super::equation::Equations;
use super::measurement::{MeasuredRow, Varying};
use crate::unknown::Unknowns;
use featherline::kernel::Kernel;
use featherline::kernel::LinkKinematics;
use featherline::scalar::{InstructionSet, Scalar};
use featherline::spatial::{DynamicParameters, Force, Mat3, Motion, Se3, Sym3, Vec3};

/// Receives the entries of the matrix, always in the same order.
pub(crate) trait Entries<S> {
    /// An entry of the matrix.
    fn put(&mut self, row: usize, column: usize, value: S);
}

/// Writes values to where the pattern has them.
pub(crate) struct Fill<'a, S> {
    /// For each entry that is put, its position in the pattern; [`OUTSIDE`] if it is zero in every
    /// state.
    pub slots: &'a [u32],
    pub next: usize,
    pub values: &'a mut [S],
}

/// The slot of an entry that the pattern does not have.
pub(crate) const OUTSIDE: u32 = u32::MAX;

impl<S: Scalar> Entries<S> for Fill<'_, S> {
    #[inline(always)]
    fn put(&mut self, _: usize, _: usize, value: S) {
        let slot = self.slots[self.next];
        self.next += 1;
        if slot != OUTSIDE {
            self.values[slot as usize] = value;
        }
    }
}

/// Puts all entries, and writes the right-hand side.
pub(crate) struct Assemble<'a, S: Scalar, E> {
    pub bodies: &'a [Body],
    pub closings: &'a [Closing],
    pub unknowns: &'a Unknowns,
    pub equations: &'a Equations,
    pub armature: &'a [f64],
    pub rows: &'a [MeasuredRow],
    pub gravity: Vec3<f64>,
    pub mass: f64,
    pub links: LinkKinematics<'a, S>,
    /// Placements in the world of the bodies that need one.
    pub world: &'a mut [Se3<S>],
    pub inputs: &'a [S],
    pub rhs: &'a mut [S],
    pub entries: &'a mut E,
}

impl<S: Scalar, E: Entries<S>> Kernel for Assemble<'_, S, E> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(mut self) {
        for i in 1..self.bodies.len() {
            self.equations_of(i);
        }
        for k in 0..self.armature.len() {
            let row = self.equations.joint_forces().start + k;
            let force = self.unknowns.joint_forces().start + k;
            let acceleration = self.unknowns.joint_accelerations().start + k;
            self.entries.put(row, force, -S::one());
            let armature = S::constant(self.armature[k]);
            self.entries.put(row, acceleration, armature);
        }
        for k in 0..self.closings.len() {
            self.close(k);
        }
        let first = self.equations.dynamics().end;
        for k in 0..self.rows.len() {
            self.measured(first + k, k);
        }
    }
}

impl<S: Scalar, E: Entries<S>> Assemble<'_, S, E> {
    /// The equations of one body, and its part in those of its parent and of its coordinates.
    #[inline(always)]
    fn equations_of(&mut self, i: usize) {
        let body = &self.bodies[i];
        let bodies = self.bodies.len() - 1;
        let (motion, force) = (6 * (i - 1), 6 * (bodies + i - 1));
        let (a, f) = (6 * (i - 1), 6 * (bodies + i - 1));
        let placement = self.links.placement(body.id);
        if body.needs_world {
            self.world[i] = self.world[body.parent].compose(placement);
        }
        let coupling = coupling(placement, &body.moment_is_zero);
        for k in 0..6 {
            self.entries.put(motion + k, a + k, -S::one());
            self.entries.put(force + k, f + k, -S::one());
        }
        if body.parent != 0 {
            let above = 6 * (body.parent - 1);
            self.put_transposed(motion, above, &placement.rotation);
            self.put_transposed(motion + 3, above + 3, &placement.rotation);
            self.put_transposed(motion, above + 3, &coupling);
            let above = 6 * (bodies + body.parent - 1);
            self.put(above, f, &placement.rotation);
            self.put(above + 3, f + 3, &placement.rotation);
            self.put(above + 3, f, &coupling);
        }
        let subspace = self.links.motion_subspace(body.id);
        let accelerations = self.unknowns.joint_accelerations().start + body.coordinate;
        for k in 0..subspace.len() {
            let column = subspace[k].to_array();
            let row = 12 * bodies + body.coordinate + k;
            for c in 0..6 {
                self.entries.put(motion + c, accelerations + k, column[c]);
                self.entries.put(row, f + c, column[c]);
            }
        }
        self.put_inertia(force, a, body);
        self.put_external_force(force, i);

        let velocity = self.links.velocity(body.id);
        let mut bias = -*self.links.joint_bias(body.id);
        if body.parent == 0 {
            // The universe accelerates against gravity.
            let gravity = Vec3::<S>::constant(self.gravity);
            bias.linear += placement.rotation.tr_mul_vec(gravity);
        }
        let needed = DynamicParameters::<S>::constant(&body.parameters).velocity_force(velocity);
        let (bias, needed) = (bias.to_array(), needed.to_array());
        for k in 0..6 {
            self.rhs[motion + k] = bias[k];
            self.rhs[force + k] = -needed[k];
        }
    }

    #[inline(always)]
    pub fn put(&mut self, row: usize, column: usize, block: &Mat3<S>) {
        let columns = [block.x, block.y, block.z];
        for c in 0..3 {
            let values = columns[c].to_array();
            for r in 0..3 {
                self.entries.put(row + r, column + c, values[r]);
            }
        }
    }

    #[inline(always)]
    pub fn put_transposed(&mut self, row: usize, column: usize, block: &Mat3<S>) {
        self.put(row, column, &block.transpose());
    }

    #[inline(always)]
    fn put_inertia(&mut self, row: usize, column: usize, body: &Body) {
        let mass = S::constant(body.parameters.mass);
        for k in 0..3 {
            self.entries.put(row + k, column + k, mass);
        }
        let first = Mat3::skew(Vec3::<S>::constant(body.parameters.first_moment));
        self.put_transposed(row, column + 3, &first);
        self.put(row + 3, column, &first);
        let second = Sym3::<S>::constant(&body.parameters.second_moment);
        self.put(row + 3, column + 3, &second.to_mat());
    }

    /// The external force in the body's balance: minus the force in link coordinates.
    #[inline(always)]
    fn put_external_force(&mut self, row: usize, i: usize) {
        let column = self.unknowns.external_force(self.bodies[i].id).start;
        match &self.bodies[i].wrench {
            Wrench::Link => {
                for k in 0..6 {
                    self.entries.put(row + k, column + k, -S::one());
                }
            }
            Wrench::Frame(frame) => {
                let frame = Se3::<S>::constant(frame);
                let coupling = -Mat3::skew(frame.translation).mul_mat(&frame.rotation);
                let rotation = -frame.rotation;
                self.put(row, column, &rotation);
                self.put(row + 3, column + 3, &rotation);
                self.put(row + 3, column, &coupling);
            }
            Wrench::World => {
                let world = self.world[i];
                let coupling = -Mat3::skew(world.translation).mul_mat(&world.rotation);
                let rotation = -world.rotation;
                self.put_transposed(row, column, &rotation);
                self.put_transposed(row + 3, column + 3, &rotation);
                self.put_transposed(row + 3, column, &coupling);
            }
        }
    }

    /// A known or a measurement.
    #[inline(always)]
    fn measured(&mut self, at: usize, k: usize) {
        let row = &self.rows[k];
        for &(column, coefficient) in &row.constants {
            self.entries.put(at, column, S::constant(coefficient));
        }
        let mut value = S::constant(row.offset);
        for &(input, coefficient) in &row.inputs {
            value = S::constant(coefficient).mul_add(self.inputs[input], value);
        }
        for varying in &row.varying {
            match varying {
                Varying::WorldForce { body, covector } => {
                    let world = &self.world[*body];
                    let covector = world.act_motion(&Motion::constant(covector));
                    let column = self.unknowns.external_force(self.bodies[*body].id).start;
                    self.put_row(at, column, &covector);
                }
                Varying::Momentum { covector } => {
                    let weight = Vec3::<S>::constant(self.gravity * self.mass);
                    let covector = Motion::constant(covector);
                    self.momentum(at, &covector);
                    value -= covector.linear.dot(weight);
                }
                Varying::Velocity {
                    body,
                    frame,
                    covector,
                } => {
                    let velocity = self.links.velocity(self.bodies[*body].id);
                    let velocity = Se3::<S>::constant(frame).inverse_act_motion(velocity);
                    value -= velocity.dot(&Force::constant(covector));
                }
                Varying::Centripetal {
                    body,
                    frame,
                    covector,
                } => {
                    let velocity = self.links.velocity(self.bodies[*body].id);
                    let velocity = Se3::<S>::constant(frame).inverse_act_motion(velocity);
                    let centripetal = velocity.angular.cross(velocity.linear);
                    value -= centripetal.dot(Vec3::constant(*covector));
                }
            }
        }
        self.rhs[at] = value;
    }
}

impl<S: Scalar, E: Entries<S>> Assemble<'_, S, E> {
    #[inline(always)]
    pub fn put_row(&mut self, row: usize, column: usize, covector: &Motion<S>) {
        let covector = covector.to_array();
        for c in 0..6 {
            self.entries.put(row, column + c, covector[c]);
        }
    }

    /// The coefficients of all forces from outside along a covector at the centre of mass.
    #[inline(always)]
    fn momentum(&mut self, row: usize, covector: &Motion<S>) {
        let mut moment = Vec3::zero();
        for i in 1..self.bodies.len() {
            let body = &self.bodies[i];
            let mass = S::constant(body.parameters.mass);
            let first = Vec3::<S>::constant(body.parameters.first_moment);
            moment += self.world[i]
                .translation
                .mul_add(mass, self.world[i].rotation.mul_vec(first));
        }
        let center = moment * S::constant(1.0 / self.mass);
        for i in 1..self.bodies.len() {
            let (id, world) = (self.bodies[i].id, self.world[i]);
            let about = Se3::new(world.rotation, world.translation - center);
            let in_link = about.inverse_act_motion(covector);
            if self.bodies[i].parent == 0 {
                self.put_row(row, self.unknowns.force(id).start, &in_link);
            }
            let own = match &self.bodies[i].wrench {
                Wrench::Link => in_link,
                Wrench::Frame(frame) => Se3::<S>::constant(frame).inverse_act_motion(&in_link),
                Wrench::World => world.act_motion(&in_link),
            };
            self.put_row(row, self.unknowns.external_force(id).start, &own);
        }
        self.loop_momentum(row, covector, center);
    }
}

/// p× R of a placement, without what vanishes in every state though rounding would leave a rest.
#[inline(always)]
pub(crate) fn coupling<S: Scalar>(placement: &Se3<S>, zero: &[[bool; 3]; 3]) -> Mat3<S> {
    let (p, r) = (placement.translation, &placement.rotation);
    let columns = [p.cross(r.x), p.cross(r.y), p.cross(r.z)];
    let mut kept = [[S::zero(); 3]; 3];
    for c in 0..3 {
        let values = columns[c].to_array();
        for k in 0..3 {
            if !zero[c][k] {
                kept[c][k] = values[k];
            }
        }
    }
    let [x, y, z] = kept.map(|[x, y, z]| Vec3::new(x, y, z));
    Mat3::from_columns(x, y, z)
}
