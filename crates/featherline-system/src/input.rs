//! The inputs of a system, by name.

use crate::error::SystemError;
use crate::problem::KnownId;
use crate::sensor::SensorId;
use crate::system::System;
use featherline::Error;
use std::ops::Range;

/// Inputs that go by one name: the values of what is known, or the readings of a sensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputGroup {
    /// The word that said what is known, `known N` for the N-th [`Known`](crate::Known) that was added without a word, or the
    /// sensor's name.
    pub name: String,
    /// The inputs.
    pub inputs: Range<usize>,
    /// The sensor; none for what is known.
    pub sensor: Option<SensorId>,
}

impl System {
    /// All inputs by their names, in order. What has none, like a force that is known to be zero, is left out.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::{SensorFile, System};
    ///
    /// let model = samples::double_pendulum();
    /// let text = r#"
    ///     known = ["joint-accelerations", "no-external-forces"]
    ///     [[sensor]]
    ///     name = "shoulder"
    ///     type = "joint-force"
    ///     joint = "upper"
    ///     sigma = 0.1
    /// "#;
    /// let system = System::new(SensorFile::read(text, &model)?.problem(model, &[])?)?;
    /// let groups = system.input_groups();
    /// assert_eq!((groups[0].name.as_str(), groups[0].inputs.clone()), ("joint-accelerations", 0..2));
    /// assert_eq!((groups[1].name.as_str(), groups[1].inputs.clone()), ("shoulder", 2..3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn input_groups(&self) -> Vec<InputGroup> {
        let problem = self.problem();
        let mut groups = Vec::new();
        let mut words = problem.words.iter().peekable();
        let mut known = 0;
        while known < problem.knowns.len() {
            let (name, end) = match words.next_if(|(_, range)| range.start == known) {
                Some((word, range)) => (word.clone(), range.end),
                None => (format!("known {}", known + 1), known + 1),
            };
            let inputs = (known..end).map(|k| self.known_inputs(KnownId(k)));
            let inputs = inputs.reduce(|first, last| first.start..last.end);
            groups.extend(inputs.map(|inputs| InputGroup {
                name,
                inputs,
                sensor: None,
            }));
            known = end;
        }
        for (k, sensor) in problem.sensors.iter().enumerate() {
            groups.push(InputGroup {
                name: sensor.name.clone(),
                inputs: self.sensor_inputs(SensorId(k)),
                sensor: Some(SensorId(k)),
            });
        }
        groups.retain(|group| !group.inputs.is_empty());
        groups
    }

    /// That a result of a state overflowed, with the largest number of the state.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::{Problem, System};
    ///
    /// let system = System::new(Problem::inverse_dynamics(samples::double_pendulum()))?;
    /// let error = system.overflow("the solution", &[0.1, 0.2], &[0.0, -1e307], &[1.0, 2.0]);
    /// assert!(error.to_string().contains("`v`[1] = -1e307"));
    /// # Ok::<(), featherline_system::SystemError>(())
    /// ```
    pub fn overflow(
        &self,
        what: &'static str,
        q: &[f64],
        v: &[f64],
        inputs: &[f64],
    ) -> SystemError {
        let mut named = vec![("q".to_owned(), q), ("v".to_owned(), v)];
        for group in self.input_groups() {
            named.extend(inputs.get(group.inputs).map(|values| (group.name, values)));
        }
        let entries = named.iter().flat_map(|(name, values)| {
            let entries = values.iter().enumerate();
            entries.map(move |(entry, &value)| (name.as_str(), entry, value))
        });
        let largest = entries.max_by(|a, b| a.2.abs().total_cmp(&b.2.abs()));
        let (input, entry, value) = largest.unwrap_or_default();
        SystemError::Overflow {
            what,
            input: input.to_owned(),
            entry,
            value,
        }
    }

    /// The same error, or which number of the state is behind it where a result overflowed.
    pub(crate) fn blamed(
        &self,
        error: SystemError,
        q: &[f64],
        v: &[f64],
        inputs: &[f64],
    ) -> SystemError {
        match error {
            SystemError::Dynamics(Error::Overflow { what }) => self.overflow(what, q, v, inputs),
            other => other,
        }
    }
}
