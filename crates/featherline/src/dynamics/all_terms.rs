//! All terms of the equations of motion in one pass over the tree: what a whole-body controller
//! asks for.
//!
//! The passes of inverse dynamics, composite bodies and forward kinematics visit the same links in
//! the same order, and share placements, velocities and inertias. Afterwards the workspace holds
//! what each of them leaves, so that their views can be read.

use super::centroidal::{center_of_mass, check_mass, map_velocity, write_map};
use super::crba::write_mass_matrix;
use super::energy::twice_rotor_energy;
use super::gravity::add_weight;
use crate::error::{Error, check_size};
use crate::kinematics::forward::leave_room;
use crate::kinematics::joint_pass::{add_components, move_link, place_links};
use crate::kinematics::reference_frame::at_origin;
use crate::kinematics::{CentersOfMass, Velocities};
use crate::model::Model;
use crate::scalar::{Form, Scalar, SeenAs, all_finite, kernel};
use crate::spatial::{Force, Motion, Vec3};
use crate::workspace::RegionView;
use crate::workspace::{Matrices, Scratch, Workspace};
use nalgebra::{DMatrix, DMatrixViewMut};
use std::ops::Deref;

// SAFETY: made of vectors and scalars, for which `InPlaceOf` promises the same layout, in C's
// order.
#[allow(unsafe_code)]
unsafe impl<S: Scalar> SeenAs for Sums<S> {
    type As<F: Form> = Sums<F::Of<S>>;
}

/// The results that are no vectors or matrices.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Sums<S: Scalar> {
    kinetic_energy: S,
    potential_energy: S,
    momentum: Force<S>,
    drift: Force<S>,
}

kernel!(
    fn all_terms<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        mass: &mut [S],
        regions: RegionView<'_, S>,
        map: &mut [S],
        q: &[S],
        v: &[S],
    ) -> Sums<S> {
        let mut regions = regions;
        let gravity = Vec3::<S>::constant(model.gravity());
        let twice_energy = to_the_leaves(model, ws, q, v);
        to_the_root(model, ws);
        write_mass_matrix(model, ws, &mut regions, mass);
        let com = center_of_mass(model, ws);
        let column = &ws.subspaces.column;
        write_map(model, &ws.world, &ws.composite, column, com, map);
        let momentum = map_velocity(map, v);
        ws.second.fill(S::zero());
        let mut drift = Force::zero();
        for (i, link) in model.links.iter().enumerate().skip(1) {
            let up = -ws.world[i].rotation.tr_mul_vec(gravity);
            add_weight(
                link,
                up,
                &ws.composite[i],
                &ws.subspaces.column,
                &mut ws.second,
            );
            if link.parent == 0 {
                drift += at_origin(&ws.world[i], com).act_force(&ws.force[i]);
            }
        }
        // The force that holds the accelerations at zero, less the weight, which acts at the centre
        // of mass.
        drift.linear = gravity.mul_add(ws.composite[0].mass, drift.linear);
        Sums {
            kinetic_energy: twice_energy * S::constant(0.5),
            potential_energy: -gravity.dot(ws.composite[0].first_moment),
            momentum,
            drift,
        }
    }
);

/// Placements, velocities and bias forces; returns twice the kinetic energy.
#[inline(always)]
fn to_the_leaves<S: Scalar>(model: &Model, ws: &mut Scratch<S>, q: &[S], v: &[S]) -> S {
    ws.velocity[0] = Motion::zero();
    ws.acceleration[0] = Motion::new(-Vec3::<S>::constant(model.gravity()), Vec3::zero());
    let mut twice_energy = twice_rotor_energy(model, v);
    place_links(model, q, &mut ws.placement, &mut ws.subspaces.column);
    for (i, link) in model.links.iter().enumerate().skip(1) {
        let placement = ws.placement[i];
        ws.world[i] = ws.world[link.parent].compose(&placement);
        let carried = ws.placement[i].inverse_act_motion(&ws.velocity[link.parent]);
        let (velocity, bias) = move_link(model, i, link, (q, v), carried, &mut ws.subspaces);
        let acceleration = placement.inverse_act_motion(&ws.acceleration[link.parent]) + bias;
        let inertia = ws.parameters_of(i, link);
        twice_energy += inertia.mul_motion(&velocity).dot(&velocity);
        ws.velocity[i] = velocity;
        ws.acceleration[i] = acceleration;
        ws.force[i] = inertia.newton_euler(&velocity, &acceleration);
        ws.composite[i] = inertia;
    }
    twice_energy
}

