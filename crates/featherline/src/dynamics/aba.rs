//! The articulated-body algorithm: forward dynamics in O(n), and its hybrid form.
//!
//! Featherstone 2008, table 7.1 and chapter 9. Three passes: velocities to the leaves,
//! articulated-body inertias and bias forces to the root, accelerations to the leaves. The single
//! steps are in [`articulated`](super::articulated).

use super::articulated::{
    accelerate, cross_bias, cross_inertia, eliminate_base, empty_fronts, solve_base,
};
use super::external;
use super::pivot_rounding::{ArticulatedElimination, PivotTerms, most_roundings};
use super::recursion::forward;
use crate::error::{Error, check_size};
use crate::kinematics::joint_pass::{move_link, place_links};
use crate::model::Model;
use crate::scalar::{Form, InstructionSet, Kernel, Scalar, dispatch, seen_as};
use crate::spatial::{Force, Motion, Vec3};
use crate::workspace::{Fronts, Scratch, Workspace, all_finite};

struct Aba<'a, S: Scalar> {
    model: &'a Model,
    ws: &'a mut Scratch<S>,
    q: &'a [S],
    v: &'a [S],
    /// Joint forces, or accelerations where known.
    values: &'a [S],
    known: Option<&'a [bool]>,
    forces: Option<&'a [Force<S>]>,
}

impl<'a, S: Scalar> Aba<'a, S> {
    #[inline(always)]
    fn seen_as<F: Form>(self, form: F) -> Aba<'a, F::Of<S>> {
        Aba {
            model: self.model,
            ws: self.ws.seen_as(form),
            q: seen_as(self.q, form),
            v: seen_as(self.v, form),
            values: seen_as(self.values, form),
            known: self.known,
            forces: match self.forces {
                Some(forces) => Some(seen_as(forces, form)),
                None => None,
            },
        }
    }
}

impl<S: Scalar> Kernel for Aba<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run_as<F: Form>(self, form: F) {
        self.seen_as(form).run();
    }

    #[inline(always)]
    fn run(self) {
        let Self {
            model,
            ws,
            q,
            v,
            values,
            known,
            forces,
        } = self;
        if is_by_recursion::<S>(model, known) {
            forward(model, q, v, values, forces, ws);
            return;
        }
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
                force = force - model.force_in_link(i, &forces[i]);
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
}

/// How many links beyond the last small pivot move freely while that is judged. Of what counts as
/// one body at the end of so many, a chain's joints let go all but a part in 10⁸: they take two
/// thirds or more of a motion at each link.
const FREE_LINKS: usize = 16;

/// Whether the textbook's recursion does it. Scalars that share registers lose more by its sums of
/// single elements than they gain.
#[inline(always)]
fn is_by_recursion<S: Scalar>(model: &Model, known: Option<&[bool]>) -> bool {
    !S::SHARES_REGISTERS && known.is_none() && !model.has_mimic_joints()
}

/// How many links there are up to the last one of which a pivot of the last articulated-body
/// elimination is small against all that its joint carries.
struct SmallPivots<'a, S: Scalar> {
    model: &'a Model,
    fronts: &'a Fronts<S>,
    /// The bounds of other bodies than the model's, if there are such.
    bounds: &'a [S],
}

impl<S: Scalar> Kernel for SmallPivots<'_, S> {
    type Output = usize;
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) -> usize {
        let mut end = 0;
        for (i, front) in self.model.coordinates.fronts.iter().enumerate() {
            let mut large = true;
            for k in 0..front.eliminated {
                let inverse = self.fronts.square[front.square + k * (front.coordinates.len() + 1)];
                let most = (self.model).greatest_inverse_pivot(front.coordinates[k], self.bounds);
                large &= S::all(S::zero().less(inverse));
                large &= S::all(inverse.less(most));
            }
            if !large {
                end = i + 1;
            }
        }
        end
    }
}

/// The result of hybrid dynamics: accelerations and joint forces of all coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Hybrid<'w, S: Scalar> {
    /// Accelerations q̈, nv entries.
    pub accelerations: &'w [S],
    /// Joint forces τ, nv entries.
    pub forces: &'w [S],
}

