//! featherline as a contender in the side-by-side benchmark: a server on stdin and stdout.
//!
//! The protocol is described in `bench/README.md`. A model is a featherline model as JSON.

use anyhow::{Context, Result, anyhow, bail};
use featherline_bench::states;
use featherline_comparison::calls::{Call, Robot};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::str::SplitWhitespace;

/// Told by the command that builds this program for a comparison.
const COMPILER: &str = match option_env!("FEATHERLINE_COMPILER") {
    Some(version) => version,
    None => "compiler not known",
};

fn main() -> Result<()> {
    let mut robot = None;
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        match serve(&mut line?.split_whitespace(), &mut robot) {
            Ok(Some(answer)) => writeln!(out, "ok {answer}")?,
            Ok(None) => break,
            Err(error) => writeln!(out, "error {error:#}")?,
        }
        out.flush()?;
    }
    Ok(())
}

/// Serves one request; none when it is to be the last.
fn serve(request: &mut SplitWhitespace<'_>, robot: &mut Option<Robot>) -> Result<Option<String>> {
    let answer = match argument(request, "verb")? {
        "quit" => return Ok(None),
        "version" => format!("featherline {}, {}", env!("CARGO_PKG_VERSION"), COMPILER),
        "load" => {
            let model = Path::new(argument(request, "model path")?);
            let loaded = load(model, Path::new(argument(request, "states path")?))?;
            let (model, count) = (loaded.model(), loaded.states().len());
            let answer = format!("{} {} {count}", model.nq(), model.nv());
            *robot = Some(loaded);
            answer
        }
        "value" => {
            let call = call(request)?;
            let index: usize = argument(request, "state index")?
                .parse()
                .context("malformed state index")?;
            let robot = loaded(robot)?;
            if index >= robot.states().len() {
                bail!("state index beyond the last state");
            }
            numbers(&call.answer(robot, index)?)
        }
        "time" => {
            let call = call(request)?;
            let samples: usize = argument(request, "number of samples")?
                .parse()
                .context("malformed number of samples")?;
            let robot = loaded(robot)?;
            // Waking from a read of stdin leaves caches and branch predictors cold; this pass is not counted.
            call.time_pass(robot)?;
            let times: Result<Vec<f64>, _> = (0..samples).map(|_| call.time_pass(robot)).collect();
            numbers(&times?)
        }
        verb => bail!("unknown verb '{verb}'"),
    };
    Ok(Some(answer))
}

fn argument<'a>(request: &mut SplitWhitespace<'a>, what: &str) -> Result<&'a str> {
    request.next().ok_or_else(|| anyhow!("missing {what}"))
}

fn call(request: &mut SplitWhitespace<'_>) -> Result<&'static Call> {
    let name = argument(request, "call")?;
    Call::find(name).ok_or_else(|| anyhow!("unknown call '{name}'"))
}

fn loaded(robot: &mut Option<Robot>) -> Result<&mut Robot> {
    robot.as_mut().ok_or_else(|| anyhow!("no robot is loaded"))
}

fn load(model: &Path, states: &Path) -> Result<Robot> {
    let text =
        fs::read_to_string(model).with_context(|| format!("cannot read {}", model.display()))?;
    let model =
        serde_json::from_str(&text).with_context(|| format!("{} is no model", model.display()))?;
    let states = states::read(states, &model)?;
    Ok(Robot::new(model, states))
}

fn numbers(values: &[f64]) -> String {
    let mut text = values.len().to_string();
    for x in values {
        // Writing to a string does not fail. 16 digits after the point are 17 significant ones.
        let _ = write!(text, " {x:.16e}");
    }
    text
}
