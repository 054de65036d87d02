//! The inputs of a system, by name.

use crate::problem::KnownId;
use crate::sensor::SensorId;
use crate::system::System;
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
}