impl Model {
    /// Forward dynamics: the accelerations q̈ that the joint forces `tau` cause in the state (`q`,
    /// `v`).
    ///
    /// Of a model with [loops](crate::model::LoopJoint) it sees the spanning tree.
    ///
    /// Armature and reflected rotor inertia are included, passive forces are not: for those see
    /// [`forward_dynamics`](Self::forward_dynamics). Cost O(n). Source: Featherstone 2008, table
    /// 7.1.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], [`Error::SingularInertia`], and
    /// [`Error::NotFinite`] or [`Error::ZeroRotation`] for inputs that have no finite result.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (q, v, tau) = ([0.3, -0.2], [0.1, 0.4], [1.0_f64, 2.0]);
    /// let a = model.aba(&mut ws, &q, &v, &tau)?.to_vec();
    /// let back = model.rnea(&mut ws, &q, &v, &a)?;
    /// assert!((back[0] - tau[0]).abs() < 1e-12 && (back[1] - tau[1]).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn aba<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        tau: &[S],
    ) -> Result<&'w [S], Error> {
        self.run_aba(ws, q, v, tau, None, None)?;
        Ok(&ws.scratch.vector)
    }

    /// [`aba`](Self::aba) with [external forces](crate::dynamics#external-forces).
    pub(crate) fn aba_with_forces<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        tau: &[S],
        forces: &[Force<S>],
    ) -> Result<&'w [S], Error> {
        self.run_aba(ws, q, v, tau, None, external(forces))?;
        Ok(&ws.scratch.vector)
    }

    /// Hybrid dynamics: for each coordinate either the acceleration is known and the force is
    /// found, or the other way round.
    ///
    /// `values[k]` is the acceleration of coordinate k where `known[k]` holds, and its joint force
    /// elsewhere. `forces` are [external forces](crate::dynamics#external-forces), or empty. Cost
    /// O(n). Source: Featherstone 2008, chapter 9.
    ///
    /// # Errors
    /// As [`aba`](Self::aba); only the coordinates whose acceleration is unknown need inertia.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// // Hold the first joint still and let the second swing freely.
    /// let (q, v, values) = ([0.3, 0.2], [0.0, 0.0], [0.0, 0.0]);
    /// let result = model.hybrid_dynamics(&mut ws, &q, &v, &values, &[true, false], &[])?;
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
        forces: &[Force<S>],
    ) -> Result<Hybrid<'w, S>, Error> {
        check_size("known", self.nv(), known.len())?;
        self.run_aba(ws, q, v, values, Some(known), external(forces))?;
        Ok(Hybrid {
            accelerations: &ws.scratch.vector,
            forces: &ws.scratch.second,
        })
    }

    fn run_aba<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        v: &[S],
        values: &[S],
        known: Option<&[bool]>,
        forces: Option<&[Force<S>]>,
    ) -> Result<(), Error> {
        ws.check(self)?;
        self.check_q(q)?;
        self.check_tangent("v", v)?;
        self.check_tangent("tau", values)?;
        if let Some(forces) = forces {
            check_size("external forces", self.links.len(), forces.len())?;
        }
        dispatch(Aba {
            model: self,
            ws: &mut ws.scratch,
            q,
            v,
            values,
            known,
            forces,
        });
        let finite =
            all_finite(&ws.scratch.vector) && (known.is_none() || all_finite(&ws.scratch.second));
        let elimination = ArticulatedElimination {
            known,
            is_tied: &[],
            by_turns: is_by_recursion::<S>(self, known),
        };
        if finite {
            return self.check_pivots(ws, elimination);
        }
        let error =
            self.explain_not_finite("the acceleration", q, &[("v", v), ("tau", values)], forces);
        match error {
            // The inputs are sound, so a pivot has vanished.
            Error::Overflow { .. } => self.check_pivots(ws, elimination).and(Err(error)),
            error => Err(error),
        }
    }

    /// Fails if a pivot of the last articulated-body elimination is zero within rounding. One that
    /// is small against all that its joint carries is judged by what rounds it.
    #[inline(always)]
    pub(crate) fn check_pivots<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        elimination: ArticulatedElimination<'_>,
    ) -> Result<(), Error> {
        match self.small_pivots_end(ws, elimination.known) {
            0 => Ok(()),
            end => self.check_pivot_rounding(ws, elimination, end),
        }
    }

    #[cold]
    fn check_pivot_rounding<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        elimination: ArticulatedElimination<'_>,
        small_pivots_end: usize,
    ) -> Result<(), Error> {
        let links = self.links.len();
        // The pivots beyond are large: what is farther out counts as one body, if that is enough.
        let mut end = links;
        if elimination.known.is_none() && elimination.is_tied.is_empty() && !self.has_mimic_joints()
        {
            end = end.min(small_pivots_end + FREE_LINKS);
        }
        loop {
            let clear = dispatch(PivotTerms {
                model: self,
                ws: &mut ws.scratch,
                elimination,
                end,
            });
            if clear {
                return Ok(());
            }
            if end == links {
                break;
            }
            end = links;
        }
        let (fronts, terms) = (&ws.scratch.fronts, &ws.scratch.rounding.terms);
        let most = most_roundings::<S>();
        // In the order of elimination: the first pivot to vanish spoils the others.
        for front in self.coordinates.fronts.iter().rev() {
            let size = front.coordinates.len();
            for k in 0..front.eliminated {
                let coordinate = front.coordinates[k];
                if super::articulated::is_known(elimination.known, coordinate) {
                    continue;
                }
                let inverse = fronts.square[front.square + k * (size + 1)];
                let is_sound = inverse.all_between(0.0, f64::INFINITY)
                    && (inverse * terms[coordinate]).all_between(0.0, most);
                if !is_sound {
                    return Err(self.singular(coordinate));
                }
            }
        }
        Ok(())
    }

    /// How many links there are up to the last one with a pivot that is small against all that its
    /// joint carries.
    #[inline(always)]
    fn small_pivots_end<S: Scalar>(&self, ws: &Workspace<S>, known: Option<&[bool]>) -> usize {
        let bounds = &ws.scratch.pivot_bound;
        if S::IS_LANES && known.is_none() {
            // Lanes are looked at together, which takes their instructions.
            return dispatch(SmallPivots {
                model: self,
                fronts: &ws.scratch.fronts,
                bounds,
            });
        }
        let last = self.coordinates.fronts.iter().rposition(|front| {
            let size = front.coordinates.len();
            !(0..front.eliminated).all(|k| {
                let coordinate = front.coordinates[k];
                let inverse = ws.scratch.fronts.square[front.square + k * (size + 1)];
                super::articulated::is_known(known, coordinate)
                    || self.is_sound_inverse_pivot(coordinate, inverse, bounds)
            })
        });
        last.map_or(0, |i| i + 1)
    }
}
