//! `featherline run`: a compiled program, state by state.

mod arguments;
mod description;
mod state;
mod text;

pub use arguments::{HELP, RunArguments};

use crate::failure::Failure;
use crate::file;
use crate::format::{Format, write_line};
use crate::states::{BadLine, BadLines, BadRecord, Bar, Lines, too_large};
use crate::status::Status;
use description::Description;
use featherline_compile::{Interpreter, Port, Program, ProgramError};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use state::{Answer, Values, read};
use std::fmt::Display;
use std::io::{BufWriter, Write, stdout};
use std::path::Path;

/// The most states that are run together, where nobody waits for single answers.
const TOGETHER: usize = 1024;

/// The most numbers that their inputs and outputs may be.
const NUMBERS: usize = 1 << 22;

/// Runs the program for every state, or describes it.
pub fn run(arguments: &RunArguments) -> Result<Status, Failure> {
    let program = load(&arguments.program)?;
    let mut out = BufWriter::new(stdout().lock());
    let format = arguments.format;
    let done = match (&arguments.states, arguments.random) {
        (Some(path), _) => run_lines(&program, &mut Lines::open(path)?, format, &mut out),
        (None, Some(count)) => run_random(&program, count, arguments.seed, format, &mut out),
        (None, None) => describe(&program, format, &mut out),
    };
    out.flush()?;
    done
}

fn load(path: &Path) -> Result<Program, Failure> {
    let failure = |what: &dyn Display| {
        let path = path.display();
        Failure::Program(format!("can't read the program `{path}`: {what}"))
    };
    let bytes = file::read(path, file::WRITTEN).map_err(|error| failure(&error))?;
    Program::from_bytes(&bytes).map_err(|error| failure(&error))
}

/// States that are waiting to be run, and lines that are not states, in the order of the input.
#[derive(Default)]
struct Waiting {
    inputs: Vec<f64>,
    lines: Vec<Line>,
    /// The bytes of their texts.
    text: u64,
}

/// A line without its answer.
enum Line {
    /// Not a state.
    Bad(BadLine),
    /// A state, with its line's number and text.
    State(u64, String),
}

/// Where states come from.
enum Source {
    /// Lines of a file, or of standard input, by its name.
    Lines(String),
    Random {
        count: u64,
        seed: u64,
    },
}

impl Source {
    /// The name of a state.
    fn title(&self, number: u64) -> String {
        match self {
            Self::Lines(name) => format!("{name}, line {number}"),
            Self::Random { count, seed } => format!("random {number} of {count}, seed {seed}"),
        }
    }
}

struct Runner<'p> {
    program: &'p Program,
    format: Format,
    source: Source,
    interpreter: Interpreter<'p>,
    outputs: Vec<f64>,
    /// How many lines wait at most.
    together: usize,
    waiting: Waiting,
    bad_lines: BadLines,
}

impl<'p> Runner<'p> {
    fn new(program: &'p Program, format: Format, source: Source) -> Self {
        Self {
            program,
            format,
            source,
            interpreter: Interpreter::new(program),
            outputs: Vec::new(),
            together: NUMBERS
                .checked_div(program.input_count() + program.output_count())
                .map_or(TOGETHER, |states| states.clamp(1, TOGETHER)),
            waiting: Waiting::default(),
            bad_lines: BadLines::default(),
        }
    }

    /// Whether no more lines should wait: memory does not grow with the input.
    fn is_full(&self) -> bool {
        self.waiting.lines.len() >= self.together || self.waiting.text >= file::TEXT
    }

    /// Runs what is waiting, and writes the answers.
    fn answer(&mut self, out: &mut impl Write) -> Result<(), Failure> {
        let Waiting {
            inputs,
            lines,
            text: waiting_text,
        } = &mut self.waiting;
        let (width, height) = (self.program.input_count(), self.program.output_count());
        let is_state = |line: &&Line| matches!(line, Line::State(..));
        let states = lines.iter().filter(is_state).count();
        self.outputs.clear();
        self.outputs.resize(states * height, 0.0);
        match self.interpreter.run(inputs, &mut self.outputs) {
            // Which outputs are not finite, and why, stands in the answers.
            Ok(()) | Err(ProgramError::NotFinite { .. } | ProgramError::Overflow { .. }) => {}
            Err(error) => return Err(Failure::Program(error.to_string())),
        }
        let mut given = inputs.chunks_exact(width.max(1));
        let mut results = self.outputs.chunks_exact(height.max(1));
        let mut again = vec![0.0; height];
        for line in lines.drain(..) {
            let (number, answer) = match line {
                Line::Bad(bad) => (bad.line, Err(bad)),
                Line::State(number, text) => {
                    let state = given.next().unwrap_or_default();
                    let numbers = results.next().unwrap_or_default();
                    let is_finite = numbers.iter().all(|x| x.is_finite());
                    let answer = match (!is_finite).then(|| self.interpreter.run(state, &mut again))
                    {
                        Some(Err(ProgramError::Overflow { output, .. })) => {
                            let what = format!("`{output}`");
                            let named = Values::of(self.program.inputs(), state).iter();
                            let named = named.map(|(port, own)| (port.name.as_str(), own));
                            let interpreter = &mut self.interpreter;
                            let bad = too_large(&what, named, &text, |state| {
                                let run = interpreter.run(state, &mut again);
                                matches!(run, Err(ProgramError::Overflow { .. }))
                            });
                            Err(BadLine {
                                line: number,
                                column: bad.column,
                                reason: bad.reason,
                            })
                        }
                        _ => Ok(Answer {
                            outputs: Values::of(self.program.outputs(), numbers),
                            state: Values::of(self.program.inputs(), state),
                            echoes: matches!(self.source, Source::Random { .. }),
                        }),
                    };
                    (number, answer)
                }
            };
            match self.format {
                Format::Jsonl => match &answer {
                    Ok(answer) => write_line(out, answer)?,
                    Err(bad) => write_line(out, &BadRecord { error: bad })?,
                },
                Format::Text => {
                    let title = format!("{} · {}", self.program.name(), self.source.title(number));
                    text::write(out, &title, answer.as_ref())?;
                }
            }
            if let Err(bad) = answer {
                self.bad_lines.add(bad);
            }
        }
        inputs.clear();
        *waiting_text = 0;
        Ok(())
    }
}

