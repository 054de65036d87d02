//! Holding joints where they are.

use super::Surgery;
use super::carried::{Carried, Coordinates, Rule, own_configuration};
use super::draft::Draft;
use super::error::SurgeryError;
use crate::Error;
use crate::error::check_size;
use crate::model::{FrameId, FrameKind, Joint, JointId, LoopId, Model, ModelWarning};
use crate::spatial::{Mat3, Se3};

/// Placements that differ by less, in m and rad, are the same but for rounding.
const SAME_PLACE: f64 = 1e-9;

/// A model of which some joints are locked.
#[derive(Clone, Debug)]
pub struct Locked {
    /// The new model.
    pub model: Model,
    /// Where its joints, frames and coordinates come from.
    pub carried: Carried,
    /// The way back: configurations and velocities of the model that was, with the locked joints
    /// where they are held and at rest.
    pub back: Carried,
    /// Doubtful properties of the new model, which is built nevertheless.
    pub warnings: Vec<ModelWarning>,
}

impl Model {
    /// The robot with joints locked where they are at the configuration `q`: what Pinocchio calls
    /// a reduced model.
    ///
    /// A locked joint is no joint any more. The body that it moved is fixed in its parent's, which
    /// takes its inertia (the world takes none), its frames and its loop joints; the joint's own
    /// frame becomes that of a fixed joint. Mimic joints of a locked joint are locked with it.
    /// Armature, limits, springs and friction of locked joints are gone, and with them their
    /// entries in reference configurations; where these had a joint elsewhere, a warning says so.
    /// Of `q` only the entries of locked joints are used. Cost O(n).
    ///
    /// # Errors
    /// [`SurgeryError::LockedMimic`] for a mimic joint whose source is not locked;
    /// [`SurgeryError::Universe`]; [`SurgeryError::Input`] for a joint of another model, a `q` of
    /// the wrong length, or entries of it that are no configuration; [`SurgeryError::Model`] where
    /// a loop joint has both ends in one body now, or two fixed joints one name.
    ///
    /// ```
    /// use featherline::samples;
    ///
    /// let model = samples::double_pendulum();
    /// let shoulder = model.joint_id("shoulder")?;
    /// let locked = model.lock(&[shoulder], &[0.5, 0.0])?;
    /// assert_eq!(locked.carried.configuration(&[0.5, 0.3])?, [0.3]);
    /// assert_eq!(locked.back.configuration(&[0.3])?, [0.5, 0.3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lock(&self, joints: &[JointId], q: &[f64]) -> Result<Locked, SurgeryError> {
        check_size("q", self.nq(), q.len())?;
        let is_locked = self.locked(joints)?;
        // For each joint the one that carries its body now, and the body's placement there.
        let mut carriers: Vec<(usize, Se3<f64>)> = Vec::with_capacity(self.joints().len());
        let mut held = Vec::new();
        for (i, joint) in self.joints().iter().enumerate() {
            if !is_locked[i] {
                carriers.push((i, Se3::identity()));
                continue;
            }
            let own = own_configuration(self, joint, q);
            let entries = match &joint.mimic {
                Some(law) => self.joint(law.source).nq,
                None => joint.nq,
            };
            let placement = placed(joint, &own, &q[..joint.idx_q + entries])?;
            let (carrier, above) = &carriers[joint.parent.index()];
            let input = above.compose(&joint.placement);
            carriers.push((*carrier, input.compose(&placement)));
            held.push((i, own));
        }

