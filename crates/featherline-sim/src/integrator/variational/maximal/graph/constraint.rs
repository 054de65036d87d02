//! Joints, of the tree and of loops alike, as constraints between two bodies.
//!
//! No kind of joint has a formula of its own here. Where the motion subspace S is constant, the
//! joint allows what is M(q) exp(S d), so that log₆ of how its output frame has moved since the
//! last instant tells all: Tᵀ log₆ is the gap and Uᵀ log₆ the displacement d of its coordinates.
//! Elsewhere the nearest configuration is sought, and log₆ of what is left is projected on the same
//! T. T belongs to the last instant. It is regular on what S at any nearby configuration leaves
//! over, so that no gap is zero but where the joint is closed.

use crate::maximal::basis_at_neutral;
use featherline::joint::JointKind;
use featherline::kernel;
use featherline::kernel::{
    ConstraintBasis, MOST_ENTRIES, follow, follow_closed, joint as joint_kernel,
};
use featherline::spatial::{Force, Motion, Se3, log6, right_jacobian6_inverse};
use nalgebra::{Matrix6, Vector6};

/// A joint between two bodies, at one instant and after a step.
#[derive(Clone, Debug)]
pub(super) struct Constraint {
    pub name: String,
    pub kind: JointKind,
    /// The bodies, 0 for the universe.
    pub predecessor: usize,
    pub successor: usize,
    /// The joint's frames in the bodies.
    pub input: Se3<f64>,
    pub output: Se3<f64>,
    /// The roots of what resists its coordinates' accelerations: armature and rotors.
    pub weights: [f64; 6],
    /// At the instant: what the joint reads, the forces that it transmits, and where that places
    /// the output frame in the predecessor.
    pub coordinates: [f64; MOST_ENTRIES],
    pub basis: ConstraintBasis,
    placed: Se3<f64>,
    /// After the step: what a joint of varying motions reads, and its displacement.
    next: [f64; MOST_ENTRIES],
    pub displacement: [f64; 6],
    /// After the step: the gap along the forces of constraint, in m and rad.
    pub gap: [f64; 6],
    /// Which forces of constraint are left out, because others repeat them but for the last digits
    /// of a description.
    pub is_left_out: [bool; 6],
}

impl Constraint {
    /// The constraint between bodies of a joint whose frames are placed in them. None if its
    /// motions depend on each other.
    pub fn new(
        name: &str,
        kind: &JointKind,
        (predecessor, input): (usize, Se3<f64>),
        (successor, output): (usize, Se3<f64>),
    ) -> Option<Self> {
        let mut coordinates = [0.0; MOST_ENTRIES];
        kind.neutral(&mut coordinates[..kind.nq()]);
        let basis = basis_at_neutral(kind)?;
        Some(Self {
            name: name.to_owned(),
            kind: kind.clone(),
            predecessor,
            successor,
            input,
            output,
            weights: [0.0; 6],
            coordinates,
            basis,
            placed: Se3::identity(),
            next: coordinates,
            displacement: [0.0; 6],
            gap: [0.0; 6],
            is_left_out: [false; 6],
        })
    }

    /// Seeks what the joint reads after a step from where it is now.
    #[inline(always)]
    pub fn begin_step(&mut self) {
        self.next = self.coordinates;
    }

    /// How many motions the joint holds.
    #[inline(always)]
    pub fn rigid(&self) -> usize {
        self.basis.rigid()
    }

    /// The length of the gap, in m and rad.
    #[inline(always)]
    pub fn gap_length(&self) -> f64 {
        let mut sum = 0.0;
        for k in 0..self.rigid() {
            sum = self.gap[k].mul_add(self.gap[k], sum);
        }
        sum.sqrt()
    }

    /// The length of the gap along the forces that hold, in m and rad.
    #[inline(always)]
    pub fn held_gap_length(&self) -> f64 {
        let mut sum = 0.0;
        for k in 0..self.rigid() {
            if self.holds(k) {
                sum = self.gap[k].mul_add(self.gap[k], sum);
            }
        }
        sum.sqrt()
    }

    /// Whether the k-th force that the joint transmits is one of constraint that is not left out.
    #[inline(always)]
    pub fn holds(&self, k: usize) -> bool {
        k < self.rigid() && !self.is_left_out[k]
    }

