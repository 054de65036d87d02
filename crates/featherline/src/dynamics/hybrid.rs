//! Hybrid dynamics: for each coordinate either the acceleration is known and the force is found, or
//! the other way round.
//!
//! Featherstone 2008, chapter 9. The passes are those of the [articulated-body
//! algorithm](super::aba), with the fronts of [`articulated`](super::articulated): a coordinate
//! whose acceleration is known is not eliminated, and one that mimic joints share travels to the
//! link where all of them lie below.

use super::articulated::{
    accelerate, cross_bias, cross_inertia, eliminate_base, empty_fronts, solve_base,
};
use super::singular::ArticulatedElimination;
use super::{DynamicsOptions, external};
use crate::error::{Error, check_size};
use crate::kinematics::joint_pass::{move_link, place_links};
use crate::model::Model;
use crate::scalar::{Scalar, all_finite, kernel};
use crate::spatial::{Force, Motion, Vec3};
use crate::workspace::{Scratch, Workspace};

kernel!(
    /// Featherstone 2008, chapter 9. `values` are joint forces, or accelerations where known; all
    /// accelerations are found in `ws.vector`, and joint forces in `ws.second` if some
    /// accelerations are known.
    fn hybrid<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        q: &[S],
        v: &[S],
        values: &[S],
        #[plain] known: Option<&[bool]>,
        forces: Option<&[Force<S>]>,
    ) {
        empty_fronts(model, ws);
        ws.velocity[0] = Motion::zero();
        place_links(model, q, &mut ws.placement, &mut ws.subspaces.column);
        for (i, link) in model.links.iter().enumerate().skip(1) {
            let carried = ws.placement[i].inverse_act_motion(&ws.velocity[link.parent]);
            let (velocity, bias) = move_link(model, i, link, (q, v), carried, &mut ws.subspaces);
            ws.velocity[i] = velocity;
            ws.bias_acceleration[i] = bias;
            let parameters = ws.parameters_of(i, link);
            ws.articulated[i] = parameters.to_articulated();
            let mut force = parameters.velocity_force(&velocity);
            if let Some(forces) = forces {
                force = force - link.force_in_link(&forces[i]);
            }
            ws.force[i] = force;
        }
        for (i, link) in model.links.iter().enumerate().skip(1).rev() {
            cross_inertia(model, i, link, known, ws);
            cross_bias(model, i, link, known, values, ws);
        }
        let base = Motion::new(-Vec3::<S>::constant(model.gravity()), Vec3::zero());
        ws.acceleration[0] = base;
        // The results can't be borrowed from the workspace while its other parts are being written.
        let mut accelerations = std::mem::take(&mut ws.vector);
        let mut joint_forces = std::mem::take(&mut ws.second);
        if let Some(known) = known {
            for k in 0..values.len() {
                let (a, f) = if known[k] {
                    (values[k], S::zero())
                } else {
                    (S::zero(), values[k])
                };
                accelerations[k] = a;
                joint_forces[k] = f;
            }
        }
        eliminate_base(model, known, ws);
        solve_base(
            model,
            known,
            values,
            &base,
            &mut accelerations,
            &mut joint_forces,
            ws,
        );
        for (i, link) in model.links.iter().enumerate().skip(1) {
            accelerate(
                model,
                i,
                link,
                known,
                &mut accelerations,
                &mut joint_forces,
                ws,
            );
        }
        ws.vector = accelerations;
        ws.second = joint_forces;
    }
);

/// The result of hybrid dynamics: accelerations and joint forces of all coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Hybrid<'w, S: Scalar> {
    /// Accelerations q̈, nv entries.
    pub accelerations: &'w [S],
    /// Joint forces τ, nv entries.
    pub forces: &'w [S],
}

impl Model {
    /// Hybrid dynamics: for each coordinate either the acceleration is known and the force is
    /// found, or the other way round.
    ///
    /// `values[k]` is the acceleration of coordinate k where `known[k]` holds, and its joint force
    /// elsewhere. Joint forces are those of actuators, as in
    /// [`inverse_dynamics`](Self::inverse_dynamics) with the same options. Cost O(n). Source:
    /// Featherstone 2008, chapter 9.
    ///
    /// # Errors
    /// As [`aba`](Self::aba); only the coordinates whose acceleration is unknown need inertia.
    ///
    /// ```
    /// use featherline::dynamics::DynamicsOptions;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// // Hold the first joint still and let the second swing freely.
    /// let (q, v, values) = ([0.3, 0.2], [0.0, 0.0], [0.0, 0.0]);
    /// let (known, options) = ([true, false], DynamicsOptions::default());
    /// let result = model.hybrid_dynamics(&mut ws, &q, &v, &values, &known, options)?;
    /// assert_eq!((result.accelerations[0], result.forces[1]), (0.0, 0.0));
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn hybrid_dynamics<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        values: &[S],
        known: &[bool],
        options: DynamicsOptions<'_, S>,
    ) -> Result<Hybrid<'w, S>, Error> {
        check_size("known", self.nv(), known.len())?;
        self.with_joint_forces(ws, q, options, |ws, options| {
            let forces = external(options.external_forces);
            if !options.passive_forces {
                return self.run_hybrid(ws, q, v, values, Some(known), forces);
            }
            self.check_tangent("tau", values)?;
            self.passive_forces(ws, q, v)?;
            // It can't be borrowed from the workspace while its other parts are being written.
            let mut total = std::mem::take(&mut ws.scratch.passive);
            for k in 0..self.nv() {
                total[k] = if known[k] {
                    values[k]
                } else {
                    values[k] + total[k]
                };
            }
            let outcome = self.run_hybrid(ws, q, v, &total, Some(known), forces);
            ws.scratch.passive = total;
            outcome?;
            self.passive_forces(ws, q, v)?;
            for k in 0..self.nv() {
                ws.scratch.second[k] = if known[k] {
                    ws.scratch.second[k] - ws.scratch.passive[k]
                } else {
                    values[k]
                };
            }
            Ok(())
        })?;
        Ok(Hybrid {
            accelerations: &ws.scratch.vector,
            forces: &ws.scratch.second,
        })
    }

    /// Hybrid dynamics if some accelerations are known, otherwise forward dynamics.
    pub(super) fn run_hybrid<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        v: &[S],
        values: &[S],
        known: Option<&[bool]>,
        forces: Option<&[Force<S>]>,
    ) -> Result<(), Error> {
        self.check_forward_inputs(ws, q, v, values, forces)?;
        hybrid(self, &mut ws.scratch, q, v, values, known, forces);
        let is_finite =
            all_finite(&ws.scratch.vector) && (known.is_none() || all_finite(&ws.scratch.second));
        let elimination = ArticulatedElimination {
            known,
            ..Default::default()
        };
        self.check_accelerations(ws, is_finite, (q, v, values), forces, elimination)
    }
}
