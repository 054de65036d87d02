//! Building a model.

use super::validation::{check_inertia, permitted, validate};
use super::{
    Drive, Frame, FrameKind, Joint, JointId, Limits, LoopJoint, Mimic, Model, ModelData,
    ModelError, ModelWarning,
};
use crate::joint::JointKind;
use crate::spatial::{Inertia, Se3, Sym3, Vec3};
use crate::words::Words;
use std::collections::BTreeMap;

/// A joint of a [`ModelBuilder`]. Indices of the finished model differ: the builder sorts the
/// joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JointHandle(usize);

/// In which order joints with the same parent are numbered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SiblingOrder {
    /// As they were added.
    #[default]
    Document,
    /// By joint name.
    Alphabetical,
}

impl Words for SiblingOrder {
    const WHAT: &'static str = "order of siblings";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("document", Self::Document),
        ("alphabetical", Self::Alphabetical),
    ];
}

/// A joint to be added to a [`ModelBuilder`].
#[derive(Clone, Debug)]
pub struct JointSpec {
    name: String,
    parent: JointHandle,
    kind: JointKind,
    placement: Se3<f64>,
    limits: Limits,
    drive: Drive,
}

impl JointSpec {
    /// A joint without limits or drive, whose input frame coincides with its parent's output frame.
    pub fn new(name: impl Into<String>, parent: JointHandle, kind: JointKind) -> Self {
        Self {
            name: name.into(),
            parent,
            placement: Se3::identity(),
            limits: Limits::unbounded(kind.nq(), kind.nv()),
            drive: Drive::none(&kind),
            kind,
        }
    }

    /// Places the joint's input frame in the parent's output frame.
    pub fn placement(mut self, placement: Se3<f64>) -> Self {
        self.placement = placement;
        self
    }

    /// Bounds the joint's motion and effort.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets all that the joint itself adds to the dynamics.
    pub fn drive(mut self, drive: Drive) -> Self {
        self.drive = drive;
        self
    }

    /// Sets the armature of every degree of freedom, in kg·m² (kg).
    pub fn armature(mut self, value: f64) -> Self {
        self.drive.armature.fill(value);
        self
    }

    /// Sets rotor inertia (kg·m²) and gear ratio of every degree of freedom.
    pub fn rotor(mut self, inertia: f64, gear_ratio: f64) -> Self {
        self.drive.rotor_inertia.fill(inertia);
        self.drive.gear_ratio.fill(gear_ratio);
        self
    }

    /// Sets the viscous damping of every degree of freedom, in N·m·s/rad (N·s/m).
    pub fn damping(mut self, value: f64) -> Self {
        self.drive.damping.fill(value);
        self
    }

    /// Sets the dry friction of every degree of freedom, in N·m (N).
    pub fn friction(mut self, value: f64) -> Self {
        self.drive.friction.fill(value);
        self
    }

    /// Gives every degree of freedom a spring, in N·m/rad (N/m), at rest in the neutral
    /// configuration.
    pub fn stiffness(mut self, value: f64) -> Self {
        self.drive.stiffness.fill(value);
        self
    }
}

/// A finished model, and what is doubtful about it.
#[derive(Clone, Debug)]
pub struct Built {
    /// The model.
    pub model: Model,
    /// Doubtful properties of the description; the model is built nevertheless.
    pub warnings: Vec<ModelWarning>,
}

#[derive(Clone, Debug)]
struct Body {
    joint: JointHandle,
    name: String,
    placement: Se3<f64>,
    inertia: Inertia<f64>,
}

#[derive(Clone, Debug)]
struct LoopSpec {
    name: String,
    kind: JointKind,
    predecessor: (JointHandle, Se3<f64>),
    successor: (JointHandle, Se3<f64>),
}

#[derive(Clone, Debug)]
struct FrameSpec {
    joint: JointHandle,
    name: String,
    placement: Se3<f64>,
    kind: FrameKind,
}

