//! The values of expressions, as Python has them.

use super::budget::{Outcome, Refusal, refuse};
use super::expansion::Expansion;
use super::functions;
use super::parse::{Access, Expression};
use super::scope::Entry;
use super::value::Value;
use crate::xml::shortened;
use std::cmp::Ordering;

/// The names of modules, which functions are known without, too.
const MODULES: [&str; 3] = ["math", "python", "xacro"];

/// The values of arguments: those without and those with names.
type Arguments = (Vec<Value>, Vec<(Value, Value)>);

impl Expansion<'_> {
    /// The value of an expression; names are looked for from a table on outwards.
    pub(super) fn evaluate(&mut self, expression: &Expression, table: usize) -> Outcome<Value> {
        self.budget.enter()?;
        self.budget.steps(1)?;
        let value = match expression {
            Expression::Constant(value) => value.clone(),
            Expression::Name(name) => self.named_value(name, table)?,
            Expression::List(items) => {
                let items = items.iter().map(|it| self.evaluate(it, table));
                Value::list(items.collect::<Outcome<_>>()?)?
            }
            Expression::Dict(entries) => {
                let mut values = Vec::with_capacity(entries.len());
                for (key, value) in entries {
                    let key = self.evaluate(key, table)?;
                    values.push((key, self.evaluate(value, table)?));
                }
                Value::dict(values, &mut self.budget)?
            }
            Expression::Each(parts, names, conditions) => {
                let [item, list] = &**parts;
                self.each(item, names, list, conditions, table)?
            }
            Expression::Access(base, accesses) => self.access(base, accesses, table)?,
            Expression::Prefix(sign, operand) => {
                let value = self.evaluate(operand, table)?;
                prefixed(sign, &value)?
            }
            Expression::Row(first, others) => self.row(first, others, table)?,
            Expression::Power(parts) => {
                let [base, exponent] = &**parts;
                let base = self.evaluate(base, table)?;
                functions::power(&base, &self.evaluate(exponent, table)?)?
            }
            Expression::Choice(parts) => {
                let [condition, yes, no] = &**parts;
                let is_true = self.evaluate(condition, table)?.is_true();
                self.evaluate(if is_true { yes } else { no }, table)?
            }
        };
        self.budget.leave();
        Ok(value)
    }

    /// The value of a property or a constant.
    fn named_value(&mut self, name: &str, table: usize) -> Outcome<Value> {
        if let Some(value) = self.property(name, table)? {
            return Ok(value);
        }
        let unknown = || Refusal(format!("there is no property `{}`", shortened(name)));
        functions::constant(name).ok_or_else(unknown)
    }

    /// A list with an item for each value of another.
    fn each(
        &mut self,
        item: &Expression,
        names: &[String],
        list: &Expression,
        conditions: &[Expression],
        table: usize,
    ) -> Outcome<Value> {
        let values = self.evaluate(list, table)?.items(&mut self.budget)?;
        let own = self.inner_table(table);
        let mut items = Vec::new();
        'values: for value in values {
            let parts = match names.len() {
                1 => vec![value],
                _ => value.items(&mut self.budget)?,
            };
            if parts.len() != names.len() {
                let (there, wanted) = (parts.len(), names.len());
                refuse!("{there} values are not {wanted} names");
            }
            for (name, part) in names.iter().zip(parts) {
                self.tables[own]
                    .entries
                    .insert(name.clone(), Entry::Value(part));
            }
            for condition in conditions {
                if !self.evaluate(condition, own)?.is_true() {
                    continue 'values;
                }
            }
            items.push(self.evaluate(item, own)?);
        }
        self.tables.truncate(own);
        Value::list(items)
    }

    fn access(&mut self, base: &Expression, accesses: &[Access], table: usize) -> Outcome<Value> {
        let mut accesses = accesses;
        let mut value = if let Expression::Name(name) = base
            && self.holder(name, table).is_none()
        {
            let mut name = name.as_str();
            let mut space = self.space(name, table);
            // The name of a module or a namespace stands before another.
            while let [Access::Attribute(next), rest @ ..] = accesses
                && (space.is_some() || MODULES.contains(&name))
            {
                (name, accesses) = (next, rest);
                if let Some(inside) = space
                    && self.space(name, inside).is_none()
                {
                    break;
                }
                space = space.and_then(|inside| self.space(name, inside));
            }
            match accesses {
                [Access::Call(arguments), rest @ ..] => {
                    accesses = rest;
                    self.call_function(name, arguments, table)?
                }
                _ => self.named_value(name, space.unwrap_or(table))?,
            }
        } else {
            self.evaluate(base, table)?
        };
        while let [access, rest @ ..] = accesses {
            accesses = rest;
            self.budget.steps(1)?;
            value = match access {
                Access::Attribute(name) => match accesses {
                    [Access::Call(arguments), rest @ ..] => {
                        accesses = rest;
                        let (given, _) = self.arguments(arguments, table)?;
                        functions::method(&value, name, &given, &mut self.budget)?
                    }
                    _ => self.item(&value, &Value::text_of(name.as_str()))?,
                },
                Access::Item(index) => {
                    let index = self.evaluate(index, table)?;
                    self.item(&value, &index)?
                }
                Access::Slice(from, to) => {
                    let mut end = |it: &Option<Expression>| -> Outcome<Option<i64>> {
                        let end = it.as_ref().map(|it| self.evaluate(it, table)).transpose()?;
                        Ok(end.and_then(|it| it.integer()))
                    };
                    let (from, to) = (end(from)?, end(to)?);
                    let items = value.items(&mut self.budget)?;
                    let at = |index: i64| bounded(index, items.len());
                    let (from, to) = (from.map_or(0, at), to.map_or(items.len(), at));
                    let part = items.get(from..to).unwrap_or_default().to_vec();
                    match matches!(value, Value::Text(_)) {
                        true => functions::joined("", &part, &mut self.budget)?,
                        false => Value::list(part)?,
                    }
                }
                Access::Call(_) => {
                    refuse!("{} can't be called", value.kind());
                }
            };
        }
        Ok(value)
    }

    /// The values of arguments, and those with names.
    fn arguments(
        &mut self,
        arguments: &[(Option<String>, Expression)],
        table: usize,
    ) -> Outcome<Arguments> {
        let (mut values, mut named) = (Vec::new(), Vec::new());
        for (name, argument) in arguments {
            let value = self.evaluate(argument, table)?;
            match name {
                Some(name) => named.push((Value::text_of(name.as_str()), value)),
                None => values.push(value),
            }
        }
        Ok((values, named))
    }

    /// The values of a function of one argument, given by its name, for each item of a list; or
    /// the items for which it is true.
    fn for_each(
        &mut self,
        keeps: bool,
        function: &Expression,
        list: &Expression,
        table: usize,
    ) -> Outcome<Value> {
        let Some(name) = function.function_name() else {
            refuse!("`map` and `filter` take the name of a function and a list");
        };
        let items = self.evaluate(list, table)?.items(&mut self.budget)?;
        let mut values = Vec::new();
        for item in items {
            self.budget.steps(1)?;
            let of_item = std::slice::from_ref(&item);
            let value = functions::call(name, of_item, Vec::new(), &mut self.budget)?;
            match (keeps, value.is_true()) {
                (false, _) => values.push(value),
                (true, true) => values.push(item),
                (true, false) => {}
            }
        }
        Value::list(values)
    }

    fn call_function(
        &mut self,
        name: &str,
        arguments: &[(Option<String>, Expression)],
        table: usize,
    ) -> Outcome<Value> {
        if let ("map" | "filter", [(None, function), (None, list)]) = (name, arguments) {
            let keeps = name == "filter";
            return self.for_each(keeps, function, list, table);
        }
        let (values, named) = self.arguments(arguments, table)?;
        if !matches!(name, "load_yaml" | "arg" | "abs_filename") {
            return functions::call(name, &values, named, &mut self.budget);
        }
        let first = values
            .first()
            .unwrap_or(&Value::None)
            .to_text(&mut self.budget)?;
        match name {
            "load_yaml" => self.load_yaml(&first),
            "arg" => self.argument(&first).map(Value::Text),
            _ => {
                let path = self.folder().join(&*first);
                Ok(Value::text_of(path.display().to_string()))
            }
        }
    }

    /// The item of a list or a text, or the value of a dictionary's key.
    fn item(&mut self, value: &Value, index: &Value) -> Outcome<Value> {
        if let Value::Dict(_) = value {
            let found = value.get(index, &mut self.budget)?;
            let key = index.to_text(&mut self.budget)?;
            let missing = || Refusal(format!("the dictionary has no key `{}`", shortened(&key)));
            return found.ok_or_else(missing);
        }
        let number = index.integer();
        let (Some(number), Some(length)) = (number, value.length()) else {
            let index = index.to_text(&mut self.budget)?;
            let (kind, index) = (value.kind(), shortened(&index));
            refuse!("{kind} has no `{index}`");
        };
        let is_there = -i128::from(number) <= length as i128 && i128::from(number) < length as i128;
        if !is_there {
            let kind = value.kind();
            refuse!("{kind} of {length} has no item {number}");
        }
        let at = bounded(number, length);
        match value {
            Value::List(list) => Ok(list.items[at].clone()),
            Value::Text(text) => {
                self.budget.steps(text.len() / 64)?;
                let c = text.chars().nth(at).map(String::from);
                Ok(Value::text_of(c.unwrap_or_default()))
            }
            Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Dict(_) => {
                Ok(Value::None)
            }
        }
    }

    /// Operators from left to right.
    fn row(
        &mut self,
        first: &Expression,
        others: &[(&'static str, Expression)],
        table: usize,
    ) -> Outcome<Value> {
        let mut left = self.evaluate(first, table)?;
        let mut holds = true;
        for (operator, operand) in others {
            match *operator {
                "or" if left.is_true() => break,
                "and" if !left.is_true() => break,
                "or" | "and" => left = self.evaluate(operand, table)?,
                "+" | "-" | "*" | "/" | "//" | "%" => {
                    let right = self.evaluate(operand, table)?;
                    left = functions::combined(operator, &left, &right, &mut self.budget)?;
                }
                comparison => {
                    // `a < b < c` holds if both do.
                    let right = self.evaluate(operand, table)?;
                    holds &= self.compared(comparison, &left, &right)?;
                    left = right;
                }
            }
        }
        let is_comparison = others.first().is_some_and(|(operator, _)| {
            !["or", "and", "+", "-", "*", "/", "//", "%"].contains(operator)
        });
        Ok(match is_comparison {
            true => Value::Bool(holds),
            false => left,
        })
    }

    fn compared(&mut self, operator: &str, left: &Value, right: &Value) -> Outcome<bool> {
        let budget = &mut self.budget;
        Ok(match operator {
            "==" => left.equals(right, budget)?,
            "!=" => !left.equals(right, budget)?,
            "in" => functions::contains(right, left, budget)?,
            "not in" => !functions::contains(right, left, budget)?,
            _ => match left.order(right, budget)? {
                Some(Ordering::Less) => matches!(operator, "<" | "<="),
                Some(Ordering::Equal) => matches!(operator, "<=" | ">="),
                Some(Ordering::Greater) => matches!(operator, ">" | ">="),
                None => false,
            },
        })
    }
}

/// The value behind `-`, `+` or `not`.
fn prefixed(sign: &str, value: &Value) -> Outcome<Value> {
    if sign == "not" {
        return Ok(Value::Bool(!value.is_true()));
    }
    let is_negative = sign == "-";
    if let Some(integer) = value.integer() {
        let integer = if is_negative {
            integer.checked_neg()
        } else {
            Some(integer)
        };
        return Ok(integer.map_or(Value::Float(f64::INFINITY), Value::Int));
    }
    let unsigned = || Refusal(format!("{} has no sign", value.kind()));
    let number = value.number().ok_or_else(unsigned)?;
    Ok(Value::Float(if is_negative { -number } else { number }))
}

/// An index that counts from the end if it is negative, within a length.
fn bounded(index: i64, length: usize) -> usize {
    let size = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
    match index < 0 {
        true => length.saturating_sub(size),
        false => size.min(length),
    }
}
