//! Where states come from, one at a time.

use super::angle::Angles;
use super::place::too_large;
use super::state::State;
use crate::arguments::EvalArguments;
use crate::failure::Failure;
use crate::file;
use featherline::Model;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal, Read, stdin};
use std::path::Path;

/// States, one at a time.
pub enum Source<'a> {
    /// The neutral state, once.
    Neutral { model: &'a Model, done: bool },
    /// Random states.
    Random(RandomStates<'a>),
    /// States read from lines.
    Lines(StateLines<'a>),
}

/// A line that is not a state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BadLine {
    /// Which line, counted from 1.
    pub line: u64,
    /// Where in the line, counted from 1, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if let Some(column) = self.column {
            write!(f, ", column {column}")?;
        }
        write!(f, ": {}", self.reason)
    }
}

/// How far the source has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub done: u64,
    /// Absent where the end is unknown, as for a pipe.
    pub total: Option<u64>,
}

impl<'a> Source<'a> {
    /// The source that was asked for.
    pub fn open(arguments: &EvalArguments, model: &'a Model) -> Result<Self, Failure> {
        match (&arguments.states, arguments.random) {
            (Some(path), _) => Ok(Self::Lines(StateLines {
                lines: Lines::open(path)?,
                angles: Angles::new(model),
                model,
                neutral: State::neutral(model),
            })),
            (None, Some(count)) => Ok(Self::Random(RandomStates::new(
                model,
                count,
                arguments.seed,
            ))),
            (None, None) => Ok(Self::Neutral { model, done: false }),
        }
    }

    /// The next state, or what is wrong with its line; nothing at the end.
    ///
    /// Fails if the source itself can't be read.
    pub fn next(&mut self) -> Result<Option<Result<State, BadLine>>, Failure> {
        Ok(match self {
            Self::Neutral { model, done } => {
                (!std::mem::replace(done, true)).then(|| Ok(State::neutral(model)))
            }
            Self::Random(random) => random.next().map(Ok),
            Self::Lines(states) => states.next()?,
        })
    }

    /// Whether whoever writes the states may be waiting for results before he writes the next one.
    pub fn may_wait(&self) -> bool {
        match self {
            Self::Lines(states) => states.lines.may_wait(),
            _ => false,
        }
    }

    /// Where lines come from.
    pub fn name(&self) -> &str {
        match self {
            Self::Lines(states) => states.lines.name(),
            Self::Random(..) => "random states",
            Self::Neutral { .. } => "the neutral state",
        }
    }

    /// What is wrong with the state that came last where a quantity overflows, as it does with every state for which
    /// `overflows` is true.
    pub fn too_large(
        &self,
        quantity: &str,
        state: &State,
        mut overflows: impl FnMut(&State) -> bool,
    ) -> BadLine {
        let text = match self {
            Self::Lines(states) => states.lines.text(),
            _ => "",
        };
        let what = format!("`{quantity}`");
        let bad = too_large(&what, state.named(), text, |numbers| {
            overflows(&state.with(numbers))
        });
        BadLine {
            line: match self {
                Self::Lines(states) => states.lines.number(),
                Self::Random(random) => random.drawn,
                Self::Neutral { .. } => 1,
            },
            column: bad.column,
            reason: bad.reason,
        }
    }

    /// What to call the state that came last.
    pub fn label(&self) -> String {
        match self {
            Self::Neutral { .. } => "neutral, at rest".to_owned(),
            Self::Random(random) => {
                format!(
                    "random {} of {}, seed {}",
                    random.drawn, random.count, random.seed
                )
            }
            Self::Lines(states) => states.lines.place(),
        }
    }

    /// How far the source has come.
    pub fn progress(&self) -> Progress {
        match self {
            Self::Neutral { done, .. } => Progress {
                done: u64::from(*done),
                total: Some(1),
            },
            Self::Random(random) => Progress {
                done: random.drawn,
                total: Some(random.count),
            },
            Self::Lines(states) => states.lines.progress(),
        }
    }
}

/// States drawn within the robot's limits.
pub struct RandomStates<'a> {
    model: &'a Model,
    rng: ChaCha8Rng,
    seed: u64,
    count: u64,
    drawn: u64,
}

impl<'a> RandomStates<'a> {
    pub fn new(model: &'a Model, count: u64, seed: u64) -> Self {
        Self {
            model,
            rng: ChaCha8Rng::seed_from_u64(seed),
            seed,
            count,
            drawn: 0,
        }
    }
}

