//! All terms of the equations of motion of many states.

use super::dynamics::{map_len, square_len};
use super::method::batch_methods;
use super::pack::Pack;
use super::queue::Rows;
use super::worker::{INPUTS, Room, Task};
use super::{Batch, BatchStatus, Input, Output, Precision};
use crate::error::Error;
use crate::model::Model;
use crate::workspace::Workspace;

/// Where [`Batch::all_terms`] writes: rows for each state, matrices column by column.
#[derive(Debug)]
pub struct TermRows<'a, T> {
    /// The mass matrix M(q), nv × nv.
    pub mass_matrix: &'a mut [T],
    /// The bias force C(q, v), nv numbers, gravity included.
    pub bias: &'a mut [T],
    /// The gravity torque g(q), nv numbers.
    pub gravity_torque: &'a mut [T],
    /// The centroidal momentum matrix A(q), 6 × nv; its linear rows are the total mass times the
    /// Jacobian of the centre of mass.
    pub centroidal_map: &'a mut [T],
    /// The centroidal momentum A v, 6 numbers: linear in N·s, then angular about the centre of mass
    /// in N·m·s.
    pub centroidal_momentum: &'a mut [T],
    /// Ȧ v, 6 numbers: the rate that the centroidal momentum has while all q̈ are zero.
    pub centroidal_drift: &'a mut [T],
    /// The centre of mass in the world, 3 numbers, in m.
    pub center_of_mass: &'a mut [T],
    /// The kinetic energy, one number, in J.
    pub kinetic_energy: &'a mut [T],
    /// The potential energy, one number, in J.
    pub potential_energy: &'a mut [T],
}

impl<T: Precision> Batch<T> {
    /// The terms of the equations of motion in one pass, as [`Model::all_terms`].
    ///
    /// # Errors
    /// As all [calls](Self).
    ///
    /// ```
    /// use featherline::batch::{Batch, BatchStatus, TermRows};
    /// use featherline::samples;
    ///
    /// let mut batch = Batch::<f64>::new(&samples::double_pendulum(), 1)?;
    /// let (mut mass, mut bias, mut gravity, mut map) = ([0.0; 8], [0.0; 4], [0.0; 4], [0.0; 24]);
    /// let (mut momentum, mut drift, mut center) = ([0.0; 12], [0.0; 12], [0.0; 6]);
    /// let (mut kinetic, mut potential) = ([0.0; 2], [0.0; 2]);
    /// let rows = TermRows {
    ///     mass_matrix: &mut mass,
    ///     bias: &mut bias,
    ///     gravity_torque: &mut gravity,
    ///     centroidal_map: &mut map,
    ///     centroidal_momentum: &mut momentum,
    ///     centroidal_drift: &mut drift,
    ///     center_of_mass: &mut center,
    ///     kinetic_energy: &mut kinetic,
    ///     potential_energy: &mut potential,
    /// };
    /// let mut status = [BatchStatus::default(); 2];
    /// batch.all_terms(&[0.3, -0.2, 0.0, 0.0], &[0.0, 0.0, 1.0, 0.0], rows, &mut status)?;
    /// // At rest the bias is what gravity asks for.
    /// assert!((bias[0] - gravity[0]).abs() < 1e-14 && kinetic[0] == 0.0);
    /// // The second one hangs, and turns about a hinge one metre above the centre of 2 kg.
    /// assert_eq!(center[3..], [0.0, 0.0, -1.0]);
    /// assert!((momentum[6].abs() - 2.0).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn all_terms(
        &mut self,
        q: &[T],
        v: &[T],
        rows: TermRows<'_, T>,
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        self.write_all_terms(
            q,
            v,
            rows.mass_matrix,
            rows.bias,
            rows.gravity_torque,
            rows.centroidal_map,
            rows.centroidal_momentum,
            rows.centroidal_drift,
            rows.center_of_mass,
            rows.kinetic_energy,
            rows.potential_energy,
            status,
        )
    }
}

batch_methods!(
    fn write_all_terms(
        q: Model::nq, v: Model::nv
        => mass_matrix: square_len, bias: Model::nv, gravity_torque: Model::nv,
        centroidal_map: map_len, centroidal_momentum: |_: &Model| 6,
        centroidal_drift: |_: &Model| 6, center_of_mass: |_: &Model| 3,
        kinetic_energy: |_: &Model| 1, potential_energy: |_: &Model| 1
    )
    |model, ws, _, results| {
        if !model.has_mimic_joints() {
            let terms = model.lane_terms(ws, q, v)?;
            results.put_square(0, terms.packed);
            results.put(1, terms.bias);
            results.put(2, terms.gravity_torque);
            results.put(3, terms.map);
            results.put(4, &terms.sums.momentum.to_array());
            results.put(5, &terms.sums.drift.to_array());
            results.put(6, &terms.sums.center_of_mass.to_array());
            results.put(7, &[terms.sums.kinetic_energy]);
            results.put(8, &[terms.sums.potential_energy]);
            return Ok(());
        }
        let terms = model.all_terms(ws, q, v)?;
        let center = terms.centers_of_mass().center_of_mass()?;
        results.put(0, terms.mass_matrix().as_slice());
        results.put(1, terms.bias());
        results.put(2, terms.gravity_torque());
        results.put(3, terms.centroidal_map()?.as_slice());
        results.put(4, &terms.centroidal_momentum()?.to_array());
        results.put(5, &terms.centroidal_drift()?.to_array());
        results.put(6, &center.to_array());
        results.put(7, &[terms.kinetic_energy()]);
        results.put(8, &[terms.potential_energy()]);
    }
);
