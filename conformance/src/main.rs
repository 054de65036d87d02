//! Reads the reference's stream from standard input, compares, and prints the report.

use anyhow::{Context, Result, bail};
use clap::Parser;
use featherline::{Model, Workspace};
use featherline_conformance::layout::Layout;
use featherline_conformance::quantities::compare;
use featherline_conformance::report::{Refused, Report, Row, is_known_refusal};
use featherline_conformance::stream::{self, Content, Reader, Record};
use featherline_conformance::verdict::{Quantities, Verdict};
use featherline_formats::urdf::{self, Continuous, Loaded, Mimic, UrdfError, UrdfOptions};
use std::io::{BufReader, stdin};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(about = "Compares featherline with a stream of reference numbers on standard input")]
struct Arguments {
    /// Write the whole report to this file.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print so many of the worst robots.
    #[arg(long, default_value_t = 20)]
    rows: usize,
}

/// The robot whose states are being read.
struct Current {
    model: Model,
    layout: Layout,
    workspace: Workspace<f64>,
    row: Row,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<bool> {
    let mut reader = Reader::new(BufReader::with_capacity(1 << 20, stdin().lock()));
    let Record::Stream(preamble) = reader.record()? else {
        bail!("the stream of reference numbers does not begin with a `stream` record");
    };
    let mut report = Report::new(preamble);
    let mut current: Option<Current> = None;
    loop {
        match reader.record()? {
            Record::Stream(_) => bail!("the stream begins twice"),
            Record::Model(model) => {
                report
                    .robots
                    .extend(current.take().map(|current| current.row));
                current = begin(*model, &mut report)?;
            }
            Record::State(state) => {
                // A robot that only the reference has was noted when it began.
                if let Some(Current {
                    model,
                    layout,
                    workspace,
                    row,
                }) = &mut current
                {
                    let compared = compare(model, layout, workspace, &state, None)?;
                    let name = format!("{} ({})", row.robot, row.base);
                    let quantities: &mut Quantities = &mut report.quantities;
                    row.verdict.add(state.index, compared, quantities, &name);
                }
            }
            Record::End => break,
        }
    }
    report.robots.extend(current.map(|current| current.row));
    println!("{}\n{}.", report.markdown(arguments.rows), report.summary());
    if let Some(path) = &arguments.report {
        std::fs::write(path, report.markdown(usize::MAX))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(report.passes())
}

/// Makes our model of a robot; notes if one side refuses it.
fn begin(reference: stream::Model, report: &mut Report) -> Result<Option<Current>> {
    let stream::Model {
        robot,
        file,
        base,
        content,
    } = reference;
    // Where packages are installed is no part of the reason.
    let shorten = |reason: String| reason.trim().replace(&file, &robot).replace('\n', " ");
    let ours = load(&file, &base, Mimic::Follow)?;
    let (theirs, free) = match content {
        Content::Refused(reason) => {
            let ours = match ours {
                Ok(loaded) => reads(&loaded),
                Err(error) => error.to_string(),
            };
            report.refused.push(Refused {
                theirs: shorten(reason),
                ours: shorten(ours),
                unexpected: false,
                robot,
                base,
            });
            return Ok(None);
        }
        Content::Robot { robot, free } => (robot, free),
    };
    let (ours, free) = match free {
        None => (ours, None),
        Some(reason) => {
            let refusal = match ours {
                Ok(_) => "obeys them".to_owned(),
                Err(error) => error.to_string(),
            };
            let free = load(&file, &base, Mimic::Free)?;
            (free, Some((shorten(reason), shorten(refusal))))
        }
    };
    let loaded = match ours {
        Ok(loaded) => loaded,
        Err(error) => {
            report.refused.push(Refused {
                theirs: "reads it".to_owned(),
                unexpected: !is_known_refusal(&robot, &error.to_string()),
                ours: shorten(error.to_string()),
                robot,
                base,
            });
            return Ok(None);
        }
    };
    let mut row = Row {
        robot,
        base,
        nv: theirs.nv,
        free,
        verdict: Verdict::default(),
    };
    match Layout::new(&loaded.model, &theirs) {
        Ok(layout) => Ok(Some(Current {
            workspace: Workspace::new(&loaded.model),
            layout,
            model: loaded.model,
            row,
        })),
        Err(error) => {
            row.verdict
                .fail(format!("this is not the same robot: {error:#}"));
            report.robots.push(row);
            Ok(None)
        }
    }
}

/// Reads a URDF so that the model means what the reference's does.
fn load(file: &str, base: &str, mimic: Mimic) -> Result<Result<Loaded, UrdfError>> {
    let floating = match base {
        "fixed" => false,
        "floating" => true,
        other => bail!("the stream has a robot on the unknown base `{other}`"),
    };
    // Siblings stay in the order of the document: the reference's is another one, which puts names to the test.
    let options = UrdfOptions::default()
        .floating_base(floating)
        .continuous(Continuous::CosSin)
        .mimic(mimic);
    Ok(urdf::read_file(file, &options))
}

fn reads(loaded: &Loaded) -> String {
    let warnings: Vec<String> = loaded.warnings.iter().map(|w| w.to_string()).collect();
    if warnings.is_empty() {
        "reads it".to_owned()
    } else {
        format!("reads it, and warns: {}", warnings.join("; "))
    }
}
