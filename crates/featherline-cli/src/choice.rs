//! Options whose values are words.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use featherline::words::Words;

/// Reads one of the words of a choice; the names are listed in the help.
pub fn words<T: Words + Send + Sync>() -> impl TypedValueParser<Value = T> {
    let named = T::WORDS.iter().filter(|(word, it)| it.name() == *word);
    let values = named.map(|(name, it)| PossibleValue::new(*name).aliases(it.aliases()));
    PossibleValuesParser::new(values).try_map(|word| T::from_word(&word))
}
