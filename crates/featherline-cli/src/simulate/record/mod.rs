//! Recordings: every sample, in a file of a known format.

mod columns;
mod csv;
mod mcap;
mod parquet;

use crate::failure::Failure;
use featherline::Model;
use featherline_sim::simulation::{Recorder, RecorderError, Sample};
use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// A format that takes samples one by one.
trait Format {
    fn write(&mut self, sample: &Sample<'_>) -> Result<(), RecorderError>;

    /// Writes what stands at the end of the file.
    fn finish(&mut self) -> Result<(), RecorderError>;
}

/// Begins a file of some format.
type Make = fn(File, &Model) -> Result<Box<dyn Format>, RecorderError>;

/// A file that takes every sample.
pub struct Recording {
    path: PathBuf,
    format: Box<dyn Format>,
}

impl Recording {
    /// Creates the file; its extension says the format.
    pub fn create(path: &Path, model: &Model) -> Result<Self, Failure> {
        let extension = path
            .extension()
            .and_then(|e| e.to_str())
            .unwrap_or_default();
        let make: Make = match extension {
            "csv" => |file, model| Ok(Box::new(csv::Csv::new(file, model)?)),
            "parquet" => |file, model| Ok(Box::new(parquet::Parquet::new(file, model)?)),
            "mcap" => |file, model| Ok(Box::new(mcap::Mcap::new(file, model)?)),
            _ => {
                return Err(Failure::Simulation(format!(
                    "can't record to {}: the extension says the format, which is csv, parquet or mcap",
                    path.display()
                )));
            }
        };
        if let Some(name) = columns::name_given_twice(model) {
            return Err(Failure::Simulation(format!(
                "can't record: two columns would be called `{name}`; give one of the joints another name"
            )));
        }
        let file = File::create(path).map_err(|reason| Failure::File {
            path: path.to_owned(),
            reason,
        })?;
        let format = make(file, model).map_err(|reason| failure(path, &reason))?;
        Ok(Self {
            path: path.to_owned(),
            format,
        })
    }

    /// Writes what stands at the end of the file.
    pub fn finish(mut self) -> Result<(), Failure> {
        self.format
            .finish()
            .map_err(|reason| failure(&self.path, &reason))
    }
}

impl Recorder for Recording {
    fn record(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
        self.format.write(sample)?;
        Ok(ControlFlow::Continue(()))
    }
}

fn failure(path: &Path, reason: &RecorderError) -> Failure {
    Failure::Simulation(format!("can't write {}: {reason}", path.display()))
}
