//! Which coordinates have limits, and where they are.

use featherline::joint::JointKind;
use featherline::kernel::{Group, SimpleJoints};
use featherline::model::{JointId, Model};
use featherline::spatial::{Quaternion, Vec3};
use std::ops::Range;

/// A displacement with limits.
///
/// Limits of angles and displacements are those of their own coordinates, a mimic joint's those of
/// the mimicked joint's times the ratio. Limits of a planar joint or a free-flyer bound the
/// position, along the axes of the input frame. Bounds of quaternions and (cos, sin) pairs mean
/// nothing and are passed over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limited {
    /// The joint whose limits they are.
    pub joint: JointId,
    /// The limited displacement.
    pub displacement: Displacement,
    /// The least displacement, in rad or m, or minus infinity.
    pub lower: f64,
    /// The greatest one, or infinity.
    pub upper: f64,
}

/// The room to either side, in rad or m, that a locked coordinate has: what nobody sees.
const ROOM: f64 = 1e-6;

impl Limited {
    /// The entry of q that alone moves it, and the bounds of that.
    fn of_entry(&self) -> Option<(usize, [f64; 2])> {
        let Displacement::Entry {
            q,
            ratio,
            offset,
            is_pair: false,
            ..
        } = self.displacement
        else {
            return None;
        };
        let [a, b] = [self.lower, self.upper].map(|bound| (bound - offset) / ratio);
        Some((q, [a.min(b), a.max(b)]))
    }

    /// Takes bounds of that entry.
    fn bound(&mut self, bounds: [f64; 2]) {
        if let Displacement::Entry { ratio, offset, .. } = self.displacement {
            let [a, b] = bounds.map(|bound| ratio.mul_add(bound, offset));
            (self.lower, self.upper) = (a.min(b), a.max(b));
        }
    }
}

/// A displacement that the configuration gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Displacement {
    /// An entry of q, or the angle of a (cos, sin) pair, times a ratio and with an offset.
    Entry {
        /// The entry, of a pair that of the cosine.
        q: usize,
        /// The coordinate of the velocity.
        coordinate: usize,
        /// How much it moves in a unit of the coordinate.
        ratio: f64,
        /// The offset that is added.
        offset: f64,
        /// Whether q holds cosine and sine there.
        is_pair: bool,
    },
    /// A component of the position of a free-flyer or a planar joint.
    Position {
        /// The joint's first entry of q.
        idx_q: usize,
        /// Its first coordinate of the velocity, in the moving frame.
        idx_v: usize,
        /// The axis of the input frame: 0, 1 or 2.
        axis: usize,
        /// Whether the joint is a planar one.
        is_planar: bool,
    },
}

impl Displacement {
    /// The displacement in a configuration.
    #[inline]
    pub fn at(&self, q: &[f64]) -> f64 {
        match *self {
            Self::Entry {
                q: k,
                ratio,
                offset,
                is_pair,
                ..
            } => {
                let own = if is_pair { q[k + 1].atan2(q[k]) } else { q[k] };
                ratio.mul_add(own, offset)
            }
            Self::Position { idx_q, axis, .. } => q[idx_q + axis],
        }
    }

    /// The coordinates of the velocity that move it, and by how much a unit of them does at most.
    pub fn coordinates(&self) -> (Range<usize>, f64) {
        match *self {
            Self::Entry {
                coordinate, ratio, ..
            } => (coordinate..coordinate + 1, ratio),
            Self::Position {
                idx_v, is_planar, ..
            } => (idx_v..idx_v + if is_planar { 2 } else { 3 }, 1.0),
        }
    }

    /// The coordinates of the velocity that move it, and how much a unit of each does.
    pub fn row(&self, q: &[f64]) -> impl Iterator<Item = (usize, f64)> + use<> {
        let (coordinates, ratio) = self.coordinates();
        let factors = match *self {
            Self::Entry { .. } => [ratio, 0.0, 0.0],
            Self::Position {
                idx_q,
                axis,
                is_planar,
                ..
            } => {
                // The axis in the moving frame of the joint.
                let rotation = if is_planar {
                    let angle = q[idx_q + 3].atan2(q[idx_q + 2]);
                    Quaternion::from_axis_angle(Vec3::unit(2), angle)
                } else {
                    let r = &q[idx_q + 3..idx_q + 7];
                    Quaternion::new(r[0], r[1], r[2], r[3]).normalised()
                };
                rotation.conjugate().rotate(Vec3::unit(axis)).to_array()
            }
        };
        coordinates.zip(factors)
    }

