//! Comma-separated values (RFC 4180): a line of names, and a line for each sample, in full
//! precision.

use crate::layout::Layout;
use crate::writer::Writer;
use featherline_sim::simulation::{RecorderError, Sample};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};

pub(crate) struct Csv {
    file: BufWriter<File>,
    layout: Layout,
    row: Vec<f64>,
}

impl Csv {
    pub(crate) fn new(file: File, layout: Layout) -> io::Result<Self> {
        let mut file = BufWriter::new(file);
        let names = layout.column_names();
        let cells: Vec<Cow<'_, str>> = names.iter().map(|name| csv_cell(name)).collect();
        writeln!(file, "{}", cells.join(","))?;
        let row = Vec::with_capacity(names.len());
        Ok(Self { file, layout, row })
    }
}

impl Writer for Csv {
    fn write(&mut self, sample: &Sample<'_>) -> Result<(), RecorderError> {
        self.row.clear();
        self.layout.write(sample, &mut self.row);
        for (k, number) in self.row.iter().enumerate() {
            if k > 0 {
                self.file.write_all(b",")?;
            }
            // The shortest digits that are read back to the same number.
            serde_json::to_writer(&mut self.file, number)?;
        }
        Ok(writeln!(self.file)?)
    }

    fn finish(&mut self) -> Result<(), RecorderError> {
        Ok(self.file.flush()?)
    }
}

/// A cell of comma-separated values: a name, in quotes if it holds what separates cells or lines
/// (RFC 4180).
///
/// ```
/// assert_eq!(featherline_record::csv_cell("hip, yaw"), "\"hip, yaw\"");
/// ```
pub fn csv_cell(name: &str) -> Cow<'_, str> {
    if name.contains([',', '"', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(name)
    }
}

#[cfg(test)]
mod tests {
    use super::csv_cell;

    #[test]
    fn names_that_hold_separators_are_quoted() {
        assert_eq!(csv_cell("q.hip yaw"), "q.hip yaw");
        assert_eq!(csv_cell("a,b"), "\"a,b\"");
        assert_eq!(csv_cell("a \"b\"\n"), "\"a \"\"b\"\"\n\"");
    }
}
