//! The names of quantities: one set for every command and for Python, with the names that are also
//! accepted.

use featherline::Model;
use featherline::kinematics::ReferenceFrame;
use featherline::quantity::{self, CATALOGUE, Entry, ListedQuantity, Parameter, Parameters};
use featherline::words::{DidYouMean, Words, closest};

/// The state itself.
pub(crate) const STATE: &str = "state";
/// The operations of algorithms.
pub(crate) const OPERATION_COUNTS: &str = "operation_counts";
/// Dynamics in maximal coordinates.
pub(crate) const MAXIMAL_DYNAMICS: &str = "maximal_dynamics";

/// The key of the answer to a word, under any of its names; unknown words stay what they are.
pub fn canonical(word: &str) -> &str {
    let word = word.trim();
    quantity::find(word).map_or(word, |known| known.entry.key)
}

/// The words of lists that are separated by commas; a comma of a name is written `\,`.
pub(crate) fn separated(lists: &[String]) -> Vec<String> {
    let mut words = Vec::new();
    for list in lists {
        let mut word = String::new();
        for part in list.split(',') {
            word.push_str(part);
            if word.ends_with('\\') {
                word.pop();
                word.push(',');
            } else {
                words.push(std::mem::take(&mut word));
            }
        }
        words.extend((!word.is_empty()).then_some(word));
    }
    words
}

/// Whether a word is the name of a quantity, or another name of one.
#[cfg(feature = "system")]
pub(crate) fn is_known(word: &str) -> bool {
    let own = [STATE, OPERATION_COUNTS, MAXIMAL_DYNAMICS];
    quantity::find(word).is_some() || own.contains(&word)
}

/// The other names of a quantity.
#[cfg(feature = "system")]
pub(crate) fn aliases(word: &str) -> Vec<&'static str> {
    let Some(known) = quantity::find(word) else {
        return Vec::new();
    };
    let words = known.entry.words();
    words.filter(|other| *other != known.entry.key).collect()
}

/// How a quantity is asked for by word.
pub fn usage(entry: &Entry) -> String {
    match entry.parameters {
        [] => entry.key.to_owned(),
        [Parameter::Joint] => format!("{}:JOINT", entry.key),
        [Parameter::Frame] => format!("{}:LINK", entry.key),
        _ => format!("{}:LINK:FRAME", entry.key),
    }
}

/// The paragraph of a quantity in a help text: how it is asked for, its inputs, its meaning, its
/// other names.
pub(crate) fn description(entry: &Entry) -> String {
    // The right-hand side is given as joint forces.
    let inputs = entry.inputs.iter().map(|it| match it.name {
        "b" => "tau as b",
        name => name,
    });
    let inputs: Vec<&str> = inputs.collect();
    let mut text = entry.meaning().to_owned();
    let others: Vec<&str> = entry.words().filter(|it| *it != entry.key).collect();
    if !others.is_empty() {
        text.push_str(&format!(" ({})", others.join(", ")));
    }
    let mut lines = format!("  {} ({})", usage(entry), inputs.join(", "));
    let mut left = 0;
    for word in text.split(' ') {
        if left < word.chars().count() + 1 {
            lines.push_str("\n     ");
            left = WIDTH;
        }
        lines.push(' ');
        lines.push_str(word);
        left -= (word.chars().count() + 1).min(left);
    }
    lines + "\n"
}

/// Columns of text in a paragraph.
const WIDTH: usize = 72;

