//! Memory of the derivatives.

use super::filled;
use super::matrices::zero_square;
use crate::model::Model;
use crate::scalar::{Form, InForm, Scalar, SeenAs, seen_mut_as};
use crate::spatial::{DynamicParameters, Force, Mat3, Motion, Vec3};
use nalgebra::DMatrix;
use std::ops::AddAssign;

/// The derivatives by one coordinate of the motion of everything that it carries, in the aligned
/// frame.
///
/// With J the coordinate's Jacobian column, the links that it carries have
///
/// * ∂v/∂q = ψ̇ + J × v, ∂a/∂q = ψ̈ + ψ̇ × v + J × a,
/// * ∂v/∂v = ∂a/∂a = J, ∂a/∂v = ξ + J × v with ξ = ψ̇ + J̇.
///
/// (Singh, Russell and Wensing 2022). Components of several motions lie side by side,
/// so that their products with a force are found together.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MotionColumn<S: Scalar> {
    /// ψ̈, ξ and J for each component of a spatial vector.
    pub rows: [Vec3<S>; 6],
    /// ψ̇ and J for each component of the angular part; the third number is zero.
    pub turning: [Vec3<S>; 3],
    /// The linear part of ψ̇.
    psi_linear: Vec3<S>,
}

impl<S: Scalar> MotionColumn<S> {
    /// The column with the given motions.
    #[inline(always)]
    pub fn new(j: &Motion<S>, psi: &Motion<S>, psi_rate: &Motion<S>, xi: &Motion<S>) -> Self {
        let (a, b, c) = (psi_rate, xi, j);
        let zero = S::zero();
        Self {
            rows: [
                Vec3::new(a.linear.x, b.linear.x, c.linear.x),
                Vec3::new(a.linear.y, b.linear.y, c.linear.y),
                Vec3::new(a.linear.z, b.linear.z, c.linear.z),
                Vec3::new(a.angular.x, b.angular.x, c.angular.x),
                Vec3::new(a.angular.y, b.angular.y, c.angular.y),
                Vec3::new(a.angular.z, b.angular.z, c.angular.z),
            ],
            turning: [
                Vec3::new(psi.angular.x, j.angular.x, zero),
                Vec3::new(psi.angular.y, j.angular.y, zero),
                Vec3::new(psi.angular.z, j.angular.z, zero),
            ],
            psi_linear: psi.linear,
        }
    }

    /// J.
    #[inline(always)]
    pub fn jacobian(&self) -> Motion<S> {
        let r = &self.rows;
        Motion::from_array([r[0].z, r[1].z, r[2].z, r[3].z, r[4].z, r[5].z])
    }

    /// ψ̇.
    #[inline(always)]
    pub fn psi(&self) -> Motion<S> {
        let r = &self.turning;
        Motion::new(self.psi_linear, Vec3::new(r[0].x, r[1].x, r[2].x))
    }

    /// ψ̈.
    #[inline(always)]
    pub fn psi_rate(&self) -> Motion<S> {
        let r = &self.rows;
        Motion::from_array([r[0].x, r[1].x, r[2].x, r[3].x, r[4].x, r[5].x])
    }

    /// ξ = ψ̇ + J̇.
    #[inline(always)]
    pub fn xi(&self) -> Motion<S> {
        let r = &self.rows;
        Motion::from_array([r[0].y, r[1].y, r[2].y, r[3].y, r[4].y, r[5].y])
    }
}

// SAFETY: made of vectors, for which `InPlaceOf` promises the same layout, in C's order.
#[allow(unsafe_code)]
unsafe impl<S: Scalar> SeenAs for MotionColumn<S> {
    type As<F: Form> = MotionColumn<F::Of<S>>;
}

/// How the force on a body depends on its velocity: 2 B with B = ½ (v×* I − I v× + (I v) ×̄*), the
/// body's Coriolis matrix (Echeandia and Wensing 2021), of which the left half is zero.
///
/// For points of mass dm at x that move at ẋ, a rotation ω asks for the Coriolis force 2 ω × p, p =
/// ∫ ẋ dm, and the moment 2 ∫ x × (ω × ẋ) dm = 2 G ω, G = ∫ (x·ẋ) 1 − ẋ xᵀ dm.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BodyCoriolis<S: Scalar> {
    /// Twice the linear momentum p.
    pub momentum: Vec3<S>,
    /// 2 G.
    pub moment: Mat3<S>,
}

