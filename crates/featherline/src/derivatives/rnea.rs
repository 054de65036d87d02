//! Derivatives of inverse dynamics in O(nd).
//!
//! S. Singh, R. P. Russell and P. M. Wensing, *Efficient analytical derivatives of rigid-body
//! dynamics using spatial vector algebra*, IEEE Robotics and Automation Letters 7(2), 2022,
//! algorithm 1 (IDSVA); J. Carpentier and N. Mansard, *Analytical derivatives of rigid body
//! dynamics algorithms*, 2018. With the composite inertia Iᶜ, the sum 2 Bᶜ of the bodies' Coriolis
//! matrices and the force fᶜ of each subtree, for a joint j on the path to the root of joint i:
//!
//! | element | formula |
//! |---|---|
//! | ∂τᵢ/∂qⱼ | Jᵢᵀ (Iᵢᶜ ψ̈ⱼ + 2 Bᵢᶜ ψ̇ⱼ) |
//! | ∂τⱼ/∂qᵢ | Jⱼᵀ (Iᵢᶜ ψ̈ᵢ + 2 Bᵢᶜ ψ̇ᵢ + Jᵢ ×* fᵢᶜ) |
//! | ∂τᵢ/∂vⱼ | Jᵢᵀ (Iᵢᶜ ξⱼ + 2 Bᵢᶜ Jⱼ) |
//! | ∂τⱼ/∂vᵢ | Jⱼᵀ (Iᵢᶜ ξᵢ + 2 Bᵢᶜ Jᵢ) |
//! | ∂τᵢ/∂aⱼ = ∂τⱼ/∂aᵢ | Jᵢᵀ Iᵢᶜ Jⱼ |
//!
//! ψ̇, ψ̈ and ξ are those of [`columns`](super::columns).

use super::columns::{place_in_motion, write_columns};
use super::passive::add_passive_derivatives;
use crate::dynamics::{DynamicsOptions, external};
use crate::error::{Error, check_size};
use crate::joint::dispatched::component_variation;
use crate::kinematics::joint_pass::place_links;
use crate::model::{JointId, Model};
use crate::scalar::{Scalar, kernel};
use crate::spatial::{DynamicParameters, Force, Motion, Vec3};
use crate::workspace::{BodyCoriolis, DerivativeView, Matrices, MotionColumn, Scratch, Workspace};
use nalgebra::DMatrix;

kernel!(
    avx512:
    /// Places links and bodies in motion: all that does not depend on accelerations.
    pub(super) fn place_bodies<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        q: &[S],
        v: &[S],
        #[plain] are_links_placed: bool,
        memory: DerivativeView<'_, S>,
    ) {
        if !are_links_placed {
            place_links(model, q, &mut ws.placement, &mut ws.subspaces.column);
        }
        place_in_motion(model, ws, (q, v), memory.jacobian);
        for (i, link) in model.links.iter().enumerate().skip(1) {
            let body = ws.parameters_of(i, link).transformed_by(&ws.world[i]);
            memory.coriolis[i] = BodyCoriolis::of(&body, &ws.velocity[i]);
            ws.composite[i] = body;
        }
    }
);

