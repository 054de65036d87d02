//! Where joints, frames and coordinates of a model went in another one.

use crate::error::check_size;
use crate::joint::JointKind;
use crate::joint::reverse::{ReversedPart, write_motion, write_placement};
use crate::model::{FrameId, Joint, JointId, LoopId, Model};
use crate::spatial::{Motion, Se3};
use crate::{Error, model::require};

/// Where the joints, frames and coordinates of a model went in one that was made of it, and the
/// configurations and velocities there.
///
/// ```
/// use featherline::samples;
///
/// let model = samples::double_pendulum();
/// let elbow = model.joint_id("elbow")?;
/// let upper = model.remove(&[elbow])?;
/// assert_eq!(upper.carried.configuration(&[0.3, -0.2])?, [0.3]);
/// assert_eq!(upper.carried.joint(elbow), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Carried {
    pub(super) source: Model,
    /// The configuration of all that is not carried over.
    pub(super) start: Vec<f64>,
    pub(super) nv: usize,
    pub(super) coordinates: Vec<Coordinates>,
    pub(super) joints: Vec<Option<JointId>>,
    pub(super) frames: Vec<Option<FrameId>>,
    pub(super) loops: Vec<Option<LoopId>>,
}

/// The coordinates of a joint that has its own in the new model.
#[derive(Clone, Debug)]
pub(super) struct Coordinates {
    /// The joint in the source.
    pub from: usize,
    /// Where its coordinates begin in the new model.
    pub idx_q: usize,
    pub idx_v: usize,
    /// The kind that it has there.
    pub kind: JointKind,
    pub rule: Rule,
}

/// How coordinates in the new model follow from those of the source.
#[derive(Clone, Debug)]
pub(super) enum Rule {
    /// They are the same.
    Same,
    /// Those of the joint, read from its child to its parent.
    Reversed(Vec<ReversedPart>),
    /// A mimic joint has coordinates of its own.
    Freed,
    /// A free-flyer carries the body at the end of these joints, of which it was the first.
    Base(Vec<usize>),
}

impl Carried {
    /// The model that was.
    pub fn source(&self) -> &Model {
        &self.source
    }

    /// The configuration of all that is not carried over, as long as the new model's q: neutral, or
    /// on the way back from a locked model that of the locked joints.
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// The length of the new model's v.
    pub fn nv(&self) -> usize {
        self.nv
    }

    /// The joint of that name and drive in the new model; none where it has no such joint any more.
    ///
    /// # Panics
    /// If the source has no such joint.
    #[track_caller]
    pub fn joint(&self, id: JointId) -> Option<JointId> {
        require(self.source.check_joint(id));
        self.joints[id.index()]
    }

    /// The frame in the new model; none where it was removed.
    ///
    /// # Panics
    /// If the source has no such frame.
    #[track_caller]
    pub fn frame(&self, id: FrameId) -> Option<FrameId> {
        require(self.source.check_frame(id));
        self.frames[id.index()]
    }

    /// The loop joint in the new model; none where it was removed.
    ///
    /// # Panics
    /// If the source has no such loop joint.
    #[track_caller]
    pub fn loop_joint(&self, id: LoopId) -> Option<LoopId> {
        require(self.source.check_loop(id));
        self.loops[id.index()]
    }

    /// The configuration of the new model in which its bodies stand as those of the source do at
    /// `q`. What comes from elsewhere is neutral. Cost O(n), with allocation.
    ///
    /// # Errors
    /// [`Error::Size`] if `q` has not as many entries as the source needs.
    pub fn configuration(&self, q: &[f64]) -> Result<Vec<f64>, Error> {
        let mut out = self.start.clone();
        self.write_configuration(q, &mut out)?;
        Ok(out)
    }

    /// Writes into a configuration of the new model what [`configuration`](Self::configuration)
    /// carries over, and leaves the rest as it is: for models made of several ones.
    ///
    /// # Errors
    /// [`Error::Size`] if `q` has not as many entries as the source needs, or `out` as the new
    /// model.
    pub fn write_configuration(&self, q: &[f64], out: &mut [f64]) -> Result<(), Error> {
        check_size("q", self.source.nq(), q.len())?;
        check_size("the carried q", self.start.len(), out.len())?;
        for own in &self.coordinates {
            let joint = &self.source.joints()[own.from];
            let out = &mut out[own.idx_q..own.idx_q + own.kind.nq()];
            match &own.rule {
                Rule::Same => out.copy_from_slice(&q[joint.idx_q..joint.idx_q + joint.nq]),
                Rule::Freed => out.copy_from_slice(&own_configuration(&self.source, joint, q)),
                Rule::Reversed(parts) => {
                    let (q, mut rest) = (&q[joint.idx_q..], out);
                    for part in parts {
                        let (out, after) = rest.split_at_mut(part.q.len());
                        part.configuration(q, out);
                        rest = after;
                    }
                }
                Rule::Base(path) => {
                    let (placement, _) = along(&self.source, path, q, None);
                    write_placement(&own.kind, &placement, out);
                }
            }
        }
        Ok(())
    }

