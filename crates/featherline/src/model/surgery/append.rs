//! Several robots as one.

use super::carried::Carried;
use super::draft::{Draft, DraftFrame};
use super::error::SurgeryError;
use crate::model::validation::check_placement;
use crate::model::{FrameId, Joint, JointId, Model, ModelBuilder, ModelWarning};
use crate::spatial::{Se3, Vec3};

/// A model with another one on it.
#[derive(Clone, Debug)]
pub struct Appended {
    /// The new model.
    pub model: Model,
    /// Where the joints, frames and coordinates of the model went that carries.
    pub carried: Carried,
    /// Where those of the model went that is carried.
    pub appended: Carried,
    /// Doubtful properties of the new model, which is built nevertheless.
    pub warnings: Vec<ModelWarning>,
}

/// One of the models of [`Model::merge`].
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The model.
    pub model: &'a Model,
    /// The prefix of all its names.
    pub prefix: &'a str,
    /// The placement of its world in the common one.
    pub placement: Se3<f64>,
}

/// Several models in one world.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The new model.
    pub model: Model,
    /// For each of the models, where its joints, frames and coordinates went.
    pub carried: Vec<Carried>,
    /// Doubtful properties of the new model, which is built nevertheless.
    pub warnings: Vec<ModelWarning>,
}

impl Model {
    /// This robot with another one on a frame: an arm on a mobile base, a hand on an arm.
    ///
    /// The other's world lies at `placement` in the frame. What is fixed in that world is fixed in
    /// the body that has the frame, as frames without inertia: a model does not keep the inertia of
    /// what is fixed in the world ([`with_inertia`](Self::with_inertia) adds it). The frame
    /// `universe` is left out. `prefix` is put before the other's names, as
    /// [`with_prefix`](Self::with_prefix) does. Its joints come after all joints that the frame's
    /// body carries, in their order, as Pinocchio's `appendModel` has them. Name and gravity are
    /// this model's. A reference configuration that both models have is that of both; where only
    /// one has it, the other is neutral. Cost O(n).
    ///
    /// # Errors
    /// [`SurgeryError::DifferentGravity`]; [`SurgeryError::Input`] for a frame of another model;
    /// [`SurgeryError::Model`] if two joints or frames of one kind have one name, or `placement` is
    /// not one.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline::spatial::{Se3, Vec3};
    ///
    /// // A double pendulum under a double pendulum.
    /// let model = samples::double_pendulum();
    /// let tip = model.frame_id("elbow")?;
    /// let below = Se3::from_translation(Vec3::new(0.0, 0.0, -1.0));
    /// let long = model.append(&model, tip, below, "lower_")?;
    /// assert_eq!(long.model.nv(), 4);
    ///
    /// let mut q = long.carried.configuration(&[0.1, 0.2])?;
    /// long.appended.write_configuration(&[0.3, 0.4], &mut q)?;
    /// assert_eq!(q, [0.1, 0.2, 0.3, 0.4]);
    /// assert!(long.model.joint_id("lower_elbow").is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn append(
        &self,
        other: &Self,
        frame: FrameId,
        placement: Se3<f64>,
        prefix: &str,
    ) -> Result<Appended, SurgeryError> {
        self.check_frame(frame)?;
        check_gravity(self, other)?;
        let frame = &self.frames()[frame.index()];
        check_placement(&frame.name, &placement)?;
        let at = frame.placement.compose(&placement);
        let mut draft = Draft::of(self);
        draft.append(other, 1, frame.joint, &at, prefix);
        let finished = draft.finish(self.name(), self.gravity(), &[self, other])?;
        let mut carried = finished.carried.into_iter();
        // There are two sources.
        let [carried, appended] = [carried.next(), carried.next()].map(Option::unwrap);
        Ok(Appended {
            model: finished.model,
            carried,
            appended,
            warnings: finished.warnings,
        })
    }

    /// Several robots side by side in one world, in the order given.
    ///
    /// Names get the prefix of their model, as [`with_prefix`](Self::with_prefix) gives it; the
    /// rest is as [`append`](Self::append) has it at a frame of the world. Without any model the
    /// result has no joints. Cost O(n).
    ///
    /// # Errors
    /// As [`append`](Self::append).
    ///
    /// ```
    /// use featherline::Model;
    /// use featherline::model::surgery::Part;
    /// use featherline::samples;
    /// use featherline::spatial::{Se3, Vec3};
    ///
    /// let arm = samples::double_pendulum();
    /// let at = |y| Se3::from_translation(Vec3::new(0.0, y, 0.0));
    /// let pair = Model::merge("pair", &[
    ///     Part { model: &arm, prefix: "left_", placement: at(0.5) },
    ///     Part { model: &arm, prefix: "right_", placement: at(-0.5) },
    /// ])?;
    /// assert_eq!(pair.model.nv(), 4);
    /// let mut q = pair.model.neutral_configuration();
    /// pair.carried[1].write_configuration(&[0.1, 0.2], &mut q)?;
    /// assert_eq!(q, [0.0, 0.0, 0.1, 0.2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn merge(name: &str, parts: &[Part]) -> Result<Merged, SurgeryError> {
        let world = world(name, parts.first().map(|part| part.model.gravity()));
        let mut draft = Draft::of(&world);
        let mut sources = vec![&world];
        for part in parts {
            check_gravity(&world, part.model)?;
            check_placement(part.model.name(), &part.placement)?;
            let (number, at) = (sources.len(), &part.placement);
            draft.append(part.model, number, JointId::UNIVERSE, at, part.prefix);
            sources.push(part.model);
        }
        let mut finished = draft.finish(name, world.gravity(), &sources)?;
        finished.carried.remove(0);
        Ok(Merged {
            model: finished.model,
            carried: finished.carried,
            warnings: finished.warnings,
        })
    }
}

