//! A state, read from a line of JSON.

use crate::message::printable;
use featherline::Model;
use featherline::dynamics::ExternalForce;
use featherline::kinematics::ReferenceFrame;
use featherline::spatial::Force;
use featherline::words::Words;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// A configuration with velocities, accelerations and joint forces.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct State {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
    pub tau: Vec<f64>,
    /// [force; moment] on joints, links and frames by their names, each in its own axes unless
    /// `forces_in` says otherwise.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub external_forces: BTreeMap<String, [f64; 6]>,
    /// The word of another reference in which these are constant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forces_in: Option<String>,
}

/// Why a line is not a state.
#[derive(Clone, Debug, PartialEq)]
pub struct BadState {
    /// Where in the line, counted from 1, if it is known.
    pub column: Option<usize>,
    pub reason: String,
}

/// The wrapper in which `eval` writes a state, beside results that are not read.
#[derive(Deserialize)]
struct Wrapped<'a> {
    #[serde(borrow)]
    state: Option<&'a RawValue>,
}

/// The fields of a state. A field that is null is an error, not a missing value.
#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a state is an object {…} with any of q, v, a, tau, external_forces, forces_in"
)]
struct Line {
    #[serde(default, deserialize_with = "present")]
    q: Option<Vec<f64>>,
    #[serde(default, deserialize_with = "present")]
    v: Option<Vec<f64>>,
    #[serde(default, deserialize_with = "present")]
    a: Option<Vec<f64>>,
    #[serde(default, deserialize_with = "present")]
    tau: Option<Vec<f64>>,
    #[serde(default)]
    external_forces: BTreeMap<String, [f64; 6]>,
    forces_in: Option<String>,
    /// The time of a recording's sample, which no computation needs.
    #[serde(default, rename = "t")]
    _time: Option<IgnoredAny>,
}

/// The text of a state in a line, and the byte at which it begins: the field `state` of an object
/// that has one, as outputs of `eval` do, else the line itself.
pub fn unwrapped(line: &str) -> (usize, &str) {
    // An array would be taken as the values of the fields.
    let is_object = line.trim_start().starts_with('{');
    match serde_json::from_str::<Wrapped<'_>>(line) {
        Ok(Wrapped { state: Some(state) }) if is_object => {
            let text = state.get();
            // The text is borrowed from the line.
            (text.as_ptr() as usize - line.as_ptr() as usize, text)
        }
        _ => (0, line),
    }
}

impl From<String> for BadState {
    fn from(reason: String) -> Self {
        Self {
            column: None,
            reason,
        }
    }
}

impl BadState {
    /// The same of a text that begins at a byte of a line.
    pub fn after(self, offset: usize) -> Self {
        Self {
            column: self.column.map(|column| column + offset),
            ..self
        }
    }
}

fn present<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Vec<f64>>, D::Error> {
    Vec::deserialize(reader).map(Some)
}

impl State {
    /// The neutral configuration at rest, without joint forces.
    pub fn neutral(model: &Model) -> Self {
        let zeros = vec![0.0; model.nv()];
        Self {
            q: model.neutral_configuration(),
            v: zeros.clone(),
            a: zeros.clone(),
            tau: zeros,
            external_forces: BTreeMap::new(),
            forces_in: None,
        }
    }

    /// Reads a line of JSON; what is missing is taken from `neutral`. Of an object with a field
    /// `state`, as `eval` writes them, that field alone is read.
    pub fn read(line: &str, model: &Model, neutral: &Self) -> Result<Self, BadState> {
        let (offset, text) = unwrapped(line);
        // Without this, an array would be taken as the values of the keys.
        if !text.trim_start().starts_with('{') {
            return Err(BadState {
                column: Some(offset + 1),
                reason:
                    "a state is an object {…} with any of q, v, a, tau, external_forces, forces_in"
                        .to_owned(),
            });
        }
        let line: Line =
            serde_json::from_str(text).map_err(|error| bad_json(&error, text).after(offset))?;
        let nq = format!("nq = {}", model.nq());
        let nv = format!("nv = {}", model.nv());
        for name in line.external_forces.keys() {
            let target = model.target(name);
            target.map_err(|error| format!("`external_forces`: {error}"))?;
        }
        if let Some(word) = &line.forces_in {
            let reference = ReferenceFrame::from_word(word);
            reference.map_err(|error| format!("`forces_in`: {error}"))?;
        }
        Ok(Self {
            external_forces: line.external_forces,
            forces_in: line.forces_in,
            q: sized("q", line.q, &neutral.q, model, &nq)?,
            v: sized("v", line.v, &neutral.v, model, &nv)?,
            a: sized("a", line.a, &neutral.a, model, &nv)?,
            tau: sized("tau", line.tau, &neutral.tau, model, &nv)?,
        })
    }

    /// The external forces; empty if there are none.
    pub fn forces(&self, model: &Model) -> Vec<ExternalForce<f64>> {
        // The names and the word were found when the state was read.
        let word = self.forces_in.as_deref();
        let reference = word.and_then(|word| ReferenceFrame::from_word(word).ok());
        let reference = reference.unwrap_or(ReferenceFrame::Local);
        let forces = self.external_forces.iter();
        let forces = forces.filter_map(|(name, force)| {
            Some(ExternalForce {
                target: model.target(name).ok()?,
                reference,
                force: Force::from_array(*force),
            })
        });
        forces.collect()
    }

