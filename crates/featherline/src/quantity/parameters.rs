//! The parameters of quantities, beside their inputs.

use crate::error::Error;
use crate::kinematics::{ReferenceFrame, Target};
use crate::model::JointId;

/// A parameter of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Parameter {
    /// The frame that is asked about: one of the model's frames, or that of a joint.
    Frame,
    /// The joint that is asked about.
    Joint,
    /// At which point and along which axes the components are.
    Reference,
}

impl Parameter {
    /// Its name: `frame`, `joint` or `reference`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Frame => "frame",
            Self::Joint => "joint",
            Self::Reference => "reference",
        }
    }
}

/// The values of all parameters that a quantity may have. Those that it has not are not looked at.
///
/// ```
/// use featherline::quantity::{self, Parameters};
/// use featherline::{Workspace, samples};
///
/// let model = samples::double_pendulum();
/// let parameters = Parameters::of_frame(model.frame_id("lower_rod")?);
/// let velocity = quantity::find("velocity").expect("it is in the catalogue");
///
/// let (mut ws, mut out) = (Workspace::new(&model), [0.0; 6]);
/// let velocity = (velocity.with)(&parameters)?;
/// velocity.run(&model, &mut ws, &[&[0.3, 0.2], &[1.0, 0.5]], &mut [&mut out])?;
/// assert_eq!(out[5].abs().max(out[4].abs()), 1.5); // both hinges turn about parallel axes
/// # Ok::<(), featherline::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Parameters {
    /// The frame, or the joint.
    pub target: Option<Target>,
    /// The reference frame of the components; the frame's own without another word.
    pub reference: ReferenceFrame,
}

impl Parameters {
    /// No frame.
    pub const NONE: Self = Self {
        target: None,
        reference: ReferenceFrame::Local,
    };

    /// A frame or joint, in its own coordinates.
    pub fn of_frame(target: impl Into<Target>) -> Self {
        let target = Some(target.into());
        Self {
            target,
            ..Self::NONE
        }
    }

    /// The same in other coordinates.
    pub fn in_reference(self, reference: ReferenceFrame) -> Self {
        Self { reference, ..self }
    }
}

/// The type of a parameter's value.
pub trait Value: Sized {
    /// Which parameter it is.
    const PARAMETER: Parameter;

    /// Its value for the quantity of a name.
    fn of(parameters: &Parameters, quantity: &'static str) -> Result<Self, Error>;
}

/// That a quantity was asked for without what it is about.
#[cold]
fn missing(quantity: &'static str, parameter: Parameter) -> Error {
    let parameter = parameter.name();
    Error::NoParameter {
        quantity,
        parameter,
    }
}

impl Value for Target {
    const PARAMETER: Parameter = Parameter::Frame;

    fn of(parameters: &Parameters, quantity: &'static str) -> Result<Self, Error> {
        let target = parameters.target;
        target.ok_or_else(|| missing(quantity, Self::PARAMETER))
    }
}

impl Value for JointId {
    const PARAMETER: Parameter = Parameter::Joint;

    fn of(parameters: &Parameters, quantity: &'static str) -> Result<Self, Error> {
        match parameters.target {
            Some(Target::Joint(joint)) => Ok(joint),
            _ => Err(missing(quantity, Self::PARAMETER)),
        }
    }
}

impl Value for ReferenceFrame {
    const PARAMETER: Parameter = Parameter::Reference;

    fn of(parameters: &Parameters, _: &'static str) -> Result<Self, Error> {
        Ok(parameters.reference)
    }
}
