//! The composite-rigid-body algorithm: the joint-space mass matrix in O(nd), d the depth of the tree.
//!
//! Featherstone 2008, table 6.2; Walker and Orin 1982. Only the elements of pairs of joints on a common path to the root
//! are visited; the others are zero in every configuration (branch-induced sparsity).

use crate::error::Error;
use crate::kinematics::joint_pass::place_links;
use crate::model::{Class, Link, Model};
use crate::scalar::{Kernel, Scalar, dispatch};
use crate::spatial::{DynamicParameters, Force, Motion, Vec3};
use crate::workspace::Workspace;
use nalgebra::DMatrix;

/// Which of the workspace's matrices receives the result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Mass,
    Factor,
}

pub(crate) struct Crba<'a, S> {
    pub model: &'a Model,
    pub ws: &'a mut Workspace<S>,
    pub q: &'a [S],
    pub target: Target,
}

impl<S: Scalar> Kernel for Crba<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self {
            model,
            ws,
            q,
            target,
        } = self;
        place_links(model, ws, q);
        composite_inertias(model, ws);
        write_mass_matrix(model, ws, target);
    }
}

/// Writes the mass matrix. Needs placements of links in their parents, and composite inertias in link frames.
#[inline(always)]
pub(super) fn write_mass_matrix<S: Scalar>(model: &Model, ws: &mut Workspace<S>, target: Target) {
    let Some(matrices) = ws.matrices.as_mut() else {
        return;
    };
    let mass = match target {
        Target::Mass => &mut matrices.mass,
        Target::Factor => &mut matrices.factor,
    };
    // Followers share coordinates, so that several pairs of joints add up in one element.
    if model.has_followers() {
        mass.fill(S::zero());
        mass_matrix::<S, true>(model, &ws.placement, &ws.column, &ws.composite, mass);
    } else {
        mass_matrix::<S, false>(model, &ws.placement, &ws.column, &ws.composite, mass);
    }
}

/// Sums the inertias of each subtree in the link frame of its root.
#[inline(always)]
pub(crate) fn composite_inertias<S: Scalar>(model: &Model, ws: &mut Workspace<S>) {
    for (i, link) in model.links.iter().enumerate().skip(1) {
        ws.composite[i] = DynamicParameters::constant(&link.parameters);
    }
    for (i, link) in model.links.iter().enumerate().skip(1).rev() {
        if link.parent != 0 {
            let carried = ws.composite[i].transformed_by(&ws.placement[i]);
            ws.composite[link.parent] += carried;
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
        Class::Revolute | Class::Unbounded => {
            Force::new(Vec3::new(-h.y, h.x, S::zero()), Vec3::new(j.xz, j.yz, j.zz))
        }
        Class::Prismatic => Force::new(
            Vec3::new(S::zero(), S::zero(), composite.mass),
            Vec3::new(h.y, -h.x, S::zero()),
        ),
        Class::General => composite.mul_motion(column),
    }
}

#[inline(always)]
fn mass_matrix<S: Scalar, const ADD: bool>(
    model: &Model,
    placement: &[crate::spatial::Se3<S>],
    column: &[Motion<S>],
    composite: &[DynamicParameters<S>],
    mass: &mut DMatrix<S>,
) {
    let n = model.nv();
    let mass = mass.as_mut_slice();
    for (i, link) in model.links.iter().enumerate().skip(1) {
        for (c, own) in column[link.column_range()].iter().enumerate() {
            let k = link.idx_v + c;
            let mut force = unit_momentum(link, &composite[i], own);
            for (d, other) in column[link.column_range()].iter().enumerate() {
                let element = match link.class {
                    Class::Revolute | Class::Unbounded => force.angular.z,
                    Class::Prismatic => force.linear.z,
                    Class::General => other.dot(&force),
                };
                put::<S, ADD>(mass, n, link.idx_v + d, k, element);
            }
            let mut below = i;
            let mut j = link.parent;
            while j != 0 {
                force = placement[below].act_force(&force);
                let above = &model.links[j];
                match above.class {
                    Class::Revolute | Class::Unbounded => {
                        put_both::<S, ADD>(mass, n, above.idx_v, k, force.angular.z);
                    }
                    Class::Prismatic => put_both::<S, ADD>(mass, n, above.idx_v, k, force.linear.z),
                    Class::General => {
                        for (d, other) in column[above.column_range()].iter().enumerate() {
                            put_both::<S, ADD>(mass, n, above.idx_v + d, k, other.dot(&force));
                        }
                    }
                }
                below = j;
                j = above.parent;
            }
        }
    }
    for k in 0..n {
        mass[k * n + k] += S::constant(model.reflected_inertia[k]);
    }
}

#[inline(always)]
pub(super) fn put<S: Scalar, const ADD: bool>(
    mass: &mut [S],
    n: usize,
    row: usize,
    col: usize,
    value: S,
) {
    let place = &mut mass[col * n + row];
    *place = if ADD { *place + value } else { value };
}

#[inline(always)]
fn put_both<S: Scalar, const ADD: bool>(
    mass: &mut [S],
    n: usize,
    row: usize,
    col: usize,
    value: S,
) {
    put::<S, ADD>(mass, n, row, col, value);
    put::<S, ADD>(mass, n, col, row, value);
}

impl Model {
    /// The joint-space mass matrix M(q), nv × nv and symmetric, armature and reflected rotor inertia included.
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
        self.run_crba(ws, q, Target::Mass)
    }

    pub(crate) fn run_crba<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        target: Target,
    ) -> Result<&'w DMatrix<S>, Error> {
        ws.check_matrices(self)?;
        self.check_q(q)?;
        dispatch(Crba {
            model: self,
            ws,
            q,
            target,
        });
        let Some(matrices) = &ws.matrices else {
            return Err(Error::NoMatrices);
        };
        let mass = match target {
            Target::Mass => &matrices.mass,
            Target::Factor => &matrices.factor,
        };
        // An element that is not finite makes the diagonal element of its upper joint so: both sum the same bodies.
        let mut finite = true;
        for k in 0..self.nv() {
            finite &= mass[(k, k)].is_finite();
        }
        if !finite {
            return Err(self.explain_not_finite("the mass matrix", q, &[], None));
        }
        Ok(mass)
    }
}
