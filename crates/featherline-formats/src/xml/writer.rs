//! The text of a file that is written.

use featherline::spatial::Vec3;
use std::fmt::Write;

/// The text of a file, with its elements indented.
#[derive(Default)]
pub(crate) struct Text {
    pub(crate) text: String,
    depth: usize,
    /// Whether nothing was written since the last opening tag.
    is_empty: bool,
}

impl Text {
    pub(crate) fn open(&mut self, tag: &str, attributes: &[(&str, String)]) {
        self.tag(tag, attributes, ">");
        self.depth += 1;
        self.is_empty = true;
    }

    pub(crate) fn close(&mut self, tag: &str) {
        self.depth -= 1;
        if std::mem::take(&mut self.is_empty) {
            self.text.truncate(self.text.len() - ">\n".len());
            self.text.push_str("/>\n");
            return;
        }
        let indent = 2 * self.depth;
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{:indent$}</{tag}>", "");
    }

    /// Closes an element that is left out if there is nothing in it.
    pub(crate) fn close_if_used(&mut self, tag: &str) {
        if !self.is_empty {
            return self.close(tag);
        }
        self.depth -= 1;
        self.is_empty = false;
        let line = self.text.trim_end().rfind('\n').map_or(0, |it| it + 1);
        self.text.truncate(line);
    }

    pub(crate) fn empty(&mut self, tag: &str, attributes: &[(&str, String)]) {
        self.tag(tag, attributes, "/>");
    }

    fn tag(&mut self, tag: &str, attributes: &[(&str, String)], end: &str) {
        let indent = 2 * self.depth;
        let _ = write!(self.text, "{:indent$}<{tag}", "");
        for (name, value) in attributes {
            let _ = write!(self.text, " {name}=\"{}\"", escaped(value));
        }
        let _ = writeln!(self.text, "{end}");
        self.is_empty = false;
    }

    /// An element as it is.
    pub(crate) fn element(&mut self, text: &str) {
        let indent = 2 * self.depth;
        let _ = writeln!(self.text, "{:indent$}{text}", "");
        self.is_empty = false;
    }
}

/// The shortest number that is read back to the last bit.
pub(crate) fn number(value: f64) -> String {
    match value {
        _ if value.is_infinite() => if value > 0.0 { "inf" } else { "-inf" }.to_owned(),
        // No exponent where people do not expect one.
        _ if value == 0.0 || (1e-5..1e15).contains(&value.abs()) => format!("{value}"),
        _ => format!("{value:e}"),
    }
}

/// Numbers with blanks between them.
pub(crate) fn numbers(values: &[f64]) -> String {
    let words: Vec<String> = values.iter().map(|&value| number(value)).collect();
    words.join(" ")
}

pub(crate) fn vector(v: Vec3<f64>) -> String {
    numbers(&v.to_array())
}

/// A text as the value of an attribute.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // A parser makes blanks of them otherwise.
            '\n' | '\r' | '\t' => {
                let _ = write!(escaped, "&#{};", u32::from(c));
            }
            c => escaped.push(c),
        }
    }
    escaped
}
