//! Text or JSON.

use clap::ValueEnum;

/// What a report is written as.
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