kernel!(
    avx512:
    /// Writes τ to `ws.vector`, and its derivatives, nv × nv each, of bodies that have been placed
    /// in motion. Elements that are zero in every state are not written, and the mass matrix only
    /// if it is asked for.
    fn inverse_dynamics_derivatives<S: Scalar, const ADD: bool, const MASS: bool>(
        model: &Model,
        ws: &mut Scratch<S>,
        q: &[S],
        v: &[S],
        a: &[S],
        forces: Option<&[Force<S>]>,
        #[plain] gravity: Vec3<f64>,
        memory: DerivativeView<'_, S>,
    ) {
        let mut memory = memory;
        write_columns(model, ws, (q, v, a), gravity, &mut memory);
        let DerivativeView {
            columns,
            coriolis,
            component_change,
            dq,
            dv,
            da,
            ..
        } = memory;
        for i in 1..model.links.len() {
            ws.force[i] = force_on_body(model, ws, i, &ws.acceleration[i], forces);
        }
        for k in 0..model.nv() {
            let armature = S::constant(model.reflected_inertia[k]);
            ws.vector[k] = armature * a[k];
            if ADD {
                da[k * model.nv() + k] = armature;
            }
        }
        // Slices of one length: what is checked for one index is checked for all.
        let (n, square) = (model.nv(), model.nv() * model.nv());
        let out = &mut Elements::<S, ADD, MASS> {
            n,
            dq: &mut dq[..square],
            dv: &mut dv[..square],
            da: &mut da[..square],
        };
        for i in (1..model.links.len()).rev() {
            let link = &model.links[i];
            let (inertia, b, f) = (ws.composite[i], coriolis[i], ws.force[i]);
            for k in 0..link.columns {
                let column = &columns[link.column + k];
                let j = column.jacobian();
                let row = RowFactors::of(&inertia, &b, &f, column);
                ws.vector[link.idx_v + k] += j.dot(&f);
                // The joint's own coordinates, as columns of this row.
                for (d, other) in columns[link.column_range()].iter().enumerate() {
                    out.put_own(link.idx_v + k, link.idx_v + d, &row, other);
                }
                let mut above = link.parent;
                while above != 0 {
                    let carrier = &model.links[above];
                    for d in 0..carrier.columns {
                        let other = &columns[carrier.column + d];
                        out.put_pair(link.idx_v + k, carrier.idx_v + d, &row, other);
                    }
                    above = carrier.parent;
                }
            }
            if link.is_varying {
                // ∂S_k/∂q_d · f
                let joint = &model.joints()[i];
                let in_link = ws.world[i].inverse_act_force(&f);
                let own_q = &q[link.idx_q..link.idx_q + joint.nq];
                let column = &ws.subspaces.column[link.column_range()];
                component_variation(&joint.kind, own_q, column, in_link, component_change);
                for d in 0..link.columns {
                    for k in 0..link.columns {
                        let place = (link.idx_v + d) * out.n + link.idx_v + k;
                        out.dq[place] += component_change[d * link.columns + k];
                    }
                }
            }
            if link.parent != 0 {
                ws.composite[link.parent] += inertia;
                coriolis[link.parent] += b;
                ws.force[link.parent] += f;
            }
        }
        if !ADD && MASS {
            for k in 0..out.n {
                out.da[k * out.n + k] += S::constant(model.reflected_inertia[k]);
            }
        }
    }
);

/// The force that the links around it hand to a body.
#[inline(always)]
pub(super) fn force_on_body<S: Scalar>(
    model: &Model,
    ws: &Scratch<S>,
    i: usize,
    a_i: &Motion<S>,
    forces: Option<&[Force<S>]>,
) -> Force<S> {
    // f_i = I_i a_i + v_i ×* I_i v_i − f_i^x
    let f_i = ws.composite[i].newton_euler(&ws.velocity[i], a_i);
    match forces {
        Some(forces) => f_i - ws.world[i].act_force(&model.links[i].force_in_link(&forces[i])),
        None => f_i,
    }
}

/// The factors of the columns of other coordinates in the row and the column of one.
struct RowFactors<S: Scalar> {
    /// I J.
    momentum: [S; 6],
    /// The angular part of 2 Bᵀ J, whose linear part is zero.
    turning: [S; 3],
    /// The components of the forces that this coordinate causes in its carriers, by q and by v.
    carried: [Vec3<S>; 6],
}

impl<S: Scalar> RowFactors<S> {
    #[inline(always)]
    fn of(
        inertia: &DynamicParameters<S>,
        b: &BodyCoriolis<S>,
        f: &Force<S>,
        column: &MotionColumn<S>,
    ) -> Self {
        let (j, psi) = (column.jacobian(), column.psi());
        // I ψ̈ + 2 B ψ̇ + J ×* f
        let by_q = inertia.mul_motion(&column.psi_rate()) + b.mul_motion(&psi) + j.cross_force(f);
        // I ξ + 2 B J
        let by_v = inertia.mul_motion(&column.xi()) + b.mul_motion(&j);
        let (by_q, by_v) = (by_q.to_array(), by_v.to_array());
        let mut carried = [Vec3::zero(); 6];
        for c in 0..6 {
            carried[c] = Vec3::new(by_q[c], by_v[c], S::zero());
        }
        Self {
            momentum: inertia.mul_motion(&j).to_array(),
            turning: b.tr_mul_motion(&j).to_array(),
            carried,
        }
    }

