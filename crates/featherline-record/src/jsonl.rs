//! JSON lines: an object for each sample, in full precision.

use crate::row::Row;
use crate::writer::Writer;
use featherline_sim::simulation::{RecorderError, Sample};
use std::fs::File;
use std::io::{BufWriter, Write};

pub(crate) struct JsonLines(BufWriter<File>);

impl JsonLines {
    pub(crate) fn new(file: File) -> Self {
        Self(BufWriter::new(file))
    }
}

impl Writer for JsonLines {
    fn write(&mut self, sample: &Sample<'_>) -> Result<(), RecorderError> {
        serde_json::to_writer(&mut self.0, &Row::from(sample))?;
        Ok(writeln!(self.0)?)
    }

    fn finish(&mut self) -> Result<(), RecorderError> {
        Ok(self.0.flush()?)
    }
}
