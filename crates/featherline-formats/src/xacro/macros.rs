//! Macros: their parameters and their calls.

use super::budget::{Outcome, Refusal, refuse};
use super::expansion::{Expansion, Inner};
use super::scope::{Entry, Table};
use super::text::closing;
use super::tree::{Out, Place, Tag};
use crate::xml::shortened;
use std::rc::Rc;

/// The most words in a list of parameters; each parameter is compared with all before it.
const PARAMETERS: usize = 1000;

/// A macro.
#[derive(Debug)]
pub(super) struct Macro {
    parameters: Vec<Parameter>,
    body: Rc<Tag>,
    /// Where its parameters are.
    place: Place,
}

/// A parameter of a macro.
#[derive(Debug, Default, PartialEq)]
struct Parameter {
    /// The name; that of a block begins with `*`, and with `**` if its content alone is inserted.
    name: String,
    /// Whether the property of this name around the call is a default.
    is_forwarded: bool,
    /// The default.
    default: Option<String>,
}

/// The parameters of a list such as `name mass:=1 *origin side:=^|left`.
fn parameters(list: &str) -> Vec<Parameter> {
    let mut parameters: Vec<Parameter> = Vec::new();
    let mut rest = list.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_whitespace() || c == ':' || c == '=');
        let (name, behind) = rest.split_at(end.unwrap_or(rest.len()));
        let mut parameter = Parameter {
            name: name.to_owned(),
            ..Parameter::default()
        };
        let behind = behind.trim_start();
        let value = behind.strip_prefix(":=").or(behind.strip_prefix('='));
        rest = match value {
            Some(value) => {
                let value = value.trim_start();
                let forwarded = value.strip_prefix('^');
                parameter.is_forwarded = forwarded.is_some();
                let value = forwarded.map_or(value, |it| it.strip_prefix('|').unwrap_or(it));
                let (default, behind) = value.split_at(end_of_default(value));
                let has_default = !default.is_empty() || !parameter.is_forwarded;
                parameter.default = has_default.then(|| default.to_owned());
                behind.trim_start()
            }
            // A colon that stands alone names nothing.
            None => behind.trim_start_matches(':').trim_start(),
        };
        if !name.is_empty() {
            // The last of two counts.
            parameters.retain(|it| it.name != parameter.name);
            parameters.push(parameter);
        } else if value.is_none() && !behind.starts_with(':') {
            break;
        }
    }
    parameters
}

/// Where a default ends: at a blank outside of brackets and quotes.
fn end_of_default(text: &str) -> usize {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match c {
            _ if c.is_whitespace() => break,
            '$' if rest.starts_with("${") => closing(&rest[2..], '}').map(|it| it + 3),
            '$' if rest.starts_with("$(") => closing(&rest[2..], ')').map(|it| it + 3),
            '\'' | '"' => rest[1..].find(c).map(|it| it + 2),
            _ => None,
        };
        at += length.unwrap_or(c.len_utf8());
    }
    at
}

