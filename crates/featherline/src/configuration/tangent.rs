//! Jacobians of integrate and difference, between tangent spaces.

use super::{moves_itself, own_ranges};
use crate::Error;
use crate::error::check_size;
use crate::joint::DifferenceMap::{ByEnd, ByStart};
use crate::joint::IntegrationMap::{ByConfiguration, ByVelocity};
use crate::joint::TangentMap;
use crate::model::Model;
use crate::scalar::{InstructionSet, Kernel, Scalar, all_finite, dispatch, kernel};
use nalgebra::DMatrixViewMut;

struct Tangent<'a, 'o, S: Scalar> {
    model: &'a Model,
    map: TangentMap<'a, S>,
    out: &'a mut DMatrixViewMut<'o, S>,
}

impl<S: Scalar> Kernel for Tangent<'_, '_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) {
        self.out.fill(S::zero());
        for joint in self.model.joints() {
            if moves_itself(joint) {
                let (q, v) = own_ranges(joint);
                let (start, shape) = (v.start, (joint.nv, joint.nv));
                let block = &mut self.out.view_mut((start, start), shape);
                joint.kind.write_tangent_map(self.map.of(q, v), block);
            }
        }
    }
}

kernel!(
    /// A Jacobian of the exponential times a vector, joint by joint.
    fn tangent_product<S: Scalar>(
        model: &Model,
        #[plain] inverse: bool,
        u: &[S],
        v: &[S],
        out: &mut [S],
    ) {
        for joint in model.joints() {
            if moves_itself(joint) {
                let (_, range) = own_ranges(joint);
                let (u, v) = (&u[range.clone()], &v[range.clone()]);
                let out = &mut out[range];
                if inverse {
                    joint.kind.displacement_rate(u, v, out);
                } else {
                    joint.kind.displacement_velocity(u, v, out);
                }
            }
        }
    }
);

/// The rate of a displacement u for which q ⊕ u moves with the velocity `v`: Jᵣ(u)⁻¹ v, into nv
/// entries.
///
/// With it a differential equation on the group is one in the coordinates u, whatever q the
/// displacement begins at (E. Hairer, C. Lubich and G. Wanner, *Geometric Numerical
/// Integration*, 2006, section IV.7). Cost O(n), no allocation.
///
/// # Errors
/// [`Error::Size`]; [`Error::NotFinite`] or [`Error::Overflow`] where there is no finite
/// result, as at a whole turn.
///
/// ```
/// use featherline::{kernel, samples};
///
/// // Hinges move in a vector space: their displacement changes at their velocity.
/// let model = samples::double_pendulum();
/// let mut rate = [0.0; 2];
/// kernel::displacement_rate(&model, &[0.3, -0.2], &[1.0, 2.0], &mut rate)?;
/// assert_eq!(rate, [1.0, 2.0]);
/// # Ok::<(), featherline::Error>(())
/// ```
pub fn displacement_rate<S: Scalar>(
    model: &Model,
    u: &[S],
    v: &[S],
    out: &mut [S],
) -> Result<(), Error> {
    model.write_product(true, u, v, out)
}

/// The velocity of q ⊕ u while the displacement u changes at the given rate: Jᵣ(u) u̇, into nv
/// entries; the inverse of [`displacement_rate`]. Cost O(n), no
/// allocation.
///
/// # Errors
/// As [`displacement_rate`].
pub fn displacement_velocity<S: Scalar>(
    model: &Model,
    u: &[S],
    rate: &[S],
    out: &mut [S],
) -> Result<(), Error> {
    model.write_product(false, u, rate, out)
}

/// The Jacobian of [`integrate`](Model::integrate) by q, into an nv × nv matrix.
///
/// Changes of configurations are velocities in their own (child) frames: moving q by δ moves
/// the result by the matrix times δ. The matrix has one block a joint, the inverse of the
/// adjoint of exp(v), and depends on `v` alone. Cost O(nv²) for writing all entries, no
/// allocation. Source: J. Solà, J. Deray and D. Atchuthan, *A micro Lie theory for state
/// estimation in robotics*, 2018, section III-C.
///
/// # Errors
/// [`Error::Size`]; [`Error::NotFinite`] or [`Error::Overflow`] where there is no finite
/// result.
pub fn d_integrate_dq<'o, S: Scalar>(
    model: &Model,
    v: &[S],
    out: impl Into<DMatrixViewMut<'o, S>>,
) -> Result<(), Error> {
    model.write_tangent(TangentMap::Integration(ByConfiguration, v), out.into())
}

/// The Jacobian of [`integrate`](Model::integrate) by v, into an nv × nv matrix.
///
/// The matrix has one block a joint, the right Jacobian of the exponential, and depends on `v`
/// alone. Cost O(nv²) for writing all entries, no allocation.
///
/// # Errors
/// As [`d_integrate_dq`].
pub fn d_integrate_dv<'o, S: Scalar>(
    model: &Model,
    v: &[S],
    out: impl Into<DMatrixViewMut<'o, S>>,
) -> Result<(), Error> {
    model.write_tangent(TangentMap::Integration(ByVelocity, v), out.into())
}

