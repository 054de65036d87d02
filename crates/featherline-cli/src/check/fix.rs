//! `featherline check --diff` and `--fix`: repairs, shown and written.

use super::arguments::CheckArguments;
use super::diff::unified;
use super::finding::Finding;
use super::report::Report;
use super::write;
use crate::failure::Failure;
use crate::file;
use crate::format::Format;
use crate::message::{is_quiet, note, printable};
use crate::robot;
use crate::status::Status;
use featherline_formats::repair::{Repairs, propose};
use std::io::{self, BufWriter, Write, stdout};
use std::path::{Path, PathBuf};

/// Shows the repairs, writes them if asked to, and reports what is left.
pub fn run(arguments: &CheckArguments) -> Result<Status, Failure> {
    let Some(path) = robot::text_file(&arguments.robot) else {
        return Err(Failure::IdleOption {
            option: if arguments.fix { "--fix" } else { "--diff" },
            why: "there is no text to repair in an embedded robot or a model file".to_owned(),
            instead: "name a URDF or MJCF file",
        });
    };
    let repairs = propose(&path, &arguments.repair_options()).map_err(Failure::Load)?;
    let mut out = BufWriter::new(stdout().lock());
    show(&repairs, arguments.format, &mut out)?;
    out.flush()?;
    // The lock, for the report.
    drop(out);
    let count = repairs.repairs.len();
    let report = match &repairs.outcome {
        Err(error) => {
            if arguments.fix && count > 0 {
                note("nothing is written: with the repairs, too, the robot can't be read");
            }
            Report::of_error(error)
        }
        Ok(_) if arguments.fix => {
            let written = written(&repairs, arguments, &path)?;
            let mut robot = arguments.robot.clone();
            robot.robot = written;
            match robot::load(&robot) {
                Ok(robot) => Report::of(&robot)?,
                Err(Failure::Load(error)) => Report::of_error(&error),
                Err(failure) => return Err(failure),
            }
        }
        Ok(robot) => Report::of(robot)?,
    };
    write(&report, arguments.format)?;
    Ok(match report.status() {
        Status::Done if arguments.diff => Status::found_if(count > 0),
        status => status,
    })
}

/// Writes each repair with its reason and its difference.
fn show(repairs: &Repairs, format: Format, out: &mut impl Write) -> io::Result<()> {
    let mut texts: Vec<String> = repairs.files.iter().map(|it| it.text.clone()).collect();
    for (index, repair) in repairs.repairs.iter().enumerate() {
        if format == Format::Jsonl {
            serde_json::to_writer(&mut *out, &Finding::of_repair(repair, repairs))?;
            writeln!(out)?;
            continue;
        }
        if !is_quiet() {
            let label = console::style(format!("repair[{}]:", repair.code))
                .green()
                .bold();
            let what = format!("{}: {}", repair.location, repair.reason);
            writeln!(out, "{label} {}", printable(&what))?;
        }
        let mut files: Vec<usize> = repair.edits.iter().map(|it| it.file).collect();
        files.dedup();
        for file in files {
            // Each difference is to what the repairs before have left, so that `patch` applies all.
            let after = repairs.text(file, index + 1);
            let path = repairs.files[file]
                .path
                .as_deref()
                .unwrap_or(Path::new("robot"));
            let difference = unified(&path.display().to_string(), &texts[file], &after, line);
            out.write_all(difference.as_bytes())?;
            texts[file] = after;
        }
    }
    Ok(())
}

/// A line of a difference; on a terminal, in colour and without control characters.
fn line(text: &str, sign: char) -> String {
    if !console::user_attended() {
        return text.to_owned();
    }
    let (text, newline) = match text.strip_suffix('\n') {
        Some(line) => (line, "\n"),
        None => (text, ""),
    };
    let plain = printable(&text.replace('\t', "    "));
    let style = console::style(plain);
    let style = match sign {
        '-' => style.red(),
        '+' => style.green(),
        '@' => style.cyan(),
        _ => style,
    };
    format!("{style}{newline}")
}

/// Writes the repaired files, and returns the robot's.
fn written(repairs: &Repairs, arguments: &CheckArguments, path: &Path) -> Result<PathBuf, Failure> {
    let count = repairs.repairs.len();
    let changed = repairs.changed();
    if let Some(output) = &arguments.output {
        let failed = |reason| Failure::File {
            path: output.clone(),
            reason,
        };
        if changed.iter().any(|file| *file > 0) {
            let reason = "included files are to be repaired, too; leave --output out";
            return Err(failed(io::Error::other(reason)));
        }
        std::fs::write(output, repairs.apply()).map_err(failed)?;
        return Ok(output.clone());
    }
    for file in changed {
        let source = &repairs.files[file];
        let path = source.path.as_deref().unwrap_or(path);
        let failed = |reason| Failure::File {
            path: path.to_owned(),
            reason,
        };
        if std::fs::read(path).map_err(failed)? != source.text.as_bytes() {
            let reason = "it was changed in the meantime; try again";
            return Err(failed(io::Error::other(reason)));
        }
        file::replace(path, &repairs.text(file, count)).map_err(failed)?;
    }
    Ok(path.to_owned())
}
