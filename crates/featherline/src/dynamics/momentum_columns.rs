//! The centroidal momentum matrix for lanes, without mimic joints: columns are written once, and
//! moved where they are.
//!
//! Composite bodies are needed by their own columns and by their parents alone, world placements by
//! their children alone, so that of both only one for each level of branching is kept, and the
//! columns stay in the first-level cache.

use super::centroidal::set_center;
use super::crba::unit_momentum;
use crate::kinematics::center_of_mass::carry_first_moment;
use crate::kinematics::hinge::{inertia_out_of_link, place_on, placed, turn_or_place};
use crate::kinematics::reference_frame::at_origin;
use crate::model::link_parameters;
use crate::model::{Class, Model};
use crate::scalar::Scalar;
use crate::spatial::{DynamicParameters, Force, Se3, Vec3};
use crate::workspace::Scratch;

/// Writes the centroidal momentum matrix; leaves the robot's mass and first moment under 0.
#[inline(always)]
pub(super) fn momentum_columns<S: Scalar>(
    model: &Model,
    ws: &mut Scratch<S>,
    q: &[S],
    map: &mut [S],
) {
    turn_or_place(
        model,
        q,
        &mut ws.turn,
        &mut ws.placement,
        &mut ws.subspaces.column,
    );
    let origin = match model.links.get(1) {
        Some(link) => placed(link, &ws.turn[1], &ws.placement[1]).translation,
        None => Vec3::zero(),
    };
    let columns = map.as_chunks_mut::<6>().0;
    let total = momenta_in_links(model, ws, Some(origin), columns);
    let com = set_center(ws, origin, &total);
    move_to_world(model, ws, com, columns);
}

/// The momentum of each composite body for a unit rate, in its root's frame. Returns mass and first
/// moment of the robot about a point of the world, if one is given.
#[inline(always)]
pub(super) fn momenta_in_links<S: Scalar>(
    model: &Model,
    ws: &mut Scratch<S>,
    origin: Option<Vec3<S>>,
    columns: &mut [[S; 6]],
) -> DynamicParameters<S> {
    // Slices of one length: what is checked for one index is checked for all.
    let links = &model.links[..];
    let n = links.len();
    let places = &model.place_in_path[..n];
    let (turn, placement) = (&ws.turn[..n], &ws.placement[..n]);
    let composite = &mut ws.composite[..n];
    let subspaces = &ws.subspaces.column[..];
    let mut total = DynamicParameters::zero();
    for i in (1..n).rev() {
        let link = &links[i];
        let mut own = link_parameters(&ws.parameters, i, link);
        if i + 1 < n && links[i + 1].parent == i {
            own += composite[places[i]];
        }
        for k in 0..link.columns {
            let momentum = unit_momentum(link, &own, &subspaces[link.column + k]);
            columns[link.idx_v + k] = momentum.to_array();
        }
        if link.parent == 0 {
            if let Some(origin) = origin {
                let placement = at_origin(&placed(link, &turn[i], &placement[i]), origin);
                carry_first_moment(&placement, &own, &mut total);
            }
            continue;
        }
        let carried = inertia_out_of_link(link, &turn[i], &placement[i], &own);
        let above = &mut composite[places[link.parent.min(i - 1)]];
        if model.is_last_child(i) {
            *above = carried;
        } else {
            *above += carried;
        }
    }
    total
}

/// Moves the columns from link frames to the world's axes and the centre of mass.
#[inline(always)]
pub(super) fn move_to_world<S: Scalar>(
    model: &Model,
    ws: &mut Scratch<S>,
    com: Vec3<S>,
    columns: &mut [[S; 6]],
) {
    let links = &model.links[..];
    let n = links.len();
    let places = &model.place_in_path[..n];
    let (turn, placement) = (&ws.turn[..n], &ws.placement[..n]);
    let world = &mut ws.world[..n];
    for i in 1..n {
        let link = &links[i];
        let own = if link.parent == 0 {
            at_origin(&placed(link, &turn[i], &placement[i]), com)
        } else {
            let above = &world[places[link.parent.min(i - 1)]];
            place_on(above, link, &turn[i], &placement[i])
        };
        world[places[i]] = own;
        let columns = &mut columns[link.idx_v..link.idx_v + link.columns];
        match link.class {
            Class::Revolute | Class::Unbounded => {
                let momentum = Force::from_array(columns[0]);
                columns[0] = own.act_momentum_of_turn(&momentum).to_array();
            }
            Class::Prismatic | Class::General => {
                for column in columns {
                    *column = own.act_force(&Force::from_array(*column)).to_array();
                }
            }
        }
    }
    // The place of a root's path is that of the universe.
    world[0] = Se3::identity();
}
