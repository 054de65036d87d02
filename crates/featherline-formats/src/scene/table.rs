//! Tables of a TOML text, read with positions.

use crate::error::ErrorCause;
use crate::location::Source;
use crate::report::{Fault, Outcome, fault, not_allowed};
use crate::suggestion::similar;
use crate::value::{number_count, quaternion, roll_pitch_yaw};
use crate::xml::shortened;
use featherline::spatial::{Mat3, Se3, Vec3};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A table, and what it is called in messages.
#[derive(Clone, Copy)]
pub(super) struct Table<'t> {
    entries: &'t DeTable<'t>,
    /// Such as `[[body]]`.
    pub(super) what: &'static str,
    pub(super) source: Source,
}

/// A value and where it is.
pub(super) type Value<'t> = &'t Spanned<DeValue<'t>>;

pub(super) fn source_of(value: Value<'_>) -> Source {
    Source::new(0, value.span().start)
}

impl<'t> Table<'t> {
    pub(super) fn new(entries: &'t DeTable<'t>, what: &'static str, source: Source) -> Self {
        Self {
            entries,
            what,
            source,
        }
    }

    /// The table of a value.
    pub(super) fn of(value: Value<'t>, key: &'static str, what: &'static str) -> Outcome<Self> {
        if let DeValue::Table(entries) = value.get_ref() {
            Ok(Self::new(entries, what, source_of(value)))
        } else {
            Err(wrong_type(value, key, "a table"))
        }
    }

    /// Fails for a key that is not among the words of some lists.
    pub(super) fn only(&self, known: &[&'static str]) -> Outcome<()> {
        let known = known.iter().flat_map(|it| it.split(' '));
        let known: Vec<&'static str> = known.collect();
        for key in self.entries.keys() {
            let name = key.get_ref().as_ref();
            if known.contains(&name) {
                continue;
            }
            let cause = ErrorCause::UnknownKey {
                key: shortened(name),
                table: self.what,
                suggestion: similar(name, known.iter().copied()),
                known,
            };
            return Err(fault(Source::new(0, key.span().start), cause));
        }
        Ok(())
    }

    pub(super) fn get(&self, key: &str) -> Option<Value<'t>> {
        self.entries.get(key)
    }

