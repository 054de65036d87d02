//! States as callers give them: q, v, and what is known or read under its name.

use super::text;
use crate::array::{Argument, Numbers, agree, as_array};
use featherline_cli::names::system_word;
use featherline_system::{SensorId, System};
use numpy::{PyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};
use std::ops::Range;

/// The inputs of a system by name.
pub struct Inputs {
    groups: Vec<Group>,
    /// Sensors without readings.
    mute: Vec<(String, SensorId)>,
    sensors: usize,
    width: usize,
}

struct Group {
    name: String,
    inputs: Range<usize>,
    sensor: Option<SensorId>,
}

/// The meaning of a name.
enum Place {
    /// Some inputs, those of some groups.
    Inputs(Range<usize>, Range<usize>),
    /// A sensor without readings.
    Mute(SensorId),
}

/// Rows of q, v and inputs.
pub struct States {
    /// How many; none if it is one state.
    pub count: Option<usize>,
    /// How many numbers a row has.
    pub width: usize,
    pub numbers: Vec<f64>,
    sensors: usize,
    /// Row by row which sensors are off; empty if none is.
    off: Vec<bool>,
}

impl States {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.count.unwrap_or(1)
    }

    /// One row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.numbers[row * self.width..(row + 1) * self.width]
    }

    /// Whether a sensor is off in a row.
    pub fn is_off(&self, row: usize, sensor: SensorId) -> bool {
        !self.off.is_empty() && self.off[row * self.sensors + sensor.index()]
    }
}

impl Inputs {
    /// Those of a system.
    pub fn of(system: &System) -> Self {
        let groups: Vec<Group> = system
            .input_groups()
            .into_iter()
            .map(|group| Group {
                name: group.name,
                inputs: group.inputs,
                sensor: group.sensor,
            })
            .collect();
        let problem = system.problem();
        let mute = problem.sensor_ids().filter_map(|id| {
            let name = &problem.sensors()[id.index()].name;
            system
                .sensor_inputs(id)
                .is_empty()
                .then(|| (name.clone(), id))
        });
        Self {
            mute: mute.collect(),
            sensors: problem.sensors().len(),
            width: system.input_count(),
            groups,
        }
    }

    /// Names with how many numbers each has.
    pub fn named(&self) -> impl Iterator<Item = (&str, usize)> {
        self.groups
            .iter()
            .map(|group| (group.name.as_str(), group.inputs.len()))
    }

    /// Names with the inputs that they stand for.
    pub fn ranges(&self) -> impl Iterator<Item = (&str, Range<usize>)> {
        let groups = self.groups.iter();
        groups.map(|group| (group.name.as_str(), group.inputs.clone()))
    }

    /// The inputs that a name stands for.
    pub fn range(&self, name: &str) -> PyResult<Range<usize>> {
        match self.known(name) {
            Some(Place::Inputs(range, _)) => Ok(range),
            Some(Place::Mute(_)) => Ok(0..0),
            None => Err(self.no_such(name)),
        }
    }

    /// A name of an input group, of all sensors of a table for several joints, or of a contact.
    fn place(&self, name: &str) -> Option<Place> {
        let own = |groups: Range<usize>| {
            let first = self.groups.get(groups.start)?.inputs.start;
            let end = self.groups.get(groups.end.checked_sub(1)?)?.inputs.end;
            Some(Place::Inputs(first..end, groups))
        };
        if let Some(at) = self.groups.iter().position(|group| group.name == name) {
            return own(at..at + 1);
        }
        if let Some((_, sensor)) = self.mute.iter().find(|(own, _)| own == name) {
            return Some(Place::Mute(*sensor));
        }
        let is_of = |group: &Group| {
            let rest = group.name.strip_prefix(name);
            group.sensor.is_some() && rest.is_some_and(|rest| rest.starts_with('.'))
        };
        let first = self.groups.iter().position(is_of)?;
        let more = self.groups[first..].iter().take_while(|group| is_of(group));
        own(first..first + more.count())
    }

    /// Words of files and of people for the same.
    fn known(&self, name: &str) -> Option<Place> {
        self.place(name).or_else(|| self.place(&system_word(name)))
    }

