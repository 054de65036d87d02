//! The composite-rigid-body algorithm: the joint-space mass matrix in O(nd), d the depth of the tree.
//!
//! Featherstone 2008, table 6.2; Walker and Orin 1982. Only the elements of pairs of joints on a common path to the root
//! are visited; the others are zero in every configuration (branch-induced sparsity).
//!
//! The mass matrix is filled pair by pair as in the textbook ([`pairs`]), or, where paths are long, four joints at a time
//! ([`panels`]).

mod pairs;
mod panels;
mod storage;

pub(crate) use panels::{PanelMemory, PanelView};

use crate::error::Error;
use crate::kinematics::joint_pass::place_links;
use crate::model::{Class, Link, Model};
use crate::scalar::{InstructionSet, Kernel, Scalar, WideInstructions, dispatch, wide, wide_mut};
use crate::spatial::{DynamicParameters, Force, Motion, Se3, Vec3};
use crate::workspace::{Matrices, Scratch, Workspace, are_finite, link_parameters};
use nalgebra::DMatrix;
use storage::{Dense, MassMatrix, Packed};

struct Crba<'a, S: Scalar, M> {
    model: &'a Model,
    placement: &'a mut [Se3<S>],
    column: &'a mut [Motion<S>],
    parameters: &'a [DynamicParameters<S>],
    composite: &'a mut [DynamicParameters<S>],
    q: &'a [S],
    panels: PanelView<'a, S>,
    mass: M,
}

impl<'a, S: Scalar, M: MassMatrix<S>> Crba<'a, S, M> {
    #[inline(always)]
    fn new(
        model: &'a Model,
        ws: &'a mut Scratch<S>,
        panels: &'a mut PanelMemory<S>,
        q: &'a [S],
        mass: M,
    ) -> Self {
        Self {
            model,
            placement: &mut ws.placement,
            column: &mut ws.subspaces.column,
            parameters: &ws.parameters,
            composite: &mut ws.composite,
            q,
            panels: panels.view(),
            mass,
        }
    }

    #[inline(always)]
    fn wide(self, proof: WideInstructions) -> Crba<'a, S::Wide, M::Wide> {
        Crba {
            model: self.model,
            placement: wide_mut(self.placement, proof),
            column: wide_mut(self.column, proof),
            parameters: wide(self.parameters, proof),
            composite: wide_mut(self.composite, proof),
            q: wide(self.q, proof),
            panels: self.panels.wide(proof),
            mass: self.mass.wide(proof),
        }
    }
}

impl<S: Scalar, M: MassMatrix<S>> Kernel for Crba<'_, S, M> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run_wide(self, proof: WideInstructions) {
        self.wide(proof).run();
    }

    #[inline(always)]
    fn run(mut self) {
        let Self {
            model,
            placement,
            column,
            parameters,
            composite,
            q,
            panels,
            mass,
        } = &mut self;
        place_links(model, q, placement, column);
        composite_inertias(model, placement, parameters, composite);
        write(model, placement, column, composite, panels, mass);
    }
}

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

/// Writes the mass matrix, both triangles, of links that have been placed and whose composite inertias have been summed.
#[inline(always)]
pub(super) fn write_mass_matrix<S: Scalar>(
    model: &Model,
    ws: &Scratch<S>,
    panels: &mut PanelView<'_, S>,
    mass: &mut [S],
) {
    let mut dense = Dense {
        n: model.nv(),
        elements: mass,
    };
    write(
        model,
        &ws.placement,
        &ws.subspaces.column,
        &ws.composite,
        panels,
        &mut dense,
    );
}

#[inline(always)]
fn write<S: Scalar, M: MassMatrix<S>>(
    model: &Model,
    placement: &[Se3<S>],
    column: &[Motion<S>],
    composite: &[DynamicParameters<S>],
    panels: &mut PanelView<'_, S>,
    mass: &mut M,
) {
    if model.coordinates.is_deep {
        panels::fill(model, placement, column, composite, panels, mass);
    } else if model.has_followers() {
        // Followers share coordinates, so that several pairs of joints add up in one element.
        mass.clear();
        pairs::fill::<S, M, true>(model, placement, column, composite, mass);
    } else {
        pairs::fill::<S, M, false>(model, placement, column, composite, mass);
    }
}

impl Model {
    /// The joint-space mass matrix M(q), nv × nv and symmetric, armature and reflected rotor inertia included.
    ///
    /// Of a model with [loops](crate::loops) it sees the spanning tree.
    ///
    /// Cost O(nd), d the depth of the tree. Source: Featherstone 2008, table 6.2.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], [`Error::NoMatrices`], and [`Error::NotFinite`] or
    /// [`Error::ZeroRotation`] for a configuration that has no finite result.
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
        let Matrices { mass, panels, .. } = matrices;
        let n = self.nv();
        let elements = mass.as_mut_slice();
        dispatch(Crba::new(self, scratch, panels, q, Dense { n, elements }));
        self.check_diagonal(q, (0..n).map(|k| mass[(k, k)]))?;
        Ok(mass)
    }

    /// The joint-space mass matrix M(q) as [`crba`](Self::crba) gives it, but of pairs of coordinates on a common path to
    /// the root only, and of each pair once: all other elements are zero in every configuration.
    ///
    /// [`EliminationTree::place`](crate::model::EliminationTree::place) of the model's
    /// [tree](Self::elimination_tree) says where an element is. Cost O(nd), d the depth of the tree. Source: Featherstone 2008,
    /// table 6.2.
    ///
    /// # Errors
    /// As [`crba`](Self::crba).
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let (mut ws, mut other) = (Workspace::new(&model), Workspace::new(&model));
    /// let packed = model.crba_packed(&mut ws, &[0.3, -0.2])?;
    /// let mass = model.crba(&mut other, &[0.3, -0.2])?;
    /// assert_eq!(packed[model.elimination_tree().place::<f64>(1, 0)], mass[(1, 0)]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn crba_packed<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
    ) -> Result<&'w [S], Error> {
        self.packed_mass_matrix(ws, q).map(|packed| &*packed)
    }

    /// The mass matrix in packed storage, to be factorised.
    pub(crate) fn packed_mass_matrix<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
    ) -> Result<&'w mut [S], Error> {
        let (scratch, matrices) = ws.parts(self)?;
        self.check_q(q)?;
        let Matrices { packed, panels, .. } = matrices;
        let (tree, elements) = (self.elimination_tree(), &mut packed[..]);
        dispatch(Crba::new(
            self,
            scratch,
            panels,
            q,
            Packed { tree, elements },
        ));
        self.check_diagonal(q, (0..self.nv()).map(|k| packed[tree.place::<S>(k, k)]))?;
        Ok(packed)
    }

    /// Fails unless the diagonal is finite. An element that is not finite makes the diagonal element of its upper joint so:
    /// both sum the same bodies.
    #[inline(always)]
    fn check_diagonal<S: Scalar>(
        &self,
        q: &[S],
        diagonal: impl Iterator<Item = S>,
    ) -> Result<(), Error> {
        if are_finite(diagonal) {
            Ok(())
        } else {
            Err(self.explain_not_finite("the mass matrix", q, &[], None))
        }
    }
}
