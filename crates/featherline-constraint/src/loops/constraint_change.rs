//! How the constraint of one loop changes as its bodies move and its joint's coordinates change.
//!
//! The formulas stand in [`derivatives`](super::derivatives): g with its change dg, and what the
//! coordinates x that the loop joint reads add to both.

use super::Stabilisation;
use super::rows::allowed;
use super::workspace::Loop;
use featherline::kernel::ConstraintBasis;
use featherline::kernel::joint as joint_kernel;
use featherline::model::JointId;
use featherline::spatial::{Force, Motion, Se3, left_jacobian6_inverse, right_jacobian6_inverse};
use nalgebra::{Matrix6, Vector6};

/// A body that a loop joint connects.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub body: JointId,
    /// The joint's output frame, in that of the body's joint.
    pub output: Se3<f64>,
    /// In the joint's output frame.
    pub velocity: Motion<f64>,
    pub acceleration: Motion<f64>,
}

/// g and what its change needs.
pub(super) struct Row {
    v_s: Motion<f64>,
    relative: Motion<f64>,
    /// ρ.
    rates: [f64; 6],
    /// w = S ρ = u − T Tᵀ u.
    allowed: Motion<f64>,
    /// g, without − Ṡ ρ.
    residual: Motion<f64>,
    /// 2α and β².
    damping: f64,
    stiffness: f64,
}

impl Row {
    #[inline(always)]
    pub(super) fn of(closing: &Loop, [from, to]: &[End; 2], stabilisation: &Stabilisation) -> Self {
        let (v_s, relative, basis) = (to.velocity, closing.velocity, &closing.basis);
        let work = basis.work(&relative);
        let allowed = allowed(basis, &relative, &work);
        let mut rates = [0.0; 6];
        rates[..basis.freedom].copy_from_slice(&work[basis.rigid()..]);
        let own = to.acceleration - from.acceleration - v_s.cross(&allowed);
        Self {
            v_s,
            relative,
            rates,
            allowed,
            residual: own + stabilisation.pull(&closing.gap, &relative),
            damping: 2.0 * stabilisation.damping,
            stiffness: stabilisation.stiffness * stabilisation.stiffness,
        }
    }

    /// dg while the joint reads the same.
    #[inline(always)]
    pub(super) fn change(
        &self,
        basis: &ConstraintBasis,
        joint: &JointChange,
        dv_s: &Motion<f64>,
        du: &Motion<f64>,
        da: &Motion<f64>,
    ) -> Motion<f64> {
        // da − dv_s × w − v_s × dw − ∂(Ṡ ρ)/∂ρ dρ + 2α du
        let work = basis.work(du);
        let dw = allowed(basis, du, &work);
        let mut dg = *da - dv_s.cross(&self.allowed) - self.v_s.cross(&dw);
        dg = du.mul_add(self.damping, &dg);
        if joint.is_varying {
            for j in 0..joint.count {
                dg = joint.rate_bias[j].mul_add(-work[basis.rigid() + j], &dg);
            }
        }
        dg
    }
}

/// Derivatives by the coordinates x that a loop joint reads.
pub(super) struct JointChange {
    /// How many of them matter.
    pub count: usize,
    /// Whether the motion subspace depends on them.
    is_varying: bool,
    /// dx by Δ dq.
    pub reading: Matrix6<f64>,
    /// β² Jᵣ⁻¹.
    pull: Matrix6<f64>,
    /// ∂(Tᵀ g)/∂xⱼ.
    pub rows: [[f64; 6]; 6],
    /// ∂T/∂xⱼ λ.
    pub forces: [Force<f64>; 6],
    /// ∂(Ṡ ρ)/∂ρⱼ.
    rate_bias: [Motion<f64>; 6],
}

