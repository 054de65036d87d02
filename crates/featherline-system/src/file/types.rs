//! The types of sensors by their names, and by those that people try first.

use super::error::Fault;
use crate::error::SensorFileFault;
use crate::problem::SensorKind;
use toml::Spanned;

/// Types, with names that are none and mean them.
const SYNONYMS: [(&str, &str); 11] = [
    (
        "joint-force",
        "joint-torque torque torque-sensor joint-effort effort tau motor-torque motor-current",
    ),
    ("joint-acceleration", "qdd"),
    (
        "external-force",
        "wrench external-wrench contact-force push",
    ),
    (
        "force-torque",
        "ft ft-sensor force-torque-sensor wrist force",
    ),
    ("accelerometer", "accel acceleration linear-acceleration"),
    ("gyroscope", "gyro angular-velocity"),
    ("angular-accelerometer", "angular-acceleration"),
    ("load-cells", "load-cell force-plate foot-pressure"),
    ("tactile-normal", "tactile skin pressure touch"),
    (
        "centroidal-momentum-rate",
        "momentum momentum-rate centroidal-momentum",
    ),
    ("linear", "sum linear-combination differential"),
];

/// Names that are no types, with what to do instead.
const HINTS: [(&str, &str); 2] = [
    (
        "imu inertial inertial-measurement-unit",
        "write two sensors, an `accelerometer` and a `gyroscope`",
    ),
    (
        "encoder joint-encoder joint-position joint-velocity position velocity",
        "positions and velocities are no sensors: samples give them as `q` and `v`",
    ),
];

/// Fails unless there is such a type of sensor.
pub(super) fn check(name: &Spanned<String>) -> Result<(), Fault> {
    match SensorKind::NAMES.contains(&name.get_ref().as_str()) {
        true => Ok(()),
        false => Err(unknown(name)),
    }
}

/// The error of a name that is no type.
pub(super) fn unknown(name: &Spanned<String>) -> Fault {
    let word = name
        .get_ref()
        .trim()
        .to_lowercase()
        .replace(['_', ' '], "-");
    let mut fault = Fault::unknown("type", name, &SensorKind::NAMES);
    if let SensorFileFault::UnknownWord { hint, .. } = &mut fault.cause
        && let Some(meant) = meant(&word)
    {
        *hint = Some(meant);
    }
    fault
}

fn meant(word: &str) -> Option<String> {
    let is_in = |words: &str| words.split(' ').any(|other| other == word);
    let known = SensorKind::NAMES.iter().find(|known| **known == word);
    let synonym = || SYNONYMS.iter().find(|(_, others)| is_in(others));
    let known = known.or_else(|| synonym().map(|(known, _)| known));
    let hint = || HINTS.iter().find(|(words, _)| is_in(words));
    known
        .map(|known| format!("did you mean `{known}`?"))
        .or_else(|| hint().map(|(_, hint)| (*hint).to_owned()))
}
