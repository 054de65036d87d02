//! The mass matrix by panels: four joints of a line at a time.
//!
//! The textbook carries the momentum of a composite body from link to link, each of which takes its component. Joints that
//! follow one another in a line (a [`Panel`] of the elimination tree) can take theirs together if their columns are given
//! in one frame, that of the first link of the line: the components are four dot products side by side, and the momentum
//! moves once for four joints. In one frame for the whole robot it would not have to move at all, but moments about a
//! point far away lose digits.

use super::storage::MassMatrix;
use super::unit_momentum;
use crate::kinematics::jacobian::place_column;
use crate::model::{CHUNK, Model};
use crate::scalar::{Scalar, WideInstructions, wide_mut};
use crate::spatial::{DynamicParameters, Force, Motion, Se3};

/// The components of the columns of a panel: six rows of [`CHUNK`].
const COMPONENTS: usize = 6 * CHUNK;

/// Memory for panels.
#[derive(Clone, Debug)]
pub(crate) struct PanelMemory<S: Scalar> {
    /// Each link in the frame of the line that its parent stands in.
    placement: Vec<Se3<S>>,
    /// The columns of each panel in the frame of its line, by rows.
    columns: Vec<S>,
}

impl<S: Scalar> PanelMemory<S> {
    pub(crate) fn new(model: &Model) -> Self {
        let (links, numbers) = Self::lengths(model);
        Self {
            placement: vec![Se3::identity(); links],
            columns: vec![S::zero(); numbers],
        }
    }

    /// How many placements and numbers a model needs.
    fn lengths(model: &Model) -> (usize, usize) {
        if !model.coordinates.is_deep {
            return (0, 0);
        }
        let panels = model.elimination_tree().panels().len();
        (model.links.len(), COMPONENTS * panels)
    }

    /// How many bytes a model needs.
    pub(crate) fn bytes(model: &Model) -> u64 {
        let (links, numbers) = Self::lengths(model);
        (links * size_of::<Se3<S>>() + numbers * size_of::<S>()) as u64
    }

    /// The same memory to be written to.
    #[inline(always)]
    pub(crate) fn view(&mut self) -> PanelView<'_, S> {
        PanelView {
            placement: &mut self.placement,
            columns: &mut self.columns,
        }
    }
}

/// [`PanelMemory`] to be written to.
pub(crate) struct PanelView<'a, S: Scalar> {
    placement: &'a mut [Se3<S>],
    columns: &'a mut [S],
}

impl<'a, S: Scalar> PanelView<'a, S> {
    #[inline(always)]
    pub(crate) fn wide(self, proof: WideInstructions) -> PanelView<'a, S::Wide> {
        PanelView {
            placement: wide_mut(self.placement, proof),
            columns: wide_mut(self.columns, proof),
        }
    }
}

/// Fills the mass matrix of a model without followers.
#[inline(always)]
pub(super) fn fill<S: Scalar, M: MassMatrix<S>>(
    model: &Model,
    placement: &[Se3<S>],
    column: &[Motion<S>],
    composite: &[DynamicParameters<S>],
    memory: &mut PanelView<'_, S>,
    mass: &mut M,
) {
    place_columns(model, placement, column, memory);
    let momenta = Momenta {
        model,
        column,
        composite,
        memory,
    };
    for (p, panel) in model.elimination_tree().panels().iter().enumerate() {
        match panel.len {
            1 => momenta.carry::<M, 1>(p, mass),
            2 => momenta.carry::<M, 2>(p, mass),
            3 => momenta.carry::<M, 3>(p, mass),
            _ => momenta.carry::<M, 4>(p, mass),
        }
    }
}

/// What the momenta of composite bodies are made of.
struct Momenta<'a, 'v, S: Scalar> {
    model: &'a Model,
    column: &'a [Motion<S>],
    composite: &'a [DynamicParameters<S>],
    memory: &'a PanelView<'v, S>,
}

impl<S: Scalar> Momenta<'_, '_, S> {
    /// Carries the momenta that belong to the `N` coordinates of a panel up to the root, side by side.
    #[inline(always)]
    fn carry<M: MassMatrix<S>, const N: usize>(&self, panel: usize, mass: &mut M) {
        let lines = &self.model.coordinates.lines;
        let panels = self.model.elimination_tree().panels();
        let (mut here, first) = (panel, panels[panel].first);
        let mut momenta = [Force::zero(); N];
        for r in 0..N {
            let i = lines.link[first + r];
            let link = &self.model.links[i];
            let own = &self.column[link.column + first + r - link.idx_v];
            momenta[r] = unit_momentum(link, &self.composite[i], own);
            if lines.first_link[here] != i {
                momenta[r] = self.memory.placement[i].act_force(&momenta[r]);
            }
            let mut elements = components(self.memory.columns, here, &momenta[r], r + 1);
            elements[r] += S::constant(self.model.reflected_inertia[first + r]);
            mass.set(first + r, &panels[here], &elements, r + 1);
        }
        while let Some((above, count)) = panels[here].above() {
            let line = lines.first_link[here];
            if line != lines.first_link[above] {
                for r in 0..N {
                    momenta[r] = self.memory.placement[line].act_force(&momenta[r]);
                }
            }
            let mut elements = [[S::zero(); CHUNK]; N];
            for r in 0..N {
                elements[r] = components(self.memory.columns, above, &momenta[r], count);
            }
            mass.set_block(first, &panels[above], &elements, count);
            here = above;
        }
    }
}

/// Writes the columns of all panels.
#[inline(always)]
fn place_columns<S: Scalar>(
    model: &Model,
    placement: &[Se3<S>],
    column: &[Motion<S>],
    memory: &mut PanelView<'_, S>,
) {
    let (tree, lines) = (model.elimination_tree(), &model.coordinates.lines);
    for (i, link) in model.links.iter().enumerate().skip(1) {
        let in_line = if lines.begins[link.parent] {
            placement[i]
        } else {
            memory.placement[link.parent].compose(&placement[i])
        };
        memory.placement[i] = in_line;
        for (c, own) in column[link.column_range()].iter().enumerate() {
            let k = link.idx_v + c;
            let panel = tree.panel_of(k);
            let place = k - tree.panels()[panel].first;
            let components = if lines.first_link[panel] == i {
                own.to_array()
            } else {
                place_column(link, &in_line, own).to_array()
            };
            let rows = &mut memory.columns[COMPONENTS * panel..COMPONENTS * (panel + 1)];
            for r in 0..6 {
                rows[CHUNK * r + place] = components[r];
            }
        }
    }
}

/// The components of a force along the first `count` columns of a panel, and zeros.
#[inline(always)]
fn components<S: Scalar>(
    columns: &[S],
    panel: usize,
    force: &Force<S>,
    count: usize,
) -> [S; CHUNK] {
    let rows = &columns[COMPONENTS * panel..COMPONENTS * (panel + 1)];
    let force = force.to_array();
    let mut sums = [S::zero(); CHUNK];
    if S::SHARES_REGISTERS {
        for r in 0..6 {
            for l in 0..CHUNK {
                sums[l] = rows[CHUNK * r + l].mul_add(force[r], sums[l]);
            }
        }
        for l in 0..CHUNK {
            sums[l] = if l < count { sums[l] } else { S::zero() };
        }
    } else {
        for l in 0..count {
            for r in 0..6 {
                sums[l] = rows[CHUNK * r + l].mul_add(force[r], sums[l]);
            }
        }
    }
    sums
}
