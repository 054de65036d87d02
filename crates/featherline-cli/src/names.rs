//! The names of quantities: one set for every command, with the names that are also accepted.

use crate::failure::Failure;
use crate::suggestion::did_you_mean;
use featherline::Model;
use featherline::kinematics::ReferenceFrame;
use featherline::model::FrameId;

/// Each name, with the other names that are accepted for it. Answers have the first one.
const NAMES: [(&str, &[&str]); 20] = [
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
    ("placements", &["forward_kinematics"]),
    ("com", &["center_of_mass"]),
    ("centroidal_momentum", &[]),
    ("centroidal_map", &[]),
    ("kinetic_energy", &[]),
    ("potential_energy", &[]),
    ("operation_counts", &[]),
    ("joint_placements", &[]),
    ("joint_jacobians", &[]),
    ("mass_matrix_packed", &["crba_packed"]),
    ("mass_matrix_solve", &[]),
];

/// Quantities of single joints in the command `system`, with the names that it has for them.
#[cfg(feature = "system")]
const OF_JOINTS: [(&str, &str); 2] = [("tau", "joint-force"), ("qdd", "joint-acceleration")];

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

/// A quantity in the words of the sparse system: `tau` and its other names are `joint-forces`
/// there, `qdd` and its other names `joint-accelerations`, those of one joint `joint-force:JOINT`
/// and `joint-acceleration:JOINT`.
#[cfg(feature = "system")]
pub fn system_word(word: &str) -> String {
    let word = word.trim();
    if let Some((kind, joint)) = word.split_once(':') {
        let name = canonical(kind);
        let known = OF_JOINTS.iter().find(|(known, _)| *known == name);
        return known.map_or_else(
            || word.to_owned(),
            |(_, of_system)| format!("{of_system}:{joint}"),
        );
    }
    let name = canonical(word);
    let known = OF_JOINTS.iter().find(|(known, _)| *known == name);
    known.map_or_else(|| word.to_owned(), |(_, of_system)| format!("{of_system}s"))
}

/// The name under which an answer of the sparse system is written.
#[cfg(feature = "system")]
pub fn of_system(word: &str) -> String {
    for (name, of_system) in OF_JOINTS {
        match word.strip_prefix(of_system) {
            Some("s") => return name.to_owned(),
            Some(joint) if joint.starts_with(':') => return format!("{name}{joint}"),
            _ => {}
        }
    }
    word.to_owned()
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
    fn the_sparse_system_knows_the_same_names() {
        for (asked, word, answer) in [
            ("tau", "joint-forces", "tau"),
            ("rnea", "joint-forces", "tau"),
            ("joint-accelerations", "joint-accelerations", "qdd"),
            ("aba", "joint-accelerations", "qdd"),
            ("tau:elbow", "joint-force:elbow", "tau:elbow"),
            (
                "joint-acceleration:a:b",
                "joint-acceleration:a:b",
                "qdd:a:b",
            ),
            ("external-forces", "external-forces", "external-forces"),
            (
                "no-external-forces",
                "no-external-forces",
                "no-external-forces",
            ),
        ] {
            assert_eq!(system_word(asked), word);
            assert_eq!(of_system(word), answer);
        }
    }
}
