//! A model in pieces: what operations change, and put together again.

use super::carried::{Carried, Coordinates, Rule};
use crate::model::builder::depth_first;
use crate::model::validation::validate;
use crate::model::{
    Frame, FrameId, Joint, JointId, LoopId, LoopJoint, Mimic, Model, ModelData, ModelError,
    ModelWarning,
};
use crate::spatial::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// A model in pieces. Indices of joints are positions in `joints`, of which some may be empty and
/// which need not stand in any order; the first is the universe.
#[derive(Default)]
pub struct Draft {
    pub joints: Vec<Option<DraftJoint>>,
    pub frames: Vec<DraftFrame>,
    pub loops: Vec<DraftLoop>,
}

/// A joint, and where it comes from.
pub struct DraftJoint {
    pub joint: Joint,
    pub from: Origin,
    pub rule: Rule,
}

/// A frame, and where it comes from.
pub struct DraftFrame {
    pub frame: Frame,
    pub from: Origin,
}

/// A loop joint, and where it comes from.
pub struct DraftLoop {
    pub closing: LoopJoint,
    pub from: Origin,
}

/// Which of the sources, and the index there.
pub type Origin = (usize, usize);

/// A new model, and where each of its sources went.
pub struct Finished {
    pub model: Model,
    pub carried: Vec<Carried>,
    pub warnings: Vec<ModelWarning>,
}

impl Draft {
    /// The model as it is.
    pub fn of(model: &Model) -> Self {
        let mut draft = Self::default();
        draft.add(model, 0);
        draft
    }

    /// Adds all that a model has, with its universe, as the source of that number. Returns where
    /// its joints begin.
    pub fn add(&mut self, model: &Model, source: usize) -> usize {
        let begin = self.joints.len();
        let at = |id: JointId| JointId(id.index() + begin);
        for (i, joint) in model.joints().iter().enumerate() {
            let mut joint = joint.clone();
            joint.parent = at(joint.parent);
            if let Some(law) = &mut joint.mimic {
                law.source = at(law.source);
            }
            self.joints.push(Some(DraftJoint {
                joint,
                from: (source, i),
                rule: Rule::Same,
            }));
        }
        for (i, frame) in model.frames().iter().enumerate() {
            let mut frame = frame.clone();
            frame.joint = at(frame.joint);
            let from = (source, i);
            self.frames.push(DraftFrame { frame, from });
        }
        for (i, closing) in model.loop_joints().iter().enumerate() {
            let mut closing = closing.clone();
            closing.predecessor = at(closing.predecessor);
            closing.successor = at(closing.successor);
            let from = (source, i);
            self.loops.push(DraftLoop { closing, from });
        }
        begin
    }

    /// The joints that there are.
    pub fn present(&mut self) -> impl Iterator<Item = &mut DraftJoint> {
        self.joints.iter_mut().flatten()
    }

