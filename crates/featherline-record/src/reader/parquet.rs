//! Apache Parquet.

use super::{NUMBERS, Reading};
use crate::error::ReadError;
use ::parquet::basic::Type;
use ::parquet::column::reader::ColumnReaderImpl;
use ::parquet::data_type::DoubleType;
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaDataReader};
use ::parquet::file::serialized_reader::SerializedPageReader;
use std::fs::File;
use std::sync::Arc;

pub(super) fn read(file: File, reading: &mut Reading) -> Result<(), ReadError> {
    let failed = |error: ParquetError| reading.malformed(1, error);
    // Pages by hand: a reader of files would link the decoders of all types.
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&file);
    let (file, metadata) = (Arc::new(file), metadata.map_err(failed)?);
    let columns = metadata.file_metadata().schema_descr();
    let names = columns.columns().iter();
    let names: Vec<String> = names.map(|it| it.name().to_owned()).collect();
    reading.take_names(names.iter().map(String::as_str))?;
    let mut place = 0;
    for group in metadata.row_groups() {
        let failed = |error: ParquetError| reading.malformed(place + 1, error);
        let rows = usize::try_from(group.num_rows()).unwrap_or(usize::MAX);
        let own = reading.names.len();
        let count = own + reading.contact_columns.len();
        let others = reading.other_columns.iter().flatten();
        let wanted = (0..own).chain(reading.contact_columns.clone());
        let wanted: Vec<usize> = wanted.chain(others.copied()).collect();
        let width = wanted.len();
        if rows.saturating_mul(width) > NUMBERS {
            return Err(ReadError::TooLarge {
                path: reading.path.clone(),
                most: NUMBERS,
            });
        }
        let mut values: Vec<Vec<f64>> = Vec::with_capacity(width);
        for &column in &wanted {
            let (chunk, name) = (group.column(column), &names[column]);
            if !has_place(chunk) {
                let what = format!("the offset or size of `{name}` is negative");
                return Err(reading.malformed(place + 1, what));
            }
            if chunk.column_type() != Type::DOUBLE {
                let what = format!("`{name}` is not a column of doubles");
                return Err(reading.malformed(place + 1, what));
            }
            let pages = SerializedPageReader::new(file.clone(), chunk, rows, None);
            let pages = Box::new(pages.map_err(failed)?);
            let mut reader = ColumnReaderImpl::<DoubleType>::new(chunk.column_descr_ptr(), pages);
            let mut own = Vec::new();
            while own.len() < rows {
                let left = rows - own.len();
                let read = reader.read_records(left, None, None, &mut own);
                if read.map_err(failed)?.0 == 0 {
                    break;
                }
            }
            if own.len() != rows {
                return Err(reading.malformed(place + 1, "columns have different lengths"));
            }
            values.push(own);
        }
        let mut row = vec![0.0; width];
        for k in 0..rows {
            for (number, column) in row.iter_mut().zip(&values) {
                *number = column[k];
            }
            place += 1;
            reading.push(place, &row[..own])?;
            reading.push_contacts(place, &row[own..count])?;
            let mut others = row[count..].iter().copied();
            let found = reading.other_columns.iter();
            let found = found.map(|column| column.and_then(|_| others.next()));
            let found: Vec<Option<f64>> = found.collect();
            reading.push_others(found);
        }
    }
    Ok(())
}

/// Whether the offset and the size of a chunk are not negative: its reader panics else.
fn has_place(chunk: &ColumnChunkMetaData) -> bool {
    let first = chunk.dictionary_page_offset();
    first.unwrap_or(chunk.data_page_offset()) >= 0 && chunk.compressed_size() >= 0
}
