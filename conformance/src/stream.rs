//! The stream of robots and states from the reference.

use crate::record::Records;
use crate::reference::{Robot, State};
use anyhow::{Result, bail, ensure};
use featherline_formats::Continuous;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::BufRead;

/// The version of the format that is read.
const FORMAT: u64 = 2;

/// A record of the stream.
#[derive(Debug)]
pub enum Record {
    /// The beginning.
    Stream(Preamble),
    /// A robot on one base.
    Model(Box<Model>),
    /// A state of the last robot.
    State(State),
    /// The end.
    End,
}

/// How the numbers were made.
#[derive(Clone, Debug, Deserialize)]
pub struct Preamble {
    /// The seed of the states.
    pub seed: u64,
    /// How many states each robot has.
    pub states: usize,
    /// The groups of quantities that were asked for.
    pub groups: Vec<String>,
    /// The fraction at which configurations are interpolated.
    pub interpolation: f64,
    /// Versions of the reference's packages.
    pub versions: BTreeMap<String, String>,
}

/// A robot on one base.
#[derive(Clone, Debug)]
pub struct Model {
    /// The robot's name: its file's, below the package's folder of robots; or its description's.
    pub robot: String,
    /// Where we have it from.
    pub source: Source,
    /// The reference's result for it.
    pub content: Content,
}

/// Where we have a robot from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A URDF.
    Urdf {
        /// Its path.
        file: String,
        /// Whether the robot floats.
        floating: bool,
        /// How `continuous` joints are given.
        continuous: Continuous,
    },
    /// A description.
    Description(Value),
}

impl Source {
    /// The robot's base, and how its `continuous` joints are given if it is not as in the
    /// reference.
    pub fn variant(&self) -> &'static str {
        match self {
            Self::Urdf {
                floating,
                continuous,
                ..
            } => match (floating, continuous) {
                (false, Continuous::CosSin) => "fixed",
                (true, Continuous::CosSin) => "floating",
                (false, Continuous::Angle) => "fixed, angles",
                (true, Continuous::Angle) => "floating, angles",
            },
            Self::Description(_) => "as described",
        }
    }
}

/// The reference's result for a robot.
#[derive(Clone, Debug)]
pub enum Content {
    /// The reference cannot read the file: its reason.
    Refused(String),
    /// The robot.
    Robot {
        /// The robot as the reference sees it.
        robot: Robot,
        /// Why all joints move freely, where the file's mimics cannot be obeyed.
        free: Option<String>,
    },
}

#[derive(Deserialize)]
struct ModelHeader {
    robot: String,
    file: Option<String>,
    base: String,
    continuous: Option<String>,
    description: Option<Value>,
    refused: Option<String>,
    mimics: Option<String>,
    note: Option<String>,
}

#[derive(Deserialize)]
struct StateHeader {
    index: usize,
    errors: BTreeMap<String, String>,
}

/// Reads records one after the other.
#[derive(Debug)]
pub struct Reader<R> {
    records: Records<R>,
}

impl<R: BufRead> Reader<R> {
    /// A reader that stands at the beginning of a stream.
    pub fn new(source: R) -> Self {
        Self {
            records: Records::new(source),
        }
    }

    /// The next record.
    ///
    /// # Errors
    /// If the stream is damaged, of another format, or ends before its `end` record.
    pub fn record(&mut self) -> Result<Record> {
        let record = self.records.read()?;
        Ok(match record.kind.as_str() {
            "stream" => {
                let format = record.header.get("format").and_then(Value::as_u64);
                ensure!(
                    format == Some(FORMAT),
                    "the stream has format {format:?}, and this program reads {FORMAT}"
                );
                Record::Stream(serde_json::from_value(record.header)?)
            }
            "model" => Record::Model(Box::new(model(record.header)?)),
            "state" => {
                let header: StateHeader = serde_json::from_value(record.header)?;
                Record::State(State {
                    index: header.index,
                    missing: header.errors,
                    arrays: record.arrays,
                })
            }
            "end" => Record::End,
            other => bail!("the stream has a record of unknown kind `{other}`"),
        })
    }
}

fn model(rest: Value) -> Result<Model> {
    let header = ModelHeader::deserialize(&rest)?;
    let content = match header.refused {
        Some(reason) => Content::Refused(reason),
        None => Content::Robot {
            robot: serde_json::from_value(rest)?,
            free: match header.mimics.as_deref() {
                Some("reduced") => None,
                Some("free") => Some(header.note.unwrap_or_default()),
                other => bail!("the stream has `mimics` {other:?}"),
            },
        },
    };
    let source = match (header.description, header.file) {
        (Some(description), None) => Source::Description(description),
        (None, Some(file)) => Source::Urdf {
            file,
            floating: match header.base.as_str() {
                "fixed" => false,
                "floating" => true,
                other => bail!("the stream has a robot on the unknown base `{other}`"),
            },
            continuous: match header.continuous.as_deref() {
                Some("angle") => Continuous::Angle,
                Some("cos_sin") => Continuous::CosSin,
                other => bail!("the stream has `continuous` {other:?}"),
            },
        },
        _ => bail!("the stream has a robot without either a file or a description"),
    };
    Ok(Model {
        robot: header.robot,
        source,
        content,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: &str, rest: &str, arrays: &str, numbers: &[f64]) -> Vec<u8> {
        let bytes = 8 * numbers.len();
        let header =
            format!(r#"{{"kind":"{kind}",{rest}"arrays":{arrays},"payload_bytes":{bytes}}}"#);
        let payload = numbers.iter().flat_map(|x| x.to_le_bytes());
        header.bytes().chain(*b"\n").chain(payload).collect()
    }

    #[test]
    fn arrays_come_in_the_order_of_the_header_and_may_be_empty() {
        let arrays = r#"[["b",[2,1]],["none",[0,6]],["a",[1]]]"#;
        // The last number's bytes have a line break among them.
        let numbers = [1.5, -2.0, f64::from_bits(0x0A0A_0A0A_0A0A_0A0A)];
        let bytes = record(
            "state",
            r#""index":3,"errors":{"x":"y"},"#,
            arrays,
            &numbers,
        );
        let Record::State(state) = Reader::new(&bytes[..]).record().unwrap() else {
            panic!("not a state");
        };
        assert_eq!((state.index, state.missing["x"].as_str()), (3, "y"));
        assert_eq!(state.values("b"), Some(&numbers[..2]));
        assert_eq!(state.arrays["none"].shape, [0, 6]);
        assert_eq!(state.values("none"), Some(&[][..]));
        assert_eq!(state.values("a"), Some(&numbers[2..]));
    }

    #[test]
    fn damage_is_an_error() {
        let whole = record(
            "state",
            r#""index":0,"errors":{},"#,
            r#"[["a",[2]]]"#,
            &[1.0, 2.0],
        );
        for length in 0..whole.len() {
            assert!(Reader::new(&whole[..length]).record().is_err());
        }
        let short = record(
            "state",
            r#""index":0,"errors":{},"#,
            r#"[["a",[3]]]"#,
            &[1.0, 2.0],
        );
        assert!(Reader::new(&short[..]).record().is_err());
        let newer = record("stream", r#""format":3,"#, "[]", &[]);
        assert!(Reader::new(&newer[..]).record().is_err());
    }
}
