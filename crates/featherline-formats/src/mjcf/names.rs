//! Parts by their names.

use crate::error::ErrorCause;
use crate::location::Source;
use crate::report::{Outcome, Report, fault};
use crate::suggestion::similar;
use crate::xml::{Attribute, shortened};
use std::collections::HashMap;

/// The indices of parts of one kind by their names.
pub(super) struct Names {
    /// The kind, such as `site`.
    what: &'static str,
    by_name: HashMap<String, (usize, Source)>,
    /// The suffix of a replicate: a part with it is found before one without.
    pub(super) suffix: String,
}

impl Names {
    pub(super) fn new(what: &'static str) -> Self {
        Self {
            what,
            by_name: HashMap::new(),
            suffix: String::new(),
        }
    }

    /// Adds a part; one without a name is found by nobody.
    pub(super) fn add(
        &mut self,
        name: &str,
        index: usize,
        source: Source,
        report: &Report<'_>,
    ) -> Outcome<()> {
        if name.is_empty() {
            return Ok(());
        }
        let name = format!("{name}{}", self.suffix);
        match self.by_name.insert(name.clone(), (index, source)) {
            None => Ok(()),
            Some((_, first)) => {
                let cause = ErrorCause::DuplicateName {
                    what: plural(self.what),
                    name: shortened(&name),
                    first_line: report.line(first),
                };
                Err(fault(source, cause))
            }
        }
    }

    /// The index of the part that an attribute names.
    pub(super) fn find(&self, attribute: Attribute<'_>) -> Outcome<usize> {
        let unknown = || {
            let cause = ErrorCause::UnknownName {
                what: self.what,
                name: shortened(attribute.value),
                suggestion: similar(attribute.value, self.by_name.keys().map(String::as_str)),
            };
            fault(attribute.source, cause)
        };
        let copy = match self.suffix.is_empty() {
            true => None,
            false => self
                .by_name
                .get(&format!("{}{}", attribute.value, self.suffix)),
        };
        let found = copy.or_else(|| self.by_name.get(attribute.value));
        found.map(|&(index, _)| index).ok_or_else(unknown)
    }

    /// A name that no part has: the one given, or it and as many underscores as it takes. It is
    /// taken from then on.
    pub(super) fn unused(&mut self, mut name: String) -> String {
        while self.by_name.contains_key(&name) {
            name.push('_');
        }
        self.by_name.insert(name.clone(), (0, Source::default()));
        name
    }
}

fn plural(what: &'static str) -> &'static str {
    match what {
        "body" => "bodies",
        "joint" => "joints",
        "site" => "sites",
        "geom" => "geoms",
        "mesh" => "meshes",
        "tendon" => "tendons",
        "actuator" => "actuators",
        _ => "materials",
    }
}
