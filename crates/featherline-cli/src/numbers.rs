//! The value of a key of a line of JSON.

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

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
