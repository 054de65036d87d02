//! `featherline check --diff` and `--fix`: repairs, shown and written.

use super::arguments::CheckArguments;
use super::diff::unified;
use super::finding::{Line, place_from, seen_from};
use super::report::Report;
use super::write;
use crate::failure::Failure;
use crate::file;
use crate::format::{Format, write_line};
use crate::message::{is_quiet, note, printable};
use crate::robot;
use crate::status::Status;
use featherline_formats::description::SourceText;
use featherline_formats::repair::{Repairs, propose};
use std::io::{self, BufWriter, Write, stdout};
use std::path::{Path, PathBuf};

/// Shows the repairs, writes them if asked to, and reports what is left.
pub fn run(arguments: &CheckArguments) -> Result<Status, Failure> {
    let Some(path) = robot::text_file(&arguments.robot) else {
        let option = if arguments.fix { "--fix" } else { "--diff" };
        let why = "there is no text to repair in an embedded robot or a model file";
        return Err(Failure::idle(option, why, "name a URDF or MJCF file"));
    };
    let repairs = match propose(&path, &arguments.repair_options()) {
        Ok(repairs) => repairs,
        Err(error) => {
            let report = Report::of(Err(&error), None).about(&arguments.robot.robot);
            write(&report, arguments.format)?;
            return Ok(report.status());
        }
    };
    let count = repairs.repairs.len();
    // In place, there must be something to write; the xacro is no place for its expansion.
    let output = arguments.output.as_deref();
    let overwrites = output.map_or(count > 0, |it| file::is_same(it, &path));
    if arguments.fix && repairs.is_expanded && overwrites {
        return Err(Failure::File {
            path,
            reason: io::Error::other(
                "it is written in xacro, and repairs are those of the text that it expands to; `--diff` shows them, to be \
                 made in the xacro by hand, and `--fix --output FILE.urdf` writes the expanded text with them",
            ),
        });
    }
    let mut out = BufWriter::new(stdout().lock());
    show(&repairs, arguments, &mut out)?;
    out.flush()?;
    // The lock, for the report.
    drop(out);
    if repairs.is_expanded && count > 0 {
        note("the file is written in xacro: repairs are those of the text that it expands to");
    }
    let report = match &repairs.outcome {
        Err(error) => {
            if count > 0 {
                let what = match error.all().count() {
                    1 => {
                        "1 error remains with the repairs, and no repair is known for it".to_owned()
                    }
                    n => format!(
                        "{n} errors remain with the repairs, and no repair is known for them"
                    ),
                };
                match arguments.fix {
                    true => note(&format!("nothing is written: {what}")),
                    false => note(&what),
                }
            }
            Report::of(Err(error), None)
        }
        Ok(_) if arguments.fix => {
            let written = written(&repairs, arguments, &path)?;
            let mut robot = arguments.robot.clone();
            robot.robot = written;
            if repairs.is_expanded && output.is_some() {
                robot.xacro.clear();
            }
            match robot::load(&robot) {
                Ok(robot) => Report::of(Ok(&robot), None),
                Err(Failure::Load(error)) => Report::of(Err(&error), None),
                Err(failure) => return Err(failure),
            }
        }
        Ok(robot) => Report::of(Ok(robot), None),
    };
    let report = report.about(&arguments.robot.robot);
    write(&report, arguments.format)?;
    if arguments.fix && repairs.outcome.is_ok() && arguments.format == Format::Text && !is_quiet() {
        writeln!(
            stdout().lock(),
            "{}",
            printable(&outcome(&repairs, arguments))
        )?;
    }
    let status = report.status();
    if status == Status::Done && arguments.diff {
        return Ok(Status::found_if(count > 0));
    }
    Ok(status)
}

/// A line that says how many repairs were written, and where.
fn outcome(repairs: &Repairs, arguments: &CheckArguments) -> String {
    let robot = arguments.robot.robot.display().to_string();
    let what = match repairs.repairs.len() {
        1 => "1 repair written".to_owned(),
        n => format!("{n} repairs written"),
    };
    let written = match (repairs.repairs.len(), &arguments.output) {
        (0, None) => return format!("{robot}: nothing to repair"),
        (0, Some(output)) => {
            let output = output.display();
            return match repairs.is_expanded {
                true => format!("nothing to repair; {output} is what the xacro expands to"),
                false => format!("nothing to repair; {output} is a copy"),
            };
        }
        (_, Some(output)) => output.display().to_string(),
        (_, None) => {
            let folder = robot::folder(&arguments.robot.robot);
            let files = repairs.changed().into_iter().map(|file| {
                let path = repairs.files[file].path.as_deref();
                let path = path.unwrap_or(&arguments.robot.robot);
                seen_from(path, folder.as_deref()).display().to_string()
            });
            files.collect::<Vec<_>>().join(", ")
        }
    };
    format!("{written}: {what}")
}

/// Writes each repair with its reason, then the difference of each file, as `diff -u` does.
fn show(repairs: &Repairs, arguments: &CheckArguments, out: &mut impl Write) -> io::Result<()> {
    let folder = robot::folder(&arguments.robot.robot);
    for repair in &repairs.repairs {
        if arguments.format == Format::Jsonl {
            write_line(out, &Line::of(&repair.into(), Some(repairs)))?;
        } else if !is_quiet() {
            let label = console::style(format!("repair[{}]:", repair.code))
                .green()
                .bold();
            let place = place_from(&repair.location, folder.as_deref());
            let what = format!("{place}: {}", repair.reason);
            writeln!(out, "{label} {}", printable(&what))?;
        }
    }
    if arguments.format == Format::Jsonl {
        return Ok(());
    }
    for file in repairs.changed() {
        let SourceText { path, text, .. } = &repairs.files[file];
        let path = path.as_deref().unwrap_or(Path::new("robot"));
        let name = seen_from(path, folder.as_deref()).display().to_string();
        let after = repairs.text(file, repairs.repairs.len());
        out.write_all(unified(&name, text, &after, line).as_bytes())?;
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

/// Whether a file to be written is in the folder of another one.
fn is_beside(output: &Path, path: &Path) -> bool {
    let folder = |path: &Path| {
        let folder = path.parent().unwrap_or(Path::new(""));
        Path::new(".").join(folder).canonicalize().ok()
    };
    folder(output).is_some_and(|it| Some(it) == folder(path))
}

/// Writes the repaired files, and returns the robot's.
fn written(repairs: &Repairs, arguments: &CheckArguments, path: &Path) -> Result<PathBuf, Failure> {
    let count = repairs.repairs.len();
    let changed = repairs.changed();
    if let Some(output) = &arguments.output {
        let failed = Failure::of_file(output);
        if changed.iter().any(|file| *file > 0) {
            let reason = "included files are to be repaired, too; leave --output out";
            return Err(failed(io::Error::other(reason)));
        }
        if repairs.files.len() > 1 && !is_beside(output, path) {
            let reason = "included files name others from the folder of the robot's file; give a file in that folder";
            return Err(failed(io::Error::other(reason)));
        }
        std::fs::write(output, repairs.apply()).map_err(failed)?;
        return Ok(output.clone());
    }
    for file in changed {
        let source = &repairs.files[file];
        let path = source.path.as_deref().unwrap_or(path);
        let failed = Failure::of_file(path);
        if std::fs::read(path).map_err(failed)? != source.text.as_bytes() {
            let reason = "it was changed in the meantime; try again";
            return Err(failed(io::Error::other(reason)));
        }
        file::replace(path, &repairs.text(file, count)).map_err(failed)?;
    }
    Ok(path.to_owned())
}
