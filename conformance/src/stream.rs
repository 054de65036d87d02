//! The binary stream of the reference: a line of JSON, then raw little-endian doubles, again and again.

use crate::reference::{Array, Robot, State};
use anyhow::{Context, Result, bail, ensure};
use featherline_formats::urdf::Continuous;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::BufRead;

/// The version of the format that is read.
const FORMAT: u64 = 2;
/// A payload beyond this is damage, not data.
const MAX_PAYLOAD: usize = 1 << 32;

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
    /// What the reference made of it.
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
    /// The robot's base, and how its `continuous` joints are given if it is not as in the reference.
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

/// What the reference made of a robot.
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

/// What every record has.
#[derive(Deserialize)]
struct Header {
    kind: String,
    arrays: Vec<(String, Vec<usize>)>,
    payload_bytes: usize,
    #[serde(flatten)]
    rest: serde_json::Map<String, Value>,
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
    source: R,
    line: Vec<u8>,
    bytes: Vec<u8>,
}

impl<R: BufRead> Reader<R> {
    /// A reader that stands at the beginning of a stream.
    pub fn new(source: R) -> Self {
        Self {
            source,
            line: Vec::new(),
            bytes: Vec::new(),
        }
    }

    /// The next record.
    ///
    /// # Errors
    /// If the stream is damaged, of another format, or ends before its `end` record.
    pub fn record(&mut self) -> Result<Record> {
        self.line.clear();
        let read = self.source.read_until(b'\n', &mut self.line)?;
        ensure!(
            read > 0 && self.line.ends_with(b"\n"),
            "the stream of reference numbers is truncated: it has no `end` record"
        );
        let header: Header =
            serde_json::from_slice(&self.line).context("a header of the stream is damaged")?;
        let arrays = self.payload(&header)?;
        let rest = Value::Object(header.rest);
        Ok(match header.kind.as_str() {
            "stream" => {
                let format = rest.get("format").and_then(Value::as_u64);
                ensure!(
                    format == Some(FORMAT),
                    "the stream has format {format:?}, and this program reads {FORMAT}"
                );
                Record::Stream(serde_json::from_value(rest)?)
            }
            "model" => Record::Model(Box::new(model(rest)?)),
            "state" => {
                let header: StateHeader = serde_json::from_value(rest)?;
                Record::State(State {
                    index: header.index,
                    missing: header.errors,
                    arrays,
                })
            }
            "end" => Record::End,
            other => bail!("the stream has a record of unknown kind `{other}`"),
        })
    }

    fn payload(&mut self, header: &Header) -> Result<BTreeMap<String, Array>> {
        let mut bytes: usize = 0;
        for (_, shape) in &header.arrays {
            let entries = shape.iter().try_fold(8usize, |n, &d| n.checked_mul(d));
            let sum = entries.and_then(|entries| bytes.checked_add(entries));
            bytes = sum.context("an array of the stream is too large")?;
        }
        ensure!(
            bytes == header.payload_bytes && bytes <= MAX_PAYLOAD,
            "the arrays of a record take {bytes} bytes, and its header says {}",
            header.payload_bytes
        );
        self.bytes.resize(bytes, 0);
        self.source
            .read_exact(&mut self.bytes)
            .context("the stream of reference numbers is truncated within a record")?;
        let mut numbers = self.bytes.as_chunks::<8>().0.iter();
        let arrays = header.arrays.iter().map(|(name, shape)| {
            let entries = shape.iter().product();
            let values = numbers.by_ref().take(entries);
            let array = Array {
                shape: shape.clone(),
                values: values.map(|&bytes| f64::from_le_bytes(bytes)).collect(),
            };
            (name.clone(), array)
        });
        Ok(arrays.collect())
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
