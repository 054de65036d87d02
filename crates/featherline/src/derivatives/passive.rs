//! Derivatives of the passive forces.

use crate::error::Error;
use crate::joint::SimpleJoints;
use crate::joint::composite::MAX_SIMPLE_NV;
use crate::model::Model;
use crate::scalar::{Scalar, kernel};
use crate::workspace::Workspace;
use nalgebra::{DMatrix, DMatrixViewMut};

/// More entries than the configuration of any joint that is not composite has.
const MAX_SIMPLE_NQ: usize = MAX_SIMPLE_NV + 1;

kernel!(
    /// Adds a factor times −K ∂(q ⊖ rest)/∂q by q, and −D by v, to matrices by columns.
    pub(super) fn add_passive_derivatives<S: Scalar>(
        model: &Model,
        q: &[S],
        #[plain] factor: f64,
        dq: &mut [S],
        dv: &mut [S],
    ) {
        let n = model.nv();
        for joint in &model.joints()[1..] {
            let (stiffness, damping) = (&joint.drive.stiffness, &joint.drive.damping);
            if let Some(mimic) = &joint.mimic {
                // The force and the displacement both have the ratio.
                let place = joint.idx_v * n + joint.idx_v;
                let factor = -factor * mimic.ratio * mimic.ratio;
                dq[place] += S::constant(factor * stiffness[0]);
                dv[place] += S::constant(factor * damping[0]);
                continue;
            }
            for part in SimpleJoints::of(&joint.kind) {
                let nv = part.v.len();
                let mut change = [S::zero(); MAX_SIMPLE_NV * MAX_SIMPLE_NV];
                let mut rest = [S::zero(); MAX_SIMPLE_NQ];
                let mut has_spring = false;
                for k in part.v.clone() {
                    has_spring |= stiffness[k] != 0.0;
                    let place = (joint.idx_v + k) * n + joint.idx_v + k;
                    dv[place] += S::constant(-factor * damping[k]);
                }
                if !has_spring {
                    continue;
                }
                for (r, k) in part.q.clone().enumerate() {
                    rest[r] = S::constant(joint.drive.spring_reference[k]);
                }
                let own_q = &q[joint.idx_q + part.q.start..joint.idx_q + part.q.end];
                let rest = &rest[..part.q.len()];
                let change = &mut change[..nv * nv];
                let mut view = DMatrixViewMut::from_slice(change, nv, nv);
                part.kind.d_difference_dq1(rest, own_q, &mut view);
                for column in 0..nv {
                    for row in 0..nv {
                        let force = S::constant(-factor * stiffness[part.v.start + row]);
                        let first = joint.idx_v + part.v.start;
                        let place = &mut dq[(first + column) * n + first + row];
                        *place = force.mul_add(change[column * nv + row], *place);
                    }
                }
            }
        }
    }
);

/// The derivatives of the passive forces: the result of
/// [`Model::passive_forces_derivatives`].
#[derive(Clone, Copy, Debug)]
pub struct PassiveForcesDerivatives<'w, S: Scalar> {
    /// By changes of q in the tangent space, nv × nv: one block for each joint with springs.
    pub dq: &'w DMatrix<S>,
    /// By v, nv × nv: minus the damping, on the diagonal.
    pub dv: &'w DMatrix<S>,
}

impl Model {
    /// The derivatives of the [passive forces](Self::passive_forces) by q and v.
    ///
    /// Dry friction is constant where a coordinate moves, and adds nothing; at rest it has no
    /// derivative, and adds nothing either. `q` has nq entries. The matrices do not depend on v.
    /// Cost O(nv²) for writing all entries.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], [`Error::NoMatrices`], and
    /// [`Error::NotFinite`] or [`Error::ZeroRotation`] for inputs that have no finite result.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// // This pendulum's hinges have neither dampers nor springs.
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let derivatives = model.passive_forces_derivatives(&mut ws, &[0.3, -0.2])?;
    /// assert_eq!(derivatives.dv.norm(), 0.0_f64);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn passive_forces_derivatives<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
    ) -> Result<PassiveForcesDerivatives<'w, S>, Error> {
        self.check_q(q)?;
        let memory = &mut ws.parts(self)?.1.derivatives;
        let (dq, dv) = (&mut memory.acceleration_dq, &mut memory.acceleration_dv);
        dq.fill(S::zero());
        dv.fill(S::zero());
        add_passive_derivatives(self, q, 1.0, dq.as_mut_slice(), dv.as_mut_slice());
        let mut finite = true;
        for k in 0..self.nv() {
            finite &= dq[(k, k)].is_finite();
        }
        self.check_finite(finite, "a derivative", q, &[])?;
        Ok(PassiveForcesDerivatives { dq, dv })
    }
}
