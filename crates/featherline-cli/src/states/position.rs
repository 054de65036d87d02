//! The position of a number in a line of JSON, and which number is too large.

use super::state::{BadState, unwrapped};
use featherline::kernel::overflow_source;
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// The column, counted from 1, at which an entry of a key's array ends, or at which the key's
/// number ends if it is not an array; none if the line is not an object with such an entry. Of a
/// line with an object `state`, that object alone is searched.
pub fn column(line: &str, key: &str, entry: usize) -> Option<usize> {
    let (offset, text) = unwrapped(line);
    let mut json = serde_json::Deserializer::from_str(text);
    // The reader knows where it is: a search is a reading that fails where something is found.
    let found = json.deserialize_map(Search { key, entry }).err()?;
    (found.is_data() && found.column() > 0).then_some(offset + found.column())
}

/// The error of a state with finite numbers for which `what` overflows: which number causes it, and
/// its position in the line.
///
/// `overflows` says whether `what` overflows for the given numbers of all keys in a row.
pub fn too_large<'a>(
    what: &str,
    named: impl IntoIterator<Item = (&'a str, &'a [f64])>,
    line: &str,
    overflows: impl FnMut(&[f64]) -> bool,
) -> BadState {
    let (mut names, mut numbers) = (Vec::new(), Vec::new());
    for (key, values) in named {
        names.extend((0..values.len()).map(|entry| (key, entry)));
        numbers.extend_from_slice(values);
    }
    let Some(index) = overflow_source(&numbers, overflows) else {
        let reason = format!(
            "{what} is not finite in any state: masses or lengths of the robot are too large for double \
             precision; `featherline check` finds them"
        );
        return reason.into();
    };
    let ((key, entry), value) = (names[index], numbers[index]);
    BadState {
        column: column(line, key, entry),
        reason: format!(
            "{what} is not finite: `{key}`[{entry}] = {value:e} is too large for double precision; correct it, or leave the \
             state out"
        ),
    }
}

/// Searches an object for a key, or its value for an entry.
struct Search<'a> {
    key: &'a str,
    entry: usize,
}

/// The error that ends a successful search.
fn found<E: Error>() -> E {
    E::custom("found")
}

impl<'de> Visitor<'de> for Search<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of numbers and arrays")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == self.key {
                return map.next_value_seed(self);
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Err(found())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Err(found())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Err(found())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        for _ in 0..self.entry {
            if values.next_element::<IgnoredAny>()?.is_none() {
                return Ok(());
            }
        }
        values.next_element_seed(self).map(|_| ())
    }
}

impl<'de> DeserializeSeed<'de> for Search<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

#[cfg(test)]
mod tests {
    use super::column;

    #[test]
    fn a_number_is_found_where_it_ends() {
        let line = r#"{"q": [1, -2.5e3, 3], "a\u0062": 7, "v": {"q": [0]}, "w": []}"#;
        for (key, entry, until) in [
            ("q", 0, "{\"q\": [1"),
            ("q", 1, "{\"q\": [1, -2.5e3"),
            ("ab", 0, r#"{"q": [1, -2.5e3, 3], "a\u0062": 7"#),
        ] {
            let told = column(line, key, entry).expect("it stands there");
            // The reader may have looked at the next character already.
            let end = until.len();
            assert!(
                (end..=end + 1).contains(&told),
                "{key}[{entry}]: {told}, not {end}"
            );
        }
        let wrapped = r#"{"q": [0], "state": {"q": [1, 2]}}"#;
        let told = column(wrapped, "q", 1).expect("it stands there");
        let end = wrapped.find("2").expect("a digit") + 1;
        assert!((end..=end + 1).contains(&told), "{told}, not {end}");
        for (line, key, entry) in [
            (line, "q", 3),
            (line, "w", 0),
            (line, "x", 0),
            ("[1]", "q", 0),
        ] {
            assert_eq!(column(line, key, entry), None, "{key}[{entry}]");
        }
    }
}