impl Draft {
    /// Adds source `number` on a joint of the draft, its world at `placement` in the output frame.
    fn append(
        &mut self,
        other: &Model,
        number: usize,
        on: JointId,
        placement: &Se3<f64>,
        prefix: &str,
    ) {
        let frames = self.frames.len();
        let loops = self.loops.len();
        let world = self.add(other, number);
        // The frame of its universe is the first of its name.
        let is_universe = |f: &DraftFrame| {
            f.frame.joint.index() == world && f.frame.is_of_joint(&Joint::universe())
        };
        let first = self.frames[frames..].iter().position(is_universe);
        if let Some(first) = first {
            self.frames.remove(frames + first);
        }
        self.joints[world] = None;
        for draft in self.joints[world + 1..].iter_mut().flatten() {
            if draft.joint.parent.index() == world {
                draft.joint.parent = on;
                draft.joint.placement = placement.compose(&draft.joint.placement);
            }
            draft.joint.name.insert_str(0, prefix);
        }
        for draft in &mut self.frames[frames..] {
            let frame = &mut draft.frame;
            if frame.joint.index() == world {
                frame.joint = on;
                frame.placement = placement.compose(&frame.placement);
            }
            frame.name.insert_str(0, prefix);
        }
        for draft in &mut self.loops[loops..] {
            let closing = &mut draft.closing;
            if closing.predecessor.index() == world {
                closing.predecessor = on;
                closing.predecessor_placement = placement.compose(&closing.predecessor_placement);
            }
            if closing.successor.index() == world {
                closing.successor = on;
                closing.successor_placement = placement.compose(&closing.successor_placement);
            }
            closing.name.insert_str(0, prefix);
        }
    }
}

/// A model without joints.
fn world(name: &str, gravity: Option<Vec3<f64>>) -> Model {
    let empty = ModelBuilder::new(name);
    // Nothing in it can be wrong.
    let mut model = empty.build().expect("an empty model is valid").model;
    model.data.gravity = gravity.unwrap_or(model.data.gravity);
    model
}

fn check_gravity(model: &Model, other: &Model) -> Result<(), SurgeryError> {
    if model.gravity() == other.gravity() {
        return Ok(());
    }
    Err(SurgeryError::DifferentGravity {
        model: model.name().to_owned(),
        expected: model.gravity().to_array(),
        other: other.name().to_owned(),
        found: other.gravity().to_array(),
    })
}
