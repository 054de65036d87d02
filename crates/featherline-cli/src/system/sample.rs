//! Samples of a robot and its sensors, read strictly from lines of JSON.

use crate::names;
use crate::numbers::Numbers;
use crate::states::{BadState, bad_json, unwrapped};
use featherline_system::{InputGroup, SensorId, System};
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use std::fmt;

/// The keys of a state. Files of sensors give none of them to a sensor.
const STATE: [&str; 3] = ["t", "q", "v"];

/// One moment: where the robot is, how it moves, and what is known and measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// In s.
    pub time: Option<f64>,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    /// The system's inputs; zero for sensors that gave nothing.
    pub inputs: Vec<f64>,
    /// Sensors that gave nothing.
    pub silent: Vec<SensorId>,
}

/// Reads samples of one system.
pub struct SampleReader<'a> {
    system: &'a System,
    groups: Vec<InputGroup>,
    /// What is assumed without readings: contacts.
    contacts: Vec<(&'a str, SensorId)>,
    /// Whether sensors may give nothing.
    may_be_silent: bool,
}

impl<'a> SampleReader<'a> {
    /// A reader of samples, in which sensors may give nothing or may not.
    pub fn new(system: &'a System, may_be_silent: bool) -> Self {
        let contacts = system.problem().sensor_ids().filter_map(|id| {
            let name = system.problem().sensors()[id.index()].name.as_str();
            system.sensor_inputs(id).is_empty().then_some((name, id))
        });
        Self {
            groups: system.input_groups(),
            contacts: contacts.collect(),
            system,
            may_be_silent,
        }
    }

    /// Reads a line.
    pub fn read(&self, line: &str) -> Result<Sample, BadState> {
        let (offset, text) = unwrapped(line);
        let mut json = serde_json::Deserializer::from_str(text);
        let read = self.deserialize(&mut json).and_then(|sample| {
            json.end()?;
            Ok(sample)
        });
        read.map_err(|error| bad_json(&error, text).after(offset))
    }

    /// The key of a group of inputs that may be given by another name of the same quantity: `tau`
    /// for `joint-forces`, and `a` for `joint-accelerations` as in a state of `eval`.
    fn key(&self, given: String) -> String {
        if self.size(&given).is_some() {
            return given;
        }
        let word = match given.as_str() {
            "a" => names::system_word("qdd"),
            other => names::system_word(other),
        };
        if self.size(&word).is_some() {
            word
        } else {
            given
        }
    }

    /// The number of entries that a key has; none if it is no key.
    fn size(&self, key: &str) -> Option<usize> {
        match key {
            "t" => Some(1),
            "q" => Some(self.system.model().nq()),
            "v" => Some(self.system.model().nv()),
            _ => {
                let group = self.groups.iter().find(|group| group.name == key);
                let contact = self.contacts.iter().find(|contact| contact.0 == key);
                let none = contact.map(|_| 0);
                group.map(|group| group.inputs.len()).or(none)
            }
        }
    }

    fn keys(&self) -> impl Iterator<Item = &str> {
        let groups = self.groups.iter().map(|group| group.name.as_str());
        let contacts = self.contacts.iter().map(|contact| contact.0);
        STATE.into_iter().chain(groups).chain(contacts)
    }

    fn listed(&self) -> String {
        let keys: Vec<String> = self.keys().map(|key| format!("`{key}`")).collect();
        keys.join(", ")
    }

    /// The sample of all entries of an object.
    fn sample(&self, mut entries: Vec<(String, Option<Vec<f64>>)>) -> Result<Sample, String> {
        let mut take = |key: &str| {
            let at = entries.iter().position(|(known, _)| known == key)?;
            Some(entries.swap_remove(at).1)
        };
        let missing = |key: &str| format!("`{key}` is missing; a sample has {}", self.listed());
        let mut sample = Sample {
            time: take("t").flatten().and_then(|time| time.first().copied()),
            q: take("q").flatten().ok_or_else(|| missing("q"))?,
            v: take("v").flatten().ok_or_else(|| missing("v"))?,
            inputs: vec![0.0; self.system.input_count()],
            silent: Vec::new(),
        };
        for group in &self.groups {
            let given = take(&group.name).ok_or_else(|| missing(&group.name))?;
            match given {
                Some(values) => sample.inputs[group.inputs.clone()].copy_from_slice(&values),
                None => sample.silent.extend(group.sensor),
            }
        }
        // A contact is there unless it is said that it is not.
        for (name, id) in &self.contacts {
            if let Some(None) = take(name) {
                sample.silent.push(*id);
            }
        }
        Ok(sample)
    }
}

