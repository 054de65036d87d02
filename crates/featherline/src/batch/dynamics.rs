//! Dynamics of many states.

use super::method::batch_methods;
use super::pack::Pack;
use super::queue::Rows;
use super::worker::{INPUTS, Room, Task};
use super::{Batch, BatchStatus, Input, Output, Precision};
use crate::dynamics::centroidal::map_velocity;
use crate::error::Error;
use crate::model::Model;
use crate::regressor::LinearQuantity;
use crate::scalar::{all_finite, kernel};
use crate::spatial::Force;
use crate::workspace::Workspace;

batch_methods!(
    /// Inverse dynamics, as [`Model::rnea`]: the joint forces `tau` that cause the accelerations
    /// `a`.
    ///
    /// # Errors
    /// As all [calls](Self).
    ///
    /// ```
    /// use featherline::batch::{Batch, BatchStatus};
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut batch = Batch::<f64>::new(&model, 1)?;
    /// let (q, v, a) = ([0.3, -0.2, 0.1, 0.4], [0.0; 4], [1.0, 2.0, 0.0, 0.0]);
    /// let (mut tau, mut status) = ([0.0; 4], [BatchStatus::default(); 2]);
    /// assert_eq!(batch.rnea(&q, &v, &a, &mut tau, &mut status)?, 0);
    ///
    /// let mut ws = Workspace::new(&model);
    /// let alone = model.rnea(&mut ws, &q[2..], &v[2..], &a[2..])?;
    /// assert!((tau[2] - alone[0]).abs() < 1e-14);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn rnea(q: Model::nq, v: Model::nv, a: Model::nv => tau: Model::nv)
    |model, ws, _, results| {
        results.put(0, model.rnea(ws, q, v, a)?);
    }

    /// Inverse dynamics with [external forces](crate::dynamics#external-forces): a state has a row
    /// of one force for each joint, the universe's first and unused, three components of the force
    /// in N and three of the moment in N·m, on the body that the joint moves and in the joint's
    /// output frame.
    ///
    /// # Errors
    /// As all [calls](Self).
    ///
    /// ```
    /// use featherline::batch::{Batch, BatchStatus};
    /// use featherline::samples;
    ///
    /// let mut batch = Batch::<f64>::new(&samples::double_pendulum(), 1)?;
    /// let (q, rest) = ([0.3, -0.2], [0.0; 2]);
    /// let mut forces = [0.0; 3 * 6];
    /// forces[2 * 6 + 2] = 5.0; // 5 N along z of the second link
    /// let (mut tau, mut a, mut status) = ([0.0; 2], [0.0; 2], [BatchStatus::default(); 1]);
    /// batch.rnea_with_forces(&q, &rest, &rest, &forces, &mut tau, &mut status)?;
    /// batch.aba_with_forces(&q, &rest, &tau, &forces, &mut a, &mut status)?;
    /// assert!(a[0].abs() < 1e-12 && a[1].abs() < 1e-12, "the pendulum is at rest");
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn rnea_with_forces(
        q: Model::nq, v: Model::nv, a: Model::nv, forces: forces_len
        => tau: Model::nv
    )
    |model, ws, room, results| {
        results.put(0, model.rnea_with_forces(ws, q, v, a, room.forces(forces))?);
    }

    /// The bias force C(q, v), as [`Model::bias`].
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn bias(q: Model::nq, v: Model::nv => bias: Model::nv)
    |model, ws, _, results| {
        results.put(0, model.bias(ws, q, v)?);
    }

    /// Forward dynamics in O(n), as [`Model::aba`]: the accelerations `a` that the joint forces
    /// `tau` cause.
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn aba(q: Model::nq, v: Model::nv, tau: Model::nv => a: Model::nv)
    |model, ws, _, results| {
        results.put(0, model.aba(ws, q, v, tau)?);
    }

    /// Forward dynamics with [external forces](crate::dynamics#external-forces); rows of forces as
    /// in [`rnea_with_forces`](Self::rnea_with_forces).
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn aba_with_forces(
        q: Model::nq, v: Model::nv, tau: Model::nv, forces: forces_len
        => a: Model::nv
    )
    |model, ws, room, results| {
        results.put(0, model.aba_with_forces(ws, q, v, tau, room.forces(forces))?);
    }

    /// Forward dynamics by the mass matrix and its factorisation, as
    /// [`Model::forward_dynamics_crba`]. The result is that of [`aba`](Self::aba) up to rounding.
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn forward_dynamics_crba(q: Model::nq, v: Model::nv, tau: Model::nv => a: Model::nv)
    |model, ws, _, results| {
        results.put(0, model.forward_dynamics_crba(ws, q, v, tau)?);
    }

    /// The derivatives of inverse dynamics, as [`Model::rnea_derivatives`]: τ, and nv × nv numbers
    /// a state for each of ∂τ/∂q, ∂τ/∂v and ∂τ/∂a, column by column.
    ///
    /// # Errors
    /// As all [calls](Self).
    ///
    /// ```
    /// use featherline::batch::{Batch, BatchStatus};
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut batch = Batch::<f64>::new(&model, 1)?;
    /// let (q, rest) = ([0.3, -0.2, 0.1, 0.4], [0.0; 4]);
    /// let (mut tau, mut status) = ([0.0; 4], [BatchStatus::default(); 2]);
    /// let (mut dq, mut dv, mut da) = ([0.0; 8], [0.0; 8], [0.0; 8]);
    /// let out = (&mut dq, &mut dv, &mut da);
    /// batch.rnea_derivatives(&q, &rest, &rest, &mut tau, out.0, out.1, out.2, &mut status)?;
    ///
    /// let mut ws = Workspace::new(&model);
    /// let alone = model.rnea_derivatives(&mut ws, &q[2..], &rest[2..], &rest[2..])?;
    /// assert!((dq[6] - alone.dq[(0, 1)]).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn rnea_derivatives(
        q: Model::nq, v: Model::nv, a: Model::nv
        => tau: Model::nv, dq: square_len, dv: square_len, da: square_len
    )
    |model, ws, _, results| {
        let found = model.rnea_derivatives(ws, q, v, a)?;
        results.put(0, found.tau);
        results.put(1, found.dq.as_slice());
        results.put(2, found.dv.as_slice());
        results.put(3, found.da.as_slice());
    }

    /// The derivatives of forward dynamics, as [`Model::aba_derivatives`]: q̈, and nv × nv numbers
    /// a state for each of ∂q̈/∂q, ∂q̈/∂v and ∂q̈/∂τ, column by column.
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn aba_derivatives(
        q: Model::nq, v: Model::nv, tau: Model::nv
        => a: Model::nv, dq: square_len, dv: square_len, dtau: square_len
    )
    |model, ws, _, results| {
        let found = model.aba_derivatives(ws, q, v, tau)?;
        results.put(0, found.acceleration);
        results.put(1, found.dq.as_slice());
        results.put(2, found.dv.as_slice());
        results.put(3, found.dtau.as_slice());
    }

    /// The joint torque regressor, as [`Model::joint_torque_regressor_into`]: nv × 10 n numbers a
    /// state, column by column.
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn joint_torque_regressor(
        q: Model::nq, v: Model::nv, a: Model::nv
        => regressor: regressor_len
    )
    |model, ws, room, results| {
        room.numbers.resize(regressor_len(model), S::zero());
        let moving = Some((v, a));
        model.write_regressor(ws, q, moving, LinearQuantity::Force, &mut room.numbers)?;
        results.put(0, &room.numbers);
    }

    /// The mass matrix M(q), nv × nv a state, as [`Model::crba`].
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn crba(q: Model::nq => mass_matrix: square_len)
    |model, ws, _, results| {
        // A fraction of the square, whose zeros are known.
        results.put_square(0, model.packed_mass_matrix(ws, q)?);
    }

    /// The mass matrix M(q), packed, as [`kernel::crba_packed`](crate::kernel::crba_packed): what
    /// [`crba`](Self::crba) gives, but of pairs of coordinates on a common path to the root only,
    /// and of each pair once. All other elements are zero in every configuration.
    ///
    /// A state's row has [`tight_len`](crate::model::EliminationTree::tight_len) elements, of which
    /// [`tight_place`](crate::model::EliminationTree::tight_place) says where each is. For robots
    /// with branches these are far fewer than nv², and the call takes a fraction of the time of the
    /// one that fills squares.
    ///
    /// # Errors
    /// As all [calls](Self).
    ///
    /// ```
    /// use featherline::batch::{Batch, BatchStatus};
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let tree = featherline::kernel::elimination_tree(&model);
    /// let (mut packed, mut status) = (vec![0.0; tree.tight_len()], [BatchStatus::default(); 1]);
    /// Batch::<f64>::new(&model, 1)?.crba_packed(&[0.3, -0.2], &mut packed, &mut status)?;
    ///
    /// let mut ws = Workspace::new(&model);
    /// let mass = model.crba(&mut ws, &[0.3, -0.2])?;
    /// assert!((packed[tree.tight_place(1, 0)] - mass[(1, 0)]).abs() < 1e-14);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn crba_packed(q: Model::nq => packed: |model: &Model| model.elimination_tree().tight_len())
    |model, ws, room, results| {
        let packed = model.packed_mass_matrix(ws, q)?;
        let tree = model.elimination_tree();
        results.put(0, tree.without_padding(packed, &mut room.numbers));
    }

    /// M(q)⁻¹ τ by the mass matrix and its factorisation, as
    /// [`Ltdl::solve`](crate::dynamics::ltdl::Ltdl::solve) after
    /// [`Model::ltdl`]: the accelerations that the forces `tau` cause at rest and without gravity.
    ///
    /// # Errors
    /// As all [calls](Self).
    ///
    /// ```
    /// use featherline::batch::{Batch, BatchStatus};
    /// use featherline::samples;
    ///
    /// let mut batch = Batch::<f64>::new(&samples::double_pendulum(), 1)?;
    /// let (mut x, mut inverse) = ([0.0; 2], [0.0; 4]);
    /// let (q, mut status) = ([0.3, -0.2], [BatchStatus::default(); 1]);
    /// batch.mass_matrix_solve(&q, &[1.0, 0.0], &mut x, &mut status)?;
    /// batch.mass_matrix_inverse(&q, &mut inverse, &mut status)?;
    /// assert!((x[1] - inverse[1]).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn mass_matrix_solve(q: Model::nq, tau: Model::nv => x: Model::nv)
    |model, ws, Room { numbers: x, .. }, results| {
        x.clear();
        x.extend_from_slice(tau);
        model.mass_matrix_solve(ws, q, x)?;
        model.check_finite(all_finite(x), "the solution", q, &[("tau", tau)])?;
        results.put(0, x);
    }

    /// The inverse of the mass matrix, nv × nv a state, as [`Model::mass_matrix_inverse`].
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn mass_matrix_inverse(q: Model::nq => inverse: square_len)
    |model, ws, _, results| {
        // That of a chain is packed, as its mass matrix is.
        if let Some(packed) = model.packed_chain_inverse(ws, q)? {
            results.put_square(0, packed);
        } else {
            results.put(0, model.mass_matrix_inverse(ws, q)?.as_slice());
        }
    }

    /// The centroidal momentum matrix A(q), 6 × nv a state, as [`Model::centroidal_map`].
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn centroidal_map(q: Model::nq => map: map_len)
    |model, ws, _, results| {
        results.put(0, model.centroidal_map(ws, q)?.as_slice());
    }

    /// The centroidal momentum matrix A(q), as [`centroidal_map`](Self::centroidal_map), and the
    /// centroidal momentum A v: six numbers a state, the linear momentum first, as
    /// [`Model::centroidal_momentum`].
    ///
    /// # Errors
    /// As all [calls](Self).
    ///
    /// ```
    /// use featherline::batch::{Batch, BatchStatus};
    /// use featherline::samples;
    ///
    /// let mut batch = Batch::<f64>::new(&samples::double_pendulum(), 1)?;
    /// let (mut map, mut momentum) = ([0.0; 12], [0.0; 6]);
    /// let mut status = [BatchStatus::default(); 1];
    /// batch.centroidal_momentum(&[0.0, 0.0], &[1.0, 0.0], &mut map, &mut momentum, &mut status)?;
    /// // The centre of 2 kg is one metre below the hinge, about which it turns.
    /// assert!((momentum[0].abs() - 2.0).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn centroidal_momentum(q: Model::nq, v: Model::nv => map: map_len, momentum: |_: &Model| 6)
    |model, ws, _, results| {
        let map = model.centroidal_map(ws, q)?.as_slice();
        let momentum = momentum_of(map, v);
        model.check_finite(momentum.is_finite(), "the centroidal momentum", q, &[("v", v)])?;
        results.put(0, map);
        results.put(1, &momentum.to_array());
    }
);

kernel!(
    fn momentum_of<S: Scalar>(map: &[S], v: &[S]) -> Force<S> {
        map_velocity(map, v)
    }
);

/// The numbers of one force for each joint.
fn forces_len(model: &Model) -> usize {
    6 * model.joints().len()
}

/// The elements of a matrix nv × nv.
pub(super) fn square_len(model: &Model) -> usize {
    model.nv() * model.nv()
}

/// The elements of a regressor.
fn regressor_len(model: &Model) -> usize {
    model.nv() * model.parameter_count()
}

/// The elements of a matrix 6 × nv.
pub(super) fn map_len(model: &Model) -> usize {
    6 * model.nv()
}
