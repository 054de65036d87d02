//! Joints that get or lose coordinates of their own.

use super::Surgery;
use super::carried::{Rule, displaced};
use super::draft::Draft;
use super::error::SurgeryError;
use super::lock::moved_reference;
use crate::model::{JointId, Mimic, Model, ModelError, ModelWarning};

impl Model {
    /// The robot in which a joint mimics another one: q = `ratio` · q_source + `offset`.
    ///
    /// The joint loses its coordinate; where a reference configuration has it elsewhere than the
    /// law, a warning says so. Limits, drive and spring stay: the armature counts with the squared
    /// ratio. The source may itself mimic a joint, and others may mimic the joint: laws are
    /// composed, as by [`ModelBuilder::mimic`](crate::model::ModelBuilder::mimic). A joint that is
    /// a mimic joint gets the new law. Cost O(n).
    ///
    /// # Errors
    /// [`ModelError::BadMimic`] if a joint has not one degree of freedom, or would mimic itself;
    /// [`ModelError::NotFinite`]; [`SurgeryError::Universe`]; [`SurgeryError::Input`] for a joint
    /// of another model.
    ///
    /// ```
    /// use featherline::samples;
    ///
    /// // The elbow bends twice as far as the shoulder, the other way.
    /// let model = samples::double_pendulum();
    /// let (shoulder, elbow) = (model.joint_id("shoulder")?, model.joint_id("elbow")?);
    /// let coupled = model.mimic(elbow, shoulder, -2.0, 0.0)?;
    /// assert_eq!(coupled.model.nv(), 1);
    ///
    /// let elbow = coupled.model.joint_id("elbow")?;
    /// let freed = coupled.model.free(elbow)?;
    /// assert_eq!(freed.model, model);
    /// assert_eq!(freed.carried.configuration(&[0.3])?, [0.3, -0.6]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn mimic(
        &self,
        joint: JointId,
        source: JointId,
        ratio: f64,
        offset: f64,
    ) -> Result<Surgery, SurgeryError> {
        self.check_joint(joint)?;
        self.check_joint(source)?;
        if joint == JointId::UNIVERSE {
            let what = "made a mimic joint";
            return Err(SurgeryError::Universe { what });
        }
        let own = self.joint(joint);
        let mut law = Mimic {
            source,
            ratio,
            offset,
        };
        // q = ratio (r q_source + o) + offset
        if let Some(further) = &self.joint(source).mimic {
            law = composed(&law, further);
        }
        let bad = |reason| {
            Err(SurgeryError::Model(ModelError::BadMimic {
                joint: own.name.clone(),
                mimicked: self.joint(source).name.clone(),
                reason,
            }))
        };
        if !own.kind.has_one_displacement() {
            return bad("a mimic joint must have one degree of freedom");
        }
        if !self.joint(source).kind.has_one_displacement() {
            return bad("a mimicked joint must have one degree of freedom");
        }
        if source == joint || law.source == joint {
            return bad("the chain of mimic joints is a cycle");
        }
        let mut draft = Draft::of(self);
        for draft in draft.present() {
            if draft.from.1 == joint.index() {
                draft.joint.mimic = Some(law);
            } else if let Some(above) = &mut draft.joint.mimic
                && above.source == joint
            {
                *above = composed(above, &law);
            }
        }
        let mut surgery = Surgery::of(draft, self)?;
        surgery.warnings.extend(self.references_off(joint, &law));
        Ok(surgery)
    }

    /// The robot in which a mimic joint has a coordinate of its own.
    ///
    /// Carried configurations, those of reference among them, have it where its law had it. Cost
    /// O(n).
    ///
    /// # Errors
    /// [`SurgeryError::NotMimic`]; [`SurgeryError::Input`] for a joint of another model.
    ///
    /// The example of [`mimic`](Self::mimic) shows it.
    pub fn free(&self, joint: JointId) -> Result<Surgery, SurgeryError> {
        self.check_joint(joint)?;
        if self.joint(joint).mimic.is_none() {
            let joint = self.joint(joint).name.clone();
            return Err(SurgeryError::NotMimic { joint });
        }
        let mut draft = Draft::of(self);
        for draft in draft.present() {
            if draft.from.1 == joint.index() {
                draft.joint.mimic = None;
                draft.rule = Rule::Freed;
            }
        }
        Surgery::of(draft, self)
    }

    /// Warns of the reference configurations in which a joint is elsewhere than by a law.
    fn references_off(&self, joint: JointId, law: &Mimic) -> Vec<ModelWarning> {
        let mut warnings = Vec::new();
        let source = self.joint(law.source);
        for (name, q) in self.reference_configurations() {
            let angle = source.kind.displacement(&q[source.idx_q..]);
            let displacement = law.ratio.mul_add(angle, law.offset);
            let now = displaced(&self.joint(joint).kind, displacement);
            warnings.extend(moved_reference(self, (name, q), joint.index(), &now));
        }
        warnings
    }
}

/// The law of a joint that mimics a mimic joint.
fn composed(law: &Mimic, further: &Mimic) -> Mimic {
    Mimic {
        source: further.source,
        ratio: law.ratio * further.ratio,
        offset: law.ratio.mul_add(further.offset, law.offset),
    }
}
