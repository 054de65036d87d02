//! Where a simulation begins.

use super::SimulateArguments;
use crate::failure::Failure;
use featherline::Model;

/// The state to begin with, and the goal of a controller.
pub struct Start {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    /// Whether the nearest state is meant in which all loops are closed.
    pub assemble: bool,
    pub goal: Vec<f64>,
}

impl Start {
    /// What was asked for. Nothing asked for is the configuration in which the robot was drawn, with every coordinate moving
    /// at 1 rad/s or 1 m/s as far as loops let it.
    pub fn of(arguments: &SimulateArguments, model: &Model) -> Result<Self, Failure> {
        let drawn = model.reference_configurations().get("closed");
        let drawn = || {
            drawn
                .cloned()
                .unwrap_or_else(|| model.neutral_configuration())
        };
        let unasked = arguments.q.is_none() && arguments.v.is_none();
        let speed = if unasked { 1.0 } else { 0.0 };
        let nq = format!("nq = {}", model.nq());
        let nv = format!("nv = {}", model.nv());
        Ok(Self {
            q: sized("--q", &arguments.q, drawn, model, &nq)?,
            v: sized("--v", &arguments.v, || vec![speed; model.nv()], model, &nv)?,
            goal: sized("--goal", &arguments.goal, drawn, model, &nq)?,
            assemble: unasked || arguments.assemble,
        })
    }
}

/// The numbers that were given, if they are as many as are needed.
fn sized(
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
        "{option} has {} entries where {} needs {} ({size}); `featherline info` tells which belongs to which joint",
        values.len(),
        model.name(),
        missing.len()
    )))
}
