//! Text or JSON.

use clap::ValueEnum;
use nalgebra::DMatrix;
use serde::Serialize;
use std::io::{self, Write};

/// The format of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text and tables
    #[default]
    #[value(alias = "table")]
    Text,
    /// JSON, one line for each answer
    #[value(alias = "json")]
    Jsonl,
}

/// The rows of a matrix, of which JSON makes arrays.
pub fn rows(matrix: &DMatrix<f64>) -> Vec<Vec<f64>> {
    let rows = matrix.row_iter();
    rows.map(|row| row.iter().copied().collect()).collect()
}

/// Writes a line of JSON.
pub fn write_line(out: &mut impl Write, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}