    /// Reads a call's states. Sensors may be off where `may_fail`: those that are None, or have a
    /// reading that is not a number.
    pub fn read<'py>(
        &self,
        system: &System,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        inputs: Option<&Bound<'py, PyAny>>,
        may_fail: bool,
    ) -> PyResult<States> {
        let model = system.model();
        let read = |name: &str, value: &Bound<'py, PyAny>, width: usize| {
            Numbers::<f64>::read(&Argument { name, value, width })
        };
        let (nq, nv) = (model.nq(), model.nv());
        let mut parts = vec![
            ("q".to_owned(), 0..nq, read("q", q, nq)?),
            ("v".to_owned(), nq..nq + nv, read("v", v, nv)?),
        ];
        let first = nq + nv;
        let mut silent: Vec<SensorId> = Vec::new();
        match inputs {
            None => self.need(&vec![false; self.groups.len()], may_fail)?,
            Some(inputs) => match mapping(inputs)? {
                None => {
                    let name = "inputs";
                    let numbers = read(name, inputs, self.width)?;
                    parts.push((name.to_owned(), first..first + self.width, numbers));
                }
                Some(items) => {
                    let mut is_given = vec![false; self.groups.len()];
                    for (name, value) in items {
                        let place = self.known(&name);
                        let place = place.ok_or_else(|| self.no_such(&name))?;
                        match place {
                            Place::Mute(sensor) if value.is_none() && may_fail => {
                                silent.push(sensor);
                            }
                            Place::Mute(_) => {
                                return Err(PyValueError::new_err(format!(
                                    "'{name}' is an assumption without readings. Leave it out, or give None to an estimate where it does not hold"
                                )));
                            }
                            Place::Inputs(range, groups) => {
                                is_given[groups.clone()].fill(true);
                                let groups = &self.groups[groups];
                                let what = format!("inputs['{name}']");
                                match numbers(&what, &value, range.len())? {
                                    Some(numbers) => {
                                        let range = first + range.start..first + range.end;
                                        parts.push((what, range, numbers));
                                    }
                                    None => {
                                        let sensors = groups.iter().map(|group| group.sensor);
                                        let sensors: Option<Vec<_>> = sensors.collect();
                                        match sensors {
                                            Some(sensors) if may_fail => silent.extend(sensors),
                                            _ => return Err(none_given(&name, may_fail)),
                                        }
                                    }
                                }
                            }
                        }
                    }
                    self.need(&is_given, may_fail)?;
                }
            },
        }
        let mut count: Option<(&str, usize)> = None;
        for (name, _, numbers) in &parts {
            agree(&mut count, name, numbers.states)?;
        }
        let count = count.map(|(_, n)| n);
        let rows = count.unwrap_or(1);
        let width = first + self.width;
        let mut numbers = vec![0.0; rows * width];
        for (_, range, part) in &parts {
            let own = range.len();
            for row in 0..rows {
                let from = if part.states.is_some() { row * own } else { 0 };
                numbers[row * width + range.start..][..own]
                    .copy_from_slice(&part[from..from + own]);
            }
        }
        let mut states = States {
            count,
            width,
            numbers,
            sensors: self.sensors,
            off: Vec::new(),
        };
        if may_fail {
            self.switch_off(&mut states, first, &silent);
        }
        Ok(states)
    }

    /// Notes which sensors are off in which rows.
    fn switch_off(&self, states: &mut States, first: usize, silent: &[SensorId]) {
        let (rows, width) = (states.rows(), states.width);
        let mut off = Vec::new();
        let note = |off: &mut Vec<bool>, row: usize, sensor: SensorId| {
            off.resize(rows * self.sensors, false);
            off[row * self.sensors + sensor.index()] = true;
        };
        for row in 0..rows {
            for &sensor in silent {
                note(&mut off, row, sensor);
            }
            let inputs = &states.numbers[row * width + first..(row + 1) * width];
            for group in &self.groups {
                let has_none = inputs[group.inputs.clone()].iter().any(|x| x.is_nan());
                if let (Some(sensor), true) = (group.sensor, has_none) {
                    note(&mut off, row, sensor);
                }
            }
        }
        states.off = off;
    }

    /// Fails unless all is given.
    fn need(&self, is_given: &[bool], may_fail: bool) -> PyResult<()> {
        let missing = self
            .groups
            .iter()
            .zip(is_given)
            .filter(|(_, given)| !**given);
        let missing: Vec<String> = missing
            .map(|(group, _)| format!("'{}' ({})", group.name, group.inputs.len()))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let remedy = match may_fail {
            true => "; give None for a sensor that failed",
            false => "",
        };
        Err(PyValueError::new_err(format!(
            "inputs lack {}{remedy}",
            missing.join(", ")
        )))
    }

    fn no_such(&self, name: &str) -> PyErr {
        let mut names: Vec<&str> = self
            .groups
            .iter()
            .map(|group| group.name.as_str())
            .collect();
        names.extend(self.mute.iter().map(|(name, _)| name.as_str()));
        text::no_such("input", name, &names)
    }
}

/// Names with their values.
type Items<'py> = Vec<(String, Bound<'py, PyAny>)>;

/// The items of a mapping; none if it is an array.
fn mapping<'py>(inputs: &Bound<'py, PyAny>) -> PyResult<Option<Items<'py>>> {
    let name = |key: &Bound<'py, PyAny>| {
        key.extract::<String>()
            .map_err(|_| PyTypeError::new_err(format!("inputs have names, and {key} is none")))
    };
    if let Ok(items) = inputs.cast::<PyDict>() {
        let items = items.iter().map(|(key, value)| Ok((name(&key)?, value)));
        return items.collect::<PyResult<_>>().map(Some);
    }
    if inputs.cast::<PyUntypedArray>().is_ok() {
        return Ok(None);
    }
    match inputs.cast::<PyMapping>() {
        Err(_) => Ok(None),
        Ok(items) => {
            let items = items.items()?;
            let items = items.iter().map(|item| {
                let (key, value): (Bound<'py, PyAny>, Bound<'py, PyAny>) = item.extract()?;
                Ok((name(&key)?, value))
            });
            items.collect::<PyResult<_>>().map(Some)
        }
    }
}

/// Numbers for so many inputs, of one state or of many; none if a sensor failed. One input is a
/// number, or one number a state.
fn numbers<'py>(
    name: &str,
    value: &Bound<'py, PyAny>,
    width: usize,
) -> PyResult<Option<Numbers<'py, f64>>> {
    if value.is_none() {
        return Ok(None);
    }
    let read =
        |value: &Bound<'py, PyAny>| Numbers::read(&Argument { name, value, width }).map(Some);
    if width == 1 {
        if let Ok(number) = value.extract::<f64>() {
            return read(PyArray1::from_vec(value.py(), vec![number]).as_any());
        }
        let array = as_array(value)?;
        if let &[n] = array.shape()
            && n != 1
        {
            return read(&array.call_method1("reshape", ((n, 1),))?);
        }
        return read(array.as_any());
    }
    read(value)
}

fn none_given(name: &str, may_fail: bool) -> PyErr {
    PyValueError::new_err(if may_fail {
        format!("'{name}' is known without error, and cannot be None")
    } else {
        format!("'{name}' is None: only an estimate does without a reading")
    })
}