    /// ∂τ/∂q, ∂τ/∂v and ∂τ/∂a of this coordinate's force, by one that carries it.
    #[inline(always)]
    fn own(&self, other: &MotionColumn<S>) -> Vec3<S> {
        // ψ̈ᵀ I J + ψ̇ᵀ 2 Bᵀ J, ξᵀ I J + Jᵀ 2 Bᵀ J, Jᵀ I J
        let mut linear = other.rows[0] * self.momentum[0];
        let mut angular = other.rows[3] * self.momentum[3];
        let mut turning = other.turning[0] * self.turning[0];
        for c in 1..3 {
            linear = other.rows[c].mul_add(self.momentum[c], linear);
            angular = other.rows[c + 3].mul_add(self.momentum[c + 3], angular);
            turning = other.turning[c].mul_add(self.turning[c], turning);
        }
        linear + angular + turning
    }

    /// ∂τ/∂q and ∂τ/∂v of the force of a coordinate that carries this one, by this one.
    #[inline(always)]
    fn carried(&self, other: &MotionColumn<S>) -> Vec3<S> {
        let mut linear = self.carried[0] * other.rows[0].z;
        let mut angular = self.carried[3] * other.rows[3].z;
        for c in 1..3 {
            linear = self.carried[c].mul_add(other.rows[c].z, linear);
            angular = self.carried[c + 3].mul_add(other.rows[c + 3].z, angular);
        }
        linear + angular
    }
}

/// The three matrices, column by column. Mimic joints share coordinates, so that several pairs of
/// joints add up in one element.
struct Elements<'a, S: Scalar, const ADD: bool, const MASS: bool> {
    n: usize,
    dq: &'a mut [S],
    dv: &'a mut [S],
    da: &'a mut [S],
}

impl<S: Scalar, const ADD: bool, const MASS: bool> Elements<'_, S, ADD, MASS> {
    #[inline(always)]
    fn put(place: &mut S, value: S) {
        *place = if ADD { *place + value } else { value };
    }

    /// The elements of a pair of coordinates of one joint: row k, column `other`.
    #[inline(always)]
    fn put_own(&mut self, k: usize, other: usize, row: &RowFactors<S>, column: &MotionColumn<S>) {
        let own = row.own(column);
        let place = other * self.n + k;
        Self::put(&mut self.dq[place], own.x);
        Self::put(&mut self.dv[place], own.y);
        if MASS {
            Self::put(&mut self.da[place], own.z);
        }
    }

    /// The elements of a coordinate and one that carries it, both ways.
    #[inline(always)]
    fn put_pair(&mut self, k: usize, other: usize, row: &RowFactors<S>, column: &MotionColumn<S>) {
        let (own, carried) = (row.own(column), row.carried(column));
        let (lower, upper) = (other * self.n + k, k * self.n + other);
        Self::put(&mut self.dq[lower], own.x);
        Self::put(&mut self.dv[lower], own.y);
        Self::put(&mut self.dq[upper], carried.x);
        Self::put(&mut self.dv[upper], carried.y);
        if MASS {
            Self::put(&mut self.da[lower], own.z);
            Self::put(&mut self.da[upper], own.z);
        }
    }
}

/// The derivatives of inverse dynamics: the result of [`Model::rnea_derivatives`] and
/// [`Model::inverse_dynamics_derivatives`].
#[derive(Clone, Copy, Debug)]
pub struct InverseDynamicsDerivatives<'w, S: Scalar> {
    /// τ itself, nv entries.
    pub tau: &'w [S],
    /// ∂τ/∂q, nv × nv, by changes of q in the tangent space.
    pub dq: &'w DMatrix<S>,
    /// ∂τ/∂v, nv × nv.
    pub dv: &'w DMatrix<S>,
    /// ∂τ/∂a = M(q), nv × nv.
    pub da: &'w DMatrix<S>,
    pub(super) columns: ForceColumns<'w, S>,
}

