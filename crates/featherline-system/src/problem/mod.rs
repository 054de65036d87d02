//! A question to the system: a robot, and what is known of it.

mod known_set;
mod sensor;

pub use known_set::KnownSet;
pub(crate) use known_set::{body, free_base};
pub use sensor::{Contact, Noise, Sensor, SensorId, SensorKind};
pub(crate) use sensor::{Observable, Support, readings_covariance, sensor_rows};

use crate::error::SystemError;
use featherline::Model;
use featherline::model::{FrameId, JointId, LoopId};
use serde::Serialize;
use std::ops::Range;
use twox_hash::XxHash3_128;

/// The number of a known quantity, in the order in which the problem names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KnownId(pub(crate) usize);

impl KnownId {
    /// The position in [`Problem::knowns`].
    pub fn index(self) -> usize {
        self.0
    }
}

/// Some of the components of a six-vector, \[linear; angular\], in an order: that in which they are
/// named, and in which readings and known values come.
///
/// ```
/// use featherline_system::Components;
///
/// let normal = Components::LINEAR_Z.and(Components::ANGULAR_X).and(Components::ANGULAR_Y);
/// assert_eq!(normal.iter().collect::<Vec<_>>(), [2, 3, 4]);
/// assert_eq!(normal.others().count(), 3);
/// let turned = Components::ANGULAR_X.and(Components::LINEAR_Z);
/// assert_eq!(turned.iter().collect::<Vec<_>>(), [3, 2]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Components {
    /// Zeros behind the last one.
    order: [u8; 6],
    count: u8,
}

impl Components {
    /// The names of forces along the axes and of moments about them, as files write them.
    pub(crate) const NAMES: [&'static str; 6] = ["fx", "fy", "fz", "mx", "my", "mz"];
    /// All six.
    pub const ALL: Self = Self::NONE.others();
    /// None.
    pub const NONE: Self = Self {
        order: [0; 6],
        count: 0,
    };
    /// The three linear ones.
    pub const LINEAR: Self = Self::LINEAR_X.and(Self::LINEAR_Y).and(Self::LINEAR_Z);
    /// The three angular ones.
    pub const ANGULAR: Self = Self::LINEAR.others();
    /// Along x.
    pub const LINEAR_X: Self = Self::one(0);
    /// Along y.
    pub const LINEAR_Y: Self = Self::one(1);
    /// Along z.
    pub const LINEAR_Z: Self = Self::one(2);
    /// About x.
    pub const ANGULAR_X: Self = Self::one(3);
    /// About y.
    pub const ANGULAR_Y: Self = Self::one(4);
    /// About z.
    pub const ANGULAR_Z: Self = Self::one(5);

    /// One component, 0 to 5; none for another number.
    pub const fn one(component: usize) -> Self {
        Self::NONE.followed_by(component)
    }

    /// These, and one more unless it is one of them.
    const fn followed_by(mut self, component: usize) -> Self {
        if component < 6 && !self.contains(component) {
            self.order[self.count as usize] = component as u8;
            self.count += 1;
        }
        self
    }

    /// These, and then those of the others that are none of these.
    pub const fn and(mut self, other: Self) -> Self {
        let mut k = 0;
        while k < other.count() {
            self = self.followed_by(other.order[k] as usize);
            k += 1;
        }
        self
    }

    /// All but these, ascending.
    pub const fn others(self) -> Self {
        let mut others = Self::NONE;
        let mut component = 0;
        while component < 6 {
            if !self.contains(component) {
                others = others.followed_by(component);
            }
            component += 1;
        }
        others
    }

    /// Whether a component, 0 to 5, is one of these.
    pub const fn contains(self, component: usize) -> bool {
        let mut k = 0;
        while k < self.count() {
            if self.order[k] as usize == component {
                return true;
            }
            k += 1;
        }
        false
    }

    /// How many there are.
    pub const fn count(self) -> usize {
        self.count as usize
    }

    /// The components, in their order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..self.count()).map(move |k| self.order[k] as usize)
    }
}

