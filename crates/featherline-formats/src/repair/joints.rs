//! Limits of joints, and joints that depend on others.

use super::proposal::{Proposal, removed, value, with_attribute};
use super::round::{Problem, Round};
use super::spelling::misspelt_in;
use crate::suggestion::{clearly_similar, prefixed};
use crate::xml::{Element, shortened};

/// The most names that a similar one is looked for among: the cost grows with the square of their
/// number.
const MAX_NAMES: usize = 1000;

/// Limits whose lower one is above the upper one, exchanged.
pub(super) fn exchanged_limits(round: &Round<'_>, problem: Problem) -> Option<Proposal> {
    let reason = |lower: &str, upper: &str| {
        format!(
            "the lower limit {lower} is above the upper one, {upper}: exchange them; check that no sign is missing"
        )
    };
    // MJCF has both in one attribute.
    if let Some((_, range)) = round.attribute(problem.place) {
        let words: Vec<&str> = range.value.split_ascii_whitespace().collect();
        let &[lower, upper] = &words[..] else {
            return None;
        };
        let edits = vec![value(&range, &format!("{upper} {lower}"))];
        return Some(problem.proposal(reason(lower, upper), edits));
    }
    let limit = round.element(problem.place)?;
    if limit.tag() != "limit" {
        return None;
    }
    let bound = |name| limit.attribute(name).map_or("0", |it| it.value.trim());
    let (lower, upper) = (bound("lower"), bound("upper"));
    let edits = vec![
        with_attribute(limit, "lower", upper),
        with_attribute(limit, "upper", lower),
    ];
    Some(problem.proposal(reason(lower, upper), edits))
}

/// A revolute joint without limits, as what it is: continuous.
pub(super) fn continuous(round: &Round<'_>, problem: Problem) -> Option<Proposal> {
    let joint = round.element(problem.place)?;
    let kind = joint.attribute("type")?;
    // A misspelt `<limit>` is one.
    if joint.tag() != "joint" || kind.value != "revolute" || misspelt_in(joint).next().is_some() {
        return None;
    }
    let reason = "a revolute joint needs limits and has none: make it `continuous`, which is how it is read, or add a \
                  `<limit>` if it can't turn freely"
        .to_owned();
    Some(problem.proposal(reason, vec![value(&kind, "continuous")]))
}

/// A joint that mimics one that does not exist: with the name that differs by a prefix alone, or
/// that is clearly the most similar. Without such a name it is a choice which joint is meant, or
/// whether the joint moves freely.
pub(super) fn mimicked(round: &Round<'_>, problem: Problem, name: &str) -> Option<Proposal> {
    let mimic = round.element(problem.place)?;
    if mimic.tag() != "mimic" {
        return None;
    }
    let joint = mimic.parent()?;
    let others = joint.parent().into_iter().flat_map(Element::children);
    let others = others.filter(|it| it.tag() == "joint");
    let own = joint.name();
    let names = others.filter_map(|it| Some(it.attribute("name")?.value));
    let names: Vec<&str> = names.filter(|it| *it != own).collect();
    let stated = mimic.attribute("joint")?;
    let prefixed = prefixed(stated.value, own, names.iter().copied());
    let (near, why) = match prefixed {
        Some(near) => (near, "which differs by a prefix alone"),
        None if names.len() > MAX_NAMES => return None,
        None => (
            clearly_similar(stated.value, &names)?,
            "which is the most similar",
        ),
    };
    let new = shortened(near);
    let reason =
        format!("there is no joint `{name}` to mimic: name `{new}`, {why}; check that it is meant");
    Some(problem.proposal(reason, vec![value(&stated, near)]))
}

/// A constraint that names a part that does not exist: without it, if no part has a similar name.
pub(super) fn no_equality(
    round: &Round<'_>,
    problem: Problem,
    (what, name): (&str, &str),
    suggestion: Option<&str>,
) -> Option<Proposal> {
    let (constraint, _) = round.attribute(problem.place)?;
    if constraint.parent()?.tag() != "equality" || suggestion.is_some() {
        return None;
    }
    let reason = format!(
        "there is no {what} `{name}`: remove the constraint `<{}>`, or name the right {what}",
        constraint.tag()
    );
    let edits = vec![removed(constraint, round.text_of(constraint))];
    Some(problem.proposal(reason, edits))
}