/// The quantity of the catalogue that a word asks for, with its parameters: `tau`,
/// `jacobian:LINK:FRAME`. What a door has beside the catalogue are `others`.
///
/// # Errors
/// The sentence that explains the fault.
pub fn quantity(
    word: &str,
    model: &Model,
    others: impl IntoIterator<Item = &'static str>,
) -> Result<(&'static ListedQuantity, Parameters), String> {
    let (name, about) = match word.split_once(':') {
        Some((name, about)) => (name, Some(about)),
        None => (word, None),
    };
    let Some(listed) = quantity::find(name) else {
        return Err(unknown(word, others));
    };
    let entry = &listed.entry;
    let fault = |reason: String| format!("quantity `{word}`: {reason}");
    let parameters = match (about, entry.parameters) {
        (None, []) => Parameters::NONE,
        (Some(_), []) => return Err(fault(format!("`{}` is about no link", entry.key))),
        (None, _) => return Err(fault(form(entry))),
        (Some(joint), [Parameter::Joint]) => {
            let joint = model.joint_id(joint);
            Parameters::of_frame(joint.map_err(|unknown| fault(unknown.to_string()))?)
        }
        (Some(link), [_]) => {
            let target = model.target(link);
            Parameters::of_frame(target.map_err(|unknown| fault(unknown.to_string()))?)
        }
        (Some(about), _) => {
            // The last colon counts, because the name of a frame may contain others.
            let Some((link, axes)) = about.rsplit_once(':') else {
                return Err(fault(form(entry)));
            };
            let reference = ReferenceFrame::from_word(axes).map_err(|unknown| {
                let words: Vec<&str> = ReferenceFrame::WORDS.iter().map(|it| it.0).collect();
                let (words, meant) = (words.join(", "), DidYouMean(unknown.closest));
                fault(format!(
                    "components are in the frames {words}, none in `{axes}`{meant}"
                ))
            })?;
            let target = model.target(link);
            let target = target.map_err(|unknown| fault(unknown.to_string()))?;
            Parameters::of_frame(target).in_reference(reference)
        }
    };
    Ok((listed, parameters))
}

/// How to write a quantity that is about a link.
fn form(entry: &Entry) -> String {
    let which = match entry.parameters {
        [_] => "",
        _ => ", where FRAME is local, world or aligned",
    };
    format!("write {}{which}", usage(entry))
}

/// That a quantity is not known, with the most similar name and the list of all.
fn unknown(word: &str, others: impl IntoIterator<Item = &'static str>) -> String {
    let others: Vec<&'static str> = others.into_iter().collect();
    let all = CATALOGUE.iter().flat_map(|it| it.entry.words());
    let meant = DidYouMean(closest(word, all.chain(others.iter().copied())));
    let names = CATALOGUE.iter().map(|it| usage(&it.entry));
    let names = names.chain(others.iter().map(|&it| it.to_owned()));
    format!(
        "there is no quantity `{word}`{meant}\nquantities: {}",
        names.collect::<Vec<_>>().join(", ")
    )
}

/// A word of the command `system` by the quantity's name: `tau` for `rnea`, `tau:JOINT` for
/// `joint_force:JOINT`, and with hyphens as files have them. Unknown words stay what they are.
#[cfg(feature = "system")]
pub fn system_word(word: &str) -> String {
    let plain = |kind: &str| match is_known(kind) {
        true => canonical(kind).to_owned(),
        false => kind.replace('_', "-"),
    };
    let word = match word.trim() {
        "inverse_dynamics" => "tau",
        "forward_dynamics" => "qdd",
        word => word,
    };
    match word.split_once(':') {
        Some(("joint-force" | "joint_force", joint)) => format!("tau:{joint}"),
        Some(("joint-acceleration" | "joint_acceleration", joint)) => format!("qdd:{joint}"),
        Some((kind, joint)) => format!("{}:{joint}", plain(kind)),
        None => plain(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_to_a_word_has_one_key() {
        assert_eq!(canonical(" rnea "), "tau");
        assert_eq!(canonical("tau"), "tau");
        assert_eq!(canonical("voltage"), "voltage");
    }

    #[cfg(feature = "system")]
    #[test]
    fn the_sparse_system_has_the_same_names() {
        for (asked, name) in [
            ("tau", "tau"),
            ("rnea", "tau"),
            ("joint-accelerations", "qdd"),
            ("aba", "qdd"),
            ("tau:elbow", "tau:elbow"),
            ("rnea:elbow", "tau:elbow"),
            ("joint_acceleration:a:b", "qdd:a:b"),
            ("external-forces", "external-forces"),
            ("external-force:foot", "external-force:foot"),
            ("no_external_forces", "no-external-forces"),
            ("external_force:left_foot", "external-force:left_foot"),
        ] {
            assert_eq!(system_word(asked), name);
        }
    }
}
