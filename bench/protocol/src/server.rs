//! Requests in, answers out.

use anyhow::{Context, Result, anyhow, bail};
use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::str::SplitWhitespace;

/// A robot with the states at which it is timed.
pub trait Robot: Sized {
    /// Reads the model and the states.
    ///
    /// # Errors
    /// If they cannot be read, or the library does not accept them.
    fn load(model: &Path, states: &Path) -> Result<Self>;

    /// nq, nv, and the number of states.
    fn sizes(&self) -> [usize; 3];
}

/// One call of a library.
pub struct Call<R> {
    /// Its name in the protocol.
    pub name: &'static str,
    /// Nanoseconds a call, averaged over one pass of all states.
    pub time_pass: fn(&mut R) -> Result<f64>,
    /// The result at the state of that index, in the order of the protocol.
    pub answer: fn(&mut R, usize) -> Result<Vec<f64>>,
}

/// Serves requests until there is no more.
///
/// # Errors
/// If a line cannot be read or written; what is wrong with a request is answered.
pub fn serve<R: Robot>(version: &str, calls: &[&Call<R>]) -> Result<()> {
    let mut server = Server {
        version,
        calls,
        robot: None,
    };
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        match server.serve(&mut line?.split_whitespace()) {
            Ok(Some(answer)) => writeln!(out, "ok {answer}")?,
            Ok(None) => break,
            // The reason must stay on one line.
            Err(error) => writeln!(out, "error {}", format!("{error:#}").replace('\n', " "))?,
        }
        out.flush()?;
    }
    Ok(())
}

struct Server<'a, R> {
    version: &'a str,
    calls: &'a [&'a Call<R>],
    robot: Option<R>,
}

impl<R: Robot> Server<'_, R> {
    /// Serves one request; none when it is to be the last.
    fn serve(&mut self, request: &mut SplitWhitespace<'_>) -> Result<Option<String>> {
        let answer = match argument(request, "verb")? {
            "quit" => return Ok(None),
            "version" => self.version.to_owned(),
            "calls" => {
                let names: Vec<&str> = self.calls.iter().map(|call| call.name).collect();
                names.join(" ")
            }
            "load" => {
                let model = Path::new(argument(request, "model path")?);
                let states = Path::new(argument(request, "states path")?);
                let robot = R::load(model, states)?;
                let [nq, nv, states] = robot.sizes();
                self.robot = Some(robot);
                format!("{nq} {nv} {states}")
            }
            "value" => {
                let call = self.call(request)?;
                let index = argument(request, "state index")?
                    .parse()
                    .context("malformed state index")?;
                let robot = self.loaded()?;
                if index >= robot.sizes()[2] {
                    bail!("state index beyond the last state");
                }
                numbers(&(call.answer)(robot, index)?)
            }
            "time" => {
                let call = self.call(request)?;
                let samples: usize = argument(request, "number of samples")?
                    .parse()
                    .context("malformed number of samples")?;
                let robot = self.loaded()?;
                // Waking from a read of stdin leaves caches and branch predictors cold; this pass
                // is not counted.
                (call.time_pass)(robot)?;
                let times: Result<Vec<f64>> =
                    (0..samples).map(|_| (call.time_pass)(robot)).collect();
                numbers(&times?)
            }
            verb => bail!("unknown verb '{verb}'"),
        };
        Ok(Some(answer))
    }

    fn loaded(&mut self) -> Result<&mut R> {
        self.robot
            .as_mut()
            .ok_or_else(|| anyhow!("no robot is loaded"))
    }
}

impl<'a, R> Server<'a, R> {
    fn call(&self, request: &mut SplitWhitespace<'_>) -> Result<&'a Call<R>> {
        let name = argument(request, "call")?;
        let found = self.calls.iter().find(|call| call.name == name);
        found
            .copied()
            .ok_or_else(|| anyhow!("unknown call '{name}'"))
    }
}

fn argument<'r>(request: &mut SplitWhitespace<'r>, what: &str) -> Result<&'r str> {
    request.next().ok_or_else(|| anyhow!("missing {what}"))
}

fn numbers(values: &[f64]) -> String {
    let mut text = values.len().to_string();
    for x in values {
        // Writing to a string does not fail. 16 digits after the point are 17 significant ones.
        let _ = write!(text, " {x:.16e}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Twice(usize);

    impl Robot for Twice {
        fn load(_: &Path, _: &Path) -> Result<Self> {
            Ok(Self(3))
        }

        fn sizes(&self) -> [usize; 3] {
            [1, 1, self.0]
        }
    }

    #[test]
    fn requests_are_answered() {
        let twice = Call::<Twice> {
            name: "twice",
            time_pass: |_| Ok(2.5),
            answer: |_, index| Ok(vec![2.0 * index as f64]),
        };
        let mut server = Server {
            version: "a library",
            calls: &[&twice],
            robot: None,
        };
        let mut ask = |request: &str| server.serve(&mut request.split_whitespace());
        let mut answer = |request: &str| match ask(request) {
            Ok(answer) => answer.unwrap_or_default(),
            Err(error) => format!("error {error}"),
        };
        assert_eq!(answer("version"), "a library");
        assert_eq!(answer("calls"), "twice");
        assert_eq!(answer("value twice 0"), "error no robot is loaded");
        assert_eq!(answer("load MODEL STATES"), "1 1 3");
        assert_eq!(answer("value twice 2"), "1 4.0000000000000000e0");
        assert_eq!(
            answer("value twice 3"),
            "error state index beyond the last state"
        );
        assert_eq!(answer("value thrice 0"), "error unknown call 'thrice'");
        assert_eq!(
            answer("time twice 2"),
            "2 2.5000000000000000e0 2.5000000000000000e0"
        );
        assert_eq!(answer("quit"), "");
    }
}
