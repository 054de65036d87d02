//! The names of quantities: one set for every command and for Python, with the names that are also
//! accepted.

use crate::failure::Failure;
use featherline::Model;
use featherline::kinematics::ReferenceFrame;
use featherline::model::FrameId;
use featherline::words::{DidYouMean, Words, closest};

/// Each name, with the other names that are accepted for it. Answers have the first one.
const NAMES: [(&str, &[&str]); 29] = [
    ("state", &[]),
    (
        "tau",
        &["rnea", "inverse_dynamics", "joint-forces", "joint_forces"],
    ),
    ("bias", &["nonlinear_effects"]),
    ("gravity", &["gravity_torque", "g"]),
    ("mass_matrix", &["crba", "M"]),
    ("mass_matrix_inverse", &[]),
    ("passive", &["passive_forces"]),
    (
        "qdd",
        &[
            "aba",
            "qdd_aba",
            "forward_dynamics",
            "joint-accelerations",
            "joint_accelerations",
        ],
    ),
    ("qdd_crba", &["forward_dynamics_crba", "aba_by_mass_matrix"]),
    (
        "tau_derivatives",
        &["rnea_derivatives", "inverse_dynamics_derivatives"],
    ),
    (
        "qdd_derivatives",
        &["aba_derivatives", "forward_dynamics_derivatives"],
    ),
    ("regressor", &["joint_torque_regressor"]),
    ("placements", &["forward_kinematics", "link_placements"]),
    ("com", &["center_of_mass"]),
    ("centroidal_momentum", &["centroidal_map_and_momentum"]),
    ("centroidal_map", &[]),
    ("kinetic_energy", &[]),
    ("potential_energy", &[]),
    ("operation_counts", &[]),
    ("accelerations", &[]),
    ("transmitted_forces", &[]),
    ("articulated_inertias", &[]),
    ("ltdl", &[]),
    ("maximal_dynamics", &[]),
    ("joint_placements", &[]),
    ("joint_jacobians", &[]),
    ("mass_matrix_packed", &["crba_packed"]),
    ("mass_matrix_solve", &[]),
    ("all_terms", &[]),
];

/// The name of a quantity that may be asked for by another name; unknown words stay what they are.
pub fn canonical(word: &str) -> &str {
    let word = word.trim();
    let known = NAMES
        .iter()
        .find(|(name, aliases)| *name == word || aliases.contains(&word));
    known.map_or(word, |(name, _)| name)
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
    let name = canonical(word);
    NAMES.iter().any(|(known, _)| *known == name)
}

/// The other names of a quantity.
pub fn aliases(name: &str) -> &'static [&'static str] {
    let known = NAMES.iter().find(|(known, _)| *known == name);
    known.map_or(&[], |(_, aliases)| aliases)
}

/// That a quantity is not known, with the most similar name and the list of all.
pub fn unknown(word: &str, names: &[&str]) -> String {
    let all = names
        .iter()
        .flat_map(|name| aliases(name).iter().chain([name]));
    let suggestion = if word.starts_with("jacobian") {
        "; write jacobian:LINK:FRAME, where FRAME is local, world or aligned".to_owned()
    } else {
        DidYouMean(closest(word, all.copied())).to_string()
    };
    format!(
        "there is no quantity `{word}`{suggestion}\nquantities: {}, jacobian:LINK:local|world|aligned",
        names.join(", ")
    )
}

/// The frame and the axes in `LINK:FRAME` of the quantity `key`.
///
/// The last colon counts, because the name of a frame may contain others.
///
/// # Errors
/// The sentence that explains the fault.
pub fn frame_and_axes(
    key: &str,
    frame: &str,
    model: &Model,
) -> Result<(FrameId, ReferenceFrame), String> {
    let bad = |reason: String| Err(format!("quantity `{key}`: {reason}"));
    let Some((link, axes)) = frame.rsplit_once(':') else {
        return bad("write jacobian:LINK:FRAME, where FRAME is local, world or aligned".to_owned());
    };
    let reference = match ReferenceFrame::from_word(axes) {
        Ok(reference) => reference,
        Err(unknown) => {
            let words = ReferenceFrame::WORDS.iter().map(|(word, _)| *word);
            let meant = DidYouMean(unknown.closest);
            return bad(format!(
                "there are Jacobians in the frames {}, none in `{axes}`{meant}",
                words.collect::<Vec<_>>().join(", ")
            ));
        }
    };
    match model.frame_id(link) {
        Ok(frame) => Ok((frame, reference)),
        Err(unknown) => bad(unknown.to_string()),
    }
}

/// [`frame_and_axes`] for a command.
pub(crate) fn jacobian(
    key: &str,
    frame: &str,
    model: &Model,
) -> Result<(FrameId, ReferenceFrame), Failure> {
    frame_and_axes(key, frame, model).map_err(Failure::Quantity)
}

/// A word of the command `system` by the quantity's name: `tau` for `rnea`, `tau:JOINT` for
/// `joint_force:JOINT`, and with hyphens as files have them. Unknown words stay what they are.
#[cfg(feature = "system")]
pub fn system_word(word: &str) -> String {
    let plain = |kind: &str| match is_known(kind) {
        true => canonical(kind).to_owned(),
        false => kind.replace('_', "-"),
    };
    let word = word.trim();
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
    fn every_name_stands_for_one_quantity() {
        let mut all: Vec<&str> = NAMES
            .iter()
            .flat_map(|(name, aliases)| aliases.iter().chain([name]).copied())
            .collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        for (name, aliases) in NAMES {
            assert_eq!(canonical(name), name);
            assert!(aliases.iter().all(|alias| canonical(alias) == name));
        }
        assert_eq!(canonical(" rnea "), "tau");
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
