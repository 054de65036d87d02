//! Samples of a robot and its sensors, read from lines of JSON.

use crate::names;
use crate::states::{self, BadState, Fields};
use featherline::words::{DidYouMean, closest};
use featherline_system::{InputGroup, KnownSet, SensorId, System};

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
    pub system: &'a System,
    groups: Vec<InputGroup>,
    /// The contacts, which are assumed without readings.
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

    /// Reads a line. Fields that are no part of a sample are ignored, as in what `eval`, `run` and
    /// `simulate` write.
    pub fn read(&self, line: &str) -> Result<Sample, BadState> {
        let entries = Entries {
            reader: self,
            given: Vec::new(),
            ignored: Vec::new(),
        };
        states::read(line, entries)
    }

    /// The key of a group of inputs that may be given by another name of the same quantity: `tau`
    /// by `joint-forces`, and `qdd` by `a` as in a state of `eval`, a body by one of its links.
    fn key(&self, given: &str) -> Option<String> {
        let word = || match given {
            "a" => "qdd".to_owned(),
            other => names::system_word(other),
        };
        let is_key = |name: &String| self.size(name).is_some();
        Some(given.to_owned()).filter(is_key).or_else(|| {
            let model = self.system.model();
            let known = KnownSet::parse(&word(), model).ok()?;
            Some(known.name(model)).filter(is_key)
        })
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

    /// The sample of all fields of a line, with the names of those that are ignored.
    fn sample(
        &self,
        mut given: Vec<(String, Option<Vec<f64>>)>,
        ignored: &[String],
    ) -> Result<Sample, String> {
        let mut take = |key: &str| {
            let at = given.iter().position(|(known, _)| known == key)?;
            Some(given.swap_remove(at).1)
        };
        let missing = |key: &str| {
            let meant = closest(key, ignored.iter().map(String::as_str));
            let meant = meant.map_or_else(String::new, |it| format!(", and `{it}` is ignored"));
            format!("`{key}` is missing{meant}; a sample has {}", self.listed())
        };
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

/// The fields of a line.
struct Entries<'r, 's> {
    reader: &'r SampleReader<'s>,
    given: Vec<(String, Option<Vec<f64>>)>,
    /// The names of those that are no part of a sample.
    ignored: Vec<String>,
}

impl Fields for Entries<'_, '_> {
    type Output = Sample;

    const EXPECTED: &'static str = "an object {…} with q, v and the readings";

    fn needs(&self, field: &str) -> Result<bool, String> {
        let key = self.reader.key(field);
        match self
            .given
            .iter()
            .any(|(known, _)| Some(known) == key.as_ref())
        {
            true => Err(format!("duplicate field `{field}`")),
            false => Ok(key.is_some()),
        }
    }

    fn take(&mut self, field: String, values: Option<Vec<f64>>) -> Result<(), String> {
        let reader = self.reader;
        let Some(key) = reader.key(&field) else {
            return Ok(());
        };
        let is_sensor = |group: &InputGroup| group.name == key && group.sensor.is_some();
        let is_sensor = reader.groups.iter().any(is_sensor)
            || reader.contacts.iter().any(|contact| contact.0 == key);
        match (&values, reader.size(&key)) {
            (Some(values), Some(size)) if values.len() != size => {
                return Err(format!(
                    "`{key}` has {} entries where {} needs {size}",
                    values.len(),
                    reader.system.model().name(),
                ));
            }
            (None, _) if !(reader.may_be_silent && is_sensor) => {
                let why = match reader.may_be_silent {
                    true => "only sensors may be silent",
                    false => "a solution needs every value",
                };
                return Err(format!("`{key}` is null; {why}"));
            }
            _ => {}
        }
        self.given.push((key, values));
        Ok(())
    }

    /// Null says that a sensor or a contact is silent: a name that no sensor has is a mistake.
    fn ignore(&mut self, field: String, is_null: bool) -> Result<(), String> {
        if is_null && !names::is_known(&field) {
            return Err(format!(
                "`{field}` is null, and no sensor has this name{}",
                DidYouMean(closest(&field, self.reader.keys()))
            ));
        }
        self.ignored.push(field);
        Ok(())
    }

    fn finish(self) -> Result<Sample, String> {
        self.reader.sample(self.given, &self.ignored)
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
            joint = "shoulder"
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
        // The text behind the state, and the text that ends at the column.
        for (rest, until, reason) in [
            (
                r#", "shoulder": 7}"#,
                "}",
                "`imu` is missing; a sample has `t`, `q`, `v`, `qdd`, `shoulder`, `imu`",
            ),
            (
                r#", "imu": [1, 2]}"#,
                "[1, 2]}",
                "`imu` has 2 entries where double_pendulum needs 3",
            ),
            (
                r#", "elbow": null}"#,
                "null",
                "`elbow` is null, and no sensor has this name",
            ),
            (
                r#", "sholder": 7, "imu": [1, 2, 3]}"#,
                "}",
                "`shoulder` is missing, and `sholder` is ignored; a sample has `t`",
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