/// The coordinates in which the six unknowns of an external force are written.
///
/// The choice changes the pattern and the numbers of a system, never what follows from it. It
/// matters for sparsity: a known component in the unknown's own basis is one entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum WrenchBasis {
    /// The link frame: the body's own coordinates.
    Link,
    /// A frame of the body, such as that of a sole.
    Frame(FrameId),
    /// The world frame, moments about its origin.
    World,
}

/// Where the value of a known quantity comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum KnownValue {
    /// An input of the system, one for each scalar.
    Input,
    /// It is zero: no input.
    Zero,
}

/// A quantity that is known without error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Known {
    /// q̈ along one degree of freedom of a joint.
    JointAcceleration {
        /// The joint; not a mimic joint, which has no coordinate of its own.
        joint: JointId,
        /// Which of its degrees of freedom.
        degree: usize,
    },
    /// τ along one degree of freedom of a joint.
    JointForce {
        /// The joint; not a mimic joint.
        joint: JointId,
        /// Which of its degrees of freedom.
        degree: usize,
    },
    /// Components of the external force on a body.
    ExternalForce {
        /// The joint that moves the body.
        joint: JointId,
        /// The frame in whose axes the components are, moments about its origin; the joint's output
        /// frame if there is none.
        frame: Option<FrameId>,
        /// Which components.
        components: Components,
    },
}

/// A robot with what is known of its accelerations and forces.
///
/// ```
/// use featherline::samples;
/// use featherline_system::{KnownValue, Problem, System};
///
/// // Forward dynamics: joint forces are given, no external force acts.
/// let problem = Problem::new(samples::double_pendulum())
///     .joint_forces(KnownValue::Input)
///     .external_forces(KnownValue::Zero);
/// let system = System::new(problem)?;
/// assert_eq!(system.sparsity().rows(), system.sparsity().columns());
/// # Ok::<(), featherline_system::SystemError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Problem {
    pub(crate) model: Model,
    pub(crate) passive: bool,
    pub(crate) loops_cut: bool,
    pub(crate) knowns: Vec<(Known, KnownValue)>,
    /// Words that stand for several knowns.
    pub(crate) words: Vec<(String, Range<usize>)>,
    pub(crate) sensors: Vec<Sensor>,
    /// Bodies whose external force is not to be known.
    pub(crate) unknown_forces: Vec<JointId>,
    /// None lets the knowns and sensors choose.
    pub(crate) basis: Vec<Option<WrenchBasis>>,
}

impl Problem {
    /// A robot of which nothing is known.
    pub fn new(model: Model) -> Self {
        Self {
            basis: vec![None; model.joints().len()],
            model,
            passive: false,
            loops_cut: false,
            knowns: Vec::new(),
            words: Vec::new(),
            sensors: Vec::new(),
            unknown_forces: Vec::new(),
        }
    }

    /// Inverse dynamics: every q̈ is an input, and there are no external forces. What
    /// [`Model::rnea`] answers.
    pub fn inverse_dynamics(model: Model) -> Self {
        Self::new(model)
            .joint_accelerations(KnownValue::Input)
            .external_forces(KnownValue::Zero)
    }

    /// Forward dynamics: every τ is an input, and there are no external forces. What [`Model::aba`]
    /// answers.
    pub fn forward_dynamics(model: Model) -> Self {
        Self::new(model)
            .joint_forces(KnownValue::Input)
            .external_forces(KnownValue::Zero)
    }

    /// The robot.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The known quantities, in the order in which they were named.
    pub fn knowns(&self) -> &[(Known, KnownValue)] {
        &self.knowns
    }

    /// A hash (XXH3, 128 bits) of the robot, of all that is known and measured, and of how that is
    /// written: the same in every process and on every platform.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::Problem;
    ///
    /// let inverse = Problem::inverse_dynamics(samples::double_pendulum());
    /// let forward = Problem::forward_dynamics(samples::double_pendulum());
    /// assert_eq!(inverse.content_hash(), inverse.clone().content_hash());
    /// assert_ne!(inverse.content_hash(), forward.content_hash());
    /// ```
    pub fn content_hash(&self) -> u128 {
        let content = (
            self.model.content_hash(),
            self.passive,
            &self.knowns,
            &self.sensors,
            &self.basis,
        );
        // Writing plain data of known lengths to memory can't fail.
        let mut bytes = postcard::to_stdvec(&content).expect("a problem is plain data");
        let has_loops = !self.loops_cut && !self.model.loop_joints().is_empty();
        bytes.extend(has_loops.then_some(1));
        XxHash3_128::oneshot(&bytes)
    }

