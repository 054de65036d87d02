//! The states that `eval` was given, one at a time.

use super::arguments::EvalArguments;
use crate::failure::Failure;
use crate::robot::Robot;
use crate::states::{
    Angles, BadLine, Lines, Progress, RandomStates, State, StateArguments, doubt_degrees, sized,
    too_large,
};
use featherline::Model;

/// States, one at a time.
pub enum Source<'a> {
    /// One state: that of the options, else the neutral one.
    One {
        state: Box<State>,
        is_given: bool,
        done: bool,
    },
    /// Random states.
    Random(RandomStates<'a>),
    /// States read from lines.
    Lines(StateLines<'a>),
}

impl<'a> Source<'a> {
    /// The source that was asked for.
    pub fn open(arguments: &EvalArguments, robot: &'a Robot) -> Result<Self, Failure> {
        let model = &robot.model;
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
            (None, None) => {
                let neutral = State::neutral(model);
                let state = given(arguments, robot)?;
                doubt_degrees(model, &state.q, "the state");
                Ok(Self::One {
                    is_given: state != neutral,
                    state: Box::new(state),
                    done: false,
                })
            }
        }
    }

    /// The next state, or what is wrong with its line; nothing at the end.
    ///
    /// Fails if the source itself can't be read.
    pub fn next(&mut self) -> Result<Option<Result<State, BadLine>>, Failure> {
        Ok(match self {
            Self::One { state, done, .. } => {
                (!std::mem::replace(done, true)).then(|| Ok((**state).clone()))
            }
            Self::Random(random) => random.next().map(Ok),
            Self::Lines(states) => states.next()?,
        })
    }

    /// Whether the next state may only be written after the results so far.
    pub fn may_wait(&self) -> bool {
        match self {
            Self::Lines(states) => states.lines.may_wait(),
            Self::One { .. } | Self::Random(_) => false,
        }
    }

    /// The name of the source.
    pub fn name(&self) -> &str {
        match self {
            Self::Lines(states) => states.lines.name(),
            Self::Random(..) => "random states",
            Self::One { .. } => "the state",
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
            Self::One { .. } | Self::Random(_) => "",
        };
        let what = format!("`{quantity}`");
        let bad = too_large(&what, state.named(), text, |numbers| {
            overflows(&state.with(numbers))
        });
        BadLine {
            line: match self {
                Self::Lines(states) => states.lines.number(),
                Self::Random(random) => random.drawn,
                Self::One { .. } => 1,
            },
            column: bad.column,
            reason: bad.reason,
        }
    }

    /// The name of the last state.
    pub fn label(&self) -> String {
        match self {
            Self::One { is_given: true, .. } => "the given state".to_owned(),
            Self::One { .. } => "neutral, at rest".to_owned(),
            Self::Random(RandomStates {
                drawn, count, seed, ..
            }) => {
                format!("random {drawn} of {count}, seed {seed}")
            }
            Self::Lines(states) => states.lines.label(),
        }
    }

    /// How many states were given.
    pub fn progress(&self) -> Progress {
        match self {
            Self::One { done, .. } => Progress {
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

/// The state that options give; what is missing is neutral or zero.
fn given(arguments: &EvalArguments, robot: &Robot) -> Result<State, Failure> {
    let model = &robot.model;
    let mut state = State::neutral(model);
    if let Some(name) = arguments.state.named(model)? {
        state.q.clone_from(&model.reference_configurations()[name]);
        state.v = robot.velocity(name).unwrap_or(state.v);
    }
    let [nq, nv] = [("nq", model.nq()), ("nv", model.nv())].map(|(it, n)| format!("{it} = {n}"));
    let StateArguments { q, v, .. } = &arguments.state;
    Ok(State {
        q: sized("--q", q.as_deref(), state.q, model, &nq)?,
        v: sized("--v", v.as_deref(), state.v, model, &nv)?,
        a: sized("--a", arguments.a.as_deref(), state.a, model, &nv)?,
        tau: sized("--tau", arguments.tau.as_deref(), state.tau, model, &nv)?,
        ..state
    })
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
                    self.angles.watch(self.model, &state.q, &self.lines);
                }
                Some(read.map_err(|bad| self.lines.bad(bad.column, bad.reason)))
            }
        })
    }
}