fn run_lines(
    program: &Program,
    lines: &mut Lines,
    format: Format,
    out: &mut impl Write,
) -> Result<Status, Failure> {
    let source = Source::Lines(lines.name().to_owned());
    let mut runner = Runner::new(program, format, source);
    let mut bar = Bar::new();
    let done = loop {
        let line = match lines.next() {
            Ok(Some(line)) => line.map(|text| read(text, program.inputs())),
            Ok(None) => break Ok(()),
            // Earlier answers are written all the same.
            Err(failure) => break Err(failure),
        };
        let line = match line {
            Ok(Ok(state)) => {
                runner.waiting.inputs.extend(state);
                runner.waiting.text += lines.text().len() as u64;
                Line::State(lines.number(), lines.text().to_owned())
            }
            Ok(Err(bad)) => Line::Bad(lines.bad(bad.column, bad.reason)),
            Err(bad) => Line::Bad(bad),
        };
        runner.waiting.lines.push(line);
        if lines.may_wait() || runner.is_full() {
            runner.answer(out)?;
            out.flush()?;
            bar.show(lines.progress());
        }
    };
    runner.answer(out)?;
    bar.finish();
    done?;
    runner.bad_lines.outcome(lines.name())
}

fn run_random(
    program: &Program,
    count: u64,
    seed: u64,
    format: Format,
    out: &mut impl Write,
) -> Result<Status, Failure> {
    let mut runner = Runner::new(program, format, Source::Random { count, seed });
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for drawn in 1..=count {
        for port in program.inputs() {
            draw(port, &mut rng, &mut runner.waiting.inputs);
        }
        let line = Line::State(drawn, String::new());
        runner.waiting.lines.push(line);
        if drawn == count || runner.is_full() {
            runner.answer(out)?;
        }
    }
    runner.bad_lines.outcome("random states")
}

/// Appends random numbers for an input: within ±1, and unit vectors uniformly over all directions.
fn draw(port: &Port, rng: &mut ChaCha8Rng, inputs: &mut Vec<f64>) {
    let first = inputs.len();
    let count = port.rows * port.columns;
    inputs.extend((0..count).map(|_| rng.random_range(-1.0..=1.0)));
    for unit in &port.units {
        let unit = &mut inputs[first + unit.start..first + unit.end];
        // The directions of points of a ball are uniform, those of points of a cube are not.
        loop {
            let length = unit.iter().map(|x| x * x).sum::<f64>().sqrt();
            if (0.01..=1.0).contains(&length) {
                unit.iter_mut().for_each(|x| *x /= length);
                break;
            }
            unit.fill_with(|| rng.random_range(-1.0..=1.0));
        }
    }
}

/// Writes the inputs, outputs and operations of a program.
fn describe(program: &Program, format: Format, out: &mut impl Write) -> Result<Status, Failure> {
    match format {
        Format::Text => text::describe(program, out)?,
        Format::Jsonl => write_line(out, &Description::of(program))?,
    }
    Ok(Status::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_are_drawn_with_length_one_and_uniformly() {
        let port = Port {
            units: vec![3..7, 8..10],
            ..Port::vector("q", 11)
        };
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut states = Vec::new();
        const COUNT: usize = 4000;
        for _ in 0..COUNT {
            draw(&port, &mut rng, &mut states);
        }
        assert_eq!(states.len(), 11 * COUNT);
        let mut fourth_powers = 0.0;
        for q in states.chunks_exact(11) {
            assert!(q.iter().all(|x| x.abs() <= 1.0));
            for unit in &port.units {
                let squared: f64 = q[unit.clone()].iter().map(|x| x * x).sum();
                assert!((squared - 1.0).abs() < 1e-14, "{squared}");
            }
            fourth_powers += q[3..7].iter().map(|x| x.powi(4)).sum::<f64>();
        }
        // A component of a uniform unit vector of n has 3 / (n (n + 2)) for the mean of its fourth
        // power, here 1/8; directions of points of a cube would have 0.107.
        let mean = fourth_powers / (4 * COUNT) as f64;
        assert!((mean - 0.125).abs() < 0.004, "{mean}");
    }
}
