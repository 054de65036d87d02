//! Options whose values are words.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};
use featherline::words::Words;
use std::ffi::OsStr;
use std::marker::PhantomData;

/// Reads one of the words of a choice; the names are listed in the help.
pub fn words<T: Words + Send + Sync>() -> WordParser<T> {
    WordParser(PhantomData)
}

/// The parser of [`words`].
#[derive(Clone)]
pub struct WordParser<T>(PhantomData<T>);

impl<T: Words + Send + Sync> TypedValueParser for WordParser<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<T, Error> {
        T::from_word(&value.to_string_lossy()).map_err(|unknown| {
            let mut error = Error::new(ErrorKind::InvalidValue).with_cmd(command);
            let argument = argument.map_or_else(String::new, Arg::to_string);
            let names = unknown.names.iter().map(|name| (*name).to_owned());
            let near = unknown.closest.map(|near| {
                let near = ContextValue::String(near.to_owned());
                (ContextKind::SuggestedValue, near)
            });
            let context = [
                (ContextKind::InvalidArg, ContextValue::String(argument)),
                (
                    ContextKind::InvalidValue,
                    ContextValue::String(unknown.word),
                ),
                (
                    ContextKind::ValidValue,
                    ContextValue::Strings(names.collect()),
                ),
            ];
            for (kind, value) in context.into_iter().chain(near) {
                error.insert(kind, value);
            }
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = T::names().into_iter();
        Some(Box::new(names.map(PossibleValue::new)))
    }
}