/// Collects joints, bodies and frames in any order (a parent before its children), and builds a
/// [`Model`].
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    name: String,
    gravity: Vec3<f64>,
    order: SiblingOrder,
    permits_impossible_inertias: bool,
    joints: Vec<JointSpec>,
    mimics: BTreeMap<usize, (JointHandle, f64, f64)>,
    loops: Vec<LoopSpec>,
    bodies: Vec<Body>,
    frames: Vec<FrameSpec>,
    configurations: BTreeMap<String, Vec<f64>>,
}

impl ModelBuilder {
    /// The world, to which the first joints are attached.
    pub const UNIVERSE: JointHandle = JointHandle(0);

    /// A builder without joints, under gravity (0, 0, −9.81) m/s².
    pub fn new(name: impl Into<String>) -> Self {
        let universe = JointSpec::new("universe", Self::UNIVERSE, JointKind::Fixed);
        Self {
            name: name.into(),
            gravity: Vec3::new(0.0, 0.0, -9.81),
            order: SiblingOrder::Document,
            permits_impossible_inertias: false,
            joints: vec![universe],
            mimics: BTreeMap::new(),
            loops: Vec::new(),
            bodies: Vec::new(),
            frames: Vec::new(),
            configurations: BTreeMap::new(),
        }
    }

    /// Sets the acceleration of free fall in the world frame, in m/s².
    pub fn gravity(&mut self, gravity: Vec3<f64>) -> &mut Self {
        self.gravity = gravity;
        self
    }

    /// Sets the order in which siblings are numbered.
    pub fn sibling_order(&mut self, order: SiblingOrder) -> &mut Self {
        self.order = order;
        self
    }

    /// Sets whether inertias that no body has, of negative mass or with a negative principal
    /// moment, are used with a warning; otherwise they are errors.
    ///
    /// The mass matrix of such a model may be singular or indefinite. What depends on its inverse
    /// is then an error, or the answer of the equations to impossible figures. A stored model with
    /// such an inertia is refused when it is read, and surgery refuses it, too.
    ///
    /// ```
    /// use featherline::joint::JointKind;
    /// use featherline::model::{JointSpec, ModelBuilder};
    /// use featherline::spatial::{Inertia, Se3, Sym3, Vec3};
    ///
    /// let mut builder = ModelBuilder::new("impossible");
    /// let hinge = JointSpec::new("hinge", ModelBuilder::UNIVERSE, JointKind::revolute_y());
    /// let hinge = builder.add_joint(hinge);
    /// let moments = Sym3::diagonal(Vec3::new(0.1, 0.1, -0.01));
    /// let inertia = Inertia::new(1.0, Vec3::zero(), moments);
    /// builder.add_body(hinge, "rod", Se3::identity(), inertia);
    /// assert!(builder.build().is_err());
    /// let built = builder.permit_impossible_inertias(true).build()?;
    /// assert_eq!(built.warnings.len(), 1);
    /// # Ok::<(), featherline::model::ModelError>(())
    /// ```
    pub fn permit_impossible_inertias(&mut self, permit: bool) -> &mut Self {
        self.permits_impossible_inertias = permit;
        self
    }

    /// Adds a joint, and the body that it moves, still without inertia.
    pub fn add_joint(&mut self, joint: JointSpec) -> JointHandle {
        self.joints.push(joint);
        JointHandle(self.joints.len() - 1)
    }

    /// Makes a joint a mimic joint of another one: q = `ratio` · q_source + `offset`.
    /// The other one may itself be a mimic joint.
    ///
    /// A mimic joint adds nothing to q and v. Both joints must have one degree of freedom. The
    /// angle of a source whose coordinates are its cosine and sine is taken in [−π, π]. There a
    /// mimic joint jumps unless its ratio is an integer ([`ModelWarning::MimicJumps`]).
    pub fn mimic(
        &mut self,
        mimic_joint: JointHandle,
        source: JointHandle,
        ratio: f64,
        offset: f64,
    ) -> &mut Self {
        self.mimics.insert(mimic_joint.0, (source, ratio, offset));
        self
    }

