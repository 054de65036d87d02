//! The inverse of the mass matrix: from its factors, or for deep trees without the mass matrix.
//!
//! The factors of a robot with limbs are short, and [`invert`] combines their rows in whole
//! registers. The cost is O(n²d), which in a long chain exceeds what the rest of this file does in
//! O(n²).
//!
//! There, the articulated-body recursion at rest and without gravity maps joint forces to
//! accelerations: M⁻¹. It is run for all unit forces at once (Carpentier 2018, "Analytical inverse
//! of the joint space inertia matrix"). Forces and accelerations are in world coordinates, so that
//! handing a row from one link to the next costs nothing, and a row holds one component for all
//! unit forces side by side. A unit force on a coordinate is felt only by the links above it until
//! the accelerations come back, and M⁻¹ is symmetric: O(nd) backward, half of n² forward.

use super::articulated::{begin, cross_inertia, eliminate_base};
use super::chain_inverse::{self, is_chain};
use super::ltdl::invert;
use super::singular::ArticulatedElimination;
use crate::error::Error;
use crate::kinematics::jacobian::place_column;
use crate::kinematics::joint_pass::place_in_world;
use crate::model::{Front, Link, Model};
use crate::scalar::row::{self, six_rows, six_rows_mut};
use crate::scalar::{Scalar, are_finite, kernel};
use crate::workspace::{Matrices, Scratch, Workspace};
use nalgebra::DMatrix;

/// The name of the result in errors.
const INVERSE: &str = "the inverse of the mass matrix";

/// How many multiplications an element of the inverse may take from the factors until the recursion
/// is faster: measured on chains, in which it is half their length.
const DEEP: usize = 40;

/// How the inverse of the mass matrix is found.
enum Route {
    /// From the factors of the mass matrix: trees of usual depth.
    Factors,
    /// By the recursion for all unit forces at once: deep trees.
    UnitForces,
    /// By the recursion for four unit forces at a time: deep chains of scalars that fill registers.
    Chain,
}

impl Route {
    #[inline(always)]
    fn of<S: Scalar>(model: &Model) -> Self {
        if model.inverts_factor() {
            Self::Factors
        } else if !S::SHARES_REGISTERS && is_chain(model) {
            Self::Chain
        } else {
            Self::UnitForces
        }
    }
}

kernel!(
    /// Places the links and eliminates all coordinates from articulated-body inertias.
    pub(super) fn articulate<S: Scalar>(model: &Model, ws: &mut Scratch<S>, q: &[S]) {
        place_in_world(model, ws, q);
        begin(model, ws);
        for (i, link) in model.links.iter().enumerate().skip(1).rev() {
            cross_inertia(model, i, link, None, ws);
        }
        eliminate_base(model, None, ws);
    }
);

kernel!(
    /// Writes the inverse by all unit forces; `rows`, `force`, `acceleration` are for responses.
    fn respond<S: Scalar>(
        model: &Model,
        ws: &Scratch<S>,
        rows: &mut [S],
        force: &mut [S],
        acceleration: &mut [S],
        inverse: &mut [S],
    ) {
        rows.fill(S::zero());
        force.fill(S::zero());
        for i in (0..model.links.len()).rev() {
            respond_with_forces(model, i, ws, rows, force);
        }
        for i in 0..model.links.len() {
            respond_with_accelerations(model, i, ws, rows, acceleration);
        }
        mirror(&model.coordinates.rank, rows, inverse);
    }
);

