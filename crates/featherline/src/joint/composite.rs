//! Composite joint: several joints one after the other, without bodies between them.

use super::validation::{ORTHONORMAL, check_finite};
use super::{JointError, JointKind};
use crate::scalar::Scalar;
use crate::spatial::{Motion, Se3};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The most degrees of freedom that a joint that is not composite has.
pub(crate) const MAX_SIMPLE_NV: usize = 6;

/// One of the joints that a composite joint is made of.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct CompositePart {
    /// The placement of this part's input frame in the previous part's output frame.
    pub placement: Se3<f64>,
    /// How the part moves.
    pub kind: JointKind,
}

/// A list of joints one after the other, without bodies between them.
///
/// No part is itself composite: nested lists are joined when the composite is made. Its q and v are
/// those of the parts in order, and its motion subspace has the parts' columns, expressed in the
/// last part's output frame.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(try_from = "Vec<CompositePart>", into = "Vec<CompositePart>")
)]
pub struct Composite {
    parts: Vec<CompositePart>,
    nq: usize,
    nv: usize,
    varying_subspace: bool,
}

impl Composite {
    /// Makes a composite joint of a list of joints, each with the placement of its input frame in
    /// the previous output frame. Parts that are composite themselves are replaced by their own
    /// parts.
    ///
    /// # Errors
    /// [`JointError::EmptyComposite`] if there are no parts, or none in a composite part.
    pub fn new(parts: impl IntoIterator<Item = (Se3<f64>, JointKind)>) -> Result<Self, JointError> {
        let mut flat: Vec<CompositePart> = Vec::new();
        for (placement, kind) in parts {
            if let JointKind::Composite(inner) = kind {
                let mut inner = inner.parts.into_iter();
                let first = inner.next().ok_or(JointError::EmptyComposite)?;
                flat.push(CompositePart {
                    placement: placement.compose(&first.placement),
                    kind: first.kind,
                });
                flat.extend(inner);
            } else {
                flat.push(CompositePart { placement, kind });
            }
        }
        if flat.is_empty() {
            Err(JointError::EmptyComposite)
        } else {
            Ok(Self::of_simple(flat))
        }
    }

    /// The composite of parts that are not composite.
    fn of_simple(parts: Vec<CompositePart>) -> Self {
        let constant = |part: &CompositePart| part.kind.has_constant_subspace();
        Self {
            nq: parts.iter().map(|part| part.kind.nq()).sum(),
            nv: parts.iter().map(|part| part.kind.nv()).sum(),
            varying_subspace: parts.len() > 1 || !parts.iter().all(constant),
            parts,
        }
    }

    /// How many entries the configuration has.
    #[inline(always)]
    pub fn nq(&self) -> usize {
        self.nq
    }

    /// How many degrees of freedom the joint has.
    #[inline(always)]
    pub fn nv(&self) -> usize {
        self.nv
    }

    /// Whether the motion subspace is known to be the same in every configuration: only a list of
    /// one can be.
    #[inline(always)]
    pub fn has_constant_subspace(&self) -> bool {
        !self.varying_subspace
    }

    /// The composite of the same parts with axes of length one.
    pub(super) fn normalised_axes(self) -> Self {
        let normalised = |part: CompositePart| CompositePart {
            kind: part.kind.normalised_axes(),
            ..part
        };
        Self::of_simple(self.parts.into_iter().map(normalised).collect())
    }

    /// Checks all parts.
    pub(super) fn check(&self) -> Result<(), JointError> {
        let (joint, which) = ("composite", "placement of a part");
        for CompositePart { placement, kind } in &self.parts {
            check_finite(joint, which, placement.is_finite())?;
            if !placement.rotation.is_rotation(ORTHONORMAL) {
                return Err(JointError::NotARotation { kind: joint, which });
            }
            kind.check()?;
        }
        Ok(())
    }

    /// The parts, from the parent to the child. None of them is composite.
    #[inline(always)]
    pub fn parts(&self) -> &[CompositePart] {
        &self.parts
    }
}

impl TryFrom<Vec<CompositePart>> for Composite {
    type Error = JointError;

    fn try_from(parts: Vec<CompositePart>) -> Result<Self, JointError> {
        Self::new(parts.into_iter().map(|part| (part.placement, part.kind)))
    }
}

impl From<Composite> for Vec<CompositePart> {
    fn from(composite: Composite) -> Self {
        composite.parts
    }
}

/// The simple joints that a joint consists of, itself or its parts, each with where its coordinates
/// begin in q and v.
pub struct SimpleJoints<'a> {
    whole: Option<&'a JointKind>,
    parts: std::slice::Iter<'a, CompositePart>,
    idx_q: usize,
    idx_v: usize,
}

