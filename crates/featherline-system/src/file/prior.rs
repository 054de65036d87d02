//! Priors in a file.

use super::error::Fault;
use super::{Deviation, noise};
use crate::error::{SensorFileFault, SystemError};
use crate::estimate::Prior;
use crate::requested::Requested;
use featherline::Model;
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PriorEntry {
    of: Spanned<String>,
    mean: Option<Spanned<Mean>>,
    sigma: Option<Spanned<Deviation>>,
    covariance: Option<Spanned<Vec<Vec<f64>>>>,
}

#[derive(Clone, Deserialize)]
#[serde(
    untagged,
    expecting = "a mean is a number, or a list with one for each unknown"
)]
enum Mean {
    One(f64),
    Each(Vec<f64>),
}

/// A prior of a robot, besides those that were read before.
pub(super) fn prior(model: &Model, entry: &PriorEntry, before: &[Prior]) -> Result<Prior, Fault> {
    let at_word = |cause| Fault::at(entry.of.span(), cause);
    let of = Requested::one(entry.of.get_ref(), model).map_err(at_word)?;
    if let Some(first) = before.iter().find(|prior| prior.of.overlaps(of)) {
        let (first, second) = (first.of.name(model), of.name(model));
        return Err(at_word(SystemError::PriorTwice { first, second }.into()));
    }
    let noise = noise(entry.sigma.as_ref(), entry.covariance.as_ref())?;
    let noise = noise.ok_or_else(|| {
        let kind = entry.of.get_ref().clone();
        at_word(SensorFileFault::NoPrior { of: kind })
    })?;
    let mean = match entry.mean.as_ref().map(Spanned::get_ref) {
        None => vec![0.0; of.size(model)],
        Some(Mean::One(mean)) => vec![*mean; of.size(model)],
        Some(Mean::Each(means)) => means.clone(),
    };
    let prior = Prior::new(of, mean, noise);
    let checked = prior.covariance(model);
    checked.map_err(|error| Fault::at(entry.place_of(&error), error.into()))?;
    Ok(prior)
}

impl PriorEntry {
    /// Where what is wrong with a prior is written.
    fn place_of(&self, error: &SystemError) -> Range<usize> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others are of the entry")]
        let place = match error {
            SystemError::PriorNumber { key: "mean", .. } => self.mean.as_ref().map(Spanned::span),
            SystemError::PriorNumber { .. } => {
                let sigma = self.sigma.as_ref().map(Spanned::span);
                sigma.or(self.covariance.as_ref().map(Spanned::span))
            }
            _ => None,
        };
        place.unwrap_or_else(|| self.of.span())
    }
}