/// Composite inertias in link frames, and the bias force.
#[inline(always)]
fn to_the_root<S: Scalar>(model: &Model, ws: &mut Scratch<S>) {
    ws.vector.fill(S::zero());
    for (i, link) in model.links.iter().enumerate().skip(1).rev() {
        let force = ws.force[i];
        add_components(link, &ws.subspaces.column, &force, &mut ws.vector);
        if link.parent != 0 {
            let placement = &ws.placement[i];
            let inertia = ws.composite[i].transformed_by(placement);
            ws.force[link.parent] += placement.act_force(&force);
            ws.composite[link.parent] += inertia;
        }
    }
}

/// All terms of the equations of motion in one state: the result of [`Model::all_terms`].
///
/// It shows [velocities](Velocities) and positions, too: placements, velocities, Jacobians and J̇ v
/// of any frame. Everything is borrowed from the workspace, nothing is copied; the `_into` forms
/// write to a caller's buffers, parts of larger matrices among them.
///
/// ```
/// use featherline::kinematics::ReferenceFrame;
/// use featherline::{Workspace, samples};
/// use nalgebra::DMatrix;
///
/// let model = samples::double_pendulum();
/// let mut ws = Workspace::new(&model);
/// let tip = model.frame_id("lower_rod")?;
/// let mut kkt = DMatrix::zeros(8, 8);
///
/// let terms = model.all_terms(&mut ws, &[0.3, -0.2], &[1.0, 0.5])?;
/// terms.mass_matrix_into(&mut kkt.view_mut((0, 0), (2, 2)))?;
/// terms.jacobian_into(tip, ReferenceFrame::LocalWorldAligned, &mut kkt.view_mut((2, 0), (6, 2)))?;
/// let drift = terms.classical_bias_acceleration(tip, ReferenceFrame::LocalWorldAligned);
/// assert_eq!(kkt[(0, 1)], terms.mass_matrix()[(0, 1)]);
/// assert_eq!(terms.bias().len(), 2);
/// assert!(drift.linear.z > 0.0);
/// # Ok::<(), featherline::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AllTerms<'w, S: Scalar> {
    model: &'w Model,
    scratch: &'w Scratch<S>,
    matrices: &'w Matrices<S>,
    velocities: Velocities<'w, S>,
    sums: Sums<S>,
}

impl<'w, S: Scalar> Deref for AllTerms<'w, S> {
    type Target = Velocities<'w, S>;

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.velocities
    }
}

impl<'w, S: Scalar> AllTerms<'w, S> {
    /// The mass matrix M(q), nv × nv and symmetric, as [`Model::crba`] gives it.
    pub fn mass_matrix(&self) -> &'w DMatrix<S> {
        &self.matrices.mass
    }

    /// Writes the [mass matrix](Self::mass_matrix). Cost O(nv²).
    ///
    /// # Errors
    /// [`Error::Size`] unless `out` is nv × nv.
    pub fn mass_matrix_into<'o>(&self, out: impl Into<DMatrixViewMut<'o, S>>) -> Result<(), Error> {
        copy("the mass matrix", self.mass_matrix(), out.into())
    }

    /// The bias force C(q, v), gravity included, nv entries, as [`Model::bias`] gives it.
    pub fn bias(&self) -> &'w [S] {
        &self.scratch.vector
    }

    /// Writes the [bias force](Self::bias).
    ///
    /// # Errors
    /// [`Error::Size`] unless `out` has nv entries.
    pub fn bias_into(&self, out: &mut [S]) -> Result<(), Error> {
        check_size("the bias force", self.model.nv(), out.len())?;
        out.copy_from_slice(self.bias());
        Ok(())
    }

    /// The gravity torque g(q), nv entries, as [`Model::gravity_torque`] gives it: the part of the
    /// bias that remains at rest.
    pub fn gravity_torque(&self) -> &'w [S] {
        &self.scratch.second
    }

    /// Writes the [gravity torque](Self::gravity_torque).
    ///
    /// # Errors
    /// [`Error::Size`] unless `out` has nv entries.
    pub fn gravity_torque_into(&self, out: &mut [S]) -> Result<(), Error> {
        check_size("the gravity torque", self.model.nv(), out.len())?;
        out.copy_from_slice(self.gravity_torque());
        Ok(())
    }

    /// The centres of mass of the robot and its subtrees, with their Jacobians.
    pub fn centers_of_mass(&self) -> CentersOfMass<'w, S> {
        CentersOfMass::of(self.model, self.scratch)
    }

    /// The centroidal momentum matrix A(q), 6 × nv, as [`Model::centroidal_map`] gives it. Its
    /// linear rows are the total mass times the Jacobian of the centre of mass.
    ///
    /// # Errors
    /// [`Error::NoMass`] if the robot has none.
    pub fn centroidal_map(&self) -> Result<&'w DMatrix<S>, Error> {
        check_mass(self.model, self.scratch)?;
        Ok(&self.matrices.wide)
    }

    /// Writes the [centroidal momentum matrix](Self::centroidal_map). Cost O(nv).
    ///
    /// # Errors
    /// [`Error::Size`] unless `out` is 6 × nv; [`Error::NoMass`] if the robot has none.
    pub fn centroidal_map_into<'o>(
        &self,
        out: impl Into<DMatrixViewMut<'o, S>>,
    ) -> Result<(), Error> {
        copy(
            "the centroidal momentum matrix",
            self.centroidal_map()?,
            out.into(),
        )
    }

    /// The centroidal momentum A v, as [`Model::centroidal_momentum`] gives it.
    ///
    /// # Errors
    /// [`Error::NoMass`] if the robot has none.
    pub fn centroidal_momentum(&self) -> Result<Force<S>, Error> {
        check_mass(self.model, self.scratch)?;
        Ok(self.sums.momentum)
    }

    /// Ȧ v: the rate that the centroidal momentum has while all q̈ are zero.
    ///
    /// # Errors
    /// [`Error::NoMass`] if the robot has none.
    pub fn centroidal_drift(&self) -> Result<Force<S>, Error> {
        check_mass(self.model, self.scratch)?;
        Ok(self.sums.drift)
    }

    /// The kinetic energy, in J, as [`Model::kinetic_energy`] gives it.
    pub fn kinetic_energy(&self) -> S {
        self.sums.kinetic_energy
    }

    /// The potential energy, in J, as [`Model::potential_energy`] gives it.
    pub fn potential_energy(&self) -> S {
        self.sums.potential_energy
    }
}