impl<S: Scalar> InverseDynamicsDerivatives<'_, S> {
    /// Writes ∂τ/∂f, nv × 6, for the external force on a joint's body: −Jᵀ, J the Jacobian of the
    /// joint's output frame in it. Cost O(nv).
    ///
    /// # Errors
    /// [`Error::Size`] unless `out` is nv × 6; [`Error::ForeignId`].
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    /// use nalgebra::DMatrix;
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let zero = [0.0_f64; 2];
    /// let derivatives = model.rnea_derivatives(&mut ws, &zero, &zero, &zero)?;
    /// let mut by_force = DMatrix::zeros(2, 6);
    /// derivatives.d_external_force_into(model.joint_id("elbow")?, &mut by_force)?;
    /// // A push along x at the elbow, 1 m below the shoulder.
    /// assert_eq!((by_force[(0, 0)], by_force[(1, 0)]), (1.0, 0.0));
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn d_external_force_into(&self, joint: JointId, out: &mut DMatrix<S>) -> Result<(), Error> {
        self.columns.write(joint, None, out)
    }
}

/// The Jacobian columns of all joints, for derivatives by external forces.
#[derive(Clone, Copy, Debug)]
pub(super) struct ForceColumns<'w, S: Scalar> {
    pub model: &'w Model,
    pub scratch: &'w Scratch<S>,
    pub jacobian: &'w [Motion<S>],
}

impl<S: Scalar> ForceColumns<'_, S> {
    /// Writes −Jᵀ, or a given matrix times Jᵀ, nv × 6, with the Jacobian J of an output frame.
    pub(super) fn write(
        &self,
        joint: JointId,
        response: Option<&DMatrix<S>>,
        out: &mut DMatrix<S>,
    ) -> Result<(), Error> {
        let model = self.model;
        model.check_joint(joint)?;
        check_size("the rows of the derivative", model.nv(), out.nrows())?;
        check_size("the columns of the derivative", 6, out.ncols())?;
        let mut i = joint.index();
        let frame = model.links[i].output_frame(&self.scratch.world[i]);
        out.fill(S::zero());
        while i != 0 {
            let link = &model.links[i];
            for (k, column) in self.jacobian[link.column_range()].iter().enumerate() {
                let column = frame.inverse_act_motion(column).to_array();
                let k = link.idx_v + k;
                for c in 0..6 {
                    let Some(response) = response else {
                        out[(k, c)] -= column[c];
                        continue;
                    };
                    for row in 0..model.nv() {
                        out[(row, c)] = response[(row, k)].mul_add(column[c], out[(row, c)]);
                    }
                }
            }
            i = link.parent;
        }
        Ok(())
    }
}

