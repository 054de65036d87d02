//! All terms of the equations of motion for batches: those of [`all_terms`](super::all_terms) that
//! a batch gives, by the passes of inverse dynamics, of the centroidal momentum matrix and of the
//! mass matrix one after the other.
//!
//! One state's passes share what each link has; what several states have for each link does not fit
//! the first-level cache.

use super::centroidal::{check_mass, set_center};
use super::crba::fill_rows;
use super::energy::twice_rotor_energy;
use super::momentum_columns::{momenta_in_links, move_to_world};
use super::rnea::joint_forces;
use crate::error::Error;
use crate::kinematics::forward::leave_room;
use crate::kinematics::hinge::{into_link, placed, turn_or_place};
use crate::kinematics::joint_pass::move_link;
use crate::kinematics::reference_frame::at_origin;
use crate::model::{Model, link_parameters};
use crate::scalar::{InstructionSet, Kernel, Scalar, all_finite, dispatch};
use crate::spatial::{Force, Motion, Vec3};
use crate::workspace::RegionView;
use crate::workspace::{Scratch, Workspace};

/// The terms of lanes; bias force and gravity torque are the workspace's first and second vector.
pub(crate) struct LaneTerms<'w, S: Scalar> {
    /// The mass matrix, packed.
    pub packed: &'w [S],
    pub bias: &'w [S],
    pub gravity_torque: &'w [S],
    /// The centroidal momentum matrix.
    pub map: &'w [S],
    pub sums: LaneSums<S>,
}

/// The results that are no vectors of coordinates or matrices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneSums<S: Scalar> {
    pub momentum: Force<S>,
    pub drift: Force<S>,
    pub center_of_mass: Vec3<S>,
    pub kinetic_energy: S,
    pub potential_energy: S,
}

struct Passes<'a, S: Scalar> {
    model: &'a Model,
    ws: &'a mut Scratch<S>,
    q: &'a [S],
    v: &'a [S],
    regions: RegionView<'a, S>,
    packed: &'a mut [S],
    map: &'a mut [S],
}

impl<S: Scalar> Kernel for Passes<'_, S> {
    type Output = LaneSums<S>;
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) -> LaneSums<S> {
        let Self {
            model,
            ws,
            q,
            v,
            mut regions,
            packed,
            map,
        } = self;
        let twice_energy = to_the_leaves(model, ws, q, v);
        joint_forces(model, ws, None);
        let columns = map.as_chunks_mut::<6>().0;
        let origin = match model.links.get(1) {
            Some(link) => placed(link, &ws.turn[1], &ws.placement[1]).translation,
            None => Vec3::zero(),
        };
        let total = momenta_in_links(model, ws, Some(origin), columns);
        fill_rows(model, ws, columns, &mut regions, packed);
        let com = set_center(ws, origin, &total);
        move_to_world(model, ws, com, columns);
        let gravity = Vec3::<S>::constant(model.gravity());
        let mut momentum = Force::zero();
        for (k, column) in columns.iter().enumerate() {
            let column = Force::from_array(*column);
            momentum = column.mul_add(v[k], &momentum);
            // The generalised force that balances the weight: linear momentum per unit speed times
            // −g.
            ws.second[k] = -column.linear.dot(gravity);
        }
        let mut drift = Force::zero();
        for (i, link) in model.links.iter().enumerate().skip(1) {
            if link.parent == 0 {
                let own = placed(link, &ws.turn[i], &ws.placement[i]);
                drift += at_origin(&own, com).act_force(&ws.force[i]);
            }
        }
        // The force that holds the accelerations at zero, less the weight, which acts at the centre
        // of mass.
        drift.linear = gravity.mul_add(total.mass, drift.linear);
        LaneSums {
            momentum,
            drift,
            center_of_mass: com,
            kinetic_energy: twice_energy * S::constant(0.5),
            potential_energy: -gravity.dot(com * total.mass),
        }
    }
}

/// The forces that hold all joint accelerations at zero; returns twice the kinetic energy.
#[inline(always)]
fn to_the_leaves<S: Scalar>(model: &Model, ws: &mut Scratch<S>, q: &[S], v: &[S]) -> S {
    let subspaces = &mut ws.subspaces;
    let column = &mut subspaces.column;
    turn_or_place(model, q, &mut ws.turn, &mut ws.placement, column);
    // v_0 = 0, a_0 = −g
    let a_0 = Motion::new(-Vec3::<S>::constant(model.gravity()), Vec3::zero());
    let places = &model.place_in_path;
    let mut twice_energy = twice_rotor_energy(model, v);
    for (i, link) in model.links.iter().enumerate().skip(1) {
        let (turn, placement) = (&ws.turn[i], &ws.placement[i]);
        // The last child of a link takes over its place in memory.
        let (v_parent, a_parent) = match link.parent {
            0 => (Motion::zero(), a_0),
            parent => (ws.velocity[places[parent]], ws.acceleration[places[parent]]),
        };
        let carried = into_link(link, turn, placement, &v_parent);
        let (v_i, bias) = move_link(model, i, link, (q, v), carried, subspaces);
        let a_i = into_link(link, turn, placement, &a_parent) + bias;
        (ws.velocity[places[i]], ws.acceleration[places[i]]) = (v_i, a_i);
        let inertia = link_parameters(&ws.parameters, i, link);
        ws.force[i] = inertia.newton_euler(&v_i, &a_i);
        twice_energy += inertia.mul_motion(&v_i).dot(&v_i);
    }
    twice_energy
}

impl Model {
    /// The terms of a model without mimic joints.
    pub(crate) fn lane_terms<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
    ) -> Result<LaneTerms<'w, S>, Error> {
        let (scratch, matrices) = ws.parts(self)?;
        self.check_state(q, v)?;
        let map = matrices.wide.as_mut_slice();
        let sums = dispatch(Passes {
            model: self,
            ws: scratch,
            q,
            v,
            regions: matrices.regions.view(),
            packed: &mut matrices.packed,
            map,
        });
        let (packed, tree) = (&matrices.packed[..], self.elimination_tree());
        let finite = leave_room(v, 2)
            && all_finite(&scratch.vector)
            && all_finite(map)
            && sums.kinetic_energy.is_finite()
            && sums.momentum.is_finite()
            && (0..self.nv()).all(|k| packed[tree.place::<S>(k, k)].is_finite());
        self.check_finite(finite, "the dynamics", q, &[("v", v)])?;
        check_mass(self, scratch)?;
        Ok(LaneTerms {
            packed,
            bias: &scratch.vector,
            gravity_torque: &scratch.second,
            map,
            sums,
        })
    }
}
