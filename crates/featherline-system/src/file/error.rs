//! Faults with their position in the text of a sensor file.

use crate::error::{SensorFileError, SensorFileFault};
use std::ops::Range;
use toml::Spanned;

/// A fault at a place in the text.
pub(super) struct Fault {
    pub span: Range<usize>,
    pub cause: SensorFileFault,
}

impl Fault {
    pub fn at(span: Range<usize>, cause: SensorFileFault) -> Self {
        Self { span, cause }
    }

    pub fn unknown(what: &'static str, word: &Spanned<String>, known: &[&str]) -> Self {
        let cause = SensorFileFault::unknown_word(what, word.get_ref(), known);
        Self::at(word.span(), cause)
    }

    pub fn locate(self, text: &str) -> SensorFileError {
        let before = text.get(..self.span.start).unwrap_or(text);
        SensorFileError {
            line: before.matches('\n').count() + 1,
            column: before.chars().rev().take_while(|&c| c != '\n').count() + 1,
            fault: self.cause,
        }
    }
}
