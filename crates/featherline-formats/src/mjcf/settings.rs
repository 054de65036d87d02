//! What is kept of an element in its own words.

use super::attributes::Attributes;
use crate::description::Setting;

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
