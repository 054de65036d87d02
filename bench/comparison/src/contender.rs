//! The harness's end of the protocol of `bench/README.md`.

use anyhow::{Context, Result, anyhow, bail};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running contender. It ends when this value is dropped.
pub struct Contender {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    name: String,
}

impl Contender {
    /// Starts a contender with arguments; it inherits the core that this process is pinned to.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(program: &Path, arguments: &[String]) -> Result<Self> {
        let file = program.file_name().unwrap_or(program.as_os_str());
        let name = file.to_string_lossy().into_owned();
        let mut process = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let (requests, answers) = pipes.ok_or_else(|| anyhow!("{name} has no pipes"))?;
        Ok(Self {
            process,
            requests,
            answers: BufReader::new(answers),
            name,
        })
    }

    /// The program's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes a request, and gives the answer without its `ok`, or the reason of a refusal.
    ///
    /// # Errors
    /// If the contender has ended, or answers with something else.
    pub fn try_to(&mut self, request: &str) -> Result<Result<String, String>> {
        let mut line = String::new();
        writeln!(self.requests, "{request}")
            .and_then(|()| self.answers.read_line(&mut line))
            .with_context(|| format!("{} ended before answering `{request}`", self.name))?;
        let line = line.trim_end();
        match line.split_once(' ') {
            Some(("ok", answer)) => Ok(Ok(answer.to_owned())),
            Some(("error", reason)) => Ok(Err(reason.to_owned())),
            _ => bail!("{} answered `{line}` to `{request}`", self.name),
        }
    }

    /// Makes a request and gives the answer without its `ok`.
    ///
    /// # Errors
    /// If the contender refuses, or has ended.
    pub fn ask(&mut self, request: &str) -> Result<String> {
        let answer = self.try_to(request)?;
        answer.map_err(|reason| anyhow!("{} refuses `{request}`: {reason}", self.name))
    }

    /// Makes a request whose answer is a list of numbers.
    ///
    /// # Errors
    /// As [`ask`](Self::ask), and if the answer is no list of numbers of the length that it states.
    pub fn numbers(&mut self, request: &str) -> Result<Vec<f64>> {
        let answer = self.ask(request)?;
        let mut words = answer.split_whitespace();
        let count: Option<usize> = words.next().and_then(|word| word.parse().ok());
        let numbers: Result<Vec<f64>, _> = words.map(str::parse).collect();
        let numbers =
            numbers.with_context(|| format!("{}: malformed answer to `{request}`", self.name))?;
        if count != Some(numbers.len()) {
            bail!(
                "{}: the answer to `{request}` has {} numbers, not {count:?}",
                self.name,
                numbers.len()
            );
        }
        Ok(numbers)
    }
}

impl Drop for Contender {
    fn drop(&mut self) {
        // A contender that has already ended can neither be asked to end nor be stopped, and need
        // not.
        let _ = writeln!(self.requests, "quit");
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