impl<S: Scalar> BodyCoriolis<S> {
    /// That of no body.
    #[inline(always)]
    pub fn zero() -> Self {
        let zero = Vec3::zero();
        Self {
            momentum: zero,
            moment: Mat3::from_columns(zero, zero, zero),
        }
    }

    /// That of a body that moves with a velocity, both in one frame.
    #[inline(always)]
    pub fn of(body: &DynamicParameters<S>, velocity: &Motion<S>) -> Self {
        let (v, w, h) = (velocity.linear, velocity.angular, body.first_moment);
        let (v, w) = (v + v, w + w);
        // G = (v·h) 1 − v hᵀ − ω× Σ, Σ = ½ tr(J) 1 − J the second moment of mass
        let j = body.second_moment.columns();
        let half_trace = (j.x.x + j.y.y + j.z.z) * S::constant(0.5);
        let turning = w * half_trace;
        let along = v.dot(h);
        let spin = Mat3::skew(turning);
        Self {
            momentum: w.cross_add(h, v * body.mass),
            moment: Mat3::from_columns(
                w.cross_add(
                    j.x,
                    Vec3::new(along, S::zero(), S::zero()) - v * h.x - spin.x,
                ),
                w.cross_add(
                    j.y,
                    Vec3::new(S::zero(), along, S::zero()) - v * h.y - spin.y,
                ),
                w.cross_add(
                    j.z,
                    Vec3::new(S::zero(), S::zero(), along) - v * h.z - spin.z,
                ),
            ),
        }
    }

    /// 2 B ψ.
    #[inline(always)]
    pub fn mul_motion(&self, psi: &Motion<S>) -> Force<S> {
        Force::new(
            psi.angular.cross(self.momentum),
            self.moment.mul_vec(psi.angular),
        )
    }

    /// 2 Bᵀ s, whose linear part is zero: the angular part.
    #[inline(always)]
    pub fn tr_mul_motion(&self, s: &Motion<S>) -> Vec3<S> {
        self.momentum
            .cross_add(s.linear, self.moment.tr_mul_vec(s.angular))
    }
}

impl<S: Scalar> AddAssign for BodyCoriolis<S> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.momentum += other.momentum;
        self.moment = self.moment + other.moment;
    }
}

// SAFETY: made of vectors, for which `InPlaceOf` promises the same layout, in C's order.
#[allow(unsafe_code)]
unsafe impl<S: Scalar> SeenAs for BodyCoriolis<S> {
    type As<F: Form> = BodyCoriolis<F::Of<S>>;
}

/// The memory that the derivatives write to.
#[derive(Clone, Debug)]
pub struct DerivativeMemory<S: Scalar> {
    /// One for each column of a motion subspace.
    pub columns: Vec<MotionColumn<S>>,
    /// Of each composite body.
    pub coriolis: Vec<BodyCoriolis<S>>,
    /// Momentum of each composite body, in the aligned frame.
    pub momentum: Vec<Force<S>>,
    /// How the velocity of a joint varies with its coordinates.
    velocity_change: Vec<Motion<S>>,
    /// How its acceleration does.
    acceleration_change: Vec<Motion<S>>,
    /// How the components of a force along a joint's coordinates vary with them.
    component_change: Vec<S>,
    /// ∂τ/∂q.
    pub force_dq: DMatrix<S>,
    /// ∂τ/∂v.
    pub force_dv: DMatrix<S>,
    /// ∂τ/∂a.
    pub force_da: DMatrix<S>,
    /// Whether elements of these may not be zero that are zero in every state.
    pub is_dense: bool,
    /// ∂q̈/∂q.
    pub acceleration_dq: DMatrix<S>,
    /// ∂q̈/∂v.
    pub acceleration_dv: DMatrix<S>,
    /// Joint forces of hybrid dynamics by the values given.
    pub force_dvalue: DMatrix<S>,
    /// nv rows of up to 3 nv numbers: right-hand sides side by side.
    pub rows: Vec<S>,
    /// 6 × nv results.
    pub wide: [DMatrix<S>; 4],
}

/// The most columns of a joint whose motion subspace varies.
fn most_varying_columns(model: &Model) -> usize {
    let varying = model.links.iter().filter(|link| link.is_varying);
    varying.map(|link| link.columns).max().unwrap_or(0)
}

