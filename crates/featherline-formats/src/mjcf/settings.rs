//! Settings: attributes of an element that are kept in its own words.

use super::attributes::Attributes;
use super::reader::Reader;
use super::schema::{has, is_attribute_read};
use crate::description::Setting;
use crate::error::ErrorCause;
use crate::report::{Outcome, fault, not_allowed};
use crate::value;
use crate::xml::numbers;

/// The attributes of an element and its defaults, by its path, that are not read. Actuators share
/// their defaults, and so do tendons: what another kind has counts for nothing, but a few of
/// actuators.
pub(super) fn settings(path: &str, attributes: &Attributes<'_>) -> Vec<Setting> {
    let mut settings = stated(attributes);
    let tag = attributes.element().tag();
    settings.retain(|it| {
        let own = attributes.element().attribute(&it.name).is_some();
        let of_other_kind = match it.name.as_str() {
            "actlimited" | "actrange" => true,
            "biasprm" => ["position", "intvelocity", "cylinder"].contains(&tag),
            _ => false,
        };
        let counts = own || has(path, &it.name) || of_other_kind;
        counts && !is_attribute_read(path, &it.name)
    });
    settings
}

/// All attributes of an element and its defaults but the class.
pub(super) fn stated(attributes: &Attributes<'_>) -> Vec<Setting> {
    let mut stated: Vec<Setting> = Vec::new();
    let all = attributes.chain().iter().flat_map(|it| it.attributes());
    for attribute in all.filter(|it| !matches!(it.name, "class" | "childclass")) {
        match stated.iter_mut().find(|it| it.name == attribute.name) {
            Some(known) => extend(known, attribute.value),
            None => stated.push(Setting::new(attribute.name, attribute.value)),
        }
    }
    stated
}

impl Attributes<'_> {
    /// An attribute in its own words, with the numbers of defaults.
    pub(super) fn words(&self, name: &str) -> Option<Setting> {
        stated(self).into_iter().find(|it| it.name == name)
    }
}

/// Numbers that an element does not have are those of its defaults; those of a user are a list of
/// their own.
fn extend(setting: &mut Setting, default: &str) {
    let count = setting.value.split_ascii_whitespace().count();
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    let mut own = setting.value.split_ascii_whitespace();
    let rest: Vec<&str> = default.split_ascii_whitespace().skip(count).collect();
    if setting.name != "user" && own.all(is_number) && rest.iter().all(|it| is_number(it)) {
        for word in rest {
            setting.value = format!("{} {word}", setting.value);
        }
    }
}

impl Reader<'_, '_, '_> {
    /// A range, if it is in force: by a word, or where that is `auto`, if its first number is less
    /// than the second. One that is not in force becomes a setting.
    pub(super) fn range(
        &mut self,
        attributes: &Attributes<'_>,
        [limited, range]: [&'static str; 2],
        unit: f64,
        auto_limits: bool,
        settings: &mut Vec<Setting>,
    ) -> Outcome<Option<[f64; 2]>> {
        let word = attributes.word(limited, &["true", "false", "auto"])?;
        let Some(element) = attributes.nearest(&[range]) else {
            return Ok(None);
        };
        let source = attributes.source(range);
        let Some(stated) = value::bounds(element, range)? else {
            return Ok(None);
        };
        let [lower, upper] = stated.map(|bound| bound * unit);
        let is_order = lower < upper;
        match word {
            Some("true") if is_order => return Ok(Some([lower, upper])),
            Some("true") => return Err(fault(source, ErrorCause::EmptyRange { lower, upper })),
            Some("false") => {}
            _ if stated == [0.0, 0.0] => return Ok(None),
            _ if !auto_limits => {
                let what =
                    format!("`{range}` is given without `{limited}`, and `autolimits` is false");
                return Err(not_allowed(source, what, "say whether it is in force"));
            }
            _ if is_order => return Ok(Some([lower, upper])),
            _ => {
                let what = format!("`{range}`, whose first number is not the smaller one");
                self.simplified(source, &what, "nothing is limited, as in MuJoCo");
            }
        }
        // MuJoCo converts those that are in force.
        settings.push(Setting::new(range, numbers(&stated)));
        if let Some(word) = word {
            settings.push(Setting::new(limited, word));
        }
        Ok(None)
    }
}
