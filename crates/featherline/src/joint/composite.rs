//! Composite joint: several joints one after the other, without bodies between them.

use super::{JointError, JointKind};
use crate::scalar::Scalar;
use crate::spatial::{Motion, Se3};
use serde::{Deserialize, Serialize};

/// The most degrees of freedom that a joint that is not composite has.
const MAX_SIMPLE_NV: usize = 6;

/// One of the joints that a composite joint is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompositePart {
    /// The placement of this part's input frame in the previous part's output frame.
    pub placement: Se3<f64>,
    /// How the part moves.
    pub kind: JointKind,
}

/// A list of joints one after the other, without bodies between them.
///
/// The list is not empty and no part is itself composite: nested lists are joined when the composite is made. Its q and v
/// are those of the parts in order, and its motion subspace has the parts' columns, expressed in the last part's output
/// frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<CompositePart>", into = "Vec<CompositePart>")]
pub struct Composite {
    parts: Vec<CompositePart>,
    nq: usize,
    nv: usize,
    constant_subspace: bool,
}

impl Composite {
    /// Makes a composite joint of a list of joints, each with the placement of its input frame in the previous output
    /// frame. Parts that are composite themselves are replaced by their own parts.
    ///
    /// # Errors
    /// [`JointError::EmptyComposite`] if there are no parts.
    pub fn new(parts: impl IntoIterator<Item = (Se3<f64>, JointKind)>) -> Result<Self, JointError> {
        let mut flat = Vec::new();
        for (placement, kind) in parts {
            match kind {
                JointKind::Composite(inner) => {
                    let first = flat.len();
                    flat.extend(inner.parts);
                    flat[first].placement = placement.compose(&flat[first].placement);
                }
                kind => flat.push(CompositePart { placement, kind }),
            }
        }
        let Some((last, before)) = flat.split_last() else {
            return Err(JointError::EmptyComposite);
        };
        Ok(Self {
            nq: flat.iter().map(|part| part.kind.nq()).sum(),
            nv: flat.iter().map(|part| part.kind.nv()).sum(),
            constant_subspace: before.is_empty() && last.kind.has_constant_subspace(),
            parts: flat,
        })
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

    /// Whether the motion subspace is known to be the same in every configuration: only a list of one can be.
    #[inline(always)]
    pub fn has_constant_subspace(&self) -> bool {
        self.constant_subspace
    }

    /// The composite of validated parts.
    pub(super) fn validated(self) -> Result<Self, JointError> {
        let mut parts = Vec::with_capacity(self.parts.len());
        for CompositePart { placement, kind } in self.parts {
            let rotation = placement.rotation;
            let finite = [rotation.x, rotation.y, rotation.z, placement.translation]
                .iter()
                .all(|v| v.is_finite());
            if !finite {
                return Err(JointError::NotFinite {
                    kind: "composite",
                    which: "placement of a part",
                });
            }
            parts.push((placement, kind.validated()?));
        }
        Self::new(parts)
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

#[inline(always)]
pub(super) fn evaluate<S: Scalar>(
    parts: &[CompositePart],
    q: &[S],
    subspace: &mut [Motion<S>],
) -> Se3<S> {
    let mut total = Se3::identity();
    let (mut rest, mut done) = (q, 0);
    for part in parts {
        let (own, after) = rest.split_at(part.kind.nq());
        let (columns, own_columns) = subspace.split_at_mut(done);
        let placement = part.kind.evaluate_simple(own, own_columns);
        let step = Se3::constant(&part.placement).compose(&placement);
        // Columns written so far are in the previous output frame.
        for column in columns {
            *column = step.inverse_act_motion(column);
        }
        total = total.compose(&step);
        rest = after;
        done += part.kind.nv();
    }
    total
}

#[inline(always)]
pub(super) fn subspace_rates<S: Scalar>(
    parts: &[CompositePart],
    q: &[S],
    v: &[S],
    rates: &mut [Motion<S>],
) {
    // From the last part to the first: the placement of the final frame in the part's output frame, and its velocity
    // relative to that frame, in its own coordinates.
    let mut after = Se3::identity();
    let mut velocity = Motion::zero();
    let (mut end_q, mut end_v) = (q.len(), v.len());
    for part in parts.iter().rev() {
        let (nq, nv) = (part.kind.nq(), part.kind.nv());
        let (begin_q, begin_v) = (end_q - nq, end_v - nv);
        let (own_q, own_v) = (&q[begin_q..end_q], &v[begin_v..end_v]);
        let own_rates = &mut rates[begin_v..end_v];
        let mut subspace = [Motion::zero(); MAX_SIMPLE_NV];
        let placement = part.kind.evaluate_simple(own_q, &mut subspace[..nv]);
        part.kind.subspace_rates_simple(own_q, own_v, own_rates);
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