/// Writes the symmetric matrix whose upper triangle, in the order of ranks, `rows` holds.
#[inline(always)]
fn mirror<S: Scalar>(rank: &[usize], rows: &[S], inverse: &mut [S]) {
    /// In tiles: a column of a great matrix touches as many cache lines as it has entries.
    const TILE: usize = 8;
    let n = rank.len();
    let tiled = if rank.is_sorted() { n / TILE } else { 0 };
    for top in 0..tiled {
        for left in top + 1..tiled {
            let mut columns = [[S::zero(); TILE]; TILE];
            for k in 0..TILE {
                let begin = (TILE * top + k) * n + TILE * left;
                let from = &rows[begin..begin + TILE];
                inverse[begin..begin + TILE].copy_from_slice(from);
                for r in 0..TILE {
                    columns[r][k] = from[r];
                }
            }
            for r in 0..TILE {
                let begin = (TILE * left + r) * n + TILE * top;
                inverse[begin..begin + TILE].copy_from_slice(&columns[r]);
            }
        }
    }
    // The elements that the tiles leave: those on the diagonal, and the last columns.
    for k in 0..n {
        let tile_end = TILE * (k / TILE + 1);
        let diagonal_end = if tile_end < n { tile_end } else { n };
        let tiles_end = if k < TILE * tiled {
            TILE * tiled
        } else {
            diagonal_end
        };
        for (begin, end) in [(k, diagonal_end), (tiles_end, n)] {
            for r in begin..end {
                let (low, high) = if rank[k] < rank[r] {
                    (rank[k], rank[r])
                } else {
                    (rank[r], rank[k])
                };
                let element = rows[low * n + high];
                inverse[k * n + r] = element;
                inverse[r * n + k] = element;
            }
        }
    }
}

/// `six[c] += vector[c] · row`.
#[inline(always)]
fn add_outer<S: Scalar>(six: [&mut [S]; 6], vector: &[S; 6], from: &[S]) {
    for (c, to) in six.into_iter().enumerate() {
        row::add_scaled(to, vector[c], from);
    }
}

/// The row of one coordinate, and another coordinate's.
#[inline(always)]
fn two_rows<S>(rows: &mut [S], n: usize, one: usize, other: usize) -> (&mut [S], &mut [S]) {
    if one < other {
        let (a, b) = rows.split_at_mut(other * n);
        (&mut a[one * n..one * n + n], &mut b[..n])
    } else {
        let (a, b) = rows.split_at_mut(one * n);
        (&mut b[..n], &mut a[other * n..other * n + n])
    }
}

/// A front's force in world coordinates.
#[inline(always)]
fn world_force<S: Scalar>(ws: &Scratch<S>, i: usize, front: &Front, k: usize) -> [S; 6] {
    ws.world[i]
        .act_force(&ws.fronts.force[front.offset + k])
        .to_array()
}

/// The motion subspace of an axial joint in world coordinates.
#[inline(always)]
fn world_column<S: Scalar>(ws: &Scratch<S>, i: usize, link: &Link) -> [S; 6] {
    place_column(link, &ws.world[i], &ws.subspaces.column[link.column]).to_array()
}

#[inline(always)]
fn scaled<S: Scalar>(vector: &[S; 6], factor: S) -> [S; 6] {
    let mut product = *vector;
    for component in &mut product {
        *component = *component * factor;
    }
    product
}

/// Eliminates a link's coordinates: a coordinate's row then holds its share of each unit force.
#[inline(always)]
fn respond_with_forces<S: Scalar>(
    model: &Model,
    i: usize,
    ws: &Scratch<S>,
    rows: &mut [S],
    force: &mut [S],
) {
    let (n, link) = (model.nv(), &model.links[i]);
    let (front, range) = (
        &model.coordinates.fronts[i],
        model.coordinates.ranks_below[i].clone(),
    );
    let (size, rank) = (front.coordinates.len(), &model.coordinates.rank);
    let has_above = i != 0 && link.parent != 0;
    if front.simple && has_above {
        let (place, inverse) = (range.start, ws.fronts.square[front.square]);
        let take = scaled(&world_column(ws, i, link), -S::one());
        let give = scaled(&world_force(ws, i, front, 0), inverse);
        let own = &mut rows[place * n..place * n + n][range.clone()];
        own[0] = S::one();
        row::exchange(own, S::one(), &take, &give, six_rows_mut(force, n, range));
        return;
    }
    for (c, column) in ws.subspaces.column[link.column_range()].iter().enumerate() {
        let k = rank[link.idx_v + c];
        let column = ws.world[i].act_motion(column).to_array();
        let own = &mut rows[k * n..k * n + n][range.clone()];
        row::add_product(own, &column, six_rows(force, n, range.clone()));
    }
    for k in 0..front.eliminated {
        let place = rank[front.coordinates[k]];
        let own = &mut rows[place * n..place * n + n];
        row::scale(&mut own[range.clone()], -S::one());
        own[place] += S::one();
        let inverse = ws.fronts.square[front.square + k * size + k];
        for m in k + 1..size {
            let factor = ws.fronts.square[front.square + k * size + m] * inverse;
            let (from, to) = two_rows(rows, n, place, rank[front.coordinates[m]]);
            row::add_scaled(&mut to[range.clone()], factor, &from[range.clone()]);
        }
        if has_above {
            let gain = scaled(&world_force(ws, i, front, k), inverse);
            let own = &rows[place * n..place * n + n][range.clone()];
            add_outer(six_rows_mut(force, n, range.clone()), &gain, own);
        }
    }
}

