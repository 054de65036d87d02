//! Numbers of an option.

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
                let reason = "there is nothing between two commas; numbers are separated by commas";
                return Err(reason.to_owned());
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
