//! Positions in files.

use serde::Serialize;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A position in a text, counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// A position in a file, as far as it is known.
///
/// Displayed as `arm.urdf:12:5: robot/joint[@name='j']/axis`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Location {
    /// The file; absent for a text that was passed as a string.
    pub file: Option<PathBuf>,
    /// Line and column; absent where the file as a whole is meant.
    pub position: Option<Position>,
    /// The path of the element from the root, with names of links and joints.
    pub element: Option<String>,
    /// The text concerned: the opening tag of the element, or the attribute with its value. Absent
    /// where the file as a whole is meant.
    pub span: Option<Span>,
}

/// A piece of a text, with the line that it begins in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Span {
    /// The piece, in bytes of the text.
    pub bytes: Range<usize>,
    /// The position after its last character.
    pub end: Position,
    /// The line that the piece begins in. Of a long line, what is near the piece.
    pub line: String,
    /// The piece in `line`, in bytes, to the end of the line at most.
    pub in_line: Range<usize>,
}

/// The most bytes of a line that are kept before a piece, and after its beginning.
const AROUND: usize = 500;

impl Location {
    /// A file as a whole.
    pub(crate) fn of_file(file: Option<&Path>) -> Self {
        Self {
            file: file.map(Path::to_owned),
            ..Self::default()
        }
    }

    /// Whether nothing is known of the place.
    pub(crate) fn is_nowhere(&self) -> bool {
        self.file.is_none() && self.position.is_none() && self.element.is_none()
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.position) {
            (Some(file), Some(at)) => {
                write!(f, "{}:{}:{}", file.display(), at.line, at.column)?;
            }
            (Some(file), None) => write!(f, "{}", file.display())?,
            (None, Some(at)) => write!(f, "line {}, column {}", at.line, at.column)?,
            (None, None) => write!(f, "the text")?,
        }
        match &self.element {
            Some(element) => write!(f, ": {element}"),
            None => Ok(()),
        }
    }
}

/// A place in one of the texts that a description was read from; the default is no place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Source {
    /// One more than the index of the text; zero is no place.
    text: u32,
    offset: u32,
}

impl Source {
    /// A byte of a text, by the text's index.
    pub(crate) fn new(text: usize, offset: usize) -> Self {
        // Texts have at most 64 MiB.
        Self {
            text: u32::try_from(text + 1).unwrap_or(0),
            offset: u32::try_from(offset).unwrap_or(u32::MAX),
        }
    }

    #[cfg(feature = "scene")]
    /// The same place, where so many texts come before those that it is counted in.
    pub(crate) fn after(self, texts: usize) -> Self {
        match self.position() {
            Some((text, offset)) => Self::new(text + texts, offset),
            None => self,
        }
    }

    /// The index of the text among [those of the sources](crate::description::Sources::texts), and
    /// the byte in it; none for what comes from no text.
    pub fn position(self) -> Option<(usize, usize)> {
        let text = self.text.checked_sub(1)?;
        Some((text as usize, self.offset as usize))
    }
}

/// Byte offsets of a text, turned into lines and columns at a cost that does not grow with the
/// text.
#[derive(Debug)]
pub(crate) struct LineIndex<'a> {
    text: &'a str,
    /// Byte offset of the beginning of each line.
    lines: Vec<usize>,
    /// Characters that begin before each multiple of [`STRIDE`] bytes: lines may be as long as the
    /// text.
    characters: Vec<usize>,
}

const STRIDE: usize = 1024;

impl<'a> LineIndex<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let newlines = text.match_indices('\n');
        let mut characters = vec![0];
        let mut count = 0;
        for block in text.as_bytes().chunks(STRIDE) {
            count += begun(block);
            characters.push(count);
        }
        Self {
            text,
            lines: std::iter::once(0)
                .chain(newlines.map(|(i, _)| i + 1))
                .collect(),
            characters,
        }
    }

    /// Line and column of the character at a byte offset; past the end, of the end.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.lines.partition_point(|&start| start <= offset);
        let start = self.lines[line - 1];
        Position {
            line,
            column: self.characters_before(offset) - self.characters_before(start) + 1,
        }
    }

    /// A piece of the text, with its line; past the end, the end.
    pub(crate) fn span(&self, bytes: Range<usize>) -> Span {
        let boundary = |offset| self.text.floor_char_boundary(offset);
        let start = boundary(bytes.start);
        let bytes = start..boundary(bytes.end).max(start);
        let line = self.lines.partition_point(|&first| first <= start);
        let next = self.lines.get(line).map(|next| next - 1);
        let line = self.lines[line - 1]..next.unwrap_or(self.text.len());
        let first = boundary(line.start.max(start.saturating_sub(AROUND)));
        let last = boundary(line.end.min(start + AROUND));
        let shown = self.text[first..last].trim_end_matches('\r');
        let within = |byte: usize| byte.min(first + shown.len()) - first;
        Span {
            end: self.position(bytes.end),
            in_line: within(start)..within(bytes.end),
            line: shown.to_owned(),
            bytes,
        }
    }

    fn characters_before(&self, offset: usize) -> usize {
        let block = offset / STRIDE;
        self.characters[block] + begun(&self.text.as_bytes()[block * STRIDE..offset])
    }
}

/// How many characters begin in a piece of UTF-8.
fn begun(bytes: &[u8]) -> usize {
    if bytes.is_ascii() {
        return bytes.len();
    }
    bytes.iter().filter(|&&b| b & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_found_by_walking_through_the_text() {
        let text = "a\nβγ\r\n\n".repeat(700) + "δ end";
        let index = LineIndex::new(&text);
        let (mut line, mut column) = (1, 1);
        for (offset, c) in text.char_indices() {
            assert_eq!(index.position(offset), Position { line, column });
            (line, column) = if c == '\n' {
                (line + 1, 1)
            } else {
                (line, column + 1)
            };
        }
        assert_eq!(index.position(text.len() + 7), Position { line, column });
    }

    #[test]
    fn a_span_has_the_line_that_it_begins_in() {
        let text = "<a>\r\n  <β x='1'\n y='2'/>\n</a>";
        let index = LineIndex::new(text);
        let start = text
            .find('<')
            .and_then(|it| text[it + 1..].find('<').map(|at| it + 1 + at));
        let start = start.expect("there is a second tag");
        let end = text.find("/>").expect("it is closed") + 2;
        let span = index.span(start..end);
        assert_eq!((span.line.as_str(), span.in_line), ("  <β x='1'", 2..11));
        assert_eq!(span.end, Position { line: 3, column: 9 });
        // A line as long as the text is cut, between characters.
        let long = "ü".repeat(2000) + "<a/>" + &"ü".repeat(2000);
        let span = LineIndex::new(&long).span(4000..4004);
        assert_eq!(&span.line[span.in_line.clone()], "<a/>");
        assert!(span.line.len() <= 2 * AROUND + 2, "{}", span.line.len());
        // Past the end.
        let past = index.span(text.len() + 5..text.len() + 9);
        assert_eq!((past.line.as_str(), past.in_line), ("</a>", 4..4));
    }

    #[test]
    fn a_location_shows_what_is_known() {
        let mut location = Location {
            file: Some("arm.urdf".into()),
            position: Some(Position {
                line: 12,
                column: 5,
            }),
            element: Some("robot/link".to_owned()),
            span: None,
        };
        assert_eq!(location.to_string(), "arm.urdf:12:5: robot/link");
        location.file = None;
        assert_eq!(location.to_string(), "line 12, column 5: robot/link");
    }
}
