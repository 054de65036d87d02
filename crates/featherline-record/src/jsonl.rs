//! JSON lines: an object for each sample, in full precision.

use crate::layout::Layout;
use crate::sample_object::SampleObject;
use crate::writer::Writer;
use featherline_sim::simulation::{RecorderError, Sample};
use std::fs::File;
use std::io::{BufWriter, Write};

pub(crate) struct JsonLines {
    file: BufWriter<File>,
    layout: Layout,
}

impl JsonLines {
    pub(crate) fn new(file: File, layout: Layout) -> Self {
        Self {
            file: BufWriter::new(file),
            layout,
        }
    }
}

impl Writer for JsonLines {
    fn write(&mut self, sample: &Sample<'_>) -> Result<(), RecorderError> {
        serde_json::to_writer(
            &mut self.file,
            &SampleObject::new(sample, self.layout.body_names()),
        )?;
        Ok(writeln!(self.file)?)
    }

    fn finish(&mut self) -> Result<(), RecorderError> {
        Ok(self.file.flush()?)
    }
}
