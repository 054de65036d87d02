//! Names that a user may have meant.

/// Names longer than this are not compared for similarity: the cost grows with the square of the
/// length.
const MAX_COMPARED: usize = 200;

/// The known name that is most similar to one that is not known, if any is.
pub(crate) fn similar<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    if name.len() > MAX_COMPARED {
        return None;
    }
    let scored = known
        .filter(|other| other.len() <= MAX_COMPARED)
        .map(|other| (strsim::jaro_winkler(name, other), other));
    // Of names that are as similar, the first in alphabetical order: a table of names has no order
    // of its own.
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)))?;
    (best.0 > 0.8).then(|| best.1.to_owned())
}

/// The known name that a name can only be a misspelling of: the same but for capitals and hyphens,
/// or one letter wrong, two in a long one. None if there are two such names.
pub(crate) fn meant<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_COMPARED || name.contains(':') {
        return None;
    }
    let plain = |text: &str| text.replace(['_', '-'], "").to_lowercase();
    let written = plain(name);
    let most = match name.chars().count() {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    };
    // The lengths tell most names apart at less cost.
    let letters = |text: &str| text.chars().filter(|c| !matches!(c, '_' | '-')).count();
    let length = letters(name);
    let known = known.filter(|known| letters(known).abs_diff(length) <= most);
    let near = known.filter_map(|known| {
        let distance = strsim::osa_distance(&written, &plain(known));
        (distance <= most).then_some((distance, known))
    });
    let near: Vec<_> = near.collect();
    let least = near.iter().map(|(distance, _)| *distance).min()?;
    let mut best = near.iter().filter(|(distance, _)| *distance == least);
    match (best.next(), best.next()) {
        (Some((_, known)), None) => Some(known),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::meant;

    #[test]
    fn only_one_near_name_is_meant() {
        let limit = || ["lower", "upper", "effort", "velocity"].into_iter();
        assert_eq!(meant("Lower", limit()), Some("lower"));
        assert_eq!(meant("lowr", limit()), Some("lower"));
        assert_eq!(meant("veloctiy", limit()), Some("velocity"));
        assert_eq!(meant("speed", limit()), None);
        assert_eq!(meant("xacro:lower", limit()), None);
        // Three letters say too little.
        assert_eq!(meant("iyx", ["ixx", "ixy"].into_iter()), None);
        // Two are as near.
        assert_eq!(meant("site3", ["site1", "site2"].into_iter()), None);
    }
}
