//! The unknowns of the system: accelerations and forces of every body and joint.

use crate::names::{NO_LOOP, coordinate_name};
use featherline::Model;
use featherline::model::{JointId, LoopId};
use serde::Serialize;
use std::ops::Range;

/// One scalar unknown.
///
/// Six-vectors are \[linear; angular\], so that component 0 is along x, and 3 about x.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Unknown {
    /// A component of a body's spatial acceleration a in its link frame, gravity taken off: a robot
    /// at rest accelerates upwards.
    Acceleration {
        /// The joint that moves the body.
        joint: JointId,
        /// 0 to 5.
        component: usize,
    },
    /// A component of the force f that the parent transmits to a body, in its link frame.
    Force {
        /// The joint that transmits the force.
        joint: JointId,
        /// 0 to 5.
        component: usize,
    },
    /// A component of the external force fˣ on a body, in the [basis](crate::WrenchBasis) chosen
    /// for it.
    ExternalForce {
        /// The joint that moves the body.
        joint: JointId,
        /// 0 to 5.
        component: usize,
    },
    /// The force τ along a coordinate, in N·m or N.
    JointForce {
        /// The coordinate's position in v.
        coordinate: usize,
    },
    /// The acceleration q̈ of a coordinate, in rad/s² or m/s².
    JointAcceleration {
        /// The coordinate's position in v.
        coordinate: usize,
    },
    /// A component of the force that a loop joint passes on from its predecessor to its successor,
    /// in its output frame.
    LoopForce {
        /// The joint that closes the loop.
        joint: LoopId,
        /// 0 to 5.
        component: usize,
    },
    /// The acceleration along a degree of freedom of a loop joint, in rad/s² or m/s².
    LoopAcceleration {
        /// The joint that closes the loop.
        joint: LoopId,
        /// Which of its degrees of freedom.
        degree: usize,
    },
}

/// Which column of the system belongs to which unknown.
///
/// For n bodies and nv coordinates: a₁ … aₙ, f₁ … fₙ, f₁ˣ … fₙˣ, six columns each; then τ, then q̈,
/// nv columns each; then the forces of loop joints, six columns each, and their accelerations, as
/// many columns as they have degrees of freedom.
///
/// ```
/// use featherline::samples;
/// use featherline_system::{Unknown, Unknowns};
///
/// let model = samples::double_pendulum();
/// let unknowns = Unknowns::new(&model);
/// assert_eq!(unknowns.count(), 2 * 18 + 2 * 2);
/// let lower = model.joint_id("elbow")?;
/// let column = unknowns.force(lower).start + 5;
/// assert_eq!(unknowns.at(column), Some(Unknown::Force { joint: lower, component: 5 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknowns {
    joints: Vec<JointId>,
    nv: usize,
    loops: Vec<LoopId>,
    /// How many degrees of freedom the loop joints before each one have, and, last, all.
    pub(crate) freedoms: Vec<usize>,
}

impl Unknowns {
    /// The unknowns of a model, its loops closed.
    pub fn new(model: &Model) -> Self {
        let mut unknowns = Self::of_tree(model);
        for id in model.loop_ids() {
            let before = unknowns.freedoms[id.index()];
            unknowns
                .freedoms
                .push(before + model.loop_joint(id).kind.nv());
            unknowns.loops.push(id);
        }
        unknowns
    }

    /// Those of its spanning tree alone.
    pub(crate) fn of_tree(model: &Model) -> Self {
        Self {
            joints: model.joint_ids().collect(),
            nv: model.nv(),
            loops: Vec::new(),
            freedoms: vec![0],
        }
    }

    /// How many there are: 18 for each body, 2 for each coordinate, and for each loop joint 6 and
    /// its degrees of freedom.
    pub fn count(&self) -> usize {
        self.loop_accelerations_start() + self.freedoms[self.loops.len()]
    }

    /// The joints that close loops: none where loops are cut.
    pub fn loops(&self) -> &[LoopId] {
        &self.loops
    }

    fn six(&self, block: usize, joint: JointId) -> Range<usize> {
        let start = 6 * (block * self.joints.len() + joint.index() - 1);
        start..start + 6
    }

    /// The columns of a body's acceleration.
    ///
    /// # Panics
    /// For the universe, which does not accelerate.
    pub fn acceleration(&self, joint: JointId) -> Range<usize> {
        self.six(0, joint)
    }

    /// The columns of the force that a joint transmits.
    ///
    /// # Panics
    /// For the universe.
    pub fn force(&self, joint: JointId) -> Range<usize> {
        self.six(1, joint)
    }

    /// The columns of the external force on a body.
    ///
    /// # Panics
    /// For the universe.
    pub fn external_force(&self, joint: JointId) -> Range<usize> {
        self.six(2, joint)
    }

    /// The columns of τ, in the order of v.
    pub fn joint_forces(&self) -> Range<usize> {
        let start = 18 * self.joints.len();
        start..start + self.nv
    }

    /// The columns of q̈, in the order of v.
    pub fn joint_accelerations(&self) -> Range<usize> {
        let start = 18 * self.joints.len() + self.nv;
        start..start + self.nv
    }