impl<'de> DeserializeSeed<'de> for &SampleReader<'_> {
    type Value = Sample;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Sample, D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &SampleReader<'_> {
    type Value = Sample;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object {…} with q, v and the readings")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Sample, A::Error> {
        let mut entries: Vec<(String, Option<Vec<f64>>)> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let key = self.key(key);
            let Some(size) = self.size(&key) else {
                let keys = self.listed();
                return Err(A::Error::custom(format!(
                    "unknown field `{key}`, expected one of {keys}"
                )));
            };
            if entries.iter().any(|(known, _)| *known == key) {
                return Err(A::Error::custom(format!("duplicate field `{key}`")));
            }
            let Numbers(values) = map.next_value()?;
            let is_sensor = |group: &InputGroup| group.name == key && group.sensor.is_some();
            let is_sensor = self.groups.iter().any(is_sensor)
                || self.contacts.iter().any(|contact| contact.0 == key);
            match &values {
                Some(values) if values.len() == size => {}
                Some(values) => {
                    return Err(A::Error::custom(format!(
                        "`{key}` has {} entries where {} needs {size}",
                        values.len(),
                        self.system.model().name(),
                    )));
                }
                None if self.may_be_silent && is_sensor => {}
                None => {
                    let why = match self.may_be_silent {
                        true => "only sensors may be silent",
                        false => "a solution needs every value",
                    };
                    return Err(A::Error::custom(format!("`{key}` is null; {why}")));
                }
            }
            entries.push((key, values));
        }
        self.sample(entries).map_err(A::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use featherline::samples::double_pendulum;
    use featherline_system::SensorFile;

    fn system() -> System {
        system_of(
            r#"
            known = ["joint-accelerations", "no-external-forces"]
            [[sensor]]
            name = "shoulder"
            type = "joint-force"
            joint = "upper"
            sigma = 0.1
            [[sensor]]
            name = "imu"
            type = "accelerometer"
            frame = "lower_rod"
            sigma = 0.1
        "#,
        )
    }

    fn system_of(text: &str) -> System {
        let model = double_pendulum();
        let file = SensorFile::read(text, &model).expect("valid sensors");
        System::new(file.problem(model, &[]).expect("a problem")).expect("a system")
    }

    const REST: &str = r#""q": [0.5, 1], "v": [0, 0], "joint-accelerations": [1, 2]"#;

    #[test]
    fn a_sample_has_state_knowns_and_readings_in_any_order() {
        let system = system();
        let reader = SampleReader::new(&system, false);
        let line = format!(r#"{{"imu": [3, 4, -5e0], "t": 0.25, {REST}, "shoulder": 7}}"#);
        let sample = reader.read(&line).expect("a sample");
        assert_eq!(sample.time, Some(0.25));
        assert_eq!(sample.q, [0.5, 1.0]);
        assert_eq!(sample.inputs, [1.0, 2.0, 7.0, 3.0, 4.0, -5.0]);
    }

    #[test]
    fn every_mistake_is_named_with_its_column() {
        let system = system();
        let reader = SampleReader::new(&system, false);
        // What comes behind the state, and what the column is the end of.
        for (rest, until, reason) in [
            (
                r#", "shoulder": 7}"#,
                "}",
                "`imu` is missing; a sample has `t`, `q`, `v`, `joint-accelerations`, `shoulder`, `imu`",
            ),
            (
                r#", "imu": [1, 2]}"#,
                "[1, 2]}",
                "`imu` has 2 entries where double_pendulum needs 3",
            ),
            (
                r#", "elbow": 7}"#,
                "\"elbow\"",
                "unknown field `elbow`, expected one of `t`, `q`",
            ),
            (r#", "q": [0, 0]}"#, ", \"q\"", "duplicate field `q`"),
            (
                r#", "shoulder": null}"#,
                "null",
                "`shoulder` is null; a solution needs every value",
            ),
            (
                r#", "imu": [1, NaN, 0]}"#,
                "[1, N",
                "the numbers of a state are finite",
            ),
            (
                r#", "imu": [1, 1e999, 0]}"#,
                "1e999",
                "the numbers of a state are finite",
            ),
            (r#", "imu": ["1", 2, 3]}"#, "\"1\"", "invalid type: string"),
            (
                r#", "shoulder": 7, "imu": [1, 2, 3]} {}"#,
                "} {",
                "trailing characters",
            ),
        ] {
            let line = format!("{{{REST}{rest}");
            let bad = reader.read(&line).expect_err("a mistake");
            assert!(bad.reason.contains(reason), "{line}: {}", bad.reason);
            let column = line.rfind(until).expect("it stands there") + until.len();
            let told = bad.column.expect("a column");
            // The reader may have looked at the next character already.
            assert!(
                (column..=column + 1).contains(&told),
                "{line}: {column} {told}"
            );
        }
        let bad = reader.read("[1, 2]").expect_err("no object");
        assert!(bad.reason.contains("expected an object {…} with q, v"));
    }

    #[test]
    fn sensors_may_be_silent_where_others_make_up_for_them() {
        let system = system();
        let reader = SampleReader::new(&system, true);
        let line = format!(r#"{{{REST}, "shoulder": 7, "imu": null}}"#);
        let sample = reader.read(&line).expect("a sample");
        assert_eq!(sample.silent.len(), 1);
        assert_eq!(
            system.problem().sensors()[sample.silent[0].index()].name,
            "imu"
        );
        let bad = reader.read(r#"{"q": null}"#).expect_err("q is no sensor");
        assert!(
            bad.reason.contains("only sensors may be silent"),
            "{}",
            bad.reason
        );
    }

    #[test]
    fn a_contact_needs_no_reading_and_may_be_lost() {
        let system = system_of(
            r#"
            known = ["joint-accelerations"]
            [[sensor]]
            name = "tip"
            type = "contact"
            frame = "lower_rod"
            contact = "slippery"
        "#,
        );
        let reader = SampleReader::new(&system, true);
        let line = |tip: &str| format!("{{{REST}{tip}}}");
        for there in ["", r#", "tip": []"#] {
            let sample = reader.read(&line(there)).expect("a sample");
            assert!(sample.silent.is_empty());
        }
        let sample = reader.read(&line(r#", "tip": null"#)).expect("a sample");
        assert_eq!(sample.silent.len(), 1);
        let bad = reader.read(&line(r#", "tip": 1"#)).expect_err("no reading");
        assert!(bad.reason.contains("needs 0"), "{}", bad.reason);
        let reader = SampleReader::new(&system, false);
        let bad = reader.read(&line(r#", "tip": null"#)).expect_err("needed");
        assert!(bad.reason.contains("every value"), "{}", bad.reason);
    }
}