    /// How fast it changes.
    pub fn rate(&self, q: &[f64], v: &[f64]) -> f64 {
        self.row(q).map(|(k, factor)| factor * v[k]).sum()
    }
}

/// Moves each displacement to its nearest bound where it is beyond, in place; angles of (cos, sin)
/// pairs stay. `q` has nq entries.
///
/// ```
/// use featherline_constraint::nonsmooth::clamp_to_limits;
///
/// use featherline_formats::LoadOptions;
/// let panda = featherline_robots::model("panda", &LoadOptions::new())?;
/// let mut q = panda.neutral_configuration();
/// clamp_to_limits(&panda, &mut q);
/// assert!(q[3] < 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn clamp_to_limits(model: &Model, q: &mut [f64]) {
    for limited in limited_displacements(model) {
        let x = limited.displacement.at(q);
        let nearest = x.max(limited.lower).min(limited.upper);
        if nearest == x {
            continue;
        }
        match limited.displacement {
            Displacement::Entry { is_pair: true, .. } => {}
            Displacement::Entry {
                q: k,
                ratio,
                offset,
                ..
            } => q[k] = (nearest - offset) / ratio,
            Displacement::Position { idx_q, axis, .. } => q[idx_q + axis] = nearest,
        }
    }
}

/// The limits of a model's joints: one entry for each displacement with a bound.
pub fn limited_displacements(model: &Model) -> Vec<Limited> {
    let mut found = stated_limits(model);
    // What never moves needs none.
    found.retain(|it| it.displacement.coordinates().1 != 0.0);
    free_what_is_locked(&mut found);
    found
}

/// The same as they are stated: also of mimic joints that never move, and without room where a
/// coordinate is locked.
pub fn stated_limits(model: &Model) -> Vec<Limited> {
    let mut found = Vec::new();
    for id in model.joint_ids() {
        let joint = model.joint(id);
        let (lower, upper) = (&joint.limits.lower[..], &joint.limits.upper[..]);
        let mut push = |k: usize, displacement| {
            if lower[k].is_finite() || upper[k].is_finite() {
                found.push(Limited {
                    joint: id,
                    displacement,
                    lower: lower[k],
                    upper: upper[k],
                });
            }
        };
        if let Some(mimic) = &joint.mimic {
            // Of the kinds that have one displacement.
            let is_pair = |kind: &JointKind| kind.nq() == 2;
            if !is_pair(&joint.kind) {
                let displacement = Displacement::Entry {
                    q: joint.idx_q,
                    coordinate: joint.idx_v,
                    ratio: mimic.ratio,
                    offset: mimic.offset,
                    is_pair: is_pair(&model.joint(mimic.source).kind),
                };
                push(0, displacement);
            }
            continue;
        }
        for part in SimpleJoints::of(&joint.kind) {
            let (idx_q, idx_v) = (joint.idx_q + part.q.start, joint.idx_v + part.v.start);
            for (axis, entry) in part.vector_entries().enumerate() {
                let displacement = match part.group() {
                    Group::Vector => Displacement::Entry {
                        q: idx_q + axis,
                        coordinate: idx_v + axis,
                        ratio: 1.0,
                        offset: 0.0,
                        is_pair: false,
                    },
                    Group::So2 | Group::So3 | Group::Se2 | Group::Se3 => Displacement::Position {
                        idx_q,
                        idx_v,
                        axis,
                        is_planar: part.group() == Group::Se2,
                    },
                };
                push(entry, displacement);
            }
        }
    }
    found
}

/// Leaves room for [`ROOM`] where the bounds of a coordinate leave none: those of a joint that is
/// locked, or of a mimic joint that moves the other way. Two opposite bounds without room have
/// impulses without bound.
fn free_what_is_locked(found: &mut [Limited]) {
    for k in 0..found.len() {
        let Some((q, [mut lower, mut upper])) = found[k].of_entry() else {
            continue;
        };
        for other in &*found {
            if let Some((other, [low, high])) = other.of_entry()
                && other == q
            {
                (lower, upper) = (lower.max(low), upper.min(high));
            }
        }
        if !(0.0..2.0 * ROOM).contains(&(upper - lower)) {
            continue;
        }
        let middle = 0.5 * (lower + upper);
        for own in &mut *found {
            if let Some((other, [low, high])) = own.of_entry()
                && other == q
            {
                own.bound([low.min(middle - ROOM), high.max(middle + ROOM)]);
            }
        }
    }
}