    /// Closes a loop by a passive joint between two bodies of the tree, of which one may be the
    /// world ([`UNIVERSE`](Self::UNIVERSE)).
    ///
    /// The joint's input frame is placed in the predecessor's output frame, its output frame in the
    /// successor's. It adds nothing to q and v: see the crate `featherline-constraint`.
    ///
    /// ```
    /// use featherline::joint::JointKind;
    /// use featherline::model::{JointSpec, ModelBuilder};
    /// use featherline::spatial::{Inertia, Se3, Vec3};
    ///
    /// // Two rods on hinges 1 m apart, whose tips a third hinge joins: a truss.
    /// let mut builder = ModelBuilder::new("truss");
    /// let rod = Inertia::cuboid(1.0, Vec3::new(0.02, 0.02, 1.0));
    /// let at = |x, z| Se3::from_translation(Vec3::new(x, 0.0, z));
    /// let mut rods = Vec::new();
    /// for (name, x) in [("left", 0.0), ("right", 1.0)] {
    ///     let hinge = JointSpec::new(name, ModelBuilder::UNIVERSE, JointKind::revolute_y());
    ///     let rod_joint = builder.add_joint(hinge.placement(at(x, 0.0)));
    ///     builder.add_body(rod_joint, format!("{name}_rod"), at(0.0, 0.5), rod);
    ///     rods.push(rod_joint);
    /// }
    /// let tip = at(0.0, 1.0);
    /// builder.close_loop("ridge", JointKind::revolute_y(), (rods[0], tip), (rods[1], tip));
    /// let model = builder.build()?.model;
    /// assert_eq!((model.nv(), model.loop_joints().len()), (2, 1));
    /// # Ok::<(), featherline::model::ModelError>(())
    /// ```
    pub fn close_loop(
        &mut self,
        name: impl Into<String>,
        kind: JointKind,
        predecessor: (JointHandle, Se3<f64>),
        successor: (JointHandle, Se3<f64>),
    ) -> &mut Self {
        self.loops.push(LoopSpec {
            name: name.into(),
            kind,
            predecessor,
            successor,
        });
        self
    }

    /// Adds a body fixed in the body that a joint moves, or in the world. Its inertia, given in its
    /// own frame, is lumped; its frame is kept.
    pub fn add_body(
        &mut self,
        joint: JointHandle,
        name: impl Into<String>,
        placement: Se3<f64>,
        inertia: Inertia<f64>,
    ) -> &mut Self {
        self.bodies.push(Body {
            joint,
            name: name.into(),
            placement,
            inertia,
        });
        self
    }

    /// Adds a frame fixed in the body that a joint moves, or in the world.
    pub fn add_frame(
        &mut self,
        joint: JointHandle,
        name: impl Into<String>,
        placement: Se3<f64>,
        kind: FrameKind,
    ) -> &mut Self {
        self.frames.push(FrameSpec {
            joint,
            name: name.into(),
            placement,
            kind,
        });
        self
    }

    /// Names a configuration, in the finished model's order of coordinates.
    pub fn reference_configuration(&mut self, name: impl Into<String>, q: Vec<f64>) -> &mut Self {
        self.configurations.insert(name.into(), q);
        self
    }

