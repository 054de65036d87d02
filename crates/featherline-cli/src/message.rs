//! Errors, warnings and notes on standard error.

use console::StyledObject;
use std::io::{Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether warnings and notes are left out. Warnings come from everywhere, hence a static.
static QUIET: AtomicBool = AtomicBool::new(false);

/// The longest message that is written whole, in characters.
const LONG: usize = 4000;

/// Sets whether warnings and notes are left out.
pub fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Whether notes are left out, and warnings that are not the answer.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// A message that may contain names from a file: without control characters, and not longer than
/// [`LONG`].
pub fn printable(text: &str) -> String {
    let mut plain = String::new();
    for (k, character) in text.chars().enumerate() {
        if k == LONG {
            plain.push('…');
            break;
        }
        if character != '\n' && (character.is_control() || reverses_text(character)) {
            plain.extend(character.escape_default());
        } else {
            plain.push(character);
        }
    }
    plain
}

/// A name from a file, on one line.
#[cfg(any(test, feature = "compile"))]
pub fn name(text: &str) -> String {
    printable(text).replace('\n', "\\n")
}

/// Whether a character changes the direction in which the following text is shown (Unicode Standard
/// Annex 9).
fn reverses_text(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Writes why a command was not done, or only in part.
pub fn error(what: &str) {
    write(console::style("error:").red(), what);
}

/// Warns of something that may make the answer differ from what was meant.
pub fn warn(what: &str) {
    if !is_quiet() {
        write(console::style("warning:").yellow(), what);
    }
}

/// Writes a note.
pub fn note(what: &str) {
    if !is_quiet() {
        write(console::style("note:"), what);
    }
}

fn write(label: StyledObject<&str>, what: &str) {
    // Nothing can be done where standard error is closed.
    let _ = writeln!(
        stderr(),
        "{} {}",
        label.for_stderr().bold(),
        printable(what)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(printable("`ü\u{1b}[31m`\n"), "`ü\\u{1b}[31m`\n");
        assert_eq!(printable("a\tb\r"), "a\\tb\\r");
        assert_eq!(printable("a\u{202e}b q\u{308}"), "a\\u{202e}b q\u{308}");
        assert_eq!(name("a\nb"), "a\\nb");
        let long = printable(&"ü".repeat(1_000_000));
        assert_eq!(long.chars().count(), LONG + 1);
    }
}
