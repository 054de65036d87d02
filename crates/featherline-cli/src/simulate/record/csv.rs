//! Comma-separated values: a line of names, and a line for each sample, in full precision.

use super::{Format, columns};
use csv::Writer;
use featherline::Model;
use featherline_sim::simulation::{RecorderError, Sample};
use std::fs::File;

pub struct Csv {
    writer: Writer<File>,
    row: Vec<f64>,
}

impl Csv {
    pub fn new(file: File, model: &Model) -> Result<Self, RecorderError> {
        let mut writer = Writer::from_writer(file);
        let names = columns::names(model);
        writer.write_record(&names)?;
        Ok(Self {
            writer,
            row: Vec::with_capacity(names.len()),
        })
    }
}

impl Format for Csv {
    fn write(&mut self, sample: &Sample<'_>) -> Result<(), RecorderError> {
        columns::row(sample, &mut self.row);
        Ok(self.writer.serialize(&self.row)?)
    }

    fn finish(&mut self) -> Result<(), RecorderError> {
        Ok(self.writer.flush()?)
    }
}
