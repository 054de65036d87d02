//! Actuators: what drives a robot.

use super::{Setting, Source};

/// What drives joints, a tendon or a frame.
///
/// Its force law is named, not modelled: [`kind`](Self::kind) and [`settings`](Self::settings) are
/// those of the file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Actuator {
    /// Its name.
    pub name: String,
    /// The kind in the file's format, such as `motor` or `position`.
    pub kind: String,
    /// What it drives.
    pub transmission: Transmission,
    /// Factors from its force to the forces of what it drives: the first for one degree of freedom,
    /// linear before angular for six.
    pub gear: [f64; 6],
    /// The least and the greatest control, if it is bounded.
    pub control_range: Option<[f64; 2]>,
    /// The least and the greatest force, if it is bounded, in N or N·m.
    pub force_range: Option<[f64; 2]>,
    /// Everything else that the file states of it, in its words.
    pub settings: Vec<Setting>,
    /// Where its element is.
    pub source: Source,
}

/// What an actuator drives, by indices in the description.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Transmission {
    /// A joint.
    Joint(usize),
    /// A joint, its force given in the parent's frame.
    JointInParent(usize),
    /// A tendon.
    Tendon(usize),
    /// A frame.
    Frame {
        /// The frame.
        frame: usize,
        /// The frame that displacements are measured from; none for the world.
        reference: Option<usize>,
    },
    /// A slider that drives a crank.
    SliderCrank {
        /// The frame of the crank's pin.
        crank: usize,
        /// The frame of the slider, which moves along z.
        slider: usize,
        /// The length of the connecting rod, in m.
        length: f64,
    },
    /// A link: the normal forces of its contacts.
    Link(usize),
}

impl Actuator {
    /// An actuator of a kind, with a gear of one and without bounds.
    pub fn new(
        name: impl Into<String>,
        kind: impl Into<String>,
        transmission: Transmission,
    ) -> Self {
        Self {
            name: name.into(),
            kind: kind.into(),
            transmission,
            gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            control_range: None,
            force_range: None,
            settings: Vec::new(),
            source: Source::default(),
        }
    }
}