/// Completes the rows of a link's coordinates with what the accelerations of the links below and
/// beside it cause, from the link's first coordinate onwards.
#[inline(always)]
fn respond_with_accelerations<S: Scalar>(
    model: &Model,
    i: usize,
    ws: &Scratch<S>,
    rows: &mut [S],
    acceleration: &mut [S],
) {
    let (n, link) = (model.nv(), &model.links[i]);
    let (front, first) = (
        &model.coordinates.fronts[i],
        model.coordinates.ranks_below[i].start,
    );
    let (size, rank) = (front.coordinates.len(), &model.coordinates.rank);
    let (is_root, is_leaf) = (link.parent == 0, model.subtree_end(i) == i + 1);
    let above = model.place_in_path[link.parent];
    // A leaf hands its acceleration to nobody.
    let place = if is_leaf && !is_root {
        above
    } else {
        model.place_in_path[i]
    };
    if is_root || place != above {
        for c in 0..6 {
            let row = (6 * place + c) * n;
            if is_root {
                acceleration[row + first..row + n].fill(S::zero());
            } else {
                let from = (6 * above + c) * n;
                acceleration.copy_within(from + first..from + n, row + first);
            }
        }
    }
    let acceleration = &mut acceleration[6 * place * n..6 * (place + 1) * n];
    if front.simple && !is_leaf {
        let inverse = ws.fronts.square[front.square];
        let take = scaled(&world_force(ws, i, front, 0), -inverse);
        let give = world_column(ws, i, link);
        let own = &mut rows[first * n + first..first * n + n];
        row::exchange(
            own,
            inverse,
            &take,
            &give,
            six_rows_mut(acceleration, n, first..n),
        );
        return;
    }
    for k in (0..front.eliminated).rev() {
        let place = rank[front.coordinates[k]];
        let inverse = ws.fronts.square[front.square + k * size + k];
        if !is_root {
            let force = scaled(&world_force(ws, i, front, k), -S::one());
            let own = &mut rows[place * n..place * n + n][first..];
            row::add_product(own, &force, six_rows(acceleration, n, first..n));
        }
        for m in k + 1..size {
            let factor = -ws.fronts.square[front.square + k * size + m];
            let (to, from) = two_rows(rows, n, place, rank[front.coordinates[m]]);
            row::add_scaled(&mut to[first..], factor, &from[first..]);
        }
        row::scale(&mut rows[place * n + first..place * n + n], inverse);
    }
    if is_leaf {
        return;
    }
    for (c, column) in ws.subspaces.column[link.column_range()].iter().enumerate() {
        let k = rank[link.idx_v + c];
        let column = ws.world[i].act_motion(column).to_array();
        let from = &rows[k * n..k * n + n][first..];
        add_outer(six_rows_mut(acceleration, n, first..n), &column, from);
    }
}

