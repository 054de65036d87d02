//! The mass matrix by regions for scalars that share registers: the rows of a panel of coordinates
//! together, tile by tile.
//!
//! The data of a link that are read on the way to the root serve all rows of a panel, and their
//! elements leave the registers once: as rows, and in a square as columns, too.

use super::regions::{carried, place_in_region};
use super::storage::MassMatrix;
use super::unit_momentum;
use crate::kinematics::jacobian::place_column;
use crate::kinematics::joint_pass::component;
use crate::model::{CHUNK, EliminationTree, Model, Panel};
use crate::scalar::Scalar;
use crate::spatial::{Force, Motion};
use crate::workspace::RegionView;
use crate::workspace::Scratch;

/// The elements of the rows of one panel in the columns of another.
pub(super) type Tile<S> = [[S; CHUNK]; CHUNK];

/// Fills the mass matrix from composite inertias, each in its link's frame.
#[inline(always)]
pub(super) fn fill<S: Scalar, M: MassMatrix<S>>(
    model: &Model,
    ws: &Scratch<S>,
    memory: &mut RegionView<'_, S>,
    mass: &mut M,
) {
    // Slices of one length: what is checked for one index is checked for all.
    let links = &model.links[..];
    let n = links.len();
    let of_link = &model.coordinates.regions.of_link[..n];
    let composite = &ws.composite[..n];
    let columns = &ws.subspaces.column[..];
    let tree = model.elimination_tree();
    let mut momenta = [Force::zero(); CHUNK];
    let mut diagonal = [S::zero(); CHUNK];
    for i in 1..n {
        let link = &links[i];
        let (own, is_root) = place_in_region(model, ws, i, memory);
        for c in 0..link.columns {
            let k = link.idx_v + c;
            let panel = &tree.panels()[tree.panel_of(k)];
            let row = (k - panel.first) % CHUNK;
            let column = &columns[link.column + c];
            let mut momentum = unit_momentum(link, &composite[i], column);
            let reflected = S::constant(model.reflected_inertia[k]);
            diagonal[row] = component(link, column, &momentum) + reflected;
            let mut axis = *column;
            if !is_root {
                axis = place_column(link, &own, column);
                momentum = carried(link, &own, &momentum);
            }
            momenta[row] = momentum;
            put_on_path(panel, row, &axis, memory.path);
            if row + 1 == panel.len {
                fill_panel(model, of_link[i], panel, momenta, &diagonal, memory, mass);
            }
        }
    }
}

/// Writes the column of a coordinate to its place in the path.
#[inline(always)]
fn put_on_path<S: Scalar>(panel: &Panel, row: usize, axis: &Motion<S>, path: &mut [S]) {
    let blocks = path.as_chunks_mut::<{ 6 * CHUNK }>().0;
    if row == 0
        && let Some((_, count)) = panel.above()
        && count < CHUNK
    {
        // Clear the columns that another branch has left behind the ancestors above.
        for row in blocks[panel.chunk - 1].as_chunks_mut::<CHUNK>().0 {
            row[count..].fill(S::zero());
        }
    }
    let components = axis.to_array();
    let block = &mut blocks[panel.chunk];
    for d in 0..6 {
        block[CHUNK * d + row] = components[d];
    }
}

/// The rows of a panel, whose momenta are given in a region's frame. `diagonal` is known.
#[inline(always)]
fn fill_panel<S: Scalar, M: MassMatrix<S>>(
    model: &Model,
    region: usize,
    own: &Panel,
    momenta: [Force<S>; CHUNK],
    diagonal: &[S; CHUNK],
    memory: &RegionView<'_, S>,
    mass: &mut M,
) {
    let tree = model.elimination_tree();
    let panels = tree.panels();
    let regions = &model.coordinates.regions.all[..];
    let blocks = memory.path.as_chunks::<{ 6 * CHUNK }>().0;
    let (mut region, mut momenta) = (region, momenta);
    let mut components = momenta.map(|momentum| momentum.to_array());
    let mut tile = products(&blocks[own.chunk], &components);
    for r in 0..CHUNK {
        tile[r][r] = diagonal[r];
    }
    mass.put_panel(own, &tile);
    let mut next = own.above();
    while let Some((above, count)) = next {
        let above = &panels[above];
        while above.chunk < regions[region].panels {
            for momentum in &mut momenta {
                *momentum = memory.region[region].act_force(momentum);
            }
            components = momenta.map(|momentum| momentum.to_array());
            region = regions[region].above;
        }
        let tile = products(&blocks[above.chunk], &components);
        mass.put_tile(own, above, count, &tile);
        next = above.above();
    }
}

/// The components of forces along columns that stand side by side.
#[inline(always)]
fn products<S: Scalar>(columns: &[S; 6 * CHUNK], forces: &[[S; 6]; CHUNK]) -> Tile<S> {
    let mut sums = [[S::zero(); CHUNK]; CHUNK];
    for d in 0..6 {
        for r in 0..CHUNK {
            for l in 0..CHUNK {
                sums[r][l] = columns[CHUNK * d + l].mul_add(forces[r][d], sums[r][l]);
            }
        }
    }
    sums
}

/// Writes both triangles of the square matrix that is packed.
#[inline(always)]
pub(super) fn unpack<S: Scalar>(tree: &EliminationTree, packed: &[S], square: &mut [S]) {
    let n = tree.len();
    for own in tree.panels() {
        for k in own.first..own.first + own.len {
            let mut next = Some((tree.panel_of(k), k + 1 - own.first));
            while let Some((panel, count)) = next {
                let panel = &tree.panels()[panel];
                let row = &packed[tree.place::<S>(k, panel.first)..][..count];
                for (l, element) in (panel.first..).zip(row) {
                    square[k * n + l] = *element;
                    square[l * n + k] = *element;
                }
                next = panel.above();
            }
        }
    }
}
