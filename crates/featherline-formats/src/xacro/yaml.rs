//! Files in YAML as values.

use super::budget::{Outcome, Refusal, refuse};
use super::expansion::Expansion;
use super::parse::parse;
use super::value::{Value, number};
use crate::xml::shortened;
use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};
use std::collections::HashMap;

/// The most lists inside one another.
const DEPTH: usize = 64;

/// The steps of reading a file: few are read by a robot.
pub(super) const FILE: usize = 1000;

/// A file while it is read.
struct Reading<'t> {
    parser: Parser<'t, StrInput<'t>>,
    /// The values that are named by `&`. Copies share their memory.
    anchors: HashMap<usize, Value>,
    depth: usize,
}

impl Expansion<'_> {
    /// The value of a file, whose name is from the folder of the file that names it.
    pub(super) fn load_yaml(&mut self, name: &str) -> Outcome<Value> {
        self.budget.steps(FILE)?;
        let path = self.folder().join(name);
        let text = self.read(&path)?;
        let mut reading = Reading {
            parser: Parser::new_from_str(&text),
            anchors: HashMap::new(),
            depth: 0,
        };
        let value = reading.first(self);
        value.map_err(|Refusal(reason)| {
            let path = shortened(&path.display().to_string());
            Refusal(format!("`{path}` can't be read: {reason}"))
        })
    }
}

impl<'t> Reading<'t> {
    fn event(&mut self) -> Outcome<Event<'t>> {
        match self.parser.next_event() {
            Some(Ok((event, _))) => Ok(event),
            // The text of the file is not shown: who reads the message may not be who may read it.
            Some(Err(error)) => {
                let line = error.marker().line();
                Err(Refusal(format!("it is not YAML in line {line}")))
            }
            None => Ok(Event::StreamEnd),
        }
    }

    /// The value of the first document.
    fn first(&mut self, expansion: &mut Expansion<'_>) -> Outcome<Value> {
        loop {
            match self.event()? {
                Event::StreamStart | Event::DocumentStart(_) | Event::Nothing => {}
                Event::StreamEnd | Event::DocumentEnd => return Ok(Value::None),
                event @ (Event::Alias(_)
                | Event::Scalar(..)
                | Event::SequenceStart(..)
                | Event::SequenceEnd
                | Event::MappingStart(..)
                | Event::MappingEnd) => return self.value(event, expansion),
            }
        }
    }

    /// The value that an event begins.
    fn value(&mut self, event: Event<'t>, expansion: &mut Expansion<'_>) -> Outcome<Value> {
        expansion.budget.steps(1)?;
        self.depth += 1;
        if self.depth > DEPTH {
            refuse!("more than {DEPTH} lists are inside one another");
        }
        let (value, anchor) = match event {
            Event::Alias(anchor) => {
                let Some(value) = self.anchors.get(&anchor).cloned() else {
                    refuse!("a list is inside of itself");
                };
                (value, 0)
            }
            Event::Scalar(text, style, anchor, tag) => {
                let value = match (style, tag) {
                    (_, Some(tag)) => tagged(&text, &tag.suffix, expansion)?,
                    (ScalarStyle::Plain, None) => plain(&text),
                    (_, None) => Value::text_of(&*text),
                };
                (value, anchor)
            }
            Event::SequenceStart(anchor, _) => {
                let mut items = Vec::new();
                loop {
                    let event = self.event()?;
                    if event == Event::SequenceEnd {
                        break;
                    }
                    items.push(self.value(event, expansion)?);
                }
                (Value::list(items)?, anchor)
            }
            Event::MappingStart(anchor, _) => (self.mapping(expansion)?, anchor),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd
            | Event::SequenceEnd
            | Event::MappingEnd => return Err(Refusal("it ends too early".to_owned())),
        };
        if anchor > 0 {
            self.anchors.insert(anchor, value.clone());
        }
        self.depth -= 1;
        Ok(value)
    }

    fn mapping(&mut self, expansion: &mut Expansion<'_>) -> Outcome<Value> {
        let (mut merged, mut entries) = (Vec::new(), Vec::new());
        loop {
            let event = self.event()?;
            if event == Event::MappingEnd {
                break;
            }
            let key = self.value(event, expansion)?;
            let event = self.event()?;
            let value = self.value(event, expansion)?;
            match (&key, &value) {
                // The entries of another, which those beside it replace.
                (Value::Text(name), Value::Dict(other)) if &**name == "<<" => {
                    expansion.budget.steps(other.items.len())?;
                    merged.extend(other.items.iter().cloned());
                }
                _ => entries.push((key, value)),
            }
        }
        Value::dict([merged, entries].concat(), &mut expansion.budget)
    }
}

/// A text without quotes.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::None,
        "true" | "True" | "TRUE" | "yes" | "Yes" | "on" | "On" => return Value::Bool(true),
        "false" | "False" | "FALSE" | "no" | "No" | "off" | "Off" => return Value::Bool(false),
        ".inf" => return Value::Float(f64::INFINITY),
        "-.inf" => return Value::Float(f64::NEG_INFINITY),
        ".nan" => return Value::Float(f64::NAN),
        _ => {}
    }
    // Words such as `inf` are texts here.
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
        && text.contains(|c: char| c.is_ascii_digit());
    let number = number(text).filter(|_| is_number);
    number.unwrap_or_else(|| Value::text_of(text))
}

/// An expression with a unit.
fn tagged(text: &str, unit: &str, expansion: &mut Expansion<'_>) -> Outcome<Value> {
    let scale = match unit {
        "radians" | "meters" | "float" => 1.0,
        "degrees" => 1f64.to_radians(),
        "millimeters" => 1e-3,
        "foot" => 0.3048,
        "inches" => 0.0254,
        "str" => return Ok(Value::text_of(text)),
        "int" | "bool" | "null" => return Ok(plain(text)),
        _ => {
            refuse!("the unit `!{}` is not known", shortened(unit));
        }
    };
    let value = expansion.evaluate(&parse(text)?, 0)?;
    let number = value.number();
    let number = number.ok_or_else(|| Refusal(format!("{} has no unit", value.kind())))?;
    Ok(Value::Float(number * scale))
}
