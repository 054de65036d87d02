//! The composite-rigid-body algorithm: the joint-space mass matrix in O(nd), d the depth of the
//! tree.
//!
//! Featherstone 2008, table 6.2; Walker and Orin 1982. Only the elements of pairs of joints on a
//! common path to the root are visited; the others are zero in every configuration (branch-induced
//! sparsity). The textbook's algorithm is in [`textbook`]; a [`Route`] says which models and number
//! types take another way to the same matrix.

mod hinges;
mod regions;
mod storage;
mod textbook;
mod tiles;

pub(crate) use textbook::{composite_inertias, unit_momentum};

use crate::error::Error;
use crate::kinematics::joint_pass::place_links;
use crate::model::Model;
use crate::scalar::{Scalar, are_finite, kernel};
use crate::workspace::{Matrices, RegionView, Scratch, Workspace};
use nalgebra::DMatrix;
use storage::{Dense, MassMatrix, Packed};

/// How the mass matrix is filled.
enum Route {
    /// Pair by pair, as in table 6.2.
    Textbook,
    /// The same, with hinges as turns: lanes, where most joints are hinges and paths are not long.
    Hinges,
    /// Row by row, in frames shared by many joints: long paths, numbers that fill a register.
    Regions,
    /// In tiles of four by four, in the same frames: long paths, numbers that share registers.
    Tiles,
}

/// From how many ancestors on average shared frames are faster than pairs of joints: measured.
const DEEP: usize = 9;

/// The same of numbers of which each fills a register.
const DEEP_FOR_ROWS: usize = 5;

/// The same of lanes, against hinges as turns: measured on chains.
const DEEP_FOR_HINGES: usize = 20;

impl Route {
    #[inline(always)]
    fn of<S: Scalar>(model: &Model) -> Self {
        let depth = model.coordinates.mean_level;
        match (S::SHARES_REGISTERS, S::IS_LANES) {
            _ if model.has_mimic_joints() => Self::Textbook,
            (true, _) if depth >= DEEP => Self::Tiles,
            (false, true) if model.is_mostly_hinges && depth < DEEP_FOR_HINGES => Self::Hinges,
            (false, _) if depth >= DEEP_FOR_ROWS => Self::Regions,
            (true | false, _) => Self::Textbook,
        }
    }
}

/// Whether the mass matrix leaves behind where each link is placed in its parent.
#[inline(always)]
pub(crate) fn leaves_placements<S: Scalar>(model: &Model) -> bool {
    match Route::of::<S>(model) {
        Route::Textbook | Route::Tiles => true,
        Route::Hinges | Route::Regions => false,
    }
}

kernel!(
    /// Fills the square mass matrix if it is asked for, otherwise the packed one. `momenta` is room
    /// for six numbers of each coordinate.
    fn composite_rigid_bodies<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        q: &[S],
        regions: RegionView<'_, S>,
        momenta: &mut [S],
        packed: &mut [S],
        square: Option<&mut [S]>,
    ) {
        let (n, tree) = (model.nv(), model.elimination_tree());
        if let Route::Regions = Route::of::<S>(model) {
            regions::fill(model, ws, q, momenta, regions, packed);
            if let Some(square) = square {
                tiles::unpack(tree, packed, square);
            }
            return;
        }
        match square {
            Some(elements) => fill(model, ws, q, regions, momenta, Dense { n, elements }),
            None => fill(model, ws, q, regions, momenta, Packed::new(tree, packed)),
        }
    }
);

/// Places the links, and fills a mass matrix.
#[inline(always)]
fn fill<S: Scalar, M: MassMatrix<S>>(
    model: &Model,
    ws: &mut Scratch<S>,
    q: &[S],
    mut regions: RegionView<'_, S>,
    momenta: &mut [S],
    mut mass: M,
) {
    if let Route::Hinges = Route::of::<S>(model) {
        hinges::fill(model, ws, q, momenta, &mut mass);
        return;
    }
    place_links(model, q, &mut ws.placement, &mut ws.subspaces.column);
    if let Route::Tiles = Route::of::<S>(model) {
        composite_inertias(model, &ws.placement, &ws.parameters, &mut ws.composite);
        tiles::fill(model, ws, &mut regions, &mut mass);
    } else {
        textbook::sum_and_fill(model, ws, &mut mass);
    }
}

/// Fills the packed mass matrix without mimic joints from momenta in links' frames.
#[cfg(feature = "batch")]
#[inline(always)]
pub(super) fn fill_rows<S: Scalar>(
    model: &Model,
    ws: &Scratch<S>,
    momenta: &[[S; 6]],
    regions: &mut RegionView<'_, S>,
    packed: &mut [S],
) {
    match Route::of::<S>(model) {
        Route::Regions => regions::fill_rows(model, ws, momenta, regions, packed),
        Route::Textbook | Route::Hinges | Route::Tiles => {
            let mass = &mut Packed::new(model.elimination_tree(), packed);
            hinges::fill_rows(model, ws, momenta, mass);
        }
    }
}

