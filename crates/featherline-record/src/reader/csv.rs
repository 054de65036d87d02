//! Comma-separated values.

use super::Reading;
use crate::error::ReadError;
use std::fs::File;

pub(super) fn read(file: File, reading: &mut Reading) -> Result<(), ReadError> {
    let mut reader = ::csv::Reader::from_reader(file);
    let names = reader.headers().map_err(|error| failure(&error, reading))?;
    reading.take_names(names)?;
    let count = reading.names.len();
    let mut record = ::csv::StringRecord::new();
    let mut row = Vec::with_capacity(count);
    loop {
        let more = reader.read_record(&mut record);
        if !more.map_err(|error| failure(&error, reading))? {
            return Ok(());
        }
        let line = record.position().map_or(0, |at| at.line() as usize);
        row.clear();
        for (cell, name) in record.iter().zip(&reading.names) {
            let number = cell.trim().parse::<f64>();
            row.push(number.map_err(|_| {
                reading.malformed(
                    line,
                    format!("`{name}` has `{cell}` where a number is needed"),
                )
            })?);
        }
        reading.push(line, &row)?;
        let rest = reading.other_columns.iter();
        let rest = rest.map(|column| record.get((*column)?)?.trim().parse().ok());
        let rest: Vec<Option<f64>> = rest.collect();
        reading.push_others(rest);
        if reading.contact_columns.is_empty() {
            continue;
        }
        row.clear();
        for column in &reading.contact_columns {
            let cell = record.get(*column).unwrap_or_default();
            row.push(cell.trim().parse().unwrap_or(f64::NAN));
        }
        reading.push_contacts(line, &row)?;
    }
}

fn failure(error: &::csv::Error, reading: &Reading) -> ReadError {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the reader has many errors")]
    match error.kind() {
        ::csv::ErrorKind::Io(source) => {
            reading.unreadable(std::io::Error::new(source.kind(), source.to_string()))
        }
        ::csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => {
            let line = error.position().map_or(0, |at| at.line() as usize);
            let what = format!(
                "{len} numbers where there are {expected_len} columns; the line may be cut off"
            );
            reading.malformed(line, what)
        }
        _ => {
            let line = error.position().map_or(1, |at| at.line() as usize);
            reading.malformed(line, error)
        }
    }
}
