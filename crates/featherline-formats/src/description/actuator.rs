//! Actuators: what drives a robot.

use super::{Setting, Source};

/// An actuator: a drive of joints, of a tendon or of a frame.
///
/// [`kind`](Self::kind) and [`settings`](Self::settings) are those of the file; where its force is
/// linear in length and speed, [`law`](Self::law) has it in numbers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Actuator {
    /// Its name.
    pub name: String,
    /// The kind in the file's format, such as `motor` or `position`.
    pub kind: String,
    /// The part that it drives.
    pub transmission: Transmission,
    /// Factors from its force to the forces of what it drives: the first for one degree of freedom,
    /// linear before angular for six.
    pub gear: [f64; 6],
    /// The least and the greatest control, if it is bounded.
    pub control_range: Option<[f64; 2]>,
    /// The least and the greatest force, if it is bounded, in N or N·m.
    pub force_range: Option<[f64; 2]>,
    /// Its force, where it has this form.
    pub law: Option<ForceLaw>,
    /// The least and the greatest activation, if it is bounded.
    pub activation_range: Option<[f64; 2]>,
    /// Whether it does nothing, as those of the groups in `actuatorgroupdisable` of MJCF.
    pub is_disabled: bool,
    /// Everything else that the file states of it, in its words.
    pub settings: Vec<Setting>,
    /// Where its element is.
    pub source: Source,
}

/// The force of an actuator: f = (gain + gain₁ l + gain₂ l̇) w + bias₀ + bias₁ l + bias₂ l̇.
///
/// The length l and the speed l̇ are those of what it drives, times the gear; the
/// [activation](Activation) w follows the control.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ForceLaw {
    /// The force of a unit of activation.
    pub gain: f64,
    /// The same by length and by speed.
    pub gain_slopes: [f64; 2],
    /// Constant, by length and by speed.
    pub bias: [f64; 3],
    /// The part ζ of critical damping: adds −2 ζ √(k m) to bias₂, with k = −bias₁ and the inertia m
    /// that the actuator feels in the reference configuration. Zero for none.
    pub damping_ratio: f64,
    /// The range that controls are kept in.
    pub controls: Option<[f64; 2]>,
    /// How the activation follows the control.
    pub activation: Activation,
}

/// How the activation w of an actuator follows its control u.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Activation {
    /// w = u
    #[default]
    Direct,
    /// w' = (u − w)/T
    Filter {
        /// T > 0, in s.
        time_constant: f64,
    },
    /// w' = u
    Integrator,
}

impl ForceLaw {
    /// The law of a gain and a bias, without a damping ratio and a range.
    pub fn new(gain: f64, bias: [f64; 3]) -> Self {
        Self {
            gain,
            bias,
            ..Self::default()
        }
    }

    /// The control in its range.
    pub fn bounded(&self, control: f64) -> f64 {
        let [least, greatest] = self.controls.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        control.max(least).min(greatest)
    }

    /// The force at no length and no speed: gain w + bias₀.
    pub fn constant(&self, activation: f64) -> f64 {
        self.gain.mul_add(activation, self.bias[0])
    }
}

/// The part that an actuator drives, by indices in the description.
#[derive(Clone, Copy, Debug, PartialEq)]
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
            law: None,
            activation_range: None,
            is_disabled: false,
            settings: Vec::new(),
            source: Source::default(),
        }
    }
}