    /// The velocity of the new model with which its bodies move as those of the source do at `q`
    /// and `v`. What comes from elsewhere is at rest. Cost O(n), with allocation.
    ///
    /// # Errors
    /// [`Error::Size`] if `q` or `v` has not as many entries as the source needs.
    pub fn velocity(&self, q: &[f64], v: &[f64]) -> Result<Vec<f64>, Error> {
        let mut out = vec![0.0; self.nv];
        self.write_velocity(q, v, &mut out)?;
        Ok(out)
    }

    /// Writes into a velocity of the new model what [`velocity`](Self::velocity) carries over, and
    /// leaves the rest as it is.
    ///
    /// # Errors
    /// [`Error::Size`] if `q` or `v` has not as many entries as the source needs, or `out` as the
    /// new model.
    pub fn write_velocity(&self, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), Error> {
        check_size("q", self.source.nq(), q.len())?;
        check_size("v", self.source.nv(), v.len())?;
        check_size("the carried v", self.nv, out.len())?;
        for own in &self.coordinates {
            let joint = &self.source.joints()[own.from];
            let out = &mut out[own.idx_v..own.idx_v + own.kind.nv()];
            match &own.rule {
                Rule::Same => out.copy_from_slice(&v[joint.idx_v..joint.idx_v + joint.nv]),
                Rule::Freed => out.copy_from_slice(&own_velocity(joint, v)),
                Rule::Reversed(parts) => {
                    let (q, v, mut rest) = (&q[joint.idx_q..], &v[joint.idx_v..], out);
                    for part in parts {
                        let (out, after) = rest.split_at_mut(part.v.len());
                        part.velocity(q, v, out);
                        rest = after;
                    }
                }
                Rule::Base(path) => {
                    let (_, velocity) = along(&self.source, path, q, Some(v));
                    write_motion(&own.kind, &velocity, out);
                }
            }
        }
        Ok(())
    }
}

/// The configuration of a joint as its kind has it, that of a mimic joint by its law.
pub(super) fn own_configuration(model: &Model, joint: &Joint, q: &[f64]) -> Vec<f64> {
    let Some(law) = &joint.mimic else {
        return q[joint.idx_q..joint.idx_q + joint.nq].to_vec();
    };
    let source = model.joint(law.source).kind.displacement(&q[joint.idx_q..]);
    // q = ratio q_source + offset
    displaced(&joint.kind, law.ratio.mul_add(source, law.offset))
}

/// The configuration of a joint of one degree of freedom at a displacement.
pub(super) fn displaced(kind: &JointKind, displacement: f64) -> Vec<f64> {
    let mut q = vec![0.0; kind.nq()];
    kind.displaced(displacement, &mut q);
    q
}

/// The velocity of a joint, that of a mimic joint by its law.
fn own_velocity(joint: &Joint, v: &[f64]) -> Vec<f64> {
    match &joint.mimic {
        Some(law) => vec![law.ratio * v[joint.idx_v]],
        None => v[joint.idx_v..joint.idx_v + joint.nv].to_vec(),
    }
}

/// The last joint's placement in the first one's input frame, and its velocity; zero without `v`.
fn along(model: &Model, path: &[usize], q: &[f64], v: Option<&[f64]>) -> (Se3<f64>, Motion<f64>) {
    let (mut total, mut velocity) = (Se3::identity(), Motion::zero());
    for (k, &i) in path.iter().enumerate() {
        let joint = &model.joints()[i];
        let own_q = own_configuration(model, joint, q);
        let own_v = v.map_or(Vec::new(), |v| own_velocity(joint, v));
        let (placement, own) = joint.kind.motion(&own_q, &own_v);
        let step = if k == 0 {
            placement
        } else {
            joint.placement.compose(&placement)
        };
        // v_i = X v_λ + S q̇
        velocity = step.inverse_act_motion(&velocity) + own;
        total = total.compose(&step);
    }
    (total, velocity)
}
