//! The functions, methods and operators of Python that xacro files use.

use super::budget::{Budget, Outcome, Refusal, refuse};
use super::mathematics::{greatest_common_divisor, mathematical};
use super::value::{Value, number};
use crate::xml::shortened;
use std::cmp::Ordering;
use std::f64::consts;

/// The constant of a name.
pub(super) fn constant(name: &str) -> Option<Value> {
    let value = match name {
        "pi" => consts::PI,
        "e" => consts::E,
        "tau" => consts::TAU,
        "inf" => f64::INFINITY,
        "nan" => f64::NAN,
        _ => return None,
    };
    Some(Value::Float(value))
}

/// Two values combined by `+`, `-`, `*`, `/`, `//` or `%`.
pub(super) fn combined(
    operator: &str,
    left: &Value,
    right: &Value,
    budget: &mut Budget,
) -> Outcome<Value> {
    match (operator, left, right) {
        ("+", Value::Text(a), Value::Text(b)) => {
            budget.bytes(a.len() + b.len())?;
            return Ok(Value::text_of([&**a, b].concat()));
        }
        ("+", Value::List(a), Value::List(b)) => {
            budget.steps(a.items.len() + b.items.len())?;
            return Value::list([&a.items[..], &b.items].concat());
        }
        ("*", Value::Text(_) | Value::List(_), count) => return repeated(left, count, budget),
        ("*", count, Value::Text(_) | Value::List(_)) => return repeated(right, count, budget),
        ("%", Value::Text(format), _) => return formatted(format, right, budget),
        _ => {}
    }
    let (Some(a), Some(b)) = (left.number(), right.number()) else {
        let (a, b) = (left.kind(), right.kind());
        refuse!("`{operator}` is not defined of {a} and {b}");
    };
    if b == 0.0 && matches!(operator, "/" | "//" | "%") {
        refuse!("it divides by zero");
    }
    if let (Some(a), Some(b)) = (left.integer(), right.integer()) {
        let exact = match operator {
            "+" => a.checked_add(b),
            "-" => a.checked_sub(b),
            "*" => a.checked_mul(b),
            // Python rounds down.
            "//" => a
                .checked_div(b)
                .map(|it| it - i64::from(a % b != 0 && (a < 0) != (b < 0))),
            "%" => a
                .checked_rem(b)
                .map(|it| match it != 0 && (it < 0) != (b < 0) {
                    true => it + b,
                    false => it,
                }),
            _ => None,
        };
        if let Some(exact) = exact {
            return Ok(Value::Int(exact));
        }
    }
    Ok(Value::Float(match operator {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        "//" => (a / b).floor(),
        _ => a - b * (a / b).floor(),
    }))
}

/// A text or a list, repeated.
fn repeated(value: &Value, count: &Value, budget: &mut Budget) -> Outcome<Value> {
    let kind = value.kind();
    let count = count.integer();
    let count = count.ok_or_else(|| Refusal(format!("{kind} is repeated by an integer only")))?;
    let count = usize::try_from(count).unwrap_or(0);
    match value {
        Value::Text(text) => {
            budget.bytes(text.len().saturating_mul(count))?;
            Ok(Value::text_of(text.repeat(count)))
        }
        Value::List(list) => {
            budget.steps(list.items.len().saturating_mul(count))?;
            let copies = std::iter::repeat_n(&list.items, count).flatten();
            Value::list(copies.cloned().collect())
        }
        Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Dict(_) => {
            Ok(value.clone())
        }
    }
}

pub(super) fn power(base: &Value, exponent: &Value) -> Outcome<Value> {
    if let (Some(base), Some(exponent)) = (base.integer(), exponent.integer())
        && let Ok(exponent) = u32::try_from(exponent)
        && let Some(value) = base.checked_pow(exponent)
    {
        return Ok(Value::Int(value));
    }
    match (base.number(), exponent.number()) {
        (Some(base), Some(exponent)) => Ok(Value::Float(base.powf(exponent))),
        _ => {
            let (a, b) = (base.kind(), exponent.kind());
            Err(Refusal(format!("`**` is not defined of {a} and {b}")))
        }
    }
}

