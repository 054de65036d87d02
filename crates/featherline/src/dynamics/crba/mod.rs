//! The composite-rigid-body algorithm: the joint-space mass matrix in O(nd), d the depth of the
//! tree.
//!
//! Featherstone 2008, table 6.2; Walker and Orin 1982. Only the elements of pairs of joints on a
//! common path to the root are visited; the others are zero in every configuration (branch-induced
//! sparsity).
//!
//! The mass matrix is filled pair by pair as in the textbook ([`pairs`]), or, where paths are long,
//! row by row in frames that many joints share ([`regions`]).

mod pairs;
mod regions;
mod storage;
mod tiles;

#[cfg(feature = "batch")]
pub(super) use regions::fill_rows;

use crate::error::Error;
use crate::kernel;
use crate::kinematics::joint_pass::place_links;
use crate::model::link_parameters;
use crate::model::{Class, Link, Model};
use crate::scalar::{Form, InForm, Scalar};
use crate::spatial::{DynamicParameters, Force, Motion, Se3, Vec3};
use crate::workspace::{Matrices, RegionView, Scratch, Workspace, are_finite};
use nalgebra::DMatrix;
use storage::{Dense, MassMatrix, Packed};

/// Room for what is made of columns.
struct Room<'a, S: Scalar> {
    regions: RegionView<'a, S>,
    /// Six numbers for each coordinate.
    momenta: &'a mut [S],
}

impl<'a, S: Scalar> InForm for Room<'a, S> {
    type As<F: Form> = Room<'a, F::Of<S>>;

    #[inline(always)]
    fn in_form<F: Form>(self, form: F) -> Self::As<F> {
        Room {
            regions: self.regions.in_form(form),
            momenta: self.momenta.in_form(form),
        }
    }
}

kernel!(
    fn crba<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        q: &[S],
        room: Room<'_, S>,
        packed: &mut [S],
        // The square matrix, if it is asked for; otherwise it is the packed one.
        square: Option<&mut [S]>,
    ) {
        let mut room = room;
        let tree = model.elimination_tree();
        if S::SHARES_REGISTERS && model.fills_by_regions::<S>() {
            let (n, regions) = (model.nv(), &mut room.regions);
            match square {
                Some(elements) => {
                    tiles::place_and_fill(model, ws, q, regions, &mut Dense { n, elements });
                }
                None => {
                    let packed = &mut Packed::new(tree, packed);
                    tiles::place_and_fill(model, ws, q, regions, packed);
                }
            }
            return;
        }
        if model.fills_by_regions::<S>() {
            let momenta = room.momenta.as_chunks_mut::<6>().0;
            regions::fill(model, ws, q, momenta, &mut room.regions, packed);
            if let Some(square) = square {
                tiles::unpack(tree, packed, square);
            }
            return;
        }
        if !S::SHARES_REGISTERS && S::IS_LANES && model.is_mostly_hinges {
            let momenta = room.momenta.as_chunks_mut::<6>().0;
            match square {
                Some(elements) => {
                    let n = model.nv();
                    pairs::fill_by_turns(model, ws, q, momenta, &mut Dense { n, elements });
                }
                None => {
                    let packed = &mut Packed::new(tree, packed);
                    pairs::fill_by_turns(model, ws, q, momenta, packed);
                }
            }
            return;
        }
        let column = &mut ws.subspaces.column;
        place_links(model, q, &mut ws.placement, column);
        match square {
            Some(elements) => by_pairs(
                model,
                ws,
                Dense {
                    n: model.nv(),
                    elements,
                },
            ),
            None => by_pairs(model, ws, Packed::new(tree, packed)),
        }
    }
);

/// Sums the inertias of each subtree in the link frame of its root.
#[inline(always)]
pub(crate) fn composite_inertias<S: Scalar>(
    model: &Model,
    placement: &[Se3<S>],
    parameters: &[DynamicParameters<S>],
    composite: &mut [DynamicParameters<S>],
) {
    let links = &model.links[..];
    let n = links.len();
    let (placement, composite) = (&placement[..n], &mut composite[..n]);
    for i in 1..n {
        composite[i] = link_parameters(parameters, i, &links[i]);
    }
    for i in (1..n).rev() {
        let parent = links[i].parent.min(i - 1);
        if parent != 0 {
            let carried = composite[i].transformed_by(&placement[i]);
            composite[parent] += carried;
        }
    }
}

/// The momentum of a composite body for a unit rate of one coordinate.
#[inline(always)]
pub(super) fn unit_momentum<S: Scalar>(
    link: &Link,
    composite: &DynamicParameters<S>,
    column: &Motion<S>,
) -> Force<S> {
    let (h, j) = (composite.first_moment, &composite.second_moment);
    match link.class {
        Class::Revolute | Class::Unbounded => Force::new(-h.cross_along_z(S::one()), j.z()),
        Class::Prismatic => Force::new(
            Vec3::new(S::zero(), S::zero(), composite.mass),
            Vec3::new(h.y, -h.x, S::zero()),
        ),
        Class::General => composite.mul_motion(column),
    }
}

/// The component of a force along a column of a joint's motion subspace.
#[inline(always)]
fn component<S: Scalar>(link: &Link, column: &Motion<S>, force: &Force<S>) -> S {
    match link.class {
        Class::Revolute | Class::Unbounded => force.angular.z,
        Class::Prismatic => force.linear.z,
        Class::General => column.dot(force),
    }
}

/// Writes the mass matrix, both triangles, of links that have been placed and whose composite
/// inertias have been summed.
#[inline(always)]
pub(super) fn write_mass_matrix<S: Scalar>(
    model: &Model,
    ws: &Scratch<S>,
    regions: &mut RegionView<'_, S>,
    square: &mut [S],
) {
    let n = model.nv();
    let mut mass = Dense {
        n,
        elements: square,
    };
    if S::SHARES_REGISTERS && model.fills_by_regions::<S>() {
        tiles::fill(model, ws, regions, &mut mass);
        return;
    }
    let (placement, column) = (&ws.placement, &ws.subspaces.column);
    if model.has_mimic_joints() {
        mass.clear();
        pairs::fill::<S, _, true>(model, placement, column, &ws.composite, &mut mass);
    } else {
        pairs::fill::<S, _, false>(model, placement, column, &ws.composite, &mut mass);
    }
}

/// Sums composite inertias and fills the mass matrix, of links that have been placed.
#[inline(always)]
fn by_pairs<S: Scalar, M: MassMatrix<S>>(model: &Model, ws: &mut Scratch<S>, mut mass: M) {
    let (placement, column) = (&ws.placement, &ws.subspaces.column);
    let (parameters, composite) = (&ws.parameters, &mut ws.composite);
    if model.has_mimic_joints() {
        // Mimic joints share coordinates, so that several pairs of joints add up in one element.
        mass.clear();
        pairs::sum_and_fill::<S, M, true>(
            model, placement, column, parameters, composite, &mut mass,
        );
    } else {
        pairs::sum_and_fill::<S, M, false>(
            model, placement, column, parameters, composite, &mut mass,
        );
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

    /// The mass matrix in packed storage, to be factorised: by pivots it is seen, too, whether it
    /// is finite.
    pub(crate) fn unchecked_mass_matrix<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
    ) -> Result<&'w mut [S], Error> {
        let (scratch, matrices) = ws.parts(self)?;
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
        crba(
            self,
            ws,
            q,
            Room {
                regions: matrices.regions.view(),
                momenta: matrices.wide.as_mut_slice(),
            },
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
        if finite {
            Ok(())
        } else {
            Err(self.explain_not_finite("the mass matrix", q, &[], None))
        }
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