impl JointChange {
    #[inline(always)]
    pub(super) fn of(closing: &Loop, row: &Row, multipliers: &[f64]) -> Option<Self> {
        let kind = &closing.joint.kind;
        let (basis, nv) = (&closing.basis, kind.nv());
        let mut change = Self {
            count: 0,
            is_varying: !kind.has_constant_subspace(),
            reading: Matrix6::zeros(),
            pull: Matrix6::zeros(),
            rows: [[0.0; 6]; 6],
            forces: [Force::zero(); 6],
            rate_bias: [Motion::zero(); 6],
        };
        if !change.is_varying && row.stiffness == 0.0 {
            return Some(change);
        }
        change.count = nv;
        let mut subspace = [Motion::zero(); 6];
        let x = &closing.coordinates[..kind.nq()];
        joint_kernel::evaluate(kind, x, &mut subspace[..nv]);
        let (mut by_x, mut bias_by_x) = ([[Motion::zero(); 6]; 6], [Motion::zero(); 6]);
        let mut residual = row.residual;
        if change.is_varying {
            let varied = Varied::of(closing, &subspace[..nv], &row.rates);
            (by_x, bias_by_x) = (varied.subspace, varied.bias_by_x);
            change.rate_bias = varied.bias_by_rates;
            residual = residual - varied.bias;
        }
        // (Sᵀ Jₗ⁻¹ S − [eᵀ ∂S]) dx = Sᵀ Jᵣ⁻¹ Δ dq
        let right = matrix(&right_jacobian6_inverse(&closing.gap));
        let left = matrix(&left_jacobian6_inverse(&closing.gap));
        change.pull = right * row.stiffness;
        let gap = Vector6::from(closing.gap);
        let (mut own, mut sides) = (Matrix6::identity(), Matrix6::zeros());
        for i in 0..nv {
            let s = Vector6::from(subspace[i]);
            for j in 0..nv {
                let along = left * Vector6::from(subspace[j]);
                own[(i, j)] = s.dot(&along) - gap.dot(&Vector6::from(by_x[j][i]));
            }
            sides.set_row(i, &right.tr_mul(&s).transpose());
        }
        change.reading = own.lu().solve(&sides)?;
        let constrained = Vector6::from(row.relative - row.allowed);
        for j in 0..nv {
            let turning = &by_x[j][..nv];
            // ∂S ρ, and dρ = Uᵀ (U ∂Sᵀ T Tᵀ u − ∂S ρ)
            let (mut moved, mut rest) = (Motion::zero(), Vector6::zeros());
            for i in 0..nv {
                moved = turning[i].mul_add(row.rates[i], &moved);
                let along = Vector6::from(turning[i]).dot(&constrained);
                rest += basis.columns.column(basis.rigid() + i) * along;
            }
            let work = basis.work(&(Motion::from(rest) - moved));
            let mut bias = bias_by_x[j];
            for i in 0..nv {
                let rate = work[basis.rigid() + i];
                moved = subspace[i].mul_add(rate, &moved);
                bias = change.rate_bias[i].mul_add(rate, &bias);
            }
            // dg = −v_s × dw − d(Ṡ ρ) − β² Jₗ⁻¹ S dx
            let pull = left * Vector6::from(subspace[j]) * row.stiffness;
            let dg = -row.v_s.cross(&moved) - bias - Motion::from(pull);
            change.rows[j] = basis.work(&dg);
            if change.is_varying {
                // dTᵀ g and dT λ
                let turned = basis.constraint_force_change(turning);
                let g = Vector6::from(residual);
                let mut force = Vector6::zeros();
                for r in 0..basis.rigid() {
                    change.rows[j][r] += turned.column(r).dot(&g);
                    force += turned.column(r) * multipliers[r];
                }
                change.forces[j] = force.into();
            }
        }
        Some(change)
    }

    /// β² Jᵣ⁻¹ Δ dq.
    #[inline(always)]
    pub(super) fn gap(&self, delta: &Motion<f64>) -> Motion<f64> {
        (self.pull * Vector6::from(*delta)).into()
    }
}

#[inline(always)]
fn matrix(rows: &[[f64; 6]; 6]) -> Matrix6<f64> {
    Matrix6::from_fn(|r, c| rows[r][c])
}

/// The motions of a joint whose subspace varies.
struct Varied {
    /// ∂Sᵢ/∂xⱼ in row j.
    subspace: [[Motion<f64>; 6]; 6],
    /// Ṡ ρ, and its derivatives by x and by ρ.
    bias: Motion<f64>,
    bias_by_x: [Motion<f64>; 6],
    bias_by_rates: [Motion<f64>; 6],
}

impl Varied {
    #[inline(always)]
    fn of(closing: &Loop, subspace: &[Motion<f64>], rates: &[f64; 6]) -> Self {
        let kind = &closing.joint.kind;
        let (x, nv) = (&closing.coordinates[..kind.nq()], kind.nv());
        let still = [0.0; 6];
        let mut out = Self {
            subspace: [[Motion::zero(); 6]; 6],
            bias: Motion::zero(),
            bias_by_x: [Motion::zero(); 6],
            bias_by_rates: [Motion::zero(); 6],
        };
        let mut changes = [Motion::zero(); 6];
        joint_kernel::subspace_rates(kind, x, &rates[..nv], &mut changes[..nv]);
        out.bias = combination(&changes[..nv], rates);
        let mut unused = [Motion::zero(); 6];
        joint_kernel::variation(
            kind,
            x,
            &rates[..nv],
            &still[..nv],
            subspace,
            combination(subspace, rates),
            out.bias,
            &mut unused[..nv],
            &mut out.bias_by_x[..nv],
        );
        let mut of_one = [Motion::zero(); 6];
        for i in 0..nv {
            let mut one = still;
            one[i] = 1.0;
            // Ṡ is linear in ρ.
            joint_kernel::subspace_rates(kind, x, &one[..nv], &mut of_one[..nv]);
            out.bias_by_rates[i] = changes[i] + combination(&of_one[..nv], rates);
            let mut by_x = [Motion::zero(); 6];
            joint_kernel::variation(
                kind,
                x,
                &one[..nv],
                &still[..nv],
                subspace,
                subspace[i],
                of_one[i],
                &mut by_x[..nv],
                &mut unused[..nv],
            );
            for j in 0..nv {
                out.subspace[j][i] = by_x[j];
            }
        }
        out
    }
}

/// Σ columnᵢ ρᵢ.
#[inline(always)]
fn combination(columns: &[Motion<f64>], rates: &[f64; 6]) -> Motion<f64> {
    let mut sum = Motion::zero();
    for i in 0..columns.len() {
        sum = columns[i].mul_add(rates[i], &sum);
    }
    sum
}