    /// Checks the description and builds the model.
    ///
    /// # Errors
    /// [`ModelError`] for what is physically impossible or contradictory, with the name of the
    /// joint or body.
    pub fn build(&self) -> Result<Built, ModelError> {
        self.check_handles()?;
        let order = self.depth_first();
        let mut position = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            position[old] = new;
        }
        let joints = self.ordered_joints(&order, &position)?;
        let mut warnings = Vec::new();
        for body in &self.bodies {
            let lumped = &joints[position[body.joint.0]].inertia;
            match check_inertia(&body.name, &body.inertia, lumped) {
                Err(error) if self.permits_impossible_inertias => warnings.push(permitted(error)?),
                checked => warnings.extend(checked?),
            }
        }
        let data = ModelData {
            name: self.name.clone(),
            gravity: self.gravity,
            loop_joints: self.loop_joints(&position),
            frames: self.ordered_frames(&joints, &position),
            joints,
            reference_configurations: self.configurations.clone(),
        };
        let bodies = self.bodies.iter().map(|b| (b.name.as_str(), &b.inertia));
        warnings.extend(validate(&data, bodies, self.permits_impossible_inertias)?);
        let model = Model::from_valid(data);
        Ok(Built { model, warnings })
    }

    fn check_handles(&self) -> Result<(), ModelError> {
        let foreign = |name: &str| {
            Err(ModelError::ForeignHandle {
                name: name.to_owned(),
            })
        };
        for (i, joint) in self.joints.iter().enumerate().skip(1) {
            // A parent is added before its children, so the joints can't form a cycle.
            if joint.parent.0 >= i {
                return foreign(&joint.name);
            }
        }
        let known = 0..self.joints.len();
        for body in &self.bodies {
            if !known.contains(&body.joint.0) {
                return foreign(&body.name);
            }
        }
        for frame in &self.frames {
            if !known.contains(&frame.joint.0) {
                return foreign(&frame.name);
            }
        }
        for closing in &self.loops {
            let ends = [closing.predecessor.0, closing.successor.0];
            if !ends.iter().all(|end| known.contains(&end.0)) {
                return foreign(&closing.name);
            }
        }
        for (mimic_joint, (source, ..)) in &self.mimics {
            if !known.contains(mimic_joint) || !known.contains(&source.0) {
                return foreign("a mimic");
            }
        }
        Ok(())
    }

    /// Handles in depth-first order, siblings in the order asked for.
    fn depth_first(&self) -> Vec<usize> {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.joints.len()];
        for (i, joint) in self.joints.iter().enumerate().skip(1) {
            children[joint.parent.0].push(i);
        }
        if self.order == SiblingOrder::Alphabetical {
            for siblings in &mut children {
                siblings.sort_by(|&a, &b| self.joints[a].name.cmp(&self.joints[b].name));
            }
        }
        depth_first(&children)
    }

    /// The joint that a chain of mimic joints leads to, with the composed law.
    fn resolve_mimic(&self, mimic_joint: usize) -> Result<Option<(usize, f64, f64)>, ModelError> {
        let (mut ratio, mut offset) = (1.0, 0.0);
        let mut here = mimic_joint;
        let mut steps = 0;
        while let Some(&(source, r, o)) = self.mimics.get(&here) {
            let bad = |reason| {
                let name = |i: usize| self.joints[i].name.clone();
                Err(ModelError::BadMimic {
                    joint: name(mimic_joint),
                    mimicked: name(source.0),
                    reason,
                })
            };
            steps += 1;
            if steps > self.mimics.len() {
                return bad("the chain of mimic joints is a cycle");
            }
            if !self.joints[here].kind.has_one_displacement() {
                return bad("a mimic joint must have one degree of freedom");
            }
            if !self.joints[source.0].kind.has_one_displacement() {
                return bad("a mimicked joint must have one degree of freedom");
            }
            // q = ratio (r q_source + o) + offset
            offset += ratio * o;
            ratio *= r;
            here = source.0;
        }
        Ok((steps > 0).then_some((here, ratio, offset)))
    }

    fn ordered_joints(
        &self,
        order: &[usize],
        position: &[usize],
    ) -> Result<Vec<Joint>, ModelError> {
        let mut inertia = vec![Inertia::zero(); self.joints.len()];
        for body in &self.bodies {
            let sum = inertia[body.joint.0].to_parameters()
                + body.placement.act_inertia(&body.inertia).to_parameters();
            inertia[body.joint.0] = sum.to_inertia();
        }
        let (mut idx_q, mut idx_v) = (0, 0);
        let mut joints = Vec::with_capacity(order.len());
        for &old in order {
            let spec = &self.joints[old];
            let mimic = self
                .resolve_mimic(old)?
                .map(|(source, ratio, offset)| Mimic {
                    source: JointId(position[source]),
                    ratio,
                    offset,
                });
            if old == 0 {
                joints.push(Joint::universe());
                continue;
            }
            let (nq, nv) = if mimic.is_some() {
                (0, 0)
            } else {
                (spec.kind.nq(), spec.kind.nv())
            };
            joints.push(Joint {
                name: spec.name.clone(),
                kind: validated(spec)?,
                parent: JointId(position[spec.parent.0]),
                placement: spec.placement,
                inertia: inertia[old],
                idx_q,
                nq,
                idx_v,
                nv,
                mimic,
                limits: spec.limits.clone(),
                drive: spec.drive.clone(),
            });
            idx_q += nq;
            idx_v += nv;
        }
        for i in 0..joints.len() {
            if let Some(mimic) = joints[i].mimic {
                let source = &joints[mimic.source.index()];
                (joints[i].idx_q, joints[i].idx_v) = (source.idx_q, source.idx_v);
            }
        }
        Ok(joints)
    }

    fn loop_joints(&self, position: &[usize]) -> Vec<LoopJoint> {
        let end = |(joint, _): &(JointHandle, _)| JointId(position[joint.0]);
        let finished = |spec: &LoopSpec| LoopJoint {
            name: spec.name.clone(),
            kind: spec.kind.clone().normalised_axes(),
            predecessor: end(&spec.predecessor),
            predecessor_placement: spec.predecessor.1,
            successor: end(&spec.successor),
            successor_placement: spec.successor.1,
        };
        self.loops.iter().map(finished).collect()
    }

    fn ordered_frames(&self, joints: &[Joint], position: &[usize]) -> Vec<Frame> {
        let own = joints.iter().enumerate().map(|(i, joint)| Frame {
            name: joint.name.clone(),
            kind: FrameKind::Joint,
            joint: JointId(i),
            placement: Se3::identity(),
        });
        let bodies = self.bodies.iter().map(|b| Frame {
            name: b.name.clone(),
            kind: FrameKind::Body,
            joint: JointId(position[b.joint.0]),
            placement: b.placement,
        });
        let others = self.frames.iter().map(|f| Frame {
            name: f.name.clone(),
            kind: f.kind,
            joint: JointId(position[f.joint.0]),
            placement: f.placement,
        });
        let mut frames: Vec<Frame> = own.chain(bodies).chain(others).collect();
        frames.sort_by_key(|f| f.joint);
        frames
    }
}