impl<'a> SimpleJoints<'a> {
    /// The simple joints of a kind, in order.
    #[inline(always)]
    pub fn of(kind: &'a JointKind) -> Self {
        let (whole, parts) = if let JointKind::Composite(composite) = kind {
            (None, composite.parts())
        } else {
            (Some(kind), [].as_slice())
        };
        Self {
            whole,
            parts: parts.iter(),
            idx_q: 0,
            idx_v: 0,
        }
    }
}

impl<'a> Iterator for SimpleJoints<'a> {
    type Item = SimpleJoint<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<SimpleJoint<'a>> {
        let kind = match self.whole.take() {
            Some(kind) => kind,
            None => &self.parts.next()?.kind,
        };
        let (q, v) = (self.idx_q, self.idx_v);
        self.idx_q += kind.nq();
        self.idx_v += kind.nv();
        Some(SimpleJoint {
            kind,
            q: q..self.idx_q,
            v: v..self.idx_v,
        })
    }
}

/// A joint that is not composite, and the ranges of its coordinates within those of the joint that
/// it is part of.
pub struct SimpleJoint<'a> {
    pub kind: &'a JointKind,
    pub q: Range<usize>,
    pub v: Range<usize>,
}

impl JointKind {
    /// The parts of a composite joint; none of any other.
    #[inline(always)]
    pub(super) fn parts(&self) -> &[CompositePart] {
        if let Self::Composite(composite) = self {
            composite.parts()
        } else {
            &[]
        }
    }
}

// The code for all kinds of joints is large: a loop over a joint's parts, or over the joint alone,
// has it once.

#[inline(always)]
pub(super) fn evaluate<S: Scalar>(kind: &JointKind, q: &[S], subspace: &mut [Motion<S>]) -> Se3<S> {
    let parts = kind.parts();
    let mut total = Se3::identity();
    let (mut rest, mut done) = (q, 0);
    for k in 0..parts.len().max(1) {
        let own_kind = parts.get(k).map_or(kind, |part| &part.kind);
        let (own, after) = rest.split_at(own_kind.nq());
        let (columns, own_columns) = subspace.split_at_mut(done);
        let placement = own_kind.evaluate_simple(own, own_columns);
        let Some(part) = parts.get(k) else {
            return placement;
        };
        let step = Se3::constant(&part.placement).compose(&placement);
        // Columns written so far are in the previous output frame.
        for column in columns {
            *column = step.inverse_act_motion(column);
        }
        total = total.compose(&step);
        rest = after;
        done += own_kind.nv();
    }
    total
}

#[inline(always)]
pub(super) fn subspace_rates<S: Scalar>(
    kind: &JointKind,
    q: &[S],
    v: &[S],
    rates: &mut [Motion<S>],
) {
    let parts = kind.parts();
    // From the last part to the first: the placement of the final frame in the part's output frame,
    // and its velocity relative to that frame, in its own coordinates.
    let mut after = Se3::identity();
    let mut velocity = Motion::zero();
    let (mut end_q, mut end_v) = (kind.nq(), kind.nv());
    for k in (0..parts.len().max(1)).rev() {
        let own_kind = parts.get(k).map_or(kind, |part| &part.kind);
        let (nq, nv) = (own_kind.nq(), own_kind.nv());
        let (begin_q, begin_v) = (end_q - nq, end_v - nv);
        let (own_q, own_v) = (&q[begin_q..end_q], &v[begin_v..end_v]);
        let own_rates = &mut rates[begin_v..end_v];
        own_kind.subspace_rates_simple(own_q, own_v, own_rates);
        let Some(part) = parts.get(k) else {
            return;
        };
        let mut subspace = [Motion::zero(); MAX_SIMPLE_NV];
        let placement = own_kind.evaluate_simple(own_q, &mut subspace[..nv]);
        // A column s = X⁻¹S has the derivative X⁻¹Ṡ − v × s, v the velocity that X grows with.
        let mut own_velocity = Motion::zero();
        for k in 0..nv {
            let column = after.inverse_act_motion(&subspace[k]);
            own_rates[k] = after.inverse_act_motion(&own_rates[k]) + column.cross(&velocity);
            own_velocity = column.mul_add(own_v[k], &own_velocity);
        }
        velocity += own_velocity;
        after = Se3::constant(&part.placement)
            .compose(&placement)
            .compose(&after);
        (end_q, end_v) = (begin_q, begin_v);
    }
}
