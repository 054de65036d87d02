//! Errors of the entry points.

mod sensor_file;

pub use sensor_file::{SensorFileError, SensorFileFault};

use featherline_constraint::LoopError;
use thiserror::Error;

/// Why a system could not be made or assembled.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SystemError {
    /// The universe has no unknowns.
    #[error("the universe neither accelerates nor bears a force; name a joint that moves a body")]
    Universe,
    /// The id belongs to another model.
    #[error("there is no joint {index} in the model, which has {count}")]
    NoSuchJoint {
        /// The id's index.
        index: usize,
        /// How many joints there are, the universe included.
        count: usize,
    },
    /// The id belongs to another model.
    #[error("there is no frame {index} in the model, which has {count}")]
    NoSuchFrame {
        /// The id's index.
        index: usize,
        /// How many frames there are.
        count: usize,
    },
    /// A force is read where a body is fixed to the world.
    #[error(
        "sensor `{sensor}` is at `{frame}`, which is fixed to the world, and forces on the world are no unknowns; name a frame of \
         a body that moves: what the robot leans on the world with is what its first joint transmits"
    )]
    FixedFrame {
        /// The frame's name.
        frame: String,
        /// The sensor's name.
        sensor: String,
    },
    /// A joint has fewer degrees of freedom.
    #[error("joint `{joint}` has no degree of freedom {degree}; it has {count}")]
    NoSuchDegree {
        /// The joint's name.
        joint: String,
        /// The degree of freedom that was asked for.
        degree: usize,
        /// How many it has.
        count: usize,
    },
    /// A mimic joint has no coordinate of its own.
    #[error(
        "joint `{joint}` is a mimic joint of `{mimicked}` and has no coordinate of its own. Name `{mimicked}`"
    )]
    MimicJoint {
        /// The mimic joint's name.
        joint: String,
        /// The joint that it mimics.
        mimicked: String,
    },
    /// The frame belongs to another body.
    #[error("frame `{frame}` is carried by joint `{found}`, not by `{expected}`")]
    FrameElsewhere {
        /// The frame's name.
        frame: String,
        /// The joint that carries it.
        found: String,
        /// The joint that should.
        expected: String,
    },
    /// Two sensors of one name.
    #[error("there are two sensors named `{name}`; give one another name")]
    DuplicateSensor {
        /// The name.
        name: String,
    },
    /// A force sensor sits in a fixed joint that is part of a body.
    #[error(
        "sensor `{sensor}` sits in the fixed joint `{joint}`, whose links are one body of the model, so that the force through \
         it is not among the unknowns; keep the joint when the robot is read (`keep_fixed_joint`; on the command line `--keep-fixed-joint {joint}`), or name the frame of a \
         link to measure what `{carrier}` transmits"
    )]
    LumpedJoint {
        /// The sensor's name.
        sensor: String,
        /// The fixed joint.
        joint: String,
        /// The joint that moves the body.
        carrier: String,
    },
    /// A loop is closed by a joint whose configuration does not follow from the poses of its bodies
    /// by a formula.
    #[error(
        "loop joint `{joint}` is a composite of several joints, whose configuration has to be sought step by step, and equations don't \
         search: close the loop by one of its parts, with massless bodies on the others; `featherline_constraint::loop_dynamics` and `featherline_sim::maximal` solve \
         with any joint, and `Problem::with_loops_cut` takes the spanning tree alone"
    )]
    LoopKind {
        /// The joint's name.
        joint: String,
    },
    /// Something is measured, assumed or requested of a loop that is cut.
    #[error(
        "`{name}` is of `{joint}`, which closes a loop, and loops are cut: leave the one or the other"
    )]
    LoopIsCut {
        /// The sensor's name, or the word for what is requested.
        name: String,
        /// The loop joint.
        joint: String,
    },
    /// The id belongs to another model.
    #[error("there is no loop joint {index} in the model, which has {count}")]
    NoSuchLoop {
        /// The id's index.
        index: usize,
        /// How many loop joints there are.
        count: usize,
    },
    /// A state does not fit the robot's loops.
    #[error(
        "the loops are not closed: the frames of loop joint `{joint}` are {position:.3e} (m, rad) from where it lets them be, and loops \
         open at up to {velocity:.3e} (m/s, rad/s); `featherline_constraint::assemble` and `project_velocity` put a state right"
    )]
    OpenLoops {
        /// The loop joint whose frames are farthest apart.
        joint: String,
        /// How far, in m and rad.
        position: f64,
        /// The largest velocity that a loop joint should not allow, in m/s and rad/s.
        velocity: f64,
    },
    /// A computation with loops has no result.
    #[error(transparent)]
    Loops(#[from] LoopError),
    /// Two words of `known` or `unknown` concern the same quantity.
    #[error("{}", said_twice(first, second))]
    KnownTwice {
        /// One word.
        first: String,
        /// The other one, or the same once more.
        second: String,
    },
    /// A sensor's numbers make no sense.
    #[error("sensor `{sensor}` has {what}")]
    SensorNumber {
        /// The sensor's name.
        sensor: String,
        /// The key of the sensor with the invalid number, as files write it: `sigma`, `covariance`,
        /// `terms`, `positions` or `components`.
        key: &'static str,
        /// The fault of the number.
        what: &'static str,
    },
    /// A prior's numbers make no sense.
    #[error("the prior of `{prior}` has {what}")]
    PriorNumber {
        /// The quantity of the prior, as a word of [`Requested`](crate::Requested).
        prior: String,
        /// The key of the prior with the invalid number, as files write it: `mean`, `sigma` or
        /// `covariance`.
        key: &'static str,
        /// The fault of the number.
        what: &'static str,
    },
    /// Two priors of the same quantity.
    #[error(
        "there are priors of `{first}` and of `{second}`, which have an unknown in common; keep one of them"
    )]
    PriorTwice {
        /// One.
        first: String,
        /// The other one, or the same once more.
        second: String,
    },
    /// A robot without mass has no centre of mass.
    #[error("sensor `{sensor}` reads a momentum, but the robot has no mass")]
    NoMass {
        /// The sensor's name.
        sensor: String,
    },
    /// An argument has the wrong length.
    #[error("{what} has {found} entries where the system needs {expected}")]
    Size {
        /// Which argument.
        what: &'static str,
        /// The length that the system needs.
        expected: usize,
        /// The length that was passed.
        found: usize,
    },
    /// An input is infinite or not a number.
    #[error("{what}[{index}] is not a finite number")]
    NotFinite {
        /// Which argument.
        what: &'static str,
        /// Which entry of it.
        index: usize,
    },
    /// A result overflowed although all inputs are finite.
    #[error(
        "{what} is not finite: `{input}`[{entry}] = {value:e} is too large for double precision; correct it, or leave the \
         state out"
    )]
    Overflow {
        /// Which result.
        what: &'static str,
        /// Where the number of the state stands that is [behind
        /// it](featherline::kernel::overflow_source): `q`, `v`, or the name of an
        /// [input group](crate::InputGroup).
        input: String,
        /// Which entry of it, from 0.
        entry: usize,
        /// The number.
        value: f64,
    },
    /// The pattern could not be made.
    #[error(transparent)]
    Pattern(#[from] featherline_sparse::SparsityError),
    /// A program could not be run, or has no finite result.
    #[error(transparent)]
    Program(#[from] featherline_compile::ProgramError),
    /// The kinematics of the state could not be computed.
    #[error(transparent)]
    Dynamics(#[from] featherline::Error),
}

impl SystemError {
    /// Whether numbers were too large for a result.
    pub fn is_overflow(&self) -> bool {
        matches!(
            self,
            Self::Overflow { .. }
                | Self::Dynamics(featherline::Error::Overflow { .. })
                | Self::Loops(LoopError::Tree(featherline::Error::Overflow { .. }))
        )
    }
}

/// That two words, or one twice, say something of the same quantity.
fn said_twice(first: &str, second: &str) -> String {
    if first == second {
        return format!("`{first}` is given twice. Give it once");
    }
    format!("`{first}` and `{second}` concern the same quantity. Keep one of them")
}
