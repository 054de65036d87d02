//! Text or JSON.

use clap::ValueEnum;
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

/// Writes a line of JSON.
pub fn write_line(out: &mut impl Write, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}
