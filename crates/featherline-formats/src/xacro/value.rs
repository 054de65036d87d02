//! Values of expressions, and their texts as Python writes them.

use super::budget::{Budget, Outcome, Refusal, refuse};
use std::cmp::Ordering;
use std::rc::Rc;

/// The most lists inside one another.
const DEPTH: usize = 64;

/// A value of Python. Copies share its memory.
#[derive(Clone, Debug)]
pub(super) enum Value {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Rc<str>),
    /// Tuples are lists, too.
    List(Rc<Nested<Value>>),
    /// In the order of their insertion.
    Dict(Rc<Nested<(Value, Value)>>),
}

/// The items of a list or a dictionary.
#[derive(Debug)]
pub(super) struct Nested<T> {
    pub(super) items: Vec<T>,
    /// How many lists are inside one another, this one among them.
    depth: usize,
}

impl Value {
    pub(super) fn text_of(text: impl Into<Rc<str>>) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn list(items: Vec<Value>) -> Outcome<Self> {
        let depth = nested(items.iter())?;
        Ok(Self::List(Rc::new(Nested { items, depth })))
    }

    /// A dictionary; the last of equal keys counts.
    pub(super) fn dict(entries: Vec<(Value, Value)>, budget: &mut Budget) -> Outcome<Self> {
        let depth = nested(entries.iter().flat_map(|(key, value)| [key, value]))?;
        let mut items: Vec<(Value, Value)> = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            match position(&items, &key, budget)? {
                Some(index) => items[index].1 = value,
                None => items.push((key, value)),
            }
        }
        Ok(Self::Dict(Rc::new(Nested { items, depth })))
    }

    fn depth(&self) -> usize {
        match self {
            Self::List(list) => list.depth,
            Self::Dict(dict) => dict.depth,
            Self::None | Self::Bool(_) | Self::Int(_) | Self::Float(_) | Self::Text(_) => 0,
        }
    }

    /// The type, in words.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Bool(_) => "a truth value",
            Self::Int(_) | Self::Float(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Dict(_) => "a dictionary",
        }
    }

    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::None => false,
            Self::Bool(value) => *value,
            Self::Int(value) => *value != 0,
            Self::Float(value) => *value != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(list) => !list.items.is_empty(),
            Self::Dict(dict) => !dict.items.is_empty(),
        }
    }

    /// The value as a number; truth values are 0 and 1.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Float(value) => Some(*value),
            Self::Bool(_) | Self::Int(_) => self.integer().map(|it| it as f64),
            Self::None | Self::Text(_) | Self::List(_) | Self::Dict(_) => None,
        }
    }

    /// The value as an integer, if it is one.
    pub(super) fn integer(&self) -> Option<i64> {
        match self {
            Self::Bool(value) => Some(i64::from(*value)),
            Self::Int(value) => Some(*value),
            Self::None | Self::Float(_) | Self::Text(_) | Self::List(_) | Self::Dict(_) => None,
        }
    }

    /// The items of a list, the keys of a dictionary, or the characters of a text.
    pub(super) fn items(&self, budget: &mut Budget) -> Outcome<Vec<Value>> {
        let items: Vec<Value> = match self {
            Self::List(list) => list.items.clone(),
            Self::Dict(dict) => dict.items.iter().map(|(key, _)| key.clone()).collect(),
            Self::Text(text) => {
                budget.steps(text.len())?;
                let characters = text.chars().map(|c| Self::text_of(c.to_string()));
                characters.collect()
            }
            Self::None | Self::Bool(_) | Self::Int(_) | Self::Float(_) => {
                refuse!("{} has no items", self.kind());
            }
        };
        budget.steps(items.len())?;
        Ok(items)
    }

    /// The value of a key of a dictionary.
    pub(super) fn get(&self, key: &Value, budget: &mut Budget) -> Outcome<Option<Value>> {
        let Self::Dict(dict) = self else {
            return Ok(None);
        };
        let index = position(&dict.items, key, budget)?;
        Ok(index.map(|index| dict.items[index].1.clone()))
    }

    /// Whether Python's `==` holds.
    pub(super) fn equals(&self, other: &Value, budget: &mut Budget) -> Outcome<bool> {
        budget.steps(1)?;
        Ok(match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Text(a), Self::Text(b)) => {
                budget.steps(a.len().min(b.len()) / 64)?;
                a == b
            }
            (Self::List(a), Self::List(b)) => {
                if a.items.len() != b.items.len() {
                    return Ok(false);
                }
                for (a, b) in a.items.iter().zip(&b.items) {
                    if !a.equals(b, budget)? {
                        return Ok(false);
                    }
                }
                true
            }
            (Self::Dict(a), Self::Dict(b)) => {
                if a.items.len() != b.items.len() {
                    return Ok(false);
                }
                for (key, value) in &a.items {
                    let there = other.get(key, budget)?;
                    if !there.map_or(Ok(false), |it| value.equals(&it, budget))? {
                        return Ok(false);
                    }
                }
                true
            }
            (a, b) => match (a.number(), b.number()) {
                (Some(a), Some(b)) => a == b,
                _ => false,
            },
        })
    }

    /// The order of two numbers or two texts.
    pub(super) fn order(&self, other: &Value, budget: &mut Budget) -> Outcome<Option<Ordering>> {
        budget.steps(1)?;
        if let (Self::Text(a), Self::Text(b)) = (self, other) {
            budget.steps(a.len().min(b.len()) / 64)?;
            return Ok(Some(a.cmp(b)));
        }
        match (self.number(), other.number()) {
            (Some(a), Some(b)) => Ok(a.partial_cmp(&b)),
            _ => {
                let (a, b) = (self.kind(), other.kind());
                Err(Refusal(format!("{a} and {b} have no order")))
            }
        }
    }

    /// How many items or characters there are.
    pub(super) fn length(&self) -> Option<usize> {
        match self {
            Self::Text(text) => Some(text.chars().count()),
            Self::List(list) => Some(list.items.len()),
            Self::Dict(dict) => Some(dict.items.len()),
            Self::None | Self::Bool(_) | Self::Int(_) | Self::Float(_) => None,
        }
    }

    /// The text that Python's `str` gives.
    pub(super) fn to_text(&self, budget: &mut Budget) -> Outcome<Rc<str>> {
        if let Self::Text(text) = self {
            return Ok(Rc::clone(text));
        }
        let mut text = String::new();
        self.write(&mut text, budget)?;
        Ok(text.into())
    }

    /// Writes what Python's `repr` gives.
    fn write(&self, to: &mut String, budget: &mut Budget) -> Outcome<()> {
        budget.steps(1)?;
        let before = to.len();
        match self {
            Self::None => to.push_str("None"),
            Self::Bool(value) => to.push_str(if *value { "True" } else { "False" }),
            Self::Int(value) => to.push_str(&value.to_string()),
            Self::Float(value) => to.push_str(&float_text(*value)),
            Self::Text(text) => {
                to.push('\'');
                to.push_str(&text.replace('\\', "\\\\").replace('\'', "\\'"));
                to.push('\'');
            }
            Self::List(list) => {
                to.push('[');
                for (index, item) in list.items.iter().enumerate() {
                    to.push_str(if index > 0 { ", " } else { "" });
                    item.write(to, budget)?;
                }
                to.push(']');
                return budget.bytes(2 * (list.items.len() + 1));
            }
            Self::Dict(dict) => {
                to.push('{');
                for (index, (key, value)) in dict.items.iter().enumerate() {
                    to.push_str(if index > 0 { ", " } else { "" });
                    key.write(to, budget)?;
                    to.push_str(": ");
                    value.write(to, budget)?;
                }
                to.push('}');
                return budget.bytes(4 * (dict.items.len() + 1));
            }
        }
        budget.bytes(to.len() - before)
    }
}

