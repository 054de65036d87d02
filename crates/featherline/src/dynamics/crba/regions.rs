//! The mass matrix by regions: momenta and axes of many joints in one frame.
//!
//! The textbook carries the momentum of a composite body from link to link, each of which takes its
//! component. Here a momentum moves once, to the frame of its [region](crate::model::Regions),
//! where the axes of the joints above have been moved, too: the elements of a row are scalar
//! products side by side (Featherstone 2008, section 6.2, with all terms in one frame). Robots of
//! usual size are one region, in the frame of the first moving link, so that neither the first
//! joint's position nor the robot's distance from the world's origin enters.

use crate::dynamics::momentum_columns::momenta_in_links;
use crate::kinematics::hinge::{place_on, placed, turn_or_place};
use crate::kinematics::jacobian::place_column;
use crate::kinematics::joint_pass::component;
use crate::model::{Class, Link, Model};
use crate::scalar::Scalar;
use crate::spatial::{Force, Motion, Se3};
use crate::workspace::{RegionView, Scratch};

/// Fills the packed mass matrix of scalars that share no registers.
#[inline(always)]
pub(super) fn fill<S: Scalar>(
    model: &Model,
    ws: &mut Scratch<S>,
    q: &[S],
    momenta: &mut [S],
    mut memory: RegionView<'_, S>,
    packed: &mut [S],
) {
    let momenta = momenta.as_chunks_mut::<6>().0;
    let column = &mut ws.subspaces.column;
    turn_or_place(model, q, &mut ws.turn, &mut ws.placement, column);
    momenta_in_links(model, ws, None, momenta);
    fill_rows(model, ws, momenta, &mut memory, packed);
}

/// Fills the packed mass matrix from `momenta`, each in its link's frame.
#[inline(always)]
pub(in crate::dynamics) fn fill_rows<S: Scalar>(
    model: &Model,
    ws: &Scratch<S>,
    momenta: &[[S; 6]],
    memory: &mut RegionView<'_, S>,
    packed: &mut [S],
) {
    // Slices of one length: what is checked for one index is checked for all.
    let links = &model.links[..];
    let n = links.len();
    let of_link = &model.coordinates.regions.of_link[..n];
    let columns = &ws.subspaces.column[..];
    let tree = model.elimination_tree();
    for i in 1..n {
        let link = &links[i];
        let (own, is_root) = place_in_region(model, ws, i, memory);
        for c in 0..link.columns {
            let k = link.idx_v + c;
            let column = &columns[link.column + c];
            let mut momentum = Force::from_array(momenta[k]);
            let diagonal = component(link, column, &momentum);
            let mut axis = *column;
            if !is_root {
                axis = place_column(link, &own, column);
                momentum = carried(link, &own, &momentum);
            }
            memory.path.as_chunks_mut::<6>().0[tree.level(k)] = axis.to_array();
            fill_row(model, of_link[i], k, momentum, memory, packed);
            let reflected = S::constant(model.reflected_inertia[k]);
            packed[tree.place::<S>(k, k)] = diagonal + reflected;
        }
    }
}

/// Places link i in the frame of its region, or the region in the one above if the link is its
/// root; those before it have been placed. Says whether it is.
#[inline(always)]
pub(super) fn place_in_region<S: Scalar>(
    model: &Model,
    ws: &Scratch<S>,
    i: usize,
    memory: &mut RegionView<'_, S>,
) -> (Se3<S>, bool) {
    let (link, places, regions) = (
        &model.links[i],
        &model.place_in_path[..],
        &model.coordinates.regions,
    );
    let parent = link.parent.min(i - 1);
    let own = if parent == 0 || regions.all[regions.of_link[parent]].root == parent {
        placed(link, &ws.turn[i], &ws.placement[i])
    } else {
        let above = &memory.link[places[parent]];
        place_on(above, link, &ws.turn[i], &ws.placement[i])
    };
    let region = regions.of_link[i];
    let is_root = regions.all[region].root == i;
    if is_root {
        memory.region[region] = own;
    } else {
        memory.link[places[i]] = own;
    }
    (own, is_root)
}

/// The momentum for a unit rate of a joint, from its link's frame to the region's.
#[inline(always)]
pub(super) fn carried<S: Scalar>(link: &Link, placement: &Se3<S>, momentum: &Force<S>) -> Force<S> {
    match link.class {
        Class::Revolute | Class::Unbounded => placement.act_momentum_of_turn(momentum),
        Class::Prismatic | Class::General => placement.act_force(momentum),
    }
}

/// The elements of a coordinate and those above it.
#[inline(always)]
fn fill_row<S: Scalar>(
    model: &Model,
    region: usize,
    k: usize,
    momentum: Force<S>,
    memory: &RegionView<'_, S>,
    packed: &mut [S],
) {
    let tree = model.elimination_tree();
    let regions = &model.coordinates.regions.all[..];
    let row = &mut packed[tree.row::<S>(k)..];
    let (mut region, mut momentum) = (region, momentum);
    let mut end = tree.level(k);
    loop {
        let here = &regions[region];
        let axes = &memory.path.as_chunks::<6>().0[here.level..end];
        let elements = &mut row[here.level..end];
        let known = match elements.first_chunk_mut::<6>() {
            Some(six) if here.is_free_flyer => {
                *six = momentum.to_array();
                6
            }
            _ => 0,
        };
        for (element, axis) in elements[known..].iter_mut().zip(&axes[known..]) {
            *element = Motion::from_array(*axis).dot(&momentum);
        }
        if here.level == 0 {
            break;
        }
        end = here.level;
        momentum = memory.region[region].act_force(&momentum);
        region = here.above;
    }
}
