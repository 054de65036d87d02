//! The states that `eval` was given, one at a time.

use super::arguments::EvalArguments;
use crate::failure::Failure;
use crate::states::{Angles, BadLine, Lines, Progress, RandomStates, State, too_large};
use featherline::Model;

/// States, one at a time.
pub enum Source<'a> {
    /// The neutral state, once.
    Neutral { model: &'a Model, done: bool },
    /// Random states.
    Random(RandomStates<'a>),
    /// States read from lines.
    Lines(StateLines<'a>),
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

    /// Whether the next state may only be written after the results so far.
    pub fn may_wait(&self) -> bool {
        match self {
            Self::Lines(states) => states.lines.may_wait(),
            Self::Neutral { .. } | Self::Random(_) => false,
        }
    }

    /// The name of the source.
    pub fn name(&self) -> &str {
        match self {
            Self::Lines(states) => states.lines.name(),
            Self::Random(..) => "random states",
            Self::Neutral { .. } => "the neutral state",
        }
    }

    /// The error of the last state, for which a quantity overflows, as `overflows` says of any
    /// state.
    pub fn too_large(
        &self,
        quantity: &str,
        state: &State,
        mut overflows: impl FnMut(&State) -> bool,
    ) -> BadLine {
        let text = match self {
            Self::Lines(states) => states.lines.text(),
            Self::Neutral { .. } | Self::Random(_) => "",
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

    /// The name of the last state.
    pub fn label(&self) -> String {
        match self {
            Self::Neutral { .. } => "neutral, at rest".to_owned(),
            Self::Random(random) => {
                format!(
                    "random {} of {}, seed {}",
                    random.drawn, random.count, random.seed
                )
            }
            Self::Lines(states) => states.lines.label(),
        }
    }

    /// How many states were given.
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