    /// Numbers the joints depth-first, siblings in their order in the draft, checks all, and puts
    /// the model together. `sources` are the models that the origins name.
    pub fn finish(
        self,
        name: &str,
        gravity: Vec3<f64>,
        sources: &[&Model],
    ) -> Result<Finished, ModelError> {
        let order = self.depth_first();
        let mut position = vec![0; self.joints.len()];
        for (new, &old) in order.iter().enumerate() {
            position[old] = new;
        }
        let at = |id: JointId| JointId(position[id.index()]);
        let mut taken: Vec<Option<DraftJoint>> = self.joints;
        let mut drafts: Vec<DraftJoint> = Vec::with_capacity(order.len());
        for old in order {
            drafts.extend(taken[old].take());
        }
        let (mut idx_q, mut idx_v) = (0, 0);
        for DraftJoint { joint, .. } in &mut drafts {
            joint.parent = at(joint.parent);
            (joint.nq, joint.nv) = match &mut joint.mimic {
                Some(Mimic { source, .. }) => {
                    *source = at(*source);
                    (0, 0)
                }
                None => (joint.kind.nq(), joint.kind.nv()),
            };
            (joint.idx_q, joint.idx_v) = (idx_q, idx_v);
            idx_q += joint.nq;
            idx_v += joint.nv;
        }
        for i in 0..drafts.len() {
            if let Some(law) = drafts[i].joint.mimic {
                let source = &drafts[law.source.index()].joint;
                (drafts[i].joint.idx_q, drafts[i].joint.idx_v) = (source.idx_q, source.idx_v);
            }
        }
        let mut frames = self.frames;
        for DraftFrame { frame, .. } in &mut frames {
            frame.joint = at(frame.joint);
        }
        frames.sort_by_key(|f| f.frame.joint);
        let mut loops = self.loops;
        for DraftLoop { closing, .. } in &mut loops {
            closing.predecessor = at(closing.predecessor);
            closing.successor = at(closing.successor);
        }

        let mut start = vec![0.0; idx_q];
        for DraftJoint { joint, .. } in &drafts {
            if joint.mimic.is_none() {
                let own = joint.idx_q..joint.idx_q + joint.nq;
                joint.kind.neutral(&mut start[own]);
            }
        }
        let carry = |(number, source): (usize, &&Model)| {
            carried(
                number,
                source,
                (start.clone(), idx_v),
                &drafts,
                &frames,
                &loops,
            )
        };
        let carried: Vec<Carried> = sources.iter().enumerate().map(carry).collect();
        let reference_configurations = configurations(&start, &carried, sources);

        let data = ModelData {
            name: name.to_owned(),
            gravity,
            joints: drafts.into_iter().map(|d| d.joint).collect(),
            loop_joints: loops.into_iter().map(|d| d.closing).collect(),
            frames: frames.into_iter().map(|d| d.frame).collect(),
            reference_configurations,
        };
        let bodies = data.joints.iter().map(|j| (j.name.as_str(), &j.inertia));
        let warnings = validate(&data, bodies, false)?;
        Ok(Finished {
            model: Model::from_valid(data),
            carried,
            warnings,
        })
    }

    fn depth_first(&self) -> Vec<usize> {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.joints.len()];
        for (i, draft) in self.joints.iter().enumerate().skip(1) {
            if let Some(draft) = draft {
                children[draft.joint.parent.index()].push(i);
            }
        }
        depth_first(&children)
    }
}

fn carried(
    number: usize,
    source: &Model,
    (start, nv): (Vec<f64>, usize),
    joints: &[DraftJoint],
    frames: &[DraftFrame],
    loops: &[DraftLoop],
) -> Carried {
    let mut carried = Carried {
        start,
        nv,
        coordinates: Vec::new(),
        joints: vec![None; source.joints().len()],
        frames: vec![None; source.frames().len()],
        loops: vec![None; source.loop_joints().len()],
        source: source.clone(),
    };
    carried.joints[0] = Some(JointId::UNIVERSE);
    for (new, draft) in joints.iter().enumerate() {
        let (origin, old) = draft.from;
        if origin != number {
            continue;
        }
        carried.joints[old] = Some(JointId(new));
        if draft.joint.nq > 0 {
            carried.coordinates.push(Coordinates {
                from: old,
                idx_q: draft.joint.idx_q,
                idx_v: draft.joint.idx_v,
                kind: draft.joint.kind.clone(),
                rule: draft.rule.clone(),
            });
        }
    }
    for (new, frame) in frames.iter().enumerate() {
        if frame.from.0 == number {
            carried.frames[frame.from.1] = Some(FrameId(new));
        }
    }
    for (new, closing) in loops.iter().enumerate() {
        if closing.from.0 == number {
            carried.loops[closing.from.1] = Some(LoopId(new));
        }
    }
    carried
}

/// The configurations that any source names. A source without one of that name is neutral in it.
fn configurations(
    start: &[f64],
    carried: &[Carried],
    sources: &[&Model],
) -> BTreeMap<String, Vec<f64>> {
    let all = sources.iter().map(|s| s.reference_configurations());
    let names: BTreeSet<&String> = all.flat_map(BTreeMap::keys).collect();
    let mut configurations = BTreeMap::new();
    for name in names {
        let mut q = start.to_vec();
        for (carried, source) in carried.iter().zip(sources) {
            if let Some(own) = source.reference_configurations().get(name) {
                // A model's own configurations have its length.
                let written = carried.write_configuration(own, &mut q);
                debug_assert!(written.is_ok());
            }
        }
        configurations.insert(name.clone(), q);
    }
    configurations
}
