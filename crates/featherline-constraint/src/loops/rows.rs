//! The constraints of loops on the coordinates of the tree.

use super::workspace::Loop;
use featherline::kernel;
use featherline::kernel::{ConstraintBasis, Scratch, follow_closed, joint as joint_kernel, links};
use featherline::model::Model;
use featherline::spatial::{Force, Motion, Se3, Vec3};
use nalgebra::Vector6;
use std::ops::Range;

kernel!(
    /// Writes Kᵀ, and each loop's gap and relative velocity; with the bias accelerations of the
    /// tree also the accelerations that keep the loops closed.
    ///
    /// The tree's pass over the joints has been made: placements, columns, velocities and bias
    /// accelerations of links are read. Along a loop's two paths to the body where they meet,
    /// everything is seen from the loop joint's output frame, so that nothing is lost far from the
    /// world's origin. Returns the first loop joint that is singular.
    pub(crate) fn write_loop_rows(
        model: &Model,
        scratch: &Scratch<f64>,
        loops: &mut [Loop],
        jacobian: &mut [f64],
        // How many rows K has.
        constraints: usize,
        // The squared motion by a unit of each coordinate, as
        // [`Independence`](crate::delassus::independence::Independence) has it.
        moved: &mut [f64],
        // Rates of the tree's coordinates; none where nothing moves.
        v: Option<&[f64]>,
        // Whether gaps are requested.
        gaps: bool,
    ) -> Result<(), usize> {
        moved.fill(0.0);
        for (index, closing) in loops.iter_mut().enumerate() {
            let path = Paths::of(model, scratch, closing);
            closing.length = path.farthest.sqrt().max(closing.least_length);
            let apart = path.input.inverse_compose(&path.output);
            closing.apart = apart;
            if gaps || !closing.joint.kind.has_constant_subspace() {
                read_loop(&mut *closing, &apart).ok_or(index)?;
            }
            let mut walk = Walk {
                model,
                scratch,
                transposed: transposed(&closing.basis),
                jacobian: &mut *jacobian,
                constraints,
                moved: &mut *moved,
                per_area: (closing.length * closing.length).recip(),
                own: closing.rows(),
                v,
                velocity: Motion::zero(),
                bias: Motion::zero(),
            };
            let (predecessor, successor) = (
                closing.joint.predecessor.index(),
                closing.joint.successor.index(),
            );
            walk.clear(predecessor, closing.common);
            walk.clear(successor, closing.common);
            walk.along(successor, closing.common, closing.output, 1.0);
            let seen = closing.input.compose(&apart);
            walk.along(predecessor, closing.common, seen, -1.0);
            let (velocity, bias) = (walk.velocity, walk.bias);
            closing.velocity = velocity;
            if v.is_some() {
                let own = scratch.velocity[successor];
                let carried = closing.output.inverse_act_motion(&own);
                closing.acceleration = loop_bias(closing, carried, bias);
            }
        }
        Ok(())
    }
);

/// The loop joint's frames in the link frame of the body where its paths meet.
struct Paths {
    input: Se3<f64>,
    output: Se3<f64>,
    /// The squared distance of the farthest joint on the paths, or way of one in a radian.
    farthest: f64,
}

impl Paths {
    #[inline(always)]
    fn of(model: &Model, scratch: &Scratch<f64>, closing: &Loop) -> Self {
        let (predecessor, successor) = (&closing.joint.predecessor, &closing.joint.successor);
        let mut farthest = 0.0;
        let mut carried =
            |body, frame| carried(model, scratch, closing.common, body, frame, &mut farthest);
        Self {
            input: carried(predecessor.index(), closing.input),
            output: carried(successor.index(), closing.output),
            farthest,
        }
    }
}

/// A frame of a body, in the link frame of the body where the loop's paths meet.
#[inline(always)]
fn carried(
    model: &Model,
    scratch: &Scratch<f64>,
    common: usize,
    mut body: usize,
    mut frame: Se3<f64>,
    farthest: &mut f64,
) -> Se3<f64> {
    while body != common {
        *farthest = farthest.max(frame.translation.norm_squared());
        for column in &scratch.subspaces.column[links(model)[body].column_range()] {
            if column.angular != Vec3::zero() {
                *farthest = farthest.max(column.linear.norm_squared());
            }
        }
        frame = scratch.placement[body].compose(&frame);
        body = links(model)[body].parent;
    }
    frame
}

/// A whole register of doubles, or two: six numbers and what fills up.
const PADDED: usize = 8;

/// Tᵀ by columns, with zeros for what there is none of.
#[inline(always)]
fn transposed(basis: &ConstraintBasis) -> [[f64; PADDED]; 6] {
    let mut columns = [[0.0; PADDED]; 6];
    for k in 0..basis.rigid() {
        for c in 0..6 {
            columns[c][k] = basis.columns[(c, k)];
        }
    }
    columns
}

/// A walk from one end of a loop to where its paths meet.
struct Walk<'a> {
    model: &'a Model,
    scratch: &'a Scratch<f64>,
    transposed: [[f64; PADDED]; 6],
    jacobian: &'a mut [f64],
    constraints: usize,
    moved: &'a mut [f64],
    /// One over the squared length of the loop.
    per_area: f64,
    /// The loop's rows of K.
    own: Range<usize>,
    v: Option<&'a [f64]>,
    velocity: Motion<f64>,
    bias: Motion<f64>,
}

