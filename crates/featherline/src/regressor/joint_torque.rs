//! Regressors of the joint forces and of the momenta of the joints.
//!
//! τₖ = Σ Jₖᵀ Yᵢ πᵢ over the bodies i that coordinate k moves, with the body regressor Yᵢ in the
//! frame of the Jacobian columns Jₖ (Atkeson, An and Hollerbach 1986; J. Garofalo, C. Ott and A.
//! Albu-Schäffer, *On the closed form computation of the dynamic matrices and their
//! differentiations*, 2013).

use super::body::{BODY_PARAMETERS, BodyRegressor};
use crate::dynamics::aligned::links_in_motion;
use crate::error::{Error, check_size};
use crate::model::Model;
use crate::scalar::{Scalar, kernel};
use crate::spatial::Motion;
use crate::workspace::{Matrices, Scratch, Workspace};
use nalgebra::DMatrix;

/// A quantity of the joints that is linear in the parameters.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum LinearQuantity {
    Force,
    Momentum,
}

kernel!(
    fn regress<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        q: &[S],
        v: &[S],
        a: &[S],
        #[plain] quantity: LinearQuantity,
        jacobian: &mut [Motion<S>],
        rate: &mut [Motion<S>],
        out: &mut [S],
    ) {
        links_in_motion(model, ws, (q, v, a), model.gravity(), jacobian, rate);
        out.fill(S::zero());
        let n = model.nv();
        for (i, link) in model.links.iter().enumerate().skip(1) {
            let frame = link.output_frame(&ws.world[i]);
            let velocity = frame.inverse_act_motion(&ws.velocity[i]);
            let body = match quantity {
                LinearQuantity::Force => {
                    let acceleration = frame.inverse_act_motion(&ws.acceleration[i]);
                    BodyRegressor::of_force(&velocity, &acceleration)
                }
                LinearQuantity::Momentum => BodyRegressor::of_momentum(&velocity),
            };
            let rows = RegressorRows::of(&body.transformed_by(&frame));
            let columns = BODY_PARAMETERS * (i - 1) * n;
            let columns = &mut out[columns..columns + BODY_PARAMETERS * n];
            let mut above = i;
            while above != 0 {
                let link = &model.links[above];
                for (k, j) in jacobian[link.column_range()].iter().enumerate() {
                    let values = rows.tr_mul(j);
                    for c in 0..BODY_PARAMETERS {
                        columns[c * n + link.idx_v + k] += values[c];
                    }
                }
                above = link.parent;
            }
        }
    }
);

/// A body's regressor by rows, padded to whole registers.
struct RegressorRows<S> {
    linear: [[S; 4]; 3],
    angular: [[S; 12]; 3],
}

impl<S: Scalar> RegressorRows<S> {
    #[inline(always)]
    fn of(body: &BodyRegressor<S>) -> Self {
        let mut rows = Self {
            linear: [[S::zero(); 4]; 3],
            angular: [[S::zero(); 12]; 3],
        };
        for c in 0..4 {
            let v = &body.linear[c];
            (rows.linear[0][c], rows.linear[1][c], rows.linear[2][c]) = (v.x, v.y, v.z);
        }
        for c in 0..BODY_PARAMETERS {
            let v = &body.angular[c];
            (rows.angular[0][c], rows.angular[1][c], rows.angular[2][c]) = (v.x, v.y, v.z);
        }
        rows
    }

    /// Jᵀ Y.
    #[inline(always)]
    fn tr_mul(&self, j: &Motion<S>) -> [S; 12] {
        let (linear, angular) = (j.linear, j.angular);
        let mut sum = [S::zero(); 12];
        add(&mut sum, &self.angular[0], angular.x);
        add(&mut sum, &self.angular[1], angular.y);
        add(&mut sum, &self.angular[2], angular.z);
        add(&mut sum, &self.linear[0], linear.x);
        add(&mut sum, &self.linear[1], linear.y);
        add(&mut sum, &self.linear[2], linear.z);
        sum
    }
}

#[inline(always)]
fn add<S: Scalar, const N: usize>(sum: &mut [S; 12], row: &[S; N], factor: S) {
    for l in 0..N {
        sum[l] = row[l].mul_add(factor, sum[l]);
    }
}