/// Writes both triangles of the mass matrix, after links are placed and inertias summed.
#[inline(always)]
pub(super) fn write_mass_matrix<S: Scalar>(
    model: &Model,
    ws: &Scratch<S>,
    regions: &mut RegionView<'_, S>,
    elements: &mut [S],
) {
    let n = model.nv();
    let mut mass = Dense { n, elements };
    if let Route::Tiles = Route::of::<S>(model) {
        tiles::fill(model, ws, regions, &mut mass);
    } else {
        textbook::fill(model, ws, &mut mass);
    }
}

impl Model {
    /// The joint-space mass matrix M(q), nv × nv and symmetric, armature and reflected rotor
    /// inertia included.
    ///
    /// Of a model with [loops](crate::model::LoopJoint) it sees the spanning tree.
    ///
    /// Cost O(nd), d the depth of the tree. Source: Featherstone 2008, table 6.2.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], [`Error::NoMatrices`], and
    /// [`Error::NotFinite`] or [`Error::ZeroRotation`] for a configuration that has no finite
    /// result.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let mass = model.crba(&mut ws, &[0.3, -0.2])?;
    /// assert_eq!(mass[(0, 1)], mass[(1, 0)]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn crba<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
    ) -> Result<&'w DMatrix<S>, Error> {
        let (scratch, matrices) = ws.parts(self)?;
        self.check_q(q)?;
        self.run_crba(scratch, matrices, q, true);
        let mass = &matrices.mass;
        let diagonal = (0..self.nv()).map(|k| mass[(k, k)]);
        self.check_mass_matrix(q, diagonal, mass.as_slice())?;
        Ok(mass)
    }

    /// The mass matrix in packed storage.
    pub(crate) fn packed_mass_matrix<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
    ) -> Result<&'w mut [S], Error> {
        let packed = self.unchecked_mass_matrix(ws, q)?;
        let (rows, places) = self.elimination_tree().rows_and_places::<S>();
        let places = rows.iter().zip(places);
        let diagonal = places.map(|(row, place)| packed[row + place]);
        self.check_mass_matrix(q, diagonal, &*packed)?;
        Ok(packed)
    }

    /// The packed mass matrix, to be factorised: its pivots show whether it is finite.
    pub(crate) fn unchecked_mass_matrix<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
    ) -> Result<&'w mut [S], Error> {
        let (scratch, matrices) = ws.packed_parts(self)?;
        self.check_q(q)?;
        self.run_crba(scratch, matrices, q, false);
        Ok(&mut matrices.packed)
    }

    /// Fills the square mass matrix, or else the packed one.
    #[inline(always)]
    fn run_crba<S: Scalar>(
        &self,
        ws: &mut Scratch<S>,
        matrices: &mut Matrices<S>,
        q: &[S],
        is_square: bool,
    ) {
        composite_rigid_bodies(
            self,
            ws,
            q,
            matrices.regions.view(),
            matrices.wide.as_mut_slice(),
            &mut matrices.packed,
            is_square.then_some(matrices.mass.as_mut_slice()),
        );
    }

    /// Fails unless the mass matrix is finite. An element that is not makes the diagonal element of
    /// its upper joint so, because both sum the same bodies, unless that joint slides.
    #[inline(always)]
    fn check_mass_matrix<S: Scalar>(
        &self,
        q: &[S],
        diagonal: impl Iterator<Item = S>,
        elements: &[S],
    ) -> Result<(), Error> {
        let finite = if self.slides_carry {
            are_finite(elements.iter().copied())
        } else {
            are_finite(diagonal)
        };
        self.check_finite(finite, "the mass matrix", q, &[])
    }
}

/// The joint-space mass matrix M(q) as [`crba`](Model::crba) gives it, but of pairs of
/// coordinates on a common path to the root only, and of each pair once: all other elements are
/// zero in every configuration.
///
/// [`EliminationTree::place`](crate::model::EliminationTree::place) of the model's
/// [tree](crate::kernel::elimination_tree) says where an element is. Cost O(nd), d the depth of the
/// tree. Source: Featherstone 2008, table 6.2.
///
/// # Errors
/// As [`crba`](Model::crba).
///
/// ```
/// use featherline::kernel::{crba_packed, elimination_tree};
/// use featherline::{Workspace, samples};
///
/// let model = samples::double_pendulum();
/// let (mut ws, mut other) = (Workspace::new(&model), Workspace::new(&model));
/// let packed = crba_packed(&model, &mut ws, &[0.3, -0.2])?;
/// let mass = model.crba(&mut other, &[0.3, -0.2])?;
/// assert_eq!(packed[elimination_tree(&model).place::<f64>(1, 0)], mass[(1, 0)]);
/// # Ok::<(), featherline::Error>(())
/// ```
pub fn crba_packed<'w, S: Scalar>(
    model: &Model,
    ws: &'w mut Workspace<S>,
    q: &[S],
) -> Result<&'w [S], Error> {
    model.packed_mass_matrix(ws, q).map(|packed| &*packed)
}