    /// Its parts of one number for each coordinate, by the keys of a line.
    pub fn named(&self) -> [(&'static str, &[f64]); 4] {
        [
            ("q", &self.q),
            ("v", &self.v),
            ("a", &self.a),
            ("tau", &self.tau),
        ]
    }

    /// A state of the same sizes, from the numbers of all parts in a row.
    pub fn with(&self, numbers: &[f64]) -> Self {
        let (q, rest) = numbers.split_at(self.q.len());
        let (v, rest) = rest.split_at(self.v.len());
        let (a, tau) = rest.split_at(self.a.len());
        let [q, v, a, tau] = [q, v, a, tau].map(<[f64]>::to_vec);
        Self {
            external_forces: self.external_forces.clone(),
            forces_in: self.forces_in.clone(),
            q,
            v,
            a,
            tau,
        }
    }
}

fn sized(
    key: &str,
    given: Option<Vec<f64>>,
    missing: &[f64],
    model: &Model,
    size: &str,
) -> Result<Vec<f64>, BadState> {
    let values = given.unwrap_or_else(|| missing.to_owned());
    if values.len() == missing.len() {
        return Ok(values);
    }
    let (entries, robot, needed) = (values.len(), model.name(), missing.len());
    let reason = format!("`{key}` has {entries} entries where {robot} needs {needed} ({size})");
    Err(reason.into())
}

/// The error of a line that is not JSON of the expected form.
pub fn bad_json(error: &serde_json::Error, line: &str) -> BadState {
    let column = error.column();
    let full = error.to_string();
    let place = format!(" at line {} column {column}", error.line());
    // It contains keys of the line.
    let reason = printable(full.strip_suffix(&place).unwrap_or(&full));
    let rest = line.get(column.saturating_sub(1)..).unwrap_or_default();
    let word = rest.trim_start_matches(['-', '+']).to_lowercase();
    let is_special = ["nan", "inf"]
        .iter()
        .any(|special| word.starts_with(special));
    let reason = if is_special || reason == "number out of range" {
        format!("{reason}: the numbers of a state are finite")
    } else {
        reason
    };
    BadState {
        column: (column > 0).then_some(column),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use featherline::samples::double_pendulum;

    fn read(line: &str) -> Result<State, BadState> {
        let model = double_pendulum();
        State::read(line, &model, &State::neutral(&model))
    }

    #[test]
    fn what_is_missing_is_neutral_or_zero() {
        let state = read(r#"{"v": [1, -2.5e0]}"#).unwrap();
        assert_eq!(state.q, [0.0, 0.0]);
        assert_eq!(state.v, [1.0, -2.5]);
        assert_eq!(state.tau, [0.0, 0.0]);
    }

    #[test]
    fn a_state_may_be_wrapped_as_eval_writes_it() {
        let line = r#"{"tau": [7], "state": {"q": [1, 2], "v": [3, 4]}, "com": [0, 0, 0]}"#;
        let state = read(line).unwrap();
        assert_eq!(
            (&state.q[..], &state.v[..]),
            (&[1.0, 2.0][..], &[3.0, 4.0][..])
        );
        assert_eq!(state.tau, [0.0, 0.0]);
        let line = r#"{"tau": [7], "state": {"q": [1, 2], "w": [3, 4]}}"#;
        let bad = read(line).unwrap_err();
        assert!(bad.reason.contains("unknown field `w`"), "{}", bad.reason);
        assert_eq!(bad.column, Some(line.find("\"w\"").unwrap() + 3));
    }

    #[test]
    fn numbers_are_read_to_the_last_bit() {
        let state = read(r#"{"q": [0.1, 5e-324], "a": [0.30000000000000004, -0.0]}"#).unwrap();
        assert_eq!(state.q, [0.1, f64::from_bits(1)]);
        assert_eq!(state.a[0], 0.1 + 0.2);
        assert!(state.a[1].is_sign_negative());
    }

    #[test]
    fn every_mistake_is_named() {
        for (line, expected) in [
            (
                r#"{"qd": [1, 2]}"#,
                "unknown field `qd`, expected one of `q`, `v`, `a`, `tau`",
            ),
            (
                r#"{"q": [1, 2, 3]}"#,
                "`q` has 3 entries where double_pendulum needs 2 (nq = 2)",
            ),
            (
                r#"{"tau": []}"#,
                "`tau` has 0 entries where double_pendulum needs 2 (nv = 2)",
            ),
            (r#"{"q": null}"#, "invalid type: null, expected a sequence"),
            (
                r#"{"q": [1, "2"]}"#,
                "invalid type: string \"2\", expected f64",
            ),
            (r#"{"q": [1, NaN]}"#, "the numbers of a state are finite"),
            (
                r#"{"q": [1, -Infinity]}"#,
                "the numbers of a state are finite",
            ),
            (r#"{"q": [1, 1e999]}"#, "the numbers of a state are finite"),
            (r#"{"q": [1, 2], "q": [1, 2]}"#, "duplicate field `q`"),
            (r#"{"q": [1, 2"#, "EOF while parsing a list"),
            (r#"{"q": [1, 2]} {}"#, "trailing characters"),
            (
                "[1, 2]",
                "a state is an object {…} with any of q, v, a, tau, external_forces, forces_in",
            ),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.reason.contains(expected), "{line}: {}", error.reason);
        }
    }

    #[test]
    fn mistakes_in_json_have_a_column() {
        assert_eq!(read(r#"{"q": [1, x]}"#).unwrap_err().column, Some(11));
    }
}