impl Model {
    /// The inverse of the mass matrix, nv × nv and symmetric.
    ///
    /// Cost O(n²d) for trees of usual depth, O(n²) for chains of about eighty coordinates and more.
    /// Sources: Featherstone 2008, section 6.5, for the factors, and Takahashi, Fagan and Chen 1973
    /// for the inverse from them; for deep trees Carpentier 2018.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], [`Error::NoMatrices`],
    /// [`Error::SingularInertia`], and [`Error::NotFinite`] or [`Error::ZeroRotation`] for a
    /// configuration that has no finite result.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let inverse = model.mass_matrix_inverse(&mut ws, &[0.3, -0.2])?.clone();
    /// let identity = model.crba(&mut ws, &[0.3, -0.2])? * inverse;
    /// assert!((identity[(0, 0)] - 1.0_f64).abs() < 1e-12 && identity[(0, 1)].abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn mass_matrix_inverse<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
    ) -> Result<&'w DMatrix<S>, Error> {
        match Route::of::<S>(self) {
            Route::Factors => {
                ws.check_matrices(self)?;
                self.ltdl(ws, q)?;
                self.invert_last_factor(ws, q)
            }
            Route::UnitForces => self.inverse_by_unit_forces(ws, q),
            Route::Chain => self.inverse_of_chain(ws, q),
        }
    }

    fn inverse_of_chain<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
    ) -> Result<&'w DMatrix<S>, Error> {
        self.pack_inverse_of_chain(ws, q)?;
        let (tree, matrices) = (self.elimination_tree(), ws.parts(self)?.1);
        for k in 0..self.nv() {
            for i in 0..=k {
                let element = matrices.response[tree.tight_place(k, i)];
                matrices.inverse[(k, i)] = element;
                matrices.inverse[(i, k)] = element;
            }
        }
        Ok(&matrices.inverse)
    }

    fn inverse_by_unit_forces<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
    ) -> Result<&'w DMatrix<S>, Error> {
        self.check_q(q)?;
        let (scratch, matrices) = ws.parts(self)?;
        articulate(self, scratch, q);
        respond(
            self,
            scratch,
            &mut matrices.response,
            &mut matrices.unit_force,
            &mut matrices.unit_acceleration,
            matrices.inverse.as_mut_slice(),
        );
        let inverse = &matrices.inverse;
        let is_finite = (0..self.nv()).all(|k| inverse[(k, k)].is_finite());
        self.check_inverse(ws, q, is_finite, ArticulatedElimination::default(), INVERSE)?;
        Ok(&ws.parts(self)?.1.inverse)
    }

    /// The inverse of a chain's mass matrix, packed without padding; none for other routes.
    #[cfg(feature = "batch")]
    pub(crate) fn packed_chain_inverse<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
    ) -> Result<Option<&'w [S]>, Error> {
        match Route::of::<S>(self) {
            Route::Factors | Route::UnitForces => Ok(None),
            Route::Chain => {
                self.pack_inverse_of_chain(ws, q)?;
                let packed = &ws.parts(self)?.1.response;
                Ok(Some(&packed[..self.elimination_tree().tight_len()]))
            }
        }
    }

    /// Writes a chain's inverse, packed without padding, to the memory for responses.
    fn pack_inverse_of_chain<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
    ) -> Result<(), Error> {
        self.check_q(q)?;
        let (scratch, matrices) = ws.parts(self)?;
        chain_inverse::invert(self, scratch, q, matrices);
        let (tree, packed) = (self.elimination_tree(), &matrices.response);
        let is_finite = (0..self.nv()).all(|k| packed[tree.tight_place(k, k)].is_finite());
        let elimination = ArticulatedElimination {
            by_turns: true,
            ..ArticulatedElimination::default()
        };
        self.check_inverse(ws, q, is_finite, elimination, INVERSE)
    }

    /// Fails unless what a recursion gave of the inverse is finite and its pivots are sound.
    pub(super) fn check_inverse<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        is_finite: bool,
        elimination: ArticulatedElimination<'_>,
        what: &'static str,
    ) -> Result<(), Error> {
        let sound = self.check_pivots(ws, elimination);
        if is_finite {
            return sound;
        }
        let error = self.explain_not_finite(what, q, &[], None);
        if let Error::Overflow { .. } = error {
            sound.and(Err(error))
        } else {
            Err(error)
        }
    }

    /// Whether the inverse from the factors takes at most [`DEEP`] multiplications an element.
    pub(crate) fn inverts_factor(&self) -> bool {
        self.elimination_tree().inverse_products() <= DEEP * self.nv() * self.nv()
    }

    /// The inverse from the factor that a workspace holds.
    fn invert_last_factor<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
    ) -> Result<&'w DMatrix<S>, Error> {
        let Matrices {
            packed,
            inverse_tiles,
            inverse,
            ..
        } = ws.parts(self)?.1;
        invert(
            self.elimination_tree(),
            packed,
            inverse_tiles,
            inverse.as_mut_slice(),
        );
        if are_finite((0..self.nv()).map(|k| inverse[(k, k)])) {
            Ok(inverse)
        } else {
            // Non-finite numbers must not stay behind where zeros are expected.
            inverse_tiles.fill(S::zero());
            Err(self.explain_not_finite(INVERSE, q, &[], None))
        }
    }
}