impl Model {
    /// The joint torque regressor Y(q, v, a), nv × 10 n: [`rnea`](Self::rnea) is Y π, for the
    /// [dynamic parameters](Self::dynamic_parameters) π of the n bodies, plus what the armature
    /// needs.
    ///
    /// All entries of `out` are written. Parameters of the body that joint i moves stand in columns
    /// 10 (i − 1) to 10 i. `q` has nq entries, `v` and `a` have nv. For what drives add see
    /// [`drive_regressor_into`](super::drive_regressor_into). Cost O(nd) and O(n²) zeros, no
    /// allocation. Source: Atkeson, An and Hollerbach 1986.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], [`Error::NoMatrices`], and
    /// [`Error::NotFinite`] or [`Error::ZeroRotation`] for inputs that have no finite result.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    /// use nalgebra::{DMatrix, DVector};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (q, v, a) = ([0.3, -0.2], [1.0, 0.5], [0.0, 2.0_f64]);
    /// let mut regressor = DMatrix::zeros(2, 20);
    /// model.joint_torque_regressor_into(&mut ws, &q, &v, &a, &mut regressor)?;
    /// let tau = regressor * DVector::from(model.dynamic_parameters());
    /// assert!((tau[0] - model.rnea(&mut ws, &q, &v, &a)?[0]).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn joint_torque_regressor_into<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        v: &[S],
        a: &[S],
        out: &mut DMatrix<S>,
    ) -> Result<(), Error> {
        self.check_tangent("v", v)?;
        self.check_tangent("a", a)?;
        self.run_regressor(ws, q, Some((v, a)), LinearQuantity::Force, out)
    }

    /// The regressor of the [gravity torque](Self::gravity_torque), nv × 10 n: the
    /// [joint torque regressor](Self::joint_torque_regressor_into) at rest.
    ///
    /// # Errors
    /// As [`joint_torque_regressor_into`](Self::joint_torque_regressor_into).
    pub fn gravity_torque_regressor_into<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        out: &mut DMatrix<S>,
    ) -> Result<(), Error> {
        self.run_regressor(ws, q, None, LinearQuantity::Force, out)
    }

    /// The regressor of the momentum of the joints, nv × 10 n: M(q) v is this matrix times the
    /// [dynamic parameters](Self::dynamic_parameters), plus what the armature has.
    ///
    /// Identification by momenta needs no accelerations. `q` has nq entries, `v` nv. Cost O(nd) and
    /// O(n²) zeros.
    ///
    /// # Errors
    /// As [`joint_torque_regressor_into`](Self::joint_torque_regressor_into).
    pub fn joint_momentum_regressor_into<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        v: &[S],
        out: &mut DMatrix<S>,
    ) -> Result<(), Error> {
        self.check_tangent("v", v)?;
        self.run_regressor(ws, q, Some((v, v)), LinearQuantity::Momentum, out)
    }

    fn run_regressor<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        moving: Option<(&[S], &[S])>,
        quantity: LinearQuantity,
        out: &mut DMatrix<S>,
    ) -> Result<(), Error> {
        check_size("the rows of the regressor", self.nv(), out.nrows())?;
        let columns = self.parameter_count();
        check_size("the columns of the regressor", columns, out.ncols())?;
        self.write_regressor(ws, q, moving, quantity, out.as_mut_slice())
    }

    /// The regressor by columns; at rest where nothing moves.
    pub(crate) fn write_regressor<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        moving: Option<(&[S], &[S])>,
        quantity: LinearQuantity,
        out: &mut [S],
    ) -> Result<(), Error> {
        self.check_q(q)?;
        let (scratch, matrices) = ws.parts(self)?;
        let Matrices {
            jacobian,
            jacobian_rate,
            ..
        } = matrices;
        // They can't be borrowed from the workspace while its other parts are being written.
        let zeros = std::mem::take(&mut scratch.zeros);
        let (v, a) = moving.unwrap_or((&zeros, &zeros));
        regress(
            self,
            scratch,
            q,
            v,
            a,
            quantity,
            jacobian,
            jacobian_rate,
            out,
        );
        let mut finite = true;
        for acceleration in &scratch.acceleration[1..] {
            finite &= acceleration.is_finite();
        }
        let outcome = self.check_finite(finite, "a regressor", q, &[("v", v), ("a", a)]);
        scratch.zeros = zeros;
        outcome
    }
}
