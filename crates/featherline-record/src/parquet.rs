//! Apache Parquet: a column of doubles for each number, uncompressed, because full-precision
//! numbers hardly compress. The file's metadata has the keys `robot`, the name of the robot, and
//! `columns`, the name, joint and unit of each column in order, as JSON.

use crate::layout::Layout;
use crate::writer::Writer;
use featherline_sim::simulation::{RecorderError, Sample};
use parquet::basic::{Repetition, Type as PhysicalType};
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::fs::File;
use std::sync::Arc;

/// The most numbers in one group of rows, which is held in memory until it is written: 32 MB.
const NUMBERS: usize = 4 << 20;

pub(crate) struct Parquet {
    /// None once the file is finished.
    writer: Option<SerializedFileWriter<File>>,
    layout: Layout,
    columns: Vec<Vec<f64>>,
    row: Vec<f64>,
}

impl Parquet {
    pub(crate) fn new(file: File, layout: Layout) -> Result<Self, RecorderError> {
        let columns = layout.columns();
        let fields = columns.iter().map(|column| {
            let field = Type::primitive_type_builder(&column.name, PhysicalType::DOUBLE)
                .with_repetition(Repetition::REQUIRED);
            field.build().map(Arc::new)
        });
        let fields = fields.collect::<Result<Vec<_>, _>>()?;
        let schema = Type::group_type_builder("sample")
            .with_fields(fields)
            .build()?;
        // Numbers hardly repeat, so that a dictionary saves nothing.
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_key_value_metadata(Some(vec![
                KeyValue::new("robot".to_owned(), layout.model.name().to_owned()),
                KeyValue::new("columns".to_owned(), serde_json::to_string(&columns)?),
            ]))
            .build();
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
        Ok(Self {
            writer: Some(writer),
            layout,
            columns: vec![Vec::new(); columns.len()],
            row: Vec::with_capacity(columns.len()),
        })
    }

    /// Writes the rows in memory as a group.
    fn write_group(&mut self) -> Result<(), ParquetError> {
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        let mut group = writer.next_row_group()?;
        for values in &mut self.columns {
            // As many columns as the schema has.
            if let Some(mut column) = group.next_column()? {
                column
                    .typed::<DoubleType>()
                    .write_batch(values, None, None)?;
                column.close()?;
            }
            values.clear();
        }
        group.close()?;
        Ok(())
    }
}

impl Writer for Parquet {
    fn write(&mut self, sample: &Sample<'_>) -> Result<(), RecorderError> {
        self.row.clear();
        self.layout.write(sample, &mut self.row);
        for (column, value) in self.columns.iter_mut().zip(&self.row) {
            column.push(*value);
        }
        if self.columns[0].len() * self.columns.len() >= NUMBERS {
            self.write_group()?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), RecorderError> {
        if !self.columns[0].is_empty() {
            self.write_group()?;
        }
        if let Some(writer) = self.writer.take() {
            writer.close()?;
        }
        Ok(())
    }
}
