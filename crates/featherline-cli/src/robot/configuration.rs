//! Configurations that an option names or lists.

use super::Robot;
use crate::failure::Failure;
use crate::suggestion::did_you_mean;
use featherline::Model;

/// The name of the configuration to begin with: the one that was asked for, or the robot's.
pub fn named<'a>(
    configuration: Option<&'a str>,
    robot: &'a Robot,
) -> Result<Option<&'a str>, Failure> {
    let Some(name) = configuration else {
        return Ok(robot.start().map(|it| it.name.as_str()));
    };
    let known = robot.model.reference_configurations();
    if known.contains_key(name) {
        return Ok(Some(name));
    }
    let names = known.keys().map(String::as_str);
    Err(Failure::State(match known.is_empty() {
        true => format!(
            "--configuration: `{}` has no named configurations; state it by --q",
            robot.model.name()
        ),
        false => format!(
            "--configuration: `{}` has no configuration `{name}`{}; it has {}",
            robot.model.name(),
            did_you_mean(name, names),
            known
                .keys()
                .map(|it| format!("`{it}`"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }))
}

/// The numbers that were given, if they are as many as are needed.
pub fn sized(
    option: &str,
    given: &Option<Vec<f64>>,
    missing: impl FnOnce() -> Vec<f64>,
    model: &Model,
    size: &str,
) -> Result<Vec<f64>, Failure> {
    let missing = missing();
    let Some(values) = given else {
        return Ok(missing);
    };
    if let Some(k) = values.iter().position(|x| !x.is_finite()) {
        return Err(Failure::State(format!(
            "{option}: entry {} is not a finite number",
            k + 1
        )));
    }
    if values.len() == missing.len() {
        return Ok(values.clone());
    }
    Err(Failure::State(format!(
        "{option} has {} entries where {} needs {} ({size}); `featherline info` lists which belongs to which joint",
        values.len(),
        model.name(),
        missing.len()
    )))
}