impl Walk<'_> {
    #[inline(always)]
    fn clear(&mut self, mut body: usize, common: usize) {
        while body != common {
            let link = &links(self.model)[body];
            for coordinate in link.idx_v..link.idx_v + link.columns {
                self.entries(coordinate).fill(0.0);
            }
            body = link.parent;
        }
    }

    /// The loop's entries of a coordinate's column of K.
    #[inline(always)]
    fn entries(&mut self, coordinate: usize) -> &mut [f64] {
        let begin = coordinate * self.constraints;
        &mut self.jacobian[begin + self.own.start..begin + self.own.end]
    }

    /// Adds what joints on the way move: `frame` is the output frame in the link frame of `body`.
    #[inline(always)]
    fn along(&mut self, mut body: usize, common: usize, mut frame: Se3<f64>, sign: f64) {
        while body != common {
            let link = &links(self.model)[body];
            let columns = &self.scratch.subspaces.column[link.column_range()];
            for (k, column) in columns.iter().enumerate() {
                let seen = frame.inverse_act_motion(column) * sign;
                let coordinate = link.idx_v + k;
                let rotated = column.angular.norm_squared();
                let moved = if rotated > 0.0 {
                    rotated
                } else {
                    column.linear.norm_squared() * self.per_area
                };
                let least = &mut self.moved[coordinate];
                *least = if *least > 0.0 {
                    least.min(moved)
                } else {
                    moved
                };
                if let Some(v) = self.v {
                    self.velocity = seen.mul_add(v[coordinate], &self.velocity);
                }
                let seen = seen.to_array();
                let mut moved = [0.0; PADDED];
                for c in 0..6 {
                    for r in 0..PADDED {
                        moved[r] = self.transposed[c][r].mul_add(seen[c], moved[r]);
                    }
                }
                for (entry, moved) in self.entries(coordinate).iter_mut().zip(moved) {
                    *entry += moved;
                }
            }
            if self.v.is_some() {
                let own = frame.inverse_act_motion(&self.scratch.bias_acceleration[body]);
                self.bias += own * sign;
            }
            frame = self.scratch.placement[body].compose(&frame);
            body = link.parent;
        }
    }
}

kernel!(
    /// Finds what a loop joint reads, and what gap is left. None if its motions depend on each
    /// other.
    ///
    /// A kernel of its own: the code for every kind of joint is large.
    pub fn read_loop(
        // The loop joint, whose gap, coordinates and basis are found.
        closing: &mut Loop,
        // Its successor's frame in its predecessor's.
        apart: &Se3<f64>,
    ) -> Option<()> {
        let kind = &closing.joint.kind;
        let q = &mut closing.coordinates[..kind.nq()];
        closing.gap = follow_closed(kind, &closing.basis, apart, q)?;
        if !kind.has_constant_subspace() {
            let mut subspace = [Motion::zero(); 6];
            let subspace = &mut subspace[..kind.nv()];
            joint_kernel::evaluate(kind, q, subspace);
            closing.basis = ConstraintBasis::of(subspace)?;
        }
        Some(())
    }
);

kernel!(
    /// The accelerations K q̈ that keep a loop closed, as for any joint: Tᵀ (v × S q̇ + Ṡ q̇) less
    /// what the tree's velocities give. Featherstone 2008, equation 3.42.
    pub fn loop_bias(
        // The loop joint.
        closing: &Loop,
        // The successor's velocity, in the output frame.
        carried: Motion<f64>,
        // The relative acceleration while q̈ = 0.
        bias: Motion<f64>,
    ) -> [f64; 6] {
        let Loop {
            joint,
            basis,
            coordinates,
            velocity,
            ..
        } = closing;
        let rigid = basis.rigid();
        let rates = basis.work(velocity);
        let allowed = allowed(basis, velocity, &rates);
        let mut own = carried.cross(&allowed) - bias;
        let kind = &joint.kind;
        if !kind.has_constant_subspace() {
            let mut changes = [Motion::zero(); 6];
            let (nq, nv) = (kind.nq(), kind.nv());
            let v = &rates[rigid..];
            joint_kernel::subspace_rates(kind, &coordinates[..nq], v, &mut changes[..nv]);
            for k in 0..nv {
                own = changes[k].mul_add(v[k], &own);
            }
        }
        basis.work(&own)
    }
);

/// The part of a motion m that a joint leaves free, m − T Tᵀ m = S Uᵀ m; `work` is Tᵀ m, Uᵀ m.
#[inline(always)]
pub(super) fn allowed(
    basis: &ConstraintBasis,
    motion: &Motion<f64>,
    work: &[f64; 6],
) -> Motion<f64> {
    if basis.freedom == 0 {
        return Motion::zero();
    }
    let mut allowed = motion.to_array();
    for k in 0..basis.rigid() {
        for c in 0..6 {
            allowed[c] = (-basis.columns[(c, k)]).mul_add(work[k], allowed[c]);
        }
    }
    Motion::from_array(allowed)
}

/// The force T λ of a loop joint on its successor, in its output frame.
#[inline(always)]
pub fn transmitted(basis: &ConstraintBasis, multipliers: &[f64]) -> Force<f64> {
    let mut force = Vector6::zeros();
    for (k, multiplier) in multipliers.iter().enumerate() {
        force += basis.columns.column(k) * *multiplier;
    }
    force.into()
}