fn copy<S: Scalar>(
    what: &'static str,
    from: &DMatrix<S>,
    mut out: DMatrixViewMut<'_, S>,
) -> Result<(), Error> {
    check_size(what, from.nrows(), out.nrows())?;
    check_size(what, from.ncols(), out.ncols())?;
    out.copy_from(from);
    Ok(())
}

impl Model {
    /// All terms of the equations of motion M q̈ + C = τ + Σ Jᵀf in the state (`q`, `v`), in one
    /// pass over the tree.
    ///
    /// The view shows the mass matrix, the bias and the gravity torque; placements, velocities,
    /// Jacobians, their rates and J̇ v of all frames; centres of mass; centroidal momentum;
    /// energies. `q` has nq entries, `v` nv. Armature and reflected rotor inertia are counted,
    /// passive forces are not. Cost O(nd), d the depth of the tree. Source: Featherstone 2008,
    /// tables 5.1 and 6.2, with shared passes.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], [`Error::NoMatrices`], and
    /// [`Error::NotFinite`] or [`Error::ZeroRotation`] for inputs that have no finite result.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let (mut ws, mut other) = (Workspace::new(&model), Workspace::new(&model));
    /// let (q, v) = ([0.3, -0.2], [1.0_f64, 0.5]);
    /// let terms = model.all_terms(&mut ws, &q, &v)?;
    /// assert_eq!(terms.mass_matrix(), model.crba(&mut other, &q)?);
    /// assert_eq!(terms.bias(), model.bias(&mut other, &q, &v)?);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn all_terms<'w, S: Scalar>(
        &'w self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
    ) -> Result<AllTerms<'w, S>, Error> {
        let (scratch, matrices) = ws.parts(self)?;
        self.check_state(q, v)?;
        let sums = all_terms(
            self,
            scratch,
            matrices.mass.as_mut_slice(),
            matrices.regions.view(),
            matrices.wide.as_mut_slice(),
            q,
            v,
        );
        let mut finite = self.leaves_are_finite(scratch, 1) && leave_room(v, 2);
        finite &= all_finite(&scratch.vector);
        finite &= sums.kinetic_energy.is_finite() && sums.momentum.is_finite();
        for k in 0..self.nv() {
            finite &= matrices.mass[(k, k)].is_finite();
        }
        self.check_finite(finite, "the dynamics", q, &[("v", v)])?;
        Ok(AllTerms {
            model: self,
            scratch,
            matrices,
            velocities: Velocities::of(self, scratch),
            sums,
        })
    }
}
