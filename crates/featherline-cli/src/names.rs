//! The names of quantities: one set for every command, with the names that are also accepted.

use crate::failure::Failure;
use crate::suggestion::did_you_mean;
use featherline::Model;
use featherline::kinematics::ReferenceFrame;
use featherline::model::FrameId;

/// Each name, with the other names that are accepted for it. Answers have the first one.
const NAMES: [(&str, &[&str]); 28] = [
    ("state", &[]),
    (
        "tau",
        &["rnea", "inverse_dynamics", "joint-forces", "joint_forces"],
    ),
    ("bias", &["nonlinear_effects"]),
    ("gravity", &["gravity_torque"]),
    ("mass_matrix", &["crba"]),
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
    ("qdd_crba", &["forward_dynamics_crba"]),
    (
        "tau_derivatives",
        &["rnea_derivatives", "inverse_dynamics_derivatives"],
    ),
    (
        "qdd_derivatives",
        &["aba_derivatives", "forward_dynamics_derivatives"],
    ),
    ("regressor", &["joint_torque_regressor"]),
    ("placements", &["forward_kinematics"]),
    ("com", &["center_of_mass"]),
    ("centroidal_momentum", &[]),
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
];

/// The axes of Jacobians.
const REFERENCES: [(&str, ReferenceFrame); 3] = [
    ("local", ReferenceFrame::Local),
    ("world", ReferenceFrame::World),
    ("aligned", ReferenceFrame::LocalWorldAligned),
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
pub fn separated(lists: &[String]) -> Vec<String> {
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
pub fn is_known(word: &str) -> bool {
    let name = canonical(word);
    NAMES.iter().any(|(known, _)| *known == name)
}

/// The other names of a quantity.
pub fn aliases(name: &str) -> &'static [&'static str] {
    let known = NAMES.iter().find(|(known, _)| *known == name);
    known.map_or(&[], |(_, aliases)| aliases)
}

/// That a quantity is not known, with the most similar name and the list of all.
pub fn unknown(word: &str, names: &[&str]) -> Failure {
    let all = names
        .iter()
        .flat_map(|name| aliases(name).iter().chain([name]));
    let suggestion = if word.starts_with("jacobian") {
        "; write jacobian:LINK:FRAME, where FRAME is local, world or aligned".to_owned()
    } else {
        did_you_mean(word, all.copied())
    };
    Failure::Quantity(format!(
        "there is no quantity `{word}`{suggestion}\nquantities: {}, jacobian:LINK:local|world|aligned",
        names.join(", ")
    ))
}

/// The frame and the axes in `LINK:FRAME` of the quantity `key`.
///
/// The last colon counts, because the name of a frame may contain others.
pub fn frame_and_axes(
    key: &str,
    frame: &str,
    model: &Model,
) -> Result<(FrameId, ReferenceFrame), Failure> {
    let bad = |reason: String| Err(Failure::Quantity(format!("quantity `{key}`: {reason}")));
    let Some((link, axes)) = frame.rsplit_once(':') else {
        return bad("write jacobian:LINK:FRAME, where FRAME is local, world or aligned".to_owned());
    };
    let Some((_, reference)) = REFERENCES.into_iter().find(|(name, _)| *name == axes) else {
        let names = REFERENCES.map(|(name, _)| name);
        return bad(format!(
            "there are Jacobians in the frames {}, none in `{axes}`{}",
            names.join(", "),
            did_you_mean(axes, names)
        ));
    };
    match model.frame_id(link) {
        Ok(frame) => Ok((frame, reference)),
        Err(unknown) => bad(unknown.to_string()),
    }
}

/// A word of the command `system` by the quantity's name: `tau` for `rnea`, `tau:JOINT` for
/// `joint_force:JOINT`. Unknown words stay what they are.
#[cfg(feature = "system")]
pub fn system_word(word: &str) -> String {
    let word = word.trim();
    match word.split_once(':') {
        Some(("joint-force" | "joint_force", joint)) => format!("tau:{joint}"),
        Some(("joint-acceleration" | "joint_acceleration", joint)) => format!("qdd:{joint}"),
        Some((kind, joint)) => format!("{}:{joint}", canonical(kind)),
        None => canonical(word).to_owned(),
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
        ] {
            assert_eq!(system_word(asked), name);
        }
    }
}