    /// By what the k-th force that the joint transmits is weighted: one, or for drives the root of
    /// their inertia; zero for those that are left out.
    #[inline(always)]
    pub fn weight(&self, k: usize) -> f64 {
        match k.checked_sub(self.rigid()) {
            None => f64::from(self.holds(k)),
            Some(degree) => self.weights[degree],
        }
    }

    /// The k-th force that the joint transmits, in the successor.
    #[inline(always)]
    pub fn force(&self, k: usize) -> Force<f64> {
        let force: Force<f64> = self.basis.columns.column(k).into_owned().into();
        self.output.act_force(&force)
    }

    /// The output frame as the successor carries it, in the predecessor.
    #[inline(always)]
    fn reached(&self, world: &[Se3<f64>]) -> Se3<f64> {
        world[self.predecessor].inverse_compose(&world[self.successor].compose(&self.output))
    }
}

kernel!(
    /// Makes the state after the step, which bodies have come to, the present instant. None if
    /// motions depend on each other.
    ///
    /// A kernel of its own, as all code for every kind of joint is.
    pub(super) fn arrive(constraint: &mut Constraint) -> Option<()> {
        let Constraint {
            kind,
            coordinates,
            next,
            displacement,
            ..
        } = &mut *constraint;
        let (nq, nv) = (kind.nq(), kind.nv());
        if kind.has_constant_subspace() {
            joint_kernel::integrate(
                kind,
                &coordinates[..nq],
                &displacement[..nv],
                &mut next[..nq],
            );
        }
        *coordinates = *next;
        settle(constraint)
    }
);

kernel!(
    /// Finds what follows from a joint's coordinates. None if its motions depend on each other.
    pub(super) fn settle(constraint: &mut Constraint) -> Option<()> {
        let Constraint {
            kind,
            coordinates,
            next,
            basis,
            input,
            placed,
            ..
        } = constraint;
        let mut subspace = [Motion::zero(); 6];
        let subspace = &mut subspace[..kind.nv()];
        let placement = joint_kernel::evaluate(kind, &coordinates[..kind.nq()], subspace);
        *placed = input.compose(&placement);
        *next = *coordinates;
        if !kind.has_constant_subspace() {
            *basis = ConstraintBasis::of(subspace)?;
        }
        Some(())
    }
);

kernel!(
    /// Seeks what a joint reads where bodies are, from what it reads. None if its motions depend on
    /// each other.
    pub(super) fn read_coordinates(constraint: &mut Constraint, world: &[Se3<f64>]) -> Option<()> {
        let target = constraint.input.inverse_compose(&constraint.reached(world));
        let nq = constraint.kind.nq();
        follow_closed(
            &constraint.kind,
            &constraint.basis,
            &target,
            &mut constraint.coordinates[..nq],
        )?;
        settle(constraint)
    }
);

kernel!(
    /// How gap and displacement after the step grow when the output frame moves there: for each
    /// force that the joint transmits the covector on the frame's motion, in its own coordinates.
    /// None if motions depend on each other.
    pub(super) fn gap_slopes(constraint: &Constraint, world: &[Se3<f64>]) -> Option<Matrix6<f64>> {
        let Constraint {
            kind,
            basis,
            placed,
            next,
            ..
        } = constraint;
        if kind.has_constant_subspace() {
            let moved = log6(&placed.inverse_compose(&constraint.reached(world)));
            let jacobian = right_jacobian6_inverse(&moved);
            let jacobian = Matrix6::from_fn(|r, c| jacobian[r][c]);
            return Some(jacobian.tr_mul(&basis.columns));
        }
        let mut subspace = [Motion::zero(); 6];
        let subspace = &mut subspace[..kind.nv()];
        joint_kernel::evaluate(kind, &next[..kind.nq()], subspace);
        // The gap grows by the part of the motion outside the joint's motions at its new
        // configuration.
        let there = ConstraintBasis::of(subspace)?;
        let mut slopes = there.columns;
        for k in 0..basis.rigid() {
            let mut slope = Vector6::zeros();
            for r in 0..basis.rigid() {
                let along = there.columns.column(r).dot(&basis.columns.column(k));
                slope += there.columns.column(r) * along;
            }
            slopes.set_column(k, &slope);
        }
        Some(slopes)
    }
);

