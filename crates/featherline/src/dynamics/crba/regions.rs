//! The mass matrix by regions: momenta and axes of many joints in one frame.
//!
//! The textbook carries the momentum of a composite body from link to link, each of which takes its component. Here a
//! momentum moves once, to the frame of its [region](crate::model::Regions), where the axes of the joints above have been
//! moved, too: the elements of a row are scalar products side by side (Featherstone 2008, section 6.2, with all terms in one
//! frame). Robots of usual size are one region, in the frame of the first moving link, so that neither the first joint's
//! position nor the robot's distance from the world's origin enters.

use super::component;
use crate::dynamics::momentum_columns::momenta_in_links;
use crate::kinematics::hinge::{place_on, placed, turn_or_place};
use crate::kinematics::jacobian::place_column;
use crate::model::{CHUNK, Class, Link, Model};
use crate::scalar::{Form, Scalar, seen_mut_as};
use crate::spatial::{Force, Motion, Se3};
use crate::workspace::Scratch;

/// How many ancestors a coordinate has on average where regions are faster than pairs of joints: measured on chains, which
/// have twice as many joints, and on robots.
const DEEP: usize = 9;
const DEEP_FOR_LANES: usize = 5;

/// Whether the mass matrix is filled by regions.
#[inline(always)]
pub(super) fn are_faster<S: Scalar>(model: &Model) -> bool {
    let deep = if S::SHARES_REGISTERS {
        DEEP
    } else {
        DEEP_FOR_LANES
    };
    !model.has_followers() && model.coordinates.mean_level >= deep
}

/// Memory for regions.
#[derive(Clone, Debug)]
pub(crate) struct RegionMemory<S: Scalar> {
    /// The frame of each region in that of the region above.
    region: Vec<Se3<S>>,
    /// The links on the path from the root in their regions' frames, one for each level of branching.
    link: Vec<Se3<S>>,
    /// The columns of the coordinates on that path in their regions' frames: six components, each of as many coordinates as
    /// stand side by side in a packed row, then those of the next ones.
    path: Vec<S>,
}

/// How many regions, levels of branching, and numbers for a path a model has.
fn lengths<S: Scalar>(model: &Model) -> [usize; 3] {
    if model.has_followers() || S::SHARES_REGISTERS && !are_faster::<S>(model) {
        return [0; 3];
    }
    let tree = model.elimination_tree();
    let places = model.place_in_path.iter().max().map_or(0, |p| p + 1);
    let numbers = if S::SHARES_REGISTERS {
        6 * CHUNK * tree.path_chunks()
    } else {
        6 * (0..tree.len())
            .map(|k| tree.level(k) + 1)
            .max()
            .unwrap_or(0)
    };
    [model.coordinates.regions.all.len(), places, numbers]
}

impl<S: Scalar> RegionMemory<S> {
    pub(crate) fn new(model: &Model) -> Self {
        let [regions, places, numbers] = lengths::<S>(model);
        Self {
            region: vec![Se3::identity(); regions],
            link: vec![Se3::identity(); places],
            path: vec![S::zero(); numbers],
        }
    }

    /// How many bytes a model needs.
    pub(crate) fn bytes(model: &Model) -> u64 {
        let [regions, places, numbers] = lengths::<S>(model);
        ((regions + places) * size_of::<Se3<S>>() + numbers * size_of::<S>()) as u64
    }

    /// The same memory to be written to.
    #[inline(always)]
    pub(crate) fn view(&mut self) -> RegionView<'_, S> {
        RegionView {
            region: &mut self.region,
            link: &mut self.link,
            path: &mut self.path,
        }
    }
}

/// [`RegionMemory`] to be written to.
pub(crate) struct RegionView<'a, S: Scalar> {
    pub(super) region: &'a mut [Se3<S>],
    pub(super) link: &'a mut [Se3<S>],
    pub(super) path: &'a mut [S],
}

impl<'a, S: Scalar> RegionView<'a, S> {
    #[inline(always)]
    pub(crate) fn seen_as<F: Form>(self, form: F) -> RegionView<'a, F::Of<S>> {
        RegionView {
            region: seen_mut_as(self.region, form),
            link: seen_mut_as(self.link, form),
            path: seen_mut_as(self.path, form),
        }
    }
}

/// Fills the packed mass matrix of scalars that do not share registers. `momenta` is room for six numbers of each coordinate.
#[inline(always)]
pub(super) fn fill<S: Scalar>(
    model: &Model,
    ws: &mut Scratch<S>,
    q: &[S],
    momenta: &mut [[S; 6]],
    memory: &mut RegionView<'_, S>,
    packed: &mut [S],
) {
    let column = &mut ws.subspaces.column;
    turn_or_place(model, q, &mut ws.turn, &mut ws.placement, column);
    momenta_in_links(model, ws, None, momenta);
    fill_rows(model, ws, momenta, memory, packed);
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

/// Places link i in the frame of its region, or the region in the one above if the link is its root; those before it have been placed.
/// Says whether it is.
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
        Class::Revolute | Class::Unbounded if !S::SHARES_REGISTERS => {
            placement.act_momentum_of_turn(momentum)
        }
        _ => placement.act_force(momentum),
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
