//! A joint's equation as blocks, beside its body's inertia.

use super::MaximalError;
use super::block::{Block, Row};
use super::joint_bias::joint_bias;
use super::recursion::JointMemory;
use super::state::MaximalState;
use featherline::joint::JointKind;
use featherline::kernel::{ConstraintBasis, MOST_ENTRIES, joint};
use featherline::model::{Joint, Model};
use featherline::spatial::Motion;

/// A body and the joint that carries it: M v̇ + Cᵀ λ = f, C v̇ + Cλ v̇λ = d.
///
/// The drive's armature D resists the joint's acceleration: its force −D q̈ is one more multiplier.
#[derive(Clone, Debug)]
pub(super) struct Equations {
    /// M: the body's own, until whatever hangs on it is added.
    pub inertia: Block,
    /// How many rows are constraints.
    pub rigid: usize,
    /// C. The rows after the rigid ones are the drive's, weighted by the root of the armature, so
    /// that the multiplier resists as one; zero without armature.
    pub constraints: Block,
    /// Cλ.
    pub above: Block,
    /// d.
    pub constraint: Row,
    /// The force of the drive on the body, and on the one above, armature apart.
    pub drive: Row,
    pub recoil: Row,
}

impl Equations {
    /// The equations of a joint, with the parts that do not depend on the state.
    pub fn new(joint: &Joint, basis: &ConstraintBasis) -> Self {
        let mut equations = Self {
            inertia: Block::of(&joint.inertia.to_matrix()),
            rigid: basis.rigid(),
            constraints: Block::zero(),
            above: Block::zero(),
            constraint: [0.0; 8],
            drive: [0.0; 8],
            recoil: [0.0; 8],
        };
        equations.constrain(joint, basis);
        equations
    }

    #[inline(always)]
    fn constrain(&mut self, joint: &Joint, basis: &ConstraintBasis) {
        for k in 0..6_usize {
            let weight = match k.checked_sub(self.rigid) {
                None => 1.0,
                Some(degree) => joint.drive.reflected_inertia(degree).sqrt(),
            };
            for c in 0..6 {
                self.constraints.0[k][c] = weight * basis.columns[(c, k)];
            }
        }
    }

    /// Writes what depends on the state.
    #[inline(always)]
    pub fn update(
        &mut self,
        model: &Model,
        i: usize,
        state: &MaximalState,
        tau: &[f64],
        joints: &mut JointMemory,
    ) -> Result<(), MaximalError> {
        let joint = &model.joints()[i];
        let velocity = &state.velocities[i];
        let relative = state.relative(joint, i);
        let basis = &mut joints.bases[i];
        let mut subspace = [Motion::zero(); 6];
        let bias = joint_bias(
            joint,
            &relative,
            velocity,
            &mut joints.coordinates[joint.idx_q..joint.idx_q + joint.nq],
            basis,
            &mut subspace[..joint.nv],
            &joints.stabilisation,
        );
        let bias = bias.ok_or_else(|| MaximalError::dependent(&joint.name))?;
        if !joint.kind.has_constant_subspace() {
            self.constrain(joint, basis);
        }
        self.constraint = self.constraints.times_vector(&row(bias.to_array()));
        self.drive = [0.0; 8];
        for (k, own) in tau[joint.idx_v..joint.idx_v + joint.nv].iter().enumerate() {
            for c in 0..6 {
                let along = basis.columns[(c, self.rigid + k)];
                self.drive[c] = along.mul_add(*own, self.drive[c]);
            }
        }
        let carry = Block::of(&relative.in_parent.inverse().action_matrix());
        self.above = self.constraints.times(&carry);
        self.recoil = carry.transposed_times(&self.drive).map(|x| -x);
        for r in 0..6 {
            self.above.0[r] = self.above.0[r].map(|x| -x);
        }
        Ok(())
    }
}

/// The basis of a joint's constraint forces, as far as it does not depend on the configuration.
/// None if the joint's motions depend on each other.
pub(crate) fn basis_at_neutral(kind: &JointKind) -> Option<ConstraintBasis> {
    let (mut q, mut subspace) = ([0.0; MOST_ENTRIES], [Motion::zero(); 6]);
    let (q, subspace) = (&mut q[..kind.nq()], &mut subspace[..kind.nv()]);
    kind.neutral(q);
    joint::evaluate(kind, q, subspace);
    match ConstraintBasis::of(subspace) {
        // Singular where it is neutral, not elsewhere; only the number of forces is needed.
        None if !kind.has_constant_subspace() => Some(ConstraintBasis {
            freedom: kind.nv(),
            ..ConstraintBasis::of(&[])?
        }),
        basis => basis,
    }
}

#[inline(always)]
fn row([a, b, c, d, e, f]: [f64; 6]) -> Row {
    [a, b, c, d, e, f, 0.0, 0.0]
}