/// The inverse of the mass matrix in the configuration of the last [`Model::ltdl`], from whose
/// factor it is found where [`Model::mass_matrix_inverse`] finds it so.
///
/// Nothing may have written a mass matrix since. Cost O(n²d), of long chains O(n²).
///
/// # Errors
/// As [`Model::mass_matrix_inverse`].
pub fn inverse_after_ltdl<'w, S: Scalar>(
    model: &Model,
    ws: &'w mut Workspace<S>,
    q: &[S],
) -> Result<&'w DMatrix<S>, Error> {
    ws.check_matrices(model)?;
    match Route::of::<S>(model) {
        Route::Factors => model.invert_last_factor(ws, q),
        Route::UnitForces | Route::Chain => model.mass_matrix_inverse(ws, q),
    }
}

#[cfg(all(test, feature = "samples"))]
mod tests {
    use super::*;
    use crate::samples::{RandomTree, random_tree, snake};
    use crate::scalar::OpCount;

    fn configuration(model: &Model) -> Result<Vec<f64>, Error> {
        let displacement: Vec<f64> = (0..model.nv()).map(|k| (1.7 * k as f64).sin()).collect();
        model.integrate(&model.neutral_configuration(), &displacement)
    }

    #[test]
    fn both_ways_lead_to_the_same_inverse() -> Result<(), Error> {
        let mut models = vec![snake(1), snake(13), snake(70)];
        for seed in 0..40 {
            let shape = RandomTree {
                joints: 1 + seed as usize % 27,
                floating: seed % 2 == 0,
                mimic_joints: seed % 3 == 0,
                ..RandomTree::default()
            };
            models.push(random_tree(seed, &shape));
        }
        for model in &models {
            let mut ws = Workspace::<f64>::new(model);
            let q = configuration(model)?;
            assert!(model.inverts_factor());
            let by_factor = model.mass_matrix_inverse(&mut ws, &q)?.clone();
            let (n, levels) = (model.nv(), model.depth() + 1);
            if let Some(matrices) = &mut ws.matrices {
                matrices.response = vec![0.0; n * n];
                matrices.unit_force = vec![0.0; 6 * n];
                matrices.unit_acceleration = vec![0.0; 6 * n * levels];
            }
            let by_recursion = model.inverse_by_unit_forces(&mut ws, &q)?;
            // Rounding of both, times the condition number that random trees have.
            let scale = by_factor.amax();
            assert!((by_recursion - &by_factor).amax() < 1e-9 * scale);
            assert_eq!(by_factor, by_factor.transpose());
            let q: Vec<OpCount> = q.into_iter().map(OpCount::variable).collect();
            let mut ws = Workspace::new(model);
            let by_rows = model.mass_matrix_inverse(&mut ws, &q)?;
            assert!((by_rows.map(OpCount::value) - by_factor).amax() < 1e-9 * scale);
        }
        assert!(!snake(90).inverts_factor() && !snake(500).inverts_factor());
        Ok(())
    }

    #[test]
    fn deep_trees_and_others_take_the_memory_they_need() -> Result<(), Error> {
        for n in [20, 79, 80, 81, 120] {
            let model = snake(n);
            let mut ws = Workspace::<f64>::new(&model);
            let q = configuration(&model)?;
            let inverse = model.mass_matrix_inverse(&mut ws, &q)?.clone();
            let mass = model.crba(&mut ws, &q)?;
            // Relative to the size of the terms that cancel.
            let scale = mass.amax() * inverse.amax();
            assert!((mass * inverse - DMatrix::identity(n, n)).amax() < 1e-12 * scale);
        }
        Ok(())
    }
}
