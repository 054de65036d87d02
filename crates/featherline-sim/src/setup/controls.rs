//! The controls of a file's actuators, as callers say them.

use super::{SetupError, SetupField};
use featherline_formats::Robot;

/// The controls that the actuators of a file begin with.
///
/// ```
/// use featherline_sim::setup::{Controls, Setup};
///
/// // A motor of 2 N·m on a joint of 0.1 kg·m².
/// let robot = featherline_formats::load_str(
///     "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j'/>
///      <inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/></body></worldbody>
///      <actuator><motor name='push' joint='j'/></actuator></mujoco>",
/// )?;
/// let controls = Controls::Named(vec![("push".to_owned(), 2.0)]);
/// let setup = Setup { controls: Some(controls), ..Setup::default() };
/// let mut simulation = setup.simulation(&robot)?;
/// simulation.run(0.5, 0.1, &mut ())?;
/// assert!((simulation.velocity()[0] - 10.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Controls {
    /// Those of all actuators, in the order of the file.
    All(Vec<f64>),
    /// Those of some actuators, by their names. Others have that of the configuration.
    Named(Vec<(String, f64)>),
}

impl Controls {
    /// The controls of all actuators of a robot that begins in a configuration. Cost: the product
    /// of the numbers of names and of actuators.
    ///
    /// # Errors
    /// [`SetupError::ControlCount`] for another number of them, [`SetupError::UnknownActuator`] for
    /// a name that there is not, [`SetupError::BadNumber`] for one that is not finite.
    pub fn of(&self, robot: &Robot, configuration: Option<&str>) -> Result<Vec<f64>, SetupError> {
        let actuators = &robot.description.actuators;
        let names = || actuators.iter().map(|it| it.name.clone()).collect();
        let controls = match self {
            Self::All(all) if all.len() == actuators.len() => all.clone(),
            Self::All(all) => {
                return Err(SetupError::ControlCount {
                    found: all.len(),
                    actuators: names(),
                });
            }
            Self::Named(named) => {
                let mut all = robot.controls(configuration);
                for (name, control) in named {
                    let index = actuators.iter().position(|it| it.name == *name);
                    let unknown = || SetupError::UnknownActuator {
                        robot: robot.model.name().to_owned(),
                        name: name.clone(),
                        known: names(),
                    };
                    all[index.ok_or_else(unknown)?] = *control;
                }
                all
            }
        };
        match controls.iter().find(|it| !it.is_finite()) {
            None => Ok(controls),
            Some(&value) => Err(SetupError::BadNumber {
                what: SetupField::Controls,
                value,
                need: "finite numbers are expected",
            }),
        }
    }
}