impl Expansion<'_> {
    pub(super) fn define_macro(&mut self, tag: &Rc<Tag>, table: usize) -> Outcome<()> {
        let Some((name, place)) = tag.attribute("name") else {
            let tag = &tag.name;
            refuse!("`<{tag}>` needs the attribute `name`");
        };
        let params = tag.attribute("params");
        let (list, place) = params.map_or(("", place), |(list, place)| (&**list, place));
        if list.split(|c: char| c.is_whitespace() || c == ':').count() > PARAMETERS {
            let what = format!("the macro has more than {PARAMETERS} parameters");
            refuse!("{what}, the most that is accepted");
        }
        self.budget.bytes(list.len())?;
        let name = name.strip_prefix("xacro:").unwrap_or(name).to_owned();
        let made = Macro {
            parameters: parameters(list),
            body: Rc::clone(tag),
            place,
        };
        self.tables[table].macros.insert(name, Rc::new(made));
        Ok(())
    }

    /// Expands the macro of a name for an element.
    pub(super) fn call(
        &mut self,
        tag: &Tag,
        name: &str,
        table: usize,
        into: &mut Inner,
    ) -> Outcome<()> {
        let Some((called, around)) = self.find_macro(name, table) else {
            refuse!(
                "`<xacro:{}>` is neither a macro that is defined nor an element that is \
                 expanded; the program `xacro` may know more",
                shortened(name)
            );
        };
        let own = self.given(tag, name, &called, table)?;
        let index = self.tables.len();
        self.tables.push(Table {
            parent: Some(around),
            ..own
        });
        self.macros.push(shortened(name));
        self.children(&called.body.children, index, into)?;
        self.macros.pop();
        // Namespaces that it made go with it.
        self.tables.truncate(index);
        Ok(())
    }

    /// The values of a macro's parameters in a call, and its blocks.
    fn given(&mut self, tag: &Tag, name: &str, called: &Macro, table: usize) -> Outcome<Table> {
        let mut own = Table::default();
        let is_call = tag.directive.as_deref() == Some("call");
        let shown = shortened(name);
        for (attribute, value, place) in &tag.attributes {
            if is_call && attribute == "macro" {
                continue;
            }
            if !called.parameters.iter().any(|it| it.name == *attribute) {
                refuse!(
                    "the macro `{shown}` has no parameter `{}`",
                    shortened(attribute)
                );
            }
            let value = Self::typed(self.evaluated(value, *place, table)?);
            own.entries.insert(attribute.clone(), Entry::Value(value));
        }
        let mut inner = Inner::default();
        self.children(&tag.children, table, &mut inner)?;
        let elements = inner.nodes.into_iter().filter_map(|it| match it {
            Out::Element(made) => Some(made),
            Out::Text(_) | Out::Kept(_) => None,
        });
        let mut elements = elements.into_iter();
        let parameters = called.parameters.iter().map(|it| &it.name);
        for parameter in parameters.filter(|it| it.starts_with('*')) {
            let Some(made) = elements.next() else {
                refuse!("the macro `{shown}` needs an element for its `{parameter}`");
            };
            let block = match parameter.starts_with("**") {
                true => made.inner.clone(),
                false => vec![Out::Element(made)],
            };
            self.budget.steps(block.len())?;
            own.entries.insert(parameter.clone(), Entry::Block(block));
        }
        if let Some(made) = elements.next() {
            refuse!(
                "the macro `{shown}` has no parameter for the element `<{}>`",
                shortened(&made.name)
            );
        }
        for parameter in &called.parameters {
            let key = &parameter.name;
            if key.starts_with('*') || own.entries.contains_key(key) {
                continue;
            }
            let around = match parameter.is_forwarded {
                true => self.property(key, table)?,
                false => None,
            };
            let value = match (around, &parameter.default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.evaluated(default, called.place, table)?,
                (None, None) => {
                    refuse!(
                        "the macro `{shown}` needs its parameter `{}`",
                        shortened(key)
                    );
                }
            };
            let value = Self::typed(value);
            own.entries.insert(key.clone(), Entry::Value(value));
        }
        Ok(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_defaults() {
        let of = |name: &str, is_forwarded, default: Option<&str>| Parameter {
            name: name.to_owned(),
            is_forwarded,
            default: default.map(str::to_owned),
        };
        let list = "a b:=1 c=${x + 'a b'}_d *e **f g:='h i' j:=^ k := ^|${l} m:= n";
        let expected = [
            of("a", false, None),
            of("b", false, Some("1")),
            of("c", false, Some("${x + 'a b'}_d")),
            of("*e", false, None),
            of("**f", false, None),
            of("g", false, Some("'h i'")),
            of("j", true, None),
            of("k", true, Some("${l}")),
            of("m", false, Some("n")),
        ];
        assert_eq!(parameters(list), expected);
        // Whatever is written, the reader ends.
        for list in [":", "=", ":=", "a::b", "= =", "a :", "'", "${", "a:=${"] {
            let _ = parameters(list);
        }
    }
}
