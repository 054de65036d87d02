//! A state that options give.

use crate::failure::Failure;
use crate::list::List;
use clap::Args;
use featherline::Model;
use featherline::words::{DidYouMean, closest};

/// Where a robot is, and how it moves.
#[derive(Clone, Debug, Default, Args)]
pub struct StateArguments {
    /// The named configuration, such as a keyframe of MJCF, with its velocity; that of `simulate`
    /// is the start
    #[arg(long, value_name = "NAME", conflicts_with_all = ["q", "v"])]
    pub configuration: Option<String>,

    /// The configuration, nq numbers separated by commas; that of `simulate` is the start
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub q: Option<List>,

    /// The velocity, nv numbers separated by commas; that of `simulate` is at the start
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub v: Option<List>,
}

impl StateArguments {
    /// The named configuration that was asked for, if one was.
    pub fn named(&self, model: &Model) -> Result<Option<&str>, Failure> {
        let name = self.configuration.as_deref();
        name.map(|name| configuration(name, model).map(|_| name))
            .transpose()
    }
}

/// The configuration of a name.
pub fn configuration<'a>(name: &str, model: &'a Model) -> Result<&'a [f64], Failure> {
    let known = model.reference_configurations();
    if let Some(q) = known.get(name) {
        return Ok(q);
    }
    let names = || known.keys().map(String::as_str);
    let robot = model.name();
    Err(Failure::State(match known.is_empty() {
        true => format!(
            "--configuration: `{robot}` has no named configurations; say by --q where it is"
        ),
        false => format!(
            "--configuration: `{robot}` has no configuration `{name}`{}; it has {}",
            DidYouMean(closest(name, names())),
            names()
                .map(|it| format!("`{it}`"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }))
}

/// The numbers that an option gives, if they are as many as are needed; else those that are
/// missing.
pub fn sized(
    option: &str,
    given: Option<&[f64]>,
    missing: Vec<f64>,
    model: &Model,
    size: &str,
) -> Result<Vec<f64>, Failure> {
    let Some(values) = given else {
        return Ok(missing);
    };
    if let Some(k) = values.iter().position(|x| !x.is_finite()) {
        let reason = format!("{option}: entry {} is not a finite number", k + 1);
        return Err(Failure::State(reason));
    }
    if values.len() == missing.len() {
        return Ok(values.to_vec());
    }
    Err(Failure::State(format!(
        "{option} has {} entries where {} needs {} ({size}); `featherline info` lists which belongs to which joint",
        values.len(),
        model.name(),
        missing.len()
    )))
}