/// Whether a list, a dictionary or a text has an item, a key or a part.
pub(super) fn contains(whole: &Value, part: &Value, budget: &mut Budget) -> Outcome<bool> {
    if let (Value::Text(whole), Value::Text(part)) = (whole, part) {
        budget.steps(whole.len() / 16)?;
        return Ok(whole.contains(&**part));
    }
    if let Value::Text(_) = whole {
        refuse!("{} is no part of a text", part.kind());
    }
    for item in whole.items(budget)? {
        if item.equals(part, budget)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The values as texts, with a text between them.
pub(super) fn joined(between: &str, items: &[Value], budget: &mut Budget) -> Outcome<Value> {
    let mut text = String::new();
    for (index, item) in items.iter().enumerate() {
        let item = item.to_text(budget)?;
        budget.bytes(item.len() + between.len())?;
        text.push_str(if index > 0 { between } else { "" });
        text.push_str(&item);
    }
    Ok(Value::text_of(text))
}

/// A text with values in it, by Python's `%`.
fn formatted(format: &str, values: &Value, budget: &mut Budget) -> Outcome<Value> {
    let values = if let Value::List(list) = values {
        list.items.clone()
    } else {
        vec![values.clone()]
    };
    budget.steps(values.len())?;
    budget.bytes(format.len())?;
    let mut values = values.into_iter();
    let mut text = String::new();
    let mut rest = format;
    while let Some(index) = rest.find('%') {
        text.push_str(&rest[..index]);
        rest = &rest[index + 1..];
        let end = rest
            .find(|c: char| !(c.is_ascii_digit() || c == '.'))
            .unwrap_or(rest.len());
        let (size, behind) = rest.split_at(end);
        let Some(kind) = behind.chars().next() else {
            refuse!("a format ends with `%`");
        };
        rest = &behind[kind.len_utf8()..];
        if kind == '%' {
            text.push('%');
            continue;
        }
        let value = values
            .next()
            .ok_or_else(|| Refusal("a format lacks a value".to_owned()))?;
        let (width, digits) = size.split_once('.').unwrap_or((size, ""));
        // A width that begins with a zero fills with zeros.
        let fill = if width.starts_with('0') { '0' } else { ' ' };
        let size = |text: &str| text.parse::<usize>().unwrap_or(0).min(64);
        let digits = if digits.is_empty() { 6 } else { size(digits) };
        let made = match (kind, value.number()) {
            ('s', _) => value.to_text(budget)?.to_string(),
            ('d' | 'i', Some(number)) => format!("{}", number.trunc()),
            ('f', Some(number)) => format!("{number:.digits$}"),
            ('e', Some(number)) => format!("{number:.digits$e}"),
            ('g', Some(number)) => format!("{number}"),
            _ => {
                let of = value.kind();
                refuse!("the format `%{kind}` is not that of {of}");
            }
        };
        let missing = size(width).saturating_sub(made.chars().count());
        text.extend(std::iter::repeat_n(fill, missing));
        text.push_str(&made);
        budget.bytes(missing + made.len())?;
    }
    text.push_str(rest);
    Ok(Value::text_of(text))
}

/// The value of a function.
pub(super) fn call(
    name: &str,
    values: &[Value],
    named: Vec<(Value, Value)>,
    budget: &mut Budget,
) -> Outcome<Value> {
    let unknown = || Refusal(format!("there is no function `{}`", shortened(name)));
    if !named.is_empty() && !matches!(name, "dict" | "sorted") {
        refuse!("`{}` takes no names", shortened(name));
    }
    let one = || match values {
        [value] => Ok(value),
        _ => Err(Refusal(format!("`{name}` takes one value"))),
    };
    let integers = |what: &Value| {
        let kind = what.kind();
        what.integer()
            .ok_or_else(|| Refusal(format!("{kind} is not an integer")))
    };
    Ok(match name {
        "str" | "repr" => Value::Text(one()?.to_text(budget)?),
        "float" => Value::Float(converted(one()?)?),
        "int" => match one()?.integer() {
            Some(value) => Value::Int(value),
            None => whole(converted(one()?)?.trunc()),
        },
        "bool" => Value::Bool(one()?.is_true()),
        "len" => {
            let kind = one()?.kind();
            let length = one()?.length();
            let length = length.ok_or_else(|| Refusal(format!("{kind} has no length")))?;
            Value::Int(i64::try_from(length).unwrap_or(i64::MAX))
        }
        "list" | "tuple" if values.is_empty() => Value::list(Vec::new())?,
        "list" | "tuple" => Value::list(one()?.items(budget)?)?,
        "dict" => {
            let mut entries = Vec::new();
            for value in values {
                if let Value::Dict(dict) = value {
                    budget.steps(dict.items.len())?;
                    entries.extend(dict.items.iter().cloned());
                    continue;
                }
                for pair in value.items(budget)? {
                    let Ok([key, value]) = <[Value; 2]>::try_from(pair.items(budget)?) else {
                        let what = "`dict` takes names, a dictionary or a list of pairs";
                        return Err(Refusal(what.to_owned()));
                    };
                    entries.push((key, value));
                }
            }
            Value::dict(entries.into_iter().chain(named).collect(), budget)?
        }
        "dotify" => one()?.clone(),
        "abs" | "fabs" => match (name, one()?.integer()) {
            ("abs", Some(value)) => Value::Int(value.saturating_abs()),
            _ => Value::Float(converted(one()?)?.abs()),
        },
        "min" | "max" => {
            let items = match values {
                [list] => list.items(budget)?,
                _ => values.to_vec(),
            };
            let better = match name {
                "min" => Ordering::Less,
                _ => Ordering::Greater,
            };
            let mut items = items.into_iter();
            let empty = || Refusal(format!("`{name}` of nothing"));
            let mut best = items.next().ok_or_else(empty)?;
            for item in items {
                if item.order(&best, budget)? == Some(better) {
                    best = item;
                }
            }
            best
        }
        "round" => match values {
            [value] => match value.integer() {
                Some(value) => Value::Int(value),
                None => whole(converted(value)?.round_ties_even()),
            },
            [value, digits] => {
                let scale = 10f64.powi(i32::try_from(integers(digits)?).unwrap_or(0));
                Value::Float((converted(value)? * scale).round_ties_even() / scale)
            }
            _ => return Err(Refusal("`round` takes one or two values".to_owned())),
        },
        "sum" => {
            let (list, mut sum) = match values {
                [list, start] => (list, start.clone()),
                _ => (one()?, Value::Int(0)),
            };
            for item in list.items(budget)? {
                sum = combined("+", &sum, &item, budget)?;
            }
            sum
        }
        "all" => Value::Bool(one()?.items(budget)?.iter().all(Value::is_true)),
        "any" => Value::Bool(one()?.items(budget)?.iter().any(Value::is_true)),
        "range" => {
            let bounds = values.iter().map(integers).collect::<Outcome<Vec<i64>>>()?;
            let (from, to, step) = match bounds[..] {
                [to] => (0, to, 1),
                [from, to] => (from, to, 1),
                [from, to, step] if step != 0 => (from, to, step),
                _ => return Err(Refusal("`range` takes one to three integers".to_owned())),
            };
            let mut items = Vec::new();
            let mut next = Some(from);
            while let Some(value) = next.filter(|it| if step > 0 { *it < to } else { *it > to }) {
                budget.steps(1)?;
                items.push(Value::Int(value));
                next = value.checked_add(step);
            }
            Value::list(items)?
        }
        "reversed" => Value::list(one()?.items(budget)?.into_iter().rev().collect())?,
        "sorted" => {
            let items = sorted(one()?.items(budget)?, budget)?;
            match &named[..] {
                [(Value::Text(key), it)] if **key == *"reverse" && it.is_true() => {
                    Value::list(items.into_iter().rev().collect())?
                }
                [(Value::Text(key), _)] if **key == *"reverse" => Value::list(items)?,
                [] => Value::list(items)?,
                _ => return Err(Refusal("`sorted` takes the name `reverse` only".to_owned())),
            }
        }
        "divmod" => match values {
            [a, b] => {
                let (quotient, rest) =
                    (combined("//", a, b, budget)?, combined("%", a, b, budget)?);
                Value::list(vec![quotient, rest])?
            }
            _ => return Err(Refusal("`divmod` takes two values".to_owned())),
        },
        "ord" => {
            let text = one()?.to_text(budget)?;
            let mut letters = text.chars();
            match (letters.next(), letters.next()) {
                (Some(letter), None) => Value::Int(i64::from(u32::from(letter))),
                _ => return Err(Refusal("`ord` takes one character".to_owned())),
            }
        }
        "gcd" => {
            let numbers = values.iter().map(integers).collect::<Outcome<Vec<i64>>>()?;
            Value::Int(numbers.into_iter().fold(0, greatest_common_divisor))
        }
        "factorial" => {
            let count = integers(one()?)?;
            let product = (1..=count).try_fold(1_i64, i64::checked_mul);
            let product = product.filter(|_| count >= 0);
            let outside = || Refusal(format!("`factorial` of {count} is not computed"));
            Value::Int(product.ok_or_else(outside)?)
        }
        "prod" => {
            let mut product = Value::Int(1);
            for item in one()?.items(budget)? {
                product = combined("*", &product, &item, budget)?;
            }
            product
        }
        "fsum" => {
            let items = one()?.items(budget)?;
            let numbers = items.iter().map(converted).collect::<Outcome<Vec<f64>>>()?;
            Value::Float(numbers.iter().sum())
        }
        "enumerate" => {
            let (list, start) = match values {
                [list, start] => (list, integers(start)?),
                _ => (one()?, 0),
            };
            let items = list.items(budget)?.into_iter().zip(start..);
            let pairs = items.map(|(item, index)| Value::list(vec![Value::Int(index), item]));
            Value::list(pairs.collect::<Outcome<_>>()?)?
        }
        "zip" => {
            let lists = values.iter().map(|it| it.items(budget));
            let lists = lists.collect::<Outcome<Vec<_>>>()?;
            let count = lists.iter().map(Vec::len).min().unwrap_or(0);
            let row =
                |index: usize| Value::list(lists.iter().map(|it| it[index].clone()).collect());
            Value::list((0..count).map(row).collect::<Outcome<_>>()?)?
        }
        "tokenize" => {
            let text = one()?.to_text(budget)?;
            budget.bytes(text.len())?;
            budget.steps(text.len())?;
            let words = text.split([',', ';', ' ']).filter(|it| !it.is_empty());
            Value::list(words.map(Value::text_of).collect())?
        }
        // Messages to who expands the file.
        "message" | "warning" | "error" | "print_location" => Value::text_of(""),
        "fatal" => {
            let message = joined(" ", values, budget)?.to_text(budget)?;
            return Err(Refusal(shortened(&message)));
        }
        _ => return mathematical(name, values).unwrap_or_else(|| Err(unknown())),
    })
}

/// A number without a fraction, as an integer if it is not too large.
pub(super) fn whole(value: f64) -> Value {
    // All of them are numbers of i64.
    match value.abs() < 9e18 {
        true => Value::Int(value as i64),
        false => Value::Float(value),
    }
}

/// A value as a number; a text may be one.
pub(super) fn converted(value: &Value) -> Outcome<f64> {
    let read = if let Value::Text(text) = value {
        number(text).and_then(|it| it.number())
    } else {
        value.number()
    };
    read.ok_or_else(|| Refusal(format!("{} is not a number", value.kind())))
}

fn sorted(mut items: Vec<Value>, budget: &mut Budget) -> Outcome<Vec<Value>> {
    let mut failed = None;
    items.sort_by(|a, b| match a.order(b, budget) {
        Ok(order) => order.unwrap_or(Ordering::Equal),
        Err(error) => {
            failed.get_or_insert(error);
            Ordering::Equal
        }
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(items),
    }
}

/// The value of a method.
pub(super) fn method(
    value: &Value,
    name: &str,
    given: &[Value],
    budget: &mut Budget,
) -> Outcome<Value> {
    let unknown = || {
        let (kind, name) = (value.kind(), shortened(name));
        Refusal(format!("{kind} has no method `{name}` that is known here"))
    };
    match (value, name, given) {
        (Value::Dict(_), "keys", []) => Value::list(value.items(budget)?),
        (Value::Dict(dict), "values", []) => {
            budget.steps(dict.items.len())?;
            Value::list(dict.items.iter().map(|(_, value)| value.clone()).collect())
        }
        (Value::Dict(dict), "items", []) => {
            budget.steps(dict.items.len())?;
            let pairs = dict.items.iter();
            let pairs = pairs.map(|(key, value)| Value::list(vec![key.clone(), value.clone()]));
            Value::list(pairs.collect::<Outcome<_>>()?)
        }
        (Value::Dict(_), "get", [key]) => Ok(value.get(key, budget)?.unwrap_or(Value::None)),
        (Value::Dict(_), "get", [key, default]) => {
            Ok(value.get(key, budget)?.unwrap_or_else(|| default.clone()))
        }
        (Value::List(_), "count" | "index", [wanted]) => {
            let mut count = 0;
            for (item, index) in value.items(budget)?.iter().zip(0..) {
                let is_same = item.equals(wanted, budget)?;
                if is_same && name == "index" {
                    return Ok(Value::Int(index));
                }
                count += i64::from(is_same);
            }
            match name {
                "count" => Ok(Value::Int(count)),
                _ => Err(Refusal("the list does not have this item".to_owned())),
            }
        }
        (Value::Text(text), ..) => {
            let texts = given.iter().map(|it| match (name, it) {
                ("join", _) => Ok("".into()),
                (_, it) => it.to_text(budget),
            });
            let texts = texts.collect::<Outcome<Vec<_>>>()?;
            let texts: Vec<&str> = texts.iter().map(|it| &**it).collect();
            budget.bytes(text.len())?;
            budget.steps(1 + text.len() / 16)?;
            Ok(match (name, &texts[..]) {
                ("lower", []) => Value::text_of(text.to_lowercase()),
                ("upper", []) => Value::text_of(text.to_uppercase()),
                ("strip", []) => Value::text_of(text.trim()),
                ("lstrip", []) => Value::text_of(text.trim_start()),
                ("rstrip", []) => Value::text_of(text.trim_end()),
                ("startswith", [start]) => Value::Bool(text.starts_with(start)),
                ("endswith", [end]) => Value::Bool(text.ends_with(end)),
                ("find", [part]) => {
                    let before = text.find(part).map(|it| text[..it].chars().count());
                    let index = before.and_then(|it| i64::try_from(it).ok());
                    Value::Int(index.unwrap_or(-1))
                }
                ("replace", [from, to]) => {
                    let count = text.matches(from).count();
                    budget.bytes(count.saturating_mul(to.len()))?;
                    Value::text_of(text.replace(from, to))
                }
                ("split", []) => {
                    budget.steps(text.len())?;
                    Value::list(text.split_whitespace().map(Value::text_of).collect())?
                }
                ("split", [between]) if !between.is_empty() => {
                    budget.steps(text.len())?;
                    Value::list(text.split(between).map(Value::text_of).collect())?
                }
                ("join", [_]) => {
                    let items = given
                        .first()
                        .map_or(Ok(Vec::new()), |it| it.items(budget))?;
                    joined(text, &items, budget)?
                }
                _ => return Err(unknown()),
            })
        }
        _ => Err(unknown()),
    }
}