/// How deep a list of values is.
fn nested<'v>(values: impl Iterator<Item = &'v Value>) -> Outcome<usize> {
    let depth = 1 + values.map(Value::depth).max().unwrap_or(0);
    if depth > DEPTH {
        refuse!("more than {DEPTH} lists are inside one another");
    }
    Ok(depth)
}

/// The index of a key.
fn position(items: &[(Value, Value)], key: &Value, budget: &mut Budget) -> Outcome<Option<usize>> {
    for (index, (own, _)) in items.iter().enumerate() {
        if own.equals(key, budget)? {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

/// A number as Python writes it: the shortest that is read back to it, with an exponent where it is
/// below 1e-4 or from 1e16 on.
pub(super) fn float_text(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let size = value.abs();
    if value == 0.0 || (1e-4..1e16).contains(&size) {
        return format!("{value:?}");
    }
    let text = format!("{value:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    match exponent.strip_prefix('-') {
        Some(exponent) => format!("{digits}e-{exponent:0>2}"),
        None => format!("{digits}e+{exponent:0>2}"),
    }
}

/// The value of a property or a parameter that is a text: a number, a truth value, or the text
/// itself, without single quotes around it.
pub(super) fn literal(text: &str) -> Value {
    let quoted = text.strip_prefix('\'').and_then(|it| it.strip_suffix('\''));
    if let Some(quoted) = quoted {
        return Value::text_of(quoted);
    }
    // Python reads numbers with `_` between their digits; xacro does not.
    if !text.contains('_') {
        if let Some(number) = number(text) {
            return number;
        }
        match text {
            "true" | "True" => return Value::Bool(true),
            "false" | "False" => return Value::Bool(false),
            _ => {}
        }
    }
    Value::text_of(text)
}

/// The number that a text is.
pub(super) fn number(text: &str) -> Option<Value> {
    let text = text.trim();
    if let Ok(value) = text.parse::<i64>() {
        return Some(Value::Int(value));
    }
    text.parse::<f64>().ok().map(Value::Float)
}
