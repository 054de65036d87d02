//! Names that a user may have meant.

/// Names longer than this are not compared for similarity: the cost grows with the square of the
/// length.
const MAX_COMPARED: usize = 200;

/// The known name that is most similar to one that is not known, if any is.
pub(crate) fn similar<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    featherline::words::closest(name, known).map(str::to_owned)
}

/// The same, if no other known name is as near by its letters.
pub(crate) fn clearly_similar<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let near = featherline::words::closest(name, known.iter().copied())?;
    let distance = |known: &str| strsim::osa_distance(name, known);
    let mut others = known.iter().filter(|it| **it != near);
    let is_clear = others.all(|it| it.len() > MAX_COMPARED || distance(it) > distance(near));
    is_clear.then_some(near)
}

/// The known name that a name can only be a misspelling of: the same but for capitals and hyphens,
/// or one letter wrong, two in a long one; a name of three letters may lack a fourth. None if there
/// are two such names.
pub(crate) fn meant<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_COMPARED || name.contains(':') {
        return None;
    }
    let plain = |text: &str| text.replace(['_', '-'], "").to_lowercase();
    let written = plain(name);
    let own = name.chars().count();
    let most = |known: &str| match own.max(known.chars().count()) {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    };
    // The lengths tell most names apart at less cost.
    let letters = |text: &str| text.chars().filter(|c| !matches!(c, '_' | '-')).count();
    let length = letters(name);
    let known = known.filter(|known| letters(known).abs_diff(length) <= most(known));
    let near = known.filter_map(|known| {
        let distance = strsim::osa_distance(&written, &plain(known));
        (distance <= most(known)).then_some((distance, known))
    });
    let near: Vec<_> = near.collect();
    let least = near.iter().map(|(distance, _)| *distance).min()?;
    let mut best = near.iter().filter(|(distance, _)| *distance == least);
    match (best.next(), best.next()) {
        (Some((_, known)), None) => Some(known),
        _ => None,
    }
}

/// The known name that differs from a name by a prefix alone, as `left_q1` does from `q1`. Of
/// several, the one with the prefix that the name `of` has, of the part that the name is stated in.
/// None if that leaves none or two.
pub(crate) fn prefixed<'a>(
    name: &str,
    of: &str,
    known: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let found: Vec<(&str, &str)> = known
        .filter(|it| *it != of)
        .filter_map(|it| {
            let prefix = it.strip_suffix(name).or_else(|| name.strip_suffix(it))?;
            prefix
                .ends_with(['_', '-', '/', '.', ':'])
                .then_some((prefix, it))
        })
        .collect();
    let only = |found: &[(&str, &'a str)]| match found {
        &[(_, one)] => Some(one),
        _ => None,
    };
    let beside = |it: &&(&str, &str)| it.1.ends_with(name) && of.starts_with(it.0);
    only(&found).or_else(|| only(&found.iter().filter(beside).copied().collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use super::{clearly_similar, meant, prefixed};

    #[test]
    fn a_similar_name_is_clear_if_no_other_is_as_near() {
        assert_eq!(clearly_similar("gripp", &["grip", "grip_l"]), Some("grip"));
        assert_eq!(clearly_similar("finger3", &["finger1", "finger2"]), None);
        assert_eq!(clearly_similar("gripp", &["wrist"]), None);
    }

    #[test]
    fn a_name_without_its_prefix_is_that_of_the_same_side() {
        let both = || ["left_q1", "left_q2", "right_q1", "right_q2", "eq1"].into_iter();
        assert_eq!(prefixed("q1", "left_q2", both()), Some("left_q1"));
        assert_eq!(prefixed("q1", "right_q2", both()), Some("right_q1"));
        assert_eq!(prefixed("q1", "wrist", both()), None);
        assert_eq!(prefixed("q1", "wrist", ["eq1"].into_iter()), None);
        assert_eq!(
            prefixed("q1", "q2", ["hand/q1", "q2"].into_iter()),
            Some("hand/q1")
        );
        assert_eq!(
            prefixed("hand_q1", "q2", ["q1", "q2"].into_iter()),
            Some("q1")
        );
        // Not the joint itself.
        assert_eq!(prefixed("q1", "left_q1", ["left_q1"].into_iter()), None);
    }

    #[test]
    fn only_one_near_name_is_meant() {
        let limit = || ["lower", "upper", "effort", "velocity"].into_iter();
        assert_eq!(meant("Lower", limit()), Some("lower"));
        assert_eq!(meant("lowr", limit()), Some("lower"));
        assert_eq!(meant("veloctiy", limit()), Some("velocity"));
        assert_eq!(meant("speed", limit()), None);
        assert_eq!(meant("xacro:lower", limit()), None);
        // Three letters say too little, unless a fourth is missing.
        assert_eq!(meant("iyx", ["ixx", "ixy"].into_iter()), None);
        assert_eq!(meant("mas", ["mass", "origin"].into_iter()), Some("mass"));
        // Two are as near.
        assert_eq!(meant("site3", ["site1", "site2"].into_iter()), None);
    }
}
