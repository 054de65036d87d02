//! An error with its place.

use super::document::Refusal;
use featherline_formats::{Error, Location};

/// The message without its place, the place, and the line with what is meant underlined.
pub(super) fn located(error: &Error) -> Refusal {
    let location = error.location();
    let (place, whole) = (format!("{location}: "), error.to_string());
    Refusal {
        message: whole.strip_prefix(&place).unwrap_or(&whole).to_owned(),
        file: file(location),
        line: location.position.map(|at| at.line),
        snippet: underlined(location),
    }
}

/// The file of a location, as it was named.
pub(super) fn file(location: &Location) -> Option<String> {
    let file = location.file.as_ref();
    file.map(|file| file.display().to_string())
}

/// The line of a location, and below it marks under what is meant.
fn underlined(location: &Location) -> Option<String> {
    let (span, position) = (location.span.as_ref()?, location.position?);
    // Tabs and characters that move the cursor have the width of one space here.
    let shown = |text: &str| -> String {
        let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        plain.collect()
    };
    let before = shown(span.line.get(..span.in_line.start)?);
    let marked = shown(span.line.get(span.in_line.clone())?);
    let after = shown(span.line.get(span.in_line.end..)?);
    let number = position.line.to_string();
    let margin = " ".repeat(number.len());
    let space = " ".repeat(before.chars().count());
    let marks = "^".repeat(marked.chars().count().max(1));
    Some(format!(
        "{number} | {before}{marked}{after}\n{margin} | {space}{marks}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_meant_is_underlined() {
        let text = "<robot name='r'>\n<link name='a'/>\n\t<joint name='ü' type='odd'/></robot>";
        let error = featherline_formats::load_str(text).expect_err("there is no such joint");
        let refusal = located(&error);
        assert!(refusal.message.starts_with("`odd` is not a type of joint"));
        assert_eq!((refusal.file, refusal.line), (None, Some(3)));
        let snippet = refusal.snippet.expect("there is a line");
        let (line, marks) = snippet.split_once('\n').expect("two lines");
        let columns = |text: &str, of: char| text.chars().position(|c| c == of);
        assert_eq!(line, "3 |  <joint name='ü' type='odd'/></robot>");
        assert_eq!(marks.trim_start_matches([' ', '|']), "^^^^^^^^^^");
        // `type` begins at the second `t` of the line; the first is in `joint`.
        assert_eq!(
            columns(marks, '^'),
            line.chars()
                .collect::<String>()
                .find("type")
                .map(|at| at - 1)
        );
    }
}
