//! Derivatives of the centroidal momentum and its rate.
//!
//! With the composite inertia Iᶜ, momentum hᶜ and inertial force fᶜ of the links that a coordinate
//! carries, about a point at rest (Singh, Russell and Wensing 2022):
//!
//! | derivative | of the momentum h | of its rate ḣ |
//! |---|---|---|
//! | by q | Iᶜ ψ̇ + J ×* hᶜ | Iᶜ ψ̈ + 2 Bᶜ ψ̇ + J ×* fᶜ |
//! | by v | Iᶜ J | Iᶜ ξ + 2 Bᶜ J |
//! | by a | | Iᶜ J |
//!
//! The centre of mass, about which the result is, moves by the linear part of Iᶜ J / m.

use super::columns::columns_in_motion;
use crate::dynamics::centroidal::{add_column, check_mass};
use crate::error::Error;
use crate::model::Model;
use crate::scalar::{Scalar, all_finite, kernel};
use crate::spatial::{DynamicParameters, Force, Vec3};
use crate::workspace::{BodyCoriolis, DerivativeView, Scratch, Workspace};
use nalgebra::DMatrix;

kernel!(
    fn differentiate_momentum<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        q: &[S],
        v: &[S],
        a: &[S],
        memory: DerivativeView<'_, S>,
    ) {
        let mut memory = memory;
        columns_in_motion(model, ws, (q, v, a), &mut memory);
        let DerivativeView {
            columns,
            coriolis,
            momentum,
            wide: [momentum_dq, rate_dq, rate_dv, map],
            ..
        } = memory;
        ws.composite[0] = DynamicParameters::zero();
        (coriolis[0], momentum[0], ws.force[0]) =
            (BodyCoriolis::zero(), Force::zero(), Force::zero());
        for (i, link) in model.links.iter().enumerate().skip(1) {
            let body = ws.parameters_of(i, link).transformed_by(&ws.world[i]);
            momentum[i] = body.mul_motion(&ws.velocity[i]);
            ws.force[i] = body.newton_euler(&ws.velocity[i], &ws.acceleration[i]);
            coriolis[i] = BodyCoriolis::of(&body, &ws.velocity[i]);
            ws.composite[i] = body;
        }
        for (i, link) in model.links.iter().enumerate().skip(1).rev() {
            let (inertia, b) = (ws.composite[i], coriolis[i]);
            let (h, f) = (momentum[i], ws.force[i]);
            ws.composite[link.parent] += inertia;
            coriolis[link.parent] += b;
            momentum[link.parent] += h;
            ws.force[link.parent] += f;
        }
        let total = ws.composite[0];
        let per_mass = total.mass.recip();
        let com = total.first_moment * per_mass;
        for matrix in [&mut *momentum_dq, rate_dq, rate_dv, map] {
            matrix.fill(S::zero());
        }
        for (i, link) in model.links.iter().enumerate().skip(1) {
            let (inertia, b) = (&ws.composite[i], &coriolis[i]);
            for k in 0..link.columns {
                let column = &columns[link.column + k];
                let (j, psi) = (column.jacobian(), column.psi());
                let unit = inertia.mul_motion(&j);
                let h = inertia.mul_motion(&psi) + j.cross_force(&momentum[i]);
                let f = inertia.mul_motion(&column.psi_rate())
                    + b.mul_motion(&psi)
                    + j.cross_force(&ws.force[i]);
                let f_by_v = inertia.mul_motion(&column.xi()) + b.mul_motion(&j);
                let moved = unit.linear * per_mass;
                let k = link.idx_v + k;
                add_column(momentum_dq, k, &about(com, moved, &h, &momentum[0]));
                add_column(rate_dq, k, &about(com, moved, &f, &ws.force[0]));
                add_column(rate_dv, k, &about(com, Vec3::zero(), &f_by_v, &ws.force[0]));
                add_column(map, k, &about(com, Vec3::zero(), &unit, &ws.force[0]));
            }
        }
    }
);

/// The change of a force about the centre of mass, which moves, from that about the origin.
#[inline(always)]
fn about<S: Scalar>(com: Vec3<S>, moved: Vec3<S>, change: &Force<S>, of: &Force<S>) -> Force<S> {
    // n_c = n − c × f
    let angular = change.linear.cross_add(com, change.angular);
    Force::new(change.linear, of.linear.cross_add(moved, angular))
}

/// The derivatives of the centroidal momentum: the result of [`Model::centroidal_derivatives`].
///
/// Rows are \[linear; angular\] in the world's axes, the angular part about the centre of mass. The
/// linear rows divided by the mass are those of the centre of mass: its velocity by q, its
/// acceleration by q and v, and its Jacobian.
#[derive(Clone, Copy, Debug)]
pub struct CentroidalDerivatives<'w, S: Scalar> {
    /// ∂h/∂q, 6 × nv, by changes of q in the tangent space.
    pub momentum_dq: &'w DMatrix<S>,
    /// ∂h/∂v = ∂ḣ/∂a, 6 × nv: the centroidal momentum matrix A(q).
    pub map: &'w DMatrix<S>,
    /// ∂ḣ/∂q, 6 × nv.
    pub rate_dq: &'w DMatrix<S>,
    /// ∂ḣ/∂v, 6 × nv.
    pub rate_dv: &'w DMatrix<S>,
}

impl Model {
    /// The derivatives of the [centroidal momentum](Self::centroidal_momentum) h and of its
    /// [rate](Self::centroidal_momentum_rate) ḣ by q, v and a, and so those of the velocity and the
    /// acceleration of the centre of mass.
    ///
    /// `q` has nq entries, `v` and `a` have nv. Cost O(n), no allocation. Source: Singh, Russell
    /// and Wensing 2022; Orin, Goswami and Lee 2013.
    ///
    /// # Errors
    /// As [`rnea_derivatives`](Self::rnea_derivatives), and [`Error::NoMass`].
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (q, v, a) = ([0.3, 0.8], [1.0_f64, -2.0], [0.5, 0.0]);
    /// let map = model.centroidal_derivatives(&mut ws, &q, &v, &a)?.map.clone();
    /// assert!((map - model.centroidal_map(&mut ws, &q)?).norm() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn centroidal_derivatives<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        a: &[S],
    ) -> Result<CentroidalDerivatives<'w, S>, Error> {
        let (scratch, matrices) = ws.parts(self)?;
        self.check_state(q, v)?;
        self.check_tangent("a", a)?;
        let memory = matrices.derivatives.view(&mut matrices.jacobian);
        differentiate_momentum(self, scratch, q, v, a, memory);
        check_mass(self, scratch)?;
        let [momentum_dq, rate_dq, rate_dv, map] = &matrices.derivatives.wide;
        let tangents = [("v", v), ("a", a)];
        let is_finite = all_finite(rate_dq.as_slice()) && all_finite(rate_dv.as_slice());
        self.check_finite(is_finite, "a derivative", q, &tangents)?;
        Ok(CentroidalDerivatives {
            momentum_dq,
            map,
            rate_dq,
            rate_dv,
        })
    }
}
