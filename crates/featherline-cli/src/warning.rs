//! Errors, warnings and notes on standard error.

use std::io::{Write, stderr};

/// The longest message that is told whole, in characters.
const LONG: usize = 4000;

/// A message in which names may stand that somebody else chose: without characters that a terminal obeys, and not without an
/// end.
pub fn printable(text: &str) -> String {
    let mut plain = String::new();
    for (k, character) in text.chars().enumerate() {
        if k == LONG {
            plain.push('…');
            break;
        }
        if character != '\n' && (character.is_control() || turns_text(character)) {
            plain.extend(character.escape_default());
        } else {
            plain.push(character);
        }
    }
    plain
}

/// A name that somebody else chose, on one line.
pub fn name(text: &str) -> String {
    printable(text).replace('\n', "\\n")
}

/// Whether a character has what follows written in another direction, so that it reads as something else (Unicode Standard Annex 9).
fn turns_text(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Says why nothing, or not all, was done.
pub fn error(what: &str) {
    let label = console::style("error:").for_stderr().red().bold();
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(stderr(), "{label} {}", printable(what));
}

/// Warns of something that may make an answer another one than was meant.
pub fn warn(what: &str) {
    let label = console::style("warning:").for_stderr().yellow().bold();
    // An answer is worth having where nobody reads the warnings.
    let _ = writeln!(stderr(), "{label} {}", printable(what));
}

/// Tells something that is good to know.
pub fn note(what: &str) {
    let label = console::style("note:").for_stderr().bold();
    // As above.
    let _ = writeln!(stderr(), "{label} {}", printable(what));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_nothing_of_a_message() {
        assert_eq!(printable("`ü\u{1b}[31m`\n"), "`ü\\u{1b}[31m`\n");
        assert_eq!(printable("a\tb\r"), "a\\tb\\r");
        assert_eq!(printable("a\u{202e}b q\u{308}"), "a\\u{202e}b q\u{308}");
        assert_eq!(name("a\nb"), "a\\nb");
        let long = printable(&"ü".repeat(1_000_000));
        assert_eq!(long.chars().count(), LONG + 1);
    }
}