impl<S: Scalar> DerivativeMemory<S> {
    /// Memory for a model, with square matrices of so many rows, nv or none.
    pub fn new(model: &Model, rows: usize) -> Self {
        let nv = model.nv();
        let most = most_varying_columns(model);
        let square = || zero_square(rows);
        let wide = || DMatrix::from_element(6, nv, S::zero());
        let still = Motion::zero();
        let column = MotionColumn::new(&still, &still, &still, &still);
        Self {
            columns: filled(column, model.columns()).into(),
            coriolis: filled(BodyCoriolis::zero(), model.links.len()).into(),
            momentum: filled(Force::zero(), model.links.len()).into(),
            velocity_change: filled(Motion::zero(), most).into(),
            acceleration_change: filled(Motion::zero(), most).into(),
            component_change: filled(S::zero(), most * most).into(),
            force_dq: square(),
            force_dv: square(),
            force_da: square(),
            is_dense: false,
            acceleration_dq: square(),
            acceleration_dv: square(),
            force_dvalue: square(),
            rows: filled(S::zero(), 3 * rows * rows).into(),
            wide: [wide(), wide(), wide(), wide()],
        }
    }

    /// The same memory to be written to by a kernel, and that of Jacobian columns.
    pub fn view<'a>(&'a mut self, jacobian: &'a mut [Motion<S>]) -> DerivativeView<'a, S> {
        DerivativeView {
            jacobian,
            columns: &mut self.columns,
            coriolis: &mut self.coriolis,
            momentum: &mut self.momentum,
            velocity_change: &mut self.velocity_change,
            acceleration_change: &mut self.acceleration_change,
            component_change: &mut self.component_change,
            dq: self.force_dq.as_mut_slice(),
            dv: self.force_dv.as_mut_slice(),
            da: self.force_da.as_mut_slice(),
            wide: self.wide.each_mut().map(DMatrix::as_mut_slice),
        }
    }

    /// How many bytes it takes.
    pub fn bytes(model: &Model) -> u64 {
        let nv = model.nv() as u64;
        let most = most_varying_columns(model) as u64;
        let link = size_of::<BodyCoriolis<S>>() + size_of::<Force<S>>();
        model.columns() as u64 * size_of::<MotionColumn<S>>() as u64
            + model.links.len() as u64 * link as u64
            + 2 * most * size_of::<Motion<S>>() as u64
            + (most * most + 9 * nv * nv + 24 * nv) * size_of::<S>() as u64
    }
}

/// [`DerivativeMemory`] to be written to, and the Jacobian columns of all joints.
pub struct DerivativeView<'a, S: Scalar> {
    pub jacobian: &'a mut [Motion<S>],
    pub columns: &'a mut [MotionColumn<S>],
    pub coriolis: &'a mut [BodyCoriolis<S>],
    pub momentum: &'a mut [Force<S>],
    pub velocity_change: &'a mut [Motion<S>],
    pub acceleration_change: &'a mut [Motion<S>],
    pub component_change: &'a mut [S],
    pub dq: &'a mut [S],
    pub dv: &'a mut [S],
    pub da: &'a mut [S],
    pub wide: [&'a mut [S]; 4],
}

impl<'a, S: Scalar> InForm for DerivativeView<'a, S> {
    type As<F: Form> = DerivativeView<'a, F::Of<S>>;

    #[inline(always)]
    fn in_form<F: Form>(self, form: F) -> Self::As<F> {
        let [a, b, c, d] = self.wide;
        DerivativeView {
            jacobian: seen_mut_as(self.jacobian, form),
            columns: seen_mut_as(self.columns, form),
            coriolis: seen_mut_as(self.coriolis, form),
            momentum: seen_mut_as(self.momentum, form),
            velocity_change: seen_mut_as(self.velocity_change, form),
            acceleration_change: seen_mut_as(self.acceleration_change, form),
            component_change: seen_mut_as(self.component_change, form),
            dq: seen_mut_as(self.dq, form),
            dv: seen_mut_as(self.dv, form),
            da: seen_mut_as(self.da, form),
            wide: [
                seen_mut_as(a, form),
                seen_mut_as(b, form),
                seen_mut_as(c, form),
                seen_mut_as(d, form),
            ],
        }
    }
}
