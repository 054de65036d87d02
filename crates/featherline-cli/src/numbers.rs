//! Numbers of options, and what stands behind a key of a line of JSON.

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

/// Numbers of an option, separated by commas, blanks or both; brackets may stand around them.
#[derive(Clone, Debug, PartialEq)]
pub struct List(Vec<f64>);

impl Deref for List {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.0
    }
}

impl FromStr for List {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let inside = text.trim();
        let inside = inside
            .strip_prefix('[')
            .and_then(|it| it.strip_suffix(']'))
            .unwrap_or(inside);
        let mut numbers = Vec::new();
        for part in inside.split(',') {
            let mut words = part.split_whitespace().peekable();
            if words.peek().is_none() && !inside.trim().is_empty() {
                return Err(
                    "there is nothing between two commas; numbers are separated by commas"
                        .to_owned(),
                );
            }
            for word in words {
                numbers.push(word.parse().map_err(|_| {
                    format!("`{word}` is no number; numbers are separated by commas, such as 0.1,-2,3e-2")
                })?);
            }
        }
        Ok(Self(numbers))
    }
}

/// A number, which stands for an array of one, numbers, or null.
pub struct Numbers(pub Option<Vec<f64>>);

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Values;
        impl<'de> Visitor<'de> for Values {
            type Value = Numbers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or an array of numbers")
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Numbers, E> {
                Ok(Numbers(Some(vec![value])))
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Numbers, E> {
                self.visit_f64(value as f64)
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Numbers, E> {
                self.visit_f64(value as f64)
            }

            fn visit_unit<E: Error>(self) -> Result<Numbers, E> {
                Ok(Numbers(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Numbers, A::Error> {
                let mut numbers = Vec::new();
                while let Some(number) = values.next_element()? {
                    numbers.push(number);
                }
                Ok(Numbers(Some(numbers)))
            }
        }
        reader.deserialize_any(Values)
    }
}

#[cfg(test)]
mod tests {
    use super::List;

    #[test]
    fn numbers_of_an_option_stand_as_people_write_them() {
        for text in [
            "1,-2,.5",
            "1, -2, 0.5",
            "[1, -2, 5e-1]",
            "1 -2 0.5",
            " [1 -2 0.5] ",
        ] {
            assert_eq!(text.parse(), Ok(List(vec![1.0, -2.0, 0.5])), "{text}");
        }
        assert_eq!("[]".parse(), Ok(List(Vec::new())));
        for text in ["1,,2", "1,2,", "1;2", "[1,2", "one"] {
            assert!(text.parse::<List>().is_err(), "{text}");
        }
    }
}
