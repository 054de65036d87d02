//! Sums of unknowns in a file of sensors.

use super::error::Fault;
use crate::error::SensorFileFault;
use crate::problem::{Components, check_degree, check_part};
use crate::unknown::Unknown;
use featherline::Model;
use featherline::model::UnknownName;
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

/// A term of a sum: an unknown and its factor.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Term {
    of: Spanned<String>,
    joint: Spanned<String>,
    degree: Option<Spanned<usize>>,
    component: Option<Spanned<String>>,
    factor: f64,
}

impl Term {
    /// The degree of freedom, the first one if none is said, and where that is said.
    fn degree(&self) -> (usize, Range<usize>) {
        match &self.degree {
            Some(degree) => (*degree.get_ref(), degree.span()),
            None => (0, self.joint.span()),
        }
    }
}

const FORCE: [&str; 6] = Components::NAMES;
const MOTION: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// The unknowns of a sum, with their factors.
pub(super) fn terms(model: &Model, terms: &[Spanned<Term>]) -> Result<Vec<(Unknown, f64)>, Fault> {
    let mut sum: Vec<(Unknown, f64)> = Vec::with_capacity(terms.len());
    for term in terms {
        let (unknown, factor) = read(model, term)?;
        if sum.iter().any(|before| before.0 == unknown) {
            let Term { of, joint, .. } = term.get_ref();
            let word = format!("{} of {}", of.get_ref(), joint.get_ref());
            return Err(Fault::at(term.span(), SensorFileFault::Repeated { word }));
        }
        sum.push((unknown, factor));
    }
    Ok(sum)
}

fn read(model: &Model, spanned: &Spanned<Term>) -> Result<(Unknown, f64), Fault> {
    let term = spanned.get_ref();
    let at_joint = |error: UnknownName| Fault::at(term.joint.span(), error.into());
    let joint = || model.joint_id(term.joint.get_ref()).map_err(at_joint);
    let loop_joint = || model.loop_id(term.joint.get_ref()).map_err(at_joint);
    let body = || {
        let body = crate::problem::body(model, term.joint.get_ref());
        body.map_err(|error| Fault::at(term.joint.span(), error))
    };
    let coordinate = || {
        let joint = joint()?;
        let (degree, span) = term.degree();
        check_degree(model, joint, degree).map_err(|error| Fault::at(span, error.into()))?;
        Ok(model.joint(joint).idx_v + degree)
    };
    let component = |words: &[&str; 6]| {
        let missing = || {
            let kind = term.of.get_ref().clone();
            let key = "component";
            Fault::at(term.of.span(), SensorFileFault::Missing { key, kind })
        };
        let word = term.component.as_ref().ok_or_else(missing)?;
        let found = words.iter().position(|known| known == word.get_ref());
        found.ok_or_else(|| Fault::unknown("component", word, words))
    };
    let (unknown, is_six) = match term.of.get_ref().as_str() {
        "tau" | "joint-force" => {
            let coordinate = coordinate()?;
            (Unknown::JointForce { coordinate }, false)
        }
        "qdd" | "joint-acceleration" => {
            let coordinate = coordinate()?;
            (Unknown::JointAcceleration { coordinate }, false)
        }
        "external-force" => {
            let (joint, component) = (body()?, component(&FORCE)?);
            (Unknown::ExternalForce { joint, component }, true)
        }
        "transmitted-force" => {
            let (joint, component) = (joint()?, component(&FORCE)?);
            (Unknown::Force { joint, component }, true)
        }
        "acceleration" => {
            let (joint, component) = (body()?, component(&MOTION)?);
            (Unknown::Acceleration { joint, component }, true)
        }
        "loop-force" => {
            let (joint, component) = (loop_joint()?, component(&FORCE)?);
            (Unknown::LoopForce { joint, component }, true)
        }
        "loop-acceleration" => {
            let (joint, (degree, span)) = (loop_joint()?, term.degree());
            let closing = model.loop_joint(joint);
            check_part(&closing.name, degree, closing.kind.nv())
                .map_err(|error| Fault::at(span, error.into()))?;
            (Unknown::LoopAcceleration { joint, degree }, false)
        }
        _ => {
            let words = [
                "tau",
                "qdd",
                "external-force",
                "transmitted-force",
                "acceleration",
                "loop-force",
                "loop-acceleration",
            ];
            return Err(Fault::unknown("unknown", &term.of, &words));
        }
    };
    let unused = match is_six {
        true => term.degree.as_ref().map(|degree| ("degree", degree.span())),
        false => term
            .component
            .as_ref()
            .map(|word| ("component", word.span())),
    };
    match unused {
        None => Ok((unknown, term.factor)),
        Some((key, span)) => {
            let kind = term.of.get_ref().clone();
            Err(Fault::at(span, SensorFileFault::Unused { key, kind }))
        }
    }
}
