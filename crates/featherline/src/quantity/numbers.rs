//! Numbers of inputs and results in the library's types, and back.

use super::entry::Entry;
#[cfg(feature = "batch")]
use crate::batch::Precision;
use crate::derivatives;
use crate::dynamics::{AbaTerms, DynamicsOptions};
use crate::error::Error;
use crate::scalar::Scalar;
use crate::spatial::{ArticulatedInertia, Force};
use nalgebra::{DMatrix, DMatrixViewMut};

/// Calls pass as many inputs as the entry says.
#[cold]
pub(super) fn wrong_number(entry: &Entry, found: usize) -> Error {
    Error::Size {
        what: "the inputs of a quantity",
        expected: entry.inputs.len(),
        found,
    }
}

/// The inputs that a quantity cannot do without, and the one beside them, if there is.
pub(super) fn optional<'a, 'i, S>(
    entry: &Entry,
    inputs: &'a [&'i [S]],
) -> (&'a [&'i [S]], Option<&'i [S]>) {
    let required = entry.required().len();
    match inputs.split_last() {
        Some((last, others)) if others.len() == required => (others, Some(last)),
        _ => (inputs, None),
    }
}

/// Forces on the bodies of all joints, six numbers each but for the universe's, which has none.
pub(super) fn on_bodies<S: Scalar>(rows: Option<&[S]>) -> Vec<Force<S>> {
    let own = rows.iter().flat_map(|rows| rows.as_chunks::<6>().0);
    let universe = rows.map(|_| Force::zero());
    let own = own.map(|&row| Force::from_array(row));
    universe.into_iter().chain(own).collect()
}

/// Rows of such forces as a batch has them: with the universe's.
#[cfg(feature = "batch")]
pub(super) fn with_universe<T: Precision>(rows: &[T], states: usize) -> Vec<T> {
    let width = rows.len() / states.max(1);
    let mut all = Vec::with_capacity(rows.len() + 6 * states);
    for row in rows.chunks_exact(width.max(1)) {
        all.extend([T::zero(); 6]);
        all.extend_from_slice(row);
    }
    all
}

/// Dynamics with these forces; whether those of the joints themselves act.
pub(super) fn under<S: Scalar>(
    external: &[Force<S>],
    passive_forces: bool,
) -> DynamicsOptions<'_, S> {
    DynamicsOptions {
        passive_forces,
        ..DynamicsOptions::default().with_forces(external)
    }
}

/// Writes matrices to their results.
pub(super) fn put_all<S: Scalar, const N: usize>(
    results: [&mut [S]; N],
    matrices: [&DMatrix<S>; N],
) {
    for (result, matrix) in results.into_iter().zip(matrices) {
        result.copy_from_slice(matrix.as_slice());
    }
}

/// Writes items of as many numbers each, one after the other.
pub(super) fn put_each<S: Scalar, const N: usize>(
    out: &mut [S],
    items: impl IntoIterator<Item = [S; N]>,
) {
    for (out, item) in out.chunks_exact_mut(N).zip(items) {
        out.copy_from_slice(&item);
    }
}

/// Writes articulated-body inertias, the universe's left out.
pub(super) fn put_inertias<S: Scalar>(out: &mut [S], all: &[ArticulatedInertia<S>]) {
    for (out, inertia) in out.chunks_exact_mut(36).zip(&all[1..]) {
        out.copy_from_slice(inertia.to_matrix().as_flattened());
    }
}

/// Writes the terms of the articulated-body algorithm.
pub(super) fn put_aba_terms<S: Scalar>(
    [inertias, forces, products, columns, blocks, sides]: [&mut [S]; 6],
    terms: &AbaTerms<S>,
) {
    put_inertias(inertias, &terms.articulated_inertias);
    put_each(
        forces,
        terms.bias_forces[1..].iter().map(|it| it.to_array()),
    );
    put_each(
        products,
        terms.velocity_products[1..].iter().map(|it| it.to_array()),
    );
    put_each(columns, terms.U.iter().map(|it| it.to_array()));
    blocks.copy_from_slice(terms.D.as_slice());
    sides.copy_from_slice(&terms.u);
}

/// The matrix that numbers are, column by column.
pub(super) fn matrix<S: Scalar>(out: &mut [S], rows: usize) -> DMatrixViewMut<'_, S> {
    let columns = out.len() / rows.max(1);
    DMatrixViewMut::from_slice(out, rows, columns)
}

/// Writes the joint forces of inverse dynamics, and their derivatives.
pub(super) fn put_inverse<S: Scalar>(
    [tau, dq, dv, da]: [&mut [S]; 4],
    found: &derivatives::InverseDynamicsDerivatives<'_, S>,
) {
    tau.copy_from_slice(found.tau);
    put_all([dq, dv, da], [found.dq, found.dv, found.da]);
}

/// Writes the accelerations of forward dynamics, and their derivatives.
pub(super) fn put_forward<S: Scalar>(
    [qdd, dq, dv, dtau]: [&mut [S]; 4],
    found: &derivatives::ForwardDynamicsDerivatives<'_, S>,
) {
    qdd.copy_from_slice(found.acceleration);
    put_all([dq, dv, dtau], [found.dq, found.dv, found.dtau]);
}