    /// Lets damping, dry friction and springs act, as [`Model::inverse_dynamics`] and
    /// [`Model::forward_dynamics`] do: τ is then what actuators give. Without this it is what
    /// [`Model::rnea`] gives.
    pub fn with_passive_forces(mut self) -> Self {
        self.passive = true;
        self
    }

    /// Cuts the robot's loops: what is left is its spanning tree, whose bodies move as if no loop
    /// joint held them together.
    ///
    /// Forces of loop joints may then be said to be external forces, known or not, on the bodies
    /// that they join; that these move together isn't said by anything. Without this a system has
    /// the forces and accelerations of loop joints as unknowns, and equations for them.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::{Problem, System};
    ///
    /// let whole = Problem::forward_dynamics(samples::four_bar());
    /// let cut = System::new(whole.clone().with_loops_cut())?;
    /// // The hinge that closes the loop has a force of six components, and one acceleration.
    /// assert_eq!(System::new(whole)?.unknowns().count(), cut.unknowns().count() + 6 + 1);
    /// # Ok::<(), featherline_system::SystemError>(())
    /// ```
    pub fn with_loops_cut(mut self) -> Self {
        self.loops_cut = true;
        self
    }

    /// Makes every q̈ known, in the order of v.
    pub fn joint_accelerations(mut self, given: KnownValue) -> Self {
        for (joint, degree) in owned_degrees(&self.model) {
            let known = Known::JointAcceleration { joint, degree };
            self.knowns.push((known, given));
        }
        self
    }

    /// Makes every τ known, in the order of v.
    pub fn joint_forces(mut self, given: KnownValue) -> Self {
        for (joint, degree) in owned_degrees(&self.model) {
            let known = Known::JointForce { joint, degree };
            self.knowns.push((known, given));
        }
        self
    }

    /// Makes the external forces on all bodies known that have no known component yet and are not
    /// [left unknown](Self::leave_unknown), six components each, in the joints' output frames.
    pub fn external_forces(self, given: KnownValue) -> Self {
        self.external_forces_except(&[], given)
    }

    /// [`external_forces`](Self::external_forces) on all but some bodies: those in contact.
    pub fn external_forces_except(mut self, unknown: &[JointId], given: KnownValue) -> Self {
        for joint in self.model.joint_ids() {
            let mentioned = self.knowns.iter().any(
                |(known, _)| matches!(known, Known::ExternalForce { joint: other, .. } if *other == joint),
            );
            let is_unknown = unknown.contains(&joint) || self.unknown_forces.contains(&joint);
            if !mentioned && !is_unknown {
                let known = Known::ExternalForce {
                    joint,
                    frame: None,
                    components: Components::ALL,
                };
                self.knowns.push((known, given));
            }
        }
        self
    }

