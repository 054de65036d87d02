//! Names and numbers in messages: what every room above says in the same words.

use featherline::Model;

/// The fewest digits that read back as the same number; with an exponent if that is shorter.
pub(crate) fn shortest(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 || (1e-5..1e16).contains(&magnitude) || !value.is_finite() {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// Why there are no columns.
pub(crate) const NO_LOOP: &str = "the system has no such loop joint";

/// The joint that owns a coordinate, and which of its degrees of freedom it is.
pub(crate) fn owner(model: &Model, coordinate: usize) -> Option<(&str, usize)> {
    let mut joints = model.joints().iter();
    let owner = joints.find(|joint| (joint.idx_v..joint.idx_v + joint.nv).contains(&coordinate))?;
    Some((&owner.name, coordinate - owner.idx_v))
}

/// The joint that owns a coordinate, with the degree of freedom where it has several.
pub(crate) fn coordinate_name(model: &Model, coordinate: usize) -> String {
    let Some((name, degree)) = owner(model, coordinate) else {
        return format!("coordinate {coordinate}");
    };
    let is_alone = owner(model, coordinate + 1).is_none_or(|next| next.0 != name);
    match degree {
        0 if is_alone => name.to_owned(),
        _ => format!("{name}[{degree}]"),
    }
}

/// A word, and the joint that it names behind a colon. `joint-force` and `joint-acceleration`, in
/// the plural without a joint, are other names of `tau` and `qdd`.
pub(crate) fn word_and_joint(word: &str) -> (&str, Option<&str>) {
    match word.split_once(':') {
        Some(("joint-force", name)) => ("tau", Some(name)),
        Some(("joint-acceleration", name)) => ("qdd", Some(name)),
        Some((kind, name)) => (kind, Some(name)),
        None if word == "joint-forces" => ("tau", None),
        None if word == "joint-accelerations" => ("qdd", None),
        None => (word, None),
    }
}

#[cfg(test)]
mod tests {
    use super::shortest;

    #[test]
    fn numbers_read_back_and_have_no_row_of_zeros() {
        for (value, expected) in [
            (0.0, "0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (1e-5, "0.00001"),
            (9.9e-6, "9.9e-6"),
            (1e-320, "1e-320"),
            (9007199254740993.0, "9007199254740992"),
            (1e16, "1e16"),
            (1e308, "1e308"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(shortest(value), expected);
            assert_eq!(expected.parse(), Ok(value));
        }
        assert_eq!(shortest(f64::NAN), "NaN");
    }
}
