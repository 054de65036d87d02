//! What is kept of an element in its own words.

use super::attributes::Attributes;
use crate::description::Setting;
use crate::report::Outcome;

/// The attributes of an element and its defaults that are not among those that are read.
pub(super) fn settings(attributes: &Attributes<'_>, read: &[&str]) -> Vec<Setting> {
    let mut settings: Vec<Setting> = Vec::new();
    for element in attributes.chain() {
        for attribute in element.attributes() {
            let is_new = settings.iter().all(|it| it.name != attribute.name);
            if is_new && !read.contains(&attribute.name) {
                settings.push(Setting::new(attribute.name, attribute.value));
            }
        }
    }
    settings
}

/// A range, if it is in force.
pub(super) fn range(
    attributes: &Attributes<'_>,
    limited: &'static str,
    range: &'static str,
    auto_limits: bool,
) -> Outcome<Option<[f64; 2]>> {
    match attributes.limited(limited, range, auto_limits)? {
        true => attributes.numbers(range),
        false => Ok(None),
    }
}
