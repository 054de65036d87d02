//! `featherline convert`: a robot in a file of another format, and what became of it.

mod arguments;
mod report;

pub use arguments::{ConvertArguments, HELP};

use crate::failure::Failure;
use crate::file;
use crate::format::{Format, write_line};
use crate::robot;
use crate::status::Status;
use featherline_formats::{Difference, FileFormat};
use report::Report;
use std::io::{self, BufWriter, Write, stdout};
use std::path::Path;

/// Writes the file, and reports the difference of what it holds.
pub fn run(arguments: &ConvertArguments) -> Result<Status, Failure> {
    let output = &arguments.output;
    let failed = Failure::of_file(output);
    let by_name = || FileFormat::of_path(output).filter(|it| it.is_written());
    let format = arguments.to.or_else(by_name).ok_or_else(|| {
        let endings = FileFormat::endings();
        failed(io::Error::other(format!(
            "its extension says no format; it is {endings}, or --to says the format"
        )))
    })?;
    if file::is_same(&arguments.robot.robot, output) {
        let reason = "it is the robot's own file; give another name";
        return Err(failed(io::Error::other(reason)));
    }
    let robot = robot::load_and_warn(&arguments.robot)?;
    let written = robot.to_files(format, output);
    let written = written.map_err(|error| Failure::Robot(error.to_string()))?;
    // A file that can't be read again is not written.
    let floats = !format.says_floating_base() && arguments.robot.floats();
    let mut options = arguments.robot.load_options(floats);
    options.floating_base &= !format.says_floating_base();
    let again = written.read_again(&options).map_err(|error| {
        Failure::Robot(format!(
            "{} is not written, because it could not be read again: {error}",
            output.display()
        ))
    })?;
    let mut difference = Difference::of_robots(&robot, &again, arguments.states)?;
    if !format.has_description() {
        // A model has none by intent.
        difference.missing.retain(|it| it.what != "actuator");
    }
    // The meshes come first: a file that names others is there when they are.
    written.write_files(file::folder(output)).map_err(failed)?;
    std::fs::write(output, &written.text).map_err(|reason| failed(unfinished(output, reason)))?;
    let report = Report::of(output, format, (&robot, floats), &difference);
    let report = report.with_written(&written, &difference);
    let mut out = BufWriter::new(stdout().lock());
    match arguments.format {
        Format::Text => report.write(&mut out)?,
        Format::Jsonl => write_line(&mut out, &report)?,
    }
    out.flush()?;
    Ok(Status::found_if(!report.is_same))
}

/// An error of writing, and whether it left a part of the file.
fn unfinished(path: &Path, reason: io::Error) -> io::Error {
    let ends_early = matches!(
        reason.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::WriteZero | io::ErrorKind::QuotaExceeded
    );
    match ends_early && path.is_file() {
        true => io::Error::new(reason.kind(), format!("{reason}; the file ends too early")),
        false => reason,
    }
}
