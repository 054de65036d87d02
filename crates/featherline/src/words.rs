//! Words that users write: choices by name, and the name that was probably meant.

use std::fmt::{self, Display, Formatter};
use thiserror::Error;

/// Names longer than this are not compared: the cost grows with the square of the length.
#[cfg(feature = "suggestions")]
const MAX_COMPARED: usize = 200;

/// Least similarity of a name worth suggesting.
#[cfg(feature = "suggestions")]
const SIMILAR: f64 = 0.65;

/// A choice that users make by a word, such as a method of integration.
///
/// The command line and Python read their words here.
///
/// ```
/// use featherline::kinematics::ReferenceFrame;
/// use featherline::words::Words;
///
/// assert_eq!(ReferenceFrame::from_word("aligned")?, ReferenceFrame::LocalWorldAligned);
/// let error = ReferenceFrame::from_word("wold").unwrap_err();
/// assert!(error.to_string().contains("did you mean `world`?"));
/// # Ok::<(), featherline::words::UnknownWord>(())
/// ```
pub trait Words: Copy + PartialEq + 'static {
    /// The name of the choice in messages.
    const WHAT: &'static str;

    /// Every word with its meaning; the first of a meaning is its name, others are accepted, too.
    const WORDS: &'static [(&'static str, Self)];

    /// The name.
    fn name(self) -> &'static str {
        let named = Self::WORDS.iter().find(|(_, it)| *it == self);
        named.map_or("", |(name, _)| name)
    }

    /// The names of all choices, in order.
    fn names() -> Vec<&'static str> {
        let names = Self::WORDS.iter().filter(|(word, it)| it.name() == *word);
        names.map(|(word, _)| *word).collect()
    }

    /// The choice of a word, in capitals or lower-case letters.
    ///
    /// # Errors
    /// [`UnknownWord`], with the most similar word.
    fn from_word(word: &str) -> Result<Self, UnknownWord> {
        let mut known = Self::WORDS.iter();
        let known = known.find(|(known, _)| known.eq_ignore_ascii_case(word));
        known.map(|(_, it)| *it).ok_or_else(|| UnknownWord {
            what: Self::WHAT,
            word: word.to_owned(),
            closest: closest(word, Self::WORDS.iter().map(|(known, _)| *known)),
            names: Self::names(),
        })
    }
}

/// `NAMES` and the method `name` of an enum whose variants have data: each name once.
#[doc(hidden)]
#[macro_export]
macro_rules! names {
    ($($kind:pat => $name:literal,)+) => {
        /// The names of all kinds.
        pub const NAMES: [&'static str; [$($name),+].len()] = [$($name),+];

        /// The name of the kind: one of [`NAMES`](Self::NAMES).
        pub fn name(&self) -> &'static str {
            match self {
                $($kind => $name,)+
            }
        }
    };
}

/// A word that means nothing where it was written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "there is no {what} `{word}`{}; there are {}",
    DidYouMean(*.closest),
    .names.join(", ")
)]
pub struct UnknownWord {
    /// A choice by words.
    pub what: &'static str,
    /// The word.
    pub word: String,
    /// The most similar word, if one is similar.
    pub closest: Option<&'static str>,
    /// The names of all choices.
    pub names: Vec<&'static str>,
}

/// The end of a message about an unknown name: a question after the name that was probably meant,
/// or nothing.
///
/// ```
/// use featherline::words::{DidYouMean, closest};
///
/// let near = closest("tua", ["bias", "tau"]);
/// assert_eq!(DidYouMean(near).to_string(), "; did you mean `tau`?");
/// assert_eq!(DidYouMean(None).to_string(), "");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DidYouMean<'a>(pub Option<&'a str>);

impl Display for DidYouMean<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(near) => write!(f, "; did you mean `{near}`?"),
            None => Ok(()),
        }
    }
}

/// The most similar of the names that exist, if one is similar enough to be meant. Capitals and
/// lower-case letters are the same, and so are `-` and `_`. Of names that are as similar, it is the
/// first in alphabetical order. Where none is similar, it is the only one that has the written name
/// as a part, such as `symplectic-euler` for `euler`. Cost: the product of the lengths, for each
/// name.
#[cfg(feature = "suggestions")]
pub fn closest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_COMPARED {
        return None;
    }
    let plain = |text: &str| text.to_lowercase().replace('_', "-");
    let written = plain(name);
    let known = names.into_iter().filter(|it| it.len() <= MAX_COMPARED);
    let (mut similar, mut parts) = (Vec::new(), Vec::new());
    for name in known {
        let known = plain(name);
        let similarity = similarity(&written, &known);
        if similarity >= SIMILAR {
            similar.push((similarity, name));
        } else if known.split('-').any(|part| part == written) {
            parts.push(name);
        }
    }
    let best = similar.into_iter();
    let best = best.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)));
    match (best, &parts[..]) {
        (Some((_, name)), _) => Some(name),
        (None, [only]) => Some(only),
        (None, _) => None,
    }
}

/// Without the feature `suggestions` no name is suggested.
#[cfg(not(feature = "suggestions"))]
pub fn closest<'a>(_: &str, _: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    None
}

/// Jaro and Winkler's measure, or Damerau and Levenshtein's, which sees letters swapped.
#[cfg(feature = "suggestions")]
fn similarity(a: &str, b: &str) -> f64 {
    let longest = a.chars().count().max(b.chars().count()).max(1);
    let by_letters = 1.0 - strsim::osa_distance(a, b) as f64 / longest as f64;
    by_letters.max(strsim::jaro_winkler(a, b) - 0.1)
}

#[cfg(all(test, feature = "suggestions"))]
mod tests {
    use super::closest;

    #[test]
    fn the_likely_name_is_suggested() {
        let names = [
            "tau",
            "bias",
            "mass_matrix",
            "mass_matrix_inverse",
            "qdd_aba",
        ];
        for (written, meant) in [
            ("tua", "tau"),
            ("Tau", "tau"),
            ("biass", "bias"),
            ("mass_matrx", "mass_matrix"),
            ("mass-matrix", "mass_matrix"),
            ("mass_matrix_inv", "mass_matrix_inverse"),
            ("qdd", "qdd_aba"),
            ("inverse", "mass_matrix_inverse"),
        ] {
            assert_eq!(closest(written, names), Some(meant), "{written}");
        }
        assert_eq!(closest("voltage", names), None);
        assert_eq!(closest("q", ["left_q", "right_q"]), None);
        assert_eq!(closest("", names), None);
        assert_eq!(closest(&"tau".repeat(1000), names), None);
        // Whatever their order.
        assert_eq!(closest("site3", ["site2", "site1"]), Some("site1"));
    }
}