    /// The columns of the force in a loop joint.
    ///
    /// # Panics
    /// If the system has no such loop joint, as where loops are cut.
    pub fn loop_force(&self, joint: LoopId) -> Range<usize> {
        assert!(joint.index() < self.loops.len(), "{NO_LOOP}");
        let start = 18 * self.joints.len() + 2 * self.nv + 6 * joint.index();
        start..start + 6
    }

    /// The columns of a loop joint's acceleration, one for each of its degrees of freedom.
    ///
    /// # Panics
    /// If the system has no such loop joint, as where loops are cut.
    pub fn loop_acceleration(&self, joint: LoopId) -> Range<usize> {
        assert!(joint.index() < self.loops.len(), "{NO_LOOP}");
        let start = self.loop_accelerations_start();
        start + self.freedoms[joint.index()]..start + self.freedoms[joint.index() + 1]
    }

    fn loop_accelerations_start(&self) -> usize {
        18 * self.joints.len() + 2 * self.nv + 6 * self.loops.len()
    }

    /// The column of an unknown.
    ///
    /// # Panics
    /// For the universe, and for a loop joint that the system does not have.
    pub fn column(&self, unknown: Unknown) -> usize {
        match unknown {
            Unknown::Acceleration { joint, component } => {
                self.acceleration(joint).start + component
            }
            Unknown::Force { joint, component } => self.force(joint).start + component,
            Unknown::ExternalForce { joint, component } => {
                self.external_force(joint).start + component
            }
            Unknown::JointForce { coordinate } => self.joint_forces().start + coordinate,
            Unknown::JointAcceleration { coordinate } => {
                self.joint_accelerations().start + coordinate
            }
            Unknown::LoopForce { joint, component } => self.loop_force(joint).start + component,
            Unknown::LoopAcceleration { joint, degree } => {
                self.loop_acceleration(joint).start + degree
            }
        }
    }

    /// The unknown of a column; none behind the last one.
    pub fn at(&self, column: usize) -> Option<Unknown> {
        let bodies = self.joints.len();
        let (block, within) = (column / (6 * bodies).max(1), column % (6 * bodies).max(1));
        let (joint, component) = (self.joints.get(within / 6).copied(), within % 6);
        match (block, joint) {
            (0, Some(joint)) => Some(Unknown::Acceleration { joint, component }),
            (1, Some(joint)) => Some(Unknown::Force { joint, component }),
            (2, Some(joint)) => Some(Unknown::ExternalForce { joint, component }),
            _ => {
                let rest = column - 18 * bodies;
                if rest < self.nv {
                    Some(Unknown::JointForce { coordinate: rest })
                } else if rest < 2 * self.nv {
                    let coordinate = rest - self.nv;
                    Some(Unknown::JointAcceleration { coordinate })
                } else {
                    self.at_loop(rest - 2 * self.nv)
                }
            }
        }
    }

    /// The unknown of a column behind those of the tree.
    fn at_loop(&self, column: usize) -> Option<Unknown> {
        if let Some(&joint) = self.loops.get(column / 6) {
            let component = column % 6;
            return Some(Unknown::LoopForce { joint, component });
        }
        let degree = column - 6 * self.loops.len();
        let index = self.freedoms.partition_point(|&start| start <= degree) - 1;
        self.loops
            .get(index)
            .map(|&joint| Unknown::LoopAcceleration {
                joint,
                degree: degree - self.freedoms[index],
            })
    }
}

impl Unknown {
    /// The unknown in words, as in `fˣ of left_foot, about z`: of a component, those of whichever
    /// frame it is in. [`System::column_label`](crate::System::column_label) names the frame, too.
    pub fn describe(&self, model: &Model) -> String {
        self.describe_along(model, |axis| ["x", "y", "z"][axis].to_owned())
    }

    /// The same with other words for the axes.
    pub(crate) fn describe_along(&self, model: &Model, axis: impl Fn(usize) -> String) -> String {
        let along = |component: usize| {
            let how = if component < 3 { "along" } else { "about" };
            format!("{how} {}", axis(component % 3))
        };
        let six = |symbol, joint: JointId, component: usize| {
            let name = &model.joint(joint).name;
            format!("{symbol} of {name}, {}", along(component))
        };
        match *self {
            Self::Acceleration { joint, component } => six("a", joint, component),
            Self::Force { joint, component } => six("f", joint, component),
            Self::ExternalForce { joint, component } => six("fˣ", joint, component),
            Self::JointForce { coordinate } => {
                format!("τ of {}", coordinate_name(model, coordinate))
            }
            Self::JointAcceleration { coordinate } => {
                format!("q̈ of {}", coordinate_name(model, coordinate))
            }
            Self::LoopForce { joint, component } => {
                let name = &model.loop_joint(joint).name;
                format!("loop force of {name}, {}", along(component))
            }
            Self::LoopAcceleration { joint, degree } => {
                let joint = model.loop_joint(joint);
                match joint.kind.nv() {
                    1 => format!("loop acceleration of {}", joint.name),
                    _ => format!("loop acceleration of {}[{degree}]", joint.name),
                }
            }
        }
    }
}