/// The Jacobian of [`difference`](Model::difference) by q0, into an nv × nv matrix.
///
/// The matrix has one block a joint, minus the inverse of the left Jacobian of the exponential.
/// Cost O(nv²) for writing all entries, no allocation.
///
/// # Errors
/// [`Error::Size`]; [`Error::NotFinite`], [`Error::ZeroRotation`] or [`Error::Overflow`] where
/// there is no finite result.
///
/// ```
/// use featherline::nalgebra::DMatrix;
/// use featherline::{configuration, samples};
///
/// // Two hinges: the difference is that of two vectors.
/// let model = samples::double_pendulum();
/// let mut by_start = DMatrix::zeros(2, 2);
/// configuration::d_difference_dq0(&model, &[0.1, 0.2], &[0.3, 0.4], &mut by_start)?;
/// assert_eq!(by_start, -DMatrix::identity(2, 2));
/// # Ok::<(), featherline::Error>(())
/// ```
pub fn d_difference_dq0<'o, S: Scalar>(
    model: &Model,
    q0: &[S],
    q1: &[S],
    out: impl Into<DMatrixViewMut<'o, S>>,
) -> Result<(), Error> {
    model.write_tangent(TangentMap::Difference(ByStart, q0, q1), out.into())
}

/// The Jacobian of [`difference`](Model::difference) by q1, into an nv × nv matrix.
///
/// The matrix has one block a joint, the inverse of the right Jacobian of the exponential. Cost
/// O(nv²) for writing all entries, no allocation.
///
/// # Errors
/// As [`d_difference_dq0`].
pub fn d_difference_dq1<'o, S: Scalar>(
    model: &Model,
    q0: &[S],
    q1: &[S],
    out: impl Into<DMatrixViewMut<'o, S>>,
) -> Result<(), Error> {
    model.write_tangent(TangentMap::Difference(ByEnd, q0, q1), out.into())
}

impl Model {
    fn write_product<S: Scalar>(
        &self,
        inverse: bool,
        u: &[S],
        v: &[S],
        out: &mut [S],
    ) -> Result<(), Error> {
        self.check_tangent("the displacement", u)?;
        self.check_tangent("its rate or velocity", v)?;
        self.check_tangent("the vector to be written", out)?;
        tangent_product(self, inverse, u, v, out);
        if all_finite(out) {
            return Ok(());
        }
        for (what, values) in [("the displacement", u), ("its rate or velocity", v)] {
            if let Some(index) = values.iter().position(|x| !x.is_finite()) {
                return Err(Error::NotFinite { what, index });
            }
        }
        Err(Error::Overflow {
            what: "the rate of a displacement",
        })
    }

    fn write_tangent<S: Scalar>(
        &self,
        map: TangentMap<'_, S>,
        mut out: DMatrixViewMut<'_, S>,
    ) -> Result<(), Error> {
        self.check_map(map)?;
        check_size("the rows of the Jacobian", self.nv(), out.nrows())?;
        check_size("the columns of the Jacobian", self.nv(), out.ncols())?;
        let (model, out) = (self, &mut out);
        dispatch(Tangent { model, map, out });
        let what = match map {
            TangentMap::Integration(..) => "the Jacobian of the integration",
            TangentMap::Difference(..) => "the Jacobian of the difference",
        };
        self.check_mapped(map, columns_are_finite(out), what)
    }

    /// Fails unless the vectors of a map have the model's lengths.
    pub(super) fn check_map<S: Scalar>(&self, map: TangentMap<'_, S>) -> Result<(), Error> {
        match map {
            TangentMap::Integration(_, v) => self.check_tangent("v", v),
            TangentMap::Difference(_, q0, q1) => self.check_ends(q0, q1),
        }
    }

    /// Fails unless what was written is finite. Constant blocks hide inputs that are not finite, so
    /// these are checked, too.
    pub(super) fn check_mapped<S: Scalar>(
        &self,
        map: TangentMap<'_, S>,
        is_finite: bool,
        what: &'static str,
    ) -> Result<(), Error> {
        match map {
            TangentMap::Integration(_, v) => match v.iter().position(|x| !x.is_finite()) {
                Some(index) => Err(Error::NotFinite { what: "v", index }),
                None if is_finite => Ok(()),
                None => Err(Error::Overflow { what }),
            },
            TangentMap::Difference(_, q0, q1) => {
                if is_finite && all_finite(q0) && all_finite(q1) {
                    Ok(())
                } else {
                    Err(self.explain_ends(what, q0, q1))
                }
            }
        }
    }
}

fn columns_are_finite<S: Scalar>(matrix: &DMatrixViewMut<'_, S>) -> bool {
    let mut columns = matrix.column_iter();
    columns.all(|column| all_finite(column.as_slice()))
}
