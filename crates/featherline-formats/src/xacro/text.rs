//! Texts with `${expressions}` and `$(commands)` in them.

use super::budget::{Outcome, Refusal, refuse};
use super::expansion::Expansion;
use super::parse::parse;
use super::tree::Place;
use super::value::Value;
use crate::xml::shortened;
use std::rc::Rc;

/// A part of a text.
#[derive(Debug, PartialEq)]
enum Piece<'t> {
    /// Text as it stands.
    Plain(&'t str),
    /// The text between `${` and `}`.
    Expression(&'t str),
    /// The text between `$(` and `)`.
    Command(&'t str),
}

/// The parts of a text; `$${` stands for `${`.
fn pieces(text: &str) -> Outcome<Vec<Piece<'_>>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(dollar) = rest.find('$') {
        let (before, from) = rest.split_at(dollar);
        let dollars = from.len() - from.trim_start_matches('$').len();
        let close = match from[dollars..].chars().next() {
            Some('{') => '}',
            Some('(') => ')',
            _ => {
                pieces.push(Piece::Plain(&rest[..dollar + dollars]));
                rest = &from[dollars..];
                continue;
            }
        };
        if !before.is_empty() {
            pieces.push(Piece::Plain(before));
        }
        if dollars > 1 {
            pieces.push(Piece::Plain(&from[1..=dollars]));
            rest = &from[dollars + 1..];
            continue;
        }
        let inner = &from[2..];
        let unclosed = || Refusal(format!("`{}` is not closed", shortened(from)));
        let end = closing(inner, close).ok_or_else(unclosed)?;
        pieces.push(match close {
            '}' => Piece::Expression(&inner[..end]),
            _ => Piece::Command(&inner[..end]),
        });
        rest = &inner[end + 1..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Plain(rest));
    }
    Ok(pieces)
}

/// Where a bracket closes what a text begins in. In an expression, quotes hide brackets.
pub(super) fn closing(text: &str, close: char) -> Option<usize> {
    let open = if close == '}' { '{' } else { '(' };
    let mut depth = 0;
    let mut quote = None;
    for (index, c) in text.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if close == '}' && (c == '\'' || c == '"') => quote = Some(c),
            None if c == open => depth += 1,
            None if c == close && depth == 0 => return Some(index),
            None if c == close => depth -= 1,
            None => {}
        }
    }
    // A quote that is not closed hides nothing.
    quote.and_then(|_| text.find(close))
}