    /// The keys, with their places and values.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&'t str, Source, Value<'t>)> {
        let entries = self.entries.iter();
        entries.map(|(key, value)| {
            let source = Source::new(0, key.span().start);
            (key.get_ref().as_ref(), source, value)
        })
    }

    /// Where a key's value is; the table, if it does not have the key.
    pub(super) fn source_of(&self, key: &str) -> Source {
        self.get(key).map_or(self.source, source_of)
    }

    pub(super) fn missing(&self, key: &'static str) -> Box<Fault> {
        let table = self.what;
        fault(self.source, ErrorCause::MissingKey { key, table })
    }

    pub(super) fn text(&self, key: &'static str) -> Outcome<Option<&'t str>> {
        self.get(key).map(|it| text(it, key)).transpose()
    }

    pub(super) fn flag(&self, key: &'static str) -> Outcome<Option<bool>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let DeValue::Boolean(flag) = value.get_ref() else {
            return Err(wrong_type(value, key, "`true` or `false`"));
        };
        Ok(Some(*flag))
    }

    pub(super) fn number(&self, key: &'static str) -> Outcome<Option<f64>> {
        self.get(key).map(|it| number(it, key)).transpose()
    }

    /// A number from a range; the remedy says which.
    pub(super) fn number_in(
        &self,
        key: &'static str,
        is_valid: impl Fn(f64) -> bool,
        remedy: &'static str,
    ) -> Outcome<Option<f64>> {
        match self.number(key)? {
            Some(bad) if !is_valid(bad) => {
                Err(self.not_allowed(key, format!("`{key}` is {bad}"), remedy))
            }
            value => Ok(value),
        }
    }

    /// The error of what a scene does not allow, at a key.
    pub(super) fn not_allowed(
        &self,
        key: &str,
        what: impl Into<String>,
        remedy: &'static str,
    ) -> Box<Fault> {
        not_allowed(self.source_of(key), what, remedy)
    }

    pub(super) fn list(&self, key: &'static str) -> Outcome<Option<&'t [Spanned<DeValue<'t>>]>> {
        self.get(key).map(|it| list(it, key)).transpose()
    }

    pub(super) fn numbers<const N: usize>(&self, key: &'static str) -> Outcome<Option<[f64; N]>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let list = list(value, key)?;
        let all: Outcome<Vec<f64>> = list.iter().map(|it| number(it, key)).collect();
        let all = all?;
        let (expected, found) = (N, all.len());
        let numbers = <[f64; N]>::try_from(all);
        let count = |_| number_count(source_of(value), key, expected, found);
        numbers.map(Some).map_err(count)
    }

    pub(super) fn vector(&self, key: &'static str) -> Outcome<Option<Vec3<f64>>> {
        Ok(self.numbers::<3>(key)?.map(|[x, y, z]| Vec3::new(x, y, z)))
    }

    /// The placement of `position`, and `rpy` or `quaternion`; none without any of them.
    pub(super) fn placement(&self) -> Outcome<Option<Se3<f64>>> {
        let position = self.vector("position")?;
        let angles = self.numbers("rpy")?;
        let xyzw = self.numbers("quaternion")?;
        let rotation = match (angles, xyzw) {
            (Some(_), Some(_)) => {
                let (first, second) = ("rpy", "quaternion");
                let cause = ErrorCause::SeveralRotations { first, second };
                return Err(fault(self.source_of(second), cause));
            }
            (Some(angles), None) => Some(roll_pitch_yaw(angles)),
            (None, Some(xyzw)) => {
                let source = self.source_of("quaternion");
                Some(quaternion(xyzw).ok_or_else(|| fault(source, ErrorCause::ZeroQuaternion))?)
            }
            (None, None) => None,
        };
        if position.is_none() && rotation.is_none() {
            return Ok(None);
        }
        let rotation = rotation.unwrap_or_else(Mat3::identity);
        let position = position.unwrap_or_else(Vec3::zero);
        Ok(Some(Se3::new(rotation, position)))
    }
}

pub(super) fn text<'t>(value: Value<'t>, key: &'static str) -> Outcome<&'t str> {
    if let DeValue::String(text) = value.get_ref() {
        Ok(text.as_ref())
    } else {
        Err(wrong_type(value, key, "a text in quotes"))
    }
}

pub(super) fn list<'t>(value: Value<'t>, key: &'static str) -> Outcome<&'t [Spanned<DeValue<'t>>]> {
    if let DeValue::Array(list) = value.get_ref() {
        Ok(list)
    } else {
        Err(wrong_type(value, key, "a list in brackets"))
    }
}

/// A finite number.
pub(super) fn number(value: Value<'_>, key: &'static str) -> Outcome<f64> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "TOML has no other numbers")]
    let (number, found) = match value.get_ref() {
        DeValue::Integer(it) => {
            let whole = i64::from_str_radix(it.as_str(), it.radix());
            (whole.ok().map(|it| it as f64), it.to_string())
        }
        DeValue::Float(it) => (it.as_str().parse::<f64>().ok(), it.to_string()),
        _ => return Err(wrong_type(value, key, "a number")),
    };
    let attribute = key;
    number.filter(|it| it.is_finite()).ok_or_else(|| {
        let found = shortened(&found);
        fault(source_of(value), ErrorCause::NotFinite { attribute, found })
    })
}

/// One number, or a list of them.
pub(super) fn number_or_list(value: Value<'_>, key: &'static str) -> Outcome<Vec<f64>> {
    if let DeValue::Array(list) = value.get_ref() {
        list.iter().map(|it| number(it, key)).collect()
    } else {
        Ok(vec![number(value, key)?])
    }
}

pub(super) fn wrong_type(
    value: Value<'_>,
    key: &'static str,
    expected: &'static str,
) -> Box<Fault> {
    let found = match value.get_ref() {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "`true` or `false`",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    let cause = ErrorCause::WrongType {
        key,
        expected,
        found,
    };
    fault(source_of(value), cause)
}
