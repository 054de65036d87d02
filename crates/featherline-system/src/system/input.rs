//! The inputs of a system, by name.

use crate::error::SystemError;
use crate::problem::{KnownId, SensorId};
use crate::system::System;
use featherline::Error;
use featherline::kernel::overflow_source;
use std::ops::Range;

/// Inputs that go by one name: the values of what is known, or the readings of a sensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputGroup {
    /// The [name](crate::KnownSet::name) of what is known, `known N` for the N-th
    /// [`Known`](crate::Known) that was added without a word, or the sensor's name.
    pub name: String,
    /// The inputs.
    pub inputs: Range<usize>,
    /// The sensor; none for what is known.
    pub sensor: Option<SensorId>,
}

impl System {
    /// All inputs by their names, in order. What has none, like a force that is known to be zero,
    /// is left out.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::{SensorFile, System};
    ///
    /// let model = samples::double_pendulum();
    /// let text = r#"
    ///     known = ["qdd", "no-external-forces"]
    ///     [[sensor]]
    ///     name = "shoulder"
    ///     type = "joint-force"
    ///     joint = "shoulder"
    ///     sigma = 0.1
    /// "#;
    /// let system = System::new(SensorFile::read(text, &model)?.problem(model, &[])?)?;
    /// let groups = system.input_groups();
    /// assert_eq!((groups[0].name.as_str(), groups[0].inputs.clone()), ("qdd", 0..2));
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

    /// That a result of a state overflowed, with the number of the state that is [behind
    /// it](featherline::kernel::overflow_source).
    ///
    /// `overflows` tells of q, v and inputs whether the result overflows with them; it does with
    /// those given.
    ///
    /// Returns [`SystemError::Overflow`], or [`SystemError::Dynamics`] if no number of the state is
    /// behind it, but figures of the robot.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::{AssemblyMemory, Problem, System};
    ///
    /// let system = System::new(Problem::inverse_dynamics(samples::double_pendulum()))?;
    /// let mut memory = AssemblyMemory::<f64>::new(&system);
    /// let mut values = vec![0.0; system.sparsity().entries()];
    /// let mut rhs = vec![0.0; system.sparsity().rows()];
    /// let overflows = |q: &[f64], v: &[f64], inputs: &[f64]| {
    ///     let assembled = system.assemble(&mut memory, q, v, inputs, &mut values, &mut rhs);
    ///     assembled.is_err_and(|error| error.is_overflow())
    /// };
    /// let what = "the system of equations";
    /// let error = system.overflow(what, &[1e308, 0.2], &[0.0, -1e307], &[1.0, 2.0], overflows);
    /// assert!(error.to_string().contains("`v`[1] = -1e307"));
    /// # Ok::<(), featherline_system::SystemError>(())
    /// ```
    pub fn overflow(
        &self,
        what: &'static str,
        q: &[f64],
        v: &[f64],
        inputs: &[f64],
        mut overflows: impl FnMut(&[f64], &[f64], &[f64]) -> bool,
    ) -> SystemError {
        let state = [q, v, inputs].concat();
        let found = overflow_source(&state, |state| {
            let [q, v, inputs] = self.split(state);
            overflows(q, v, inputs)
        });
        let Some(index) = found else {
            return Error::Overflow { what }.into();
        };
        let first = q.len() + v.len();
        let mut ports = vec![
            ("q".to_owned(), 0..q.len()),
            ("v".to_owned(), q.len()..first),
        ];
        for InputGroup { name, inputs, .. } in self.input_groups() {
            ports.push((name, first + inputs.start..first + inputs.end));
        }
        let own = ports.into_iter().find(|(_, range)| range.contains(&index));
        let (input, range) = own.expect("each input belongs to a group");
        SystemError::Overflow {
            what,
            input,
            entry: index - range.start,
            value: state[index],
        }
    }
}