impl Expansion<'_> {
    /// The value of a text: that of its expression, if there is nothing beside it, else a text.
    pub(super) fn evaluated(&mut self, text: &str, place: Place, table: usize) -> Outcome<Value> {
        let before = std::mem::replace(&mut self.here, place);
        let value = self.value_of(text, table)?;
        self.here = before;
        Ok(value)
    }

    /// The same, as a text.
    pub(super) fn evaluated_text(
        &mut self,
        text: &str,
        place: Place,
        table: usize,
    ) -> Outcome<Rc<str>> {
        let value = self.evaluated(text, place, table)?;
        value.to_text(&mut self.budget)
    }

    fn value_of(&mut self, text: &str, table: usize) -> Outcome<Value> {
        let pieces = pieces(text)?;
        self.budget.steps(1 + pieces.len())?;
        if let [piece] = &pieces[..] {
            return self.value_of_piece(piece, table);
        }
        let mut joined = String::new();
        for piece in &pieces {
            let value = self.value_of_piece(piece, table)?;
            let text = value.to_text(&mut self.budget)?;
            self.budget.bytes(text.len())?;
            joined.push_str(&text);
        }
        Ok(Value::text_of(joined))
    }

    fn value_of_piece(&mut self, piece: &Piece<'_>, table: usize) -> Outcome<Value> {
        self.budget.enter()?;
        let value = match piece {
            Piece::Plain(text) => {
                self.budget.bytes(text.len())?;
                Value::text_of(*text)
            }
            Piece::Expression(text) => {
                let text = self.inner(text, table)?;
                let expression = parse(&text).map_err(|it| self.in_expression(&text, it))?;
                let value = self.evaluate(&expression, table);
                value.map_err(|it| self.in_expression(&text, it))?
            }
            Piece::Command(text) => {
                let text = self.inner(text, table)?;
                Value::text_of(self.command(&text)?)
            }
        };
        self.budget.leave();
        Ok(value)
    }

    /// The text in brackets, with its own pieces replaced.
    fn inner(&mut self, text: &str, table: usize) -> Outcome<Rc<str>> {
        self.budget.bytes(text.len())?;
        match text.contains('$') {
            true => self.value_of(text, table)?.to_text(&mut self.budget),
            false => Ok(text.into()),
        }
    }

    /// An error with the innermost expression that it is in.
    fn in_expression(&mut self, expression: &str, Refusal(reason): Refusal) -> Refusal {
        match std::mem::replace(&mut self.has_failed, true) {
            true => Refusal(reason),
            false => Refusal(format!("`{}`: {reason}", shortened(expression.trim()))),
        }
    }

    /// The value of a command.
    fn command(&mut self, text: &str) -> Outcome<String> {
        let mut words = text.split_whitespace();
        let command = words.next().unwrap_or_default();
        let first = words.next().unwrap_or_default();
        let shown = shortened(text);
        let value = match command {
            "arg" => self.argument(first)?.to_string(),
            "find" => match self.resolver.package(first) {
                Some(folder) => folder.display().to_string(),
                None => {
                    refuse!(
                        "`$({shown})`: the package `{}` was not found; name its folder by the \
                         option `package_folder` (`--package-folder`), or in the environment \
                         variable ROS_PACKAGE_PATH",
                        shortened(first)
                    );
                }
            },
            "env" | "optenv" | "cwd" if self.is_bounded => {
                refuse!(
                    "`$({shown})` is not read where the option `root_folder` bounds what is read"
                );
            }
            "env" => std::env::var(first).map_err(|_| {
                let name = shortened(first);
                Refusal(format!("there is no environment variable `{name}`"))
            })?,
            "optenv" => {
                let default: Vec<&str> = words.collect();
                std::env::var(first).unwrap_or_else(|_| default.join(" "))
            }
            "cwd" => {
                let folder = std::env::current_dir();
                let folder = folder.map_err(|error| Refusal(format!("`$(cwd)`: {error}")))?;
                folder.display().to_string()
            }
            "dirname" => self.folder().display().to_string(),
            _ => {
                refuse!(
                    "`$({shown})` is not expanded; `arg`, `find`, `env`, `optenv`, `dirname` and \
                     `cwd` are"
                );
            }
        };
        self.budget.bytes(value.len())?;
        Ok(value)
    }

    /// The value of an argument.
    pub(super) fn argument(&self, name: &str) -> Outcome<Rc<str>> {
        let value = self.arguments.get(name).cloned();
        value.ok_or_else(|| {
            Refusal(format!(
                "the argument `{}` has no value; give it one by the option `xacro_argument` \
                 (`--xacro NAME:=VALUE`)",
                shortened(name)
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_taken_apart() {
        let expected = vec![
            Piece::Plain("a"),
            Piece::Expression("b['}'] + {1: 2}[1]"),
            Piece::Command("find $(arg c)"),
            Piece::Plain("/$d "),
            Piece::Plain("${"),
            Piece::Plain("e}"),
        ];
        // A `$` that opens nothing stands for itself.
        let text = "a${b['}'] + {1: 2}[1]}$(find $(arg c))/$d $${e}";
        let mut found = pieces(text).unwrap();
        let plain: String = found
            .drain(3..5)
            .map(|it| match it {
                Piece::Plain(text) => text,
                Piece::Expression(_) | Piece::Command(_) => "?",
            })
            .collect();
        assert_eq!(plain, "/$d ");
        found.insert(3, Piece::Plain("/$d "));
        assert_eq!(found, expected);
        assert!(pieces("${a").is_err() && pieces("$(a").is_err());
    }
}