impl Model {
    /// The derivatives of [`rnea`](Self::rnea) by q, v and a, and τ itself.
    ///
    /// Column k of `dq` is the change of τ for q ⊕ ε eₖ by ε: for a free-flyer, motions in the
    /// base's own frame. Every joint kind and mimic joints are treated alike; armature is part of
    /// `da`. `q` has nq entries, `v` and `a` have nv. Cost O(nd), d the depth of the tree, no
    /// allocation. Source: Singh, Russell and Wensing 2022, algorithm 1.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], [`Error::NoMatrices`], and
    /// [`Error::NotFinite`] or [`Error::ZeroRotation`] for inputs that have no finite result.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// // A small angle ε of a hanging rod's hinge asks for the torque m g (l/2) ε.
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let zero = [0.0_f64; 2];
    /// let derivatives = model.rnea_derivatives(&mut ws, &zero, &zero, &zero)?;
    /// assert!((derivatives.dq[(1, 1)] - 0.5 * 9.81).abs() < 1e-12);
    /// assert_eq!(derivatives.dv[(0, 0)], 0.0);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn rnea_derivatives<'w, S: Scalar>(
        &'w self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        a: &[S],
    ) -> Result<InverseDynamicsDerivatives<'w, S>, Error> {
        let options = DynamicsOptions::default().without_passive_forces();
        self.inverse_dynamics_derivatives(ws, q, v, a, options)
    }

    /// The derivatives of [`inverse_dynamics`](Self::inverse_dynamics) with the same options by q,
    /// v and a, and τ itself.
    ///
    /// External forces stay as they are in the frames of their joints while those move, forces on
    /// frames in their references. Dry friction is constant, but where a coordinate is at rest:
    /// there its derivative is given as zero. Cost O(nd), no allocation.
    ///
    /// # Errors
    /// As [`rnea_derivatives`](Self::rnea_derivatives).
    ///
    /// ```
    /// use featherline::dynamics::DynamicsOptions;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (q, v, a) = ([0.3, -0.2], [1.0, 0.5], [0.0, 2.0_f64]);
    /// let options = DynamicsOptions::default();
    /// let derivatives = model.inverse_dynamics_derivatives(&mut ws, &q, &v, &a, options)?;
    /// let mass = derivatives.da.clone();
    /// assert!((mass - model.crba(&mut ws, &q)?).norm() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn inverse_dynamics_derivatives<'w, S: Scalar>(
        &'w self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        a: &[S],
        options: DynamicsOptions<'_, S>,
    ) -> Result<InverseDynamicsDerivatives<'w, S>, Error> {
        self.differentiate_inverse_dynamics(ws, q, v, a, options)?;
        let (
            scratch,
            Matrices {
                jacobian,
                derivatives,
                ..
            },
        ) = ws.parts(self)?;
        Ok(InverseDynamicsDerivatives {
            tau: &scratch.vector,
            dq: &derivatives.force_dq,
            dv: &derivatives.force_dv,
            da: &derivatives.force_da,
            columns: ForceColumns {
                model: self,
                scratch,
                jacobian,
            },
        })
    }

    /// Writes τ and its derivatives to the workspace.
    pub(super) fn differentiate_inverse_dynamics<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        v: &[S],
        a: &[S],
        options: DynamicsOptions<'_, S>,
    ) -> Result<(), Error> {
        ws.check_matrices(self)?;
        self.check_state(q, v)?;
        self.check_tangent("a", a)?;
        self.with_joint_forces(ws, q, options, |ws, options| {
            if let Some(forces) = external(options.external_forces) {
                check_size("external forces", self.links.len(), forces.len())?;
            }
            let (scratch, matrices) = ws.parts(self)?;
            let memory = matrices.derivatives.view(&mut matrices.jacobian);
            place_bodies(self, scratch, q, v, false, memory);
            self.differentiate_from_bodies::<S, true>(ws, q, v, a, options)
        })
    }

    /// As [`differentiate_inverse_dynamics`](Self::differentiate_inverse_dynamics), of bodies that
    /// have been placed in motion; ∂τ/∂a only if it is asked for.
    pub(super) fn differentiate_from_bodies<S: Scalar, const MASS: bool>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        v: &[S],
        a: &[S],
        options: DynamicsOptions<'_, S>,
    ) -> Result<(), Error> {
        let forces = external(options.external_forces);
        let (scratch, matrices) = ws.parts(self)?;
        let was_dense = std::mem::take(&mut matrices.derivatives.is_dense);
        let memory = matrices.derivatives.view(&mut matrices.jacobian);
        let run = if self.has_mimic_joints() || was_dense {
            for matrix in [&mut *memory.dq, memory.dv, memory.da] {
                matrix.fill(S::zero());
            }
            inverse_dynamics_derivatives::<S, true, true>
        } else {
            inverse_dynamics_derivatives::<S, false, MASS>
        };
        run(self, scratch, q, v, a, forces, self.gravity(), memory);
        let (dq, dv) = (
            &matrices.derivatives.force_dq,
            &matrices.derivatives.force_dv,
        );
        // A non-finite entry of a body makes the elements of its own column non-finite, the
        // diagonal ones among them.
        let mut finite = true;
        for k in 0..self.nv() {
            finite &= scratch.vector[k].is_finite();
            finite &= dq[(k, k)].is_finite() && dv[(k, k)].is_finite();
        }
        if !finite {
            let tangents = [("v", v), ("a", a)];
            return Err(self.explain_not_finite("a derivative", q, &tangents, forces));
        }
        // −Jᵀ ∂f/∂q
        let dq = matrices.derivatives.force_dq.as_mut_slice();
        self.add_changes(scratch, &matrices.jacobian, options.frame_forces, -1.0, dq)?;
        self.subtract_passive_forces(ws, q, v, options)?;
        if options.passive_forces {
            let memory = &mut ws.parts(self)?.1.derivatives;
            let (dq, dv) = (&mut memory.force_dq, &mut memory.force_dv);
            add_passive_derivatives(self, q, -1.0, dq.as_mut_slice(), dv.as_mut_slice());
        }
        Ok(())
    }
}