/// The numbers of joints from the first one on, a parent before its children.
pub(super) fn depth_first(children: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(children.len());
    let mut open = vec![0];
    while let Some(next) = open.pop() {
        order.push(next);
        open.extend(children[next].iter().rev());
    }
    order
}

/// The joint's kind with axes normalised.
fn validated(spec: &JointSpec) -> Result<JointKind, ModelError> {
    match spec.kind.check() {
        Ok(()) => Ok(spec.kind.clone().normalised_axes()),
        Err(source) => Err(ModelError::Kind {
            joint: spec.name.clone(),
            source,
        }),
    }
}

impl crate::spatial::DynamicParameters<f64> {
    /// Mass, centre of mass and rotational inertia about it. Without mass, the centre of mass is
    /// the origin.
    pub fn to_inertia(&self) -> Inertia<f64> {
        if self.mass == 0.0 {
            return Inertia::new(0.0, Vec3::zero(), self.second_moment);
        }
        let com = self.first_moment * (1.0 / self.mass);
        let (h, c) = (self.first_moment, com);
        let shift = Sym3::new(
            h.y * c.y + h.z * c.z,
            -(h.x * c.y),
            -(h.x * c.z),
            h.x * c.x + h.z * c.z,
            -(h.y * c.z),
            h.x * c.x + h.y * c.y,
        );
        Inertia::new(self.mass, com, self.second_moment - shift)
    }
}