impl Iterator for RandomStates<'_> {
    type Item = State;

    fn next(&mut self) -> Option<State> {
        if self.drawn == self.count {
            return None;
        }
        self.drawn += 1;
        let mut state = State {
            q: self.model.random_configuration(&mut self.rng),
            ..State::neutral(self.model)
        };
        for joint in self.model.joints().iter().filter(|j| j.mimic.is_none()) {
            let limits = &joint.limits;
            let own = joint.idx_v..joint.idx_v + joint.nv;
            for (values, bounds) in [
                (&mut state.v, &limits.velocity),
                (&mut state.a, &limits.acceleration),
                (&mut state.tau, &limits.effort),
            ] {
                for (value, &bound) in values[own.clone()].iter_mut().zip(bounds) {
                    let bound = if bound.is_finite() { bound } else { 1.0 };
                    *value = bound * self.rng.random_range(-1.0..=1.0);
                }
            }
        }
        Some(state)
    }
}

/// States read line by line.
pub struct StateLines<'a> {
    lines: Lines,
    angles: Angles,
    model: &'a Model,
    neutral: State,
}

impl StateLines<'_> {
    fn next(&mut self) -> Result<Option<Result<State, BadLine>>, Failure> {
        Ok(match self.lines.next()? {
            None => None,
            Some(Err(bad)) => Some(Err(bad)),
            Some(Ok(text)) => {
                let read = State::read(text, self.model, &self.neutral);
                if let Ok(state) = &read {
                    self.angles.watch(&state.q, &self.lines);
                }
                Some(read.map_err(|bad| self.lines.bad(bad.column, bad.reason)))
            }
        })
    }
}

/// Lines of text, one at a time, so that memory does not grow with the input.
pub struct Lines {
    input: BufReader<Box<dyn Read>>,
    name: String,
    buffer: Vec<u8>,
    line: u64,
    bytes: u64,
    total: Option<u64>,
}

impl Lines {
    /// Opens a file, or standard input for `-`.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let (input, name, total): (Box<dyn Read>, _, _) = if path.as_os_str() == "-" {
            if stdin().is_terminal() {
                eprintln!("reading states from the terminal, one a line; end with Ctrl-D");
            }
            (Box::new(stdin()), "standard input".to_owned(), None)
        } else {
            let name = path.display().to_string();
            let unreadable =
                |error| Failure::State(format!("can't read states from `{name}`: {error}"));
            let file = File::open(path).map_err(unreadable)?;
            let about = file.metadata().map_err(unreadable)?;
            let total = about.is_file().then_some(about.len());
            (Box::new(file), name, total)
        };
        Ok(Self {
            input: BufReader::new(input),
            name,
            buffer: Vec::new(),
            line: 0,
            bytes: 0,
            total,
        })
    }

    /// The next line that is not empty, or what is wrong with it; nothing at the end.
    pub fn next(&mut self) -> Result<Option<Result<&str, BadLine>>, Failure> {
        loop {
            self.buffer.clear();
            let mut input = self.input.by_ref().take(file::TEXT + 1);
            let read = input.read_until(b'\n', &mut self.buffer);
            let read = read.and_then(|length| match length as u64 {
                length if length > file::TEXT => Err(file::too_large(file::TEXT)),
                _ => Ok(length),
            });
            let length = read.map_err(|error| {
                let (name, line) = (&self.name, self.line + 1);
                Failure::State(format!("can't read line {line} of `{name}`: {error}"))
            })?;
            if length == 0 {
                return Ok(None);
            }
            self.line += 1;
            self.bytes += length as u64;
            if !self.buffer.trim_ascii().is_empty() {
                break;
            }
        }
        match std::str::from_utf8(&self.buffer) {
            Ok(_) => Ok(Some(Ok(self.text()))),
            Err(error) => {
                let column = error.valid_up_to() + 1;
                let bad = self.bad(Some(column), "the text is not UTF-8".to_owned());
                Ok(Some(Err(bad)))
            }
        }
    }

    /// The line that came last; nothing of one that is not UTF-8.
    pub fn text(&self) -> &str {
        let text = std::str::from_utf8(&self.buffer).unwrap_or_default();
        // Some editors begin a text with a mark of its byte order.
        match self.line {
            1 => text.trim_start_matches('\u{feff}').trim_end(),
            _ => text.trim_end(),
        }
    }

    /// The number of the line that came last, counted from 1.
    pub fn number(&self) -> u64 {
        self.line
    }

    /// What is wrong with the line that came last.
    pub fn bad(&self, column: Option<usize>, reason: String) -> BadLine {
        BadLine {
            line: self.line,
            column,
            reason,
        }
    }

    /// Whether whoever writes the lines may be waiting for answers before he writes the next one.
    pub fn may_wait(&self) -> bool {
        !self.input.buffer().contains(&b'\n')
    }

    /// Where the lines come from.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where the line that came last stands.
    pub fn place(&self) -> String {
        format!("{}, line {}", self.name, self.line)
    }

    /// How far the lines have come, in bytes.
    pub fn progress(&self) -> Progress {
        Progress {
            done: self.bytes,
            total: self.total,
        }
    }
}
