//! Links and joints by their names.

use crate::location::Source;
use crate::report::{Outcome, Report};
use crate::suggestion::similar;
use std::collections::HashMap;

/// The indices of things by their names.
pub(super) struct NameTable<'a>(HashMap<&'a str, (usize, Source)>);

/// The indices of things by their names, which must differ.
pub(super) fn named<'a>(
    what: &'static str,
    items: impl Iterator<Item = (&'a String, Source)>,
    report: &Report<'_>,
) -> Outcome<NameTable<'a>> {
    let mut named = HashMap::new();
    for (i, (name, source)) in items.enumerate() {
        if let Some((_, first)) = named.insert(name.as_str(), (i, source)) {
            return Err(report.duplicate_name(what, name, source, first));
        }
    }
    Ok(NameTable(named))
}

impl NameTable<'_> {
    /// The index of a name.
    pub(super) fn index(&self, name: &str) -> Option<usize> {
        self.0.get(name).map(|&(index, _)| index)
    }

    /// The known names, in no order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().copied()
    }

    /// The known name that is most similar, if any is.
    pub(super) fn similar(&self, name: &str) -> Option<String> {
        similar(name, self.names())
    }
}
