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
