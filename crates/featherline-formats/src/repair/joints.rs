//! Limits of joints, and joints that depend on others.

use super::proposal::{Proposal, removed, value, with_attribute};
use super::round::{Problem, Round};
use crate::suggestion::prefixed;
use crate::xml::{Element, shortened};

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
    if joint.tag() != "joint" || kind.value != "revolute" {
        return None;
    }
    let reason = "a revolute joint needs limits and has none: make it `continuous`, which is how it is read, or add a \
                  `<limit>` if it can't turn freely"
        .to_owned();
    Some(problem.proposal(reason, vec![value(&kind, "continuous")]))
}

/// A joint that mimics one that does not exist: with the name that differs by a prefix alone, or
/// without the `<mimic>` if there is no such joint.
pub(super) fn mimicked(round: &Round<'_>, problem: Problem, name: &str) -> Option<Proposal> {
    let mimic = round.element(problem.place)?;
    if mimic.tag() != "mimic" {
        return None;
    }
    let joint = mimic.parent()?;
    let others = joint.parent().into_iter().flat_map(Element::children);
    let others = others.filter(|it| it.tag() == "joint");
    let names = others.filter_map(|it| Some(it.attribute("name")?.value));
    let own = joint.attribute("name").map_or("", |it| it.value);
    let stated = mimic.attribute("joint")?;
    if let Some(near) = prefixed(stated.value, own, names) {
        let reason = format!(
            "there is no joint `{name}` to mimic: name `{}`, which differs by a prefix alone; check that it is meant",
            shortened(near)
        );
        return Some(problem.proposal(reason, vec![value(&stated, near)]));
    }
    let reason = format!(
        "there is no joint `{name}` to mimic: remove the `<mimic>`, so that the joint moves freely, or name the right \
         joint"
    );
    let edits = vec![removed(mimic, round.text_of(mimic))];
    Some(problem.proposal(reason, edits))
}

/// Without a constraint that names a part that does not exist.
pub(super) fn no_equality(
    round: &Round<'_>,
    problem: Problem,
    what: &str,
    name: &str,
) -> Option<Proposal> {
    let (constraint, _) = round.attribute(problem.place)?;
    if constraint.parent()?.tag() != "equality" {
        return None;
    }
    let reason = format!(
        "there is no {what} `{name}`: remove the constraint `<{}>`, or name the right {what}",
        constraint.tag()
    );
    let edits = vec![removed(constraint, round.text_of(constraint))];
    Some(problem.proposal(reason, edits))
}
