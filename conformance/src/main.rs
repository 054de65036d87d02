//! Reads the reference's stream from standard input, compares, and prints the report.

use anyhow::{Context, Result, bail};
use clap::Parser;
use featherline::{Model, Workspace};
use featherline_conformance::description;
use featherline_conformance::layout::Layout;
use featherline_conformance::quantities::{Systems, compare};
use featherline_conformance::report::{Refused, Report, Row, is_known_refusal};
use featherline_conformance::stream::{self, Content, Reader, Record, Source};
use featherline_conformance::verdict::{Quantities, Verdict};
use featherline_formats::{LoadOptions, MimicJoints};
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
    systems: Systems,
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
                    systems,
                    row,
                }) = &mut current
                {
                    let fraction = Some(report.preamble.interpolation);
                    let groups = &report.preamble.groups;
                    let compared =
                        compare(model, layout, workspace, systems, &state, fraction, groups)?;
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
        source,
        content,
    } = reference;
    let base = source.variant();
    // Where packages are installed is no part of the reason.
    let shorten = |reason: String| {
        let reason = match &source {
            Source::Urdf { file, .. } => reason.trim().replace(file, &robot),
            Source::Description(_) => reason,
        };
        reason.replace('\n', " ")
    };
    let ours = load(&source, MimicJoints::Coupled);
    let (theirs, free) = match content {
        Content::Refused(reason) => {
            report.refused.push(Refused {
                theirs: shorten(reason),
                ours: shorten(ours.map_or_else(|error| error, |loaded| reads(&loaded))),
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
            let refusal = ours.map_or_else(|error| error, |_| "obeys them".to_owned());
            let free = load(&source, MimicJoints::Free);
            (free, Some((shorten(reason), shorten(refusal))))
        }
    };
    let model = match ours {
        Ok(loaded) => loaded.model,
        Err(error) => {
            report.refused.push(Refused {
                theirs: "reads it".to_owned(),
                unexpected: !is_known_refusal(&robot, &error),
                ours: shorten(error),
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
    match Layout::new(&model, &theirs) {
        Ok(layout) => Ok(Some(Current {
            workspace: Workspace::new(&model),
            systems: Systems::new(&model)?,
            layout,
            model,
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

/// Our model of a robot, and what its reader warns of.
struct Loaded {
    model: Model,
    warnings: Vec<String>,
}

/// Makes a model that means what the reference's does, or says why there is none.
fn load(source: &Source, mimic: MimicJoints) -> Result<Loaded, String> {
    match source {
        Source::Urdf {
            file,
            floating,
            continuous,
        } => {
            // Siblings stay in the order of the document: the reference's is another one, which
            // puts names to the test.
            let options = LoadOptions::default()
                .floating_base(*floating)
                .continuous(*continuous)
                .mimic(mimic);
            let loaded = featherline_formats::load_with(file, &options)
                .map_err(|error| error.to_string())?;
            Ok(Loaded {
                model: loaded.model,
                warnings: loaded.warnings.iter().map(|w| w.to_string()).collect(),
            })
        }
        Source::Description(value) => {
            let model = description::from_value(value.clone());
            Ok(Loaded {
                model: model.map_err(|error| format!("{error:#}"))?,
                warnings: Vec::new(),
            })
        }
    }
}

fn reads(loaded: &Loaded) -> String {
    if loaded.warnings.is_empty() {
        "reads it".to_owned()
    } else {
        format!("reads it, and warns: {}", loaded.warnings.join("; "))
    }
}