kernel!(
    /// How a joint has moved, and by how much it is open, where a step leads its bodies. None if
    /// its motions depend on each other.
    pub(super) fn read_displacement(constraint: &mut Constraint, world: &[Se3<f64>]) -> Option<()> {
        let reached = constraint.reached(world);
        let Constraint {
            kind,
            input,
            placed,
            basis,
            coordinates,
            next,
            displacement,
            gap,
            ..
        } = constraint;
        let rigid = basis.rigid();
        let (nq, nv) = (kind.nq(), kind.nv());
        if kind.has_constant_subspace() {
            let moved = Vector6::from(log6(&placed.inverse_compose(&reached)));
            let parts = basis.columns.tr_mul(&moved);
            for k in 0..6 {
                gap[k] = parts[k];
            }
            for k in 0..nv {
                displacement[k] = parts[rigid + k];
            }
        } else {
            let target = input.inverse_compose(&reached);
            let left = follow(kind, &target, &mut next[..nq])?;
            let parts = basis.columns.tr_mul(&Vector6::from(left));
            for k in 0..6 {
                gap[k] = parts[k];
            }
            kind.difference(&coordinates[..nq], &next[..nq], &mut displacement[..nv]);
        }
        Some(())
    }
);

#[cfg(test)]
mod tests {
    use super::*;
    use featherline::spatial::{Vec3, exp6};

    /// Joints of every sort of motion subspace, between two bodies.
    fn constraints() -> Vec<Constraint> {
        let frame = |k: f64| {
            exp6(&Motion::from_array([
                0.1 * k,
                0.2,
                -0.1,
                0.3,
                -0.2 * k,
                0.1,
            ]))
        };
        [
            JointKind::revolute(Vec3::new(0.3, -0.5, 0.8)),
            JointKind::helical(Vec3::new(0.0, 0.6, 0.8), 0.2),
            JointKind::Planar,
            JointKind::Spherical,
            JointKind::universal(Vec3::unit(0), Vec3::new(0.0, 0.6, 0.8)),
            JointKind::SphericalZyx,
            JointKind::ellipsoid(Vec3::new(0.3, 0.4, 0.5)),
            JointKind::FreeFlyer,
        ]
        .iter()
        .map(|kind| Constraint::new("joint", kind, (1, frame(1.0)), (2, frame(2.0))).unwrap())
        .collect()
    }

    /// Where the successor is when the joint moves by `d` and comes apart by `apart`.
    fn placed(constraint: &Constraint, d: f64, apart: &Motion<f64>) -> Vec<Se3<f64>> {
        let kind = &constraint.kind;
        let mut q = vec![0.0; kind.nq()];
        let own = &constraint.coordinates[..kind.nq()];
        kind.integrate(own, &vec![d; kind.nv()], &mut q);
        let predecessor = exp6(&Motion::from_array([1.0, 2.0, -1.0, 0.5, 0.4, 0.9]));
        let reached = predecessor
            .compose(&constraint.input)
            .compose(&kind.evaluate(&q, &mut [Motion::zero(); 6]))
            .compose(&exp6(apart));
        let successor = reached.compose(&constraint.output.inverse());
        vec![Se3::identity(), predecessor, successor]
    }

    #[test]
    fn joints_read_how_they_move_and_how_far_they_are_open() {
        for mut constraint in constraints() {
            settle(&mut constraint).unwrap();
            let world = placed(&constraint, 0.07, &Motion::zero());
            let constraint = &mut constraint;
            read_displacement(constraint, &world).unwrap();
            let name = constraint.kind.name();
            assert!(constraint.gap_length() < 1e-14, "{name}");
            for d in &constraint.displacement[..constraint.kind.nv()] {
                assert!((d - 0.07).abs() < 1e-13, "{name}: {d}");
            }
            for k in 0..constraint.rigid() {
                let across = constraint.basis.columns.column(k) * 1e-6;
                let world = placed(constraint, 0.07, &Motion::from(across));
                read_displacement(constraint, &world).unwrap();
                // To first order in the displacement, by which T turns.
                let length = constraint.gap_length();
                assert!((length - 1e-6).abs() < 3e-7, "{name} {k}: {length:e}");
            }
        }
    }
}