    /// Leaves the external force on a body unknown when those on all other bodies become known: an
    /// unknown contact, or a push.
    ///
    /// # Errors
    /// [`SystemError`] if the model has no such joint.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::{KnownValue, Problem, System};
    ///
    /// let model = samples::double_pendulum();
    /// let lower = model.joint_id("elbow")?;
    /// let mut problem = Problem::new(model).joint_accelerations(KnownValue::Input);
    /// problem.leave_unknown(lower)?;
    /// let system = System::new(problem.external_forces(KnownValue::Zero))?;
    /// // The wrench has six components, of which no row says anything.
    /// assert_eq!(system.sparsity().columns(), system.sparsity().rows() + 6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn leave_unknown(&mut self, joint: JointId) -> Result<(), SystemError> {
        check_body(&self.model, joint)?;
        if !self.unknown_forces.contains(&joint) {
            self.unknown_forces.push(joint);
        }
        Ok(())
    }

    /// Adds one known quantity.
    ///
    /// # Errors
    /// [`SystemError`] if the model has no such joint, degree of freedom or frame, the joint is a
    /// mimic joint, or the frame belongs to another body.
    pub fn know(&mut self, known: Known, given: KnownValue) -> Result<KnownId, SystemError> {
        match known {
            Known::JointAcceleration { joint, degree } | Known::JointForce { joint, degree } => {
                check_degree(&self.model, joint, degree)?;
            }
            Known::ExternalForce { joint, frame, .. } => {
                check_body(&self.model, joint)?;
                if let Some(frame) = frame {
                    check_frame_of(&self.model, joint, frame)?;
                }
            }
        }
        self.knowns.push((known, given));
        Ok(KnownId(self.knowns.len() - 1))
    }

    /// Chooses the coordinates of the external force on a body. Without a choice it is written in
    /// the frame in which components of it are known or measured, otherwise in the link frame.
    ///
    /// # Errors
    /// [`SystemError`] if the model has no such joint or frame, or the frame belongs to another
    /// body.
    pub fn choose_basis(&mut self, joint: JointId, basis: WrenchBasis) -> Result<(), SystemError> {
        check_body(&self.model, joint)?;
        if let WrenchBasis::Frame(frame) = basis {
            check_frame_of(&self.model, joint, frame)?;
        }
        self.basis[joint.index()] = Some(basis);
        Ok(())
    }
}

/// Every degree of freedom, in the order of v.
fn owned_degrees(model: &Model) -> Vec<(JointId, usize)> {
    let mut degrees: Vec<_> = model
        .joint_ids()
        .flat_map(|id| (0..model.joint(id).nv).map(move |degree| (id, degree)))
        .collect();
    degrees.sort_by_key(|&(id, degree)| model.joint(id).idx_v + degree);
    degrees
}

/// Fails unless there is such a joint, and it is not the universe.
pub(crate) fn check_body(model: &Model, joint: JointId) -> Result<(), SystemError> {
    if joint == JointId::UNIVERSE {
        return Err(SystemError::Universe);
    }
    let (index, count) = (joint.index(), model.joints().len());
    if index < count {
        Ok(())
    } else {
        Err(SystemError::NoSuchJoint { index, count })
    }
}

/// Fails unless there is such a loop joint.
pub(crate) fn check_loop(model: &Model, joint: LoopId) -> Result<(), SystemError> {
    let (index, count) = (joint.index(), model.loop_joints().len());
    if index < count {
        Ok(())
    } else {
        Err(SystemError::NoSuchLoop { index, count })
    }
}

/// Fails unless the joint has such a degree of freedom of its own.
pub(crate) fn check_degree(
    model: &Model,
    joint: JointId,
    degree: usize,
) -> Result<(), SystemError> {
    check_body(model, joint)?;
    let joint = model.joint(joint);
    if let Some(mimic) = &joint.mimic {
        return Err(SystemError::MimicJoint {
            joint: joint.name.clone(),
            mimicked: model.joint(mimic.source).name.clone(),
        });
    }
    check_part(&joint.name, degree, joint.nv)
}

/// Fails unless a joint has so many degrees of freedom or components.
pub(crate) fn check_part(joint: &str, degree: usize, count: usize) -> Result<(), SystemError> {
    if degree < count {
        return Ok(());
    }
    Err(SystemError::NoSuchDegree {
        joint: joint.to_owned(),
        degree,
        count,
    })
}

/// Fails unless there is such a frame.
pub(crate) fn check_frame(model: &Model, frame: FrameId) -> Result<(), SystemError> {
    let (index, count) = (frame.index(), model.frames().len());
    if index < count {
        Ok(())
    } else {
        Err(SystemError::NoSuchFrame { index, count })
    }
}

fn check_frame_of(model: &Model, joint: JointId, frame: FrameId) -> Result<(), SystemError> {
    check_frame(model, frame)?;
    let frame = model.frame(frame);
    if frame.joint != joint {
        return Err(SystemError::FrameElsewhere {
            frame: frame.name.clone(),
            found: model.joint(frame.joint).name.clone(),
            expected: model.joint(joint).name.clone(),
        });
    }
    Ok(())
}
