//! The line of a file that a message is about, with the doubtful part underlined.

use crate::message::printable;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use featherline_formats::{Error, Location};
use std::io::{Write, stderr};

/// The width where there is no terminal.
const WIDTH: usize = 120;

/// How much what is underlined matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emphasis {
    Error,
    Warning,
    Note,
}

/// Writes the error of a robot's file to standard error, with the line that it is about.
pub fn error(error: &Error) {
    let label = console::style(format!("error[{}]:", error.cause().code()));
    let label = label.for_stderr().red().bold();
    let below = below(error.location(), Emphasis::Error, None, &Terminal::stderr());
    // Nothing can be done where standard error is closed.
    let _ = writeln!(stderr(), "{label} {}", printable(&error.to_string()));
    let _ = write!(stderr(), "{below}");
}

/// The device that a message is written to.
pub struct Terminal {
    /// Whether it shows colours.
    pub colours: bool,
    /// Characters in a line.
    width: usize,
}

impl Terminal {
    /// That of standard output.
    pub fn stdout() -> Self {
        Self::of(&console::Term::stdout(), console::colors_enabled())
    }

    /// That of standard error.
    pub fn stderr() -> Self {
        let colours = console::colors_enabled_stderr();
        Self::of(&console::Term::stderr(), colours)
    }

    fn of(terminal: &console::Term, colours: bool) -> Self {
        let size = terminal.size_checked();
        let width = size.map_or(WIDTH, |(_, columns)| usize::from(columns));
        Self { colours, width }
    }
}

/// The line of a location, what is meant in it underlined, and a remedy; empty for a location
/// without a line. Long lines are cut.
pub fn below(
    location: &Location,
    emphasis: Emphasis,
    remedy: Option<&str>,
    terminal: &Terminal,
) -> String {
    let (Some(span), Some(position)) = (&location.span, location.position) else {
        return String::new();
    };
    let level = match emphasis {
        Emphasis::Error => Level::ERROR,
        Emphasis::Warning => Level::WARNING,
        Emphasis::Note => Level::NOTE,
    };
    let underlined = AnnotationKind::Primary.span(span.in_line.clone());
    let source = Snippet::source(span.line.as_str()).line_start(position.line);
    let group = Group::with_level(level).element(source.annotation(underlined));
    let group = match remedy {
        Some(remedy) => group.element(Level::HELP.message(remedy)),
        None => group,
    };
    let renderer = match terminal.colours {
        true => Renderer::styled(),
        false => Renderer::plain(),
    };
    renderer.term_width(terminal.width).render(&[group]) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let error = featherline_formats::load_str(text).expect_err("it is broken");
        let terminal = Terminal {
            colours: false,
            width: 60,
        };
        below(
            error.location(),
            Emphasis::Error,
            Some("Mend it"),
            &terminal,
        )
    }

    #[test]
    fn the_doubtful_part_is_underlined() {
        let text = "<robot name='r'>\n  <link name='a' >\n    <inertial><mass value='-1'/></inertial>\n  </link></robot>";
        let shown = shown(text);
        let lines: Vec<&str> = shown.lines().collect();
        let source = lines.iter().position(|it| it.contains("value='-1'"));
        let source = source.expect("the line is shown");
        assert!(lines[source].starts_with("3 |"), "{shown}");
        let column = lines[source].find("value").expect("there");
        assert_eq!(lines[source + 1].find('^'), Some(column), "{shown}");
        assert_eq!(lines[source + 1].matches('^').count(), "value='-1'".len());
        assert!(shown.contains("help: Mend it"), "{shown}");
    }

    #[test]
    fn long_lines_are_cut_and_control_characters_do_not_reach_the_terminal() {
        let links: String = (0..500).map(|k| format!("<link name='ü{k}'/>")).collect();
        let shown = shown(&format!(
            "<robot name='r'>{links}<joint name='j' type='x'/></robot>"
        ));
        assert!(shown.contains("type='x'"), "{shown}");
        assert!(shown.lines().all(|it| it.chars().count() <= 70), "{shown}");
        let hostile =
            "<robot name='r'><link name='a'/>\u{202e}<joint name='j' type='\u{202e}x'/></robot>";
        assert!(!self::shown(hostile).contains('\u{202e}'));
    }
}