        let mut draft = Draft::of(self);
        for &(i, _) in &held {
            let (carrier, placement) = &carriers[i];
            let moved = placement.act_inertia(&self.joints()[i].inertia);
            draft.joints[i] = None;
            if let (1.., Some(above)) = (*carrier, &mut draft.joints[*carrier]) {
                above.joint.inertia = above.joint.inertia.sum(&moved);
            }
        }
        let carry = |joint: &mut JointId, placement: &mut Se3<f64>| {
            let i = joint.index();
            if is_locked[i] {
                *joint = JointId(carriers[i].0);
                *placement = carriers[i].1.compose(placement);
            }
        };
        for draft in draft.present() {
            carry(&mut draft.joint.parent, &mut draft.joint.placement);
        }
        for draft in &mut draft.frames {
            let frame = &mut draft.frame;
            let owner = frame.joint;
            if is_locked[owner.index()] && frame.is_of_joint(self.joint(owner)) {
                frame.kind = FrameKind::FixedJoint;
            }
            carry(&mut frame.joint, &mut frame.placement);
        }
        for draft in &mut draft.loops {
            let closing = &mut draft.closing;
            carry(&mut closing.predecessor, &mut closing.predecessor_placement);
            carry(&mut closing.successor, &mut closing.successor_placement);
        }
        let Surgery {
            model,
            carried,
            mut warnings,
        } = Surgery::of(draft, self)?;
        for (name, q) in self.reference_configurations() {
            let of = |(i, now): &(usize, Vec<f64>)| moved_reference(self, (name, q), *i, now);
            warnings.extend(held.iter().filter_map(of));
        }
        let back = way_back(&carried, &model, q);
        Ok(Locked {
            model,
            carried,
            back,
            warnings,
        })
    }

    /// Which joints are locked: the given ones and their mimic joints.
    fn locked(&self, joints: &[JointId]) -> Result<Vec<bool>, SurgeryError> {
        let mut is_locked = vec![false; self.joints().len()];
        for &joint in joints {
            self.check_joint(joint)?;
            if joint == JointId::UNIVERSE {
                return Err(SurgeryError::Universe { what: "locked" });
            }
            is_locked[joint.index()] = true;
        }
        for (i, joint) in self.joints().iter().enumerate() {
            let Some(law) = &joint.mimic else { continue };
            let source_is_locked = is_locked[law.source.index()];
            if is_locked[i] && !source_is_locked {
                return Err(SurgeryError::LockedMimic {
                    mimic: joint.name.clone(),
                    mimicked: self.joint(law.source).name.clone(),
                });
            }
            is_locked[i] = source_is_locked || is_locked[i];
        }
        Ok(is_locked)
    }
}

/// The placement of a joint's output frame; `q` ends with the entries that the joint reads.
fn placed(joint: &Joint, own: &[f64], q: &[f64]) -> Result<Se3<f64>, Error> {
    if let Some(index) = (joint.idx_q..q.len()).find(|&k| !q[k].is_finite()) {
        return Err(Error::NotFinite { what: "q", index });
    }
    let placement = joint.kind.motion(own, &[]).0;
    if placement.is_finite() {
        return Ok(placement);
    }
    Err(Error::ZeroRotation {
        joint: joint.name.clone(),
        index: joint.idx_q,
    })
}

/// Warns if a joint's body is elsewhere in a reference configuration than at `now`.
pub(super) fn moved_reference(
    model: &Model,
    (name, q): (&str, &[f64]),
    i: usize,
    now: &[f64],
) -> Option<ModelWarning> {
    let joint = &model.joints()[i];
    let was = own_configuration(model, joint, q);
    let [was, now] = [&was, now].map(|own| joint.kind.motion(own, &[]).0);
    let apart = was.inverse_compose(&now);
    let turned = apart.rotation - Mat3::identity();
    let columns = [turned.x, turned.y, turned.z, apart.translation];
    let moved = columns.iter().any(|column| column.max_norm() > SAME_PLACE);
    moved.then(|| ModelWarning::ReferenceMoved {
        configuration: name.to_owned(),
        joint: joint.name.clone(),
    })
}

/// From the locked model to that which it was.
fn way_back(carried: &Carried, locked: &Model, q: &[f64]) -> Carried {
    let source = &carried.source;
    let mut start = q.to_vec();
    for joint in source.joints() {
        // Whatever q has for joints that move is no part of the result.
        let entries = joint.idx_q..joint.idx_q + joint.nq;
        if entries.clone().any(|k| !q[k].is_finite()) {
            joint.kind.neutral(&mut start[entries]);
        }
    }
    let coordinates = carried.coordinates.iter().map(|own| {
        let (i, joint) = (own.from, &source.joints()[own.from]);
        Coordinates {
            // A joint with coordinates is one that was not locked.
            from: carried.joints[i].map_or(0, JointId::index),
            idx_q: joint.idx_q,
            idx_v: joint.idx_v,
            kind: own.kind.clone(),
            rule: Rule::Same,
        }
    });
    Carried {
        start,
        nv: source.nv(),
        coordinates: coordinates.collect(),
        joints: inverse(
            &carried.joints,
            locked.joints().len(),
            JointId::index,
            JointId,
        ),
        frames: inverse(
            &carried.frames,
            locked.frames().len(),
            FrameId::index,
            FrameId,
        ),
        loops: inverse(
            &carried.loops,
            locked.loop_joints().len(),
            LoopId::index,
            LoopId,
        ),
        source: locked.clone(),
    }
}

/// The inverse of a map of indices, from `count` of them.
fn inverse<I: Copy>(
    map: &[Option<I>],
    count: usize,
    index: impl Fn(I) -> usize,
    id: impl Fn(usize) -> I,
) -> Vec<Option<I>> {
    let mut back = vec![None; count];
    for (old, new) in map.iter().enumerate() {
        if let Some(new) = new {
            back[index(*new)] = Some(id(old));
        }
    }
    back
}
