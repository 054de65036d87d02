//! The meanings of names: properties, blocks, macros and the namespaces of included files.

use super::budget::{Outcome, Refusal, refuse};
use super::expansion::Expansion;
use super::macros::Macro;
use super::tree::{Out, Place, Tag};
use super::value::{Value, literal};
use crate::xml::shortened;
use std::collections::HashMap;
use std::rc::Rc;

/// The names of the file, of a macro while it is expanded, or of a namespace.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) entries: HashMap<String, Entry>,
    pub(super) macros: HashMap<String, Rc<Macro>>,
    pub(super) spaces: HashMap<String, usize>,
    /// The index of the table that is searched next.
    pub(super) parent: Option<usize>,
    pub(super) is_space: bool,
}

/// The meaning of a name.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    Value(Value),
    /// A text that is evaluated when it is first used.
    Lazy(Rc<str>, Place),
    /// A text that is being evaluated.
    Active,
    /// Elements that were expanded.
    Block(Vec<Out>),
    /// The content of an element, which is expanded where it is inserted.
    Content(Rc<Tag>),
}

impl Expansion<'_> {
    /// Adds a table inside another one; returns its index.
    pub(super) fn inner_table(&mut self, parent: usize) -> usize {
        self.tables.push(Table {
            parent: Some(parent),
            ..Table::default()
        });
        self.tables.len() - 1
    }

    /// The tables of an index and of those around it.
    fn outwards(&self, from: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(from), |&it| self.tables[it].parent)
    }

    /// The table that has a name, from one on outwards.
    pub(super) fn holder(&self, name: &str, from: usize) -> Option<usize> {
        self.outwards(from)
            .find(|&it| self.tables[it].entries.contains_key(name))
    }

    /// The value of a property, if there is one.
    pub(super) fn property(&mut self, name: &str, from: usize) -> Outcome<Option<Value>> {
        self.budget.steps(1 + self.tables.len() / 16)?;
        let Some(table) = self.holder(name, from) else {
            return Ok(None);
        };
        let active = |it: &mut Entry| std::mem::replace(it, Entry::Active);
        let entry = match self.tables[table].entries.get_mut(name) {
            Some(Entry::Value(value)) => return Ok(Some(value.clone())),
            Some(entry @ Entry::Lazy(..)) => active(entry),
            Some(Entry::Active) => {
                refuse!("the property `{}` follows from itself", shortened(name));
            }
            Some(Entry::Block(_) | Entry::Content(_)) | None => return Ok(None),
        };
        let Entry::Lazy(text, place) = entry else {
            return Ok(None);
        };
        self.budget.enter()?;
        let value = self.evaluated(&text, place, table)?;
        self.budget.leave();
        let entries = &mut self.tables[table].entries;
        entries.insert(name.to_owned(), Entry::Value(value.clone()));
        Ok(Some(value))
    }

    /// A text as the value of a property; other values are themselves.
    pub(super) fn typed(value: Value) -> Value {
        if let Value::Text(text) = &value {
            return literal(text);
        }
        value
    }

    /// The macro of a name, `space.name` for one of a namespace, and the table that its own names
    /// are inside.
    pub(super) fn find_macro(&self, name: &str, from: usize) -> Option<(Rc<Macro>, usize)> {
        let find = |name: &str, from: usize| {
            self.outwards(from)
                .find_map(|it| self.tables[it].macros.get(name).cloned())
        };
        if let Some(found) = find(name, from) {
            return Some((found, from));
        }
        let (spaces, name) = name.rsplit_once('.')?;
        let space = spaces
            .split('.')
            .try_fold(from, |it, space| self.space(space, it))?;
        Some((find(name, space)?, space))
    }

    /// The table of a namespace.
    pub(super) fn space(&self, name: &str, from: usize) -> Option<usize> {
        self.outwards(from)
            .find_map(|it| self.tables[it].spaces.get(name).copied())
    }
}
